"""The folder of the server whose files visitors may open; nothing outside it ever is."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

WRITTEN = "_SUCCESS"
"""Lies in a folder that Spark has written a table to."""
_NO_DATA = frozenset({".py", ".md", ".rst", ".html", ".pdf", ".png", ".svg", ".toml", ".ipynb", ".log", ".lock"})


def data_root() -> Path | None:
    """Folder of the server whose files may be opened."""
    root = os.environ.get("TIECORE_DATA_ROOT", "")
    return Path(root).resolve() if root and Path(root).is_dir() else None


def server_files(*, most: int = 5000) -> list[str]:
    """Return the names of the files that may be opened, relative to the data root."""
    root = data_root()
    return [] if root is None else [*islice(_files_under(root), most)]


def _files_under(root: Path) -> Iterator[str]:
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        if WRITTEN in names and inside(root, folder) is not None:
            names = [""]  # one table in many parts
        for name in sorted(names):
            path = Path(folder) / name
            if not name.startswith(".") and inside(root, path) is not None:
                yield str(path.relative_to(root))


def inside(root: Path, wanted: Path | str) -> Path | None:
    """Resolve a path under the root; None if it does not exist, leads outside, is hidden, or is clearly no data."""
    try:
        path = (root / wanted).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    if not path.is_relative_to(root) or any(part.startswith(".") for part in path.relative_to(root).parts):
        return None
    is_table = (path.is_file() and path.suffix.lower() not in _NO_DATA) or (path / WRITTEN).is_file()
    return path if is_table else None

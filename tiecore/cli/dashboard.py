"""Start the dashboard as a program of its own: this package imports neither it nor Streamlit."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from tiecore.cli.messages import flush_output
from tiecore.errors import FormatError, TiecoreError

_SCRIPTS = ("start/app.py", "../app.py")  # once installed, and in a checkout
_LIBRARIES = ("streamlit", "plotly")
_NO_FILE = "is not a file; check the path and the working directory"
_NO_FOLDER = "is not a directory; --data-root takes the folder whose files can be opened"
_IS_POSIX = os.name == "posix"
# Found by location: a folder of the same name in the working directory must not be used instead.
_BESIDE = Path(__file__).parents[2]


def program(*, opens_browser: bool) -> list[str]:
    """Return the command that serves the dashboard, on port 8501 or the next free one.

    Streamlit reads the configuration that lies beside the script, from whatever folder it is started.
    """
    folder = dashboard_folder()
    scripts = [] if folder is None else [path for name in _SCRIPTS if (path := (folder / name).resolve()).is_file()]
    if folder is None or not scripts:
        raise TiecoreError("the dashboard is not part of this installation: install the whole package tiecore")
    missing = [name for name in _LIBRARIES if find_spec(name) is None]  # found, not imported: that takes a second
    if missing:
        raise TiecoreError(f"the dashboard needs {' and '.join(missing)}: pip install 'tiecore[dashboard]'")
    has_display = sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    return [
        sys.executable, "-P",  # no module of the working directory takes the place of a library
        str(folder / "__main__.py"), "run", str(scripts[0]),
        "--server.address=127.0.0.1",  # this computer only
        f"--server.headless={str(not (opens_browser and has_display)).lower()}",
        "--server.showEmailPrompt=false",
        "--browser.gatherUsageStats=false",
    ]  # fmt: skip


def environment(
    *,
    qrels: str | None = None,
    features: Sequence[str] = (),
    data_root: str | None = None,
    memory: int | None = None,
    forget: bool = False,
) -> dict[str, str]:
    """Return the environment in which the dashboard finds its data and how much it may take; paths become absolute."""
    files = [_absolute(name, _is_data, _NO_FILE) for name in features]
    wanted = {
        "TIECORE_QRELS": _absolute(qrels, _is_data, _NO_FILE) if qrels else "",
        "TIECORE_FEATURES": json.dumps(files) if files else "",
        "TIECORE_DATA_ROOT": "" if data_root is None else _absolute(data_root, Path.is_dir, _NO_FOLDER),
        "TIECORE_MEMORY": str(memory or ""),
        "TIECORE_FORGET": "1" if forget else "",
    }
    # Settings of a dashboard that runs this command are not meant for the new one.
    own = {name: value for name, value in os.environ.items() if not name.startswith("TIECORE_")}
    return own | {name: value for name, value in wanted.items() if value}


def _absolute(name: str, is_right: Callable[[Path], bool], problem: str) -> str:
    """Return an absolute path, if it is of the right kind and one may look there."""
    with contextlib.suppress(OSError, ValueError):
        if is_right(path := Path(name)):
            return str(path.absolute())
    raise FormatError(name, None, problem)


def _is_data(path: Path) -> bool:
    """Whether this is a file, or a table of counts in a folder, as engines write them."""
    return path.is_file() or (path.is_dir() and any(path.glob("*.parquet")))


def check_port(port: int) -> None:
    """Refuse a port that is taken or not allowed."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        problem = os.strerror(error.errno or errno.EADDRINUSE).lower()
        other = "one above 1023" if error.errno == errno.EACCES else "another"
        raise TiecoreError(f"port {port}: {problem}; choose {other} with --port") from None


def run(command: list[str], variables: dict[str, str]) -> int:
    """Become the server where a process can, so that signals reach it; else wait for it."""
    flush_output()
    if _IS_POSIX:
        os.execve(command[0], command, variables)
    return subprocess.run(command, env=variables, check=False).returncode


def dashboard_folder() -> Path | None:
    """Find the package of the dashboard: beside this one, or in the folder ``dashboard`` of a checkout."""
    folders = (_BESIDE / "tiecore_dashboard", _BESIDE / "dashboard" / "tiecore_dashboard")
    return next(filter(Path.is_dir, folders), None)


def sample_data() -> Path | None:
    """Find the sample data: inside the dashboard once installed, at the top of a checkout."""
    folder = dashboard_folder()
    places = () if folder is None else (folder / "sample_data", folder.parents[1] / "sample_data")
    return next(filter(Path.is_dir, places), None)

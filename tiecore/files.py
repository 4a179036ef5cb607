"""A file that is written as a whole or not at all, so that a full disk or an interrupt leaves no half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

__all__ = ["may_write", "written_whole"]


@contextmanager
def written_whole(path: Path) -> Iterator[TextIO]:
    """Open a text file for writing; it takes the place of an older one only when everything is in it.

    Raises
    ------
    OSError
        If it cannot be written; what stood there before still does.
    """
    if not may_write(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    target = Path(os.path.realpath(path))  # the place of a link's target is taken, not that of the link
    if path.exists() and (not path.is_file() or not os.access(target.parent, os.W_OK) or _is_open_elsewhere(path)):
        # a device, a pipe, or a file in a folder that takes no new one
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    part = target.parent / f".tiecore-{os.getpid()}.part"
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def may_write(path: Path) -> bool:
    """Whether one is allowed to write there; whether there is room shows when it is done."""
    return os.access(path if path.exists() else path.absolute().parent, os.W_OK)


def _is_open_elsewhere(path: Path) -> bool:
    """Whether the name stands for an open file of this process, such as /dev/stdout, and not for a file in a folder."""
    return path.absolute().parts[1:2] in (("dev",), ("proc",))

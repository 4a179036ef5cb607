"""Files that are written as a whole or not at all, so that a full disk or an interrupt leaves no half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

_STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


@contextmanager
def written_whole(path: Path) -> Iterator[TextIO]:
    """Open a text file for writing; it replaces an older file only when it is complete.

    The text first goes to a new file in the same folder, under an unpredictable name that is never opened through a
    link. It gets the permissions of the file that it replaces. Where ``path`` is a link, the file that it leads to is
    replaced. A pipe, a device, an open stream such as ``/dev/stdout``, and a file in a folder that takes no new one are
    written to directly. An OSError leaves the older file unchanged.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if not may_write(path):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    is_there = path.exists()  # what /dev/stdout leads to, a pipe say, may be there and have no path of its own
    is_stream = str(path.absolute()).startswith(_STREAMS)  # an open file of this process, and none in a folder
    if is_there and (is_stream or not path.is_file() or not os.access(target.parent, os.W_OK)):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        return
    part = target.parent / f".tiecore-{os.urandom(16).hex()}.part"
    mode = 0o600 if is_there else 0o666  # of an older file the permissions follow; they may keep others from reading
    # Path.open has no opener
    file = open(part, "x", encoding="utf-8", newline="\n", opener=partial(os.open, mode=mode))  # noqa: SIM115
    try:
        with file:
            if is_there:
                shutil.copymode(target, part)
            yield file
        part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def may_write(path: Path) -> bool:
    """Return whether the user may write there; whether there is room shows only when it is done."""
    return os.access(path if path.exists() else Path(os.path.realpath(path)).parent, os.W_OK)

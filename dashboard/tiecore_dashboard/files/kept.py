"""What visitors bring: their files on the disk of the server, and sets of data under names that nobody can guess.

A set is found again by its name in the address, after a reload or by whoever was given the link, as long as the server
keeps it: until others need the room, or until the server ends. With ``--forget`` it keeps none.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
import threading
import weakref
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from tiecore_dashboard.results.memory import LARGEST_UPLOAD, memory

if TYPE_CHECKING:
    from tiecore_dashboard.files.datasets import Dataset

__all__ = ["KEPT", "UPLOADS", "Folder", "Kept", "Upload", "Uploads", "keeps_files", "remove_all"]

_MOST_SETS = 1000
_LONGEST_WAIT = 600.0
"""Seconds for which an upload waits to be taken."""
_LONGEST_NAME = 120


def keeps_files() -> bool:
    """Whether data are found again after a reload."""
    return not os.environ.get("TIECORE_FORGET")


@cache
def _ground() -> Path:
    """Return the folder of all that visitors bring; it goes when the server ends."""
    folder = Path(tempfile.mkdtemp(prefix="tiecore-"))
    atexit.register(remove_all)
    return folder


def remove_all() -> None:
    """Remove all that visitors have brought."""
    if _ground.cache_info().currsize:
        shutil.rmtree(_ground(), ignore_errors=True)


class Folder:
    """Files that came together; they go with the last set of data that holds one of them."""

    def __init__(self) -> None:
        """Make an empty folder."""
        self.path = Path(tempfile.mkdtemp(dir=_ground()))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def add(self, upload: Upload) -> Path:
        """Take an upload; files of one name do not replace each other, and those that belong together lie together."""
        plain = Path(upload.name.replace("\\", "/").replace("\0", "")).name[-_LONGEST_NAME:] or "file"
        copy = 0
        while (path := self.path / str(copy) / plain).exists():
            copy += 1
        path.parent.mkdir(exist_ok=True)
        return upload.path.rename(path)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that has come and waits to be taken."""

    name: str
    """As its visitor knows it."""
    path: Path
    n_bytes: int
    since: float


class Uploads:
    """Files that have come, until the page for which they came takes them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, Upload] = OrderedDict()

    async def receive(self, name: str, body: AsyncIterator[bytes]) -> str | None:
        """Write a file to the disk as it comes; return what it is taken by, or None if it is too large."""
        handle = secrets.token_urlsafe(16)
        path, n_bytes = _ground() / handle, 0
        try:
            with path.open("xb") as file:
                async for piece in body:
                    n_bytes += len(piece)
                    if n_bytes > LARGEST_UPLOAD:
                        return None
                    file.write(piece)
            self._add(handle, Upload(name, path, n_bytes, monotonic()))
            return handle
        finally:
            if handle not in self._waiting:
                path.unlink(missing_ok=True)

    def put(self, name: str, data: bytes) -> str:
        """Let a file wait that is there already."""
        handle = secrets.token_urlsafe(16)
        path = _ground() / handle
        path.write_bytes(data)
        self._add(handle, Upload(name, path, len(data), monotonic()))
        return handle

    def _add(self, handle: str, upload: Upload) -> None:
        with self._lock:
            self._waiting[handle] = upload
            while self._waiting:
                oldest = next(iter(self._waiting.values()))
                n_bytes = sum(one.n_bytes for one in self._waiting.values())
                if n_bytes <= memory() and monotonic() - oldest.since < _LONGEST_WAIT:
                    break
                self._waiting.popitem(last=False)[1].path.unlink(missing_ok=True)

    def take(self, handle: str) -> Upload | None:
        """Return a file that waits, once."""
        with self._lock:
            return self._waiting.pop(handle, None)


class Kept:
    """Sets of data by their names; those asked for last stay."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._sets: OrderedDict[str, Dataset] = OrderedDict()

    def put(self, data: Dataset) -> str:
        """Keep a set of data under a new name; without keeping it, return a name that is never found."""
        if not keeps_files():
            return "own"
        name = secrets.token_urlsafe(16)
        with self._lock:
            self._sets[name] = data
            while len(self._sets) > 1 and (len(self._sets) > _MOST_SETS or self._n_bytes() > memory()):
                self._sets.popitem(last=False)
        return name

    def get(self, name: str) -> Dataset | None:
        """Return the data of a name, or None where they are not kept."""
        with self._lock:
            if name in self._sets:
                self._sets.move_to_end(name)
            return self._sets.get(name)

    def _n_bytes(self) -> int:
        return sum({file.path: file.n_bytes for data in self._sets.values() for file in data.files}.values())


KEPT, UPLOADS = Kept(), Uploads()
"""Of this server."""

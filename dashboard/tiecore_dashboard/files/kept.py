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
import time
import weakref
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tiecore_dashboard.files.reading import File
from tiecore_dashboard.results.memory import LARGEST_UPLOAD, memory

if TYPE_CHECKING:
    from tiecore_dashboard.files.datasets import Dataset

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

    def new(self, name: str) -> File:
        """Return an empty file; those of one name do not replace each other, and those that belong together do lie so.

        ``name``: as its visitor knows it; no name leads out of the folder.
        """
        plain = Path(name.replace("\\", "/").replace("\0", "")).name[-_LONGEST_NAME:] or "file"
        copy = 0
        while (path := self.path / str(copy) / plain).exists():
            copy += 1
        path.parent.mkdir(exist_ok=True)
        path.touch()
        return File(path, name, "upload", self)


class Uploads:
    """Files that have come, until the page for which they came has read them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, File] = OrderedDict()
        self._folders = weakref.WeakValueDictionary[str, Folder]()

    async def receive(self, drop: str, name: str, body: AsyncIterator[bytes]) -> str | None:
        """Write a file to the disk as it comes; return what it is found by, or None if it is too large.

        ``drop``: a random name for all that is dropped in at once, so that it lies together.
        """
        folder = self._folders.get(drop) or Folder()
        self._folders[drop] = folder
        file, n_bytes, handle = folder.new(name), 0, ""
        try:
            with file.path.open("wb") as written:
                async for piece in body:
                    n_bytes += len(piece)
                    if n_bytes > LARGEST_UPLOAD:
                        return None
                    written.write(piece)
            handle = secrets.token_urlsafe(16)
            self._add(handle, file)
            return handle
        finally:
            if not handle:
                file.path.unlink(missing_ok=True)

    def _add(self, handle: str, file: File) -> None:
        with self._lock:
            self._waiting[handle] = file
            while self._waiting:
                about = [one.path.stat() for one in self._waiting.values()]
                if sum(one.st_size for one in about) <= memory() and time.time() - about[0].st_mtime < _LONGEST_WAIT:
                    break
                self._waiting.popitem(last=False)[1].path.unlink()

    def get(self, handle: str) -> File | None:
        """Return a file that waits."""
        with self._lock:
            return self._waiting.get(handle)

    def remove(self, handles: Iterable[str]) -> None:
        """Let files wait no longer."""
        with self._lock:
            for handle in handles:
                self._waiting.pop(handle, None)


class Kept:
    """Sets of data by their names; those asked for last stay."""

    def __init__(self) -> None:
        """Begin with none."""
        self._lock = threading.Lock()
        self._sets: OrderedDict[str, Dataset] = OrderedDict()

    def put(self, data: Dataset) -> str:
        """Keep a set of data under a new name; without keeping it, return a name that is never found."""
        if not keeps_files():
            return "" if all(file.is_everybodys for file in data.files) else "own"
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
        return sum({file.path: file.n_bytes for data in self._sets.values() for file in data.brought}.values())


KEPT, UPLOADS = Kept(), Uploads()
"""Of this server."""

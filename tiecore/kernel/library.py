"""The compiled functions as Python calls them. Each returns None where there is no library or it declines."""

from __future__ import annotations

import ctypes
import os
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

SOURCE = Path(__file__).with_name("kernel.c")
BUILT = Path(__file__).with_name("_kernel.so")
_COLUMNS: dict[str, np.dtype[Any]] = {
    "query": np.dtype(np.int32),
    "document_ends": np.dtype(np.int32),
    "document_texts": np.dtype(np.uint8),
    "value": np.dtype(np.int64),
    "rank": np.dtype(np.int64),
    "query_ends": np.dtype(np.int32),
    "query_texts": np.dtype(np.uint8),
    "tag": np.dtype(np.uint8),
}
"""What the reader makes, in its order."""


class Lines(NamedTuple):
    """The lines of a TREC file as columns; texts lie one behind the other, with the byte at which each ends."""

    query: np.ndarray
    """(n_rows,) int32 code of the query, in the order in which they come first."""
    query_ends: np.ndarray
    """(n_queries + 1,) int32, beginning with 0."""
    query_texts: np.ndarray
    document_ends: np.ndarray
    """(n_rows + 1,) int32, beginning with 0."""
    document_texts: np.ndarray
    value: np.ndarray
    """(n_rows,) float64 scores of a run, or int64 grades of qrels."""
    rank: np.ndarray | None
    """(n_rows,) int64, of a run."""
    tag: str | None
    """Of a run whose lines all have the same."""


class Rows(NamedTuple):
    """The rows of a file that take part in matching, by query."""

    texts: int
    """Address of the bytes of all document ids of the file."""
    ends: np.ndarray
    """(n_file_rows + 1,) int32 byte at which each id begins, and the last one ends."""
    row: np.ndarray | None
    """(n_rows,) int64 row of the file; None if all take part in their order."""
    query: np.ndarray
    """(n_rows,) int32, ascending."""


class Files:
    """The rows of several files, and where they lie."""

    def __init__(self, files: Sequence[Rows]) -> None:
        self.files = files
        self.parts = np.array(
            [
                (own.texts, *(0 if array is None else array.ctypes.data for array in (own.ends, own.row, own.query)))
                for own in files
            ],
            dtype=np.int64,
        )


def is_there() -> bool:
    """Return whether there is a library."""
    return _library() is not None


def read_lines(file: int, *, is_run: bool, n_bytes: int, most: int) -> Lines | None:
    """Read an open TREC file from where it stands to its end.

    ``file``: its descriptor. ``n_bytes``: size that it probably has. ``most``: bytes that it may have.
    """
    library = _library()
    if library is None:
        return None
    reader = library.tiecore_open(is_run, n_bytes)
    try:
        if not reader or library.tiecore_read_file(reader, file, most):
            return None
        columns = {name: _taken(library, reader, place) for place, name in enumerate(_COLUMNS)}
        tag = None if library.tiecore_several_tags(reader) else columns.pop("tag").tobytes().decode()
    finally:
        library.tiecore_close(reader)
    columns.pop("tag", None)
    rank = columns.pop("rank")
    value = columns.pop("value")
    return Lines(
        **columns,
        value=value.view(np.float64) if is_run else value,
        rank=rank if is_run else None,
        tag=tag if is_run else None,
    )


def number_documents(files: Files, begins: np.ndarray, ends: np.ndarray) -> np.ndarray | None:
    """(n_rows,) int32 number of each row's document, from 0, one file after the other.

    A document of another query is another one. ``begins``, ``ends``: (n_files,) rows of each file that take part.
    """
    library = _library()
    if library is None:
        return None
    document = np.empty(int((ends - begins).sum()), dtype=np.int32)
    begins, ends = (np.ascontiguousarray(array, dtype=np.int64) for array in (begins, ends))
    addresses = [array.ctypes.data for array in (begins, ends, document)]
    return None if library.tiecore_number(files.parts.ctypes.data, len(begins), *addresses) else document


class _Owned:
    """A column that the library has allocated, as memory that NumPy understands; freed with the last array of it."""

    def __init__(self, library: ctypes.CDLL, address: int, length: int, dtype: np.dtype[Any]) -> None:
        self._free, self._address = library.tiecore_free, address
        self.__array_interface__ = {"data": (address, False), "shape": (length,), "typestr": dtype.str, "version": 3}

    def __del__(self) -> None:
        self._free(self._address)


def _taken(library: ctypes.CDLL, reader: int, place: int) -> np.ndarray:
    dtype = list(_COLUMNS.values())[place]
    n_bytes = ctypes.c_int64()
    address = library.tiecore_take(reader, place, ctypes.byref(n_bytes))
    if not address:
        return np.zeros(0, dtype)
    return np.asarray(_Owned(library, address, n_bytes.value // dtype.itemsize, dtype))


@cache
def _library() -> ctypes.CDLL | None:
    """Load the library, if it was made from the source that lies beside it."""
    if os.environ.get("TIECORE_KERNEL") == "off":
        return None
    try:
        library = ctypes.CDLL(str(BUILT))
        made_from = ctypes.c_char_p.in_dll(library, "tiecore_source").value
        if made_from != f"{zlib.crc32(SOURCE.read_bytes()):08x}".encode():
            return None
    except (OSError, ValueError):  # not built here, built for another machine, or something else of this name
        return None
    pointer, number, word = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
    for name, result, arguments in (
        ("tiecore_open", pointer, [number, word]),
        ("tiecore_read_file", number, [pointer, number, word]),
        ("tiecore_several_tags", number, [pointer]),
        ("tiecore_take", pointer, [pointer, number, pointer]),
        ("tiecore_close", None, [pointer]),
        ("tiecore_free", None, [pointer]),
        ("tiecore_number", number, [pointer, word, pointer, pointer, pointer]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library

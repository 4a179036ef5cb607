"""Arrow's arrays of what NumPy and Python hold, and back, without pandas (see docs/decisions.md); columns of ids."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa


class _Compute:
    """The functions of ``pyarrow.compute``, loaded when one is used: that takes as long as a small file to be read."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("pyarrow.compute"), name)


pc = _Compute()
IDS = pa.dictionary(pa.int32(), pa.string())
_KINDS = {pa.from_numpy_dtype(kind): kind for kind in map(np.dtype, "bhipBHIPfd")}
"""What NumPy calls numbers; asked for it, a type of Arrow before version 22 loads pandas."""
MOST_BYTES = 2**31 - 1
"""Of all texts of an array with ends of four bytes."""


def arrow_numbers(numbers: np.ndarray) -> pa.Array:
    """Return an array that shares the memory of whole numbers or floats.

    >>> arrow_numbers(np.array([3, 1])).to_pylist()
    [3, 1]
    """
    data = pa.py_buffer(np.ascontiguousarray(numbers))
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [None, data])


def numpy_numbers(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Return (n_rows,) whole numbers or floats, of which none is null, in the memory that they have.

    >>> numpy_numbers(pa.chunked_array([[3], [1]]))
    array([3, 1])
    """
    if isinstance(column, pa.ChunkedArray):
        parts = list(map(numpy_numbers, column.chunks)) or [np.zeros(0, _KINDS[column.type])]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
    return np.frombuffer(column.buffers()[1] or b"", _KINDS[column.type])[column.offset : column.offset + len(column)]


def arrow_texts(texts: Sequence[str]) -> pa.Array:
    """Return an array of texts.

    Raises :class:`TypeError` if one of them is something else, and :class:`UnicodeEncodeError` if one holds half a
    surrogate pair.

    >>> arrow_texts(["a", "日本"]).to_pylist()
    ['a', '日本']
    """
    together = ("\0".join(texts) + "\0").encode()  # at once: a million ids take a quarter of the time
    ends = np.flatnonzero(np.frombuffer(together, np.uint8) == 0)
    if len(ends) == len(texts):
        together, ends = together.translate(None, b"\0"), ends - np.arange(len(ends))
    else:  # one of them holds the sign between them, or there is none
        parts = [text.encode() for text in texts]
        together, ends = b"".join(parts), np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
    is_large = len(together) > MOST_BYTES
    kind, array = (np.int64, pa.LargeStringArray) if is_large else (np.int32, pa.StringArray)
    begins = np.zeros(len(ends) + 1, kind)
    begins[1:] = ends
    return array.from_buffers(len(ends), pa.py_buffer(begins), pa.py_buffer(together))


def parses_in_threads(version: str = pa.__version__) -> bool:
    """Return whether pyarrow may parse text in threads.

    Before version 23 it can stand still for good after it has refused a text (https://github.com/apache/arrow/pull/48742).
    """
    return int(version.partition(".")[0]) >= 23


def one_chunk(column: pa.ChunkedArray) -> pa.Array:
    """Join text into one array, with 64-bit offsets if it holds too much for 32-bit ones."""
    if column.nbytes > MOST_BYTES:
        column = column.cast(pa.large_string())
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()  # which copies even one


def codes(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Join dictionaries of ids into one."""
    return column.unify_dictionaries().combine_chunks()


def first_row(mask: pa.BooleanArray | pa.ChunkedArray) -> int:
    """Return the first row that is true, or -1; quick in the usual case that there is none."""
    return int(pc.index(mask, True).as_py()) if pc.any(mask).as_py() else -1


def row_of(column: pa.Array, text: str) -> int:
    """Return the first row with a text, or -1."""
    wanted = arrow_texts([text])[0]
    if not pa.types.is_dictionary(column.type):
        return first_row(pc.equal(column, wanted))
    code = first_row(pc.equal(column.dictionary, wanted))
    return first_row(pc.equal(column.indices, code)) if code >= 0 else -1


def byte_lengths(texts: pa.Array) -> np.ndarray:
    """(n_texts,) bytes of each text."""
    kind = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    return np.diff(np.frombuffer(texts.buffers()[1] or b"", kind)[texts.offset :][: len(texts) + 1])

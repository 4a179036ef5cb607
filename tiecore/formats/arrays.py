"""Arrow's arrays of what NumPy and Python hold, and back, without pandas: see docs/decisions.md."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

__all__ = ["arrow_numbers", "arrow_texts", "numpy_numbers"]

_MOST_BYTES = 2**31 - 1
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
        parts = list(map(numpy_numbers, column.chunks)) or [np.zeros(0, column.type.to_pandas_dtype())]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
    kind = np.dtype(column.type.to_pandas_dtype())
    return np.frombuffer(column.buffers()[1] or b"", kind)[column.offset : column.offset + len(column)]


def arrow_texts(texts: Sequence[str]) -> pa.Array:
    """Return an array of texts.

    Raises
    ------
    TypeError
        If one of them is something else.
    UnicodeEncodeError
        If one of them holds half a surrogate pair.

    Examples
    --------
    >>> arrow_texts(["a", "日本"]).to_pylist()
    ['a', '日本']
    """
    if "pandas" in sys.modules:  # otherwise Arrow would import it; where it is there, this takes half the time
        with contextlib.suppress(pa.ArrowException, TypeError, ValueError, OverflowError):
            array = pa.array(texts)  # of the type that follows from them: where one is given, bytes are taken for text
            if isinstance(array, pa.StringArray) and not array.null_count:
                return array
    together = "".join(texts)
    n_bytes = map(len, texts) if together.isascii() else (len(text.encode()) for text in texts)
    ends = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(n_bytes, np.int64, len(texts)), out=ends[1:])
    data = pa.py_buffer(together.encode())
    if ends[-1] > _MOST_BYTES:
        return pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(ends), data)
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends.astype(np.int32)), data)

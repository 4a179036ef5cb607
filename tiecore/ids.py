"""Document ids by the million, without a Python string for each: hashed, compared and ordered as 64-bit words."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Ids"]

_MULTIPLIER = 0x9E3779B97F4A7C15
_SHORT = 64
_FIRST_BYTES = np.array([(1 << 8 * n_bytes) - 1 for n_bytes in range(9)], dtype=np.uint64)
"""Masks that keep the first 0, 1, … 8 bytes of a word."""


class Ids:
    """An array of ids in UTF-8, read eight bytes at a time.

    Parameters
    ----------
    array
        string or large_string, without nulls.
    """

    def __init__(self, array: pa.Array) -> None:
        wide = pa.types.is_large_string(array.type)
        _, offset_buffer, data_buffer = array.buffers()
        offsets = np.frombuffer(offset_buffer, dtype=np.int64 if wide else np.int32) if offset_buffer else np.zeros(1)
        offsets = offsets[array.offset : array.offset + len(array) + 1].astype(np.int64)
        start = int(offsets[0]) if len(offsets) else 0
        n_bytes = int(offsets[-1]) - start if len(offsets) else 0
        padded = np.zeros(n_bytes + 8, dtype=np.uint8)
        if n_bytes:
            padded[:n_bytes] = np.frombuffer(data_buffer, dtype=np.uint8, count=n_bytes, offset=start)
        self._array = array
        self._first_byte = offsets[:-1] - start
        self._length = np.diff(offsets)
        # every byte begins an overlapping word, so that any id can be read from where it begins
        self._words = np.ndarray(shape=(n_bytes + 1,), dtype="<u8", buffer=padded, strides=(1,))

    def __len__(self) -> int:
        return len(self._length)

    def _word(self, position: int, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Eight bytes of each id from byte 8·position, the bytes behind its end set to 0."""
        begin = self._first_byte[rows] + 8 * position
        np.minimum(begin, len(self._words) - 1, out=begin)
        left = np.clip(self._length[rows] - 8 * position, 0, 8)
        return self._words[begin] & _FIRST_BYTES[left]

    def _n_words(self) -> int:
        return -(-int(self._length.max(initial=0)) // 8)

    def hashed(self, salt: np.ndarray | int = 0) -> np.ndarray:
        """(n_ids,) 64-bit hash of each id, mixed with a salt (one for all, or one for each)."""
        value = self._length.astype(np.uint64) * np.uint64(_MULTIPLIER) ^ np.asarray(salt).astype(np.uint64)
        multiplier = _MULTIPLIER
        for position in range(self._n_words()):
            # words behind the end of an id are 0 and add 0, so its hash does not depend on the ids beside it
            word = self._word(position)
            word *= np.uint64(multiplier)
            word ^= word >> np.uint64(32)
            word *= np.uint64(0xFF51AFD7ED558CCD)
            value += word
            multiplier = multiplier * _MULTIPLIER & 0xFFFFFFFFFFFFFFFF
        value ^= value >> np.uint64(32)
        value *= np.uint64(0xC4CEB9FE1A85EC53)
        return value ^ (value >> np.uint64(29))

    def equal(self, rows: np.ndarray, other: Ids, other_rows: np.ndarray) -> np.ndarray:
        """Tell where the ids of two lists of rows are the same."""
        same = self._length[rows] == other._length[other_rows]
        for position in range(min(self._n_words(), other._n_words())):
            same &= self._word(position, rows) == other._word(position, other_rows)
        return same

    def order(self, within: np.ndarray) -> np.ndarray:
        """Positions of the ids sorted by a number first and by bytes inside it."""
        if self._n_words() * 8 > _SHORT:
            by_bytes = pc.sort_indices(self._array).to_numpy()
            return by_bytes[np.argsort(within[by_bytes], kind="stable")]
        # zero bytes stand behind short ids, so the length decides between 'a' and 'a' followed by a NUL
        words = [self._word(position).byteswap() for position in range(self._n_words())]
        varying = [word for word in words if len(word) and (word != word[0]).any()]
        return np.lexsort((self._length, *reversed(varying), within))

"""Document ids by the million, without a Python string for each: hashed, compared and ordered as 64-bit words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.formats.arrays import arrow_numbers, numpy_numbers
from tiecore.kernel import library
from tiecore.ties.segments import since_first, starts

__all__ = ["Ids"]

_ALL_BITS = 0xFFFFFFFFFFFFFFFF
_MULTIPLIER = 0x9E3779B97F4A7C15
_SHORT = 64
_BYTES_BITS = 32
"""Bits of ids by which they are sorted at first."""
_BLOCK = 1 << 15
"""Ids taken at a time: what is computed on the way then stays in the processor's cache."""
_FIRST_BYTES = np.array([(1 << 8 * n_bytes) - 1 for n_bytes in range(9)], dtype=np.uint64)
"""Masks that keep the first 0, 1, … 8 bytes of a word."""


class Ids:
    """An array of ids in UTF-8, read eight bytes at a time.

    ``array``: string or large_string, without nulls.
    """

    def __init__(self, array: pa.Array) -> None:
        kind = np.int64 if pa.types.is_large_string(array.type) else np.int32
        _, offsets, data = array.buffers()
        self._array = array
        self._data = data
        self._offsets: np.ndarray = np.zeros(
            1, dtype=kind
        )  # (n_ids + 1,) byte at which each id begins, and the last one ends
        if len(array):
            self._offsets = np.frombuffer(offsets, dtype=kind)[array.offset : array.offset + len(array) + 1]
        n_bytes = data.size if data is not None else 0
        if n_bytes < 8:
            data, n_bytes = (data.to_pybytes() if n_bytes else b"").ljust(8, b"\0"), 8
        # every byte begins an overlapping word, so that any id can be read from where it begins
        self._words = np.ndarray(shape=(n_bytes - 7,), dtype="<u8", buffer=data, strides=(1,))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def of_rows(self, row: np.ndarray | None) -> library.Ids:
        """Return the ids of some rows, or all, in the form that compiled code reads."""
        return library.Ids(self._data.address if self._data is not None else 0, self._offsets, row)

    def _length(self, rows: np.ndarray | slice) -> np.ndarray:
        """Bytes of each id."""
        return (self._offsets[1:][rows] - self._offsets[:-1][rows]).astype(np.int64)

    def _n_words_of(self, rows: np.ndarray | slice) -> int:
        """Words of the longest of some ids."""
        return -(-int(self._length(rows).max(initial=0)) // 8)

    def _word(self, position: int, rows: np.ndarray | slice) -> np.ndarray:
        """Eight bytes of each id from byte 8·position, the bytes behind its end set to 0."""
        begin = self._offsets[:-1][rows].astype(np.int64)
        begin += 8 * position
        left = self._offsets[1:][rows] - begin
        word: np.ndarray
        if left.min(initial=8) >= 8:  # as at the beginning of most ids: all bytes count, and eight are there
            word = self._words[begin]
            return word
        np.clip(left, 0, 8, out=left)
        last = len(self._words) - 1
        if len(begin) and int(begin.max()) > last:
            # the last bytes of all have no eight behind them: read the word that ends there and shift it into place
            behind = np.clip(begin - last, 0, 7).astype(np.uint64)
            word = self._words[np.minimum(begin, last)] >> (behind * np.uint64(8))
        else:
            word = self._words[begin]
        return word & _FIRST_BYTES[left]

    def hashed(self, salt: np.ndarray | int = 0, rows: np.ndarray | slice | None = None) -> np.ndarray:
        """64-bit hash of all ids or of some, mixed with a salt (one for all, or one for each)."""
        rows = slice(0, len(self)) if rows is None else rows
        n_rows = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        hashes = np.empty(n_rows, dtype=np.uint64)
        for block in _blocks(n_rows):
            own_salt = np.uint64(salt & _ALL_BITS) if isinstance(salt, int) else salt[block]
            if isinstance(rows, slice):
                own_rows: np.ndarray | slice = slice(rows.start + block.start, min(rows.start + block.stop, rows.stop))
            else:
                own_rows = rows[block]
            hashes[block] = self._hashed_block(own_rows, own_salt)
        return hashes

    def _hashed_block(self, block: np.ndarray | slice, salt: np.ndarray | np.uint64) -> np.ndarray:
        value = self._length(block).astype(np.uint64)
        value *= np.uint64(_MULTIPLIER)
        value ^= salt
        multiplier = _MULTIPLIER
        for position in range(self._n_words_of(block)):
            # words behind the end of an id are 0 and add 0, so its hash does not depend on the ids beside it
            word = self._word(position, block)
            word *= np.uint64(multiplier)
            word ^= word >> np.uint64(32)
            word *= np.uint64(0xFF51AFD7ED558CCD)
            value += word
            multiplier = multiplier * _MULTIPLIER & _ALL_BITS
        value ^= value >> np.uint64(32)
        value *= np.uint64(0xC4CEB9FE1A85EC53)
        return value ^ (value >> np.uint64(29))

    def order(self, within: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
        """Positions of some ids sorted by a number first and by bytes inside it.

        Number and first bytes make one 64-bit number; what the bytes that fit leave equal is sorted again by all of
        them.
        """
        n_rows = len(within)
        if not n_rows:
            return np.zeros(0, dtype=np.int64)
        packed = (within - within.min()).astype(np.uint64)
        self._append_bytes(packed, rows, min(_BYTES_BITS, 64 - int(packed.max()).bit_length()))
        order = np.argsort(packed, kind="stable")
        packed = packed[order]
        undecided = np.zeros(n_rows, dtype=bool)
        np.equal(packed[1:], packed[:-1], out=undecided[1:])
        undecided[:-1] |= undecided[1:]
        if undecided.any():
            place = np.flatnonzero(undecided)
            tied = order[place]
            tied_rows = tied + rows.start if isinstance(rows, slice) else rows[tied]
            order[place] = tied[self._order_of_few(packed[place], tied_rows)]
        return order

    def ranks(self, within: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
        """(n_rows,) ranks by bytes, from 0, of some ids among those of the same number; the numbers ascend."""
        row = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        if (found := library.ranks_of_ids(self.of_rows(row), within)) is not None:
            return found
        rank = np.empty(len(row), dtype=np.int64)
        rank[self.order(within, rows)] = since_first(np.arange(len(row)), starts(within))
        return rank

    def _append_bytes(self, packed: np.ndarray, rows: np.ndarray | slice, room: int) -> None:
        """Append the first bytes of each id to a number, as far as there is room, less the high bits that all share."""
        for position in range(self._n_words_of(rows)):
            word = self._word(position, rows).byteswap()
            differing = int(np.bitwise_or.reduce(word ^ word[0]))
            if not differing:
                continue
            for shift in range(56, -1, -8):
                # bits above the highest one in which ids differ are the same in all: the order does without them
                width = (differing >> shift & 0xFF).bit_length()
                if width > room:
                    return
                if width:
                    packed <<= np.uint64(width)
                    packed |= word >> np.uint64(shift) & np.uint64((1 << width) - 1)
                    room -= width

    def _order_of_few(self, within: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """As order(), by all bytes and the length."""
        length, n_words = self._length(rows), self._n_words_of(rows)
        if n_words * 8 > _SHORT:
            by_bytes = numpy_numbers(pc.sort_indices(self._array.take(arrow_numbers(rows))))
            return by_bytes[np.argsort(within[by_bytes], kind="stable")]
        # zero bytes stand behind short ids, so the length decides between 'a' and 'a' followed by a NUL
        words = [self._word(position, rows).byteswap() for position in range(n_words)]
        return np.lexsort((length, *reversed(words), within))


def _blocks(length: int) -> Iterator[slice]:
    return (slice(begin, begin + _BLOCK) for begin in range(0, length, _BLOCK))

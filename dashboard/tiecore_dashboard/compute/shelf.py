"""A bounded store of arrays and results for all sessions; what was asked for least recently goes first.

Whatever is kept belongs to data, and goes when those do: when other data have been looked at for long enough.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from tiecore_dashboard.compute.groups import PackedGroups

__all__ = ["Shelf"]

_T = TypeVar("_T")
_Result = tuple[Hashable, Hashable, Any]
"""Data that a result is of, the state they were in, and the result."""
_MOST_VALUE_BYTES, _MOST_GROUP_BYTES = 512 * 2**20, 256 * 2**20
_BYTES_AROUND = 800
"""What an item and its key take besides its numbers."""
_MOST = {
    "file": 100_000, "joined": 6, "aligned": 6, "evaluation": 8, "study": 256, "flat": 96, "matched": 96,
    "coverage": 4096,
}  # fmt: skip
"""Kinds of results, and how many of each are kept; of files as many as one may name, for all are asked for in turn."""
_MOST_DATA, _MOST_DATA_BYTES = 12, 2 * 2**30
"""Sets of data, not counting single files, and the bytes of both, besides those used last."""


class _Sized(Protocol):
    """Something that tells how many bytes it takes."""

    @property
    def nbytes(self) -> int: ...


_Item = TypeVar("_Item", bound=_Sized)


class _Bounded(Generic[_Item]):
    """Items and what they are of, those used last at the end; not safe between threads by itself."""

    def __init__(self) -> None:
        self._items: OrderedDict[Hashable, tuple[Hashable, _Item]] = OrderedDict()
        self._n_bytes = 0

    def find(self, key: Hashable) -> _Item | None:
        if key not in self._items:
            return None
        self._items.move_to_end(key)
        return self._items[key][1]

    def put(self, key: Hashable, item: _Item, *, part: Hashable, most_bytes: int) -> None:
        if key not in self._items:
            self._items[key] = part, item
            self._n_bytes += item.nbytes + _BYTES_AROUND
            while self._n_bytes > most_bytes and len(self._items) > 1:
                self._take(next(iter(self._items)))

    def drop_parts(self, parts: Collection[Hashable]) -> None:
        for key in [key for key, (part, _) in self._items.items() if part in parts]:
            self._take(key)

    def _take(self, key: Hashable) -> None:
        _, item = self._items.pop(key)
        self._n_bytes -= item.nbytes + _BYTES_AROUND


class Shelf:
    """Arrays and tie groups, bounded by their bytes, and results, bounded by their number; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values = _Bounded[np.ndarray]()
        self._groups = _Bounded[PackedGroups]()
        self._results: dict[str, OrderedDict[Hashable, _Result]] = {kind: OrderedDict() for kind in _MOST}
        self._data: OrderedDict[Hashable, tuple[frozenset[Hashable], int]] = OrderedDict()
        self._turns = WeakValueDictionary[Hashable, threading.Lock]()

    def value(self, key: Hashable) -> np.ndarray | None:
        """Find an array; None if it is not there, or no longer."""
        with self._lock:
            return self._values.find(key)

    def put_value(self, key: Hashable, array: np.ndarray, *, part: Hashable = None) -> None:
        """Keep an array, read-only from now on; the oldest ones go when there is no more room, or with their part."""
        array.flags.writeable = False
        with self._lock:
            self._values.put(key, array, part=part, most_bytes=_MOST_VALUE_BYTES)

    def groups(self, key: Hashable) -> PackedGroups | None:
        """Find tie groups; None if they are not there, or no longer."""
        with self._lock:
            return self._groups.find(key)

    def put_groups(self, key: Hashable, groups: PackedGroups, *, part: Hashable = None) -> None:
        """Keep tie groups; the oldest ones go when there is no more room, or with their part."""
        with self._lock:
            self._groups.put(key, groups, part=part, most_bytes=_MOST_GROUP_BYTES)

    def hold(self, data: Hashable, n_bytes: int, *, parts: Iterable[Hashable] = ()) -> None:
        """Count data that are in use; those used least recently go, with all that is of them, if it is too much.

        Parameters
        ----------
        data
            By which results tell that they are of them.
        n_bytes
            What they take, with what is computed of them.
        parts
            What arrays are of: another set of data may have them too.
        """
        with self._lock:
            self._data[data] = frozenset(parts), n_bytes
            self._data.move_to_end(data)
            gone: dict[Hashable, frozenset[Hashable]] = {}
            while (oldest := self._surplus()) is not None:
                gone[oldest], _ = self._data.pop(oldest)
            if not gone:
                return
            for store in self._results.values():
                for key in [key for key, (owner, *_) in store.items() if owner in gone]:
                    del store[key]
            unused = frozenset[Hashable]().union(*gone.values())
            unused -= frozenset[Hashable]().union(*(its_parts for its_parts, _ in self._data.values()))
            self._values.drop_parts(unused)
            self._groups.drop_parts(unused)

    def _surplus(self) -> Hashable | None:
        """Data to let go of next, if there are too many; never those used last."""
        sets = [data for data, (parts, _) in self._data.items() if parts]
        if len(sets) > _MOST_DATA:
            return sets[0]
        n_bytes = sum(size for _, size in self._data.values())
        return next(iter(self._data)) if n_bytes > _MOST_DATA_BYTES and len(self._data) > 1 else None

    def once(
        self, kind: str, key: Hashable, compute: Callable[[], _T], *, data: Hashable = None, state: Hashable = None
    ) -> _T:
        """Compute a result that is not there, and keep it with the latest ones of its kind, as long as its data are.

        It computes outside the lock: two sessions that ask at once may both compute, but never wait for each other.
        A result of another ``state`` is replaced.
        """
        with self._lock:
            store = self._results[kind]
            _, known, found = store.get(key, (None, None, None))
            if key in store and known == state:
                store.move_to_end(key)
                kept: _T = found
                return kept
        result = compute()
        with self._lock:
            store[key] = data, state, result
            store.move_to_end(key)
            while len(store) > _MOST[kind]:
                store.popitem(last=False)
        return result

    def turn(self, key: Hashable) -> threading.Lock:
        """Return a lock for work that nobody should do at the same time as somebody else does it."""
        with self._lock:
            return self._turns.setdefault(key, threading.Lock())

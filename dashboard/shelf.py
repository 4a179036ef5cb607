"""A bounded store of arrays and results for all sessions; what was asked for least recently goes first.

Results may hold on to data, which can be large: a result tells which data it is of, and goes with them.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np

__all__ = ["Shelf"]

_T = TypeVar("_T")
_MOST_VALUE_BYTES = 512 * 2**20
_MOST = {"file": 96, "joined": 6, "aligned": 6, "evaluation": 24, "study": 96, "coverage": 4096}
"""Kinds of results, and how many of each are kept."""
_MOST_DATA_BYTES = 2 * 2**30
"""Bytes of data that results hold on to, besides the data used last."""


class Shelf:
    """Arrays, bounded by their bytes, and results, bounded by their number; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, np.ndarray] = OrderedDict()
        self._n_bytes = 0
        self._results: dict[str, OrderedDict[Hashable, tuple[Hashable, Any]]] = {kind: OrderedDict() for kind in _MOST}
        self._data: OrderedDict[Hashable, int] = OrderedDict()

    def value(self, key: Hashable) -> np.ndarray | None:
        """Find an array; None if it is not there, or no longer."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        return None

    def put_value(self, key: Hashable, array: np.ndarray) -> None:
        """Keep an array, read-only from now on; the oldest ones go when there is no more room."""
        array.flags.writeable = False
        with self._lock:
            if key not in self._values:
                self._values[key] = array
                self._n_bytes += array.nbytes
                while self._n_bytes > _MOST_VALUE_BYTES and len(self._values) > 1:
                    self._n_bytes -= self._values.popitem(last=False)[1].nbytes

    def hold(self, data: Hashable, n_bytes: int) -> None:
        """Count data that are in use; those used least recently go, with all results of them, if it is too much."""
        with self._lock:
            self._data[data] = n_bytes
            self._data.move_to_end(data)
            while sum(self._data.values()) > _MOST_DATA_BYTES and len(self._data) > 1:
                gone, _ = self._data.popitem(last=False)
                for store in self._results.values():
                    for key in [key for key, (owner, _) in store.items() if owner == gone]:
                        del store[key]

    def once(self, kind: str, key: Hashable, compute: Callable[[], _T], *, data: Hashable = None) -> _T:
        """Compute a result that is not there, and keep it with the latest ones of its kind, as long as its data are.

        It computes outside the lock: two sessions that ask at once may both compute, but never wait for each other.
        """
        with self._lock:
            store = self._results[kind]
            if key in store:
                store.move_to_end(key)
                found: _T = store[key][1]
                return found
        result = compute()
        with self._lock:
            store[key] = data, result
            while len(store) > _MOST[kind]:
                store.popitem(last=False)
        return result

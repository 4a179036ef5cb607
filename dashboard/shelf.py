"""A bounded store of arrays and results for all sessions; what was asked for least recently goes first."""

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


class Shelf:
    """Arrays, bounded by their bytes, and results, bounded by their number; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: OrderedDict[Hashable, np.ndarray] = OrderedDict()
        self._n_bytes = 0
        self._results: dict[str, OrderedDict[Hashable, Any]] = {kind: OrderedDict() for kind in _MOST}

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

    def once(self, kind: str, key: Hashable, compute: Callable[[], _T]) -> _T:
        """Compute a result that is not there, and keep it with the latest ones of its kind.

        It computes outside the lock: two sessions that ask at once may both compute, but never wait for each other.
        """
        with self._lock:
            store = self._results[kind]
            if key in store:
                store.move_to_end(key)
                found: _T = store[key]
                return found
        result = compute()
        with self._lock:
            store[key] = result
            while len(store) > _MOST[kind]:
                store.popitem(last=False)
        return result

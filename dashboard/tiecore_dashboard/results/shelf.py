"""A store of results for all sessions, bounded in bytes; data that were looked at least recently go first.

Whatever is kept belongs to data, and goes with them: a result may hold on to the data that it is of.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

__all__ = ["Shelf"]

_T = TypeVar("_T")
_MOST_BYTES = 2 * 2**30
_BYTES_AROUND = 2_000
"""What a result and its key take besides its numbers."""


class _Kept(NamedTuple):
    """A result, the state that its data were in, and its size."""

    result: Any
    state: Hashable
    n_bytes: int


class Shelf:
    """Results of all sessions by the data that they are of; safe between threads."""

    def __init__(self, size: Callable[[Any], int]) -> None:
        """Begin with nothing; ``size`` returns about how many bytes a result takes."""
        self._size = size
        self._lock = threading.Lock()
        self._of_data: OrderedDict[Hashable, OrderedDict[Hashable, _Kept]] = OrderedDict()
        self._n_bytes = 0
        self._turns = WeakValueDictionary[Hashable, threading.Lock]()

    def once(
        self,
        key: Hashable,
        compute: Callable[[], _T],
        *,
        data: Hashable,
        state: Hashable = None,
        size: Callable[[_T], int] | None = None,
    ) -> _T:
        """Compute a result that is not there, and keep it as long as there is room for its data.

        It computes outside the lock: two sessions that ask at once may both compute, but never wait for each other.

        Parameters
        ----------
        key
            What the result is found by.
        compute
            Computes it.
        data
            What it is of.
        state
            A result of another state of the data is replaced.
        size
            Returns the bytes of this result, for example with what it will compute.
        """
        with self._lock:
            own = self._of_data.setdefault(data, OrderedDict())
            self._of_data.move_to_end(data)
            kept = own.get(key)
            if kept is not None and kept.state == state:
                own.move_to_end(key)
                found: _T = kept.result
                return found
        result = compute()
        n_bytes = _BYTES_AROUND + (size or self._size)(result)
        with self._lock:
            own = self._of_data.setdefault(data, OrderedDict())
            self._of_data.move_to_end(data)
            if key in own:
                self._n_bytes -= own.pop(key).n_bytes
            own[key] = _Kept(result, state, n_bytes)
            self._n_bytes += n_bytes
            while self._n_bytes > _MOST_BYTES and len(self._of_data) > 1:
                _, gone = self._of_data.popitem(last=False)
                self._n_bytes -= sum(one.n_bytes for one in gone.values())
            while self._n_bytes > _MOST_BYTES and len(own) > 1:
                self._n_bytes -= own.popitem(last=False)[1].n_bytes
        return result

    def turn(self, key: Hashable) -> threading.Lock:
        """Return a lock for work that nobody should do at the same time as somebody else does it."""
        with self._lock:
            return self._turns.setdefault(key, threading.Lock())

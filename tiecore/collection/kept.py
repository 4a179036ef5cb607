"""What has been computed is kept: shared facts for good, what is large as long as it fits into a bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, Protocol, TypeVar, cast

DEFAULT_CACHE = 512 << 20
"""Bytes of tie groups and random orders that an alignment keeps unless told otherwise."""


class _Large(Protocol):
    @property
    def nbytes(self) -> int: ...


_Fact = TypeVar("_Fact")
_Kept = TypeVar("_Kept", bound=_Large)


class Cache:
    """Facts, and what is large: of this, what was used last stays while all of it takes no more than ``limit`` bytes.

    Any thread may use it. A copy or a pickle begins empty.
    """

    def __init__(self, limit: int = DEFAULT_CACHE) -> None:
        self.limit = limit
        self.nbytes = 0
        self._large: OrderedDict[Hashable, Any] = OrderedDict()
        self._facts: dict[Hashable, Any] = {}
        self._lock, self._computes_fact = Lock(), RLock()

    def __reduce__(self) -> tuple[type[Cache], tuple[int]]:
        return Cache, (self.limit,)

    def get(self, key: Hashable, compute: Callable[[], _Kept]) -> _Kept:
        """Return what is large; two threads that lack it at the same time both compute it, which changes nothing."""
        with self._lock:
            if key in self._large:
                self._large.move_to_end(key)
                return cast("_Kept", self._large[key])
        found = compute()
        with self._lock:
            if key not in self._large:
                self._large[key] = found
                self.nbytes += found.nbytes
            while self.nbytes > self.limit:
                _, oldest = self._large.popitem(last=False)
                self.nbytes -= oldest.nbytes
        return found

    def once(self, key: Hashable, compute: Callable[[], _Fact]) -> _Fact:
        """Return a fact, computed once, whichever thread asks first; it stays."""
        if key not in self._facts:  # asked outside the lock too: threads of a computation under way find what is there
            with self._computes_fact:
                if key not in self._facts:
                    self._facts[key] = compute()
        return self._facts[key]

"""What has been computed is kept: shared facts for good, tie groups as long as they fit into a bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, TypeVar

from tiecore.ties.groups import TieGroups

DEFAULT_CACHE = 512 << 20
"""Bytes of tie groups that an alignment keeps unless told otherwise."""


_Fact = TypeVar("_Fact")


class Cache:
    """Facts, and tie groups of which those used last stay while all of them take no more than ``limit`` bytes.

    Any thread may use it. A copy or a pickle begins empty.
    """

    def __init__(self, limit: int = DEFAULT_CACHE) -> None:
        self.limit = limit
        self.nbytes = 0
        self._groups: OrderedDict[Hashable, TieGroups] = OrderedDict()
        self._facts: dict[Hashable, Any] = {}
        self._lock, self._computes_fact = Lock(), RLock()

    def __reduce__(self) -> tuple[type[Cache], tuple[int]]:
        return Cache, (self.limit,)

    def get(self, key: Hashable, compute: Callable[[], TieGroups]) -> TieGroups:
        """Return tie groups; two threads that lack them at the same time both compute them, which changes nothing."""
        with self._lock:
            if key in self._groups:
                self._groups.move_to_end(key)
                return self._groups[key]
        groups = compute()
        with self._lock:
            if key not in self._groups:
                self._groups[key] = groups
                self.nbytes += groups.nbytes
            while self.nbytes > self.limit:
                _, oldest = self._groups.popitem(last=False)
                self.nbytes -= oldest.nbytes
        return groups

    def once(self, key: Hashable, compute: Callable[[], _Fact]) -> _Fact:
        """Return a fact, computed once, whichever thread asks first; it stays."""
        if key not in self._facts:  # asked outside the lock too: threads of a computation under way find what is there
            with self._computes_fact:
                if key not in self._facts:
                    self._facts[key] = compute()
        return self._facts[key]

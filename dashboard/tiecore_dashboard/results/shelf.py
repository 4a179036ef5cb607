"""The one store of what is read and computed, for all visitors: bounded in bytes, and emptied when visitors leave.

Whatever is kept belongs to files, known by the digests of their bytes, and goes with them.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import pandas as pd

from tiecore.collection.alignment import Alignment
from tiecore.evaluation.result import Evaluation
from tiecore_dashboard.results.memory import most_kept

_T = TypeVar("_T")
_BYTES_AROUND = 2_000
"""What a result and its key take besides its numbers."""


def bytes_of(result: object) -> int:
    """Return about how many bytes a result takes, without the evaluation that it is of."""
    if hasattr(result, "nbytes"):  # of NumPy or Arrow
        return int(result.nbytes)
    if isinstance(result, pd.DataFrame):
        return 8 * (result.size + len(result))  # to ask pandas takes 4 ms of a change (waits)
    if isinstance(result, dict):  # in others each may be read when it is asked for
        return sum(map(bytes_of, result.values()))
    if isinstance(result, list | tuple | frozenset):
        return sum(map(bytes_of, result))
    if is_dataclass(result) and not isinstance(result, Alignment | Evaluation):
        return sum(bytes_of(getattr(result, one.name)) for one in fields(result))
    return 0


class _Kept(NamedTuple):
    """A result, its size, and the digests of the files that it is of."""

    result: Any
    n_bytes: int
    files: frozenset[str]


class Shelf:
    """Results by their keys, those used last at the end; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._turns = WeakValueDictionary[Hashable, threading.Lock]()
        self.n_bytes = 0

    def once(
        self, key: Hashable, compute: Callable[[], _T], *, files: Collection[str], size: Callable[[_T], int] = bytes_of
    ) -> _T:
        """Return the result of a key, computed where it is not there; who asks while it is computed waits for that.

        ``files``: digests of those that the result is of. ``size`` may count in what the result will compute.
        """
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found: _T = self._kept[key].result
                    return found
            result = compute()
            kept = _Kept(result, _BYTES_AROUND + size(result), frozenset(files))
            with self._lock:
                self._kept[key] = kept
                self.n_bytes += kept.n_bytes
                while self.n_bytes > most_kept() and len(self._kept) > 1:
                    self._drop(next(iter(self._kept)))
        return result

    def keep_only(self, files: Collection[str]) -> None:
        """Drop all that is of other files."""
        wanted = frozenset(files)
        with self._lock:
            for key in [key for key, kept in self._kept.items() if not kept.files <= wanted]:
                self._drop(key)

    def _drop(self, key: Hashable) -> None:
        self.n_bytes -= self._kept.pop(key).n_bytes


SHELF = Shelf()
"""Of this server."""

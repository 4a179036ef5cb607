"""Lists of many queries side by side, and the scores that lists are made from.

All queries lie in one array, the documents of a query next to each other, so that one NumPy call serves them all.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any, Protocol

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.ties.keys import score_code


class Scores(Protocol):
    """A mapping from item to score, or a pandas Series with the items in its index."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Return pairs of item and score."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Documents of some queries, those of a query next to each other."""

    size: np.ndarray
    """(n_queries,) documents of each query."""
    start: np.ndarray
    """(n_queries,) position of its first document."""
    query: np.ndarray
    """(n_documents,) query of each document, ascending."""

    @classmethod
    def of_sizes(cls, size: np.ndarray) -> Pool:
        """Lay out queries of the given sizes."""
        return cls(size=size, start=np.cumsum(size) - size, query=np.repeat(np.arange(len(size)), size))

    @property
    def n_queries(self) -> int:
        """Queries, with those that have no documents."""
        return len(self.size)

    @property
    def n_documents(self) -> int:
        """Documents of all queries."""
        return len(self.query)

    @property
    def longest(self) -> int:
        """Documents of the query that has most of them."""
        return int(self.size.max(initial=0))

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return (n_queries,) sums of (n_documents,) values, whole numbers exactly; 0 without documents."""
        sums = np.zeros(self.n_queries, dtype=values.dtype)
        has_documents = self.size > 0  # reduceat would give an empty query the next one's first value
        if has_documents.any():
            sums[has_documents] = np.add.reduceat(values, self.start[has_documents])
        return sums


def scored_items(scores: Scores, *, name: str) -> dict[Any, int]:
    """Return the items of a mapping or Series with order codes of their scores: the smallest stands first."""
    pairs = list(scores.items())
    codes = _codes_of([score for _, score in pairs], name=name, label_of=lambda place: reprlib.repr(pairs[place][0]))
    code_of = {item: code for (item, _), code in zip(pairs, codes, strict=True)}
    if len(code_of) < len(pairs):
        raise TiecoreError(f"{name} holds an item more than once: keep one score for each item")
    return code_of


def scores_by_position(scores: Sequence[Any] | np.ndarray, *, name: str) -> np.ndarray:
    """Return (n_items,) order codes of an array or list of scores."""
    if isinstance(scores, np.ndarray):
        if scores.ndim != 1:
            raise TiecoreError(f"{name} has {scores.ndim} dimensions: give one score for each item")
        if scores.dtype.kind in "biu" or (scores.dtype.kind == "f" and not np.isnan(scores).any()):
            return score_code(scores)
    return np.array(_codes_of(list(scores), name=name, label_of=lambda place: f"position {place}"), dtype=np.int64)


def _codes_of(values: list[Any], *, name: str, label_of: Callable[[int], str]) -> list[int]:
    for place, value in enumerate(values):
        is_number = isinstance(value, Real | np.bool_)
        if not is_number or value != value:
            found = "NaN" if is_number else reprlib.repr(value)
            raise TiecoreError(
                f"{name} scores {label_of(place)} with {found}: expected a number; leave out what has no score"
            )
    # Python compares numbers of different kinds exactly, which an array of float64 would not
    order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    codes = [0] * len(values)
    for before, here in pairwise(order):
        codes[here] = codes[before] + (values[here] != values[before])
    return codes

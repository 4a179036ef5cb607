"""Rankings of many queries side by side, and the scores they are made from.

All queries lie in one array, the documents of a query next to each other, so that one NumPy call serves them all. The
same array positions also stand for depths: depth d of a query is position ``start + d - 1``.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any, Protocol

import numpy as np

from tiecore.errors import TiecoreError

__all__ = ["Pool", "Ranking", "Scores", "documents_above", "order_codes", "scored_items", "scores_by_position"]


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
    depth: np.ndarray
    """(n_documents,) counts from 1 inside each query."""

    @classmethod
    def of_sizes(cls, size: np.ndarray) -> Pool:
        """Lay out queries of the given sizes."""
        start = np.cumsum(size) - size
        query = np.repeat(np.arange(len(size)), size)
        return cls(size=size, start=start, query=query, depth=np.arange(len(query)) - start[query] + 1)

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


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """The lists of one feature, one for each query, as weak orders."""

    length: np.ndarray
    """(n_queries,) documents listed."""
    is_listed: np.ndarray
    """(n_documents,) bool"""
    above: np.ndarray
    """(n_documents,) documents above the tie group of this one; 0 where it is not listed."""
    end: np.ndarray
    """(n_documents,) documents down to the end of its tie group; 0 where it is not listed."""
    above_at: np.ndarray
    """(n_documents,) by depth: documents above the tie group that covers the depth.

    Behind the end of a list every depth counts as a tie group of one."""
    size_at: np.ndarray
    """(n_documents,) by depth: documents in the tie group that covers the depth."""

    @classmethod
    def of(cls, pool: Pool, above: np.ndarray) -> Ranking:
        """Make the lists from the documents above each document, as :func:`documents_above` gives them."""
        is_listed = above >= 0
        document = np.flatnonzero(is_listed)
        query = pool.query[document]
        # The documents above a tie group are also the number of its first depth, so groups have positions of their own.
        group = pool.start[query] + above[document]
        size = np.bincount(group, minlength=pool.n_documents)
        above_of, end_of = np.zeros((2, pool.n_documents), dtype=np.int64)
        above_of[document] = above[document]
        end_of[document] = above[document] + size[group]
        above_at, size_at = pool.depth - 1, np.ones(pool.n_documents, dtype=np.int64)
        first = np.flatnonzero(size)
        covered = np.repeat(first, size[first])  # (n_listed,) group of each depth, query by query
        length = np.bincount(query, minlength=pool.n_queries)
        is_covered = pool.depth <= length[pool.query]
        above_at[is_covered], size_at[is_covered] = (pool.depth - 1)[covered], size[covered]
        return cls(length=length, is_listed=is_listed, above=above_of, end=end_of, above_at=above_at, size_at=size_at)


def documents_above(pool: Pool, *, document: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Count the documents above the tie group of each document.

    ``document``: (n_listed,) documents that are listed. ``codes``: (n_listed,) the smallest stands first, equal codes
    tie.

    Returns
    -------
    (n_documents,) int32, -1 where a document is not listed.
    """
    query = pool.query[document]
    order = np.lexsort((codes, query))
    query, codes = query[order], codes[order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (codes[1:] != codes[:-1]) | (query[1:] != query[:-1])
    group_start = np.flatnonzero(is_first)
    length = np.bincount(query, minlength=pool.n_queries)
    list_start = np.cumsum(length) - length
    above = np.full(pool.n_documents, -1, dtype=np.int32)
    above[document[order]] = np.repeat(group_start, np.diff(group_start, append=len(order))) - list_start[query]
    return above


def order_codes(scores: np.ndarray) -> np.ndarray:
    """Return codes that are smallest for the highest score and equal exactly where the scores are equal."""
    if scores.dtype.kind == "b":
        scores = scores.astype(np.uint8)
    # The bitwise complement reverses the order of whole numbers of any width and cannot overflow.
    return ~scores if scores.dtype.kind in "iu" else -scores


def scored_items(scores: Scores, *, name: str) -> tuple[list[Any], np.ndarray]:
    """Return the items of a mapping or Series and (n_items,) order codes of their scores."""
    items, values = [], []
    for item, score in scores.items():
        items.append(item)
        values.append(score)
    if len(set(items)) < len(items):
        raise TiecoreError(f"{name} holds an item more than once: keep one score for each item")
    return items, _codes_of(values, name=name, label_of=lambda place: reprlib.repr(items[place]))


def scores_by_position(scores: Sequence[Any] | np.ndarray, *, name: str) -> np.ndarray:
    """Return (n_items,) order codes of an array or list of scores."""
    if isinstance(scores, np.ndarray):
        if scores.ndim != 1:
            raise TiecoreError(f"{name} has {scores.ndim} dimensions: give one score for each item")
        if scores.dtype.kind in "biuf":
            if scores.dtype.kind == "f" and np.isnan(scores).any():
                raise _not_a_score(name, f"position {int(np.flatnonzero(np.isnan(scores))[0])}", "NaN")
            return order_codes(scores)
    return _codes_of(list(scores), name=name, label_of=lambda place: f"position {place}")


def _codes_of(values: list[Any], *, name: str, label_of: Any) -> np.ndarray:
    for place, value in enumerate(values):
        if not isinstance(value, Real | np.bool_):
            raise _not_a_score(name, label_of(place), reprlib.repr(value))
        if value != value:
            raise _not_a_score(name, label_of(place), "NaN")
    kinds = set(map(type, values))
    if kinds <= {float, np.float64, np.float32, np.float16}:
        return order_codes(np.array(values, dtype=np.float64))
    if all(issubclass(kind, int | np.integer | np.bool_) for kind in kinds):
        try:
            return order_codes(np.array(values, dtype=np.int64))
        except OverflowError:
            pass
    # Python compares numbers of different kinds exactly, which an array of float64 would not.
    order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    is_next = [values[here] != values[before] for before, here in pairwise(order)]
    codes = np.zeros(len(values), dtype=np.int64)
    codes[order] = np.cumsum([0, *is_next])
    return codes


def _not_a_score(name: str, label: str, found: str) -> TiecoreError:
    return TiecoreError(f"{name} scores {label} with {found}: expected a number; leave out what has no score")

"""Sorted documents cut into tie groups, and these into cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tiecore.ties.segments import changes, lengths, since_first, starts

__all__ = ["Cut", "cut", "group_cells", "of_levels"]


class Cut(NamedTuple):
    """Where groups and cells begin and what is in them, as the attributes of ``TieGroups`` of these names."""

    query: np.ndarray
    above: np.ndarray
    size: np.ndarray
    first_cell: np.ndarray
    cell_level: np.ndarray
    cell_count: np.ndarray
    first_of_query: np.ndarray
    """(n_listed_queries,) first group of each query that has one."""
    further_cells: np.ndarray | None = None
    """Cells that are not the first of their group, if they have been looked for."""


def cut(packed: np.ndarray, *, query_shift: int, level_bits: int, count: np.ndarray | None = None) -> Cut:
    """Cut sorted numbers of query, keys and level, as ``pack()`` makes them, where they change.

    ``count``: documents alike that each number stands for; None if each is one document.
    """
    n_documents = len(packed)
    cell_start = starts(packed)
    if len(cell_start) < n_documents:
        packed = packed[cell_start]
    cell_level = _signed(packed & packed.dtype.type((1 << level_bits) - 1))
    if count is None:
        cell_count = lengths(cell_start, n_documents)
    else:
        # products of narrow numbers would overflow, where sums are widened by themselves
        is_apart = len(cell_start) == n_documents
        cell_count = count.astype(np.int64, copy=False) if is_apart else np.add.reduceat(count, cell_start)
    is_first = changes(packed >> packed.dtype.type(level_bits))
    found = group_cells(
        _signed(packed >> packed.dtype.type(query_shift)),
        np.flatnonzero(is_first),
        cell_level,
        cell_count,
        before=cell_start if count is None else None,
    )
    return found._replace(further_cells=np.flatnonzero(~is_first))


def of_levels(
    query: np.ndarray, level: np.ndarray, count: np.ndarray, *, first_query: int, n_queries: int, n_levels: int
) -> np.ndarray:
    """(n_queries, n_levels) documents of each query and level; queries are counted from the first one."""
    slot = (query - first_query) * np.int64(n_levels) + level
    return np.bincount(slot, weights=count, minlength=n_queries * n_levels).astype(np.int64).reshape(-1, n_levels)


def group_cells(
    cell_query: np.ndarray,
    first_cell: np.ndarray,
    cell_level: np.ndarray,
    cell_count: np.ndarray,
    *,
    before: np.ndarray | None = None,
) -> Cut:
    """Make groups of cells that stand in order of the ranking.

    ``before``, if it is known: (n_cells,) documents before each cell, over all queries.
    """
    if before is None:
        before = np.cumsum(cell_count)
        before -= cell_count
    whole = len(first_cell) == len(cell_level)
    query = cell_query if whole else cell_query[first_cell]
    start = before if whole else before[first_cell]
    size = cell_count if whole else lengths(start, int(before[-1] + cell_count[-1]))
    first = starts(query)
    return Cut(query, since_first(start, first), size, first_cell, cell_level, cell_count, first)


def _signed(packed: np.ndarray) -> np.ndarray:
    """Small numbers as int64, without a copy where they have its size."""
    return packed.view(np.int64) if packed.itemsize == 8 else packed.astype(np.int64)

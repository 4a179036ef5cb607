"""Tie groups of features, kept in little room: with them another measure or cut-off takes no sorting.

The first groups of each query can be had without the rest: most measures look no further, and lists are long.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tiecore.measures import Measure
from tiecore.ranking.groups import TieGroups
from tiecore.ranking.segments import ranges

__all__ = ["HEAD", "PackedGroups", "deepest", "depth_of", "pack", "unpack"]

HEAD = 20
"""The head of a list is its groups that begin among so many documents: what the usual cut-offs need of it."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedGroups:
    """Tie groups without what follows from the rest, in the smallest whole numbers that hold them."""

    grades: np.ndarray
    cells_of_query: np.ndarray
    """(n_queries,) cells of each query."""
    is_first: np.ndarray | None
    """Bits: which cells are the first of their group; None if all are."""
    level: np.ndarray
    """(n_cells,) level of each cell."""
    count: np.ndarray | None
    """(n_cells,) documents in each cell; None if each cell is one document."""
    head_cells_of_query: np.ndarray
    """(n_queries,) cells of the head of each query."""
    head_rows: np.ndarray | None
    """(n_head_documents,) row of each document of the heads, in the order of the groups; None if it is not kept."""

    @property
    def nbytes(self) -> int:
        """What the arrays take."""
        arrays = (
            self.cells_of_query, self.is_first, self.level, self.count, self.head_cells_of_query, self.head_rows
        )  # fmt: skip
        return sum(array.nbytes for array in arrays if array is not None)


def deepest(measures: Iterable[Measure]) -> int | None:
    """Return the rank to which measures look down a list; None where one of them may look at all of it."""
    depths = [one.depth for one in measures]
    known = [depth for depth in depths if depth is not None]
    return max(known) if len(known) == len(depths) else None


def depth_of(measures: Iterable[Measure]) -> int | None:
    """Return ``HEAD`` if no measure looks further down a list, else None."""
    depth = deepest(measures)
    return HEAD if depth is not None and depth <= HEAD else None


def pack(groups: TieGroups, order: np.ndarray | None = None) -> PackedGroups:
    """Keep of tie groups what the rest follows from; ``order``: (n_documents,) the rows in the order of the groups."""
    n_cells = len(groups.cell_level)
    is_first = np.zeros(n_cells, dtype=bool)
    is_first[groups.first_cell] = True
    first = groups.first_of_query()
    cells_of_query, head_cells_of_query = np.zeros((2, groups.n_queries), dtype=np.int64)
    cells_of_query[groups.query[first]] = np.diff(groups.first_cell[first], append=n_cells)
    is_head = groups.above < HEAD
    behind = first + np.add.reduceat(is_head, first, dtype=np.int64) if len(first) else first
    head_cells_of_query[groups.query[first]] = np.append(groups.first_cell, n_cells)[behind] - groups.first_cell[first]
    return PackedGroups(
        grades=groups.grades,
        cells_of_query=_small(cells_of_query),
        is_first=None if is_first.all() else np.packbits(is_first),
        level=_small(groups.cell_level),
        count=None if (groups.cell_count == 1).all() else _small(groups.cell_count),
        head_cells_of_query=_small(head_cells_of_query),
        head_rows=None if order is None else _small(order[np.repeat(is_head, groups.size)]),
    )


def unpack(packed: PackedGroups, *, ideal: TieGroups, depth: int | None = None) -> TieGroups:
    """Make tie groups anew.

    Parameters
    ----------
    packed
        What is kept of them.
    ideal
        The ideal ranking of the same queries.
    depth
        ``HEAD`` for the heads alone.
    """
    level, count, cells_of_query = packed.level, packed.count, packed.cells_of_query
    is_first = None if packed.is_first is None else np.unpackbits(packed.is_first, count=len(level))
    if depth is not None:
        cells_of_query = packed.head_cells_of_query
        ends = np.cumsum(packed.cells_of_query, dtype=np.int64)
        cells, _ = ranges(ends - packed.cells_of_query, cells_of_query.astype(np.int64))
        level, count = level[cells], None if count is None else count[cells]
        is_first = None if is_first is None else is_first[cells]
    n_queries, n_cells = len(cells_of_query), len(level)
    return TieGroups.from_cells(
        packed.grades,
        n_queries,
        np.repeat(np.arange(n_queries), cells_of_query),
        np.arange(n_cells) if is_first is None else np.flatnonzero(is_first),
        level.astype(np.int64),
        np.ones(n_cells, dtype=np.int64) if count is None else count.astype(np.int64),
        ideal=ideal,
        before=np.arange(n_cells) if count is None else None,
    )


def _small(numbers: np.ndarray) -> np.ndarray:
    """Numbers, none below 0, in the smallest type that holds them all."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))

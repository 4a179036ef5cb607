"""Tie groups of features, kept in little room: with them another measure or cut-off takes no sorting.

The first groups of each query are kept by themselves: most measures look no further, and lists are long.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, starmap

import numpy as np

from tiecore.measures import Measure
from tiecore.ties.groups import TieGroups

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
    rows: np.ndarray | None
    """(n_documents,) row of each document, in the order of the groups; None if it is not kept."""

    @property
    def nbytes(self) -> int:
        """What the arrays take."""
        arrays = (self.cells_of_query, self.is_first, self.level, self.count, self.rows)
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


def pack(groups: TieGroups, bounds: Sequence[int], rows: Sequence[np.ndarray] | None = None) -> list[PackedGroups]:
    """Keep of tie groups what the rest follows from.

    Parameters
    ----------
    groups
        Of the queries of several features, one feature behind the other.
    bounds
        First query of each feature, and the number of queries behind them.
    rows
        For each feature (n_documents,) its rows in the order of its groups; None if they are not kept.
    """
    n_cells = len(groups.cell_level)
    is_first = np.zeros(n_cells, dtype=bool)
    is_first[groups.first_cell] = True
    first = groups.first_of_query()
    cells_of_query = np.zeros(groups.n_queries, dtype=np.int64)
    cells_of_query[groups.query[first]] = np.diff(groups.first_cell[first], append=n_cells)
    cells = np.concatenate([[0], np.cumsum(cells_of_query)])[list(bounds)].tolist()
    queries, cells = (list(starmap(slice, pairwise(ends))) for ends in (bounds, cells))
    return [
        PackedGroups(
            grades=groups.grades,
            cells_of_query=_small(cells_of_query[own_queries]),
            is_first=None if is_first[own].all() else np.packbits(is_first[own]),
            level=_small(groups.cell_level[own]),
            count=None if (groups.cell_count[own] == 1).all() else _small(groups.cell_count[own]),
            rows=None if rows is None else _small(rows[feature]),
        )
        for feature, (own_queries, own) in enumerate(zip(queries, cells, strict=True))
    ]


def unpack(several: Sequence[PackedGroups], *, ideal: TieGroups | None) -> TieGroups:
    """Make the tie groups of several features anew; ``ideal``: the ideal rankings of all their queries."""
    cells_of_query = np.concatenate([one.cells_of_query for one in several])
    level = np.concatenate([one.level for one in several])
    n_queries, n_cells = len(cells_of_query), len(level)
    is_first, count = None, None
    if any(one.is_first is not None for one in several):
        is_first = np.concatenate(
            [
                np.ones(len(one.level), dtype=np.uint8)
                if one.is_first is None
                else np.unpackbits(one.is_first, count=len(one.level))
                for one in several
            ]
        )
    if any(one.count is not None for one in several):
        ones = (np.ones(len(one.level), dtype=np.uint8) if one.count is None else one.count for one in several)
        count = np.concatenate(list(ones))
    return TieGroups.from_cells(
        several[0].grades,
        n_queries,
        np.repeat(np.arange(n_queries), cells_of_query),
        np.arange(n_cells) if is_first is None else np.flatnonzero(is_first),
        level.astype(np.int64),
        np.ones(n_cells, dtype=np.int64) if count is None else count.astype(np.int64),
        ideal=ideal,
        before=np.arange(n_cells) if count is None else None,
    )


def _small(numbers: np.ndarray) -> np.ndarray:
    """Numbers, none below 0, in the smallest type that holds them all; a copy."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))

"""Tie groups of features, kept in little room: with them another measure or cut-off takes no sorting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiecore.ranking.groups import TieGroups

__all__ = ["PackedGroups", "pack", "unpack"]


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

    @property
    def nbytes(self) -> int:
        """What the arrays take."""
        return sum(
            array.nbytes for array in (self.cells_of_query, self.is_first, self.level, self.count) if array is not None
        )


def pack(groups: TieGroups) -> PackedGroups:
    """Keep of tie groups what the rest follows from."""
    n_cells = len(groups.cell_level)
    is_first = np.zeros(n_cells, dtype=bool)
    is_first[groups.first_cell] = True
    first = groups.first_of_query()
    cells_of_query = np.zeros(groups.n_queries, dtype=np.int64)
    cells_of_query[groups.query[first]] = np.diff(groups.first_cell[first], append=n_cells)
    return PackedGroups(
        grades=groups.grades,
        cells_of_query=_small(cells_of_query),
        is_first=None if is_first.all() else np.packbits(is_first),
        level=_small(groups.cell_level),
        count=None if (groups.cell_count == 1).all() else _small(groups.cell_count),
    )


def unpack(packed: PackedGroups, *, ideal: TieGroups) -> TieGroups:
    """Make tie groups anew; ``ideal`` is the ideal ranking of the same queries."""
    n_queries, n_cells = len(packed.cells_of_query), len(packed.level)
    if packed.is_first is None:
        first_cell = np.arange(n_cells)
    else:
        first_cell = np.flatnonzero(np.unpackbits(packed.is_first, count=n_cells))
    ones = packed.count is None
    return TieGroups.from_cells(
        packed.grades,
        n_queries,
        np.repeat(np.arange(n_queries), packed.cells_of_query),
        first_cell,
        packed.level.astype(np.int64),
        np.ones(n_cells, dtype=np.int64) if packed.count is None else packed.count.astype(np.int64),
        ideal=ideal,
        before=np.arange(n_cells) if ones else None,
    )


def _small(numbers: np.ndarray) -> np.ndarray:
    """Numbers, none below 0, in the smallest type that holds them all."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))

"""Tie groups: the only thing that measures see of a ranking.

A ranking is a weak order. Sorting the documents of a query by score gives groups of tied documents, best first; of
each group a measure needs to know how many documents stand above it, how large it is and how many documents of each
grade are in it. A tie-break refines the groups by a further key; best and worst case refine them by grade.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from tiecore.ties.keys import changes, lengths, pack, ranges, starts, sums_at, sums_before

UNJUDGED = int(np.iinfo(np.int64).min)
"""Stands for the grade of level 0: below every grade, so never relevant and without gain."""
_Kept = TypeVar("_Kept")
NONE = np.zeros(0, dtype=np.int64)
_DENSE = 4
"""Possible cells to each document up to which they are counted rather than sorted."""


@dataclass(frozen=True, slots=True, eq=False)
class TieGroups:
    """Groups of tied documents of many queries, as arrays.

    The documents of one grade inside a group are a *cell*; cells are kept in compressed rows, so that a hundred grades
    cost no more than two.
    """

    grades: np.ndarray
    """(n_levels,) grade of each level, ascending; level 0 is ``UNJUDGED``."""
    n_queries: int
    query: np.ndarray
    """(n_groups,) query of each group, ascending."""
    above: np.ndarray
    """(n_groups,) documents of the query that stand above the group."""
    size: np.ndarray
    """(n_groups,) documents in the group."""
    first_cell: np.ndarray
    """(n_groups,) position of the group's first cell."""
    n_cells: np.ndarray
    """(n_groups,) cells of each group."""
    cell_level: np.ndarray
    """(n_cells,) level of each cell, ascending inside a group."""
    cell_count: np.ndarray
    """(n_cells,) documents in each cell."""
    mixed: np.ndarray
    """(n_mixed,) positions of the groups that hold more than one grade: all that a tie-break can change."""
    order: np.ndarray
    """(n_documents,) the documents in the order of the groups; empty where ``from_keys`` did not make them."""
    _ideal: TieGroups | None = None
    """Ideal ranking of all judged documents, one group per grade; None if this is itself that ranking."""
    nbytes: int = 0
    """Memory that the arrays take."""
    toward: str = ""
    """``worst`` or ``best`` where groups have been refined by grade; documents that are not listed then follow suit."""
    key: Hashable = None
    """What it is kept by in the cache of its alignment."""
    _memo: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def from_keys(
        cls,
        keys: Sequence[np.ndarray],
        *,
        query: np.ndarray,
        level: np.ndarray,
        grades: np.ndarray,
        n_queries: int,
        ideal: TieGroups | None = None,
        count: np.ndarray | None = None,
    ) -> TieGroups:
        """Sort documents by query and keys, and cut them where a key changes.

        ``keys``: non-negative integer arrays (n_documents,), the most important first; smaller stands higher.
        ``count``: how many documents alike each element stands for; None if each is one document.
        """
        packed, shift, bits = pack(keys, query=query, level=level, n_queries=n_queries, n_levels=len(grades))
        # rows stand by query already, so a sort that merges what is in order takes half the time (bench, one-more)
        order = np.argsort(packed, kind="stable")
        packed = packed.take(order)
        cell = np.flatnonzero(changes(packed))
        n_documents = lengths(cell, len(packed))
        if count is not None:
            n_documents = np.add.reduceat(count.take(order), cell, dtype=np.int64)
        packed = packed.take(cell)
        cell_query = (packed >> np.uint64(shift)).view(np.int64)
        cell_level = (packed & np.uint64((1 << bits) - 1)).view(np.int64)
        first_cell = np.flatnonzero(changes(packed >> np.uint64(bits)))
        return cls.from_cells(
            grades, n_queries, cell_query, first_cell, cell_level, n_documents, ideal=ideal, order=order
        )

    @classmethod
    def from_grades(
        cls,
        *,
        query: np.ndarray,
        level: np.ndarray,
        grades: np.ndarray,
        n_queries: int,
        count: np.ndarray | None = None,
    ) -> TieGroups:
        """Ideal ranking of judged documents: the groups that the grades themselves make; ``count`` as for keys."""
        n_levels = len(grades)
        slot = query.astype(np.int64)
        slot *= n_levels
        slot += n_levels - 1
        slot -= level
        found, place = np.arange(n_queries * n_levels), slot
        if len(found) > _DENSE * len(slot):
            found, place = np.unique(slot, return_inverse=True)
        n_documents = np.bincount(place, weights=count, minlength=len(found)).astype(np.int64)
        some = np.flatnonzero(n_documents)
        query, best_first = np.divmod(found[some], n_levels)
        return cls.from_cells(
            grades, n_queries, query, np.arange(len(some)), n_levels - 1 - best_first, n_documents[some], ideal=None
        )

    @classmethod
    def from_cells(
        cls,
        grades: np.ndarray,
        n_queries: int,
        cell_query: np.ndarray,
        first_cell: np.ndarray,
        cell_level: np.ndarray,
        cell_count: np.ndarray,
        *,
        ideal: TieGroups | None,
        toward: str = "",
        order: np.ndarray = NONE,
    ) -> TieGroups:
        """Make groups of cells that stand in order of the ranking, no document of a query left out."""
        query = cell_query.take(first_cell)
        n_cells = lengths(first_cell, len(cell_level))
        size = cell_count if len(first_cell) == len(cell_count) else np.add.reduceat(cell_count, first_cell)
        above = sums_before(size, changes(query))
        arrays = query, above, size, first_cell, n_cells, cell_level, cell_count, np.flatnonzero(n_cells > 1)
        for array in arrays:
            array.flags.writeable = False
        n_bytes = sum(array.nbytes for array in (*arrays, order))
        return cls(grades, n_queries, *arrays, order, ideal, n_bytes, toward)

    def _of_cells(
        self,
        cell_query: np.ndarray,
        first_cell: np.ndarray,
        cell_level: np.ndarray,
        cell_count: np.ndarray,
    ) -> TieGroups:
        """Make other groups of the documents of the same queries."""
        cells = cell_query, first_cell, cell_level, cell_count
        return self.from_cells(self.grades, self.n_queries, *cells, ideal=self._ideal, toward=self.toward)

    @property
    def ideal(self) -> TieGroups:
        """Ideal ranking of all judged documents of each query."""
        return self if self._ideal is None else self._ideal

    def top(self, cutoff: int | None) -> TieGroups:
        """Only the groups that begin inside the cut-off: all that a measure with a cut-off sees of the lists."""
        if cutoff is None:
            return self
        key = "top", cutoff
        if key not in self._memo:
            kept = np.flatnonzero(self.above < cutoff)
            found = None  # not itself: a circle is freed late
            if len(kept) < len(self.above):
                query, above, size, n_cells = (
                    own.take(kept) for own in (self.query, self.above, self.size, self.n_cells)
                )
                # where each group is a cell, to look its cells up takes a sixth of a measure with a cut-off (waits)
                cell, first_cell, count = kept, np.arange(len(kept)), size
                if len(self.mixed):
                    cell, first_cell = ranges(self.first_cell.take(kept), n_cells)
                    count = self.cell_count.take(cell)
                cells = first_cell, n_cells, self.cell_level.take(cell), count
                arrays = query, above, size, *cells, np.flatnonzero(n_cells > 1), NONE
                found = TieGroups(self.grades, self.n_queries, *arrays, self._ideal, toward=self.toward)
            self._memo[key] = found
        return self._memo[key] or self

    def case(self, name: str) -> TieGroups:
        """Refine every group by grade, the lowest first in the ``worst`` case, the highest in the ``best``.

        Under any other name they are returned as they are.
        """
        if name not in ("worst", "best"):
            return self
        if not len(self.mixed):
            unchanged = replace(self, toward=name, nbytes=0)  # they share the arrays
            # sums over the groups are the same, and ESL, which alone asks where the others go, knows no cut-off
            object.__setattr__(unchanged, "_memo", self._memo)
            return unchanged
        level, count, n_cells = self.cell_level, self.cell_count, self.n_cells
        if name == "best":
            mirrored = np.repeat(2 * self.first_cell + n_cells - 1, n_cells) - np.arange(len(level))
            level, count = level.take(mirrored), count.take(mirrored)
        query = np.repeat(self.query, n_cells)
        kept = np.flatnonzero(changes(query) | changes(level))  # neighbours of one grade are one group
        return self.from_cells(
            self.grades,
            self.n_queries,
            query.take(kept),
            np.arange(len(kept)),
            level.take(kept),
            np.add.reduceat(count, kept),
            ideal=self._ideal,
            toward=name,
        )

    def refined(
        self,
        place: np.ndarray,
        group: np.ndarray,
        key: np.ndarray,
        *,
        query: np.ndarray,
        level: np.ndarray,
        count: np.ndarray | None = None,
    ) -> TieGroups:
        """Refine the groups of several grades by a key, smaller first; what it leaves equal stays tied.

        ``place``, ``group``, ``key``: (n_members,) of each document of these groups, its place in the order of all.
        ``query``, ``level``, ``count``: of all documents in this order; the last two are written to.
        """
        packed, _, bits = pack(
            [key], query=group, level=level.take(place), n_queries=len(self.size), n_levels=len(self.grades)
        )
        if count is None:
            packed.sort()
        else:
            order = np.argsort(packed, kind="stable")
            packed, count[place] = packed.take(order), count.take(place.take(order))
        level[place] = packed & np.uint64((1 << bits) - 1)
        cuts, is_first = changes(packed >> np.uint64(bits)), np.ones(len(level), dtype=bool)
        is_first[place] = cuts
        # neighbours of one grade are taken as one group: which of them stands higher changes nothing, and a strict
        # order has far fewer such groups than documents; only a group that stays tied is by itself
        is_cell = np.append(changes(level) | changes(query), False)
        further = place[changes(packed) & ~cuts]
        if len(further):
            first = np.append(np.flatnonzero(is_first), len(level))
            tied = np.searchsorted(first, further, side="right")
            is_cell[further] = is_cell[first[tied - 1]] = is_cell[first[tied]] = True
        cell = np.flatnonzero(is_cell[:-1])
        return self._of_cells(
            query.take(cell).astype(np.int64),
            np.flatnonzero(is_first.take(cell)),
            level.take(cell).astype(np.int64),
            lengths(cell, len(level)) if count is None else np.add.reduceat(count, cell),
        )

    def group_of_cell(self) -> np.ndarray:
        """(n_cells,) group of each cell."""
        return self.remember("group_of_cell", lambda: np.repeat(np.arange(len(self.size)), self.n_cells))

    def remember(self, key: Hashable, compute: Callable[[], _Kept]) -> _Kept:
        """Compute once and keep: measures share counts, hits and sums."""
        if key not in self._memo:
            found = compute()
            if isinstance(found, np.ndarray):
                found.flags.writeable = False
            self._memo[key] = found
        return self._memo[key]

    def total(self, value_of_level: np.ndarray) -> np.ndarray:
        """(n_groups,) sum over the documents of each group of a value that belongs to their level."""
        key = "total", value_of_level.tobytes()
        if key not in self._memo:
            in_cell = value_of_level.astype(np.float64).take(self.cell_level)
            in_cell *= self.cell_count
            total = in_cell
            if len(self.mixed):  # to sum up all groups takes three times as long
                total = in_cell.take(self.first_cell)
                cell, first = ranges(self.first_cell.take(self.mixed), self.n_cells.take(self.mixed))
                total[self.mixed] = np.add.reduceat(in_cell.take(cell), first)
            total.flags.writeable = False
            self._memo[key] = total
        return self._memo[key]

    def relevant(self, rel: int) -> np.ndarray:
        """(n_groups,) relevant documents in each group: judged ``rel`` or higher."""
        return self.total(self.grades >= rel)

    def relevant_above(self, rel: int) -> np.ndarray:
        """(n_groups,) relevant documents above each group."""
        return self.sum_above(self.grades >= rel)

    def sum_above(self, value_of_level: np.ndarray) -> np.ndarray:
        """(n_groups,) sum over the documents above each group; exact for whole numbers only."""
        key = "above", value_of_level.tobytes()
        return self.remember(key, lambda: sums_before(self.total(value_of_level), changes(self.query)))

    def n_relevant(self, rel: int) -> np.ndarray:
        """(n_queries,) relevant documents of each query in the judgments, listed or not."""
        ideal = self.ideal
        return ideal.remember(("n_relevant", rel), lambda: ideal.per_query(ideal.relevant(rel)))

    def per_query(self, value: np.ndarray, groups: np.ndarray | None = None) -> np.ndarray:
        """(n_queries,) sum of a value of each group, or of some; 0 for a query that has none."""
        query = self.query if groups is None else self.query[groups]
        return sums_at(query, value, self.n_queries)

    def without_unjudged(self) -> TieGroups:
        """Leave out documents that are unjudged or of a grade below 0, which trec_eval -J leaves out as well."""
        kept = np.flatnonzero(self.grades[self.cell_level] >= 0)
        if len(kept) == len(self.cell_level):
            return self
        group = self.group_of_cell()[kept]
        cells = self.query[group], starts(group), self.cell_level[kept], self.cell_count[kept]
        return self.from_cells(self.grades, self.n_queries, *cells, ideal=self.ideal, toward=self.toward)

    def with_unretrieved(self) -> TieGroups:
        """Append the judged documents that are not listed as one last group of their query."""
        n_levels = len(self.grades)
        size = self.n_queries * n_levels

        def count(groups: TieGroups) -> np.ndarray:
            slot = groups.query[groups.group_of_cell()] * n_levels + groups.cell_level
            return np.bincount(slot, weights=groups.cell_count, minlength=size).astype(np.int64)

        left = count(self.ideal) - count(self)
        left[::n_levels] = 0  # unjudged documents are listed or unknown
        slot = np.flatnonzero(left)
        query = np.concatenate([self.query[self.group_of_cell()], slot // n_levels])
        group = np.concatenate([self.group_of_cell(), len(self.size) + slot // n_levels])
        order = np.argsort(query, kind="stable")
        everything = self._of_cells(
            query[order],
            starts(group[order]),
            np.concatenate([self.cell_level, slot % n_levels])[order],
            np.concatenate([self.cell_count, left[slot]])[order],
        )
        return everything.case(self.toward)

"""Tie groups: the only thing that measures see of a ranking.

A ranking is a weak order. Sorting the documents of a query by score gives groups of tied documents, best first; of
each group a measure needs to know how many documents stand above it, how large it is and how many documents of each
grade are in it. A tie-break refines the groups by a further key; best and worst case refine them by grade.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from tiecore.ties.cut import Cut, cut, group_cells
from tiecore.ties.keys import in_order, pack
from tiecore.ties.segments import at, lengths, ranges, starts, sums_at, sums_before
from tiecore.ties.strict import levels_by_numbers, stretches

__all__ = ["UNJUDGED", "TieGroups"]

UNJUDGED = int(np.iinfo(np.int64).min)
"""Stands for the grade of level 0: below every grade, so never relevant and without gain."""
_KEPT_TOPS = 4
_FEW_SLOTS = 4
"""Numbers of documents for each document up to which counting them takes less time than sorting."""


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
    cell_level: np.ndarray
    """(n_cells,) level of each cell, ascending inside a group."""
    cell_count: np.ndarray
    """(n_cells,) documents in each cell."""
    _ideal: TieGroups | None = None
    """Ideal ranking of all judged documents, one group per grade; None if this is itself that ranking."""
    toward: Literal["worst", "best"] | None = None
    """Whether groups have been refined by grade; documents that are not listed then follow suit."""
    _of: tuple[TieGroups, np.ndarray] | None = None
    """For a part of a ranking: all of it, and the (n_groups,) group there that each group is, or is a part of."""
    _memo: dict[Hashable, np.ndarray] = field(default_factory=dict, init=False, repr=False)
    _tops: dict[int, TieGroups | None] = field(default_factory=dict, init=False, repr=False)
    """Groups that begin inside a cut-off; None where these are all, since a reference to itself would keep it alive."""

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
        """Sort documents by query and keys and cut them where a key changes.

        Parameters
        ----------
        keys
            Non-negative integer arrays (n_documents,), the most important first; smaller stands higher.
        query, level
            Query and grade level of each document.
        grades, n_queries, ideal
            As the attributes.
        count
            How many documents alike each element stands for; None if each is one document.
        """
        groups, _ = cls.with_order(
            keys, query=query, level=level, grades=grades, n_queries=n_queries, ideal=ideal, count=count
        )
        return groups

    @classmethod
    def with_order(
        cls,
        keys: Sequence[np.ndarray],
        *,
        query: np.ndarray,
        level: np.ndarray,
        grades: np.ndarray,
        n_queries: int,
        ideal: TieGroups | None = None,
        count: np.ndarray | None = None,
    ) -> tuple[TieGroups, np.ndarray]:
        """As ``from_keys()``, also returning the (n_documents,) documents in the order of the groups."""
        if len(query) == 0:
            nothing = np.zeros(0, dtype=np.int64)
            return cls(grades, n_queries, nothing, nothing, nothing, nothing, nothing, nothing, ideal), nothing
        packed, query_shift, level_bits = pack(
            keys, query=query, level=level, n_queries=n_queries, n_levels=len(grades)
        )
        ordered, order = in_order(packed, level_bits)
        count = None if count is None else count[order]
        own = cut(ordered, query_shift=query_shift, level_bits=level_bits, count=count)
        return cls._of_cut(own, grades=grades, n_queries=n_queries, ideal=ideal), order

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
        if n_queries * n_levels <= _FEW_SLOTS * max(1, len(query)):  # counted sooner than sorted
            slot = query.astype(np.int64)
            slot *= n_levels
            slot += n_levels - 1
            slot -= level
            counts = np.bincount(slot, weights=count, minlength=1).astype(np.int64, copy=False)
            slot = np.flatnonzero(counts)
            return cls.from_cells(
                grades,
                n_queries,
                slot // n_levels,
                np.arange(len(slot)),
                n_levels - 1 - slot % n_levels,
                counts[slot],
                ideal=None,
            )
        best_first = n_levels - 1 - level.astype(np.int64)
        return cls.from_keys([best_first], query=query, level=level, grades=grades, n_queries=n_queries, count=count)

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
        before: np.ndarray | None = None,
    ) -> TieGroups:
        """Make groups of cells that stand in order of the ranking.

        ``before``, if it is known: (n_cells,) documents before each cell, over all queries.
        """
        own = group_cells(cell_query, first_cell, cell_level, cell_count, before=before)
        return cls._of_cut(own, grades=grades, n_queries=n_queries, ideal=ideal)

    @classmethod
    def _of_cut(cls, own: Cut, *, grades: np.ndarray, n_queries: int, ideal: TieGroups | None) -> TieGroups:
        arrays = own[:6]
        for array in arrays:
            array.flags.writeable = False
        groups = cls(grades, n_queries, *arrays, ideal)
        groups.remember("first_of_query", lambda: own.first_of_query)
        further = own.further_cells
        if further is not None:
            groups.remember("further_cells", lambda: further)
        return groups

    @property
    def ideal(self) -> TieGroups:
        """Ideal ranking of all judged documents of each query."""
        return self if self._ideal is None else self._ideal

    def top(self, cutoff: int | None) -> TieGroups:
        """Only the groups that begin inside the cut-off: all that a measure with a cut-off sees of the lists."""
        if cutoff is None:
            return self
        known = self._tops.copy()  # threads share the ideal ranking
        if cutoff not in known:
            deeper = min((depth for depth in known if depth > cutoff), default=None)
            top = ((None if deeper is None else known[deeper]) or self)._top(cutoff)
            known[cutoff] = None if top is self else top
            if len(known) > _KEPT_TOPS:
                self._tops.pop(next(iter(known)), None)
            self._tops[cutoff] = known[cutoff]
        return known[cutoff] or self

    def _top(self, cutoff: int) -> TieGroups:
        kept = np.flatnonzero(self.above < cutoff)
        return self if len(kept) == len(self.above) else self._some(kept)

    def split(self, counts: np.ndarray) -> tuple[TieGroups, TieGroups]:
        """Return the groups of one grade, which no refinement changes, and the groups ``mixed()``: two parts.

        ``counts``: (n_levels,) bool, levels whose documents count; groups without such documents are left out.
        """
        is_alike = at(self.first_cell, counts.take(self.cell_level))
        mixed = self.mixed()
        if len(mixed):
            is_alike[mixed] = False
            cell, first = self._cells_of(mixed)
            mixed = mixed[np.logical_or.reduceat(counts.take(self.cell_level.take(cell)), first)]
        alike = np.flatnonzero(is_alike)
        return self._part(alike, self.first_cell[alike]), self._part(mixed)

    def mixed_part(self) -> TieGroups:
        """Return the groups ``mixed()`` as a part."""
        return self._part(self.mixed())

    def _part(self, kept: np.ndarray, cell: np.ndarray | None = None) -> TieGroups:
        return replace(self._some(kept, cell), _of=(self, kept))

    def _some(self, kept: np.ndarray, cell: np.ndarray | None = None) -> TieGroups:
        """Only some of the groups, ascending; ``cell``: the cell of each where it has no other."""
        size = self.size.take(kept)
        if cell is None:
            cell, first_cell = self._cells_of(kept)
        else:
            first_cell = np.arange(len(kept))
        return replace(
            self,
            query=self.query.take(kept),
            above=self.above.take(kept),
            size=size,
            first_cell=first_cell,
            cell_level=self.cell_level.take(cell),
            cell_count=size if len(cell) == len(kept) else self.cell_count.take(cell),
            _of=None if self._of is None else (self._of[0], self._of[1][kept]),
        )

    def worst(self) -> TieGroups:
        """Refine every group by grade, lowest first."""
        return self._refined(slice(None), "worst")

    def best(self) -> TieGroups:
        """Refine every group by grade, highest first."""
        mixed = self.mixed()
        cell, first = self._cells_of(mixed)
        n_cells = lengths(first, len(cell))
        mirrored = np.arange(len(self.cell_level))
        mirrored[cell] = np.repeat(2 * self.first_cell[mixed] + n_cells - 1, n_cells) - cell
        return self._refined(mirrored, "best")

    def extreme(self, counts: np.ndarray, toward: Literal["worst", "best"]) -> TieGroups:
        """Return the documents that count, as the last or the first of their group.

        That is the worst or best case for all that does not tell them apart, in fewer groups.

        ``counts``: (n_levels,) bool, of the highest levels.
        """
        n_counting = self.total(counts)
        kept = np.flatnonzero(n_counting)
        size = n_counting[kept].astype(np.int64)
        above = self.above[kept]
        if toward == "worst":
            above += self.size[kept] - size
        return replace(
            self,
            query=self.query[kept],
            above=above,
            size=size,
            first_cell=np.arange(len(kept)),
            cell_level=np.full(len(kept), len(counts) - 1),
            cell_count=size,
            toward=toward,
        )

    def places(self) -> np.ndarray:
        """(n_documents,) places in the ranking of the documents of a part of it, group by group."""
        whole, position = self._whole()
        place, _ = ranges((np.cumsum(whole.size) - whole.size)[position], self.size)
        return place

    def broken(self, key: np.ndarray, level: np.ndarray) -> TieGroups:
        """Refine the groups of a part by a key; ``key`` and ``level`` of its documents, group by group."""
        n_groups, n_levels = len(self.size), len(self.grades)
        begin = np.cumsum(self.size) - self.size
        numbered = levels_by_numbers(key, level, self.size)
        if numbered is not None:  # nothing is left to sort
            return self._in_strict_order(numbered, begin)
        group = np.repeat(np.arange(n_groups), self.size)
        packed, query_shift, level_bits = pack([key], query=group, level=level, n_queries=n_groups, n_levels=n_levels)
        packed, _ = in_order(packed, level_bits)
        rank = packed >> packed.dtype.type(level_bits)
        if not len(packed) or ((rank[1:] == rank[:-1]) & (packed[1:] != packed[:-1])).any():
            parts = cut(packed, query_shift=query_shift, level_bits=level_bits)
            return self._divided(*parts[:6])
        ordered = (packed & packed.dtype.type((1 << level_bits) - 1)).astype(np.min_scalar_type(n_levels))
        return self._in_strict_order(ordered, begin)

    def _in_strict_order(self, level: np.ndarray, begin: np.ndarray) -> TieGroups:
        """Refine the groups of a part to single documents, given the levels of these in their order.

        Neighbours of one grade are taken as one group: which of them stands higher changes nothing.
        """
        found = stretches(level, begin)
        single = np.arange(len(found.group))
        return self._divided(found.group, found.above, found.size, single, found.level, found.size)

    def _divided(
        self,
        group: np.ndarray,
        above: np.ndarray,
        size: np.ndarray,
        first_cell: np.ndarray,
        cell_level: np.ndarray,
        cell_count: np.ndarray,
    ) -> TieGroups:
        """Groups that these groups have been divided into; ``above`` counts the documents of the same group."""
        above = self.above.take(group) + above
        return self._with(group, self.query.take(group), above, size, first_cell, cell_level, cell_count)

    def _with(
        self,
        group: np.ndarray,
        query: np.ndarray,
        above: np.ndarray,
        size: np.ndarray,
        first_cell: np.ndarray,
        cell_level: np.ndarray,
        cell_count: np.ndarray,
    ) -> TieGroups:
        """Other groups, each a part of one of these: of ``group``."""
        for array in (query, above, size, first_cell, cell_level, cell_count):
            array.flags.writeable = False
        return replace(
            self,
            query=query,
            above=above,
            size=size,
            first_cell=first_cell,
            cell_level=cell_level,
            cell_count=cell_count,
            _of=None if self._of is None else (self._of[0], self._of[1][group]),
        )

    def division_by(self, refined: TieGroups) -> TieGroups:
        """Return what a refinement makes of the groups of this part: each group here is a query there."""
        _, own = self._whole()
        _, position = refined._whole()
        group = np.searchsorted(own, position)
        return replace(
            refined,
            n_queries=len(self.size),
            query=group,
            above=refined.above - self.above[group],
            _ideal=None,
            _of=None,
        )

    def divided(self, division: TieGroups) -> TieGroups:
        """Refine the groups of a part by what ``division_by()`` has found."""
        return self._divided(
            division.query, division.above, division.size, division.first_cell, division.cell_level, division.cell_count
        )

    def refined_part(self, refined: TieGroups) -> TieGroups:
        """Return the groups of a refinement of this ranking that the groups ``mixed()`` have been divided into."""
        own, others = (np.cumsum(groups.size) - groups.size for groups in (self, refined))
        position = np.searchsorted(own, others, side="right") - 1
        is_mixed = np.zeros(len(self.size), dtype=bool)
        is_mixed[self.mixed()] = True
        kept = np.flatnonzero(is_mixed[position])
        return replace(refined._some(kept), _of=(self, position[kept]))

    def _whole(self) -> tuple[TieGroups, np.ndarray]:
        return (self, np.arange(len(self.size))) if self._of is None else self._of

    def with_part(self, part: TieGroups) -> TieGroups:
        """Put a part of this ranking, or a refinement of it, in the place of the groups that it is made of."""
        _, position = part._whole()
        group_of_cell = position[part.group_of_cell()]
        own = np.ones(len(self.size), dtype=bool)
        own[group_of_cell] = False
        kept = np.flatnonzero(own[self.group_of_cell()])
        group = np.concatenate([self.group_of_cell()[kept], group_of_cell])
        is_first = np.zeros(len(self.cell_level), dtype=bool)
        is_first[self.first_cell] = True
        is_first_of_part = np.zeros(len(part.cell_level), dtype=bool)
        is_first_of_part[part.first_cell] = True
        order = np.argsort(group, kind="stable")
        whole = self.from_cells(
            self.grades,
            self.n_queries,
            self.query[group[order]],
            np.flatnonzero(np.concatenate([is_first[kept], is_first_of_part])[order]),
            np.concatenate([self.cell_level[kept], part.cell_level])[order],
            np.concatenate([self.cell_count[kept], part.cell_count])[order],
            ideal=self._ideal,
        )
        return replace(whole, toward=part.toward)

    def _refined(self, order: np.ndarray | slice, toward: Literal["worst", "best"]) -> TieGroups:
        """Every cell a group of its own, in the given order of cells."""
        group, level, count = self.group_of_cell(), self.cell_level[order], self.cell_count[order]
        before = np.cumsum(count)
        before -= count
        above = before - before.take(self.first_cell).take(group)
        cells = self._divided(group, above, count, np.arange(len(level)), level, count)
        return replace(cells, toward=toward)

    def first_of_query(self) -> np.ndarray:
        """(n_listed_queries,) first group of each query that has one."""
        return self.remember("first_of_query", lambda: starts(self.query))

    def group_of_cell(self) -> np.ndarray:
        """(n_cells,) group of each cell."""
        return self.remember("group_of_cell", lambda: np.repeat(np.arange(len(self.size)), self._cells_per_group()))

    def _further_cells(self) -> tuple[np.ndarray, np.ndarray]:
        """Cells that are not the first of their group: few, where most groups are of one grade; and their groups."""

        def compute() -> np.ndarray:
            is_further = np.ones(len(self.cell_level), dtype=bool)
            is_further[self.first_cell] = False
            return np.flatnonzero(is_further)

        further = self.remember("further_cells", compute)
        # the i-th of them stands behind i further cells and the first cells of all groups up to its own
        return further, further - np.arange(1, len(further) + 1)

    def _cells_of(self, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cells of some groups in ascending order, and where each group begins among them."""
        if self._has_single_cells():
            return groups, np.arange(len(groups))
        first = self.first_cell[groups]
        n_cells = self.first_cell.take(groups + 1, mode="clip") - first
        if len(groups) and groups[-1] == len(self.size) - 1:
            n_cells[-1] = len(self.cell_level) - first[-1]
        return ranges(first, n_cells)

    def _has_single_cells(self) -> bool:
        return len(self.first_cell) == len(self.cell_level)

    def _cells_per_group(self) -> np.ndarray:
        return lengths(self.first_cell, len(self.cell_level))

    def mixed(self) -> np.ndarray:
        """Positions of the groups that hold more than one grade: all that a tie-break can change."""

        def compute() -> np.ndarray:
            _, group = self._further_cells()
            return group[starts(group)]

        return self.remember("mixed", compute)

    def remember(self, key: Hashable, compute: Callable[[], np.ndarray]) -> np.ndarray:
        """Compute once and keep: measures share counts, hits and sums."""
        if key not in self._memo:
            array = compute()
            array.flags.writeable = False
            self._memo[key] = array
        return self._memo[key]

    def total(self, value_of_level: np.ndarray) -> np.ndarray:
        """(n_groups,) sum over the documents of each group of a value that belongs to their level."""

        def compute() -> np.ndarray:
            in_cell = value_of_level.astype(np.float64).take(self.cell_level)
            in_cell *= self.cell_count
            if self._has_single_cells():
                return in_cell
            further, group = self._further_cells()
            in_group = in_cell.take(self.first_cell)
            np.add.at(in_group, group, in_cell.take(further))
            return in_group

        return self.remember(("total", value_of_level.tobytes()), compute)

    def squares(self, value_of_level: np.ndarray) -> np.ndarray:
        """(n_mixed,) sum of squared deviations from the mean of the group, for the groups ``mixed()``."""

        def compute() -> np.ndarray:
            total = self.total(value_of_level)
            mixed = self.mixed()
            cell, first = self._cells_of(mixed)
            n_cells = lengths(first, len(cell))
            mean = np.repeat(total.take(mixed) / self.size.take(mixed), n_cells)
            summands = value_of_level.astype(np.float64).take(self.cell_level.take(cell))
            summands -= mean
            summands *= summands
            summands *= self.cell_count.take(cell)
            return np.add.reduceat(summands, first) if len(mixed) else summands

        return self.remember(("squares", value_of_level.tobytes()), compute)

    def relevant(self, rel: int) -> np.ndarray:
        """(n_groups,) relevant documents in each group: judged ``rel`` or higher."""
        return self.total(self.grades >= rel)

    def hits(self, rel: int) -> np.ndarray:
        """Positions of the groups that hold relevant documents."""
        return self.remember(("hits", rel), lambda: np.flatnonzero(self.relevant(rel) > 0))

    def relevant_above(self, rel: int) -> np.ndarray:
        """(n_groups,) relevant documents above each group."""
        return self.sum_above(self.grades >= rel)

    def hits_above(self, rel: int) -> np.ndarray:
        """(n_hits,) relevant documents above each of the groups ``hits()``: only these add to them."""

        def compute() -> np.ndarray:
            hits = self.hits(rel)
            inside = at(hits, self.relevant(rel))
            if self._of is None:
                return sums_before(inside, starts(at(hits, self.query)))
            whole, position = self._of
            return _above_parts(whole.relevant_above(rel), at(hits, position), inside)

        return self.remember(("hits_above", rel), compute)

    def sum_above(self, value_of_level: np.ndarray) -> np.ndarray:
        """(n_groups,) sum over the documents above each group; exact for whole numbers only."""

        def compute() -> np.ndarray:
            if self._of is None:
                return sums_before(self.total(value_of_level), self.first_of_query())
            whole, position = self._of
            return _above_parts(whole.sum_above(value_of_level), position, self.total(value_of_level))

        return self.remember(("above", value_of_level.tobytes()), compute)

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
        shorter = self.from_cells(
            self.grades,
            self.n_queries,
            self.query[group],
            starts(group),
            self.cell_level[kept],
            self.cell_count[kept],
            ideal=self.ideal,
        )
        return replace(shorter, toward=self.toward)

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
        everything = self.from_cells(
            self.grades,
            self.n_queries,
            query[order],
            starts(group[order]),
            np.concatenate([self.cell_level, slot % n_levels])[order],
            np.concatenate([self.cell_count, left[slot]])[order],
            ideal=self._ideal,
        )
        if self.toward is None:
            return everything
        return everything.worst() if self.toward == "worst" else everything.best()


def _above_parts(above: np.ndarray, position: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """(n_parts,) sums over what stands above parts of groups.

    ``above``: (n_groups,) sums over what stands above the groups. ``position``, ``inside``: (n_parts,) group of each
    part, ascending, and the sum inside it.
    """
    sums = above.take(position)
    first = starts(position)
    if len(first) < len(position):  # refined: others of the same group stand above too
        sums += sums_before(inside, first)
    return sums

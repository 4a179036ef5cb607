"""Random tie-breaks: random orders of the documents of a query, each the same for all features.

Draw m of seed s is the tie-break ``random:N`` with N = s·2^20 + m: it depends on the seed and the ids alone. Only the
lists that a tie-break can change are drawn, and of a tie only the ranks that the measure reads. A table of counts holds
no ids: what is shared there is the order of the documents of a cell, between features that are counted together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal
from zlib import crc32

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.measures import Measure
from tiecore.ties.groups import NONE, TieGroups
from tiecore.ties.keys import changes, is_scored, ranges
from tiecore.ties.tie_breaks import random_key

if TYPE_CHECKING:
    from tiecore.collection.rows import FeatureRows
    from tiecore.evaluation.values import Values

TieOrders = Literal["shared", "independent"]
TOO_MANY = "too many tied documents to draw"

_LARGEST_BUDGET = 1_000_000_000
"""Documents put into an order, over all orders, where the number of draws is asked for."""
_DRAWS_OF_A_SEED = 1 << 20
_KEY_BITS = 40
_AT_ONCE = 1 << 16
"""Documents that are ordered together: what is computed on the way then stays in the processor's cache."""
_ODD = np.uint64(0x9E3779B97F4A7C15)


def order_seeds(seed: int, draws: int) -> np.ndarray:
    """(draws,) N of the tie-breaks ``random:N`` that the draws of a seed are.

    >>> order_seeds(0, 3).tolist(), order_seeds(1, 2).tolist()
    ([0, 1, 2], [1048576, 1048577])
    """
    first = np.uint64(int(seed) * _DRAWS_OF_A_SEED % 2**64)
    return first + np.arange(draws, dtype=np.uint64)


def check_budget(draws: int, cost: float, what: str = "each draw") -> None:
    """Refuse more draws than anybody waits for; ``cost``: documents of each."""
    if draws * cost > _LARGEST_BUDGET:
        most = f"at most {_LARGEST_BUDGET / cost:,.0f} can be drawn, found draws={draws:,}"
        raise TiecoreError(f"{TOO_MANY}: {what} goes through {cost:,.0f} documents, so {most}")


@dataclass(frozen=True, slots=True, eq=False)
class OpenTies:
    """The ties of one feature whose order changes a measure, in some queries."""

    groups: TieGroups
    read: np.ndarray
    """(n_groups,) ranks of each group that the measure reads."""
    is_open: np.ndarray
    """(n_groups,) bool: whether the order of its documents counts."""
    rows: Callable[[], FeatureRows]
    """What is sorted into the groups, looked up only when it is needed (waits)."""
    tie_orders: TieOrders

    @classmethod
    def of_feature(
        cls,
        values: Values,
        feature: str,
        measure: Measure,
        wanted: np.ndarray,
        *,
        queries: tuple[int, int] | None = None,
        tie_orders: TieOrders,
    ) -> OpenTies:
        """Find the open ties of a feature in the (n_queries,) wanted ones of all queries, or of a block of them."""
        groups, deepest = values.groups(feature, queries=queries), measure.depth
        read = groups.size if deepest is None else np.clip(deepest - groups.above, 0, groups.size)
        mixed, is_open = groups.mixed, np.zeros(len(read), dtype=bool)
        is_open[mixed] = (read[mixed] > 0) & wanted[groups.query[mixed]]
        return cls(groups, read, is_open, partial(values.rows, feature, queries), tie_orders)

    def members(self) -> tuple[FeatureRows, np.ndarray]:
        """Return the documents, or cells of documents alike, of the open groups, and the (n_rows,) group of each."""
        rows = self.rows()
        place, group = rows.members(self.groups, np.flatnonzero(self.is_open))
        return rows.some(self.groups.order.take(place)), group

    def cost(self, *, has_cells: bool) -> np.ndarray:
        """(n_queries,) documents and groups that one draw has to look at; cells are of documents alike."""
        query, n_queries, group = self.groups.query, self.groups.n_queries, np.flatnonzero(self.is_open)
        n_ordered = self.groups.size.take(group)
        if has_cells:
            rows, group = self.members()
            n_ordered = np.minimum(rows.count, self.read[group])
        documents = np.bincount(query.take(group), n_ordered, n_queries)
        return documents + (documents > 0) * np.bincount(query[self.read > 0], minlength=n_queries)

    def lists(self) -> Lists:
        """Return the lists, ready to be drawn."""
        groups = self.groups
        wanted = np.bincount(groups.query[self.is_open], minlength=groups.n_queries) > 0
        number = np.cumsum(wanted) - 1
        kept = np.flatnonzero(wanted[groups.query] & (self.read > 0))
        is_open = self.is_open[kept]
        group = np.repeat(kept, np.where(is_open, self.read[kept], 1))
        query, is_single = number[groups.query[group]], self.is_open[group]
        level = np.where(is_single, 0, groups.cell_level[groups.first_cell[group]])
        first = np.flatnonzero(changes(query) | changes(level) | is_single | changes(is_single))
        size = np.add.reduceat(np.where(is_single, 1, groups.size[group]), first) if len(first) else first
        units = TieGroups.from_cells(
            groups.grades,
            int(wanted.sum()),
            query[first],
            np.arange(len(first)),
            level[first],
            size,
            ideal=_some(groups.ideal, np.where(wanted, number, -1), int(wanted.sum())),
        )
        rows, of_row = self.members()
        times = np.minimum(rows.count, self.read[of_row])  # as many as can stand among the ranks that are read
        nth, _ = ranges(np.zeros_like(of_row), times)
        tie = np.cumsum(changes(of_row)) - 1
        n_documents = np.bincount(tie, weights=times).astype(np.int64)
        taken, _ = ranges(np.cumsum(n_documents) - n_documents, self.read[kept[is_open]])
        count = np.repeat(rows.count, times)
        return Lists(
            query=np.flatnonzero(wanted),
            units=units,
            drawn=np.flatnonzero(is_single[first]),
            taken=taken,
            group=np.repeat(tie, times),
            level=np.repeat(rows.level, times),
            identity=np.repeat(_identities(rows, self.tie_orders), times) + nth.astype(np.uint64) * _ODD,
            left=None if (count == 1).all() else count - nth,
            first=np.flatnonzero(nth == 0),
        )


def _some(ideal: TieGroups, number: np.ndarray, n_queries: int) -> TieGroups:
    """Ideal ranking of some queries; ``number``: new position of each, −1 where it is left out."""
    query = number[ideal.query[ideal.group_of_cell()]]
    kept = np.flatnonzero(query >= 0)
    return TieGroups.from_grades(
        query=query[kept],
        level=ideal.cell_level[kept],
        count=ideal.cell_count[kept],
        grades=ideal.grades,
        n_queries=n_queries,
    )


def _identities(rows: FeatureRows, tie_orders: TieOrders) -> np.ndarray:
    """(n_rows,) uint64 for each row, the same under every feature that shares its order."""
    salt = random_key(np.array([crc32(rows.feature.encode())], dtype=np.uint64), np.ones(1, dtype=np.uint64))
    is_own = tie_orders == "independent" or not rows.alignment.is_joint(rows.feature)
    if rows.n_alike is None:
        identity = rows.id_hash()
    else:  # cells are known by their place in the pool or, if the feature is counted alone, by that among its own
        place = rows.document.astype(np.uint64)
        place[~is_scored(rows.scores)] += _ODD * is_own  # these are of the pool
        identity = random_key(place, np.zeros(1, dtype=np.uint64))
    return identity ^ salt if is_own else identity


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """Lists that a tie-break can change, and the documents to be ordered in them.

    A *unit* is a document of an open tie, or a stretch of the list in which documents of one grade stand together, so
    that their order changes nothing.
    """

    query: np.ndarray
    """(n_lists,) position of the query among those asked for."""
    units: TieGroups
    """Each unit is a group; its queries are the lists."""
    drawn: np.ndarray
    """(n_drawn,) units that are documents of open ties."""
    taken: np.ndarray
    """(n_drawn,) which of the ordered documents each of these is."""
    group: np.ndarray
    """(n_documents,) tie of each document that is ordered, ascending."""
    level: np.ndarray
    """(n_documents,)"""
    identity: np.ndarray
    """(n_documents,)"""
    left: np.ndarray | None
    """(n_documents,) documents of its cell from this one on; None where every cell is one document."""
    first: np.ndarray
    """(n_cells,) the first document of each cell."""

    def values(self, measure: Measure, seeds: np.ndarray) -> Iterator[np.ndarray]:
        """Yield (n_some, n_lists) values of the measure, for some of the seeds after the other."""
        n_units = len(self.units.size)
        if not n_units:
            yield np.zeros((len(seeds), 0))
            return
        at_once = max(1, _AT_ONCE // max(1, len(self.group), n_units, len(self.units.ideal.cell_level)))
        place = np.arange(len(self.group), len(self.group) + n_units)  # behind the documents that are ordered
        place[self.drawn] = self.taken
        for begin in range(0, len(seeds), at_once):
            some = seeds[begin : begin + at_once]
            if begin == 0 or len(some) < at_once:
                many = repeated(self.units, len(some))
            fixed = np.broadcast_to(self.units.cell_level, (len(some), n_units))
            levels = np.concatenate([self._ordered_levels(some), fixed], axis=1)
            level = levels.take(place, axis=1).reshape(-1)  # to write them by their places takes twice as long
            yield measure.expected(replace(many, cell_level=level)).reshape(len(some), -1)

    def _ordered_levels(self, seeds: np.ndarray) -> np.ndarray:
        """(n_seeds, n_documents) level of each document, tie by tie in a random order."""
        level_bits = (len(self.units.grades) - 1).bit_length()
        surplus = max(0, int(self.group.max(initial=0)).bit_length() + _KEY_BITS + level_bits - 64)
        packed = draw_keys(self.identity, seeds, self.left, self.first)
        packed >>= np.uint64(surplus)
        packed <<= np.uint64(level_bits)
        packed |= (self.group.astype(np.uint64) << np.uint64(_KEY_BITS - surplus + level_bits)) | self.level.astype(
            np.uint64
        )
        packed.sort(axis=1)
        packed &= np.uint64((1 << level_bits) - 1)
        return packed.view(np.int64)


def repeated(groups: TieGroups, times: int) -> TieGroups:
    """Put copies of all queries behind each other; every group is a cell."""
    above, size, level = (np.tile(own, times) for own in (groups.above, groups.size, groups.cell_level))
    query = (groups.query + groups.n_queries * np.arange(times)[:, None]).reshape(-1)
    ideal = None if groups.ideal is groups else repeated(groups.ideal, times)
    cells = np.arange(len(level)), np.ones(len(level), dtype=np.int64), level, size
    return TieGroups(groups.grades, times * groups.n_queries, query, above, size, *cells, NONE, NONE, ideal)


def draw_keys(
    identity: np.ndarray, seeds: np.ndarray, left: np.ndarray | None = None, first: np.ndarray | None = None
) -> np.ndarray:
    """(n_seeds, n_documents) sort keys of 40 bits, those of ``random:SEED``.

    The first of many documents alike are spaced as the smallest of many exponential variables are (Rényi 1953): the
    gap before each is exponential, over the number of documents that are left. So the others need no numbers.

    ``left``, ``first``: see ``Lists``.
    """
    keys = random_key(identity, seeds[:, None])
    if left is None or first is None:
        return keys
    gaps = -np.log((keys + 1.0) / (1 << _KEY_BITS)) / left
    sums = np.cumsum(gaps, axis=1)
    before = np.repeat(sums[:, first] - gaps[:, first], np.diff(first, append=len(left)), axis=1)
    return (-np.expm1(before - sums) * (1 << _KEY_BITS)).astype(np.uint64)

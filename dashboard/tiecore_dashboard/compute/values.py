"""Values of features, none of them computed twice: from tie groups that are kept, or else by sorting.

Values are kept one by one, for (feature, measure, statistic or tie-break, options), so that another tie-break or
measure computes what is new and nothing else; names and the order of features are no part of their keys. Features of
which the same is lacking are evaluated together, as if their queries were those of one: small ones are mostly calls of
NumPy.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from tiecore.collection.stack import Stack, ideal_of_copies
from tiecore.measures.refinable import Refinable

from tiecore.collection.align import Alignment, FeatureRows
from tiecore.collection.coverage import Ties, remember_ties
from tiecore.evaluation.engine import STATISTICS, counted_values, shares_of_threads
from tiecore.evaluation.values import Options
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads, n_processors
from tiecore.ties.groups import TieGroups
from tiecore.ties.tie_breaks import TieBreak
from tiecore_dashboard.compute.groups import HEAD, PackedGroups, deepest, depth_of, pack, unpack
from tiecore_dashboard.compute.shelf import Shelf
from tiecore_dashboard.data.datasets import Dataset

__all__ = ["known_values"]

_Column = str | TieBreak
_HEADS_TOGETHER = 500_000
"""Documents of heads that are evaluated together."""


def known_values(
    shelf: Shelf,
    dataset: Dataset,
    aligned: Alignment,
    measures: Sequence[Measure],
    tie_breaks: Sequence[TieBreak],
    options: Options,
    *,
    progress: Progress | None = None,
) -> np.ndarray:
    """(n_measures, n_features, n_columns, n_queries) values, columns being all statistics and these tie-breaks.

    What is not known yet is computed and kept; as parts of what is returned, if all of that is new.

    ``progress`` is called with the features done and the features that are to be computed; what is done when it raises
    stays known.
    """
    columns: tuple[_Column, ...] = (*STATISTICS, *tie_breaks)
    values = np.empty((len(measures), len(aligned.features), len(columns), aligned.n_queries))
    place_of = {
        (name, measure, column): (m, f, c)
        for f, name in enumerate(aligned.features)
        for m, measure in enumerate(measures)
        for c, column in enumerate(columns)
    }
    lacking: dict[tuple[tuple[_Column, ...], int | None], dict[str, list[Measure]]] = {}
    for name in aligned.features:
        for measure in measures:
            missing = []
            for column in columns:
                found = shelf.value(_key(dataset, name, measure, column, options))
                if found is None:
                    missing.append(column)
                else:
                    values[place_of[name, measure, column]] = found
            if missing:
                lacking.setdefault((tuple(missing), depth_of([measure])), {}).setdefault(name, []).append(measure)
    work = _Work(shelf, dataset, aligned, options)
    tasks = [
        (names, some, missing)
        for (missing, _), of_name in lacking.items()
        for some in dict.fromkeys(map(tuple, of_name.values()))
        for names in work.batches([name for name, own in of_name.items() if tuple(own) == some], some)
    ]

    is_new = len(place_of) == sum(len(names) * len(some) * len(missing) for names, some, missing in tasks)
    finished: list[str] = []
    side_by_side, of_one = shares_of_threads(aligned, len(tasks), n_processors())

    def compute(task: tuple[Sequence[str], Sequence[Measure], Sequence[_Column]]) -> None:
        names, some, missing = task
        found = work.compute(names, some, missing, workers=of_one)
        for name, of_feature in zip(names, found, strict=True):
            part = dataset.judgments, dataset.feature(name).file
            for measure, of_measure in zip(some, of_feature, strict=True):
                for column, array in zip(missing, of_measure, strict=True):
                    own = values[place_of[name, measure, column]]
                    own[:] = array
                    kept = own if is_new else own.copy()  # a part keeps the whole in memory
                    shelf.put_value(_key(dataset, name, measure, column, options), kept, part=part)
        finished.extend(names)

    n_features = sum(len(names) for names, *_ in tasks)
    tell: Progress | None = None if progress is None else lambda *_: progress(len(finished), n_features)
    in_threads(compute, tasks, workers=side_by_side, progress=tell)
    return values


def _key(dataset: Dataset, name: str, one: Hashable, column: _Column | None, options: Options) -> Hashable:
    """What one column of values depends on; or, with a block of queries for ``one``, what tie groups depend on."""
    what: Hashable = column
    if isinstance(column, TieBreak):
        other = dataset.feature(column.argument).identity if column.policy == "feature" else column.argument
        what = column.policy, other
    return dataset.judgments, dataset.feature(name).identity, one, what, options.missing, options.precision


@dataclass(frozen=True, slots=True)
class _Work:
    """Computes values of features that are lacking."""

    shelf: Shelf
    dataset: Dataset
    aligned: Alignment
    options: Options

    def batches(self, names: Sequence[str], measures: Sequence[Measure]) -> list[tuple[str, ...]]:
        """Return the features, those together that are evaluated together."""
        if self.dataset.counts is not None:
            return [(name,) for name in names]
        depth = depth_of(measures)
        if depth is None or not self._has_groups(names, depth):
            whole = [tuple(name for name in batch if name in names) for batch in self.aligned.batches(n_processors())]
            return [batch for batch in whole if batch]
        most = max(1, min(-(-len(names) // n_processors()), _HEADS_TOGETHER // (depth * self.aligned.n_queries)))
        return [tuple(names[start : start + most]) for start in range(0, len(names), most)]

    def compute(
        self, names: Sequence[str], measures: Sequence[Measure], columns: Sequence[_Column], *, workers: int
    ) -> np.ndarray:
        """(n_features, n_measures, n_columns, n_queries) of some features; variances under ``sd``."""
        statistics = [column for column in columns if isinstance(column, str)]
        tie_breaks = [column for column in columns if isinstance(column, TieBreak)]
        if self.dataset.counts is not None:  # stand in order as a rule: keeping what follows from them takes longer
            (name,), how = names, (measures, tie_breaks, self.options, statistics)
            return counted_values(self.aligned, name, *how, workers=workers, depth=deepest(measures))[None]
        depth = depth_of(measures)
        lacks = [one for one in (None, *tie_breaks) if not self._has_groups(names, depth, one)]
        is_kept = None not in lacks and (depth is not None or not lacks)  # rows are kept of heads alone
        every: list[FeatureRows] = []
        if lacks:
            rows_of = self.aligned.unread_rows if is_kept else self.aligned.rows  # to break known ties needs no score
            every = [rows_of(name, precision=self.options.precision, missing=self.options.missing) for name in names]
        bounds = list(pairwise(self.aligned.block_bounds()))
        parts = list(zip(*(rows.blocks() for rows in every), strict=True)) if lacks else [()] * len(bounds)
        values = np.empty((len(names), len(measures), len(columns), self.aligned.n_queries))

        def of_block(block: int) -> list[Ties]:
            if is_kept:
                groups, broken = self._kept(names, bounds[block], parts[block], tie_breaks, depth=depth)
            else:
                groups, broken = self._sorted(names, bounds[block], parts[block], tie_breaks)
            refinable = Refinable(measures, groups)
            own = np.empty((len(measures), len(columns), groups.n_queries))
            for place, one in enumerate(columns):
                known = refinable.statistic(one) if isinstance(one, str) else refinable.expectations(broken[one])
                own[:, place] = known
            by_feature = own.reshape(len(measures), len(columns), len(names), -1)
            values[..., slice(*bounds[block])] = np.moveaxis(by_feature, 2, 0)
            return [] if is_kept else Ties.of(groups, len(names))

        ties = in_threads(of_block, range(len(bounds)), workers=workers)
        if not is_kept:
            for rows, of_feature in zip(every, zip(*ties, strict=True), strict=True):
                remember_ties(rows, of_feature)
        return values

    def _sorted(
        self,
        names: Sequence[str],
        bounds: tuple[int, int],
        parts: Sequence[FeatureRows],
        tie_breaks: Sequence[TieBreak],
    ) -> tuple[TieGroups, dict[TieBreak, TieGroups]]:
        """Sort the rows of some queries into tie groups, break those of several grades, and keep all of it."""
        stack = Stack(parts)
        groups, order = stack.with_order()
        mixed = groups.mixed_part()
        broken = dict(zip(tie_breaks, stack.broken(mixed, order, tie_breaks), strict=True))
        queries = range(0, groups.n_queries + 1, bounds[1] - bounds[0])
        for depth in (None, HEAD):
            own = groups.top(depth)
            rows = None if depth is None else _rows(parts, own, order[np.repeat(groups.above < depth, groups.size)])
            self._keep(names, bounds, None, depth, pack(own, queries, rows))
            for one, refined in broken.items():
                self._keep(names, bounds, one, depth, _divided(mixed.top(depth), refined.top(depth), queries))
        return groups, broken

    def _kept(
        self,
        names: Sequence[str],
        bounds: tuple[int, int],
        parts: Sequence[FeatureRows],
        tie_breaks: Sequence[TieBreak],
        *,
        depth: int | None,
    ) -> tuple[TieGroups, dict[TieBreak, TieGroups]]:
        """Take tie groups from the shelf; of heads, tie-breaks that are not there are made and kept."""
        packed = self._find(names, bounds, None, depth)
        groups = unpack(packed, ideal=ideal_of_copies(self.aligned, bounds, len(names)))
        mixed = groups.mixed_part()
        broken = {}
        for one in tie_breaks:
            divided = self._find(names, bounds, one, depth)
            if len(divided) == len(names):
                broken[one] = mixed.divided(unpack(divided, ideal=None))
        lacking = [one for one in tie_breaks if one not in broken]
        if lacking:
            begins = np.cumsum([0, *(len(own.document) for own in parts)]).tolist()
            order = np.concatenate(
                [
                    one.rows.astype(np.int64) + begin
                    for one, begin in zip(packed, begins, strict=False)
                    if one.rows is not None
                ]
            )
            queries = range(0, groups.n_queries + 1, bounds[1] - bounds[0])
            for one, refined in zip(lacking, Stack(parts).broken(mixed, order, lacking), strict=True):
                broken[one] = refined
                self._keep(names, bounds, one, depth, _divided(mixed, refined.top(depth), queries))
        return groups, broken

    def _has_groups(self, names: Sequence[str], depth: int | None, tie_break: TieBreak | None = None) -> bool:
        blocks = pairwise(self.aligned.block_bounds())
        return all(len(self._find(names, bounds, tie_break, depth)) == len(names) for bounds in blocks)

    def _find(
        self, names: Sequence[str], bounds: tuple[int, int], tie_break: TieBreak | None, depth: int | None
    ) -> list[PackedGroups]:
        """Find the tie groups of some queries, or what a tie-break makes of the mixed ones, as far as they are there.

        ``depth``: None for whole lists.
        """
        found = [
            self.shelf.groups(_key(self.dataset, name, (*bounds, depth), tie_break, self.options)) for name in names
        ]
        return [one for one in found if one is not None]

    def _keep(
        self,
        names: Sequence[str],
        bounds: tuple[int, int],
        tie_break: TieBreak | None,
        depth: int | None,
        packed: Sequence[PackedGroups],
    ) -> None:
        """Put tie groups on the shelf."""
        for name, groups in zip(names, packed, strict=True):
            part = self.dataset.judgments, self.dataset.feature(name).file
            key = _key(self.dataset, name, (*bounds, depth), tie_break, self.options)
            self.shelf.put_groups(key, groups, part=part)


def _divided(mixed: TieGroups, refined: TieGroups, queries: Sequence[int]) -> list[PackedGroups]:
    """Pack what a tie-break makes of the groups of several grades; ``queries``: the first one of each feature."""
    return pack(mixed.division_by(refined), np.searchsorted(mixed.query, queries).tolist())


def _rows(parts: Sequence[FeatureRows], groups: TieGroups, order: np.ndarray) -> list[np.ndarray]:
    """Rows of each feature in the order of its groups; ``order``: rows of the stack."""
    begins = np.cumsum([0, *(len(own.document) for own in parts)])[:-1]
    queries = np.arange(1, len(parts)) * (groups.n_queries // len(parts))
    ends = np.concatenate([[0], np.cumsum(groups.size)])[np.searchsorted(groups.query, queries)]
    return [own - begin for own, begin in zip(np.split(order, ends), begins.tolist(), strict=True)]

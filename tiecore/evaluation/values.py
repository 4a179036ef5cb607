"""Values of measures per query and feature, as arrays, and the alignment that they are computed from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from tiecore.collection.alignment import Alignment, Block
from tiecore.collection.coverage import blank_warnings, coverage_of, matched_of
from tiecore.collection.rows import FeatureRows
from tiecore.errors import TiecoreError, listed, shortened
from tiecore.measures import Measure
from tiecore.measures import measure as parse_measure
from tiecore.ties.groups import TieGroups
from tiecore.ties.tie_breaks import TieBreak

if TYPE_CHECKING:
    from tiecore.evaluation.engine import Options

_DEFAULT_CUTOFF = 10
_PLACE_DIGITS = 12

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Values:
    """What an evaluation is made of: arrays, and the tie groups that they come from."""

    measures: tuple[Measure, ...]
    features: tuple[str, ...]
    tie_breaks: tuple[TieBreak, ...]
    statistics: tuple[str, ...]
    options: Options
    alignment: Alignment
    array: np.ndarray
    """(n_measures, n_features, n_columns, n_queries), in the column ``sd`` variances."""
    counted: np.ndarray
    """(n_measures, n_queries) bool: queries that count in the summary."""
    _memo: dict[Hashable, Any] = field(default_factory=dict, init=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the tables: statistics, then tie-breaks as the user named them."""
        return self.statistics + tuple(tie_break.name for tie_break in self.tie_breaks)

    def check_statistics(self, *names: str) -> None:
        """Refuse to go on without some statistics."""
        for name in names:
            if name not in self.statistics:
                raise TiecoreError(f"{name!r} was not evaluated: evaluate with {name!r} among the statistics")

    @property
    def coverage_of_features(self) -> Mapping[str, Mapping[str, float]]:
        """What was used of each feature, what was left out, and how tied it is."""
        cutoff = next((one.cutoff for one in self.measures if one.cutoff is not None), _DEFAULT_CUTOFF)
        how = {"cutoff": cutoff, **self._how}
        return self.once("coverage", lambda: {name: coverage_of(self.alignment, name, **how) for name in self.features})

    @property
    def matched(self) -> Mapping[str, Mapping[str, float]]:
        """The part of :attr:`coverage_of_features` that needs no sorting."""
        return {name: matched_of(self.alignment, name) for name in self.features}

    @property
    def blanks(self) -> tuple[str, ...]:
        """What is said of features with empty cells, which are not ranked; empty if few are."""
        n_judged = self.alignment.judged_documents()
        return tuple(blank_warnings(self.matched, n_judged, missing=self.options.missing))

    def once(self, name: Hashable, compute: Callable[[], _T]) -> _T:
        """Return what was computed under this name before, or compute it now."""
        if name not in self._memo:
            self._memo[name] = compute()
        return cast("_T", self._memo[name])

    def leaderboard_columns(self, measure: str | Measure | None) -> dict[str, np.ndarray]:
        """Return the columns of a leaderboard, (n_features,) each, the names under ``feature`` first."""
        self.check_statistics("expected")
        wanted = self.measure_or_only(measure)
        values = dict(zip(self.columns, self.summarised()[self.measures.index(wanted)].T, strict=True))

        def place(column: str) -> np.ndarray:
            return places(wanted.sign * values[column])

        own = place("expected")
        board = {"feature": np.array(self.features, dtype=object), "place": own}
        board |= {column: values[column] for column in self.statistics}
        for tie_break in self.tie_breaks:
            name, under = tie_break.name, place(tie_break.name)
            board[name] = values[name]
            board[f"{name} place"], board[f"{name} shift"] = under, own - under
        order = np.argsort(own, kind="stable")
        return {column: cells[order] for column, cells in board.items()}

    def per_query_columns(self, measure: str | Measure) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the ids of the queries that count, and the (n_features, n_counted) values of each column."""
        m = self.measures.index(self.measure_or_only(measure))
        query_ids = np.array(self.alignment.query_ids.to_pylist(), dtype=object)[self.counted[m]]
        columns = self.of_queries(m).T.reshape(len(self.columns), len(self.features), -1)
        return query_ids, dict(zip(self.columns, columns, strict=True))

    def measure_or_only(self, measure: str | Measure | None) -> Measure:
        """Find one of the evaluated measures; None stands for the only one."""
        names = listed(list(map(str, self.measures)))
        if measure is None and len(self.measures) > 1:
            raise TiecoreError(f"several measures were evaluated: give one of them as measure=: {names}")
        wanted = self.measures[0] if measure is None else parse_measure(measure)
        if wanted not in self.measures:
            raise TiecoreError(f"{wanted} was not evaluated: there are {names}")
        return wanted

    def feature_position(self, name: str) -> int:
        """Return the position of a feature; refuse one that is not there."""
        if name not in self.features:
            raise TiecoreError(f"there is no feature {shortened(name)}: there are {listed(self.features)}")
        return self.features.index(name)

    def rows(self, feature: str, queries: Block | None = None) -> FeatureRows:
        """Documents that a feature ranks, in all queries or a block, under the options of the evaluation."""
        return self.alignment.rows(feature, queries=queries, **self._how)

    def groups(self, feature: str, tie_break: TieBreak | None = None, queries: Block | None = None) -> TieGroups:
        """Tie groups of the same, refined by a tie-break if one is given; those of the alignment's blocks are kept."""
        return self.alignment.groups(feature, tie_break, queries=queries, **self._how)

    @property
    def _how(self) -> dict[str, Any]:
        return {"precision": self.options.precision, "missing": self.options.missing}

    def of_counted(self, m: int) -> np.ndarray:
        """(n_features, n_columns, n_counted) values of a measure, of the queries that count; no copy where all do."""
        counted = self.counted[m]
        return self.array[m] if counted.all() else self.array[m][:, :, counted]

    def summarised(self) -> np.ndarray:
        """(n_measures, n_features, n_columns) means over queries; the standard deviations are those of means."""

        def compute() -> np.ndarray:
            rows = np.full((len(self.measures), len(self.features), len(self.columns)), np.nan)
            for m, own in enumerate(self.measures):
                kept = self.of_counted(m)
                for f, c in np.ndindex(rows.shape[1:]):
                    rows[m, f, c] = own.summarise(kept[f, c])
                if "sd" in self.statistics:  # the variances of independent queries add up
                    of_mean = rows[m, :, self.columns.index("sd")]
                    of_mean[:] = np.sqrt(of_mean / kept.shape[2]) if own.has_variance else np.nan
            rows.flags.writeable = False
            return rows

        return self.once("summarised", compute)

    def of_queries(self, m: int) -> np.ndarray:
        """(n_features x n_counted, n_columns) values of a measure for each feature and query that counts."""
        rows = np.moveaxis(self.array[m][:, :, self.counted[m]], 1, 2).reshape(-1, len(self.columns))
        if "sd" in self.statistics:
            deviations = rows[:, self.columns.index("sd")]
            np.sqrt(deviations, out=deviations)
        return rows


def places(values: np.ndarray) -> np.ndarray:
    """Place of each value from 1, the highest first; values equal to twelve digits share a place."""
    behind = -rounded(values)
    return np.searchsorted(np.sort(behind), behind) + 1


def rounded(values: np.ndarray) -> np.ndarray:
    """Values in units of the largest, equal where they differ by no more than the noise of the arithmetic."""
    return np.round(values / (np.nanmax(np.abs(values), initial=0.0) or 1.0), _PLACE_DIGITS)

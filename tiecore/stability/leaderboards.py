"""The values of one measure made ready to be compared: more is better, features in order of their expectation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tiecore.errors import TiecoreError
from tiecore.evaluation.intervals import interval_of_mean
from tiecore.evaluation.values import Values, places, rounded
from tiecore.measures import Measure
from tiecore.stability.places import reachable_places

_NEEDED = ("expected", "sd", "worst", "best")
_NOISE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Leaderboards:
    """One measure under every leaderboard, on the scale that it averages over queries."""

    measure: Measure
    features: tuple[str, ...]
    """In order of their expectation."""
    order: np.ndarray
    """(n_features,) position of each feature in the evaluation."""
    names: tuple[str, ...]
    """Leaderboards: ``expected``, the tie-breaks, ``worst``, ``best``."""
    per_query: np.ndarray
    """(n_boards, n_features, n_queries)"""
    mean: np.ndarray
    """(n_boards, n_features) mean over queries."""
    tie_variance: np.ndarray
    """(n_features, n_queries) variance under random tie-breaks; NaN for a measure without a closed form."""
    summary: np.ndarray
    """(n_boards, n_features) as users see it."""
    listed: np.ndarray
    """(n_features, n_queries) bool: queries that each feature lists; a pair is compared on those that both list."""
    query: np.ndarray
    """(n_queries,) position of each query in the evaluation."""

    @property
    def n_queries(self) -> int:
        """Queries that count."""
        return len(self.query)

    @property
    def knows_ties(self) -> bool:
        """Whether it is known what ties could make of the values."""
        return len(self.names) > 1

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """Names of the chosen tie-breaks."""
        return self.names[1:-2]

    @property
    def is_open(self) -> np.ndarray:
        """(n_features, n_queries) bool: whether a tie-break can change the value."""
        return np.asarray(self.per_query[-2] != self.per_query[-1])

    @property
    def noise(self) -> float:
        """Differences of means below it are noise of the arithmetic."""
        return _NOISE * float(np.abs(self.mean).max(initial=0.0))

    def lead(self, of_rows: str, of_columns: str) -> np.ndarray:
        """(n_features, n_features) mean lead of the row over the column, on the queries that both list.

        ``of_rows``, ``of_columns``: leaderboards that the values of both come from.
        """
        present = self.listed.astype(np.float64)
        one, other = (
            np.where(self.listed, self.per_query[self.names.index(name)], 0.0) for name in (of_rows, of_columns)
        )
        leads = (one @ present.T - present @ other.T) / np.maximum(present @ present.T, 1.0)
        return without_noise(leads, self.noise)

    @property
    def reachable_places(self) -> tuple[np.ndarray, np.ndarray]:
        """(n_features,) best and worst place that tie-breaking can lead to; NaN where nothing is known of ties."""
        if not self.knows_ties:
            unknown = np.full(len(self.features), np.nan)
            return unknown, unknown
        return reachable_places(*rounded(self.mean)[-2:])

    @property
    def places(self) -> np.ndarray:
        """(n_boards, n_features) place of each feature in each leaderboard."""
        return np.array([places(self.measure.sign * values) for values in self.summary])


def leaderboards_of(values: Values, measure: Measure) -> Leaderboards:
    """Return the values of a measure of an evaluation."""
    lacking = [name for name in _NEEDED if name not in values.statistics]
    if lacking:
        raise TiecoreError(f"stability needs the statistic {lacking[0]!r}: evaluate with all of {', '.join(_NEEDED)}")
    m = values.measures.index(measure)
    names = ("expected", *(chosen.name for chosen in values.tie_breaks), "worst", "best")
    table = values.leaderboard_columns(measure)
    order = np.array([values.features.index(feature) for feature in table["feature"]])
    of_counted = values.of_counted(m)
    columns = np.array([values.columns.index(name) for name in names])
    query = np.flatnonzero(values.counted[m])
    per_query = measure.sign * measure.averaged(of_counted[order, columns[:, None]])
    return Leaderboards(
        measure=measure,
        features=tuple(table["feature"]),
        order=order,
        names=names,
        per_query=per_query,
        mean=per_query.mean(axis=2),
        tie_variance=of_counted[order, values.columns.index("sd")],
        summary=np.array([table[name] for name in names]),
        listed=np.array([values.alignment.listed(feature) for feature in table["feature"]])[:, query],
        query=query,
    )


def leaderboards_of_values(
    values: np.ndarray, features: Sequence[str], measure: Measure, *, listed: np.ndarray | None, level: float
) -> tuple[Leaderboards, pd.DataFrame]:
    """Return plain values as one leaderboard, and the interval of each mean over queries.

    ``values``: (n_features, n_queries), NaN where a feature has none. ``listed``, ``level``: as for
    ``stability_of_values``.
    """
    has_value = ~np.isnan(values)
    listed = has_value if listed is None else listed
    averaged = measure.averaged(np.where(has_value, values, 0.0))
    span = float(np.ptp(averaged[has_value])) if measure.span is None else measure.span
    least = 0.0 if np.nanmin(values, initial=0.0) == 0 else -np.inf  # no query has a value below 0
    rows = [row[known] for row, known in zip(averaged, has_value, strict=True)]
    summary = np.array([measure.summarise(row[known]) for row, known in zip(values, has_value, strict=True)])
    order = np.argsort(places(measure.sign * summary), kind="stable")
    names = [features[f] for f in order]
    ends = np.concatenate([interval_of_mean(rows[f][None], span=span, level=level) for f in order], axis=1)
    low, high = np.clip(measure.unaveraged(ends), least, measure.highest or np.inf)
    boards = Leaderboards(
        measure=measure,
        features=tuple(names),
        order=order,
        names=("expected",),
        per_query=measure.sign * averaged[None, order],
        mean=measure.sign * np.array([[rows[f].mean() for f in order]]),
        tie_variance=np.full_like(values, np.nan),
        summary=summary[None, order],
        listed=listed[order],
        query=np.arange(values.shape[1]),
    )
    return boards, pd.DataFrame({"low": low, "high": high}, index=pd.Index(names, name="feature"))


def without_noise(differences: np.ndarray, noise: float) -> np.ndarray:
    """Differences, 0 where they are no more than noise."""
    return np.where(np.abs(differences) <= noise, 0.0, differences)

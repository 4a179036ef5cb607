"""The values of one measure made ready to be compared: more is better, features in order of their expectation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.evaluation.values import Values, places
from tiecore.measures import Measure

__all__ = ["Compared", "compared", "equalised"]

_NEEDED = ("expected", "sd", "worst", "best")
_LARGEST_DENOMINATOR = 100
_SOME = 10
"""Features, and queries, whose values are looked at before all are."""
_WHOLE = 1e-9
_DIGITS = 12  # as places() has it: what differs behind them differs by the order of the additions


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One measure under every leaderboard.

    Values are on the scale that the measure averages over queries and turned so that more is better.
    """

    measure: Measure
    features: tuple[str, ...]
    """In order of their expectation."""
    boards: tuple[str, ...]
    """Leaderboards: ``expected``, the tie-breaks, ``worst``, ``best``."""
    per_query: np.ndarray
    """(n_boards, n_features, n_queries)"""
    mean: np.ndarray
    """(n_boards, n_features) mean over queries."""
    tie_variance: np.ndarray
    """(n_features, n_queries) variance of each value over orderings; NaN for a measure without a closed form."""
    summary: np.ndarray
    """(n_boards, n_features) as users see it."""
    order: np.ndarray
    """(n_features,) position of each feature in the evaluation."""
    listed: np.ndarray
    """(n_features, n_queries) bool: queries that each feature lists; a pair is compared on those that both list."""

    @property
    def n_queries(self) -> int:
        """Queries that count."""
        return self.per_query.shape[2]

    @property
    def lists_differ(self) -> bool:
        """Whether some feature lacks a query that counts."""
        return not bool(self.listed.all())

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """Names of the chosen tie-breaks."""
        return self.boards[1:-2]

    @property
    def unit(self) -> float:
        """Largest mean: what is small beside it is noise of the arithmetic."""
        return float(np.abs(self.mean).max()) or 1.0

    @property
    def expected(self) -> np.ndarray:
        """(n_features,) mean expectation in units, equal where it is meant to be."""
        return equalised(self.mean[0], unit=self.unit)

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """(n_features,) worst and best mean in units, equal where they are meant to be."""
        return equalised(self.mean[-2], unit=self.unit), equalised(self.mean[-1], unit=self.unit)

    @property
    def largest_difference(self) -> float:
        """By how much two features can differ on a query.

        For a measure without a highest value: by how much they could on one of these queries, ties broken for the one
        and against the other.
        """
        worst, best = self.per_query[-2], self.per_query[-1]
        seen = float((best.max(axis=0) - worst.min(axis=0)).max())
        return max(seen, self.measure.span or 0.0)

    @property
    def sd_ties(self) -> np.ndarray:
        """(n_features,) deviation of the mean under random tie-breaks; the variances of queries add up."""
        return np.sqrt(self.tie_variance.sum(axis=1)) / self.n_queries

    @property
    def step(self) -> float:
        """Distance of neighbouring means in units if values are multiples of 1/d, d up to 100; 0 if they are not.

        The extremes of each query are looked at: they are values of single orderings, unlike expectations.
        """
        values = self.per_query[-2:]
        some = values[:, :: max(1, len(self.features) // _SOME), :: max(1, self.n_queries // _SOME)]
        some = equalised(some, unit=1.0)
        fitting = [one for one in range(1, _LARGEST_DENOMINATOR + 1) if _are_whole(some * one)]
        if not fitting:  # as a rule, and then most values need no look
            return 0.0
        extremes = np.unique(equalised(values, unit=1.0))
        found = next((one for one in fitting if _are_whole(extremes * one)), None)
        return 0.0 if found is None else 1 / (found * self.n_queries * self.unit)

    @property
    def places(self) -> np.ndarray:
        """(n_boards, n_features) place of each feature in each leaderboard."""
        better = self.measure.higher_is_better
        return np.array([places(values, higher_is_better=better) for values in self.summary])


def compared(evaluation: Values, measure: str | Measure) -> Compared:
    """Return the values of a measure of an evaluation."""
    lacking = [name for name in _NEEDED if name not in evaluation.statistics]
    if lacking:
        raise TiecoreError(f"stability needs the statistic {lacking[0]!r}: evaluate with all of {', '.join(_NEEDED)}")
    used = evaluation.measure_named(measure)
    m = evaluation.measures.index(used)
    boards = ("expected", *(chosen.name for chosen in evaluation.tie_breaks), "worst", "best")
    board = evaluation.leaderboard(used)
    order = np.array([evaluation.features.index(feature) for feature in board.index])
    values = evaluation.of_counted(m)
    columns = np.array([evaluation.columns.index(name) for name in boards])
    per_query = oriented(used, values[order, columns[:, None]])
    return Compared(
        measure=used,
        features=tuple(board.index),
        boards=boards,
        per_query=per_query,
        mean=per_query.mean(axis=2),
        tie_variance=values[order, evaluation.columns.index("sd")],
        summary=board[list(boards)].to_numpy().T,
        order=order,
        listed=np.array([evaluation.alignment.listed(feature) for feature in board.index])[:, evaluation.counted[m]],
    )


def oriented(measure: Measure, values: np.ndarray) -> np.ndarray:
    """Values on the scale that is averaged, more being better."""
    return measure.averaged(values) if measure.higher_is_better else -measure.averaged(values)


def equalised(values: np.ndarray, *, unit: float) -> np.ndarray:
    """Values in a common unit, rounded so that equal means are equal numbers."""
    return np.round(values / unit, _DIGITS)


def _are_whole(values: np.ndarray) -> bool:
    return bool((np.abs(values - np.rint(values)) < _WHOLE).all())

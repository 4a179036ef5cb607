"""Is the mean of one feature higher than that of another? One paired t-test, with an allowance for rare queries.

Pairs stand in the order of ``np.triu_indices``: the first feature with each that follows it, then the second, ….
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from tiecore.evaluation.intervals import FEWEST_QUERIES

LEVEL = 0.95
"""Chance with which an interval holds the true difference, unless another is chosen."""
_NOISE = 1e-12
_CANCELS = 1e-4
"""Share of two sums of squares below which that of their difference is computed from the differences themselves."""
_AT_ONCE = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """Differences of each pair over the queries that both list; every array is (n_pairs,)."""

    first: np.ndarray
    second: np.ndarray
    n_queries: np.ndarray
    difference: np.ndarray
    """Mean of first less second; NaN for a pair without a common query."""
    squares: np.ndarray
    """Sum of the squared deviations of the differences from their mean."""
    unseen: np.ndarray
    """By how much the two may differ on a query like none of these."""
    largest: float
    """By how much two values can differ."""
    level: float
    """Chance with which an interval holds the true difference."""

    @property
    def alpha(self) -> float:
        """Chance of any false claim that is allowed: clear is what has a p, adjusted by Holm, of this or less."""
        return alpha_of(self.level)

    @property
    def se(self) -> np.ndarray:
        """Standard error of the difference, with two more squares for rare queries that these may have missed."""
        return self._error(self.squares + 2 * self.unseen**2)

    @property
    def p(self) -> np.ndarray:
        """Two-sided p of the paired t-test with this standard error; NaN for fewer than six queries."""
        return self._p(self.se)

    @property
    def plain_p(self) -> np.ndarray:
        """The same without the allowance."""
        return self._p(self._error(self.squares))

    @property
    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the confidence interval of the difference; NaN for fewer than six queries."""
        return self.interval_at(self.alpha)

    def interval_at(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the same for another alpha."""
        half = stdtrit(np.maximum(self.n_queries - 1, 1), 1 - alpha / 2) * self.se
        low, high = np.clip([self.difference - half, self.difference + half], -self.largest, self.largest)
        return low, high

    @property
    def is_equal(self) -> np.ndarray:
        """Whether no query shows a difference."""
        return (self.difference == 0) & (self.squares == 0)

    def _error(self, squares: np.ndarray) -> np.ndarray:
        n = self.n_queries
        return np.where(n < FEWEST_QUERIES, np.nan, np.sqrt(squares / np.maximum(n * (n - 1), 1)))

    def _p(self, error: np.ndarray) -> np.ndarray:
        without_error = np.where(self.difference == 0, 0.0, np.inf)
        t = np.divide(np.abs(self.difference), error, out=without_error, where=~(error <= 0))
        return 2.0 * np.asarray(stdtr(np.maximum(self.n_queries - 1, 1), -t))


def paired(values: np.ndarray, *, span: float | None, listed: np.ndarray | None = None, level: float = LEVEL) -> Paired:
    """Compare every pair of features query by query.

    Parameters
    ----------
    values
        (n_features, n_queries), more being better.
    span
        By how much two values can differ; None where there is no bound: then by how much they do.
    listed
        (n_features, n_queries) bool: a pair is compared on the queries that both features list; None means all.
    level
        Of the intervals and of what is clear.
    """
    listed = np.ones(values.shape, dtype=bool) if listed is None else listed
    first, second = np.triu_indices(len(values), 1)
    present = listed.astype(np.float64)
    count = present @ present.T
    mean = np.where(listed, values, 0.0).sum(axis=1) / np.maximum(np.diag(count), 1.0)
    # what both list is summed by products of matrices; values are taken from the mean, so that little cancels
    own = np.where(listed, values - mean[:, None], 0.0)
    sums, squares = own @ present.T, own**2 @ present.T
    total, both = (sums - sums.T)[first, second], (squares + squares.T)[first, second]
    n_queries = count[first, second].astype(np.int64)
    at_least_one = np.maximum(n_queries, 1)
    difference = total / at_least_one + mean[first] - mean[second]
    spread = both - 2 * (own @ own.T)[first, second] - total**2 / at_least_one
    close = np.flatnonzero(spread <= _CANCELS * both)
    at_once = max(1, _AT_ONCE // max(1, values.shape[1]))
    for begin in range(0, len(close), at_once):
        some = close[begin : begin + at_once]
        a, b = first[some], second[some]
        gap = np.where(listed[a] & listed[b], values[a] - values[b], 0.0)
        difference[some] = gap.sum(axis=1) / at_least_one[some]
        gap -= np.where(listed[a] & listed[b], difference[some, None], 0.0)
        spread[some] = np.square(gap).sum(axis=1)
    noise = _NOISE * float(np.abs(values).max(initial=0.0))
    difference[np.abs(difference) <= noise] = 0.0
    difference[n_queries == 0] = np.nan
    spread[spread <= n_queries * noise**2] = 0.0
    span = most_apart(values, listed) if span is None else span
    unseen = allowance(values, listed, largest=span)[first, second]
    return Paired(first, second, n_queries, difference, spread, unseen, span, level)


def most_apart(values: np.ndarray, listed: np.ndarray) -> float:
    """Return by how much two features differ at most on a query."""
    highest, lowest = np.where(listed, values, -np.inf).max(axis=0), np.where(listed, values, np.inf).min(axis=0)
    return float((highest - lowest).max(initial=0.0))


def alpha_of(level: float) -> float:
    """Return 1 − level as people write it: 0.05 for 0.95."""
    return round(1 - level, 12)


def allowance(values: np.ndarray, listed: np.ndarray, *, largest: float) -> np.ndarray:
    """(n_features, n_features) by how much each two features may differ on a query like none of these.

    Δ / (1 + m), m the queries on which a feature has another value than its usual one, for that of the two which has
    fewer: where a measure is 0 on nearly all queries, these may have missed the few hits that decide a mean.
    """
    usual = np.array([_middle(row[known]) for row, known in zip(values, listed, strict=True)])
    is_unusual = listed & (np.abs(values - usual[:, None]) > _NOISE * max(1.0, float(np.abs(values).max(initial=0.0))))
    n_unusual = is_unusual.astype(np.float64) @ listed.T.astype(np.float64)  # of the row, where the column lists too
    return largest / (1 + np.minimum(n_unusual, n_unusual.T))


def _middle(values: np.ndarray) -> float:
    """Return the middle one of the values, which is the most frequent one if more than half of them are equal."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2]) if len(values) else 0.0


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down adjustment along the last axis; what is NaN was not tested and does not count.

    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    order = np.argsort(p, axis=-1)  # NaN last
    n_tests = np.count_nonzero(~np.isnan(p), axis=-1, keepdims=True)
    stepped = np.take_along_axis(p, order, axis=-1) * np.maximum(n_tests - np.arange(p.shape[-1]), 1)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, np.minimum(np.maximum.accumulate(stepped, axis=-1), 1.0), axis=-1)
    return adjusted

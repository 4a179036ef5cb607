"""How many queries it would take to settle a difference, and how many more if ties are broken at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import nctdtr, ndtri, stdtrit

from tiecore.errors import TiecoreError

__all__ = ["QueriesNeeded", "queries_needed", "queries_to_settle"]

_MANY = 5_000  # from here on the normal approximation is right to a query or two
_LARGEST_EFFECT = 1_000.0  # two or three queries find it, whatever it is exactly


@dataclass(frozen=True, slots=True, eq=False)
class QueriesNeeded:
    """Queries that a paired t-test needs to find each difference; infinite where there is none to find."""

    exact: np.ndarray
    """With exact expectations, ties averaged out."""
    once: np.ndarray
    """With ties broken at random, once for each feature and query."""

    def settling_all(self) -> tuple[float, float]:
        """Queries that settle every one of the pairs: with exact expectations, and with ties broken at random.

        Each pair alone is then found with the power asked for; all of them in one study are found less often.
        """
        return float(self.exact.max(initial=0.0)), float(self.once.max(initial=0.0))


def queries_to_settle(
    difference: np.ndarray,
    sd: np.ndarray,
    tie_variance: np.ndarray,
    *,
    power: float = 0.8,
    level: float = 0.05,
    tests: int = 1,
) -> QueriesNeeded:
    """Return the queries needed for each pair, with ties averaged out and with ties broken at random.

    The difference and deviations are taken for those of all queries of the same kind, so the answer is as uncertain as
    they are: it plans the next study and proves nothing about this one.

    Parameters
    ----------
    difference, sd
        (n_pairs,) mean and standard deviation of the differences of the expectations per query.
    tie_variance
        (n_pairs,) mean over the queries of the variance that random tie-breaks add to the difference of a query: the
        sum of those of the two features.
    power
        Chance to find the difference.
    tests
        Tests that share the level: 1 for a pair by itself, the number of pairs if all are adjusted for (Bonferroni,
        which is the first step of Holm's adjustment).
    """
    return QueriesNeeded(
        exact=queries_needed(difference, sd, power=power, level=level, tests=tests),
        once=queries_needed(difference, np.sqrt(sd**2 + tie_variance), power=power, level=level, tests=tests),
    )


def queries_needed(
    difference: np.ndarray, sd: np.ndarray, *, power: float = 0.8, level: float = 0.05, tests: int = 1
) -> np.ndarray:
    """Return the smallest numbers of queries at which the paired t-test has the power to find the differences.

    The power is that of the noncentral t distribution, findings in the wrong direction not counted. A difference of 0
    takes infinitely many queries. One that is the same on every query takes as many as a test by flipped signs needs:
    the smallest n with a p of 2^(1 − n) at the level.

    ``difference``, ``sd``: (n_pairs,) mean and standard deviation of the differences per query. ``power``, ``level``,
    ``tests``: as in :func:`queries_to_settle`.

    Examples
    --------
    A difference of half a standard deviation:

    >>> queries_needed(np.array([0.05]), np.array([0.1])).tolist()
    [34.0]
    """
    for name, value in (("power", power), ("level", level)):
        if not 0 < value < 1:
            raise TiecoreError(f"{name} must lie between 0 and 1, found {value}")
    if tests < 1:
        raise TiecoreError(f"tests must be at least 1, found {tests}")
    alpha = level / tests
    size, deviation = np.abs(np.asarray(difference, dtype=np.float64)), np.asarray(sd, dtype=np.float64)
    needed = np.where(size > 0, np.ceil(1 - np.log2(alpha)), np.inf)
    varied = (size > 0) & (deviation > 0)
    effect = np.minimum(size[varied] / deviation[varied], _LARGEST_EFFECT)
    needed[varied] = _for_effects(effect, power=power, alpha=alpha)
    return needed


def _for_effects(effect: np.ndarray, *, power: float, alpha: float) -> np.ndarray:
    """(n_pairs,) smallest number of queries for each standardised difference."""
    quantile = -ndtri(alpha / 2)
    # Guenther's approximation: that of the normal distribution, and z²/2 for the deviation that has to be estimated.
    needed = np.ceil(((quantile + ndtri(power)) / effect) ** 2 + quantile**2 / 2)
    few = needed < _MANY
    needed[few] = _searched(effect[few], needed[few], power=power, alpha=alpha)
    return needed


def _searched(effect: np.ndarray, guess: np.ndarray, *, power: float, alpha: float) -> np.ndarray:
    """(n_pairs,) smallest number of queries with the power, found by bisection around a guess that is nearly right."""

    def enough(n_queries: np.ndarray, effect: np.ndarray) -> np.ndarray:
        bound = -stdtrit(n_queries - 1, alpha / 2)
        return np.asarray(1 - nctdtr(n_queries - 1, effect * np.sqrt(n_queries), bound) >= power)

    too_few, sufficient = np.ones_like(effect), np.full_like(effect, np.inf)  # one query never suffices
    tried, step = np.maximum(guess, 2.0), 1.0
    apart = np.arange(len(effect))
    while len(apart):
        reached = enough(tried[apart], effect[apart])
        sufficient[apart[reached]], too_few[apart[~reached]] = tried[apart[reached]], tried[apart[~reached]]
        apart = apart[sufficient[apart] - too_few[apart] > 1]
        low, high = too_few[apart], sufficient[apart]
        # away from the guess in growing steps until it lies between two bounds; from then on in the middle of these
        beside = np.where(np.isinf(high), low + step, np.maximum(high - step, low + 1))
        is_between = (low > 1) & np.isfinite(high)
        tried[apart] = np.where(is_between, np.floor((low + np.where(is_between, high, low)) / 2), beside)
        step *= 2
    return sufficient

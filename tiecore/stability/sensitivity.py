"""How small a difference a set of queries can show, and how many queries a difference would take."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.intervals import FEWEST_QUERIES
from tiecore.stability.paired import LEVEL, alpha_of

_POWER = 0.8


def smallest_difference(se: np.ndarray, n_queries: np.ndarray, *, n_tests: int, level: float = LEVEL) -> np.ndarray:
    """(n_pairs,) smallest difference that these queries detect with 80 % power, at 1 − level shared by all tests.

    ``se``: (n_pairs,) standard error of each difference.
    """
    return _quantiles(n_queries, n_tests, level) * se


def queries_needed(difference: float, variance: np.ndarray, *, n_tests: int, level: float = LEVEL) -> np.ndarray:
    """(n_pairs,) queries with which a difference is the smallest that they show; six at least.

    ``variance``: (n_pairs,) variance of the differences of single queries.

    >>> queries_needed(0.05, np.array([0.01]), n_tests=1).tolist()
    [34.0]
    """
    if not difference > 0 or not np.isfinite(difference):
        raise TiecoreError(f"the difference must be a number above 0, found {shortened(difference)}")

    def wanted(quantiles: np.ndarray | float) -> np.ndarray:
        return np.maximum(np.ceil(np.square(quantiles / difference) * variance), FEWEST_QUERIES)

    # nearly right by the normal distribution, and never too many; Student's t asks for a few more
    needed = wanted(float(ndtri(1 - alpha_of(level) / max(1, n_tests) / 2) + ndtri(_POWER)))
    is_short = np.ones(len(needed), dtype=bool)
    while is_short.any():
        is_short = wanted(_quantiles(needed, n_tests, level)) > needed
        needed += is_short
    return needed


def _quantiles(n_queries: np.ndarray, n_tests: int, level: float) -> np.ndarray:
    """t_{1−α/2} + t_{.8}, α = (1 − level)/n_tests."""
    df = np.maximum(n_queries - 1, 1)
    return np.asarray(stdtrit(df, 1 - alpha_of(level) / max(1, n_tests) / 2) + stdtrit(df, _POWER))

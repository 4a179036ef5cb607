"""Paired tests of all pairs of features over the queries, and what becomes of them when there are many pairs.

Pairs stand in the order of ``np.triu_indices``: the first feature with each that follows it, then the second, ….
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import false_discovery_control, t

__all__ = ["Paired", "benjamini_hochberg", "holm", "paired", "randomisation"]

_NOISE = 1e-12
_SIGNS_AT_ONCE = 2_000_000
_DIFFERENCES_AT_ONCE = 500_000


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """Differences of each pair over the queries; every array is (n_pairs,)."""

    difference: np.ndarray
    """Mean of the differences per query."""
    sd: np.ndarray
    """Standard deviation of the differences per query; NaN for a single query."""
    t_p: np.ndarray
    """Two-sided p of the paired t-test."""


def paired(values: np.ndarray, *, unit: float) -> Paired:
    """Compare every pair of features query by query.

    Where every query shows the same difference there is no t; p is then that of the randomisation test, 2^(1 − Q),
    and 1 where there is no difference at all.

    Parameters
    ----------
    values
        (n_features, n_queries)
    unit
        Differences below 1e-12 of it are noise of the arithmetic.
    """
    n_features, n_queries = values.shape
    if n_features < 2:
        return Paired(np.zeros(0), np.zeros(0), np.zeros(0))
    first, second = np.triu_indices(n_features, 1)
    at_once = max(1, _DIFFERENCES_AT_ONCE // max(1, n_queries))
    parts = [
        _mean_and_deviation(values[first[some]] - values[second[some]], unit=unit)
        for some in (slice(start, start + at_once) for start in range(0, len(first), at_once))
    ]
    difference, sd = (np.concatenate(part) for part in zip(*parts, strict=True))
    t_p = np.where(difference == 0, 1.0, 2.0 ** (1 - n_queries))
    varied = sd > 0
    standard_errors = np.abs(difference[varied]) / (sd[varied] / np.sqrt(n_queries))
    t_p[varied] = 2.0 * t.sf(standard_errors, n_queries - 1)
    return Paired(difference, sd if n_queries > 1 else np.full_like(sd, np.nan), t_p)


def _mean_and_deviation(difference: np.ndarray, *, unit: float) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation over the queries of (n_pairs, n_queries) differences; noise of the arithmetic is 0."""
    mean = difference.mean(axis=1)
    mean[np.abs(mean) <= _NOISE * unit] = 0.0
    sd = difference.std(axis=1, ddof=min(1, difference.shape[1] - 1))
    sd[sd <= _NOISE * unit] = 0.0
    return mean, sd


def randomisation(values: np.ndarray, *, permutations: int, seed: int, unit: float) -> np.ndarray:
    """(n_pairs,) two-sided p of the paired randomisation test: signs of the differences flipped at random.

    All ways to flip are tried if there are no more than ``permutations``; otherwise so many are drawn, the same for
    every pair, and the observed one is counted among them. The flipped difference of a pair is the difference of the
    flipped features, so one matrix product serves all pairs.

    Parameters
    ----------
    values
        (n_features, n_queries)
    """
    n_features, n_queries = values.shape
    every_way = n_queries < permutations.bit_length()  # 2^Q <= permutations
    n_ways = 2**n_queries if every_way else permutations
    rng = np.random.default_rng(seed)
    as_extreme = np.zeros((n_features, n_features), dtype=np.int64)
    mean = values.mean(axis=1)
    observed = np.abs(mean[:, None] - mean) - _NOISE * unit
    at_once = max(1, _SIGNS_AT_ONCE // n_queries)
    for first in range(0, n_ways, at_once):
        n_signs = min(at_once, n_ways - first)
        if every_way:
            up = (np.arange(first, first + n_signs)[:, None] >> np.arange(n_queries)) & 1
        else:
            up = rng.integers(0, 2, size=(n_signs, n_queries), dtype=np.int8)
        flipped = (2.0 * up - 1.0) @ values.T / n_queries  # (n_signs, n_features)
        for feature in range(n_features - 1):
            rest = slice(feature + 1, None)
            gap = np.abs(flipped[:, rest] - flipped[:, [feature]])
            as_extreme[feature, rest] += (gap >= observed[feature, rest]).sum(axis=0)
    count = as_extreme[np.triu_indices(n_features, 1)]
    return count / n_ways if every_way else (count + 1) / (n_ways + 1)


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down adjustment: the smallest level at which each is still rejected, over all errors together."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's adjustment: the share of false discoveries that goes with each."""
    return np.asarray(false_discovery_control(p)) if len(p) else p

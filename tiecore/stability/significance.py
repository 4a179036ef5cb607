"""Paired tests of all pairs of features over the queries, and their adjustment for many pairs.

Pairs stand in the order of ``np.triu_indices``: the first feature with each that follows it, then the second, ….
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from tiecore.evaluation.rare import rare_size, unseen_difference, with_rare
from tiecore.threads import Progress, in_threads

__all__ = [
    "MANY_QUERIES",
    "Paired",
    "benjamini_hochberg",
    "better_and_worse",
    "exact_randomisation",
    "holm",
    "paired",
    "randomisation",
]

MANY_QUERIES = 30
"""Queries from which on a paired t-test is trusted, and means are taken for nearly normal."""

_NOISE = 1e-12
_SIGNS_AT_ONCE = 2_000_000
_DIFFERENCES_AT_ONCE = 500_000
_CANCELS = 1e-4
"""Share of two variances below which that of their difference is computed from the differences themselves."""
_ROUGH = 100
"""Flips as extreme as the observed ones, below which their share among random flips is a rough p."""


@dataclass(frozen=True, slots=True, eq=False)
class Paired:
    """Differences of each pair over the queries that both list; every array is (n_pairs,)."""

    n_queries: np.ndarray
    """Queries that both features list."""
    difference: np.ndarray
    """Mean of the differences per query; NaN for a pair without a common query."""
    sd: np.ndarray
    """Standard deviation of the differences per query; NaN for fewer than two queries."""
    t_p: np.ndarray
    """Two-sided p of the paired t-test."""
    rare_p: np.ndarray
    """The same with a deviation that allows for rare queries, seen or not, that go the other way; NaN where these would
    hardly matter."""

    def decisive_p(self, randomisation_p: np.ndarray) -> np.ndarray:
        """(n_pairs,) p that decides: of the randomisation test with few queries, never below ``rare_p``."""
        return np.fmax(np.where(self.n_queries < MANY_QUERIES, randomisation_p, self.t_p), self.rare_p)


def paired(values: np.ndarray, *, unit: float, largest: float, listed: np.ndarray | None = None) -> Paired:
    """Compare every pair of features query by query.

    Where every query shows the same difference there is no t; p is then that of the randomisation test, 2^(1 − Q),
    and 1 where there is no difference at all.

    The t-test errs where a few large differences pull against many small ones: the fewer of them a sample happens to
    show, the larger the mean seems and the smaller its deviation. ``rare_p`` allows for two more of these, one in
    either direction: as large as the skewness of the differences says they are, or as those that no query may have
    shown.

    Parameters
    ----------
    values
        (n_features, n_queries)
    unit
        Differences below 1e-12 of it are noise of the arithmetic.
    largest
        By how much two features can differ on one query.
    listed
        (n_features, n_queries) bool: a pair is compared on the queries that both features list; None means all.
    """
    n_features = len(values)
    if n_features < 2:
        nothing = np.zeros(0)
        return Paired(np.zeros(0, dtype=np.int64), nothing, nothing, nothing, nothing)
    if listed is None or listed.all():
        listed = np.ones(values.shape, dtype=bool)
        n_queries, difference, sd, cubes = _of_all(values, unit=unit)
    else:
        n_queries, difference, sd, cubes = _of_common(values, listed, unit=unit)
    # without a common query there is nothing to test
    t_p = np.where((difference == 0) | (n_queries == 0), 1.0, 2.0 ** (1.0 - n_queries))
    varied = sd > 0
    standard_errors = np.abs(difference[varied]) / (sd[varied] / np.sqrt(n_queries[varied]))
    t_p[varied] = 2.0 * stdtr(n_queries[varied] - 1, -standard_errors)
    unseen = unseen_difference(values, listed, largest=largest, noise=_NOISE * unit)[np.triu_indices(n_features, 1)]
    squares = sd**2 * np.maximum(n_queries - 1, 1)
    against = -np.sign(difference) * rare_size(squares, cubes)
    with_missed = with_rare(squares, np.maximum(unseen, against))
    error = np.sqrt(with_missed / np.maximum(n_queries * (n_queries - 1), 1))
    rare_t = np.divide(np.abs(difference), error, out=np.zeros_like(error), where=(error > 0) & (n_queries > 1))
    rare_p = np.where(with_missed > squares, 2.0 * stdtr(np.maximum(n_queries - 1, 1), -rare_t), np.nan)
    return Paired(n_queries, difference, np.where(n_queries > 1, sd, np.nan), t_p, rare_p)


def _of_all(values: np.ndarray, *, unit: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Queries, mean, deviation and sum of cubes about the mean of the difference of each pair, all queries listed."""
    n_features, n_queries = values.shape
    first, second = np.triu_indices(n_features, 1)
    mean = values.mean(axis=1)
    difference = _without_noise(mean[first] - mean[second], unit=unit)
    centred = values - mean[:, None]
    products = centred @ centred.T
    own = np.diag(products)
    both = own[first] + own[second]
    squares = both - 2 * products[first, second]
    mixed = centred**2 @ centred.T
    own = np.diag(mixed)
    cubes = own[first] - own[second] - 3 * (mixed[first, second] - mixed[second, first])
    # what cancels is computed again, from the differences themselves
    close = np.flatnonzero(squares <= _CANCELS * both)
    for block in _blocks(len(close), n_queries):
        some = close[block]
        gap = centred[first[some]] - centred[second[some]]
        squares[some], cubes[some] = np.einsum("pq,pq->p", gap, gap), np.einsum("pq,pq,pq->p", gap, gap, gap)
    sd = np.sqrt(squares / max(1, n_queries - 1))
    return np.full(len(first), n_queries), difference, _without_noise(sd, unit=unit), cubes


def _of_common(
    values: np.ndarray, listed: np.ndarray, *, unit: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the same of the queries that both features of a pair list."""
    first, second = np.triu_indices(len(values), 1)
    n_common, (difference, sd, cubes) = np.empty(len(first), dtype=np.int64), np.empty((3, len(first)))
    for some in _blocks(len(first), values.shape[1]):
        both = listed[first[some]] & listed[second[some]]
        gap = np.where(both, values[first[some]] - values[second[some]], 0.0)
        n_common[some] = both.sum(axis=1)
        at_least_one = np.maximum(n_common[some], 1)
        difference[some] = gap.sum(axis=1) / at_least_one
        gap -= np.where(both, difference[some][:, None], 0.0)
        sd[some] = np.sqrt(np.einsum("pq,pq->p", gap, gap) / np.maximum(n_common[some] - 1, 1))
        cubes[some] = np.einsum("pq,pq,pq->p", gap, gap, gap)
    difference = _without_noise(difference, unit=unit)
    difference[n_common == 0] = np.nan
    return n_common, difference, _without_noise(sd, unit=unit), cubes


def _blocks(n_pairs: int, n_queries: int) -> Iterator[slice]:
    at_once = max(1, _DIFFERENCES_AT_ONCE // max(1, n_queries))
    return (slice(start, start + at_once) for start in range(0, n_pairs, at_once))


def _without_noise(values: np.ndarray, *, unit: float) -> np.ndarray:
    values[np.abs(values) <= _NOISE * unit] = 0.0
    return values


def better_and_worse(
    values: np.ndarray, *, unit: float, listed: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """(n_pairs,) queries in which the first feature is better, and in which it is worse; others show no difference."""
    first, second = np.triu_indices(len(values), 1)
    better, worse = np.empty(len(first), dtype=np.int64), np.empty(len(first), dtype=np.int64)
    for some in _blocks(len(first), values.shape[1]):
        gap = values[first[some]] - values[second[some]]
        if listed is not None:
            gap = np.where(listed[first[some]] & listed[second[some]], gap, 0.0)
        better[some] = (gap > _NOISE * unit).sum(axis=1)
        worse[some] = (gap < -_NOISE * unit).sum(axis=1)
    return better, worse


def randomisation(
    values: np.ndarray,
    *,
    permutations: int,
    seed: int,
    unit: float,
    listed: np.ndarray | None = None,
    progress: Progress | None = None,
) -> np.ndarray:
    """(n_pairs,) two-sided p of the paired randomisation test: signs of the differences flipped at random.

    All ways to flip are tried if there are no more than ``permutations``; otherwise so many are drawn, the same for
    every pair, and the observed one is counted among them. With fewer than 30 queries a small p is exact all the same:
    a share among random flips cannot be smaller than one over their number, which an adjustment for many pairs needs.

    ``values``: (n_features, n_queries). ``listed``: (n_features, n_queries) bool: a pair is compared on the queries
    that both features list; None means all.
    """
    n_features, n_queries = values.shape
    first, second = np.triu_indices(n_features, 1)
    if listed is None or listed.all():
        p, n_common = _flipped_together(values, permutations=permutations, seed=seed, unit=unit), None
    else:
        p = _flipped_in_common(values, listed, permutations=permutations, seed=seed, unit=unit)
        n_common = listed.astype(np.int64) @ listed.T.astype(np.int64)
    if n_queries < permutations.bit_length():  # all ways have been tried
        return p
    at_most = n_queries if n_common is None else n_common[first, second]
    exactly = np.flatnonzero((p * permutations < _ROUGH) & (at_most < MANY_QUERIES))

    def exact(pair: int) -> float:
        a, b = first[pair], second[pair]
        gap = values[a] - values[b]
        return exact_randomisation(gap if listed is None else gap[listed[a] & listed[b]], unit=unit)

    p[exactly] = in_threads(exact, exactly.tolist(), progress=progress)
    return p


def _flipped_together(values: np.ndarray, *, permutations: int, seed: int, unit: float) -> np.ndarray:
    """(n_pairs,) p where all features list all queries.

    The flipped difference of a pair is the difference of the flipped features, so one matrix product serves all pairs.
    """
    n_features, n_queries = values.shape
    as_extreme = np.zeros((n_features, n_features), dtype=np.int64)
    mean = values.mean(axis=1)
    observed = np.abs(mean[:, None] - mean) - _NOISE * unit
    n_ways, signs = _signs(n_queries, permutations=permutations, seed=seed)
    for some in signs:
        flipped = some @ values.T / n_queries  # (n_signs, n_features)
        for feature in range(n_features - 1):
            others = slice(feature + 1, None)
            gap = np.abs(flipped[:, others] - flipped[:, [feature]])
            as_extreme[feature, others] += (gap >= observed[feature, others]).sum(axis=0)
    return _share_of(as_extreme[np.triu_indices(n_features, 1)], n_ways, n_queries, permutations)


def _flipped_in_common(
    values: np.ndarray, listed: np.ndarray, *, permutations: int, seed: int, unit: float
) -> np.ndarray:
    """(n_pairs,) p on the queries that both features of a pair list; the others are differences of 0."""
    n_queries = values.shape[1]
    first, second = np.triu_indices(len(values), 1)
    as_extreme = np.zeros(len(first), dtype=np.int64)
    n_ways, signs = _signs(n_queries, permutations=permutations, seed=seed)
    for some_signs in signs:
        for some in _blocks(len(first), max(n_queries, len(some_signs))):
            both = listed[first[some]] & listed[second[some]]
            gap = np.where(both, values[first[some]] - values[second[some]], 0.0)
            observed = np.abs(gap.sum(axis=1)) - _NOISE * unit * both.sum(axis=1)
            as_extreme[some] += (np.abs(some_signs @ gap.T) >= observed).sum(axis=0)
    return _share_of(as_extreme, n_ways, n_queries, permutations)


def _signs(n_queries: int, *, permutations: int, seed: int) -> tuple[int, Iterator[np.ndarray]]:
    """Return the number of ways to flip signs, and these as (some, n_queries) of −1 and 1, block by block."""
    every_way = n_queries < permutations.bit_length()  # 2^Q <= permutations
    n_ways = 2**n_queries if every_way else permutations
    rng = np.random.default_rng(seed)
    at_once = max(1, _SIGNS_AT_ONCE // max(1, n_queries))

    def blocks() -> Iterator[np.ndarray]:
        for start in range(0, n_ways, at_once):
            n_signs = min(at_once, n_ways - start)
            if every_way:
                up = (np.arange(start, start + n_signs)[:, None] >> np.arange(n_queries)) & 1
            else:
                up = rng.integers(0, 2, size=(n_signs, n_queries), dtype=np.int8)
            yield 2.0 * up - 1.0

    return n_ways, blocks()


def _share_of(count: np.ndarray, n_ways: int, n_queries: int, permutations: int) -> np.ndarray:
    every_way = n_queries < permutations.bit_length()
    return count / n_ways if every_way else (count + 1) / (n_ways + 1)


def exact_randomisation(differences: np.ndarray, *, unit: float) -> float:
    """Return the exact two-sided p of the randomisation test of one pair, for fewer than 30 queries or so.

    The sums that flipping half of the signs can give are sorted for each half; for each sum of one half, a search
    counts those of the other that make the whole as extreme as observed: 2^(Q/2) steps instead of 2^Q.
    """
    observed = abs(float(differences.sum())) - _NOISE * unit * len(differences)
    sizes = np.abs(differences[np.abs(differences) > _NOISE * unit])
    if observed <= 0 or not len(sizes):
        return 1.0
    one, other = _sums(sizes[: len(sizes) // 2]), _sums(sizes[len(sizes) // 2 :])
    above = len(other) - np.searchsorted(other, observed - one, side="left")
    below = np.searchsorted(other, -observed - one, side="right")
    return float(above.sum() + below.sum()) / (len(one) * len(other))


def _sums(sizes: np.ndarray) -> np.ndarray:
    """All 2^n sums of numbers with signs, in order."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums - size, sums + size])
    sums.sort()
    return sums


def holm(p: np.ndarray) -> np.ndarray:
    """Holm's step-down adjustment: the smallest level at which each is still rejected, over all errors together."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg's adjustment: the share of false discoveries that goes with each."""
    order = np.argsort(p, kind="stable")[::-1]
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1)), 1.0)
    return adjusted

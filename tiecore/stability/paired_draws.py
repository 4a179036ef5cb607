"""Differences of each two features, as observed and in resampled queries: what place sets are decided by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tiecore.evaluation.rare import N_UNSEEN, unseen_difference
from tiecore.threads import in_threads

__all__ = ["ROUNDING", "Drawn", "Measured", "PairedDraws", "Resampling", "compare", "draw", "measure_all", "resample"]

ROUNDING = 1e-5
"""Of studentised sums in float32: what differs by less counts as equal, hence not as clearly different."""
_NOISE = 1e-12
_MOST_GROUPS = 1000
_CANCELS = 1e-4
"""Share of two sums of squares below which that of their difference is computed from the differences themselves."""
_SOME = 64
_MOST_KEPT = 2_000_000
"""Draws times groups up to which random numbers are kept for the next study: they take 8 bytes of each."""
_DRAWS_AT_ONCE = 250


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Random numbers, which depend on the seed and on how much there is to compare, never on the values."""

    order: np.ndarray
    """(n_queries,) order in which queries are put into groups."""
    signs: np.ndarray
    """(n_sign_draws, n_groups) float32, 1 or −1."""
    weights: np.ndarray
    """(n_draws, n_groups) float32, how often each group is drawn."""
    noise: np.ndarray
    """(n_draws, n_features) float32, standard normal."""

    @property
    def n_groups(self) -> int:
        """Groups of queries."""
        return self.weights.shape[1]

    @property
    def has_every_way(self) -> bool:
        """Whether all ways to flip signs are here."""
        return _has_every_way(self.n_groups, len(self.weights))


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Values with the queries sorted into groups; what a feature does not list is 0."""

    values: np.ndarray
    """(n_features, n_queries)"""
    variances: np.ndarray
    """(n_features, n_queries)"""
    listed: np.ndarray
    """(n_features, n_queries) 1.0 where a feature lists a query, 0.0 elsewhere."""
    group_start: np.ndarray
    """(n_groups,) first query of each group."""
    noise: float
    """Differences below it are noise of the arithmetic."""
    unseen: np.ndarray
    """(n_features, n_features) by how much two features may differ on a query that the others do not foretell."""
    lists_differ: bool
    """Whether some feature lacks a query."""
    grouped: np.ndarray
    """(n_features, n_groups) sums of the values."""
    products: np.ndarray
    """(n_features, n_features) sums over the queries of the products of the values less their means."""

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.values.shape[0]

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return self.values.shape[1]

    @property
    def n_groups(self) -> int:
        """Number of groups of queries."""
        return len(self.group_start)


@dataclass(frozen=True, slots=True, eq=False)
class Resampling:
    """Draws that serve all pairs, and what stands in for the quantile of a maximum over them."""

    signs: np.ndarray
    """(n_sign_draws, n_groups) float32, 1 or −1."""
    weights: np.ndarray
    """(n_draws, n_groups) float32, how often each group is drawn."""
    tie_noise: np.ndarray
    """(n_draws, n_features) standard normal."""
    flipped: np.ndarray
    """(n_features, n_sign_draws) sums of the grouped values with their signs flipped."""
    drawn: np.ndarray
    """(n_features, n_draws) sums of the grouped values over the drawn groups, less those expected."""
    nth_sign: int
    """The quantile of the flipped signs is the n-th largest; 0 if there are too few draws to tell."""
    nth_weight: int
    """The quantile of the drawn groups is the n-th largest; 0 if there are too few draws to tell."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedDraws:
    """Differences of a feature and others, observed and drawn, in three standardised forms.

    ``sign``: sums over the roots of their sums of squares; ``drawn``: t, its deviation allowing for rare values that
    the queries miss; ``once``: the same with the deviation of a prediction. All but ``difference`` and ``is_open`` hold
    the open pairs alone.
    """

    difference: np.ndarray
    """(n_others,) sum of the differences over the queries that both list; 0 where there is only noise."""
    is_open: np.ndarray
    """(n_others,) bool: enough queries differ for the pair to be distinguishable at all."""
    sign: np.ndarray
    """(n_open,)"""
    drawn: np.ndarray
    """(n_open,)"""
    once: np.ndarray
    """(n_open,)"""
    sign_draws: np.ndarray
    """(n_open, n_sign_draws) float32"""
    drawn_draws: np.ndarray
    """(n_open, n_draws) float32"""
    once_draws: np.ndarray
    """(n_open, n_draws) float32"""


@dataclass(frozen=True, slots=True, eq=False)
class _Differences:
    """Differences of a feature and those that follow it, on the queries that both list."""

    total: np.ndarray
    """(n_others,) their sums."""
    squares: np.ndarray
    """(n_others,) sums of their squares."""
    spread: np.ndarray
    """(n_others,) sums of the squares about their means."""
    is_open: np.ndarray
    """(n_others,) bool: enough of them are not 0."""
    grouped: np.ndarray
    """(n_open, n_groups) sums of the open pairs."""

    def centred(self) -> tuple[np.ndarray, np.ndarray]:
        """(n_open, n_groups) float32 sums less their means, over their (n_open, 1) scale; and the scale."""
        centred = self.grouped - self.grouped.mean(axis=1, keepdims=True)
        centred[self.spread[self.is_open] == 0] = 0.0
        scale = _root_or_one(_sum_of_squares(centred))
        return _scaled(centred, scale), scale


def draw(n_features: int, n_queries: int, *, draws: int, seed: int) -> Drawn:
    """Draw random numbers, or take those of the last study of as much: they are what takes longest in a small one."""
    per_group = -(-n_queries // _MOST_GROUPS)
    n_groups = -(-n_queries // per_group)
    how = _last_drawn if draws * n_groups <= _MOST_KEPT else _drawn
    return how(n_features, n_queries, n_groups, draws, seed)


def _drawn(n_features: int, n_queries: int, n_groups: int, draws: int, seed: int) -> Drawn:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_queries) if n_groups < n_queries else np.arange(n_queries)
    if _has_every_way(n_groups, draws):
        up = (np.arange(2**n_groups)[:, None] >> np.arange(n_groups)) & 1
    else:
        up = rng.integers(0, 2, size=(draws, n_groups), dtype=np.int8)
    drawn = rng.integers(0, n_groups, size=(draws, n_groups))
    drawn += n_groups * np.arange(draws)[:, None]
    weights = np.bincount(drawn.ravel(), minlength=draws * n_groups).reshape(draws, n_groups)
    numbers = Drawn(
        order=order,
        signs=np.float32(2) * up.astype(np.float32) - np.float32(1),
        weights=weights.astype(np.float32),
        noise=rng.standard_normal(size=(draws, n_features), dtype=np.float32),
    )
    for array in (numbers.order, numbers.signs, numbers.weights, numbers.noise):
        array.flags.writeable = False
    return numbers


_last_drawn = lru_cache(maxsize=1)(_drawn)


def _has_every_way(n_groups: int, draws: int) -> bool:
    return n_groups < draws.bit_length()  # 2^n_groups <= draws


def measure_all(
    values: np.ndarray,
    variances: np.ndarray | None,
    *,
    listed: np.ndarray | None,
    drawn: Drawn,
    unit: float,
    largest: float | None,
) -> Measured:
    """Sort the queries into groups at random and put 0 where a feature lacks a query."""
    is_listed = ~np.isnan(values) if listed is None else listed & ~np.isnan(values)
    lists_differ = not bool(is_listed.all())
    known, tie_variances = values, np.zeros_like(values) if variances is None else variances
    if lists_differ:
        known, tie_variances = np.where(is_listed, values, 0.0), np.where(is_listed, tie_variances, 0.0)
    n_queries, n_groups = values.shape[1], drawn.n_groups
    if n_groups < n_queries:
        order = drawn.order
        known, tie_variances, is_listed = known[:, order], tie_variances[:, order], is_listed[:, order]
    group_start = np.linspace(0, n_queries, n_groups, endpoint=False).astype(np.int64)
    centred = known - known.mean(axis=1, keepdims=True)
    return Measured(
        values=known,
        variances=tie_variances,
        listed=is_listed.astype(np.float64),
        group_start=group_start,
        noise=_NOISE * unit,
        unseen=unseen_difference(
            known, is_listed, largest=float(np.ptp(known)) if largest is None else largest, noise=_NOISE * unit
        ),
        lists_differ=lists_differ,
        grouped=np.add.reduceat(known, group_start, axis=1),
        products=centred @ centred.T,
    )


def resample(measured: Measured, drawn: Drawn, *, level: float) -> Resampling:
    """Resample what all pairs share."""
    error, draws, n_ways = 1 - level, len(drawn.weights), len(drawn.signs)
    # Noise goes to features in an order that depends on their values alone, not on their positions.
    values, variances = measured.values, measured.variances
    order = np.lexsort((variances.sum(axis=1), (values**2).sum(axis=1), values.sum(axis=1)))
    tie_noise = np.empty_like(drawn.noise)
    tie_noise[:, order] = drawn.noise
    grouped = measured.grouped
    both = (grouped, drawn.signs), (grouped - grouped.mean(axis=1, keepdims=True), drawn.weights)
    flipped, means = in_threads(lambda one: _resampled(*one), both)
    # A claim needs a share of draws as extreme of at most 1 − level. All ways to flip hold the observed one; otherwise
    # it is counted among the draws. The small constant undoes the rounding of 1 − level.
    return Resampling(
        signs=drawn.signs,
        weights=drawn.weights,
        tie_noise=tie_noise,
        flipped=flipped,
        drawn=means,
        nth_sign=int(error * n_ways + _NOISE) + 1 if drawn.has_every_way else int(error * (n_ways + 1) + _NOISE),
        nth_weight=int(error * (draws + 1) + _NOISE),
    )


def _resampled(grouped: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """(n_features, n_draws) sums over the groups in double precision: a few draws at a time stay in the cache."""
    sums = np.empty((len(grouped), len(draws)))
    for start in range(0, len(draws), _DRAWS_AT_ONCE):
        some = slice(start, start + _DRAWS_AT_ONCE)
        sums[:, some] = grouped @ draws[some].T.astype(np.float64)
    return sums


def compare(measured: Measured, resampling: Resampling, features: Sequence[int], *, least: int) -> list[PairedDraws]:
    """Compare some features, each with those that follow it, on these queries and on all draws.

    ``least``: queries that must differ for a pair to be distinguishable.
    """
    of = _of_common if measured.lists_differ else _of_all
    differences = [of(measured, feature, least=least) for feature in features]
    centred = [one.centred() for one in differences]
    # all at once: the weights, which are many, are then read once
    squares = np.concatenate([scaled * scaled for scaled, _ in centred]) @ resampling.weights.T  # (n_all, n_draws)
    begins = np.cumsum([0, *(len(scaled) for scaled, _ in centred)]).tolist()
    return [
        _compare(measured, resampling, feature, one, *both, squares[begin : begin + len(both[0])])
        for feature, one, both, begin in zip(features, differences, centred, begins, strict=False)
    ]


def _compare(
    measured: Measured,
    resampling: Resampling,
    feature: int,
    differences: _Differences,
    centred: np.ndarray,
    scale: np.ndarray,
    variance: np.ndarray,
) -> PairedDraws:
    """Compare a feature with those that follow it; ``variance``: (n_open, n_draws) sums of squares of the draws."""
    n_queries, n_groups = measured.n_queries, measured.n_groups
    is_open, grouped = differences.is_open, differences.grouped
    others = feature + 1 + np.flatnonzero(is_open)
    root = _root_or_one(_sum_of_squares(grouped))  # (n_open, 1)
    if measured.lists_differ:  # a difference depends on the queries that both list, so there are no sums to share
        sign_draws = (grouped / root).astype(np.float32) @ resampling.signs.T
        error = centred @ resampling.weights.T
    else:
        sign_draws = _scaled(resampling.flipped[feature] - resampling.flipped[others], root)
        error = _scaled(resampling.drawn[feature] - resampling.drawn[others], scale)
    variance -= error * error / np.float32(n_groups)
    variance[variance <= ROUNDING * (1 + error * error / n_groups)] = 0.0
    variance *= n_groups / max(1, n_groups - 1)

    # Under random tie-breaks the sums over the queries that both list have these variances.
    own_listed, others_listed = measured.listed[feature], measured.listed[others]
    own_variance = others_listed @ measured.variances[feature]
    other_variance = measured.variances[others] @ own_listed
    # A second measurement draws new queries, as far from the truth as these are, and breaks ties once.
    own_noise = np.sqrt(own_variance[:, None]) / scale
    other_noise = np.sqrt(other_variance[:, None]) / scale
    tie_noise = resampling.tie_noise.T  # (n_features, n_draws)
    broken = own_noise.astype(np.float32) * tie_noise[feature]
    broken -= other_noise.astype(np.float32) * tie_noise[others]
    anew = np.roll(error, 1, axis=1) - error + broken
    variance_once = 2 * variance + (own_noise**2 + other_noise**2).astype(np.float32)

    total = differences.total[is_open]
    # A feature with the same value on nearly all queries may happen to show none of its rare others.
    spread = differences.spread[is_open] + N_UNSEEN * measured.unseen[feature, others] ** 2
    observed_variance = spread * (n_queries / max(1, n_queries - 1))
    return PairedDraws(
        difference=differences.total,
        is_open=is_open,
        sign=_of_groups(_studentised(total, differences.squares[is_open]), n_queries, n_groups),
        drawn=_studentised(total, observed_variance),
        once=_studentised(total, 2 * observed_variance + own_variance + other_variance),
        sign_draws=sign_draws,
        drawn_draws=_studentised(error, variance, negligible=ROUNDING),
        once_draws=_studentised(anew, variance_once, negligible=ROUNDING),
    )


def _of_common(measured: Measured, feature: int, *, least: int) -> _Differences:
    """Compare on the queries that both list; on the others they do not differ."""
    noise = measured.noise
    own, others = measured.listed[feature], measured.listed[feature + 1 :]
    difference = measured.values[feature] * others - measured.values[feature + 1 :] * own  # (n_others, n_queries)
    difference[np.abs(difference) <= noise] = 0.0
    total = difference.sum(axis=1)
    total[np.abs(total) <= noise * (others @ own)] = 0.0
    is_open = np.count_nonzero(difference, axis=1) >= least
    return _Differences(
        total=total,
        squares=_sum_of_squares(difference),
        spread=_without_noise(
            _sum_of_squares(difference - difference.mean(axis=1, keepdims=True)), noise=noise, n=measured.n_queries
        ),
        is_open=is_open,
        grouped=np.add.reduceat(difference[is_open], measured.group_start, axis=1),
    )


def _of_all(measured: Measured, feature: int, *, least: int) -> _Differences:
    """Compare features that list all queries: sums of differences are differences of sums."""
    noise, n_queries = measured.noise, measured.n_queries
    own, others = measured.values[feature], measured.values[feature + 1 :]
    grouped = measured.grouped[feature] - measured.grouped[feature + 1 :]
    grouped[np.abs(grouped) <= noise * -(-n_queries // measured.n_groups)] = 0.0
    total = grouped.sum(axis=1)
    total[np.abs(total) <= noise * n_queries] = 0.0
    alone = np.diag(measured.products)
    both = alone[feature] + alone[feature + 1 :]
    spread = both - 2 * measured.products[feature, feature + 1 :]
    for other in np.flatnonzero(spread <= _CANCELS * both):
        difference = own - others[other]
        spread[other] = np.square(difference - difference.mean()).sum()
    spread = _without_noise(spread, noise=noise, n=n_queries)
    is_open = np.count_nonzero(np.abs(own[:_SOME] - others[:, :_SOME]) > noise, axis=1) >= least
    for other in np.flatnonzero(~is_open):
        is_open[other] = np.count_nonzero(np.abs(own - others[other]) > noise) >= least
    return _Differences(total, spread + total**2 / n_queries, spread, is_open, grouped[is_open])


def _without_noise(spread: np.ndarray, *, noise: float, n: int) -> np.ndarray:
    return np.where(spread <= n * noise**2, 0.0, spread)


def _scaled(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """float32 values over their scale."""
    return (values / scale).astype(np.float32)


def _sum_of_squares(values: np.ndarray) -> np.ndarray:
    """(n_rows,) sum of the squares of each row."""
    return np.asarray(np.einsum("ij,ij->i", values, values))


def _root_or_one(squares: np.ndarray) -> np.ndarray:
    """(n_rows, 1) roots to divide by: 1 for a row of zeros."""
    return np.sqrt(np.where(squares > 0, squares, 1.0))[:, None]


def _studentised(total: np.ndarray, variance: np.ndarray, *, negligible: float = 0.0) -> np.ndarray:
    """Totals over the roots of their variances: infinite where only the variance is 0, 0 where both are."""
    without_spread = np.where(np.abs(total) <= negligible, 0.0, np.copysign(np.inf, total)).astype(total.dtype)
    return np.divide(total, np.sqrt(variance), out=without_spread, where=variance > 0)


def _of_groups(sign: np.ndarray, n_queries: int, n_groups: int) -> np.ndarray:
    """Turn sums over roots of sums of squares of n_queries values into those of n_groups values of the same t.

    t² = r²(n − 1)/(n − r²) for n values, so r² = n·t²/(n − 1 + t²).
    """
    if n_groups == n_queries:
        return sign
    squared = sign**2 * (n_queries - 1)
    return np.copysign(np.sqrt(n_groups * squared / ((n_groups - 1) * (n_queries - sign**2) + squared)), sign)

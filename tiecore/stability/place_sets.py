"""Which places the queries leave open: confidence sets of places, found by resampling the queries.

The true place of a feature is its place by expectation over all queries of the kind that was measured: one more than
the number of features whose true mean is higher. A set of places follows from the features that are clearly better
and those that are clearly worse (Mogstad, Romano, Shaikh & Wilhelm, Inference for Ranks, Review of Economic Studies
2024): with b clearly better and w clearly worse among F features it runs from 1 + b to F − w. What is clear is decided
for all comparisons of a family together, step by step: a comparison that is settled leaves the family, which makes it
easier for the rest. The family of a marginal set is one feature with all others, that of simultaneous sets all pairs.

A difference is clear if its studentised mean exceeds the quantile of the largest one in the family under two ways to
resample. Signs of whole queries flipped at random are exact where differences are symmetric, however few or lumpy they
are. Queries drawn with replacement, each draw studentised by its own deviation, allow for skewed differences, as
between a feature that ties all documents and one that ties none. Either alone claims too much for some kind of data.
Neither can know of what no query shows: twenty queries may miss every one of a few in which a feature earns much. Where
a feature has the same value on all queries, the observed deviation therefore allows for two more, in which the two
differ by as much as a query can, once in either direction; for less, the more queries have other values.

Pairs are compared on the queries that both list; a query that one of them lacks counts as a draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise, starmap

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.stability.paired_draws import (
    ROUNDING,
    Measured,
    PairedDraws,
    Resampling,
    compare,
    draw,
    measure_all,
    resample,
)
from tiecore.threads import Progress, in_threads, one_thread_for_products

__all__ = ["PlaceSets", "place_sets"]

_MOST_BYTES = 2_000_000_000
_BYTES = 4
_PAIRS_TOGETHER = 96
"""Pairs whose draws are summed up in one product: for a few at a time, reading the weights takes longest."""
_MOST_ALONE = 3_000_000
"""Squared features times draws up to which one thread does all: 38 features and the usual 2,000 draws."""


@dataclass(frozen=True, slots=True, eq=False)
class PlaceSets:
    """Places by expectation and the sets of places that go with them; 1 is the best, bounds are inclusive.

    ``low <= place <= high`` always holds, and simultaneous sets and those of a single measurement contain the marginal
    ones.
    """

    level: float
    """Chance with which the sets hold."""
    place: np.ndarray
    """(n_features,) place by expectation on these queries; equal features share the better place."""
    low: np.ndarray
    """(n_features,) best place of the marginal set: each set holds the true place of its feature at the level."""
    high: np.ndarray
    """(n_features,) worst place of the marginal set."""
    low_all: np.ndarray
    """(n_features,) best place of the simultaneous set: all sets together hold all true places at the level."""
    high_all: np.ndarray
    """(n_features,) worst place of the simultaneous set."""
    low_once: np.ndarray
    """(n_features,) best place to expect of a leaderboard measured once: the set holds, at the level, the place that
    the feature takes on as many other queries of the same kind under one random tie-break of each feature."""
    high_once: np.ndarray
    """(n_features,) worst place to expect of a leaderboard measured once."""
    clearly_better: np.ndarray
    """(n_features, n_features) bool: the row is better than the column, all such claims together holding at the
    level."""
    place_counts: np.ndarray
    """(n_features, n_features) draws of queries in which a feature (row) takes a place (column, from the first)."""

    @property
    def clearly_different(self) -> np.ndarray:
        """(n_features, n_features) bool, symmetric: one of the two is clearly better."""
        return self.clearly_better | self.clearly_better.T

    def p_top(self, k: int) -> np.ndarray:
        """(n_features,) share of the draws of queries in which a feature is among the first k places, ties averaged.

        Equal features share the better place, so the shares can add up to more than k. The share describes the
        measured queries drawn anew; unlike the sets it makes no promise about true places.
        """
        if k < 1:
            raise TiecoreError(f"p_top needs k of at least 1, found {k}")
        return self.place_counts[:, :k].sum(axis=1) / self.place_counts.sum(axis=1)


def place_sets(
    values: np.ndarray,
    variances: np.ndarray | None = None,
    *,
    listed: np.ndarray | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
    unit: float = 1.0,
    largest: float | None = None,
    progress: Progress | None = None,
) -> PlaceSets:
    """Return the places of the features by expectation and the sets of places that the choice of queries leaves open.

    More than 1,000 queries are sorted at random into at most as many groups, which are resampled in their stead; the
    observed differences and deviations remain those of single queries. Features in another order give the same sets
    in that order. Equal features are never told apart, and no pair is if fewer queries differ than a test by flipped
    signs needs (6 at 95 %).

    Parameters
    ----------
    values
        (n_features, n_queries) exact expectations per query, more being better; NaN where a feature lacks a query.
    variances
        (n_features, n_queries) variances under random tie-breaks, independent between features; None without ties.
        Only the sets of a single measurement depend on them.
    listed
        (n_features, n_queries) bool: whether a feature lists a query; None where NaN says it all.
    level
        Chance with which the sets are to hold.
    draws
        Draws of queries; all ways to flip signs are tried if they are no more than that.
    unit
        Mean differences below 1e-12 of it are noise of the arithmetic.
    largest
        By how much two features can differ on one query; None takes the largest and the least of the values.

    Examples
    --------
    Ten queries put the first feature above its rivals, which are equal on average:

    >>> wins, rivals = np.full(10, 0.9), np.tile([0.2, 0.4], 5)
    >>> sets = place_sets(np.array([wins, rivals, rivals[::-1]]))
    >>> sets.place.tolist(), sets.low.tolist(), sets.high.tolist()
    ([1, 2, 2], [1, 2, 2], [1, 3, 3])
    """
    if not 0 < level < 1:
        raise TiecoreError(f"level must lie between 0 and 1, found {level}: 0.95 is usual")
    if draws < 1:
        raise TiecoreError(f"draws must be at least 1, found {draws}: 2000 is usual")
    if not values.size:
        raise TiecoreError("there are no places without features and queries: no query counts")
    n_features, n_queries = values.shape
    together = _together(n_features)
    stages = len(together) + 2 * n_features
    drawn = draw(n_features, n_queries, draws=draws, seed=seed)
    with one_thread_for_products():
        measured = measure_all(values, variances, listed=listed, drawn=drawn, unit=unit, largest=largest)
        resampling = resample(measured, drawn, level=level)
    _check_memory(n_features, resampling)
    least = int(np.ceil(1 - np.log2(1 - level)))  # 2^(1 − n) is the smallest p that n differing queries can give

    def compare_with_the_next(features: range) -> list[PairedDraws]:
        return compare(measured, resampling, features, least=least)

    # of few pairs, handing pieces from thread to thread takes longer than the work
    workers = 1 if n_features**2 * len(resampling.weights) <= _MOST_ALONE else None
    tell = [_stage(progress, before, stages) for before in (0, len(together), len(together) + n_features)]
    with one_thread_for_products():
        rows = list(chain(*in_threads(compare_with_the_next, together, workers=workers, progress=tell[0])))
        families = _Families(rows, resampling)
        counts = _place_counts(measured, resampling, workers=workers, progress=tell[1])
        marginal = in_threads(families.of_feature, range(n_features), workers=workers, progress=tell[2])
        better, worse, better_once, worse_once = (np.array(found) for found in zip(*marginal, strict=True))
        clearly_better = families.of_all()
    return PlaceSets(
        level=level,
        place=1 + (families.difference < 0).sum(axis=1),
        low=1 + worse,
        high=n_features - better,
        low_all=1 + clearly_better.sum(axis=0),
        high_all=n_features - clearly_better.sum(axis=1),
        low_once=1 + worse_once,
        high_once=n_features - better_once,
        clearly_better=clearly_better,
        place_counts=counts,
    )


def _stage(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Report a stage of the work as part of the whole."""
    return None if progress is None else lambda done, _: progress(before + done, total)


def _together(n_features: int) -> list[range]:
    """Neighbouring features that are compared together with those that follow them: about as many pairs each time."""
    n_pairs = np.cumsum(np.arange(n_features)[::-1])
    last = np.unique(np.searchsorted(n_pairs, np.arange(_PAIRS_TOGETHER, n_pairs[-1], _PAIRS_TOGETHER)))
    return list(starmap(range, pairwise([0, *(last + 1).tolist(), n_features])))


def _check_memory(n_features: int, resampling: Resampling) -> None:
    n_pairs = n_features * (n_features - 1) // 2
    n_draws = len(resampling.weights)
    needed = n_pairs * (2 * n_draws + len(resampling.signs)) * _BYTES
    if needed > _MOST_BYTES:
        raise TiecoreError(
            f"sets of places of {n_features:,} features need {needed / 1e9:.1f} GB for {n_draws:,} draws: "
            f"take at most draws={_MOST_BYTES // (3 * n_pairs * _BYTES)}, or fewer features"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Families:
    """Comparisons of all features, gathered into the families that are judged together."""

    rows: Sequence[PairedDraws]
    """Of each feature with those that follow it."""
    resampling: Resampling

    @property
    def difference(self) -> np.ndarray:
        """(n_features, n_features) sum of the differences, row less column."""
        n_features = len(self.rows)
        upper = np.zeros((n_features, n_features))
        for feature, row in enumerate(self.rows):
            upper[feature, feature + 1 :] = row.difference
        return upper - upper.T

    def of_all(self) -> np.ndarray:
        """(n_features, n_features) bool: the row is better than the column, all pairs judged together."""
        n_features = len(self.rows)
        better = np.zeros((n_features, n_features), dtype=bool)
        claims = _claims(self.rows, self.resampling)
        for feature, (ahead, behind) in enumerate(claims):
            others = feature + 1 + np.flatnonzero(self.rows[feature].is_open)
            better[feature, others] = ahead
            better[others, feature] = behind
        return better

    def of_feature(self, feature: int) -> tuple[int, int, int, int]:
        """Count the others it is better than, worse than, and surely better and worse than where measured once."""
        family = self._family(feature)
        ((ahead, behind),) = _claims([family], self.resampling)
        farthest = np.abs(family.once_draws).max(axis=0, initial=0.0)
        bound = _nth_largest(farthest, self.resampling.nth_weight)
        # What is not clear of the truth cannot be sure of a sample: this also holds where few queries give no spread.
        ahead_once, behind_once = ahead & (family.once > bound), behind & (-family.once > bound)
        return ahead.sum(), behind.sum(), ahead_once.sum(), behind_once.sum()

    def _family(self, feature: int) -> PairedDraws:
        """Comparisons of a feature with all others, itself always the first of the two."""
        before = []
        for earlier, row in enumerate(self.rows[:feature]):
            position = feature - earlier - 1
            if row.is_open[position]:
                before.append((row, int(row.is_open[:position].sum())))
        own = self.rows[feature]

        def gathered(name: str) -> np.ndarray:
            return np.concatenate([*(-getattr(row, name)[[at]] for row, at in before), getattr(own, name)])

        names = ("sign", "drawn", "once", "sign_draws", "drawn_draws", "once_draws")
        return replace(own, **{name: gathered(name) for name in names})


def _claims(blocks: Sequence[PairedDraws], resampling: Resampling) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return for the pairs of each block whether the first is clearly better, and whether it is clearly worse.

    All comparisons are judged together. Each pair asks two questions, whether the first is better and whether it is
    worse; a question that is answered with yes leaves the family, and the bounds of the others come down.
    """
    claims = [(np.zeros(len(block.sign), dtype=bool), np.zeros(len(block.sign), dtype=bool)) for block in blocks]
    while True:
        sign = _bound([block.sign_draws for block in blocks], claims, resampling.nth_sign)
        # equal differences stay equal however queries are drawn: their bound is 0, and that of the signs stands in
        drawn = max(sign, _bound([block.drawn_draws for block in blocks], claims, resampling.nth_weight))
        found = [
            ((block.sign > sign) & (block.drawn > drawn), (-block.sign > sign) & (-block.drawn > drawn))
            for block in blocks
        ]
        if all(np.array_equal(new, old) for new, old in zip(_flat(found), _flat(claims), strict=True)):
            return claims
        claims = found


def _flat(claims: list[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
    return [side for both in claims for side in both]


def _bound(draws: Sequence[np.ndarray], claims: Sequence[tuple[np.ndarray, np.ndarray]], nth: int) -> float:
    """Quantile of the largest statistic among the questions that are still open; infinite if there are none."""
    largest = [
        side
        for drawn, (ahead, behind) in zip(draws, claims, strict=True)
        for side in (
            _some(drawn, ~ahead).max(axis=0, initial=-np.inf),
            -_some(drawn, ~behind).min(axis=0, initial=np.inf),
        )
    ]
    return _nth_largest(np.max(largest, axis=0), nth)


def _some(rows: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return the rows that are chosen; all of them are not copied."""
    return rows if chosen.all() else rows[chosen]


def _nth_largest(values: np.ndarray, nth: int) -> float:
    """Return the n-th largest value, with a margin for rounding; infinity where n is 0."""
    return float(np.partition(values, -nth)[-nth]) * (1 + ROUNDING) if nth else np.inf


def _place_counts(
    measured: Measured, resampling: Resampling, *, workers: int | None, progress: Progress | None
) -> np.ndarray:
    """(n_features, n_features) draws in which a feature (row) takes a place (column, from the first)."""
    n_features = measured.n_features
    number: dict[bytes, int] = {}  # features that list the same queries share their sums
    listing = np.array([number.setdefault(queries.tobytes(), len(number)) for queries in measured.listed])
    sums = []  # of each listing: (n_draws, n_features) sums of the values over the queries drawn from it
    if measured.lists_differ:
        weights = resampling.weights.astype(np.float64)
        for queries in number:
            grouped = np.add.reduceat(measured.values * np.frombuffer(queries), measured.group_start, axis=1)
            sums.append(weights @ grouped.T)
    else:
        sums.append(resampling.drawn.T + measured.grouped.sum(axis=1))
    of_listing = np.array(sums)  # (n_listings, n_draws, n_features)
    tolerance = measured.noise * measured.n_queries

    def count(feature: int) -> np.ndarray:
        own = of_listing[listing, :, feature].T  # (n_draws, n_features), on the queries that the other lists
        others = of_listing[listing[feature]]
        ahead = np.count_nonzero(others > own + tolerance, axis=1)
        return np.bincount(ahead, minlength=n_features)

    return np.array(in_threads(count, range(n_features), workers=workers, progress=progress))

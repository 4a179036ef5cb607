"""What random tie-breaks do to the order of the features: chances to be ahead, and to be first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr

from tiecore.evaluation.random_values import RandomValues, of_all_queries
from tiecore.stability.leaderboards import Leaderboards, without_noise

MANY_TIED = 30
"""Queries with open ties from which on the noise of ties of a mean is nearly normal."""
_NOISE = 1e-12
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """Random tie-breaks of all features; features are those of the leaderboards."""

    variance: np.ndarray
    """(n_features, n_features) variance of the mean difference of each two features."""
    beats: np.ndarray
    """(n_features, n_features) chance that the row is ahead of the column, equal values counting half."""
    first: np.ndarray
    """(n_features,) share of the draws in which a feature is in first place."""

    @classmethod
    def unknown(cls, n_features: int) -> Chances:
        """Nothing is known."""
        unknown = np.full((n_features, n_features), np.nan)
        return cls(unknown, unknown, unknown[0])


def chances(boards: Leaderboards, drawn: RandomValues | None, shares_orders: np.ndarray) -> Chances:
    """Put exact moments and drawn random orders together.

    Variances are exact where the measure has them; from the draws come correlations, first places, and the chances of
    pairs with few tied queries.

    ``drawn``: of the evaluation; None where too many documents are tied, and then nothing is known but what is certain.
    ``shares_orders``: (n_features,) bool: whether the ties of a feature are broken by the order that others share.
    """
    n_features = len(boards.features)
    found = Chances.unknown(n_features)
    if drawn is not None:
        variance, scale = _variances(boards, drawn, shares_orders)
        noise = of_all_queries(drawn.totals[:, boards.order], drawn, boards.measure, scale=scale)
        means = boards.mean[0] + noise / boards.n_queries
        # in a common unit, equal where they differ by the noise of the arithmetic
        values = np.round(means * (_NOISE / (boards.noise or _NOISE)), 12)
        first = (values == values.max(axis=1, keepdims=True)).mean(axis=0)
        found = Chances(variance, _beats(boards, drawn, means, variance), first)
    certain = boards.lead("worst", "best") > 0
    return replace(found, beats=np.where(certain, 1.0, np.where(certain.T, 0.0, found.beats)))


def _variances(boards: Leaderboards, drawn: RandomValues, shares_orders: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n_features, n_features) variance of each mean difference; (n_features,) by what to scale the deviations drawn.

    Var(A − B) = V_A + V_B − 2ρ√(V_A·V_B) over the queries that both list, ρ the correlation in the draws.
    """
    n_features = len(boards.features)
    covariance, seen = np.zeros((n_features, n_features)), np.zeros((n_features, len(drawn.queries)))
    for block, deviations in drawn.dense():
        centred = deviations[boards.order]
        centred -= centred.mean(axis=1, keepdims=True)
        seen[:, block] = np.einsum("fmq,fmq->fq", centred, centred)
        tied = np.flatnonzero(seen[:, block].any(axis=1))
        some = centred[tied]
        # not by BLAS: its threads wait for each other at full load where other work goes on
        covariance[np.ix_(tied, tied)] += np.einsum("imq,jmq->ij", some, some)
    present = boards.listed.astype(np.float64)
    column = np.searchsorted(boards.query, drawn.queries)
    of_draws = seen @ present[:, column].T  # of the row, on the queries that the column lists too
    spread = np.sqrt(of_draws * of_draws.T)
    correlation = np.divide(covariance, spread, out=np.zeros_like(covariance), where=spread > 0)
    correlation *= shares_orders[:, None] & shares_orders
    np.fill_diagonal(correlation, 1.0)
    if boards.measure.has_variance:
        own = np.where(boards.listed, boards.tie_variance, 0.0) @ present.T
    else:
        n_open = np.count_nonzero(boards.is_open.any(axis=0))
        own = of_draws * (n_open / max(1, len(drawn.queries)) / (drawn.orders - 1))
    both = own + own.T
    variance = both - 2 * np.clip(correlation, -1.0, 1.0) * np.sqrt(own * own.T)
    variance[variance <= _NOISE * both] = 0.0
    alone = np.diag(of_draws) / (drawn.orders - 1)
    scale = np.sqrt(np.divide(np.diag(own), alone, out=np.ones(n_features), where=alone > 0))
    return variance / np.maximum(present @ present.T, 1.0) ** 2, scale


def _beats(boards: Leaderboards, drawn: RandomValues, means: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """(n_features, n_features) chance that the row is ahead of the column."""
    lead = boards.lead("expected", "expected")
    is_open, present = boards.is_open.astype(np.float64), boards.listed.astype(np.float64)
    shown = is_open @ present.T
    n_tied = shown + shown.T - is_open @ is_open.T
    is_normal = (n_tied >= MANY_TIED) | (not drawn.is_complete)
    if not boards.measure.averages_orderings:
        is_normal[:] = False
    sd = np.sqrt(variance)
    z = np.divide(lead, sd, out=np.where(lead == 0, 0.0, np.copysign(np.inf, lead)), where=sd > 0)
    beats = np.clip(ndtr(z), np.finfo(np.float64).tiny, np.nextafter(1.0, 0.0))
    if not is_normal.all():
        shares, half_a_draw = _shares(boards, drawn, means), 0.5 / drawn.weight.min()
        beats = np.where(is_normal, beats, np.clip(shares, half_a_draw, 1 - half_a_draw))
    return beats


def _shares(boards: Leaderboards, drawn: RandomValues, means: np.ndarray) -> np.ndarray:
    """(n_features, n_features) share of the draws in which the row is ahead of the column.

    The mean of a difference is known exactly, so what the draws miss it by is taken out, as far as being ahead goes
    with the difference: a control variate, without which few orders err three times as much (docs/decisions.md).
    """
    lead = boards.lead("expected", "expected")
    sums = np.zeros((4, *lead.shape))
    for feature, gap in _gaps(boards, drawn, means):
        is_ahead, off = (np.sign(without_noise(gap, boards.noise)) + 1) / 2, gap - lead[feature]
        for total, summand in zip(sums, (is_ahead, off, off * off, is_ahead * off), strict=True):
            total[feature] += summand.sum(axis=0)
    share, off, square, both = sums / len(means)
    spread = square - off * off
    slope = np.divide(both - share * off, spread, out=np.zeros_like(spread), where=spread > _NOISE * square)
    return share - slope * off if boards.measure.averages_orderings else share


def _gaps(boards: Leaderboards, drawn: RandomValues, means: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Yield a feature and (n_some, n_features) how far it is ahead in some draws, on the queries that both list."""
    if boards.listed.all() or not drawn.is_complete:
        yield from ((feature, means[:, [feature]] - means) for feature in range(len(boards.features)))
        return
    n_features = len(boards.features)
    lead = boards.lead("expected", "expected")
    present = boards.listed.astype(np.float64)
    n_common = np.maximum(present @ present.T, 1.0)
    own = present[:, np.searchsorted(boards.query, drawn.queries)]
    at_once = max(1, _AT_ONCE // max(1, n_features * len(drawn.queries)))
    for begin in range(0, len(means), at_once):
        some = np.zeros((n_features, min(at_once, len(means) - begin), len(drawn.queries)))
        order = drawn.order[begin : begin + at_once, drawn.part]
        for deviations, f in zip(some, boards.order, strict=True):
            query = drawn.query_of_list[f]
            deviations[:, query] = np.take_along_axis(drawn.deviations[f], order[:, query], axis=0)
        for feature in range(n_features):
            noise = some[feature] @ own.T - (some @ own[feature]).T  # (n_some, n_features) on what both list
            yield feature, lead[feature] + noise / n_common[feature]

"""Chances under random tie-breaks: of a feature to beat another, and of each place."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, ndtri

from tiecore.stability.rows import lowest_place

__all__ = [
    "interval_places",
    "intervals_apart",
    "normal_beats",
    "normal_chance",
    "normal_places",
    "sampled_beats",
    "sampled_places",
]

_NODES = 500
_NEVER = 1e-15


def interval_places(worst: np.ndarray, best: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Best and worst place that any tie-breaking can give each feature.

    A feature is sure to be ahead only if its worst case is strictly better than the other's best: equals share a place.

    ``worst``, ``best``: (n_features,) bounds of each, more being better.
    """
    surely_behind = intervals_apart(worst, best).sum(
        axis=0
    )  # (n_features,) how many are ahead of each, however ties are broken
    maybe_behind = (best[:, None] > worst).sum(axis=0) - (best > worst)  # itself not counted
    return 1 + surely_behind, 1 + maybe_behind


def intervals_apart(worst: np.ndarray, best: np.ndarray) -> np.ndarray:
    """(n_features, n_features) bool: the row beats the column whatever the ties."""
    return worst[:, None] > best


def normal_beats(expected: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """(n_features, n_features) chance that the row beats the column: Φ((E_A − E_B)/√(V_A + V_B)).

    Features of equal expectation stand at 0.5, those without ties in between as well.
    """
    return normal_chance(expected[:, None] - expected, np.hypot(sd[:, None], sd))


def normal_chance(difference: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return the chance that a normal variable with this mean and deviation is positive; never quite 0 or 1."""
    without_noise = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    z = np.divide(difference, spread, out=without_noise, where=spread > 0)
    return np.clip(ndtr(z), np.finfo(np.float64).tiny, np.nextafter(1.0, 0.0))


def sampled_beats(values: np.ndarray) -> np.ndarray:
    """(n_features, n_features) share of the draws in which the row beats the column, equal values counting half.

    What never happened in n draws is given 1/(2n): a sample cannot say impossible.
    """
    draws, n_features = values.shape
    beats = np.empty((n_features, n_features))
    for feature in range(n_features):
        own = values[:, [feature]]
        beats[feature] = ((own > values).mean(axis=0) + (own >= values).mean(axis=0)) / 2
    return np.clip(beats, 0.5 / draws, 1 - 0.5 / draws)


def normal_places(
    expected: np.ndarray, sd: np.ndarray, worst: np.ndarray, best: np.ndarray, *, step: float = 0.0
) -> np.ndarray:
    """(n_features, n_features) chance of each feature (row) to take each place (column, from the first).

    The means are independent normals held inside their bounds. Given the value of a feature, the others are ahead of
    it independently of each other, so its place is one more than a sum of unequal coins; that distribution is averaged
    over values of the feature which split its own distribution into equally likely parts.

    ``expected``, ``sd``, ``worst``, ``best``: (n_features,) moments and bounds of the means, more being better.
    ``step``: distance of neighbouring values if the means are multiples of one number, as those of P@k are. Features
    then often draw and share the better place, so to be ahead takes half a step more.
    """
    n_features = len(expected)
    nodes = ndtri((np.arange(_NODES) + 0.5) / _NODES)
    itself = np.eye(n_features, dtype=bool)
    chances = np.zeros((n_features, n_features))
    for feature in range(n_features):
        own_nodes = nodes if sd[feature] > 0 else nodes[:1]  # without noise its value is known
        own = np.clip(expected[feature] + sd[feature] * own_nodes, worst[feature], best[feature])
        always = worst - step / 2 > own[-1]  # ahead, whatever its value
        near = np.flatnonzero((best > own[0]) & ~always & ~itself[feature])
        ahead = (expected[near, None] > own + step / 2).astype(np.float64)  # (n_near, n_nodes)
        noisy = sd[near] > 0
        ahead[noisy] = ndtr((expected[near[noisy], None] - own - step / 2) / sd[near[noisy], None])
        ahead[own >= best[near, None]] = 0.0
        ahead[own < worst[near, None] - step / 2] = 1.0
        sure = ahead.min(axis=1) > 1 - _NEVER
        open_to_chance = ahead[(ahead.max(axis=1) > _NEVER) & ~sure]
        first = int(always.sum() + sure.sum())
        place = _sum_of_coins(open_to_chance).mean(axis=1)
        chances[feature, first : first + len(place)] = place
    return chances


def _sum_of_coins(heads: np.ndarray) -> np.ndarray:
    """(n_coins + 1, n_nodes) distribution of the number of heads among independent coins.

    ``heads``: (n_coins, n_nodes) chance of heads of each coin, at each node.
    """
    chance = np.zeros((len(heads) + 1, heads.shape[1]))
    chance[0] = 1.0
    for n_before, coin in enumerate(heads):
        one_more = chance[: n_before + 1] * coin
        chance[: n_before + 1] -= one_more
        chance[1 : n_before + 2] += one_more
    return chance


def sampled_places(values: np.ndarray) -> np.ndarray:
    """(n_features, n_features) share of the draws in which a feature (row) takes a place (column)."""
    draws, n_features = values.shape
    place = lowest_place(-values) - 1  # (draws, n_features)
    cell = place + n_features * np.arange(n_features)
    count = np.bincount(cell.ravel(), minlength=n_features * n_features)
    return count.reshape(n_features, n_features) / draws

"""Pairs of features that do not list the same queries, compared on those that both list."""

from __future__ import annotations

import numpy as np

from tiecore.evaluation.values import Values
from tiecore.stability.chance import normal_chance
from tiecore.stability.compared import Compared, equalised
from tiecore.stability.draws import draw_means, sd_of_draws
from tiecore.threads import Progress

__all__ = ["apart_on_common", "normal_on_common", "sampled_on_common"]


def _common_means(values: np.ndarray, boards: Compared) -> np.ndarray:
    """(n_features, n_features) mean of the row over the queries that it has in common with the column; 0 without any.

    ``values``: (n_features, n_queries)
    """
    listed = boards.listed.astype(np.float64)
    return (np.where(boards.listed, values, 0.0) @ listed.T) / np.maximum(listed @ listed.T, 1.0)


def apart_on_common(boards: Compared) -> np.ndarray:
    """(n_features, n_features) bool: the row beats the column whatever the ties, on the queries that both list."""
    worst, best = (equalised(_common_means(boards.per_query[board], boards), unit=boards.unit) for board in (-2, -1))
    return worst > best.T


def normal_on_common(boards: Compared) -> tuple[np.ndarray, np.ndarray]:
    """Return (n_features, n_features) chances to beat and (n_pairs,) deviations of the difference, by exact moments."""
    expected = equalised(_common_means(boards.per_query[0], boards), unit=boards.unit)
    listed = boards.listed.astype(np.float64)
    n_common = np.maximum(listed @ listed.T, 1.0)
    variance = (np.where(boards.listed, boards.tie_variance, 0.0) @ listed.T) / n_common**2
    sd = np.sqrt(variance + variance.T)
    return normal_chance(expected - expected.T, sd / boards.unit), sd[np.triu_indices(len(sd), 1)]


def sampled_on_common(
    evaluation: Values, boards: Compared, *, draws: int, seed: int, shared_order: bool, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the same from random tie-breaks, for measures without a variance, few queries or a shared order."""
    n_features = len(boards.features)
    first, second = np.triu_indices(n_features, 1)
    sets = [np.unique(boards.listed[feature] & boards.listed, axis=0) for feature in range(n_features)]
    sets = [own[own.any(axis=1)] for own in sets]
    number = [{row.tobytes(): place for place, row in enumerate(own)} for own in sets]
    means = draw_means(
        evaluation,
        boards.measure,
        {name: own for name, own in zip(boards.features, sets, strict=True) if len(own)},
        draws=draws,
        seed=seed,
        shared_order=shared_order,
        progress=progress,
    )
    sign = 1.0 if boards.measure.higher_is_better else -1.0
    beats, sd = np.full((n_features, n_features), 0.5), np.zeros(len(first))
    for pair, (a, b) in enumerate(zip(first, second, strict=True)):
        common = (boards.listed[a] & boards.listed[b]).tobytes()
        if common not in number[a]:
            continue
        one, other = (means[boards.features[f]][:, number[f][common]] for f in (a, b))
        gap = sign * (one - other)
        sd[pair] = sd_of_draws(gap[:, None])[0]
        gap = equalised(gap, unit=boards.unit)
        beats[a, b] = ((gap > 0).mean() + (gap >= 0).mean()) / 2
    beats = np.clip(beats, 0.5 / draws, 1 - 0.5 / draws)
    below = np.tril_indices(n_features, -1)
    beats[below] = 1 - beats.T[below]
    return beats, sd

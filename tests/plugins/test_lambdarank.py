"""The averaged objective is the mean of LambdaRank over every order of tied documents."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tiecore
from tests.oracle import enumerate_orderings
from tests.plugins.training import Grouped, dataset, grouped, matrix
from tiecore.plugins import lightgbm, xgboost


def plain_lambdas(
    order: Sequence[Any], scores: Sequence[float], gains: Sequence[float], *, cutoff: int, ideal: float, sigmoid: float
) -> np.ndarray:
    """Gradients and hessians of one strict order, pair by pair; (2, n)."""
    discount = {d: 1 / math.log2(rank + 1) if rank <= cutoff else 0.0 for rank, d in enumerate(order, start=1)}
    found = np.zeros((2, len(scores)))
    for i in order:
        for j in order:
            if gains[i] > gains[j]:
                change = (gains[i] - gains[j]) * abs(discount[i] - discount[j]) / ideal
                chance = 1 / (1 + math.exp(sigmoid * (scores[i] - scores[j])))
                found[0, i] -= sigmoid * change * chance
                found[0, j] += sigmoid * change * chance
                found[1, [i, j]] += sigmoid**2 * change * chance * (1 - chance)
    return found


@pytest.mark.parametrize("name", ["nDCG@3", "nDCG", "nDCG(dcg='exp-log2')@2", "DCG@4"])
@pytest.mark.parametrize("seed", range(6))
def test_gradients_are_the_mean_over_every_order_of_tied_documents(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    scores, labels = rng.integers(0, 3, n).astype(float) / 2, rng.integers(0, 4, n)
    gains = (2.0**labels - 1 if "exp" in name else labels).tolist()
    cutoff = tiecore.measure(name).cutoff or n
    ideal = sum(g / math.log2(r + 1) for r, g in enumerate(sorted(gains, reverse=True)[:cutoff], start=1))
    groups = tuple(tuple(np.flatnonzero(scores == s).tolist()) for s in sorted(set(scores), reverse=True))
    orders = [list(order) for order in enumerate_orderings(groups)]  # documents in place of grades: all distinct
    divisor = ideal if name.startswith("nDCG") else 1.0
    expected = np.zeros((2, n))
    if divisor:
        lambdas = [plain_lambdas(o, scores.tolist(), gains, cutoff=cutoff, ideal=divisor, sigmoid=1.5) for o in orders]
        expected = np.mean(lambdas, axis=0)
    found = lightgbm.objective(name, sigmoid=1.5)(scores, dataset(labels, np.array([n])))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def both(scores: np.ndarray, data: Grouped) -> list[Any]:
    return [
        lightgbm.objective("nDCG@10")(scores, dataset(data.labels, data.sizes)),
        lightgbm.objective("nDCG@10")(data.labels, scores, None, data.sizes),
        xgboost.objective("nDCG@10")(scores, matrix(data.labels, data.sizes)),
    ]


def test_both_libraries_get_the_same_and_the_order_of_rows_changes_no_bit_of_it() -> None:
    data = grouped(6)
    scores = data.features.sum(axis=1) / 3
    found = both(scores, data)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
    order = np.lexsort((np.random.default_rng(0).random(len(scores)), data.group))
    shuffled = Grouped(data.features, data.labels[order], data.sizes)
    for plain, other in zip(found, both(scores[order], shuffled), strict=True):
        np.testing.assert_array_equal(np.array(plain)[:, order], other)


def test_lists_of_one_and_without_gain_and_far_scores_push_nothing() -> None:
    sizes = np.array([1, 3, 2])
    labels, scores = np.array([3, 0, 0, 0, 1, 0]), np.array([0.0, 0.0, 0.0, 1.0, 1e6, -1e6])
    found = np.array(lightgbm.objective()(scores, dataset(labels, sizes)))
    np.testing.assert_allclose(found, np.zeros((2, 6)), rtol=0, atol=1e-200)


def test_what_is_no_objective_is_refused() -> None:
    for name, sigmoid in (("AP", 1.0), ("SDCG@10", 1.0), ("nDCG@10", 0.0), ("nDCG@10", math.nan)):
        for module in (lightgbm, xgboost):
            with pytest.raises(tiecore.TiecoreError):
                module.objective(name, sigmoid=sigmoid)
    for objective, data in ((lightgbm.objective(), dataset), (xgboost.objective(), matrix)):
        with pytest.raises(tiecore.TiecoreError, match="needs groups"):
            objective(np.zeros(2), data(np.zeros(2), None))

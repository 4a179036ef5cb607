"""Coefficients of agreement against their definitions, counted pair by pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from tiecore.stability.agreement import agreement, n_swapped, swapped, tau_ap

FOUR = [np.array(order) for order in itertools.permutations((1, 2, 3, 4))]


def tau_ap_by_definition(reference: list[int], other: list[int]) -> float:
    """Walk down ``other``, without ties, and count who stands rightly above each; a tie of the reference is half."""
    top_down = sorted(range(len(other)), key=lambda feature: other[feature])
    total = 0.0
    for n_above, feature in enumerate(top_down[1:], start=1):
        right = [
            (reference[above] < reference[feature]) + (reference[above] == reference[feature]) / 2
            for above in top_down[:n_above]
        ]
        total += sum(right) / n_above
    return 2 * total / (len(other) - 1) - 1


def orders_of(places: list[int]) -> list[list[int]]:
    """All leaderboards without ties that a leaderboard with ties may stand for."""
    all_orders = itertools.permutations(range(1, len(places) + 1))
    return [
        list(order)
        for order in all_orders
        if all((order[a] < order[b]) or places[a] >= places[b] for a in range(len(places)) for b in range(len(places)))
    ]


def places_of(levels: tuple[int, ...]) -> list[int]:
    return [1 + sum(other < level for other in levels) for level in levels]


@pytest.mark.parametrize("other", FOUR, ids=str)
def test_coefficients_of_all_orders_of_four_are_those_counted_by_pairs(other: np.ndarray) -> None:
    reference = np.array([1, 2, 3, 4])
    pairs = list(itertools.combinations(range(4), 2))
    discordant = sum(other[a] > other[b] for a, b in pairs)
    row = agreement(["x", "y"], np.array([reference, other])).iloc[0]
    assert row["n_swapped"] == discordant
    assert row["kendall_tau"] == pytest.approx(1 - 2 * discordant / 6, rel=0, abs=1e-12)
    assert row["spearman"] == pytest.approx(1 - 6 * ((other - reference) ** 2).sum() / 60, rel=0, abs=1e-12)
    assert row["tau_ap"] == pytest.approx(tau_ap_by_definition(reference.tolist(), other.tolist()), rel=0, abs=1e-12)


def test_kendall_tau_takes_ties_as_tau_b_does() -> None:
    # 5 of 6 pairs concordant, the sixth tied in one of them: 5 / sqrt(6 · 5)
    row = agreement(["x", "y"], np.array([[1, 2, 3, 4], [1, 2, 2, 4]])).iloc[0]
    assert row["kendall_tau"] == pytest.approx(5 / np.sqrt(30), rel=0, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_all_leaderboards_at_once_have_the_coefficients_that_scipy_gives_for_two(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 2 + seed, size=(5, 3 + 2 * seed))
    scores[:, :2] = [0, 1]  # each has an order
    boards = np.array([np.searchsorted(np.sort(row), row) + 1 for row in scores])
    table = agreement(list("abcde"), boards)
    pairs = list(itertools.combinations(boards, 2))
    taus, rhos = ([f(*pair).statistic for pair in pairs] for f in (stats.kendalltau, stats.spearmanr))
    np.testing.assert_allclose(table["kendall_tau"], taus, rtol=0, atol=1e-12)
    np.testing.assert_allclose(table["spearman"], rhos, rtol=0, atol=1e-12)


@pytest.mark.parametrize("levels", sorted(set(itertools.product((0, 1, 2), repeat=4)) - {(0, 0, 0, 0)})[::3], ids=str)
@pytest.mark.parametrize("reference", [[1, 2, 3, 4], [4, 1, 1, 3]], ids=str)
def test_tau_ap_of_ties_is_the_mean_over_all_their_orders(reference: list[int], levels: tuple[int, ...]) -> None:
    other = places_of(levels)
    mean = np.mean([tau_ap_by_definition(reference, order) for order in orders_of(other)])
    assert tau_ap(np.array(reference), np.array(other)) == pytest.approx(mean, rel=0, abs=1e-12)


def test_tau_ap_agrees_with_the_values_its_authors_print() -> None:
    true = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
    found = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])

    def places(values: np.ndarray) -> np.ndarray:
        return np.array([1 + (values > value).sum() for value in values])

    assert tau_ap(places(true), places(found)) == pytest.approx(0.7491182, rel=0, abs=5e-8)
    coarse = np.round(found * 5) / 5
    assert tau_ap(places(true), places(coarse)) == pytest.approx(0.6074515, rel=0, abs=5e-8)


@pytest.mark.parametrize("boards", [[[1, 2, 3], [1, 1, 1]], [[1, 1, 1], [3, 1, 2]], [[1], [1]]], ids=str)
def test_a_leaderboard_without_order_has_no_correlation(boards: list[list[int]]) -> None:
    row = agreement(["x", "y"], np.array(boards)).iloc[0]
    assert row[["kendall_tau", "tau_ap", "spearman"]].isna().all()
    assert row["n_swapped"] == 0


def test_swapped_pairs_name_the_one_ahead_in_the_reference_first_and_leave_out_ties() -> None:
    reference, other = np.array([1, 2, 2, 4]), np.array([3, 1, 3, 2])
    # 0 before 1 and 0 before 3 are reversed; 0 and 2 are equal in other, 1 and 2 in the reference; 2 before 3 reversed
    assert swapped(reference, other).tolist() == [[0, 1], [0, 3], [2, 3]]
    assert n_swapped(reference, other) == 3


def test_every_two_leaderboards_are_compared_once() -> None:
    table = agreement(["expected", "t", "worst", "best"], np.array([[1, 2], [2, 1], [1, 2], [1, 2]]))
    assert table.index.tolist() == list(itertools.combinations(["expected", "t", "worst", "best"], 2))
    assert table["n_swapped"].tolist() == [1, 0, 0, 1, 1, 0]

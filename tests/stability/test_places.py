"""Places, groups and letters follow from the pairs that are told apart; agreement of leaderboards is that of two."""

import itertools

import numpy as np
import pytest
from scipy import stats

from tiecore import similarity
from tiecore.stability.agreement import agreement
from tiecore.stability.places import groups, letters, place_sets, reachable_places


def apart(n_features: int, seed: int) -> np.ndarray:
    """Row clearly better than column: only a feature in front can be, at random."""
    rng = np.random.default_rng(seed)
    return np.triu(rng.uniform(size=(n_features, n_features)) < rng.uniform(), 1)


CASES = [apart(n, seed) for n in (1, 2, 5, 12) for seed in range(12)]


@pytest.mark.parametrize("is_better", CASES, ids=lambda case: str(len(case)))
def test_sets_groups_and_letters_agree_with_the_pairs(is_better: np.ndarray) -> None:
    n = len(is_better)
    low, high = place_sets(is_better)
    assert ((low <= np.arange(1, n + 1)) & (np.arange(1, n + 1) <= high)).all(), "a set holds the place"
    group, of_feature = groups(is_better), letters(is_better | is_better.T)
    assert set(group) == set(range(1, group.max() + 1))
    for number in set(group):
        first = np.flatnonzero(group == number)[0]
        assert not is_better[first, group == number].any()
        assert is_better[first, group > number].all()
    for a in range(n):
        for b in range(n):
            share = bool(set(of_feature[a]) & set(of_feature[b]))
            assert share == (a == b or not (is_better[a, b] or is_better[b, a]))
    used = sorted(set("".join(of_feature)))
    assert used == [chr(ord("a") + place) for place in range(len(used))]


def test_bounds_that_touch_leave_a_place_open() -> None:
    best_place, worst_place = reachable_places(np.array([0.6, 0.2, 0.5]), np.array([0.8, 0.5, 0.5]))
    assert best_place.tolist() == [1, 2, 2]
    assert worst_place.tolist() == [1, 3, 2]


@pytest.mark.parametrize("seed", range(12))
def test_all_leaderboards_at_once_have_the_coefficients_of_two(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 2 + seed, size=(5, 3 + 2 * seed))
    scores[:, :2] = [0, 1]  # each has an order
    boards = np.array([np.searchsorted(np.sort(row), row) + 1 for row in scores])
    found = agreement(list("abcde"), boards)
    assert found.index.tolist() == list(itertools.combinations("abcde", 2)), "every two are compared once"
    for row, (reference, other) in zip(found.to_dict("records"), itertools.combinations(boards, 2), strict=True):
        known = {
            "kendall_tau": stats.kendalltau(reference, other).statistic,
            "tau_ap": similarity.tau_ap(-reference, -other),
            "n_swapped": sum((r < 0) != (o < 0) for r, o in differences(reference, other) if r and o),
        }
        assert row == pytest.approx(known, rel=0, abs=1e-12)


def differences(reference: np.ndarray, other: np.ndarray) -> list[tuple[int, int]]:
    first, second = np.triu_indices(len(reference), 1)
    return list(zip(reference[first] - reference[second], other[first] - other[second], strict=True))


@pytest.mark.parametrize("boards", [[[1, 2, 3], [1, 1, 1]], [[1, 1, 1], [3, 1, 2]], [[1], [1]]], ids=str)
def test_a_leaderboard_without_order_has_no_correlation(boards: list[list[int]]) -> None:
    row = agreement(["x", "y"], np.array(boards)).iloc[0]
    assert row[["kendall_tau", "tau_ap"]].isna().all()
    assert row["n_swapped"] == 0


def test_swapped_pairs_leave_out_ties() -> None:
    # 0 before 1 and 0 before 3 are reversed; 0 and 2 are equal in other, 1 and 2 in the reference; 2 before 3 reversed
    assert agreement(["x", "y"], np.array([[1, 2, 2, 4], [3, 1, 3, 2]]))["n_swapped"].tolist() == [3]

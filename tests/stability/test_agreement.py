"""Coefficients of agreement of many leaderboards against those of two, which are known from elsewhere."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from tiecore import similarity
from tiecore.stability.agreement import agreement


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
            "spearman": stats.spearmanr(reference, other).statistic,
            "tau_ap": similarity.tau_ap(-reference, -other),
            "n_swapped": sum((r < 0) != (o < 0) for r, o in differences(reference, other) if r and o),
        }
        assert row == pytest.approx(known, rel=0, abs=1e-12)


def differences(reference: np.ndarray, other: np.ndarray) -> list[tuple[int, int]]:
    """Difference of the places of each pair of features in both."""
    first, second = np.triu_indices(len(reference), 1)
    return list(zip(reference[first] - reference[second], other[first] - other[second], strict=True))


@pytest.mark.parametrize("boards", [[[1, 2, 3], [1, 1, 1]], [[1, 1, 1], [3, 1, 2]], [[1], [1]]], ids=str)
def test_a_leaderboard_without_order_has_no_correlation(boards: list[list[int]]) -> None:
    row = agreement(["x", "y"], np.array(boards)).iloc[0]
    assert row[["kendall_tau", "tau_ap", "spearman"]].isna().all()
    assert row["n_swapped"] == 0


def test_swapped_pairs_leave_out_ties() -> None:
    # 0 before 1 and 0 before 3 are reversed; 0 and 2 are equal in other, 1 and 2 in the reference; 2 before 3 reversed
    assert agreement(["x", "y"], np.array([[1, 2, 2, 4], [3, 1, 3, 2]]))["n_swapped"].tolist() == [3]

"""Places, groups and letters follow from the pairs that are told apart."""

from __future__ import annotations

import numpy as np
import pytest

from tiecore.stability.places import groups, letters, place_sets, ranked, reachable_places


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


def test_equal_values_share_the_better_place_and_bounds_that_touch_leave_it_open() -> None:
    assert ranked(np.array([[1.0, 3.0, 1.0], [2.0, 2.0, 2.0]])).tolist() == [[2, 1, 2], [1, 1, 1]]
    best_place, worst_place = reachable_places(np.array([0.6, 0.2, 0.5]), np.array([0.8, 0.5, 0.5]))
    assert best_place.tolist() == [1, 2, 2]
    assert worst_place.tolist() == [1, 3, 2]

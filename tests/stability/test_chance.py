"""Chances of normal means against draws of them and laws that hold whatever the numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from tiecore.stability.chance import (
    interval_places,
    normal_beats,
    normal_places,
    sampled_beats,
    sampled_places,
)
from tiecore.stability.draws import sd_of_differences, sd_of_draws

EXPECTED = np.array([0.5, 0.48, 0.47, 0.47, 0.2])
SD = np.array([0.02, 0.1, 0.0, 0.03, 0.001])
FAR = np.full(5, 9.0)


@pytest.mark.untraced
def test_chances_of_places_are_those_of_drawn_normals() -> None:
    rng = np.random.default_rng(5)
    draws = 200_000
    values = EXPECTED + SD * rng.normal(size=(draws, 5))
    found = normal_places(EXPECTED, SD, -FAR, FAR)
    drawn = sampled_places(values)
    np.testing.assert_allclose(found, drawn, rtol=0, atol=4 * 0.5 / np.sqrt(draws) + 1 / 500)
    np.testing.assert_allclose(normal_beats(EXPECTED, SD), sampled_beats(values), rtol=0, atol=4 * 0.5 / np.sqrt(draws))


def test_chances_of_places_stay_inside_the_bounds() -> None:
    rng = np.random.default_rng(6)
    worst, best = EXPECTED - 1.5 * SD, EXPECTED + 1.5 * SD
    found = normal_places(EXPECTED, SD, worst, best)
    drawn = sampled_places(np.clip(EXPECTED + SD * rng.normal(size=(100_000, 5)), worst, best))
    np.testing.assert_allclose(found, drawn, rtol=0, atol=4 * 0.5 / np.sqrt(100_000) + 1 / 500)
    best_place, worst_place = interval_places(worst, best)
    place = np.arange(1, 6)
    impossible = (place < best_place[:, None]) | (place > worst_place[:, None])
    assert impossible.any()
    assert (found[impossible] == 0).all()


def test_bounds_closer_than_the_noise_decide() -> None:
    expected, sd = np.array([0.5, 0.47, 0.46]), np.array([0.1, 0.1, 0.05])
    worst, best = np.array([0.48, 0.3, 0.44]), np.array([0.52, 0.475, 0.6])
    rng = np.random.default_rng(9)
    drawn = sampled_places(np.clip(expected + sd * rng.normal(size=(100_000, 3)), worst, best))
    found = normal_places(expected, sd, worst, best)
    np.testing.assert_allclose(found, drawn, rtol=0, atol=4 * 0.5 / np.sqrt(100_000) + 1 / 500)
    assert found[0, 2] == found[1, 0] == 0


def test_every_feature_takes_some_place_and_on_average_one_more_than_beat_it() -> None:
    rng = np.random.default_rng(7)
    expected, sd = rng.normal(scale=0.02, size=40), rng.uniform(0.005, 0.02, size=40)
    far = np.full(40, 9.0)
    chances = normal_places(expected, sd, -far, far)
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=0, atol=1e-12)
    beats = normal_beats(expected, sd)
    np.testing.assert_allclose(chances @ np.arange(1, 41), 1 + beats.sum(axis=0) - np.diag(beats), rtol=0, atol=0.01)


def test_draws_of_means_that_are_multiples_of_one_number_share_the_better_place() -> None:
    n_queries, chance = 40, np.array([0.5, 0.45])
    successes = np.arange(n_queries + 1)
    ahead, behind = (binom.pmf(successes, n_queries, p) for p in chance)
    first = np.array([(ahead * behind.cumsum()).sum(), (behind * ahead.cumsum()).sum()])
    assert first.sum() > 1.05
    sd = np.sqrt(chance * (1 - chance) / n_queries)
    found = normal_places(chance, sd, np.zeros(2), np.ones(2), step=1 / n_queries)
    np.testing.assert_allclose(found, np.transpose([first, 1 - first]), rtol=0, atol=2e-3)


@pytest.mark.parametrize("sd_of_other", [0.0, 1e-6])
def test_a_mean_that_lands_on_that_of_a_steady_feature_draws(sd_of_other: float) -> None:
    n_queries = 40
    first = np.array([binom.sf(19, n_queries, 0.5), binom.cdf(20, n_queries, 0.5)])
    found = normal_places(
        np.array([0.5, 0.5]),
        np.array([np.sqrt(0.25 / n_queries), sd_of_other]),
        np.array([0.0, 0.5]),
        np.array([1.0, 0.5 + sd_of_other]),
        step=1 / n_queries,
    )
    np.testing.assert_allclose(found, np.transpose([first, 1 - first]), rtol=0, atol=2e-3)


def test_who_is_more_than_half_a_step_better_at_worst_is_ahead_for_sure() -> None:
    expected, sd = np.array([0.5, 0.46]), np.array([0.1, 0.0])
    worst, best = np.array([0.48, 0.46]), np.array([0.6, 0.46])
    assert normal_places(expected, sd, worst, best, step=0.025)[1].tolist() == [0, 1]


def test_two_features_take_the_first_place_as_often_as_they_beat_each_other() -> None:
    expected, sd = np.array([0.5, 0.49]), np.array([0.02, 0.01])
    chances = normal_places(expected, sd, np.zeros(2), np.ones(2))
    known = ndtr(0.01 / np.hypot(0.02, 0.01))
    assert normal_beats(expected, sd)[0, 1] == pytest.approx(known, rel=0, abs=1e-12)
    np.testing.assert_allclose(chances, [[known, 1 - known], [1 - known, known]], rtol=0, atol=1e-4)


def test_features_without_noise_stand_where_they_are_and_equals_share_a_place() -> None:
    expected, none = np.array([0.5, 0.5, 0.4]), np.zeros(3)
    assert normal_places(expected, none, expected, expected).tolist() == [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    beats = normal_beats(expected, none)
    assert beats[0, 1] == beats[1, 0] == 0.5
    assert beats[0, 2] > 1 - 1e-12
    assert beats[2, 0] < 1e-12


def test_a_normal_chance_is_never_certainty() -> None:
    beats = normal_beats(np.array([1.0, 0.0]), np.array([1e-6, 1e-6]))
    assert 0 < beats[1, 0] < beats[0, 1] < 1


def test_a_sample_never_says_impossible_and_halves_its_draws() -> None:
    values = np.array([[1.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 2.0], [1.0, 0.0, 1.0]])
    np.testing.assert_allclose(
        sampled_beats(values), [[0.5, 7 / 8, 0.5], [1 / 8, 0.5, 1 / 8], [0.5, 7 / 8, 0.5]], rtol=0, atol=1e-12
    )
    assert sampled_places(values).tolist() == [[0.75, 0.25, 0], [0, 0.25, 0.75], [0.75, 0.25, 0]]


def test_bounds_that_touch_leave_the_place_open_to_a_draw_only() -> None:
    # the worst of the first is the best of the second: it cannot fall behind it, nor is it sure to be ahead
    best_place, worst_place = interval_places(np.array([0.5, 0.2, 0.1]), np.array([0.9, 0.5, 0.1]))
    assert best_place.tolist() == [1, 1, 3]
    assert worst_place.tolist() == [1, 2, 3]


def test_deviations_of_differences_are_paired_draw_by_draw() -> None:
    rng = np.random.default_rng(8)
    shared = rng.normal(size=(500, 1))
    values = np.hstack([shared, shared, -shared])
    assert sd_of_differences(values) == pytest.approx([0, 2 * shared.std(ddof=1), 2 * shared.std(ddof=1)])


def test_draws_that_differ_by_rounding_alone_have_no_deviation_and_others_have_theirs() -> None:
    found = sd_of_draws(np.array([[0.1 + 0.2, 0.4, 4e-14, 0.0], [0.3, 0.6, 6e-14, 0.0]]))
    known = 0.2 / np.sqrt(2)
    assert found == pytest.approx([0.0, known, known * 1e-13, 0.0], rel=1e-9, abs=0)

"""The test of pairs against scipy, its allowance for rare queries, Holm, and the smallest difference that is found."""

import numpy as np
import pytest
from scipy import stats

from tiecore.errors import TiecoreError
from tiecore.evaluation.intervals import FEWEST_QUERIES
from tiecore.stability import paired as module
from tiecore.stability.paired import allowance, holm, paired
from tiecore.stability.sensitivity import queries_needed, smallest_difference


def values_of(n_features: int, n_queries: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(size=(n_features, n_queries)).round(2)


@pytest.mark.parametrize("n_queries", [6, 29, 30, 400])
def test_every_pair_has_the_t_test_with_two_more_squares_and_its_interval(n_queries: int) -> None:
    values = values_of(4, n_queries)
    test = paired(values, span=1.0)
    for pair, (a, b) in enumerate(zip(*np.triu_indices(4, 1), strict=True)):
        d = values[a] - values[b]
        unusual = [np.sum(values[f] != np.partition(values[f], n_queries // 2)[n_queries // 2]) for f in (a, b)]
        u = 1 / (1 + min(unusual))
        se = np.sqrt((np.square(d - d.mean()).sum() + 2 * u**2) / n_queries / (n_queries - 1))
        assert test.difference[pair] == pytest.approx(d.mean(), rel=0, abs=1e-14)
        assert test.se[pair] == pytest.approx(se, rel=1e-12)
        assert test.p[pair] == pytest.approx(2 * stats.t.sf(abs(d.mean()) / se, n_queries - 1), rel=1e-9)
        assert test.plain_p[pair] == pytest.approx(stats.ttest_rel(values[a], values[b]).pvalue, rel=1e-9)
        half = stats.t.ppf(0.975, n_queries - 1) * se
        low, high = (ends[pair] for ends in test.interval)
        np.testing.assert_allclose([low, high], [d.mean() - half, d.mean() + half], rtol=0, atol=1e-12)


def test_the_allowance_vanishes_for_ordinary_features_and_decides_where_hits_are_few() -> None:
    n_queries = 50
    steady, ordinary = np.full(n_queries, 0.05), values_of(1, n_queries)[0]
    hits = np.zeros(n_queries)
    hits[:3] = 1.0
    values = np.stack([steady, np.zeros(n_queries), hits, ordinary])
    largest = allowance(values, np.ones(values.shape, dtype=bool), largest=1.0)
    assert largest[0, 1] == 1.0
    assert largest[2, 3] == 1 / 4
    test = paired(values, span=1.0)
    assert test.plain_p[0] == 0
    assert test.p[0] > 0.05, "fifty queries may have missed a hit of one in twenty"
    many = paired(np.stack([ordinary, np.roll(ordinary, 1)]), span=1.0)
    assert many.se[0] == pytest.approx(np.sqrt(many.squares[0] / 50 / 49), rel=0.001)


@pytest.mark.parametrize("share", [0.02, 0.05, 0.1])
def test_features_that_earn_the_same_by_rare_hits_and_steadily_are_rarely_told_apart(share: float) -> None:
    rng = np.random.default_rng(3)
    hits = rng.uniform(size=(500, 50)) < share
    found = [paired(np.stack([row, np.full(50, share)]), span=1.0).p[0] <= 0.05 for row in hits.astype(float)]
    assert np.mean(found) < 0.08


def test_an_interval_never_leaves_the_range_of_the_measure_and_unbounded_ones_go_by_what_is_seen() -> None:
    values = np.stack([np.ones(6), np.zeros(6)])
    (low,), (high,) = paired(values, span=1.0).interval
    assert -1 <= low < high == 1
    assert paired(10 * values, span=None).largest == 10


@pytest.mark.parametrize("n_queries", range(FEWEST_QUERIES))
def test_fewer_than_six_queries_tell_nothing(n_queries: int) -> None:
    test = paired(values_of(2, n_queries), span=1.0)
    assert np.isnan([test.p[0], test.se[0], *(ends[0] for ends in test.interval)]).all()
    assert np.isnan(test.difference[0]) == (n_queries == 0)


def test_noise_of_the_arithmetic_is_no_difference() -> None:
    values = values_of(1, 20) * 1e9
    test = paired(np.concatenate([values, values + 1e-5]), span=None)
    assert test.is_equal.all()
    assert test.p[0] == 1
    assert not paired(np.concatenate([values, values + 1.0]), span=None).is_equal.any()


@pytest.mark.parametrize("at_once", [1, 10**6])
def test_pairs_are_compared_on_the_queries_that_both_list(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    values, rng = values_of(5, 60), np.random.default_rng(1)
    values[1] = values[0] + 1e-9 * values[2]  # what nearly cancels keeps its deviation
    listed = rng.uniform(size=values.shape) < 0.8
    listed[4] = False
    test = paired(values, span=1.0, listed=listed)
    for pair, (a, b) in enumerate(zip(test.first, test.second, strict=True)):
        both = listed[a] & listed[b]
        assert test.n_queries[pair] == both.sum()
        if both.any():
            alone = paired(values[[a, b]][:, both], span=1.0)
            assert test.difference[pair] == pytest.approx(alone.difference[0], rel=1e-6, abs=1e-15)
            assert test.squares[pair] == pytest.approx(alone.squares[0], rel=1e-6)
            assert test.unseen[pair] == pytest.approx(alone.unseen[0], rel=0.1)  # usual on all queries of a feature


def test_holm_steps_down_and_never_falls() -> None:
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == [0.03, 0.06, 0.06, 0.02]
    rng = np.random.default_rng(0)
    p = rng.uniform(size=(3, 40)) ** 3
    p[1, 7] = np.nan
    adjusted = holm(p)
    for own, row in zip(adjusted, p, strict=True):
        order = np.argsort(row)
        steps = own[order][~np.isnan(own[order])]
        assert (np.diff(steps) >= 0).all()
        n_tests = len(steps)
        assert own[order[0]] == min(1.0, row[order[0]] * n_tests)
        assert (np.nan_to_num(own) >= np.nan_to_num(row)).all()
    assert holm(np.zeros(0)).tolist() == []


def test_the_smallest_difference_is_found_with_four_fifths_power() -> None:
    n_queries, sd, n_tests, rng = 40, 0.2, 10, np.random.default_rng(2)
    (wanted,) = smallest_difference(np.array([sd / np.sqrt(n_queries)]), np.array([n_queries]), n_tests=n_tests)
    drawn = rng.normal(wanted, sd, size=(4000, n_queries))
    t = drawn.mean(axis=1) / stats.sem(drawn, axis=1)
    assert (2 * stats.t.sf(np.abs(t), n_queries - 1) <= 0.05 / n_tests).mean() == pytest.approx(0.8, abs=0.03)


def test_queries_needed_make_the_difference_the_smallest_and_one_fewer_do_not() -> None:
    variance = np.array([0.04, 0.01, 1.0, 0.0])
    needed = queries_needed(0.05, variance, n_tests=3)
    for n, sd in zip(needed, np.sqrt(variance), strict=True):
        shown = [smallest_difference(np.array([sd]) / np.sqrt(k), np.array([k]), n_tests=3)[0] for k in (n, n - 1)]
        assert shown[0] <= 0.05
        assert shown[1] > 0.05 or n == FEWEST_QUERIES
    assert needed[3] == FEWEST_QUERIES


@pytest.mark.parametrize("wrong", [0, np.nan])
def test_impossible_demands_are_named(wrong: float) -> None:
    with pytest.raises(TiecoreError, match="must"):
        queries_needed(wrong, np.ones(1), n_tests=1)


def test_a_query_that_a_feature_lacks_does_not_widen_a_measure_without_bounds() -> None:
    values = np.array([[80.0, 81, 80, 83, 84, 82, 85], [81.0, 80, 82, 81, 83, 84, 0]])
    listed = np.ones(values.shape, dtype=bool)
    listed[1, -1] = False
    with_gap, without = paired(values, span=None, listed=listed), paired(values[:, :-1], span=None)
    assert with_gap.largest == without.largest == 2
    np.testing.assert_allclose(with_gap.se, without.se, rtol=0, atol=1e-12)

"""Tests over the queries against scipy's, one pair at a time, and against adjustments worked by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from tiecore.stability.significance import (
    benjamini_hochberg,
    better_and_worse,
    exact_randomisation,
    holm,
    paired,
    randomisation,
)


def some_values(n_features: int, n_queries: int) -> np.ndarray:
    rng = np.random.default_rng(n_features * 1000 + n_queries)
    query = rng.uniform(size=n_queries)
    return query + rng.normal(scale=0.3, size=(n_features, n_queries)) + np.linspace(0, 0.3, n_features)[:, None]


@pytest.mark.parametrize("n_queries", [2, 3, 40])
def test_every_pair_has_the_p_of_a_paired_t_test(n_queries: int) -> None:
    values = some_values(5, n_queries)
    tests = paired(values, unit=1.0, largest=1.0)
    for pair, (a, b) in enumerate(itertools.combinations(range(5), 2)):
        known = stats.ttest_rel(values[a], values[b])
        assert tests.t_p[pair] == pytest.approx(known.pvalue, rel=1e-9, abs=0)
        assert tests.difference[pair] / tests.sd[pair] * np.sqrt(n_queries) == pytest.approx(known.statistic, rel=1e-9)


def rare_p_by_the_book(values: np.ndarray, *, largest: float) -> float:
    """Return p of a t-test with two more queries, one in either direction, as large as rare ones may be, or NaN."""
    n_queries = values.shape[1]
    gap = values[0] - values[1]
    gap *= np.sign(gap.mean()) or 1
    about_mean = gap - gap.mean()
    unusual = min(n_queries - row.tolist().count(sorted(row.tolist())[n_queries // 2]) for row in values)
    squares = (about_mean**2).sum()
    against = -(about_mean**3).sum() / squares if squares > 1e-20 else 0.0
    size = max(largest / (1 + unusual), against)
    if 2 * size**2 <= 0.1 * squares:
        return np.nan
    error = np.sqrt((squares + 2 * size**2) / (n_queries - 1) / n_queries)
    return float(2 * stats.t.sf(gap.mean() / error, n_queries - 1))


@pytest.mark.parametrize("largest", [0.5, 1.0])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_the_standard_error_allows_for_rare_queries(share: float, largest: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        hits = (rng.uniform(size=(3, 40)) < share).astype(float)
        steady = np.array([np.full(40, 0.05), rng.uniform(size=40) / 10])
        values = np.concatenate([hits, steady, some_values(1, 40)])
        tests = paired(values, unit=1.0, largest=largest)
        pairs = itertools.combinations(range(6), 2)
        known = [rare_p_by_the_book(values[[a, b]], largest=largest) for a, b in pairs]
        assert tests.rare_p == pytest.approx(known, rel=1e-9, abs=1e-300, nan_ok=True)


def test_rare_losses_count_and_rare_gains_do_not() -> None:
    steady, rare = np.full(50, 0.2), (np.arange(50) < 3).astype(float)
    behind = paired(np.array([steady, rare]), unit=1.0, largest=0.0)
    ahead = paired(np.array([-steady, rare]), unit=1.0, largest=0.0)
    assert 10 * behind.t_p[0] < 0.0015 < behind.rare_p[0]  # three hits where ten are due
    assert np.isnan(ahead.rare_p[0])


def test_with_few_queries_the_randomisation_test_decides_unless_rare_queries_may_be_missing() -> None:
    few, many = some_values(2, 29), some_values(2, 30)
    for values, known in ((few, [0.5]), (many, paired(many, unit=1.0, largest=0.0).t_p)):
        assert paired(values, unit=1.0, largest=0.0).decisive_p(np.array([0.5])) == pytest.approx(known)
    steady = np.array([np.full(29, 0.05), np.zeros(29)])
    assert paired(steady, unit=1.0, largest=1.0).decisive_p(np.array([1e-9]))[0] > 0.3


def test_differences_without_spread_have_the_p_of_flipped_signs() -> None:
    values = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.6, 0.7, 0.8]])
    tests = paired(values, unit=1.0, largest=1.0)
    assert tests.t_p.tolist() == [1.0, 0.25, 0.25]  # 2 of the 8 ways to flip three signs are as extreme
    assert tests.sd.tolist() == [0.0, 0.0, 0.0]
    assert tests.difference == pytest.approx([0, -0.5, -0.5], rel=0, abs=1e-12)
    assert randomisation(values, permutations=8, seed=1, unit=1.0).tolist() == [1.0, 0.25, 0.25]


def test_noise_is_small_beside_the_unit_not_beside_one() -> None:
    values, unit = np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.6, 0.7, 0.8]]), 2.0**-50
    tiny, whole = paired(values * unit, unit=unit, largest=unit), paired(values, unit=1.0, largest=1.0)
    assert tiny.t_p.tolist() == whole.t_p.tolist() == [1.0, 0.25, 0.25]
    np.testing.assert_array_equal(tiny.rare_p, whole.rare_p)
    assert randomisation(values * unit, permutations=8, seed=1, unit=unit).tolist() == [1.0, 0.25, 0.25]
    varied = some_values(3, 6)
    tiny, whole = paired(varied * unit, unit=unit, largest=unit), paired(varied, unit=1.0, largest=1.0)
    assert tiny.t_p.tolist() == whole.t_p.tolist()
    np.testing.assert_array_equal(tiny.rare_p, whole.rare_p)


def test_one_query_tells_nothing() -> None:
    values = np.array([[0.1], [0.9]])
    tests = paired(values, unit=1.0, largest=1.0)
    assert tests.t_p.tolist() == [1.0]
    assert tests.rare_p.tolist() == tests.decisive_p(np.ones(1)).tolist() == [1.0]
    assert np.isnan(tests.sd).all()
    assert randomisation(values, permutations=100, seed=0, unit=1.0).tolist() == [1.0]


def mean_along(values: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(values.mean(axis=axis))


@pytest.mark.parametrize("decimals", [15, 1], ids=["no two sums alike", "many sums alike"])
def test_flipping_all_ways_is_exact(decimals: int) -> None:
    values = some_values(4, 9).round(decimals)
    p = randomisation(values, permutations=512, seed=0, unit=1.0)
    for pair, (a, b) in enumerate(itertools.combinations(range(4), 2)):
        known = stats.permutation_test(
            [values[a] - values[b]], mean_along, permutation_type="samples", n_resamples=512, vectorized=True, axis=-1
        )
        assert p[pair] == pytest.approx(known.pvalue, rel=0, abs=1e-12)


def test_flips_drawn_at_random_come_close_to_all_ways() -> None:
    values = some_values(4, 9)
    exact = randomisation(values, permutations=512, seed=0, unit=1.0)
    drawn = randomisation(values, permutations=511, seed=3, unit=1.0)
    again = randomisation(values, permutations=511, seed=3, unit=1.0)
    assert not np.array_equal(drawn, exact)
    assert np.array_equal(drawn, again)
    deviation = np.sqrt(exact * (1 - exact) / 511) + 1 / 512
    assert (np.abs(drawn - exact) < 4 * deviation).all()


def test_flips_drawn_at_random_never_find_a_chance_of_nothing() -> None:
    values = np.array([np.linspace(1, 2, 40), np.zeros(40)])
    assert randomisation(values, permutations=99, seed=0, unit=1.0).tolist() == [0.01]  # the observed one among 100


@pytest.mark.parametrize("signs", [9 * 100, 1])
def test_work_in_portions_counts_every_flip_once(monkeypatch: pytest.MonkeyPatch, signs: int) -> None:
    values = some_values(3, 9)
    at_once = randomisation(values, permutations=512, seed=0, unit=1.0)
    monkeypatch.setattr("tiecore.stability.significance._SIGNS_AT_ONCE", signs)
    assert np.array_equal(randomisation(values, permutations=512, seed=0, unit=1.0), at_once)


@pytest.mark.parametrize("differences", [1, 30, 75])
def test_pairs_compared_in_portions_are_those_compared_at_once(
    monkeypatch: pytest.MonkeyPatch, differences: int
) -> None:
    values = np.random.default_rng(3).integers(0, 4, size=(6, 25)) / 4
    whole = paired(values, unit=1.0, largest=1.0)
    monkeypatch.setattr("tiecore.stability.significance._DIFFERENCES_AT_ONCE", differences)
    parts = paired(values, unit=1.0, largest=1.0)
    assert len(whole.difference) == 15
    for name in ("difference", "sd", "t_p", "rare_p"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))


def test_adjustments_are_those_worked_by_hand() -> None:
    p = np.array([0.01, 0.04, 0.03, 0.005])
    # in order: 0.005·4, 0.01·3, 0.03·2, then 0.04·1 lifted to the one before it
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06, 0.02], rel=0, abs=1e-12)
    # from the last: 0.04·4/4, 0.03·4/3, 0.01·4/2, 0.005·4/1
    assert benjamini_hochberg(p) == pytest.approx([0.02, 0.04, 0.04, 0.02], rel=0, abs=1e-12)
    assert holm(np.array([0.6, 0.9])).tolist() == [1.0, 1.0]


def test_no_pairs_give_nothing_to_adjust() -> None:
    tests = paired(np.array([[0.1, 0.2]]), unit=1.0, largest=1.0)
    assert len(tests.difference) == len(tests.sd) == len(tests.t_p) == 0
    assert len(holm(tests.t_p)) == len(benjamini_hochberg(tests.t_p)) == 0
    assert len(randomisation(np.array([[0.1, 0.2]]), permutations=10, seed=0, unit=1.0)) == 0


@pytest.mark.parametrize("n_queries", [1, 2, 5, 12])
@pytest.mark.parametrize("decimals", [15, 1], ids=["no two sums alike", "many sums alike"])
def test_searching_halves_of_the_signs_counts_what_flipping_all_ways_counts(n_queries: int, decimals: int) -> None:
    rng = np.random.default_rng(n_queries)
    for _ in range(20):
        gap = rng.normal(0.4, 1, size=n_queries).round(decimals)
        signs = np.array(list(itertools.product((-1, 1), repeat=n_queries)))
        share = (np.abs(signs @ gap) >= abs(gap.sum()) - 1e-12).mean()
        assert exact_randomisation(gap, unit=1.0) == pytest.approx(share, rel=0, abs=1e-12)


def test_a_p_below_one_over_the_number_of_flips_is_exact_with_few_queries() -> None:
    values = np.array([np.linspace(1, 2, 25), np.zeros(25), np.zeros(25)])
    p = randomisation(values, permutations=100, seed=0, unit=1.0)
    assert p == pytest.approx([2.0**-24, 2.0**-24, 1], rel=1e-9)
    assert randomisation(np.repeat(values, 2, axis=1), permutations=100, seed=0, unit=1.0)[0] == 1 / 101


def random_lists(n_features: int, n_queries: int) -> np.ndarray:
    return np.random.default_rng(3).random((n_features, n_queries)) < 0.7


@pytest.mark.parametrize("n_queries", [6, 20, 40])
def test_queries_that_one_of_a_pair_lacks_say_nothing(n_queries: int) -> None:
    values, listed = some_values(4, n_queries), random_lists(4, n_queries)
    tests = paired(values, unit=1.0, largest=1.0, listed=listed)
    p = randomisation(values, permutations=20_000, seed=1, unit=1.0, listed=listed)
    better, worse = better_and_worse(values, unit=1.0, listed=listed)
    for pair, (a, b) in enumerate(itertools.combinations(range(4), 2)):
        common = listed[a] & listed[b]
        alone = values[[a, b]][:, common]
        known = paired(alone, unit=1.0, largest=1.0)
        assert tests.n_queries[pair] == known.n_queries[0] == common.sum()
        for name in ("difference", "sd", "t_p"):
            assert getattr(tests, name)[pair] == pytest.approx(getattr(known, name)[0], rel=1e-9, abs=1e-12)
        # which value is a feature's usual one is asked of all queries that it lists
        assert tests.decisive_p(tests.t_p)[pair] == pytest.approx(known.decisive_p(known.t_p)[0], rel=0.1, abs=0.02)
        own = randomisation(alone, permutations=20_000, seed=1, unit=1.0)[0]
        assert p[pair] == pytest.approx(own, rel=0, abs=0.02)
        assert (better[pair], worse[pair]) == ((alone[0] > alone[1]).sum(), (alone[0] < alone[1]).sum())


def test_differences_that_nearly_cancel_keep_their_deviation() -> None:
    rng = np.random.default_rng(0)
    base = rng.uniform(size=1000)
    tiny = rng.normal(scale=1e-9, size=1000)
    tests = paired(np.array([base + tiny, base]), unit=1.0, largest=1.0)
    gap = (base + tiny) - base
    assert tests.sd[0] == pytest.approx(gap.std(ddof=1), rel=1e-6)
    assert tests.rare_p[0] == pytest.approx(rare_p_by_the_book(np.array([base + tiny, base]), largest=1.0), rel=1e-4)

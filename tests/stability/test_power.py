"""Numbers of queries against published sample sizes, against the power itself and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tiecore.errors import TiecoreError
from tiecore.stability.power import queries_needed, queries_to_settle


def power_of(effect: float, n: float, alpha: float) -> float:
    # Without the noncentral t: the normal statistic averaged over the estimated deviation.
    share = (np.arange(20_000) + 0.5) / 20_000
    deviation = np.sqrt(stats.chi2.ppf(share, n - 1) / (n - 1))
    return float(stats.norm.sf(stats.t.isf(alpha / 2, n - 1) * deviation - effect * np.sqrt(n)).mean())


@pytest.mark.parametrize(("effect", "n"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_conventional_effects_need_the_published_numbers(effect: float, n: int) -> None:
    assert queries_needed(np.array([effect]), np.array([1.0])).tolist() == [n]


@pytest.mark.untraced
@pytest.mark.parametrize("tests", [1, 190])
@pytest.mark.parametrize("effect", [0.03, 0.2, 0.7, 2.0, 6.0])
def test_the_number_found_has_the_power_and_one_fewer_has_not(effect: float, tests: int) -> None:
    (n,) = queries_needed(np.array([-effect]), np.array([1.0]), power=0.8, level=0.05, tests=tests)
    slack = 1e-3 if n < 5_000 else 2e-3
    assert power_of(effect, n, 0.05 / tests) >= 0.8 - slack
    assert n == 2 or power_of(effect, n - 1, 0.05 / tests) < 0.8 + slack


def test_the_power_holds_in_simulation() -> None:
    (n,) = queries_needed(np.array([0.5]), np.array([1.0]))
    samples = np.random.default_rng(5).normal(0.5, 1.0, size=(4000, int(n)))
    found = np.asarray(stats.ttest_1samp(samples, 0.0, axis=1).pvalue) <= 0.05
    assert found.mean() == pytest.approx(0.8, rel=0, abs=0.03)


def test_the_approximation_for_many_queries_joins_the_search() -> None:
    effects = np.linspace(0.0385, 0.0405, 50)  # about 5,000 queries
    needed = queries_needed(effects, np.ones(50))
    assert needed.min() < 5_000 < needed.max()
    smooth = (stats.norm.isf(0.025) + stats.norm.ppf(0.8)) ** 2 / effects**2 + stats.norm.isf(0.025) ** 2 / 2
    np.testing.assert_allclose(needed, smooth, rtol=0, atol=2)


def test_no_difference_is_never_found_and_a_constant_one_by_flipped_signs() -> None:
    needed = queries_needed(np.array([0.0, 0.0, 0.1, -0.1]), np.array([0.0, 1.0, 0.0, 0.0]))
    assert needed.tolist() == [np.inf, np.inf, 6, 6]  # 2^(1 − 6) = 0.031
    assert queries_needed(np.array([0.1]), np.zeros(1), tests=100).tolist() == [12]  # 2^(1 − 12) = 0.00049


def test_effects_of_any_size_have_an_answer() -> None:
    needed = queries_needed(np.array([1e-9, 1.0, 1.0]), np.array([1.0, 1e-3, 1e-300]))
    assert np.isfinite(needed).all()
    assert needed[0] > 1e18
    assert needed[1] == needed[2] == 2
    assert len(queries_needed(np.zeros(0), np.zeros(0))) == 0


def test_more_tests_more_power_and_more_spread_take_more_queries() -> None:
    difference, sd = np.array([0.1]), np.array([0.3])
    plain = queries_needed(difference, sd)
    assert (queries_needed(difference, sd, tests=10) > plain).all()
    assert (queries_needed(difference, sd, power=0.9) > plain).all()
    assert (queries_needed(difference, sd, level=0.01) > plain).all()
    assert (queries_needed(difference, 2 * sd) > plain).all()


def test_random_tie_breaks_have_a_price_in_queries() -> None:
    needed = queries_to_settle(np.array([0.1, 0.1, 0.0]), np.array([0.3, 0.3, 0.3]), np.array([0.0, 0.09, 0.1]))
    assert needed.once[0] == needed.exact[0]
    assert needed.once[1] == queries_needed(np.array([0.1]), np.array([np.sqrt(0.18)]))[0]
    assert needed.once[1] / needed.exact[1] == pytest.approx(2.0, rel=0.03)  # the variance has doubled
    assert needed.exact[2] == needed.once[2] == np.inf
    assert needed.settling_all() == (np.inf, np.inf)


def test_a_leaderboard_is_settled_when_its_closest_pair_is() -> None:
    needed = queries_to_settle(np.array([0.1, 0.2]), np.array([0.3, 0.3]), np.array([0.0, 0.8]))
    assert needed.settling_all() == (needed.exact[0], needed.once[1])
    nothing = queries_to_settle(np.zeros(0), np.zeros(0), np.zeros(0))
    assert nothing.settling_all() == (0, 0)


@pytest.mark.parametrize("wrong", [{"power": 1.0}, {"power": 0.0}, {"level": 1.0}, {"level": 0.0}, {"tests": 0}])
def test_impossible_demands_are_named(wrong: dict[str, float]) -> None:
    with pytest.raises(TiecoreError, match=next(iter(wrong))):
        queries_needed(np.array([0.1]), np.array([0.1]), **wrong)  # type: ignore[arg-type]

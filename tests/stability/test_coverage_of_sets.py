"""Sets of places hold what they promise on queries drawn anew: few repetitions here, thousands in bench/coverage.py."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from bench.coverage import LEVEL, Coverage, Scenario, coverage, page, picture, scenarios, simulated, table
from tests.strategies import EXTENT

REPETITIONS = 15 * EXTENT
N_SIMULATED = 10_000
LEAST = LEVEL - 3 * np.sqrt(LEVEL * (1 - LEVEL) / REPETITIONS)  # less Monte-Carlo error


@pytest.mark.untraced
@pytest.mark.parametrize(
    "scenario",
    [
        Scenario("binary", "all kinds", "equal", 20),
        Scenario("binary", "none", "pairs", 50, n_features=5),
        Scenario("graded", "all kinds", "pairs", 20),
        Scenario("graded", "none", "equal", 50, n_features=12),
        Scenario("reciprocal", "none", "equal", 20),
        Scenario("graded", "all kinds", "pairs", 500, n_features=5),
    ],
    ids=str,
)
def test_sets_hold_at_least_as_often_as_they_promise(scenario: Scenario) -> None:
    result = coverage(scenario, repetitions=REPETITIONS)
    assert result.marginal >= LEAST
    assert result.simultaneous >= LEAST
    assert result.once >= LEAST
    assert result.false_real <= 1 - LEAST
    assert result.width <= result.width_all <= scenario.n_features
    assert result.width <= result.width_once


@pytest.mark.parametrize("scenario", [s for s in scenarios() if s.n_queries == 20], ids=str)
def test_simulated_means_have_the_order_they_are_said_to_have(scenario: Scenario) -> None:
    rng = np.random.default_rng(4)
    many = replace(scenario, n_queries=N_SIMULATED)
    drawn = simulated(many, rng)
    mean = drawn.values.mean(axis=1)
    error = drawn.values.std(axis=1).max() / np.sqrt(N_SIMULATED)
    for skill in np.unique(drawn.skill):
        assert np.ptp(mean[drawn.skill == skill]) < 6 * error
    level_means = [mean[drawn.skill == skill].mean() for skill in np.unique(drawn.skill)]
    assert (np.diff(level_means) > 0).all()
    assert (drawn.variances.max() > 0) == (scenario.ties == "all kinds")


def test_the_table_has_a_line_for_each_scenario() -> None:
    rows = [(scenario, Coverage(0.95, 0.94, 0.96, 0.97, 0.01, 2.0, 3.0, 4.0)) for scenario in scenarios()]
    lines = table(rows).splitlines()
    assert len(lines) == 2 + len(rows)
    assert len({line.count("|") for line in lines}) == 1
    assert "| 0.950 | 0.940 | 0.960 | 0.970 | 0.010 | 2 | 3 | 4 |" in lines[-1]
    assert "2,500 repetitions" in page(rows, repetitions=2500)


def test_the_picture_has_two_signs_for_each_scenario_and_stays_inside() -> None:
    rows = [(scenario, Coverage(0.95, 0.94, 0.8, 0.97, 0.01, 2.0, 3.0, 4.0)) for scenario in scenarios()]
    drawn = ElementTree.fromstring(picture(rows))
    signs = [element for element in drawn if element.get("stroke") == "#0b57a4"]
    assert len(signs) == 2 * len(rows)
    _, _, width, _ = map(float, (drawn.get("viewBox") or "").split())
    assert all(0 < float(at) < width for sign in signs for at in [sign.get("cx") or sign.get("x") or "1"])

"""Rank correlations: against their definitions, against SciPy, and against all orders of ties."""

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from tests.similarity import definitions
from tiecore.errors import TiecoreError
from tiecore.similarity import tau_ap, tau_b

ABSOLUTE = 1e-12
SCORES = st.sampled_from((0.0, -0.0, 1.0, 2.0, 3.0, math.inf, -math.inf))


def two_rankings(most: int) -> st.SearchStrategy[tuple[list[float], list[float]]]:
    return st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=most).map(
        lambda pairs: ([x for x, _ in pairs], [y for _, y in pairs])
    )


def same(found: float, known: float) -> bool:
    return found == pytest.approx(known, rel=0, abs=ABSOLUTE, nan_ok=True)


@given(both=two_rankings(5))
def test_tau_ap_a_is_the_mean_over_all_orders_of_ties(both: tuple[list[float], list[float]]) -> None:
    assert same(tau_ap(*both), definitions.yilmaz_over_orders(*both))


@given(both=two_rankings(9))
def test_tau_ap_b_is_its_definition_and_symmetric(both: tuple[list[float], list[float]]) -> None:
    assert same(tau_ap(*both, ties="b"), definitions.yilmaz_agreement(*both))
    assert same(tau_ap(*both, ties="b"), tau_ap(both[1], both[0], ties="b"))


@pytest.mark.parametrize("levels", [2, 5, 40, 10**6])
@pytest.mark.parametrize(("n", "times"), [(2, 20), (3, 20), (8, 20), (33, 20), (1000, 20), (100_000, 1)])
def test_tau_b_is_that_of_scipy_and_symmetric(n: int, levels: int, times: int) -> None:
    rng = np.random.default_rng([n, levels])
    for _ in range(times):
        x, y = rng.integers(0, levels, (2, n))
        x[0], y[0], x[1], y[1] = 0, 1, 1, 0  # never all tied: there SciPy warns
        assert same(tau_b(x, y), kendalltau(x, y).statistic)
        assert tau_b(x, y) == tau_b(y, x)


def test_published_example_of_ap_correlation_with_ties() -> None:
    # From the manual of the R package ircor 1.0, by the authors of both variants.
    x = np.array([0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54])
    y = np.array([0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84])
    assert tau_ap(x, y) == pytest.approx(0.3928571, rel=0, abs=5e-8)
    assert tau_ap(x, y.round(1)) == pytest.approx(0.39903, rel=0, abs=5e-6)
    assert tau_ap(x, y.round(1), ties="b") == pytest.approx(0.3317019, rel=0, abs=5e-8)
    assert tau_ap(x.round(1), y.round(1), ties="b") == pytest.approx(0.339418, rel=0, abs=5e-7)


def test_only_what_is_undefined_is_nan() -> None:
    tied, ordered = [1, 1, 1], [3, 2, 1]
    for coefficient in (tau_b, lambda a, b: tau_ap(a, b, ties="b")):
        assert math.isnan(coefficient(tied, ordered))
        assert math.isnan(coefficient(ordered, tied))
    assert tau_ap(tied, ordered) == tau_ap(ordered, tied) == 0.0  # as many orders above the mean as below it
    for scores in ([], [7]):
        for coefficient in (tau_b, tau_ap):
            assert math.isnan(coefficient(scores, scores))
        assert math.isnan(tau_ap(scores, scores, ties="b"))


def test_mappings_are_compared_on_the_items_of_both() -> None:
    x, y = {"a": 3, "b": 3, "c": 1, "only": 9}, {"c": 2, "b": 7, "other": 5, "a": 9}
    for coefficient in (tau_b, tau_ap):
        assert coefficient(x, y) == coefficient([3, 3, 1], [9, 7, 2])
        assert coefficient(pd.Series(x), y) == coefficient([3, 3, 1], [9, 7, 2])
        assert math.isnan(coefficient(x, {"z": 1}))


def test_whole_numbers_beyond_2_to_the_53_are_told_apart() -> None:
    big = 2**53
    for kind in (np.int64, np.uint64):
        assert tau_b(np.array([big + 1, big], dtype=kind), [2, 1]) == 1.0
    assert tau_b([big + 1, float(big)], [2, 1]) == 1.0
    assert tau_b(np.array([True, False]), [2, 1]) == 1.0
    assert tau_b(np.array([2, 1], dtype=object), (2, 1)) == 1.0


@pytest.mark.parametrize("coefficient", [tau_b, tau_ap])
def test_what_does_not_fit_together_is_refused_with_the_way_out(coefficient: Callable[..., float]) -> None:
    refused: list[tuple[Any, Any, str]] = [
        ([1, 2], [1], "give both for the same items"),
        ({"a": 1}, [1], "give two mappings or two arrays"),
        *(([1], np.ones((1,) * n_dimensions), f"y has {n_dimensions} dimensions") for n_dimensions in (0, 2)),
        ([[1, 2], [3]], [1, 2], r"x scores position 0 with \[1, 2\]"),
        *((nan, [1, 2], "x scores position 1 with NaN") for nan in ([1.0, math.nan], np.array([1.0, math.nan]))),
        (np.array(["a"]), [1], r"x scores position 0 with .*'a'"),
        ({"a": math.nan}, {"a": 1}, "x scores 'a' with NaN"),
    ]
    for x, y, problem in refused:
        with pytest.raises(TiecoreError, match=problem):
            coefficient(x, y)


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(TiecoreError, match="unknown ties='w': expected 'a' or 'b'"):
        tau_ap([1, 2], [1, 2], ties=cast("Any", "w"))

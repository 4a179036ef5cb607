"""Rank-biased overlap: against its definition, against all orders of ties, and far beyond what a definition reaches."""

import itertools
import math
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.similarity import definitions
from tiecore.errors import TiecoreError
from tiecore.similarity import RankBiasedOverlap, rbo
from tiecore.similarity.overlap import OverlapTies

ABSOLUTE = 1e-12
VARIANTS: tuple[OverlapTies, ...] = ("w", "a", "b")
SCORES = st.sampled_from((0.0, -0.0, 1.0, 2.0, math.inf, -math.inf))
LISTS = st.dictionaries(st.sampled_from("abcdefghij"), SCORES, min_size=1)
SHORT_LISTS = st.dictionaries(st.sampled_from("abcde"), SCORES, min_size=1, max_size=4)
PERSISTENCE = st.floats(0.01, 0.97)


def close(found: RankBiasedOverlap, *, ext: float, least: float, most: float) -> bool:
    return [found.ext, found.min, found.max] == pytest.approx([ext, least, most], rel=0, abs=ABSOLUTE)


@given(x=LISTS, y=LISTS, p=PERSISTENCE, ties=st.sampled_from(VARIANTS))
def test_every_variant_is_its_definition(x: dict[str, float], y: dict[str, float], p: float, ties: OverlapTies) -> None:
    known = definitions.overlap(x, y, p=p, ties=ties)
    assert close(rbo(x, y, p=p, ties=ties), ext=known["ext"], least=known["min"], most=known["max"])


@given(x=SHORT_LISTS, y=SHORT_LISTS, p=PERSISTENCE)
def test_variant_a_is_the_mean_over_all_orders_of_ties(x: dict[str, float], y: dict[str, float], p: float) -> None:
    every = [rbo(*chosen, p=p) for chosen in itertools.product(definitions.orders(x), definitions.orders(y))]
    found = rbo(x, y, p=p)
    assert found.min == pytest.approx(np.mean([one.min for one in every]), rel=0, abs=ABSOLUTE)
    if len(x) == len(y):  # else what is extrapolated depends on the order, and not in a straight line
        assert found.ext == pytest.approx(np.mean([one.ext for one in every]), rel=0, abs=ABSOLUTE)
        assert found.max == pytest.approx(np.mean([one.max for one in every]), rel=0, abs=ABSOLUTE)


@given(x=LISTS, y=LISTS, p=PERSISTENCE, ties=st.sampled_from(VARIANTS))
def test_bounds_and_residual_fit(x: dict[str, float], y: dict[str, float], p: float, ties: OverlapTies) -> None:
    found = rbo(x, y, p=p, ties=ties)
    assert -ABSOLUTE <= found.min <= found.max <= 1 + ABSOLUTE
    assert found.res == max(0.0, found.max - found.min)
    turned = rbo(y, x, p=p, ties=ties)
    assert close(turned, ext=found.ext, least=found.min, most=found.max)


def test_worked_values() -> None:
    # The same item first in half of the orders, then both: (1-p)(1/2) + (1-p)p + p^2 with p = 1/2.
    assert rbo({"a": 1, "b": 1}, {"a": 2, "b": 1}, p=0.5).ext == pytest.approx(0.75, rel=0, abs=1e-15)
    # w: one of two shared ranks at depth 1 (2·1/(2 + 1)), all from depth 2 on.
    assert rbo({"a": 1, "b": 1}, {"a": 2, "b": 1}, p=0.5, ties="w").ext == pytest.approx(5 / 6, rel=0, abs=1e-15)
    # b: 1/2 over √(1/2 · 1) at depth 1.
    expected = 0.5 * 0.5 / math.sqrt(0.5) + 0.5
    assert rbo({"a": 1, "b": 1}, {"a": 2, "b": 1}, p=0.5, ties="b").ext == pytest.approx(expected, rel=0, abs=1e-15)
    # One common item at the top, nothing else known: MIN = (1-p)/p ln(1/(1-p)), MAX = 1.
    one = rbo({"a": 1}, {"a": 1}, p=0.5)
    assert close(one, ext=1.0, least=math.log(2), most=1.0)
    assert rbo({"a": 1}, {"b": 1}).ext == 0.0
    # Nothing in common: depth 3 and 4 may show the other list's items, 2/3 and 1; from there on everything agrees.
    found = rbo({"a": 2, "b": 1}, {"c": 2, "d": 1}, p=0.5)
    assert close(found, ext=0.0, least=0.0, most=0.125 * 2 / 3 + 0.125)


@pytest.mark.parametrize("p", [1e-300, 1e-9, 0.5, 0.9, 0.999, 0.9999, 0.99999, 1 - 1e-9, 1 - 2**-53])
@pytest.mark.parametrize("ties", VARIANTS)
def test_a_long_list_and_itself_without_ties(p: float, ties: OverlapTies) -> None:
    n = 4_000
    ranking = dict(zip(range(n), range(n), strict=True))
    found = rbo(ranking, ranking, p=p, ties=ties)
    assert found.ext == pytest.approx(1.0, rel=0, abs=1e-11)
    assert found.max == pytest.approx(1.0, rel=0, abs=1e-11)
    # 1 - p^n of the weight lies inside; behind it A_d = n/d, summed by the integral of the exponential
    within = -math.expm1(n * math.log(p))
    assert within - 1e-11 <= found.min <= 1 + 1e-11
    # where p^n is 0, MIN is EXT; a tail found as a difference would be wrong by n times the resolution of float64
    assert within < 1 or found.min == pytest.approx(1.0, rel=0, abs=1e-13)


@pytest.mark.parametrize("n", [1, 3, 7, 39, 40, 41, 60])
def test_what_lies_behind_the_lists_keeps_its_digits(n: int) -> None:
    # The sum is found in one way up to a depth and in another one from there on; p = 7/8 changes over at n = 40.
    ranking, p = {item: -item for item in range(n)}, Fraction(7, 8)
    behind = sum((1 - p) * p ** (depth - 1) * Fraction(n, depth) for depth in range(n + 1, n + 400))
    assert rbo(ranking, ranking, p=0.875).min == pytest.approx(float(1 - p**n + behind), rel=0, abs=1e-14)


def test_a_list_of_one_tie_group_holds_each_item_evenly() -> None:
    n = 50_000
    tied, ordered = dict.fromkeys(range(n), 1), {item: -item for item in range(n)}
    p = 0.999
    # X_d = d · d/n, so A_d = d/n: the sum over d <= n of (1-p) p^(d-1) d/n, then 1
    known = (1 - p**n * (1 + n * (1 - p))) / (1 - p) / n + p**n
    assert rbo(tied, ordered, p=p).ext == pytest.approx(known, rel=1e-11, abs=0)
    assert rbo(tied, tied, p=p, ties="b").ext == pytest.approx(1.0, rel=0, abs=1e-11)


def test_whole_numbers_beyond_2_to_the_53_are_told_apart() -> None:
    big = 2**53
    x, y = {"a": 1, "b": 0}, {"a": big + 1, "b": big}
    assert rbo(x, y) == rbo(x, x)
    assert rbo(x, {"a": np.int64(big + 1), "b": np.int64(big)}) == rbo(x, x)
    assert rbo(x, {"a": 2**70 + 1, "b": 2**70}) == rbo(x, x)
    assert rbo(x, {"a": big + 1, "b": float(big)}) == rbo(x, x)
    assert rbo(x, {"a": float(big), "b": big}) == rbo(x, {"a": 1, "b": 1})
    assert rbo(x, {"a": np.uint64(2**64 - 1), "b": np.uint64(2**64 - 2)}) == rbo(x, x)
    assert rbo(x, {"a": -(2**63), "b": -(2**63) + 1}) == rbo(x, {"a": 0, "b": 1})
    assert rbo(x, {"a": True, "b": np.bool_(False)}) == rbo(x, x)
    assert rbo(x, {"a": Fraction(1, 3), "b": Fraction(1, 4)}) == rbo(x, x)
    assert rbo(x, {"a": np.float32(0.5), "b": 0.25}) == rbo(x, x)


def test_a_series_is_read_by_its_index() -> None:
    x, y = {"a": 3, "b": 3, "c": 1}, {"a": 2, "c": 1}
    assert rbo(pd.Series(x), pd.Series(y)) == rbo(x, y)
    with pytest.raises(TiecoreError, match="y holds an item more than once"):
        rbo(x, pd.Series([1, 2], index=["a", "a"]))


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, math.nan, "0.9", None])
def test_p_outside_0_to_1_is_refused(p: Any) -> None:
    with pytest.raises(TiecoreError, match="p must lie between 0 and 1"):
        rbo({"a": 1}, {"a": 1}, p=p)


def test_what_is_no_ranking_is_refused_with_the_way_out() -> None:
    good = {"a": 1}
    with pytest.raises(TiecoreError, match="unknown ties='c': expected 'w', 'a' or 'b'"):
        rbo(good, good, ties=cast("Any", "c"))
    with pytest.raises(TiecoreError, match="y lists nothing"):
        rbo(good, {})
    with pytest.raises(TiecoreError, match="x is a list"):
        rbo(cast("Any", [1, 2]), good)
    for score in (math.nan, np.float32("nan"), None, "7", 1j, pd.NA, np.datetime64("2020-01-01")):
        with pytest.raises(TiecoreError, match=r"y scores 'b' with .*: expected a number"):
            rbo(good, {"a": 1, "b": cast("Any", score)})
    with pytest.raises(TiecoreError) as refused:
        rbo(good, {"d" * 1000: cast("Any", "s" * 1000)})
    assert len(str(refused.value)) < 200

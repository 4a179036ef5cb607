"""Similarity of features: each query as if it were alone, and the means over them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiecore
from tiecore.errors import TiecoreError
from tiecore.similarity import (
    FeatureSimilarity,
    between,
    rbo,
    tau_ap,
    tau_b,
)
from tiecore.similarity.features import SimilarityMethod

ABSOLUTE = 1e-12
METHODS: dict[tuple[SimilarityMethod, str], Callable[[dict[str, float], dict[str, float]], float]] = {
    ("rbo", "a"): lambda x, y: rbo(x, y, p=0.8).ext if x and y else math.nan,
    ("rbo", "w"): lambda x, y: rbo(x, y, p=0.8, ties="w").ext if x and y else math.nan,
    ("rbo", "b"): lambda x, y: rbo(x, y, p=0.8, ties="b").ext if x and y else math.nan,
    ("tau_b", "b"): tau_b,
    ("tau_ap", "a"): tau_ap,
    ("tau_ap", "b"): lambda x, y: tau_ap(x, y, ties="b"),
}
Lists = Mapping[str, Mapping[str, float]]
EVERYWHERE = {"all": {"z": 1.0}}
"""A query that every feature lists, so that none is empty."""
LISTS = st.dictionaries(
    st.sampled_from(("q1", "q2", "q3")),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from((0.0, 1.0, 2.0, math.inf)), min_size=1),
)


def evaluated(features: Mapping[str, Lists], **options: Any) -> tiecore.Evaluation:
    """Evaluate with every document of every query judged, and a query that has none."""
    qrels = {query: dict.fromkeys("abcdefgh", 0) | {"z": 1} for query in ("q1", "q2", "q3", "q4", "all")}
    return tiecore.evaluate(qrels, features, ["RR"], **options)


def check(found: FeatureSimilarity, features: Mapping[str, Lists], variant: tuple[SimilarityMethod, str]) -> None:
    for x, x_lists in features.items():
        for y, y_lists in features.items():
            known = {
                query: METHODS[variant](dict(x_lists[query]), dict(y_lists[query]))
                for query in x_lists
                if query in y_lists
            }
            defined = {query: value for query, value in known.items() if not math.isnan(value)}
            assert found.values(x, y).to_dict() == pytest.approx(defined, rel=0, abs=ABSOLUTE)
            assert found.queries.loc[x, y] == len(defined)
            mean = np.mean(list(defined.values())) if defined else math.nan
            assert found.means.loc[x, y] == pytest.approx(mean, rel=0, abs=ABSOLUTE, nan_ok=True)


@given(variant=st.sampled_from(list(METHODS)), lists=st.lists(LISTS, min_size=1, max_size=3))
def test_each_query_is_compared_as_if_it_were_alone(variant: tuple[SimilarityMethod, str], lists: list[Lists]) -> None:
    features = {f"f{number}": {**own, **EVERYWHERE} for number, own in enumerate(lists)}
    check(between(evaluated(features), method=variant[0], ties=variant[1], p=0.8), features, variant)


RNG = np.random.default_rng(4)
QUERIES = [f"q{q}" for q in range(23)]
QRELS = {q: {f"d{d}": int(RNG.integers(0, 3)) for d in range(9)} for q in QUERIES}
FEATURES: dict[str, dict[str, dict[str, float]]] = {
    name: {
        q: {f"d{d}": float(RNG.integers(0, levels)) for d in range(12) if RNG.random() < 0.8}
        for q in QUERIES
        if RNG.random() < 0.9
    }
    for name, levels in (("coarse", 2), ("fine", 50), ("middle", 5), ("constant", 1))
}


@pytest.fixture(scope="module")
def evaluation() -> tiecore.Evaluation:
    return tiecore.evaluate(QRELS, FEATURES, ["nDCG@3"], ascending=["middle"])


def report(reports: list[tuple[int, int]], *done: int) -> None:
    reports.append(cast("tuple[int, int]", done))


@pytest.mark.parametrize("variant", METHODS)
def test_blocks_of_queries_change_nothing_and_report_their_progress(
    variant: tuple[SimilarityMethod, str], evaluation: tiecore.Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, ties = variant
    whole = between(evaluation, method=method, ties=ties)
    for documents_of_a_block in (1, 7, 100):
        monkeypatch.setattr("tiecore.similarity.features._BLOCK", documents_of_a_block)
        reports: list[tuple[int, int]] = []
        parts = between(evaluation, method=method, ties=ties, progress=partial(report, reports))
        pd.testing.assert_frame_equal(parts.means, whole.means, rtol=0, atol=ABSOLUTE)
        pd.testing.assert_frame_equal(parts.queries, whole.queries)
        assert reports == [(done, len(reports)) for done in range(1, len(reports) + 1)]


def test_some_features_are_compared_as_if_there_were_no_others(evaluation: tiecore.Evaluation) -> None:
    names = ["middle", "coarse"]
    found = between(evaluation, features=names, method="tau_b")
    whole = between(evaluation, method="tau_b")
    pd.testing.assert_frame_equal(found.means, whole.means.loc[names, names], rtol=0, atol=ABSOLUTE)
    assert list(found.means.index) == list(found.means.columns) == names
    pd.testing.assert_series_equal(found.values("coarse", "middle"), whole.values("coarse", "middle"))


def test_a_feature_is_compared_in_the_direction_and_to_the_end_of_its_evaluation() -> None:
    features = {"x": {"q1": {"a": 1, "b": 2, "c": 3}}, "y": {"q1": {"a": 9, "b": 7}}}
    assert between(evaluated(features, ascending=["x"]), method="tau_b").values("x", "y").to_dict() == {"q1": 1.0}
    ranked_last = between(evaluated(features, missing="last"), method="tau_b")
    x, y = ({d: scores.get(d, -1) for d in "abcdefghz"} for scores in (features["x"]["q1"], features["y"]["q1"]))
    assert ranked_last.values("x", "y").to_dict() == pytest.approx({"q1": tau_b(x, y)}, rel=0, abs=ABSOLUTE)


def test_each_method_has_a_variant_unless_it_is_named(evaluation: tiecore.Evaluation) -> None:
    for method, ties in (("rbo", "a"), ("tau_b", "b"), ("tau_ap", "b")):
        usual, named = (between(evaluation, method=cast("Any", method), ties=own) for own in (None, ties))
        pd.testing.assert_frame_equal(usual.means, named.means)


def test_what_does_not_fit_is_refused_with_the_way_out(evaluation: tiecore.Evaluation) -> None:
    def refused(message: str, **options: Any) -> FeatureSimilarity | None:
        with pytest.raises(TiecoreError, match=message):
            return between(evaluation, **options)
        return None

    refused("unknown method='tau': expected 'rbo', 'tau_b'", method="tau")
    refused("unknown ties='a' of 'tau_b': expected 'b'", method="tau_b", ties="a")
    refused("p must lie between 0 and 1", p=1)
    refused("there is no feature 'gone': there are 'coarse', 'fine'", features=["gone"])
    with pytest.raises(TiecoreError, match="no feature 'gone'"):
        between(evaluation).values("fine", "gone")


def test_counts_know_no_documents_to_compare() -> None:
    counted = tiecore.evaluate(tiecore.count(QRELS, FEATURES), measures=["nDCG@3"])
    with pytest.raises(TiecoreError):
        between(counted)

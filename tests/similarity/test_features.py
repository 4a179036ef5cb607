"""Similarity of features: each query as if it were alone, and the means over them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tiecore
from tiecore.errors import TiecoreError
from tiecore.similarity import Pairwise, between, pairwise, rbo, tau_ap, tau_b, weighted_tau
from tiecore.similarity.features import SimilarityMethod

ABSOLUTE = 1e-12
METHODS: dict[tuple[SimilarityMethod, str], Callable[[dict[int, float], dict[int, float]], float]] = {
    ("rbo", "a"): lambda x, y: rbo(x, y, p=0.8).ext if x and y else math.nan,
    ("rbo", "w"): lambda x, y: rbo(x, y, p=0.8, ties="w").ext if x and y else math.nan,
    ("rbo", "b"): lambda x, y: rbo(x, y, p=0.8, ties="b").ext if x and y else math.nan,
    ("tau_b", "b"): tau_b,
    ("tau_ap", "a"): tau_ap,
    ("tau_ap", "b"): lambda x, y: tau_ap(x, y, ties="b"),
    ("weighted_tau", "b"): weighted_tau,
}
SCORES = st.sampled_from((0.0, 1.0, 2.0, math.inf, math.nan, math.nan))


def listed_scores(scores: np.ndarray, is_in_query: np.ndarray) -> dict[int, float]:
    listed = np.flatnonzero(is_in_query & ~np.isnan(scores))
    return dict(zip(listed.tolist(), scores[listed].tolist(), strict=True))


@given(
    variant=st.sampled_from(list(METHODS)),
    scores=arrays.arrays(np.float64, st.tuples(st.integers(0, 14), st.integers(1, 3)), elements=SCORES),
    seed=st.integers(0, 3),
)
def test_each_query_is_compared_as_if_it_were_alone(
    variant: tuple[SimilarityMethod, str], scores: np.ndarray, seed: int
) -> None:
    method, ties = variant
    n_documents, n_features = scores.shape
    query = np.random.default_rng(seed).integers(0, 4, (1, n_documents))[0]
    found = pairwise(scores, query, method=method, p=0.8, ties=ties, n_queries=5)
    for row in range(n_features):
        for column in range(n_features):
            lists = [[listed_scores(scores[:, f], query == q) for q in range(5)] for f in (row, column)]
            known = np.array([METHODS[variant](x, y) for x, y in zip(lists[0], lists[1], strict=True)])
            np.testing.assert_allclose(found.values(row, column), known, rtol=0, atol=ABSOLUTE)
            defined = known[~np.isnan(known)]
            assert found.counts[row, column] == len(defined)
            mean = defined.mean() if len(defined) else math.nan
            assert found.means[row, column] == pytest.approx(mean, rel=0, abs=ABSOLUTE, nan_ok=True)


@pytest.mark.untraced
@pytest.mark.parametrize(("method", "ties"), METHODS)
@pytest.mark.parametrize("documents_of_a_block", [1, 2, 7, 30])
def test_blocks_of_queries_change_nothing(
    method: SimilarityMethod, ties: str, documents_of_a_block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(11)
    query = rng.choice([0, 1, 3, 4, 5, 8], 60)  # 2, 6, 7 and 9 have no documents
    scores = rng.choice([0.0, 1.0, 2.0, np.nan], (60, 3))
    whole = pairwise(scores, query, method=method, ties=ties, n_queries=10)
    monkeypatch.setattr("tiecore.similarity.features._BLOCK", documents_of_a_block)
    parts = pairwise(scores, query, method=method, ties=ties, n_queries=10)
    np.testing.assert_array_equal(parts.counts, whole.counts)
    np.testing.assert_allclose(parts.means, whole.means, rtol=0, atol=ABSOLUTE)
    for row, column in ((0, 1), (2, 1), (2, 2)):
        np.testing.assert_allclose(parts.values(row, column), whole.values(row, column), rtol=0, atol=ABSOLUTE)


@pytest.mark.untraced
@pytest.mark.parametrize(("method", "ties"), [variant for variant in METHODS if variant[0] != "rbo"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_products_of_matrices_count_what_sorting_counts(
    method: SimilarityMethod, ties: str, missing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(23)
    sizes = np.array([0, 1, 2, 3, 12, 12, 40, 7, 1, 60, 33, 0])
    query = np.repeat(np.arange(len(sizes)), sizes)
    scores = rng.integers(0, np.array([1, 2, 5, 40, 1000]), (len(query), 5)).astype(np.float64)
    scores[rng.random(scores.shape) < missing] = np.nan
    monkeypatch.setattr("tiecore.similarity.short_lists._FOR_A_FEATURE", 0)
    by_sorting = pairwise(scores, query, method=method, ties=ties)
    for longest, block in ((12, 1), (10**3, 1 << 18), (10**3, 500)):  # per feature: some of the lists, or all of them
        monkeypatch.setattr("tiecore.similarity.short_lists._FOR_A_FEATURE", longest / 5)
        monkeypatch.setattr("tiecore.similarity.short_lists._BLOCK_ELEMENTS", block)
        by_products = pairwise(scores, query, method=method, ties=ties)
        np.testing.assert_array_equal(by_products.counts, by_sorting.counts)
        np.testing.assert_allclose(by_products.means, by_sorting.means, rtol=0, atol=ABSOLUTE)


def test_columns_of_whole_numbers_stay_exact_and_may_leave_documents_out() -> None:
    big = 2**63
    columns = [np.array([big + 1, big, 5], dtype=np.uint64), np.array([0.5, 0.25, 0.75])]
    is_scored = np.array([[True, True], [True, True], [False, True]])
    query = np.zeros(3, dtype=int)
    assert pairwise(columns, query, method="tau_b", is_scored=is_scored).means[0, 1] == 1.0
    assert pairwise(columns, query, method="tau_b").means[0, 1] == pytest.approx(-1 / 3, rel=0, abs=ABSOLUTE)


def test_no_query_and_no_feature_leave_nothing_to_compare() -> None:
    nothing = pairwise(np.zeros((0, 2)), np.zeros(0, dtype=int))
    assert np.isnan(nothing.means).all()
    assert (nothing.counts == 0).all()
    assert pairwise(np.zeros((3, 0)), np.zeros(3, dtype=int)).means.shape == (0, 0)


def test_the_tables_cannot_be_written_to() -> None:
    found = pairwise(np.ones((2, 2)), np.zeros(2, dtype=int))
    for table in (found.means, found.counts):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 0


def test_variant_of_each_method_unless_it_is_named() -> None:
    scores, query = np.ones((2, 2)), np.zeros(2, dtype=int)
    methods: tuple[SimilarityMethod, ...] = ("rbo", "tau_b", "tau_ap", "weighted_tau")
    assert [pairwise(scores, query, method=method).ties for method in methods] == ["a", "b", "b", "b"]


def test_what_does_not_fit_together_is_refused_with_the_way_out() -> None:
    scores, query = np.ones((2, 3)), np.zeros(2, dtype=int)

    def refused(message: str, *arguments: Any, **options: Any) -> Pairwise | None:
        with pytest.raises(TiecoreError, match=message):
            return pairwise(*arguments, **options)
        return None

    refused("unknown method='tau': expected 'rbo', 'tau_b'", scores, query, method="tau")
    refused("unknown ties='a' of 'tau_b': expected 'b'", scores, query, method="tau_b", ties="a")
    refused("p must lie between 0 and 1", scores, query, p=1)
    for bad in (query[:, None], query - 1, query + 0.5):
        refused("one whole number from 0", scores, bad)
    refused("n_queries=0, but query_of_document goes up to 0", scores, query, n_queries=0)
    refused("scores of feature 0: expected 2 numbers", np.ones((3, 3)), query)
    refused("scores of feature 1: expected 2 numbers", [np.ones(2), np.array(["a", "b"])], query)
    refused("is_scored must be boolean of shape", scores, query, is_scored=np.ones((3, 2), dtype=bool))
    refused("is_scored must be boolean of shape", scores, query, is_scored=np.ones((2, 3)))


QRELS = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 1}, "q3": {"a": 0}}
FEATURES = {
    "clicks": {"q1": {"a": 2, "b": 2, "c": 1}, "q2": {"a": 1, "b": 0}},
    "dwell": {"q1": {"c": 1, "a": 9, "b": 7}, "q2": {"a": 5, "b": 8}, "q3": {"a": 1}},
    "age": {"q1": {"a": 1, "b": 2, "c": 3}, "q3": {"z": 1}},
}


def test_features_of_an_evaluation_are_compared_by_query() -> None:
    evaluation = tiecore.evaluate(QRELS, FEATURES, ["AP"], ascending=["age"])
    similar = between(evaluation, method="tau_b")
    assert similar.values("dwell", "age").to_dict() == {"q1": 1.0}
    known = {query: tau_b(FEATURES["clicks"][query], FEATURES["dwell"][query]) for query in ("q1", "q2")}
    assert similar.values("clicks", "dwell").to_dict() == pytest.approx(known, rel=0, abs=ABSOLUTE)
    assert similar.means.loc["clicks", "dwell"] == pytest.approx(np.mean(list(known.values())), rel=0, abs=ABSOLUTE)
    assert similar.queries.loc["clicks"].to_dict() == {"clicks": 2, "dwell": 2, "age": 1}
    assert list(similar.means.index) == list(similar.means.columns) == list(FEATURES)
    assert similar.means.equals(similar.means.T.rename_axis(index="feature", columns="with"))


def test_overlap_of_an_evaluation_is_that_of_its_lists() -> None:
    evaluation = tiecore.evaluate(QRELS, FEATURES, ["AP"])
    similar = between(evaluation, p=0.7)
    for query in ("q1", "q3"):
        known = rbo(FEATURES["dwell"][query], FEATURES["age"][query], p=0.7).ext
        assert similar.values("dwell", "age")[query] == pytest.approx(known, rel=0, abs=ABSOLUTE)
    assert similar.queries.loc["dwell", "age"] == 2


def test_a_name_that_is_no_feature_is_refused() -> None:
    similar = between(tiecore.evaluate(QRELS, FEATURES, ["AP"]))
    with pytest.raises(TiecoreError, match="no feature 'likes': there are clicks, dwell, age"):
        similar.values("clicks", "likes")
    with pytest.raises(TiecoreError, match="unknown method"):
        between(cast("Any", None), method=cast("Any", "jaccard"))

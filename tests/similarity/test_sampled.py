"""Similarity on some queries, the order of the map, and the documents of a pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tiecore.errors import TiecoreError
from tiecore.similarity import alike_order, between, between_sampled, shared_documents
from tiecore.similarity.features import SimilarityMethod

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


@pytest.mark.parametrize(("method", "ties"), [("rbo", "b"), ("tau_b", "b"), ("tau_ap", "b"), ("tau_ap", "a")])
@pytest.mark.parametrize("piece", [1, 100, 1 << 20])
def test_all_queries_give_what_between_gives_in_any_number_of_pieces(
    evaluation: tiecore.Evaluation,
    method: SimilarityMethod,
    ties: str,
    piece: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tiecore.similarity.sampled._PIECE", piece)
    monkeypatch.setattr("tiecore.similarity.sampled._LEAST", 1)
    whole = between(evaluation, method=method, ties=ties)
    reports: list[tuple[int, int]] = []
    found = between_sampled(
        evaluation, queries=1000, method=method, ties=ties, progress=lambda *done: reports.append(done)
    )
    pd.testing.assert_frame_equal(found.means, whole.means, rtol=0, atol=1e-12)
    pd.testing.assert_frame_equal(found.queries, whole.queries)
    assert (found.n_queries, found.n_queries_in_all) == (23, 23)
    assert reports == [(done, len(reports)) for done in range(1, len(reports) + 1)]


@pytest.mark.parametrize("n_queries", [1, 2, 7, 22])
def test_some_queries_are_compared_as_if_there_were_no_others(n_queries: int, evaluation: tiecore.Evaluation) -> None:
    found = between_sampled(evaluation, queries=n_queries, method="tau_b")
    chosen = [QUERIES[int((place + 0.5) * 23 / n_queries)] for place in range(n_queries)]
    assert len(set(chosen)) == n_queries == found.n_queries
    whole = between(evaluation, method="tau_b")
    for x in FEATURES:
        for y in FEATURES:
            values = whole.values(x, y).reindex(chosen).dropna()
            assert found.queries.loc[x, y] == len(values)
            assert found.means.loc[x, y] == pytest.approx(values.mean(), rel=0, abs=1e-12, nan_ok=True)


def test_some_features_are_compared_as_if_there_were_no_others(evaluation: tiecore.Evaluation) -> None:
    names = ["middle", "coarse"]
    found = between_sampled(evaluation, queries=23, features=names, method="tau_b")
    pd.testing.assert_frame_equal(
        found.means, between(evaluation, method="tau_b").means.loc[names, names], rtol=0, atol=1e-12
    )
    with pytest.raises(TiecoreError, match="no feature 'gone'"):
        between_sampled(evaluation, queries=23, features=["gone"])


def test_a_sample_without_queries_is_refused(evaluation: tiecore.Evaluation) -> None:
    with pytest.raises(TiecoreError, match="queries=0"):
        between_sampled(evaluation, queries=0)


def test_counts_know_no_documents_to_compare() -> None:
    counted = tiecore.evaluate(tiecore.count(QRELS, FEATURES), measures=["nDCG@3"])
    for ask in (lambda: between_sampled(counted, queries=3), lambda: shared_documents(counted, "fine", "coarse")):
        with pytest.raises(TiecoreError):
            ask()


def test_groups_of_features_that_rank_alike_stand_together() -> None:
    names = [f"{group}{number}" for number in range(4) for group in "abc"]
    means = pd.DataFrame([[0.9 if one[0] == other[0] else -0.1 for other in names] for one in names], names, names)
    groups = "".join(name[0] for name in alike_order(means))
    assert sorted(groups[start : start + 4] for start in (0, 4, 8)) == ["aaaa", "bbbb", "cccc"]


@pytest.mark.parametrize(
    "values",
    [
        [[1.0]],
        [[1.0, 0.3], [0.3, 1.0]],
        np.full((4, 4), np.nan),
        np.ones((5, 5)),
        [[1.0, 0.2, 0.4], [0.6, 1.0, np.nan], [0.4, np.nan, 1.0]],
    ],
)
def test_the_order_holds_each_feature_once_whatever_is_known(values: Any) -> None:
    names = [str(number) for number in range(len(values))]
    assert sorted(alike_order(pd.DataFrame(values, names, names))) == names


def test_shared_documents_are_those_that_both_score_with_their_ranks(evaluation: tiecore.Evaluation) -> None:
    found = shared_documents(evaluation, "coarse", "middle")
    both = {
        (q, d) for q, scores in FEATURES["coarse"].items() for d in scores.keys() & FEATURES["middle"].get(q, {}).keys()
    }
    assert set(found.frame.index) == both
    assert found.n_documents == len(both)
    for (q, d), (_, row) in zip(found.frame.index.tolist(), found.frame.iterrows(), strict=True):
        for axis, name, sign in (("x", "coarse", 1), ("y", "middle", -1)):  # the lower, the better
            scores = [sign * score for score in FEATURES[name][q].values()]
            own = FEATURES[name][q][d]
            assert row[axis] == own
            assert row[f"{axis} first_rank"] == 1 + sum(score > sign * own for score in scores)
            assert row[f"{axis} last_rank"] == sum(score >= sign * own for score in scores)
        grade = QRELS[q].get(d)
        assert row["grade"] is pd.NA if grade is None else row["grade"] == grade


def test_documents_without_a_score_are_not_shared_though_they_are_ranked_last() -> None:
    features = {"x": {"q": {"a": 2.0, "b": 1.0}}, "y": {"q": {"a": 1.0}}}
    ranked_last = tiecore.evaluate({"q": {"a": 1, "b": 0, "c": 1}}, features, ["RR"], missing="last")
    assert list(shared_documents(ranked_last, "x", "y").frame.index) == [("q", "a")]


def test_a_draw_of_shared_documents_is_a_part_of_all_and_always_the_same(evaluation: tiecore.Evaluation) -> None:
    whole = shared_documents(evaluation, "fine", "coarse")
    drawn = shared_documents(evaluation, "fine", "coarse", most=20)
    assert len(drawn.frame) == 20
    assert drawn.n_documents == whole.n_documents == len(whole.frame)
    pd.testing.assert_frame_equal(drawn.frame, whole.frame.loc[drawn.frame.index])
    pd.testing.assert_frame_equal(drawn.frame, shared_documents(evaluation, "fine", "coarse", most=20).frame)


def test_features_that_share_no_document_have_an_empty_frame() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    e = tiecore.evaluate(qrels, {"x": {"q": {"a": 1.0}}, "y": {"q": {"b": 1.0}}}, ["RR"])
    found = shared_documents(e, "x", "y")
    assert found.n_documents == len(found.frame) == 0


def test_an_unknown_feature_is_refused_by_name(evaluation: tiecore.Evaluation) -> None:
    with pytest.raises(TiecoreError, match="no feature 'gone'"):
        shared_documents(evaluation, "fine", "gone")

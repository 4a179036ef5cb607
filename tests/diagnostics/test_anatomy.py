"""How tied features are, on data worked by hand and by counting one query at a time."""

from functools import cache
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import tiecore
from tests.diagnostics.data import collection, diagnostics, evaluated
from tests.strategies import collections, usual
from tiecore.measures import FAMILIES, measure

anatomy = diagnostics.anatomy
random_baseline = diagnostics.random_baseline

# q1: a b tied and of different grades, then c; q2: d e f all tied, d and e relevant in different grades; q3: no hit
QRELS = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"d": 2, "e": 1, "f": 1}, "q3": {"g": 0, "h": 0}}
CLICKS = {"q1": {"a": 2, "b": 2, "c": 0}, "q2": {"d": 1, "e": 1, "f": 1}, "q3": {"g": 1, "h": 1}}


def evaluate(features: Any = None, **options: Any) -> Any:
    return tiecore.evaluate(QRELS, features or {"clicks": CLICKS}, **({"measures": ["P@2", "AP"]} | options))


def test_ties_are_counted_as_by_hand_mixed_by_relevance_or_by_grades_of_any_kind() -> None:
    table = anatomy(evaluate(), cutoffs=[1, 2, 3])
    assert table.index.name == "feature"
    assert table.loc["clicks"].to_dict() == {
        "queries": 3,
        "documents": 8,
        "tied": 7 / 8,
        "tied_mixed": 2 / 8,
        "mean_tie": 8 / 4,
        "largest_tie": 3,
        "values": 3,
        "values_per_query": 4 / 3,
        "constant_queries": 2 / 3,
        "cut_in_tie@1": 1.0,
        "cut_in_mixed_tie@1": 1 / 3,
        "cut_in_tie@2": 1 / 3,
        "cut_in_mixed_tie@2": 0.0,
        "cut_in_tie@3": 0.0,
        "cut_in_mixed_tie@3": 0.0,
        "alarm": "constant in 2 of 3 queries: all their documents are tied",
    }
    by_grade = anatomy(evaluate(), cutoffs=[1], rel=None).loc["clicks"]
    assert (by_grade["tied_mixed"], by_grade["cut_in_mixed_tie@1"]) == (5 / 8, 2 / 3)
    by_high_relevance = anatomy(evaluate(), cutoffs=[1], rel=2).loc["clicks"]
    assert (by_high_relevance["tied_mixed"], by_high_relevance["cut_in_mixed_tie@1"]) == (3 / 8, 1 / 3)


def test_only_queries_that_count_are_looked_at() -> None:
    evaluation = evaluate(no_relevant="skip", measures=["P@2", "P(rel=2)@2"])
    assert anatomy(evaluation).loc["clicks", "documents"] == 6
    assert anatomy(evaluation, measure="P(rel=2)@2").loc["clicks", "documents"] == 3
    assert anatomy(evaluation, cutoffs=[2], measure="P(rel=2)@2").loc["clicks", "cut_in_tie@2"] == 1.0


@pytest.mark.parametrize("rel", [None, 1, 3])
def test_cuts_are_what_one_query_after_another_gives(rel: int | None) -> None:
    qrels, features = collection(4)
    evaluation = evaluated(4)
    n_queries = qrels["query_id"].nunique()
    grade = qrels.set_index(["query_id", "doc_id"])["relevance"].to_dict()
    cutoffs = [1, 2, 3, 5, 5, 8, 13, 40]  # one is counted once
    found = anatomy(evaluation, cutoffs=cutoffs, rel=rel)
    for name, scores in features.items():
        for k in cutoffs:
            cut = mixed = 0
            for query, rows in scores.groupby("query_id"):
                ranked = sorted(zip(-rows["score"], rows["doc_id"], strict=True))
                rank = 0
                for _, members in groupby(ranked, key=lambda scored: scored[0]):
                    grades = [grade.get((query, doc)) for _, doc in members]
                    if rank < k < rank + len(grades):
                        kinds = {g if rel is None else g is not None and g >= rel for g in grades}
                        cut, mixed = cut + 1, mixed + (len(kinds) > 1)
                    rank += len(grades)
            cuts = found.loc[name, [f"cut_in_tie@{k}", f"cut_in_mixed_tie@{k}"]]
            assert cuts.tolist() == [cut / n_queries, mixed / n_queries]


def test_the_anatomy_agrees_with_the_coverage() -> None:
    evaluation = evaluated(3, measures=["P@5"])
    table, coverage = anatomy(evaluation, cutoffs=[5]), evaluation.coverage
    for column in ("tied", "largest_tie", "mean_tie"):
        np.testing.assert_allclose(table[column], coverage[column], rtol=0, atol=1e-15)
    np.testing.assert_allclose(table["cut_in_mixed_tie@5"] * 12, coverage["cut_in_mixed_tie"], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("by_query", "where"), [(False, "over all queries"), (True, "within each query")])
def test_a_feature_that_is_constant_within_queries_is_no_ranking(by_query: bool, where: str) -> None:
    constant = {query: dict.fromkeys(scores, float(i * by_query)) for i, (query, scores) in enumerate(CLICKS.items())}
    alarm = anatomy(evaluate({"one": constant})).loc["one", "alarm"]
    assert alarm == f"constant {where}, which gives the expectation of a random order"


def test_a_feature_that_lists_nothing_that_counts_raises_the_alarm_and_one_of_few_documents_does_not() -> None:
    features = {"clicks": CLICKS, "other": {"q3": {"g": 1.0}}}
    row = anatomy(evaluate(features, no_relevant="skip")).loc["other"]
    assert (row["queries"], row["documents"], row["tied"], row["mean_tie"]) == (0, 0, 0, 0)
    assert row["alarm"] == "lists no document of any query"
    row = anatomy(evaluate({"few": {"q1": {"a": 1}, "q2": {"d": 2, "e": 1, "f": 1}}})).loc["few"]
    assert row[["queries", "values_per_query", "constant_queries"]].tolist() == [2, 3 / 2, 0]
    assert row["alarm"] == ""


@cache
def every_baseline(missing: Any) -> tuple[Any, Any]:
    """Return baselines by measure and feature, and the values of features that give all documents one score."""
    qrels, features = collection(1)
    constant = {feature: scores.assign(score=7.0) for feature, scores in features.items()}
    names = [usual(family) for family in FAMILIES.values()]
    baselines = random_baseline(tiecore.evaluate(qrels, features, names, missing=missing))
    return baselines, tiecore.evaluate(qrels, constant, names, missing=missing).summary["expected"]


@pytest.mark.parametrize("missing", ["unranked", "last"])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_baseline_is_what_a_constant_feature_gets(family: str, missing: Any) -> None:
    baselines, of_constants = every_baseline(missing)
    assert baselines.index.names == ["measure", "feature"]
    used = measure(usual(FAMILIES[family]))
    baseline = baselines.loc[str(used)]
    np.testing.assert_allclose(baseline["random"], of_constants.loc[str(used)], rtol=0, atol=1e-15)
    sign = 1 if used.higher_is_better else -1
    np.testing.assert_array_equal(baseline["gained"], sign * (baseline["expected"] - baseline["random"]))


@given(collections())
def test_flat_features_are_those_that_the_anatomy_calls_no_ranking(collected: Any) -> None:
    qrels, features = collected
    evaluation = tiecore.evaluate(qrels, features, ["AP"])
    described = anatomy(evaluation)
    flat = (described["constant_queries"] > 0) & (described["values_per_query"] == 1)
    assert set(diagnostics.flat_features(evaluation)) == set(described.index[flat])

"""What evaluate() returns for small data worked by hand, each of its options, and what it refuses."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.batches import as_frame

QRELS: dict[str, dict[str, int]] = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"d": 2, "e": 0}, "q3": {"f": 0}}
FEATURES: dict[str, dict[str, dict[str, float]]] = {
    "clicks": {"q1": {"a": 1, "b": 1, "c": 0}, "q2": {"d": 3, "e": 3}},
    "pages": {"q1": {"c": 2.5, "x": 1.5}, "q3": {"f": 1.0}},
}


def evaluate(qrels: Any = QRELS, features: Any = FEATURES, **options: Any) -> Any:
    return tiecore.evaluate(qrels, features, **({"measures": ["AP"]} | options))


APART: dict[str, Any] = {"f": {"q1": {"a": 1.0}}, "g": {"q2": {"d": 1.0}}}


def row(evaluation: Any, feature: str, measure: str = "AP") -> dict[str, float]:
    return {str(name): float(value) for name, value in evaluation.summary.loc[(measure, feature)].items()}


def test_per_query_values_are_those_worked_by_hand_and_the_summary_their_mean_with_its_sd() -> None:
    table = evaluate(tie_breaks=["trec_eval"]).per_query
    assert table.index.names == ["measure", "feature", "query_id"]
    assert list(table.columns) == ["expected", "sd", "worst", "best", "trec_eval"]
    assert len(table) == 6
    # q1: a b c or b a c, that is (1 + 2/3)/2 or (1/2 + 2/3)/2; trec_eval puts b first
    known = {
        ("clicks", "q1"): (17 / 24, 1 / 8, 7 / 12, 5 / 6, 7 / 12),
        ("clicks", "q2"): (3 / 4, 1 / 4, 1 / 2, 1, 1 / 2),
        ("clicks", "q3"): (0, 0, 0, 0, 0),
        ("pages", "q1"): (1 / 2, 0, 1 / 2, 1 / 2, 1 / 2),
        ("pages", "q2"): (0, 0, 0, 0, 0),
        ("pages", "q3"): (0, 0, 0, 0, 0),
    }
    for (feature, query), values in known.items():
        np.testing.assert_allclose(table.loc[("AP", feature, query)], values, rtol=0, atol=1e-14)
    evaluation = evaluate(tie_breaks=["trec_eval"])
    assert evaluation.summary.index.names == ["measure", "feature"]
    assert list(evaluation.summary.columns) == ["expected", "sd", "worst", "best", "trec_eval"]
    known_means = [35 / 72, math.sqrt(1 / 64 + 1 / 16) / 3, 13 / 36, 11 / 18, 13 / 36]
    assert [*row(evaluation, "clicks").values()] == pytest.approx(known_means, rel=0, abs=1e-14)
    assert row(evaluation, "pages")["expected"] == pytest.approx(1 / 6, rel=0, abs=1e-14)


def test_measures_and_features_stand_in_the_order_given_and_are_looked_up_without_a_warning() -> None:
    evaluation = evaluate(measures=["RR", "AP", "P@1"], features={"pages": FEATURES["pages"], **FEATURES})
    assert list(evaluation.summary.index) == [(m, f) for m in ("RR", "AP", "P@1") for f in ("pages", "clicks")]
    # an index whose levels stand in the order given is sorted to pandas, whatever the names
    table = evaluation.per_query
    assert list(table.loc[("RR", "pages")].index) == ["q1", "q2", "q3"]
    assert list(table.loc["AP"].index.unique("feature")) == ["pages", "clicks"]


def test_input_is_left_as_it_was() -> None:
    qrels, frame = as_frame(QRELS, "relevance"), as_frame(FEATURES["clicks"], "score")
    qrels_before, frame_before = qrels.copy(deep=True), frame.copy(deep=True)
    evaluate(qrels, {"clicks": frame}, tie_breaks=["trec_eval", "input-reversed"], ascending=["clicks"])
    pd.testing.assert_frame_equal(qrels, qrels_before)
    pd.testing.assert_frame_equal(frame, frame_before)


def test_ids_are_text_and_never_numbers() -> None:
    qrels = {"01": {"007": 1, "7": 0}, "1": {"007": 0, "7": 1}}
    scores = {"01": {"7": 2.0, "007": 1.0}, "1": {"7": 2.0, "007": 1.0}}
    table = evaluate(qrels, {"f": scores}, measures=["RR"]).per_query
    assert table.loc[("RR", "f", "01"), "expected"] == 0.5
    assert table.loc[("RR", "f", "1"), "expected"] == 1.0


def test_queries_without_a_relevant_document_of_grade_1_or_more_can_be_skipped() -> None:
    evaluation = evaluate(no_relevant="skip")
    assert row(evaluation, "clicks")["expected"] == pytest.approx(35 / 48, rel=0, abs=1e-14)
    assert row(evaluation, "pages")["expected"] == pytest.approx(1 / 4, rel=0, abs=1e-14)
    assert "q3" not in evaluation.per_query.index.get_level_values("query_id")
    qrels, features = {"q1": {"a": 1}, "q2": {"a": 0}}, {"f": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}}
    found = tiecore.evaluate(qrels, features, ["nDCG", "AP"], no_relevant="skip").summary
    assert found["expected"].tolist() == [1.0, 1.0]


def test_only_queries_common_to_all_features_can_count() -> None:
    evaluation = evaluate(queries="common")
    assert set(evaluation.per_query.index.get_level_values("query_id")) == {"q1"}
    assert row(evaluation, "clicks")["expected"] == pytest.approx(17 / 24, rel=0, abs=1e-14)
    assert row(evaluation, "pages")["expected"] == pytest.approx(1 / 2, rel=0, abs=1e-14)


def test_queries_without_judgments_count_nowhere() -> None:
    more = {name: scores | {"q9": {"z": 1.0}} for name, scores in FEATURES.items()}
    for queries in ("qrels", "common"):
        found, known = evaluate(features=more, queries=queries), evaluate(queries=queries)
        pd.testing.assert_frame_equal(found.summary, known.summary)


def test_missing_documents_can_form_a_last_tie_group() -> None:
    # pages, q1: c x, then a and b in either order: (1 + 2/3)/2 or (1 + 2/4)/2
    table = evaluate(missing="last").per_query
    found = table.loc[("AP", "pages", "q1")]
    np.testing.assert_allclose(found, [19 / 24, 1 / 24, 3 / 4, 5 / 6], rtol=0, atol=1e-14)
    assert table.loc[("AP", "clicks", "q1"), "expected"] == pytest.approx(17 / 24, rel=0, abs=1e-14)


@pytest.mark.parametrize(("score", "ascending"), [(-math.inf, []), (math.inf, ["f"])])
def test_missing_documents_come_after_the_lowest_scores_there_are(score: float, ascending: list[str]) -> None:
    table = evaluate({"q": {"a": 0, "b": 1}}, {"f": {"q": {"a": score}}}, missing="last", ascending=ascending).per_query
    assert table.loc[("AP", "f", "q"), "expected"] == 0.5


@pytest.mark.parametrize(
    ("missing", "clicks", "pages"),
    [
        # clicks: [a b] [c], [d e]; pages: [c] [x], [f]
        ("unranked", {"tied": 4 / 5, "mean_tie": 5 / 3, "cut": 2}, {"tied": 0.0, "mean_tie": 1.0, "cut": 0}),
        # f behind; a and b behind, d and e behind
        ("last", {"tied": 4 / 6, "mean_tie": 6 / 4, "cut": 2}, {"tied": 4 / 7, "mean_tie": 7 / 5, "cut": 1}),
    ],
)
def test_coverage_is_that_counted_by_hand(missing: Any, clicks: dict[str, float], pages: dict[str, float]) -> None:
    features = {**FEATURES, "few": {"q3": {"f": 1.0}, "q8": {"a": 1.0, "b": 1.0}, "q9": {"a": 1.0}}}
    coverage = evaluate(features=features, measures=["AP@1"], missing=missing).coverage
    columns = ["queries", "queries_missing", "queries_unknown", "documents", "documents_unknown", "judged", "unjudged"]
    assert coverage[[*columns, "missing"]].to_numpy().tolist() == [
        [2, 1, 0, 5, 0, 5, 0, 1],
        [2, 1, 0, 3, 0, 2, 1, 4],
        [1, 2, 2, 1, 3, 1, 0, 5],
    ]
    for feature, known in (("clicks", clicks), ("pages", pages)):
        row = coverage.loc[feature]
        assert (row["tied"], row["mean_tie"], row["cut_in_mixed_tie"]) == tuple(known.values())
    assert coverage["largest_tie"].tolist()[:2] == [2, 2 if missing == "last" else 1]


def test_a_feature_that_scores_nothing_has_no_ties() -> None:
    table = as_frame(FEATURES["clicks"], "score").assign(nothing=math.nan)
    row = evaluate(features=table).coverage.loc["nothing"]
    assert row[["queries", "documents", "missing"]].tolist() == [0, 0, 6]
    assert row[["tied", "largest_tie", "mean_tie", "cut_in_mixed_tie", "unmatched"]].tolist() == [0, 0, 0, 0, 0]


def test_leaderboard_shows_the_place_under_each_tie_break_the_shortest_search_first_by_any_spelling() -> None:
    # descending ids put the relevant a and c last of their ties
    qrels = {"q": {"a": 1, "b": 0}, "r": {"c": 1, "d": 0, "e": 0}}
    features = {
        "tied": {"q": {"a": 1.0, "b": 1.0}, "r": {"c": 1.0, "d": 1.0, "e": 1.0}},
        "sure": {"q": {"a": 0.0, "b": 1.0}, "r": {"c": 1.0, "d": 2.0, "e": 0.0}},
    }
    board = evaluate(qrels, features, measures=["RR"], tie_breaks=["trec_eval"]).leaderboard("RR")
    assert list(board.index) == ["tied", "sure"]
    assert board["expected"].tolist() == pytest.approx([(3 / 4 + 11 / 18) / 2, 1 / 2], rel=0, abs=1e-14)
    assert board["trec_eval"].tolist() == pytest.approx([(1 / 2 + 1 / 3) / 2, 1 / 2], rel=0, abs=1e-14)
    assert board["place"].tolist() == [1, 2]
    assert board["trec_eval place"].tolist() == [2, 1]
    qrels = {"q": {"a": 1, "b": 0}}
    features = {"bad": {"q": {"a": 0.0, "b": 1.0}}, "good": {"q": {"a": 1.0, "b": 0.0}}}
    assert list(evaluate(qrels, features, measures=["ESL"]).leaderboard("ESL").index) == ["good", "bad"]
    evaluation = evaluate(measures=["AP@10"])
    pd.testing.assert_frame_equal(evaluation.leaderboard("map_cut_10"), evaluation.leaderboard("AP@10"))
    with pytest.raises(tiecore.TiecoreError, match="AP@10"):
        evaluation.leaderboard("RR")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"queries": "all"}, "common"),
        ({"no_relevant": "drop"}, "skip"),
        ({"missing": "first"}, "unranked"),
        ({"precision": "float16"}, "float32"),
        ({"measures": ["AAP"]}, "AP"),
        ({"measures": []}, "no measures"),
        ({"measures": ["ERR(max_rel=1)@3"], "qrels": QRELS | {"q8": {"a": 2}}}, "above max_rel=1"),
        ({"measures": ["AP(rel=9)"], "no_relevant": "skip"}, "nothing to average: no query has a relevant document"),
        ({"statistics": ["median"]}, "unknown statistic 'median'"),
        ({"tie_breaks": ["docid"]}, "docid-desc"),
        ({"tie_breaks": ["rank"]}, "needs a TREC run"),
        ({"tie_breaks": ["feature:links"]}, r"clicks.*pages"),
        *(({"workers": n}, "^workers must be (1 or more|a whole number), found ") for n in (0, -1, 1.5, "2")),
        ({"qrels": {}}, "no judgments"),
        ({"features": {"clicks": {}}}, "no scores"),
        ({"features": APART, "queries": "common"}, "no query is listed by every feature"),
        (
            {"features": {"f": APART["f"]}, "queries": "common", "no_relevant": "skip", "measures": ["P(rel=9)@1"]},
            "no query that every feature lists has a relevant document",
        ),
    ],
)
def test_what_cannot_be_evaluated_is_answered_with_what_can(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=problem):
        evaluate(**options)

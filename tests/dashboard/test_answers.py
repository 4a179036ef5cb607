"""The sentences say what the numbers say."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd
import pytest

import tiecore
from tiecore.stability import stability
from tiecore_dashboard.pages.ranking.answer import contenders, moved, ranking_answer

QUERIES = [f"q{q}" for q in range(40)]
DOCUMENTS = [f"d{d}" for d in range(6)]
QRELS = {q: {d: int(d == "d1") for d in DOCUMENTS} for q in QUERIES}


def scored(*scores: float) -> dict[str, dict[str, float]]:
    return {q: dict(zip(DOCUMENTS, scores, strict=True)) for q in QUERIES}


FIRST = scored(0, 5, 1, 2, 3, 4)
LAST = scored(5, 0, 1, 2, 3, 4)
CONSTANT = scored(1, 1, 1, 1, 1, 1)
HALF = scored(1, 1, 0, 0, 0, 0)
LATE = scored(5, 1, 1, 1, 1, 1)


def answer(features: dict[str, dict[str, dict[str, float]]], tie_breaks: Sequence[str] = ()) -> tuple[str, list[str]]:
    evaluation = tiecore.evaluate(QRELS, features, ["RR"], tie_breaks)
    board = evaluation.leaderboard("RR")
    return ranking_answer(board, tie_breaks=tie_breaks, stable=stability(evaluation, "RR"))


def test_a_lead_is_clear_over_the_queries_and_certain_as_to_ties() -> None:
    sentence, details = answer({"good": FIRST, "late": LATE, "bad": LAST}, ["docid-asc"])
    assert (
        "<strong>good</strong> leads, however ties are broken. Over 40 queries it is clearly better than every"
        in sentence
    )
    assert ["Anserini (ids ↑)</abbr></strong> every feature keeps its place." in detail for detail in details] == [True]


def test_a_winner_that_the_tie_break_chooses_is_reported_with_its_rivals() -> None:
    flat = dict.fromkeys(("one", "other"), CONSTANT) | {"third": scored(1, 1, 1, 1, 1, 0)}
    sentence, _ = answer(flat, ["docid-asc"])
    assert " share the first place" in sentence or "is first in" in sentence


def test_a_likely_winner_is_given_with_its_chance() -> None:
    sentence, _ = answer({"half": HALF, "flat": CONSTANT})
    assert "<strong>half</strong> leads by expectation, and is first in" in sentence
    assert "100 %" not in sentence


def test_without_ties_it_says_so() -> None:
    sentence, details = answer({"good": FIRST, "bad": LAST}, ["input"])
    assert "<strong>good</strong> ranks first with 1.0000. " in sentence
    assert "is clearly better than" in sentence
    assert "No tie matters here" in sentence
    assert [detail for detail in details if "precision" in detail] == details


def test_a_feature_that_is_constant_within_each_query_is_named() -> None:
    evaluation = tiecore.evaluate(QRELS, {"half": HALF, "flat": CONSTANT, "17": CONSTANT}, ["RR"])
    board = evaluation.leaderboard("RR")
    _, details = ranking_answer(board, tie_breaks=(), stable=None, flat=["17", "flat"])
    assert details == [
        "Feature <strong>17</strong> and <strong>flat</strong> are constant within each query: they order nothing."
    ]


def test_one_feature_has_nothing_to_be_compared_with() -> None:
    sentence, _ = answer({"flat": CONSTANT}, ["input"])
    assert "Load another feature to compare" in sentence


def test_equal_features_share_the_first_place() -> None:
    sentence, _ = answer({"one": CONSTANT, "other": CONSTANT})
    assert "<strong>one</strong> and <strong>other</strong> share the first place" in sentence


def test_a_tie_break_that_moves_features_is_told_with_who_leads() -> None:
    # the relevant document has the second lowest id: ascending ids flatter the constant feature
    _, details = answer({"half": scored(1, 1, 1, 0, 0, 0), "flat": CONSTANT, "bad": LAST}, ["docid-desc", "docid-asc"])
    assert any("docid-desc" in detail for detail in details)


def test_an_order_that_holds_all_equal_is_told_without_a_correlation() -> None:
    # the relevant document is the second: the tie-break by the feature puts it there for both
    features = {"half": HALF, "flat": CONSTANT, "late": scored(9, 5, 1, 1, 1, 1)}
    sentence, details = answer({"half": features["half"], "late": features["late"]}, ["feature:late", "docid-asc"])
    assert not re.search(r"\bnan\b", sentence + "".join(details), re.IGNORECASE)
    assert any("τ" not in detail and "share" not in detail and "lead" in detail for detail in details)


def test_without_chances_it_names_the_leader_alone() -> None:
    board = tiecore.evaluate(QRELS, {"half": HALF, "flat": CONSTANT}, ["RR"]).leaderboard("RR")
    sentence, _ = ranking_answer(board, tie_breaks=(), stable=None)
    assert sentence.startswith("<strong>half</strong> ranks first with an expectation of")


def test_names_are_escaped() -> None:
    sentence, details = answer({"<b>&": HALF, "<i>": CONSTANT}, ["input"])
    assert "<b>" not in sentence + "".join(details)
    assert "<i>" not in sentence + "".join(details)


def test_contenders_lead_under_something_and_moved_ones_change_place() -> None:
    features = {"half": scored(1, 1, 1, 0, 0, 0), "flat": CONSTANT, "bad": LAST}
    tie_breaks = ["docid-desc", "docid-asc", "input"]
    board = tiecore.evaluate(QRELS, features, ["RR"], tie_breaks).leaderboard("RR")
    assert "half" in contenders(board, tie_breaks)
    assert "bad" not in contenders(board, tie_breaks)
    for name in tie_breaks:
        assert moved(board, name) == [f for f in board.index if board.loc[f, "place"] != board.loc[f, f"{name} place"]]


@pytest.mark.parametrize("measure", ["ESL", "GMAP", "Bpref"])
def test_measures_of_every_kind_are_answered(measure: str) -> None:
    evaluation = tiecore.evaluate(QRELS, {"half": HALF, "flat": CONSTANT}, [measure], ["input"])
    board = evaluation.leaderboard(measure)
    sentence, _ = ranking_answer(board, tie_breaks=["input"], stable=stability(evaluation, measure))
    assert "half" in sentence


# --- what an outside review found to mislead --------------------------------------------------------------------------

UNSTEADY: dict[str, dict[str, float]] = {
    q: dict(zip(DOCUMENTS, scores, strict=True))
    for q, scores in zip(QUERIES, [(0, 5, 1, 2, 3, 4), (5, 0, 1, 2, 3, 4)] * 20, strict=True)
}
STEADY = scored(9, 5, 1, 2, 3, 4)


def plain(features: dict[str, dict[str, dict[str, float]]]) -> str:
    return re.sub("<[^>]*>", "", answer(features)[0]).replace("\u00a0", " ")


def test_a_lead_that_ties_cannot_undo_leaves_open_what_other_queries_could_show() -> None:
    leads, ties = list(QUERIES[:26]), {q: LATE[q] for q in QUERIES[:26]}
    leader = {q: FIRST[q] if q in leads else LAST[q] for q in QUERIES}
    text = plain({"unsteady": leader, "rival": {q: ties.get(q, FIRST[q]) for q in QUERIES}})
    assert text.startswith("unsteady leads, however ties are broken. Which of unsteady and rival is better")


def test_without_any_ties_the_queries_are_asked_all_the_same() -> None:
    text = plain({"unsteady": UNSTEADY, "steady": STEADY})
    assert "No tie matters here" in text
    assert "is better is open over 40 queries" in text


def test_a_run_that_lacks_queries_does_not_lose_to_its_own_copy() -> None:
    half = dict(list(UNSTEADY.items())[:19])
    sentence, details = answer({"run": UNSTEADY, "half": half})
    text = re.sub("<[^>]*>", "", sentence)
    assert "open over 19 queries: neither is ahead" in text
    assert (
        "Not every feature lists all 40 queries: each pair is compared on the queries that both list (19)." in details
    )


def test_a_feature_called_like_a_derived_column_is_not_mistaken_for_it() -> None:
    qrels = {"q": {"a": 1, "b": 0}, "r": {"a": 0, "b": 1}}
    tied = {"q": {"a": 1.0, "b": 1.0}, "r": {"a": 1.0, "b": 1.0}}
    features = {"x": tied, "x shift": {**tied, "q": {"a": 2.0, "b": 1.0}}, "x place": tied}
    names = [f"feature:{name}" for name in features]
    board = tiecore.evaluate(qrels, features, ["RR"], names).leaderboard("RR")
    assert moved(board, "feature:x") == []
    assert moved(board, "feature:x shift") == ["x", "x place"]
    assert contenders(board, names) == ["x shift", "x", "x place"]


def test_a_correlation_that_is_not_quite_one_is_not_called_one() -> None:
    place = pd.Series(range(1, 61), index=[f"f{number}" for number in range(60)])
    moved_place = place.replace({1: 2, 2: 1})
    board = pd.DataFrame(
        {"place": place, "expected": 1 / place, "worst": 0.0, "best": 1.0, "docid-asc": 1 / moved_place}
    )
    board = board.assign(**{"docid-asc place": moved_place, "docid-asc shift": place - moved_place})
    _, details = ranking_answer(board, tie_breaks=["docid-asc"], stable=None)
    assert any("τ &gt;0.99" in detail for detail in details), details

"""A reported number leads to the conventions that made it, and to no simpler ones that did not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from bench.ties_elsewhere import cases
from tests.batches import as_frame
from tests.strategies import Qrels
from tests.strategies import Scores as Run
from tiecore.evaluation.explain import explain, parse_reported

MEASURES = ("nDCG@15", "AP", "P@20", "RR")


def drawn(seed: int = 3) -> tuple[Qrels, Run]:
    """Draw judgments and a run on which every convention matters.

    There are ties, ties in single precision alone, a query without a relevant document, two that are not listed, short
    lists, long ones, unjudged documents and grades up to 3.
    """
    rng = np.random.default_rng(seed)
    qrels: Qrels = {}
    run: Run = {}
    for q, n in enumerate([70, 60, 12, 14, 65, 58, 16, 80]):
        ids = [f"d{d:03}" for d in rng.permutation(n)]
        grades = rng.choice((0, 0, 1, 2, 3), n) if q else np.zeros(n)
        qrels[f"q{q}"] = {doc: int(grade) for doc, grade in zip(ids, grades, strict=True) if rng.random() < 0.7}
        nearly = rng.integers(0, 4, n) + rng.integers(0, 3, n) * 1e-9
        run[f"q{q}"] = dict(zip(ids, map(float, nearly), strict=True))
    del run["q7"], run["q2"]
    return qrels, run


QRELS, RUN = drawn()


def values(
    qrels: Qrels = QRELS, run: Run = RUN, names: Any = MEASURES, column: str = "expected", **options: Any
) -> Any:
    tie_breaks = [] if column in ("expected", "worst", "best") else [column]
    found = tiecore.evaluate(qrels, {"run": run}, names, tie_breaks, **options)
    return found.summary[column].to_numpy()


def per_query(name: str) -> pd.Series[float]:
    return tiecore.evaluate(QRELS, {"run": RUN}, [name]).per_query["expected"].loc[name].loc["run"]


def cut(run: Run, depth: int, by: Callable[[Any], list[Any]] = list) -> Run:
    """Keep the first documents by score, equal ones as they come or in another order."""
    return {q: dict(sorted(by(docs.items()), key=lambda pair: -pair[1])[:depth]) for q, docs in run.items()}


def judged_only(run: Run) -> Run:
    return {q: {doc: x for doc, x in docs.items() if doc in QRELS[q]} for q, docs in run.items()}


def short_lists_by_length() -> np.ndarray:
    found = values().copy()
    lengths = np.array([len(RUN.get(q, {})) for q in QRELS])
    found[MEASURES.index("P@20")] = np.mean(per_query("P@20").to_numpy() * 20 / np.clip(lengths, 1, 20))
    return found


def barren_queries_as_one() -> np.ndarray:
    barren = np.array([not any(grade > 0 for grade in grades.values()) for grades in QRELS.values()])
    return np.array([np.where(barren, 1.0, per_query(name).to_numpy()).mean() for name in MEASURES])


EXPONENTIAL = ["nDCG(dcg='exp-log2')@15", *MEASURES[1:]]
FROM_GRADE_2 = ["nDCG@15", "AP(rel=2)", "P(rel=2)@20", "RR(rel=2)"]
MADE: dict[str, tuple[dict[str, Any], Callable[[], Any]]] = {
    "docid-desc": ({"order": "docid-desc"}, lambda: values(column="docid-desc")),
    "docid-asc": ({"order": "docid-asc"}, lambda: values(column="docid-asc")),
    "input": ({"order": "input"}, lambda: values(column="input")),
    "input-reversed": ({"order": "input-reversed"}, lambda: values(column="input-reversed")),
    "worst": ({"order": "worst"}, lambda: values(column="worst")),
    "best": ({"order": "best"}, lambda: values(column="best")),
    "float32": ({"precision": "float32"}, lambda: values(precision="float32")),
    "gain": ({"gain": "exp-log2"}, lambda: values(names=EXPONENTIAL)),
    "threshold": ({"threshold": 2}, lambda: values(names=FROM_GRADE_2)),
    "unjudged": ({"unjudged": "left out"}, lambda: values(run=judged_only(RUN))),
    "depth": ({"depth": 50}, lambda: values(run=cut(RUN, 50))),
    "short lists": ({"short_lists": "length"}, short_lists_by_length),
    "queries": ({"queries": "common"}, lambda: values(queries="common")),
    "no relevant": ({"no_relevant": "skip"}, lambda: values(no_relevant="skip")),
    "one": ({"no_relevant": "one"}, barren_queries_as_one),
    "trec_eval": (
        {"order": "docid-desc", "precision": "float32"},
        lambda: values(column="docid-desc", precision="float32"),
    ),
    "depth by id": (
        {"order": "docid-desc", "depth": 50},
        lambda: values(run=cut(RUN, 50, lambda documents: sorted(documents, reverse=True)), column="docid-desc"),
    ),
    "three": (
        {"order": "docid-asc", "gain": "exp-log2", "queries": "common"},
        lambda: values(names=EXPONENTIAL, column="docid-asc", queries="common"),
    ),
    "judged and cut": (
        {"order": "docid-asc", "unjudged": "left out", "depth": 10},
        lambda: values(run=cut(judged_only(RUN), 10, sorted), column="docid-asc"),
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_the_conventions_that_made_a_number_are_found(name: str) -> None:
    changed, compute = MADE[name]
    reported = {named: f"{value:.7f}" for named, value in zip(MEASURES, compute(), strict=True)}
    found = explain(QRELS, RUN, reported)
    assert found.fits
    assert len(found.frame) == 1, "other conventions must not give the same seven digits"
    (row,) = found.frame.to_dict("records")
    assert row["departures"] == len(changed)
    assert {key: row[key] for key in changed} == changed
    assert [row[named] for named in MEASURES] == pytest.approx(list(map(float, reported.values())), rel=0, abs=6e-8)


def test_the_usual_conventions_are_no_departure_and_the_sentence_names_every_other() -> None:
    found = explain(QRELS, RUN, {"AP": round(float(values()[1]), 4)})
    assert found.frame.loc[0, "departures"] == 0
    assert "under the usual conventions, with ties averaged" in str(found)
    assert found.n_tried == 1
    _, compute = MADE["trec_eval"]
    reported = {named: f"{value:.7f}" for named, value in zip(MEASURES, compute(), strict=True)}
    found = explain(QRELS, RUN, reported)
    assert str(found) == (
        f"nDCG@15 = {reported['nDCG@15']}, AP = {reported['AP']}, P@20 = {reported['P@20']} and RR = {reported['RR']} "
        "come out with ties broken by docid-desc (as trec_eval) and scores compared in float32 "
        f"({found.n_tried} sets were tried)."
    )


def test_conventions_that_cannot_be_told_apart_are_all_shown() -> None:
    found = explain({"q": {"a": 0, "b": 1}}, {"q": {"b": 1.0, "a": 1.0}}, {"RR": "1.0000"})
    assert set(found.frame["order"]) == {"docid-desc", "input", "best"}
    assert str(found).endswith(", one of 3 sets of conventions that fit.")


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("0.75", True),
        ("0.8", True),
        ("0.750", True),
        ("0.7501", False),
        (0.8, True),
        ("0.800", False),  # text keeps zeros that a float forgets
        ("0.7", True),
        ("0.6", False),
        ("75%", True),
        ("1", True),
    ],
)
def test_a_number_is_met_to_its_printed_digits(text: str | float, digits: bool) -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    found = explain(qrels, run, {"RR": text}, most_departures=0)
    assert found.fits == digits


def test_a_number_that_nothing_gives_is_held_against_what_ties_can_do() -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0}}
    found = explain({"q": {"b": 1, "a": 0, "c": 0}}, run, {"RR": "0.75"})
    assert not found.fits
    assert found.ranges[["low", "high"]].to_numpy() == pytest.approx(np.array([[1 / 3, 1.0]]), rel=0, abs=1e-12)
    assert found.ranges.loc["RR", "ties alone"] == "inside"
    assert "another order of tied documents may give it" in str(found)
    low = explain({"q": {"b": 1, "a": 0, "c": 0}}, run, {"RR": "0.111"})
    assert low.ranges.loc["RR", "ties alone"] == "outside"
    assert "no order gives it" in str(low)
    assert f"None of {low.n_tried} sets" in str(low)
    away = np.abs(np.asarray(low.frame["RR"], dtype=np.float64) - 0.111)
    assert (np.diff(away) >= 0).all()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-1", "from 0.1666 to 0.3334: -1 lies outside"),
        ("0.9", "from 0.1666 to 0.3334: 0.9 lies outside"),
        ("0.66667999", "from 0.166666666 to 0.333333334: 0.66667999 lies outside"),
        ("1e2", "from 0.1666 to 0.3334: 1e2 lies outside"),
    ],
)
def test_the_range_as_printed_holds_every_value_that_ties_can_give(text: str, words: str) -> None:
    qrels = {query: {"b": int(query in "pq"), "a": 0} for query in "pqrstu"}
    run = {query: {"a": 1.0, "b": 1.0} for query in qrels}  # from 1/6 to 1/3
    found = explain(qrels, run, {"RR": text}, most_departures=0)
    assert f"ties alone put RR {words}" in str(found)


def test_a_value_of_many_digits_is_written_out() -> None:
    found = explain({"q": {"a": 60, "b": 0}}, {"q": {"a": 2, "b": 1}}, {"DCG(dcg='exp-log2')": "3"}, most_departures=0)
    assert "to 1152921504606846976.0000: 3 lies outside" in str(found)


def test_the_nearest_gives_as_many_of_the_numbers_as_can_be() -> None:
    average = f"{values(column='docid-desc')[1]:.7f}"
    found = explain(QRELS, RUN, {"AP": average, "RR": "0.0123"}, most_departures=1)
    assert not found.fits
    assert found.frame.loc[0, "order"] == "docid-desc"
    away = abs(float(str(found.frame.loc[0, "RR"])) - 0.0123)
    assert f"gives AP = {average[:8]}" in str(found)
    assert f" ({away:.5f} away)." in str(found)
    assert str(found).count("away") == 1


def test_a_run_without_ties_and_gaps_has_little_to_try_and_grades_too_high_for_a_gain_are_no_obstacle() -> None:
    found = explain({"q": {"a": 1, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, {"RR": "0.5"})
    assert not found.fits
    assert set(found.frame["precision"]) == {"float64"}
    assert found.frame["depth"].isna().all()
    assert explain({"q": {"a": 1000, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, {"nDCG": 1.0}).fits
    assert not explain({"q": {"a": 1000, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}, {"nDCG": 0.5, "AP": 0.5}).fits


def test_a_gain_that_is_named_has_the_other_as_alternative_and_measures_without_conventions_have_none() -> None:
    linear = values(names=["nDCG@15"])[0]
    found = explain(QRELS, RUN, {"nDCG(dcg='exp-log2')@15": f"{linear:.7f}"})
    assert found.frame["gain"].tolist() == ["log2"]
    assert "gain equal to the grade" in str(found)
    found = explain(
        QRELS, RUN, {name: f"{values(names=[name])[0]:.6f}" for name in ("GMAP", "Bpref", "ESL", "Judged@5")}
    )
    assert found.frame["departures"].tolist() == [0]


def test_the_feature_may_come_in_any_form(tmp_path: Path) -> None:
    frame = as_frame(RUN, "score")
    path = tmp_path / "a.run"
    path.write_text(
        "".join(f"{q} Q0 {doc} {n} {x!r} tag\n" for n, (q, doc, x) in enumerate(frame.to_numpy())), encoding="utf-8"
    )
    reported = {"AP": f"{values(column='docid-desc')[1]:.7f}"}
    for given in (RUN, {"mine": RUN}, frame, path):
        assert explain(QRELS, given, reported).frame["order"].tolist() == ["docid-desc"]
    by_rank = explain(QRELS, path, {"AP": f"{values(column='input')[1]:.7f}"})
    assert by_rank.frame["order"].tolist() == ["input", "rank"]
    assert "one of 2 sets of conventions that fit" in str(by_rank)


@pytest.mark.parametrize(
    ("feature", "reported", "message"),
    [
        ({"one": RUN, "two": RUN}, {"AP": 0.5}, "one feature, found 2"),
        (RUN, {}, "no number to explain"),
        (RUN, {"AP": "high"}, "not a number that a report could print"),
        (RUN, {"AP": float("nan")}, "not a number that a report could print"),
        (RUN, {"AP": 10**5000}, "not a number that a report could print"),
        (RUN, {"AP": "9e999999%"}, "not a number that a report could print"),
        (RUN, {"AP": True}, "not a number that a report could print"),
        (RUN, {"APP": 0.5}, "unknown measure"),
        ({}, {"AP": 0.5}, "no features"),
    ],
)
def test_what_cannot_be_explained_is_refused(feature: Any, reported: Any, message: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=message):
        explain(QRELS, feature, reported)


def test_words_of_a_command_are_read() -> None:
    assert parse_reported(["nDCG@10=.1731", " AP(rel=2) = 0.0650 "]) == {"nDCG@10": ".1731", "AP(rel=2)": "0.0650"}
    for wrong in (["AP"], ["AP="], ["=.5"], ["AP=high"], ["AP=.1", "AP=.2"]):
        with pytest.raises(tiecore.TiecoreError):
            explain(QRELS, RUN, parse_reported(wrong))


# What tools printed for the queries of `bench.ties_elsewhere`, and the conventions that give it
DRAWN = cases(12)["as drawn"]
TOOLS: dict[str, tuple[dict[str, str], str | None, str]] = {
    "pytrec_eval-terrier 0.5.11": (
        {"nDCG@5": "0.394771", "RR": "0.441303", "AP": "0.424876", "P@5": "0.183333"}, "docid-desc", "as trec_eval",
    ),
    "ir_measures 0.4.3": ({"RR@5": "0.252778"}, "docid-asc", "as Anserini"),
    "scikit-learn 1.9.1, one": ({"nDCG@5": "0.323934"}, "expected", "as ndcg_score of scikit-learn"),
    "scikit-learn 1.9.1, two": (
        {"nDCG@5": "0.323934", "AP": "0.255347"}, "thresholds", "as average_precision_score of scikit-learn",
    ),
    "lightgbm 4.7.0": ({"nDCG@5": "0.357298"}, "input", "LightGBM"),
    "xgboost 3.2.0": ({"nDCG@5": "0.357298", "AP": "0.363369", "P@5": "0.200000"}, "input", "XGBoost"),
    "catboost 1.2.10": ({"nDCG@5": "0.179059", "RR": "0.195287", "P@5": "0.066667"}, "worst", "as CatBoost"),
    "ranx 0.3.21": (
        {"nDCG@5": "0.360496", "RR": "0.439782", "AP": "0.365207", "P@5": "0.183333"}, None,
        "as ranx does with long lists",
    ),
}  # fmt: skip


def test_the_queries_are_still_those_that_the_tools_evaluated() -> None:
    text = repr([(case.ids, case.scores, case.grades) for case in DRAWN])
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "b99f5aefe44afbff", (
        "other random numbers: let the tools run again"
    )


@pytest.mark.parametrize("name", TOOLS)
def test_the_numbers_of_other_tools_are_told_apart_and_named(name: str) -> None:
    numbers, order, words = TOOLS[name]
    found = explain({case.name: case.qrels for case in DRAWN}, {case.name: case.run for case in DRAWN}, numbers)
    assert words in str(found)
    if order is None:
        assert not found.fits
        assert (found.ranges["ties alone"] == "inside").all()
    else:
        assert found.frame["order"].tolist() == [order]
        assert found.frame["departures"].tolist() == [order != "expected"]


def test_precision_behind_each_tie_by_hand() -> None:
    # q: 2 of 3 behind the tie, and 3 of 4 at its end; r has nothing relevant
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 1}, "r": {"a": 0}}
    run = {"q": {"a": 2.0, "b": 2.0, "c": 2.0, "d": 1.0}, "r": {"a": 1.0}}
    found = explain(qrels, run, {"AP": "0.347222"})
    assert found.frame["order"].tolist() == ["thresholds"]
    assert "thresholds" not in explain(qrels, run, {"AP@5": "0.9", "RR": "0.9"}).frame["order"].tolist()

"""Features that do not meet the judgments: refused with ids of both sides, or left out and named."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tiecore.collection import align as align_module
from tiecore.collection.alignment import Cache
from tiecore.collection.coverage import MANY_UNMATCHED
from tiecore.collection.inputs import load
from tiecore.evaluation.result import Evaluation
from tiecore.formats.records import LazyColumns

QRELS = {"q1": {"a": 1, "b": 0, "c": 0}, "q2": {"a": 0, "d": 1}}
GOOD = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"d": 1.0}}
ELSEWHERE = {"q1": {"doc-a": 2.0, "doc-b": 1.0}, "q2": {"doc-d": 1.0}}
NO_QUERY = {"01": {"a": 2.0}}


def test_a_column_is_judged_by_the_documents_that_it_scores_itself() -> None:
    n = 3000  # more than are looked at first
    frame = pd.DataFrame({"query_id": "q1", "doc_id": [f"d{i}" for i in range(n)], "whole": 1.0, "last": np.nan})
    frame.loc[n - 1, "last"] = 1.0
    frame["elsewhere"] = np.nan
    judged = {"q1": {f"d{i}": i % 2 for i in range(n - 1)}}
    with pytest.raises(tiecore.AlignmentError, match="'last' scores is judged"):
        tiecore.evaluate(judged, frame, ["AP"])
    judged["q1"][f"d{n - 1}"] = 1
    for _ in range(2):
        found = tiecore.evaluate(judged, frame, ["AP"])
        assert found.features == ("whole", "last", "elsewhere"), "no score, no mismatch"
        judged["q1"].pop("d0", None)  # whether or not all documents are judged


def test_no_feature_is_read_to_match_a_labelled_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    column = LazyColumns.__getitem__

    def noted(columns: LazyColumns, name: str) -> np.ndarray:
        read.append(name)
        return column(columns, name)

    monkeypatch.setattr(LazyColumns, "__getitem__", noted)
    path = tmp_path / "table.parquet"
    table = {"query_id": ["q1", "q1"], "doc_id": ["a", "b"], "label": [1, 0], "clicks": [2.0, 1.0]}
    pd.DataFrame(table).to_parquet(path)
    judgments, features = load(path, None)
    alignment = align_module.align(judgments, features)
    assert read == []
    assert list(alignment.rows("clicks").scores) == [2.0, 1.0]
    assert read == ["clicks"]


def test_features_that_meet_nothing_can_be_left_out_and_of_many_a_few_are_named() -> None:
    features = {"good": GOOD, "other": ELSEWHERE, "nowhere": NO_QUERY}
    found = tiecore.evaluate(QRELS, features, ["AP"], unmatched="omit", ascending=["other"])
    assert found.features == ("good",)
    assert list(found.values.alignment.omitted) == ["other", "nowhere"]
    pd.testing.assert_frame_equal(found.summary, tiecore.evaluate(QRELS, {"good": GOOD}, ["AP"]).summary)
    told = " ".join(found.warnings)
    assert "'doc-a', 'doc-b'" in told
    assert "no query in common" in told
    features = {"good": GOOD} | {f"other{n}": ELSEWHERE for n in range(9)}
    warnings = tiecore.evaluate(QRELS, features, ["AP"], unmatched="omit").warnings
    assert "Left out for the same reason: 6 more features." in warnings
    assert len(warnings) < 7


@pytest.mark.parametrize(
    ("features", "options", "problem"),
    [
        ({"good": GOOD, "other": ELSEWHERE}, {}, "for query 'q1' it has 'doc-a', 'doc-b', the judgments 'a', 'b'"),
        ({"other": {"q1": {"z": 1}}}, {}, "no document that 'other' scores"),  # whole numbers
        ({"other": ELSEWHERE}, {"unmatched": "omit"}, "no document that 'other' scores"),
        ({"other": NO_QUERY}, {"unmatched": "omit"}, "no query in common"),
        ({"good": GOOD}, {"unmatched": "skip"}, "expected 'refuse' or 'omit'"),
    ],
)
def test_where_nothing_is_left_or_wished_for_rightly_it_is_refused(features: Any, options: Any, problem: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=problem):
        tiecore.evaluate(QRELS, features, ["AP"], **options)


@pytest.mark.parametrize("n_documents", [1, 3])
@pytest.mark.parametrize("order", ["qigd", "diqg", "qdgi", "qdig", "qdgd"])
def test_columns_out_of_order_are_told_by_the_ids_that_match(
    order: str, n_documents: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"q": q, "i": "0", "d": f"{q}{d}", "g": f"{d % 2}"} for q in "345" for d in range(n_documents)]
    written = {"r.run": "{q} Q0 {d} 1 9 t", "swapped.run": "{d} Q0 {q} 1 9 t", "qrels": "{q} 0 {d} {g}"}
    written["other queries"] = "9{q} 0 {d} {q}"  # whose grades are called as the queries of the others
    for name, line in (written | {"other": " ".join(f"{{{one}}}" for one in order)}).items():
        Path(name).write_text("".join(line.format_map(row) + "\n" for row in rows))
    query, document = (("first", "second", "third", "fourth")[order.index(one)] for one in "qd")
    said = f"out of order, as the {query} holds the queries of r.run and the {document} its documents; expected query 0"
    with pytest.raises(tiecore.TiecoreError, match=said if order.count("d") == 1 else "is judged|keep one of them"):
        tiecore.evaluate("other", ["r.run"], ["AP"])
    said = r"^swapped\.run: columns are out of order, as the third holds"
    for other, problem in (("swapped.run", said), ("other queries", "no query in common")):
        with pytest.raises(tiecore.AlignmentError, match=problem):
            tiecore.evaluate("qrels", ["r.run", other], ["AP"])


def evaluated(**features: Any) -> Evaluation:
    return tiecore.evaluate(QRELS, features, ["AP"])


def test_missing_queries_are_warned_of_with_their_number_and_what_meets_is_not() -> None:
    half = {"q1": {"a": 1.0}}
    (warning,) = evaluated(good=GOOD, half=half).warnings
    assert warning.startswith("'half' lists only 1 of the 2 judged queries; the others count 0")
    (warning,) = tiecore.evaluate(QRELS, {"good": GOOD, "half": half}, ["AP"], queries="common").warnings
    assert "the others are left out" in warning
    assert evaluated(good=GOOD).warnings == ()
    one_each = {query: {"a": 1} for query in ("q1", "q2")}
    told = [" ".join(tiecore.evaluate(one_each, {"f": one}, ["AP"]).warnings) for one in (one_each, GOOD)]
    assert ["swapped?" in one for one in told] == [True, False], "features that list more are searched for known items"


@pytest.mark.parametrize(("n_unjudged", "is_many"), [(1, False), (2, True)])
def test_more_than_a_tenth_of_documents_without_judgment_is_warned_of(n_unjudged: int, is_many: bool) -> None:
    judged = {"q": {f"d{n}": n % 2 for n in range(10 - n_unjudged)}}
    found = tiecore.evaluate(judged, {"f": {"q": {f"d{n}": float(n) for n in range(10)}}}, ["AP"])
    assert found.coverage["unmatched"].tolist() == [n_unjudged / 10]
    assert (n_unjudged / 10 > MANY_UNMATCHED) == is_many
    assert [warning[:8] for warning in found.warnings] == ["20 % of "] * is_many


def test_many_features_share_a_sentence_that_names_the_one_that_differs() -> None:
    features = {f"f{n}": {"q1": {"a": 1.0} | {f"z{i}": 1.0 for i in range(n)}} for n in range(1, 6)}
    missing, unmatched = evaluated(**features).warnings
    assert missing.startswith("5 features list only 1 of the 2 judged queries")
    assert unmatched.startswith("50 % to 83 % of the documents that 5 features rank")
    qrels = {f"q{q}": {"a": 1, "b": 0} for q in range(5)}
    runs = {f"f{n}": {f"q{q}": {"a": 1.0} for q in range(4 if n else 1)} for n in range(5)}
    (missing,) = tiecore.evaluate(qrels, runs, ["AP"]).warnings
    assert missing.startswith("5 features (most of all 'f0') list only 1 to 4 of the 5 judged queries")


def test_what_another_thread_has_computed_meanwhile_is_not_computed_again() -> None:
    once, waits = Cache().once, Barrier(2)

    def compute() -> str:
        waits.wait()  # the other thread is on its way to the same lock
        return "first"

    with ThreadPoolExecutor(1) as other:
        first = other.submit(once, "key", compute)
        waits.wait()
        assert once("key", lambda: "second") == "first"
    assert first.result() == "first"

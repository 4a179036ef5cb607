"""Evaluations put together are those of the whole, evaluated in one call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.diagnostics.data import collection
from tiecore import concat
from tiecore.evaluation.result import Evaluation

TIE_BREAKS = ["trec_eval", "input", "random:3"]


def evaluated(qrels: Any, features: Any, measures: Any = ("AP", "nDCG@5"), **options: Any) -> Evaluation:
    return tiecore.evaluate(qrels, features, measures, TIE_BREAKS, **options)


def assert_same(found: Evaluation, known: Evaluation) -> None:
    assert (found.measures, found.features) == (known.measures, known.features)
    for name in ("summary", "per_query"):
        table, own = getattr(found, name), getattr(known, name)
        pd.testing.assert_frame_equal(table.sort_index(), own.sort_index(), check_exact=False, rtol=0, atol=1e-12)


def halves(frame: Any) -> list[Any]:
    first = frame["query_id"].isin([f"q{n}" for n in range(6)])
    return [frame[first], frame[~first]]


@pytest.mark.parametrize("options", [{}, {"ascending": ["fine"]}, {"queries": "common"}, {"missing": "last"}])
def test_disjoint_queries_make_up_the_whole(options: dict[str, Any]) -> None:
    qrels, features = collection(4)
    parts = [evaluated(half, features, **options) for half in halves(qrels)]
    assert_same(concat(parts), evaluated(qrels, features, **options))
    split = [
        evaluated(half, {name: halves(frame)[n] for name, frame in features.items()}, **options)
        for n, half in enumerate(halves(qrels))
    ]
    assert_same(concat(split), evaluated(qrels, features, **options))


def test_other_features_of_the_same_queries_stand_side_by_side() -> None:
    qrels, features = collection(5)
    parts = [evaluated(qrels, {name: frame}, ascending=[name] * (name == "fine")) for name, frame in features.items()]
    assert_same(concat(parts), evaluated(qrels, features, ascending=["fine"]))


def test_other_measures_of_the_same_features_stand_side_by_side() -> None:
    qrels, features = collection(6)
    parts = [evaluated(qrels, features, [name]) for name in ("AP", "ERR", "AP")]
    assert_same(concat(parts), evaluated(qrels, features, ["AP", "ERR"]))


def test_one_evaluation_stays_what_it_is_with_its_ranks_and_what_was_left_out() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 0}}
    features: Any = {"f": {"q": {"c": 1, "b": 1, "a": 1}}, "elsewhere": {"q": {"z": 1}}}
    known = tiecore.evaluate(qrels, features, ["RR"], ["input"], unmatched="omit")
    assert_same(concat([known]), known)
    assert concat([known]).alignment.omitted == known.alignment.omitted
    assert concat([known]).summary["input"].tolist() == [1 / 3]


def test_the_ranks_of_runs_come_along(tmp_path: Any) -> None:
    paths = []
    for query in ("1", "2"):
        path = tmp_path / f"{query}.run"
        path.write_text("".join(f"{query} Q0 {doc} {rank} 1.0 run\n" for rank, doc in ((2, "a"), (1, "b"))))
        paths.append(path)
    parts = [
        tiecore.evaluate({query: {"a": 1, "b": 0}}, {"run": path}, ["RR"], ["rank"])
        for query, path in zip(("1", "2"), paths, strict=True)
    ]
    assert concat(parts).summary["rank"].tolist() == [0.5]


ONE: Any = {"q": {"a": 1, "b": 0}}
SCORES: Any = {"q": {"a": 1.0, "b": 1.0}}


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ([], "needs at least one evaluation"),
        (["AP"], "takes evaluations, found 'AP'"),
        ([(ONE, SCORES, {}), (ONE, SCORES, {"missing": "last"})], "different options"),
        ([(ONE, SCORES, {}), ({"q": {"a": 0, "b": 0}}, SCORES, {})], "the judgments differ"),
        ([(ONE, SCORES, {}), ({"q": {"a": 1}}, SCORES, {})], "the judgments differ"),
        ([(ONE, SCORES, {}), (ONE, {"q": {"a": 1.0, "b": 2.0}}, {})], "the scores of 'f' differ"),
        ([(ONE, SCORES, {}), (ONE, SCORES, {"ascending": ["f"]})], "lower is better for 'f'"),
        ([(ONE, SCORES, {}), ({"r": {"a": 1}}, {"r": {"a": 2**60 + 1}}, {})], "beyond 2"),
    ],
)
def test_what_does_not_fit_together_is_refused(parts: list[Any], problem: str) -> None:
    given = [
        part if isinstance(part, str) else tiecore.evaluate(part[0], {"f": part[1]}, ["RR"], **part[2])
        for part in parts
    ]
    with pytest.raises(tiecore.TiecoreError, match=problem):
        concat(given)  # type: ignore[arg-type]


def test_whole_numbers_of_one_type_stay_exact() -> None:
    parts = [tiecore.evaluate({q: {"a": 1, "b": 0}}, {"f": {q: {"a": 2**60 + 1, "b": 2**60}}}, ["RR"]) for q in "qr"]
    assert concat(parts).summary[["expected", "worst"]].to_numpy().tolist() == [[1.0, 1.0]]


def test_scores_that_are_lacking_are_no_difference() -> None:
    table = pd.DataFrame({"query_id": "q", "doc_id": ["a", "b"], "f": [1.0, np.nan], "g": [1.0, 1.0]})
    part = tiecore.evaluate(ONE, table, ["RR"])
    assert_same(concat([part, part]), part)

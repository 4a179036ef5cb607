"""Features counted together break the ties of each other, as the documents themselves do."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
import tiecore.diagnostics
from tests.counts.data import TOGETHER, both, mixed, same, under_each_other, wide, written
from tiecore.counts import Counts

diagnostics: Any = tiecore.diagnostics

MEASURES = ["AP", "nDCG@5", "ERR@7", "ESL"]


def test_chains_and_advice_are_those_of_the_documents() -> None:
    direct, counted = both(TOGETHER)
    for measure in ("AP", "nDCG@5"):
        same(*(diagnostics.advice(e, measure=measure).drop(columns="p") for e in (counted, direct)))  # p is drawn
        same(*(diagnostics.chain(e, "coarse", measure) for e in (counted, direct)))
        same(*(diagnostics.bias(e, measure)[["value", "shift", "z"]] for e in (counted, direct)))  # p is drawn
    for query in ("q0", "q2"):
        same(*(diagnostics.culprits(e, "coarse", "AP", query_id=query) for e in (counted, direct)))


def test_all_else_is_as_without_documents_counted_together() -> None:
    qrels, features = mixed()
    joint, apart = tiecore.count(qrels, features, joint=TOGETHER), tiecore.count(qrels, features)
    assert joint.joint == tuple(TOGETHER)
    assert apart.joint == ()
    assert "joint" in joint.frame.columns
    assert "joint" not in apart.frame.columns
    assert (joint.n_documents, joint.n_judged) == (apart.n_documents, apart.n_judged)
    first, second = (tiecore.evaluate(counts, measures=MEASURES) for counts in (joint, apart))
    same(first.summary, second.summary)
    same(diagnostics.anatomy(first), diagnostics.anatomy(second))
    assert diagnostics.flat_features(first) == diagnostics.flat_features(second)


def test_features_that_are_counted_apart_break_no_ties() -> None:
    qrels, features = mixed()
    counts = tiecore.count(qrels, features, joint=["coarse", "fine"])
    for chosen in (
        {"tie_breaks": ["feature:whole"], "only": ["coarse", "whole"]},
        {"tie_breaks": ["feature:fine"], "only": ["whole", "fine"]},
    ):
        with pytest.raises(tiecore.TiecoreError, match="count them with the option joint"):
            tiecore.evaluate(counts, **chosen)  # type: ignore[arg-type]  # a dict of several kinds
    with pytest.raises(tiecore.TiecoreError, match="count them with the option joint"):
        diagnostics.advice(tiecore.evaluate(counts), measure="AP")
    with pytest.raises(tiecore.TiecoreError, match="no such feature"):
        tiecore.evaluate(counts, tie_breaks=["feature:x"])


@pytest.mark.parametrize(
    ("joint", "problem"),
    [
        (["coarse"], "'coarse' alone"),
        ("coarse", "'coarse' alone"),
        (["coarse", "x"], "'x', which is no feature"),
        ([["coarse", "fine"]], "which is no feature"),
        (True, "joint names True, which is no feature; there are 'coarse'"),
    ],
)
def test_what_cannot_be_counted_together_is_refused(joint: Any, problem: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=problem):
        tiecore.count(*mixed(), joint=joint)


def test_counts_of_other_documents_add_up() -> None:
    qrels, features = mixed()
    table = wide(features)
    # a document in one piece only
    first, second = (tiecore.count(qrels, table.iloc[half::2], joint=TOGETHER) for half in (0, 1))
    chosen: dict[str, Any] = {"measures": MEASURES} | under_each_other(TOGETHER)
    together = first + second
    same(tiecore.evaluate(together, **chosen).summary, tiecore.evaluate(qrels, table, **chosen).summary)


def test_tables_that_count_different_features_together_are_of_different_judgments() -> None:
    qrels, features = mixed()
    first, second = (tiecore.count(qrels, features, joint=both) for both in (TOGETHER[:2], ["whole", "sure"]))
    only = [
        tiecore.count(qrels, {name: features[name] for name in both}, joint=both)
        for both in (["coarse", "fine"], ["whole", "sure"])
    ]
    for one, other in ((first, second), only):
        with pytest.raises(tiecore.TiecoreError, match="both count features of the same judgments together, 'coarse'"):
            _ = one + other
    others = qrels.assign(query_id="other " + qrels["query_id"])
    whole, sure = (features[name].assign(query_id="other " + features[name]["query_id"]) for name in ("whole", "sure"))
    together = only[0] + tiecore.count(others, {"whole": whole, "sure": sure}, joint=["whole", "sure"])
    assert together.joint == ("coarse", "fine", "whole", "sure")
    assert tiecore.evaluate(together).features == together.joint


def test_a_feature_that_lists_nothing_breaks_nothing() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    scores = pd.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "f": [1, 1], "g": [np.nan, np.nan]})
    counts = Counts.of(tiecore.count(qrels, scores, joint=["f", "g"]).to_arrow())
    found = tiecore.evaluate(counts, measures=["RR"], tie_breaks=["feature:g"]).summary
    assert found.loc[("RR", "f"), "feature:g"] == 0.75


GOOD: list[tuple[Any, ...]] = [
    (None, "q", None, 1, 3, None),
    ("f", "q", 3, 1, 1, 0),
    ("f", "q", 4, 1, 1, 1),
    ("g", "q", 5, 1, 1, 1),
]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ((None, "q", None, 0, 2, 7), "row 5: .* has no number in 'joint'"),
        (("f", "q", 9, None, 1, 2**62), "row 5: 'joint' must be a number from 0 to 1,000,000,000,000,000,000"),
        (("f", "q", 9, None, 1, None), "feature 'f' has rows with a number in 'joint' and rows without"),
        (("g", "q", 9, None, 1, 0), "need the same grade and the same n"),
        (("g", "q", 9, 1, 2, 0), "need the same grade and the same n"),
        (("g", "q", 9, 1, 1, 1), "'g' has several rows of a query with the same number"),
        (("g", "q", 9, 1, 2, 2), "features 'f', 'g', together, count more judged documents of a grade in query 'q'"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(row: tuple[Any, ...], problem: str) -> None:
    assert tiecore.evaluate(written(GOOD), tie_breaks=["feature:g"]).features == ("f", "g")
    with pytest.raises(tiecore.TiecoreError, match=problem):
        tiecore.evaluate(written([*GOOD, row]))

"""Parts of the queries: what they are made by, and that each is an evaluation of its queries alone."""

from typing import Any

import pandas as pd
import pytest

import tiecore
from tiecore.evaluation.slices import slices
from tiecore.stability import slice_stability

QUERIES = [f"q{q}" for q in range(12)]
QRELS = {q: {f"d{d}": int(d <= n) for d in range(6 + n % 2)} for n, q in enumerate(QUERIES, start=0)}
RUN = {q: {d: (n * k) % 3 * n ** (k % 4) for k, d in enumerate(QRELS[q])} for n, q in enumerate(QUERIES, start=1)}
OTHER = {q: {d: -k for k, d in enumerate(QRELS[q])} for q in QUERIES}


@pytest.fixture(scope="module")
def evaluation() -> tiecore.Evaluation:
    return tiecore.evaluate(QRELS, {"run": RUN, "other": OTHER}, ["nDCG@3", "RR"], ["docid-asc"])


def assert_is_evaluation_of(part: tiecore.Evaluation, queries: list[str]) -> None:
    alone = tiecore.evaluate(
        {q: QRELS[q] for q in queries},
        {name: {q: run[q] for q in queries} for name, run in (("run", RUN), ("other", OTHER))},
        ["nDCG@3", "RR"],
        ["docid-asc"],
    )
    pd.testing.assert_frame_equal(part.summary, alone.summary, rtol=0, atol=1e-12)
    pd.testing.assert_frame_equal(part.per_query, alone.per_query, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", ["mapping", "series", "frame"])
def test_a_part_is_the_evaluation_of_its_queries_alone(evaluation: tiecore.Evaluation, kind: str) -> None:
    names = {q: "early" if n < 5 else "late" for n, q in enumerate(QUERIES) if q != "q7"}
    by: Any = {
        "mapping": names,
        "series": pd.Series(names),
        "frame": pd.DataFrame({"query_id": [*names, "q7"], "name": [*names.values(), None]}),
    }[kind]
    parts = slices(evaluation, by)
    assert list(parts) == ["early", "late"]
    assert_is_evaluation_of(parts["early"], QUERIES[:5])
    assert_is_evaluation_of(parts["late"], [q for q in QUERIES[5:] if q != "q7"])


@pytest.mark.parametrize(("by", "unit"), [("relevant", "relevant"), ("length", "documents"), ("tied", "% tied")])
def test_known_parts_hold_each_query_once_by_their_values(evaluation: tiecore.Evaluation, by: str, unit: str) -> None:
    parts = slices(evaluation, by)
    assert 1 < len(parts) <= 3
    assert all(name.endswith(unit) for name in parts)
    least = [float(name.split()[0].split("–")[0]) for name in parts]
    assert least == sorted(least)
    assert sum(part.values.counted[0].sum() for part in parts.values()) == len(QUERIES)


def test_queries_that_are_all_alike_make_one_part() -> None:
    qrels = {q: {"a": 1, "b": 0} for q in "xyz"}
    one = tiecore.evaluate(qrels, {"f": {q: {"a": 1, "b": 2} for q in "xyz"}}, ["RR"])
    assert list(slices(one, "relevant")) == ["1 relevant"]


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("colour", "cannot slice queries by 'colour'"),
        ({"elsewhere": "a"}, "no slice contains a query"),
        (pd.DataFrame({"a": [1]}), "needs two columns"),
    ],
)
def test_what_cannot_part_queries_is_refused(evaluation: tiecore.Evaluation, by: Any, words: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=words):
        slices(evaluation, by)


def test_stability_of_parts_is_that_of_each_and_warns_of_many_looks(evaluation: tiecore.Evaluation) -> None:
    found = slice_stability(evaluation, "RR", "relevant")
    parts = slices(evaluation, "relevant")
    for name, part in parts.items():
        own = part.stability("RR")
        pd.testing.assert_frame_equal(found.parts[name].pairs, own.pairs)
        assert (found.parts[name].slice, found.parts[name].n_queries) == (name, own.n_queries)
    assert "many looks" in found.notes[0]
    assert not slice_stability(evaluation, "RR", dict.fromkeys(QUERIES, "all")).notes
    (everything,) = slice_stability(evaluation, "RR", None).parts.values()
    pd.testing.assert_frame_equal(everything.pairs, evaluation.stability("RR").pairs)

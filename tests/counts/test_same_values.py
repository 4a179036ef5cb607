"""What is computed from a table of counts is what is computed from the documents."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiecore
import tiecore.diagnostics
from tests.counts.data import FEW, TOGETHER, both, mixed, same, under_each_other
from tests.strategies import EXTENT, instances
from tiecore.counts.aligned import aligned
from tiecore.evaluation.slices import slices
from tiecore.measures import FAMILIES

diagnostics: Any = tiecore.diagnostics

OPTIONS: list[dict[str, Any]] = [
    {},
    {"tie_breaks": ["worst", "best"], "statistics": ["expected"]},
    {"queries": "common", "no_relevant": "skip"},
    {"missing": "last"},
    {"precision": "float32"},
    {"precision": "decimals:0", "missing": "last"},
    {"ascending": ["whole", "fine"]},
]


@pytest.mark.parametrize(
    ("options", "joint"),
    [*((options, ()) for options in OPTIONS), ({}, TOGETHER), ({"missing": "last"}, TOGETHER)],
    ids=str,
)
def test_every_value_is_that_of_the_documents(options: dict[str, Any], joint: Sequence[str]) -> None:
    direct, counted = both(joint, **options)
    same(counted.summary, direct.summary)
    same(counted.per_query, direct.per_query)
    same(counted.coverage, direct.coverage)
    same(counted.leaderboard("AP"), direct.leaderboard("AP"))


def some(family: str) -> list[str]:
    """Name measures of a family: a few with each change, others and more of them where there is time."""
    every = instances(FAMILIES[family])
    return [str(measure) for measure in every[:: max(1, len(every) // EXTENT)]]


@cache
def of_every_family(missing: Any) -> list[pd.DataFrame]:
    chosen: dict[str, Any] = {"measures": [name for family in FAMILIES for name in some(family)], "missing": missing}
    data = mixed()
    return [tiecore.evaluate(*one, **chosen).per_query.sort_index() for one in ((tiecore.count(*data),), data)]


@pytest.mark.parametrize("missing", ["unranked", "last"])
def test_every_measure_is_that_of_the_documents(missing: Any) -> None:
    for family in FAMILIES:
        counted, direct = (table.loc[some(family)] for table in of_every_family(missing))
        assert len(direct), family
        same(counted, direct)


def test_numbers_of_documents_that_fill_their_type_are_multiplied_all_the_same() -> None:
    n_docs = 2_000
    scores = np.arange(n_docs) % 2
    table = pd.DataFrame({"query_id": "q", "doc_id": [f"d{n}" for n in range(n_docs)], "relevance": scores})
    table = table.assign(clicks=np.arange(n_docs) // 2 % 2, stars=1)
    chosen: dict[str, Any] = {"measures": ["AP", "nDCG@10", "RR", "P@10", "Bpref", "SetP"]}
    counts = tiecore.count(table)
    assert counts.table["n"].type == pa.int16()
    same(tiecore.evaluate(counts, **chosen).per_query, tiecore.evaluate(table, **chosen).per_query)


@pytest.mark.parametrize("joint", [(), TOGETHER], ids=len)
def test_blocks_of_queries_are_put_together(monkeypatch: pytest.MonkeyPatch, joint: Sequence[str]) -> None:
    monkeypatch.setattr("tiecore.collection.alignment._BLOCK", 40)
    monkeypatch.setattr("tiecore.counts.aligned._BLOCK", 7)
    monkeypatch.setattr("tiecore.counts.aligned._AT_ONCE", 20)
    for missing in ("unranked", "last"):
        direct, counted = both(joint, measures=["AP", "ERR@7"], missing=missing, queries="common", workers=2)
        aligned = counted.values.alignment
        assert len(aligned.blocks()) > 2
        same(counted.per_query, direct.per_query)
        name = aligned.features[0]
        alone = replace(aligned, sources={name: aligned.sources[name]})
        assert alone.blocks() == aligned.blocks(), "tie groups are kept by them"


@given(seed=st.integers(0, 9999), missing=st.sampled_from(["unranked", "last"]), joint=st.sampled_from([(), TOGETHER]))
def test_any_collection_gives_the_same(seed: int, missing: str, joint: Sequence[str]) -> None:
    qrels, features = mixed(seed, n_queries=4, n_docs=6)
    chosen: dict[str, Any] = {"measures": ["AP", "nDCG", "ERR@3", "PRR"], "missing": missing} | under_each_other(joint)
    counted, direct = (
        tiecore.evaluate(*data, **chosen).per_query.sort_index()
        for data in ((tiecore.count(qrels, features, joint=joint),), (qrels, features))
    )
    same(counted, direct)


@pytest.mark.parametrize("missing", ["unranked", "last"])
def test_cells_in_order_and_some_of_them_make_the_same_groups(missing: str) -> None:
    rows = aligned(tiecore.count(*mixed(**FEW)), ascending=["coarse"]).rows("coarse", missing=missing)
    groups = rows.alignment.sort(rows)
    np.testing.assert_array_equal(groups.size, rows.alignment.sort(rows).size)
    assert (np.diff(rows.query[groups.order]) >= 0).all()
    kept = np.flatnonzero(rows.query == 1)
    some = rows.some(kept)
    np.testing.assert_array_equal(rows.alignment.sort(some).size, groups.size[groups.query == 1])
    assert int(some.count.sum()) == int(groups.size[groups.query == 1].sum())


def test_what_stability_finds_over_the_queries_is_that_of_the_documents() -> None:
    direct, counted = (e.stability("nDCG@5") for e in both())
    same(counted.ranks, direct.ranks)
    same(counted.places.drop(columns="first"), direct.places.drop(columns="first"))
    drawn = ["p_beats", "tie_risk", "ties"]  # counted apart, features do not share the orders of their documents
    same(counted.pairs.drop(columns=drawn), direct.pairs.drop(columns=drawn))


@pytest.mark.parametrize("missing", ["unranked", "last"])
def test_diagnostics_are_those_of_the_documents(missing: Any) -> None:
    direct, counted = both(missing=missing)
    for name in ("anatomy", "random_baseline", "hidden_ties"):
        same(getattr(diagnostics, name)(counted), getattr(diagnostics, name)(direct))
    assert diagnostics.flat_features(counted) == diagnostics.flat_features(direct) == ("flat",) * (missing != "last")
    for feature in direct.features:
        for measure in ("AP", "ESL"):
            same(diagnostics.blame(counted, feature, measure), diagnostics.blame(direct, feature, measure))
            for query in ("q0", "q2"):
                taken = [diagnostics.culprits(e, feature, measure, query_id=query) for e in (counted, direct)]
                same(*taken)
    same(diagnostics.leads(counted, "fine", "coarse", "AP"), diagnostics.leads(direct, "fine", "coarse", "AP"))
    same(diagnostics.precision_curve(counted, "thirds", "AP"), diagnostics.precision_curve(direct, "thirds", "AP"))


@pytest.mark.parametrize("by", ["relevant", "length", "tied"])
def test_parts_of_the_queries_are_those_of_the_documents(by: str) -> None:
    direct, counted = (slices(e, by) for e in both())
    assert list(counted) == list(direct)
    for name, part in direct.items():
        same(counted[name].summary, part.summary)


def test_whole_scores_beyond_floats_stay_apart_infinities_are_scores_and_both_zeros_are_one() -> None:
    counts = tiecore.count({"q": {"a": 1, "b": 0}}, {"f": {"q": {"a": 2**62 + 1, "b": 2**62}}})
    assert tiecore.evaluate(counts, measures=["RR"]).summary["worst"].item() == 1.0
    assert tiecore.evaluate(counts, measures=["RR"], missing="last").summary["worst"].item() == 1.0
    qrels = {"q": {"a": 1, "b": 0, "c": 0, "d": 1}}
    scores = {"f": {"q": {"a": np.inf, "b": 0.0, "c": -0.0, "d": -np.inf}}}
    frame = tiecore.count(qrels, scores).frame
    assert frame.loc[frame["feature"] == "f", "score_double"].tolist() == [np.inf, 0.0, -np.inf]
    assert frame.loc[frame["feature"] == "f", "n"].tolist() == [1, 2, 1]


def test_what_is_not_in_the_judgments_is_counted() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    scores = {"f": {"q": {"a": 1.5}, "x": {"a": 1, "b": 2}}, "g": {"q": {"b": 1, "c": 1}}}
    direct, counted = tiecore.evaluate(qrels, scores), tiecore.evaluate(tiecore.count(qrels, scores))
    same(counted.coverage, direct.coverage)
    assert counted.coverage.loc["f", "documents_unknown"] == 2


NEED_DOCUMENTS: dict[str, Any] = {
    **{name: partial(tiecore.evaluate, tie_breaks=[name]) for name in ("random:1", "trec_eval", "input", "rank")},
    "listing": lambda e: diagnostics.listing(tiecore.evaluate(e), "fine", "AP", query_id="q0"),
    "draws": lambda e: diagnostics.draws(tiecore.evaluate(e), "fine", "AP", query_id="q0"),
    "drawn order": lambda e: diagnostics.drawn_order(tiecore.evaluate(e), "fine", query_id="q0"),
}


@pytest.mark.parametrize("ask", NEED_DOCUMENTS.values(), ids=NEED_DOCUMENTS)
def test_what_needs_documents_is_refused_in_one_line(ask: Any) -> None:
    with pytest.raises(tiecore.TiecoreError, match="needs documents, and a table of counts holds none") as refused:
        ask(tiecore.count(*mixed()))
    assert len(str(refused.value)) < 200
    assert os.linesep not in str(refused.value)


def in_two(table: Any) -> tuple[Any, Any]:
    return table.iloc[::2], table.iloc[1::2]


def test_documents_counted_in_pieces_against_the_same_judgments_add_up() -> None:
    qrels, features = mixed()
    first, second = ({name: in_two(table)[half] for name, table in features.items()} for half in (0, 1))
    together = tiecore.count(qrels, first) + tiecore.count(qrels, second)
    same(tiecore.evaluate(together).summary, tiecore.evaluate(qrels, features).summary)
    thrice = tiecore.count(qrels, {"fine": features["fine"]}) + together.__class__.of(
        tiecore.count(qrels, {"coarse": features["coarse"]}).to_arrow()
    )
    assert thrice.features == ("fine", "coarse")
    same(tiecore.evaluate(thrice).summary, tiecore.evaluate(qrels, features, only=["fine", "coarse"]).summary)


def test_labelled_rows_counted_in_pieces_add_up_and_so_does_what_is_left_out() -> None:
    qrels, features = mixed()
    labelled = qrels.merge(features["fine"], on=["query_id", "doc_id"])
    first, second = in_two(labelled)
    together = tiecore.count(first) + tiecore.count(second)
    whole = tiecore.count(labelled)
    assert together.judgments == whole.judgments
    same(tiecore.evaluate(together).summary, tiecore.evaluate(whole).summary)
    qrels, scores = {"q": {"a": 1}}, {"f": {"q": {"a": 1}, "x": {"b": 1}}}
    counts = tiecore.count(qrels, scores)
    assert (counts + counts.__class__.of(counts.to_arrow())).left_out == {"f": (2, 2)}


def test_only_counts_add_up_and_only_in_one_direction_of_scores() -> None:
    qrels, features = mixed()
    counts, lower = tiecore.count(qrels, features), tiecore.count(qrels, features, ascending=["fine"])
    with pytest.raises(tiecore.TiecoreError, match="'fine' is ascending in one"):
        _ = counts + lower
    with pytest.raises(TypeError):
        _ = counts + 1  # type: ignore[operator]  # that is the point


@pytest.mark.parametrize("swapped", [False, True])
def test_whole_and_real_scores_add_up_in_either_order(swapped: bool) -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    scores: list[Any] = [{"whole": {"q": {"a": 2, "b": 1}}}, {"real": {"q": {"a": 0.5, "b": 1.5}}}]
    first, second = (tiecore.count(qrels, one) for one in (scores[::-1] if swapped else scores))
    direct = tiecore.evaluate(qrels, scores[0] | scores[1])
    found = tiecore.evaluate(first + second).summary
    same(found.loc[direct.summary.index], direct.summary)

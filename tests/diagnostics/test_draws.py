"""One query document by document, and random orderings of its ties."""

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.diagnostics.data import diagnostics, evaluated
from tests.strategies import usual
from tiecore.measures import FAMILIES


def value_of(measure: str, documents: Any, rank: Any) -> float:
    """Value of a listing whose documents stand at these ranks, by the function for one query in memory."""
    listed = documents.loc[rank.index]
    return tiecore.moments(
        measure,
        scores=-rank.to_numpy(dtype=float),
        grades=[None if pd.isna(grade) else int(grade) for grade in listed["grade"]],
        unretrieved=[int(grade) for grade in documents.loc[documents["group"].isna(), "grade"]],
    ).expected


@pytest.mark.parametrize("options", [{}, {"missing": "last"}, {"ascending": ["coarse"]}, {"precision": "decimals:0"}])
def test_the_listing_shows_the_groups_that_culprits_takes_apart(options: dict[str, Any]) -> None:
    evaluation = evaluated(**options)
    for query in ("q0", "q1", "q5"):
        documents = diagnostics.listing(evaluation, "coarse", "AP", query_id=query)
        groups = diagnostics.culprits(evaluation, "coarse", "AP", query_id=query)
        of_group = documents[documents["group"].notna()].groupby("group")
        assert list(of_group.groups) == groups.index.tolist()
        np.testing.assert_array_equal(of_group.size(), groups["size"])
        np.testing.assert_array_equal(of_group["relevant"].sum(), groups["relevant"])
        np.testing.assert_array_equal(of_group["first_rank"].first(), groups["first_rank"])
        np.testing.assert_array_equal(of_group["last_rank"].last(), groups["last_rank"])
        np.testing.assert_array_equal(of_group["score"].first(), groups["score"])
        assert documents.index.is_unique
        assert documents["group"].is_monotonic_increasing or documents["group"].isna().any()


def test_judged_documents_that_are_not_listed_come_last_or_alone_and_unjudged_ones_have_no_grade() -> None:
    evaluation = evaluated()
    documents = diagnostics.listing(evaluation, "fine", "AP", query_id="q0")
    missing = documents["group"].isna().to_numpy()
    assert 0 < missing.sum() < len(missing)
    assert missing[-missing.sum() :].all()
    assert documents.loc[missing, "grade"].notna().all()
    assert documents.loc[missing, ["first_rank", "last_rank", "score", "trec_eval rank"]].isna().all(axis=None)
    unjudged = documents["grade"].isna()
    assert unjudged.any()
    assert not documents.loc[unjudged, "relevant"].any()
    documents = diagnostics.listing(evaluation, "fine", "AP", query_id="q2")
    assert len(documents) > 0
    assert documents["group"].isna().all()
    assert (diagnostics.draws(evaluation, "fine", "AP", query_id="q2", draws=3)["value"] == 0).all()
    assert len(diagnostics.drawn_order(evaluation, "fine", query_id="q2")) == 0


def test_grades_and_relevance_are_those_of_the_judgments() -> None:
    qrels = {"q": {"a": -1, "b": 0, "c": 1, "d": 2, "x": 1}, "r": {"e": 3}}
    scores = {"q": {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "u": 1.0}}
    evaluation = tiecore.evaluate(qrels, {"f": scores}, ["nDCG", "AP(rel=2)"])
    for name, relevant in (("nDCG", ["c", "d", "x"]), ("AP(rel=2)", ["d"])):
        documents = diagnostics.listing(evaluation, "f", name, query_id="q")
        assert documents.index.tolist() == ["a", "b", "c", "d", "u", "x"]
        assert documents["grade"].dropna().to_dict() == qrels["q"]
        assert documents.index[documents["relevant"]].tolist() == relevant


def test_tied_documents_stand_as_in_the_file_though_its_queries_are_mixed_and_some_are_not_judged() -> None:
    rows = [*zip("rqxqrqq", "cbzadge", strict=True)]
    table = pd.DataFrame(rows, columns=["query_id", "doc_id"]).assign(f=1.0, other=0.0)
    table.loc[table["doc_id"] == "g", "f"] = np.nan
    qrels = {"q": {"a": 1, "b": 0, "h": 0, "e": 0, "g": 0}, "r": {"c": 1, "d": 0}}
    evaluation = tiecore.evaluate(qrels, table, ["AP"], ["input"], missing="last")
    documents = diagnostics.listing(evaluation, "f", "AP", query_id="q")
    assert documents.index.tolist() == ["b", "a", "e", "h", "g"]
    assert documents["group"].tolist() == [1, 1, 1, 2, 2]
    assert documents["input rank"].tolist() == [1, 2, 3, 4, 5]
    assert diagnostics.listing(evaluation, "f", "AP", query_id="r").index.tolist() == ["c", "d"]


def test_ranks_and_grades_stay_whole_numbers_where_some_are_empty() -> None:
    documents = diagnostics.listing(evaluated(), "fine", "AP", query_id="q0")
    known = {"group": "Int64", "first_rank": "Int64", "last_rank": "Int64", "score": "float64", "grade": "Int64"}
    known |= {"relevant": "bool", "trec_eval rank": "float64", "random:5 rank": "float64"}
    assert documents.dtypes.astype(str).to_dict() == known
    for feature, query in (("fine", "q0"), ("fine", "q2")):  # the second one is not listed
        order = diagnostics.drawn_order(evaluated(), feature, query_id=query)
        assert (order.name, order.index.name) == ("rank", "doc_id")
        assert (order.dtype, order.index.dtype) == (np.int64, documents.index.dtype)


def test_what_a_tie_break_leaves_tied_shares_its_mean_rank() -> None:
    # [a b c] [d]: the other feature lifts a, leaves b and c, and gives d what b and c have
    other = {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}
    features = {"f": {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0}}, "other": {"q": other}}
    evaluation = tiecore.evaluate({"q": {"a": 1, "b": 0}}, features, ["AP"], ["feature:other", "feature:f"])
    documents = diagnostics.listing(evaluation, "f", "AP", query_id="q")
    assert documents["feature:other rank"].to_dict() == {"a": 1.0, "b": 2.5, "c": 2.5, "d": 4.0}
    assert documents["feature:f rank"].to_dict() == {"a": 2.0, "b": 2.0, "c": 2.0, "d": 4.0}


def test_ranks_under_a_tie_break_give_its_value() -> None:
    names = ["trec_eval", "docid-asc", "input", "input-reversed", "random:5", "feature:sure"]
    evaluation = evaluated(tie_breaks=names, missing="last")
    for query in ("q0", "q3"):
        documents = diagnostics.listing(evaluation, "coarse", "AP", query_id=query)
        values = evaluation.per_query.loc[("AP", "coarse", query)]
        for name in names:
            rank = documents[f"{name} rank"].dropna()
            assert value_of("AP", documents, rank) == pytest.approx(values[name], rel=0, abs=1e-12)
            assert rank.sum() == len(rank) * (len(rank) + 1) / 2


@pytest.mark.parametrize("name", [usual(family) for family in FAMILIES.values()])
def test_each_draw_is_the_value_of_its_order(name: str) -> None:
    evaluation = evaluated(measures=[name])
    documents = diagnostics.listing(evaluation, "coarse", name, query_id="q0")
    drawn = diagnostics.draws(evaluation, "coarse", name, query_id="q0", draws=6, seed=3)
    for draw in (1, 4, 6):
        order = diagnostics.drawn_order(evaluation, "coarse", query_id="q0", draw=draw, seed=3)
        groups = documents["group"][order.index].to_numpy(dtype=int)
        assert (np.diff(groups) >= 0).all(), "documents stay in their group"
        assert drawn["value"][draw] == pytest.approx(value_of(name, documents, order), rel=0, abs=1e-12)


def test_the_draws_of_a_query_are_those_of_the_whole_evaluation() -> None:
    evaluation = evaluated()
    queries = evaluation.values.alignment.query_ids.to_pylist()
    of_query = [diagnostics.draws(evaluation, "coarse", "AP", query_id=q, draws=5, seed=2)["value"] for q in queries]
    drawn = evaluation.sample("AP", draws=5, seed=2)["coarse"]
    np.testing.assert_allclose(np.mean(of_query, axis=0), drawn, rtol=0, atol=1e-12)


def test_a_longer_series_goes_on_where_the_shorter_one_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = evaluated()
    long = diagnostics.draws(evaluation, "coarse", "AP", query_id="q0", draws=40)
    # the name `draws` of the package is the function
    monkeypatch.setattr(sys.modules["tiecore.evaluation.one_query"], "_BLOCK_ELEMENTS", 50)  # a few draws at a time
    short = diagnostics.draws(evaluation, "coarse", "AP", query_id="q0", draws=15)
    pd.testing.assert_frame_equal(short, long.iloc[:15], check_exact=True)
    np.testing.assert_allclose(long["mean"], long["value"].expanding().mean(), rtol=0, atol=1e-12)
    assert diagnostics.draws(evaluation, "coarse", "AP", query_id="q0").index.tolist() == list(range(1, 101))
    other = diagnostics.draws(evaluation, "coarse", "AP", query_id="q0", draws=40, seed=1)
    assert (other["value"] != long["value"]).any()

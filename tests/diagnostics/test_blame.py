"""The queries and tie groups to blame add up to the whole."""

import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

import tiecore
from tests.diagnostics.data import diagnostics, evaluated, one_feature
from tests.strategies import usual
from tiecore.diagnostics.blame import two_sd
from tiecore.measures import FAMILIES

blame = diagnostics.blame
culprits = diagnostics.culprits

NAMES = [usual(family) for family in FAMILIES.values()]
NAMES += [f"{name}{family.usual}@4" for name, family in FAMILIES.items() if family.cutoff_rule == "optional"]
NAMES += ["ESL(s=3)", "AP(rel=2)", "nDCG(dcg='exp-log2')@6"]


NOT_A_SUM = frozenset({"IPrec", "NERR8", "NERR9", "NERR10", "NERR11"})
"""A maximum and quotients: what one group does depends on the others."""
NOT_OF_THE_LIST = frozenset({"NumRel", "NumQ"})


def test_the_most_to_blame_come_first_with_the_values_of_the_query_and_all_adds_up_to_the_summary() -> None:
    evaluation = evaluated(tie_breaks=["trec_eval"])
    for by in ("spread", "sd", "trec_eval"):
        table = blame(evaluation, "coarse", "AP", by=by)
        assert table.index.name == "query_id"
        assert sorted(table.index) == sorted(f"q{q}" for q in range(12))
        assert (np.diff(table["blame"].abs()) <= 0).all()
        assert table["share"].sum() == pytest.approx(1.0, rel=0, abs=1e-12)
        np.testing.assert_allclose(table["cumulative"], table["share"].cumsum(), rtol=0, atol=1e-15)
    table = blame(evaluation, "coarse", "AP")
    known = evaluation.per_query.loc[("AP", "coarse")]
    for column in ("expected", "sd", "worst", "best", "trec_eval"):
        np.testing.assert_array_equal(table[column], known.loc[table.index, column])
    low, high = two_sd(table)
    assert ((table["worst"] <= low) & (high <= table["best"]) & (high - low <= 4 * table["sd"] + 1e-12)).all()
    total = evaluation.summary.loc[("AP", "coarse")]
    assert table["spread"].mean() == pytest.approx(total["best"] - total["worst"], rel=0, abs=1e-12)
    by_sd = blame(evaluation, "coarse", "AP", by="sd")
    np.testing.assert_allclose(by_sd["share"], by_sd["sd"] ** 2 / (by_sd["sd"] ** 2).sum(), rtol=0, atol=1e-12)
    assert np.sqrt((by_sd["blame"] ** 2).sum()) / len(by_sd) == pytest.approx(total["sd"], rel=0, abs=1e-12)
    shift = blame(evaluation, "coarse", "AP", by="docid-desc")["blame"]  # the same tie-break by another name
    assert shift.mean() == pytest.approx(total["trec_eval"] - total["expected"], rel=0, abs=1e-12)


@pytest.mark.parametrize("name", ["AP", "nDCG@5", "Rprec", "P@3"])
def test_the_tie_at_the_cut_is_the_mixed_one_of_which_a_part_counts(name: str) -> None:
    evaluation = evaluated(measures=[name], no_relevant="skip")
    for feature in evaluation.features:
        table = blame(evaluation, feature)
        for query_id, size in table["cut_tie"].items():
            groups = culprits(evaluation, feature, query_id=str(query_id))
            is_mixed = np.array(["," in str(grades) for grades in groups["grades"]], dtype=bool)
            cut = groups["size"][(groups["inside"] > 0) & (groups["inside"] < groups["size"]) & is_mixed]
            assert size == cut.sum()
            assert len(cut) <= 1


def test_without_ties_nobody_is_to_blame_nor_are_queries_that_do_not_count_and_a_long_search_is_the_worst_one() -> None:
    table = blame(one_feature(np.array([3.0, 2.0, 1.0])), "f", "AP")
    assert table[["blame", "share", "cumulative"]].to_numpy().tolist() == [[0.0, 0.0, 0.0]]
    table = blame(evaluated(measures=["ESL"]), "coarse", "ESL")
    np.testing.assert_array_equal(table["spread"], table["worst"] - table["best"])
    evaluation = evaluated(no_relevant="skip")
    assert "q1" not in blame(evaluation, "coarse", "AP").index


def test_blame_by_something_unknown_is_answered_with_what_there_is() -> None:
    evaluation = evaluated()
    for by in ("variance", "docid-asc", 3):
        with pytest.raises(tiecore.TiecoreError, match="expected 'spread', 'sd', 'trec_eval' or 'random:5'"):
            blame(evaluation, "coarse", "AP", by=by)
    with pytest.raises(tiecore.TiecoreError, match="by='spread'"):
        blame(evaluated(measures=["ESL"]), "coarse", "ESL", by="sd")
    without = evaluated(statistics=["expected", "worst", "best"])
    assert "sd" not in blame(without, "coarse", "AP").columns
    with pytest.raises(tiecore.TiecoreError, match="by='spread'"):
        blame(without, "coarse", "AP", by="sd")


@cache
def with_every_measure(missing: Any) -> Any:
    return evaluated(7, measures=NAMES, tie_breaks=["trec_eval", "feature:fine"], missing=missing)


@pytest.mark.parametrize("missing", ["unranked", "last"])
@pytest.mark.parametrize("name", NAMES)
def test_what_the_groups_do_adds_up_to_what_happens_to_the_query(name: str, missing: Any) -> None:
    evaluation = with_every_measure(missing)
    used = evaluation.measures[NAMES.index(name)]
    known = evaluation.per_query.loc[str(used)]
    for feature, query_id in (("coarse", "q0"), ("coarse", "q1"), ("fine", "q2")):
        table, value = culprits(evaluation, feature, name, query_id=query_id), known.loc[(feature, query_id)]
        changes = {
            "to_best": value["best"] - value["expected"],
            "to_worst": value["worst"] - value["expected"],
            "trec_eval shift": value["trec_eval"] - value["expected"],
            "feature:fine shift": value["feature:fine"] - value["expected"],
        }
        for column, change in changes.items() if used.name not in NOT_A_SUM else ():
            assert table[column].sum() == pytest.approx(change, rel=0, abs=1e-12)
        if used.has_variance:
            assert (table["sd"] ** 2).sum() == pytest.approx(value["sd"] ** 2, rel=0, abs=1e-12)
        else:
            assert table["sd"].isna().all()
        if used.name in ("ESL", "PRR"):
            assert table["contribution"].isna().all()
        elif used.name not in NOT_OF_THE_LIST:
            assert table["contribution"].sum() == pytest.approx(value["expected"], rel=0, abs=1e-12)
        assert table["spread"].tolist() == (table["to_best"] - table["to_worst"]).abs().tolist()


def test_groups_are_described_as_by_hand() -> None:
    # [1] [0, 2, unjudged] [0]; one more relevant document is not listed
    qrels = {"q": {"a": 1, "b": 0, "c": 2, "e": 0, "x": 1}}
    scores = {"q": {"a": 3.5, "b": 2, "c": 2, "d": 2, "e": 1}}
    evaluation = tiecore.evaluate(
        qrels, {"f": scores}, ["AP@2", "Rprec", "ESL(s=3)", "P(rel=2)@1", "nDCG"], ["trec_eval"]
    )
    table = culprits(evaluation, "f", "AP@2", query_id="q")
    assert table.index.tolist() == [1, 2, 3]
    described = table[["score", "first_rank", "last_rank", "size", "relevant", "inside"]]
    assert described.to_numpy().tolist() == [[3.5, 1, 1, 1, 1, 1], [2, 2, 4, 3, 1, 1], [1, 5, 5, 1, 0, 0]]
    assert table["grades"].tolist() == ["1 × 1", "2 × 1, 0 × 1, – × 1", "0 × 1"]
    # the relevant one of the group is at rank 2 with chance 1/3 and adds 1 of N_rel = 3 there; the id d comes first
    effects = table[["contribution", "to_worst", "to_best", "spread", "sd", "trec_eval shift"]]
    known = [[1 / 3, 0, 0, 0, 0, 0], [1 / 9, -1 / 9, 2 / 9, 1 / 3, np.sqrt(2) / 9, -1 / 9], [0] * 6]
    np.testing.assert_allclose(effects, known, rtol=0, atol=1e-15)
    assert table["share"].tolist() == [0, 1, 0]
    assert culprits(evaluation, "f", "Rprec", query_id="q")["inside"].tolist() == [1, 2, 0]
    assert culprits(evaluation, "f", "P(rel=2)@1", query_id="q")["relevant"].tolist() == [0, 1, 0]
    in_all_grades = culprits(evaluation, "f", "nDCG", query_id="q")  # it has no grade of its own
    assert in_all_grades["relevant"].tolist() == [1, 1, 0]
    # what is not listed is searched last
    last = culprits(evaluation, "f", "ESL(s=3)", query_id="q").loc[4]
    assert np.isnan(last["score"])
    assert (last["first_rank"], last["last_rank"], last["relevant"]) == (6, 6, 1)


def test_a_query_of_many_groups_is_taken_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = evaluated()
    known = culprits(evaluation, "fine", "nDCG@5", query_id="q0")
    monkeypatch.setattr(sys.modules["tiecore.evaluation.one_query"], "_BLOCK_ELEMENTS", 40)
    assert culprits(evaluation, "fine", "nDCG@5", query_id="q0").equals(known)


def test_a_query_that_is_not_listed_has_no_groups() -> None:
    assert len(culprits(evaluated(), "fine", "AP", query_id="q2")) == 0


def test_a_tie_break_that_differs_in_the_last_digit_only_is_followed() -> None:
    third = 1 / 3
    features = {"f": {"q": {"a": 1.0, "b": 1.0}}, "other": {"q": {"a": third, "b": np.nextafter(third, 1)}}}
    evaluation = tiecore.evaluate({"q": {"a": 1, "b": 0}}, features, ["RR"], ["feature:other"])
    assert culprits(evaluation, "f", "RR", query_id="q")["feature:other shift"].tolist() == [1 / 2 - 3 / 4]

"""By how much a feature leads another, against the values of each query."""

import numpy as np
import pytest

import tiecore
from tests.diagnostics.data import diagnostics, evaluated
from tiecore.diagnostics.leads import random_leads


@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "ESL", "GMAP"])
@pytest.mark.parametrize("no_relevant", ["zero", "skip"])
def test_leads_are_differences_of_values_and_lie_between_what_ties_allow(measure: str, no_relevant: str) -> None:
    evaluation = evaluated(measures=[measure], no_relevant=no_relevant)
    used = tiecore.measure(measure)
    sign = 1 if used.higher_is_better else -1
    values = evaluation.per_query.loc[measure]
    both = np.all([evaluation.values.alignment.listed(name) for name in ("fine", "coarse")], axis=0)
    common = [
        query for query in values.loc["fine"].index if both[evaluation.values.alignment.query_ids.index(query).as_py()]
    ]
    one, other = values.loc["fine"].loc[common], values.loc["coarse"].loc[common]
    table = diagnostics.leads(evaluation, "fine", "coarse", measure)
    assert table.index.tolist() == common
    assert table["leader_expected"].tolist() == one["expected"].tolist()
    assert table["trailer_expected"].tolist() == other["expected"].tolist()
    scale = np.log if measure == "GMAP" else np.asarray
    for column, own, rival in (
        ("lead", "expected", "expected"),
        ("worst_lead", "worst", "best"),
        ("best_lead", "best", "worst"),
    ):
        least = 1e-5 if measure == "GMAP" else -np.inf
        known = sign * (scale(np.maximum(one[own], least)) - scale(np.maximum(other[rival], least)))
        np.testing.assert_allclose(table[column], known, rtol=0, atol=1e-12)
    assert (table["worst_lead"] <= table["lead"] + 1e-12).all()
    assert (table["lead"] <= table["best_lead"] + 1e-12).all()
    turned = diagnostics.leads(evaluation, "coarse", "fine", measure)
    np.testing.assert_allclose(turned["lead"], -table["lead"], rtol=0, atol=0)
    np.testing.assert_allclose(turned["worst_lead"], -table["best_lead"], rtol=0, atol=0)


def test_their_mean_is_the_difference_that_stability_finds() -> None:
    evaluation = evaluated()
    pairs = evaluation.stability("AP").pairs.set_index(["leader", "trailer"])
    for (leader, trailer), difference in pairs["difference"].items():
        lead = diagnostics.leads(evaluation, leader, trailer, "AP")["lead"].mean()
        assert lead == pytest.approx(difference, rel=0, abs=1e-12)
        assert random_leads(evaluation, leader, trailer, "AP").mean() == pytest.approx(difference, rel=0, abs=0.01)


def test_they_are_those_of_the_queries_that_both_list_under_each_tie_break_too() -> None:
    qrels = {query: {"a": 1, "b": 0, "c": 0} for query in ("1", "2", "3")}
    tied = {query: dict.fromkeys("abc", 1.0) for query in ("1", "2")}
    other = {query: {"b": 2.0, "a": 1.0} for query in ("2", "3")}
    evaluation = tiecore.evaluate(qrels, {"tied": tied, "other": other}, ["RR"], ["docid-asc", "docid-desc"])
    table = diagnostics.leads(evaluation, "tied", "other")
    assert table.index.tolist() == ["2"]
    assert table.loc["2", ["lead", "docid-asc", "docid-desc"]].tolist() == pytest.approx([1 / 9, 1 / 2, -1 / 6])
    assert np.unique(random_leads(evaluation, "tied", "other")) == pytest.approx([-1 / 6, 0, 1 / 2])

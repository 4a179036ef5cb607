"""By how much a feature leads another, against the values of each query."""

from __future__ import annotations

import numpy as np
import pytest

import tiecore
from tests.diagnostics.data import diagnostics, evaluated


@pytest.mark.untraced
@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "ESL", "GMAP"])
@pytest.mark.parametrize("no_relevant", ["zero", "skip"])
def test_leads_are_differences_of_values_and_lie_between_what_ties_allow(measure: str, no_relevant: str) -> None:
    evaluation = evaluated(measures=[measure], no_relevant=no_relevant)
    used = tiecore.measure(measure)
    sign = 1 if used.higher_is_better else -1
    values = evaluation.per_query.loc[measure]
    one, other = values.loc["fine"], values.loc["coarse"]
    table = diagnostics.leads(evaluation, "fine", "coarse", measure)
    assert table.index.tolist() == one.index.tolist()
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
    if measure != "GMAP":
        board = evaluation.leaderboard(measure)["expected"]
        assert table["lead"].mean() == pytest.approx(sign * (board["fine"] - board["coarse"]), rel=0, abs=1e-12)

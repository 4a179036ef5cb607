"""All diagnostics take the same arguments in the same order."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import pytest

import tiecore
from tests.diagnostics.data import collection, diagnostics, evaluated

ORDER = ["evaluation", "feature", "other", "measure"]
FUNCTIONS = {
    name: function
    for name in diagnostics.__all__
    if inspect.isfunction(function := getattr(diagnostics, name))
    and "evaluation" in inspect.signature(function).parameters
}
OF_ONE_MEASURE: dict[str, Callable[..., pd.DataFrame]] = {
    "advice": diagnostics.advice,
    "blame": partial(diagnostics.blame, feature="fine"),
    "culprits": partial(diagnostics.culprits, feature="fine", query_id="q0"),
    "curves": partial(diagnostics.curves, cutoffs=[1, 5]),
    "leads": partial(diagnostics.leads, feature="fine", other="coarse"),
    "precision_board": partial(diagnostics.precision_board, precision="bits:2"),
    "precision_curve": partial(diagnostics.precision_curve, feature="fine", precisions=["bits:2"]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_evaluation_feature_and_measure_come_first_and_the_rest_has_names(name: str) -> None:
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    given = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    assert given == [known for known in ORDER if known in given]
    for one in parameters:
        if one.name == "measure":
            assert one.default is None
        if one.name == "seed":
            assert one.default == 0


@pytest.mark.untraced
@pytest.mark.parametrize("name", OF_ONE_MEASURE)
def test_the_measure_may_be_left_out_where_there_is_one(name: str) -> None:
    qrels, features = collection(0)
    alone: Any = tiecore.evaluate(qrels, features, ["nDCG@5"], ["trec_eval"])
    found = OF_ONE_MEASURE[name](evaluation=alone)
    pd.testing.assert_frame_equal(found, OF_ONE_MEASURE[name](evaluation=alone, measure="nDCG@5"))
    with pytest.raises(tiecore.TiecoreError, match="give one of them as measure=: 'AP', 'nDCG@5'"):
        OF_ONE_MEASURE[name](evaluation=evaluated())


def test_a_query_id_is_text() -> None:
    with pytest.raises(tiecore.TiecoreError, match="a query id must be text, found 7: write '7'"):
        diagnostics.culprits(evaluated(), "fine", "AP", query_id=7)

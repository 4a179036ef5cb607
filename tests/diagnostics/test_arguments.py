"""All diagnostics take the same arguments in the same order."""

import inspect
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.diagnostics.data import collection, diagnostics, evaluated, one_feature

usual = cache(evaluated)
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
    "precision_board": partial(diagnostics.precision_board, precision="int8"),
    "precision_curve": partial(diagnostics.precision_curve, feature="fine", precisions=["int8"]),
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


@pytest.mark.parametrize("name", OF_ONE_MEASURE)
def test_the_measure_may_be_left_out_where_there_is_one(name: str) -> None:
    qrels, features = collection(0)
    alone: Any = tiecore.evaluate(qrels, features, ["nDCG@5"], ["trec_eval"])
    found = OF_ONE_MEASURE[name](evaluation=alone)
    pd.testing.assert_frame_equal(found, OF_ONE_MEASURE[name](evaluation=alone, measure="nDCG@5"))
    with pytest.raises(tiecore.TiecoreError, match="give one of them as measure=: 'AP', 'nDCG@5'"):
        OF_ONE_MEASURE[name](evaluation=usual())


GOOD = {"feature": "fine", "other": "coarse", "measure": "AP", "query_id": "q0"}
WRONG: list[tuple[str, object, str]] = [
    ("feature", "none", "there is no feature 'none': there are 'coarse', 'fine', 'sure'"),
    ("other", "none", "there is no feature 'none'"),
    ("measure", "RR", "'AP', 'nDCG@5'"),
    ("query_id", "nowhere", "there is no judged query 'nowhere'"),
    ("query_id", 7, "a query id must be text, found 7: write '7'"),
    *(("seed", seed, "seed") for seed in (-1, 2.5)),
]
TAKEN = {name: set(inspect.signature(function).parameters) for name, function in FUNCTIONS.items()}


@pytest.mark.parametrize(
    ("name", "what", "wrong", "words"),
    [(name, *case) for name in FUNCTIONS if name != "curves" for case in WRONG if case[0] in TAKEN[name]],
)
def test_an_unknown_name_or_no_seed_is_answered_with_what_is(name: str, what: str, wrong: object, words: str) -> None:
    given = {one: value for one, value in (GOOD | {what: wrong}).items() if one in TAKEN[name]}
    with pytest.raises(tiecore.TiecoreError, match=words):
        FUNCTIONS[name](usual(), **given)


PRECISIONS = ["float16", "bfloat16", "int8"]
OF_SCORES: list[Callable[..., pd.DataFrame]] = [
    diagnostics.random_baseline,
    diagnostics.hidden_ties,
    partial(diagnostics.precision_curve, feature="f", precisions=PRECISIONS),
]


@pytest.mark.parametrize("function", OF_SCORES)
def test_whole_scores_are_looked_at_like_the_same_numbers_with_a_point(function: Callable[..., pd.DataFrame]) -> None:
    whole = np.array([9, 8, 8, 5, -3, 7, 7, 7, 1_000_001, 0, -5, 6])
    of_whole, of_floats = (function(evaluation=one_feature(scores)) for scores in (whole, whole + 0.0))
    pd.testing.assert_frame_equal(of_whole, of_floats)


WITH_PROGRESS: dict[str, tuple[Callable[..., pd.DataFrame], int]] = {
    "anatomy": (diagnostics.anatomy, 3),
    "hidden_ties": (diagnostics.hidden_ties, 3),
    "advice": (partial(diagnostics.advice, measure="AP"), 6),
    "advice of one": (partial(diagnostics.advice, feature="fine", measure="AP"), 2),
    "chain": (partial(diagnostics.chain, feature="coarse", measure="AP"), 6),
    "curves": (partial(diagnostics.curves, measure="P@1", cutoffs=[1, 5]), 3),
    "precision_curve": (
        partial(diagnostics.precision_curve, feature="fine", measure="AP", precisions=["int8", "float16"]), 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WITH_PROGRESS)
def test_progress_is_reported_step_by_step_and_can_stop_the_work(name: str) -> None:
    function, n_steps = WITH_PROGRESS[name]
    seen: list[tuple[int, int]] = []
    table = function(evaluation=evaluated(), progress=lambda *done: seen.append(done))
    assert seen == [(done, n_steps) for done in range(1, n_steps + 1)]
    pd.testing.assert_frame_equal(table, function(evaluation=usual()))
    with pytest.raises(ZeroDivisionError):
        function(evaluation=usual(), progress=lambda done, total: 1 // 0)

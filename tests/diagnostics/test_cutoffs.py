"""Curves over the cut-off are the values at each cut-off, and features pass where their order turns."""

import pandas as pd
import pytest

import tiecore
from tests.cli.running import raising
from tests.diagnostics.data import diagnostics, evaluated
from tiecore.diagnostics import Reign, crossings, reigns
from tiecore.evaluation.intervals import query_interval

PLACES = pd.DataFrame({1: [1, 2, 3], 2: [1, 1, 3], 5: [2, 1, 3], 10: [3, 1, 2]}, index=["a", "b", "c"])


def test_features_pass_where_their_order_turns_and_not_where_they_draw_level_and_one_passes_nobody() -> None:
    assert crossings(PLACES).to_numpy().tolist() == [[5, "b", "a", 1], [10, "c", "a", 2]]
    assert reigns(PLACES) == [Reign(1, 1, ("a",)), Reign(2, 2, ("a", "b")), Reign(5, 10, ("b",))]
    assert crossings(PLACES.loc[["b"]].clip(upper=1)).empty
    assert reigns(PLACES.loc[["b"]].clip(upper=1)) == [Reign(1, 10, ("b",))]


@pytest.mark.parametrize("measure", ["nDCG@5", "P@1", "ERR", "RR"])
def test_a_curve_is_the_value_at_each_cutoff(measure: str) -> None:
    evaluation = evaluated()
    found = diagnostics.curves(evaluation, measure, cutoffs=[7, 1, 7, 100])
    family = measure.partition("@")[0]
    for k in (7, 1, 100):
        own = evaluated(measures=[f"{family}@{k}"])
        board = own.leaderboard(f"{family}@{k}").loc[list(own.features)].join(query_interval(own)[["low", "high"]])
        columns = ["place", "expected", "worst", "best", "low", "high", "trec_eval", "random:5"]
        at_k = found.xs(k, level="cutoff")
        pd.testing.assert_frame_equal(at_k, board[columns], check_exact=False, rtol=0, atol=1e-12)
    assert list(found.index.get_level_values("cutoff").unique()) == [7, 1, 100]


def test_what_is_known_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known = evaluated(measures=["P@1", "P@2"])
    expected = diagnostics.curves(known, "P@9", cutoffs=[1, 2])
    monkeypatch.setattr("tiecore.diagnostics.cutoffs.evaluate_alignment", raising(AssertionError()))
    pd.testing.assert_frame_equal(diagnostics.curves(known, "P@9", cutoffs=[1, 2]), expected)
    with pytest.raises(AssertionError):
        diagnostics.curves(known, "P@9", cutoffs=[1, 3])


def test_places_are_those_among_the_features_asked_for() -> None:
    found = diagnostics.curves(evaluated(), "P@1", cutoffs=[1, 3], features=["fine", "coarse"])
    assert list(found.index.get_level_values("feature").unique()) == ["fine", "coarse"]
    assert set(found["place"]) <= {1, 2}


@pytest.mark.parametrize("options", [{"cutoffs": []}, {"features": []}, {"cutoffs": [0]}, {"features": ["none"]}])
def test_nothing_to_draw_is_refused(options: dict[str, object]) -> None:
    with pytest.raises(tiecore.TiecoreError):
        diagnostics.curves(evaluated(), "P@1", **options)
    with pytest.raises(tiecore.TiecoreError, match="takes no cut-off"):
        diagnostics.curves(evaluated(), "ESL", cutoffs=[1])

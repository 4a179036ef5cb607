"""Figures for a notebook are those of the dashboard: their data are the values of the evaluation."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tiecore
from tiecore_dashboard import notebook

QRELS = {f"q{q}": {"a": q % 2, "b": 1 - q % 2, "c": 0, "d": q % 3} for q in range(1, 5)}
FEATURES = {
    "clicks": {q: {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0} for q in QRELS},
    "visits": {q: {"a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0} for q in QRELS},
}


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return tiecore.evaluate(QRELS, FEATURES, ["AP", "ESL"], ["docid-asc"])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("measure", ["AP", "ESL"])
def test_ranges_are_those_of_the_leaderboard(evaluation: Any, measure: Any, theme: Any) -> None:
    figure = notebook.plot(evaluation, measure, theme=theme)
    board = evaluation.leaderboard(measure)
    by_name = {trace.name: trace for trace in figure.data if trace.showlegend is False}
    np.testing.assert_array_equal(by_name["expected"].x, board["expected"])
    np.testing.assert_array_equal(by_name["Anserini (ids ↑)"].x, board["docid-asc"])
    np.testing.assert_array_equal(by_name["worst–best"].base, board[["worst", "best"]].min(axis=1))
    reaches = evaluation.interval(measure).loc[board.index]
    np.testing.assert_array_equal(by_name["95 % range"].base, reaches["low"])


def test_places_have_a_column_for_each_way_to_break_ties(evaluation: Any) -> None:
    figure = notebook.plot_places(evaluation, "AP")
    titles = figure.layout.xaxis.ticktext or [note.text for note in figure.layout.annotations]
    assert {"worst case", "docid-asc", "expectation", "best case"} <= set(titles)


@pytest.mark.parametrize("by", ["spread", "sd", "docid-asc"])
def test_queries_stand_in_the_order_of_blame(evaluation: Any, by: str) -> None:
    table = evaluation.blame("visits", "AP", by=by)
    assert (np.diff(np.abs(table["blame"].to_numpy())) <= 0).all()
    figure = notebook.plot_blame(evaluation, "visits", "AP", by=by)
    drawn = [trace for trace in figure.data if trace.y is not None and len(trace.y) == len(table)]
    assert any(np.array_equal(trace.y, table["expected"]) for trace in drawn)
    assert all(
        [row[0] for row in trace.customdata] == table.index.tolist() for trace in drawn if trace.customdata is not None
    )


def test_what_was_not_evaluated_is_asked_for() -> None:
    bare = tiecore.evaluate(QRELS, FEATURES, ["AP"], statistics=["expected"])
    for draw in (notebook.plot, notebook.plot_places):
        with pytest.raises(tiecore.TiecoreError, match="all statistics"):
            draw(bare)
    with pytest.raises(tiecore.TiecoreError, match="not evaluated"):
        bare.interval("RR")


def test_the_methods_of_an_evaluation_draw_these_figures(evaluation: Any) -> None:
    assert evaluation.plot("AP") == notebook.plot(evaluation, "AP")
    assert evaluation.plot("ESL", theme="dark") == notebook.plot(evaluation, "ESL", theme="dark")
    assert evaluation.plot_places("AP") == notebook.plot_places(evaluation, "AP")
    assert evaluation.plot_blame("visits", "ESL") == notebook.plot_blame(evaluation, "visits", "ESL")


def test_plotly_is_loaded_when_a_figure_is_asked_for() -> None:
    program = (
        "import sys, tiecore\n"
        "e = tiecore.evaluate({'q': {'a': 1, 'b': 0}}, {'f': {'q': {'a': 1, 'b': 1}}}, ['RR'])\n"
        "e.interval(), e.blame('f'), e.tidy\n"
        "assert not {'plotly', 'streamlit', 'tiecore_dashboard'} & set(sys.modules)\n"
        "e.plot()\n"
        "assert 'streamlit' not in sys.modules\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr

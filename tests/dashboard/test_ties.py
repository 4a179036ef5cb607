"""The page Ties: charts as data, sentences, and the page as a whole."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyarrow import ipc

from tests.dashboard.conftest import alike, answer_of, html_of, open_app
from tests.diagnostics.data import diagnostics
from tiecore.measures import measure
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.charts.pieces import padded
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.ties.answer import (
    advice_answer,
    bias_answer,
    hidden_answer,
    precision_answer,
    ties_answer,
)
from tiecore_dashboard.pages.ties.charts import MOST_TIE_BREAKERS, advice_chart, bias_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.sidebar import Settings

PARTS = ["how tied", "orders in use", "repairs", "precision"]


def trace_of(figure: Any, name: str) -> Any:
    """The marks of a layer, without its entry in the legend."""
    return next(trace for trace in figure.data if trace.name == name and len(trace.customdata or ()))


def test_marks_of_the_bias_stand_at_z_and_outside_of_chance_where_it_knows(sample_view: View) -> None:
    table = diagnostics.bias(sample_view.evaluation, sample_view.measure).droplevel("measure")
    figure = bias_chart(table, measure=sample_view.measure, look=LIGHT, tie_breaks=sample_view.tie_breaks)
    n_rows = len(figure.layout.yaxis.tickvals)
    high = (figure.layout.height - figure.layout.margin.t - figure.layout.margin.b) / n_rows
    marks = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "markers"]
    assert all(abs(mark.y - np.arange(n_rows)).max() + mark.marker.size / high / 2 < 0.5 for mark in marks)
    assert high == 14 * len(marks), "no room for more marks, which would fold the picture into a box"
    heights = np.array([mark.y[0] for mark in marks]) * high
    assert np.diff(heights).min() >= marks[0].marker.size, "none hides another that has its value"
    assert heights[0] + high - heights[-1] > 1.5 * np.diff(heights).max(), "marks of a row are closer to each other"
    assert list(trace_of(figure, "file order").x) == table.loc["input", "z"].clip(-5, 5).tolist()
    (arrow,) = figure.layout.annotations
    assert (arrow.text, arrow.x, arrow.arrowhead) == ("11.4", 5, 1)
    assert figure.layout.xaxis.range == pytest.approx((-5.5, 5.5))
    lower = bias_chart(table, measure=measure("ESL"), look=LIGHT, tie_breaks=sample_view.tie_breaks)
    assert lower.layout.xaxis.range == pytest.approx((5.5, -5.5))
    assert max(map(len, lower.layout.xaxis.title.text.split("<br>"))) < 40, "a phone has room for each line"
    assert (lower.layout.annotations[0].x, lower.layout.annotations[0].ax) == (5, -arrow.ax)
    chance = trace_of(figure, "within chance (95 %)")
    assert [{*chance.base}, {*chance.x}] == [{-1.96}, {3.92}]


def test_advice_shows_the_gains_of_the_best_few_with_their_intervals(sample_view: View) -> None:
    found = diagnostics.advice(sample_view.evaluation, "title_match", sample_view.measure).droplevel("feature")
    many = pd.concat([found] * 3)
    figure = advice_chart(many, measure=sample_view.measure, look=LIGHT)
    bars, dots = figure.data[0], trace_of(figure, "gain over random tie-breaks")
    assert [*dots.x] == [*many["gained"][:MOST_TIE_BREAKERS]]
    assert [*bars.base] == [*many["low"][:MOST_TIE_BREAKERS]]
    low, high = figure.layout.xaxis.range
    assert low < 0 < high < 3 * many["high"].max(), "an axis of gains alone"


def test_the_ends_of_an_axis_leave_room_around_what_is_known() -> None:
    low, high = padded(np.array([np.nan, 2.0]))
    assert low < 2 < high
    assert padded(np.array([np.nan])) == pytest.approx((-0.06, 1.06))


def test_the_answer_counts_features_and_names_the_tie_break_that_knows(sample_view: View) -> None:
    e, m = sample_view.evaluation, sample_view.measure
    sentence, lines = ties_answer(found := diagnostics.anatomy(e), m, cutoff=10)
    assert " more often for <strong>query" in ties_answer(found.loc[["bm25", "query_url_clicks"]], m, cutoff=10)[0]
    assert "<em>9 of 10 features</em> tie more than half" in sentence
    assert "most often for <strong>query_url_clicks</strong>, in <em>96 %</em> of its queries" in sentence
    told = "bm25, query_url_clicks and title_match tie all documents of some queries."
    assert [re.sub("<.*?>", "", one) for one in lines] == [told]
    board = e.board(m)
    assert re.sub("<.*?>", "", bias_answer(board)).replace("\xa0", " ") == (
        "file order correlates with relevance: do not rank with this tie-break (clearest for query_url_clicks "
        "0.3649 → 0.4980, z = 11.4). Neither trec_eval (ids ↓) nor Anserini (ids ↑) correlates clearly with relevance."
    )
    assert board.bias is not None
    assert bias_answer(replace(board, bias=board.bias.assign(p=np.nan, verdict="too many tied documents"))) == ""
    none = "None of trec_eval (ids ↓), Anserini (ids ↑) and file order correlates clearly with relevance."
    told = bias_answer(replace(board, bias=board.bias.assign(verdict="no sign of bias", p=[0.3, 0.2, 0.086], lifted=9)))
    near = "file order comes closest (largest shift: p = .086; clear at 0.01 or less)."
    assert re.sub("<.*?>", "", told).replace("\xa0", " ") == f"{none} {near}", "not clear by its largest shift alone"
    by_bm25 = board.bias.iloc[:1].set_axis(["feature:bm25"]).assign(verdict="bm25 correlates with relevance", p=0.001)
    board = replace(board, bias=by_bm25, rows=board.rows.assign(**{"feature:bm25": 0.5}))
    assert bias_answer(board).startswith("bm25 correlates with relevance (clearest for")
    assert bias_answer(replace(board, bias=by_bm25.assign(verdict="no sign", p=0.9))).startswith("A tie-break <strong>")


def test_features_that_are_no_ranking_raise_an_alarm(tiny_view: View) -> None:
    sentence, lines = ties_answer(diagnostics.anatomy(tiny_view.evaluation), tiny_view.measure, cutoff=10)
    assert "in no query does rank 10 cut through a tie" in sentence
    assert "<strong>constant</strong>: constant over all queries" in lines[0]
    many = pd.concat([diagnostics.anatomy(tiny_view.evaluation).loc[["constant"]]] * 7).set_axis([*"abcdefg"])
    (line,) = ties_answer(many, measure("AP"), cutoff=10)[1]
    assert re.sub("<.*?>", "", line).startswith("a, b, c, d and 3 more: constant over all queries, which gives")
    assert ties_answer(many[:2], measure("AP"), cutoff=10)[0].startswith("<em>Both features</em> tie more than half")
    assert "does rank 10 cut through" in ties_answer(many, measure("AP"), cutoff=10)[0]
    one, _ = ties_answer(diagnostics.anatomy(tiny_view.evaluation).loc[["constant"]], measure("AP"), cutoff=10)
    assert ties_answer(many, measure("AP"), cutoff=10)[0].startswith("<em>All 7 features</em> tie more than half")
    assert one.startswith("<strong>constant</strong> ties <em>100 %</em> of its documents")


def test_each_part_has_its_picture_and_the_highlighted_feature_is_followed_through_them() -> None:
    app = open_app("ties", query={"highlight": ["url_clicks"]})
    for part in ("orders in use", "repairs"):
        app.segmented_control(key="ties_part").set_value(part).run()
        assert app.get("plotly_chart"), part
    assert app.selectbox(key="ties_feature").value == "url_clicks"


def test_a_tie_is_mixed_by_grades_where_the_measure_counts_them() -> None:
    state = {"dataset": alike((1, 2, 3, 1, 2), {"f": (0, 0, 0, 1, 1)})}
    app = open_app("ties", state=state, query={"measure": "nDCG", "k": "1"})
    assert "rank 1 cuts through a tie of documents of different grades in 100" in re.sub("<.*?>", "", answer_of(app))
    app = open_app("ties", state=state, query={"measure": "P", "k": "1"})
    assert "relevant and non-relevant" in answer_of(app)
    app = open_app("ties", state=state, query={"measure": "AP"})
    assert re.sub("<.*?>", "", answer_of(app)).startswith("f ties 100\u00a0% of its documents."), "there is no cut-off"
    assert not [name for frame in app.dataframe for name in frame.value if "cut_in_" in str(name)]


def test_without_ties_every_answer_says_so() -> None:
    view = cached.view(alike((0, 1, 0, 1, 0), {"up": range(5), "down": range(5, 0, -1)}), Settings(measure("AP")))
    e = view.evaluation
    assert ties_answer(diagnostics.anatomy(e), view.measure, cutoff=10) == (
        "No two documents of a query are tied: every way of breaking ties gives the same values.",
        [],
    )
    assert bias_answer(e.board("AP")) == ""
    found = diagnostics.bias(e, "AP").droplevel("measure")
    bias_chart(found, measure=view.measure, look=LIGHT, tie_breaks=view.tie_breaks)


@pytest.mark.parametrize(
    ("gained", "z", "words"),
    [
        (0.1, 5.0, "more than chance alone would give; 25 % of the spread of <strong>clicks</strong> disappears."),
        (0.1, 1.0, "but chance alone could give as much"),
        (0.1, 1.0, "from 0.4000 to 0.5000 (gain +0.1000, 95\u00a0% interval +0.0200 to +0.1800)"),
        (0.1, np.nan, "how far random orders alone would move it is not known"),
        (-0.1, -4.0, "No other feature breaks the ties of"),
    ],
)
def test_advice_says_what_may_be_luck(gained: float, z: float, words: str) -> None:
    found = pd.DataFrame(
        {"gained": gained, "expected": 0.5, "spread_removed": 0.25, "z": z, "low": 0.02, "high": 0.18}, index=["7"]
    )
    told = advice_answer(found, feature="clicks", measure="RR", before=0.4)
    assert words in told


def test_hidden_ties_are_told_in_words(sample_view: View) -> None:
    hidden = diagnostics.hidden_ties(sample_view.evaluation)
    assert hidden_answer(hidden).startswith("No sign")
    found = hidden.assign(note=["ties are hidden <here>"] + [""] * (len(hidden) - 1))
    assert hidden_answer(found) == "<strong>bm25</strong>: ties are hidden &lt;here&gt;."


def test_measures_without_a_variance_are_tested_too(tiny_data: Dataset) -> None:
    app = open_app("ties", query={"ties_part": "orders in use", "measure": "ERR"}, state={"dataset": tiny_data})
    assert app.get("plotly_chart")
    assert html_of(app).rindex("correlate") > html_of(app).rindex('class="strip"')
    assert app.expander[-1].label == "Export: tables, figures, code"
    row = app.dataframe[0].value.set_index("feature").loc["clicks"]
    assert row["input"] == pytest.approx(-0.0379, abs=5e-5), "how far it takes the value"
    written = ipc.open_stream(app.dataframe[0].proto.arrow_data.styler.display_values).read_pandas()
    assert {"−0.0379", "+2.63"} <= {*written.to_numpy().ravel()}, "with a minus sign"


def test_one_feature_alone_has_no_tie_breaker() -> None:
    data = alike((1, 0, 0), {"clicks": (1, 1, 0)}, 1)
    app = open_app("ties", query={"ties_part": "repairs"}, state={"dataset": data})
    assert "repairs" not in app.segmented_control(key="ties_part").options
    assert not app.exception
    told = {}
    for part in PARTS:
        app = open_app("ties", query={"ties_part": part}, state={"dataset": data})
        told[part] = " ".join([html_of(app), *(one.value for one in app.caption)])
    assert "the value does not change." in told["precision"]
    assert not re.search(r"\bfeatures\b|other feature|leaderboard|clearest for", " ".join(told.values()))


def test_the_answer_on_a_format_counts_what_moves_and_names_a_new_leader(sample_view: View) -> None:
    e, m = sample_view.evaluation, sample_view.measure
    fine = diagnostics.precision_board(e, m, precision="float32")
    told = precision_answer(fine, precision="float32", measure=str(m))
    assert told == "In float32 the leaderboard keeps every place; no value changes."
    coarse = diagnostics.precision_board(e, m, precision="int8")
    told = precision_answer(coarse, precision="int8", measure=str(m))
    moved = int((coarse["exact_place"] != coarse["place"]).sum())
    leader = coarse.index[coarse["place"] == 1][0]
    assert f"<em>{moved} of 10 features</em>" in told
    assert (f"<strong>{leader}</strong> would lead" in told) == (leader != coarse.index[0])
    assert " clearly lose" in told


def test_a_coarser_format_is_a_table_of_values_and_places_in_both(sample_view: View) -> None:
    app = open_app("ties", query={"ties_part": "precision", "ties_format": "int8"})
    known = diagnostics.precision_board(sample_view.evaluation, sample_view.measure, precision="int8")
    table = app.dataframe[0].value
    shown = table.drop(columns="p").set_index("feature")
    pd.testing.assert_frame_equal(shown, known[[*shown.columns]])
    assert [*table.columns] == ["feature", "change", "verdict", "p", "exact", "expected", "exact_place", "place"], (
        "what it costs first"
    )

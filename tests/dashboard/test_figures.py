"""Charts as data: what stands where, under which name, in which colour."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import tiecore_dashboard
from tiecore_dashboard.charts.look import DARK, LIGHT, Look, blend, label, layout, look_of, marks_of, row_height
from tiecore_dashboard.charts.pieces import caption_of, entries_of
from tiecore_dashboard.pages.cutoffs.charts import curve_chart
from tiecore_dashboard.pages.queries.charts import query_chart
from tiecore_dashboard.pages.ranking.charts import bump_chart, interval_cell, interval_chart, value_chart
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.sidebar import MOST_TIE_BREAKS
from tiecore_dashboard.words import known_as

DASHBOARD = Path(tiecore_dashboard.__file__).parents[1]
TIES = ("docid-desc", "docid-asc", "input")
EVIL = '<a href="https://outside.example">x</a>'


@pytest.fixture
def board() -> pd.DataFrame:
    """Three features under three tie-breaks; the first two differ by luck."""
    return pd.DataFrame(
        {
            "expected": [0.5, 0.4, 0.1],
            "worst": [0.3, 0.2, 0.1],
            "best": [0.6, 0.9, 0.1],
            "low": [0.45, 0.3, 0.1],
            "high": [0.55, 0.5, 0.1],
            "docid-desc": [0.5, 0.4, 0.1],
            "docid-asc": [0.4, 0.6, 0.1],
            "input": [0.5, 0.5, 0.1],
        },
        index=pd.Index(["clicks", EVIL, "constant"], name="feature"),
    )


def named(figure: go.Figure, name: str) -> go.Scatter:
    """First trace of a name that shows data."""
    return next(trace for trace in figure.data if trace.name == name and trace.y[0] is not None)


def test_a_row_holds_range_centre_expectation_and_tie_breaks(board: pd.DataFrame) -> None:
    figure = interval_chart(board, measure="AP", look=LIGHT, tie_breaks=TIES)
    whole, central = figure.data[:2]
    assert list(whole.base) == [0.3, 0.2, 0.1]
    assert list(np.add(whole.base, whole.x)) == pytest.approx([0.6, 0.9, 0.1])
    assert list(np.add(central.base, central.x)) == pytest.approx([0.55, 0.5, 0.1])
    assert list(named(figure, "expected").x) == [0.5, 0.4, 0.1]
    for name in TIES:
        assert list(named(figure, known_as(name)).x) == board[name].tolist()


def test_every_point_carries_the_name_of_its_feature(board: pd.DataFrame) -> None:
    figure = interval_chart(board, measure="AP", look=LIGHT, tie_breaks=TIES)
    for trace in figure.data:
        if trace.customdata is not None:
            assert [row[0] for row in trace.customdata] == board.index.tolist()


def test_better_is_to_the_right_even_where_less_is_better(board: pd.DataFrame) -> None:
    up = interval_chart(board, measure="AP", look=LIGHT).layout.xaxis.range
    down = interval_chart(board, measure="ESL", look=LIGHT, higher_is_better=False).layout.xaxis.range
    assert up[0] < up[1]
    assert down[0] > down[1]


def test_the_close_up_leaves_far_cases_out_and_no_mark(board: pd.DataFrame) -> None:
    low, high = interval_chart(board, measure="AP", look=LIGHT, tie_breaks=TIES, close_up=True).layout.xaxis.range
    assert high < 0.9
    marks = board[["expected", *TIES]].to_numpy()
    assert low < marks.min()
    assert marks.max() < high


def test_what_is_not_highlighted_fades_but_the_legend_does_not(board: pd.DataFrame) -> None:
    figure = interval_chart(board, measure="AP", look=LIGHT, tie_breaks=TIES, highlighted=["clicks"])
    colours = figure.data[0].marker.color
    assert colours[0] == LIGHT.range
    assert colours[1] == colours[2] != LIGHT.range
    legend = {trace.name: trace.marker.color for trace in figure.data if trace.showlegend is not False}
    assert legend["worst–best"] == LIGHT.range
    assert {known_as(name) for name in TIES} <= set(legend)


def test_intervals_that_are_not_known_are_left_out(board: pd.DataFrame) -> None:
    unknown = board.assign(low=np.nan, high=np.nan)
    figure = interval_chart(unknown, measure="ERR", look=LIGHT, close_up=True)
    assert "NaN" not in json.dumps(json.loads(figure.to_json()))
    assert all(np.isfinite(figure.layout.xaxis.range))


def test_values_that_are_all_equal_still_have_an_axis(board: pd.DataFrame) -> None:
    low, high = interval_chart(board * 0, measure="AP", look=LIGHT, tie_breaks=TIES).layout.xaxis.range
    assert low < 0 < high


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_names_are_text_in_every_chart(board: pd.DataFrame, look: Look) -> None:
    places = board[[*TIES]].rank(ascending=False, method="min").astype(int)
    for figure in (
        interval_chart(board, measure=EVIL, look=look, tie_breaks=TIES),
        bump_chart(places, board[[*TIES]], look=look, emphasised=[EVIL]),
    ):
        shown = json.loads(figure.to_json())
        for trace in shown["data"]:
            trace.pop("customdata", None)
        assert "<a href" not in json.dumps(shown)
        told = [
            text
            for trace in figure.data
            if trace.customdata is not None
            for row in trace.customdata
            for text in row[1:]
        ]
        assert not any("<a href" in str(text) for text in told)


def test_a_tie_break_of_any_name_brings_no_template_into_what_the_pointer_tells(board: pd.DataFrame) -> None:
    name = "<b>x</b>%{customdata[0]}"
    places = pd.MultiIndex.from_product([["clicks"], [1, 2]], names=["feature", "k"])
    curves = pd.DataFrame(0.5, index=places, columns=["expected", "low", "high", "tie_low", "tie_high", name])
    for figure in (
        interval_chart(board.assign(**{name: 0.5}), measure="AP", look=LIGHT, tie_breaks=[name]),
        curve_chart(curves, measure="AP", look=LIGHT, tie_breaks=[name]),
    ):
        told = [str(trace.hovertemplate) for trace in figure.data if "&lt;b&gt;x" in str(trace.hovertemplate)]
        assert told
        assert not any("%{customdata[0]}" in template for template in told)


def test_lines_run_through_places_and_never_hide_each_other(board: pd.DataFrame) -> None:
    places = pd.DataFrame({"worst": [1, 1, 1], "best": [2, 1, 3]}, index=board.index)
    figure = bump_chart(places, board[["worst", "best"]], look=LIGHT, emphasised=["clicks"])
    many, clicks = figure.data
    assert list(clicks.y) == [0, 1]
    assert [value for value in many.y if value is not None] == [1, 0, 2, 2]
    assert [row[2] for row in clicks.customdata] == ["1", "2"]
    assert list(figure.layout.yaxis.tickvals) == [0, 1, 2]


def test_a_hundred_features_take_few_traces_and_a_row_each() -> None:
    n = 136
    values = pd.DataFrame(
        {name: np.linspace(0.2, 0.8, n) for name in ("expected", "worst", "best", "low", "high", *TIES)},
        index=pd.Index([f"f{i}" for i in range(n)], name="feature"),
    )
    columns = ["worst", *TIES, "expected", "best"]
    places = pd.DataFrame({name: np.arange(1, n + 1) for name in columns}, index=values.index)
    ranges = interval_chart(values, measure="AP", look=LIGHT, tie_breaks=TIES)
    courses = bump_chart(places, values[columns], look=LIGHT, emphasised=["f3"])
    assert len(ranges.data) < 15
    assert len(courses.data) == 2
    assert row_height(n) == 18
    assert 18 * n < ranges.layout.height < 18 * n + 200
    # the rows of both charts stand beside each other
    assert ranges.layout.margin.t == courses.layout.margin.t
    assert ranges.layout.height == courses.layout.height


def test_a_cell_draws_what_is_known(board: pd.DataFrame) -> None:
    full = unquote(interval_cell(0.5, 0.2, 0.9, 0.4, 0.6, ends=(0, 1), look=LIGHT))
    assert full.count("<rect") == 2
    assert full.count("<circle") == 1
    partial = unquote(interval_cell(0.5, 0.2, 0.9, float("nan"), float("nan"), ends=(0, 1), look=LIGHT))
    assert partial.count("<rect") == 1
    assert "nan" not in unquote(interval_cell(0.5, 0.5, 0.5, 0.5, 0.5, ends=(0.5, 0.5), look=DARK))


def test_a_tie_break_looks_the_same_whatever_stands_beside_it() -> None:
    alone, among = marks_of(["input"], LIGHT), marks_of(["random:1", "docid-desc", "input"], LIGHT)
    assert alone["input"] == among["input"]
    marks = marks_of([*TIES, "input-reversed", "rank", "random:1", "feature:a"], LIGHT).values()
    assert len({mark.symbol for mark in marks}) == len({mark.glyph for mark in marks}) == 7


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_as_many_tie_breaks_as_can_be_compared_look_different_whatever_they_are(look: Look) -> None:
    marks = marks_of([f"random:{seed}" for seed in range(MOST_TIE_BREAKS)], look).values()
    for told_by in ("symbol", "glyph", "colour"):
        assert len({getattr(mark, told_by) for mark in marks}) == MOST_TIE_BREAKS
    usual = marks_of(["docid-desc", "docid-asc", "input", "input-reversed", "rank"], look).values()
    assert not {mark.symbol for mark in marks} & {mark.symbol for mark in usual}


def contrast(one: str, other: str) -> float:
    """Contrast of two colours as WCAG defines it."""

    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_both_looks_keep_text_readable() -> None:
    for look in (LIGHT, DARK):
        for ground in (look.ground, look.panel):
            assert contrast(look.text, ground) > 12
            assert contrast(look.muted, ground) > 4.5
        assert contrast(look.accent, look.ground) > 4.5
        assert contrast(look.good, look.ground) > 4.5
        assert contrast(look.bad, look.ground) > 4.5
        assert min(contrast(colour, look.ground) for colour in look.palette) > 1.5


def test_labels_keep_both_ends_of_long_names() -> None:
    assert label("short") == "short"
    assert label("two\nlines") == "two lines"
    assert len(label("x" * 100)) == 24


def test_a_look_is_picked_by_the_theme_and_light_by_default() -> None:
    assert (look_of("dark"), look_of("light"), look_of(None)) == (DARK, LIGHT, LIGHT)
    assert layout(DARK, height=100)["template"].layout.paper_bgcolor == DARK.ground


def test_the_sample_is_drawn_as_tiecore_has_it(sample_view: View) -> None:
    board = sample_view.leaderboard.assign(low=np.nan, high=np.nan)
    figure = interval_chart(board, measure="nDCG@10", look=LIGHT, tie_breaks=sample_view.tie_breaks)
    assert list(figure.layout.yaxis.ticktext)[:2] == ["bm25", "title_match"]
    assert list(named(figure, "file order").x) == sample_view.leaderboard["input"].tolist()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_theme_keeps_all_text_readable(mode: str) -> None:
    theme = tomllib.loads((DASHBOARD / ".streamlit" / "config.toml").read_text())["theme"][mode]
    grounds = [theme[name] for name in ("backgroundColor", "secondaryBackgroundColor")]
    grounds += [theme["sidebar"][name] for name in ("backgroundColor", "secondaryBackgroundColor")]
    for ground in grounds:
        for name in ("textColor", "grayTextColor", "linkColor"):
            assert contrast(theme[name], ground) > 4.5, (name, ground)
    # chips and primary buttons carry text in white, or in the ground of the page
    assert max(contrast(theme["primaryColor"], text) for text in ("#ffffff", theme["backgroundColor"])) > 4.5


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_text_in_the_leaderboard_is_readable_on_every_ground(look: Look) -> None:
    grounds = [look.ground, look.panel, blend(look.accent, look.ground, 0.1)]
    for ground in grounds:
        for colour in (look.text, look.muted, look.good, look.bad):
            assert contrast(colour, ground) > 4.5, (colour, ground)
    assert contrast(look.ground, look.accent) > 4.5
    assert contrast(look.link, look.ground) > 4.5


def test_places_and_letters_stand_in_columns_with_a_title_of_their_own() -> None:
    board = pd.DataFrame(
        {"place": [1, 2], "expected": [0.5, 0.4], "low": 0.4, "high": 0.5, "query_low": 0.3, "query_high": 0.6},
        index=["a", "b"],
    )
    bare = value_chart(board, measure="AP", look=LIGHT)
    assert [note.text for note in bare.layout.annotations] == ["place", "1", "2"]
    assert "Letters" not in caption_of(bare)
    full = value_chart(
        board.assign(place_low=[1, 1], place_high=[12, 2], letters=["a", "ab"]), measure="AP", look=LIGHT
    )
    columns: dict[float, list[str]] = {}
    for note in full.layout.annotations:
        columns.setdefault(note.xshift, []).append(note.text)
    assert list(columns.values()) == [["places", "1–12", "1–2"], ["letters", "a", "ab"]]
    assert full.layout.margin.r > max(columns) + 40, "with room for the last column"
    assert "features that share one are not clearly different" in caption_of(full)


def test_nothing_about_ties_is_drawn_where_there_are_none() -> None:
    settled = pd.DataFrame(
        {name: [0.5, 0.4] for name in ("expected", "worst", "best", "low", "high", "input")}, index=["a", "b"]
    )
    figure = interval_chart(settled, measure="AP", look=LIGHT, tie_breaks=["input"])
    assert {trace.name for trace in figure.data} == {"expected"}
    values = value_chart(settled.assign(place=1, query_low=0.3, query_high=0.6), measure="AP", look=LIGHT)
    assert {trace.name for trace in values.data} == {"expected", "95 % over queries"}
    blamed = settled.assign(sd=0.0)
    queries = query_chart(blamed, measure="AP", look=LIGHT)
    assert "worst to best case" not in {trace.name for trace in queries.data if trace.showlegend is not False}


def test_the_legend_shows_marks_as_marks_and_bars_as_bars(board: pd.DataFrame) -> None:
    queries = query_chart(board.assign(sd=0.1), measure="AP", look=LIGHT, chosen=str(board.index[0]))
    assert {entry.name: entry.symbol for entry in entries_of(queries)} == {
        "expectation": "circle", "worst to best case": "square", "chosen query": "square",
    }  # fmt: skip

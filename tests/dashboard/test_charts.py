"""Charts as data: what stands where, under which name, in which colour."""

import tomllib
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from matplotlib.colors import to_hex, to_rgb

import tiecore_dashboard
from tiecore import plot
from tiecore.board import board, duel
from tiecore.board.marks import marks_of
from tiecore.diagnostics.blame import TWO_SD
from tiecore.measures import measure
from tiecore.plot.sheet import _MARKERS, markers_of
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.look import DARK, GLYPHS, LIGHT, Look, blend, colours_of, layout
from tiecore_dashboard.charts.pieces import entries_of, padded, round_values
from tiecore_dashboard.charts.rows import Point, Range, columns_chart, rows_chart
from tiecore_dashboard.charts.tiles import shade
from tiecore_dashboard.export.figures import figures_of
from tiecore_dashboard.pages.cutoffs.charts import curve_chart
from tiecore_dashboard.pages.pairs.charts import query_chart as duel_chart
from tiecore_dashboard.pages.queries.charts import query_chart
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.sidebar import MOST_TIE_BREAKS

DASHBOARD = Path(tiecore_dashboard.__file__).parents[1]


@pytest.mark.parametrize("spread", [0.0, 0.2])
def test_the_legend_shows_marks_as_marks_and_bars_as_bars_and_no_ties_where_there_are_none(spread: float) -> None:
    blamed = pd.DataFrame({"expected": 0.5, "worst": 0.5 - spread, "best": 0.5, "sd": spread}, index=["a", "b"])
    queries = query_chart(blamed, measure=measure("AP"), look=LIGHT, chosen="a")
    ties = dict.fromkeys(("worst to best case", TWO_SD), "swatch") if spread else {}
    assert {entry.name: entry.symbol for entry in entries_of(queries)} == {"expectation": "circle"} | ties


def test_as_many_tie_breaks_as_can_be_compared_look_different_whatever_they_are_or_stand_beside() -> None:
    assert marks_of(["input"])["input"] == marks_of(["random:1", "docid-desc", "input"])["input"]
    further = {*marks_of([f"random:{seed}" for seed in range(MOST_TIE_BREAKS)]).values()}
    usual = {*marks_of(["docid-desc", "docid-asc", "input", "input-reversed", "rank"]).values()}
    assert (len(further), len(usual), further & usual) == (MOST_TIE_BREAKS, 5, set())
    assert len({GLYPHS[symbol] for symbol in further | usual}) == MOST_TIE_BREAKS + 5


def contrast(one: str, other: str) -> float:
    """Contrast of two colours as WCAG defines it."""
    parts = np.array([to_rgb(one), to_rgb(other)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    dark, light = np.sort(linear @ [0.2126, 0.7152, 0.0722])
    return float((light + 0.05) / (dark + 0.05))


def closest(colours: tuple[str, ...]) -> float:
    """Distance in CIELAB of the two colours that are most alike, for usual eyes, without red and without green."""
    linear = np.array([to_rgb(colour) for colour in colours]) ** 2.2
    protan = [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]  # Machado et al. 2009
    deutan = [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]
    white = [[0.434, 0.376, 0.190], [0.213, 0.715, 0.072], [0.018, 0.109, 0.873]]  # XYZ in parts of those of white
    opponent = [[0, 116, 0], [500, -500, 0], [0, 200, -200]]
    labs = [opponent @ np.cbrt(white @ np.clip(sight @ linear.T, 0, 1)) for sight in (np.eye(3), protan, deutan)]
    return min(float(np.linalg.norm(one - other)) for lab in labs for one, other in combinations(lab.T, 2))


@pytest.mark.parametrize(("theme", "look"), [("dark", DARK), ("light", LIGHT), (None, LIGHT)])
def test_the_theme_picks_a_look_or_it_is_light(monkeypatch: pytest.MonkeyPatch, theme: str | None, look: Look) -> None:
    monkeypatch.setattr(st, "context", SimpleNamespace(theme=SimpleNamespace(type=theme)))
    assert page.look() == look
    assert layout(DARK, height=100)["template"].layout.paper_bgcolor == DARK.ground


@pytest.mark.parametrize(("width", "n"), [("390", 16), (None, 30), ("x", 30)])
def test_names_are_as_long_as_the_screen_allows(monkeypatch: pytest.MonkeyPatch, width: str | None, n: int) -> None:
    monkeypatch.setattr(st, "context", SimpleNamespace(cookies={"width": width}))
    assert {len(name) for name in page.short([f"{'a' * 40}{name}" for name in range(9)], 16, 30).values()} == {n}


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
def test_text_is_readable_on_every_ground(look: Look) -> None:
    grounds = [look.ground, look.panel, blend(look.accent, look.ground, 0.1)]
    for ground in grounds:
        for colour in (look.text, look.muted, look.good, look.bad):
            assert contrast(colour, ground) > 4.5, (colour, ground)
    assert min(contrast(look.text, ground) for ground in grounds[:2]) > 12
    assert [contrast(*one) > 4.5 for one in {shade(grade, 4, look) for grade in range(1, 5)}] == [True] * 4


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_no_two_of_many_features_have_one_colour_and_the_first_ones_not_even_for_the_colour_blind(look: Look) -> None:
    colours = colours_of([f"f{n}" for n in range(217)], look)
    assert len(set(colours.values())) == 217
    assert min(contrast(colour, look.ground) for colour in colours.values()) > 1.5
    assert min(contrast(colour, look.ground) for colour in look.palette) > 3
    assert closest(look.palette[:4]) > 30
    assert closest(look.palette[:10]) > 12
    assert closest(look.palette) > 10


def test_figures_for_print_have_the_colours_and_the_shapes_of_the_page(sample_view: View) -> None:
    tie_breaks = ["docid-desc", "docid-asc", "input", "input-reversed", "rank", "random:1", "random:2", "feature:a"]
    for names in (tie_breaks, ["trec_eval", "anserini", "stable", *tie_breaks[3:]]):
        printed = [*markers_of(names).values()]
        assert printed == [_MARKERS[symbol] for symbol in marks_of(names).values()]
        assert printed == [*markers_of(tie_breaks).values()], "whatever it is called"
    shown = cached.study(sample_view, board)
    assert sample_view.coloured == shown.coloured == shown.only(shown.names[3:]).coloured
    first, second = shown.coloured[:2]
    bars = sample_view.evaluation.plot.difference(second, first).axes[1].patches
    assert {to_hex(bar.get_facecolor()) for bar in bars} == {*LIGHT.palette[:2]}
    drawn = figures_of(shown, dict.fromkeys(shown.movers, "#123456"))["Places"](plot.Sheet())
    lines = zip(shown.names, drawn.axes[0].lines, strict=True)
    assert {name for name, line in lines if line.get_color() == "#123456"} == {*shown.movers}


@pytest.mark.parametrize("look", [LIGHT, DARK])
def test_a_feature_has_the_same_colour_in_every_chart(look: Look, sample_view: View) -> None:
    colours = colours_of(sample_view.features, look)
    stable = cached.board(sample_view).stability
    pair = stable.pairs.iloc[1]
    shown = duel(sample_view.evaluation, stable, pair["leader"], pair["trailer"])
    queries = duel_chart(shown, look=look, colours=colours)
    bars = [trace.marker.color[0] for trace in queries.data if "better" in str(trace.name)]
    assert bars == [colours[shown.leader], colours[shown.trailer]]
    index = pd.MultiIndex.from_product([[shown.trailer, shown.leader], [1, 2]], names=["feature", "k"])
    curves = pd.DataFrame(0.5, index, ["expected", "low", "high", "tie_low", "tie_high"]).assign(open=False)
    lines = curve_chart(curves, measure="AP", look=look, colours=colours, banded=[]).data
    drawn = {trace.name: trace.line.color for trace in lines if trace.mode == "lines+markers"}
    assert drawn == {name: colours[name] for name in (shown.leader, shown.trailer)}


NAMES = ["bm25", "<b>clicks</b>", "dwell"]
RANGE = Range("95 %", [0.3, np.nan, 0.5], [0.1, 0.2, 0.7], LIGHT.range)
POINT = Point("expected", [0.2, 0.4, np.nan], LIGHT.text)


def test_bars_and_points_stand_in_their_rows_where_their_values_are() -> None:
    figure = rows_chart(NAMES, [RANGE, POINT], look=LIGHT, title="AP")
    bar, points = figure.data
    assert list(bar.y) == list(points.y) == [0, 1, 2]
    assert np.allclose(np.array(bar.base, dtype=float), [0.1, np.nan, 0.5], equal_nan=True, rtol=0, atol=0)
    assert np.allclose(np.array(bar.x, dtype=float), [0.2, np.nan, 0.2], equal_nan=True, rtol=0, atol=1e-15)
    assert np.allclose(np.array(points.x, dtype=float), [0.2, 0.4, np.nan], equal_nan=True, rtol=0, atol=0)
    assert [row[0] for row in points.customdata] == NAMES
    assert list(points.marker.color) == [LIGHT.text] * 3
    assert [entry.name for entry in entries_of(figure)] == ["95 %", "expected"]
    assert figure.layout.xaxis.range[0] < 0.1
    assert figure.layout.xaxis.range[1] > 0.7
    assert "<b>clicks" not in "".join(figure.layout.yaxis.ticktext) + "".join(bar.hovertext).replace("<b>", "", 3)


def test_fewer_is_better_turns_the_axis_round() -> None:
    figure = rows_chart(NAMES, [POINT], look=DARK, title="ESL", higher_is_better=False, ends=(0.0, 1.0))
    assert figure.layout.xaxis.range == (1.0, 0.0)


def test_the_zero_line_is_always_in_sight_in_front_of_the_bars_and_behind_the_points() -> None:
    point, bar = Point("difference", [0.2, 0.3, 0.4], LIGHT.text), Range("95 %", [0.1] * 3, [0.5] * 3, LIGHT.range)
    figure = rows_chart(NAMES, [point, bar], look=LIGHT, title="AP", zero=0.0)
    order = [trace.name for trace in figure.data]
    assert order == ["95 %", "zero", "difference"]
    assert list(figure.data[1].x) == [0, 0]
    assert figure.layout.xaxis.range[0] < 0


def test_what_is_not_highlighted_steps_back() -> None:
    (bar,) = rows_chart(NAMES, [RANGE], look=LIGHT, title="AP", highlighted={"dwell"}).data
    assert bar.marker.color[2] == LIGHT.range
    assert LIGHT.range not in bar.marker.color[:2]


@pytest.mark.parametrize("n_rows", [1, 70])
def test_texts_beside_the_rows_have_room(n_rows: int) -> None:
    names = [f"feature {n}" for n in range(n_rows)]
    texts = ["a long text beside"] * n_rows
    figure = rows_chart(names, [Point("v", np.ones(n_rows), LIGHT.text)], look=LIGHT, title="AP", beside=("set", texts))
    assert len(figure.layout.annotations) == n_rows + 1
    assert figure.layout.margin.r > 6 * len(texts[0])
    assert figure.layout.height > 18 * n_rows


def test_columns_are_the_rows_upright_and_take_the_clicks_themselves() -> None:
    figure = columns_chart(
        NAMES, [RANGE, POINT], look=LIGHT, title="AP", below="three", at=POINT.values, hover=NAMES, chosen="dwell"
    )
    bar, points, targets = figure.data
    assert (bar.orientation, list(bar.x), bar.hoverinfo, points.hoverinfo) == ("v", [0, 1, 2], "skip", "skip")
    assert list(points.y[:2]) == list(targets.y[:2]) == [0.2, 0.4]
    assert [row[0] for row in targets.customdata] == NAMES
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].x1) == (1.5, 2.5)
    assert sum(figure.layout.xaxis.range) == pytest.approx(2), "few stand in the middle"


@pytest.mark.parametrize("most", [4, 5, 6, 7])
def test_an_axis_has_two_ticks_at_least_and_none_beyond_its_ends(most: int) -> None:
    rng = np.random.default_rng(1)
    for low, width in zip(3 * rng.normal(size=500), 10 ** rng.uniform(-5, 3, 500), strict=True):
        values, digits = round_values(low, low + width, most)
        assert 2 <= len(values) <= max(most, 5)
        assert low - 1e-9 <= values[0] < values[-1] <= low + width + 1e-9
        assert len({f"{value:.{digits}f}" for value in values}) == len(values), "all of them can be told apart"


def test_values_that_are_all_0_have_no_tick_below() -> None:
    assert round_values(*padded(np.zeros(3)), 6)[0][0] == 0
    assert padded(np.array([0.97236428417300, 0.97236428417292])) == pytest.approx((0.875, 1.07), abs=0.01)
    assert round_values(0.5, 0.5, 6), "an axis without a width has ticks, too"


def test_rows_are_higher_where_many_marks_stand_in_each() -> None:
    marks = [Point(str(at), [1.0] * 3, LIGHT.text, offset=at / 10) for at in range(8)]
    few, many = (rows_chart(NAMES, some, look=LIGHT, title="z").layout.height for some in (marks[:3], marks))
    assert many >= few + 3 * 16, "so that marks of equal values are all seen"

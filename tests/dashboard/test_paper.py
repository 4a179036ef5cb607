"""Figures for print: exactly as wide as asked, every name whole, nothing beyond the edge, and grey where it must be."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from PIL import Image

from tests.dashboard.conftest import OpenApp
from tiecore_dashboard.charts.look import GREY, LIGHT, Figure, Look, label, whole_names
from tiecore_dashboard.export import offers
from tiecore_dashboard.export.paper.picture import height_on, picture
from tiecore_dashboard.export.paper.sheet import WIDTHS, Sheet, figure_on
from tiecore_dashboard.export.paper.texts import read_markup, width_of, wrapped
from tiecore_dashboard.pages.cutoffs.charts import MOST_CURVES, curve_chart
from tiecore_dashboard.pages.ranking.charts import bump_chart, interval_chart, value_chart
from tiecore_dashboard.pages.ties.charts import tied_chart

SVG = "{http://www.w3.org/2000/svg}"
NASTY = (
    "a_feature_with_a_really_long_name_that_goes_on_and_on_v2_final",
    "umbrela/gpt-4o-2024-11-20:prompt=basic:temperature=0:shots=3",
    'Größe$_{x}^2$ <b>fett</b> & 50 % "quoted" \\n ~tilde^ %{x}',
)
SHEETS = [
    Sheet(),
    Sheet(ink="grey", names="short"),
    Sheet(width=WIDTHS["two columns"]),
    Sheet(width=WIDTHS["slide"], font=16.0, ink="grey"),
    Sheet(width=345.8, font=6.5),
]
Draw = Callable[[Look], Figure]


def names_of(n: int) -> list[str]:
    return [f"{NASTY[row % 3][:57]}{row:03}" for row in range(n)] if n > 3 else list(NASTY[:n])


def charts(n: int) -> Mapping[str, Draw]:
    """Draw charts of every shape for so many features: rows, columns, curves, a map."""
    names, rng = names_of(n), np.random.default_rng(n)
    value = np.sort(rng.random(n))[::-1]
    board = pd.DataFrame(
        {
            "place": np.arange(1, n + 1),
            "expected": value,
            **{name: value + change for name, change in (("worst", -0.2), ("low", -0.1), ("high", 0.1), ("best", 0.2))},
            "query_low": value - 0.1,
            "query_high": value + 0.1,
            "docid-asc": value,
            "input": value[::-1],
            "place_low": 1,
            "place_high": n,
            "letters": "ab",
        },
        index=pd.Index(names, name="feature"),
    )
    placed = board[["expected", "docid-asc", "input"]].rank(ascending=False, method="min").astype(int)
    few = names[:8]
    cutoffs = pd.MultiIndex.from_product([few, [1, 5, 10, 100]], names=["feature", "k"])
    curves = pd.DataFrame(
        {one: rng.random(len(cutoffs)) for one in ("expected", "worst", "best", "low", "high")}, cutoffs
    )
    anatomy = pd.DataFrame({"tied": 0.5, "tied_mixed": 0.2, "values_per_query": 3.0}, index=names)
    ties = ("docid-asc", "input")
    return {
        "values": lambda look: value_chart(board, measure="nDCG@10", look=look),
        "ranges": lambda look: interval_chart(board, measure="nDCG@10", look=look, tie_breaks=ties, close_up=True),
        "places": lambda look: bump_chart(placed, board[["expected", *ties]], look=look, emphasised=names[:8]),
        "curves": lambda look: curve_chart(curves, measure="nDCG", look=look, tie_breaks=()),
        "ties": lambda look: tied_chart(anatomy, look=look),
    }


def edges(png: bytes) -> tuple[int, int, int, int]:
    """Pixels of white at the left, top, right and bottom of a picture."""
    ink = np.asarray(Image.open(io.BytesIO(png)).convert("L")) < 250
    columns, rows = np.flatnonzero(ink.any(axis=0)), np.flatnonzero(ink.any(axis=1))
    return columns[0], rows[0], ink.shape[1] - 1 - columns[-1], ink.shape[0] - 1 - rows[-1]


def texts_of(svg: bytes) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    "sheet", [SHEETS[0], *(pytest.param(one, marks=pytest.mark.slow) for one in SHEETS[1:])], ids=str
)
def test_a_figure_is_exactly_as_wide_as_asked(sheet: Sheet) -> None:
    figure = figure_on(sheet, charts(2)["values"])
    svg = ElementTree.fromstring(picture(figure, sheet, "svg"))
    height = height_on(figure, sheet)
    assert svg.get("width") == f"{sheet.width:g}pt"
    assert float(str(svg.get("height")).removesuffix("pt")) == pytest.approx(height, abs=1e-3)
    box = [float(end) for end in str(svg.get("viewBox")).split()]
    assert box == pytest.approx([0, 0, sheet.width, height], abs=1e-3)
    media = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", picture(figure, sheet, "pdf"))
    assert media is not None
    assert [float(end) for end in media.groups()] == pytest.approx([sheet.width, height], abs=1e-3)
    assert Image.open(io.BytesIO(picture(figure, sheet, "png", dots=72))).width == pytest.approx(sheet.width, abs=1)


@pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow), 33])
@pytest.mark.parametrize("kind", charts(3))
def test_every_name_is_whole_in_the_text_of_the_picture(kind: str, n: int) -> None:
    sheet = Sheet(width=WIDTHS["two columns"])
    text = "".join("".join(texts_of(picture(figure_on(sheet, charts(n)[kind]), sheet, "svg"))).split())
    shown = names_of(n)[: MOST_CURVES if kind == "curves" else n]
    assert all("".join(name.split()) in text for name in shown)


@pytest.mark.parametrize(
    "sheet", [Sheet(), pytest.param(Sheet(width=WIDTHS["slide"], font=16.0), marks=pytest.mark.slow)], ids=str
)
@pytest.mark.parametrize("n", [1, pytest.param(3, marks=pytest.mark.slow), 33])
@pytest.mark.parametrize("kind", charts(3))
def test_nothing_is_cut_and_no_space_is_dead(kind: str, n: int, sheet: Sheet) -> None:
    white = edges(picture(figure_on(sheet, charts(n)[kind]), sheet, "png", dots=144))
    points = [pixels / 2 for pixels in white]
    assert min(points) >= 0.5, points
    assert max(points) <= 2 * sheet.font, points


def test_a_text_says_how_long_it_is_so_that_no_other_font_makes_it_longer() -> None:
    sheet = Sheet()
    svg = ElementTree.fromstring(picture(figure_on(sheet, charts(3)["values"]), sheet, "svg"))
    for text in svg.iter(f"{SVG}text"):
        assert 0 < float(str(text.get("textLength"))) < sheet.width
        assert text.get("lengthAdjust") == "spacingAndGlyphs"


def test_fonts_are_part_of_a_pdf() -> None:
    sheet = Sheet()
    pdf = picture(figure_on(sheet, charts(3)["values"]), sheet, "pdf")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


@pytest.mark.parametrize("kind", charts(3))
def test_grey_is_grey(kind: str) -> None:
    sheet = Sheet(ink="grey")
    png = picture(figure_on(sheet, charts(3)[kind]), sheet, "png", dots=100)
    colours = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    assert np.ptp(colours, axis=2).max() <= 2


def test_lines_of_one_shade_differ_in_their_dashes_on_a_grey_sheet() -> None:
    sheet = Sheet(ink="grey")
    svg = picture(figure_on(sheet, charts(3)["curves"]), sheet, "svg").decode()
    assert len(set(re.findall(r"stroke-dasharray: ([\d., ]+)", svg))) >= 2
    coloured = picture(figure_on(Sheet(), charts(3)["curves"]), Sheet(), "svg").decode()
    assert "stroke-dasharray" not in coloured


def test_the_same_figure_is_the_same_file_whatever_the_settings_of_matplotlib() -> None:
    import matplotlib as mpl

    sheet = Sheet()
    figure = figure_on(sheet, charts(2)["ranges"])
    for kind in ("svg", "pdf", "png"):
        first = picture(figure, sheet, kind)
        with mpl.rc_context({"font.size": 30, "axes.grid": True, "savefig.bbox": "tight", "text.usetex": True}):
            assert picture(figure, sheet, kind) == first


def test_names_are_short_again_after_a_figure() -> None:
    with whole_names():
        assert label("x" * 40) == "x" * 40
    assert "…" in label("x" * 40)


def test_a_trace_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no way to print a trace of the kind 'violin'"):
        picture(go.Figure(go.Violin(y=[1, 2]), layout={"height": 200, "margin": {"t": 0, "b": 0}}), Sheet(), "svg")


@pytest.mark.parametrize("size", [6.0, 8.0, 16.0])
def test_lines_are_no_wider_than_their_room_and_lose_no_sign(size: float) -> None:
    for name in (*NASTY, "x" * 200, "", "日本語の特徴の名前", "a b"):
        for room in (20.0, 60.0, 300.0):
            lines = wrapped(name, room, size)
            assert "".join("".join(lines).split()) == "".join(name.split())
            assert all(width_of(line, size) <= room or len(line) == 1 for line in lines)


@pytest.mark.parametrize(
    ("text", "lines", "colour"),
    [
        ("&lt;b&gt;bold&lt;/b&gt;", ("<b>bold</b>",), None),
        ('<span style="color:#123456">a</span>', ("a",), "#123456"),
        ('<span style="color:#123456">✂</span> 1–3', ("✂ 1–3",), None),
        ("one<br>two", ("one", "two"), None),
        (None, ("",), None),
    ],
)
def test_markup_of_charts_is_read(text: str | None, lines: tuple[str, ...], colour: str | None) -> None:
    found = read_markup(text)
    assert (found.lines, found.colour) == (lines, colour)


def test_looks_for_print_are_light() -> None:
    assert Sheet().look is LIGHT
    assert Sheet(ink="grey").look is GREY


# --- every chart that is offered --------------------------------------------------------------------------------------

PAGES: tuple[tuple[str, dict[str, str | list[str]]], ...] = (
    ("ranking", {}),
    ("pairs", {}),
    ("cutoffs", {}),
    ("queries", {}),
    ("ties", {"ties_part": "how tied"}),
    ("ties", {"ties_part": "orders in use"}),
    ("ties", {"ties_part": "precision"}),
    ("ties", {"ties_part": "repairs"}),
)


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Draw]:
    """Collect the charts that pages offer."""
    found: dict[str, Draw] = {}
    monkeypatch.setattr(offers, "offer", lambda *_, figures=None, **__: found.update(figures or {}))
    return found


@pytest.mark.parametrize(
    "sheet", [Sheet(), pytest.param(Sheet(ink="grey", names="short"), marks=pytest.mark.slow)], ids=["colour", "grey"]
)
@pytest.mark.parametrize(
    ("page", "query"), PAGES, ids=[f"{page} {query.get('ties_part', '')}" for page, query in PAGES]
)
def test_every_chart_of_a_page_can_be_printed(
    open_app: OpenApp,
    offered: dict[str, Draw],
    page: str,
    query: dict[str, Any],
    sheet: Sheet,
    tiny_files: dict[str, str],
) -> None:
    open_app(page, query=query)
    assert offered
    for name, draw in offered.items():
        figure = figure_on(sheet, draw)
        assert min(edges(picture(figure, sheet, "png", dots=144))) >= 1, name

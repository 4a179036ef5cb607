"""A person takes away whatever a page offers, and opens it elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from playwright.sync_api import Locator

import tiecore
from tests.browser.board import Board
from tests.browser.server import ROOT
from tiecore_dashboard.files.sources import SAMPLE_ORDER

SAMPLE = ROOT / "sample_data"
TIE_BREAKS = ["docid-desc", "docid-asc", "input"]

OFFERED = {
    "pairs": ("Pairs", None),
    "cutoffs": ("Cut-offs", None),
    "queries": ("Queries", None),
    "ties": ("Ties", "how tied"),
    "bias": ("Ties", "orders in use"),
    "precision": ("Ties", "precision"),
    "repairs": ("Ties", "repairs"),
}
"""Name under which a page, or a part of it, offers what it shows; the page and the part."""
OFTEN = ("pairs", "bias")
"""Those that are tried with each change; what the others offer is drawn in tests/dashboard/test_paper.py too."""


class Links(HTMLParser):
    """What the tags of a page point to; texts of scripts are no tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("src", "href")]


def open_table(file: Path) -> None:
    assert len(pd.read_csv(file, encoding="utf-8-sig"))


def open_page(file: Path) -> None:
    page = file.read_text()
    assert "Plotly.newPlot(" in page
    assert Links(page).found == []


def open_svg(file: Path) -> None:
    assert ElementTree.parse(file).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def open_png(file: Path) -> None:
    assert file.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def open_pdf(file: Path) -> None:
    assert file.read_bytes().startswith(b"%PDF-")


def open_latex(file: Path) -> None:
    assert "\\label{tab:" in file.read_text()


OPENERS = {
    ".csv": open_table,
    ".tex": open_latex,
    ".html": open_page,
    ".svg": open_svg,
    ".pdf": open_pdf,
    ".png": open_png,
}


def unfolded(board: Board, name: str) -> Locator:
    """Return the box of what a page offers, unfolded."""
    box = board.key(f"{name}_exports")
    box.wait_for()
    if not box.locator("details[open]").count():
        board.act(box.get_by_text("Export: tables, charts, code").click)
    return box


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in OFFERED]
)
def test_tables_and_every_chart_can_be_taken_away_and_opened(walker: Board, tmp_path: Path, name: str) -> None:
    board = walker
    title, part = OFFERED[name]
    board.visit(title)
    choice = board.page.get_by_role("radio", name=part, exact=True)
    if part and not choice.is_checked():
        board.act(choice.click)
    box = unfolded(board, name)
    taken: list[Path] = []

    def take(label: str) -> Path:
        with board.page.expect_download() as download:
            box.get_by_role("button", name=label, exact=True).click()
        taken.append(tmp_path / download.value.suggested_filename)
        download.value.save_as(taken[-1])
        return taken[-1]

    offered = box.get_by_role("button").filter(has_text=re.compile(r"\((CSV|LaTeX)\)$"))
    for text in offered.all_inner_texts():
        take(text.splitlines()[-1])
    for kind in ("PDF", "SVG", "PNG", "Live page (HTML)"):
        take(kind)
    assert len(set(taken)) == len(taken), "no two have the same name"
    for file in taken:
        OPENERS[file.suffix](file)
    kinds = Counter(file.suffix for file in taken)
    assert kinds == {
        ".csv": kinds[".csv"],
        ".tex": kinds[".csv"],
        **dict.fromkeys((".html", ".svg", ".pdf", ".png"), 1),
    }
    assert kinds[".csv"] > 0


# The boxes of texts and of the picture in CSS pixels, once as the file says and once with a font that is much wider.
_BEYOND = """wide => {
    const svg = document.querySelector("svg");
    const texts = [...svg.querySelectorAll("text")];
    if (wide) for (const text of texts) text.style.fontFamily = "monospace";
    const edge = svg.getBoundingClientRect();
    return texts.map(text => [text.textContent, text.getBoundingClientRect()])
        .filter(([, box]) => box.left < edge.left - 0.5 || box.right > edge.right + 0.5
            || box.top < edge.top - 0.5 || box.bottom > edge.bottom + 0.5)
        .map(([content]) => content);
}"""


def test_a_figure_for_a_paper_has_the_width_of_a_column_and_no_text_beyond_its_edge(
    walker: Board, tmp_path: Path
) -> None:
    board = walker
    board.visit("Ranking")
    box = unfolded(board, "ranking")
    for place, width in (("one column", 240), ("two columns", 504), ("slide", 720)):
        if place != "one column":
            board.act(box.get_by_role("radio", name=place, exact=True).click)
        with board.page.expect_download() as download:
            box.get_by_role("button", name="SVG", exact=True).click()
        path = tmp_path / f"{width}.svg"
        download.value.save_as(path)
        assert ElementTree.parse(path).getroot().get("width") == f"{width}pt"
        page = board.page.context.new_page()
        page.goto(path.as_uri())
        names = page.locator("text").all_text_contents()
        assert {"bm25", "query_url_clicks", "nDCG@10"} <= set(names)
        for wide in (False, True):
            assert page.evaluate(_BEYOND, wide) == []
        page.close()


def test_everything_can_be_taken_away(walker: Board, tmp_path: Path) -> None:
    board = walker
    board.visit("Ranking")
    box = unfolded(board, "ranking")

    def get(label: str) -> Path:
        button = box.get_by_role("button", name=label, exact=True)
        with board.page.expect_download() as download:
            button.click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path

    own = tiecore.evaluate(
        str(SAMPLE / "qrels.txt"), [str(SAMPLE / name) for name in SAMPLE_ORDER[1:]], ["nDCG@10"], TIE_BREAKS
    ).leaderboard("nDCG@10")
    table = pd.read_csv(get("Leaderboard (CSV)"), index_col="feature", encoding="utf-8-sig")
    pd.testing.assert_frame_equal(table[own.columns.tolist()], own, check_dtype=False, rtol=0, atol=1e-12)
    assert r"\begin{tabular}" in get("Leaderboard (LaTeX)").read_text()
    for label in ("Live page (HTML)", "Report (HTML)"):
        page = board.page.context.new_page()
        alone = Board(page, "file:")
        page.goto(get(label).as_uri())
        page.locator(".js-plotly-plot .point").first.wait_for()
        assert (alone.outside, alone.complaints) == ([], [])
        page.close()


def test_a_table_is_one_click_away(walker: Board) -> None:
    board = walker
    board.visit("Ranking")
    with board.page.expect_download() as download:
        board.page.get_by_role("button", name="CSV", exact=True).click()
    assert Path(download.value.path()).read_text("utf-8-sig").startswith("feature,place,expected")

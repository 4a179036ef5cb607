"""A person takes away whatever a page offers, and opens it elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from tests.browser.board import Board

PAGES = {
    "pairs": "pairs",
    "cutoffs": "cutoffs",
    "queries": "queries",
    "ties?ties_part=anatomy": "ties",
    "ties?ties_part=cut-off": "cuts",
    "ties?ties_part=tie-breaks": "bias",
    "ties?ties_part=precision": "precision",
    "ties?ties_part=tie-breakers": "tie-breakers",
}
"""Path of a page or of a part of it, and the name under which it offers what it shows."""


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


@pytest.mark.parametrize(("path", "name"), PAGES.items(), ids=PAGES.values())
def test_tables_and_every_chart_can_be_taken_away_and_opened(
    board: Board, tmp_path: Path, path: str, name: str
) -> None:
    board.open(path)
    box = board.key(f"{name}_exports")
    board.act(box.get_by_text("Export: tables, charts, code").click)
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
    board: Board, tmp_path: Path
) -> None:
    board.open()
    box = board.key("ranking_exports")
    board.act(box.get_by_text("Export: tables, charts, code").click)
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

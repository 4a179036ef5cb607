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
PICTURES = ("(svg)", "(png)")


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


def open_latex(file: Path) -> None:
    assert "\\label{tab:" in file.read_text()


OPENERS = {".csv": open_table, ".tex": open_latex, ".html": open_page, ".svg": open_svg, ".png": open_png}


@pytest.mark.parametrize(("path", "name"), PAGES.items(), ids=PAGES.values())
def test_tables_and_every_chart_can_be_taken_away_and_opened(
    board: Board, tmp_path: Path, path: str, name: str
) -> None:
    board.open(path)
    box = board.key(f"{name}_exports")
    board.act(box.get_by_text("Export: tables, charts, code").click)
    taken: list[Path] = []

    def take(kind: str) -> None:
        offered = box.get_by_role("button").filter(has_text=re.compile(rf"\({kind}\)$"))
        for text in offered.all_inner_texts():
            label = text.splitlines()[-1]
            button = box.get_by_role("button", name=label, exact=True)
            with board.page.expect_download() as download:
                if label.endswith(PICTURES):  # draws this part of the page anew, and no file may be asked for meanwhile
                    board.act(button.click)
                else:
                    button.click()
            taken.append(tmp_path / download.value.suggested_filename)
            download.value.save_as(taken[-1])

    take(r"\w+")
    board.choose_pictures("png")
    take("png")
    assert len(set(taken)) == len(taken), "no two have the same name"
    for file in taken:
        OPENERS[file.suffix](file)
    kinds = Counter(file.suffix for file in taken)
    charts = board.page.locator(".js-plotly-plot").count()
    assert kinds == {".csv": kinds[".csv"], ".tex": kinds[".csv"], ".html": charts, ".svg": charts, ".png": charts}
    assert kinds[".csv"] > 0
    assert charts > 0

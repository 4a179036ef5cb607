"""A person takes away whatever a page offers, and opens it elsewhere."""

import re
from collections import Counter
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from playwright.sync_api import Locator

import tiecore
from tests.browser.board import Board
from tests.pages import SAMPLE
from tiecore.plot import WIDTHS, Width
from tiecore_dashboard.files.sources import SAMPLE_ORDER

OFFERED = {
    "ranking": ("Ranking", None),
    "pairs": ("Pairs", None),
    "cutoffs": ("Cut-offs", None),
    "queries": ("Queries", None),
    "ties": ("Ties", "how tied"),
    "bias": ("Ties", "orders in use"),
    "precision": ("Ties", "precision"),
    "repairs": ("Ties", "repairs"),
}
"""Name under which a page, or a part of it, offers what it shows; the page and the part."""
OFTEN = ("ranking", "pairs")
"""Those that are tried with each change."""
FIGURES = ("ranking", "pairs", "cutoffs", "queries")
"""Those with a figure for print."""
PAPERS = {"ranking": 3, "pairs": 1}
"""How many of the tables have a form in a paper."""

KINDS = ("PDF", "SVG", "PNG")
BEGIN = {".tex": b"\\label{tab:", ".svg": b"<svg ", ".pdf": b"%PDF-", ".png": b"\x89PNG\r\n\x1a\n"}
"""What a file of a kind holds."""


def unfolded(board: Board, name: str) -> Locator:
    box = board.key(f"{name}_exports")
    box.wait_for()
    if not box.locator("details[open]").count():
        board.act(box.get_by_text("Export: tables").click)
    return box


def taken(board: Board, box: Locator, label: str, folder: Path) -> Path:
    with board.page.expect_download() as download:
        box.get_by_role("button", name=label, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in OFTEN else pytest.mark.slow) for name in OFFERED]
)
def test_tables_and_every_chart_can_be_taken_away_and_opened(walker: Board, tmp_path: Path, name: str) -> None:
    title, part = OFFERED[name]
    walker.visit(title)
    choice = walker.page.get_by_role("radio", name=part, exact=True)
    if part and not choice.is_checked():
        walker.act(choice.click)
    box = unfolded(walker, name)
    offered = box.get_by_role("button").filter(has_text=re.compile(r"\((CSV|LaTeX)\)$"))
    labels = [text.splitlines()[-1] for text in offered.all_inner_texts()]
    files = [taken(walker, box, label, tmp_path) for label in [*labels, *(KINDS if name in FIGURES else ())]]
    assert len(set(files)) == len(files), "no two have the same name"
    for file in files:
        if file.suffix == ".csv":
            assert len(pd.read_csv(file, encoding="utf-8-sig"))
        else:
            assert BEGIN[file.suffix] in file.read_bytes()
    kinds = Counter(file.suffix for file in files)
    assert kinds[".csv"] > 0
    assert kinds[".tex"] == PAPERS.get(name, 0)
    assert [kinds[f".{kind.lower()}"] for kind in KINDS] == [int(name in FIGURES)] * 3


# The boxes of texts and of the picture in CSS pixels.
_BEYOND = """() => {
    const svg = document.querySelector("svg"), edge = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()])
        .filter(([, box]) => box.left < edge.left - 2 || box.right > edge.right + 2
            || box.top < edge.top - 2 || box.bottom > edge.bottom + 2)
        .map(([content]) => content);
}"""


@pytest.mark.parametrize(
    "place", [pytest.param(place, marks=() if place == "column" else pytest.mark.slow) for place in WIDTHS]
)
def test_a_figure_has_the_width_that_was_chosen_the_texts_that_were_typed_and_none_beyond_its_edge(
    walker: Board, tmp_path: Path, place: Width
) -> None:
    walker.visit("Ranking")
    box = unfolded(walker, "ranking")
    choice = box.get_by_role("radio", name=place, exact=True)
    if not choice.is_checked():
        walker.act(choice.click)
    title = box.get_by_label("Subheading" if place == "slide" else "Title")
    title.fill(f"As wide as a {place}")
    walker.act(partial(title.press, "Control+Enter"))
    walker.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    box.get_by_role("button", name="Copy image").click()
    box.get_by_role("button", name="Image copied").wait_for()
    copied = "navigator.clipboard.read().then(([one]) => one.getType('image/png')).then(createImageBitmap)"
    assert walker.page.evaluate(f"{copied}.then(image => image.width)") == pytest.approx(300 * WIDTHS[place], abs=1)
    path = taken(walker, box, "SVG", tmp_path)
    width = ElementTree.parse(path).getroot().get("width", "").removesuffix("pt")
    assert float(width) == pytest.approx(72 * WIDTHS[place])
    page = walker.page.context.new_page()
    page.goto(path.as_uri())
    shown = " ".join(page.locator("text").all_text_contents())
    assert all(text in shown for text in ("bm25", "query_url_clicks", "nDCG@10", f"As wide as a {place}"))
    assert page.evaluate(_BEYOND) == []
    page.close()


def test_a_figure_is_never_that_of_the_width_before_and_a_report_stands_alone(walker: Board, tmp_path: Path) -> None:
    walker.visit("Ranking")
    box = unfolded(walker, "ranking")
    own = tiecore.evaluate(SAMPLE / "qrels.txt", [SAMPLE / name for name in SAMPLE_ORDER[1:]], ["nDCG@10"])
    table = pd.read_csv(taken(walker, box, "Leaderboard (CSV)", tmp_path), encoding="utf-8-sig")
    assert table["nDCG@10"].tolist() == pytest.approx(own.leaderboard("nDCG@10")["expected"].tolist(), rel=1e-11)
    box.get_by_role("radio", name="slide", exact=True).click()
    figure = taken(walker, box, "PDF", tmp_path)  # at once: never the one of the width before
    assert b"MediaBox [ 0 0 720 " in figure.read_bytes()
    page = walker.page.context.new_page()
    alone = Board(page, "file:")
    page.goto(taken(walker, box, "Report (HTML)", tmp_path).as_uri())
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth)")
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate("""[...document.querySelectorAll("table[aria-label], .scroll table")].every(
        table => table.offsetWidth <= table.parentElement.clientWidth)"""), "no table is cut off"
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390, "a wide table moves by itself"
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1032})
    bottom = page.evaluate("""() => {
        const board = document.querySelector(".leaderboard"), rows = board.querySelector("tbody");
        for (board.classList.add("middle"); rows.rows.length < 36;) rows.append(rows.lastElementChild.cloneNode(true));
        return board.getBoundingClientRect().bottom }""")
    assert bottom < 1032, "so many features have room on one page of A4"
    n_lines = page.evaluate("""() => {
        document.querySelector("td[data-of=Coverage]").textContent = "45 documents have no judgment; ".repeat(4);
        const file = document.querySelector("td[data-of=File]"), range = document.createRange();
        return range.selectNodeContents(file), range.getClientRects().length }""")
    assert n_lines == 1, "no name breaks where others have room"
    assert (alone.outside, alone.complaints) == ([], [])
    page.close()

"""No page breaks a rule of axe-core that matters, in either theme.

axe-core is a library for browsers and no part of this project: AXE names its file ``axe.min.js``, or it is found where
``npm install axe-core`` or ``tools/setup.sh browser`` has put it.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.board import Board
from tests.browser.server import ROOT
from tiecore_dashboard.pages.all_pages import PAGES

FILE = "node_modules/axe-core/axe.min.js"
PLACES = (os.environ.get("AXE", ""), ROOT / FILE, ROOT / ".venv" / FILE)
SERIOUS = ("serious", "critical")
RUN = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map(
    ({ id, impact, nodes }) => ({ id, impact, where: nodes.map((node) => node.target.join(" ")) }))"""
KNOWN: dict[str, str] = {}
"""Rules that Streamlit itself breaks, where nothing can be done here; and why."""


@pytest.fixture(scope="session")
def axe() -> str:
    found = next((Path(place) for place in PLACES if place and Path(place).is_file()), None)
    if found is None:
        pytest.skip("axe-core is not here: npm install axe-core, or name its file in AXE")
    return found.read_text(encoding="utf-8")


def broken(board: Board, axe: str) -> list[dict[str, Any]]:
    board.page.evaluate(axe)
    found: list[dict[str, Any]] = board.page.evaluate(RUN)
    return [one for one in found if one["impact"] in SERIOUS and one["id"] not in KNOWN]


ADDRESSES = [
    *("" if page == "ranking" else page for page in PAGES),
    "?ranking_columns=numbers",
    *(f"ties?ties_part={part}" for part in ("orders+in+use", "precision", "repairs")),
]


@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["light", "dark"])
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.slow if path else ()) for path in ADDRESSES],
    ids=lambda path: path or "ranking",
)
def test_no_rule_that_matters_is_broken(new_board: Callable[..., Board], axe: str, path: str, *, dark: bool) -> None:
    board = new_board(dark=dark).open(path)
    assert broken(board, axe) == []


@pytest.mark.slow
def test_nor_on_a_phone_nor_behind_what_is_folded(new_board: Callable[..., Board], axe: str) -> None:
    board = new_board().open()
    board.page.get_by_role("button", name="Advanced").click()
    assert broken(board, axe) == []
    board.page.keyboard.press("Escape")
    board.page.get_by_text("Export: tables, report, figures, code").click()
    board.page.get_by_role("img", name="as it will be printed").first.wait_for()
    board.page.get_by_role("button", name="Filter").click()
    assert broken(board, axe) == []
    assert broken(new_board(width=390, height=844).open(), axe) == []

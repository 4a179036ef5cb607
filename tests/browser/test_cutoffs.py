"""A person asks whether the order of the features hangs on the cut-off."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.board import Board
from tests.browser.test_pairs import click_at


def test_a_click_on_a_curve_highlights_the_feature_everywhere(board: Board) -> None:
    board.open("cutoffs?cutoffs_features=bm25&cutoffs_features=dwell")
    board.key("cutoffs_places").locator(".nsewdrag").first.wait_for()
    assert "query_url_clicks leads up to k\u00a0=\u00a02" in board.page.locator(".answer").inner_text()
    click_at(board, "cutoffs_places", 0.97, 0.08)  # the first place at the last cut-off
    board.visit("Ranking")
    assert "bm25" in board.key("highlight_choice").inner_text()
    assert "dwell" not in board.key("highlight_choice").inner_text()


def test_choices_travel_in_the_url_and_fit_a_phone(new_board: Callable[..., Board]) -> None:
    board = new_board(width=390, height=844).open("cutoffs?measure=ESL&cutoffs_features=dwell")
    board.key("cutoffs_curves").locator(".nsewdrag").first.wait_for()
    board.page.get_by_role("button", name="Display").click()
    board.act(lambda: board.page.get_by_role("button", name="over queries").click())
    assert "cutoffs_bands=of+ties" in board.page.url
    assert "cutoffs_features=dwell" in board.page.url
    assert "ESL takes no cut-off; shown instead: RR" in board.text()
    assert board.page.evaluate("document.scrollingElement.scrollWidth") <= 390

"""A person looks for differences that are real, and at one that is not."""

from __future__ import annotations

import re

import pytest

from tests.browser.board import Board


def click_at(board: Board, chart: str, x: float, y: float) -> None:
    """Click into a chart, at parts of its plotting area from the left and from the top."""
    area = board.key(chart).locator(".nsewdrag").first
    area.wait_for()
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box is not None
    at = box["x"] + x * box["width"], box["y"] + y * box["height"]
    board.page.mouse.move(at[0] - 2, at[1] - 2)
    board.page.mouse.move(*at)
    board.key(chart).locator(".hoverlayer .hovertext").first.wait_for()
    board.act(lambda: board.page.mouse.click(*at))


def test_a_click_on_a_cell_leads_to_the_pair_and_on_to_a_query(board: Board) -> None:
    board.open("pairs")
    board.key("pairs_map").locator(".nsewdrag").first.wait_for()
    click_at(board, "pairs_map", 0.65, 0.55)  # the sixth row, the seventh column
    board.page.wait_for_url(re.compile("pairs_one=outdegree&pairs_other=url_slashes"))
    assert (
        "Which of outdegree and url_slashes is better is open over 50 queries"
        in board.page.locator(".answer").nth(1).inner_text()
    )
    shared = board.page.url
    click_at(board, "pairs_queries", 0.05, 0.5)
    link = board.page.get_by_role("link", name="Its ranking by outdegree")
    query = re.search(r"Query (\S+): outdegree", board.text())
    assert query is not None
    board.act(link.click)
    assert query[1] in board.page.url
    assert "outdegree" in board.text()
    board.act(lambda: board.page.goto(shared))
    assert "outdegree is ahead" in board.page.locator(".answer").nth(1).inner_text()


@pytest.mark.slow
def test_a_click_on_the_map_of_what_ranks_alike_tells_the_pair(board: Board) -> None:
    board.open("pairs?pairs_look_at=rank+alike")
    assert "dwell and url_clicks rank most alike" in board.page.locator(".answer").first.inner_text()
    click_at(board, "pairs_alike_map", 0.55, 0.05)  # the first row, the sixth column
    board.page.wait_for_url(re.compile("pairs_one=bm25&pairs_other=outdegree"))
    assert "bm25 and outdegree: τ-b" in board.page.locator(".answer").nth(1).inner_text()

"""What a visitor meets before the content: few stops of the keyboard, little height, and all pages on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.board import Board
from tiecore_dashboard.pages import PAGES

MOST_STOPS = 8
HIGHEST = 275
"""Pixels above the first chart or table of the page Ranking, in a window of 1280."""
PHONE, NARROW = 390, 900
IS_CONTENT = "document.activeElement.closest('[data-testid=stMain]') !== null"


@pytest.mark.parametrize("page", [page.file for page in PAGES])
def test_the_keyboard_reaches_the_content_after_few_stops(board: Board, page: str) -> None:
    board.open("" if page == "ranking" else page)
    stops = 0
    board.page.keyboard.press("Tab")
    while not board.page.evaluate(IS_CONTENT):
        stops += 1
        assert stops <= MOST_STOPS
        board.page.keyboard.press("Tab")


def test_arrow_keys_go_from_page_to_page(board: Board) -> None:
    board.open()
    links = board.page.get_by_test_id("stTopNavLink")
    links.first.focus()
    for key, there in (("ArrowRight", 1), ("End", len(PAGES) - 1), ("ArrowRight", 0), ("ArrowLeft", len(PAGES) - 1)):
        board.page.keyboard.press(key)
        expect(links.nth(there)).to_be_focused()
    board.page.keyboard.press("Home")
    board.page.keyboard.press("ArrowRight")
    board.act(lambda: board.page.keyboard.press("Enter"))
    board.page.get_by_role("heading", name="Pairs", exact=True).wait_for()


def test_the_first_picture_begins_high_up(board: Board) -> None:
    board.open()
    box = board.page.locator(".leaderboard").bounding_box()
    assert box is not None
    assert box["y"] <= HIGHEST


def test_every_page_is_one_touch_away_on_a_phone(new_board: Callable[..., Board]) -> None:
    board = new_board(width=PHONE, height=844).open()
    links = board.key("phone_pages").get_by_role("link")
    expect(links).to_have_count(len(PAGES))
    for link in links.all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE
        assert box["height"] >= 44
    board.act(links.filter(has_text="Ties").click)
    board.page.get_by_role("heading", name="Ties", exact=True).wait_for()
    assert board.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= PHONE


def test_no_page_hides_beside_the_settings_on_a_small_screen(new_board: Callable[..., Board]) -> None:
    board = new_board(width=NARROW).open()
    links = board.page.get_by_test_id("stTopNav").get_by_role("link")
    expect(links).to_contain_text([page.title for page in PAGES])


def test_a_wide_screen_shows_no_second_navigation(board: Board) -> None:
    board.open()
    assert not board.key("phone_pages").is_visible()

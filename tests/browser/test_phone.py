"""What a visitor meets on a phone."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.board import Board
from tiecore_dashboard.pages import PAGES

PHONE = 390


def test_every_page_is_one_touch_away_on_a_phone_and_nothing_is_wider(new_board: Callable[..., Board]) -> None:
    board = new_board(width=PHONE, height=844, dark=True).open()
    expect(board.page.locator(".courses .same").first).to_be_visible()  # no row of the table stands beside it
    assert board.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= PHONE
    row = board.page.locator(".leaderboard tbody tr").first
    for shown in ("name", "place", "value", "verdict"):
        box = row.locator(f".{shown}").bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= PHONE
    # what is not shown is not explained either
    expect(row.locator(".letters")).to_be_hidden()
    notes = board.page.locator(".notes")
    expect(notes).to_contain_text("undecided:")
    assert "share a letter" not in notes.inner_text()
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
    board.act(links.filter(has_text="Data").click)
    board.page.get_by_role("heading", name="Data", exact=True).wait_for()
    assert board.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= PHONE


def test_no_page_hides_beside_the_settings_on_a_small_screen(new_board: Callable[..., Board]) -> None:
    links = new_board(width=900).open().page.get_by_test_id("stTopNav").get_by_role("link")
    expect(links).to_contain_text([page.title for page in PAGES])

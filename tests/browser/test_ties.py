"""A person asks what the ties are like, and what can be done about them."""

from __future__ import annotations

import re

from tests.browser.board import Board


def test_each_part_is_one_click_away_and_a_feature_is_followed_through_them(board: Board) -> None:
    board.open("ties")
    assert (
        "file order correlates with relevance and makes results look better: do not rank with this tie-break"
        in board.page.locator(".answer").inner_text()
    )
    bars = board.key("ties_shares").locator(".bars .point path")
    board.click_on(bars.nth(14))
    feature = "url_clicks"
    assert feature in board.key("highlight_choice").inner_text().split()
    for part, key in (("orders in use", "ties_bias"), ("repairs", "ties_advice")):
        board.act(lambda part=part: board.page.get_by_role("radio", name=part, exact=True).click())  # type: ignore[misc]
        board.key(key).locator(".js-plotly-plot .main-svg").first.wait_for()
        assert f"ties_part={part.replace(' ', '+')}" in board.page.url
        assert not re.search(r"\bnan\b|undefined|\[object", board.text(), re.IGNORECASE)
    assert board.key("ties_feature").locator("input").input_value() == feature
    board.page.set_viewport_size({"width": 390, "height": 844})
    board.page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollWidth <= 390")

"""Text can be read on every page, in light and in dark: a contrast of 4.5 to 1 at least."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.board import Board
from tiecore_dashboard.pages import PAGES

FAINT = """() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = colour.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (upper, lower) => {
    const share = upper.length > 3 ? upper[3] : 1;
    return [0, 1, 2].map((i) => upper[i] * share + lower[i] * (1 - share));
  };
  const ancestors = (element) => (element ? [element, ...ancestors(element.parentElement)] : []);
  const ground = (element) => {
    const layers = [];
    for (const one of ancestors(element)) {
      const colour = channels(getComputedStyle(one).backgroundColor);
      if (colour.length > 3 && colour[3] === 0) continue;
      layers.push(colour);
      if (colour.length === 3) break;
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    // glyphs in charts and icons are no text, what is switched off may be faint, and code has colours of its own
    const exempt = "svg, script, style, i, pre, [data-testid=stIconMaterial], :disabled";
    if (!text || !element.offsetParent || element.closest(exempt)) continue;
    const below = ground(element);
    const [r, g, b, alpha = 1] = channels(getComputedStyle(element).color);
    const opacity = ancestors(element).reduce((product, one) => product * getComputedStyle(one).opacity, alpha);
    const both = [luminance(over([r, g, b, opacity], below)), luminance(below)].sort((one, other) => one - other);
    const contrast = (both[1] + 0.05) / (both[0] + 0.05);
    if (contrast < 4.5) found.push(`${text.slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return found;
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", [page.file for page in PAGES])
def test_no_text_is_fainter_than_it_may_be(new_board: Callable[..., Board], page: str, *, dark: bool) -> None:
    board = new_board(dark=dark).open("" if page == "ranking" else page)
    assert board.page.evaluate(FAINT) == []


def test_the_first_stop_of_the_keyboard_leads_past_navigation_and_settings(board: Board) -> None:
    board.open()
    board.page.keyboard.press("Tab")
    assert board.page.evaluate("document.activeElement.textContent") == "Skip to main content"

"""What holds for every page, and what a visitor meets before the content of the first one."""

from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.board import Board, box_of
from tiecore_dashboard.pages.all_pages import PAGES

HIGHEST = 310
"""Pixels above the first chart or table of the page Ranking, in a window of 1280."""
# Where the next press of Tab begins, as after loading.
TO_THE_TOP = "() => { document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); }"
TOLD = "button => getComputedStyle(button, '::before').content"
# Text with a contrast of less than 4.5 to 1, or smaller than 12 pixels.
FAINT_OR_SMALL = """() => {
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
    if (!text || element.closest("script, style")) continue;
    const size = parseFloat(getComputedStyle(element).fontSize);
    // code and formulas have sizes of their own
    if (size < 12 && element.getClientRects().length && !element.closest("code, .katex")) {
      found.push(`${text.slice(0, 40)}: ${size} pixels`);
    }
    // glyphs in charts and icons are no text, what is switched off may be faint, and code has colours of its own
    const exempt = "svg, i, pre, .st-key-behind_the_scenes *, [data-testid=stIconMaterial], :disabled";
    if (!element.offsetParent || element.closest(exempt)) continue;
    const below = ground(element);
    const [r, g, b, alpha = 1] = channels(getComputedStyle(element).color);
    const opacity = ancestors(element).reduce((product, one) => product * getComputedStyle(one).opacity, alpha);
    const both = [luminance(over([r, g, b, opacity], below)), luminance(below)].sort((one, other) => one - other);
    const contrast = (both[1] + 0.05) / (both[0] + 0.05);
    if (contrast < 4.5) found.push(`${text.slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return found;
}"""


@pytest.mark.parametrize("theme", ["dark", pytest.param("light", marks=pytest.mark.slow)])
def test_no_text_is_fainter_or_smaller_than_it_may_be(walker: Board, theme: Literal["light", "dark"]) -> None:
    walker.page.emulate_media(color_scheme=theme)
    found: dict[str, list[str]] = {}
    for page, (title, _) in PAGES.items():
        walker.visit(title)
        found[page] = walker.page.evaluate(FAINT_OR_SMALL)
    walker.page.emulate_media(color_scheme="light")
    assert found == {page: [] for page in PAGES}


@pytest.fixture
def ranking(walker: Board) -> Board:
    """A visitor who has come to the page Ranking by its link."""
    walker.page.set_viewport_size({"width": 1280, "height": 900})
    walker.visit("Ranking")
    return walker


def test_the_first_stop_of_the_keyboard_leads_past_navigation_and_settings(ranking: Board) -> None:
    ranking.page.evaluate(TO_THE_TOP)
    ranking.page.keyboard.press("Tab")
    assert ranking.page.evaluate("document.activeElement.textContent") == "Skip to main content"


def test_the_first_picture_begins_high_up(ranking: Board) -> None:
    box = box_of(ranking.page.locator(".leaderboard"))
    assert box["y"] <= HIGHEST


def test_name_and_purpose_are_seen_before_any_script_and_go_with_the_page(ranking: Board, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in ("", "pairs"):
        page.goto(f"{ranking.address}/{path}")
        expect(page).to_have_title("tiecore")
        expect(page.locator(".shell p")).to_be_in_viewport()
    context.close()
    expect(ranking.page.locator(".shell")).to_have_count(0)


def test_tab_reaches_every_page(ranking: Board) -> None:
    links = ranking.page.get_by_test_id("stTopNavLink")
    links.first.focus()
    for place in range(len(PAGES)):
        expect(links.nth(place)).to_be_focused()
        ranking.page.keyboard.press("Tab")


def test_answer_and_picture_are_on_the_first_screen_and_keep_their_room_under_a_large_zoom(ranking: Board) -> None:
    ranking.page.set_viewport_size({"width": 1280, "height": 720})
    table = ranking.page.locator(".leaderboard table[aria-label]")
    last = table.locator("tbody tr").last
    shown, place = box_of(last), box_of(last.locator(".tie-break").last)
    assert shown["y"] + shown["height"] <= 720 + 16  # the margin below the last row
    assert place["x"] + place["width"] <= 1280
    ranking.page.set_viewport_size({"width": 1440, "height": 900})
    expect(ranking.page.locator(".notes").filter(has_text="Values are averages")).to_be_in_viewport(ratio=1)
    assert box_of(ranking.page.locator(".head h1"))["y"] > 48, "below the links to all pages"
    ranking.page.set_viewport_size({"width": 853, "height": 480})  # what a zoom of 150 % leaves of the same projector
    expect(ranking.page.locator(".leaderboard table.narrow")).to_be_visible()


def test_a_middling_screen_hides_no_page_behind_a_menu_and_no_column_of_the_table(ranking: Board) -> None:
    links = ranking.page.get_by_role("navigation", name="App pages").get_by_role("link")
    expect(ranking.key("phone_pages")).to_be_hidden()
    table = ranking.page.locator(".leaderboard")
    for width in (1280, 1200, 1024):
        ranking.page.set_viewport_size({"width": width, "height": 768})
        for place in range(len(PAGES)):
            expect(links.nth(place)).to_be_in_viewport(ratio=1)
        assert table.evaluate("table => table.scrollWidth - table.clientWidth") <= 0
        *of_values, behind = (box_of(bar)["width"] for bar in table.locator("tr").nth(2).locator(".bar:visible").all())
        assert min([*of_values, behind - 30]) > 110


def test_paper_shows_the_answer_and_nothing_to_click_on(ranking: Board) -> None:
    seen = (".answer", ".leaderboard table[aria-label] tbody tr")
    hidden = ("header", "section.stSidebar", ".st-key-copy_link", ".st-key-ranking_bar", ".st-key-ranking_exports")
    ranking.page.emulate_media(media="print")
    on_paper = [one for one in (*seen, *hidden) if ranking.page.locator(one).first.is_visible()]
    zoom = float(ranking.page.evaluate("getComputedStyle(document.body).zoom"))
    assert 1100 * zoom < 718, "charts of a screen of 1,400 pixels fit A4 between its margins"
    ranking.page.emulate_media(media="screen")
    assert tuple(on_paper) == seen


def test_no_page_puts_its_controls_on_paper_and_each_all_that_it_shows(walker: Board) -> None:
    controls = "button:not(.leaderboard *), input, [role=combobox], [role=radiogroup], [data-testid=stWidgetLabel]"
    for title, _ in PAGES.values():
        walker.visit(title)
        shown = walker.page.locator(".answer, .notes, .tiles, .stPlotlyChart, canvas, table").filter(visible=True)
        before = shown.count()
        walker.page.emulate_media(media="print")
        left = walker.page.locator(controls).filter(visible=True).count()
        after = shown.count()
        walker.page.emulate_media(media="screen")
        assert not left, title
        assert after in (before, shown.count()), title  # a chart may come between two looks


def test_what_a_word_means_is_told_to_the_keyboard_and_to_a_finger(ranking: Board) -> None:
    word, table = (ranking.page.locator(part).first for part in (".answer abbr", ".leaderboard"))
    assert word.evaluate(TOLD.replace("before", "after")) == "none"
    before = box_of(table)
    word.focus()
    assert word.evaluate(TOLD.replace("before", "after")) == f'"{word.get_attribute("title")}"'
    assert box_of(table) == before, "the meaning moves nothing"
    for key, stop in (("Tab", ".leaderboard thead button"), ("Tab", ".leaderboard .verdict")):
        button = ranking.page.locator(stop).first
        button.focus()
        ranking.page.keyboard.press(f"Shift+{key}")
        assert ranking.page.locator(stop).first.evaluate(TOLD) == "none"
        ranking.page.keyboard.press(key)
        expect(button).to_be_focused()
        assert button.evaluate(TOLD).startswith(f'"{button.get_attribute("title")}"')


def test_a_phone_shows_how_far_each_is_behind_on_a_line_and_what_columns_mean(ranking: Board, browser: Browser) -> None:
    context = browser.new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 844})
    context.new_page().goto(ranking.address)
    head = context.pages[0].locator(".leaderboard thead button", has_text="Tie risk")
    head.tap()
    expect(head).to_be_focused()
    assert head.evaluate(TOLD).startswith('"Chance that a random tie-break')
    row = context.pages[0].locator("tr[data-feature=dwell]").first
    row.locator(".name").tap()
    expect(row).to_have_class("marked")
    shown, bar = box_of(row), box_of(row.locator(".behind .bar"))
    assert bar["width"] > 280
    assert shown["x"] < bar["x"] < bar["x"] + bar["width"] < shown["x"] + shown["width"], "inside the row"
    assert sum(tick.is_visible() for tick in context.pages[0].locator("thead .behind .axis i").all()) > 1
    ground = "cell => getComputedStyle(cell).backgroundColor"
    assert row.locator(".behind").evaluate(ground) in ("rgba(0, 0, 0, 0)", "rgb(245, 247, 250)"), "no colour of bars"
    context.close()


def test_charts_follow_the_theme(ranking: Board) -> None:
    ranking.visit("Pairs")
    chart = ranking.key("pairs_map").locator(".main-svg").first
    chart.wait_for()
    assert "rgb(255, 255, 255)" in (chart.get_attribute("style") or "")
    ranking.page.get_by_test_id("stMainMenu").click()
    ranking.act(ranking.page.get_by_test_id("stMainMenuItem-theme-Dark").click)
    ranking.page.wait_for_function(
        "() => document.querySelector('.st-key-pairs_map .main-svg')?.style.background.includes('16, 21, 29')"
    )

"""What a visitor meets on a phone."""

from collections.abc import Callable, Sequence
from pathlib import Path

from playwright.sync_api import FloatRect, expect

from tests.browser.board import Board, box_of
from tiecore_dashboard.pages.all_pages import PAGES

PHONE = 390
SIX = ("docid-desc", "docid-asc", "input", "input-reversed", "random:7", "random:8")


def test_every_page_is_one_touch_away_on_a_phone_and_nothing_is_wider(new_board: Callable[..., Board]) -> None:
    board = new_board(width=PHONE, height=844, dark=True).open()
    assert box_of(board.page.locator(".leaderboard table.narrow tbody tr").first)["height"] < 30  # places
    assert board.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= PHONE
    row = board.page.locator(".leaderboard table[aria-label] tbody tr").nth(4)
    answer = box_of(row)
    assert answer["y"] + answer["height"] < 844 - 60, "five features are seen before anything is moved"
    for shown in ("name", "place", "value", "behind .range", "verdict", "risk"):
        box = box_of(row.locator(f".{shown}").first)
        assert box["x"] + box["width"] <= PHONE
    links = board.key("phone_pages").get_by_role("link")
    expect(links).to_have_count(len(PAGES))
    for link in links.all():
        box = box_of(link)
        assert 0 <= box["x"] <= PHONE - box["width"]
        assert box["height"] >= 44
        assert box["width"] >= link.locator("p").evaluate("text => text.scrollWidth"), "no name is cut off"
        assert link.locator("p").evaluate("text => parseFloat(getComputedStyle(text).fontSize)") >= 12
    for name in ("Pairs", "Queries", "Ties", "Cut-offs"):
        board.act(links.filter(has_text=name).click)
        board.page.get_by_role("heading", name=name, exact=True).wait_for()
        assert board.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= PHONE
        if name == "Pairs":
            cells = box_of(board.key("pairs_map").locator(".nsewdrag").first)
            assert cells["width"] / 10 > 31, "a finger hits them"
    area = box_of(board.key("cutoffs_curves").locator(".nsewdrag").first)
    assert area["width"] > 270, "names stand above the picture"
    tags = board.page.locator(".stMain [data-tag]")
    board.act(lambda: tags.first.get_by_role("button").click(position={"x": -4, "y": 14}))  # a finger is wider than it
    expect(tags).to_have_count(3)
    board.page.get_by_test_id("stExpandSidebarButton").click()
    expect(board.page.get_by_role("combobox", name="Measure")).to_be_in_viewport()
    expect(board.page.get_by_role("link", name="Judges")).to_have_count(1)
    board.act(board.page.reload)
    expect(board.page.get_by_role("combobox", name="Measure")).not_to_be_in_viewport()  # it would cover the page


def test_a_table_that_is_cut_off_says_so(new_board: Callable[..., Board]) -> None:
    board = new_board(width=PHONE, height=844).open("judges")
    table = board.page.get_by_test_id("stDataFrame").first
    above = "table => getComputedStyle(table.closest('[class*=_sideways]') ?? table, '::before').content"
    expect(board.page.locator("[data-cut-off]")).to_have_count(2)
    assert "Move the table sideways" in table.evaluate(above)
    for title, width, n_cut_off in (("Judges", 1024, 0), ("Queries", 1024, 0), ("Ties", 1024, 1), ("Ties", 1440, 0)):
        board.page.set_viewport_size({"width": width, "height": 768})
        board.visit(title)
        board.page.wait_for_timeout(1000)
        expect(board.page.locator("[data-cut-off]")).to_have_count(n_cut_off)


def drop_features(board: Board, folder: Path, names: list[str], scores: Callable[[int], Sequence[int]]) -> None:
    rows = [(f"q{query}", f"d{document}", query + document) for query in range(9) for document in range(9)]
    (folder / "qrels.txt").write_text("".join(f"{q} 0 {d} {int(n % 3 == 0)}\n" for q, d, n in rows))
    table = "".join(f"{q},{d},{','.join(map(str, scores(n)))}\n" for q, d, n in rows)
    (folder / "table.csv").write_text(f"query_id,doc_id,{','.join(names)}\n{table}")
    board.drop([folder / "qrels.txt", folder / "table.csv"])


def places_on_the_page_ranking(board: Board) -> FloatRect:
    """Go to the page Ranking and return where the picture of places stands."""
    board.act(board.key("phone_pages").get_by_role("link").filter(has_text="Ranking").click)
    area = board.key("ranking_places").locator(".nsewdrag").first
    area.wait_for()
    return box_of(area)


def test_long_names_under_many_tie_breaks_fit_on_a_phone(new_board: Callable[..., Board], tmp_path: Path) -> None:
    names = [*(letter * 30 for letter in "ABC"), "D" * 900, "E" * 900]
    board = new_board(width=PHONE, height=844).open("data?" + "&".join(f"tie={name}" for name in SIX))
    drop_features(board, tmp_path, names, lambda n: (n % 2, n % 5, n // 3 % 2, n // 2 % 3, n // 2 % 3))
    box = places_on_the_page_ranking(board)
    assert box["width"] > 200, "places keep their width: only the picture moves sideways"
    assert board.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= PHONE


def test_places_under_a_few_tie_breaks_fit_beside_their_names(new_board: Callable[..., Board], tmp_path: Path) -> None:
    names = [f"{letter}_sumdecomposed_by_a_model" for letter in "abcdefghijklmnopqrstu"]
    board = new_board(width=PHONE, height=844).open("data")
    drop_features(board, tmp_path, names, lambda n: [n // (k + 1) % 3 for k in range(21)])
    for table in ("[class*=st-key-data_features]", ".st-key-data_files_sideways"):
        expect(board.page.locator(f"{table}[data-cut-off]")).to_have_count(1)
    box = places_on_the_page_ranking(board)
    axis = board.page.locator(".leaderboard table[aria-label] thead .behind .axis")
    assert axis.evaluate("axis => getComputedStyle(axis, '::before').content") in {f'"Behind {name}"' for name in names}
    name = board.page.locator(".leaderboard table[aria-label] .name span").first
    n_lines = name.evaluate("name => new Set(Array.from(name.getClientRects(), box => box.y)).size")
    assert n_lines == 2, "no line ends within a word"
    bars = board.page.locator(".leaderboard tbody .behind .bar")
    expect(bars.first).to_be_hidden()  # the best is behind none
    above = box_of(board.page.locator(".leaderboard table[aria-label] .name span").nth(1))
    assert above["y"] + above["height"] <= box_of(bars.nth(1).locator(".zero"))["y"], "it stands in the pictures alone"
    assert box_of(bars.nth(1))["width"] > 300, "dots do not hide the bars of 21 features"
    assert box["width"] > 120
    names_at_the_right = map(box_of, board.key("ranking_places").locator(".y2tick text").all())
    assert PHONE - 60 < max(one["x"] + one["width"] for one in names_at_the_right) <= PHONE - 16
    board.page.set_viewport_size({"width": 1024, "height": 768})
    expect(board.page.get_by_role("navigation", name="App pages")).to_be_visible()
    beyond = board.page.locator(".leaderboard").evaluate("table => table.scrollWidth - table.clientWidth")
    assert beyond <= 0, "nor is the table cut off on a tablet"


def test_a_finger_on_a_chart_moves_the_page_and_a_tap_shows_the_pair(new_board: Callable[..., Board]) -> None:
    page = (board := new_board(width=PHONE, height=844).open("pairs")).page
    area = page.locator(".st-key-pairs_map .nsewdrag")
    area.evaluate("area => area.scrollIntoView({ block: 'center' })")
    box, moved = box_of(area), "document.querySelector('[data-testid=stMain]').scrollTop"
    before, hand = page.evaluate(moved), page.context.new_cdp_session(page)
    hand.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    for step in range(12):
        at = {"x": box["x"] + 200, "y": box["y"] + 160 - 12 * step}
        hand.send("Input.dispatchTouchEvent", {"type": "touchMove" if step else "touchStart", "touchPoints": [at]})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function(f"{moved} > {before + 60}")
    board.click_on("pairs_map", 0.65, 0.25)
    page.wait_for_function("document.querySelector('.st-key-pairs_chosen').getBoundingClientRect().top < 281")

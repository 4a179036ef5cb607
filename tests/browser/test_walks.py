"""A person walks through the ranking: reads it, changes it, follows a feature, takes it away."""

import re
from collections.abc import Callable

import pandas as pd
import pytest
from playwright.sync_api import Locator, expect

import tiecore
from tests.browser.board import Board
from tests.pages import SAMPLE

TABLE = ".leaderboard table[aria-label]"
FILES = ["bm25.run.gz", "indegree.run", "clicks.csv", "outdegree.tsv.gz", "pages.parquet", "title_match.json"]


def grid(board: Board) -> pd.DataFrame:
    """Return the leaderboard as it is shown: a row a feature, what each column is sorted by."""
    table = board.page.locator(TABLE)
    titles = table.locator("thead th button").all_text_contents()
    rows = [row.locator("th, td") for row in table.locator("tbody tr").all()]
    keys = [cells.evaluate_all("cells => cells.map(cell => cell.dataset.key)") for cells in rows]
    return pd.DataFrame(keys, columns=[title.strip() for title in titles])


def assert_shows(board: Board, measure: str) -> None:
    evaluation = tiecore.evaluate(SAMPLE / "qrels.txt", [SAMPLE / name for name in FILES], [measure])
    own = evaluation.leaderboard(measure)["expected"]
    first = board.page.locator(f"{TABLE} tbody tr").first.locator(".value")
    expect(first).to_have_attribute("data-key", str(own.iloc[0]))
    shown = grid(board)
    names = board.page.locator(f"{TABLE} tbody tr").evaluate_all("rows => rows.map(row => row.dataset.feature)")
    assert names == own.index.tolist()
    assert shown[measure].astype(float).tolist() == pytest.approx(own.tolist(), abs=1e-12)


def tab_to(board: Board, wanted: Locator) -> None:
    wanted.wait_for()
    for _ in range(30):
        board.page.keyboard.press("Tab")
        if wanted.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"no press of Tab reaches {wanted}")


def test_the_ranking_shows_tiecores_numbers_and_follows_every_change(board: Board) -> None:
    board.open()
    assert_shows(board, "nDCG@10")
    board.key("measure").get_by_role("combobox").click()
    board.act(board.page.get_by_role("option", name="AP", exact=True).click)
    assert_shows(board, "AP")
    assert "measure=AP" in board.page.url
    board.act(lambda: board.page.reload())
    assert_shows(board, "AP")


def test_back_undoes_a_change_of_settings(board: Board) -> None:
    board.open()
    before = grid(board)
    board.page.wait_for_timeout(2500)  # what comes sooner is part of the arrival
    box = board.key("measure").get_by_role("combobox")
    box.click()
    board.act(board.page.get_by_role("option", name="AP", exact=True).click)
    assert "measure=AP" in board.page.url
    board.page.wait_for_timeout(500)
    board.act(board.page.go_back)
    assert "measure" not in board.page.url
    assert grid(board).equals(before)


def test_back_leads_from_a_pair_to_what_was_shown_before_both_features_were_chosen(board: Board) -> None:
    board.open("pairs")
    board.page.wait_for_timeout(2500)
    board.click_on("pairs_map", 0.65, 0.25)
    board.page.wait_for_url(re.compile("pairs_one=.*&pairs_other="))
    board.page.wait_for_timeout(500)
    board.act(board.page.go_back)
    expect(board.page).to_have_url(re.compile("/pairs$"))


def test_a_measure_is_chosen_and_another_page_opened_by_the_keyboard_alone(board: Board) -> None:
    board.open()
    tab_to(board, board.key("measure").get_by_role("combobox"))
    board.page.keyboard.press("ArrowDown")
    board.page.keyboard.type("AP")
    board.page.get_by_role("option", name="AP", exact=True).wait_for()
    board.act(lambda: board.page.keyboard.press("Enter"))
    assert_shows(board, "AP")
    tab_to(board, board.page.get_by_role("link", name="Pairs").first)
    board.act(lambda: board.page.keyboard.press("Enter"))
    board.page.get_by_role("heading", name="Pairs", exact=True).wait_for()
    assert "measure=AP" in board.page.url


def test_a_click_or_a_key_on_a_row_highlights_its_feature_in_the_link_too_and_another_lets_go(board: Board) -> None:
    board.open()
    row = board.page.locator(f"{TABLE} tr[data-feature=title_match]")
    name = row.get_by_role("button").first
    board.act(lambda: name.press("Enter"))
    assert "highlight=title_match" in board.page.url
    expect(name.and_(row.locator(":focus"))).to_have_attribute("aria-pressed", "true")
    shared = board.page.url
    board.act(row.locator(".value").click)
    assert "highlight" not in board.page.url
    board.act(lambda: board.page.goto(shared))
    expect(board.page.get_by_text("Highlighted in every picture: title_match.")).to_be_visible()


def test_a_click_on_a_verdict_leads_to_its_pair_each_time_and_keeps_every_setting(board: Board) -> None:
    settings = ("highlight=title_match", "measure=AP", "k=5", "tie=random%3A7", "precision=float32", "rel=2")
    board.open(f"?{'&'.join(settings)}")
    board.act(board.page.locator(f"{TABLE} tr[data-feature=title_match] [data-pair]").click)
    board.page.get_by_role("heading", name="Pairs", exact=True).wait_for()
    kept = (*settings, "pairs_one=bm25", "pairs_other=title_match")
    assert [one for one in kept if one not in board.page.url] == []
    found = board.page.locator(".answer").last
    expect(found).to_contain_text("bm25 is ahead of title_match")
    assert "random (seed 7)" in board.key("tie").inner_text()
    board.visit("Ranking")
    board.page.set_viewport_size({"width": 390, "height": 844})
    board.act(board.page.locator(f"{TABLE} tr[data-feature=url_clicks] [data-pair]").click)
    expect(found).to_contain_text("url_clicks")
    expect(found).to_be_in_viewport(ratio=1)  # below a map that comes after it


def test_a_click_on_a_title_sorts_the_rows_and_another_turns_them_round(board: Board) -> None:
    board.open("?ranking_columns=numbers")
    title = board.page.locator(f"{TABLE} thead th").filter(has_text="Worst").first
    rows = board.page.locator(f"{TABLE} tbody tr")
    rows.first.wait_for()
    place = title.evaluate("title => [...title.parentElement.children].indexOf(title)")
    for order in (-1, 1):  # the best first
        steps = board.page.evaluate("history.length")
        board.act(title.get_by_role("button").click)
        board.page.wait_for_url(f"**ranking_order={'-' * (order < 0)}worst*")
        assert board.page.evaluate("history.length") == steps + 1, "no usual choice is written to the link"
        keys = [float(row.locator("th, td").nth(place).get_attribute("data-key") or "") for row in rows.all()]
        assert keys == sorted(keys, key=lambda key, order=order: order * key)  # type: ignore[misc]
        expect(board.page.locator(f"{TABLE}.sorted")).to_have_count(1)  # no rule parts rows in another order
    board.act(board.page.reload)
    expect(title).to_have_attribute("aria-sort", "ascending")
    assert [row.locator("th, td").nth(place).get_attribute("data-key") for row in rows.all()] == [*map(str, keys)]
    board.page.locator(f"{TABLE} thead th").first.get_by_role("button").click()
    expect(board.page.locator(f"{TABLE}.sorted")).to_have_count(0)  # by place: rules are where the caption says


@pytest.mark.parametrize(("columns", "width", "is_cut_off"), [
    ("numbers", 1280, True), ("numbers", 1400, False), ("answer", 1280, False),
])  # fmt: skip
def test_a_table_that_is_cut_off_at_its_right_says_so(
    new_board: Callable[..., Board], columns: str, width: int, is_cut_off: bool
) -> None:
    board = new_board(width=width, height=900).open(f"?ranking_columns={columns}")
    expect(board.page.locator(".leaderboard.moves")).to_have_count(int(is_cut_off))
    above = board.page.locator(TABLE).evaluate("table => getComputedStyle(table, '::before').content")
    assert ("Move the table sideways" in above) == is_cut_off

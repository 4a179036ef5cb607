"""Every page but the first as a person uses it: clicks on charts and tables, what they open, what is typed and kept."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

import tiecore
from tests.browser.board import Board, box_of
from tests.diagnostics.data import diagnostics
from tests.pages import SAMPLE
from tools.doc_pictures import PICTURES, take

FEATURE = "query_url_clicks"


def value(board: Board, key: str) -> str:
    return board.key(key).locator("input").input_value()


def test_a_click_takes_a_query_apart_and_random_orderings_move_its_value(board: Board) -> None:
    tie_breaks = ["docid-desc", "docid-asc", "input"]
    evaluation = tiecore.evaluate(SAMPLE / "qrels.txt", SAMPLE / "clicks.csv", ["nDCG@10"], tie_breaks)
    blamed = diagnostics.blame(evaluation, FEATURE, "nDCG@10", by="input")
    board.open(f"queries?queries_feature={FEATURE}&queries_by=input")
    assert value(board, "queries_query") == blamed.index[0]
    board.click_on("queries_chart", mark=".bars .point path", nth=2)
    query = blamed.index[2]
    assert value(board, "queries_query") == query
    assert f"queries_query={query}" in board.page.url
    groups = diagnostics.culprits(evaluation, FEATURE, "nDCG@10", query_id=query)
    assert f"is {blamed['expected'][query]:.4f} on average" in board.text()
    cells = board.page.locator(".tiles i")
    cells.first.wait_for()
    assert cells.count() == groups["size"].sum()

    board.act(lambda: board.page.get_by_role("button", name="Draw one").click())
    board.act(lambda: board.page.get_by_role("button", name="+ 10", exact=True).click())
    drawn = diagnostics.draws(evaluation, FEATURE, "nDCG@10", query_id=query, draws=11)
    legend = board.page.locator(".legend", has_text=f"mean of 11: {drawn['mean'][11]:.4f}")
    assert f"last order {drawn['value'][11]:.4f}" in (legend.text_content() or "")
    grades = diagnostics.listing(evaluation, FEATURE, "nDCG@10", query_id=query)["grade"]
    order = diagnostics.drawn_order(evaluation, FEATURE, query_id=query, draw=11).index
    assert cells.all_inner_texts() == [str(grade) for grade in grades[order]]
    assert not re.search(r"\bnan\b|undefined|\[object", board.text(), re.IGNORECASE)


def test_all_advanced_settings_have_room_on_a_laptop_and_cover_no_result(new_board: Callable[..., Board]) -> None:
    board = new_board(width=1440, height=900).open()
    board.page.get_by_role("button", name="Advanced").click()
    settings = board.page.get_by_role("dialog")
    last = settings.get_by_role("radio", name="last")
    expect(last).to_be_attached()
    inside, lowest = box_of(settings), box_of(settings.get_by_text("last", exact=True))
    results = box_of(board.page.locator(".leaderboard"))
    assert lowest["y"] + lowest["height"] < inside["y"] + inside["height"]
    assert inside["x"] + inside["width"] < results["x"]


def test_a_click_on_a_cell_leads_to_the_pair_and_on_to_a_query(board: Board) -> None:
    board.open("pairs")
    board.click_on("pairs_map", 0.65, 0.55)  # the sixth row, the seventh column
    board.page.wait_for_url(re.compile("pairs_one=outdegree&pairs_other=url_slashes"))
    answer = board.page.locator(".answer").nth(1).inner_text()
    assert answer.startswith("No clear winner: outdegree is ahead of url_slashes by 0.0016 in nDCG@10, ")
    shared = board.page.url
    board.click_on("pairs_queries", 0.05, 0.5)
    link = board.page.get_by_role("link", name="Its ranking by outdegree")
    query = re.search(r"Query (\S+): outdegree", board.text())
    assert query is not None
    board.act(link.click)
    assert query[1] in board.page.url
    assert "outdegree" in board.text()
    board.act(lambda: board.page.goto(shared))
    assert "outdegree is ahead" in board.page.locator(".answer").nth(1).inner_text()


def test_a_click_on_a_curve_highlights_the_feature_everywhere(board: Board) -> None:
    board.open("cutoffs?cutoffs_features=bm25&cutoffs_features=dwell")
    assert "query_url_clicks leads up to k\u00a0=\u00a02" in board.page.locator(".answer").inner_text()
    board.click_on("cutoffs_curves", 0.97, 0.1)  # the best at the last cut-off
    assert "highlight=bm25" in board.page.url
    board.visit("Ranking")
    marked = board.page.locator("tr.marked th.name:not(.place)")
    assert marked.first.inner_text() == "bm25"
    assert {*marked.all_inner_texts()} <= {"bm25", ""}, "no other one"


def test_settings_that_change_nothing_are_hidden_and_kept(board: Board) -> None:
    board.open("data?measure=AP&tie=random%3A7")
    board.drop([SAMPLE / "qrels.txt", SAMPLE / "second_judge.txt"])
    board.visit("Judges")
    assert "The quadratic κ of" in board.text()
    expect(board.page.get_by_role("combobox", name="Measure")).to_be_hidden()
    board.visit("Ranking")
    expect(board.key("tie")).to_be_visible()
    expect(board.key("tie")).to_contain_text("random (seed 7)")
    assert "measure=AP" in board.page.url


def test_formulas_are_typeset_here_and_the_example_answers_to_what_is_typed(board: Board) -> None:
    board.open("method?measure=AP")
    expect(board.key("measure")).to_be_visible()
    expect(board.key("tie")).to_be_hidden()  # changes nothing here
    board.page.locator(".katex-display").first.wait_for()
    board.act(board.key("method_between").locator("summary").click)
    board.key("method_between").locator(".katex-display").nth(2).wait_for()
    assert not board.page.locator(".katex-error").count()
    answer = board.page.locator(".answer")
    answer.filter(has_text="from 0.4167 to 0.5833").filter(has_text="agree to twelve digits").wait_for()

    board.key("method_orderings").locator(".js-plotly-plot .main-svg").first.wait_for()
    table = board.key("method_documents_0").locator("[data-testid=stDataFrame]").first
    box = box_of(table)
    board.edit_cell(table, {"x": 0.8 * box["width"], "y": 54}, "1")  # the grade of the first document
    answer.filter(has_text="from 0.8056 to 1.0000").wait_for()

    field = board.page.get_by_role("textbox", name="Grades of judged documents that are not listed")
    field.fill("1")
    board.act(lambda: field.press("Enter"))
    answer.filter(has_text="from 0.6042 to 0.7500").wait_for()
    for page in ("Data", "Method"):
        board.visit(page)
    answer.filter(has_text="from 0.6042 to 0.7500").wait_for()  # what was typed is kept
    board.page.set_viewport_size({"width": 390, "height": 844})
    board.page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollWidth <= 390", polling=50)


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_docs_can_be_taken(name: str, browser: Browser, address: str) -> None:
    assert take(browser, address, PICTURES[name]).startswith(b"\x89PNG")

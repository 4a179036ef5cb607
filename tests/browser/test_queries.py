"""A person takes a query apart."""

from __future__ import annotations

import re

import tiecore
from tests.browser.board import Board
from tests.browser.server import ROOT
from tests.diagnostics.data import diagnostics

SAMPLE = ROOT / "sample_data"
FEATURE = "query_url_clicks"


def value(board: Board, key: str) -> str:
    """What a select box shows."""
    return board.key(key).locator("input").input_value()


def test_a_click_takes_a_query_apart_and_random_orderings_move_its_value(board: Board) -> None:
    evaluation = tiecore.evaluate(
        SAMPLE / "qrels.txt", SAMPLE / "clicks.csv", ["nDCG@10"], ["docid-desc", "docid-asc", "input"]
    )
    blamed = diagnostics.blame(evaluation, FEATURE, "nDCG@10", by="input")
    board.open(f"queries?queries_feature={FEATURE}&queries_by=input")
    assert value(board, "queries_query") == blamed.index[0]
    board.click_on(board.key("queries_chart").locator(".bars .point path").nth(2))
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
    told = f"The last order gives {drawn['value'][11]:.4f}, the mean of 11 orders is {drawn['mean'][11]:.4f}"
    assert told in board.text()
    grades = diagnostics.listing(evaluation, FEATURE, "nDCG@10", query_id=query)["grade"]
    order = diagnostics.drawn_order(evaluation, FEATURE, query_id=query, draw=11).index
    assert cells.all_inner_texts() == [str(grade) for grade in grades[order]]
    assert not re.search(r"\bnan\b|undefined|\[object", board.text(), re.IGNORECASE)
    board.page.set_viewport_size({"width": 390, "height": 844})
    board.page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollWidth <= 390")

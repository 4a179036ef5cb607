"""A person looks up how a number comes about."""

from __future__ import annotations

from tests.browser.board import Board


def test_formulas_are_typeset_here_and_the_example_answers_to_what_is_typed(board: Board) -> None:
    board.open("method?measure=AP")
    board.page.locator(".katex-display").first.wait_for()
    board.act(board.key("method_between").locator("summary").click)
    board.key("method_between").locator(".katex-display").nth(2).wait_for()
    assert not board.page.locator(".katex-error").count()
    answer = board.page.locator(".answer")
    answer.filter(has_text="from 0.4167 to 0.5833").filter(has_text="agree to 1e-12").wait_for()

    board.key("method_orderings").locator(".js-plotly-plot .main-svg").first.wait_for()
    table = board.key("method_documents_two-of-three").locator("[data-testid=stDataFrame]").first
    box = table.bounding_box()
    assert box is not None
    board.edit_cell(table, {"x": 0.8 * box["width"], "y": 54}, "1")  # the grade of the first document
    answer.filter(has_text="from 0.8056 to 1.0000").wait_for()

    field = board.page.get_by_role("textbox", name="Grades of judged documents that are not listed")
    field.fill("1")
    board.act(lambda: field.press("Enter"))
    answer.filter(has_text="from 0.6042 to 0.7500").wait_for()
    for page in ("Data", "Method"):
        board.visit(page)
    answer.filter(has_text="from 0.6042 to 0.7500").wait_for()  # what was typed is kept
    field.fill("many")
    board.act(lambda: field.press("Enter"))
    board.page.get_by_text("is not a whole number").wait_for()
    board.page.set_viewport_size({"width": 390, "height": 844})
    assert board.page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390

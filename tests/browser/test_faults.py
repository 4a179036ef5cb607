"""The server dies under an open tab and another one takes its place, or a connection ends during a change."""

import re
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.board import PATIENCE, QRELS, TABLE, UPLOADER, Board
from tests.browser.server import start_dashboard


def drop_own_files(board: Board, folder: Path) -> None:
    files = {"qrels.txt": QRELS, "own.csv": TABLE}
    for name, text in files.items():
        (folder / name).write_text(text)
    board.drop([folder / name for name in files])
    table = board.key("data_files").locator("table[role=grid]")
    expect(table).to_contain_text("own.csv")  # drawn a moment after the page has settled
    assert "bm25" not in table.inner_text()


@pytest.mark.slow
def test_a_tab_survives_a_server_killed_during_an_upload(new_board: Callable[..., Board], tmp_path: Path) -> None:
    """It says that nobody answers, finds the next server by itself, and is told there which files to send again."""
    large = tmp_path / "large.run"
    with large.open("wb") as file:
        file.truncate(150 * 2**20)
    first = start_dashboard(tmp_path)
    try:
        board = new_board(at=first.address).open("data")
        drop_own_files(board, tmp_path)
        expect(board.page).to_have_url(re.compile("data="))
        with board.page.expect_request(lambda request: request.method == "POST"):
            board.page.locator(UPLOADER).set_input_files([large])
    finally:
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
    expect(board.page.get_by_role("dialog")).to_contain_text("Connection error", timeout=PATIENCE * 1000)

    with closing(start_dashboard(tmp_path, port=first.port)) as second:
        expect(board.page.get_by_role("dialog")).to_be_hidden(timeout=PATIENCE * 1000)
        expect(board.page.locator("[data-testid=stMain]")).to_contain_text("not on this server")
        board.visit("Ranking")
        expect(board.page.locator("[data-testid=stMain]")).to_contain_text("not on this server")
        board.act(board.page.reload)
        board.visit("Data")
        drop_own_files(board, tmp_path)
        board.visit("Pairs")
        assert re.search("clicks|stars", board.page.locator(".answer").first.inner_text())
        assert board.page.locator("[data-testid=stException]").count() == 0
        board.complaints.clear()  # a browser complains when nobody answers

        second.process.terminate()
        second.process.wait(timeout=PATIENCE)
    assert not re.search(r"Traceback|Error", second.log.read_text())
    board.complaints.clear()


@pytest.mark.slow
def test_a_connection_that_ends_during_a_change_leaves_no_half_a_page(new_board: Callable[..., Board]) -> None:
    board = new_board()
    board.page.add_init_script(
        "window.WebSocket = class extends window.WebSocket {"
        "  constructor(...all) { super(...all); window.latestSocket = this; } };"
    )
    board.open()
    whole = {
        "table[aria-label^=Leaderboard] tbody tr": 10,
        "[data-testid=stMain] [data-testid=stPageLink]": 1,
        ".st-key-tie [data-tag]": 3,
    }
    for measure, milliseconds in (("AP", 0), ("F1", 20), ("P", 60)):
        board.key("measure").get_by_role("combobox").click()
        board.page.get_by_role("option", name=measure, exact=True).click()
        board.page.evaluate("wait => setTimeout(() => window.latestSocket.close(), wait)", milliseconds)
        expect(board.page.locator(".strip")).to_contain_text(measure if measure == "AP" else f"{measure}@10")
        for part, number in whole.items():
            expect(board.page.locator(part)).to_have_count(number)
        expect(board.key("measure").get_by_role("combobox")).to_have_value(measure)
    board.complaints.clear()

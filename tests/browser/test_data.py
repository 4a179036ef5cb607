"""Files of one's own: dropped in, understood, changed, taken away again."""

import gzip
from pathlib import Path

import pytest

import tiecore
from tests.browser.board import QRELS, TABLE, Board, box_of

RUN = "".join(f"q{q} Q0 d{d} {d + 1} {4 - d // 2} mine\n" for q in range(1, 5) for d in range(4))
BAD = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 oops tag\n"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    contents = {"judged.txt": QRELS, "table.csv": TABLE, "bad.run": BAD}
    for name, text in contents.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "mine.run.gz").write_bytes(gzip.compress(RUN.encode()))
    return [tmp_path / name for name in (*contents, "mine.run.gz")]


def test_files_that_do_not_come_through_are_named_where_they_were_dropped(board: Board, files: list[Path]) -> None:
    board.open("data")
    board.page.route("**/files", lambda route: route.abort())
    board.drop(files[:2])
    board.page.get_by_role("status").filter(has_text="Not sent: judged.txt, table.csv").wait_for()
    assert "did not arrive whole" in board.text()
    board.page.unroute("**/files")
    board.drop(files[:2])
    board.page.get_by_role("link", name="See the results").wait_for()
    assert "Not sent" not in board.text()
    board.complaints.clear()  # of the requests that failed


def test_a_feature_is_renamed_and_turned_round_in_the_table(board: Board, files: list[Path]) -> None:
    board.open("data")
    board.drop(files[:2])
    table = board.page.locator("[class*=st-key-data_features] [data-testid=stDataFrame]").first
    table.wait_for()
    row = 35 + 17  # header, then the middle of the first row

    def turn_round() -> None:
        with board.sends('"lower_is_better":true'):
            table.click(position={"x": 518, "y": row})

    board.edit_cell(table, {"x": 137, "y": row}, "my own name")
    board.act(turn_round)
    # the table may clear itself now, which it tells of after a moment; until then a link leads back here
    board.page.evaluate("() => new Promise(done => setTimeout(done, 500))")
    board.visit("Ranking")
    board.page.get_by_text("my own name").first.wait_for()
    assert "clicks" not in board.text()
    board.act(board.page.reload)
    assert "my own name" in board.text(), "a reload finds names as well"


def messy_files(folder: Path) -> tuple[list[Path], list[Path]]:
    """Write good files, judgments first, and such as have names of every kind and can be read by nobody."""
    second = "".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(1, 5) for d in range(3))
    good = {"judged.qrels": QRELS, "features.csv": "\ufeff" + TABLE, "second assessor.qrels": second}
    messy = {
        "doc.csv": TABLE.replace("query_id,doc_id", "search,doc").encode(),
        "noise.bin": bytes(range(256)) * 8,
        "<b>![x](y)*.csv": b"query_id,doc_id,score\nq1,d1,<img src=x>\n",
        "long " + "name " * 20 + ".run": b"q1 Q0 d1 1 " + b"9x" * 400 + b" tag\n",
    }
    for name, text in good.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name, data in messy.items():
        (folder / name).write_bytes(data)
    return [folder / name for name in good], [folder / name for name in messy]


def test_a_walk_among_files_that_cannot_be_read_ends_with_the_right_sentence(board: Board, tmp_path: Path) -> None:
    good, messy = messy_files(tmp_path)
    board.open("data")
    board.drop([*good, *messy])
    results = board.page.get_by_role("link", name="See the results")
    results.wait_for()
    shown = board.text()
    assert [path.name for path in messy if path.name not in shown] == []
    assert shown.index("See the results") < shown.index("Back to the sample")
    assert board.page.locator("[data-testid=stToast], [data-testid=stAlertContentSuccess]").count() == 0
    width = board.page.evaluate("document.documentElement.clientWidth")
    for alert in board.page.get_by_test_id("stAlert").all():
        box = box_of(alert)
        assert box["x"] + box["width"] <= width, alert.inner_text()
    board.act(board.page.get_by_role("button", name="Yes, keep it").click)
    board.act(results.click)
    answer = board.page.locator(".answer p").first
    answer.wait_for()
    evaluation = tiecore.evaluate(str(good[0]), [str(path) for path in good[1:]], ["nDCG@10"])
    assert evaluation.leaderboard("nDCG@10").index[0] in answer.inner_text()

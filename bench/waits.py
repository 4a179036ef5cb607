"""How long a person waits at the dashboard: ``python -m bench.waits [--runs 5]``.

A browser opens it, and changes measure, cut-off and tie-breaks as a person does, with a pause before each. A wait ends
when nothing on the page is out of date any more and the browser has painted it; for a first picture, with the first
chart. The data are 20 features of 100,000 documents in a Parquet file, with three tie-breaks; and the sample, for the
first picture. Every run starts with a server that knows nothing yet.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

from playwright.sync_api import Browser, sync_playwright

from bench.data import FREQUENT, write_table
from bench.report import markdown_table
from tests.browser.board import Board
from tests.browser.conftest import ADVICE, find_chromium
from tests.browser.server import running_dashboard
from tiecore.cli.launch import environment

__all__ = ["CHANGES", "table_of"]

N_QUERIES = 850
THINK = 1.5
"""Seconds between the end of one wait and the next click."""
PAINTED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
CHANGES = (
    ("measure", "AP", "measure, first time"),
    ("measure", "RR", "measure, first time"),
    ("measure", "P", "measure, first time"),
    ("measure", "nDCG", "measure, seen before"),
    ("k", "20", "cut-off, first time"),
    ("k", "5", "cut-off, first time"),
    ("tie", "input-reversed", "tie-break, first time"),
    ("tie", "random:1", "tie-break, first time"),
    ("tie", "random:77", "tie-break that no menu has"),
    ("measure", "RBP", "measure, first time"),
    ("measure", "ERR", "measure, first time"),
)
"""Widget, value, and what kind of change that is."""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.waits", description="How long a person waits.")
    parser.add_argument("--runs", type=int, default=5)
    wanted = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print(ADVICE, file=sys.stderr)
        return 2
    waits: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        table = Path(name) / "features.parquet"
        n_documents = write_table(table, N_QUERIES, FREQUENT)
        browser = playwright.chromium.launch(executable_path=str(chromium))
        for _ in range(wanted.runs):
            for what, seconds in _of_sample(browser, Path(name)):
                waits.setdefault(what, []).append(seconds)
            for what, seconds in _of_changes(browser, Path(name), table):
                waits.setdefault(what, []).append(seconds)
        browser.close()
    print(table_of(waits, n_documents=n_documents, runs=wanted.runs))
    return 0


@contextmanager
def _visited(browser: Browser, home: Path, *, files: tuple[Path, ...] = ()) -> Iterator[Board]:
    names = [str(path) for path in files]
    opened = environment(qrels=names[0] if names else None, features=names, data_root=None)
    with running_dashboard(home, opened) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        try:
            yield Board(page, address)
        finally:
            page.close()


def _open(board: Board) -> float:
    board.page.wait_for_timeout(1000 * THINK)  # a person's browser takes longer to come than the server to answer
    begun = perf_counter()
    board.page.goto(board.address, wait_until="commit")
    board.key("ranking_intervals").locator(".js-plotly-plot .main-svg").first.wait_for()
    board.page.evaluate(PAINTED)
    seconds = perf_counter() - begun
    board.page.wait_for_timeout(1000 * THINK)
    return seconds


def _of_sample(browser: Browser, home: Path) -> Iterator[tuple[str, float]]:
    with _visited(browser, home) as board:
        yield "first picture of the sample", _open(board)


def _of_changes(browser: Browser, home: Path, table: Path) -> Iterator[tuple[str, float]]:
    with _visited(browser, home, files=(table,)) as board:
        yield "first picture of the table", _open(board)
        for widget, value, kind in CHANGES:
            yield f"{kind}: {value}", _change(board, widget, value)


def _change(board: Board, widget: str, value: str) -> float:
    """Choose a value; the wait begins with the click on it, or with Enter if it is typed."""
    page = board.page
    page.wait_for_timeout(1000 * THINK)
    box = board.key(widget).get_by_role("combobox")
    box.click()
    option = page.get_by_role("option", name=value, exact=True)
    if widget == "tie":
        box.fill(value)
    else:
        option.wait_for()
    begun = perf_counter()
    board.act(partial(page.keyboard.press, "Enter") if widget == "tie" else option.click)
    page.evaluate(PAINTED)
    seconds = perf_counter() - begun
    page.keyboard.press("Escape")
    return seconds


def table_of(waits: dict[str, list[float]], *, n_documents: int, runs: int) -> str:
    """Write the waits as Markdown."""
    rows = [
        [what, f"{median(seconds):.2f}", f"{min(seconds):.2f}", f"{max(seconds):.2f}"]
        for what, seconds in waits.items()
    ]
    table = markdown_table([["wait", "median", "shortest", "longest"], *rows])
    return (
        "# Waits\n\n"
        f"`python -m bench.waits --runs {runs} > bench/WAITS.md`: seconds until nothing on the page is out of\n"
        "date and the browser has painted it (first pictures: until the first chart is there), in Chromium on the\n"
        f"same machine. The table has 20 features of {n_documents:,} documents, in Parquet; three tie-breaks;\n"
        f"{THINK} s between two clicks. Load at the end: {os.getloadavg()[0]:.1f}.\n\n{table}"
    )


if __name__ == "__main__":
    sys.exit(main())

"""How long a person waits at the dashboard: ``python -m bench.waits [--runs 5]``.

A browser opens it, and changes measure, cut-off and tie-breaks as a person does, with a pause before each. The page
itself holds the watch, so that what drives the browser does not count: a wait begins with the press of a button or key,
and ends when nothing on the page is out of date any more and the browser has painted it; for a first picture it begins
with the request for the page and ends with the first chart. The data are 20 features of 100,000 documents in a Parquet
file, with three tie-breaks; and the sample, for the first picture. Every run starts with a server that knows nothing
yet.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from bench.data import FREQUENT, write_table
from bench.report import markdown_table
from tests.browser.conftest import ADVICE, find_chromium
from tests.browser.server import running_dashboard
from tiecore.cli.dashboard import environment

__all__ = ["CHANGES", "table_of"]

N_QUERIES = 850
THINK = 1.5
"""Seconds between the end of one wait and the next click."""
WATCH = """
(() => {
  window.firstPicture = window.waited = null;
  let begun = null, hasRun = false;
  const state = () => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState;
  const begin = event => { begun = event.timeStamp; hasRun = false; window.waited = null; };
  addEventListener("pointerdown", begin, true);
  addEventListener("keydown", event => { if (event.key === "Enter") begin(event); }, true);
  new MutationObserver(() => { hasRun ||= state() !== "notRunning"; })
    .observe(document, { subtree: true, attributeFilter: ["data-test-script-state"] });
  const whenPainted = done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
  let isDrawn = false;
  const look = () => {
    if (!isDrawn && document.querySelector(".st-key-ranking_intervals .js-plotly-plot .main-svg")) {
      isDrawn = true;
      whenPainted(now => { window.firstPicture = now; });
    }
    if (begun !== null && hasRun && state() === "notRunning" && !document.querySelector("[data-stale=true]")) {
      const since = begun;
      begun = null;
      whenPainted(now => { window.waited = now - since; });
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""
"""Measures in the page, in milliseconds: ``firstPicture`` since the request for it, ``waited`` since the last press."""
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
def _visited(browser: Browser, home: Path, *, files: tuple[Path, ...] = ()) -> Iterator[tuple[Page, str]]:
    names = [str(path) for path in files]
    opened = environment(qrels=names[0] if names else None, features=names, data_root=None)
    with running_dashboard(home, opened) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.add_init_script(WATCH)
        try:
            yield page, address
        finally:
            page.close()


def _open(page: Page, address: str) -> float:
    page.wait_for_timeout(1000 * THINK)  # a person's browser takes longer to come than the server to answer
    page.goto(address, wait_until="commit")
    seconds = _watched(page, "firstPicture")
    page.wait_for_timeout(1000 * THINK)
    return seconds


def _of_sample(browser: Browser, home: Path) -> Iterator[tuple[str, float]]:
    with _visited(browser, home) as (page, address):
        yield "first picture of the sample", _open(page, address)


def _of_changes(browser: Browser, home: Path, table: Path) -> Iterator[tuple[str, float]]:
    with _visited(browser, home, files=(table,)) as (page, address):
        yield "first picture of the table", _open(page, address)
        for widget, value, kind in CHANGES:
            yield f"{kind}: {value}", _change(page, widget, value)


def _change(page: Page, widget: str, value: str) -> float:
    """Choose a value; the wait begins with the press on it, or with Enter if it is typed."""
    page.wait_for_timeout(1000 * THINK)
    box = page.locator(f".st-key-{widget}").get_by_role("combobox")
    box.click()
    if widget == "tie":
        box.fill(value)
        page.get_by_role("option", name=value).first.wait_for()
        box.press("Enter")
    else:
        page.get_by_role("option", name=value, exact=True).click()
    seconds = _watched(page, "waited")
    page.keyboard.press("Escape")
    return seconds


def _watched(page: Page, what: str) -> float:
    """Wait for what the page measures, in seconds."""
    return page.wait_for_function(f"() => window.{what}", timeout=60_000).json_value() / 1000


def table_of(waits: dict[str, list[float]], *, n_documents: int, runs: int) -> str:
    """Write the waits as Markdown."""
    rows = [
        [what, f"{median(seconds):.2f}", f"{min(seconds):.2f}", f"{max(seconds):.2f}"]
        for what, seconds in waits.items()
    ]
    table = markdown_table([["wait", "median", "shortest", "longest"], *rows])
    return (
        "# Waits\n\n"
        f"`python -m bench.waits --runs {runs} > bench/WAITS.md`: seconds from the press of a button or key until\n"
        "nothing on the page is out of date and the browser has painted it (first pictures: from the request for the\n"
        "page until its first chart), measured by the page itself, in Chromium on the same machine. The table has\n"
        f"20 features of {n_documents:,} documents, in Parquet; three tie-breaks; {THINK} s between two clicks. Load\n"
        f"at the end: {os.getloadavg()[0]:.1f}.\n\n{table}"
    )


if __name__ == "__main__":
    sys.exit(main())

"""How long a person waits at the dashboard: ``python -m bench.waits [--runs 3] [--only table many]``.

A browser opens pages and changes measure, cut-off and tie-breaks as a person does, with a pause before each. The page
itself holds the watch, so that what drives the browser does not count. A wait begins with the press of a button or key,
or with the request for the page. A *first picture* is there when the browser has painted the first leaderboard or
chart; a page is *done* when its script has ended, nothing on it is out of date, and every chart is drawn. A bare page
of Streamlit, with one choice and one small chart, is measured in the same way in the same run. Every visit starts with
a server that knows nothing yet.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from bench.data import prepare
from bench.paths import many_qrels_file, many_run_files, table_file
from bench.report import markdown_table
from tests.browser.conftest import ADVICE, find_chromium
from tests.browser.server import Dashboard, free_port, start_dashboard, start_server
from tiecore.cli.dashboard import environment

N_QUERIES = 850
"""Queries of the tables: about 100,000 documents."""
N_RUNS = 143
THINK = 0.7
"""Seconds between the end of one wait and the next click."""
LONGEST = 180_000
"""Milliseconds that nothing should take."""
WATCH = """
(() => {
  window.firstPicture = window.done = null;
  let begun = 0, hasRun = true, lastMessage = 0;
  window.WebSocket = class extends window.WebSocket {
    constructor(...all) {
      super(...all);
      this.addEventListener("message", () => { lastMessage = performance.now(); });
    }
  };
  const app = () => document.querySelector("[data-testid=stApp]");
  const state = () => app()?.dataset.testScriptState;
  const isDrawn = () => document.querySelector(".js-plotly-plot .main-svg, [data-testid=stDataFrame] canvas")
    || [...document.querySelectorAll(".st-key-ranking_table *")].some(one => one.shadowRoot?.querySelector("tbody tr"));
  const begin = event => {
    begun = event.timeStamp;
    hasRun = false;
    window.firstPicture = window.done = null;
  };
  addEventListener("pointerdown", begin, true);
  addEventListener("keydown", event => { if (event.key === "Enter") begin(event); }, true);
  new MutationObserver(() => { hasRun = true; })  // a short run begins and ends before anybody looks
    .observe(document, { subtree: true, attributeFilter: ["data-test-script-state"] });
  const whenPainted = name => {
    const since = begun;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      if (since === begun) window[name] ??= performance.now() - since;
    }));
  };
  const look = () => {
    if (!window.firstPicture && hasRun && isDrawn()) whenPainted("firstPicture");
    // of a short run the state may tell nothing: then the server has spoken and been silent for a while
    const isSilent = lastMessage > begun && performance.now() - lastMessage > 300;
    const isDone = (hasRun || isSilent) && state() === "notRunning" && isDrawn()
      && !document.querySelector("[data-stale=true], [data-testid=stSkeleton]")
      && [...document.querySelectorAll("[data-testid=stPlotlyChart]")].every(one => one.querySelector(".main-svg"));
    if (!window.done && isDone && hasRun) whenPainted("done");
    if (!window.done && isDone && !hasRun) window.done = lastMessage - begun + 33;  // two frames
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();
"""
"""Measures in the page, in milliseconds since the request for it or the last press."""


@dataclass(frozen=True, slots=True)
class Change:
    """A widget, the value that is chosen in it, and what kind of change that is."""

    widget: str
    value: str
    kind: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.value}"


SEEN = "measure seen before"
CHANGES = (
    Change("measure", "AP", "measure"),
    Change("measure", "RR", "measure"),
    Change("measure", "nDCG", SEEN),
    Change("k", "20", "cut-off"),
    Change("k", "5", "cut-off"),
    Change("tie", "input-reversed", "tie-break"),
    Change("tie", "random:77", "tie-break"),
)
FIRST_CHANGE, OTHER_CHANGE = "bare page: first change", "bare page: a later change"
"""A browser compiles on the first change after a page was opened what it runs on the others."""
MANY = "2 × tiecore evaluate and a bare page"
PAGES = ("Pairs", "Cut-offs", "Queries", "Ties", "Method")

Waits = Iterator[tuple[str, float]]


# --- what is measured -------------------------------------------------------------------------------------------------


def of_bare_page(browser: Browser, home: Path) -> Waits:
    """One choice and one chart, by Streamlit alone."""
    script = Path(__file__).with_name("bare_page.py")
    flags = ("--server.headless=true", "--server.fileWatcherType=none", "--browser.gatherUsageStats=false")
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}", *flags]
    with _visited(browser, start_server(command, home, os.environ, port=port)) as visit:
        yield from visit.open("bare page")
        yield FIRST_CHANGE, visit.change(Change("first", "2", ""))
        for value in ("4", "3", "5", "1"):
            yield OTHER_CHANGE, visit.change(Change("first", value, ""))


def opened(
    browser: Browser, home: Path, what: str, features: Sequence[Path] = (), changes: Sequence[Change] = ()
) -> Waits:
    """The first page of files of any size (without files, of the sample data), and changes on it."""
    with _dashboard(browser, home, features=features) as visit:
        yield from visit.open(what)
        for place, change in enumerate(changes):
            seconds = visit.change(change)
            yield f"{what}, {change}", seconds
            if place and change.kind != SEEN:
                yield f"{what}: a later change", seconds


def of_many_runs(browser: Browser, home: Path) -> Waits:
    """143 runs of 30,000 lines, and the command on the same files."""
    qrels, runs = many_qrels_file(), many_run_files(N_RUNS)
    breaks = "docid-desc,docid-asc,input"
    command = [sys.executable, "-m", "tiecore", "evaluate", str(qrels), *map(str, runs), "-m", "nDCG@10", "-t", breaks]
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield "143 runs, tiecore evaluate", time.perf_counter() - begun
    with _dashboard(browser, home, qrels=qrels, features=runs) as visit:
        yield from visit.open("143 runs")
        yield from visit.pages("143 runs", PAGES)
        yield "143 runs, memory of the server in GB", visit.peak


def of_many_features(browser: Browser, home: Path) -> Waits:
    """136 features of 100,000 documents: all pairs, and all features that could break the ties of one."""
    with _dashboard(browser, home, features=[table_file(N_QUERIES, "all")]) as visit:
        yield from visit.open("136 features")
        yield from visit.pages("136 features", ("Pairs", "Ties"))
        part = visit.page.locator(".st-key-ties_part").get_by_role("radio", name="repairs")
        yield "136 features, Ties: tie-breakers of one", visit.press(part.click)


SETTINGS: Mapping[str, Callable[[Browser, Path], Waits]] = {
    "bare": of_bare_page,
    "sample": lambda browser, home: opened(browser, home, "sample", changes=CHANGES),
    # 20 features of 100,000 documents
    "table": lambda browser, home: opened(browser, home, "table", [table_file(N_QUERIES, "frequent")], CHANGES),
    "many": of_many_runs,
    "features": of_many_features,
}
"""Each is measured in turn, and the turns are repeated."""


# --- how it is measured -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Visit:
    """A browser that looks at a server."""

    page: Page
    server: Dashboard

    def open(self, what: str) -> Waits:
        """Ask for the first page."""
        self.page.wait_for_timeout(1000 * THINK)  # a person's browser takes longer to come than the server to answer
        self.page.goto(self.server.address, wait_until="commit")
        done = self._watched("done")
        yield f"{what}: first picture", self._watched("firstPicture")
        yield f"{what}: done", done

    def change(self, change: Change) -> float:
        """Choose a value; the wait begins with the press on it, or with Enter if it is typed."""
        self.page.wait_for_timeout(1000 * THINK)
        box = self.page.locator(f".st-key-{change.widget}").get_by_role("combobox")
        box.click()
        option = self.page.get_by_role("option", name=change.value, exact=change.widget != "tie").first
        if change.widget == "tie":
            box.fill(change.value)
            option.wait_for()
            box.press("Enter")
        else:
            option.click()
        seconds = self._watched("done")
        self.page.keyboard.press("Escape")
        return seconds

    def pages(self, what: str, titles: Sequence[str]) -> Waits:
        """Go to pages by their links."""
        for title in titles:
            link = self.page.get_by_role("link", name=title, exact=True).first
            yield f"{what}, page {title}", self.press(link.click)

    def press(self, press: Callable[[], None]) -> float:
        """Press something, and wait until the page is done."""
        self.page.wait_for_timeout(1000 * THINK)
        press()
        return self._watched("done")

    @property
    def peak(self) -> float:
        """Most memory that the server has had, in GB."""
        lines = Path(f"/proc/{self.server.process.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / 1e9

    def _watched(self, what: str) -> float:
        """Wait for what the page measures, in seconds."""
        return float(self.page.wait_for_function(f"() => window.{what}", timeout=LONGEST).json_value()) / 1000


def _dashboard(
    browser: Browser, home: Path, *, qrels: Path | None = None, features: Sequence[Path] = ()
) -> AbstractContextManager[_Visit]:
    """Look at a dashboard that was started with files, the first of them the judgments if no other is."""
    judgments = str(qrels or features[0]) if features else None
    opened = environment(qrels=judgments, features=[str(path) for path in features])
    return _visited(browser, start_dashboard(home, opened))


@contextmanager
def _visited(browser: Browser, server: Dashboard) -> Iterator[_Visit]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(WATCH)
    try:
        yield _Visit(page, server)
    finally:
        page.close()
        server.close()


# --- what comes out ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mark:
    """A wait that may be so many times as long as another one."""

    wait: str
    most: float
    reference: str


MARKS = (
    *(Mark(f"{what}: first picture", 1.2, "bare page: first picture") for what in ("sample", "table")),
    *(Mark(f"{what}, {CHANGES[0]}", 3.0, FIRST_CHANGE) for what in ("sample", "table")),
    *(Mark(f"{what}: a later change", 3.0, OTHER_CHANGE) for what in ("sample", "table")),
    Mark("143 runs: first picture", 1.0, MANY),
    *(Mark(f"143 runs, page {title}", 3.0, "bare page: first picture") for title in PAGES),
)


def report(waits: Mapping[str, Sequence[float]], *, runs: int, load: float) -> str:
    """Write waits and marks as Markdown."""
    middle = {what: median(seconds) for what, seconds in waits.items()}
    of_waits = [
        [what, f"{middle[what]:.2f}", f"{min(seconds):.2f}", f"{max(seconds):.2f}"] for what, seconds in waits.items()
    ]
    if {"143 runs, tiecore evaluate", "bare page: first picture"} <= middle.keys():
        middle[MANY] = 2 * middle["143 runs, tiecore evaluate"] + middle["bare page: first picture"]
    of_marks = [
        [
            mark.wait,
            f"≤ {f'{mark.most:g} × ' * (mark.most != 1)}{mark.reference}",
            f"{ratio:.2f} ×",
            "met" if ratio <= mark.most else "**not met**",
        ]
        for mark in MARKS
        if mark.wait in middle and mark.reference in middle
        for ratio in [middle[mark.wait] / middle[mark.reference]]
    ]
    tables = [markdown_table([["wait", "median", "shortest", "longest"], *of_waits])]
    if of_marks:
        tables.append(markdown_table([["wait", "mark", "reached", ""], *of_marks]))
    return (
        f"# Waits\n\n`python -m bench.waits --runs {runs} > bench/WAITS.md`: seconds, measured by the page itself, in "
        f"Chromium on the same machine\n(load at the end: {load:.1f}).\n\n{MEANING}\n"
        + "\n\n".join([*tables, WHY.rstrip()])
    )


MEANING = """\
A *first picture* takes from the request for the page until its first leaderboard or chart is painted. All other waits
take from the press of a button or key (*done*: from the request) until the script has ended, nothing on the page is out
of date and every chart is drawn. The table has 20 features of 100,000 documents, in Parquet; the 143 runs have 30,000
lines each; there are three tie-breaks, and every visit starts with a server that knows nothing yet. The *bare page* is
a script of Streamlit with one choice and one chart (`bench/bare_page.py`). *A later change* is any but the first, of
whatever kind, that has something to compute; the mark is for the median of all of them, and each kind stands in the
table.
"""
WHY = """\
What a change on the table costs beside that of a bare page: the script of the page and its forty elements cost the
server and the browser what the line *seen before* shows, and the rest has to be computed. Tie groups and the values of
each column are kept, so another measure or cut-off sorts nothing, and another tie-break sorts only what is tied and
computes only its own values. Of what follows from a measure or a tie-break nothing is computed ahead; the files of the
command line are read, and their first page is computed, as soon as the server has started. What a browser shows first
of a change is compiled then: the first change is held against the first of the bare page.
"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.waits", description="How long a person waits.")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    wanted = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print(ADVICE, file=sys.stderr)
        return 2
    prepare([(N_QUERIES, "frequent"), (N_QUERIES, "all")], [], N_RUNS)
    waits: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium))
        for _ in range(wanted.runs):
            for name in wanted.only:
                for what, seconds in SETTINGS[name](browser, Path(home)):
                    print(f"{what}: {seconds:.2f}", file=sys.stderr)
                    waits.setdefault(what, []).append(seconds)
        browser.close()
    print(report(waits, runs=wanted.runs, load=os.getloadavg()[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Eight walks through the dashboard: ``python -m bench.walks [--only judges phone]``.

A browser does what a person does with data of their own: drop files in, press what leads on, and read. Each walk ends
when the sentence that answers its question is on the screen; it counts clicks, keys and seconds until then. Whether the
sentence is right is checked against tiecore's own tables, which know nothing of the dashboard. Data are drawn from
fixed seeds or are the sample; ``--judges FOLDER`` takes files of grades in the form of qrels instead, of which one is
called ``qrels.txt``.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Download, Locator, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

import tiecore
from bench.data import prepare
from bench.paths import many_qrels_file, many_run_files, table_file
from bench.report import markdown_table
from tests.browser.board import Board
from tests.browser.conftest import ADVICE, find_chromium
from tests.browser.server import ROOT, running_dashboard
from tiecore.stability import Stability
from tiecore.stability.sentences import percent, probability

__all__ = ["WALKS", "Truth", "Walked", "report", "truth_of"]

SAMPLE = ROOT / "sample_data"
SAMPLE_FEATURES = [
    SAMPLE / name
    for name in ("bm25.run.gz", "indegree.run", "clicks.csv", "outdegree.tsv.gz", "pages.parquet", "title_match.json")
]
MEASURE = "nDCG@10"
TIE_BREAKS = ("docid-desc", "docid-asc", "input")
N_RUNS, N_QUERIES, N_JUDGES = 143, 850, 33
IS_CLEAR = re.compile(r"\bclearly better than\b(?! any)")
CHARTS_OF_TWO = 2
LONGEST = 120_000
"""Milliseconds that nothing should take."""
SEED = 16


# --- what is right ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Truth:
    """What a sentence has to hold, by tiecore's own tables."""

    parts: tuple[str, ...]
    is_clear: bool = False
    """Whether it has to call the lead clear; otherwise it must not."""

    def holds(self, sentence: str) -> bool:
        """Whether a sentence says all of it, and calls clear what is."""
        return all(part in sentence for part in self.parts) and self.is_clear == bool(IS_CLEAR.search(sentence))


def truth_of(qrels: Path, features: Sequence[Path]) -> Truth:
    """Return what has to be said of features by what tiecore computes from the files."""
    files = [str(path) for path in features]
    evaluation = tiecore.evaluate(str(qrels), files, [MEASURE], list(TIE_BREAKS))
    board, stable = evaluation.leaderboard(MEASURE), evaluation.stability(MEASURE)
    return truth_of_pair(stable) if len(board) == 2 else truth_of_board(board, stable)


def truth_of_pair(stable: Stability) -> Truth:
    """Two features: who leads, what ties put at risk, and whether that is clear over the queries."""
    pair = stable.pairs.iloc[0]
    first, worst = (stable.places[column].to_dict()[pair["leader"]] for column in ("first", "worst_place"))
    ties = "however ties are broken" if worst == 1 else percent(min(first, 1 - 0.5 / stable.draws))
    return Truth((f"{pair['leader']} ", ties, probability(pair["holm"])), pair["verdict"] == "clear")


def truth_of_board(board: pd.DataFrame, stable: Stability) -> Truth:
    """Several features: who leads, how often under random tie-breaks, and whether that is clear over the queries."""
    leader = str(board.index[0])
    pairs = stable.pairs
    own = pairs[(pairs["leader"] == leader) | (pairs["trailer"] == leader)]
    open_pairs = own[own["verdict"] != "clear"]
    first, worst = stable.places["first"].to_dict()[leader], stable.places["worst_place"].to_dict()[leader]
    parts = [leader, "however ties are broken" if worst == 1 else percent(min(first, 1 - 0.5 / stable.draws))]
    if (board["worst"] == board["best"]).all():
        parts[1] = "No tie matters here"
    if not len(open_pairs):
        parts.append("clearly better than every other feature")
    return Truth(tuple(parts), len(open_pairs) < len(own))


# --- a walk -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Walked:
    """What a walk took, and what stood on the screen at its end."""

    clicks: int = 0
    keys: int = 0
    drops: int = 0
    seconds: float = 0.0
    """Waits only: from each press until what it was for is on the screen."""
    sentence: str = ""
    is_right: bool = False
    doubts: list[str] = field(default_factory=list)
    """What else was found wrong on the way."""


class Walker:
    """A person in front of a browser, with a stop-watch."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.page = board.page
        self.walked = Walked()

    def open(self, path: str, *, seen: Locator) -> None:
        """Open a page by its address."""
        self._do(lambda: self.page.goto(f"{self.board.address}/{path}"), seen=seen)

    def drop(self, files: Sequence[Path], *, seen: Locator) -> None:
        """Drop files in, all at once."""
        self.walked.drops += 1
        uploader = self.page.locator(".st-key-drop input[type=file]")
        self._do(lambda: uploader.set_input_files(list(files)), seen=seen)

    def click(self, what: Locator, *, seen: Locator, runs: bool = True) -> None:
        """Click, and wait until what the click was for is there; not every click makes the dashboard run again."""
        self.walked.clicks += 1
        self._do(what.click, seen=seen, runs=runs)

    def type(self, what: Locator, text: str, *, seen: Locator) -> None:
        """Type into a field, and press Enter."""
        self.walked.keys += len(text) + 1

        def write() -> None:
            what.fill(text)
            what.press("Enter")

        self._do(write, seen=seen)

    def download(self, button: Locator) -> Download:
        """Click on what gives a file."""
        self.walked.clicks += 1
        begun = time.perf_counter()
        with self.page.expect_download(timeout=LONGEST) as found:
            button.click()
        path = found.value.path()
        self.walked.seconds += time.perf_counter() - begun
        assert path is not None
        return found.value

    def read(self, sentence: Locator, truth: Truth) -> None:
        """Read the sentence that a walk ends with, and say whether it is right, and on the screen."""
        self.walked.sentence = " ".join(sentence.inner_text().split())
        self.walked.is_right = truth.holds(self.walked.sentence)
        if not _is_on_screen(sentence):
            self.doubt("the sentence is not on the screen without scrolling")
        if not self.walked.is_right:
            self.doubt(f"expected {', '.join(truth.parts)}, {'clear' if truth.is_clear else 'not clear'}")

    def doubt(self, what: str) -> None:
        """Note something that should not be."""
        self.walked.doubts.append(what)

    def _do(self, action: Callable[[], object], *, seen: Locator, runs: bool = True) -> None:
        def timed() -> None:
            begun = time.perf_counter()
            action()
            seen.wait_for(timeout=LONGEST)
            self.walked.seconds += time.perf_counter() - begun

        if runs:
            self.board.act(timed)
        else:
            timed()

    # what all walks meet

    @property
    def answer(self) -> Locator:
        """The sentence in large type."""
        return self.page.locator(".answer p").first

    @property
    def results(self) -> Locator:
        """The link that leads to the results."""
        return self.page.get_by_role("link", name="See the results")

    def to_results(self, files: Sequence[Path]) -> None:
        """From an open dashboard to the answer: the page Data, files dropped in, the link that leads on."""
        self.open("", seen=self.answer)
        self.walked.seconds = 0.0  # the watch begins with the first press
        uploader = self.page.locator(".st-key-drop")
        self.click(self.page.get_by_role("link", name="Use your own files"), seen=uploader)
        self.drop(files, seen=self.results)
        self.click(self.results, seen=self.answer)


def _is_on_screen(what: Locator) -> bool:
    box, size = what.bounding_box(), what.page.viewport_size
    assert size is not None
    return (
        box is not None
        and box["x"] >= 0
        and box["x"] + box["width"] <= size["width"]
        and box["y"] >= 0
        and box["y"] + box["height"] <= size["height"]
    )


# --- the walks --------------------------------------------------------------------------------------------------------


def two_runs(walker: Walker, home: Path, judges: Path | None) -> None:
    """Drop in two runs and their judgments."""
    qrels, runs = SAMPLE / "qrels.txt", [SAMPLE / "bm25.run.gz", SAMPLE / "indegree.run"]
    walker.to_results([qrels, *runs])
    walker.read(walker.answer, truth_of(qrels, runs))
    if (
        not walker.page.locator("p.verdict").count()
        or walker.page.get_by_test_id("stPlotlyChart").count() < CHARTS_OF_TWO
    ):
        walker.doubt("verdict, distributions or queries of the pair are not shown")


def track(walker: Walker, home: Path, judges: Path | None) -> None:
    """Drop in the runs of a TREC track, of 30,000 lines each."""
    prepare([], [], N_RUNS)
    qrels, runs = many_qrels_file(), many_run_files(N_RUNS)
    walker.to_results([qrels, *runs])
    walker.read(walker.answer, truth_of(qrels, runs))


def features(walker: Walker, home: Path, judges: Path | None) -> None:
    """Drop in one table of 100,000 documents with a label and 136 features."""
    prepare([(N_QUERIES, "all")], [])
    table, page = table_file(N_QUERIES, "all"), walker.page
    walker.to_results([table])
    walker.read(walker.answer, truth_of(table, [table]))
    box = page.get_by_label("Name contains")
    walker.click(page.get_by_role("button", name="Filter"), seen=box, runs=False)
    walker.type(box, "clicks", seen=page.get_by_text("Shown: 2 of 136 features"))
    board = tiecore.evaluate(str(table), [str(table)], [MEASURE], only=["query_url_clicks", "url_clicks"]).leaderboard(
        MEASURE
    )
    shown = page.locator(".leaderboard tbody th.name").all_inner_texts()
    if [name.strip() for name in shown] != list(board.index):
        walker.doubt(f"the filter shows {shown}")


def thirty_three_judges(walker: Walker, home: Path, judges: Path | None) -> None:
    """Drop in grades by models in the form of qrels, and the human judgments."""
    folder = judges or write_judges(home / "judges")
    qrels = folder / "qrels.txt"
    files = [path for path in sorted(folder.glob("*.txt")) if path != qrels and path.name != "SOURCE.txt"]
    walker.to_results([qrels, *files])
    walker.read(walker.answer, truth_of(qrels, files))


def no_ties(walker: Walker, home: Path, judges: Path | None) -> None:
    """Drop in three runs without any tie."""
    qrels, runs = write_no_ties(home / "no_ties")
    walker.to_results([qrels, *runs])
    walker.read(walker.answer, truth_of(qrels, runs))


def messy_files(walker: Walker, home: Path, judges: Path | None) -> None:
    """Drop in good files among files that cannot be read, do not fit or have to be asked about."""
    good, messy = write_messy(home / "messy")
    page = walker.page
    walker.open("data", seen=page.locator(".st-key-drop"))
    walker.walked.seconds = 0.0
    walker.drop([*good, *messy], seen=walker.results)
    if not _is_on_screen(walker.results):
        walker.doubt("the way to the results is not on the screen")
    text = walker.board.text()
    for path in messy:
        if path.name not in text:
            walker.doubt(f"{path.name} is not mentioned")
    if page.locator("[data-testid=stToast], [data-testid=stAlertContentSuccess]").count():
        walker.doubt("something says that all is well")
    for alert in page.get_by_test_id("stAlert").all():
        box = alert.bounding_box()
        if box is None or box["x"] + box["width"] > WALKS["messy"].width:
            walker.doubt(f"a message is wider than the screen: {alert.inner_text()[:80]}")
    for message in page.get_by_test_id("stAlert").locator("li").all():
        box = message.bounding_box()
        if box is None or box["height"] > MOST_OF_MESSAGE:
            walker.doubt(f"a message takes too many lines: {message.inner_text()[:80]}")
    walker.click(page.get_by_role("button", name="Yes, keep it"), seen=walker.results)
    walker.click(walker.results, seen=walker.answer)
    walker.read(walker.answer, truth_of(good[0], good[1:]))


def paper(walker: Walker, home: Path, judges: Path | None) -> None:
    """Take a figure and a table away from what is on the screen."""
    walker.open("", seen=walker.answer)
    walker.walked.seconds = 0.0
    box = walker.board.key("ranking_exports")
    preview = walker.board.key("studio_preview")
    walker.click(box.get_by_text("Export: tables, charts, code"), seen=preview.locator("img"))
    figure = walker.download(box.get_by_role("button", name="PDF", exact=True))
    table = walker.download(box.get_by_role("button", name="Leaderboard (LaTeX)", exact=True))
    if not Path(figure.path()).read_bytes().startswith(b"%PDF"):
        walker.doubt("the figure is no PDF")
    written = Path(table.path()).read_text(encoding="utf-8")
    evaluation = tiecore.evaluate(
        str(SAMPLE / "qrels.txt"), [str(path) for path in SAMPLE_FEATURES], [MEASURE], list(TIE_BREAKS)
    )
    board = evaluation.leaderboard(MEASURE)
    if f"{board['expected'].iloc[0]:.4f}" not in written or r"\label" not in written:
        walker.doubt("the table lacks the best value or a label")
    sentence = box.get_by_text("The files look exactly like this")
    sentence.scroll_into_view_if_needed()
    walker.read(sentence, Truth(("85 ×", "mm")))


def phone(walker: Walker, home: Path, judges: Path | None) -> None:
    """Look at the sample on a small screen in the dark, go to another page and come back."""
    walker.open("", seen=walker.answer)
    page = walker.page
    page.locator(".leaderboard tbody tr").first.wait_for()
    walker.walked.seconds = 0.0
    pages = walker.page.get_by_role("navigation", name="All pages")
    walker.click(pages.get_by_role("link", name="Pairs"), seen=page.get_by_role("heading", name="Pairs", exact=True))
    walker.click(pages.get_by_role("link", name="Ranking"), seen=walker.answer)
    if page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") > 390:
        walker.doubt("the page is wider than the screen")
    row = page.locator(".leaderboard tbody tr").first
    for part in ("name", "place", "value", "verdict"):
        box = row.locator(f".{part}").bounding_box()
        if box is None or box["x"] + box["width"] > 390:
            walker.doubt(f"{part} is not on the screen")
    walker.read(walker.answer, truth_of(SAMPLE / "qrels.txt", SAMPLE_FEATURES))


MOST_OF_MESSAGE = 80
"""Pixels that a message about a file may be high: three lines."""
Walk = Callable[[Walker, Path, Path | None], None]


@dataclass(frozen=True, slots=True)
class Course:
    """A walk, the question that it answers, how many clicks it may take, and on which screen."""

    walk: Walk
    question: str
    clicks: int
    width: int = 1280
    height: int = 800
    is_dark: bool = False


WALKS: Mapping[str, Course] = {
    "two-runs": Course(two_runs, "Two runs and their judgments: is one better?", 2),
    "track": Course(track, "143 runs of a TREC track, 30,000 lines each: who leads, and is that clear?", 2),
    "features": Course(
        features,
        "136 features of 100,000 documents in one table with a label: which leads, and where are the clicks?",
        3,
    ),
    "judges": Course(
        thirty_three_judges,
        "33 files of grades by models, and the human judgments: which model ranks best, and whose order is luck?",
        2,
    ),
    "no-ties": Course(
        no_ties, "Three runs without any tie: is the lead clear, though every tie-breaking gives the same order?", 2
    ),
    "messy": Course(
        messy_files, "Good files among files that cannot be read or have to be asked about: what of it counts?", 2
    ),
    "paper": Course(paper, "A figure and a table for a paper: where are they, and are they right?", 3),
    "phone": Course(
        phone,
        "The sample on a screen of 390 x 844, in the dark: who leads, by how much, is it clear?",
        2,
        width=390,
        height=844,
        is_dark=True,
    ),
}


# --- their data -------------------------------------------------------------------------------------------------------


def write_judges(folder: Path) -> Path:
    """Write human grades of 25 x 120 documents, and grades of models that follow them more or less closely."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    n = 25 * 120
    ids = [f"q{query:02d} 0 p{document:05d}" for query in range(25) for document in rng.permutation(10_000)[:120]]
    human = rng.choice(4, size=n, p=(0.5, 0.2, 0.18, 0.12))
    for name, skill in [("qrels", 1.0), *((f"judge{number:02d}", 0.25 + 0.015 * number) for number in range(N_JUDGES))]:
        guessed = np.where(rng.random(n) < skill, human, rng.choice(4, size=n, p=(0.3, 0.2, 0.2, 0.3)))
        lines = [f"{one} {grade}\n" for one, grade in zip(ids, guessed, strict=True)]
        (folder / f"{name}.txt").write_text("".join(lines), encoding="utf-8")
    return folder


def write_no_ties(folder: Path) -> tuple[Path, list[Path]]:
    """Write judgments of 40 queries, and three runs all of whose scores differ."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    n_queries, depth = 40, 50
    grade = rng.choice(3, size=(n_queries, depth), p=(0.7, 0.2, 0.1))
    qrels = folder / "qrels.txt"
    lines = [f"{q} 0 d{d} {grade[q, d]}\n" for q in range(n_queries) for d in range(depth)]
    qrels.write_text("".join(lines), encoding="utf-8")
    runs = []
    for name, skill in (("dense", 1.0), ("hybrid", 1.05), ("sparse", 0.3)):
        scores = skill * grade + rng.normal(size=grade.shape)
        rows = []
        for q in range(n_queries):
            ranked = np.argsort(-scores[q])
            rows += [f"{q} Q0 d{d} {rank} {scores[q, d]:.9f} {name}\n" for rank, d in enumerate(ranked, start=1)]
        runs.append(folder / f"{name}.run")
        runs[-1].write_text("".join(rows), encoding="utf-8")
    return qrels, runs


def write_messy(folder: Path) -> tuple[list[Path], list[Path]]:
    """Write good files, judgments first and those of another assessor last, and what people drop in by mistake."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    pairs = [(f"{q:03d}", f"d{d}") for q in range(1, 11) for d in range(20)]
    grades = rng.choice(3, size=len(pairs))
    qrels = "".join(f"{query} 0 {document} {grade}\n" for (query, document), grade in zip(pairs, grades, strict=True))
    table = "".join(
        f"{query},{document},{grade + rng.integers(2)},{rng.integers(3)}\n"
        for (query, document), grade in zip(pairs, grades, strict=True)
    )
    other = "".join(
        f"{query} 0 {document} {(grade + rng.integers(2)) % 3}\n"
        for (query, document), grade in zip(pairs[:-1], grades, strict=False)
    )
    good = {
        "judged.qrels": qrels.encode(),
        "features.csv": b"\xef\xbb\xbfquery_id,doc_id,clicks,visits\n" + table.encode(),
        "second assessor.qrels": other.encode(),
    }
    renamed = table.replace(",", "\t")
    messy = {
        "latin1.csv": "query_id,doc_id,café\n001,d1,3\n001,dé2,2\n".encode("latin-1"),
        "doc.csv": b"search,doc,stars,likes\n" + table.encode(),
        "no header.tsv": renamed.encode(),
        "sheet.xlsx": b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00[Content_Types].xml" + rng.bytes(400),
        "empty.txt": b"",
        "noise.bin": rng.bytes(2000),
        "nothing.gz": b"",
        "cut.run.gz": gzip.compress(rng.bytes(5000))[:2000],
        "twice.run": b"001 Q0 d1 1 2.5 tag\n001 Q0 d1 2 1.5 tag\n",
        "nan.csv": b"query_id,doc_id,score\n001,d1,1\n001,d2,nan\n",
        "zeros.csv": b"query_id,doc_id,score\n1,d1,1\n1,d2,2\n2,d3,3\n",
        "<b>![x](y)*.csv": b"query_id,doc_id,score\n001,d1,<img src=x>\n",
        "long " + "name " * 20 + ".run": b"001 Q0 d1 1 " + b"9x" * 400 + b" tag\n",
    }
    paths = []
    for name, data in (good | messy).items():
        paths.append(folder / name)
        paths[-1].write_bytes(data)
    return paths[: len(good)], paths[len(good) :]


# --- what comes out ---------------------------------------------------------------------------------------------------


def report(walked: Mapping[str, Walked], *, load: float) -> str:
    """Write the walks as Markdown."""
    rows = [
        [
            name,
            WALKS[name].question,
            f"{one.clicks} of {WALKS[name].clicks}",
            str(one.drops),
            str(one.keys),
            f"{one.seconds:.1f}",
            one.sentence,
            "yes" if is_good(name, one) else "**no**: " + "; ".join(one.doubts or ["more clicks than stated"]),
        ]
        for name, one in walked.items()
    ]
    head = ["walk", "question", "clicks", "drops", "keys", "seconds", "sentence at the end", "right"]
    return f"# Walks\n\n`python -m bench.walks > bench/WALKS.md` (load at the end: {load:.1f}).\n\n{MEANING}\n" + (
        markdown_table([head, *rows]) + "\n"
    )


def is_good(name: str, one: Walked) -> bool:
    """Whether a walk ended with the right sentence, within its clicks, and with nothing wrong on the way."""
    return one.is_right and not one.doubts and one.clicks <= WALKS[name].clicks


MEANING = """\
Each walk begins in front of an open dashboard with the sample, or on its page Data, and ends when the sentence is on
the screen, without scrolling (but for the figure, which is made below the table). *Clicks* are those made, of those
that a walk may take; dropping in files, however many, is a drop. *Seconds* are waits, on the same machine: from each
press until what it was for is on the screen. *Right* is a sentence that says what tiecore's tables say (who leads, in
which share of tie-breaks, whether over the queries, whether that is clear), with nothing wrong on the way.
"""


@contextmanager
def _walker(browser: Browser, address: str, course: Course) -> Iterator[Walker]:
    context = browser.new_context(
        viewport={"width": course.width, "height": course.height},
        color_scheme="dark" if course.is_dark else "light",
        accept_downloads=True,
    )
    context.set_default_timeout(LONGEST)
    try:
        yield Walker(Board(context.new_page(), address))
    finally:
        context.close()


def main() -> int:
    """Walk, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.walks", description="Eight walks through the dashboard.")
    parser.add_argument("--only", nargs="+", choices=list(WALKS), default=list(WALKS))
    parser.add_argument("--judges", type=Path, metavar="FOLDER", help="grades in the form of qrels, and qrels.txt")
    wanted = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print(ADVICE, file=sys.stderr)
        return 2
    walked: dict[str, Walked] = {}
    with (
        tempfile.TemporaryDirectory() as home,
        running_dashboard(Path(home)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=str(chromium))
        for name in wanted.only:
            with _walker(browser, address, WALKS[name]) as walker:
                try:
                    WALKS[name].walk(walker, Path(home), wanted.judges)
                except (PlaywrightTimeoutError, AssertionError) as error:
                    walker.doubt(re.sub(r"\s+", " ", str(error))[:200])
                for complaint in [*walker.board.complaints, *walker.board.outside]:
                    walker.doubt(complaint)
            walked[name] = walker.walked
            print(f"{name}: {walker.walked}", file=sys.stderr, flush=True)
        browser.close()
    print(report(walked, load=os.getloadavg()[0]))
    return 0 if all(is_good(name, one) for name, one in walked.items()) else 1


if __name__ == "__main__":
    sys.exit(main())

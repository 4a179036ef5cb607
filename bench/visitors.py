"""What one visitor can do to the others: ``python -m bench.visitors [--only NAME …]``.

A visitor drops in a file that is not as harmless as it looks, goes through the pages, and closes the tab. Another one,
who has seen them before, goes from page to page. The table holds for each file what the first one was told, the longest
wait of the other, the server's peak of memory, how long it went on afterwards, and what it held a minute later.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from bench.report import markdown_table
from tests.browser.board import Board
from tests.browser.conftest import ADVICE, find_chromium
from tests.browser.server import Dashboard, start_dashboard

PAGES = ("Ranking", "Pairs", "Ties", "Data")
MOST_MEMORY, LONGEST_WAIT, LONGEST_WORK = 4.0, 3.0, 5.0
"""Gibibytes, and seconds: of another visitor's change, and of work after the tab is closed."""
LOOKS, A_MINUTE = 12.0, 45.0
BUSY = 0.3
"""Share of a processor from which on the server works."""
MEBI, IDS = 2**20, ("query_id", "doc_id")

# --- the files --------------------------------------------------------------------------------------------------------


def _counts(path: Path, n: int, *, n_queries: int = 3) -> None:
    """Write a table of counts with one tie of so many documents for each feature and query."""
    queries = [f"q{number}" for number in range(n_queries)]
    rows: list[tuple[object, ...]] = [(None, query, None, grade, n) for query in queries for grade in (0, 1)]
    rows += [(f"f{f}", query, 0, grade, n // (2 * (f + 1))) for f in range(3) for query in queries for grade in (0, 1)]
    names = {"feature": pa.string(), "query_id": pa.string(), "score_int": pa.int64(), "grade": pa.int64()}
    columns = zip((names | {"n": pa.int64()}).items(), zip(*rows, strict=True), strict=True)
    pq.write_table(pa.table({name: pa.array(column, kind) for (name, kind), column in columns}), path)


def _equal_rows(path: Path, millions: int) -> None:
    n = 10**6
    table = pa.table({"query_id": ["q"] * n, "doc_id": ["d"] * n, "relevance": [1] * n, "x": [1.0] * n})
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(millions):
            writer.write_table(table)


def _unpacks(path: Path, head: bytes, piece: bytes, times: int, tail: bytes = b"") -> None:
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        for _ in range(times):
            file.write(piece)
        file.write(tail)


def _table(columns: Sequence[str], n_rows: int) -> bytes:
    rows = (
        f"q{row // 10},d{row},{row % 3}," + ",".join(str(row * place % 5) for place in range(len(columns)))
        for row in range(n_rows)
    )
    return "\n".join((f"query_id,doc_id,relevance,{','.join(columns)}", *rows, "")).encode()


def _documents(path: Path, n: int) -> None:
    queries, documents = [f"q{row // 10**5}" for row in range(n)], [f"d{row}" for row in range(n)]
    columns = {name: [row * step % 97 for row in range(n)] for name, step in (("x", 1), ("y", 5), ("z", 11))}
    judged = [row % 3 for row in range(n)]
    pq.write_table(pa.table({"query_id": queries, "doc_id": documents, "relevance": judged, **columns}), path)


def _wide(path: Path, n_columns: int) -> None:
    ids = {"query_id": ["q"] * 20, "doc_id": [f"d{row}" for row in range(20)]}
    columns = {f"c{place}": [row % (place % 7 + 1) for row in range(20)] for place in range(n_columns)}
    pq.write_table(pa.table(ids | {"relevance": [row % 3 for row in range(20)]} | columns), path)


def _damaged(path: Path) -> None:
    _documents(path, 2000)
    data, pick = bytearray(path.read_bytes()), random.Random(0)
    for _ in range(5):
        data[pick.randrange(len(data) - 1500, len(data) - 8)] = pick.randrange(256)
    path.write_bytes(data)


FILES: dict[str, Callable[[Path], object]] = {
    "counts_million.parquet": lambda path: _counts(path, 2**20),
    "counts_overflow.parquet": lambda path: _counts(path, 2**62, n_queries=1),
    "rows_8_million.parquet": lambda path: _equal_rows(path, 8),
    "rows_60_million.parquet": lambda path: _equal_rows(path, 60),
    "documents_6_million.parquet": lambda path: _documents(path, 6 * 10**6),
    "one_row_260_million_cells.csv.gz": lambda path: _unpacks(
        path, b"query_id,doc_id,x\nq1,d", b",1" * 2**19, 500, b"\n"
    ),
    "one_line_500_MB.csv.gz": lambda path: _unpacks(path, b"query_id,doc_id,x\nq1,", b"a" * MEBI, 500, b",1\n"),
    "letor_130_million_pairs.txt.gz": lambda path: _unpacks(path, b"1 qid:1", b" 1:1" * 2**18, 500, b"\n"),
    "blank_lines_900_MB.csv.gz": lambda path: _unpacks(path, b"", b"\n" * MEBI, 900),
    "digits_500_MB.json.gz": lambda path: _unpacks(path, b'{"q":{"d":', b"1" * MEBI, 500, b"}}"),
    "columns_5000.csv": lambda path: path.write_bytes(_table([f"c{place}" for place in range(5000)], 40)),
    "columns_20000.parquet": lambda path: _wide(path, 20_000),
    "name_100000.csv": lambda path: path.write_bytes(_table(["W" * 100_000], 200)),
    "query_10_MB.parquet": lambda path: pq.write_table(
        pa.table({name: pa.array(["q" * 10 * MEBI]).dictionary_encode().take(pa.array([0] * 2000)) for name in IDS}),
        path,
    ),
    "damaged.parquet": _damaged,
}


# --- the visitors -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Suffered:
    """What the server and its other visitor went through."""

    said: str
    """To the visitor with the file."""
    longest_wait: float
    """Seconds of the other one."""
    peak: float
    """Gibibytes."""
    went_on: float
    """Seconds that the server worked after the tab was closed."""
    held: float
    """Gibibytes a minute later, above those before."""

    @property
    def is_fine(self) -> bool:
        """Whether all of it is within its limit."""
        return (
            self.longest_wait <= LONGEST_WAIT
            and self.peak <= MOST_MEMORY
            and self.went_on <= LONGEST_WORK
            and "Traceback" not in self.said
        )


class Watch:
    """Memory and processor time of a process, looked at all the time."""

    def __init__(self, pid: int) -> None:
        """Begin to look."""
        self.pid, self.peak, self._goes_on = pid, 0.0, True
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def memory(self) -> float:
        """Return the gibibytes that it holds now."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**30

    def busy_for(self, longest: float) -> float:
        """Return the seconds until it has been idle for a second."""
        began, last_busy = time.monotonic(), 0.0
        while (passed := time.monotonic() - began) < longest and passed - last_busy < 1:
            before = self._processor()
            time.sleep(0.25)
            if self._processor() - before > BUSY * 0.25:
                last_busy = time.monotonic() - began
        return last_busy

    def end(self) -> None:
        """Look no longer."""
        self._goes_on = False
        self._thread.join()

    def _look(self) -> None:
        while self._goes_on:
            with suppress(OSError):
                self.peak = max(self.peak, self.memory())
            time.sleep(0.02)

    def _processor(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _visitor(browser: Browser, address: str) -> Iterator[Board]:
    context = browser.new_context()
    context.set_default_timeout(60_000)
    try:
        yield Board(context.new_page(), address)
    finally:
        context.close()


def _wait_of(other: Board, title: str) -> float:
    began = time.monotonic()
    other.visit(title)
    return time.monotonic() - began


def suffer(browser: Browser, server: Dashboard, path: Path) -> Suffered:
    """Let one visitor come with a file, look at the pages and leave, while another one goes from page to page."""
    waits, said = [0.0], ""
    watch = Watch(server.process.pid)
    with _visitor(browser, server.address) as other:
        other.open()
        for title in PAGES[:2]:  # what a browser fetches and parses once is no change
            other.visit(title)
        before, watch.peak = watch.memory(), 0.0
        with _visitor(browser, server.address) as guest:
            guest.open("data")
            guest.key("drop").locator("input[type=file]").set_input_files(path)
            ends = time.monotonic() + LOOKS
            while time.monotonic() < ends:
                waits += [_wait_of(other, title) for title in PAGES[:2]]
                with suppress(PlaywrightError):
                    if not said:
                        guest.page.wait_for_timeout(4000)
                        said = guest.text()
                    guest.page.get_by_role("link", name=random.choice(PAGES)).first.click(timeout=1000)
        began = time.monotonic()
        went_on = watch.busy_for(LOOKS)
        time.sleep(max(0.0, A_MINUTE - (time.monotonic() - began)))
        held = watch.memory() - before
    watch.end()
    return Suffered(_sentence(said), max(waits), watch.peak, went_on, held)


def _sentence(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if len(line) > 30]
    wrong = [line for line in lines if "Traceback" in line or ".parquet" in line or ".csv" in line or ".gz" in line]
    return (wrong or lines or [""])[0][:90]


def main() -> int:
    """Measure, and write a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.visitors", description="What one visitor does to others.")
    parser.add_argument("--only", nargs="+", choices=FILES, metavar="NAME", help=f"some of {', '.join(FILES)}")
    chosen = parser.parse_args()
    chromium = find_chromium()
    if chromium is None:
        print(ADVICE, file=sys.stderr)
        return 2
    rows, are_fine = [], True
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(chromium))
        server = start_dashboard(Path(folder))
        try:
            for name in chosen.only or FILES:
                path = Path(folder) / name
                FILES[name](path)
                found = suffer(browser, server, path)
                are_fine &= found.is_fine
                numbers = (found.longest_wait, found.peak, found.went_on, found.held)
                rows.append([name, *(f"{number:.1f}" for number in numbers), found.said])
                print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
        finally:
            server.close()
            browser.close()
        if "Traceback" in (log := server.log.read_text()):
            print(log, file=sys.stderr)
            are_fine = False
    titles = ["File", "Longest wait of another, s", "Peak, GiB", "Goes on, s", "Held after a minute, GiB", "Said"]
    print(markdown_table([titles, *rows]))
    return 0 if are_fine else 1


if __name__ == "__main__":
    sys.exit(main())

"""Runs the command inside this process, as a pipe would see it."""

import csv
import io
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from sample_data import build
from tiecore.cli import app
from tiecore.cli.render.tables import Sheet

SAMPLE = Path(build.__file__).parent
TINY = SAMPLE / "tiny"
TINY_FILES = (TINY / "qrels.txt", TINY / "visits.run", TINY / "stars.csv")
HOSTILE = (
    r"_*|&%$#{}~^\<>[x]", 'say "hi"', "a--b---c``d''e", "?`!`,,<<>>", "[2pt]", "*", "-", "two  spaces ",
    "a\ttab\nand a line", "\u202eright to left", "naïve Ångström çédille ŵ ǰ ế", "ąęĐþ", "Łódź straße Øre œuvre",
    "日本語 привет שלום \U0001f600", "αβγ σ ≥ 1 ± µ → ∞", "“quoted” – like — this…", "e\u0301 combining\u0328", "\\",
    "\x1b[31mred", "=cmd|' /C calc'!A0", "+a", "-b", "@c", "feature", "measure", "<b>[bold]x[/bold]</b>", "=1+2",
    "\x9b1m",
)  # fmt: skip
"""Names that could do harm where they are written."""
# What a terminal or a build server may have set and what would change the output.
UNSET = dict.fromkeys(("NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TTY_COMPATIBLE", "TERMINAL_WIDTH"))


def run(*arguments: object, width: int = 80, charset: str = "utf-8", **options: Any) -> Result:
    """Run the command; faults of ours are raised, exit statuses returned."""
    runner = CliRunner(charset=charset, env={**UNSET, "COLUMNS": str(width)})
    return runner.invoke(app, list(map(str, arguments)), catch_exceptions=False, **options)


def answer(*arguments: object, width: int = 80, **options: Any) -> str:
    result = run(*arguments, width=width, **options)
    assert result.exit_code == 0, result.output
    return result.stdout


LONGEST = 120
"""Seconds after which a process that a test has started is killed: far more than any of them needs."""


@contextmanager
def process(command: Sequence[str], into: Any = subprocess.PIPE, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that an interrupt reaches, and kill it when the test is done with it or has waited too long.

    Where the tests themselves ignore interrupts (under nohup, in the background of a shell, on some build servers)
    a process would inherit that.
    """

    def default_interrupt() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    if os.name == "posix":
        options["preexec_fn"] = default_interrupt
    with subprocess.Popen(command, stdout=into, stderr=subprocess.PIPE, **options) as started:
        too_long = threading.Timer(LONGEST, started.kill)
        too_long.start()
        try:
            yield started
        finally:
            too_long.cancel()
            started.kill()


def ended(*command: object, timeout: float = LONGEST, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; what it writes is text."""
    given: dict[str, Any] = {"capture_output": True, "encoding": "utf-8", "errors": "replace", "check": False} | options
    return subprocess.run([*map(str, command)], timeout=timeout, **given)


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SAMPLE.parent)}


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def same(rows: Iterable[Mapping[str, Any]], table: pd.DataFrame) -> None:
    """Hold rows of text or JSON against all columns of a frame, in whatever order, to the last digit."""
    frame = table.reset_index(drop=table.index.names == [None])
    is_number = {str(name): column.dtype.kind in "iuf" for name, column in frame.items()}

    def spelled(row: Mapping[Any, Any]) -> list[str]:
        cells = {name: " ".join(row[name]) if isinstance(row[name], tuple | list) else row[name] for name in is_number}
        texts = {name: "" if cell is None or cell != cell or cell == "" else cell for name, cell in cells.items()}
        return [repr(float(text)) if is_number[name] and text != "" else str(text) for name, text in texts.items()]

    assert sorted(map(spelled, rows)) == sorted(map(spelled, frame.to_dict("records")))


def mistake(*arguments: object, **options: Any) -> str:
    """Return the one line that a refused command writes, to standard error alone and behind its notes."""
    result = run(*arguments, **options)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    *notes, line = result.stderr.splitlines()
    assert all(note.startswith(("note: ", "warning: ")) for note in notes)
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


def hostile_table(folder: Path) -> Path:
    """Write a labelled table whose columns and ids have every name that could do harm."""
    path = folder / "names.parquet"
    rows = [
        [f"q\x1b[1m{query}", f"d{doc}", (query + doc) % 3, *((doc * (f + 2)) % 4 for f in range(len(HOSTILE)))]
        for query in range(2)
        for doc in range(5)
    ]
    pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", *HOSTILE]).to_parquet(path)
    return path


def unexplained(sheet: Sheet) -> set[str]:
    headings = {column.heading for table in sheet.tables for column in table.written}
    return {
        heading
        for heading in headings
        if not {heading, re.sub(r".+( place| shift)", r"…\1", heading), re.sub(r"tied .+", "tied …", heading)}
        & set(", ".join(sheet.legend).split(", "))
    }


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def on_a_screen(monkeypatch: pytest.MonkeyPatch, stream: str, *arguments: object, **variables: str) -> str:
    screen = Screen()
    with monkeypatch.context() as patch:
        for name in UNSET:
            patch.delenv(name, raising=False)
        for name, value in ({"TERM": "xterm-256color", "COLUMNS": "80"} | variables).items():
            patch.setenv(name, value)
        patch.setattr(f"sys.{stream}", screen)
        app(list(map(str, arguments)), standalone_mode=False)
    return screen.getvalue()


def raising(error: BaseException) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> Any:
        raise error

    return fail

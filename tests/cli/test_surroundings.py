"""Where a command finds itself: closed streams, odd encodings, no home, files of other systems, signals."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.running import LONGEST, SAMPLE, TINY_FILES, answer, ended, environment, mistake, process, rows_of
from tiecore.escape import in_csv

POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="needs signals, pipes and names that are bytes")
QRELS = "q1 0 d1 1\nq1 0 d2 0\n"


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.txt"
    path.write_text(QRELS)
    return path


def real(*arguments: object, variables: dict[str, str]) -> tuple[int, str, str]:
    """Run the command as a process of its own, with no other variables: status, standard output and error."""
    given = {"PYTHONPATH": str(SAMPLE.parent), **variables}
    done = ended(sys.executable, "-m", "tiecore", *arguments, stdin=subprocess.DEVNULL, env=given)
    return done.returncode, done.stdout, done.stderr


def notes_of(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.startswith(("note: ", "warning: "))]


def test_neither_home_nor_language_nor_anything_else_is_needed_of_the_surroundings() -> None:
    """The numbers are the same, and what a terminal cannot write stands there in ASCII."""
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    status, written, said = real("evaluate", *TINY_FILES, "-m", "AP", variables=ascii_only)
    assert (status, notes_of(said)) == (0, said.splitlines())
    assert written.isascii()
    usual = answer("evaluate", *TINY_FILES, "-m", "AP")
    signs = str.maketrans({"├": "|", "┤": "|", "─": "-", "●": "o", "·": "-"})
    assert written.split() == usual.translate(signs).split()
    _, elsewhere, _ = real("evaluate", *TINY_FILES, "-m", "AP", variables={"TZ": "Asia/Kathmandu"})
    assert elsewhere == usual


def test_closed_streams_are_told_of(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As ``<&-`` and ``>&-`` close them; Python then has None in their places."""
    from tiecore.cli import app

    def told(*arguments: object) -> str:
        with pytest.raises(SystemExit) as end:
            app([*map(str, arguments)])
        assert end.value.code == 2
        return capsys.readouterr().err

    monkeypatch.setattr(sys, "stdin", None)
    assert told("evaluate", TINY_FILES[0], "-") == "error: standard input (-) is closed: name a file\n"
    monkeypatch.setattr(sys, "stdout", None)
    said = told("evaluate", *TINY_FILES)
    assert said.splitlines() == [*notes_of(said), "error: cannot write to standard output: Bad file descriptor"]


@pytest.mark.parametrize("width", [0, 1, 7, 19])
def test_a_terminal_that_says_it_has_no_width_gets_a_table_all_the_same(width: int) -> None:
    assert "visits" in answer("evaluate", *TINY_FILES, "-m", "AP", width=width)


@POSIX_ONLY
@pytest.mark.parametrize(
    "name", [b"with blank.json", b"two\nlines.json", "日本é.json".encode(), b"no\xfetext.json", b"-.json"]
)
def test_a_name_of_a_file_may_hold_anything(tmp_path: Path, qrels: Path, name: bytes) -> None:
    """What is no text is written as a question mark in a box, in the names of features as in messages."""
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    path.write_text('{"q1": {"d1": 1, "d2": 1}}')
    stem = name.decode("utf-8", "replace").removesuffix(".json")
    for arguments in ([], ["-o", tmp_path / "out.csv"], ["-f", "json"], ["-f", "latex"]):
        answer("evaluate", qrels, path, "-m", "AP", *arguments)
    assert [row["feature"] for row in rows_of((tmp_path / "out.csv").read_text(encoding="utf-8"))] == [in_csv(stem)]
    path.write_text("nonsense")
    assert stem.replace("\n", "\\n") in mistake("evaluate", qrels, path)


@POSIX_ONLY
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), pytest.param(signal.SIGTERM, -signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_signal_ends_a_command_and_leaves_nothing_behind(tmp_path: Path, number: signal.Signals, status: int) -> None:
    very_many = ",".join(f"random:{seed}" for seed in range(9000))
    asked = ["evaluate", "qrels.txt", "clicks.csv", "-t", very_many, "-o", str(tmp_path / "out.csv")]
    command = [sys.executable, "-m", "tiecore", *asked]
    with process(command, cwd=SAMPLE, env=environment()) as working:
        wait_until_busy(working)
        working.send_signal(number)
        written, said = working.communicate(timeout=LONGEST)
    assert (working.returncode, written) == (status, b"")
    assert said == (b"interrupted\n" if number == signal.SIGINT else b"")
    assert not (tmp_path / "out.csv").exists()
    assert not list(tmp_path.glob(".tiecore*"))


def wait_until_busy(process: subprocess.Popen[bytes]) -> None:
    """Wait until all is loaded and the work has begun: so much processor time is more than loading takes."""
    deadline = time.monotonic() + LONGEST
    while time.monotonic() < deadline and process.poll() is None:
        fields = Path(f"/proc/{process.pid}/stat")
        if not fields.exists():
            time.sleep(5)
            return
        used = fields.read_text().rpartition(")")[2].split()
        if (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK") > 1.5:
            return
        time.sleep(0.1)
    raise AssertionError("the command did not begin to work")

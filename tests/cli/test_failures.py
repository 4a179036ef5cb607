"""How commands end: one line for what can be mended, quietly when nobody reads, at once when interrupted."""

import io
import os
import sys

import pytest

from tests.cli.running import LONGEST, SAMPLE, TINY_FILES, environment, mistake, process, raising, run
from tiecore.cli import app, main
from tiecore.cli.options import FORMATS

QRELS, VISITS, STARS = TINY_FILES
VALUES = SAMPLE / "leaderboard.csv"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["evaluate", "no/such.run"], "no/such.run: does not exist"),
        (["evaluate", VISITS], "looks like a run"),
        (["evaluate", QRELS], "give"),
        (["evaluate", QRELS, VALUES], "already measured: tiecore compare"),
        (["evaluate", QRELS, VISITS, "-m", "nDGC@10"], "did you mean nDCG@10"),
        (["ties", QRELS, VISITS, "--part", "anatomie"], "no part 'anatomie'"),
        (["ties", QRELS, VISITS, "--part", "bias"], "needs a tie-break"),
        (["ties", QRELS, VISITS, "--part", "blame"], "needs a feature: name one with --feature"),
        (["ties", QRELS, VISITS, "--part", "culprits", "--feature", "visits"], "needs a query"),
        (["ties", QRELS, VISITS, "--part", "advice"], "at least two"),
        (["ties", QRELS, VISITS, "--query", "q1"], "name it with --feature"),
        (["ties", QRELS, VISITS, "--feature", "clicks"], "clicks"),
        (["stability", "nowhere", "--part", "place"], "no part 'place': there are places, pairs"),
        (["explain", QRELS, VISITS, "nDCG@10"], "write a measure and its number"),
        (["explain", QRELS, VISITS, "RR=.5", "RR=.6"], "reported twice"),
        (["dashboard", "--qrels", "no/such.txt"], "no/such.txt: is not a file"),
        (["dashboard", "--features", VISITS, "no/such.run"], "no/such.run: is not a file"),
        (["dashboard", "--data-root", VISITS], "is not a directory"),
        (["compare", VALUES, "--limit", "rows=20"], "beyond the limit rows=20"),
        (["compare", VALUES, "--part", "agreement"], "there is no part 'agreement'"),
        (["compare", VALUES, "-o", VALUES], "it is one of the inputs"),
        (["compare", VALUES, "--level", "95"], "level must lie between 0 and 1, found 95.0"),
        (["compare", SAMPLE / "bm25.eval", SAMPLE / "title_match.eval"], "choose one of 'map', 'recip_rank'"),
        (["gate", QRELS, VISITS], "expected QRELS BASELINE CANDIDATE, found 2 names"),
        (["gate", QRELS, VISITS, STARS, "--values", VALUES], "expected BASELINE CANDIDATE --values FILE, found 3"),
        (["gate", QRELS, VISITS, SAMPLE / "clicks.csv"], "holds 3 features"),
        (["gate", QRELS, VISITS, STARS, "--margin", "-1"], "margin must be a number from 0"),
        (["gate", "bm25", "nosuch", "--values", VALUES], "no system is named 'nosuch'"),
        (["gate", "a", "b", "--values", VALUES, "--limit", "rows=20"], "beyond the limit rows=20"),
        (["count", QRELS, VISITS], "Missing option '--output' / '-o'"),
        (["count", QRELS, VISITS, "-o", "-"], "needs a file: name one with -o"),
        (["count", QRELS, VISITS, "-o", "no/such/counts.parquet"], "there is no directory"),
        # misuse, with the way to help
        (["evalute"], "No such command 'evalute'. Did you mean 'evaluate'? (see tiecore --help)"),
        (["-x"], "No such option '-x' (see tiecore --help)"),
        (["evaluate"], "Missing argument 'QRELS' (see tiecore evaluate --help)"),
        (["evaluate", QRELS, "-m"], "(see tiecore evaluate --help)"),
        (["evaluate", QRELS, "--queries", "some"], "'some' is not one of 'qrels', 'common' (see tiecore evaluate"),
        (["ties", QRELS, "-k", "0"], "(see tiecore ties --help)"),
        (["ties", QRELS, "-k", "2147483648"], "2147483647 (see tiecore ties --help)"),
        (["stability", QRELS, "--seed", "x\ny"], "(see tiecore stability --help)"),
        (["dashboard", "--port", "65536"], "65535 (see tiecore dashboard --help)"),
    ],
)
def test_what_can_be_mended_is_one_line_and_status_2(arguments: list[object], told: str) -> None:
    assert told in mistake(*arguments)


@pytest.mark.parametrize("option", ["-m", "-t", "--only", "--ascending"])
@pytest.mark.parametrize("names", ["", " ", "AP,", ",AP", "AP,,RR"])
def test_an_empty_name_is_refused_and_not_replaced_by_the_default(option: str, names: str) -> None:
    assert mistake("evaluate", QRELS, VISITS, option, names).startswith(f"a name is empty in {names!r}: ")


@pytest.mark.parametrize("error", [ZeroDivisionError("ours"), OSError(22, "ours")])
def test_a_fault_of_ours_is_not_dressed_up(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr("tiecore.evaluation.engine.evaluate", raising(error))
    with pytest.raises(type(error), match="ours"):
        run("evaluate", *TINY_FILES)


@pytest.mark.parametrize(("arguments", "status"), [(["--version"], 0), (["evaluate", "no/such.run"], 2)])
def test_the_program_ends_at_once_with_the_status_of_the_command_and_waits_for_no_thread(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int
) -> None:
    """A thread of Arrow that still read when Python ended made it abort in one of fifty runs."""
    ends: list[int] = []
    monkeypatch.setattr(sys, "argv", ["tiecore", *arguments])
    monkeypatch.setattr(os, "_exit", ends.append)
    main()
    assert ends == [status]


class Closed(io.TextIOBase):
    """A standard output that nobody reads, or whose disk is full."""

    encoding = "utf-8"

    def __init__(self, error: OSError) -> None:
        self.error = error

    def write(self, text: str) -> int:
        raise self.error


WRITING = [["--version"], ["--help"], ["evaluate", "--help"]]
WRITING += [["evaluate", *map(str, TINY_FILES), "-f", format] for format in FORMATS]


@pytest.mark.parametrize("arguments", WRITING, ids=lambda arguments: f"{arguments[0]} {arguments[-1]}")
@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (BrokenPipeError(32, "Broken pipe"), 141, []),
        (OSError(28, "No space left"), 2, ["error: cannot write to standard output: No space left"]),
    ],
)
def test_a_closed_pipe_ends_a_command_quietly_and_a_full_disk_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    error: OSError,
    status: int,
    told: list[str],
) -> None:
    monkeypatch.setattr(sys, "stdout", Closed(error))
    with pytest.raises(SystemExit) as end:
        app(arguments)
    assert end.value.code == status
    assert [line for line in capsys.readouterr().err.splitlines() if not line.startswith(("note", "warning"))] == told


def test_head_gets_its_lines_and_nobody_complains() -> None:
    """In real pipes, where what is left in the buffer is written when the interpreter ends."""
    command = [sys.executable, "-m", "tiecore", "evaluate", "qrels.txt", "indegree.run", "clicks.csv", "--per-query"]
    # far more than a pipe holds, so that nobody is done with writing before the reader has gone
    measures = [argument for k in range(1, 25) for argument in ("-m", f"P@{k}")]
    with process([*command, *measures, "-f", "csv"], cwd=SAMPLE, env=environment()) as reader:
        assert reader.stdout is not None
        assert reader.stderr is not None
        assert reader.stdout.readline() == b"measure,feature,query_id,expected,sd,worst,best\n"
        reader.stdout.close()
        assert reader.stderr.read() == b""
        assert reader.wait(timeout=LONGEST) == 141

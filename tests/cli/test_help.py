"""Help that helps: its examples run, it reads in 80 columns, and it comes at once."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import get_args

import pytest

from tests.cli.running import LONGEST, SAMPLE, run
from tiecore.cli import options
from tiecore.cli.options import EXAMPLES, epilog
from tiecore.collection import align
from tiecore.evaluation import values
from tiecore.measures import measure
from tiecore.ties.tie_breaks import tie_break

COMMANDS = ("evaluate", "ties", "stability", "explain", "count", "dashboard")
RUNNABLE = [(name, example) for name, shown in EXAMPLES.items() for _, example in shown if name != "dashboard"]


@pytest.mark.untraced
@pytest.mark.parametrize(("name", "example"), RUNNABLE)
def test_every_example_runs_in_the_sample_folder(
    name: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, command, *arguments = shlex.split(example)
    assert (program, command) == ("tiecore", name)
    for path in SAMPLE.iterdir():
        if path.is_file():
            (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    result = run(command, *arguments)
    assert (result.exit_code, result.stderr) == (0, "")
    written = tmp_path / arguments[-1] if "-o" in arguments else None
    if name == "count":
        assert written is not None
        assert run("evaluate", written).stdout.count("\n") > 3
    else:
        assert (written.read_text() if written else result.stdout).count("\n") > 3


@pytest.mark.untraced
@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_stands_in_the_help_on_one_line(name: str) -> None:
    text = run(name, "--help").stdout
    for what, example in EXAMPLES[name]:
        assert what in text
        assert f"   {example}  " in f"{text}  ".replace("\n", "  \n")
    assert str(SAMPLE) in text


@pytest.mark.untraced
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_80_columns_and_explains_every_option(name: str) -> None:
    arguments = [name] if name else []
    text = run(*arguments, "--help").stdout
    assert text == run(*arguments, "-h").stdout
    assert max(map(len, text.splitlines())) <= 80
    options_of_help = re.findall(r"^│ +(?:\* +)?(--[\w-]+)(.*)│$", text, flags=re.M)
    assert options_of_help
    assert all(re.search(r" {2,}[A-Z]", rest) or "<" in rest or rest.strip() for _, rest in options_of_help)


def test_help_of_the_whole_lists_the_commands() -> None:
    text = run("--help").stdout
    assert re.findall(r"^│ (\w+) {2,}[A-Z]", text, flags=re.M) == list(COMMANDS)
    assert run().stdout.rstrip() == text.rstrip()


def test_the_version_is_the_installed_one() -> None:
    assert run("--version").stdout == f"tiecore {installed_version('tiecore')}\n"


def test_help_says_sample_data_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore.cli.options.sample_data", lambda: None)
    assert "the folder sample_data" in epilog("evaluate")
    monkeypatch.setattr("tiecore.cli.options.sample_data", lambda: Path("/a[b]"))
    assert r"/a\[b]" in epilog("evaluate")


def test_help_needs_neither_tables_nor_statistics() -> None:
    program = (
        "import sys, contextlib, io\n"
        "from tiecore.cli import app\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    app(['evaluate', '--help'])\n"
        "print(*[name for name in ('pandas', 'pyarrow', 'scipy', 'streamlit') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=SAMPLE.parent, timeout=LONGEST
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("name", "incomplete", "completed"),
    [
        ("-m", "nD", ["nDCG", "nDCG@10"]),
        ("-m", "AP,Succ", ["AP,Success@10"]),
        ("-t", "docid", ["docid-desc", "docid-asc"]),
        ("-t", "input,tr", ["input,trec_eval"]),
        ("-f", "l", ["latex"]),
    ],
)
def test_names_are_completed_also_inside_a_list(
    name: str, incomplete: str, completed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = f"tiecore evaluate qrels.txt {name} {incomplete}"
    monkeypatch.setenv("_TIECORE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert run(prog_name="tiecore").stdout.split() == completed


def test_all_that_is_completed_can_be_read() -> None:
    for name in options._completion(options._measure_names())(""):
        measure(name)
    for name in options._completion(options._tie_break_names())(""):
        tie_break(f"{name}x" if name.endswith(":") else name)


def test_choices_are_those_of_the_library() -> None:
    for name in ("Queries", "NoRelevant", "Missing"):
        assert get_args(getattr(options, name)) == get_args(getattr(values, name))
    assert get_args(options.Unmatched) == get_args(align.Unmatched)


def test_the_parts_in_the_help_are_those_there_are() -> None:
    from tiecore.cli.reports import stability, ties

    for name, parts in (("ties", ties.PARTS), ("stability", stability.PARTS)):
        text = re.sub(r"[│\s]+", " ", run(name, "--help").stdout)
        assert f"by commas: {', '.join(parts)}." in text

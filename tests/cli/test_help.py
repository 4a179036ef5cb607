"""Help that helps: its examples run, it reads in 80 columns, and it comes at once."""

import re
import shlex
import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import get_args

import pytest

from tests.cli.running import SAMPLE, answer, ended, environment, run
from tiecore.cli.commands import COMMANDS
from tiecore.cli.reports import stability, ties
from tiecore.collection import align
from tiecore.evaluation import engine

RUNNABLE = [(name, line) for name, command in COMMANDS.items() for _, line in command.examples if name != "dashboard"]


@pytest.mark.parametrize(("name", "example"), RUNNABLE)
def test_examples_run_in_the_sample(name: str, example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, command, *arguments = shlex.split(example)
    assert (program, command) == ("tiecore", name)
    for path in SAMPLE.iterdir():
        if path.is_file():
            (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    result = run(command, *arguments)
    warned = [line for line in result.stderr.splitlines() if not line.startswith("warning: ")]
    assert (result.exit_code, warned) == (0, [])
    written = tmp_path / arguments[-1] if "-o" in arguments else None
    if name == "count":
        assert written is not None
        assert run("evaluate", written).stdout.count("\n") > 3
    else:
        assert (written.read_text() if written else result.stdout).count("\n") > 3


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_80_columns_explains_every_option_and_has_examples_to_copy(name: str) -> None:
    arguments = [name] if name else []
    text = run(*arguments, "--help").stdout
    assert text == run(*arguments, "-h").stdout
    assert max(map(len, text.splitlines())) <= 80
    options_of_help = re.findall(r"^  ((?:-\w, )?--[\w-]+.*\n?.*)", text, flags=re.M)
    assert options_of_help
    assert all(re.search(r"\s{2,}[A-Z]|\s{2,}table, csv", one) for one in options_of_help), options_of_help
    assert str(SAMPLE) in text
    for what, example in COMMANDS[name or "evaluate"].examples[: None if name else 1]:
        assert f"  {what}{':' * (not what.endswith('?'))}\n    {example}\n" in text


def test_help_lists_the_commands_and_names_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = run("--help").stdout
    assert re.findall(r"^  (\w+) {2,}[A-Z]", text.partition("Commands:")[2], flags=re.M) == list(COMMANDS)
    assert 'eval "$(_TIECORE_COMPLETE=bash_source tiecore)"' in text
    bare = run()
    assert (bare.stdout.rstrip(), bare.exit_code) == (text.rstrip(), 2)
    assert run("--version").stdout == f"tiecore {installed_version('tiecore')}\n"
    monkeypatch.setattr("tiecore.cli.dashboard.sample_data", lambda: None)
    assert "Examples, in the folder sample_data:" in run("evaluate", "--help").stdout


def test_help_loads_nothing_that_it_does_not_need_and_comes_on_a_terminal_without_a_width() -> None:
    heavy = {"numpy", "pandas", "pyarrow", "scipy", "streamlit"}
    program = (
        "import sys, contextlib; from tiecore.cli import app\n"
        "with contextlib.suppress(SystemExit): app(['evaluate', '--help'])\n"
        f"print('loaded', *({heavy} & sys.modules.keys()))"
    )
    done = ended(sys.executable, "-c", program, env=environment() | {"COLUMNS": "0"}, check=True)
    *text, loaded = done.stdout.splitlines()
    assert loaded == "loaded"
    assert any("--tie-break" in line for line in text)


@pytest.mark.parametrize(
    ("name", "incomplete", "completed"),
    [("-f", "l", ["latex"]), ("--missing", "l", ["last"]), ("", "--per", ["--per-query"])],
)
def test_options_and_their_words_are_completed(
    name: str, incomplete: str, completed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = f"tiecore evaluate qrels.txt {name} {incomplete}"
    monkeypatch.setenv("_TIECORE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    found = run(prog_name="tiecore").stdout.splitlines()
    assert [line.partition(",")[2] for line in found] == completed


def test_choices_and_parts_are_those_of_the_library() -> None:
    for known in (engine.Queries, engine.NoRelevant, engine.Missing, align.Unmatched):
        assert f"[{'|'.join(get_args(known))}]" in answer("evaluate", "--help")
    for name, parts in (("ties", ties.PARTS), ("stability", stability.PARTS)):
        assert f"Table to show: {', '.join(parts)};" in " ".join(answer(name, "--help").split())


def test_help_names_what_a_command_can_write_and_says_when_a_difference_is_small() -> None:
    helps = {name: " ".join(answer(name, "--help").split()) for name in ("evaluate", "compare", "ties", "stability")}
    assert [name for name, text in helps.items() if ".pdf" in text] == ["evaluate", "compare"]
    for name in ("compare", "stability"):
        assert "the whole interval of its difference lies between -DIFFERENCE and +DIFFERENCE" in helps[name]
    assert "Confidence level of intervals and tests" in helps["compare"]
    assert not re.search("items?|systems? ", helps["compare"]), "the output says feature and query"

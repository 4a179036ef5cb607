"""What README shows is what comes out."""

from __future__ import annotations

import doctest
import os
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tiecore.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


@pytest.fixture(autouse=True)
def in_sample_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "sample_data")
    monkeypatch.setenv("COLUMNS", "100")


def test_the_python_of_the_readme_gives_what_it_shows() -> None:
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    found = doctest.DocTestRunner(optionflags=flags)
    found.run(doctest.DocTestParser().get_doctest("".join(blocks), {}, "README.md", None, 0))
    assert len(blocks) == 2
    assert found.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("block", re.findall(r"```console\n(.*?)```", README, re.DOTALL))
def test_the_commands_of_the_readme_give_what_they_show(block: str) -> None:
    command, shown = block.split("\n", 1)
    assert command.startswith("$ tiecore ")
    result = CliRunner().invoke(app, shlex.split(command)[2:])
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines == shown.splitlines(), os.environ["COLUMNS"]

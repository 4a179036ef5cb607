"""README and what it names agree; what it shows is tried with the pages of docs/."""

import re
import tomllib

from tests.pages import FORMULAS, ROOT, blocks

README = ROOT / "README.md"


def test_the_targets_of_make_exist_and_the_examples_are_few() -> None:
    assert (len(blocks(README, "python")), len(blocks(README, "console"))) == (2, 1)
    named = re.findall(r"^    make (\w+)", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert named == ["run", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in named)


def test_the_table_of_other_tools_names_the_versions_that_were_tried() -> None:
    found = (ROOT / "bench" / "TIES_ELSEWHERE.md").read_text(encoding="utf-8").lower()
    table = README.read_text(encoding="utf-8").split("## What other tools do with ties")[1].split("\n## ")[0]
    named = re.findall(r"([\w-]+) (\d+\.\d+\.\d+)", table)
    assert len(named) == 9
    for tool, version in named:
        assert f"{tool.lower()} {version}" in found


def test_the_citation_is_that_of_this_version_everywhere() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    shown = blocks(README, "bibtex")[0].text.rstrip()
    assert f"version = {{{version}}}" in shown
    assert blocks(FORMULAS, "bibtex")[0].text.startswith(shown)
    title = re.search(r"title   = \{\{(.*)\}\}", shown)
    assert title
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'\ntitle: "{title[1]}"\n' in citation
    assert f"\nversion: {version}\n" in citation

"""The pages of docs/ are true: what they show comes out, what they name exists, what they tell to do can be done."""

import ast
import importlib
import os
import re
import shlex
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import tiecore
from tests.cli.running import ended
from tests.pages import ROOT, Block, apply, assert_command, assert_python, blocks, links, pages, slugs, without_blocks
from tiecore.measures import FAMILIES

DOCS = ROOT / "docs"
LANGUAGES = {"python", "console", "diff", "math", "bibtex", "text", "nginx", "yaml"}
LARGEST_PICTURE = 150_000
OURS = ("tiecore", "dashboard", "bench", "tests", "tools")
SCRIPTS = ("tiecore_dashboard.app.script", "tiecore_dashboard.pages.")
"""Streamlit runs them; here they are only read."""

every_page = pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)


@pytest.fixture(autouse=True)
def in_sample_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "sample_data")
    monkeypatch.setenv("COLUMNS", "100")


@every_page
def test_the_python_of_a_page_gives_what_it_shows(page: Path) -> None:
    assert_python(page)


@pytest.mark.parametrize("block", [block for page in pages() for block in blocks(page, "console")], ids=str)
def test_the_commands_of_a_page_write_what_it_shows(block: Block) -> None:
    assert_command(block)


@every_page
def test_every_block_is_of_a_language_that_is_looked_at(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= LANGUAGES


@every_page
def test_formulas_are_balanced(page: Path) -> None:
    inline = re.findall(r"(?<!\$)\$([^$\n]+)\$(?!\$)", without_blocks(page))
    for tex in [block.text for block in blocks(page, "math")] + inline:
        assert tex.count("{") == tex.count("}"), tex
        assert tex.count(r"\begin") == tex.count(r"\end"), tex


@every_page
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    for target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), f"{page.name} links to {target}"
        assert path.is_relative_to(ROOT), f"{page.name} links out of the repository: {target}"
        assert not anchor or anchor in slugs(path), f"{page.name}: {target} has no such heading"


def test_every_page_and_picture_can_be_found_from_the_first_page() -> None:
    shown = {(page.parent / link.partition("#")[0]).resolve() for page in pages() for link in links(page)}
    left_out = {*pages(), *DOCS.glob("*.png")} - shown - {ROOT / "README.md"}
    assert not left_out, "no page links to these: a page of docs/ belongs into docs/index.md"


@pytest.mark.parametrize("picture", sorted(DOCS.glob("*.png")), ids=lambda path: path.name)
def test_pictures_are_small(picture: Path) -> None:
    assert picture.stat().st_size < LARGEST_PICTURE


def named_in_code(page: Path, pattern: str) -> list[str]:
    """Names between backticks that look like something, a call's brackets and options cut off."""
    code = re.findall(r"`([^`\n]+)`", without_blocks(page))
    return [found[0] for text in code if (found := re.match(pattern, text))]


def exists(name: str) -> bool:
    """Tell whether a dotted name is a module, or leads to something inside one."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        try:
            spec = find_spec(module)
        except ModuleNotFoundError:
            continue
        if spec is None:
            continue
        inside = parts[length:]
        if module.startswith(SCRIPTS):
            assert spec.origin
            tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
            return not inside or any(getattr(node, "name", None) == inside[0] for node in tree.body)
        value: object = importlib.import_module(module)
        for part in inside:
            if part in getattr(value, "__annotations__", {}):  # a field of a dataclass
                return True
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


@every_page
def test_names_of_the_code_exist(page: Path) -> None:
    for name in named_in_code(page, rf"(?:{'|'.join(('tiecore_dashboard', *OURS))})(?:\.\w+)+(?![\w/])"):
        if not (ROOT / name).exists():  # bench.py and the like would be paths
            assert exists(name), f"{page.name} names {name}"


@every_page
def test_paths_in_the_repository_exist(page: Path) -> None:
    for name in named_in_code(page, r"[\w.]+(?:/[\w.-]+)*/[\w.-]*"):
        if name.split("/")[0] in (*OURS, "docs", "sample_data"):
            assert (ROOT / name).exists(), f"{page.name} names {name}"


@pytest.mark.parametrize(
    "room", re.findall(r"<!-- names of ([\w.]+) -->", (DOCS / "reference.md").read_text(encoding="utf-8"))
)
def test_every_public_name_has_an_example_in_the_reference(room: str) -> None:
    examples = " ".join(block.text for block in blocks(DOCS / "reference.md", "python"))
    shown = set(re.findall(r"\w+", examples))
    assert set(importlib.import_module(room).__all__) - shown - {"__version__"} <= set(FAMILIES) | {"plugins"}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_of_measures_is_listed_and_shown(family: str) -> None:
    listed = (DOCS / "measures.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| .*`{family}\b", listed, re.MULTILINE), f"docs/measures.md does not list {family}"
    shown = (DOCS / "reference.md").read_text(encoding="utf-8")
    assert re.search(rf'^>>> names .*[" ]{family}[@(" ]', shown, re.MULTILINE), f"docs/reference.md lacks {family}"


def test_every_room_with_public_names_is_in_the_reference() -> None:
    text = (DOCS / "reference.md").read_text(encoding="utf-8")
    rooms = {f"tiecore.{name}" for name in tiecore.__all__ if hasattr(getattr(tiecore, name), "__path__")}
    in_sentences = {room for room in rooms if f"`{room}`" in text}
    assert rooms - in_sentences == {room for room in rooms if f"<!-- names of {room} -->" in text}


@pytest.mark.slow
def test_the_documentation_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="make docs installs it")
    command = (sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "site")
    built = ended(*command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    assert (built.returncode, built.stdout.strip()) == (0, ""), built.stderr
    assert "tiecore.evaluate" in (tmp_path / "site" / "reference.html").read_text(encoding="utf-8")


def test_a_name_that_does_not_exist_is_seen() -> None:
    assert all(map(exists, ("tiecore.evaluation.engine.evaluate", "tiecore.collection.rows.FeatureRows.refined")))
    missing = "evaluation.engine.evaluated", "engin", "collection.rows.FeatureRows.group"
    assert not any(map(exists, (*(f"tiecore.{name}" for name in missing), "tiecore_dashboard.pages.no")))


def left_behind(folder: str, names: list[str]) -> set[str]:
    """Name what no walk needs: compiled files, pictures, and the data of tests and benchmarks."""
    heavy = {"data"} if Path(folder).name in ("tests", "bench") else set()
    return heavy & {*names} | shutil.ignore_patterns("__pycache__", "*.png")(folder, names)


@pytest.mark.slow
@pytest.mark.parametrize("title", ["A measure", "A tie-break", "A file format"])
def test_what_a_page_adds_can_be_added_like_that(title: str, tmp_path: Path) -> None:
    page = tmp_path / f"adding.md, {title}"
    text = (DOCS / "adding.md").read_text(encoding="utf-8")
    page.write_text(text.split(f"\n## {title}\n")[1].split("\n## ")[0], encoding="utf-8")
    for folder in (*OURS, "docs", "sample_data"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=left_behind)
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md", "SECURITY.md"):
        shutil.copy(ROOT / name, tmp_path)
    for block in blocks(page, "diff"):
        apply(block, tmp_path)
    command = blocks(page, "text")[-1].text.splitlines()[0]
    program, *arguments = shlex.split(command)
    assert program == ".venv/bin/python"
    own = {key: value for key, value in os.environ.items() if not key.startswith(("COVERAGE", "COV_", "PYTEST"))}
    own |= {"PYTHONPATH": f"{tmp_path}{os.pathsep}{tmp_path / 'dashboard'}", "PYTHONDONTWRITEBYTECODE": "1"}
    quick = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist")
    done = ended(sys.executable, *arguments, *quick, cwd=tmp_path, env=own, timeout=300)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-1000:]}"
    assert re.search(r"^\d+ passed", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(("candidate", "status"), [("bm25.run.gz", 0), ("outdegree.tsv.gz", 1)])
def test_the_workflow_passes_the_same_run_and_stops_a_worse_one(candidate: str, status: int, tmp_path: Path) -> None:
    (block,) = blocks(DOCS / "gate.md", "yaml")
    steps = re.findall(r"^ +- run: (.+(?:\n {10}.+)*)", block.text, flags=re.MULTILINE)
    assert [step.split()[0] for step in steps] == ["pip", "./search.sh", ">"]
    for name, source in {"baseline.run": "bm25.run.gz", "found": candidate, "qrels.txt": "qrels.txt"}.items():
        (tmp_path / name).symlink_to(ROOT / "sample_data" / source)
    for name, line in {"search.sh": "cat found", "tiecore": f'exec "{sys.executable}" -m tiecore "$@"'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    env = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    scripts = [" ".join(step.removeprefix(">").split()) for step in steps[1:]]
    assert [ended("sh", "-ec", script, cwd=tmp_path, env=env).returncode for script in scripts] == [0, status]
    assert ("### fail" if status else "### pass") in (tmp_path / "summary.md").read_text(encoding="utf-8")

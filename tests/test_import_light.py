"""Importing tiecore costs numpy and nothing else, until something more is asked for."""

import contextlib
import importlib.metadata
import operator
import pkgutil
import runpy
import subprocess
import sys
from collections.abc import Iterable
from itertools import accumulate
from types import ModuleType

import pytest

import tiecore
from tests.cli.running import SAMPLE, TINY
from tiecore.frames import is_frame, is_null

QRELS, VISITS = str(TINY / "qrels.txt"), str(TINY / "visits.run")
HEAVY = ["pandas", "pyarrow", "pyarrow.parquet", "scipy", "scipy.stats", "streamlit", "plotly", "click"]
HEAVY += ["tiecore.counts", "rich"]

STEPS = {
    "import tiecore; tiecore.measure('nDCG@10'); tiecore.moments('AP', scores=[2, 1, 1], grades=[0, 1, 0])": "",
    f"e = tiecore.evaluate({QRELS!r}, {VISITS!r}, tie_breaks=['docid-desc']); e.warnings": "pyarrow",
    "repr(e); e.values.array.mean()": "",
    "e.summary": "pandas",
    "from tiecore import count, read_qrels": "tiecore.counts",
    # not scipy.stats, which takes half a second: scipy.special has what is needed
    "assert tiecore.diagnostics.__name__ == 'tiecore.diagnostics'": "scipy",
    "assert tiecore.stability.__name__ == 'tiecore.stability'": "",
}
"""What is done in one process, and what each step may load in addition."""


def heavy_modules_after(statements: Iterable[str]) -> list[set[str]]:
    """Run the statements in a new interpreter and name the heavy modules it has loaded after each of them."""
    look = f"import sys\nprint('after', *[name for name in {HEAVY} if name in sys.modules])\n"
    program = "".join(f"{statement}\n{look}" for statement in statements)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [{*line.split()[1:]} for line in run.stdout.splitlines() if line.startswith("after")]


def test_each_step_loads_what_it_needs_and_no_more() -> None:
    known = accumulate(({*further.split()} for further in STEPS.values()), operator.or_)
    assert dict(zip(STEPS, heavy_modules_after(STEPS), strict=True)) == dict(zip(STEPS, known, strict=True))


def test_the_command_evaluates_without_pandas_and_scipy() -> None:
    calls = [
        (TINY / "qrels.txt", TINY / "visits.run"),
        (TINY / "qrels.txt", TINY / "visits.run", "--per-query"),
        (TINY / "qrels.txt", TINY / "stars.csv", "-f", "csv"),
        (SAMPLE / "qrels.txt", SAMPLE / "bm25.run.gz", "-f", "json", "--per-query"),
        (SAMPLE / "qrels.txt", SAMPLE / "title_match.json", "-f", "markdown"),
        (SAMPLE / "qrels.txt", SAMPLE / "clicks.csv", "-f", "latex"),
        (SAMPLE / "qrels.txt", SAMPLE / "pages.parquet", "-f", "json"),
    ]
    arguments = [["evaluate", *map(str, call), "-t", "docid-desc,input"] for call in calls]
    statements = ("from tiecore.cli import app", f"for arguments in {arguments}: app(arguments, standalone_mode=False)")
    loaded = heavy_modules_after(statements)[-1]
    assert {"pyarrow", "rich"} <= loaded
    assert not {"pandas", "scipy", "tiecore.counts"} & loaded
    lighter = f"for arguments in {[row for row in arguments if '-f' in row]}: app(arguments, standalone_mode=False)"
    assert "rich" not in heavy_modules_after([statements[0], lighter])[-1], "which lays out tables for people alone"


@pytest.mark.parametrize("name", tiecore.__all__)
def test_every_public_name_exists_and_is_listed_by_dir(name: str) -> None:
    assert getattr(tiecore, name) is not None
    assert name in dir(tiecore)


def test_an_unknown_name_is_an_attribute_error() -> None:
    name = "no_such_name"
    with pytest.raises(AttributeError, match=name):
        getattr(tiecore, name)


def test_python_m_tiecore_is_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr("tiecore.cli.main", lambda: calls.append("main"))
    with contextlib.suppress(SystemExit):
        runpy.run_module("tiecore", run_name="__main__")
    assert calls == ["main"]


def test_the_version_is_that_of_the_installed_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tiecore.__version__ == tiecore._version() != ""

    def not_there(_: str) -> str:
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "version", not_there)
    assert tiecore._version() == "not installed"


def test_a_module_hides_no_function_of_its_name() -> None:
    modules = {module.name for module in pkgutil.iter_modules(tiecore.__path__)}
    assert all(isinstance(getattr(tiecore, name), ModuleType) for name in modules & {*tiecore.__all__})


@pytest.mark.parametrize("name", ["evaluate", "stability", "similarity", "__version__"])
def test_a_name_of_the_package_is_looked_up_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    known = getattr(tiecore, name)
    monkeypatch.delattr(tiecore, name)
    assert getattr(tiecore, name) == known
    assert name in vars(tiecore)


@pytest.mark.parametrize("pandas", ["not loaded", "half loaded"])
def test_without_pandas_there_are_no_frames(pandas: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if pandas == "not loaded":
        monkeypatch.delitem(sys.modules, "pandas")
    else:  # by another thread
        monkeypatch.setitem(sys.modules, "pandas", type(sys)("pandas"))
    assert not is_frame({"a": [1]})
    assert not is_frame(None)
    assert is_null(None)
    assert not is_null(0)

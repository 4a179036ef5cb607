"""Importing tiecore costs numpy and nothing else, until something more is asked for."""

import contextlib
import importlib.metadata
import runpy
import subprocess
import sys

import pytest

import tiecore
from tests.pages import SAMPLE

TINY = SAMPLE / "tiny"
QRELS, VISITS = str(TINY / "qrels.txt"), str(TINY / "visits.run")
HEAVY = ["pandas", "pyarrow", "pyarrow.parquet", "scipy", "scipy.stats", "streamlit", "plotly", "click"]
HEAVY += ["tiecore.counts"]


def heavy_modules_after(statements: str) -> list[str]:
    """Run the statements in a new interpreter and name the heavy modules it has loaded by then."""
    program = f"{statements}\nimport sys\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()[-1].split()


def test_one_query_in_memory_needs_numpy_alone() -> None:
    statements = (
        "import tiecore",
        "tiecore.measure('nDCG@10')",
        "tiecore.moments('AP', scores=[2, 1, 1], grades=[0, 1, 0])",
    )
    assert heavy_modules_after("; ".join(statements)) == []


def test_a_heavy_module_would_be_seen() -> None:
    assert heavy_modules_after("import scipy") == ["scipy"]


def test_what_reads_parquet_is_loaded_for_parquet_alone() -> None:
    loaded = heavy_modules_after("from tiecore import evaluate, read_qrels, count")
    assert {"pyarrow", "tiecore.counts"} <= set(loaded)
    assert not {"pyarrow.parquet", "scipy"} & set(loaded)


def test_files_of_text_are_evaluated_without_what_reads_parquet() -> None:
    loaded = heavy_modules_after(f"import tiecore; tiecore.evaluate({QRELS!r}, {VISITS!r}).summary")
    assert not {"pyarrow.parquet", "scipy", "tiecore.counts"} & set(loaded)
    assert "pandas" in loaded, "a frame needs it"


def test_what_hands_out_no_frame_needs_no_pandas() -> None:
    statements = f"import tiecore; e = tiecore.evaluate({QRELS!r}, {VISITS!r}, tie_breaks=['docid-desc']); e.warnings"
    assert heavy_modules_after(f"{statements}; repr(e); e.values.mean()") == ["pyarrow"]


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
    statements = (
        "from tiecore.cli import app",
        f"for arguments in {arguments}: app(arguments, standalone_mode=False)",
    )
    loaded = heavy_modules_after("\n".join(statements))
    assert "pyarrow" in loaded
    assert not {"pandas", "scipy", "tiecore.counts"} & set(loaded)


def kind_then_name(name: str) -> tuple[int, str]:
    """Order names as the linter orders `__all__`: constants, then classes, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def test_the_public_names_are_sorted_and_listed_once() -> None:
    assert list(tiecore.__all__) == sorted(set(tiecore.__all__), key=kind_then_name)


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


def test_rooms_are_reachable_after_one_import() -> None:
    found = (f"tiecore.{module}.__name__ == 'tiecore.{module}'" for module in ("diagnostics", "stability"))
    loaded = heavy_modules_after(f"import tiecore; assert {' and '.join(found)}")
    assert "scipy" in loaded
    assert "scipy.stats" not in loaded, "it takes half a second, and scipy.special has what is needed"


def test_the_version_is_that_of_the_installed_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tiecore.__version__ == tiecore._version() != ""

    def not_there(_: str) -> str:
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "version", not_there)
    assert tiecore._version() == "not installed"


def test_a_module_is_loaded_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(vars(tiecore), "similarity", raising=False)
    assert tiecore.similarity.rbo is tiecore.rbo


@pytest.mark.parametrize("name", ["evaluate", "stability", "__version__"])
def test_a_name_of_the_package_is_looked_up_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    known = getattr(tiecore, name)
    monkeypatch.delattr(tiecore, name)
    assert getattr(tiecore, name) == known
    assert name in vars(tiecore)

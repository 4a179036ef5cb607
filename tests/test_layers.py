"""Holds the layers: reads the imports of every module and compares them with one table."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parent.parent
PACKAGES = {"tiecore": ROOT, "tiecore_dashboard": ROOT / "dashboard"}

# What each room may import besides the standard library and its own parts; from the innermost outwards. A module
# belongs to the longest row that begins its name. A new room gets a row here: as far in as it can be, with as little
# as it can do with.
TABLES = "numpy pandas pyarrow"
CORE = "tiecore.errors tiecore.ties tiecore.measures"
ALIGNED = f"{CORE} tiecore.threads tiecore.formats tiecore.collection"
VALUES = (
    f"{ALIGNED} tiecore.evaluation tiecore.evaluation.columns tiecore.evaluation.draws tiecore.evaluation.rare "
    "tiecore.evaluation.values"
)
ENGINE = (
    f"{VALUES} tiecore.counts tiecore.stability tiecore.evaluation.one_list tiecore.evaluation.result "
    "tiecore.evaluation.engine tiecore.evaluation.intervals tiecore.evaluation.concat tiecore.evaluation.slices"
)
STUDIES = f"{ENGINE} tiecore.diagnostics tiecore.diagnostics.blame tiecore.similarity"
SHOWN = (
    "tiecore_dashboard tiecore_dashboard.ui tiecore_dashboard.ui.words tiecore_dashboard.data "
    "tiecore_dashboard.data.datasets tiecore_dashboard.controls tiecore_dashboard.controls.conventions "
    "tiecore_dashboard.controls.link tiecore_dashboard.controls.sidebar tiecore_dashboard.compute "
    "tiecore_dashboard.compute.cached "
    "tiecore_dashboard.compute.waiting"
)
SESSION = (
    f"{SHOWN} tiecore_dashboard.data.query_names tiecore_dashboard.data.questions tiecore_dashboard.data.sources "
    "tiecore_dashboard.data.dropped tiecore_dashboard.data.reading tiecore_dashboard.data.root"
)
PAGE = f"{SESSION} tiecore_dashboard.figures tiecore_dashboard.share tiecore_dashboard.share.exports"
MAY_IMPORT = {
    "tiecore.errors": "",
    "tiecore.frames": "pandas",  # for the type alone
    "tiecore.escape": "tiecore.frames numpy pandas",
    "tiecore.files": "",
    "tiecore.latex": "tiecore.escape",
    "tiecore.threads": "threadpoolctl",
    "tiecore.kernel": "numpy",
    "tiecore.ties": "tiecore.errors tiecore.kernel numpy",
    "tiecore.measures": "tiecore.errors tiecore.ties numpy",
    "tiecore.similarity": "tiecore.errors tiecore.threads numpy pandas scipy",
    "tiecore.evaluation": "",
    "tiecore.evaluation.draws": f"{CORE} numpy",
    "tiecore.evaluation.rare": "numpy",
    "tiecore.evaluation.one_list": f"{CORE} tiecore.evaluation.draws numpy",
    "tiecore.formats": f"tiecore.errors tiecore.frames tiecore.kernel {TABLES}",
    "tiecore.collection": f"{CORE} tiecore.threads tiecore.kernel tiecore.formats {TABLES}",
    "tiecore.counts": f"{ALIGNED} tiecore.frames {TABLES}",
    "tiecore.evaluation.columns": "pandas",
    "tiecore.evaluation.values": f"{ALIGNED} tiecore.evaluation.columns tiecore.evaluation.draws {TABLES}",
    "tiecore.evaluation.slices": f"{ALIGNED} tiecore.evaluation.values numpy pandas",
    "tiecore.stability": f"{VALUES} tiecore.evaluation.slices {TABLES} scipy",
    "tiecore.evaluation.notebook": f"{VALUES} numpy",
    "tiecore.evaluation.intervals": f"{VALUES} {TABLES} scipy",
    "tiecore.diagnostics.shared": f"{VALUES} {TABLES}",
    "tiecore.diagnostics.one_query": f"{CORE} numpy",
    "tiecore.diagnostics.blame": f"{VALUES} tiecore.diagnostics.shared tiecore.diagnostics.one_query {TABLES}",
    "tiecore.evaluation.result": f"{VALUES} tiecore.evaluation.notebook tiecore.evaluation.intervals "
    f"tiecore.diagnostics.blame tiecore.stability {TABLES}",
    "tiecore.evaluation.engine": f"{VALUES} tiecore.counts tiecore.evaluation.result {TABLES}",
    "tiecore.spark": f"{VALUES} tiecore.counts tiecore.evaluation.result tiecore.evaluation.engine {TABLES} pyspark",
    "tiecore.evaluation.concat": f"{VALUES} tiecore.evaluation.result tiecore.evaluation.engine {TABLES}",
    "tiecore.diagnostics": f"{ENGINE} tiecore.diagnostics.shared tiecore.diagnostics.one_query "
    f"tiecore.diagnostics.blame {TABLES} scipy",
    "tiecore.evaluation.conventions": f"{VALUES} numpy",
    "tiecore.evaluation.explain": f"{VALUES} tiecore.counts tiecore.evaluation.conventions {TABLES}",
    "tiecore.plugins": f"{CORE} tiecore.evaluation.one_list tiecore.evaluation.engine numpy",
    "tiecore.plugins._ir_measures": "tiecore.errors tiecore.measures tiecore.plugins ir_measures",
    "tiecore.plugins.ir_measures": "tiecore.errors tiecore.ties tiecore.plugins "
    "tiecore.plugins._ir_measures ir_measures",
    "tiecore.plugins.sklearn": "tiecore.errors tiecore.measures tiecore.plugins numpy sklearn",
    "tiecore.plugins.xgboost": "tiecore.errors tiecore.measures tiecore.plugins numpy xgboost",
    "tiecore": f"{STUDIES} tiecore.plugins tiecore.evaluation.explain",  # the public names
    "tiecore.cli": f"{STUDIES} tiecore.evaluation.explain tiecore tiecore.escape tiecore.files tiecore.latex "
    f"{TABLES} typer rich",
    "tiecore.__main__": "tiecore.cli",
    "tiecore_dashboard": "",
    "tiecore_dashboard.ui": "",
    "tiecore_dashboard.ui.words": "tiecore_dashboard",
    "tiecore_dashboard.figures": f"{STUDIES} tiecore tiecore_dashboard tiecore_dashboard.ui.words numpy pandas plotly",
    "tiecore_dashboard.answers": "tiecore.evaluation.columns tiecore.evaluation.conventions "
    "tiecore.evaluation.explain tiecore.stability tiecore.diagnostics tiecore_dashboard "
    "tiecore_dashboard.ui.words "
    "numpy pandas",
    "tiecore_dashboard.tables": "tiecore.escape tiecore.latex tiecore.evaluation.columns tiecore.stability "
    "tiecore.diagnostics tiecore_dashboard tiecore_dashboard.ui.words "
    "tiecore_dashboard.figures pandas streamlit",
    "tiecore_dashboard.method": "tiecore tiecore.measures tiecore.evaluation.one_list tiecore_dashboard numpy pandas",
    "tiecore_dashboard.notebook": f"{ENGINE} tiecore_dashboard tiecore_dashboard.answers tiecore_dashboard.figures "
    "pandas plotly",
    "tiecore_dashboard.data": "",
    "tiecore_dashboard.data.query_names": "tiecore pandas",
    "tiecore_dashboard.data.questions": "tiecore tiecore.formats pyarrow",
    "tiecore_dashboard.data.datasets": "tiecore.formats tiecore.collection tiecore.counts tiecore_dashboard "
    "tiecore_dashboard.data.questions numpy pyarrow",
    "tiecore_dashboard.controls": "",
    "tiecore_dashboard.controls.conventions": "tiecore.evaluation.values tiecore_dashboard",
    "tiecore_dashboard.controls.link": "streamlit",
    "tiecore_dashboard.controls.sidebar": f"{STUDIES} tiecore tiecore_dashboard tiecore_dashboard.ui.words "
    "tiecore_dashboard.controls.conventions tiecore_dashboard.controls.link streamlit",
    "tiecore_dashboard.compute": "",
    "tiecore_dashboard.compute.groups": "tiecore.ties tiecore.measures numpy",
    "tiecore_dashboard.compute.shelf": "tiecore_dashboard tiecore_dashboard.compute.groups numpy",
    "tiecore_dashboard.compute.values": f"{ENGINE} tiecore_dashboard tiecore_dashboard.compute.groups "
    "tiecore_dashboard.compute.shelf tiecore_dashboard.data.datasets numpy",
    "tiecore_dashboard.compute.waiting": "tiecore.threads tiecore_dashboard streamlit",
    "tiecore_dashboard.compute.cached": f"{STUDIES} tiecore.evaluation.explain tiecore tiecore_dashboard "
    f"tiecore_dashboard.compute.shelf tiecore_dashboard.compute.values tiecore_dashboard.data.datasets "
    f"tiecore_dashboard.controls.sidebar "
    f"{TABLES} streamlit",
    "tiecore_dashboard.data.root": "",
    "tiecore_dashboard.data.reading": f"{STUDIES} tiecore {SHOWN} tiecore_dashboard.data.questions",
    "tiecore_dashboard.data.sources": f"{STUDIES} tiecore {SHOWN} {TABLES} streamlit tiecore_dashboard.data.questions "
    "tiecore_dashboard.data.reading tiecore_dashboard.data.root",
    "tiecore_dashboard.data.dropped": "tiecore_dashboard tiecore_dashboard.ui.words tiecore_dashboard.data.datasets "
    "streamlit",
    "tiecore_dashboard.share": "",
    "tiecore_dashboard.share.live": "tiecore_dashboard.figures",
    "tiecore_dashboard.share.paper": "tiecore_dashboard tiecore_dashboard.figures numpy matplotlib",
    "tiecore_dashboard.share.exports": f"{SHOWN} tiecore.escape tiecore.latex tiecore_dashboard.figures "
    "tiecore_dashboard.share.live pandas",
    "tiecore_dashboard.share.reproduce": f"{SHOWN} tiecore.collection tiecore.measures",
    "tiecore_dashboard.share.report": f"tiecore {STUDIES} {SHOWN} tiecore_dashboard.figures tiecore_dashboard.answers "
    "tiecore_dashboard.share.exports tiecore_dashboard.share.live tiecore_dashboard.share.reproduce pandas",
    "tiecore_dashboard.ui.frame": "tiecore_dashboard streamlit",
    "tiecore_dashboard.ui.page": f"{STUDIES} tiecore {PAGE} tiecore_dashboard.answers {TABLES} streamlit",
    "tiecore_dashboard.share.studio": f"{PAGE} tiecore.escape tiecore_dashboard.share.paper streamlit",
    "tiecore_dashboard.share.offers": f"{PAGE} tiecore_dashboard.share.reproduce tiecore_dashboard.share.studio "
    "tiecore_dashboard.ui.page pandas streamlit",
    "tiecore_dashboard.controls.choices": f"{SHOWN} tiecore_dashboard.ui.page streamlit",
    "tiecore_dashboard.pages": f"{STUDIES} tiecore.evaluation.explain tiecore {PAGE} tiecore_dashboard.answers "
    "tiecore_dashboard.tables tiecore_dashboard.method tiecore_dashboard.controls.choices "
    f"tiecore_dashboard.share.report tiecore_dashboard.share.reproduce tiecore_dashboard.share.offers "
    f"tiecore_dashboard.ui.page {TABLES} streamlit",
    "tiecore_dashboard.ui.app": f"tiecore {SESSION} tiecore_dashboard.ui.frame tiecore_dashboard.ui.page "
    "tiecore_dashboard.pages streamlit",
    "tiecore_dashboard.server": "tiecore_dashboard tiecore_dashboard.data tiecore_dashboard.data.sources "
    "tiecore_dashboard.ui tiecore_dashboard.ui.page "
    "tiecore_dashboard.share tiecore_dashboard.share.report streamlit starlette",
    "tiecore_dashboard.__main__": "tiecore_dashboard click streamlit uvicorn",
}

OUTWARDS = {"tiecore.evaluation.result": "tiecore_dashboard.notebook"}
"""The one import against the table: `evaluation.plot()` hands the evaluation over to the dashboard's figures.

It is made when a figure is asked for, and answered with the way out where the dashboard is not installed, so that
tiecore works without it. The alternative, figures of its own, would be a second copy of those of the dashboard.
"""


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement, its target spelt out in full."""

    target: str
    line: int
    by_name: bool = False
    """By a call, not by a statement."""


def path_of_module() -> dict[str, Path]:
    """Return every module of the packages by its dotted name."""
    paths = {}
    for package, folder in PACKAGES.items():
        for path in sorted((folder / package).rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


MODULES = path_of_module()


@cache
def nodes_of(source: str) -> tuple[ast.AST, ...]:
    """Return what an import can be in the source of a module."""
    return tuple(
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom | ast.Call)
    )


def imports_of(module: str, source: str, *, is_package: bool = False) -> Iterator[Import]:
    """Yield all imports in the source of a module, wherever they stand."""
    for node in nodes_of(source):
        match node:
            case ast.Import():
                targets = [alias.name for alias in node.names]
            case ast.ImportFrom():
                package = module.split(".") if is_package else module.split(".")[:-1]
                base = package[: len(package) - node.level + 1] if node.level else []
                base += node.module.split(".") if node.module else []
                # `from a import b` means the module a.b where there is one, and a name in a otherwise.
                names = [".".join([*base, alias.name]) for alias in node.names]
                targets = [name if name in MODULES else ".".join(base) for name in names]
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                targets = [name]
            case _:
                continue
        for target in targets:
            yield Import(target=target, line=node.lineno, by_name=isinstance(node, ast.Call))


def row_of(module: str) -> str:
    """Return the row of the table for a module: the longest that begins its name; the module itself without one."""
    parts = module.split(".")
    rows = (".".join(parts[:n]) for n in range(len(parts), 1, -1))
    return next((row for row in rows if row in MAY_IMPORT), module)


def forbidden_imports(module: str, source: str, *, is_package: bool = False) -> list[str]:
    """Say what in the source of a module the table does not allow."""
    allowed = MAY_IMPORT[row_of(module)].split()
    complaints = []
    for found in imports_of(module, source, is_package=is_package):
        top = found.target.split(".")[0]
        target = row_of(found.target) if top in PACKAGES else top
        own_part = target == row_of(module) and target not in PACKAGES
        is_exception = found.by_name and OUTWARDS.get(module) == found.target
        if not (top in sys.stdlib_module_names or target in allowed or own_part or is_exception):
            complaints.append(f"{module}, line {found.line}: must not import {found.target}")
    return complaints


def read(module: str) -> tuple[str, bool]:
    path = MODULES[module]
    return path.read_text(encoding="utf-8"), path.name == "__init__.py"


def test_every_module_has_a_place_in_the_table() -> None:
    strangers = [module for module in MODULES if row_of(module) not in MAY_IMPORT]
    assert not strangers, (
        f"no row for {', '.join(strangers)}: add one to MAY_IMPORT in {Path(__file__).name}, saying what it may import"
    )


@pytest.mark.parametrize("module", [module for module in MODULES if row_of(module) in MAY_IMPORT])
def test_imports_point_inwards_only(module: str) -> None:
    source, is_package = read(module)
    complaints = forbidden_imports(module, source, is_package=is_package)
    assert not complaints, "\n".join(complaints)


def test_the_rows_stand_from_the_innermost_outwards() -> None:
    rows = list(MAY_IMPORT)
    for row, allowed in MAY_IMPORT.items():
        not_further_in = [
            name for name in allowed.split() if name.split(".")[0] in PACKAGES and name not in rows[: rows.index(row)]
        ]
        assert not not_further_in, f"{row} may import {not_further_in}, which do not stand above it"


def test_no_two_modules_import_each_other() -> None:
    imported_by_module = {}
    for module in MODULES:
        source, is_package = read(module)
        imported_by_module[module] = {
            found.target
            for found in imports_of(module, source, is_package=is_package)
            if found.target in MODULES and OUTWARDS.get(module) != found.target
        }
    try:
        TopologicalSorter(imported_by_module).prepare()
    except CycleError as error:
        pytest.fail("circular import: " + " <- ".join(error.args[1]))


def test_the_import_outwards_is_made() -> None:
    for module, target in OUTWARDS.items():
        source, is_package = read(module)
        assert any(
            found.target == target and found.by_name for found in imports_of(module, source, is_package=is_package)
        )


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("tiecore.ties.groups", "import pandas as pd"),
        ("tiecore.ties.groups", "from tiecore.formats import sniff"),
        ("tiecore.measures.linear", "def expected():\n    from scipy import special"),
        ("tiecore.measures.linear", "from ..evaluate import evaluate"),
        ("tiecore.formats.trec", "from tiecore import measures"),
        ("tiecore.evaluation.values", "def stability():\n    from tiecore.stability import stability"),
        ("tiecore.evaluation.result", "import tiecore"),
        ("tiecore.cli", "importlib.import_module('tiecore_dashboard.app')"),
        ("tiecore.evaluation.result", "from tiecore_dashboard import notebook"),
        ("tiecore.evaluation.engine", "import_module('tiecore_dashboard.notebook')"),
        ("tiecore.stability", "import requests"),
        ("tiecore_dashboard.figures", "import streamlit as st"),
        ("tiecore_dashboard.pages.leaderboard", "import plotly.graph_objects as go"),
    ],
)
def test_an_import_against_the_layers_is_seen(module: str, source: str) -> None:
    assert forbidden_imports(module, source)

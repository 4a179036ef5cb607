"""Holds the layers: reads the imports of every module and compares them with one table."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

pytestmark = pytest.mark.untraced

ROOT = Path(__file__).parent.parent
PACKAGES = ("tiecore", "dashboard")

# What each module may import besides the standard library and, if it is a package, its own parts; from the
# innermost outwards. A new module gets a row here: as far in as it can be, with as little as it can do with.
CORE = "tiecore.errors tiecore.ranking.keys tiecore.ranking.groups tiecore.ranking.tie_breaks tiecore.measures"
TABLES = "numpy pandas pyarrow"
ALIGNED = "tiecore.formats tiecore.collection.ids tiecore.collection.join tiecore.collection.align"
ENGINE = (
    f"{CORE} tiecore.evaluation.one_list {ALIGNED} "
    "tiecore.threads tiecore.collection.inputs tiecore.collection.coverage tiecore.evaluation.values tiecore.evaluation.result tiecore.evaluation.engine"
)
SHOWN = "dashboard dashboard.words dashboard.datasets dashboard.controls dashboard.cached"
STUDIES = f"{ENGINE} tiecore.stability tiecore.diagnostics"
MAY_IMPORT = {
    "tiecore.errors": "",
    "tiecore.threads": "",
    "tiecore.ranking.keys": "tiecore.errors numpy",
    "tiecore.ranking.segments": "numpy",
    "tiecore.ranking.groups": "tiecore.errors tiecore.ranking.keys tiecore.ranking.segments numpy",
    "tiecore.ranking.tie_breaks": "tiecore.errors tiecore.ranking.keys tiecore.ranking.groups numpy",
    "tiecore.measures": "tiecore.errors tiecore.ranking.segments tiecore.ranking.groups numpy",
    "tiecore.ranking.shuffles": "tiecore.errors tiecore.ranking.keys tiecore.measures tiecore.ranking.groups numpy",
    "tiecore.evaluation.one_list": f"{CORE} tiecore.ranking.shuffles numpy",
    "tiecore.formats": f"tiecore.errors {TABLES}",
    "tiecore.collection.ids": "tiecore.errors numpy pyarrow",
    "tiecore.collection.join": f"tiecore.errors tiecore.formats tiecore.collection.ids tiecore.threads {TABLES}",
    "tiecore.collection.align": f"{CORE} tiecore.threads tiecore.formats tiecore.collection.ids tiecore.collection.join {TABLES}",
    "tiecore.collection.coverage": f"{CORE} {ALIGNED} {TABLES}",
    "tiecore.collection.inputs": f"tiecore.errors tiecore.threads tiecore.formats {TABLES}",
    "tiecore.evaluation.values": f"{CORE} {ALIGNED} tiecore.threads tiecore.ranking.shuffles tiecore.collection.coverage {TABLES}",
    "tiecore.stability": f"{CORE} {ALIGNED} tiecore.ranking.shuffles tiecore.threads tiecore.evaluation.values {TABLES} scipy",
    "tiecore.evaluation.result": f"{CORE} tiecore.threads tiecore.evaluation.values tiecore.stability",
    "tiecore.evaluation.engine": f"{CORE} {ALIGNED} tiecore.threads tiecore.collection.inputs tiecore.evaluation.values tiecore.evaluation.result {TABLES}",
    "tiecore.diagnostics": f"{ENGINE} tiecore.ranking.shuffles {TABLES} scipy",
    "tiecore.evaluation.intervals": f"{ENGINE} {TABLES} scipy",
    "tiecore": STUDIES,  # the public names
    "tiecore.cli": f"{STUDIES} tiecore {TABLES} typer rich",
    "tiecore.__main__": "tiecore.cli",
    "dashboard": "",
    "dashboard.words": "dashboard",
    "dashboard.conventions": "tiecore.evaluation.values dashboard",
    "dashboard.shelf": "dashboard numpy",
    "dashboard.figures": "tiecore tiecore.evaluation.values tiecore.evaluation.result tiecore.stability tiecore.diagnostics dashboard "
    "dashboard.words numpy pandas plotly",
    "dashboard.answers": "tiecore.stability tiecore.diagnostics dashboard dashboard.words numpy pandas",
    "dashboard.tables": "tiecore.stability tiecore.diagnostics dashboard dashboard.words dashboard.figures pandas "
    "streamlit",
    "dashboard.method": "tiecore tiecore.measures tiecore.evaluation.one_list dashboard numpy pandas",
    "dashboard.datasets": "tiecore.formats dashboard",
    "dashboard.frame": "dashboard streamlit",
    "dashboard.controls": f"{STUDIES} tiecore dashboard dashboard.words dashboard.conventions streamlit",
    "dashboard.cached": f"{STUDIES} tiecore.evaluation.intervals tiecore dashboard dashboard.shelf dashboard.datasets "
    f"dashboard.controls {TABLES} streamlit",
    "dashboard.waiting": "tiecore.threads dashboard streamlit",
    "dashboard.sources": f"{STUDIES} tiecore dashboard dashboard.words dashboard.datasets dashboard.controls "
    f"dashboard.cached dashboard.waiting {TABLES} streamlit",
    "dashboard.exports": f"{SHOWN} dashboard.conventions dashboard.figures pandas",
    "dashboard.reproduce": f"{SHOWN} dashboard.conventions tiecore.measures",
    "dashboard.report": f"tiecore.evaluation.values tiecore.evaluation.result tiecore.stability tiecore.diagnostics {SHOWN} "
    "dashboard.figures dashboard.answers dashboard.exports dashboard.reproduce pandas",
    "dashboard.dropped": "dashboard dashboard.words dashboard.datasets streamlit",
    "dashboard.idle": f"{SHOWN} tiecore tiecore.measures tiecore.threads",
    "dashboard.page": f"{STUDIES} tiecore {SHOWN} dashboard.figures dashboard.sources dashboard.exports "
    f"dashboard.dropped dashboard.waiting dashboard.idle {TABLES} streamlit",
    "dashboard.offers": f"{SHOWN} dashboard.figures dashboard.frame dashboard.exports dashboard.reproduce "
    "dashboard.page pandas streamlit",
    "dashboard.choices": "dashboard dashboard.cached dashboard.page streamlit",
    "dashboard.views": f"{STUDIES} tiecore.evaluation.intervals tiecore {SHOWN} dashboard.conventions dashboard.figures "
    "dashboard.answers dashboard.tables dashboard.method dashboard.choices dashboard.dropped dashboard.report "
    f"dashboard.sources dashboard.exports dashboard.reproduce dashboard.offers dashboard.page {TABLES} streamlit",
    "dashboard.app": "tiecore dashboard dashboard.frame dashboard.idle dashboard.page dashboard.sources "
    "dashboard.controls dashboard.dropped dashboard.views streamlit",
    "dashboard.first_visit": f"{SHOWN} dashboard.idle dashboard.figures dashboard.sources tiecore.measures streamlit "
    "starlette",
    "dashboard.__main__": "dashboard click streamlit uvicorn",
    "dashboard.server": "dashboard dashboard.page dashboard.report dashboard.first_visit streamlit starlette",
}


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement, its target spelt out in full."""

    target: str
    line: int


def path_of_module() -> dict[str, Path]:
    """Return every module of the packages by its dotted name."""
    paths = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


MODULES = path_of_module()


def imports_of(module: str, source: str, *, is_package: bool = False) -> Iterator[Import]:
    """Yield all imports in the source of a module, wherever they stand."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
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
            yield Import(target=target, line=node.lineno)


def row_of(module: str) -> str:
    """Name the row of the table for a module: itself, or the package of ours that it is a part of."""
    return ".".join(module.split(".")[:2])


def forbidden_imports(module: str, source: str, *, is_package: bool = False) -> list[str]:
    """Say what in the source of a module the table does not allow."""
    allowed = MAY_IMPORT[row_of(module)].split()
    complaints = []
    for found in imports_of(module, source, is_package=is_package):
        top = found.target.split(".")[0]
        target = row_of(found.target) if top in PACKAGES else top
        own_part = target == row_of(module) and target not in PACKAGES
        if not (top in sys.stdlib_module_names or target in allowed or own_part):
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
            found.target for found in imports_of(module, source, is_package=is_package) if found.target in MODULES
        }
    try:
        TopologicalSorter(imported_by_module).prepare()
    except CycleError as error:
        pytest.fail("circular import: " + " <- ".join(error.args[1]))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("tiecore.ranking.groups", "import pandas as pd"),
        ("tiecore.ranking.groups", "from tiecore.formats import sniff"),
        ("tiecore.measures.linear", "def expected():\n    from scipy import special"),
        ("tiecore.measures.linear", "from ..evaluate import evaluate"),
        ("tiecore.formats.trec", "from tiecore import measures"),
        ("tiecore.evaluation.values", "def stability():\n    from tiecore.stability import stability"),
        ("tiecore.evaluation.result", "import tiecore"),
        ("tiecore.cli", "importlib.import_module('dashboard.app')"),
        ("tiecore.stability", "import requests"),
        ("dashboard.figures", "import streamlit as st"),
        ("dashboard.views.leaderboard", "import plotly.graph_objects as go"),
    ],
)
def test_an_import_against_the_layers_is_seen(module: str, source: str) -> None:
    assert forbidden_imports(module, source)

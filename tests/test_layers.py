"""Holds the layers: reads the imports of every module and compares them with one table, a row a room."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Literal

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {"tiecore": ROOT, "tiecore_dashboard": ROOT / "dashboard"}

# The rooms, from the innermost outwards: each may import those above it, and the libraries beside it.
ROOMS = {
    "tiecore.errors tiecore.files tiecore.frames tiecore.threads tiecore.escape tiecore.latex tiecore.kernel": (
        "numpy pandas"
    ),
    "tiecore.ties": "numpy",
    "tiecore.measures tiecore.similarity": "numpy",
    "tiecore.formats": "numpy pandas pyarrow",
    "tiecore.collection": "numpy pandas pyarrow",
    "tiecore.counts": "numpy pandas pyarrow",
    "tiecore.evaluation": "numpy pandas scipy",
    "tiecore.stability": "numpy pandas scipy",
    "tiecore.diagnostics": "numpy pandas pyarrow",
    "tiecore.board": "numpy pandas",
    "tiecore.comparing": "numpy pandas pyarrow",
    "tiecore.plot": "matplotlib numpy pandas",
    "tiecore.plugins tiecore.spark": "numpy pandas pyarrow ir_measures pyspark sklearn xgboost",
    "tiecore tiecore.cli tiecore.__main__": "click numpy pandas rich",
    "tiecore_dashboard": "tiecore click numpy pandas plotly pyarrow starlette streamlit",
}
FAR_APART = {
    "tiecore.ties": {"tiecore.kernel"},
    "tiecore.measures": {"tiecore.kernel", "tiecore.similarity"},
    "tiecore.similarity": {"tiecore.kernel", "tiecore.measures"},
    "tiecore.formats": {"tiecore.measures", "tiecore.similarity"},
    "tiecore.collection": {"tiecore.measures", "tiecore.similarity"},
    "tiecore.counts": {"tiecore.kernel", "tiecore.measures", "tiecore.similarity"},
    "tiecore.plugins": {"tiecore.spark"},
    "tiecore.spark": {"tiecore.plugins"},
}
"""Rooms that could be imported by their place, and have nothing to do with each other."""

OUTWARDS = {
    "tiecore.stability.result": {"tiecore.board", "tiecore.plot"},
    "tiecore.evaluation.result": {"tiecore.stability", "tiecore.board", "tiecore.plot"},
}
"""What a method hands its object over to; imported when it is called, so that an evaluation needs none of it.

Figures need matplotlib; where it is not installed, the method says what brings it.
"""


@dataclass(frozen=True, slots=True)
class Import:
    """One import statement, its target spelt out in full."""

    target: str
    line: int
    when: Literal["loading", "later", "typing"]
    """As the module is loaded, by a call of a function, or for types alone."""


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
def nodes_of(source: str) -> tuple[tuple[ast.AST, Literal["loading", "later", "typing"]], ...]:
    """Return what an import can be in the source of a module, and when it is made."""
    found: list[tuple[ast.AST, Literal["loading", "later", "typing"]]] = []

    def visit(node: ast.AST, when: Literal["loading", "later", "typing"]) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Call):
            found.append((node, when))
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            when = "later"
        elif isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            when = "typing"
        for child in ast.iter_child_nodes(node):
            visit(child, when)

    visit(ast.parse(source), "loading")
    return tuple(found)


def imports_of(module: str, source: str, is_package: bool = False) -> Iterator[Import]:
    """Yield all imports in the source of a module, wherever they stand."""
    for node, when in nodes_of(source):
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
            yield Import(target=target, line=node.lineno, when=when)


def room_of(module: str) -> str:
    found = [name for row in ROOMS for name in row.split() if begins(module, name)]
    if module.startswith("tiecore.") and max(found, key=len, default="tiecore") == "tiecore":
        return ""
    return next((row for row in ROOMS if max(found, key=len, default="") in row.split()), "")


def may_import(module: str, target: str) -> bool:
    top, own = target.split(".")[0], room_of(module)
    if top in sys.stdlib_module_names or top in ROOMS[own].split():
        return True
    room, rooms = room_of(target), list(ROOMS)
    if not room or rooms.index(room) > rooms.index(own):
        return is_handed_over(module, target)
    return not any(begins(module, name) and any(begins(target, far) for far in FAR_APART[name]) for name in FAR_APART)


def begins(module: str, name: str) -> bool:
    """Return whether a module is the one of a name, or inside it."""
    return f"{module}.".startswith(f"{name}.")


def is_handed_over(module: str, target: str) -> bool:
    """Return whether a method of the module hands its object over to the target."""
    return any(begins(target, name) for name in OUTWARDS.get(module, ()))


def forbidden_imports(module: str, source: str, is_package: bool = False) -> list[str]:
    return [
        f"{module}, line {found.line}: must not import {found.target}"
        for found in imports_of(module, source, is_package)
        if not may_import(module, found.target)
    ]


def read(module: str) -> tuple[str, bool]:
    path = MODULES[module]
    return path.read_text(encoding="utf-8"), path.name == "__init__.py"


def test_every_module_has_a_place_in_the_table() -> None:
    strangers = [module for module in MODULES if not room_of(module)]
    assert len(ROOMS) <= 15
    assert not strangers, f"no row for {', '.join(strangers)}: add one to ROOMS in {Path(__file__).name}"


def test_imports_point_inwards_only() -> None:
    complaints = [complaint for module in MODULES for complaint in forbidden_imports(module, *read(module))]
    assert not complaints, "\n".join(complaints)


def test_every_library_in_the_table_is_used() -> None:
    used: dict[str, set[str]] = {row: set() for row in ROOMS}
    for module in MODULES:
        used[room_of(module)] |= {found.target.split(".")[0] for found in imports_of(module, *read(module))}
    unused = {row: {*libraries.split()} - used[row] for row, libraries in ROOMS.items()}
    assert not any(unused.values()), unused


def test_no_two_modules_import_each_other() -> None:
    imported_by_module = {}
    for module in MODULES:
        imported_by_module[module] = {
            found.target
            for found in imports_of(module, *read(module))
            if found.target in MODULES and found.when != "typing" and not is_handed_over(module, found.target)
        }
    try:
        TopologicalSorter(imported_by_module).prepare()
    except CycleError as error:
        pytest.fail("circular import: " + " <- ".join(error.args[1]))


def test_what_is_handed_over_is_imported_when_it_is_needed() -> None:
    for module, targets in OUTWARDS.items():
        for target in targets:
            imports = imports_of(module, *read(module))
            found = [one.when for one in imports if begins(one.target, target)]
            assert "later" in found
            assert "loading" not in found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("tiecore.ties.groups", "import pandas as pd"),
        ("tiecore.ties.groups", "from tiecore.formats import sniff"),
        ("tiecore.measures.rank_weighted", "def expected():\n    from scipy import special"),
        ("tiecore.measures.rank_weighted", "from ..evaluate import evaluate"),
        ("tiecore.formats.trec", "from tiecore import measures"),
        ("tiecore.measures.base", "from tiecore.kernel import library"),
        ("tiecore.counts.make", "from tiecore.similarity import rbo"),
        ("tiecore.spark.counting", "import tiecore.plugins.ir_measures"),
        ("tiecore.evaluation.values", "def stability():\n    from tiecore.stability import stability"),
        ("tiecore.cli", "importlib.import_module('tiecore_dashboard.app')"),
        ("tiecore.evaluation.engine", "import_module('tiecore_dashboard.words')"),
        ("tiecore.stability", "import requests"),
        ("tiecore_dashboard.pages.ranking.ranking", "import requests"),
    ],
)
def test_an_import_against_the_layers_is_seen(module: str, source: str) -> None:
    assert forbidden_imports(module, source)

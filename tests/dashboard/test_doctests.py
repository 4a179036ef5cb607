"""Examples in the docstrings of the dashboard."""

import doctest
from importlib import import_module
from types import ModuleType

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "ui.words",
        "share.exports",
        "figures.look",
        "figures.pairs",
        "figures.pieces",
        "tables.columns",
        "answers.alike",
        "answers.pairs",
        "answers.whose",
        "pages.parts.whose",
        "method.worked_example",
    ],
)
def test_examples_hold(name: str) -> None:
    module: ModuleType = import_module(f"tiecore_dashboard.{name}")
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed

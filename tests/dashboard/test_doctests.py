"""Examples in the docstrings of the dashboard."""

import doctest
from importlib import import_module
from types import ModuleType

import pytest


@pytest.mark.parametrize(
    "name",
    [
        "words",
        "export.csv_and_latex",
        "charts.look",
        "charts.pieces",
        "app.table_columns",
        "pages.pairs.answer",
        "charts.rows",
        "pages.method.worked_example",
    ],
)
def test_examples_hold(name: str) -> None:
    module: ModuleType = import_module(f"tiecore_dashboard.{name}")
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed

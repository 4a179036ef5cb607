"""Examples in the docstrings of the dashboard."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import tiecore_dashboard

FOLDER = Path(tiecore_dashboard.__file__).parent
EXAMPLES = [path for path in sorted(FOLDER.rglob("*.py")) if ">>> " in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_hold(path: Path) -> None:
    module = import_module(".".join(path.relative_to(FOLDER.parent).with_suffix("").parts))
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed

"""The project stays as small as it is: what is added is saved elsewhere, by a better shape."""

from itertools import chain
from pathlib import Path

import pytest

from tests.pages import ROOT

MOST_LINES = {
    "dashboard and figures": (10_500, ["dashboard/**/*.py", "tiecore/plot/*.py"]),
    "styles and scripts": (900, ["dashboard/**/*.css", "dashboard/**/*.js"]),
    "C": (600, ["tiecore/**/*.c"]),
}


def lines_of(patterns: list[str]) -> dict[Path, int]:
    found = set(chain.from_iterable(map(ROOT.glob, patterns)))
    return {path: len(path.read_text(encoding="utf-8").splitlines()) for path in found}


@pytest.mark.parametrize("part", MOST_LINES)
def test_a_part_has_no_more_lines_than_it_may(part: str) -> None:
    most, patterns = MOST_LINES[part]
    assert 0 < sum(lines_of(patterns).values()) <= most


def test_at_most_one_file_of_the_dashboard_is_long() -> None:
    lines = lines_of(MOST_LINES["dashboard and figures"][1])
    assert len([path.name for path, n_lines in lines.items() if n_lines > 350]) <= 1

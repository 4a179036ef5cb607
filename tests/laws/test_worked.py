"""Values worked by hand, for every measure; see worked.py."""

from __future__ import annotations

import math

import pytest

import tiecore
from tests.oracle import Groups
from tests.worked import ALL_TIED, PRINTED, ROWS, UNTIED, Worked
from tiecore.measures import FAMILIES


def _moments(name: str, groups: Groups, unretrieved: tuple[int, ...] = ()) -> tiecore.Moments:
    row = Worked(name, groups, "", 0)
    return tiecore.moments(name, scores=row.scores, grades=row.grades, unretrieved=unretrieved)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_moments_are_those_worked_by_hand(row: Worked) -> None:
    found = _moments(row.measure, row.groups, row.unretrieved)
    assert found.expected == pytest.approx(float(row.expected), rel=0, abs=1e-14), row.working
    for name in ("worst", "best", "variance"):
        stated = getattr(row, name)
        if stated is not None:
            assert getattr(found, name) == pytest.approx(float(stated), rel=0, abs=1e-14), (name, row.working)


@pytest.mark.parametrize(("name", "groups", "unretrieved", "printed"), PRINTED)
def test_expectations_have_the_printed_decimals(
    name: str, groups: Groups, unretrieved: tuple[int, ...], printed: float
) -> None:
    assert _moments(name, groups, unretrieved).expected == pytest.approx(printed, rel=0, abs=5.1e-7)


def test_spread_of_graded_ties_has_the_printed_decimals() -> None:
    found = _moments("DCG@5", ALL_TIED)
    assert math.sqrt(found.variance) == pytest.approx(2.138379, rel=0, abs=5e-7)
    assert found.worst == pytest.approx(6.521911, rel=0, abs=5e-7)
    assert found.best == pytest.approx(13.654649, rel=0, abs=5e-7)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_two_rows_worked_by_hand_one_of_them_untied(family: str) -> None:
    rows = [row for row in ROWS if tiecore.measure(row.measure).name == family]
    assert len(rows) >= 2, f"work values of {family} by hand and write them into tests/worked.py"
    assert any(row in UNTIED for row in rows), f"work an untied value of {family} by hand as well"


@pytest.mark.parametrize(
    ("groups", "known"),
    [(((1,), (0,), (1,), (0,), (0,), (1,), (0,), (0,), (1,), (1,)), 1.0), (((0,), (1,), (0,), (0,), (1,)), 0.5)],
)
def test_reciprocal_rank_of_the_classics(groups: Groups, known: float) -> None:
    assert _moments("RR", groups).expected == known

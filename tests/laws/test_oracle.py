"""The oracle itself is judged, and tiecore with it: by values worked by hand, and by listing every permutation."""

import ast
import itertools
import math
import re
from typing import Any

import pytest

import tiecore
from tests import oracle
from tests.worked import ROWS, UNTIED, Worked
from tiecore.measures import FAMILIES


def _parse(name: str) -> tuple[str, dict[str, Any]]:
    """Split a measure's name without the parser under test."""
    found = re.fullmatch(r"(\w+?)(?:\((.*)\))?(?:@([\d.]+))?", name)
    assert found, name
    family, inside, at = found.groups()
    parameters: dict[str, Any] = {}
    for part in (inside or "").split(", ") if inside else ():
        key, _, text = part.partition("=")
        parameters[key] = ast.literal_eval(text)
    if family == "IPrec":
        return family, parameters | {"recall": float(at)}
    return family, parameters | ({"cutoff": int(at)} if at else {})


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_values_are_those_worked_by_hand(row: Worked) -> None:
    family, parameters = _parse(row.measure)
    known = oracle.enumerated(family, row.groups, row.unretrieved, **parameters)
    found = tiecore.moments(row.measure, scores=row.scores, grades=row.grades, unretrieved=row.unretrieved)
    for name in ("expected", "worst", "best", "variance"):
        stated = getattr(row, name)
        if stated is not None:
            assert getattr(known, name) == pytest.approx(float(stated), rel=0, abs=1e-14), (name, row.working)
            assert getattr(found, name) == pytest.approx(float(stated), rel=0, abs=1e-14), (name, row.working)
    # against slips in the expressions
    for whole, decimals in re.findall(r"= (\d*)\.(\d+)", row.working):
        assert f"{float(row.expected):.{len(decimals)}f}" == f"{whole or 0}.{decimals}"


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_has_two_rows_worked_by_hand_one_of_them_untied(family: str) -> None:
    rows = [row for row in ROWS if _parse(row.measure)[0] == family]
    assert len(rows) >= 2, f"work values of {family} by hand and write them into tests/worked.py"
    assert any(row in UNTIED for row in rows), f"work an untied value of {family} by hand as well"


def test_distinct_arrangements_are_as_likely_as_permutations() -> None:
    for group in ((1, 1, 0), (None, 0, None, 2), (3, 3, 3), (), (1, 2, 3, None)):
        every = [tuple(order) for order in itertools.permutations(group)]
        distinct = oracle.arrangements(group)
        assert set(distinct) == set(every)
        assert {order: every.count(order) for order in distinct} == dict.fromkeys(distinct, len(every) // len(distinct))


def test_tie_groups_follow_equality_and_precision() -> None:
    scores = (-0.0, 1.0, 0.0, math.inf, 0.1 + 0.2, 0.3, -math.inf, math.inf)
    grades = (0, 1, 2, 3, 4, 5, 6, 7)
    assert oracle.tie_groups(scores, grades) == ((3, 7), (1,), (4,), (5,), (0, 2), (6,))
    assert oracle.tie_groups(scores, grades, precision="float32") == ((3, 7), (1,), (4, 5), (0, 2), (6,))
    assert oracle.tie_groups(scores, grades, precision="decimals:0") == ((3, 7), (1,), (0, 2, 4, 5), (6,))
    large = (1e300, 2e300, 16777217.0, 16777216.0)
    assert oracle.tie_groups(large, (0, 1, 2, 3), precision="float32") == ((0, 1), (2, 3))
    assert oracle.tie_groups((0.25, 0.2, 0.75, 0.84), (0, 1, 2, 3), precision="decimals:1") == ((2, 3), (0, 1))


def test_geometric_mean_lifts_zeros_to_the_floor() -> None:
    assert oracle.geometric_mean([0.5, 0.0]) == pytest.approx(math.sqrt(0.5e-5), rel=1e-12)

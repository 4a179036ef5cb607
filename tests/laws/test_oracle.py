"""The oracle itself is judged: by hand, by other programs, and by listing every permutation."""

from __future__ import annotations

import ast
import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

from tests import oracle
from tests.strategies import AWKWARD_DOCIDS, random_cases
from tests.worked import ALL_TIED, PRINTED, ROWS, STRONG_FIRST, UNTIED, Worked


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
def test_oracle_gives_the_values_worked_by_hand(row: Worked) -> None:
    family, parameters = _parse(row.measure)
    found = oracle.enumerated(family, row.groups, row.unretrieved, **parameters)
    assert found.expected == pytest.approx(float(row.expected), rel=0, abs=1e-14), row.working
    for name in ("worst", "best", "variance"):
        stated = getattr(row, name)
        if stated is not None and not (name == "variance" and family == "PRR"):
            assert getattr(found, name) == pytest.approx(float(stated), rel=0, abs=1e-14), (name, row.working)


@pytest.mark.parametrize(("name", "groups", "unretrieved", "printed"), PRINTED)
def test_oracle_gives_the_printed_decimals(
    name: str, groups: oracle.Groups, unretrieved: tuple[int, ...], printed: float
) -> None:
    family, parameters = _parse(name)
    found = oracle.enumerated(family, groups, unretrieved, **parameters)
    assert found.expected == pytest.approx(printed, rel=0, abs=5.1e-7)


def test_spread_of_graded_ties_is_as_printed() -> None:
    found = oracle.enumerated("DCG", ALL_TIED, cutoff=5)
    assert [found.worst, found.best] == pytest.approx([6.521911, 13.654649], rel=0, abs=5e-7)
    assert math.sqrt(found.variance) == pytest.approx(2.138379, rel=0, abs=5e-7)
    found = oracle.enumerated("DCG", STRONG_FIRST, cutoff=5)
    assert [found.worst, found.best] == pytest.approx([11.696150, 13.654649], rel=0, abs=5e-7)


def test_every_definition_has_two_rows_worked_by_hand_one_of_them_untied() -> None:
    for family in oracle.DEFINITIONS:
        rows = [row for row in ROWS if _parse(row.measure)[0] == family]
        assert len(rows) >= 2, family
        assert any(row in UNTIED for row in rows), family


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
    assert oracle.tie_groups((1e300, 2e300, 16777217.0, 16777216.0), (0, 1, 2, 3), precision="float32") == (
        (0, 1),
        (2, 3),
    )
    assert oracle.tie_groups((0.25, 0.2, 0.75, 0.84), (0, 1, 2, 3), precision="decimals:1") == ((2, 3), (0, 1))


def test_a_family_without_a_definition_is_named() -> None:
    with pytest.raises(AssertionError, match="'Novel' is registered without a definition"):
        oracle.enumerated("Novel", ((1,),))


def test_untied_values_equal_those_of_trec_eval() -> None:
    rng = np.random.default_rng(11)
    names: dict[str, tuple[str, dict[str, int]]] = {
        "map": ("AP", {}),
        "recip_rank": ("RR", {}),
        "Rprec": ("Rprec", {}),
        "bpref": ("Bpref", {}),
        "ndcg": ("nDCG", {}),
    }
    for k in (1, 3, 5, 10):
        cut = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "success": "Success", "map_cut": "AP"}
        names |= {f"{theirs}_{k}": (ours, {"cutoff": k}) for theirs, ours in cut.items()}
    compared = 0
    for case in random_cases(rng, 150):
        # trec_eval takes negative grades for unjudged
        grades = [None if g is None else max(g, 0) for g in case.grades]
        unretrieved = [max(g, 0) for g in case.unretrieved]
        judged = {AWKWARD_DOCIDS[d]: g for d, g in enumerate(grades) if g is not None}
        judged |= {f"missing {d}": g for d, g in enumerate(unretrieved)}
        if not judged or not grades:
            continue
        run = {AWKWARD_DOCIDS[d]: float(-d) for d in range(len(grades))}
        theirs = pytrec_eval.RelevanceEvaluator({"q": judged}, set(names)).evaluate({"q": run})["q"]
        for name, (family, parameters) in names.items():
            ours = oracle.value(family, grades, unretrieved, **parameters)
            assert ours == pytest.approx(theirs[name], rel=0, abs=1e-9), (name, case)
            compared += 1
    assert compared > 2000


def test_untied_and_tied_ndcg_equal_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(12)
    for k in (1, 2, 3, 5, 9, None):
        for n_docs in (2, 4, 6):
            grades = [int(g) for g in rng.integers(0, 4, size=n_docs)]
            scores = [float(s) for s in rng.integers(0, 3, size=n_docs)]
            theirs = ndcg_score([grades], [scores], k=k)
            ours = oracle.enumerated("nDCG", oracle.tie_groups(scores, grades), cutoff=k)
            assert ours.expected == pytest.approx(theirs, rel=0, abs=1e-12)


def test_geometric_mean_lifts_zeros_to_the_floor() -> None:
    assert oracle.geometric_mean([0.5, 0.0]) == pytest.approx(math.sqrt(0.5e-5), rel=1e-12)

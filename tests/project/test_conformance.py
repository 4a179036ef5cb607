"""docs/conformance.json is what trying every order gives, and what tiecore gives."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import tiecore
from tools import conformance

CASES: list[dict[str, Any]] = json.loads(conformance.PATH.read_text(encoding="utf-8"))["lists"]


def test_the_file_is_what_the_script_writes() -> None:
    assert conformance.PATH.read_text(encoding="utf-8") == conformance.content(), "run python -m tools.conformance"


@pytest.mark.parametrize("measure", conformance.MEASURES)
def test_every_value_is_that_of_tiecore(measure: str) -> None:
    for case in CASES:
        documents, known = case["documents"], {k: float(Fraction(v)) for k, v in case["values"][measure].items()}
        grades = {one["id"]: one["grade"] for one in documents}
        grades |= {f"u{number}": grade for number, grade in enumerate(case["unretrieved"])}
        run: Any = {"f": {"q": {one["id"]: one["score"] for one in documents}}}
        e = tiecore.evaluate({"q": grades}, run, [measure], list(conformance.ORDERS))
        found = e.summary.iloc[0].to_dict()
        sd = found.pop("sd")
        found["variance"] = sd**2 if tiecore.measure(measure).has_variance else known["variance"]
        assert found == pytest.approx(known, rel=0, abs=1e-12)


def test_the_lists_are_many_kinds() -> None:
    assert len(CASES) == conformance.N_LISTS
    assert len({len(case["documents"]) for case in CASES}) >= 5
    assert {bool(case["unretrieved"]) for case in CASES} == {True, False}
    for measure in conformance.MEASURES:
        assert sum(case["values"][measure]["variance"] != "0" for case in CASES) >= 5

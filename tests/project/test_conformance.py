"""docs/conformance.json is what trying every order gives, and what tiecore gives."""

import json
from fractions import Fraction
from typing import Any

import pytest

import tiecore
from tools import conformance

CASES: list[dict[str, Any]] = json.loads(conformance.PATH.read_text(encoding="utf-8"))["lists"]


def test_the_file_is_what_the_script_writes_of_many_kinds_of_lists() -> None:
    assert conformance.PATH.read_text(encoding="utf-8") == conformance.content(), "run python -m tools.conformance"
    assert len(CASES) == conformance.N_LISTS
    assert len({len(case["documents"]) for case in CASES}) >= 5
    assert {bool(case["unretrieved"]) for case in CASES} == {True, False}
    for measure in conformance.MEASURES:
        assert sum(case["values"][measure]["variance"] != "0" for case in CASES) >= 5


def test_every_value_is_that_of_tiecore() -> None:
    qrels: Any = {}
    for number, case in enumerate(CASES):
        qrels[f"{number}"] = {one["id"]: one["grade"] for one in case["documents"]}
        qrels[f"{number}"] |= {f"u{place}": grade for place, grade in enumerate(case["unretrieved"])}
    run: Any = {f"{n}": {one["id"]: one["score"] for one in case["documents"]} for n, case in enumerate(CASES)}
    table: Any = tiecore.evaluate(qrels, {"f": run}, [*conformance.MEASURES], [*conformance.ORDERS]).per_query
    for number, case in enumerate(CASES):
        for measure, values in case["values"].items():
            known = {name: float(Fraction(value)) for name, value in values.items()}
            found = table.loc[(measure, "f", f"{number}")].to_dict()
            sd = found.pop("sd")
            found["variance"] = sd**2 if tiecore.measure(measure).has_variance else known["variance"]
            assert found == pytest.approx(known, rel=0, abs=1e-12), (measure, number)

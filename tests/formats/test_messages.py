"""Laws of refusals: whatever stands in the data, the message is one line of bounded length."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import tiecore
from tests.formats.written import as_parquet

LONG = "x" * 100_000
NUMBER = "9" * 3000 + "x"


FAULTS: dict[str, Any] = {
    "score of a run": f"q Q0 a 1 {LONG} t\n",
    "grade": f"q 0 a {LONG}\n",
    "header": f"{LONG},{LONG}y,{LONG}z\n1,2,3\n",
    "cells": f"qid,docid,{LONG},{LONG}y\nq,a,1\n",
    "cell of a column": f"qid,docid,{LONG}\nq,a,1\nq,b,{NUMBER}\n",
    "no numbers": f"qid,docid,{LONG},{LONG}y\nq,a,{LONG},{LONG}\n",
    "letor": f"1 qid:1 1:{NUMBER} # a\n",
    "json query": f'{{"{LONG}": 1}}',
    "json key": f'{{"{LONG}": {{}}, "{LONG}": {{}}}}',
    "json text": f'{{"q": {{"{LONG}\\ud800": 1}}}}',
    "parquet names": as_parquet({"qid": ["q"], LONG: ["a"]}),
    "document listed twice": f"{LONG} Q0 {LONG} 1 1 t\n" * 2,
    "no query in common": f"{LONG} Q0 a 1 1 t\n",
    "no document in common": {"f": {"q": {f"{LONG}\n{n}": float(n) for n in range(50)}}},
    "dict value": {"f": {"q": {LONG: LONG}}},
    "name of a feature": {(LONG,): {"q": {"a": 1}}},
    "frame": {"f": pd.DataFrame({LONG: ["q"], "docid": ["a"]})},
    "frame grade": pd.DataFrame({"qid": ["q"], "docid": ["a"], "rel": [LONG], "t": 1}),
    "frame objects": pd.DataFrame({"qid": "q", "docid": ["a", "b"], LONG: pd.Series([10**400, 0.5], dtype=object)}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_refusal_is_one_short_line(fault: str) -> None:
    given = FAULTS[fault]
    qrels = {LONG: {"a": 1}} if fault == "document listed twice" else {"q": {"a": 1}}
    with pytest.raises(tiecore.TiecoreError) as caught:
        evaluated(qrels, given)
    message = str(caught.value)
    assert len(message) < 700
    assert len(message.splitlines()) == 1


def evaluated(qrels: Any, given: Any) -> tiecore.Evaluation:
    return tiecore.evaluate(qrels, given.encode() if isinstance(given, str) else given, ["AP"])

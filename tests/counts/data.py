"""Collections with every kind of score, and their tables of counts."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import tiecore
from tests.diagnostics.data import collection

EXACT: dict[str, Any] = {"rtol": 0, "atol": 1e-12}
FEW: dict[str, int] = {"n_queries": 5, "n_docs": 6}
"""Enough queries for every case of a collection, where each row costs something of its own: a group of a file, say."""


@cache
def mixed(seed: int = 0, **size: int) -> tuple[Any, dict[str, Any]]:
    """Return qrels and features of halves, of whole numbers, of thirds in float32, and of one value for all."""
    qrels, features = collection(seed, **size)
    whole = features["fine"].assign(score=(features["fine"]["score"] * 2).astype(np.int64) - 3)
    thirds = features["sure"].assign(score=(features["sure"]["score"] / 3).astype(np.float32))
    flat = features["coarse"].assign(score=-0.0)
    return qrels, {**features, "whole": whole, "thirds": thirds, "flat": flat}


TOGETHER = ("coarse", "fine", "whole")
"""Features that may be counted together, to break the ties of each other."""


def under_each_other(features: Sequence[str]) -> dict[str, Any]:
    """Options under which features counted together, and no others, are evaluated and break the ties of each other."""
    return {"only": features, "tie_breaks": [f"feature:{name}" for name in features]} if features else {}


@cache
def counted(joint: Sequence[str]) -> tiecore.Counts:
    return tiecore.count(*mixed(), joint=joint)


def both(joint: Sequence[str] = (), **options: Any) -> tuple[Any, Any]:
    """Evaluate a collection directly, and by its counts; features counted together are tie-breaks of each other."""
    qrels, features = mixed()
    measures = "AP nDCG@5 RR ERR@7 Bpref ESL GMAP Judged@3 AP(judged_only=True) IPrec@0.5"
    chosen: dict[str, Any] = {"measures": measures.split()} | under_each_other(joint) | options
    return tiecore.evaluate(qrels, features, **chosen), tiecore.evaluate(counted(joint), **chosen)


def same(left: pd.DataFrame, right: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(left, right, check_exact=False, **EXACT)


def wide(features: dict[str, Any]) -> Any:
    """All features in one frame, as a table of features has them; nulls where one does not score."""
    frames = [frame.rename(columns={"score": name}) for name, frame in features.items()]
    table = frames[0]
    for frame in frames[1:]:
        table = table.merge(frame, how="outer", on=["query_id", "doc_id"])
    return table.astype({"whole": "Int64"}) if "whole" in features else table


def rows_of(counts: pa.Table) -> list[tuple[Any, ...]]:
    return sorted((tuple(row.values()) for row in counts.to_pylist()), key=repr)


def written(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    """Return a table of counts as another program may write it: feature, query_id, score_int, grade, n, and joint."""
    # "string": pandas before 3 makes the text "None" of None in a column of type "str"
    kinds = {"feature": "string", "query_id": "string"} | dict.fromkeys(("score_int", "grade", "n", "joint"), "Int64")
    columns = [*kinds][: len(rows[0])]
    return pd.DataFrame(rows, columns=columns).astype({name: kinds[name] for name in columns})

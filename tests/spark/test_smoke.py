"""That Spark counts and evaluates at all; what it must hold to in all else, the slow tests say."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import tiecore
import tiecore.spark

pytestmark = [
    pytest.mark.timeout(300),  # most of it until the engine has started
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning"),
]


def test_a_labelled_table_is_counted_and_evaluated(session: Any) -> None:
    table = pa.table(
        {"query_id": ["q", "q", "r"], "doc_id": ["a", "b", "a"], "relevance": [1, 0, 1], "clicks": [2, 2, None]}
    )
    rows = session.createDataFrame(table)
    counts = tiecore.spark.count(rows, checks="none")
    direct = tiecore.evaluate(table.to_pandas(), measures=["RR"]).summary.to_numpy()
    assert tiecore.evaluate(counts.toArrow(), measures=["RR"]).summary.to_numpy().tolist() == direct.tolist()
    found = tiecore.spark.evaluate(counts, measures=["RR"], checks="none", buckets=1)
    assert found.summary.to_numpy().tolist() == direct.tolist()

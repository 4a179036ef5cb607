"""Ids of frames are encoded alike by compiled code, its stand-in, and Arrow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiecore
from tests.kernel.test_matching import AWKWARD
from tests.kernel.ways import WAYS, way
from tiecore.formats.memory import from_frame
from tiecore.kernel import library

RUNS = st.lists(st.tuples(st.sampled_from([text for text in AWKWARD if text]), st.integers(1, 9)), min_size=1)


@pytest.mark.parametrize("name", WAYS)
@given(runs=RUNS, n_before=st.integers(0, 3))
def test_queries_of_a_frame_are_what_stands_in_its_rows(name: str, runs: list[tuple[str, int]], n_before: int) -> None:
    ids = ["before"] * n_before + [query for query, n_rows in runs for _ in range(n_rows)]
    frame = pd.DataFrame({"query_id": pa.array(ids).to_pandas(), "doc_id": "d", "score": 1.0})
    with way(name):
        query = from_frame(frame.iloc[n_before:], source="frame").query
    assert query.to_pylist() == ids[n_before:]
    assert query.dictionary.to_pylist() == list(dict.fromkeys(ids[n_before:]))


@pytest.mark.parametrize("name", WAYS)
def test_a_frame_without_rows_has_no_judgments(name: str) -> None:
    frame = pd.DataFrame(
        {
            "query_id": pd.Series([], dtype="str"),
            "doc_id": pd.Series([], dtype="str"),
            "relevance": np.zeros(0, np.int8),
        }
    )
    with way(name), pytest.raises(tiecore.FormatError, match="there are no judgments in it"):
        tiecore.evaluate(frame, {"a": {"q": {"d": 1.0}}})


@pytest.mark.skipif(not library.is_there(), reason="the library is not compiled here")
def test_where_there_is_no_library_no_ids_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_library", lambda: None)
    assert library.changes_of_ids(library.Ids(0, np.zeros(1, dtype=np.int32), None), 0) is None

"""Tables of other libraries are taken as they are, and give what frames of pandas give."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import tiecore
from tests.formats.written import grades
from tiecore.errors import FormatError
from tiecore.formats.memory import from_table, is_table

QRELS = pd.DataFrame({"query_id": ["q", "q", "r"], "doc_id": ["a", "b", "a"], "relevance": [0, 1, 2]})
RUN = pd.DataFrame({"query_id": ["q", "q", "r"], "doc_id": ["a", "b", "a"], "score": [1.0, 1.0, 0.5]})


def value(qrels: Any, features: Any) -> float:
    return float(tiecore.evaluate(qrels, features, ["AP"]).summary["expected"].iloc[0])


def polars(table: pd.DataFrame) -> Any:
    return pytest.importorskip("polars").DataFrame(table.to_dict("list"))


def tuples(table: pd.DataFrame) -> list[Any]:
    """Rows as ir_measures has them."""
    return list(table.assign(iteration="0").itertuples(index=False, name="Qrel"))


@pytest.mark.parametrize("make", [pa.Table.from_pandas, polars, tuples])
def test_tables_of_other_libraries_are_taken(make: Callable[[pd.DataFrame], Any]) -> None:
    qrels, run = make(QRELS), make(RUN)
    assert value(qrels, run) == value(qrels, {"mine": run}) == value(qrels, [run]) == 0.875


def test_what_is_no_table_is_left_to_others() -> None:
    for other in ("qrels.txt", b"q 0 a 1", {"q": {"a": 1}}, [], [("q", "a", 1)], ["a.run"], None, 7):
        assert not is_table(other)


def test_a_column_alone_is_refused_with_the_way_out() -> None:
    column = pd.Series([1], index=pd.MultiIndex.from_tuples([("q", "a")], names=["query_id", "doc_id"]), name="clicks")
    for one, kind in ((column, "Series"), (pa.chunked_array([[1]]), "ChunkedArray")):
        with pytest.raises(tiecore.TiecoreError, match=rf"found {kind}: in pandas, reset_index\(\) makes columns"):
            tiecore.evaluate({"q": {"a": 1}}, {"clicks": one}, ["AP"])


def test_a_frame_whose_ids_are_its_index_is_told_so() -> None:
    frame = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "clicks": [1]})
    with pytest.raises(FormatError, match=r"the index holds 'query_id', 'doc_id': reset_index\(\) makes columns of it"):
        tiecore.evaluate({"q": {"a": 1}}, frame.set_index(["query_id", "doc_id"]), ["AP"])
    with pytest.raises(FormatError, match=r"frame: no document column among 'query_id', 'clicks'; name one of them"):
        from_table(frame.drop(columns="doc_id"), source="frame")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"score": [1j, 2, 3], "other": 1}, "frame: 'score' holds complex numbers; scores must be real"),
        ({"score": [1.0, float("nan"), 1.0]}, "row 1: the score is NaN"),
        ({"score": ["x", "y", "z"]}, "no numeric column"),
        ({"query_id": ["q", None, "r"]}, "row 1: 'query_id' is null; every row needs an id"),
        ({"doc_id": [1.0, 2.0, 3.0]}, "'doc_id' holds double; expected ids as text"),
        ({"doc_id": [["a"], 1, "b"]}, "frame: 'doc_id' must hold ids as text or whole numbers"),
        ({"relevance": [1, 0.5, 0]}, "row 1: the grade '0.5' is not a whole number"),
        ({"relevance": [1, 0, "x"]}, "row 2: the grade 'x' is not a number"),
    ],
)
def test_a_frame_with_a_fault_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        from_table(RUN.assign(**change), source="frame")


def test_a_null_in_an_arrow_table_is_refused_as_in_a_frame() -> None:
    run = pa.table({"query_id": ["q"], "doc_id": ["a"], "score": pa.array([None], pa.float64())})
    with pytest.raises(tiecore.TiecoreError):
        value(QRELS, run)


def test_whole_grades_of_a_frame_are_taken_unless_they_are_too_large() -> None:
    for table in (QRELS, QRELS.assign(relevance=[0.0, 1.0, 2.0])):
        assert grades(from_table(table, source="qrels")) == [0, 1, 2]
    with pytest.raises(FormatError, match=r"row 1: the grade '-9007199254740992' is too large"):
        from_table(QRELS.assign(relevance=[0, -(2**53), 2]), source="qrels")

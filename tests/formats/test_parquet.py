"""Parquet tables, whose features are read when they are asked for."""

import decimal
import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.formats.written import as_parquet, features, grades, ids
from tiecore.errors import FormatError
from tiecore.formats import read
from tiecore.formats.records import LazyColumns

IDS: dict[str, Any] = {"qid": ["q1", "q1", "q2"], "docid": ["d1", "d2", "d1"]}


def test_numbers_keep_their_type_as_far_as_it_can_say_that_there_is_none() -> None:
    columns = {
        **IDS,
        "label": [True, False, True],
        "i": pa.array([1, 2, 3], pa.int16()),
        "holes": pa.array([1, None, 3], pa.int64()),
        "f": pa.array([0.5, None, 2], pa.float32()),
        "h": pa.array(np.array([0.5, 1, 2], np.float16)),
        "b": [True, None, False],
        "m": [decimal.Decimal("1.50"), decimal.Decimal("2.25"), None],
        "title": ["x", "y", "z"],
        "when": pd.to_datetime(["2020-01-01"] * 3),
    }
    records = read(as_parquet(columns))
    assert records.kind == "table"
    kinds = "int16 float64 float32 float32 float64 float64"
    assert [scores.dtype.name for scores in records.features.values()] == kinds.split()
    assert features(records) == {
        "i": [1, 2, 3],
        "holes": [1, None, 3],
        "f": [0.5, None, 2],
        "h": [0.5, 1, 2],
        "b": [1, None, 0],
        "m": [1.5, 2.25, None],
    }
    assert records.ignored == ("title", "when")
    assert grades(records) == [1, 0, 1]
    assert records.query.type == pa.dictionary(pa.int32(), pa.string())
    assert records.document.type == pa.string()


@pytest.mark.parametrize("where", ["path", "bytes", "gzip", "file"])
def test_features_are_read_one_at_a_time_from_anywhere(where: str, tmp_path: Path) -> None:
    data = as_parquet({**IDS, "a": [1, 2, 3], "b.c": [4.0, 5.0, 6.0]})
    path = tmp_path / "wide.parquet"
    path.write_bytes(data)
    source: Any = {"path": path, "bytes": data, "gzip": gzip.compress(data), "file": io.BytesIO(data)}[where]
    records = read(source)
    assert isinstance(records.features, LazyColumns)
    assert features(records) == {"a": [1, 2, 3], "b.c": [4, 5, 6]}
    with pytest.raises(KeyError):
        records.features["d"]


def test_ids_come_from_text_categories_or_whole_numbers() -> None:
    columns = {
        "query_id": pa.array([7, 7, 8], pa.int64()),
        "doc_id": pa.array(["a", "b", "a"]).dictionary_encode(),
        "s": [1, 2, 3],
    }
    records = read(as_parquet(columns, row_group_size=1))
    assert ids(records) == [("7", "a"), ("7", "b"), ("8", "a")]
    assert records.query.dictionary.to_pylist() == ["7", "8"]
    for kind in (pa.large_string(), pa.binary()):
        columns = {"query_id": pa.array(IDS["qid"], kind), "doc_id": pa.array(IDS["docid"], kind), "s": [1, 2, 3]}
        assert ids(read(as_parquet(columns))) == list(zip(*IDS.values(), strict=True))


def test_a_frame_written_by_pandas_reads_back() -> None:
    frame = pd.DataFrame({**IDS, "rank": [1, 2, 1], "score": [0.5, np.nan, 2], "relevance": [0.0, 1.0, 2.0]})
    frame.index = pd.Index([5, 6, 7])
    sink = io.BytesIO()
    frame.to_parquet(sink)
    records = read(sink.getvalue())
    assert features(records) == {"<bytes>": [0.5, None, 2]}
    assert records.rank is not None
    assert records.rank.tolist() == [1, 2, 1]
    assert grades(records) == [0, 1, 2]
    assert records.ignored == ("__index_level_0__",)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"qid": [], "docid": [], "s": []}, "has columns but no rows"),
        ({"qid": ["q"], "s": [1]}, "no document column among 'qid', 's'"),
        ({"qid": ["q"], "docid": ["d"], "title": ["x"]}, "no numeric column besides the ids"),
        ({"qid": ["q", None], "docid": ["d", "e"], "s": [1, 2]}, "row 2: 'qid' is null; every row needs an id"),
        ({"qid": ["q", "q"], "docid": ["d", None], "s": [1, 2]}, "row 2: 'docid' is null"),
        ({"qid": ["q", "q"], "docid": ["d", ""], "s": [1, 2]}, "row 2: the document id is empty"),
        ({"qid": [1.0], "docid": ["d"], "s": [1]}, "'qid' holds double; expected ids as text or whole numbers"),
        (
            {"qid": ["q"], "docid": [b"\xff"], "s": [1]},
            "'docid' cannot be read as text: it is damaged, or not in UTF-8; write it again",
        ),
        ({"qid": ["q", "q"], "docid": ["d", "e"], "rel": [1, 0.5]}, "row 2: the grade '0.5' is not a whole number"),
        ({"qid": ["q", "q"], "docid": ["d", "e"], "rel": [1, None]}, "row 2: the grade is empty"),
        ({"qid": ["q"], "docid": ["d"], "rel": [[1, 2]]}, "the grade is of type list"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(columns: dict[str, Any], problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as refusal:
        read(as_parquet(columns))
    assert ("row 1" in str(refusal.value)) == ("row 1" in problem), "what is wrong with a column is not said of a row"


def test_ranks_of_any_type_are_nobodys_loss() -> None:
    for rank in ([[1], [2], [3]], [1.5, 2, 3], ["a", "b", "c"], [1, None, 2]):
        records = read(as_parquet({**IDS, "rank": rank, "s": [1, 2, 3]}))
        assert records.rank is None
        assert records.features["s"].tolist() == [1, 2, 3]


def test_columns_of_different_lengths_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Damaged(parquet.ParquetFile):  # type: ignore[misc]  # pyarrow has no types
        def read(self, columns: list[str]) -> pa.Table:
            return super().read(columns=columns).slice(0, 2 if columns == ["label"] else 3)

    monkeypatch.setattr(parquet, "ParquetFile", Damaged)
    with pytest.raises(FormatError, match="'label' has 2 values for 3 rows; write the file again"):
        read(as_parquet({**IDS, "label": [1, 0, 2]}))


def test_a_literal_nan_is_refused_when_its_feature_is_asked_for() -> None:
    records = read(as_parquet({**IDS, "s": [1.0, float("nan"), 2.0], "t": [1, 2, 3]}))
    assert records.features["t"].tolist() == [1, 2, 3]
    with pytest.raises(FormatError, match="row 2: the value of column 's' is NaN"):
        records.features["s"]


def test_a_file_that_was_cut_or_changed_is_refused() -> None:
    data = as_parquet({**IDS, "s": [1, 2, 3]})
    for broken in (data[:-1], data[:200], b"PAR1", data.replace(b"qid", b"\xffid")):
        with pytest.raises(FormatError, match="cannot be read as Parquet"):
            read(broken)


def test_another_file_in_the_place_of_one_that_is_open_gives_no_mixture_of_both(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(as_parquet({**IDS, "s": [1, 2, 3]}))
    records = read(path)
    assert features(records) == {"s": [1, 2, 3]}
    path.with_suffix(".new").write_bytes(as_parquet({**IDS, "s": [7, 8, 9]}))
    for change in (lambda: path.with_suffix(".new").replace(path), path.unlink):
        change()
        with pytest.raises(FormatError, match=r"a\.parquet: has changed or been removed since it was opened; open it"):
            records.features["s"]


def test_categories_that_no_row_has_are_nobodys_queries() -> None:
    query = pa.array(["b", "a", "a", "b"]).dictionary_encode()[1:3]
    records = read(as_parquet({"qid": query, "docid": ["d1", "d2"], "relevance": [1, 0]}))
    assert records.query.dictionary.to_pylist() == ["a"]
    assert records.query.to_pylist() == ["a", "a"]

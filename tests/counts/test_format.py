"""The file: what it holds, who may write it, and what is refused."""

import io
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import tiecore
from tests.counts.data import FEW, mixed, same, written
from tiecore.counts.read import as_counts
from tiecore.counts.table import COLUMNS, METADATA_KEY, MOST_DOCUMENTS, Counts
from tiecore.formats import Limits
from tiecore.formats.source import parquet_files
from tiecore.ties.groups import UNJUDGED

ROWS: list[tuple[Any, ...]] = [
    (None, "q1", None, 1, 2),
    (None, "q1", None, 0, 3),
    (None, "q2", None, 2, 1),
    ("clicks", "q1", 3, 1, 1),
    ("clicks", "q1", 3, None, 1),
    ("clicks", "q1", 0, 0, 3),
    ("stars", "q2", -1, 2, 1),
]


def test_a_table_written_elsewhere_needs_no_metadata_and_rows_alike_add_up_in_any_order() -> None:
    table = tiecore.evaluate(written(ROWS), measures=["AP", "P@1"])
    assert table.features == ("clicks", "stars")
    qrels = {"q1": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}, "q2": {"a": 2}}
    clicks = {"q1": {"a": 3, "x": 3, "c": 0, "d": 0, "e": 0}}
    direct = tiecore.evaluate(qrels, {"clicks": clicks, "stars": {"q2": {"a": -1}}}, ["AP", "P@1"])
    same(table.per_query, direct.per_query)
    split = [*ROWS, *ROWS]
    doubled = written(split).sample(frac=1.0, random_state=1)
    once = written([(*row[:4], 2 * row[4]) for row in ROWS])
    left, right = (tiecore.evaluate(table).per_query.sort_index() for table in (doubled, once))
    same(left, right)


@pytest.mark.parametrize("most", [1, 4096])
def test_features_may_stand_in_any_number_of_runs(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("tiecore.counts.table._MOST_RUNS", most)
    counts = tiecore.count(*mixed())
    shuffled = Counts.of(counts.frame.sample(frac=1.0, random_state=3), features=counts.features)
    left, right = (tiecore.evaluate(table).per_query.sort_index() for table in (shuffled, counts))
    same(left, right)


def test_grades_may_be_far_apart_and_numbers_of_documents_zero() -> None:
    far = [(*row[:3], 10**9 if row[3] == 1 else row[3], row[4]) for row in ROWS]
    left = tiecore.evaluate(written([*far, ("clicks", "q1", 9, 0, 0)]), measures=["AP"])
    same(left.summary, tiecore.evaluate(written(ROWS), measures=["AP"]).summary)
    with pytest.raises(tiecore.TiecoreError, match="grade 7, but no row"):
        tiecore.evaluate(written([*far, ("clicks", "q2", 5, 7, 1)]))


def test_what_is_judged_is_told_and_tables_made_elsewhere_add_all_their_rows_up() -> None:
    counts = Counts.of(written(ROWS))
    assert (counts.n_judged, counts.judged_queries().to_pylist()) == (6, ["q1", "q2"])
    twice = counts + counts
    assert twice.judgments is None
    assert twice.n_documents == 2 * counts.n_documents == 12


def test_more_than_may_be_read_is_refused_before_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiecore.count(*mixed()).to_parquet(tmp_path / "counts.parquet")
    assert as_counts(tmp_path, limits=Limits(unpacked=10**9)) is not None
    with pytest.raises(tiecore.FormatError, match="rows to unpack, beyond the limit unpacked=100"):
        as_counts(tmp_path, limits=Limits(unpacked=100))
    monkeypatch.setattr("tiecore.counts.read.MOST_ROWS", 100)
    monkeypatch.setattr("tiecore.counts.read._rows", None)
    with pytest.raises(tiecore.FormatError, match="rows; a table of counts has 100 at most"):
        tiecore.evaluate(tmp_path)


@pytest.mark.parametrize("how", ["path", "text", "bytes", "file", "bytes in memory", "folder", "arrow", "frame"])
def test_a_file_is_judgments_and_features_at_once(tmp_path: Path, how: str) -> None:
    qrels, features = mixed()
    counts = tiecore.count(qrels, features, ascending=["whole"])
    path = tmp_path / "counts.parquet"
    counts.to_parquet(path)
    ways: dict[str, Any] = {
        "path": lambda: path,
        "text": lambda: str(path),
        "bytes": path.read_bytes,
        "file": lambda: path.open("rb"),
        "bytes in memory": lambda: io.BytesIO(path.read_bytes()),
        "folder": lambda: tmp_path,
        "arrow": counts.to_arrow,
        "frame": lambda: counts.frame,
    }
    given = ways[how]()
    read = as_counts(given)
    assert read is not None
    assert read.n_rows == counts.n_rows
    if how != "frame":
        assert read.to_arrow().equals(counts.to_arrow())
        assert (read.features, read.ascending, read.judgments) == (counts.features, ("whole",), counts.judgments)
        direct = tiecore.evaluate(qrels, features, ascending=["whole"])
        same(tiecore.evaluate(given).summary, direct.summary)
    if hasattr(given, "close"):
        given.close()


def test_other_files_are_not_taken_for_counts(tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [1], "f": [1]}).to_parquet(other)
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and no more")
    empty = tmp_path / "empty"
    empty.mkdir()
    text = tmp_path / "qrels.txt"
    text.write_text("q 0 a 1\n")
    with text.open() as as_text, text.open("rb") as as_bytes:
        others = [other, broken, empty, text, tmp_path / "none", "no\0name", b"q 0 a 1", as_text, as_bytes, {}, None]
        assert [as_counts(given) for given in others] == [None] * len(others)
        assert as_counts(pd.DataFrame({"query_id": ["q"]})) is None
        assert as_counts(pa.table({"query_id": ["q"]})) is None
        assert (as_text.read(), as_bytes.read()) == ("q 0 a 1\n", b"q 0 a 1\n")
    assert tiecore.evaluate(other).features == ("f",)
    assert as_counts(b"PAR1 and no more") is None
    assert parquet_files(tmp_path / "none") == parquet_files(Path("long" * 10_000)) == []


def test_a_folder_with_a_broken_part_is_refused(tmp_path: Path) -> None:
    tiecore.count(*mixed()).to_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and no more")
    pool = pa.default_memory_pool().backend_name
    with pytest.raises(tiecore.FormatError, match="cannot be read as Parquet"):
        tiecore.evaluate(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: as_counts(tmp_path / "a.parquet"), range(32)))
    assert pa.default_memory_pool().backend_name == pool, "whatever becomes of the reading, and who else reads"


@pytest.mark.parametrize("has_checksums", [True, False])
def test_a_damaged_file_is_refused_in_one_sentence(tmp_path: Path, has_checksums: bool) -> None:
    """Bytes are changed anywhere, or the rest is cut off; without checksums, as others write it, numbers may change."""
    path, draw = tmp_path / "counts.parquet", random.Random(1)
    counts = tiecore.count(*mixed())
    counts.to_parquet(path) if has_checksums else parquet.write_table(counts.to_arrow(), path)
    whole, known = path.read_bytes(), tiecore.evaluate(path).values.array
    footer = len(whole) - int.from_bytes(whole[-8:-4], "little") - 8
    messages = []
    for turn in range(100):
        begin, end = (footer, len(whole)) if turn % 2 else (0, footer)
        data = bytearray(whole)
        for _ in range(draw.choice([1, 2, 5])):
            data[draw.randrange(begin, end)] = draw.randrange(256)
        try:
            found = tiecore.evaluate(bytes(data[: draw.randrange(len(data))] if turn % 9 == 0 else data)).values.array
        except tiecore.TiecoreError as error:
            messages.append(str(error))
        else:
            assert not has_checksums or begin or np.array_equal(found, known, equal_nan=True)
    assert len(messages) > 50
    assert max(map(len, messages)) < 1000
    assert not any("\n" in message for message in messages)


REORDERED: dict[str, Callable[[pa.Table], pa.Table]] = {
    "as written": lambda rows: rows,
    "shuffled": lambda rows: rows.take(np.random.default_rng(3).permutation(len(rows))),
    "features in turns": lambda rows: rows.sort_by([("query_id", "ascending"), ("n", "ascending")]),
    "narrow": lambda rows: rows.cast(
        pa.schema(COLUMNS | {"score_int": pa.int16(), "score_double": pa.float32(), "n": pa.uint16()})
    ),
    "queries by number": lambda rows: rows.set_column(
        1, "query_id", pa.array([int(name[1:]) for name in rows["query_id"].to_pylist()])
    ),
}


@pytest.mark.parametrize(
    ("how", "order"),
    [("one row group", "shuffled"), ("many row groups", "as written"), *(("many files", order) for order in REORDERED)],
)
def test_files_are_read_in_any_pieces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, how: str, order: str) -> None:
    monkeypatch.setattr("tiecore.counts.read._BATCH_ROWS", 3)
    monkeypatch.setattr("tiecore.counts.read._PIECE_ROWS", 11)
    counts = tiecore.count(*mixed(**FEW))
    table = REORDERED[order](counts.to_arrow())
    for begin in range(0, len(table), 20 if how == "many files" else len(table)):
        part = table.slice(begin, 20 if how == "many files" else len(table))
        rows = len(table) if how == "one row group" else 7
        parquet.write_table(part, tmp_path / f"{begin:05}.parquet", row_group_size=rows)
        (tmp_path / f".{begin:05}.parquet.crc").write_bytes(b"as Spark writes it")
    (tmp_path / "_SUCCESS").touch()
    read = as_counts(tmp_path)
    assert read is not None
    if order == "as written":
        assert read.to_arrow().equals(table)
    # whatever the pieces, numbers take no more room than those of the table that was written
    if order != "narrow":
        here, there = ([part.schema.remove(0) for part in of.scored.values()] for of in (read, counts))
        assert here == there
    assert (read.n_rows, read.n_judged, read.n_documents) == (counts.n_rows, counts.n_judged, counts.n_documents)
    found, expected = tiecore.evaluate(tmp_path).per_query, tiecore.evaluate(*mixed(**FEW)).per_query
    if order == "queries by number":
        found = found.rename("q{}".format, level="query_id")
    same(found, expected.loc[found.index])


def test_parts_without_rows_or_without_some_columns_are_read(tmp_path: Path) -> None:
    table = pa.Table.from_pandas(written(ROWS), preserve_index=False)
    parquet.write_table(table.slice(0, 0), tmp_path / "a.parquet")
    parquet.write_table(table, tmp_path / "b.parquet")
    parquet.write_table(table.slice(0, 3).drop_columns("score_int"), tmp_path / "c.parquet")
    found, expected = tiecore.evaluate(tmp_path), written([*ROWS, *ROWS[:3]])
    same(found.per_query, tiecore.evaluate(expected).per_query)
    (tmp_path / "b.parquet").unlink()
    (tmp_path / "c.parquet").unlink()
    with pytest.raises(tiecore.TiecoreError, match="no judged documents"):
        tiecore.evaluate(tmp_path)


@pytest.mark.parametrize("role", ["judgments", "feature"])
def test_other_conventions_are_tried_on_documents_alone(tmp_path: Path, role: str) -> None:
    path = tmp_path / "counts.parquet"
    tiecore.count(*mixed()).to_parquet(path)
    qrels: Any = {"q": {"a": 1}}
    judgments, feature = (path, qrels) if role == "judgments" else (qrels, path)
    with pytest.raises(tiecore.TiecoreError, match=r"counts\.parquet is a table of counts"):
        tiecore.explain(judgments, feature, {"RR": "0.5"})


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (("clicks", None, 1, 1, 1), "row 8: query_id is null"),
        (("clicks", "q1", 1, 1, -1), "row 8: n must be"),
        (("clicks", "q1", 1, 1, None), "row 8: n must be"),
        (("clicks", "q1", 1, None, 2**60), "row 8: n must be .* from 0 to 20,000,000"),
        ((None, "q1", None, UNJUDGED, 1), "row 8: grade -9223372036854775808 stands for documents that are"),
        (("clicks", "q1", 1, UNJUDGED, 1), "row 8: grade -9223372036854775808 stands for .* that are not judged"),
        (("clicks", "q1", None, 1, 1), "row 8: a row with a feature needs"),
        ((None, "q1", 1, 1, 1), "row 8: a row with a score needs a feature"),
        ((None, "q1", None, None, 1), "row 8: a row without a feature .* needs a grade"),
        (("clicks", "q1", 5, 1, 9), "counts more judged documents of a grade in query 'q1'"),
        (("clicks", "q2", 5, 0, 1), "counts more judged documents of a grade in query 'q2'"),
        (("clicks", "q1", 5, 2, 1), "counts more judged documents of a grade in query 'q1'"),
        (("clicks", "q2", 5, 7, 1), "counts documents of grade 7, but no row without a feature"),
    ],
)
def test_rows_that_cannot_be_are_refused(row: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=problem):
        tiecore.evaluate(written([*ROWS, row]))


@pytest.mark.parametrize("feature", [None, "clicks"])
def test_rows_that_together_count_more_documents_than_a_query_may_have_are_refused(feature: str | None) -> None:
    many = [(feature, "q1", None if feature is None else score, 1, MOST_DOCUMENTS) for score in range(2)]
    what = "the judgments count" if feature is None else "feature 'clicks' counts"
    with pytest.raises(tiecore.TiecoreError, match=f"{what} more than 20,000,000 documents in query 'q1'"):
        tiecore.evaluate(written([*ROWS, *many]))


def test_more_grades_and_queries_than_are_added_up_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore.counts.aligned._MOST_SLOTS", 7)
    with pytest.raises(tiecore.TiecoreError, match="has 3 grades and 2 queries, more than 7 of both"):
        tiecore.evaluate(written(ROWS))


def test_counting_a_table_of_counts_gives_it_back() -> None:
    counts = tiecore.count(*mixed())
    assert tiecore.count(counts, ascending=["fine"]).ascending == ("fine",)
    with pytest.raises(tiecore.TiecoreError, match="is a table of counts already"):
        tiecore.count(counts, mixed()[1])


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"score_double": [np.nan]}, "NaN"),
        ({"score_double": [1.0], "score_int": [1]}, "two scores"),
        ({"score_double": ["high"]}, "'score_double' holds string; expected double"),
        ({"n": [1.5]}, "'n' holds double"),
        ({"grade": pa.array([2**63], pa.uint64())}, "'grade' cannot be read as int64"),
    ],
)
def test_columns_that_cannot_be_are_refused(changed: Any, problem: str) -> None:
    one = {"feature": ["f"], "query_id": ["q"], "score_double": [1.0], "grade": [1], "n": [1]}
    with pytest.raises(tiecore.TiecoreError, match=problem):
        Counts.of(pa.table(one | changed))


STRANGE = [*ROWS, ("dwell", "q9", 1, None, 1)]


@pytest.mark.parametrize(
    ("rows", "options", "problem"),
    [
        (ROWS[3:], {}, "no judged documents"),
        (ROWS[:3], {}, "counts no feature"),
        (STRANGE, {}, "no document that 'dwell' scores is judged"),
        (STRANGE, {"unmatched": "omit", "only": ["dwell"]}, "no document that 'dwell' scores is judged"),
        (ROWS, {"features": mixed()[1]}, "give it alone"),
        (ROWS, {"only": ["x"]}, "no feature is named 'x'"),
        (ROWS, {"ascending": ["x"]}, "ascending names 'x'"),
    ],
)
def test_what_is_missing_or_too_much_is_said(rows: Any, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=problem):
        tiecore.evaluate(written(rows), **options)


def test_a_feature_that_counts_no_judged_document_can_be_left_out_and_rows_of_queries_that_are_not_judged_are() -> None:
    left = tiecore.evaluate(written(STRANGE), unmatched="omit")
    assert left.features == ("clicks", "stars")
    assert list(left.values.alignment.omitted) == ["dwell"]
    table = tiecore.evaluate(written([*ROWS, ("clicks", "q9", 1, None, 7), ("clicks", "q9", 2, None, 1)]))
    coverage: Any = table.coverage
    assert coverage.loc["clicks", ["queries_unknown", "documents_unknown"]].tolist() == [1, 8]


def test_a_table_of_other_or_nested_columns_or_of_scores_that_no_column_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tiecore.TiecoreError, match="whole and real scores"):
        Counts.of(written([*ROWS, ("clicks", "q1", None, None, 1)]).assign(score_double=[*[float("nan")] * 7, 0.5]))
    with pytest.raises(tiecore.TiecoreError, match="is no table of counts"):
        Counts.of(pa.table({"feature": ["f"]}))
    scores = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "f": np.array([2**63], dtype=np.uint64)})
    with pytest.raises(tiecore.TiecoreError, match=r"beyond 2\^63"):
        tiecore.count({"q": {"a": 1}}, scores)
    table = pa.Table.from_pandas(written(ROWS), preserve_index=False)
    nested = table.set_column(3, "grade", pa.array([{"a": 1, "b": 2}] * len(table)))
    parquet.write_table(nested, tmp_path / "counts.parquet")
    with pytest.raises(tiecore.TiecoreError, match="'grade' holds struct"):
        tiecore.evaluate(tmp_path)


@pytest.mark.parametrize(
    ("about", "problem"),
    [
        (b"{", "cannot be read"),
        (b'{"features": [1]}', "cannot be read"),
        (b'{"left_out": {"f": [1]}}', "cannot be read"),
        (b'{"judgments": "no number"}', "cannot be read"),
        (b'{"judgments": 3}', "cannot be read"),
        (b"[]", "cannot be read"),
        (b'{"version": 2}', "version 2 of the format; this tiecore reads version 1"),
        (b'{"ascending": ["x"]}', "'x' ascending, which is no feature"),
    ],
)
def test_metadata_that_cannot_be_are_refused(about: bytes, problem: str) -> None:
    table = pa.Table.from_pandas(written(ROWS), preserve_index=False).replace_schema_metadata({METADATA_KEY: about})
    with pytest.raises(tiecore.FormatError, match=problem):
        tiecore.evaluate(table)


def test_columns_are_as_documented_and_a_folder_that_is_not_there_cannot_be_written_to(tmp_path: Path) -> None:
    tiecore.count(*mixed()).to_parquet(tmp_path / "counts.parquet")
    assert parquet.read_schema(tmp_path / "counts.parquet").remove_metadata() == pa.schema(COLUMNS.items())
    with pytest.raises(tiecore.TiecoreError, match="cannot write"):
        tiecore.count(*mixed()).to_parquet(tmp_path / "none" / "counts.parquet")

"""Files that stand in order are read straight into cells, and the heads of lists suffice for cut-offs: same values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyarrow import parquet

import tiecore
from tests.counts.data import EXACT, FEW, mixed
from tiecore.counts.aligned import aligned
from tiecore.counts.cells import Cells
from tiecore.counts.read import as_counts
from tiecore.counts.rows import CountedRows
from tiecore.counts.table import Counts
from tiecore.evaluation.engine import STATISTICS, counted_values
from tiecore.evaluation.values import Options
from tiecore.measures import measure

MEASURES = ("nDCG@5", "AP", "RR", "P@3", "Bpref")


@cache
def table(seed: int = 0, **size: int) -> pa.Table:
    """Return a table of counts in order, with unjudged documents, and features of whole numbers and of floats."""
    return tiecore.count(*mixed(seed, **size), ascending=["whole"]).to_arrow()


def written(rows: pa.Table, path: Path, **options: Any) -> Path:
    parquet.write_table(rows, path, **options)
    return path


def same(left: Any, right: Any) -> None:
    pd.testing.assert_frame_equal(left, right, check_exact=False, **EXACT)


CHOICES: tuple[dict[str, Any], ...] = (
    {},
    {"only": ["thirds", "whole"], "ascending": ["thirds"]},
    {"queries": "common"},
)


@cache
def in_any_order(seed: int, missing: Any) -> list[tiecore.Evaluation]:
    """Evaluate the rows of a table, which no file holds, for each of the choices."""
    counts = Counts.of(table(seed))
    assert not isinstance(counts.rows, Cells)
    return [tiecore.evaluate(counts, measures=MEASURES, missing=missing, **options) for options in CHOICES]


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_rows", [5, 40, 1_000_000], ids="groups of {}".format)
@pytest.mark.parametrize("missing", ["unranked", "last"])
def test_rows_in_order_are_evaluated_as_those_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, n_rows: int, missing: Any
) -> None:
    monkeypatch.setattr("tiecore.counts.ordered._AT_ONCE", 3)
    monkeypatch.setattr("tiecore.counts.ordered._BATCH_ROWS", 17)
    read = as_counts(written(table(seed), tmp_path / "counts.parquet", row_group_size=n_rows))
    assert read is not None
    assert isinstance(read.rows, Cells)
    for options, expected in zip(CHOICES, in_any_order(seed, missing), strict=True):
        found = tiecore.evaluate(read, measures=MEASURES, missing=missing, **options)
        same(found.per_query, expected.per_query)
        same(found.coverage, expected.coverage)


def test_what_a_table_tells_of_itself_is_the_same_in_any_order(tmp_path: Path) -> None:
    rows = table()
    read, anyhow = as_counts(written(rows, tmp_path / "counts.parquet")), Counts.of(rows)
    assert read is not None
    for name in ("features", "ascending", "left_out", "judgments", "joint", "n_rows", "n_judged", "n_documents"):
        assert getattr(read, name) == getattr(anyhow, name)
    assert read.judged_queries().equals(anyhow.judged_queries())
    assert read.to_arrow().equals(anyhow.to_arrow())
    pd.testing.assert_frame_equal((read + read).frame, (anyhow + anyhow).frame)


@pytest.mark.parametrize("scores", [{"a": 2, "b": 1}, {"a": 0.5, "b": 0.25}], ids=["whole", "real"])
def test_a_table_with_scores_of_one_kind_is_read_as_it_was_written(tmp_path: Path, scores: Any) -> None:
    counts = tiecore.count({"q": {"a": 1, "b": 0}}, {"clicks": {"q": scores}})
    read = as_counts(written(counts.to_arrow(), tmp_path / "counts.parquet"))
    assert read is not None
    assert isinstance(read.rows, Cells)
    assert read.to_arrow().equals(counts.to_arrow())


def changed(rows: pa.Table, name: str, column: Any) -> pa.Table:
    return rows.set_column(rows.schema.get_field_index(name), name, column)


def with_value(rows: pa.Table, name: str, place: int, value: Any) -> pa.Table:
    values = rows[name].to_pylist()
    values[place] = value
    return changed(rows, name, pa.array(values, rows.schema.field(name).type))


def last_first(rows: pa.Table) -> pa.Table:
    """Queries of each feature in another order than those of the judgments."""
    is_judged = rows["feature"].is_null()
    scored = rows.filter(pc.invert(is_judged))
    return pa.concat_tables([rows.filter(is_judged), scored.take(np.arange(len(scored))[::-1])])


UNUSUAL: dict[str, Callable[[pa.Table], pa.Table]] = {
    "queries in another order": last_first,
    "a query that is not judged": lambda rows: with_value(rows, "query_id", -1, "unknown"),
    "queries by number": lambda rows: changed(
        rows, "query_id", pa.array([int(name[1:]) for name in rows["query_id"].to_pylist()])
    ),
    "no query": lambda rows: with_value(rows, "query_id", -1, None),
    "a judged document of no query": lambda rows: with_value(rows, "query_id", 0, None),
    "no documents": lambda rows: with_value(rows, "n", -1, 0),
    "fewer than no documents": lambda rows: with_value(rows, "n", -1, -1),
    "no judged documents": lambda rows: with_value(rows, "n", 0, 0),
    "an unknown number of documents": lambda rows: with_value(rows, "n", -1, None),
    "judgments without a grade": lambda rows: with_value(rows, "grade", 0, None),
    "judgments with a score": lambda rows: with_value(rows, "score_int", 0, 1),
    "a grade that no document is judged with": lambda rows: with_value(rows, "grade", -1, 99),
    "no score": lambda rows: with_value(rows, "score_double", -1, None),
    "two scores": lambda rows: with_value(rows, "score_int", -1, 1),
    "scores of two kinds": lambda rows: with_value(with_value(rows, "score_int", -1, 1), "score_double", -1, None),
    "NaN": lambda rows: with_value(rows, "score_double", -1, float("nan")),
    "unsigned numbers": lambda rows: changed(rows, "n", rows["n"].cast(pa.uint32())),
    "scores as text": lambda rows: changed(rows, "score_double", rows["score_double"].cast(pa.string())),
    "a column joint": lambda rows: with_value(rows, "joint", -1, 1),
    "no judgments": lambda rows: rows.filter(rows["feature"].is_valid()),
    "no features": lambda rows: rows.filter(rows["feature"].is_null()),
    "no grades": lambda rows: changed(rows, "grade", pa.nulls(len(rows), pa.int64())),
    "no judged document of a feature": lambda rows: changed(
        rows, "grade", pc.if_else(pc.equal(rows["feature"], "flat"), None, rows["grade"])
    ),
}


def summary_of(counts: Counts | None) -> pd.DataFrame:
    assert counts is not None
    return tiecore.evaluate(counts, measures=MEASURES, unmatched="omit").summary


@cache
def unusual(what: str) -> tuple[pa.Table, pd.DataFrame | str]:
    """Return rows, and what is found in them or said of them."""
    rows = UNUSUAL[what](table(**FEW))
    try:
        return rows, summary_of(Counts.of(rows))
    except tiecore.TiecoreError as error:
        return rows, str(error)


@pytest.mark.parametrize("what", UNUSUAL)
@pytest.mark.parametrize("n_rows", [1, 1_000_000], ids="groups of {}".format)
def test_whatever_is_unusual_is_left_to_the_reader_of_all_tables(tmp_path: Path, what: str, n_rows: int) -> None:
    rows, expected = unusual(what)
    path = written(rows, tmp_path / "counts.parquet", row_group_size=n_rows)
    if isinstance(expected, str):
        with pytest.raises(tiecore.TiecoreError) as refusal:
            summary_of(as_counts(path))
        assert str(refusal.value).replace(str(path), "counts") == expected
    else:
        read = as_counts(path)
        same(summary_of(read), expected)
        assert read is not None
        assert not isinstance(read.rows, Cells)


def test_a_file_whose_features_take_turns_all_the_time_is_left_to_the_reader_of_all_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiecore.counts.ordered._MOST_STRETCHES", 4)
    read = as_counts(written(table(), tmp_path / "counts.parquet"))
    assert read is not None
    assert not isinstance(read.rows, Cells)


def test_features_that_take_turns_query_by_query_are_in_order_too(tmp_path: Path) -> None:
    rows = table().sort_by([("query_id", "ascending"), ("n", "ascending")])
    counts = as_counts(written(rows, tmp_path / "counts.parquet", row_group_size=30))
    assert counts is not None
    assert isinstance(counts.rows, Cells)
    same(tiecore.evaluate(counts).per_query, tiecore.evaluate(Counts.of(rows)).per_query)


def test_narrow_numbers_and_features_without_rows_are_in_order_too(tmp_path: Path) -> None:
    rows = changed(table(), "score_double", table()["score_double"].cast(pa.float32()))
    for name in ("grade", "n", "score_int"):
        rows = changed(rows, name, rows[name].cast(pa.int16()))
    without = rows.filter(pc.fill_null(pc.not_equal(rows["feature"], "whole"), True))
    counts = as_counts(written(without, tmp_path / "counts.parquet"))
    assert counts is not None
    assert isinstance(counts.rows, Cells)
    same(tiecore.evaluate(counts).summary, tiecore.evaluate(Counts.of(without)).summary)
    assert tiecore.evaluate(counts).coverage.loc["whole", "documents"] == 0


@pytest.mark.untraced
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("order", ["best first", "best last", "in any order"])
@pytest.mark.parametrize("is_ascending", [False, True])
def test_the_heads_of_lists_suffice_for_a_cut_off(seed: int, order: str, is_ascending: bool) -> None:
    rows = table(seed)
    if order != "best first":
        places = (
            np.arange(len(rows))[::-1] if order == "best last" else np.random.default_rng(seed).permutation(len(rows))
        )
        rows = rows.take(places)
    features = ("coarse", "fine", "whole", "flat")
    alignment = aligned(Counts.of(rows), only=features, ascending=features if is_ascending else ())
    for depth in (1, 3, 10):
        wanted = [measure(f"{name}@{depth}") for name in ("nDCG", "P", "RR", "AP", "Success")]
        for feature in features:
            whole, head = (
                counted_values(alignment, feature, wanted, (), Options(), STATISTICS, depth=limit)
                for limit in (None, depth)
            )
            np.testing.assert_allclose(head, whole, **EXACT)


def test_a_head_ends_with_the_group_that_reaches_the_depth() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}, "r": {"a": 1}}
    scores = {"q": {"a": 3, "b": 2, "c": 2, "d": 1}, "r": {"a": 1, "x": 0}}
    rows = aligned(tiecore.count(qrels, {"clicks": scores})).rows("clicks")
    assert isinstance(rows, CountedRows)
    assert rows.head(1).scores.tolist() == [3, 1]
    assert rows.head(2).scores.tolist() == [3, 2, 2, 1, 0]
    assert rows.head(2).document.tolist() == rows.document[[0, 1, 2, 4, 5]].tolist()
    assert rows.head(9).scores.tolist() == rows.scores.tolist()


def test_what_is_missing_keeps_a_list_whole() -> None:
    rows = aligned(tiecore.count({"q": {"a": 1, "b": 0}}, {"clicks": {"q": {"a": 1}}})).rows("clicks", missing="last")
    assert isinstance(rows, CountedRows)
    assert rows.head(1) is rows


def test_a_grade_for_every_document_is_counted_too(tmp_path: Path) -> None:
    qrels = {f"q{query}": {f"d{doc}": 10 * query + doc for doc in range(3)} for query in range(6)}
    scores = {query: {name: grade % 2 for name, grade in of_query.items()} for query, of_query in qrels.items()}
    counts = as_counts(written(tiecore.count(qrels, {"odd": scores}).to_arrow(), tmp_path / "counts.parquet"))
    assert counts is not None
    same(tiecore.evaluate(counts).summary, tiecore.evaluate(qrels, {"odd": scores}).summary)

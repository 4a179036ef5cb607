"""The query that any engine may run: what it counts in DuckDB is what is counted here."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tiecore
from tests.counts.data import TOGETHER, mixed, rows_of, same, under_each_other, wide
from tiecore.counts import ORDER, Counts, counts_sql, repeated_sql

REAL = ("coarse", "fine", "sure", "thirds", "flat")


@pytest.fixture
def duck() -> Any:
    return pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install duckdb").connect()


def test_duckdb_counts_the_same_and_together_what_breaks_ties(duck: Any) -> None:
    qrels, features = mixed()
    duck.register("qrels", qrels)
    duck.register("features", wide(features))
    found = duck.sql(counts_sql(whole=["whole"], real=REAL)).to_arrow_table()
    assert rows_of(found) == rows_of(tiecore.count(qrels, features).to_arrow().drop_columns("joint"))
    together = duck.sql(counts_sql(whole=["whole"], real=REAL, joint=TOGETHER)).to_arrow_table()
    chosen: dict[str, Any] = {"measures": ["AP", "nDCG@5", "ERR@7", "ESL"]} | under_each_other(TOGETHER)
    counted, direct = (tiecore.evaluate(*data, **chosen).per_query.sort_index() for data in ((together,), mixed()))
    same(counted, direct)


def test_duckdb_finds_what_is_listed_twice(duck: Any) -> None:
    duck.register("qrels", pd.DataFrame({"query_id": ["q", "q", "p"], "doc_id": ["a", "a", "a"]}))
    assert duck.sql(repeated_sql("qrels")).fetchall() == [("q", "a", 2)]


def test_names_of_features_are_quoted(duck: Any) -> None:
    nasty = 'a "b" .c'
    duck.register("features", pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "relevance": [1], nasty: [3]}))
    counts = Counts.of(duck.sql(counts_sql(whole=[nasty], qrels=None)).to_arrow_table())
    assert counts.features == (nasty,)


def test_columns_of_one_kind_are_read_once_as_the_page_shows_and_what_cannot_be_asked_for_is_refused() -> None:
    with pytest.raises(tiecore.TiecoreError, match="name at least one column"):
        counts_sql()
    with pytest.raises(tiecore.TiecoreError, match="cannot be called 'Grade'"):
        counts_sql(whole=["Grade"])
    assert counts_sql(real=["bm25"]).count("UNPIVOT") == counts_sql(whole=["clicks"]).count("UNPIVOT") == 1
    page = (Path(__file__).parents[2] / "docs" / "counts.md").read_text(encoding="utf-8")
    assert counts_sql(whole=["clicks"], real=["bm25"]) in page


def test_parts_in_order_are_the_whole(duck: Any, tmp_path: Path) -> None:
    qrels, features = mixed()
    labelled = qrels.merge(wide(features), on=["query_id", "doc_id"])[["query_id", "doc_id", "relevance", "whole"]]
    query = f"{counts_sql(whole=['whole'], qrels=None)} {ORDER}"
    for part in range(3):
        duck.register("features", labelled.iloc[part::3])
        duck.execute(f"COPY ({query}) TO '{tmp_path}/{part}.parquet' (FORMAT parquet, COMPRESSION zstd)")
    direct = tiecore.evaluate(labelled).per_query.sort_index()
    same(tiecore.evaluate(tmp_path).per_query.sort_index(), direct)

"""The generated data as files, written once and kept in bench/data/, and as columns in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from bench import QUERIES
from bench.generate import FEATURES, NAMED, Block, blocks, document_ids, long_ids
from bench.many_runs import write_lines, write_many
from bench.paths import FOLDER, many_run_files, qrels_file, run_file, table_file
from tiecore.formats.records import Records

ROWS_PER_GROUP = 500_000
FREQUENT = (
    *NAMED,
    *("covered_terms_title", "covered_terms_body", "boolean_anchor", "length_title", "tf_sum_body", "tf_min_title"),
    *("tf_max_url", "idf_body", "bm25_whole"),
)
"""The twenty features of the smaller table: all but two of them discrete."""


def prepare(tables: Iterable[tuple[int, str]], texts: Iterable[tuple[int, str]], n_runs: int = 0) -> None:
    """Write what is not there yet: tables by queries and features, a run and qrels by queries and ids, many runs."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for n_queries, which in tables:
        path = table_file(n_queries, which)
        if not path.exists():
            write_table(path, n_queries, FREQUENT if which == "frequent" else tuple(FEATURES))
    for n_queries, ids in texts:
        if not (run_file(n_queries, ids).exists() and qrels_file(n_queries, ids).exists()):
            _write_texts(n_queries, ids)
    if n_runs and not many_run_files(n_runs)[-1].exists():
        write_many(n_runs)


def _ids(block: Block, ids: str = "short") -> tuple[pa.Array, pa.Array]:
    query = pa.array(block.query + 1).cast(pa.string())
    document = document_ids(block) if ids == "short" else long_ids(block.query * 2048 + block.position)
    return query, pa.array(document).cast(pa.string())


def write_table(path: Path, n_queries: int, features: Sequence[str]) -> int:
    """Write a table of some features; tells how many documents it has."""
    schema = pa.schema(
        [("query_id", pa.string()), ("doc_id", pa.string()), ("label", pa.int8())]
        + [(name, pa.from_numpy_dtype(FEATURES[name].quantile(np.array([0.5])).dtype)) for name in features]
    )
    unfinished = path.with_suffix(".part")
    with parquet.ParquetWriter(unfinished, schema) as writer:
        waiting: list[pa.RecordBatch] = []
        for block in blocks(n_queries):
            query, document = _ids(block)
            values = [pa.array(block.values(name)) for name in features]
            label = pa.array(block.grade.astype(np.int8))
            waiting.append(pa.record_batch([query, document, label, *values], schema=schema))
            if sum(batch.num_rows for batch in waiting) >= ROWS_PER_GROUP:
                writer.write_table(pa.Table.from_batches(waiting), row_group_size=2 * ROWS_PER_GROUP)
                waiting = []
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting), row_group_size=2 * ROWS_PER_GROUP)
    unfinished.rename(path)
    return int(parquet.read_metadata(path).num_rows)


def _write_texts(n_queries: int, ids: str) -> None:
    """Write run and qrels: the run by score, equal ones in no order that tells anything."""
    run, qrels = run_file(n_queries, ids), qrels_file(n_queries, ids)
    parts = [path.with_suffix(".part-" + path.suffix[1:]) for path in (run, qrels)]
    with parts[0].open("wb") as run_lines, parts[1].open("wb") as qrels_lines:
        for block in blocks(n_queries):
            query, document = _ids(block, ids)
            write_lines(qrels_lines, [query, np.zeros(len(document), dtype=np.int8), document, block.grade])
            scores = block.values("indegree")
            order = by_score(scores, query=block.query)
            fixed = [np.full(len(document), text) for text in ("Q0", "indegree")]
            listed = document.take(pa.array(order))
            write_lines(run_lines, [query, fixed[0], listed, block.position + 1, scores[order], fixed[1]])
    for part, path in zip(parts, (run, qrels), strict=True):
        part.rename(path)


def by_score(scores: np.ndarray, *, query: np.ndarray) -> np.ndarray:
    """Order of the lines of a run: query by query, the highest score first."""
    return np.lexsort((-scores.astype(np.float64), query))


_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The first queries of the set in memory, without any tool's own structures."""

    query: pa.DictionaryArray
    """(n_documents,)"""
    document: pa.Array
    """(n_documents,)"""
    grade: np.ndarray
    """(n_documents,)"""
    scores: dict[str, np.ndarray]
    """By feature."""

    @property
    def query_number(self) -> np.ndarray:
        """(n_documents,) from 0, ascending."""
        return self.query.indices.to_numpy()

    def judgments(self) -> Records:
        """Judgments as tiecore's readers would give them."""
        return Records(
            source="qrels", kind="memory", query=self.query, document=self.document, grades=self.grade.astype(np.int64)
        )

    def table(self) -> Records:
        """All features side by side, in the order of the judgments."""
        return Records(source="table", kind="memory", query=self.query, document=self.document, features=self.scores)

    def run(self, name: str) -> Records:
        """One feature as a run lists it: the highest score first."""
        order = self.run_order(name)
        document = self.document.take(pa.array(order))
        scores = self.scores[name][order]
        return Records(source=name, kind="memory", query=self.query, document=document, features={name: scores})

    def run_order(self, name: str) -> np.ndarray:
        """(n_documents,) documents as a run lists them."""
        return by_score(self.scores[name], query=self.query_number)

    def dicts(self, name: str) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
        """Judgments and run as {query: {document: number}}."""
        order = self.run_order(name)
        listed = self.document.take(pa.array(order))
        grade, score = self.grade.tolist(), self.scores[name][order].astype(np.float64).tolist()
        return self._nested(self.document.to_pylist(), grade), self._nested(listed.to_pylist(), score)

    def lists(self, values: np.ndarray) -> list[np.ndarray]:
        """Values cut into one array a query."""
        return np.split(values, np.flatnonzero(np.diff(self.query_number)) + 1)

    def _nested(self, documents: list[str], values: list[_Number]) -> dict[str, dict[str, _Number]]:
        first = np.searchsorted(self.query_number, np.arange(len(self.query.dictionary) + 1)).tolist()
        return {
            query: dict(zip(documents[begin:end], values[begin:end], strict=True))
            for query, begin, end in zip(self.query.dictionary.to_pylist(), first[:-1], first[1:], strict=True)
        }


def columns(features: Sequence[str], *, n_queries: int = QUERIES, n_documents: int | None = None) -> Columns:
    """Read the first queries of the smaller table, or as many as make up some number of documents."""
    table, first = _head(["query_id", "doc_id", "label", *features], n_queries=n_queries, n_documents=n_documents)
    if n_documents is not None:
        n_queries = int(np.searchsorted(first, n_documents))
    table = table.slice(0, int(first[n_queries]))
    query = table["query_id"].dictionary_encode().combine_chunks()
    return Columns(
        query=query,
        document=table["doc_id"].combine_chunks(),
        grade=table["label"].to_numpy(),
        scores={name: table[name].to_numpy() for name in features},
    )


def _head(names: Sequence[str], *, n_queries: int, n_documents: int | None) -> tuple[pa.Table, np.ndarray]:
    """Read row groups until there are enough queries, or documents; also the first document of each query."""
    file = parquet.ParquetFile(table_file(QUERIES, "frequent"))
    groups: list[pa.Table] = []
    for group in range(file.num_row_groups):
        groups.append(file.read_row_group(group, columns=names))
        last = int(groups[-1]["query_id"][-1].as_py())
        if last > n_queries or (n_documents is not None and sum(map(len, groups)) > n_documents):
            break
    table = pa.concat_tables(groups)
    number = table["query_id"].cast(pa.int32()).to_numpy() - 1
    return table, np.searchsorted(number, np.arange(QUERIES + 1))

"""Rebuild the sample from a table of raw MSLR features: ``python build.py SOURCE.csv``.

The same source gives the same bytes, whatever the day and the folder. Only another version of pyarrow or zlib may pack
the Parquet file and the gzipped ones differently; their content stays.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["build"]

N_QUERIES = 50
MIN_DOCUMENTS = 50

SOURCE_COLUMN = {
    "indegree": "inlink_num",
    "outdegree": "outlink_num",
    "url_clicks": "url_clicks",
    "query_url_clicks": "q_url_clicks",
    "dwell": "url_dwell",
    "url_slashes": "url_slashes",
    "url_length": "url_length",
    "quality_score": "QualityScore",
    "title_match": "cqtn_title",
    "bm25": "BM25_whole",
}

Row = dict[str, str]  # query_id, doc_id, grade and the features, each to the letter of the source


def read_queries(source: Path) -> list[list[Row]]:
    """Return the rows of each query, in the order of the source."""
    with source.open(encoding="utf-8", newline="") as lines:
        rows = [
            {"query_id": line["qid"], "doc_id": neutral_id(line["qid"], line["docid"]), "grade": line["label"]}
            | {feature: line[column] for feature, column in SOURCE_COLUMN.items()}
            for line in csv.DictReader(lines)
        ]
    return [list(group) for _, group in groupby(rows, key=itemgetter("query_id"))]


def neutral_id(query: str, source_id: str) -> str:
    """Return a document id whose order says nothing about the order of the source."""
    return f"{query}-{hashlib.sha256(source_id.encode()).hexdigest()[:8]}"


def whole(queries: Sequence[list[Row]]) -> Iterator[list[Row]]:
    """Leave out the last query of each half of the source, which the cut after 5,000 lines left incomplete.

    Query numbers rise within a half, so a half ends where they fall and where the file ends.
    """
    for query, following in pairwise(queries):
        if int(following[0]["query_id"]) > int(query[0]["query_id"]):
            yield query


def choose(queries: Iterable[list[Row]]) -> list[list[Row]]:
    """Return the first queries that are long enough and have something to find."""
    fit = [rows for rows in queries if len(rows) >= MIN_DOCUMENTS and any(int(row["grade"]) > 0 for row in rows)]
    return fit[:N_QUERIES]


def ranked(rows: Iterable[Row], feature: str) -> list[Row]:
    """Order one query by a feature, highest first, equal values by document id, as search engines write a run."""
    return sorted(rows, key=lambda row: (-float(row[feature]), row["doc_id"]))


def as_qrels(queries: Iterable[list[Row]]) -> bytes:
    """Write TREC qrels."""
    return _lines(f"{row['query_id']} 0 {row['doc_id']} {row['grade']}" for rows in queries for row in rows)


def as_run(queries: Iterable[list[Row]], feature: str) -> bytes:
    """Write a TREC run, tagged with the name of the feature."""
    return _lines(
        f"{row['query_id']} Q0 {row['doc_id']} {rank} {row[feature]} {feature}"
        for rows in queries
        for rank, row in enumerate(ranked(rows, feature), start=1)
    )


def as_table(queries: Iterable[list[Row]], features: Sequence[str], *, separator: str) -> bytes:
    """Write a table with a header; no field holds a separator, so none is quoted."""
    columns = ["query_id", "doc_id", *features]
    return _lines(
        separator.join(fields)
        for fields in ([columns] + [[row[column] for column in columns] for rows in queries for row in rows])
    )


def as_parquet(queries: Iterable[list[Row]], features: Sequence[str]) -> bytes:
    """Write a Parquet table with the ids as strings and the features as integers."""
    rows = [row for rows in queries for row in rows]
    columns = {column: pa.array([row[column] for row in rows], pa.string()) for column in ("query_id", "doc_id")}
    columns |= {feature: pa.array([int(row[feature]) for row in rows], pa.int32()) for feature in features}
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="snappy")
    return sink.getvalue()


def as_json(queries: Iterable[list[Row]], feature: str) -> bytes:
    """Write ``{query: {document: number}}``, a line for each query."""
    scores = (
        f"{json.dumps(rows[0]['query_id'])}: {json.dumps({row['doc_id']: int(row[feature]) for row in rows})}"
        for rows in queries
    )
    return ("{\n" + ",\n".join(scores) + "\n}\n").encode()


def zipped(content: bytes) -> bytes:
    """Compress without the name of a file or a time, so that the same content gives the same bytes."""
    return gzip.compress(content, mtime=0)


def build(source: Path, folder: Path) -> None:
    """Write the sample into a folder.

    Parameters
    ----------
    source
        CSV with the columns ``qid``, ``docid``, ``label`` and those of ``SOURCE_COLUMN``.
    folder
        Where the files go; it must exist.
    """
    queries = choose(whole(read_queries(source)))
    candidates = [ranked(rows, "bm25") for rows in queries]
    files = {
        "qrels.txt": as_qrels(queries),
        "indegree.run": as_run(queries, "indegree"),
        "bm25.run.gz": zipped(as_run(queries, "bm25")),
        "clicks.csv": as_table(candidates, ["url_clicks", "query_url_clicks", "dwell"], separator=","),
        "outdegree.tsv.gz": zipped(as_table(queries, ["outdegree"], separator="\t")),
        "pages.parquet": as_parquet(queries, ["url_slashes", "url_length", "quality_score"]),
        "title_match.json": as_json(queries, "title_match"),
    }
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def main() -> None:
    """Read the arguments and build."""
    parser = argparse.ArgumentParser(description="Rebuild the sample data.")
    parser.add_argument("source", type=Path, help="CSV of raw MSLR features, described in README.md")
    parser.add_argument(
        "--into", type=Path, default=Path(__file__).parent, metavar="FOLDER", help="default: beside this"
    )
    arguments = parser.parse_args()
    build(arguments.source, arguments.into)


if __name__ == "__main__":
    main()

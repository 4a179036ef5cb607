"""Data in the shape of a TREC track: many systems, few queries, a thousand documents each, few of them judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np
import pyarrow as pa
from pyarrow import csv

from bench.generate import SEED, long_ids
from bench.paths import many_qrels_file, many_run_files

N_QUERIES, DEPTH, N_JUDGED, N_POOL = 30, 1000, 300, 3000
GRADE_SHARES = (0.6, 0.25, 0.1, 0.05)


def write_many(n_runs: int) -> None:
    """Write runs and judgments: good documents are found and judged more often, and systems agree in part."""
    files = many_run_files(n_runs)
    files[0].parent.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([SEED, N_QUERIES])
    query = np.repeat(np.arange(201, 201 + N_QUERIES), DEPTH).astype(str)
    document = long_ids(np.arange(N_QUERIES * N_POOL)).astype(str).reshape(N_QUERIES, N_POOL)
    merit = -np.log(np.arange(5, 5 + N_POOL))

    def best(number: int) -> np.ndarray:
        """(n_queries, number) documents by merit and luck, the best first."""
        luck = rng.gumbel(size=(N_QUERIES, N_POOL))
        return np.argsort(-(merit + luck), axis=1)[:, :number]

    judged = np.take_along_axis(document, best(N_JUDGED), axis=1).ravel()
    grade = rng.choice(len(GRADE_SHARES), size=len(judged), p=GRADE_SHARES)
    write_lines(
        many_qrels_file(), [np.repeat(np.unique(query), N_JUDGED), np.zeros(len(judged), np.int8), judged, grade]
    )
    for number, path in enumerate(files):
        scores = -np.sort(-rng.gamma(2.0, 3.0, size=(N_QUERIES, DEPTH)), axis=1)
        scores = np.round(scores, 2 if number % 2 else 6)  # every second system ties some of its documents
        listed = np.take_along_axis(document, best(DEPTH), axis=1).ravel()
        rank = np.tile(np.arange(1, DEPTH + 1), N_QUERIES)
        fixed = [np.full(len(listed), text) for text in ("Q0", path.stem)]
        write_lines(path, [query, fixed[0], listed, rank, scores.ravel(), fixed[1]])


def write_lines(where: Path | IO[bytes], columns: Sequence[np.ndarray | pa.Array]) -> None:
    """Write columns side by side, blanks between them and no head above, as TREC has its files."""
    table = pa.table({str(place): column for place, column in enumerate(columns)})
    csv.write_csv(table, where, csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none"))

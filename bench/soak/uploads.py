"""Files that nobody has seen before: each set differs, so that nothing of it can be in a cache."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

__all__ = ["write_batch"]

LIST = 60
"""Documents of a query."""


def write_batch(folder: Path, *, seed: int, n_queries: int, with_a_bad_one: bool) -> list[Path]:
    """Write judgments, a run, a table of six features, and sometimes a file that cannot be read."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    queries = np.repeat(np.arange(n_queries), LIST)
    documents = np.tile(np.arange(LIST), n_queries)
    n_rows = len(queries)
    grades = rng.choice(4, size=n_rows, p=[0.6, 0.25, 0.1, 0.05])
    features = np.column_stack(
        [
            np.floor(np.maximum(rng.normal(size=n_rows) + merit * grades, 0) * fineness)
            for merit, fineness in ((0.2, 1), (0.3, 2), (0.4, 4), (0.5, 20), (0.1, 1), (0.6, 3))
        ]
    )
    qrels = "".join(f"q{q} 0 d{d} {g}\n" for q, d, g in zip(queries, documents, grades, strict=True))
    run = "".join(
        f"q{q} Q0 d{d} {d + 1} {score:.1f} run{seed}\n"
        for q, d, score in zip(queries, documents, rng.normal(size=n_rows) + grades, strict=True)
    )
    names = ",".join(f"f{number}_{seed}" for number in range(features.shape[1]))
    table = f"query_id,doc_id,{names}\n" + "".join(
        f"q{q},d{d},{','.join(f'{value:g}' for value in row)}\n"
        for q, d, row in zip(queries, documents, features, strict=True)
    )
    (folder / f"qrels{seed}.txt").write_text(qrels)
    (folder / f"table{seed}.csv").write_text(table)
    (folder / f"run{seed}.run.gz").write_bytes(gzip.compress(run.encode(), 1))
    if with_a_bad_one:
        (folder / f"bad{seed}.run").write_text("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 oops tag\n")
    return sorted(folder.iterdir())

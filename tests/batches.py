"""Collections too large to enumerate, evaluated in one call, and how two results are compared."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.strategies import Qrels, Scores, random_collection
from tiecore.collection.alignment import Alignment
from tiecore.collection.rows import FeatureRows
from tiecore.measures import Measure
from tiecore.ties.groups import TieGroups

ABSOLUTE = 1e-12
MOMENTS = ["expected", "sd", "worst", "best"]


@cache
def large_collection() -> tuple[Qrels, dict[str, Scores]]:
    """Return queries too large to enumerate, each with a grade 4, unjudged and unretrieved documents."""
    qrels, features = random_collection(np.random.default_rng(3), n_queries=25, n_docs=14)
    for grades in qrels.values():
        grades[next(iter(grades))] = 4
    return qrels, features


def per_query(measures: Iterable[Measure | str], qrels: Qrels, features: dict[str, Any], **options: Any) -> Any:
    names = [str(measure) for measure in measures]
    return tiecore.evaluate(qrels, features, measures=names, **options).per_query.sort_index()


def as_frame(table: dict[str, dict[str, Any]], column: str) -> pd.DataFrame:
    rows = [(query, doc, value) for query, docs in table.items() for doc, value in docs.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", column])


def run_lines(scores: dict[str, dict[str, Any]], tag: str) -> str:
    return "".join(f"{q} Q0 {d} 1 {score} {tag}\n" for q, docs in scores.items() for d, score in docs.items())


def noted_sorts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note the features whose documents are sorted from now on, by their columns in a file, each time anew."""
    columns: list[str] = []
    whole = Alignment.sort

    def noting(alignment: Alignment, rows: FeatureRows, *keys: Any) -> TieGroups:
        columns.append(alignment.sources[rows.feature].column)
        return whole(alignment, rows, *keys)

    monkeypatch.setattr(Alignment, "sort", noting)
    return columns


def assert_same(found: pd.DataFrame, known: pd.DataFrame) -> None:
    how: Any = {"check_exact": False, "check_index_type": False, "rtol": 0, "atol": ABSOLUTE}
    pd.testing.assert_frame_equal(found, known, **how)


def shuffled(table: dict[str, dict[str, Any]], seed: int) -> dict[str, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    queries = list(table)
    return {
        queries[q]: {docs[d]: table[queries[q]][docs[d]] for d in rng.permutation(len(docs))}
        for q in rng.permutation(len(queries))
        for docs in [list(table[queries[q]])]
    }

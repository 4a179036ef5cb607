"""Two features document by document: scores, ranks and grades of what both score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiecore.similarity.features import Evaluated, feature_number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SharedDocuments", "shared_documents"]


@dataclass(frozen=True, slots=True, eq=False)
class SharedDocuments:
    """Documents that two features score, or some of them drawn at random."""

    frame: pd.DataFrame
    """Index (query_id, doc_id); for ``x`` and ``y`` the score, ``… first_rank`` and ``… last_rank`` of its tie group;
    ``grade``, empty where the document is not judged."""
    n_documents: int
    """Documents that both score, in all."""


def shared_documents(
    evaluation: Evaluated, x: str, y: str, *, most: int | None = None, seed: int = 0
) -> SharedDocuments:
    """Return the documents that two features score, with the scores and ranks that they have in each.

    Parameters
    ----------
    most
        Draw so many documents at random if there are more, from ``seed``.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> clicks, dwell = {"q": {"a": 2, "b": 2, "c": 1}}, {"q": {"a": 9, "b": 7}}
    >>> e = evaluate({"q": {"a": 1}}, {"clicks": clicks, "dwell": dwell}, ["AP"])
    >>> shared_documents(e, "clicks", "dwell").frame[["x", "x first_rank", "x last_rank", "y", "grade"]]
                       x  x first_rank  x last_rank    y  grade
    query_id doc_id
    q        a       2.0             1            2  9.0      1
             b       2.0             1            2  7.0   <NA>
    """
    import pandas as pd

    for name in (x, y):
        feature_number(evaluation.features, name)
    alignment = evaluation.alignment
    alignment.check_documents("comparing two features document by document")
    scored = [_Scored.of(evaluation, name) for name in (x, y)]
    at = np.full((2, len(alignment.query)), -1)
    for row, own in zip(at, scored, strict=True):
        row[own.document] = np.arange(len(own.document))
    shared = np.flatnonzero((at >= 0).all(axis=0))
    n_shared = len(shared)
    if most is not None and n_shared > most:
        shared = np.sort(np.random.default_rng(seed).choice(shared, most, replace=False))
    columns: dict[str, Any] = {}
    for axis, row, own in zip("xy", at, scored, strict=True):
        kept = row[shared]
        columns |= {
            axis: own.scores[kept].astype(np.float64),
            f"{axis} first_rank": own.first_rank[kept],
            f"{axis} last_rank": own.last_rank[kept],
        }
    level = alignment.level[shared]
    grade = pd.array(alignment.grades[level], dtype="Int64")
    grade[level == 0] = pd.NA
    ids = [alignment.query_ids.take(alignment.query[shared]), alignment.document_ids.take(shared)]
    index = pd.MultiIndex.from_arrays([one.to_pylist() for one in ids], names=["query_id", "doc_id"])
    return SharedDocuments(pd.DataFrame(columns | {"grade": grade}, index=index), n_documents=n_shared)


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """Documents that a feature scores, and the ranks that their tie groups take."""

    document: np.ndarray
    scores: np.ndarray
    first_rank: np.ndarray
    last_rank: np.ndarray

    @classmethod
    def of(cls, evaluation: Evaluated, name: str) -> _Scored:
        rows = evaluation.rows(name)
        n_scored = len(rows.document) - rows.n_unscored  # what is put at the end has no score
        document, codes = rows.document[:n_scored], rows.score_code()[:n_scored]
        query = evaluation.alignment.query[document]
        order = np.lexsort((codes, query))
        query, codes = query[order], codes[order]
        is_first = np.ones(n_scored, dtype=bool)
        is_first[1:] = (codes[1:] != codes[:-1]) | (query[1:] != query[:-1])
        group_start = np.flatnonzero(is_first)
        size = np.diff(group_start, append=n_scored)
        list_start = np.searchsorted(query, query[group_start])
        first, last = np.empty((2, n_scored), dtype=np.int64)
        first[order] = np.repeat(group_start - list_start + 1, size)
        last[order] = np.repeat(group_start - list_start + size, size)
        return cls(document, rows.scores[:n_scored], first, last)

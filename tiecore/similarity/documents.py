"""Two features document by document: scores, ranks and grades of what both score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tiecore.similarity.features import lists_of
from tiecore.similarity.lists import group_ends
from tiecore.ties.keys import is_scored

if TYPE_CHECKING:
    import pandas as pd

    from tiecore.evaluation.values import Values


@dataclass(frozen=True, slots=True, eq=False)
class SharedDocuments:
    """Documents that two features score, or some of them drawn at random."""

    frame: pd.DataFrame
    """Index (query_id, doc_id); for ``x`` and ``y`` the score, ``… first_rank`` and ``… last_rank`` of its tie group;
    ``grade``, empty where the document is not judged."""
    n_documents: int
    """Documents that both score, in all."""


def shared_documents(evaluation: Values, x: str, y: str, *, most: int | None = None, seed: int = 0) -> SharedDocuments:
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
        evaluation.feature_position(name)
    alignment = evaluation.alignment
    alignment.check_documents("comparing two features document by document")
    pool, document, above = lists_of(evaluation, (x, y), np.arange(alignment.n_queries))
    columns: dict[str, Any] = {}
    for axis, name, own in zip("xy", (x, y), above, strict=True):
        rows = evaluation.rows(name)
        is_own = is_scored(rows.scores)  # what is put at the end has no score
        columns[axis] = np.full(len(document), np.nan)
        columns[axis][rows.document[is_own]] = np.ma.getdata(rows.scores)[is_own]
        ranks = np.empty((2, len(document)), dtype=np.int64)
        ranks[:, document] = own + 1, group_ends(pool, own)
        columns[f"{axis} first_rank"], columns[f"{axis} last_rank"] = ranks
    shared = np.flatnonzero(~np.isnan(columns["x"]) & ~np.isnan(columns["y"]))
    n_shared = len(shared)
    if most is not None and n_shared > most:
        shared = np.sort(np.random.default_rng(seed).choice(shared, most, replace=False))
    level = alignment.level[shared]
    grade = pd.array(alignment.grades[level], dtype="Int64")
    grade[level == 0] = pd.NA
    ids = [alignment.query_ids.take(alignment.query[shared]), alignment.document_ids.take(shared)]
    index = pd.MultiIndex.from_arrays([one.to_pylist() for one in ids], names=["query_id", "doc_id"])
    frame = pd.DataFrame({name: values[shared] for name, values in columns.items()} | {"grade": grade}, index=index)
    return SharedDocuments(frame, n_documents=n_shared)

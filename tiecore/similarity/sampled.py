"""How alike features rank on a sample of the queries, for quick answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.similarity.features import Evaluated, SimilarityMethod, between
from tiecore.threads import Progress

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SampledSimilarity", "between_sampled"]

_PIECE = 10_000_000
"""Documents times pairs of features between two reports of progress."""
_LEAST = 2048
"""Documents of a piece: each costs a little for every pair, however few they are."""


@dataclass(frozen=True, slots=True, eq=False)
class SampledSimilarity:
    """How alike features rank on some of the queries."""

    means: pd.DataFrame
    """Features × features: mean over the queries in which the coefficient is defined."""
    queries: pd.DataFrame
    """Features × features: queries in each mean."""
    n_queries: int
    """Queries that were looked at."""
    n_queries_in_all: int
    """Queries with documents."""


@dataclass(frozen=True, slots=True, eq=False)
class _Documents:
    """Documents of some queries, as an evaluation knows them."""

    query_ids: Any
    query: np.ndarray

    def check_documents(self, what: str) -> None:
        """Return: single documents are known."""


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Documents that a feature ranks, and the codes of their scores."""

    document: np.ndarray
    codes: np.ndarray

    def score_code(self) -> np.ndarray:
        """(n_rows,) the best first."""
        return self.codes


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Features on some queries: what :func:`between` needs of an evaluation."""

    features: tuple[str, ...]
    alignment: _Documents
    rows_of: dict[str, _Rows]

    def rows(self, feature: str) -> _Rows:
        """Return the documents that a feature ranks."""
        return self.rows_of[feature]

    def pieces(self) -> Iterator[_Part]:
        """Yield the same queries in pieces, all of about as much work."""
        n_pairs = max(1, len(self.features) * (len(self.features) - 1) // 2)
        ids, query = self.alignment.query_ids, self.alignment.query
        end = np.searchsorted(query, np.arange(len(ids)), side="right")
        wanted = np.searchsorted(end, np.arange(0, len(query), max(_LEAST, _PIECE // n_pairs)), side="right")
        for first, last in pairwise(np.unique([0, *wanted, len(ids)]).tolist()):
            start, stop = np.searchsorted(query, (first, last)).tolist()
            yield _Part(
                self.features,
                _Documents(ids.slice(first, last - first), query[start:stop] - first),
                {name: _between(rows, start, stop) for name, rows in self.rows_of.items()},
            )


def between_sampled(
    evaluation: Evaluated,
    *,
    queries: int,
    features: Sequence[str] | None = None,
    method: SimilarityMethod = "rbo",
    p: float = 0.9,
    ties: str | None = None,
    progress: Progress | None = None,
) -> SampledSimilarity:
    """Compare the features of an evaluation on some of its queries, evenly taken in the order of the judgments.

    Parameters
    ----------
    evaluation, method, p, ties
        As in :func:`between`.
    queries
        How many to take; all if there are no more.
    features
        Those to compare; by default all.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {f"q{q}": {"a": 1, "b": 0, "c": 0} for q in range(9)}
    >>> clicks = {query: {"a": 2, "b": 2, "c": 1} for query in qrels}
    >>> dwell = {query: {"a": 9, "b": 7, "c": 1} for query in qrels}
    >>> e = evaluate(qrels, {"clicks": clicks, "dwell": dwell}, ["AP"])
    >>> found = between_sampled(e, queries=3, method="tau_b")
    >>> found.n_queries, found.n_queries_in_all, round(float(found.means.loc["clicks", "dwell"]), 3)
    (3, 9, 0.816)
    """
    import pandas as pd

    for name in features or ():
        if name not in evaluation.features:
            raise TiecoreError(f"no feature {name!r}: there are {', '.join(evaluation.features)}")
    if queries < 1:
        raise TiecoreError(f"queries={queries}: take at least one query")
    evaluation.alignment.check_documents("comparing the orders of two features")
    part, n_in_all = _some(evaluation, queries, tuple(evaluation.features if features is None else features))
    n_features = len(part.features)
    sums, counts = np.zeros((n_features, n_features)), np.zeros((n_features, n_features), dtype=np.int64)
    pieces = list(part.pieces())
    for done, piece in enumerate(pieces, start=1):
        found = between(piece, method=method, p=p, ties=ties)
        n_defined = found.queries.to_numpy()
        sums += np.where(n_defined > 0, found.means.to_numpy(), 0.0) * n_defined
        counts += n_defined
        if progress is not None:
            progress(done, len(pieces))
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    index, columns = pd.Index(part.features, name="feature"), pd.Index(part.features, name="with")
    return SampledSimilarity(
        pd.DataFrame(means, index, columns),
        pd.DataFrame(counts, index, columns),
        n_queries=len(part.alignment.query_ids),
        n_queries_in_all=n_in_all,
    )


def _some(evaluation: Evaluated, n_wanted: int, features: tuple[str, ...]) -> tuple[_Part, int]:
    """Return some of the queries, each with all its documents, and how many have documents."""
    query = evaluation.alignment.query
    n_queries = len(evaluation.alignment.query_ids)
    filled = np.flatnonzero(np.bincount(query, minlength=n_queries))
    chosen = filled
    if len(filled) > n_wanted:
        chosen = filled[((np.arange(n_wanted) + 0.5) * len(filled) / n_wanted).astype(np.int64)]
    number = np.full(n_queries, -1)
    number[chosen] = np.arange(len(chosen))
    kept = np.flatnonzero(number[query] >= 0)
    kept = kept[np.argsort(number[query[kept]], kind="stable")]
    place = np.full(len(query), -1)
    place[kept] = np.arange(len(kept))
    rows_of = {}
    for name in features:
        rows = evaluation.rows(name)
        at = place[rows.document]
        own = np.flatnonzero(at >= 0)
        own = own[np.argsort(at[own])]
        rows_of[name] = _Rows(at[own], rows.score_code()[own])
    documents = _Documents(evaluation.alignment.query_ids.take(chosen), number[query[kept]])
    return _Part(features, documents, rows_of), len(filled)


def _between(rows: _Rows, start: int, stop: int) -> _Rows:
    first, last = np.searchsorted(rows.document, (start, stop)).tolist()
    return _Rows(rows.document[first:last] - start, rows.codes[first:last])

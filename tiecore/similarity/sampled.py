"""How alike features rank on a sample of the queries, for quick answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.similarity.features import Evaluated, SimilarityMethod, checked_ties, compared, feature_number, lists_of
from tiecore.similarity.overlap import check_p
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

    names = tuple(evaluation.features if features is None else features)
    for name in names:
        feature_number(evaluation.features, name)
    if queries < 1:
        raise TiecoreError(f"queries={queries}: take at least one query")
    alignment = evaluation.alignment
    alignment.check_documents("comparing the orders of two features")
    ties = checked_ties(method, ties)
    check_p(p)
    filled = np.flatnonzero(np.bincount(alignment.query, minlength=len(alignment.query_ids)))
    chosen = filled
    if len(filled) > queries:
        chosen = filled[((np.arange(queries) + 0.5) * len(filled) / queries).astype(np.int64)]
    size, above = lists_of(evaluation, names, chosen)
    sums, counts = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)), dtype=np.int64)
    pieces = list(_pieces(size, len(names)))
    for done, (some, documents) in enumerate(pieces, start=1):
        found = compared(size[some], tuple(own[documents] for own in above), method=method, ties=ties, p=p)
        sums += np.where(found.counts > 0, found.means, 0.0) * found.counts
        counts += found.counts
        if progress is not None:
            progress(done, len(pieces))
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    index, columns = pd.Index(names, name="feature"), pd.Index(names, name="with")
    return SampledSimilarity(
        pd.DataFrame(means, index, columns),
        pd.DataFrame(counts, index, columns),
        n_queries=len(chosen),
        n_queries_in_all=len(filled),
    )


def _pieces(size: np.ndarray, n_features: int) -> Iterator[tuple[slice, slice]]:
    """Yield queries next to each other, and their documents, in pieces of about as much work."""
    n_pairs = max(1, n_features * (n_features - 1) // 2)
    end = np.concatenate([[0], np.cumsum(size)])
    wanted = np.searchsorted(end[1:], np.arange(0, end[-1], max(_LEAST, _PIECE // n_pairs)), side="right")
    for first, last in pairwise(np.unique([0, *wanted, len(size)]).tolist()):
        yield slice(first, last), slice(int(end[first]), int(end[last]))

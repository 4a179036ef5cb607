"""How alike features rank: a coefficient per query and pair of features, and its mean over the queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.evaluation.values import Values, feature_position
from tiecore.similarity.correlation import PairCounts, kendall, yilmaz
from tiecore.similarity.lists import Pool, documents_above
from tiecore.similarity.overlap import check_p, extrapolated
from tiecore.threads import Progress

if TYPE_CHECKING:
    import pandas as pd

SimilarityMethod = Literal["rbo", "tau_b", "tau_ap"]

_BLOCK = 1 << 13
"""Documents of a block of queries: what is computed on the way then stays in the processor's cache."""
_TIES: dict[str, tuple[str, ...]] = {
    # the default first
    "rbo": ("a", "w", "b"),
    "tau_b": ("b",),
    "tau_ap": ("b", "a"),
}


@dataclass(frozen=True, slots=True, eq=False)
class _Coefficient:
    """A coefficient with its options."""

    method: SimilarityMethod
    ties: Any
    p: float

    @property
    def has_direction(self) -> bool:
        return self.method == "tau_ap" and self.ties == "a"

    def values(self, pool: Pool, x_above: np.ndarray, y_above: np.ndarray) -> np.ndarray:
        """(n_queries,) values of two lists of each query, NaN where the coefficient is not defined."""
        if self.method == "rbo":
            return extrapolated(pool, x_above, y_above, p=self.p, ties=self.ties)
        counts = PairCounts.of(pool, x_above, y_above)
        return kendall(counts) if self.method == "tau_b" else yilmaz(counts, ties=self.ties)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSimilarity:
    """How alike the features of an evaluation rank."""

    features: tuple[str, ...]
    query_ids: tuple[str, ...]
    """Queries with documents."""
    means: pd.DataFrame
    """Features × features: mean over the queries in which the coefficient is defined; with AP correlation ``ties="a"``
    the row is the reference."""
    queries: pd.DataFrame
    """Features × features: queries in each mean."""
    _coefficient: _Coefficient = field(repr=False)
    _pool: Pool = field(repr=False)
    _above: tuple[np.ndarray, ...] = field(repr=False)
    """By feature: (n_documents,) documents above each one; -1 where it is not listed."""

    def values(self, x: str, y: str) -> pd.Series:
        """Return the values of a pair of features by query, without the queries where they are not defined."""
        import pandas as pd

        x_above, y_above = (self._above[feature_position(self.features, name)] for name in (x, y))
        values = self._coefficient.values(self._pool, x_above, y_above)
        index = pd.Index(self.query_ids, name="query_id")
        return pd.Series(values, index=index, name=self._coefficient.method).dropna()


def between(
    evaluation: Values,
    *,
    method: SimilarityMethod = "rbo",
    p: float = 0.9,
    ties: str | None = None,
    features: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> FeatureSimilarity:
    """Compare the features of an evaluation: which of them rank alike.

    Parameters
    ----------
    evaluation
        Its features are compared as it ranks them: in its precision and direction, with missing documents at the end
        where it puts them there.
    method
        ``rbo`` (extrapolated), ``tau_b`` or ``tau_ap``. Overlap compares the lists as they are, also
        where they hold different documents; the correlations compare the documents that both features list.
    p
        Persistence of the overlap.
    ties
        Variant: ``a`` (default), ``w`` or ``b`` of ``rbo``; ``b`` (default) or ``a`` of ``tau_ap``.
    features
        Those to compare; by default all.

    Returns
    -------
    FeatureSimilarity
        ``means`` and ``queries`` (features × features), and ``values(x, y)`` by query. A query counts for a pair where
        the coefficient is defined: for ``rbo`` both features list a document, for the others both list two of the same,
        and no feature ties all of those (``tau_ap`` with ``ties="a"`` allows that).

    Examples
    --------
    >>> from tiecore import evaluate
    >>> clicks = {"q1": {"a": 2, "b": 2, "c": 1}, "q2": {"a": 1, "b": 0}}
    >>> dwell = {"q1": {"a": 9, "b": 7, "c": 1}, "q2": {"a": 5, "b": 8}}
    >>> e = evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"clicks": clicks, "dwell": dwell}, ["AP"])
    >>> similar = between(e, method="tau_b")
    >>> similar.means.round(3)
    with     clicks  dwell
    feature
    clicks    1.000 -0.092
    dwell    -0.092  1.000
    >>> similar.values("clicks", "dwell").round(3)
    query_id
    q1    0.816
    q2   -1.000
    Name: tau_b, dtype: float64
    """
    import pandas as pd

    coefficient = _Coefficient(method, _checked_ties(method, ties), p)
    check_p(p)
    names = tuple(evaluation.features if features is None else features)
    for name in names:
        evaluation.feature_position(name)
    alignment = evaluation.alignment
    alignment.check_documents("comparing the orders of two features")
    filled = np.flatnonzero(np.bincount(alignment.query, minlength=alignment.n_queries))
    pool, above = _lists_of(evaluation, names, filled)
    means, counts = _means(pool, above, coefficient, progress)
    index, columns = pd.Index(names, name="feature"), pd.Index(names, name="with")
    return FeatureSimilarity(
        features=names,
        query_ids=tuple(alignment.query_ids.take(filled).to_pylist()),
        means=pd.DataFrame(means, index, columns),
        queries=pd.DataFrame(counts, index, columns),
        _coefficient=coefficient,
        _pool=pool,
        _above=above,
    )


def _lists_of(evaluation: Values, features: Sequence[str], queries: np.ndarray) -> tuple[Pool, tuple[np.ndarray, ...]]:
    """Lay out the documents of some queries, and return by feature what :func:`documents_above` counts."""
    alignment = evaluation.alignment
    number = np.full(alignment.n_queries, -1)
    number[queries] = np.arange(len(queries))
    query = number[alignment.query]
    document = np.flatnonzero(query >= 0)
    document = document[np.argsort(query[document], kind="stable")]
    place = np.full(len(query), -1)
    place[document] = np.arange(len(document))
    pool = Pool.of_sizes(np.bincount(query[document], minlength=len(queries)))
    above = []
    for feature in features:
        rows = evaluation.rows(feature)
        own = place[rows.document]
        above.append(documents_above(pool, document=own[own >= 0], codes=rows.score_code()[own >= 0]))
    return pool, tuple(above)


def _means(
    pool: Pool, above: tuple[np.ndarray, ...], coefficient: _Coefficient, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray]:
    """(n_features, n_features) mean over the queries in which the coefficient is defined, and how many they are."""
    n_features = len(above)
    sums, counts = np.zeros((n_features, n_features)), np.zeros((n_features, n_features), dtype=np.int64)
    blocks = list(pool.blocks(_BLOCK))
    for number, (block, documents) in enumerate(blocks):
        own = [of_feature[documents] for of_feature in above]
        for row in range(n_features):
            for column in range(0 if coefficient.has_direction else row, n_features):
                values = coefficient.values(block, own[row], own[column])
                is_defined = ~np.isnan(values)
                sums[row, column] += values[is_defined].sum()
                counts[row, column] += np.count_nonzero(is_defined)
            if progress is not None:
                progress(number * n_features + row + 1, len(blocks) * n_features)
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    if not coefficient.has_direction:
        below = np.tril_indices(n_features, -1)
        means[below], counts[below] = means.T[below], counts.T[below]
    return means, counts


def _checked_ties(method: SimilarityMethod, ties: str | None) -> str:
    """Return the variant, or the usual one of the method."""
    if method not in _TIES:
        raise TiecoreError(f"unknown method={method!r}: expected {', '.join(map(repr, _TIES))}")
    known = _TIES[method]
    if ties is not None and ties not in known:
        raise TiecoreError(f"unknown ties={ties!r} of {method!r}: expected {' or '.join(map(repr, known))}")
    return ties or known[0]

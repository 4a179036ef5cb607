"""How alike features rank: a coefficient per query and pair of features, and its mean over the queries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.similarity.correlation import PairCounts, kendall, weighted_kendall, yilmaz
from tiecore.similarity.lists import Pool, Ranking, documents_above, order_codes
from tiecore.similarity.overlap import check_p, extrapolated
from tiecore.similarity.short_lists import correlations, longest

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "FeatureSimilarity",
    "Pairwise",
    "SimilarityMethod",
    "between",
    "checked_ties",
    "compared",
    "feature_number",
    "lists_of",
    "pairwise",
]

SimilarityMethod = Literal["rbo", "tau_b", "tau_ap", "weighted_tau"]

_BLOCK = 1 << 13
"""Documents of a block of queries: what is computed on the way then stays in the processor's cache."""
_TIES: dict[str, tuple[str, ...]] = {
    # the default first
    "rbo": ("a", "w", "b"),
    "tau_b": ("b",),
    "tau_ap": ("b", "a"),
    "weighted_tau": ("b",),
}


@dataclass(frozen=True, slots=True, eq=False)
class Pairwise:
    """Similarity of features: means over queries, and the values of any pair by query."""

    method: SimilarityMethod
    ties: str
    p: float
    means: np.ndarray
    """(n_features, n_features) mean over the queries in which the coefficient is defined, NaN where there are none.

    Symmetric, except for AP correlation with ``ties="a"``: there the row is the reference."""
    counts: np.ndarray
    """(n_features, n_features) queries in each mean."""
    _size: np.ndarray = field(repr=False)
    """(n_queries,) documents of each query."""
    _above: tuple[np.ndarray, ...] = field(repr=False)
    """By feature: (n_documents,) documents above each one, query by query; -1 where it is not scored."""

    def values(self, row: int, column: int) -> np.ndarray:
        """Return (n_queries,) values of a pair of features, NaN where the coefficient is not defined."""
        values = []
        for pool, documents in _blocks(self._size):
            x, y = (Ranking.of(pool, self._above[feature][documents]) for feature in (row, column))
            values.append(_values(pool, x, y, self.method, self.ties, self.p))
        return np.concatenate([np.zeros(0), *values])


def pairwise(
    scores: np.ndarray | Sequence[np.ndarray],
    query_of_document: np.ndarray,
    *,
    method: SimilarityMethod = "rbo",
    p: float = 0.9,
    ties: str | None = None,
    is_scored: np.ndarray | None = None,
    n_queries: int | None = None,
) -> Pairwise:
    """Compare all pairs of features in every query and average over the queries.

    Parameters
    ----------
    scores
        (n_documents, n_features), or one array of (n_documents,) for each feature, each with its own type of number;
        the highest score comes first.
    query_of_document
        (n_documents,) whole numbers from 0, in any order.
    method
        ``rbo`` (extrapolated), ``tau_b``, ``tau_ap`` or ``weighted_tau``. Overlap compares the lists as they are, also
        where they hold different documents; the correlations compare the documents that both features score.
    p
        Persistence of the overlap.
    ties
        Variant: ``a`` (default), ``w`` or ``b`` of ``rbo``; ``b`` (default) or ``a`` of ``tau_ap``.
    is_scored
        (n_documents, n_features) bool: False where a feature does not score a document. By default everything is
        scored that is not NaN.
    n_queries
        Number of queries, where the last of them may have no documents.

    Returns
    -------
    Pairwise
        A query counts for a pair where the coefficient is defined: for ``rbo`` both features score a document, for the
        others both score two of the same, and no feature ties all of those (``tau_ap`` with ``ties="a"`` allows that).

    Examples
    --------
    The second feature ties the two best documents of the first query:

    >>> scores = np.array([[3, 1], [2, 1], [1, 0], [5, 2], [4, 1]])
    >>> similar = pairwise(scores, np.array([0, 0, 0, 1, 1]), method="tau_b")
    >>> similar.means.round(3)
    array([[1.   , 0.908],
           [0.908, 1.   ]])
    >>> similar.values(0, 1).round(3)
    array([0.816, 1.   ])
    """
    ties = checked_ties(method, ties)
    check_p(p)
    columns = list(scores.T) if isinstance(scores, np.ndarray) else [np.asarray(column) for column in scores]
    query_of_document = np.asarray(query_of_document)
    _check_shapes(columns, query_of_document, is_scored, n_queries)
    size = np.bincount(query_of_document, minlength=n_queries or 0)
    pool = Pool.of_sizes(size)
    by_query = np.argsort(query_of_document, kind="stable")
    above = []
    for number, column in enumerate(columns):
        values = column[by_query]
        listed = np.ones(len(values), dtype=bool) if is_scored is None else is_scored[by_query, number]
        if values.dtype.kind == "f":
            listed = listed & ~np.isnan(values)
        document = np.flatnonzero(listed)
        above.append(documents_above(pool, document=document, codes=order_codes(values[document])))
    return compared(size, tuple(above), method=method, ties=ties, p=p)


class Evaluated(Protocol):
    """Features brought together on queries and documents, as an evaluation holds them."""

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features."""
        ...

    @property
    def alignment(self) -> Any:
        """Queries and documents."""
        ...

    def rows(self, feature: str) -> Any:
        """Return the documents that a feature ranks, with their scores."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class FeatureSimilarity:
    """How alike the features of an evaluation rank."""

    features: tuple[str, ...]
    query_ids: tuple[str, ...]
    pairwise: Pairwise

    @property
    def means(self) -> pd.DataFrame:
        """Features × features: mean over the queries; with AP correlation ``ties="a"`` the row is the reference."""
        return self._frame(self.pairwise.means)

    @property
    def queries(self) -> pd.DataFrame:
        """Features × features: queries in each mean."""
        return self._frame(self.pairwise.counts)

    def values(self, x: str, y: str) -> pd.Series:
        """Return the values of a pair of features by query, without the queries where they are not defined."""
        import pandas as pd

        values = self.pairwise.values(feature_number(self.features, x), feature_number(self.features, y))
        index = pd.Index(self.query_ids, name="query_id")
        return pd.Series(values, index=index, name=self.pairwise.method).dropna()

    def _frame(self, table: np.ndarray) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(
            table, index=pd.Index(self.features, name="feature"), columns=pd.Index(self.features, name="with")
        )


def feature_number(features: Sequence[str], name: str) -> int:
    """Return the position of a feature."""
    if name not in features:
        raise TiecoreError(f"no feature {name!r}: there are {', '.join(features)}")
    return features.index(name)


def between(
    evaluation: Evaluated, *, method: SimilarityMethod = "rbo", p: float = 0.9, ties: str | None = None
) -> FeatureSimilarity:
    """Compare the features of an evaluation: which of them rank alike.

    Parameters
    ----------
    evaluation
        Its features are compared as it ranks them: in its precision, ascending where it was told so, with missing
        documents at the end where it puts them there.
    method, p, ties
        As in :func:`pairwise`.

    Returns
    -------
    FeatureSimilarity
        ``means`` and ``queries`` (features × features), and ``values(x, y)`` by query.

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
    ties = checked_ties(method, ties)
    check_p(p)
    alignment = evaluation.alignment
    alignment.check_documents("comparing the orders of two features")
    query_ids = tuple(map(str, alignment.query_ids.to_pylist()))
    size, above = lists_of(evaluation, evaluation.features, np.arange(len(query_ids)))
    found = compared(size, above, method=method, ties=ties, p=p)
    return FeatureSimilarity(features=tuple(evaluation.features), query_ids=query_ids, pairwise=found)


def lists_of(
    evaluation: Evaluated, features: Sequence[str], queries: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """(n_chosen,) documents of some queries; by feature (n_documents,) those above each, as :class:`Pairwise` says."""
    alignment = evaluation.alignment
    number = np.full(len(alignment.query_ids), -1)
    number[queries] = np.arange(len(queries))
    query = number[alignment.query]
    kept = np.flatnonzero(query >= 0)
    kept = kept[np.argsort(query[kept], kind="stable")]
    place = np.full(len(query), -1)
    place[kept] = np.arange(len(kept))
    pool = Pool.of_sizes(np.bincount(query[kept], minlength=len(queries)))
    above = []
    for feature in features:
        rows = evaluation.rows(feature)
        if len(kept) < len(query):
            rows = rows.some(np.flatnonzero(place[rows.document] >= 0))
        above.append(documents_above(pool, document=place[rows.document], codes=rows.score_code()))
    return pool.size, tuple(above)


def compared(
    size: np.ndarray, above: tuple[np.ndarray, ...], *, method: SimilarityMethod, ties: str, p: float
) -> Pairwise:
    """Compare the lists that :func:`lists_of` or :func:`pairwise` has laid out."""
    n_features = len(above)
    sums = np.zeros((n_features, n_features))
    counts = np.zeros((n_features, n_features), dtype=np.int64)
    is_short = np.zeros(len(size), dtype=bool)
    if method != "rbo" and above:
        is_short = size <= longest(n_features)
        documents = np.repeat(is_short, size)
        shorts = np.stack([of_feature[documents] for of_feature in above])
        for values in correlations(size[is_short], shorts, method=method, ties=ties):
            counts += np.count_nonzero(~np.isnan(values), axis=0)
            sums += np.nansum(values, axis=0)
    longs = [of_feature[np.repeat(~is_short, size)] for of_feature in above]
    has_direction = method == "tau_ap" and ties == "a"
    for pool, block in _blocks(size[~is_short]):
        rankings = [Ranking.of(pool, of_feature[block]) for of_feature in longs]
        for row, x in enumerate(rankings):
            for column in range(0 if has_direction else row, n_features):
                values = _values(pool, x, rankings[column], method, ties, p)
                is_defined = ~np.isnan(values)
                total, count = values[is_defined].sum(), np.count_nonzero(is_defined)
                both_ways = {(row, column), (row, column) if has_direction else (column, row)}
                for place in both_ways:
                    sums[place] += total
                    counts[place] += count
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    for table in (means, counts):
        table.flags.writeable = False
    return Pairwise(method=method, ties=ties, p=p, means=means, counts=counts, _size=size, _above=above)


def _blocks(size: np.ndarray) -> Iterator[tuple[Pool, slice]]:
    """Yield queries next to each other in blocks, each with the place of its documents."""
    end = np.cumsum(size)
    bounds = np.searchsorted(end, np.arange(_BLOCK, int(end[-1]) if len(end) else 0, _BLOCK))
    for first, last in itertools.pairwise(sorted({0, *bounds.tolist(), len(size)})):
        pool = Pool.of_sizes(size[first:last])
        documents_end = int(end[last - 1])
        yield pool, slice(documents_end - pool.n_documents, documents_end)


def _values(pool: Pool, x: Ranking, y: Ranking, method: SimilarityMethod, ties: Any, p: float) -> np.ndarray:
    if method == "rbo":
        return extrapolated(pool, x, y, p=p, ties=ties)
    counts = PairCounts.of(pool, x, y)
    if method == "tau_b":
        return kendall(counts)
    if method == "tau_ap":
        return yilmaz(counts, ties=ties)
    return weighted_kendall(counts)


def checked_ties(method: SimilarityMethod, ties: str | None) -> str:
    """Return the variant, or the usual one of the method."""
    if method not in get_args(SimilarityMethod):
        raise TiecoreError(f"unknown method={method!r}: expected {', '.join(map(repr, _TIES))}")
    known = _TIES[method]
    if ties is None:
        return known[0]
    if ties not in known:
        raise TiecoreError(f"unknown ties={ties!r} of {method!r}: expected {' or '.join(map(repr, known))}")
    return ties


def _check_shapes(
    columns: Sequence[np.ndarray], query: np.ndarray, is_scored: np.ndarray | None, n_queries: int | None
) -> None:
    if query.ndim != 1 or query.dtype.kind not in "iu" or (query < 0).any():
        raise TiecoreError("query_of_document must be one whole number from 0 for each document")
    if n_queries is not None and n_queries <= query.max(initial=-1):
        raise TiecoreError(f"n_queries={n_queries}, but query_of_document goes up to {query.max()}")
    for number, column in enumerate(columns):
        if column.shape != query.shape or column.dtype.kind not in "biuf":
            raise TiecoreError(
                f"scores of feature {number}: expected {len(query)} numbers, one for each document, "
                f"found {column.dtype} of shape {column.shape}"
            )
    if is_scored is not None and (is_scored.shape != (len(query), len(columns)) or is_scored.dtype.kind != "b"):
        raise TiecoreError(
            f"is_scored must be boolean of shape {(len(query), len(columns))}, found {is_scored.dtype} of shape "
            f"{is_scored.shape}"
        )

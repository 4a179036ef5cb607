"""Rank correlations of all pairs of features at once, by products of matrices.

For each item of a short list a feature says of every other one whether it stands above, is tied or is not compared. The
products of two features' rows count the items above in both, tied in one and above in the other, and so on: for all
pairs of features in one call. The work grows with the square of the list, so it is for short lists and many features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tiecore.similarity.correlation import ratio
from tiecore.similarity.lists import Pool

__all__ = ["correlations", "longest"]

_FOR_A_FEATURE = 10
_LONGEST = 256
_BLOCK_ELEMENTS = 1 << 18


def longest(n_features: int) -> int:
    """Return how long a list may be for this to take less time than sorting for every pair of features."""
    return min(_FOR_A_FEATURE * n_features, _LONGEST)


def correlations(size: np.ndarray, above: np.ndarray, *, method: str, ties: str) -> Iterator[np.ndarray]:
    """Yield (n_alike, n_features, n_features) coefficients of some queries of the same size after the other.

    Parameters
    ----------
    size
        (n_queries,) documents of each query.
    above
        (n_features, n_documents) documents above each one, query by query; -1 where it is not scored.
    method, ties
        ``tau_b``, ``tau_ap`` with ``ties="a"`` (rows are the reference) or ``"b"``, ``weighted_tau``.
    """
    of: Callable[[np.ndarray], np.ndarray] = {
        "tau_b": _kendall,
        "tau_ap": _yilmaz_over_orders if ties == "a" else _yilmaz_agreement,
        "weighted_tau": _weighted_kendall,
    }[method]
    start = Pool.of_sizes(size).start
    above = above.astype(np.int16)  # quicker to compare, and enough for short lists
    for n in np.unique(size).tolist():
        queries = np.flatnonzero(size == n)
        at_once = max(1, _BLOCK_ELEMENTS // max(1, len(above) * n * n))
        for begin in range(0, len(queries), at_once):
            documents = start[queries[begin : begin + at_once], None] + np.arange(n)
            yield of(above[:, documents].transpose(1, 0, 2))


# In what follows `above` is (n_queries, n_features, n_documents), and a table of pairs (…, x, y) for each pair of
# features x and y. The shape of what is counted for each item is (n_queries, n_items, x, y).


def _kendall(above: np.ndarray) -> np.ndarray:
    first, second = np.triu_indices(above.shape[2], 1)
    one, other = above[:, :, first], above[:, :, second]
    is_compared = (one >= 0) & (other >= 0)
    # whole numbers below 2^24, which single precision holds
    sign = (np.sign(one - other) * is_compared).astype(np.float32)
    balance = sign @ _turned(sign)
    x_pairs = np.abs(sign) @ _turned(is_compared.astype(np.float32))  # not tied in x, compared in y
    return ratio(balance.astype(np.float64), np.sqrt(x_pairs.astype(np.float64) * _turned(x_pairs)))


def _yilmaz_agreement(above: np.ndarray) -> np.ndarray:
    stands_above, _ = _relations(above)
    both_above, x_above = _counted(stands_above, stands_above), _counted_listed(stands_above, above)
    share = np.divide(both_above, x_above, out=np.zeros_like(both_above), where=x_above > 0).sum(axis=1)
    direction = 2 * ratio(share, (x_above > 0).sum(axis=1).astype(np.float64)) - 1
    return (direction + _turned(direction)) / 2


def _yilmaz_over_orders(above: np.ndarray) -> np.ndarray:
    stands_above, is_tied = _relations(above)
    is_common = _is_common(above)
    # of the items above one in y, those above it in x count twice and those tied in x once
    concordant = _counted(2 * stands_above + is_tied, stands_above)
    y_above, y_tied = (_turned(_counted_listed(related, above)).astype(np.int64) for related in (stands_above, is_tied))
    # each item has an even share of the ranks of its group, of which r stand before the rank r + 1
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, above.shape[2] + 1))])
    first, end = np.maximum(y_above, 1), y_above + y_tied
    inverse = harmonic[np.maximum(end - 1, 0)] - harmonic[first - 1]  # sum of 1/r
    n_ranks = np.maximum(end - first, 0)
    of_group = concordant * inverse + n_ranks - y_above * inverse
    share = np.divide(of_group, 2 * y_tied, out=np.zeros_like(of_group), where=y_tied > 0).sum(axis=1)
    return 2 * ratio(share, is_common.sum(axis=1) - 1.0) - 1


def _weighted_kendall(above: np.ndarray) -> np.ndarray:
    stands_above, is_tied = _relations(above)
    x_above, x_tied = _counted_listed(stands_above, above), _counted_listed(is_tied, above)
    sign = stands_above - stands_above.transpose(0, 3, 2, 1)
    balance = sign @ _turned(sign)
    # ranks in x, what is tied there in the order of y, and what is tied in both in any order
    is_tied_above = np.multiply(is_tied, np.tri(above.shape[2], k=-1, dtype=np.float32)[:, None], out=sign)
    weight = is_tied @ _turned(np.add(stands_above, is_tied_above, out=sign)) + x_above + 1
    is_common = _is_common(above)
    weight = np.divide(is_common, weight, out=weight)
    n_common = is_common.sum(axis=1, keepdims=True)
    x_norm, y_norm = ((weight * (n_common - tied)).sum(axis=1) for tied in (x_tied, _turned(x_tied)))
    half = ratio((weight * balance).sum(axis=1), np.sqrt(x_norm * y_norm))
    return (half + _turned(half)) / 2


def _relations(above: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n_queries, n_items, n_features, n_documents) 1 where a document stands above an item, and where it is tied.

    An item is tied with itself; what is not listed is neither.
    """
    # beyond all of them as a document, and before all of them as an item
    document = np.where(above >= 0, above, above.shape[2])[:, None]  # (n_queries, 1, n_features, n_documents)
    item = above.transpose(0, 2, 1)[..., None]  # (n_queries, n_items, n_features, 1)
    return (document < item).astype(np.float32), (document == item).astype(np.float32)


def _is_common(above: np.ndarray) -> np.ndarray:
    """(n_queries, n_items, x, y) whether both features list the item."""
    is_listed = above.transpose(0, 2, 1) >= 0
    return is_listed[..., None] & is_listed[..., None, :]


def _counted(of_x: np.ndarray, of_y: np.ndarray) -> np.ndarray:
    """(n_queries, n_items, x, y) documents of which one thing holds in x and another one in y."""
    return (of_x @ of_y.transpose(0, 1, 3, 2)).astype(np.float64)


def _counted_listed(of_x: np.ndarray, above: np.ndarray) -> np.ndarray:
    """(n_queries, n_items, x, y) documents of which something holds in x and that y lists, 0 if y lacks the item.

    Where all features list everything there is one y, which stands for all.
    """
    if (above >= 0).all():
        return (of_x @ np.ones((of_x.shape[3], 1), dtype=np.float32)).astype(np.float64)
    return _counted(of_x, (above >= 0)[:, None].astype(np.float32)) * _is_common(above)


def _turned(table: np.ndarray) -> np.ndarray:
    """Exchange x and y."""
    return np.swapaxes(table, -1, -2)

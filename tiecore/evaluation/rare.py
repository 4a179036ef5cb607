"""What the queries at hand may miss: rare ones that decide a mean.

Where a feature has the same value on nearly all queries, as a measure that is 0 until something relevant is found, the
observed deviation says little: thirty queries may show none of the few that decide the mean. Two more queries stand for
what they may have missed, one in either direction, as far away as a value can be; half as far if there is another value
on one query, a third on two, and so on. Where values differ from query to query, no query can tell of a rare one unlike
all of them, and nothing is allowed for it.

Rare values that the queries do show are allowed for as well: the fewer of them a sample happens to hold, the surer of a
mean without them it looks. Where all this would change a standard error by less than a twentieth, it stays what it is:
ordinary data have the tests and intervals that everybody knows.
"""

from __future__ import annotations

import numpy as np

__all__ = ["N_UNSEEN", "is_unusual", "rare_size", "unseen_difference", "with_rare"]

N_UNSEEN = 2
"""Queries that stand for those that were missed."""
_HARDLY = 0.1
"""Share of a sum of squares that changes a standard error by less than a twentieth: then it is the usual one."""


def with_rare(squares: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Sums of squares about a mean with those of the queries that were missed, of this size, where these matter."""
    more = N_UNSEEN * size**2
    return np.where(more > _HARDLY * squares, squares + more, squares)


def unseen_difference(values: np.ndarray, listed: np.ndarray, *, largest: float, noise: float) -> np.ndarray:
    """(n_features, n_features) by how much each two features may differ on a query that the others do not foretell.

    Parameters
    ----------
    values
        (n_features, n_queries)
    listed
        (n_features, n_queries) bool: a pair is compared on the queries that both list.
    largest
        By how much two features can differ on one query.
    noise
        Values that differ by less are equal.
    """
    unusual = listed & is_unusual(values, listed, noise=noise)
    n_unusual = unusual.astype(np.float64) @ listed.T.astype(np.float64)  # of the row, where the column lists too
    return largest / (1 + np.minimum(n_unusual, n_unusual.T))


def is_unusual(values: np.ndarray, listed: np.ndarray, *, noise: float) -> np.ndarray:
    """(n_features, n_queries) bool: a feature has another value than its usual one; arguments as above."""
    usual = np.array([_middle(row[known]) for row, known in zip(values, listed, strict=True)])
    return np.asarray(np.abs(values - usual[:, None]) > noise)


def rare_size(squares: np.ndarray, cubes: np.ndarray) -> np.ndarray:
    """Size, with its sign, of the rare large values that make a sample skew: sum of cubes over that of squares.

    Of k values of size s among many small ones about their mean it is s, whatever k.
    """
    return np.divide(cubes, squares, out=np.zeros_like(cubes), where=squares > 0)


def _middle(values: np.ndarray) -> float:
    """Return the middle one of the values, which is the most frequent one if more than half of them are equal."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2]) if len(values) else 0.0

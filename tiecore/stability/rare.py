"""What the queries at hand may miss: rare ones that turn a difference round.

Where a feature has the same value on nearly all queries, as a measure that is 0 until something relevant is found, the
observed deviation of a difference says little: thirty queries may show none of the few that decide its mean. Two more
queries stand for what they may have missed, one in either direction, in which the two features differ by as much as a
query can; by half as much if each feature has another value on one query, by a third on two, and so on. Where values
differ from query to query, no query can tell of a rare one unlike all of them, and nothing is allowed for it.
"""

from __future__ import annotations

import numpy as np

__all__ = ["N_UNSEEN", "unseen_difference"]

N_UNSEEN = 2
"""Queries that stand for those that were missed."""


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
    usual = np.array([_middle(row[known]) for row, known in zip(values, listed, strict=True)])
    is_unusual = listed & (np.abs(values - usual[:, None]) > noise)
    n_unusual = is_unusual.astype(np.float64) @ listed.T.astype(np.float64)  # of the row, where the column lists too
    return largest / (1 + np.minimum(n_unusual, n_unusual.T))


def _middle(values: np.ndarray) -> float:
    """Return the middle one of the values, which is the most frequent one if more than half of them are equal."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2]) if len(values) else 0.0

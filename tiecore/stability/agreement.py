"""How far two leaderboards agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tiecore.measures.base import harmonic
from tiecore.stability.places import ranked


def agreement(boards: Sequence[str], places: np.ndarray) -> pd.DataFrame:
    """Compare all leaderboards pairwise: kendall_tau, tau_ap, spearman, n_swapped; NaN for one without order.

    ``places``: (n_boards, n_features) place of each feature in each.
    """
    reference, other = np.triu_indices(len(boards), 1)
    kendall, tau_ap = taus(places[reference], places[other])
    lowest, highest = ranked(-places), places.shape[1] + 1 - ranked(places)
    ranks = (lowest + highest - places.shape[1] - 1) / 2  # equal places share the mean of their ranks
    products = ranks @ ranks.T
    own = np.diag(products)
    with np.errstate(invalid="ignore"):
        spearman = products / np.sqrt(np.outer(own, own))
    names = np.array(boards, dtype=object)
    return pd.DataFrame(
        {
            "kendall_tau": kendall,
            "tau_ap": np.where(np.isnan(kendall), np.nan, tau_ap),
            "spearman": spearman[reference, other],
            "n_swapped": [len(swapped(places[a], places[b])) for a, b in zip(reference, other, strict=True)],
        },
        index=pd.MultiIndex.from_arrays([names[reference], names[other]], names=["reference", "other"]),
    ).astype({"n_swapped": np.int64})


def taus(reference: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(…) Kendall's tau-b of leaderboards with their references, NaN without order, and AP correlation.

    In the AP correlation swaps near the top count more. Yilmaz, Aslam & Robertson 2008: for each feature but the first
    of ``other``, the share of those above it that the reference also puts above it, turned to the range from −1 to 1.
    What ``other`` holds equal is averaged over all its orders (Urbano & Marrero 2017, accuracy); what the reference
    holds equal counts as neither right nor wrong.

    Parameters
    ----------
    reference, other
        (…, n_features) place of each feature.

    Examples
    --------
    A swap at the top costs more than one at the bottom, and a tie is half way:

    >>> tau_b, tau_ap = taus(np.array([1, 2, 3]), np.array([[2, 1, 3], [1, 3, 2], [1, 2, 2]]))
    >>> tau_ap.tolist()
    [0.0, 0.5, 0.75]
    """
    reference, other = np.broadcast_arrays(reference, other)
    # features first: what is done for all leaderboards at once lies together in memory
    a, b = (np.moveaxis(places, -1, 0).astype(np.int32, order="C") for places in (reference, other))
    right_less_wrong, size = np.empty_like(b), np.empty_like(b)  # (n_features, …)
    n_apart = np.zeros((2, *b.shape[1:]))
    for feature in range(len(b)):
        ahead_in_reference, ahead = np.sign(a[feature] - a), np.sign(b[feature] - b)  # 1: stands above the feature
        right_less_wrong[feature] = (ahead_in_reference * (ahead > 0)).sum(axis=0)
        size[feature] = len(b) - np.abs(ahead).sum(axis=0)
        n_apart += np.abs(ahead_in_reference).sum(axis=0), len(b) - size[feature]
    right, size = (np.moveaxis(of_feature, 0, -1) for of_feature in (right_less_wrong, size))
    # Inside a tie each order of two is as likely as its reverse, so only those above the tie count. A tied feature has
    # n_above, …, n_above + size − 1 others above it, equally likely: average the reciprocal.
    sums, _ = harmonic(len(b))
    n_above = other - 1
    chance = (sums[n_above + size - 1] - sums[n_above - 1]) / size  # irrelevant at the top, where nothing is above
    with np.errstate(invalid="ignore"):
        tau_b = 2 * right.sum(axis=-1) / np.sqrt(n_apart[0] * n_apart[1])  # each pair that is apart was seen twice
        return np.asarray(tau_b), np.asarray((right * chance).sum(axis=-1) / (len(b) - 1))


def swapped(reference: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n_swapped, 2) pairs of features in opposite order, the one ahead in the reference first."""
    ahead = reference[:, None] < reference
    behind = other[:, None] > other
    return np.argwhere(ahead & behind)

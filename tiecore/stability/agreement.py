"""How far two leaderboards agree."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from tiecore.similarity.correlation import PairCounts, kendall, yilmaz
from tiecore.similarity.lists import Pool


def agreement(boards: Sequence[str], places: np.ndarray) -> pd.DataFrame:
    """Compare all leaderboards pairwise: kendall_tau, tau_ap, spearman, n_swapped; NaN for one without order.

    ``places``: (n_boards, n_features) place of each feature in each.
    """
    reference, other = np.triu_indices(len(boards), 1)
    kendall, tau_ap = taus(places[reference], places[other])
    ranks = pd.DataFrame(places).rank(axis=1).to_numpy() - (places.shape[1] + 1) / 2  # equal places share the mean
    products = ranks @ ranks.T
    own = np.diag(products)
    with np.errstate(invalid="ignore"):
        spearman = products / np.sqrt(np.outer(own, own))
    names = np.array(boards, dtype=object)
    return pd.DataFrame(
        {
            "kendall_tau": kendall,
            "tau_ap": tau_ap,
            "spearman": spearman[reference, other],
            "n_swapped": [
                np.count_nonzero((a[:, None] < a) & (b[:, None] > b))
                for a, b in zip(places[reference], places[other], strict=True)
            ],
        },
        index=pd.MultiIndex.from_arrays([names[reference], names[other]], names=["reference", "other"]),
    ).astype({"n_swapped": np.int64})


def taus(reference: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(…) Kendall's tau-b and AP correlation of leaderboards with their references, NaN where one has no order.

    ``reference``, ``other``: (…, n_features) place of each feature, equal ones sharing the best; see
    :mod:`tiecore.similarity` for both coefficients.

    >>> tau_b, tau_ap = taus(np.array([1, 2, 3]), np.array([[2, 1, 3], [1, 3, 2], [1, 2, 2]]))
    >>> tau_ap.tolist()
    [0.0, 0.5, 0.75]
    """
    *shape, n_features = np.broadcast_shapes(reference.shape, other.shape)
    pool = Pool.of_sizes(np.full(math.prod(shape), n_features))
    above = (np.broadcast_to(places - 1, (*shape, n_features)).ravel() for places in (reference, other))
    counts = PairCounts.of(pool, *above)
    tau_b = kendall(counts).reshape(shape)
    return tau_b, np.where(np.isnan(tau_b), np.nan, yilmaz(counts, ties="a").reshape(shape))

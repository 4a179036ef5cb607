"""How far two leaderboards agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tiecore.similarity.correlation import PairCounts, kendall, yilmaz


def agreement(boards: Sequence[str], places: np.ndarray) -> pd.DataFrame:
    """Compare all leaderboards pairwise: kendall_tau, tau_ap, n_swapped; NaN for one without order.

    ``places``: (n_boards, n_features) place of each feature in each.
    """
    reference, other = np.triu_indices(len(boards), 1)
    counts = PairCounts.of(places[reference] - 1, places[other] - 1)
    tau_b, tau_ap = taus(counts)
    names = np.array(boards, dtype=object)
    index = pd.MultiIndex.from_arrays([names[reference], names[other]], names=["reference", "other"])
    return pd.DataFrame({"kendall_tau": tau_b, "tau_ap": tau_ap, "n_swapped": counts.swapped}, index=index)


def taus(counts: PairCounts) -> tuple[np.ndarray, np.ndarray]:
    """(n_lists,) Kendall's tau-b and AP correlation of leaderboards with their references, NaN where one has no order.

    >>> above = np.array([[0, 1, 2]] * 3), np.array([[1, 0, 2], [0, 2, 1], [0, 1, 1]])
    >>> taus(PairCounts.of(*above))[1].tolist()
    [0.0, 0.5, 0.75]
    """
    tau_b = kendall(counts)
    return tau_b, np.where(np.isnan(tau_b), np.nan, yilmaz(counts, ties="a"))

"""Binary preference: relevant documents that stand above judged non-relevant ones."""

from __future__ import annotations

import numpy as np

from tiecore.measures.base import Measure, quotient
from tiecore.ties.groups import UNJUDGED, TieGroups


class Bpref(Measure):
    """Bpref: 1/N_rel·Σ over listed relevant documents of 1 − min(m, N_rel)/min(N_rel, N).

    m counts the judged non-relevant documents above it, N all of them in the judgments; unjudged ones are passed over.
    Buckley & Voorhees 2004 as in trec_eval, except that a grade below 0 is judged non-relevant. Inside a group m is
    uniform on m0 .. m0 + n0. There is no closed form for the variance.
    """

    cutoff_rule = "none"

    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Mean of the preference over the places that non-relevant documents of the group leave open."""
        nonrelevant = (groups.grades > UNJUDGED) & (groups.grades < self.rel)
        ideal = groups.ideal
        n_nonrelevant = ideal.remember(
            ("n_total", nonrelevant.tobytes()), lambda: ideal.per_query(ideal.total(nonrelevant))
        )
        n_relevant = groups.n_relevant(self.rel)
        hit = np.flatnonzero(groups.relevant(self.rel) > 0)
        query = groups.query[hit]
        above = groups.sum_above(nonrelevant)[hit]
        tied = groups.total(nonrelevant)[hit]
        limit = n_relevant[query]
        counted = _sum_of_min(above + tied, limit) - _sum_of_min(above - 1, limit)
        penalty = quotient(counted / (tied + 1.0), np.minimum(limit, n_nonrelevant[query]))
        return quotient(groups.per_query(groups.relevant(self.rel)[hit] * (1.0 - penalty), hit), n_relevant)


def _sum_of_min(last: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Σ of min(i, limit) over i from 0 to ``last``."""
    low = np.minimum(last, limit)
    return low * (low + 1) / 2 + (last - low) * limit

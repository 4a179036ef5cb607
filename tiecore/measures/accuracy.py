"""How often a relevant document stands above one that is not."""

from __future__ import annotations

import numpy as np

from tiecore.measures.base import Measure, quotient
from tiecore.ties.groups import TieGroups


class Accuracy(Measure):
    """Accuracy: chance that a listed relevant document stands above a listed other one, the area under the ROC curve.

    0 if no relevant document is listed, 1 if nothing else is. A tie counts half in the mean; its variance is that of
    the rank sum of Mann & Whitney 1947. As in ir_measures, without its cut-off: a relevant document more inside the
    first k can lower the value there, so that the order of grades is neither best nor worst.
    """

    cutoff_rule = "none"

    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        """1 − Σ over groups of r·(others above + n0/2), over all pairs."""
        found = groups.relevant(self.rel)
        others = groups.size - found
        above = groups.above - groups.relevant_above(self.rel)
        all_found, pairs = self._counts(groups)
        misordered = quotient(groups.per_query(found * (above + others / 2)), pairs)
        return np.where(all_found > 0, 1.0 - misordered, 0.0)

    def variance(self, groups: TieGroups) -> np.ndarray:
        """Σ over groups of r·n0·(n + 1)/12, over the square of all pairs."""
        found = groups.relevant(self.rel)
        spread = found * (groups.size - found) * (groups.size + 1) / 12
        _, pairs = self._counts(groups)
        return quotient(groups.per_query(spread), pairs * pairs)

    def _counts(self, groups: TieGroups) -> tuple[np.ndarray, np.ndarray]:
        """(n_queries,) listed relevant documents, and pairs of one of them and another one."""
        found = groups.per_query(groups.relevant(self.rel))
        return found, found * (groups.per_query(groups.size) - found)

"""How many non-relevant documents a reader meets before finding what is wanted."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tiecore.measures.base import Measure, quotient
from tiecore.ties.groups import TieGroups


class ESL(Measure):
    """ESL(s): expected non-relevant documents above the s-th relevant one; fewer are better.

    Judged documents that are not listed form the last group, as in the weak order of the whole collection. Where the
    judgments hold fewer than s relevant documents all of them are wanted; where they hold none, everything is searched
    in vain. Cooper 1968. There is no closed form for the variance.
    """

    highest: ClassVar[float | None] = None
    cutoff_rule = "none"
    higher_is_better = False

    s: int = 1
    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Non-relevant documents above the group of the s-th relevant one, plus n0·s'/(r+1) inside it."""
        everything = groups.with_unretrieved()
        wanted = np.minimum(self.s, groups.n_relevant(self.rel))
        # where nothing is relevant everything is searched; every other query has one group that overwrites this
        length = np.bincount(everything.query, weights=everything.size, minlength=groups.n_queries)
        r, above = everything.relevant(self.rel), everything.relevant_above(self.rel)
        target = wanted[everything.query]
        last = np.flatnonzero((above < target) & (target <= above + r))
        still_wanted = target[last] - above[last]
        passed = everything.above[last] - above[last]
        length[everything.query[last]] = passed + (everything.size[last] - r[last]) * still_wanted / (r[last] + 1.0)
        return length


class PRR(ESL):
    """PRR(s): s/(s + ESL_s), the chance that a document met is relevant; 0 if nothing is relevant.

    Where the judgments hold fewer than s relevant documents, s is their number. Defined on the expected search length,
    so it is not itself a mean over orderings. Raghavan, Bollmann & Jung 1989.
    """

    highest = 1.0
    higher_is_better = True
    averages_orderings = False

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Wanted documents over themselves and the expected search length."""
        wanted = np.minimum(self.s, groups.n_relevant(self.rel))
        return quotient(wanted, wanted + super().expected(groups))

"""Average precision and its geometric mean over queries."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tiecore.measures.base import Measure, harmonic
from tiecore.measures.group_sums import HitSum, Summands
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import changes, sums_before

_GMAP_FLOOR = 1e-5


class AP(HitSum):
    """AP@k: Σ_j≤k rel(j)·P@j over N_rel of the judgments; 0 if nothing is relevant.

    A group gives (r/n)·[(R + 1 − (t+1)ρ)·S + ρ·L], ρ = (r−1)/(n−1) or 0 for a single document, S = H(e) − H(t).
    M&N 2008 in closed form.
    """

    def summands(self, groups: TieGroups) -> Summands:
        """Groups with relevant documents: how many, and R + 1."""
        hits = self.hits(groups)
        (r,) = hits.facts
        return replace(hits, facts=(r, sums_before(r, changes(hits.query)) + 1.0))

    def means(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """See the class."""
        _, hits_to_first = summands.facts
        value = hits_to_first / (summands.above + 1.0)  # what the formula is for a single document
        tied = np.flatnonzero(summands.size > 1)
        some = summands.chosen(tied)
        t, n, end = some.above, some.size, end.take(tied)
        r, hits_to_first = some.facts
        sums, _ = harmonic(int(end.max(initial=0)))
        reciprocals = sums.take(end) - sums.take(t)  # S
        rho = (r - 1) / (n - 1)
        value[tied] = r / n * ((hits_to_first - (t + 1) * rho) * reciprocals + rho * (end - t))
        return value

    def spreads(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """Second moment less the square, in sums of 1/j and 1/j² alone."""
        above = summands.above
        n, t = summands.size.astype(np.float64), above.astype(np.float64)
        r, hits = summands.facts  # hits: R + 1
        inside = (end - above).astype(np.float64)  # L
        sums, square_sums = harmonic(int(end.max(initial=0)))
        s = sums[end] - sums[above]
        s2 = square_sums[end] - square_sums[above]
        # chances that 1, 2, 3, 4 given places of the group all hold relevant documents; from the first 0 on all are 0
        p1 = r / n
        p2 = p1 * (r - 1) / (n - 1)
        p3 = p2 * (r - 2) / np.maximum(n - 2, 1)
        p4 = p3 * (r - 3) / np.maximum(n - 3, 1)
        a = inside - (t + 1) * s
        b = s - (t + 1) * s2
        c = (s * s - s2) / 2
        x = inside - (2 * t + 3) * s + (t + 1) * (t + 2) * s2
        y = 2 * (a - (t + 1) * c)
        mean = hits * p1 * s + p2 * a
        first = p1 * s2 + p2 * (s * s - s2)
        cross = p2 * (b + c) + p3 * (s * a - b - c)
        second = p2 * b + p3 * (x + 2 * y) + p4 * (a * a - b - x - 2 * y)
        return np.maximum(hits * hits * first + 2 * hits * cross + second - mean * mean, 0.0)

    def divisor(self, groups: TieGroups) -> np.ndarray:
        """Relevant documents in the judgments."""
        return groups.n_relevant(self.rel)


class GMAP(AP):
    """GMAP: exp(mean over queries of ln max(E[AP], 1e-5)), the geometric mean of expected average precisions.

    Not itself an expectation over orderings, so it has no variance. Robertson 2006; floor as in trec_eval.
    """

    cutoff_rule = "none"
    averages_orderings = False

    variance = Measure.variance

    def summarise(self, per_query: np.ndarray) -> float:
        """Geometric mean with the floor of 1e-5."""
        if not len(per_query):
            return math.nan
        return math.exp(float(self.averaged(per_query).mean()))

    def averaged(self, per_query: np.ndarray) -> np.ndarray:
        """Logarithms with the floor of 1e-5."""
        return np.log(np.maximum(per_query, _GMAP_FLOOR))

    def unaveraged(self, means: np.ndarray) -> np.ndarray:
        """Exponentials of means of logarithms."""
        return np.exp(means)

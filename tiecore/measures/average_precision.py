"""Average precision and its geometric mean over queries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiecore.measures.base import CutoffRule, Measure, NoVarianceError, harmonic, quotient
from tiecore.ties import TieGroups

__all__ = ["GMAP", "AveragePrecision"]

_GMAP_FLOOR = 1e-5


@dataclass(frozen=True, kw_only=True)
class AveragePrecision(Measure):
    """AP@k: Σ_j≤k rel(j)·P@j over N_rel of the judgments; 0 if nothing is relevant.

    A group gives (r/n)·[(R + 1 − (t+1)ρ)·S + ρ·L], ρ = (r−1)/(n−1) or 0 for a single document, S = H(e) − H(t).
    M&N 2008 in closed form.
    """

    name: ClassVar[str] = "AP"

    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Σ over the groups with relevant documents that begin inside the cut-off."""
        groups = groups.top(self.cutoff)
        hits = groups.hits(self.rel)
        n, r, t, end = self._window(groups, hits)
        hits_to_first = groups.hits_above(self.rel) + 1.0  # R + 1
        value = hits_to_first / (t + 1.0)  # what the formula is for a single document
        tied = np.flatnonzero(n > 1)
        n, r, t, end = n[tied], r[tied], t[tied], end[tied]
        sums, _ = harmonic(groups.depth())
        reciprocals = sums[end] - sums[t]  # S
        rho = (r - 1) / (n - 1)
        value[tied] = r / n * ((hits_to_first[tied] - (t + 1) * rho) * reciprocals + rho * (end - t))
        return quotient(groups.per_query(value, hits), groups.n_relevant(self.rel))

    def _window(self, groups: TieGroups, which: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Documents n and relevant ones r of the chosen groups, ranks t and e between which they count."""
        size, above = groups.size[which], groups.above[which]
        end = above + size
        return (
            size,
            groups.relevant(self.rel)[which],
            above,
            end if self.cutoff is None else np.minimum(end, self.cutoff),
        )

    def variance(self, groups: TieGroups) -> np.ndarray:
        """Σ over mixed groups of the second moment less the square, in sums of 1/j and 1/j² alone."""
        groups = groups.top(self.cutoff)
        hit = groups.hits(self.rel)
        mixed = np.flatnonzero(groups.relevant(self.rel)[hit] < groups.size[hit])
        which = hit[mixed]
        size, r, above, end = self._window(groups, which)
        n, t = size.astype(np.float64), above.astype(np.float64)
        hits = groups.hits_above(self.rel)[mixed] + 1.0  # R + 1
        inside = (end - above).astype(np.float64)  # L
        sums, square_sums = harmonic(groups.depth())
        s = sums[end] - sums[above]
        s2 = square_sums[end] - square_sums[above]
        # chances that 1, 2, 3, 4 given places of the group all hold relevant documents
        p1 = r / n
        p2 = p1 * quotient(np.maximum(r - 1, 0), np.maximum(n - 1, 0))
        p3 = p2 * quotient(np.maximum(r - 2, 0), np.maximum(n - 2, 0))
        p4 = p3 * quotient(np.maximum(r - 3, 0), np.maximum(n - 3, 0))
        a = inside - (t + 1) * s
        b = s - (t + 1) * s2
        c = (s * s - s2) / 2
        x = inside - (2 * t + 3) * s + (t + 1) * (t + 2) * s2
        y = 2 * (a - (t + 1) * c)
        mean = hits * p1 * s + p2 * a
        first = p1 * s2 + p2 * (s * s - s2)
        cross = p2 * (b + c) + p3 * (s * a - b - c)
        second = p2 * b + p3 * (x + 2 * y) + p4 * (a * a - b - x - 2 * y)
        variance = np.maximum(hits * hits * first + 2 * hits * cross + second - mean * mean, 0.0)
        n_relevant = groups.n_relevant(self.rel)
        return quotient(groups.per_query(variance, which), n_relevant * n_relevant)


@dataclass(frozen=True, kw_only=True)
class GMAP(AveragePrecision):
    """GMAP: exp(mean over queries of ln max(E[AP], 1e-5)), the geometric mean of expected average precisions.

    Not itself an expectation over orderings, so it has no variance. Robertson 2006; floor as in trec_eval.
    """

    name: ClassVar[str] = "GMAP"
    cutoff_rule: ClassVar[CutoffRule] = "none"
    has_variance: ClassVar[bool] = False
    averages_orderings: ClassVar[bool] = False

    def variance(self, groups: TieGroups) -> np.ndarray:
        """Refuse: see the class."""
        raise NoVarianceError(f"{self} is a geometric mean of expectations and has no variance over orderings")

    def summarise(self, per_query: np.ndarray) -> float:
        """Geometric mean with the floor of 1e-5."""
        if not len(per_query):
            return math.nan
        return math.exp(float(self.averaged(per_query).mean()))

    def averaged(self, per_query: np.ndarray) -> np.ndarray:
        """Logarithms with the floor of 1e-5."""
        return np.log(np.maximum(per_query, _GMAP_FLOOR))

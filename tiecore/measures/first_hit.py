"""Measures of the first relevant document: reciprocal rank and success."""

from __future__ import annotations

import numpy as np

from tiecore.measures.group_sums import HitSum, Summands
from tiecore.ties.groups import TieGroups

_FIRST_WIDTH, _LAST_WIDTH = 8, 4096
_MOST_ELEMENTS = 1 << 18
"""Of one array: many cut-offs of large groups would make it huge."""
_NEGLIGIBLE = 1e-18
"""Against 1: what is left out of a reciprocal rank is less than its last digit."""


class _FirstHit(HitSum):
    """What the first group with relevant documents gives; of it the formulas need its size and its hits r."""

    def summands(self, groups: TieGroups) -> Summands:
        """The first group with a relevant document, of each query that has one."""
        return self.hits(groups, only_first=True)


class RR(_FirstHit):
    """RR@k: one over the rank of the first relevant document, 0 if none is inside the cut-off.

    Only the first group with relevant documents matters. Its first one is the x-th with chance f(x−1) − f(x),
    f(x) = f(x−1)·(1 − r/(n−x+1)), f(0) = 1. After M&N 2008, whose printed formula adds f where it means its fall.
    """

    def means(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """Σ_x (f(x−1) − f(x))/(t+x)."""
        mean = 1.0 / (summands.above + 1.0)
        tied = np.flatnonzero(summands.facts[0] < summands.size)  # elsewhere the first document of the group is a hit
        (mean[tied],) = _reciprocal_moments(summands.chosen(tied), end[tied], n_moments=1)
        return mean

    def spreads(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """Second moment less the square."""
        first, second = _reciprocal_moments(summands, end, n_moments=2)
        return np.maximum(second - first * first, 0.0)


def _reciprocal_moments(summands: Summands, end: np.ndarray, *, n_moments: int) -> np.ndarray:
    """Means of 1/(t+X), of its square, and so on: (n_moments, n_summands).

    X is the place of the first of r hits among n; it counts to rank ``end`` only.

    Goes through the places in blocks that grow, all groups at once, and drops a group when its end is reached or the
    chance to come that far has vanished.
    """
    above, size = summands.above.astype(np.float64), summands.size.astype(np.float64)
    (r,) = summands.facts
    steps = np.minimum(size - r + 1, end - summands.above)
    moments = np.zeros((n_moments, len(above)))
    active = np.arange(len(above))
    none_yet = np.ones(len(above))  # f at the end of the last block
    done = 0
    while len(active):
        width = max(_FIRST_WIDTH, min(2 * done, _LAST_WIDTH, _MOST_ELEMENTS // len(active)))
        place = done + np.arange(1.0, width + 1.0)[:, None]  # x: (width, 1)
        left = np.maximum(size[active] - place + 1, 1.0)
        none = np.maximum(1.0 - r[active] / left, 0.0)  # (width, n_active)
        none[0] *= none_yet
        _running_product(none)  # f(x)
        chance = np.empty_like(none)
        np.subtract(none_yet, none[0], out=chance[0])
        np.subtract(none[:-1], none[1:], out=chance[1:])
        chance *= place <= steps[active]
        rank = above[active] + place
        for moment in moments:
            chance /= rank
            moment[active] += chance.sum(axis=0)
        done += width
        kept = (steps[active] > done) & (none[-1] > _NEGLIGIBLE)
        active, none_yet = active[kept], none[-1][kept]
    return moments


def _running_product(factors: np.ndarray) -> None:
    """Multiply each row by all rows above it, in place: the ranges double, so the rows are few and long vectors."""
    reach = 1
    while reach < len(factors):
        factors[reach:] *= factors[:-reach].copy()
        reach *= 2


class Success(_FirstHit):
    """Success@k: 1 if a relevant document is among the first k.

    Certain if a group with relevant documents ends inside the cut-off, else 1 − C(n−r, L)/C(n, L) for the group that
    the cut-off splits.
    """

    cutoff_rule = "required"

    def means(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """Chance of a hit inside the cut-off."""
        return 1.0 - _chance_of_none(summands, end)

    def spreads(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """Variance of a yes or no: chance × (1 − chance)."""
        none = _chance_of_none(summands, end)
        return none * (1.0 - none)


def _chance_of_none(summands: Summands, end: np.ndarray) -> np.ndarray:
    """C(n−r, L)/C(n, L): none of r hits among L documents drawn of n."""
    size, (r,), drawn = summands.size, summands.facts, end - summands.above
    # hits and draws may change places, so multiply over the fewer: Π_{i<a} (n−b−i)/(n−i)
    fewer, more = np.minimum(r, drawn), np.maximum(r, drawn)
    chance = np.ones(len(size))
    active = np.arange(len(size))
    step = 0
    while len(active):
        n, b = size[active], more[active]
        chance[active] *= np.maximum(n - b - step, 0) / (n - step)
        step += 1
        active = active[(fewer[active] > step) & (chance[active] > 0.0)]
    return chance

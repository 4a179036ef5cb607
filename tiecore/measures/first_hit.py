"""Measures of the first relevant document: reciprocal rank and success."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiecore.measures.base import CutoffRule, Measure
from tiecore.ties import TieGroups

__all__ = ["ReciprocalRank", "Success"]

_FIRST_WIDTH, _LAST_WIDTH = 4, 4096
_NEGLIGIBLE = 1e-18
"""Against 1: what is left out of a reciprocal rank is less than its last digit."""


@dataclass(frozen=True, kw_only=True)
class ReciprocalRank(Measure):
    """RR@k: one over the rank of the first relevant document, 0 if none is inside the cut-off.

    Only the first group with relevant documents matters. Its first one is the x-th with chance f(x−1) − f(x),
    f(x) = f(x−1)·(1 − r/(n−x+1)), f(0) = 1. After M&N 2008, whose printed formula adds f where it means its fall.
    """

    name: ClassVar[str] = "RR"

    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Σ_x (f(x−1) − f(x))/(t+x) in the first group with relevant documents."""
        return self._moments(groups)[0]

    def variance(self, groups: TieGroups) -> np.ndarray:
        """Second moment less the square; exactly 0 where the first group holds relevant documents only."""
        return self._moments(groups)[1]

    def _moments(self, groups: TieGroups) -> np.ndarray:
        return groups.remember(self, lambda: self._compute(groups))

    def _compute(self, groups: TieGroups) -> np.ndarray:
        """(2, n_queries) expectation and variance."""
        moments = np.zeros((2, groups.n_queries))
        groups = groups.top(self.cutoff)
        group = _first_hit_group(groups, self.rel)
        query, above = groups.query[group], groups.above[group].astype(np.float64)
        size, r = groups.size[group].astype(np.float64), groups.relevant(self.rel)[group]
        moments[0, query] = 1.0 / (above + 1.0)
        tied = np.flatnonzero(r < size)  # elsewhere the first document of the group is a hit
        above, size, r = above[tied], size[tied], r[tied]
        steps = size - r + 1
        if self.cutoff is not None:
            steps = np.minimum(steps, self.cutoff - above)
        first, second = _reciprocal_moments(above, size, r, steps.astype(np.int64))
        moments[0, query[tied]] = first
        moments[1, query[tied]] = np.maximum(second - first * first, 0.0)
        return moments


def _first_hit_group(groups: TieGroups, rel: int) -> np.ndarray:
    """Position of the first group with a relevant document, for each query that has one."""
    hits = groups.hits(rel)
    query = groups.query[hits]
    return hits[np.append(True, query[1:] != query[:-1])[: len(hits)]]


def _reciprocal_moments(
    above: np.ndarray, size: np.ndarray, r: np.ndarray, steps: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean of 1/(t+X) and of its square, X the place of the first of r hits among n, counted to ``steps`` only.

    Goes through the places in blocks that grow, all groups at once, and drops a group when its end is reached or the
    chance to come that far has vanished.
    """
    first, second = np.zeros(len(above)), np.zeros(len(above))
    active = np.arange(len(above))
    none_yet = np.ones(len(above))  # f at the end of the last block
    done = 0
    while len(active):
        width = min(max(done, _FIRST_WIDTH), _LAST_WIDTH)
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
        chance /= rank
        first[active] += chance.sum(axis=0)
        chance /= rank
        second[active] += chance.sum(axis=0)
        done += width
        kept = (steps[active] > done) & (none[-1] > _NEGLIGIBLE)
        active, none_yet = active[kept], none[-1][kept]
    return first, second


def _running_product(factors: np.ndarray) -> None:
    """Multiply each row by all rows above it, in place: the ranges double, so the rows are few and long vectors."""
    reach = 1
    while reach < len(factors):
        factors[reach:] *= factors[:-reach].copy()
        reach *= 2


@dataclass(frozen=True, kw_only=True)
class Success(Measure):
    """Success@k: 1 if a relevant document is among the first k.

    Certain if a group with relevant documents ends inside the cut-off, else 1 − C(n−r, L)/C(n, L) for the group that
    the cut-off splits.
    """

    name: ClassVar[str] = "Success"
    cutoff_rule: ClassVar[CutoffRule] = "required"

    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Chance of a hit inside the cut-off."""
        return 1.0 - self._chance_of_none(groups)

    def variance(self, groups: TieGroups) -> np.ndarray:
        """Variance of a yes or no: chance × (1 − chance)."""
        none = self._chance_of_none(groups)
        return none * (1.0 - none)

    def _chance_of_none(self, groups: TieGroups) -> np.ndarray:
        chance = np.ones(groups.n_queries)
        groups = groups.top(self.cutoff)
        group = _first_hit_group(groups, self.rel)
        inside = np.minimum(groups.size[group], (self.cutoff or 0) - groups.above[group])
        chance[groups.query[group]] = _chance_of_none(groups.size[group], groups.relevant(self.rel)[group], inside)
        return chance


def _chance_of_none(size: np.ndarray, r: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """C(n−r, L)/C(n, L): none of r hits among L documents drawn of n."""
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

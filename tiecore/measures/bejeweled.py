"""Gain per document of a reader who stops after enough relevant ones."""

from __future__ import annotations

import math

import numpy as np

from tiecore.measures.base import Measure
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import changes, starts

_DEPTH = 1000
"""Depth of cwl_eval, and so of ir_measures."""
_BLOCK_ELEMENTS = 1 << 20


class BPM(Measure):
    """BPM(T)@k: relevant documents over documents read, for a reader who stops at T relevant ones or at rank k.

    Zhang et al. 2017 with relevance of 0 and 1, as ``BPM(max_rel=1)`` of ir_measures. With more than two gains the
    order of grades would be neither best nor worst: what overshoots T lets a reader stop early.
    """

    cutoff_rule = "required"

    T: float = 1.0
    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Mean over what may be found at each rank of the group in which the reader stops."""
        return self._moments(groups.top(self._depth))[0]

    def variance(self, groups: TieGroups) -> np.ndarray:
        """Mean of the square less the square of the mean, 0 where that group holds documents of one kind."""
        groups = groups.top(self._depth)
        first, second = self._moments(groups)
        at = self._last_seen(groups)
        found = groups.relevant(self.rel)[at]
        is_mixed = np.zeros(groups.n_queries, dtype=bool)
        is_mixed[groups.query[at]] = (found > 0) & (found < groups.size[at])
        return np.where(is_mixed, np.maximum(second - first * first, 0.0), 0.0)

    @property
    def _depth(self) -> int:
        return min(self.cutoff or 0, _DEPTH)

    def _wanted(self, groups: TieGroups) -> int:
        """Relevant documents at which a reader stops; one more than there can be where T is out of reach."""
        most = int((groups.relevant_above(self.rel) + groups.relevant(self.rel)).max(initial=0))
        return min(math.ceil(self.T), self._depth + 1, most + 1)

    def _last_seen(self, groups: TieGroups) -> np.ndarray:
        """Of each query the group in which the reader stops: with enough relevant documents, or with its last rank."""
        has_enough = groups.relevant_above(self.rel) + groups.relevant(self.rel) >= self._wanted(groups)
        ends = np.flatnonzero(has_enough | np.append(changes(groups.query)[1:], True))
        return ends[starts(groups.query[ends])]

    def _moments(self, groups: TieGroups) -> tuple[np.ndarray, np.ndarray]:
        """(n_queries,) means of the value and of its square: only the group in which the reader stops matters."""
        wanted, at = self._wanted(groups), self._last_seen(groups)
        moments = np.zeros((2, groups.n_queries))
        at_once = max(1, _BLOCK_ELEMENTS // wanted)
        for begin in range(0, len(at), at_once):
            block = at[begin : begin + at_once]
            moments[:, groups.query[block]] = self._of_groups(groups, block, wanted)
        return moments[0], moments[1]

    def _of_groups(self, groups: TieGroups, at: np.ndarray, wanted: int) -> np.ndarray:
        """(2, n_groups) moments; the chance to have found so many is carried from rank to rank."""
        above, size = groups.above[at], groups.size[at]
        found_above = groups.relevant_above(self.rel)[at].astype(np.int64)
        all_found = found_above + groups.relevant(self.rel)[at]
        moments = np.zeros((2, len(at)))
        found = np.arange(wanted)  # by a reader who goes on
        chance = (found == found_above[:, None]).astype(np.float64)  # (n_groups, wanted)
        for step in range(int(np.minimum(size, self._depth - above).max(initial=0))):
            rank = above + step + 1
            is_looked_at = (step < size) & (rank <= self._depth)
            left = np.maximum(all_found[:, None] - found, 0) / np.maximum(size - step, 1)[:, None]
            hit = chance * left * is_looked_at[:, None]
            value = wanted / rank
            moments += hit[:, -1] * np.stack([value, value * value])
            chance -= hit
            chance[:, 1:] += hit[:, :-1]
        value = found / self._depth
        return moments + np.stack([chance @ value, chance @ (value * value)])

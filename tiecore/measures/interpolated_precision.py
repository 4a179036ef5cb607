"""Interpolated precision: the best precision from some recall on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.measures.base import Measure
from tiecore.ties.groups import TieGroups

_MOST_WORK = 200_000_000
"""Numbers that the steps of one tie group go through."""


class IPrec(Measure):
    """IPrec@recall: highest precision at any rank from which on a share of the relevant documents is found.

    The share is int(recall·N_rel + 0.9) documents; 0 if the list does not hold so many. iprec_at_recall of trec_eval 9,
    as in ir_measures. A maximum over ranks: its distribution comes from counting the ways through each tie group, and a
    group too large for that is refused.
    """

    cutoff_rule = "none"
    at = "recall"
    usual = "@0.1"

    recall: float | None = None
    rel: int = 1
    judged_only: bool = False

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Precision that is sure, plus what the orderings of tied documents add to it on average."""
        groups = self.seen(groups)
        least = ((self.recall or 0.0) * groups.n_relevant(self.rel) + 0.9).astype(np.int64)
        hits = np.flatnonzero(groups.relevant(self.rel) > 0)
        query, above, size = groups.query[hits], groups.above[hits], groups.size[hits]
        found = groups.relevant(self.rel)[hits].astype(np.int64)
        found_above = groups.relevant_above(self.rel)[hits].astype(np.int64)
        value = np.zeros(groups.n_queries)
        counted = found_above + found >= least[query]
        np.maximum.at(value, query[counted], ((found_above + found) / (above + size))[counted])
        may_add = counted & ((found_above + found) / (above + found) > value[query])
        paths: dict[int, list[_Paths]] = {}
        for at in np.flatnonzero(may_add):
            one = _Paths(int(above[at]), int(size[at]), int(found_above[at]), int(found[at]), int(least[query[at]]))
            paths.setdefault(int(query[at]), []).append(one)
        for one_query, of_query in paths.items():
            value[one_query] = self._mean_of_highest(float(value[one_query]), of_query)
        return value

    def _mean_of_highest(self, sure: float, paths: list[_Paths]) -> float:
        """Mean of the highest precision: the integral of the chance to exceed a value, from the one that is sure."""
        levels = np.unique(np.concatenate([[sure], *(one.precisions(sure) for one in paths)]))
        chance = np.ones(len(levels))
        for one in paths:
            if len(levels) * one.size * (one.found + 1) > _MOST_WORK:
                raise TiecoreError(
                    f"{self}: a tie of {one.size} documents, {one.found} of them relevant, is too large for the exact "
                    "expectation; draw random tie-breaks with sample(), or make the ties smaller"
                )
            chance *= one.chance_to_stay(levels)
        return sure + float(np.diff(levels) @ (1.0 - chance[:-1]))


@dataclass(frozen=True, slots=True)
class _Paths:
    """The ways through one tie group, each a precision by rank."""

    above: int
    size: int
    found_above: int
    found: int
    least: int
    """Relevant documents from which on a precision counts."""

    def precisions(self, sure: float) -> np.ndarray:
        """Precisions that count at a relevant document of the group, if higher than the one that is sure."""
        hits = np.arange(1, self.found + 1)
        hits = hits[self.found_above + hits >= self.least]
        # the x-th relevant document stands at least x and at most size − found + x ranks into the group
        place = hits[:, None] + np.arange(self.size - self.found + 1)
        precision = (self.found_above + hits[:, None]) / (self.above + place)
        return precision[precision > sure]

    def chance_to_stay(self, levels: np.ndarray) -> np.ndarray:
        """Chance that no precision that counts exceeds a level: (n_levels,)."""
        hits = np.arange(self.found + 1)
        counts = self.found_above + hits >= self.least
        chance = np.zeros((len(levels), self.found + 1))  # by the hits so far, never above the level
        chance[:, 0] = 1.0
        for place in range(1, self.size + 1):
            hit = np.clip((self.found - hits) / (self.size - place + 1), 0.0, 1.0)
            stepped = chance * (1.0 - hit)
            stepped[:, 1:] += (chance * hit)[:, :-1]
            stepped[:, counts & (hits > 0)] *= (self.found_above + hits[counts & (hits > 0)]) / (
                self.above + place
            ) <= levels[:, None]
            chance = stepped
        return chance.sum(axis=1)

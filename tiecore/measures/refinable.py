"""Expectations of a ranking and of its refinements, in which most groups are the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tiecore.measures.base import Measure, quotient
from tiecore.measures.group_sums import GroupSum, expectations, sums_of_parts, variances
from tiecore.ties.groups import TieGroups

__all__ = ["Refinable"]


class Refinable:
    """The measures of a ranking whose groups of more than one grade are refined in several ways.

    Groups of one grade add the same to every refinement, so measures that are sums over groups add them up once. Other
    measures see the whole ranking each time.
    """

    def __init__(self, measures: Sequence[Measure], groups: TieGroups) -> None:
        # what is judged_only sees other ranks
        self._sums = {
            place: used
            for place, used in enumerate(measures)
            if isinstance(used, GroupSum) and not getattr(used, "judged_only", False)
        }
        self._others = {place: used for place, used in enumerate(measures) if place not in self._sums}
        counts = np.full(len(groups.grades), bool(self._others))
        for used in self._sums.values():
            counts |= used.counts(groups.grades)
        self._measures, self._groups = measures, groups
        alike, self.mixed = groups.split(counts)
        """Groups that a refinement can change."""
        self._alike_sums, self._divisors = sums_of_parts(list(self._sums.values()), alike)

    def part_of(self, refined: TieGroups) -> TieGroups:
        """Return what of a refinement of the whole ranking is in the place of ``mixed``."""
        return self.mixed if refined is self._groups else self._groups.refined_part(refined)

    def statistic(self, name: str) -> np.ndarray:
        """(n_measures, n_queries) of ``expected``, ``sd`` (whose square this is), ``worst`` or ``best``."""
        if name == "sd":
            return self.variances(self.mixed)
        if name == "expected":
            return self.expectations(self.mixed)
        return self.expectations(self.mixed.worst() if name == "worst" else self.mixed.best())

    def expectations(self, mixed: TieGroups) -> np.ndarray:
        """(n_measures, n_queries) expectations where ``mixed``, or a refinement of it, is in its place."""
        values = np.empty((len(self._measures), self._groups.n_queries))
        sums, _ = sums_of_parts(list(self._sums.values()), mixed)
        values[list(self._sums)] = quotient(self._alike_sums + sums, self._divisors)
        if self._others:
            values[list(self._others)] = expectations(list(self._others.values()), self._whole(mixed))
        return values

    def variances(self, mixed: TieGroups) -> np.ndarray:
        """(n_measures, n_queries) variances, NaN where a measure has none; ``mixed`` as for expectations."""
        values = np.empty((len(self._measures), self._groups.n_queries))
        values[list(self._sums)] = variances(list(self._sums.values()), mixed)
        if self._others:
            values[list(self._others)] = variances(list(self._others.values()), self._whole(mixed))
        return values

    def _whole(self, mixed: TieGroups) -> TieGroups:
        return self._groups if mixed is self.mixed else self._groups.with_part(mixed)

"""Measures that are sums over tie groups inside the cut-off: for one cut-off, or for many at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np

from tiecore.measures.base import Measure, quotient
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import ranges, starts, sums_at

Moment = Literal["expected", "variance"]


@dataclass(frozen=True, slots=True, eq=False)
class Summands:
    """Tie groups that a measure adds up, and what its formula needs of them; every array is (n_summands,)."""

    query: np.ndarray
    above: np.ndarray
    size: np.ndarray
    facts: tuple[np.ndarray, ...] = ()

    def chosen(self, which: np.ndarray) -> Summands:
        """Some of them, or the same one several times."""
        return Summands(
            self.query.take(which),
            self.above.take(which),
            self.size.take(which),
            tuple(fact.take(which) for fact in self.facts),
        )


class GroupSum(Measure):
    """A sum over tie groups, divided by a number that no ordering changes.

    A group counts to rank e, its own last one or the cut-off. So of all groups of a query a cut-off changes only the
    one that it splits, and a curve over many cut-offs costs little more than one of them.
    """

    @abstractmethod
    def summands(self, groups: TieGroups) -> Summands:
        """Groups that add to the expectation."""

    @abstractmethod
    def means(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """Expectation of what each group adds up to rank ``end``."""

    @abstractmethod
    def uncertain(self, groups: TieGroups) -> Summands:
        """Groups whose ordering matters."""

    @abstractmethod
    def spreads(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """Variance of what each group adds up to rank ``end``."""

    def divisor(self, groups: TieGroups) -> np.ndarray:
        """(n_queries,) what the sum is divided by; 0 makes the value 0."""
        return np.ones(groups.n_queries)

    def end(self, groups: TieGroups, summands: Summands) -> np.ndarray:
        """Rank e of each group."""
        end = summands.above + summands.size
        return end if self.cutoff is None else np.minimum(end, self.cutoff)

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Σ over groups of their means, over the divisor."""
        return values_of([self], groups)[0]

    def variance(self, groups: TieGroups) -> np.ndarray:
        """Σ over groups of their variances, over the square of the divisor: groups are ordered independently."""
        return values_of([self], groups, "variance")[0]


class HitSum(GroupSum):
    """A sum over groups that hold relevant documents; the first fact about each is how many."""

    rel: int = 1
    judged_only: bool = False

    def hits(self, groups: TieGroups, *, only_first: bool = False) -> Summands:
        """Groups that hold relevant documents, and how many; all, or the first of each query."""

        def compute() -> Summands:
            r = groups.relevant(self.rel)
            which = np.flatnonzero(r > 0)
            if only_first:
                which = which.take(starts(groups.query.take(which)))
            return Summands(groups.query, groups.above, groups.size, (r,)).chosen(which)

        return groups.remember(("hits", self.rel, only_first), compute)

    def uncertain(self, groups: TieGroups) -> Summands:
        """Groups that hold relevant documents and others."""
        summands = self.summands(groups)
        return summands.chosen(np.flatnonzero(summands.facts[0] < summands.size))


def values_of(measures: Sequence[Measure], groups: TieGroups, moment: Moment = "expected") -> np.ndarray:
    """(n_measures, n_queries) moments, NaN where there is none; the cut-offs of one measure share their work."""
    values = np.full((len(measures), groups.n_queries), np.nan)
    for places, alike in _by_cutoff(tuple(measures)):
        one = alike[0]
        if moment == "variance" and not one.has_variance:
            continue
        if isinstance(one, GroupSum):
            values[places] = groups.remember((moment, *alike), partial(_shares, alike, groups, moment))
        else:
            values[places] = one.expected(groups) if moment == "expected" else one.variance(groups)
    return values


@lru_cache(maxsize=64)
def _by_cutoff(measures: tuple[Measure, ...]) -> list[tuple[list[int], list[Any]]]:
    """Places of measures, and these; sums over groups that differ in the cut-off alone stand together."""
    found: dict[object, tuple[list[int], list[Any]]] = {}
    for place, used in enumerate(measures):
        has_kin = isinstance(used, GroupSum) and used.cutoff is not None
        places, alike = found.setdefault(replace(used, cutoff=1) if has_kin else place, ([], []))
        places.append(place)
        alike.append(used)
    return list(found.values())


def _shares(measures: Sequence[GroupSum], groups: TieGroups, moment: Moment) -> np.ndarray:
    """(n_measures, n_queries) moments of measures that differ in the cut-off alone."""
    one = measures[0]
    seen = groups.without_unjudged() if getattr(one, "judged_only", False) else groups
    divisors = np.array([used.divisor(seen) for used in measures])
    if moment == "expected":
        return quotient(totals(measures, seen, one.summands, one.means), divisors)
    return quotient(totals(measures, seen, one.uncertain, one.spreads), divisors**2)


def totals(
    measures: Sequence[GroupSum],
    groups: TieGroups,
    choose: Callable[[TieGroups], Summands],
    part: Callable[[Summands, np.ndarray], np.ndarray],
) -> np.ndarray:
    """(n_measures, n_queries) sums over the groups of their parts inside the cut-off of each measure."""
    cutoffs = [used.cutoff for used in measures if used.cutoff is not None]
    groups = groups.top(max(cutoffs, default=None))
    summands = choose(groups)
    if len(measures) == 1:
        parts = part(summands, measures[0].end(groups, summands))
        return np.bincount(summands.query, weights=parts, minlength=groups.n_queries)[None]

    steps, step_of_measure = np.unique(cutoffs, return_inverse=True)
    # a group counts whole from the first cut-off after it on (running sums carry it to all that follow), and in part
    # at each cut-off that splits it
    end = summands.above + summands.size
    first_reached = np.searchsorted(steps, summands.above, side="right")
    first_whole = np.searchsorted(steps, end)

    def added(which: np.ndarray, step: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        chosen = summands.chosen(which)
        sums = sums_at(chosen.query * len(steps) + step, part(chosen, ranks), groups.n_queries * len(steps))
        return sums.reshape(-1, len(steps))

    inside = np.flatnonzero(first_whole < len(steps))
    sums = np.cumsum(added(inside, first_whole[inside], end[inside]), axis=1)
    step, begin = ranges(first_reached, first_whole - first_reached)
    split = np.repeat(np.arange(len(begin)), first_whole - first_reached)
    sums += added(split, step, steps[step])
    return sums.T[step_of_measure]

"""Measures that are sums over tie groups inside the cut-off: for one cut-off, or for many at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from tiecore.measures.base import Measure, quotient
from tiecore.ties.groups import TieGroups
from tiecore.ties.segments import ranges, sums_at

__all__ = ["GroupSum", "HitSum", "Summands", "expectations", "extremes", "sums_of_parts", "variances"]


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


@dataclass(frozen=True, kw_only=True)
class GroupSum(Measure):
    """A sum over tie groups, divided by a number that no ordering changes.

    A group counts to rank e, its own last one or the cut-off. So of all groups of a query a cut-off changes only the
    one that it splits, and a curve over many cut-offs costs little more than one of them.
    """

    @property
    def depth(self) -> int | None:
        """The cut-off, unless ranks are those of judged documents alone."""
        return None if getattr(self, "judged_only", False) else self.cutoff

    @abstractmethod
    def counts(self, grades: np.ndarray) -> np.ndarray:
        """(n_levels,) bool: levels whose documents can add something."""

    def alike(self, grades: np.ndarray) -> np.ndarray | None:
        """(n_levels,) bool: the highest levels, whose documents add the same as each other; None if some add more."""
        return None if getattr(self, "judged_only", False) else self.counts(grades)

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

    @classmethod
    def divisors(cls, measures: Sequence[Self], groups: TieGroups) -> np.ndarray:
        """(n_measures, n_queries) divisors of measures that differ in the cut-off alone."""
        return np.array([used.divisor(groups) for used in measures])

    def end(self, groups: TieGroups, summands: Summands) -> np.ndarray:
        """Rank e of each group."""
        end = summands.above + summands.size
        return end if self.cutoff is None else np.minimum(end, self.cutoff)

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Σ over groups of their means, over the divisor."""
        return expectations([self], groups)[0]

    def variance(self, groups: TieGroups) -> np.ndarray:
        """Σ over groups of their variances, over the square of the divisor: groups are ordered independently."""
        return variances([self], groups)[0]


@dataclass(frozen=True, kw_only=True)
class HitSum(GroupSum):
    """A sum over groups that hold relevant documents; the first fact about each is how many."""

    rel: int = 1
    judged_only: bool = False

    def counts(self, grades: np.ndarray) -> np.ndarray:
        """Relevant documents."""
        return grades >= self.rel

    def uncertain(self, groups: TieGroups) -> Summands:
        """Groups that hold relevant documents and others."""
        summands = self.summands(groups)
        return summands.chosen(np.flatnonzero(summands.facts[0] < summands.size))


def expectations(measures: Sequence[Measure], groups: TieGroups) -> np.ndarray:
    """(n_measures, n_queries) expectations; the cut-offs of one measure share their work."""
    values = np.empty((len(measures), groups.n_queries))
    for place, used in enumerate(measures):
        if not isinstance(used, GroupSum):
            values[place] = used.expected(groups)
    for places, alike in _by_cutoff(measures):
        seen = alike[0].seen(groups)
        values[places] = quotient(sums_over_groups(alike, seen), alike[0].divisors(alike, seen))
    return values


def variances(measures: Sequence[Measure], groups: TieGroups) -> np.ndarray:
    """(n_measures, n_queries) variances, NaN where a measure has none."""
    values = np.full((len(measures), groups.n_queries), np.nan)
    for place, used in enumerate(measures):
        if used.has_variance and not isinstance(used, GroupSum):
            values[place] = used.variance(groups)
    for places, alike in _by_cutoff([used if used.has_variance else None for used in measures]):
        seen = alike[0].seen(groups)
        sums = _totals(alike, seen, alike[0].uncertain, alike[0].spreads)
        values[places] = quotient(sums, alike[0].divisors(alike, seen) ** 2)
    return values


def extremes(
    measures: Sequence[Measure], groups: TieGroups, toward: Literal["worst", "best"]
) -> Iterator[tuple[list[int], TieGroups]]:
    """Yield places of measures and the worst or best case for them, with no more groups than they see of it."""
    seen: dict[tuple[bytes, bool], tuple[list[int], list[Measure]]] = {}
    for place, used in enumerate(measures):
        is_sum = isinstance(used, GroupSum) and not getattr(used, "judged_only", False)  # which sees other ranks
        alike = used.alike(groups.grades) if isinstance(used, GroupSum) else None
        key = b"" if alike is None else alike.tobytes(), is_sum and used.cutoff is not None
        places, some = seen.setdefault(key, ([], []))
        places.append(place)
        some.append(used)
    for (counts, has_depth), (places, some) in seen.items():
        depth = max(used.cutoff or 0 for used in some) if has_depth else None
        part = groups.top(depth)
        if counts:
            yield places, part.extreme(np.frombuffer(counts, dtype=bool), toward)
        else:
            yield places, part.worst() if toward == "worst" else part.best()


def sums_of_parts(measures: Sequence[GroupSum], groups: TieGroups) -> tuple[np.ndarray, np.ndarray]:
    """(n_measures, n_queries) expectations of a part of a ranking before the division, and what they are divided by."""
    sums, divisors = np.zeros((2, len(measures), groups.n_queries))
    for places, alike in _by_cutoff(measures):
        sums[places], divisors[places] = sums_over_groups(alike, groups), alike[0].divisors(alike, groups)
    return sums, divisors


def sums_over_groups(measures: Sequence[GroupSum], groups: TieGroups) -> np.ndarray:
    """(n_measures, n_queries) expectations before the division, of measures that differ in the cut-off alone."""
    return _totals(measures, groups, measures[0].summands, measures[0].means)


def _by_cutoff(measures: Sequence[Measure | None]) -> Iterable[tuple[list[int], list[GroupSum]]]:
    """Places and measures of the sums over groups; those that differ in the cut-off alone stand together."""
    found: dict[object, tuple[list[int], list[GroupSum]]] = {}
    for place, used in enumerate(measures):
        if isinstance(used, GroupSum):
            places, alike = found.setdefault(place if used.cutoff is None else replace(used, cutoff=1), ([], []))
            places.append(place)
            alike.append(used)
    return found.values()


def _totals(
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
        return sums_at(summands.query, parts, groups.n_queries)[None]

    steps, step_of_measure = np.unique(cutoffs, return_inverse=True)
    # a group counts whole from the first cut-off after it on (running sums carry it to all that follow), and in part
    # at each cut-off that splits it
    end = summands.above + summands.size
    first_reached = np.searchsorted(steps, summands.above, side="right")
    first_whole = np.searchsorted(steps, end)
    size = groups.n_queries * len(steps)

    def added(which: np.ndarray, step: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        chosen = summands.chosen(which)
        sums = sums_at(chosen.query * len(steps) + step, part(chosen, ranks), size)
        return sums.reshape(groups.n_queries, len(steps))

    inside = np.flatnonzero(first_whole < len(steps))
    sums = np.cumsum(added(inside, first_whole[inside], end[inside]), axis=1)
    step, begin = ranges(first_reached, first_whole - first_reached)
    split = np.repeat(np.arange(len(begin)), first_whole - first_reached)
    sums += added(split, step, steps[step])
    return sums.T[step_of_measure]

"""Expected reciprocal rank: a reader who stops at a document with a chance that grows with its grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.measures.base import Measure, power_of_two, running_sum
from tiecore.ties import TieGroups

__all__ = ["ERR"]

_BLOCK_ELEMENTS = 1 << 20
_NEGLIGIBLE = 1e-30


@dataclass(frozen=True, kw_only=True)
class ERR(Measure):
    """ERR@k: Σ_j (chance to stop at rank j)/j; a grade stops with chance (2^grade − 1)/2^max_rel.

    ``max_rel`` is the highest grade of the scale; without it, the highest in the judgments. Chapelle et al. 2009.
    There is no closed form for the variance.
    """

    name: ClassVar[str] = "ERR"
    has_variance: ClassVar[bool] = False

    max_rel: int | None = None

    def _pass_chance(self, grades: np.ndarray) -> np.ndarray:
        """(n_levels,) chance to read on after a document of each level."""
        grade = np.maximum(grades, 0)
        highest = int(grade.max())
        scale = highest if self.max_rel is None else self.max_rel
        if highest > scale:
            raise TiecoreError(f"{self}: the judgments hold grade {highest}, above max_rel={scale}")
        return 1.0 - (power_of_two(grade) - 1.0) / power_of_two(np.array(float(scale)))

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Σ over groups of (chance to reach the group) × Σ_x (ē_{x−1} − ē_x)/(t+x).

        ē_x is the mean, over the ways to choose x documents of the group, of the chance to read past all of them.
        """
        passing = self._pass_chance(groups.grades)
        groups = groups.top(self.cutoff)
        steps = groups.size if self.cutoff is None else np.minimum(groups.size, self.cutoff - groups.above)
        reach = _chance_to_reach(groups, passing)
        within = (1.0 - passing[groups.cell_level[groups.first_cell]]) / (groups.above + 1.0)  # of a single document
        rest = np.flatnonzero((groups.size > 1) & (reach > _NEGLIGIBLE))
        rest = rest[np.argsort(steps[rest], kind="stable")]  # alike in length, so that little of a block is padding
        begin = 0
        while begin < len(rest):
            longest = int(steps[rest[min(begin + _BLOCK_ELEMENTS, len(rest)) - 1]])
            block = rest[begin : begin + max(1, _BLOCK_ELEMENTS // (longest + 1))]
            begin += len(block)
            within[block] = _stop_in_group(groups, block, passing, steps[block])
        return groups.per_query(reach * within)


def _chance_to_reach(groups: TieGroups, passing: np.ndarray) -> np.ndarray:
    """(n_groups,) product of the chances to read past every document above the group.

    Steps down the lists one group of each query at a time: a running product over all queries would lose precision.
    """
    past = (
        np.multiply.reduceat(passing[groups.cell_level] ** groups.cell_count, groups.first_cell)
        if len(groups.size)
        else np.zeros(0)
    )
    reach = np.zeros(len(past))
    group = np.flatnonzero(groups.above == 0)
    chance = np.ones(len(group))
    while len(group):
        reach[group] = chance
        chance = chance * past[group]
        group = group + 1
        goes_on = (group < len(past)) & (chance > _NEGLIGIBLE)
        goes_on[goes_on] = groups.above[group[goes_on]] > 0
        group, chance = group[goes_on], chance[goes_on]
    return reach


def _stop_in_group(groups: TieGroups, which: np.ndarray, passing: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Σ_{x ≤ steps} (ē_{x−1} − ē_x)/(t+x) for the chosen groups."""
    longest = int(steps.max())
    counts = _counts_by_level(groups, which)
    chosen = np.arange(longest + 1)  # x
    mean_pass = np.zeros((len(which), longest + 1))  # ē_x of the documents taken in so far
    mean_pass[:, 0] = 1.0
    taken = np.zeros(len(which), dtype=np.int64)
    for level in range(counts.shape[1]):
        mean_pass = _with_level(mean_pass, taken, counts[:, level], float(passing[level]))
        taken = taken + counts[:, level]
    stop = mean_pass[:, :-1] - mean_pass[:, 1:]
    stop[chosen[None, 1:] > steps[:, None]] = 0.0
    return (stop / (groups.above[which][:, None] + chosen[None, 1:])).sum(axis=1)


def _counts_by_level(groups: TieGroups, which: np.ndarray) -> np.ndarray:
    """(n_chosen, n_levels) documents of each level in the chosen groups."""
    place = np.full(len(groups.size), -1)
    place[which] = np.arange(len(which))
    row = place[groups.group_of_cell()]
    cell = np.flatnonzero(row >= 0)
    counts = np.zeros((len(which), len(groups.grades)), dtype=np.int64)
    counts[row[cell], groups.cell_level[cell]] = groups.cell_count[cell]
    return counts


def _with_level(mean_pass: np.ndarray, taken: np.ndarray, added: np.ndarray, passing: float) -> np.ndarray:
    """Means after documents of one more level have joined.

    Of x documents chosen among taken + added, y are of the new level with hypergeometric chance, and those are all
    passed with chance passing^y.
    """
    rows = np.flatnonzero(added)
    if not len(rows):
        return mean_pass
    longest = mean_pass.shape[1] - 1
    a, b = taken[rows, None], added[rows, None]
    log_factorial = running_sum(np.log, int((a + b).max()))
    x = np.arange(longest + 1)[None, :]
    joined = np.zeros((len(rows), longest + 1))
    weights = np.zeros_like(joined)
    for y in range(min(longest, int(b.max())) + 1):
        old = x - y
        possible = (old >= 0) & (old <= a) & (y <= b)
        o = np.where(possible, old, 0)
        log_ways = np.where(
            possible,
            log_factorial[a]
            - log_factorial[o]
            - log_factorial[np.maximum(a - o, 0)]
            + log_factorial[b]
            - log_factorial[y]
            - log_factorial[np.maximum(b - y, 0)]
            - log_factorial[a + b]
            + log_factorial[np.minimum(x, a + b)]
            + log_factorial[np.maximum(a + b - x, 0)],
            -np.inf,
        )
        chance = np.exp(log_ways)
        weights += chance
        joined += chance * np.take_along_axis(mean_pass[rows], o, axis=1) * passing**y
    # the chances add up to 1 wherever x documents can be chosen; dividing takes out the rounding of the logarithms
    joined = np.divide(joined, weights, out=np.zeros_like(joined), where=weights > 0)
    result = mean_pass.copy()
    result[rows] = joined
    return result

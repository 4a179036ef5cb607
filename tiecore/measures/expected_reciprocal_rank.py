"""Expected reciprocal rank: a reader who stops at a document with a chance that grows with its grade."""

from __future__ import annotations

import numpy as np

from tiecore.measures.base import Measure, power_of_two
from tiecore.measures.scale import check_scale
from tiecore.ties.groups import TieGroups

_BLOCK_ELEMENTS = 1 << 18
_NEGLIGIBLE = 1e-30


class ERR(Measure):
    """ERR@k: Σ_j (chance to stop at rank j)/j; a grade stops with chance (2^grade − 1)/2^max_rel.

    ``max_rel`` is the highest grade of the scale, 4 unless given, as in gdeval; higher grades are refused.
    Chapelle et al. 2009. There is no closed form for the variance.
    """

    max_rel: int = 4

    def _pass_chance(self, grades: np.ndarray) -> np.ndarray:
        """(n_levels,) chance to read on after a document of each level."""
        grade = np.maximum(grades, 0)
        gain, scale = power_of_two(grade) - 1.0, power_of_two(np.array(float(self.max_rel)))
        check_scale(self, grade, self.max_rel)
        return 1.0 - gain / scale

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
    x = np.arange(int(steps.max()) + 1)
    mean_pass = _mean_pass(_counts_by_level(groups, which), passing, x)
    stop = mean_pass[:, :-1] - mean_pass[:, 1:]
    stop[x[None, 1:] > steps[:, None]] = 0.0
    return (stop / (groups.above[which][:, None] + x[None, 1:])).sum(axis=1)


def _counts_by_level(groups: TieGroups, which: np.ndarray) -> np.ndarray:
    """(n_chosen, n_levels) documents of each level in the chosen groups."""
    place = np.full(len(groups.size), -1)
    place[which] = np.arange(len(which))
    row = place[groups.group_of_cell()]
    cell = np.flatnonzero(row >= 0)
    counts = np.zeros((len(which), len(groups.grades)), dtype=np.int64)
    counts[row[cell], groups.cell_level[cell]] = groups.cell_count[cell]
    return counts


def _mean_pass(counts: np.ndarray, passing: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(n_rows, n_x) ē_x of groups with so many documents of each level; 0 where x is more than there are.

    Of x documents of one level it is passing^x. With another document m of them become m + 1; it is among the x chosen
    with chance x/(m+1), so that ē_x becomes (1 − x/(m+1))·ē_x + x/(m+1)·passing·ē_{x−1}.
    """
    row = np.arange(len(counts))
    most = counts.argmax(axis=1)
    others = counts.sum(axis=1) - counts[row, most]
    order = np.argsort(-others, kind="stable")  # a document more each turn, and those that have one stand in front
    counts, most, others = counts[order], most[order], others[order]
    n_documents = counts[row, most]
    counts[row, most] = 0
    mean_pass = np.where(x <= n_documents[:, None], passing[most][:, None] ** x, 0.0)
    level_of_other = np.repeat(np.tile(np.arange(counts.shape[1]), len(counts)), counts.ravel())
    first = np.cumsum(others) - others
    for n_before in range(int(others.max(initial=0))):
        n_rows = int(np.searchsorted(-others, -n_before))
        n_now = (n_documents[:n_rows] + n_before + 1)[:, None]
        new_passing = passing[level_of_other[first[:n_rows] + n_before]][:, None]
        before = mean_pass[:n_rows]
        with_new = before[:, :-1] * (x[1:] / n_now) * new_passing
        before[:, 1:] *= (n_now - x[1:]) / n_now
        before[:, 1:] += with_new
    result = np.empty_like(mean_pass)
    result[order] = mean_pass
    return result

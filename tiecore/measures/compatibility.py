"""Compatibility: how much the ranking overlaps with the ideal one, rank by rank."""

from __future__ import annotations

import math

import numpy as np

from tiecore.measures.base import Measure, quotient
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import ranges, sums_at

_NEGLIGIBLE = 1e-18


class Compat(Measure):
    """Compat(p): rank-biased overlap of the ranking and its ideal, over that of the ideal and itself.

    The ideal holds the judged documents of a grade above 0, highest first; inside a grade they stand as in the ranking,
    those that are not listed last. The overlap of the first i ranks, over i, weighs p^(i−1), to the end of the longer
    one. 0 if nothing is of a grade above 0. Clarke, Vtyurina & Smucker 2021. There is no closed form for the variance.
    """

    cutoff_rule = "none"

    p: float = 0.95
    normalize: bool = True

    def expected(self, groups: TieGroups) -> np.ndarray:
        """Σ_i p^(i−1)/i · (mean overlap of the first i ranks), over the weights or the ideal's own sum."""
        wanted = groups.n_relevant(1).astype(np.int64)
        listed = groups.per_query(groups.size).astype(np.int64)
        depth = np.maximum(wanted, listed)
        rank = np.arange(1, int(depth.max(initial=0)) + 1)
        with np.errstate(under="ignore"):
            weight = self.p ** (rank - 1.0)
            weight_left = 1.0 - self.p ** np.arange(len(rank) + 1.0)
        # sums of the weights over their rank, of all ranks after the first 0, 1, …: they fall fast, so little is lost
        rest = np.concatenate([np.cumsum((weight / rank)[::-1])[::-1], [0.0]])
        overlap = _behind_the_ideal(groups, wanted, depth, rest)
        reach = math.ceil(math.log(_NEGLIGIBLE) / math.log(self.p))
        higher = np.zeros(groups.n_queries, dtype=np.int64)
        for grade in groups.grades[groups.grades > 0][::-1]:
            tied = groups.ideal.per_query(groups.ideal.total(groups.grades == grade)).astype(np.int64)
            rank, _ = ranges(higher + 1, tied)
            query = np.repeat(np.arange(groups.n_queries), tied)
            near = rank <= reach
            rank, query = rank[near], query[near]
            common = _mean_overlap(groups, int(grade), query, rank, room=rank - higher[query])
            overlap += sums_at(query, weight[rank - 1] / rank * common, groups.n_queries)
            higher += tied
        whole = weight_left[depth] / (1.0 - self.p)
        if self.normalize:
            whole = weight_left[wanted] / (1.0 - self.p) + wanted * (rest[wanted] - rest[depth])
        return quotient(overlap, whole)


def _behind_the_ideal(groups: TieGroups, wanted: np.ndarray, depth: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """What the ranks below the end of the ideal add, where every document above 0 in the first i ranks counts."""
    begin, end = groups.above, groups.above + groups.size
    last = wanted[groups.query]  # of the ideal
    sums = np.concatenate([[0.0], np.cumsum(rest)])
    # a document at rank j counts in the ranks max(j, last + 1) .. depth: rest[max(j − 1, last)] − rest[depth]
    shallow = np.clip(last - begin, 0, groups.size)  # of its ranks, those with j ≤ last
    each = shallow * rest[last] + sums[end] - sums[np.clip(last, begin, end)] - groups.size * rest[depth[groups.query]]
    return groups.per_query(groups.relevant(1) / groups.size * each)


def _mean_overlap(
    groups: TieGroups, grade: int, query: np.ndarray, rank: np.ndarray, *, room: np.ndarray
) -> np.ndarray:
    """Mean over orderings of the documents that the first ``rank`` of the list and of the ideal share.

    The ideal ends there inside ``grade``, ``room`` documents of it being above. All listed documents of higher grades
    count, and as many of this one as there is room for.
    """
    is_higher, is_tied = groups.grades > grade, groups.grades == grade
    listed = groups.per_query(groups.size).astype(np.int64)
    higher = groups.per_query(groups.total(is_higher))[query]
    common = higher + np.minimum(groups.per_query(groups.total(is_tied))[query], room)
    inside = np.flatnonzero(rank <= listed[query])
    query, rank, room = query[inside], rank[inside], room[inside]
    before = np.cumsum(listed) - listed  # documents of the queries before
    group = np.searchsorted(before[groups.query] + groups.above, before[query] + rank - 1, side="right") - 1
    drawn, size = rank - groups.above[group], groups.size[group]
    tied = groups.total(is_tied)[group].astype(np.int64)
    tied_above = groups.sum_above(is_tied)[group].astype(np.int64)
    common[inside] = groups.sum_above(is_higher)[group] + groups.total(is_higher)[group] * drawn / size
    common[inside] += np.minimum(tied_above, room) + _mean_of_limited(
        size, tied, drawn, np.maximum(room - tied_above, 0)
    )
    return common


def _mean_of_limited(size: np.ndarray, marked: np.ndarray, drawn: np.ndarray, limit: np.ndarray) -> np.ndarray:
    """Mean of min(X, limit), where X of the ``drawn`` documents of a group are among its ``marked`` ones."""
    mean = np.minimum(marked * drawn / size, limit)
    least, most = np.maximum(drawn + marked - size, 0), np.minimum(marked, drawn)
    doubtful = np.flatnonzero((least < limit) & (limit < most))
    low, n_values = least[doubtful], (most - least)[doubtful] + 1
    x, begin = ranges(low, n_values)
    of = np.repeat(doubtful, n_values)
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, int(size.max(initial=0)) + 1)))])
    # hypergeometric chances up to a factor, which their sum then takes away
    exponent = -(
        log_factorial[x]
        + log_factorial[marked[of] - x]
        + log_factorial[drawn[of] - x]
        + log_factorial[size[of] - marked[of] - drawn[of] + x]
    )
    if len(doubtful):
        exponent -= np.repeat(np.maximum.reduceat(exponent, begin), n_values)
        chance = np.exp(exponent)
        value = np.minimum(x, limit[of])
        mean[doubtful] = np.add.reduceat(chance * value, begin) / np.add.reduceat(chance, begin)
    return mean

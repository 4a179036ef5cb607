"""Measures near to expected reciprocal rank that are a mean gain per document looked at."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.measures.scale import Scaled
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import ranges

_DEPTH = 1000
"""Ranks that cwl_eval, and so ir_measures, goes down."""
_BLOCK_ELEMENTS = 1 << 21
_MOST_WORK = 400_000_000
"""Numbers that the steps of one tie group go through."""
_T = np.arange(-4.75, 4.0, 1 / 16)
_NODES = np.exp(_T - np.exp(-_T))
_WEIGHTS = 1 / 16 * (1.0 + np.exp(-_T)) * _NODES
"""Of ∫ exp(−a·u) du over u from 0, for any a from 1 to 1000: exponential substitution."""


class _NearlyERR(Scaled):
    """Mean gain of what a reader looks at who goes on past a document of gain g with chance (1 − g)·s_(i+1)/s_i.

    The chance to look at rank i is V_i = s_i·Π_{j<i} (1 − g_j), and the value Σ V_i g_i over Σ V_i, which is
    1 − Σ s_i Π_{j≤i} (1 − g_j) / Σ V_i. Both sums add up over tie groups, whose orderings are independent, so the
    mean of the quotient B/A is the integral over u of the mean of B·exp(−u·A), exact in each group by the counts of
    documents drawn so far. A group with too many such counts is refused. Azzopardi, Mackenzie & Moffat 2021, as in
    cwl_eval.
    """

    @abstractmethod
    def interest(self, rank: np.ndarray) -> np.ndarray:
        """s_i of each rank that a reader may come to, non-increasing, 1 at the first."""

    def expected(self, groups: TieGroups) -> np.ndarray:
        depth = min(self.cutoff or _DEPTH, _DEPTH)
        interest = self.interest(np.arange(1.0, depth + 1))
        groups = groups.top(depth)
        passing = 1.0 - self.gain(groups.grades)  # (n_levels,)
        value = np.empty(groups.n_queries)
        in_block = max(1, _BLOCK_ELEMENTS // depth)
        uncertain = _mixed_in(passing, groups)
        for begin in range(0, groups.n_queries, in_block):
            end = min(begin + in_block, groups.n_queries)
            value[begin:end] = self._of_block(groups, passing, interest, uncertain, begin, end)
        return value

    def _of_block(
        self, groups: TieGroups, passing: np.ndarray, interest: np.ndarray, uncertain: np.ndarray, begin: int, end: int
    ) -> np.ndarray:
        """Values of the queries from ``begin`` to ``end``, all ranks of them at once."""
        depth = len(interest)
        past = _chance_past(groups, passing, depth, begin, end)  # (n, depth + 1): past the first 0, 1, … documents
        first, last = np.searchsorted(groups.query, [begin, end])
        doubtful = first + np.flatnonzero(uncertain[first:last])
        inside = np.zeros(past.shape, dtype=bool)  # whether that chance depends on the ordering
        length = np.minimum(groups.size[doubtful] - 1, depth - groups.above[doubtful])
        position, _ = ranges(groups.above[doubtful] + 1, length)
        inside[np.repeat(groups.query[doubtful] - begin, length), position] = True
        sure = np.where(inside, 0.0, past)
        looked, passed = sure[:, :-1] @ interest, sure[:, 1:] @ interest  # A and B
        quotient = passed / looked
        for query in np.unique(groups.query[doubtful]):
            row = query - begin
            of_query = doubtful[groups.query[doubtful] == query]
            moments = [self._group(groups, at, passing, interest, past[row, groups.above[at]]) for at in of_query]
            quotient[row] = _mean_quotient(passed[row], looked[row], moments)
        return 1.0 - quotient

    def _group(
        self, groups: TieGroups, at: int, passing: np.ndarray, interest: np.ndarray, reach: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Means of exp(−u·A) and of B·exp(−u·A) over the orderings of one group, for the nodes u."""
        last = groups.first_cell[at + 1] if at + 1 < len(groups.first_cell) else len(groups.cell_level)
        cells = slice(groups.first_cell[at], last)
        chances, kind = np.unique(passing[groups.cell_level[cells]], return_inverse=True)
        count = np.bincount(kind, weights=groups.cell_count[cells]).astype(np.int64)
        above, size = int(groups.above[at]), int(groups.size[at])
        ahead = interest[above : above + size]  # of each rank of the group, as far as a reader may come
        # the kind with most documents is what the others leave, so it needs no axis
        others = np.delete(count, np.argmax(count))
        steps = min(size - 1, len(ahead))
        if np.prod(np.minimum(others, steps) + 1.0) * steps * len(_NODES) > _MOST_WORK:
            raise TiecoreError(
                f"{self}: a tie of {size} documents of {len(count)} gains is too large for the exact expectation; "
                "take another measure, or draw random tie-breaks in Python, with sample()"
            )
        return _means_of_group(chances.tobytes(), count.tobytes(), ahead.tobytes(), float(reach))


@lru_cache(maxsize=4096)  # small groups are alike in many queries, and from call to call
def _means_of_group(
    chance_of_kind: bytes, n_of_kind: bytes, interest_ahead: bytes, reach: float
) -> tuple[np.ndarray, np.ndarray]:
    """Means of exp(−u·A) and of B·exp(−u·A) over the orderings of documents of a few kinds, for the nodes u."""
    chances, interest = np.frombuffer(chance_of_kind), np.frombuffer(interest_ahead)
    count = np.frombuffer(n_of_kind, dtype=np.int64)
    size = int(count.sum())
    steps = min(size - 1, len(interest))
    most = int(np.argmax(count))
    others = np.delete(np.arange(len(count)), most)
    shape = tuple(int(n) + 1 for n in np.minimum(count[others], steps))
    drawn = np.indices(shape)  # (n_others, *shape)
    n_drawn = drawn.sum(axis=0)
    past_others = np.full(shape, reach)
    for axis, other in enumerate(others):
        past_others = past_others * chances[other] ** drawn[axis]
    weigh, add = np.zeros((*shape, len(_NODES))), np.zeros((*shape, len(_NODES)))
    weigh[(0,) * len(shape)] = 1.0
    for step in range(1, steps + 1):
        left = size - step + 1
        rest = step - 1 - n_drawn  # of the commonest kind, drawn before this step
        chance = [np.maximum(count[most] - rest, 0) / left]
        chance += [np.maximum(count[other] - drawn[axis], 0) / left for axis, other in enumerate(others)]
        weigh, add = _drawn_one_more(weigh, chance), _drawn_one_more(add, chance)
        past = (past_others * chances[most] ** np.maximum(rest + 1, 0))[..., None]
        add += interest[step - 1] * past * weigh
        if step < len(interest):
            damping = np.exp(-interest[step] * past * _NODES)
            weigh *= damping
            add *= damping
    axes = tuple(range(len(shape)))
    means = weigh.sum(axis=axes), add.sum(axis=axes)
    for mean in means:
        mean.flags.writeable = False
    return means


def _drawn_one_more(value: np.ndarray, chance: list[np.ndarray]) -> np.ndarray:
    """Carry a mean by counts drawn so far to the next document, of the commonest kind or of any other."""
    stepped = value * chance[0][..., None]
    for axis, of_other in enumerate(chance[1:]):  # nothing comes round: what is all drawn has no chance
        stepped += np.roll(value * of_other[..., None], 1, axis)
    return stepped


def _mean_quotient(passed: float, looked: float, moments: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """Mean of B/A, both a sure part and one of each group: ∫ mean of B·exp(−u·A) du."""
    weigh, add = np.ones(len(_NODES)), np.zeros(len(_NODES))
    for of_weigh, of_add in moments:
        add = add * of_weigh + weigh * of_add
        weigh = weigh * of_weigh
    return float(_WEIGHTS @ ((passed * weigh + add) * np.exp(-looked * _NODES)))


def _mixed_in(value: np.ndarray, groups: TieGroups) -> np.ndarray:
    """(n_groups,) whether a value of the level differs inside a group."""
    in_cell = value[groups.cell_level]
    return np.minimum.reduceat(in_cell, groups.first_cell) < np.maximum.reduceat(in_cell, groups.first_cell)


def _chance_past(groups: TieGroups, passing: np.ndarray, depth: int, begin: int, end: int) -> np.ndarray:
    """(n, depth + 1) chance to read past the first 0, 1, 2, … documents, tied ones in any order."""
    query_of_cell = groups.query[groups.group_of_cell()]
    cells = slice(*np.searchsorted(query_of_cell, [begin, end]))
    count, query = groups.cell_count[cells], query_of_cell[cells]
    before = np.cumsum(count) - count
    rank, _ = ranges(before - before[np.searchsorted(query, query)] + 1, count)
    near = rank <= depth
    chance = np.ones((end - begin, depth + 1))
    row, passed = np.repeat(query - begin, count), np.repeat(passing[groups.cell_level[cells]], count)
    chance[row[near], rank[near]] = passed[near]
    return np.cumprod(chance, axis=1)


class NERR8(_NearlyERR):
    """NERR8@k: mean gain of what a reader looks at who goes on with chance 1 − gain, to rank k. Equation 8."""

    cutoff_rule = "required"

    def interest(self, rank: np.ndarray) -> np.ndarray:
        return np.ones_like(rank)


class NERR9(_NearlyERR):
    """NERR9@k: as NERR8, the chance to go on from rank i times i/(i + 1). Equation 9."""

    cutoff_rule = "required"

    def interest(self, rank: np.ndarray) -> np.ndarray:
        return 1.0 / rank


class NERR10(_NearlyERR):
    """NERR10(p): as NERR8 over the first 1000 ranks, the chance to go on times p. Equation 10."""

    cutoff_rule = "none"

    p: float = 0.9

    def interest(self, rank: np.ndarray) -> np.ndarray:
        with np.errstate(under="ignore"):
            return self.p ** (rank - 1.0)


class NERR11(_NearlyERR):
    """NERR11(T): as NERR8 over the first 1000 ranks, the chance to go on times that of INSQ(T). Equation 11."""

    cutoff_rule = "none"

    T: float = 1.0

    def interest(self, rank: np.ndarray) -> np.ndarray:
        return (2 * self.T / (rank - 1.0 + 2 * self.T)) ** 2

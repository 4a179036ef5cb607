"""Measures that add a weight of the rank times a gain of the document."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.measures.base import power_of_two, running_sum
from tiecore.measures.group_sums import GroupSum, Summands, totals
from tiecore.measures.scale import Scaled, check_scale
from tiecore.ties.groups import UNJUDGED, TieGroups
from tiecore.ties.keys import ranges

_HIGHEST_GAIN = 2**31 - 1
_LONGEST_SCALE = 1_000_000
_INSQ_DEPTH = 1000
"""Ranks that cwl_eval, and so ir_measures, goes down."""


def _discount(rank: np.ndarray) -> np.ndarray:
    return 1.0 / np.log2(rank + 1.0)


def _discount_square(rank: np.ndarray) -> np.ndarray:
    return 1.0 / np.log2(rank + 1.0) ** 2


class RankWeighted(GroupSum):
    """Σ_j w(j)·g(d_j) over the ranks j inside the cut-off, divided by a number that no ordering changes."""

    def weight_sums(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        """Running sums of the weights and of their squares by rank, from the sum of nothing."""
        flat = running_sum(np.ones_like, depth)
        return flat, flat

    @abstractmethod
    def gain(self, grades: np.ndarray) -> np.ndarray:
        """Gain of a document of each level: (n_levels,)."""

    def summands(self, groups: TieGroups) -> Summands:
        """All groups, with the sum of their gains."""
        return Summands(groups.query, groups.above, groups.size, (groups.total(self.gain(groups.grades)),))

    def means(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """Mean gain × weights inside the cut-off."""
        (gains,) = summands.facts
        sums, _ = self.weight_sums(int(end.max(initial=0)))
        mean = sums.take(end)
        mean -= sums.take(summands.above)
        mean *= gains
        mean /= summands.size
        return mean

    def uncertain(self, groups: TieGroups) -> Summands:
        """Groups of more than one grade, with the squared deviations of their gains from the mean."""
        mixed, gain = groups.mixed, self.gain(groups.grades)
        n_cells = groups.n_cells.take(mixed)
        cell, first = ranges(groups.first_cell.take(mixed), n_cells)
        deviation = gain.astype(np.float64).take(groups.cell_level.take(cell))
        deviation -= np.repeat(groups.total(gain).take(mixed) / groups.size.take(mixed), n_cells)
        squares = np.add.reduceat(deviation * deviation * groups.cell_count.take(cell), first)
        return Summands(groups.query.take(mixed), groups.above.take(mixed), groups.size.take(mixed), (squares,))

    def spreads(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """S_gg·S_ww/(n−1), S_xx the sum of squared deviations over the group."""
        (gain_squares,) = summands.facts
        sums, square_sums = self.weight_sums(int(end.max(initial=0)))
        above, size = summands.above, summands.size
        weight = sums.take(end) - sums.take(above)
        weight_squares = square_sums.take(end) - square_sums.take(above)
        weight_squares = np.maximum(weight_squares - weight * weight / size, 0.0)
        return gain_squares * weight_squares / (size - 1)


class _Binary(RankWeighted):
    """Gain 1 for a relevant document."""

    rel: int = 1

    def gain(self, grades: np.ndarray) -> np.ndarray:
        return grades >= self.rel


class P(_Binary):
    """P@k: relevant documents among the first k, over k (also where fewer are listed).

    M&N 2008, with the relevance of the document in place of that of the rank.
    """

    cutoff_rule = "required"

    judged_only: bool = False

    def divisor(self, groups: TieGroups) -> np.ndarray:
        return np.full(groups.n_queries, float(self.cutoff or 0))


class R(_Binary):
    """R@k: relevant documents among the first k, over those in the judgments; 0 if there are none.

    M&N 2008; relevant documents that are not listed count in the divisor.
    """

    judged_only: bool = False

    def divisor(self, groups: TieGroups) -> np.ndarray:
        return groups.n_relevant(self.rel)


class F1(_Binary):
    """F1@k: 2·hits/(k + N_rel), the harmonic mean of P@k and R@k; 0 if nothing is relevant.

    M&N 2008.
    """

    cutoff_rule = "required"

    def gain(self, grades: np.ndarray) -> np.ndarray:
        return 2.0 * (grades >= self.rel)

    def divisor(self, groups: TieGroups) -> np.ndarray:
        return (self.cutoff or 0) + groups.n_relevant(self.rel)


class Rprec(R):
    """Rprec: P@k at k = N_rel of the query; 0 if nothing is relevant.

    Definition of trec_eval.
    """

    cutoff_rule = "none"

    def end(self, groups: TieGroups, summands: Summands) -> np.ndarray:
        cutoff = groups.n_relevant(self.rel).astype(np.int64)[summands.query]
        return np.clip(cutoff, summands.above, super().end(groups, summands))


class CG(RankWeighted):
    """CG@k: sum of the grades of the first k; a grade below 0 gains 0.

    Järvelin & Kekäläinen 2002.
    """

    highest = None

    def gain(self, grades: np.ndarray) -> np.ndarray:
        return np.maximum(grades, 0)


class DCG(RankWeighted):
    """DCG@k: Σ gain/log2(rank + 1); the gain is the grade, or 2^grade − 1 with ``dcg='exp-log2'``.

    Järvelin & Kekäläinen 2002; exponential gain: Burges et al. 2005.
    """

    highest: ClassVar[float | None] = None

    dcg: Literal["log2", "exp-log2"] = "log2"

    def weight_sums(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        return running_sum(_discount, depth), running_sum(_discount_square, depth)

    def gain(self, grades: np.ndarray) -> np.ndarray:
        linear = np.maximum(grades, 0)
        return linear if self.dcg == "log2" else power_of_two(linear) - 1.0


class _Gains(tuple[tuple[int, int], ...]):
    """Grades that gain something else than themselves, written as ir_measures does."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in self) + "}"


class nDCG(DCG):  # noqa: N801
    """nDCG@k: DCG@k over that of the ideal ranking of all judged documents; 0 if nothing gains.

    ``gains`` maps grades to gains; a grade that it leaves out gains itself. A higher grade must not gain less: best
    case, worst case and ideal go by the grade. Järvelin & Kekäläinen 2002.
    """

    highest = 1.0

    gains: Mapping[int, int] | tuple[tuple[int, int], ...] | None = None
    judged_only: bool = False

    def __post_init__(self) -> None:
        """Bring the gains into one form, or refuse them."""
        super().__post_init__()
        if self.gains is None:
            return
        if self.dcg != "log2":
            raise TiecoreError(f"{self.name} takes gains or dcg={self.dcg!r}, not both: write the gains out")
        try:
            pairs = dict(self.gains)
        except (TypeError, ValueError):
            raise TiecoreError(f"gains of {self.name} must look like {{0:0,1:1,2:3}}, found {self.gains!r}") from None
        for grade, gain in pairs.items():
            whole = type(grade) is int and type(gain) is int
            if not whole or abs(grade) > _HIGHEST_GAIN or not 0 <= gain <= _HIGHEST_GAIN:
                raise TiecoreError(
                    f"gains of {self.name} must map whole grades to whole gains from 0, found {grade!r}:{gain!r}"
                )
        own = _Gains(sorted(pair for pair in pairs.items() if pair[0] != pair[1]))
        object.__setattr__(self, "gains", own or None)

    def gain(self, grades: np.ndarray) -> np.ndarray:
        gain = super().gain(grades)
        for grade, other in dict(self.gains or ()).items():
            gain[grades == grade] = other
        falls = np.flatnonzero(np.diff(gain) < 0)
        if len(falls):
            low, high = (f"grade {grades[at]} gains {gain[at]:.0f}" for at in (falls[0], falls[0] + 1))
            raise TiecoreError(f"{self}: {high} but {low.replace('grade ', '')}: a higher grade must not gain less")
        return gain

    def divisor(self, groups: TieGroups) -> np.ndarray:
        ideal = groups.ideal
        return ideal.remember(("ideal", self), lambda: totals([self], ideal, self.summands, self.means)[0])


class SDCG(Scaled, RankWeighted):
    """SDCG@k: DCG@k over that of k documents of the highest grade, whether the judgments hold so many or not.

    The discount, scaled to a sum of 1, is the chance to look at a rank. NDCG@k of cwl_eval, Azzopardi et al. 2019.
    """

    cutoff_rule = "required"

    def __post_init__(self) -> None:
        """Refuse a cut-off whose weights would fill the memory."""
        super().__post_init__()
        if (self.cutoff or 0) > _LONGEST_SCALE:
            raise TiecoreError(f"the cut-off of {self.name} must be at most {_LONGEST_SCALE}, found {self.cutoff}")

    def weight_sums(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        return running_sum(_discount, depth), running_sum(_discount_square, depth)

    def divisor(self, groups: TieGroups) -> np.ndarray:
        sums, _ = self.weight_sums(self.cutoff or 0)
        return np.full(groups.n_queries, sums[self.cutoff or 0])


class INSQ(Scaled, RankWeighted):
    """INSQ(T): mean gain of the first 1000 ranks, rank j weighing 1/(j + 2T − 1)².

    T is the gain that a reader wants. Moffat, Scholer & Thomas 2012, to the depth of cwl_eval.
    """

    cutoff_rule = "none"

    T: float = 1.0

    def weight_sums(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        rank = np.arange(max(depth, _INSQ_DEPTH) + 1, dtype=np.float64)
        weight = np.where((rank >= 1) & (rank <= _INSQ_DEPTH), 1.0, 0.0) / np.maximum(rank + 2 * self.T - 1, 1e-9) ** 2
        return np.cumsum(weight), np.cumsum(weight * weight)

    def divisor(self, groups: TieGroups) -> np.ndarray:
        sums, _ = self.weight_sums(_INSQ_DEPTH)
        return np.full(groups.n_queries, sums[_INSQ_DEPTH])


class RBP(RankWeighted):
    """RBP(p)@k: (1−p)·Σ gain·p^(rank−1).

    With ``rel`` a relevant document gains 1; with ``max_rel``, 1 unless given, its grade over the highest of the scale.
    So the name alone serves judgments of 0 and 1, and refuses higher grades. Moffat & Zobel 2008.
    """

    usual = "(rel=1)"

    rel: int | None = None
    p: float = 0.8
    max_rel: int | None = None

    def __post_init__(self) -> None:
        """Refuse two ways to gain at once."""
        super().__post_init__()
        if self.rel is not None and self.max_rel is not None:
            raise TiecoreError(
                "RBP takes rel or max_rel, not both: RBP(rel=1) counts relevant documents, "
                "RBP(max_rel=4) adds up grades over the highest of the scale"
            )
        if self.max_rel == 1:  # what the name alone means
            object.__setattr__(self, "max_rel", None)

    def gain(self, grades: np.ndarray) -> np.ndarray:
        if self.rel is not None:
            return grades >= self.rel
        check_scale(self, grades, self.max_rel or 1, ", or RBP(rel=1) to count relevant documents")
        return np.maximum(grades, 0) / (self.max_rel or 1)

    def weight_sums(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        # geometric series in closed form: Σ (1−p)p^(j−1) = 1 − p^j, and the same for the squares
        rank = np.arange(depth + 1, dtype=np.float64)
        with np.errstate(under="ignore"):
            return 1.0 - self.p**rank, (1.0 - self.p) / (1.0 + self.p) * (1.0 - self.p ** (2.0 * rank))


class Judged(RankWeighted):
    """Judged@k: judged documents among the first k, over k.

    As in ir_measures.
    """

    cutoff_rule = "required"

    def gain(self, grades: np.ndarray) -> np.ndarray:
        return grades > UNJUDGED

    def divisor(self, groups: TieGroups) -> np.ndarray:
        return np.full(groups.n_queries, float(self.cutoff or 0))

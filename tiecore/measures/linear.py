"""Measures that add a weight of the rank times a gain of the document."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from tiecore.errors import TiecoreError, shortened
from tiecore.measures.base import CutoffRule, power_of_two, running_sum
from tiecore.measures.group_sums import GroupSum, Summands, sums_over_groups
from tiecore.ranking.groups import UNJUDGED, TieGroups

__all__ = ["CG", "DCG", "F1", "NDCG", "RBP", "Judged", "Precision", "RPrecision", "Recall"]


def _flat(rank: np.ndarray) -> np.ndarray:
    return np.ones_like(rank)


def _discount(rank: np.ndarray) -> np.ndarray:
    return 1.0 / np.log2(rank + 1.0)


def _discount_square(rank: np.ndarray) -> np.ndarray:
    return 1.0 / np.log2(rank + 1.0) ** 2


@dataclass(frozen=True, kw_only=True)
class Linear(GroupSum):
    """Σ_j w(j)·g(d_j) over the ranks j inside the cut-off, divided by a number that no ordering changes."""

    def weight_sums(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        """Running sums of the weights and of their squares by rank, from the sum of nothing."""
        flat = running_sum(_flat, depth)
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
        mean = sums[end]
        mean -= sums[summands.above]
        mean *= gains
        mean /= summands.size
        return mean

    def uncertain(self, groups: TieGroups) -> Summands:
        """Groups of more than one grade, with the squared deviations of their gains from the mean."""
        mixed = groups.mixed()
        squares = groups.squares(self.gain(groups.grades))
        return Summands(groups.query[mixed], groups.above[mixed], groups.size[mixed], (squares,))

    def spreads(self, summands: Summands, end: np.ndarray) -> np.ndarray:
        """S_gg·S_ww/(n−1), S_xx the sum of squared deviations over the group."""
        (gain_squares,) = summands.facts
        sums, square_sums = self.weight_sums(int(end.max(initial=0)))
        above, size = summands.above, summands.size
        weight = sums[end] - sums[above]
        weight_squares = np.maximum(square_sums[end] - square_sums[above] - weight * weight / size, 0.0)
        return gain_squares * weight_squares / (size - 1)


@dataclass(frozen=True, kw_only=True)
class _Binary(Linear):
    """Gain 1 for a relevant document."""

    rel: int = 1

    def gain(self, grades: np.ndarray) -> np.ndarray:
        return grades >= self.rel


@dataclass(frozen=True, kw_only=True)
class Precision(_Binary):
    """P@k: relevant documents among the first k, over k (also where fewer are listed).

    M&N 2008, with the relevance of the document in place of that of the rank.
    """

    name: ClassVar[str] = "P"
    cutoff_rule: ClassVar[CutoffRule] = "required"

    def divisor(self, groups: TieGroups) -> np.ndarray:
        return np.full(groups.n_queries, float(self.cutoff or 0))


@dataclass(frozen=True, kw_only=True)
class Recall(_Binary):
    """R@k: relevant documents among the first k, over those in the judgments; 0 if there are none.

    M&N 2008; relevant documents that are not listed count in the divisor.
    """

    name: ClassVar[str] = "R"

    def divisor(self, groups: TieGroups) -> np.ndarray:
        return groups.n_relevant(self.rel)


@dataclass(frozen=True, kw_only=True)
class F1(_Binary):
    """F1@k: 2·hits/(k + N_rel), the harmonic mean of P@k and R@k; 0 if nothing is relevant.

    M&N 2008.
    """

    name: ClassVar[str] = "F1"
    cutoff_rule: ClassVar[CutoffRule] = "required"

    def gain(self, grades: np.ndarray) -> np.ndarray:
        return 2.0 * (grades >= self.rel)

    def divisor(self, groups: TieGroups) -> np.ndarray:
        return (self.cutoff or 0) + groups.n_relevant(self.rel)


@dataclass(frozen=True, kw_only=True)
class RPrecision(_Binary):
    """Rprec: P@k at k = N_rel of the query; 0 if nothing is relevant.

    Definition of trec_eval.
    """

    name: ClassVar[str] = "Rprec"
    cutoff_rule: ClassVar[CutoffRule] = "none"

    def end(self, groups: TieGroups, summands: Summands) -> np.ndarray:
        cutoff = groups.n_relevant(self.rel).astype(np.int64)[summands.query]
        return np.clip(cutoff, summands.above, super().end(groups, summands))

    def divisor(self, groups: TieGroups) -> np.ndarray:
        return groups.n_relevant(self.rel)


@dataclass(frozen=True, kw_only=True)
class CG(Linear):
    """CG@k: sum of the grades of the first k; a grade below 0 gains 0.

    Järvelin & Kekäläinen 2002.
    """

    name: ClassVar[str] = "CG"

    def gain(self, grades: np.ndarray) -> np.ndarray:
        return np.maximum(grades, 0)


@dataclass(frozen=True, kw_only=True)
class DCG(Linear):
    """DCG@k: Σ gain/log2(rank + 1); the gain is the grade, or 2^grade − 1 with ``dcg='exp-log2'``.

    Järvelin & Kekäläinen 2002; exponential gain: Burges et al. 2005.
    """

    name: ClassVar[str] = "DCG"

    dcg: Literal["log2", "exp-log2"] = "log2"

    def __post_init__(self) -> None:
        """Refuse an unknown gain."""
        super().__post_init__()
        if self.dcg not in ("log2", "exp-log2"):
            raise TiecoreError(f"dcg of {self.name} must be 'log2' or 'exp-log2', found {shortened(self.dcg)}")

    def weight_sums(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        return running_sum(_discount, depth), running_sum(_discount_square, depth)

    def gain(self, grades: np.ndarray) -> np.ndarray:
        linear = np.maximum(grades, 0)
        return linear if self.dcg == "log2" else power_of_two(linear) - 1.0


@dataclass(frozen=True, kw_only=True)
class NDCG(DCG):
    """nDCG@k: DCG@k over that of the ideal ranking of all judged documents; 0 if nothing gains.

    Järvelin & Kekäläinen 2002.
    """

    name: ClassVar[str] = "nDCG"

    @classmethod
    def divisors(cls, measures: Sequence[Self], groups: TieGroups) -> np.ndarray:
        ideal = groups.ideal
        return ideal.remember(("ideal", *measures), lambda: sums_over_groups(measures, ideal))


@dataclass(frozen=True, kw_only=True)
class RBP(_Binary):
    """RBP(p)@k: (1−p)·Σ p^(rank−1) over relevant documents.

    Moffat & Zobel 2008.
    """

    name: ClassVar[str] = "RBP"

    p: float = 0.8

    def __post_init__(self) -> None:
        """Refuse a persistence outside (0, 1)."""
        super().__post_init__()
        if type(self.p) is not float or not 0.0 < self.p < 1.0:
            raise TiecoreError(f"p of RBP must be a number between 0 and 1, found {shortened(self.p)}")

    def weight_sums(self, depth: int) -> tuple[np.ndarray, np.ndarray]:
        # geometric series in closed form: Σ (1−p)p^(j−1) = 1 − p^j, and the same for the squares
        rank = np.arange(depth + 1, dtype=np.float64)
        with np.errstate(under="ignore"):
            return 1.0 - self.p**rank, (1.0 - self.p) / (1.0 + self.p) * (1.0 - self.p ** (2.0 * rank))


@dataclass(frozen=True, kw_only=True)
class Judged(Linear):
    """Judged@k: judged documents among the first k, over k.

    As in ir_measures.
    """

    name: ClassVar[str] = "Judged"
    cutoff_rule: ClassVar[CutoffRule] = "required"

    def gain(self, grades: np.ndarray) -> np.ndarray:
        return grades > UNJUDGED

    def divisor(self, groups: TieGroups) -> np.ndarray:
        return np.full(groups.n_queries, float(self.cutoff or 0))

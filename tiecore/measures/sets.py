"""Measures of a list as a set, and counts: no ordering changes them."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.measures.base import CutoffRule, Measure, quotient
from tiecore.ties.groups import TieGroups

__all__ = ["NumQ", "NumRel", "NumRet", "SetAP", "SetF", "SetP", "SetR"]


@dataclass(frozen=True, kw_only=True)
class _Unordered(Measure):
    """A value that all orderings share, so its variance is 0."""

    cutoff_rule: ClassVar[CutoffRule] = "none"

    def variance(self, groups: TieGroups) -> np.ndarray:
        return np.zeros(groups.n_queries)


@dataclass(frozen=True, kw_only=True)
class _OfSet(_Unordered):
    """A function of how many documents are listed, relevant, and both."""

    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        groups = self.seen(groups)
        found = groups.per_query(groups.relevant(self.rel))
        return self.of_counts(found, groups.per_query(groups.size), groups.n_relevant(self.rel))

    @abstractmethod
    def of_counts(self, found: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        """Value by the relevant documents listed, all that are listed, and all relevant ones: (n_queries,)."""


@dataclass(frozen=True, kw_only=True)
class SetP(_OfSet):
    """SetP: relevant documents listed, over all listed; with ``relative`` over as many as could be relevant.

    0 if nothing is listed or nothing relevant. set_P and set_relative_P of trec_eval.
    """

    name: ClassVar[str] = "SetP"

    relative: bool = False
    judged_only: bool = False

    def of_counts(self, found: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        return quotient(found, np.minimum(listed, wanted) if self.relative else listed)


@dataclass(frozen=True, kw_only=True)
class SetR(_OfSet):
    """SetR: relevant documents listed, over those in the judgments; 0 if there are none.

    set_recall of trec_eval.
    """

    name: ClassVar[str] = "SetR"

    def of_counts(self, found: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        return quotient(found, wanted)


@dataclass(frozen=True, kw_only=True)
class SetF(_OfSet):
    """SetF(beta): (beta + 1)·P·R/(beta·P + R) of SetP and SetR; 0 if nothing relevant is listed.

    set_F of trec_eval, which does not square beta as van Rijsbergen's F does.
    """

    name: ClassVar[str] = "SetF"

    beta: float = 1.0
    judged_only: bool = False

    def __post_init__(self) -> None:
        """Refuse a weight below 0."""
        super().__post_init__()
        if type(self.beta) is not float or not 0.0 <= self.beta < math.inf:
            raise TiecoreError(f"beta of {self.name} must be a number from 0, found {self.beta!r}")

    def of_counts(self, found: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        precision, recall = quotient(found, listed), quotient(found, wanted)
        # divided by the larger of 1 and beta, so that no beta overflows
        scale = max(1.0, self.beta)
        weighted = self.beta / scale * precision + recall / scale
        return quotient((self.beta / scale + 1.0 / scale) * precision * recall, weighted)


@dataclass(frozen=True, kw_only=True)
class SetAP(_OfSet):
    """SetAP: SetP times SetR.

    set_map of trec_eval.
    """

    name: ClassVar[str] = "SetAP"

    judged_only: bool = False

    def of_counts(self, found: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        return quotient(found, listed) * quotient(found, wanted)


@dataclass(frozen=True, kw_only=True)
class _Count(_Unordered):
    """A count, added up over queries."""

    highest: ClassVar[float | None] = None

    def summarise(self, per_query: np.ndarray) -> float:
        return float(per_query.sum())


@dataclass(frozen=True, kw_only=True)
class NumRet(_Count):
    """NumRet: listed documents, with ``rel`` only the relevant ones; the summary is their sum over queries.

    num_ret and num_rel_ret of trec_eval.
    """

    name: ClassVar[str] = "NumRet"

    rel: int | None = None

    def expected(self, groups: TieGroups) -> np.ndarray:
        return groups.per_query(groups.size if self.rel is None else groups.relevant(self.rel))


@dataclass(frozen=True, kw_only=True)
class NumRel(_Count):
    """NumRel: relevant documents in the judgments, whatever is listed; the summary is their sum over queries.

    num_rel of trec_eval.
    """

    name: ClassVar[str] = "NumRel"

    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        return groups.n_relevant(self.rel).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class NumQ(_Count):
    """NumQ: 1 for each query; the summary is how many queries are counted.

    num_q of trec_eval.
    """

    name: ClassVar[str] = "NumQ"

    def expected(self, groups: TieGroups) -> np.ndarray:
        return np.ones(groups.n_queries)

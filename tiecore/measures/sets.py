"""Measures of a list as a set, and counts: no ordering changes them."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from tiecore.measures.base import Measure, quotient
from tiecore.ties.groups import TieGroups


class _Unordered(Measure):
    """A value that all orderings share, so its variance is 0."""

    cutoff_rule = "none"

    def variance(self, groups: TieGroups) -> np.ndarray:
        return np.zeros(groups.n_queries)


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


class SetP(_OfSet):
    """SetP: relevant documents listed, over all listed; with ``relative`` over as many as could be relevant.

    0 if nothing is listed or nothing relevant. set_P and set_relative_P of trec_eval.
    """

    relative: bool = False
    judged_only: bool = False

    def of_counts(self, found: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        return quotient(found, np.minimum(listed, wanted) if self.relative else listed)


class SetR(_OfSet):
    """SetR: relevant documents listed, over those in the judgments; 0 if there are none.

    set_recall of trec_eval.
    """

    def of_counts(self, found: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        return quotient(found, wanted)


class SetF(_OfSet):
    """SetF(beta): (beta + 1)·P·R/(beta·P + R) of SetP and SetR; 0 if nothing relevant is listed.

    set_F of trec_eval, which does not square beta as van Rijsbergen's F does.
    """

    beta: float = 1.0
    judged_only: bool = False

    def of_counts(self, found: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        precision, recall = quotient(found, listed), quotient(found, wanted)
        # divided by the larger of 1 and beta, so that no beta overflows
        scale = max(1.0, self.beta)
        weighted = self.beta / scale * precision + recall / scale
        return quotient((self.beta / scale + 1.0 / scale) * precision * recall, weighted)


class SetAP(_OfSet):
    """SetAP: SetP times SetR.

    set_map of trec_eval.
    """

    judged_only: bool = False

    def of_counts(self, found: np.ndarray, listed: np.ndarray, wanted: np.ndarray) -> np.ndarray:
        return quotient(found, listed) * quotient(found, wanted)


class _Count(_Unordered):
    """A count, added up over queries."""

    highest = None

    def summarise(self, per_query: np.ndarray) -> float:
        return float(per_query.sum())


class NumRet(_Count):
    """NumRet: listed documents, with ``rel`` only the relevant ones; the summary is their sum over queries.

    num_ret and num_rel_ret of trec_eval.
    """

    rel: int | None = None

    def expected(self, groups: TieGroups) -> np.ndarray:
        return groups.per_query(groups.size if self.rel is None else groups.relevant(self.rel))


class NumRel(_Count):
    """NumRel: relevant documents in the judgments, whatever is listed; the summary is their sum over queries.

    num_rel of trec_eval.
    """

    rel: int = 1

    def expected(self, groups: TieGroups) -> np.ndarray:
        return groups.n_relevant(self.rel).astype(np.float64)


class NumQ(_Count):
    """NumQ: 1 for each query; the summary is how many queries are counted.

    num_q of trec_eval.
    """

    def expected(self, groups: TieGroups) -> np.ndarray:
        return np.ones(groups.n_queries)

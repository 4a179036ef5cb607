"""Measures of a ranking without ties, by the textbook: the plainest that NumPy can do, for comparison only.

They share no formula with tiecore and know nothing of ties, so they also check the values of a tie-break. What is
relevant is counted in the lists, which here hold every judged document.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tiecore.collection.align import FeatureRows
    from tiecore.ties.groups import TieGroups

__all__ = ["TEXTBOOK", "Ranked", "ranked"]

CUT = 10


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Documents of all queries in the order of the ranking."""

    n_queries: int
    query: np.ndarray
    """(n_documents,)"""
    first: np.ndarray
    """(n_documents,) position of the first document of the same query."""
    grade: np.ndarray
    """(n_documents,)"""
    judged: TieGroups
    """Ideal ranking, for nDCG."""

    def rank(self, documents: np.ndarray) -> np.ndarray:
        """Rank of some documents, from 1."""
        return documents - self.first[documents] + 1

    def relevant(self) -> np.ndarray:
        """Positions of the relevant documents."""
        return np.flatnonzero(self.grade > 0)

    def top(self, documents: np.ndarray) -> np.ndarray:
        """Those of some documents that stand above the cut-off."""
        return documents[self.rank(documents) <= CUT]

    def per_query(self, documents: np.ndarray, value: np.ndarray | None = None) -> np.ndarray:
        """(n_queries,) number of some documents, or sum of a value of each."""
        return np.bincount(self.query[documents], weights=value, minlength=self.n_queries)


def ranked(rows: FeatureRows, key: np.ndarray) -> Ranked:
    """Sort by score and a key that leaves no ties, in one sort of packed numbers."""
    from tiecore.ties.keys import pack, score_code

    alignment = rows.alignment
    packed, query_shift, level_bits = pack(
        [score_code(rows.scores), key],
        query=rows.query,
        level=rows.level,
        n_queries=rows.n_queries,
        n_levels=len(alignment.grades),
    )
    packed.sort()
    query = (packed >> np.uint64(query_shift)).astype(np.int64)
    level = packed & np.uint64((1 << level_bits) - 1)
    length = np.bincount(query, minlength=rows.n_queries)
    first = np.repeat(np.cumsum(length) - length, length)
    judged = alignment.judged_between(rows.first_query, rows.first_query + rows.n_queries)
    return Ranked(rows.n_queries, query, first, np.maximum(alignment.grades, 0)[level], judged)


def _ratio(value: np.ndarray, divisor: np.ndarray | float) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(value / divisor)


def _precision(ranking: Ranked) -> np.ndarray:
    return ranking.per_query(ranking.top(ranking.relevant())) / CUT


def _recall(ranking: Ranked) -> np.ndarray:
    return _ratio(ranking.per_query(ranking.top(ranking.relevant())), ranking.per_query(ranking.relevant()))


def _f1(ranking: Ranked) -> np.ndarray:
    relevant = ranking.relevant()
    return 2.0 * ranking.per_query(ranking.top(relevant)) / (CUT + ranking.per_query(relevant))


def _average_precision(ranking: Ranked) -> np.ndarray:
    relevant = ranking.relevant()
    n_relevant = ranking.per_query(relevant)
    before = np.repeat(np.cumsum(n_relevant) - n_relevant, n_relevant)
    hits = np.arange(1, len(relevant) + 1) - before
    return _ratio(ranking.per_query(relevant, hits / ranking.rank(relevant)), n_relevant)


def _reciprocal_rank(ranking: Ranked) -> np.ndarray:
    relevant = ranking.relevant()
    query = ranking.query[relevant]
    first = relevant[np.append(True, query[1:] != query[:-1])[: len(query)]]
    return ranking.per_query(first, 1.0 / ranking.rank(first))


def _ndcg(ranking: Ranked) -> np.ndarray:
    top = ranking.top(ranking.relevant())
    dcg = ranking.per_query(top, ranking.grade[top] / np.log2(ranking.rank(top) + 1.0))
    ideal = ranking.judged
    discount = np.append(0.0, np.cumsum(1.0 / np.log2(np.arange(1.0, CUT + 1.0) + 1.0)))
    begin, end = np.minimum(ideal.above, CUT), np.minimum(ideal.above + ideal.size, CUT)
    gain = np.maximum(ideal.grades, 0)[ideal.cell_level]  # the ideal ranking has one grade in each group
    return _ratio(dcg, np.bincount(ideal.query, gain * (discount[end] - discount[begin]), ranking.n_queries))


TEXTBOOK: dict[str, Callable[[Ranked], np.ndarray]] = {
    "P@10": _precision,
    "R@10": _recall,
    "F1@10": _f1,
    "AP": _average_precision,
    "RR": _reciprocal_rank,
    "nDCG@10": _ndcg,
}
"""(n_queries,) values by name."""

"""The rows of several features, evaluated as if all their queries were queries of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tiecore.collection.align import Alignment, FeatureRows
from tiecore.collection.ids import Ids
from tiecore.ties.groups import TieGroups
from tiecore.ties.shuffles import repeated
from tiecore.ties.tie_breaks import TieBreak

__all__ = ["Stack", "ideal_of_copies"]


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """Rows of several features for the same queries: query q of feature f is number f · n + q.

    Small features are mostly calls of NumPy; together they need no more of them than one.
    """

    parts: Sequence[FeatureRows]

    @property
    def n_queries(self) -> int:
        """Queries of all features."""
        return len(self.parts) * self.parts[0].n_queries

    def with_order(self) -> tuple[TieGroups, np.ndarray]:
        """Tie groups of the scores, and the (n_rows,) rows in their order."""
        first, n_queries = self.parts[0], self.parts[0].n_queries
        bounds = first.first_query, first.first_query + n_queries
        if len(self.parts) == 1:
            return first.with_order()
        return TieGroups.with_order(
            [_joined(own.score_code() for own in self.parts)],
            query=_joined(own.query + place * n_queries for place, own in enumerate(self.parts)),
            level=_joined(own.level for own in self.parts),
            grades=first.alignment.grades,
            n_queries=self.n_queries,
            ideal=ideal_of_copies(first.alignment, bounds, len(self.parts)),
        )

    def broken(self, groups: TieGroups, order: np.ndarray, tie_breaks: Sequence[TieBreak]) -> Iterator[TieGroups]:
        """Yield some groups refined by each tie-break, which is asked about their documents alone.

        ``order``: rows in the order of all groups, as from ``with_order()``.
        """
        if not tie_breaks:
            return
        tied = self._tied(groups, order)
        level = tied.level
        for tie_break in tie_breaks:
            yield groups.broken(tie_break.key(tied), level)

    def _tied(self, groups: TieGroups, order: np.ndarray) -> _Tied:
        """Rows of some groups, group by group."""
        which = order[groups.places()]
        group = np.repeat(np.arange(len(groups.size)), groups.size)
        begins = np.cumsum([0, *(len(own.document) for own in self.parts)])
        # groups stand by feature, so its rows do
        first = np.searchsorted(groups.query, np.arange(len(self.parts) + 1) * self.parts[0].n_queries)
        ends = np.concatenate([[0], np.cumsum(groups.size)])[first].tolist()
        return _Tied(
            self.parts,
            [which[slice(*both)] - begin for both, begin in zip(pairwise(ends), begins.tolist(), strict=False)],
            group,
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Tied:
    """Members of tie groups, group by group: all that a tie-break has to order."""

    parts: Sequence[FeatureRows]
    which: Sequence[np.ndarray]
    """For each feature (n_own,) of its rows."""
    group: np.ndarray
    """(n_documents,) ascending."""

    def _each(self, values: Callable[[FeatureRows], np.ndarray]) -> np.ndarray:
        return _joined(values(own)[which] for own, which in zip(self.parts, self.which, strict=True))

    @property
    def document(self) -> np.ndarray:
        """(n_documents,) document of the pool."""
        return self._each(lambda own: own.document)

    @property
    def level(self) -> np.ndarray:
        """(n_documents,) grade level."""
        return self._each(lambda own: own.level)

    def docid_order(self) -> np.ndarray:
        """(n_documents,) number that ascends with the document id by bytes inside a group."""
        alignment = self.parts[0].alignment
        if alignment.shares_documents():
            return alignment.docid_order()[self.document]
        return Ids(alignment.document_ids).ranks(self.group, self.document)

    def id_hash(self) -> np.ndarray:
        """(n_documents,) hash of query and document id."""
        alignment = self.parts[0].alignment
        if alignment.shares_documents():
            return alignment.id_hash()[self.document]
        return alignment.id_hashes(self.document)

    def input_order(self) -> np.ndarray:
        """(n_documents,) order in the file, as of the rows."""
        return _joined(own.input_order(which) for own, which in zip(self.parts, self.which, strict=True))

    def run_rank(self) -> np.ndarray:
        """(n_documents,) rank column of the run, as of the rows."""
        return self._each(FeatureRows.run_rank)

    def feature_code(self, name: str) -> np.ndarray:
        """(n_documents,) code of another feature's scores, as of the rows."""
        return self._each(lambda own: own.feature_code(name))


def ideal_of_copies(alignment: Alignment, bounds: tuple[int, int], times: int) -> TieGroups:
    """Ideal rankings of some queries in a row, from the first one to the last, so many times behind each other."""
    judged = alignment.judged_between(*bounds)
    if times == 1:
        return judged
    return alignment.once(("judged", *bounds, times), lambda: repeated(judged, times))


def _joined(arrays: Iterable[np.ndarray]) -> np.ndarray:
    several = list(arrays)
    return several[0] if len(several) == 1 else np.concatenate(several)

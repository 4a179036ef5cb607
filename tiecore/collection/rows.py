"""The documents that one feature ranks: what is sorted into tie groups, and what a tie-break may look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from tiecore.collection.ids import Ids
from tiecore.errors import TiecoreError, shortened
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import behind, ranges, score_code
from tiecore.ties.tie_breaks import TieBreak

if TYPE_CHECKING:
    from tiecore.collection.alignment import Alignment

_OFTEN = 2


@dataclass(frozen=True, slots=True, eq=False)
class FeatureRows:
    """The documents that one feature ranks, by query, of all queries or of a block of them."""

    alignment: Alignment
    feature: str
    ascending: bool
    """Whether lower is better."""
    document: np.ndarray
    """(n_rows,) document of the pool, by query, those that are scored first; in a table of counts these come first."""
    query: np.ndarray
    """(n_rows,) query of each document."""
    level: np.ndarray
    """(n_rows,) grade level, 0 for unjudged, ascending with the grade."""
    scores: np.ndarray
    """(n_rows,) NaN, or masked, behind the scored ones where missing documents come last."""
    row: np.ndarray
    """(n_rows,) row of the file; of documents that it does not score a number behind all rows."""
    precision: str
    first_query: int
    """Query from which queries are counted."""
    n_queries: int
    """Queries, with those that have no rows."""
    n_alike: np.ndarray | None = None
    """(n_rows,) documents that each row stands for, in a table of counts; None where each is one document."""

    def some(self, which: np.ndarray) -> Self:
        """Some of the rows, in any order."""
        names = ("document", "query", "level", "scores", "row", *(() if self.n_alike is None else ("n_alike",)))
        return replace(self, **{name: getattr(self, name).take(which) for name in names})

    @property
    def count(self) -> np.ndarray:
        """(n_rows,) documents that each row stands for."""
        return np.broadcast_to(np.int64(1), len(self.document)) if self.n_alike is None else self.n_alike

    def docid_order(self) -> np.ndarray:
        """(n_rows,) number that ascends with the document id by bytes inside a query."""
        alignment, ids = self.alignment, Ids(self.alignment.document_ids)
        alignment.check_documents("a tie-break by document id")
        if not self._shares_documents():
            return ids.order(self.query, self.document)

        def compute() -> np.ndarray:
            rank = np.empty(len(ids), dtype=np.int32)
            for queries in alignment.blocks():
                which = alignment.by_query[slice(*alignment.begins[list(queries)])]
                rank[which] = ids.order(alignment.query[which], which)
            return rank

        return alignment.cache.once("docid_order", compute).take(self.document)

    def id_hash(self) -> np.ndarray:
        """(n_rows,) 64-bit hash of query and document id."""
        alignment, ids = self.alignment, Ids(self.alignment.document_ids)
        alignment.check_documents("one random order of all documents (random:SEED, a shared order)")
        of_query = alignment.cache.once("query_hash", lambda: Ids(alignment.query_ids).hashed())
        if not self._shares_documents():
            return ids.hashed(of_query[alignment.query[self.document]], self.document)
        return alignment.cache.once("id_hash", lambda: ids.hashed(of_query[alignment.query]))[self.document]

    def _shares_documents(self) -> bool:
        """Return whether features share so many documents that it pays to compute what belongs to one once for all."""
        return self.alignment.n_ranked() > _OFTEN * len(self.alignment.query)

    def input_order(self) -> np.ndarray:
        """(n_rows,) order in the file; documents that it does not score come behind, as in the judgments."""
        self.alignment.check_documents("a tie-break by the order of the file")
        lowest = np.full(self.n_queries, np.iinfo(np.int64).max)
        np.minimum.at(lowest, self.query, self.row)
        return self.row - lowest[self.query]  # to fit into few bits

    def run_rank(self) -> np.ndarray:
        """(n_rows,) rank column of the run, lifted if it begins below 0; documents that it does not score come last."""
        source = self.alignment.sources[self.feature]
        self.alignment.check_documents("a tie-break by the rank column of a run")
        if source.rank is None:
            raise TiecoreError(
                f"tie-break 'rank' needs a TREC run with whole-number ranks: {source.file} has no rank column"
            )
        has_rank = self.row < len(source.rank)
        code, last = behind(score_code(source.rank[self.row[has_rank]], ascending=True))
        rank = np.full(len(self.row), last)
        rank[has_rank] = code
        return rank

    def feature_code(self, name: str) -> np.ndarray:
        """(n_rows,) code of another feature's scores in the same precision, the best first, unscored last."""
        code = self.alignment.feature_code(name, self.precision)
        if not (self.alignment.is_joint(name) and self.alignment.is_joint(self.feature)):
            raise TiecoreError(
                f"breaking the ties of {shortened(self.feature)} by {shortened(name)} needs documents, or the counts "
                "of both features together: count them with the option joint"
            )
        return code.take(self.document)

    def members(self, groups: TieGroups, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places of some of the groups that the sorted rows make in the order of the groups, and the group of each."""
        n_rows = groups.size
        end = np.cumsum(n_rows)
        if self.n_alike is not None:  # rows of a table of counts stand for several documents
            end = np.searchsorted(np.cumsum(self.count[groups.order]), end) + 1
            n_rows = np.diff(end, prepend=0)
        place, _ = ranges((end - n_rows)[which], n_rows[which])
        return place, np.repeat(which, n_rows[which])

    def refined(self, groups: TieGroups, tie_break: TieBreak) -> TieGroups:
        """Refine the sorted rows by a tie-break, which is asked about documents in groups of several grades alone."""
        place, group = self.members(groups, groups.mixed)
        order = groups.order
        some = self.some(order.take(place))
        key = tie_break.key(some)  # refuses what it lacks, also where there is nothing to decide
        if not len(place):
            return groups
        count = None if self.n_alike is None else self.n_alike.take(order)
        return groups.refined(
            place, group, key, query=self.query.take(order), level=self.level.take(order), count=count
        )

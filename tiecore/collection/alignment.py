"""Judgments and features brought together: every document known once, with a grade level."""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from threading import Lock, RLock
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa

from tiecore.collection.rows import FeatureRows
from tiecore.errors import TiecoreError
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import behind, is_scored, score_code, to_precision, with_unscored
from tiecore.ties.tie_breaks import TieBreak

DEFAULT_CACHE = 512 << 20
"""Bytes of tie groups and random orders that an alignment keeps unless told otherwise."""
_BLOCK = 1 << 18
"""Documents of a block of queries: what is computed on the way then stays in the processor's cache."""

Block = tuple[int, int]
"""Queries in a row: the first one, and the one behind the last."""
Scored = tuple[np.ndarray, int, int, int, int]
"""See :meth:`Alignment.scored`."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """The rows of a file that belong to judged queries."""

    row: np.ndarray | None
    """(n_kept,) row of the file, ascending inside a query; None if all are kept and stand by query already."""
    document: np.ndarray
    """(n_kept,) document of the pool, by query."""
    unknown_queries: int
    """Queries of the file that the judgments do not know."""
    unknown_rows: int
    """Rows of those queries."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Where the scores of a feature stand."""

    file: str
    """Name for messages."""
    columns: Mapping[str, np.ndarray]
    """Those of the file, some of which are read again on every access."""
    column: str
    match: Match
    rank: np.ndarray | None = None
    """(n_rows,) rank column of a run."""
    ignored: tuple[str, ...] = ()
    """Columns of the file that are neither ids nor numbers."""


_Kept = TypeVar("_Kept")


@dataclass(slots=True, eq=False)
class Cache:
    """What was found out: as much of what was used last as takes no more than ``limit`` bytes, but one thing always.

    What all queries share goes last, as each block of queries asks for it, or as it took longest. Any thread may use
    it. A copy or a pickle begins empty.
    """

    limit: int = DEFAULT_CACHE
    nbytes: int = field(default=0, init=False)
    _of_blocks: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict, init=False)
    _of_all: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)
    _computes_once: RLock = field(default_factory=RLock, init=False)

    def __reduce__(self) -> tuple[type[Cache], tuple[int]]:
        return Cache, (self.limit,)

    def get(self, key: Hashable, compute: Callable[[], _Kept], *, of_all: bool = False) -> _Kept:
        """Return what belongs to a block, or to all queries; two threads that lack it both compute the same."""
        kept = self._of_all if of_all else self._of_blocks
        with self._lock:
            if key in kept:
                kept.move_to_end(key)
                return cast("_Kept", kept[key])
        found = compute()
        with self._lock:
            if key not in kept:
                kept[key] = found
                self.nbytes += getattr(found, "nbytes", 0)  # what is small has no size
            while self.nbytes > self.limit and len(self._of_blocks) + len(self._of_all) > 1:
                _, oldest = (self._of_blocks or self._of_all).popitem(last=False)
                self.nbytes -= getattr(oldest, "nbytes", 0)
        return found

    def once(self, key: Hashable, compute: Callable[[], _Kept]) -> _Kept:
        """Return what all queries share: while one thread computes it, others wait for it."""
        if key in self._of_all:  # threads of a computation under way find what is there
            return self.get(key, compute, of_all=True)
        with self._computes_once:
            return self.get(key, compute, of_all=True)


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """All documents of the judged queries: those of the judgments first, then what the features add.

    What has been found out about it is kept by where a feature stands, not by its name, so that a copy with other names
    or fewer features knows it too.
    """

    query_ids: pa.Array
    """(n_queries,) in the order of the judgments."""
    document_ids: pa.Array
    """(n_documents,) id of each document of the pool."""
    query: np.ndarray
    """(n_documents,)"""
    level: np.ndarray
    """(n_documents,) grade level, 0 for unjudged."""
    grades: np.ndarray
    """(n_levels,) grade of each level."""
    n_judged: int
    """Documents at the beginning of the pool that are judged."""
    by_query: np.ndarray
    """(n_documents,) the documents in the order of their queries, judged ones of a query first."""
    begins: np.ndarray
    """(n_queries + 1,) where each query begins there, and the last one ends."""
    ascending: frozenset[str]
    """Features for which lower is better."""
    sources: Mapping[str, Source]
    """By name of the feature."""
    n_alike: np.ndarray | None = None
    """(n_documents,) documents that each stands for, in a table of counts; None where each is one."""
    omitted: Mapping[str, str] = field(default_factory=dict)
    """Features that were left out because nothing of them is judged: name and reason."""
    cache: Cache = field(default_factory=Cache, repr=False)
    """What all features share, tie groups and values: another measure, cut-off or statistic sorts nothing, and another
    tie-break only what is tied."""

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features in the order in which they were given."""
        return tuple(self.sources)

    @property
    def n_queries(self) -> int:
        """Judged queries."""
        return len(self.query_ids)

    def n_ranked(self) -> int:
        """Documents of judged queries that the features list, taken together."""
        return sum(len(source.match.document) for source in self.sources.values())

    def judged_documents(self) -> int:
        """Return how many documents are judged."""
        return self.n_judged if self.n_alike is None else int(self.n_alike[: self.n_judged].sum())

    def is_joint(self, name: str) -> bool:
        """Return whether it is known which documents a feature shares with others, as wherever documents have ids."""
        return True

    def blocks(self) -> list[Block]:
        """Queries in blocks of about as many documents."""
        inner = np.searchsorted(self.begins[1:], np.arange(_BLOCK, len(self.by_query), _BLOCK))
        return list(pairwise(sorted({0, *inner.tolist(), len(self.query_ids)})))

    def groups(
        self,
        feature: str,
        tie_break: TieBreak | str | None = None,
        *,
        queries: Block | None = None,
        precision: str = "float64",
        missing: str = "unranked",
    ) -> TieGroups:
        """Tie groups of a feature, refined by a tie-break or to the ``worst`` or ``best`` case; kept if there is room.

        ``queries`` in a row are counted from the first of them; None takes all. ``precision``, ``missing``: as for
        :func:`tiecore.evaluate`.
        """
        queries = queries or (0, len(self.query_ids))  # by another name the only block would be sorted and kept twice
        key: Hashable = (self.sources[feature], feature in self.ascending), queries, precision, missing
        rows = partial(self.rows, feature, queries=queries, precision=precision, missing=missing)
        groups = self.cache.get(key, lambda: self.sort(rows()))
        if isinstance(tie_break, str):
            key = key, tie_break
            groups = self.cache.get(key, partial(groups.case, tie_break))
        elif tie_break is not None:
            decides = self.key(tie_break.argument) if tie_break.argument in self.sources else tie_break.argument
            key = key, tie_break.policy, decides
            groups = self.cache.get(key, lambda: rows().refined(groups, tie_break))
        return replace(groups, key=key)  # what measures remember of it is not kept

    def sort(self, rows: FeatureRows, *keys: np.ndarray) -> TieGroups:
        """Sort rows by score and further keys into tie groups."""
        queries = rows.first_query, rows.first_query + rows.n_queries
        return TieGroups.from_keys(
            [score_code(rows.scores, ascending=rows.ascending), *keys],
            query=rows.query,
            level=rows.level,
            grades=self.grades,
            n_queries=rows.n_queries,
            ideal=self._judged(*queries),
            count=rows.n_alike,
        )

    def key(self, feature: str) -> Hashable:
        """Return what is kept of a feature by."""
        return self.sources[feature], feature in self.ascending

    def rows(
        self,
        feature: str,
        *,
        queries: Block | None = None,
        precision: str = "float64",
        missing: str = "unranked",
    ) -> FeatureRows:
        """Documents that a feature scores, with their scores; parameters as for ``groups()``."""
        first, end = queries or (0, len(self.query_ids))
        source = self.sources[feature]
        column, match = source.columns[source.column], source.match
        every = range(len(match.document))  # the queries of all of them would be copied to look for two
        begin, stop = (bisect_left(every, q, key=lambda at: self.query.item(match.document[at])) for q in (first, end))
        document = match.document[begin:stop]
        row = np.arange(begin, stop) if match.row is None else match.row[begin:stop]
        scores = column[begin:stop] if match.row is None else column.take(row)
        has_score = is_scored(scores)
        if not has_score.all():
            scores, document, row = np.ma.getdata(scores)[has_score], document[has_score], row[has_score]
        if precision != "float64":
            scores = to_precision(scores, precision)
        if missing == "last":
            judged = self.by_query[self.begins[first] : self.begins[end]]
            unscored = judged[(judged < self.n_judged) & ~np.isin(judged, document)]
            document = np.concatenate([document, unscored])
            row = np.concatenate([row, len(column) + np.arange(len(unscored))])
            scores = with_unscored(scores, len(unscored))
            by_query = np.argsort(self.query.take(document), kind="stable")
            document, row, scores = document[by_query], row[by_query], scores[by_query]
        query, level = self.query.take(document) - first, self.level.take(document)
        return FeatureRows(
            self, feature, feature in self.ascending, document, query, level, scores, row, precision, first, end - first
        )

    @property
    def judged(self) -> TieGroups:
        """Ideal ranking of the judged documents."""
        return self._judged(0, self.n_queries)

    def _judged(self, first: int, end: int) -> TieGroups:
        """Ideal ranking of the judged documents of some queries in a row, counted from the first of them."""

        def compute() -> TieGroups:
            documents = self.by_query[self.begins[first] : self.begins[end]]
            judged = documents[documents < self.n_judged]
            return TieGroups.from_grades(
                query=self.query.take(judged) - first,
                level=self.level.take(judged),
                grades=self.grades,
                n_queries=end - first,
                count=None if self.n_alike is None else self.n_alike[judged],
            )

        return self.cache.get(("judged", first, end), compute)

    def common_queries(self) -> np.ndarray:
        """(n_queries,) bool: queries that every feature lists."""
        return np.logical_and.reduce([self.listed(feature) for feature in self.features])

    def listed(self, feature: str) -> np.ndarray:
        """(n_queries,) bool: queries for which the feature scores a document."""
        return self.scored(feature)[0]

    def scored(self, feature: str) -> Scored:
        """Return what :meth:`listed` does, and how many documents are scored, judged too, scored infinite, and blank.

        Blank are judged documents of its file that it does not score; none in a table of counts.
        """

        def compute() -> Scored:
            rows = self.rows(feature)
            listed = np.bincount(rows.query, minlength=self.n_queries) > 0
            some = (rows.count, rows.count[rows.level > 0], rows.count[np.isinf(rows.scores)])
            n_scored, n_judged, n_infinite = (int(count.sum(dtype=np.int64)) for count in some)
            n_rows = int(np.count_nonzero(self.sources[feature].match.document < self.n_judged))
            return listed, n_scored, n_judged, n_infinite, max(0, n_rows - n_judged)

        return self.cache.once(("scored", self.key(feature)), compute)

    def check_documents(self, what: str) -> None:
        """Refuse what looks at single documents where only their numbers are known."""
        if self.n_alike is not None:
            raise TiecoreError(
                f"{what} needs documents, and a table of counts holds none: evaluate the files that it was made from"
            )

    def feature_code(self, name: str, precision: str) -> np.ndarray:
        """(n_documents,) code of a feature's scores, the best first, unscored last."""
        if name not in self.sources:
            raise TiecoreError(f"tie-break 'feature:{name}': no such feature; there are {', '.join(self.features)}")

        def compute() -> np.ndarray:
            rows = self.rows(name, precision=precision)
            own, last = behind(score_code(rows.scores, ascending=rows.ascending))
            code = np.full(len(self.query), last)
            code[rows.document] = own
            return code

        return self.cache.once(("feature_code", self.key(name), precision), compute)

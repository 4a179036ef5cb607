"""Judgments and features brought together: every document known once, a grade level each, and what was left out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from threading import RLock
from typing import Literal, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.collection.ids import Ids
from tiecore.collection.join import Joined, Match, join, no_common_query, shown_ids
from tiecore.errors import AlignmentError, FormatError, TiecoreError, listed, shortened
from tiecore.formats.arrays import arrow_numbers
from tiecore.formats.records import Records
from tiecore.threads import in_threads
from tiecore.ties.groups import UNJUDGED, TieGroups
from tiecore.ties.keys import behind, is_scored, score_code, to_precision, with_unscored
from tiecore.ties.segments import counts_of_ascending, in_a_row

__all__ = ["Alignment", "FeatureRows", "Source", "Unmatched", "align"]

Unmatched = Literal["refuse", "omit"]

_BLOCK = 1 << 18
"""Documents of a block of queries: what is computed on the way then stays in the processor's cache."""
_SHARES = 4
"""Batches of features for each thread, or more, so that none is idle for long."""
_OFTEN = 2
_FEW_ROWS = 1024
_FEW_GRADES = 1 << 16
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Where the scores of a feature stand."""

    records: Records
    """Without its ids."""
    column: str
    match: Match


@dataclass(frozen=True, slots=True, eq=False)
class _Lock:
    """A lock that several threads of one process share; a copy of what holds it gets one of its own."""

    held: RLock = field(default_factory=RLock)

    def __reduce__(self) -> tuple[type[_Lock], tuple[()]]:
        """Copy and unpickle as a new lock: the threads that hold this one do not come along."""
        return _Lock, ()


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """All documents of the judged queries: those of the judgments first, then what the features add."""

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
    ascending: frozenset[str]
    """Features for which lower is better."""
    sources: Mapping[str, Source]
    """By name of the feature."""
    omitted: Mapping[str, str] = field(default_factory=dict)
    """Features that were left out because nothing of them is judged: name and reason."""
    _memo: dict[Hashable, object] = field(default_factory=dict, repr=False)
    _lock: _Lock = field(default_factory=_Lock, repr=False)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features in the order in which they were given."""
        return tuple(self.sources)

    @property
    def n_queries(self) -> int:
        """Judged queries."""
        return len(self.query_ids)

    def n_ranked(self, names: Iterable[str] | None = None) -> int:
        """Documents that the features rank, or some of them, taken together: what sorting them once costs."""
        return sum(len(self.sources[name].match.document) for name in (self.sources if names is None else names))

    def judged_documents(self) -> int:
        """Return how many documents are judged."""
        return self.n_judged

    @property
    def judged(self) -> TieGroups:
        """Ideal ranking of the judged documents."""
        return self.judged_between(0, self.n_queries)

    def judged_between(self, first: int, end: int) -> TieGroups:
        """Ideal ranking of the judged documents of some queries in a row, counted from the first of them."""
        return self.once(("judged", first, end), lambda: self._ideal_ranking(first, end))

    def _ideal_ranking(self, first: int, end: int) -> TieGroups:
        which = self._by_query(self.n_judged, first, end)
        return TieGroups.from_grades(
            query=self.query[which] - first, level=self.level[which], grades=self.grades, n_queries=end - first
        )

    def rank_judged(self) -> None:
        """Compute the ideal rankings of all blocks, on all processors: every evaluation needs them."""
        self._by_query(self.n_judged, 0, 1)  # made here: the threads below must not wait for each other
        bounds = list(pairwise(self.block_bounds()))
        for both, groups in zip(bounds, in_threads(lambda both: self._ideal_ranking(*both), bounds), strict=True):
            self._memo["judged", *both] = groups

    def block_bounds(self) -> list[int]:
        """First query of each block of about as many documents, and the number of queries behind them."""

        def compute() -> list[int]:
            _, ends = self._order_by_query(len(self.query))
            inner = np.searchsorted(ends, np.arange(_BLOCK, int(ends[-1]), _BLOCK))
            return sorted({0, *inner.tolist(), self.n_queries})

        return self.once("block_bounds", compute)

    def _by_query(self, n_documents: int, first: int, end: int) -> slice | np.ndarray:
        """Find the documents of queries in a row among the first documents of the pool."""
        order, ends = self._order_by_query(n_documents)
        which = slice(int(ends[first - 1]) if first else 0, int(ends[end - 1]))
        return which if order is None else order[which]

    def _order_by_query(self, n_documents: int) -> tuple[np.ndarray | None, np.ndarray]:
        """Order the first documents of the pool by query, None if they stand so; and where each query ends there."""

        def compute() -> tuple[np.ndarray | None, np.ndarray]:
            query = self.query[:n_documents]
            if (query[1:] >= query[:-1]).all():
                return None, np.cumsum(counts_of_ascending(query, self.n_queries))
            return np.argsort(query, kind="stable"), np.cumsum(np.bincount(query, minlength=self.n_queries))

        return self.once(("by_query", n_documents), compute)

    def once(self, key: Hashable, compute: Callable[[], _Result]) -> _Result:
        """Compute what all features share once, whichever thread asks first."""
        if key not in self._memo:  # asked outside the lock too: threads of a computation under way find what is there
            with self._lock.held:
                if key not in self._memo:
                    self._memo[key] = compute()
        return self._memo[key]  # type: ignore[return-value]  # what compute gave for this key

    def nameless(self) -> dict[Hashable, object]:
        """Return what has been computed once and holds under any names of the features, for ``replace``."""
        known = self._memo.copy()  # threads share it
        return {
            key: value
            for key, value in known.items()
            if key == "block_bounds" or (isinstance(key, tuple) and key[0] == "judged")
        }

    def known(self, key: Hashable) -> object:
        """Return what has been computed once already, or None."""
        return self._memo.get(key)

    def common_queries(self) -> np.ndarray:
        """(n_queries,) bool: queries that every feature lists."""
        return np.logical_and.reduce([self.listed(feature) for feature in self.features])

    def listed(self, feature: str) -> np.ndarray:
        """(n_queries,) bool: queries for which the feature scores a document."""

        def compute() -> np.ndarray:
            return np.bincount(self.rows(feature).query, minlength=self.n_queries) > 0

        return self.once(("listed", feature), compute)

    def n_scored(self, feature: str) -> tuple[int, int]:
        """Return how many documents a feature scores, and how many of them are judged."""
        return self.rows(feature).n_scored()

    def is_surely_uneven(self, feature: str) -> bool:
        """Return whether it is known without a look at all documents that a feature is not constant in each query."""
        source = self.sources[feature]
        document, row = source.match.document[:_FEW_ROWS], source.match.row
        scores = source.records.features[source.column]
        scores = scores[:_FEW_ROWS] if row is None else scores[row[:_FEW_ROWS]]
        has_score, query = is_scored(scores), self.query[document]
        differ = np.ma.filled(scores[1:] != scores[:-1], False) & has_score[1:] & has_score[:-1]
        return bool((differ & (query[1:] == query[:-1])).any())

    def check_documents(self, what: str) -> None:
        """Refuse what looks at single documents where only their numbers are known: here they all are known."""

    def batches(self, n_workers: int) -> list[tuple[str, ...]]:
        """Return the features, those together that are evaluated together because each is small."""
        n_documents = self.n_ranked()
        most = _BLOCK * (len(self.block_bounds()) - 1)
        if n_workers > 1:
            most = min(most, n_documents // (_SHARES * n_workers))
        together: list[list[str]] = []
        room = 0
        for name in self.features:
            n_own = self.n_ranked([name])
            if n_own > room or not together:
                together.append([])
                room = most
            together[-1].append(name)
            room -= n_own
        return list(map(tuple, together))

    def shares_documents(self) -> bool:
        """Return whether features share so many documents that it pays to cache what belongs to a document."""
        return self.n_ranked() > _OFTEN * len(self.query)

    def docid_order(self) -> np.ndarray:
        """(n_documents,) rank of each document's id by bytes inside its query; sorted when first asked for."""

        def compute() -> np.ndarray:
            ids = Ids(self.document_ids)
            rank = np.empty(len(ids), dtype=np.int32)

            def of_block(bounds: tuple[int, int]) -> None:
                which = self._by_query(len(ids), *bounds)
                rank[which] = ids.ranks(self.query[which], which)

            self._by_query(len(ids), 0, 1)  # made here: the threads below must not ask for the lock that is held
            in_threads(of_block, list(pairwise(self.block_bounds())))
            return rank

        return self.once("docid_order", compute)

    def id_hash(self) -> np.ndarray:
        """(n_documents,) 64-bit hash of query and document id."""
        return self.once("id_hash", lambda: self.id_hashes(slice(0, len(self.query))))

    def id_hashes(self, documents: np.ndarray | slice) -> np.ndarray:
        """64-bit hash of query and document id of some documents."""
        of_query = self.once("query_hash", lambda: Ids(self.query_ids).hashed())
        return Ids(self.document_ids).hashed(of_query[self.query[documents]], documents)

    def feature_code(self, name: str, precision: str) -> np.ndarray:
        """(n_documents,) code of a feature's scores, the best first, unscored last."""
        if name not in self.features:
            raise TiecoreError(f"tie-break 'feature:{name}': no such feature; there are {', '.join(self.features)}")

        def compute() -> np.ndarray:
            rows = self.rows(name, precision=precision)
            own, last = behind(rows.score_code())
            code = np.full(len(self.query), last)
            code[rows.document] = own
            return code

        return self.once(("feature_code", name, precision), compute)

    def unread_rows(self, feature: str, *, precision: str = "float64", missing: str = "unranked") -> FeatureRows:
        """Documents that a feature scores, for tie-breaks alone: scores are NaN where they need not be read again."""
        if missing == "last" or not self.known(("is_whole", feature)):
            return self.rows(feature, precision=precision, missing=missing)
        match = self.sources[feature].match
        no_scores = np.broadcast_to(np.nan, len(match.document))
        return FeatureRows(self, feature, self._whole(match), no_scores, match.row, 0, precision)

    def rows(self, feature: str, *, precision: str = "float64", missing: str = "unranked") -> FeatureRows:
        """Documents that a feature scores, with their scores."""
        source = self.sources[feature]
        document, row = source.match.document, source.match.row
        scores = source.records.features[source.column]
        scores = scores if row is None else scores[row]
        has_score = is_scored(scores)
        is_whole = bool(has_score.all())  # as in most files, so that all their features rank the same documents
        self._memo["is_whole", feature] = is_whole
        if not is_whole:
            scored = np.flatnonzero(has_score)
            scores, document = np.ma.getdata(scores)[scored], document[scored]
            row = scored if row is None else row[scored]
        scores = to_precision(scores, precision)
        unscored = np.zeros(0, dtype=np.int64)
        places: np.ndarray | range = document
        if missing == "last":
            is_listed = np.zeros(len(self.query), dtype=bool)
            is_listed[document] = True
            unscored = np.flatnonzero(~is_listed & (self.level > 0))
            unscored = unscored[np.argsort(self.query[unscored], kind="stable")]
            places = np.concatenate([document, unscored])
            scores = with_unscored(scores, len(unscored))
        elif is_whole:
            places = self._whole(source.match)
        return FeatureRows(self, feature, places, scores, row, len(unscored), precision)

    def _whole(self, match: Match) -> np.ndarray | range:
        """Return the documents of a file; as a range, if they stand in a row in the pool."""

        def compute() -> np.ndarray | range:
            in_turn = in_a_row(match.document)
            return match.document if in_turn is None else in_turn

        return self.once(("in_turn", match), compute)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureRows:
    """The documents that one feature ranks, by query; what a tie-break may look at."""

    alignment: Alignment
    feature: str
    _document: np.ndarray | range
    """See ``document``; a range, if they stand in a row in the pool, takes no memory before they are asked for."""
    scores: np.ndarray
    """(n_rows,) NaN, or masked, behind the scored ones where missing documents come last."""
    row: np.ndarray | None
    """(n_scored,) row of the file; None if all its rows are here."""
    n_unscored: int
    precision: str
    first_query: int = 0
    """Query from which queries are counted."""
    end_query: int | None = None
    """Query behind the last one; None if all are here."""
    _memo: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    @property
    def document(self) -> np.ndarray:
        """(n_rows,) document of the pool: first those that are scored, by query, then the others, by query."""
        document = self._document
        if isinstance(document, range):
            return _once(self._memo, "document", lambda: np.arange(document.start, document.stop))
        return document

    @property
    def n_queries(self) -> int:
        """Queries, with those that have no rows."""
        return (self.alignment.n_queries if self.end_query is None else self.end_query) - self.first_query

    def blocks(self) -> Iterator[FeatureRows]:
        """Yield the rows of a block of queries after the other."""
        bounds = self.alignment.block_bounds()
        n_scored = len(self.scores) - self.n_unscored

        def query_of(row: int) -> int:
            return int(self.alignment.query[self._document[row]])

        # the queries of all rows would be copied to look for a few
        scored = [bisect_left(range(n_scored), first, key=query_of) for first in bounds]
        unscored = [bisect_left(range(len(self.scores)), first, n_scored, key=query_of) for first in bounds]
        for block, (first, end) in enumerate(pairwise(bounds)):
            own, others = slice(*scored[block : block + 2]), slice(*unscored[block : block + 2])
            parts = [own] if others.start == others.stop else [own, others]
            yield replace(
                self,
                _document=self._document[own] if len(parts) == 1 else _joined(self.document, parts),
                scores=_joined(self.scores, parts),
                row=np.arange(own.start, own.stop) if self.row is None else self.row[own],
                n_unscored=others.stop - others.start,
                first_query=first,
                end_query=end,
                _memo={},
            )

    def some(self, kept: np.ndarray) -> FeatureRows:
        """Only some of the rows, ascending."""
        n_scored = len(self.scores) - self.n_unscored
        scored = kept[: np.searchsorted(kept, n_scored)]
        return replace(
            self,
            _document=self._document.start + kept if isinstance(self._document, range) else self._document[kept],
            scores=self.scores[kept],
            row=scored if self.row is None else self.row[scored],
            n_unscored=len(kept) - len(scored),
            _memo={name: values[kept] for name, values in self._memo.items() if name in ("query", "level")},
        )

    @property
    def count(self) -> np.ndarray:
        """(n_rows,) documents that each row stands for: one, except in a table of counts."""
        return np.broadcast_to(np.int64(1), len(self.document))

    def n_scored(self) -> tuple[int, int]:
        """Return how many documents the feature scores, and how many of them are judged."""
        scored = self.document[: len(self.scores) - self.n_unscored]
        return len(scored), int(np.count_nonzero(scored < self.alignment.n_judged))

    @property
    def _place(self) -> slice | np.ndarray:
        """Where the documents stand in the pool."""
        document = self._document
        return slice(document.start, document.stop) if isinstance(document, range) else document

    @property
    def query(self) -> np.ndarray:
        """(n_rows,) query of each document."""
        return _once(self._memo, "query", lambda: self.alignment.query[self._place] - self.first_query)

    @property
    def level(self) -> np.ndarray:
        """(n_rows,) grade level."""
        return _once(self._memo, "level", lambda: self.alignment.level[self._place])

    def score_code(self) -> np.ndarray:
        """(n_rows,) code of the scores, the best first."""
        is_ascending = self.feature in self.alignment.ascending
        return _once(self._memo, "score_code", lambda: score_code(self.scores, ascending=is_ascending))

    def groups(self, *keys: np.ndarray) -> TieGroups:
        """Tie groups of the scores, refined by further keys."""
        return TieGroups.from_keys(
            [self.score_code(), *keys],
            query=self.query,
            level=self.level,
            grades=self.alignment.grades,
            n_queries=self.n_queries,
            ideal=self.ideal(),
        )

    def ideal(self) -> TieGroups:
        """Ideal ranking of the judged documents of these queries."""
        return self.alignment.judged_between(self.first_query, self.first_query + self.n_queries)

    def with_order(self) -> tuple[TieGroups, np.ndarray]:
        """Tie groups of the scores, and the (n_rows,) rows in their order."""
        return TieGroups.with_order(
            [self.score_code()],
            query=self.query,
            level=self.level,
            grades=self.alignment.grades,
            n_queries=self.n_queries,
            ideal=self.ideal(),
        )

    def docid_order(self) -> np.ndarray:
        """(n_rows,) rank of the document id by bytes inside the query."""
        return self.alignment.docid_order()[self.document]

    def id_hash(self) -> np.ndarray:
        """(n_rows,) hash of query and document id."""
        return self.alignment.id_hash()[self.document]

    def input_order(self, which: np.ndarray | None = None) -> np.ndarray:
        """(n_which,) order in the file of some rows, by default of all, counted from the first of these in each query.

        Documents that it does not score come behind, as in the judgments.
        """
        n_scored = len(self.document) - self.n_unscored
        which = np.arange(len(self.document)) if which is None else which
        is_scored = which < n_scored
        if self.row is None:
            position = which.astype(np.int64)
        elif is_scored.all():
            position = self.row[which].astype(np.int64)
        else:
            position = int(self.row.max(initial=0)) + 1 + which.astype(np.int64)
            position[is_scored] = self.row[which[is_scored]]
        query = self.alignment.query[self.document[which]] - self.first_query
        lowest = np.full(self.n_queries, np.iinfo(np.int64).max)
        np.minimum.at(lowest, query, position)
        return position - lowest[query]  # to fit into few bits

    def run_rank(self) -> np.ndarray:
        """(n_rows,) rank column of the run, lifted if it begins below 0; documents that it does not score come last."""
        records = self.alignment.sources[self.feature].records
        if records.rank is None:
            raise TiecoreError(
                f"tie-break 'rank' needs a TREC run with whole-number ranks: {records.source} has no rank column"
            )
        rank = records.rank if self.row is None else records.rank[self.row]
        code, last = behind(score_code(rank, ascending=True))
        return np.concatenate([code, np.full(self.n_unscored, last)])

    def feature_code(self, name: str) -> np.ndarray:
        """(n_rows,) code of another feature's scores in the same precision, the best first, unscored last."""
        return self.alignment.feature_code(name, self.precision)[self.document]


def align(
    qrels: Records,
    features: Sequence[tuple[str, Records, str]],
    *,
    ascending: Iterable[str] = (),
    unmatched: Unmatched | Literal["keep"] = "refuse",
) -> Alignment:
    """Bring judgments and features together.

    ``unmatched``: a feature none of whose queries is judged, or none of whose documents, is an error (``"refuse"``) or
    left out (``"omit"``); in a part of a collection it may be so (``"keep"``).
    """
    lower_is_better = (ascending,) if isinstance(ascending, str) else tuple(ascending)
    _check_names(features, lower_is_better)
    if unmatched not in ("refuse", "omit", "keep"):
        raise TiecoreError(f"unknown unmatched={shortened(unmatched)}: expected 'refuse' or 'omit'")
    if qrels.grades is None:
        raise FormatError(
            qrels.source, None, "it has no grades: give it as a feature, and a file of judgments as qrels"
        )
    distinct = list({id(records): records for _, records, _ in features}.values())
    omitted: dict[str, str] = {}
    if unmatched == "omit":
        strangers = {
            id(records): str(no_common_query(records, qrels)) for records in distinct if _is_strange(records, qrels)
        }
        distinct = [records for records in distinct if id(records) not in strangers]
        omitted = {name: strangers[id(records)] for name, records, _ in features if id(records) in strangers}
    pool, matches = join(qrels, distinct)
    match_of = {id(records): match for records, match in zip(distinct, matches, strict=True)}
    for name, records, column in features:
        if (
            unmatched != "keep"
            and name not in omitted
            and (problem := _no_judged_document(pool, qrels, records, column, match_of[id(records)]))
        ):
            if unmatched == "refuse":
                raise AlignmentError(
                    f"{problem}, or leave such features out: unmatched='omit', in the command --unmatched omit"
                )
            omitted[name] = problem
    if features and len(omitted) == len(features):
        raise AlignmentError(next(iter(omitted.values())))
    without_ids = {id(records): records.without_ids() for records in distinct}
    grades, own = _levels(qrels.grades)
    level = np.zeros(len(pool.query), dtype=own.dtype)
    level[: len(own)] = own
    alignment = Alignment(
        query_ids=pool.query_ids,
        document_ids=pool.document_ids,
        query=pool.query,
        level=level,
        grades=grades,
        n_judged=len(own),
        ascending=frozenset(lower_is_better) - omitted.keys(),
        sources={
            name: Source(without_ids[id(records)], column, match_of[id(records)])
            for name, records, column in features
            if name not in omitted
        },
        omitted=omitted,
    )
    alignment.rank_judged()
    return alignment


def _levels(grades: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n_levels,) grade of each level, that of unjudged documents first; and the (n_judged,) level of each grade."""
    lowest = int(grades.min())
    if int(grades.max()) - lowest >= _FEW_GRADES:
        distinct, place = np.unique(grades, return_inverse=True)
        level = place + 1
    else:  # as always, almost: counted sooner than sorted
        above = grades - lowest if lowest else grades
        is_found = np.bincount(above) > 0
        distinct = lowest + np.flatnonzero(is_found)
        level = np.cumsum(is_found).astype(np.min_scalar_type(len(distinct) + 1))[above]
    levels = np.concatenate([[UNJUDGED], distinct])
    return levels, level.astype(np.min_scalar_type(len(levels)), copy=False)


def _is_strange(records: Records, qrels: Records) -> bool:
    """Return whether no query of a file is judged."""
    own = records.query.dictionary
    known = pc.is_in(own, value_set=qrels.query.dictionary.cast(own.type)).take(records.query.indices)
    return len(known) > 0 and not pc.any(known).as_py()


def _no_judged_document(pool: Joined, qrels: Records, records: Records, column: str, match: Match) -> str:
    """Return what is wrong with a feature none of whose documents is judged; nothing if one is, or if it has none."""
    n_judged = len(qrels.document)
    is_judged = match.document < n_judged
    if is_judged.all():  # as in a table that holds judgments too: to read each of its columns twice would take long
        return ""
    scores = records.features[column]

    def is_scored(kept: np.ndarray) -> np.ndarray:
        own = scores[kept if match.row is None else match.row[kept]]
        return ~np.isnan(own) if own.dtype.kind == "f" else np.ones(len(own), dtype=bool)

    judged = np.flatnonzero(is_judged)
    if is_scored(judged[:_FEW_ROWS]).any() or is_scored(judged).any():
        return ""
    scored = np.flatnonzero(is_scored(np.arange(len(match.document))))
    if not len(scored):
        return ""
    query = pool.query[match.document[scored[0]]]
    of_query = match.document[scored[pool.query[match.document[scored]] == query]]
    judged_of_query = np.flatnonzero(pool.query[:n_judged] == query)
    own, judged_ids = (
        shown_ids(pool.document_ids.take(arrow_numbers(documents))) for documents in (of_query, judged_of_query)
    )
    return (
        f"{records.source}: no document that {shortened(column)} scores is judged: for query "
        f"{shortened(pool.query_ids[int(query)].as_py())} it has {own}, the judgments {judged_ids}; "
        "look for a prefix, leading zeros or another collection"
    )


def _check_names(features: Sequence[tuple[object, Records, str]], ascending: Iterable[object]) -> None:
    file_of: dict[str, str] = {}
    for name, records, _ in features:
        if not isinstance(name, str):
            raise TiecoreError(f"the name of a feature must be text, found {shortened(name)}")
        if name in file_of:
            raise AlignmentError(
                f"two features are named {shortened(name)} ({file_of[name]} and {records.source}): "
                "give one another name"
            )
        file_of[name] = records.source
    for name in ascending:
        if not isinstance(name, str) or name not in file_of:
            raise TiecoreError(
                f"ascending names {shortened(name)}, which is no feature; there are {listed(list(file_of))}"
            )


def _once(memo: dict[str, np.ndarray], name: str, compute: Callable[[], np.ndarray]) -> np.ndarray:
    if name not in memo:
        array = compute()
        array.flags.writeable = False
        memo[name] = array
    return memo[name]


def _joined(values: np.ndarray, parts: Sequence[slice]) -> np.ndarray:
    """Parts of an array one after the other; a view where there is one part."""
    if len(parts) == 1:
        return values[parts[0]]
    join = np.ma.concatenate if isinstance(values, np.ma.MaskedArray) else np.concatenate
    return join([values[part] for part in parts])

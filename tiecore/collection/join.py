"""Which document is which: rows of several files matched by query and document id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.collection.ids import Ids
from tiecore.errors import AlignmentError, FormatError, listed, shortened
from tiecore.formats.records import Records
from tiecore.threads import in_threads

__all__ = ["Joined", "Match", "join", "no_common_query", "shown_ids"]

_SHOWN_IDS = 3
_BLOCK = 1 << 17
"""Documents of a block of queries, matched at a time: it stays in the processor's cache."""


class _SharedHashError(Exception):
    """Two different ids have one hash: start again with another salt."""


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


class Joined(NamedTuple):
    """The pool of documents: those of the judgments in their order, then what the other files add."""

    query_ids: pa.Array
    document_ids: pa.Array
    query: np.ndarray


def join(qrels: Records, others: Sequence[Records]) -> tuple[Joined, list[Match]]:
    """Match the rows of all files by 64-bit hashes of (query, document), each match checked against the ids."""
    salt = 0
    while True:
        try:
            pool = _Pool(_Rows.of(qrels, qrels), salt)
            matches = [pool.match(records) for records in others]
        except _SharedHashError:
            salt += 1
        else:
            return pool.joined(), matches


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of a file that belong to judged queries, in the order of the queries in the judgments."""

    records: Records
    ids: Ids
    row: np.ndarray | None
    """As in Match."""
    query: np.ndarray
    """(n_kept,) ascending."""
    unknown_queries: int

    @classmethod
    def of(cls, records: Records, qrels: Records) -> _Rows:
        if not len(records.document):
            what = "judgments" if records is qrels else "scores"
            raise FormatError(records.source, None, f"there are no {what} in it")
        query_ids = qrels.query.dictionary
        known = pc.index_in(records.query.dictionary, value_set=query_ids.cast(records.query.dictionary.type))
        query_of_code = known.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        query = query_of_code[records.query.indices.to_numpy()]
        row = None if query_of_code.min() >= 0 else np.flatnonzero(query >= 0)
        if row is not None:
            if not len(row):
                raise no_common_query(records, qrels)
            query = query[row]
        if (query[1:] < query[:-1]).any():
            order = np.argsort(query, kind="stable")
            query, row = query[order], order if row is None else row[order]
        return cls(records, Ids(records.document), row, query, int((query_of_code < 0).sum()))

    def file_rows(self, kept: slice) -> slice | np.ndarray:
        """Rows of the file behind some kept ones."""
        return kept if self.row is None else self.row[kept]


class _ByHash(NamedTuple):
    """Some kept rows of a block of queries by their hashes."""

    kept: np.ndarray
    hashes: np.ndarray
    """(n_rows,) sorted."""
    repeated: np.ndarray
    """(2, n_repeated) rows of the file that name the same document of the same query, the earlier one first."""


class _Pool:
    """Documents found so far, as parts: those of the judgments, and what each file has added."""

    def __init__(self, judged: _Rows, salt: int) -> None:
        self._qrels = judged.records
        self._salt_of_query = Ids(self._qrels.query.dictionary).hashed(salt)
        ends = np.cumsum(np.bincount(judged.query, minlength=len(self._qrels.query.dictionary)))
        inner = np.searchsorted(ends, np.arange(_BLOCK, int(ends[-1]), _BLOCK))
        self._bounds = np.array(sorted({0, *inner.tolist(), len(ends)}))
        self._ids: list[Ids] = [judged.ids]
        self._documents: list[pa.Array] = [self._qrels.document]
        self._queries: list[np.ndarray] = [self._qrels.query.indices.to_numpy()]  # int32, as are all that follow
        self._first_document = [0, len(judged.query)]
        hashed = in_threads(lambda kept: self._sorted_by_hash(judged, kept), self._blocks(judged))
        _refuse_repeated(judged.records, [block.repeated for block in hashed])
        self._hashes = [block.hashes for block in hashed]
        """Of each block of queries: (n_documents,) sorted."""
        self._by_hash = [block.kept if judged.row is None else judged.row[block.kept] for block in hashed]
        """Of each block of queries: (n_documents,) document of each hash."""

    def joined(self) -> Joined:
        documents = self._documents[0] if len(self._documents) == 1 else pa.concat_arrays(self._documents)
        return Joined(self._qrels.query.dictionary, documents, np.concatenate(self._queries))

    def match(self, records: Records) -> Match:
        """Find the documents of a file; those that are new to a judged query join the pool."""
        rows = _Rows.of(records, self._qrels)
        n_rows = len(rows.query)
        if records is self._qrels:
            return Match(rows.row, np.arange(n_rows) if rows.row is None else rows.row, 0, 0)
        document = np.full(n_rows, -1)

        def find(block: int, kept: slice) -> _ByHash:
            """Put down the documents that the pool has, and give back those that it has not."""
            hashed = self._sorted_by_hash(rows, kept)
            place = np.searchsorted(self._hashes[block], hashed.hashes)
            is_known = place < len(self._hashes[block])
            is_known[is_known] = self._hashes[block][place[is_known]] == hashed.hashes[is_known]
            document[hashed.kept[is_known]] = self._by_hash[block][place[is_known]]
            self._check(rows, kept, document[kept])
            return _ByHash(hashed.kept[~is_known], hashed.hashes[~is_known], hashed.repeated)

        unknown = in_threads(lambda piece: find(*piece), list(enumerate(self._blocks(rows))))
        _refuse_repeated(records, [block.repeated for block in unknown])
        new = np.flatnonzero(document < 0)
        if len(new):
            document[new] = self._first_document[-1] + np.arange(len(new))
            for block, added in enumerate(unknown):
                place = np.searchsorted(self._hashes[block], added.hashes)
                self._by_hash[block] = np.insert(self._by_hash[block], place, document[added.kept])
                self._hashes[block] = np.insert(self._hashes[block], place, added.hashes)
            self._grow(records.document.take(pa.array(new if rows.row is None else rows.row[new])), rows.query[new])
        return Match(rows.row, document, rows.unknown_queries, len(records.document) - n_rows)

    def _blocks(self, rows: _Rows) -> list[slice]:
        """Kept rows of each block of queries."""
        return [slice(*cut) for cut in pairwise(np.searchsorted(rows.query, self._bounds).tolist())]

    def _sorted_by_hash(self, rows: _Rows, kept: slice) -> _ByHash:
        hashes = rows.ids.hashed(self._salt_of_query[rows.query[kept]], rows.file_rows(kept))
        order = np.argsort(hashes)
        hashes = hashes[order]
        order += kept.start
        return _ByHash(order, hashes, _repeated(rows, order, hashes))

    def _grow(self, documents: pa.Array, query: np.ndarray) -> None:
        self._documents.append(documents.cast(self._documents[0].type))
        self._queries.append(query)
        self._ids.append(Ids(documents))
        self._first_document.append(self._first_document[-1] + len(documents))

    def _check(self, rows: _Rows, kept: slice, document: np.ndarray) -> None:
        """Make sure that what has one hash is one document."""
        query = rows.query[kept]
        for part, (first, end) in enumerate(pairwise(self._first_document)):
            inside = np.flatnonzero((document >= first) & (document < end))
            there = document[inside] - first
            same_query = np.array_equal(query[inside], self._queries[part][there])
            own = kept.start + inside if rows.row is None else rows.row[kept][inside]
            if not (same_query and rows.ids.are_equal(own, self._ids[part], there)):
                raise _SharedHashError


def _repeated(rows: _Rows, kept: np.ndarray, hashes: np.ndarray) -> np.ndarray:
    """Find what is listed twice among kept rows that stand by their hashes; see _ByHash."""
    twice = np.flatnonzero(hashes[1:] == hashes[:-1])
    if len(twice):
        kept = kept[np.lexsort((kept, hashes))]  # of three alike, the second is held against the first
    first, second = kept[twice], kept[twice + 1]
    own, other = (part if rows.row is None else rows.row[part] for part in (first, second))
    if not (np.array_equal(rows.query[first], rows.query[second]) and rows.ids.are_equal(own, rows.ids, other)):
        raise _SharedHashError
    return np.sort(np.stack([own, other]), axis=0)


def _refuse_repeated(records: Records, repeated: Sequence[np.ndarray]) -> None:
    """Refuse a file that lists a document twice for a query; of several, the first in the file."""
    both = np.concatenate(repeated, axis=1)
    if both.size:
        raise _listed_twice(records, *both[:, np.argmin(both[1])].tolist())


def _listed_twice(records: Records, earlier: int, later: int) -> FormatError:
    query, document = records.query[later].as_py(), records.document[later].as_py()
    conflict = ""
    if records.grades is not None and records.grades[earlier] != records.grades[later]:
        conflict = f" with grades {records.grades[earlier]} and {records.grades[later]}"
    what = "row" if records.kind == "memory" else "line"
    problem = (
        f"document {shortened(document)} of query {shortened(query)} is listed twice{conflict}, "
        f"first in {what} {records.line(earlier)}: keep one of them"
    )
    if records.kind == "memory":
        return FormatError(records.source, None, f"{problem} (again in row {records.line(later)})")
    return FormatError(records.source, records.line(later), problem)


def no_common_query(records: Records, qrels: Records) -> AlignmentError:
    """Return the error for a file that shares no query with the judgments; it shows ids of both."""
    return AlignmentError(
        f"{records.source} and {qrels.source} have no query in common: the first names "
        f"{shown_ids(records.query.dictionary)}, the second {shown_ids(qrels.query.dictionary)}; "
        "look for leading zeros, blanks or a prefix"
    )


def shown_ids(ids: pa.Array) -> str:
    """Return the first few ids for a message."""
    return listed(ids[: _SHOWN_IDS + 1].to_pylist(), most=_SHOWN_IDS)

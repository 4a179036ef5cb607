"""Which document is which: rows of several files matched by query and document id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.errors import AlignmentError, FormatError
from tiecore.formats.records import Records
from tiecore.ids import Ids
from tiecore.threads import in_threads, n_processors

__all__ = ["Joined", "Match", "join"]

_SHOWN_IDS = 3


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
            files = _hash_all([qrels, *others], salt)
            pool = _Pool(next(files))
            matches = [pool.add(file) for file in files]
        except _SharedHashError:
            salt += 1
        else:
            return pool.joined(), matches


@dataclass(frozen=True, slots=True, eq=False)
class _Hashed:
    """Rows of the judged queries of a file in the order of their hashes."""

    records: Records
    row: np.ndarray | None
    """(n_kept,) row of the file, ascending; None if all are kept."""
    unknown_queries: int
    documents: pa.Array
    ids: Ids
    query: np.ndarray
    by_hash: np.ndarray
    """(n_kept,) kept row by the order of the hashes."""
    hashes: np.ndarray
    """(n_kept,) sorted."""

    @classmethod
    def of(cls, records: Records, qrels: Records, salt: int) -> _Hashed:
        """Hash the rows of a file."""
        if not len(records.document):
            what = "judgments" if records is qrels else "scores"
            raise FormatError(records.source, None, f"there are no {what} in it")
        query_ids = qrels.query.dictionary
        known = pc.index_in(records.query.dictionary, value_set=query_ids.cast(records.query.dictionary.type))
        query_of_code = known.fill_null(-1).to_numpy(zero_copy_only=False)
        query = query_of_code[records.query.indices.to_numpy()]
        row = None if query_of_code.min() >= 0 else np.flatnonzero(query >= 0)
        if row is not None and not len(row):
            raise AlignmentError(
                f"{records.source} and {qrels.source} have no query in common: the first names "
                f"{_some(records.query.dictionary)}, the second {_some(query_ids)}; "
                "look for leading zeros, blanks or a prefix"
            )
        documents = records.document if row is None else records.document.take(pa.array(row))
        query = query if row is None else query[row]
        ids = Ids(documents)
        hashes = ids.hashed(Ids(query_ids).hashed(salt)[query])
        by_hash = np.argsort(hashes)
        unknown = int((query_of_code < 0).sum())
        hashed = cls(records, row, unknown, documents, ids, query, by_hash, hashes[by_hash])
        hashed.refuse_repeated()
        return hashed

    def refuse_repeated(self) -> None:
        """Refuse a file that lists a document twice for a query."""
        twice = np.flatnonzero(self.hashes[1:] == self.hashes[:-1])
        if not len(twice):
            return
        first, second = self.by_hash[twice], self.by_hash[twice + 1]
        if not (np.array_equal(self.query[first], self.query[second]) and self.ids.are_equal(first, self.ids, second)):
            raise _SharedHashError
        pairs = np.sort(np.stack([first, second]), axis=0)
        pairs = pairs if self.row is None else self.row[pairs]
        earlier, later = (int(number) for number in pairs[:, np.argmin(pairs[1])])
        raise _listed_twice(self.records, earlier, later)


def _hash_all(files: Sequence[Records], salt: int) -> Iterator[_Hashed]:
    """Hash the judgments and the other files, as many at a time as there are processors, to hold the memory down."""
    step = n_processors()
    for begin in range(0, len(files), step):
        yield from in_threads(lambda records: _Hashed.of(records, files[0], salt), files[begin : begin + step])


class _Pool:
    def __init__(self, qrels: _Hashed) -> None:
        self._qrels = qrels.records
        self._by_hash, self._hashes = qrels.by_hash, qrels.hashes  # documents in the order of their hashes
        self._queries: list[np.ndarray] = [qrels.query]
        self._documents: list[pa.Array] = [qrels.documents]
        self._ids: list[Ids] = [qrels.ids]
        self._first_document = [0, len(qrels.ids)]

    def joined(self) -> Joined:
        documents = self._documents[0] if len(self._documents) == 1 else pa.concat_arrays(self._documents)
        return Joined(self._qrels.query.dictionary, documents, np.concatenate(self._queries).astype(np.int64))

    def add(self, file: _Hashed) -> Match:
        """Find the documents of a file; those that are new to a judged query join the pool."""
        n_rows = len(file.query)
        if file.records is self._qrels:
            return _by_query(Match(None, np.arange(n_rows), 0, 0), file.query)
        place = np.searchsorted(self._hashes, file.hashes)
        is_known = place < len(self._hashes)
        is_known[is_known] = self._hashes[place[is_known]] == file.hashes[is_known]
        document = np.full(n_rows, -1)
        document[file.by_hash[is_known]] = self._by_hash[place[is_known]]
        self._check(file, document)
        if not is_known.all():
            new = np.flatnonzero(document < 0)
            document[new] = self._first_document[-1] + np.arange(len(new))
            self._by_hash = np.insert(self._by_hash, place[~is_known], document[file.by_hash[~is_known]])
            self._hashes = np.insert(self._hashes, place[~is_known], file.hashes[~is_known])
            self._grow(file.documents.take(pa.array(new)), file.query[new])
        match = Match(file.row, document, file.unknown_queries, len(file.records.document) - n_rows)
        return _by_query(match, file.query)

    def _grow(self, documents: pa.Array, query: np.ndarray) -> None:
        self._documents.append(documents.cast(self._documents[0].type))
        self._queries.append(query)
        self._ids.append(Ids(documents))
        self._first_document.append(self._first_document[-1] + len(documents))

    def _check(self, file: _Hashed, document: np.ndarray) -> None:
        """Make sure that what has one hash is one document."""
        for part, (first, end) in enumerate(pairwise(self._first_document)):
            rows = np.flatnonzero((document >= first) & (document < end))
            there = document[rows] - first
            same_query = np.array_equal(file.query[rows], self._queries[part][there])
            if not (same_query and file.ids.are_equal(rows, self._ids[part], there)):
                raise _SharedHashError


def _by_query(match: Match, query: np.ndarray) -> Match:
    """Put the rows in the order of the queries in the judgments, if they are not."""
    if (query[1:] >= query[:-1]).all():
        return match
    order = np.argsort(query, kind="stable")
    row = order if match.row is None else match.row[order]
    return replace(match, row=row, document=match.document[order])


def _listed_twice(records: Records, earlier: int, later: int) -> FormatError:
    query, document = records.query[later].as_py(), records.document[later].as_py()
    conflict = ""
    if records.grades is not None and records.grades[earlier] != records.grades[later]:
        conflict = f" with grades {records.grades[earlier]} and {records.grades[later]}"
    what = "row" if records.kind == "memory" else "line"
    problem = (
        f"document {document!r} of query {query!r} is listed twice{conflict}, "
        f"first in {what} {records.line(earlier)}: keep one of them"
    )
    if records.kind == "memory":
        return FormatError(records.source, None, f"{problem} (again in row {records.line(later)})")
    return FormatError(records.source, records.line(later), problem)


def _some(ids: pa.Array) -> str:
    shown = ", ".join(repr(value) for value in ids[:_SHOWN_IDS].to_pylist())
    return f"{shown}, …" if len(ids) > _SHOWN_IDS else shown

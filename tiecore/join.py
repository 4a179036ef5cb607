"""Which document is which: rows of several files matched by query and document id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.errors import AlignmentError, FormatError
from tiecore.formats.records import Records
from tiecore.ids import Ids

__all__ = ["Joined", "Match", "join"]

_SHOWN_IDS = 3


class _SharedHashError(Exception):
    """Two different ids have one hash: start again with another salt."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """The rows of a file that belong to judged queries."""

    row: np.ndarray | None
    """(n_kept,) row of the file, ascending; None if all are kept."""
    document: np.ndarray
    """(n_kept,) document of the pool."""
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
            pool = _Pool(qrels, salt)
            matches = [pool.add(records) for records in others]
        except _SharedHashError:
            salt += 1
        else:
            return pool.joined(), matches


class _Pool:
    def __init__(self, qrels: Records, salt: int) -> None:
        if not len(qrels.document):
            raise FormatError(qrels.source, None, "there are no judgments in it")
        self._qrels = qrels
        self._query_ids: pa.Array = qrels.query.dictionary
        self._salt_of_query = Ids(self._query_ids).hashed(salt)
        query = qrels.query.indices.to_numpy()
        ids = Ids(qrels.document)
        hashes = ids.hashed(self._salt_of_query[query])
        self._by_hash = np.argsort(hashes)  # documents in the order of their hashes
        self._hashes = hashes[self._by_hash]
        _refuse_repeated(qrels, ids, query, self._by_hash, self._hashes)
        self._queries: list[np.ndarray] = [query]
        self._documents: list[pa.Array] = [qrels.document]
        self._ids: list[Ids] = [ids]
        self._first_document = [0, len(ids)]

    def joined(self) -> Joined:
        documents = self._documents[0] if len(self._documents) == 1 else pa.concat_arrays(self._documents)
        return Joined(self._query_ids, documents, np.concatenate(self._queries).astype(np.int64))

    def add(self, records: Records) -> Match:
        """Find the documents of a file; those that are new to a judged query join the pool."""
        if records is self._qrels:
            return Match(None, np.arange(len(records.document)), 0, 0)
        if not len(records.document):
            raise FormatError(records.source, None, "there are no scores in it")
        known = pc.index_in(records.query.dictionary, value_set=self._query_ids.cast(records.query.dictionary.type))
        query_of_code = known.fill_null(-1).to_numpy(zero_copy_only=False)
        query = query_of_code[records.query.indices.to_numpy()]
        row = None if query_of_code.min() >= 0 else np.flatnonzero(query >= 0)
        if row is not None and not len(row):
            raise AlignmentError(
                f"{records.source} and {self._qrels.source} have no query in common: the first names "
                f"{_some(records.query.dictionary)}, the second {_some(self._query_ids)}; "
                "look for leading zeros, blanks or a prefix"
            )
        documents = records.document if row is None else records.document.take(pa.array(row))
        query = query if row is None else query[row]
        ids = Ids(documents)
        hashes = ids.hashed(self._salt_of_query[query])
        by_hash = np.argsort(hashes)
        hashes = hashes[by_hash]
        _refuse_repeated(records, ids, query, by_hash, hashes, row)
        place = np.searchsorted(self._hashes, hashes)
        is_known = place < len(self._hashes)
        is_known[is_known] = self._hashes[place[is_known]] == hashes[is_known]
        document = np.full(len(ids), -1)
        document[by_hash[is_known]] = self._by_hash[place[is_known]]
        self._check(ids, query, document)
        if not is_known.all():
            new = np.flatnonzero(document < 0)
            document[new] = self._first_document[-1] + np.arange(len(new))
            self._by_hash = np.insert(self._by_hash, place[~is_known], document[by_hash[~is_known]])
            self._hashes = np.insert(self._hashes, place[~is_known], hashes[~is_known])
            self._grow(documents.take(pa.array(new)), query[new])
        return Match(row, document, int((query_of_code < 0).sum()), len(records.document) - len(ids))

    def _grow(self, documents: pa.Array, query: np.ndarray) -> None:
        self._documents.append(documents.cast(self._documents[0].type))
        self._queries.append(query)
        self._ids.append(Ids(documents))
        self._first_document.append(self._first_document[-1] + len(documents))

    def _check(self, ids: Ids, query: np.ndarray, document: np.ndarray) -> None:
        """Make sure that what has one hash is one document."""
        for part, (first, end) in enumerate(pairwise(self._first_document)):
            rows = np.flatnonzero((document >= first) & (document < end))
            there = document[rows] - first
            same_query = np.array_equal(query[rows], self._queries[part][there])
            if not (same_query and ids.equal(rows, self._ids[part], there).all()):
                raise _SharedHashError


def _refuse_repeated(
    records: Records,
    ids: Ids,
    query: np.ndarray,
    by_hash: np.ndarray,
    hashes: np.ndarray,
    row: np.ndarray | None = None,
) -> None:
    """Refuse a file that lists a document twice for a query."""
    twice = np.flatnonzero(hashes[1:] == hashes[:-1])
    if not len(twice):
        return
    first, second = by_hash[twice], by_hash[twice + 1]
    if not (np.array_equal(query[first], query[second]) and ids.equal(first, ids, second).all()):
        raise _SharedHashError
    pairs = np.sort(np.stack([first, second]), axis=0)
    pairs = pairs if row is None else row[pairs]
    earlier, later = (int(number) for number in pairs[:, np.argmin(pairs[1])])
    where = records.query[later].as_py(), records.document[later].as_py()
    conflict = ""
    if records.grades is not None and records.grades[earlier] != records.grades[later]:
        conflict = f" with grades {records.grades[earlier]} and {records.grades[later]}"
    what = "row" if records.kind == "memory" else "line"
    problem = (
        f"document {where[1]!r} of query {where[0]!r} is listed twice{conflict}, "
        f"first in {what} {records.line(earlier)}: keep one of them"
    )
    if records.kind == "memory":
        raise FormatError(records.source, None, f"{problem} (again in row {records.line(later)})")
    raise FormatError(records.source, records.line(later), problem)


def _some(ids: pa.Array) -> str:
    shown = ", ".join(repr(value) for value in ids[:_SHOWN_IDS].to_pylist())
    return f"{shown}, …" if len(ids) > _SHOWN_IDS else shown

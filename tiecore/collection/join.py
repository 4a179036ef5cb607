"""Which document is which: rows of several files matched by query and document id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.errors import AlignmentError, FormatError, listed, shortened
from tiecore.formats.arrays import arrow_numbers, numpy_numbers
from tiecore.formats.records import Records
from tiecore.kernel import library
from tiecore.threads import in_threads
from tiecore.ties.segments import counts_of_ascending

__all__ = ["Joined", "Match", "join", "no_common_query", "shown_ids"]

_SHOWN_IDS = 3
_NOT_JUDGED = arrow_numbers(np.array([-1], np.int32))[0]
_BLOCK = 1 << 16
"""Rows of all files that are matched at a time: their ids and the table of these then stay in the processor's cache."""


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
    """Match the rows of all files by (query, document)."""
    files = [qrels, *(records for records in others if records is not qrels)]
    is_large = any(pa.types.is_large_string(records.document.type) for records in files)
    rows = in_threads(lambda records: _Rows.of(records, qrels, large=is_large), files)
    compiled = None if is_large else library.Files([own.compiled() for own in rows])
    blocks = in_threads(lambda parts: _Block.of(rows, parts, compiled), _parts(rows))
    documents, first_new = _numbered(rows, blocks)
    in_threads(lambda both: _refuse_repeated(*both, first_new[-1]), list(zip(rows, documents, strict=True)))
    match_of = {id(own.records): own.match(document) for own, document in zip(rows, documents, strict=True)}
    return _pooled(rows, documents, first_new), [match_of[id(records)] for records in others]


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The rows of a file that belong to judged queries, in the order of the queries in the judgments."""

    records: Records
    document: pa.Array
    """(n_rows,) ids of all rows of the file, as string or large_string as in all files."""
    row: np.ndarray | None
    """As in Match."""
    query: np.ndarray
    """(n_kept,) ascending."""
    unknown_queries: int

    @classmethod
    def of(cls, records: Records, qrels: Records, *, large: bool) -> _Rows:
        if not len(records.document):
            what = "judgments" if records is qrels else "scores"
            raise FormatError(records.source, None, f"there are no {what} in it")
        query_ids = qrels.query.dictionary
        known = pc.index_in(records.query.dictionary, value_set=query_ids.cast(records.query.dictionary.type))
        query_of_code = numpy_numbers(known.fill_null(_NOT_JUDGED))
        query = numpy_numbers(records.query.indices).astype(np.int32, copy=False)
        if not np.array_equal(query_of_code, np.arange(len(query_of_code))):  # as it is in the judgments themselves
            query = query_of_code[query]
        row = None if query_of_code.min() >= 0 else np.flatnonzero(query >= 0)
        if row is not None:
            if not len(row):
                raise no_common_query(records, qrels)
            query = query[row]
        if (query[1:] < query[:-1]).any():
            order = np.argsort(query, kind="stable")
            query, row = query[order], order if row is None else row[order]
        ids = records.document.cast(pa.large_string() if large else pa.string())
        return cls(records, ids, row, query, int((query_of_code < 0).sum()))

    def ids(self, part: slice) -> pa.Array:
        """Document ids of some kept rows."""
        return self.document[part] if self.row is None else self.document.take(arrow_numbers(self.row[part]))

    def file_rows(self, kept: np.ndarray | slice) -> np.ndarray:
        """Rows of the file behind some kept ones."""
        if self.row is None:
            return np.arange(kept.start, kept.stop) if isinstance(kept, slice) else kept
        return self.row[kept]

    def compiled(self) -> library.Rows:
        """Return the rows as compiled code reads them, which needs ids in a string array."""
        _, ends, texts = self.document.buffers()
        own_ends = np.frombuffer(ends, np.int32)[self.document.offset :]
        return library.Rows(0 if texts is None else texts.address, own_ends, self.row, self.query)

    def match(self, document: np.ndarray) -> Match:
        """Bring together what is known of the kept rows and their documents."""
        return Match(self.row, document, self.unknown_queries, len(self.records.document) - len(self.query))


class _Block(NamedTuple):
    """Some queries in a row, with the kept rows of all files that belong to them, one file after the other."""

    parts: list[slice]
    """Kept rows of each file."""
    ends: np.ndarray
    """(n_files,) row of the block at which the rows of each file end."""
    pair: np.ndarray
    """(n_rows,) number of each row's (query, document), in the order in which they are named first."""
    n_named: np.ndarray
    """(n_files,) how many of these each file and those before it name."""

    @classmethod
    def of(cls, rows: Sequence[_Rows], parts: list[slice], compiled: library.Files | None) -> _Block:
        """Number the documents of a block, by compiled code where it is there."""
        begins, ends = np.array([[part.start, part.stop] for part in parts]).T.copy()
        pair = None if compiled is None else library.number_documents(compiled, begins, ends)
        if pair is None:
            pair = _by_dictionaries(rows, parts)
        end = np.cumsum(ends - begins)
        return cls(parts, end, pair, np.concatenate([[0], np.maximum.accumulate(pair) + 1])[end])


def _by_dictionaries(rows: Sequence[_Rows], parts: list[slice]) -> np.ndarray:
    """Number the ids of a block in the order in which they come first, and then each query's of these."""
    query = np.concatenate([own.query[part] for own, part in zip(rows, parts, strict=True)])
    ids = pa.chunked_array([own.ids(part) for own, part in zip(rows, parts, strict=True)])
    code = np.concatenate([numpy_numbers(chunk.indices) for chunk in ids.dictionary_encode().chunks])
    packed = query.astype(np.int64) << 32 | code
    return numpy_numbers(arrow_numbers(packed).dictionary_encode().indices)


def _pooled(rows: Sequence[_Rows], documents: Sequence[np.ndarray], first_new: Sequence[int]) -> Joined:
    """Bring together the documents of the first file in the order of its rows, then what each other file adds.

    ``first_new``: the first number that each file leaves for those that the next one adds.
    """
    judgments = rows[0].records
    pool_ids, pool_queries = [judgments.document], [numpy_numbers(judgments.query.indices)]
    for own, document, n_known, n_then in zip(rows[1:], documents[1:], first_new, first_new[1:], strict=False):
        if n_then > n_known:
            new = np.flatnonzero(document >= n_known)
            added = own.records.document.take(arrow_numbers(own.file_rows(new)))
            pool_ids.append(added.cast(judgments.document.type))
            pool_queries.append(own.query[new])
    ids = pool_ids[0] if len(pool_ids) == 1 else pa.concat_arrays(pool_ids)
    queries = pool_queries[0] if len(pool_queries) == 1 else np.concatenate(pool_queries)
    return Joined(judgments.query.dictionary, ids, queries)


def _numbered(rows: Sequence[_Rows], blocks: Sequence[_Block]) -> tuple[list[np.ndarray], list[int]]:
    """Return the documents of each file, and the first number that is left for those that the next file adds."""
    n_new = np.diff([block.n_named for block in blocks], axis=1, prepend=0).T  # (n_files, n_blocks)
    n_new[0] = 0
    first = len(rows[0].records.document) + (np.cumsum(n_new) - n_new.ravel()).reshape(n_new.shape)
    documents = [np.empty(len(own.query), dtype=np.int64) for own in rows]

    def number(place: int) -> None:
        parts, ends, pair, n_named = blocks[place]
        document_of_pair = np.repeat(first[:, place] - n_named + n_new[:, place], np.diff(n_named, prepend=0))
        document_of_pair += np.arange(n_named[-1])
        document_of_pair[pair[: ends[0]]] = rows[0].file_rows(parts[0])  # judged documents stand as in their file
        document = document_of_pair[pair]
        for own, part, end in zip(documents, parts, ends.tolist(), strict=True):
            own[part] = document[end - (part.stop - part.start) : end]

    in_threads(number, range(len(blocks)))
    return documents, (len(rows[0].records.document) + np.cumsum(n_new.sum(axis=1))).tolist()


def _parts(rows: Sequence[_Rows]) -> list[list[slice]]:
    """Kept rows of each file that belong to a block of queries, a block after the other."""
    n_queries = len(rows[0].records.query.dictionary)
    ends = np.cumsum(sum(counts_of_ascending(own.query, n_queries) for own in rows))
    total = int(ends[-1])
    # every block ends with the query that makes it large enough, so that none is empty
    last = np.searchsorted(ends, [*range(_BLOCK, total, _BLOCK), total])
    # of the type of the queries, or all of these are copied to look for them
    bounds = np.array(sorted({0, *(last + 1).tolist()}), dtype=np.int32)
    cuts = np.array([np.searchsorted(own.query, bounds) for own in rows]).T.tolist()  # (n_blocks + 1, n_files)
    return [[slice(*cut) for cut in zip(*both, strict=True)] for both in pairwise(cuts)]


def _refuse_repeated(rows: _Rows, document: np.ndarray, n_documents: int) -> None:
    """Refuse a file that lists a document twice for a query; of several, the first in the file."""
    is_named = np.zeros(n_documents, dtype=bool)
    is_named[document] = True
    if np.count_nonzero(is_named) == len(document):
        return
    order = np.argsort(document, kind="stable")
    again = np.flatnonzero(document[order[1:]] == document[order[:-1]])
    earlier, later = rows.file_rows(order[again]), rows.file_rows(order[again + 1])
    first = int(np.argmin(later))
    raise _listed_twice(rows.records, int(earlier[first]), int(later[first]))


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

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
from tiecore.formats.arrays import arrow_numbers, numpy_numbers
from tiecore.formats.records import Records
from tiecore.kernel import library
from tiecore.threads import in_threads
from tiecore.ties.segments import changes, lengths

__all__ = ["Joined", "Match", "join", "no_common_query", "shown_ids"]

_SHOWN_IDS = 3
_NOT_JUDGED = arrow_numbers(np.array([-1], np.int32))[0]
_BLOCK = 1 << 17
"""Rows of all files that are matched at a time: what is computed on the way then stays in the processor's cache."""


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
    """Match the rows of all files by (query, document)."""
    files = [qrels, *(records for records in others if records is not qrels)]
    rows = in_threads(lambda records: _Rows.of(records, qrels), files)
    parts_of_blocks = _parts(rows)
    pool, documents = _joined_by_ids(rows, parts_of_blocks) or _joined_by_hashes(rows, parts_of_blocks)
    match_of = {id(own.records): own.match(document) for own, document in zip(rows, documents, strict=True)}
    return pool, [match_of[id(records)] for records in others]


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
        return cls(records, Ids(records.document), row, query, int((query_of_code < 0).sum()))

    def file_rows(self, kept: np.ndarray) -> np.ndarray:
        """Rows of the file behind some kept ones."""
        return kept if self.row is None else self.row[kept]

    def match(self, document: np.ndarray) -> Match:
        """Bring together what is known of the kept rows and their documents."""
        return Match(self.row, document, self.unknown_queries, len(self.records.document) - len(self.query))


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Some queries in a row, with the kept rows of all files that belong to them, one file after the other."""

    parts: list[slice]
    """Kept rows of each file."""
    begins: np.ndarray
    """(n_files + 1,) first row of each file in the block, and the number of its rows."""
    origin: np.ndarray
    """(n_rows,) the first row of the block that names the same document as each row."""
    twice: np.ndarray
    """(2, n_twice) neighbouring rows of one file that name the same document, the earlier one first."""

    @classmethod
    def of(cls, rows: Sequence[_Rows], hashes: Sequence[np.ndarray], parts: list[slice]) -> _Block:
        """Find the rows that have one hash."""
        n_rows = [part.stop - part.start for part in parts]
        joined = np.concatenate([own[part] for own, part in zip(hashes, parts, strict=True)])
        order = _stable_order(joined)
        is_first = changes(joined[order])
        origin = np.empty(len(order), dtype=np.int32)
        first = np.flatnonzero(is_first)
        origin[order] = np.repeat(order[first], lengths(first, len(order)))
        query = np.concatenate([own.query[part] for own, part in zip(rows, parts, strict=True)])
        if not np.array_equal(query[origin], query):
            raise _SharedHashError
        # equal hashes stand in the order of the files, so what one file lists twice are neighbours
        again = np.flatnonzero(~is_first)
        file = np.repeat(np.arange(len(parts)), n_rows)
        again = again[file[order[again]] == file[order[again - 1]]]
        return cls(parts, np.cumsum([0, *n_rows]), origin, np.stack([order[again - 1], order[again]]))

    def first_rows(self) -> np.ndarray:
        """Rows that are the first to name their document, ascending."""
        return np.flatnonzero(self.origin == np.arange(len(self.origin)))


def _stable_order(hashes: np.ndarray) -> np.ndarray:
    """Order by hashes; equal ones stay in their order."""
    position_bits = len(hashes).bit_length()
    low = np.uint64((1 << position_bits) - 1)
    # most of the hash and the position in one number, which sorts many times quicker than positions by their hashes
    packed = hashes & ~low
    packed |= np.arange(len(hashes), dtype=np.uint64)
    packed.sort()
    order = (packed & low).view(np.int64)
    ordered = hashes[order]
    if (ordered[1:] < ordered[:-1]).any():  # different only in the bits that the position has taken
        return np.argsort(hashes, kind="stable")
    return order


def _joined_by_ids(
    rows: Sequence[_Rows], parts_of_blocks: Sequence[list[slice]]
) -> tuple[Joined, list[np.ndarray]] | None:
    """Match rows by comparing ids in compiled code; None where that is left to hashes, as all refusals are."""
    documents = [np.empty(len(own.query), dtype=np.int64) for own in rows]
    files = library.Files(
        [
            library.Rows(own.ids.of_rows(own.row), own.query, document)
            for own, document in zip(rows, documents, strict=True)
        ]
    )
    bounds = [
        np.array([[part.start for part in parts], [part.stop for part in parts]], dtype=np.int64)
        for parts in parts_of_blocks
    ]
    found = in_threads(
        lambda both: library.number_documents(files, *both), bounds, workers=None if library.is_there() else 1
    )
    counts = [count for count in found if count is not None]
    if len(counts) < len(bounds):
        return None
    n_new = np.array(counts).T  # (n_files, n_blocks)
    n_judged = len(rows[0].records.document)
    first = np.ascontiguousarray((n_judged + np.cumsum(n_new) - n_new.ravel()).reshape(n_new.shape).T)
    if n_new.any():
        in_threads(
            lambda block: library.renumber_documents(files, bounds[block][0], bounds[block][1], first[block]),
            range(len(bounds)),
        )
    first_new = n_judged + np.cumsum(n_new.sum(axis=1))
    return _pooled(rows, documents, first_new.tolist()), documents


def _joined_by_hashes(rows: Sequence[_Rows], parts_of_blocks: Sequence[list[slice]]) -> tuple[Joined, list[np.ndarray]]:
    """Match rows by 64-bit hashes of (query, document), each match checked against the ids."""
    salt = 0
    while True:
        try:
            return _with_salt(rows, parts_of_blocks, salt)
        except _SharedHashError:
            salt += 1


def _with_salt(
    rows: Sequence[_Rows], parts_of_blocks: Sequence[list[slice]], salt: int
) -> tuple[Joined, list[np.ndarray]]:
    salt_of_query = Ids(rows[0].records.query.dictionary).hashed(salt)
    hashes = in_threads(lambda own: own.ids.hashed(salt_of_query[own.query], own.row), rows)
    blocks = in_threads(lambda parts: _Block.of(rows, hashes, parts), parts_of_blocks)
    for file, own in enumerate(rows):
        _refuse_repeated(own, [_twice_in(block, file) for block in blocks])
    documents, first_new = _numbered(rows, blocks)
    pool = _pooled(rows, documents, first_new)
    _check(rows[1:], documents[1:], pool.document_ids, first_new)
    return pool, documents


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
    first_rows = in_threads(_Block.first_rows, blocks)
    ends = [np.searchsorted(first, block.begins) for first, block in zip(first_rows, blocks, strict=True)]
    n_new = np.diff(ends, axis=1).T  # (n_files, n_blocks)
    base = (np.cumsum(n_new) - n_new.ravel()).reshape(n_new.shape)
    documents = [np.empty(len(own.query), dtype=np.int64) for own in rows]

    def number(place: int) -> None:
        block, first, end = blocks[place], first_rows[place], ends[place]
        of_row = np.empty(len(block.origin), dtype=np.int64)
        of_row[first] = np.arange(len(first)) + np.repeat(base[:, place] - end[:-1], np.diff(end))
        if rows[0].row is not None:
            of_row[: end[1]] = rows[0].row[block.parts[0]]
        document = of_row[block.origin]
        for part, begin, own in zip(block.parts, block.begins.tolist(), documents, strict=False):
            own[part] = document[begin : begin + part.stop - part.start]

    in_threads(number, range(len(blocks)))
    return documents, np.cumsum(n_new.sum(axis=1)).tolist()


def _parts(rows: Sequence[_Rows]) -> list[list[slice]]:
    """Kept rows of each file that belong to a block of queries, a block after the other."""
    n_queries = len(rows[0].records.query.dictionary)
    ends = np.cumsum(sum(np.bincount(own.query, minlength=n_queries) for own in rows))
    inner = np.searchsorted(ends, np.arange(_BLOCK, int(ends[-1]), _BLOCK))
    # of the type of the queries, or all of these are copied to look for them
    bounds = np.array(sorted({0, *inner.tolist(), len(ends)}), dtype=np.int32)
    cuts = np.array([np.searchsorted(own.query, bounds) for own in rows]).T.tolist()  # (n_blocks + 1, n_files)
    return [[slice(*cut) for cut in zip(*both, strict=True)] for both in pairwise(cuts)]


def _check(rows: Sequence[_Rows], documents: Sequence[np.ndarray], ids: pa.Array, first_new: Sequence[int]) -> None:
    """Make sure that what has one hash has one id."""

    def check(file: int, begin: int) -> None:
        own, document = rows[file].records.document, documents[file][begin : begin + _BLOCK]
        known = np.flatnonzero(document < first_new[file])  # what a file was the first to name is its own
        row = rows[file].file_rows(known + begin)
        here, there = own.take(arrow_numbers(row)).cast(ids.type), ids.take(arrow_numbers(document[known]))
        if not pc.all(pc.equal(here, there), min_count=0).as_py():
            raise _SharedHashError

    pieces = [(file, begin) for file, own in enumerate(documents) for begin in range(0, len(own), _BLOCK)]
    in_threads(lambda piece: check(*piece), pieces)


def _twice_in(block: _Block, file: int) -> np.ndarray:
    """(2, n_twice) kept rows of a file that name a document again."""
    if not block.twice.size:
        return block.twice
    begin, end = block.begins[file : file + 2].tolist()
    inside = (block.twice[0] >= begin) & (block.twice[0] < end)
    return block.twice[:, inside] - begin + block.parts[file].start


def _refuse_repeated(rows: _Rows, kept: Sequence[np.ndarray]) -> None:
    """Refuse a file that lists a document twice for a query; of several, the first in the file."""
    first, second = np.concatenate(kept, axis=1)
    if not len(first):
        return
    own, other = rows.file_rows(first), rows.file_rows(second)
    document = rows.records.document
    if not pc.all(pc.equal(document.take(arrow_numbers(own)), document.take(arrow_numbers(other)))).as_py():
        raise _SharedHashError
    again = int(np.argmin(other))
    raise _listed_twice(rows.records, int(own[again]), int(other[again]))


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

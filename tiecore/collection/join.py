"""Which document is which: rows of several files matched by query and document id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError, shortened
from tiecore.formats.arrays import arrow_numbers, numpy_numbers
from tiecore.formats.records import Records
from tiecore.kernel import library
from tiecore.threads import in_threads

_FEW_ROWS = 1 << 10
"""Rows of all files that one thread matches before several, or compiled code, would have begun."""
_BLOCK = 1 << 16
"""Rows of all files that are matched at a time: their ids and their dictionary then stay in the processor's cache."""


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
    place_of = {query: place for place, query in enumerate(qrels.query.dictionary.to_pylist())}
    is_small = sum(len(records.document) for records in files) < _FEW_ROWS
    workers = 1 if is_small else None
    rows = in_threads(lambda records: _Rows.of(records, qrels, place_of, large=is_large), files, workers=workers)
    compiled = None if is_large or is_small else library.Files([own.compiled() for own in rows])
    codes, n_codes = _codes(rows, compiled=compiled)
    in_threads(lambda both: _refuse_repeated(*both, n_codes), list(zip(rows, codes, strict=True)), workers=workers)
    pool, documents = _pooled(rows, codes, n_codes)
    match_of = {
        id(own.records): Match(own.row, document, own.unknown_queries, unknown_rows=len(own.document) - len(own.query))
        for own, document in zip(rows, documents, strict=True)
    }
    return pool, [match_of[id(records)] for records in others]


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
    def of(cls, records: Records, qrels: Records, place_of: Mapping[str, int], *, large: bool) -> _Rows:
        if not len(records.document):
            what = "judgments" if records is qrels else "scores"
            raise FormatError(records.source, None, f"there are no {what} in it")
        # in Python: to load what Arrow has for it takes as long as a hundred thousand look-ups
        places = [place_of.get(query, -1) for query in records.query.dictionary.to_pylist()]
        query_of_code = np.array(places, np.int32)
        query = numpy_numbers(records.query.indices).astype(np.int32, copy=False)
        if not np.array_equal(query_of_code, np.arange(len(query_of_code))):  # as it is in the judgments themselves
            query = query_of_code[query]
        row = None if query_of_code.min() >= 0 else np.flatnonzero(query >= 0)
        if row is not None:
            query = query[row]
        if (query[1:] < query[:-1]).any():
            order = np.argsort(query, kind="stable")
            query, row = query[order], order if row is None else row[order]
        ids, kind = records.document, pa.large_string() if large else pa.string()
        ids = ids if ids.type == kind else ids.cast(kind)
        return cls(records, ids, row, query, int((query_of_code < 0).sum()))

    def file_rows(self, kept: np.ndarray) -> np.ndarray:
        """Rows of the file behind some kept ones."""
        return kept if self.row is None else self.row[kept]

    def compiled(self) -> library.Rows:
        """Return the rows as compiled code reads them, which needs ids in a string array."""
        _, ends, texts = self.document.buffers()
        own_ends = np.frombuffer(ends, np.int32)[self.document.offset :]
        return library.Rows(0 if texts is None else texts.address, own_ends, self.row, self.query)


def _codes(rows: Sequence[_Rows], *, compiled: library.Files | None) -> tuple[list[np.ndarray], int]:
    """Number the (query, document) of all kept rows; returns those of each file, and how many there are."""

    def of_block(bounds: np.ndarray) -> np.ndarray:
        codes = None if compiled is None else library.number_documents(compiled, *bounds)
        return _codes_by_dictionaries(rows, bounds) if codes is None else codes

    blocks = _blocks(rows)
    found = list(map(of_block, blocks)) if len(blocks) == 1 else in_threads(of_block, blocks)
    first = np.cumsum([0, *(int(codes.max()) + 1 for codes in found)])
    of_files = [
        np.split(codes + n_before, np.cumsum(ends - begins)[:-1])
        for codes, n_before, (begins, ends) in zip(found, first[:-1], blocks, strict=True)
    ]
    return [np.concatenate(of_file) for of_file in zip(*of_files, strict=True)], int(first[-1])


def _codes_by_dictionaries(rows: Sequence[_Rows], bounds: np.ndarray) -> np.ndarray:
    """Number the ids of a block, and then its pairs of query and id."""
    parts = [slice(*part) for part in bounds.T.tolist()]
    query = np.concatenate([own.query[part] for own, part in zip(rows, parts, strict=True)])
    ids = pa.chunked_array(
        own.document[part] if own.row is None else own.document.take(arrow_numbers(own.row[part]))
        for own, part in zip(rows, parts, strict=True)
    )
    code = np.concatenate([numpy_numbers(chunk.indices) for chunk in ids.dictionary_encode().chunks])
    packed = query.astype(np.int64) << 32 | code
    return numpy_numbers(arrow_numbers(packed).dictionary_encode().indices)


def _blocks(rows: Sequence[_Rows]) -> list[np.ndarray]:
    """Cut the kept rows of all files into blocks of queries: (2, n_files) where those of each file begin and end."""
    n_queries = len(rows[0].records.query.dictionary)
    ends = np.cumsum(sum(np.bincount(own.query, minlength=n_queries) for own in rows))
    total = int(ends[-1])
    # every block ends with the query that makes it large enough, so that none is empty
    last = np.searchsorted(ends, [*range(_BLOCK, total, _BLOCK), total])
    # of the type of the queries, or all of these are copied to look for them
    bounds = np.array(sorted({0, *(last + 1).tolist()}), dtype=np.int32)
    cuts = np.array([np.searchsorted(own.query, bounds) for own in rows]).T
    return [np.array(both) for both in pairwise(cuts)]


def _pooled(rows: Sequence[_Rows], codes: Sequence[np.ndarray], n_codes: int) -> tuple[Joined, list[np.ndarray]]:
    """Bring together the judged documents in the order of their rows, and what each other file adds; number them so."""
    judgments = rows[0]
    document_of_code = np.full(n_codes, -1)
    documents = [judgments.file_rows(np.arange(len(codes[0])))]
    document_of_code[codes[0]] = documents[0]
    n_documents = len(codes[0])
    ids, queries = [judgments.records.document], [numpy_numbers(judgments.records.query.indices)]
    for own, code in zip(rows[1:], codes[1:], strict=True):
        document = document_of_code[code]
        new = np.flatnonzero(document < 0)
        if len(new):
            document[new] = document_of_code[code[new]] = n_documents + np.arange(len(new))
            n_documents += len(new)
            added = own.records.document.take(arrow_numbers(own.file_rows(new)))
            ids.append(added.cast(ids[0].type))
            queries.append(own.query[new])
        documents.append(document)
    pool_ids = ids[0] if len(ids) == 1 else pa.concat_arrays(ids)
    pool_queries = queries[0] if len(queries) == 1 else np.concatenate(queries)
    return Joined(judgments.records.query.dictionary, pool_ids, pool_queries), documents


def _refuse_repeated(rows: _Rows, code: np.ndarray, n_codes: int) -> None:
    """Refuse a file that lists a document twice for a query; of several, the first in the file."""
    is_named = np.zeros(n_codes, dtype=bool)
    is_named[code] = True
    if np.count_nonzero(is_named) == len(code):
        return
    order = np.argsort(code, kind="stable")
    again = np.flatnonzero(code[order[1:]] == code[order[:-1]])
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

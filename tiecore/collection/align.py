"""Bring judgments and features together: which document is which, by query and document id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np
import pyarrow as pa

from tiecore.collection.alignment import Alignment, Match, Source
from tiecore.collection.mismatches import check_left_out, listed_twice, misplaced, nothing_judged, wrong_names
from tiecore.errors import FormatError, unknown_choice
from tiecore.formats.arrays import arrow_numbers, numpy_numbers
from tiecore.formats.records import Records
from tiecore.kernel import library
from tiecore.threads import in_threads
from tiecore.ties.groups import UNJUDGED

Unmatched = Literal["refuse", "omit"]

_FEW_GRADES = 1 << 16
_FEW_ROWS = 1 << 10
"""Rows of all files that one thread matches before several, or compiled code, would have begun."""
_BLOCK = 1 << 16
"""Rows of all files that are matched at a time: their ids and their dictionary then stay in the processor's cache."""


class Joined(NamedTuple):
    """The pool of documents: those of the judgments in their order, then what the other files add."""

    query_ids: pa.Array
    document_ids: pa.Array
    query: np.ndarray


class _Rows(NamedTuple):
    """The rows of a file that belong to judged queries, in the order of the queries in the judgments."""

    records: Records
    document: pa.Array
    """(n_rows,) ids of all rows of the file, as string or large_string as in all files."""
    row: np.ndarray | None
    """As in Match."""
    query: np.ndarray
    """(n_kept,) ascending."""
    unknown_queries: int


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
    names = [name for name, _, _ in features]
    if len(set(names)) < len(names) or any(name not in names for name in lower_is_better):
        raise wrong_names(features, lower_is_better)
    if unmatched not in ("refuse", "omit", "keep"):
        raise unknown_choice("unmatched", unmatched, get_args(Unmatched))
    if qrels.grades is None:
        raise FormatError(
            qrels.source, None, "it has no grades: give it as a feature, and a file of judgments as qrels"
        )
    distinct = list({id(records): records for _, records, _ in features}.values())
    pool, matches = join(qrels, distinct)
    match_of = {id(records): match for records, match in zip(distinct, matches, strict=True)}
    grades, own = _levels(qrels.grades)
    omitted = {}
    for name, records, column in features if unmatched != "keep" else ():
        match = match_of[id(records)]
        # as in a table that holds judgments too: to read each of its columns twice would take long
        is_judged = len(match.document) > 0 and bool((match.document < len(own)).all())
        if not is_judged and (problem := nothing_judged(pool, qrels, records, column, match)):
            other_order = misplaced(records, [qrels])
            omitted[name] = f"{records.source}: {other_order}" if other_order else problem
    if len(omitted) == len(features) and (other_order := misplaced(qrels, distinct)):
        raise FormatError(qrels.source, None, other_order)
    if omitted:
        check_left_out(omitted, len(features), unmatched)
    level = np.zeros(len(pool.query), dtype=own.dtype)
    level[: len(own)] = own
    by_query = np.argsort(pool.query, kind="stable")
    queries = np.arange(len(pool.query_ids) + 1, dtype=np.int32)
    return Alignment(
        query_ids=pool.query_ids,
        document_ids=pool.document_ids,
        query=pool.query,
        level=level,
        grades=grades,
        n_judged=len(own),
        by_query=by_query,
        begins=np.searchsorted(pool.query, queries, sorter=by_query),
        ascending=frozenset(lower_is_better) - omitted.keys(),
        sources={
            name: Source(records.source, records.features, column, match_of[id(records)], records.rank, records.ignored)
            for name, records, column in features
            if name not in omitted
        },
        omitted=omitted,
    )


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
        level = np.cumsum(is_found).astype(np.min_scalar_type(len(distinct) + 1)).take(above)
    levels = np.concatenate([[UNJUDGED], distinct])
    return levels, level.astype(np.min_scalar_type(len(levels)), copy=False)


def join(qrels: Records, others: Sequence[Records]) -> tuple[Joined, list[Match]]:
    """Match the rows of all files by (query, document)."""
    files = [qrels, *(records for records in others if records is not qrels)]
    for records in files:
        if not len(records.document):
            what = "judgments" if records is qrels else "scores"
            raise FormatError(records.source, None, f"there are no {what} in it")
    is_large = any(pa.types.is_large_string(records.document.type) for records in files)
    is_small = sum(len(records.document) for records in files) < _FEW_ROWS
    place_of = {query: place for place, query in enumerate(qrels.query.dictionary.to_pylist())}
    kept = partial(_kept, place_of=place_of, kind=pa.large_string() if is_large else pa.string())
    rows = list(map(kept, files)) if is_small else in_threads(kept, files)
    compiled = None if is_large or is_small else library.Files(list(map(_compiled, rows)))
    n_rows = np.array([len(own.query) for own in rows])
    if n_rows.sum() > _BLOCK:
        codes = _codes_in_blocks(rows, compiled)
    else:
        whole = _codes_of_block(rows, compiled, np.array([np.zeros_like(n_rows), n_rows]))
        codes = np.split(whole, np.cumsum(n_rows)[:-1])
    pool, documents = _pooled(rows, codes)
    match_of = {
        id(own.records): Match(own.row, document, own.unknown_queries, unknown_rows=len(own.document) - len(own.query))
        for own, document in zip(rows, documents, strict=True)
    }
    return pool, [match_of[id(records)] for records in others]


def _kept(records: Records, place_of: Mapping[str, int], kind: pa.DataType) -> _Rows:
    """Return the rows of judged queries; ``place_of``: place of each query in the judgments, ``kind``: type of ids."""
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
    ids = records.document if records.document.type == kind else records.document.cast(kind)
    return _Rows(records, ids, row, query, int((query_of_code < 0).sum()))


def _compiled(rows: _Rows) -> library.Rows:
    """Return rows as compiled code reads them, which needs ids in a string array."""
    _, ends, texts = rows.document.buffers()
    own_ends = np.frombuffer(ends, np.int32)[rows.document.offset :]
    return library.Rows(0 if texts is None else texts.address, own_ends, rows.row, rows.query)


def _codes_in_blocks(rows: Sequence[_Rows], compiled: library.Files | None) -> list[np.ndarray]:
    """Number the (query, document) of all kept rows, for each file."""
    blocks = _blocks(rows)
    found = in_threads(partial(_codes_of_block, rows, compiled), blocks)
    of_files = [np.empty(len(own.query), dtype=np.int64) for own in rows]
    n_before = 0
    for codes, (begins, ends) in zip(found, blocks, strict=True):
        parts = np.split(codes, np.cumsum(ends - begins)[:-1])
        for of_file, part, begin, end in zip(of_files, parts, begins, ends, strict=True):
            np.add(part, n_before, out=of_file[begin:end])
        n_before += int(codes.max()) + 1
    return of_files


def _codes_of_block(rows: Sequence[_Rows], compiled: library.Files | None, bounds: np.ndarray) -> np.ndarray:
    """Number the ids of a block, and then its pairs of query and id."""
    codes = None if compiled is None else library.number_documents(compiled, *bounds)
    if codes is not None:
        return codes
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
    # of the type of the queries, or all of these are copied to look for them
    queries = np.arange(len(rows[0].records.query.dictionary), dtype=np.int32)
    ends = sum(
        (np.searchsorted(own.query, queries, side="right") for own in rows), start=np.zeros_like(queries, np.int64)
    )
    total = int(ends[-1])
    # every block ends with the query that makes it large enough, so that none is empty
    last = np.searchsorted(ends, [*range(_BLOCK, total, _BLOCK), total])
    bounds = np.append(queries[:1], np.unique(last).astype(np.int32) + 1)
    cuts = np.array([np.searchsorted(own.query, bounds) for own in rows]).T
    return [np.array(both) for both in pairwise(cuts)]


def _pooled(rows: Sequence[_Rows], codes: Sequence[np.ndarray]) -> tuple[Joined, list[np.ndarray]]:
    """Bring together the judged documents in the order of their rows, and what each other file adds; number them so.

    A file that lists a document twice for a query is refused.
    """
    judged = rows[0].records
    n_codes = max(int(code.max(initial=0)) for code in codes) + 1
    document_of_code = np.full(n_codes, -1)
    ids, queries, n_documents = [judged.document], [numpy_numbers(judged.query.indices)], 0
    documents: list[np.ndarray] = []
    for own, code in zip(rows, codes, strict=True):
        is_named = np.zeros(n_codes, dtype=bool)
        is_named[code] = True
        if np.count_nonzero(is_named) < len(code):
            raise listed_twice(own.records, own.row, code, [one.records for one in rows])
        if not documents:
            n_documents = len(code)
            document = document_of_code[code] = np.arange(n_documents) if own.row is None else own.row
        else:
            document = document_of_code[code]
            new = np.flatnonzero(document < 0)
            document[new] = document_of_code[code[new]] = n_documents + np.arange(len(new))
            if len(new):
                rows_of_new = new if own.row is None else own.row[new]
                ids.append(own.records.document.take(arrow_numbers(rows_of_new)).cast(ids[0].type))
                queries.append(own.query[new])
                n_documents += len(new)
        documents.append(document)
    pool_ids = ids[0] if len(ids) == 1 else pa.concat_arrays(ids)
    pool_queries = queries[0] if len(queries) == 1 else np.concatenate(queries)
    return Joined(judged.query.dictionary, pool_ids, pool_queries), documents

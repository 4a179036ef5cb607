"""A table of counts in the place of judgments and features brought together: cells instead of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.collection.align import Unmatched
from tiecore.collection.join import shown_ids
from tiecore.counts.cells import Cells, Heads, Judged, level_of
from tiecore.counts.rows import CountedAlignment, CountedSource
from tiecore.counts.table import Counts, chosen
from tiecore.errors import AlignmentError, FormatError, TiecoreError, shortened
from tiecore.formats.records import Records
from tiecore.threads import in_threads
from tiecore.ties.segments import changes, starts

__all__ = ["aligned"]

_MOST_STRETCHES = 1 << 12
"""Stretches of one feature that are taken as they are: a table in sorted parts has one for each feature and part."""


def aligned(
    counts: Counts,
    *,
    only: Sequence[str] | None = None,
    ascending: Sequence[str] = (),
    unmatched: Unmatched | Literal["keep"] = "refuse",
) -> CountedAlignment:
    """Bring the judgments and features of a table of counts together, as ``align`` does with files of documents.

    Parameters
    ----------
    counts
        The table.
    only
        Features that take part, in this order; None takes all.
    ascending
        Features for which lower is better, besides those that the table itself names.
    unmatched
        As for ``align``.
    """
    features = counts.features if only is None else tuple(only)
    for name in ascending:
        if name not in features:
            raise TiecoreError(f"ascending names {name!r}, which is no feature; there are {', '.join(features)}")
    lower_is_better = frozenset((*(name for name in counts.ascending if name in features), *ascending))
    if isinstance(counts.rows, Heads):
        alignment = replace(_of_cells(counts.rows.cells, features, lower_is_better, counts), heads=counts.rows)
    elif isinstance(counts.rows, Cells):
        alignment = _of_cells(counts.rows, features, lower_is_better, counts)
    else:
        own = counts if only is None else chosen(counts, features)
        alignment = _of_rows(own, lower_is_better, unmatched=unmatched)
    for first, end in pairwise(alignment.block_bounds()):
        alignment.judged_between(first, end)  # every evaluation asks for it
    return alignment


def _of_cells(
    cells: Cells, features: Sequence[str], lower_is_better: frozenset[str], counts: Counts
) -> CountedAlignment:
    """Bring together what is so already."""
    return CountedAlignment(
        query_ids=cells.query_ids,
        document_ids=pa.nulls(0, pa.string()),
        query=cells.query,
        level=cells.level,
        grades=cells.grades,
        n_judged=cells.n_judged,
        ascending=lower_is_better,
        sources={
            name: CountedSource.of(
                _records(counts.source, cells.query_ids, {name: cells.scores.get(name, np.zeros(0))}),
                name,
                cells.cells.get(name, range(0)),
                left_out=counts.left_out.get(name, (0, 0)),
            )
            for name in features
        },
        documents=cells.documents,
        joint=range(cells.n_judged, cells.n_judged),
    )


def _of_rows(
    counts: Counts, lower_is_better: frozenset[str], *, unmatched: Unmatched | Literal["keep"]
) -> CountedAlignment:
    """Bring together rows that stand in any order."""
    rows = counts.judged_rows()
    judged = Judged.of(rows, counts.source)
    query_ids, levels = judged.query_ids, judged.grades
    n_judged = len(judged.query)
    rows_of = _by_feature(counts)
    n_rows = [n_judged, *(sum(map(len, rows)) for rows in rows_of.values())]
    width = np.result_type(np.min_scalar_type(-int(judged.documents.max(initial=0))), rows["n"].to_numpy().dtype)
    pool = _Pool.of(sum(n_rows), level=np.min_scalar_type(len(levels)), documents=width)
    pool.query[:n_judged], pool.level[:n_judged] = judged.query, judged.level
    pool.documents[:n_judged] = judged.documents
    pool.add(*pool.between(0, n_judged))
    spaces = [pool.between(begin, end) for begin, end in pairwise(np.cumsum(n_rows).tolist())]
    taken = in_threads(
        lambda place: _Part.of(rows_of[counts.features[place]], query_ids, levels, counts.source, spaces[place]),
        range(len(rows_of)),
    )
    parts = dict(zip(rows_of, taken, strict=True))
    together = {name: part for name, part in parts.items() if part.joint is not None}
    cell_of = _add_joint(pool, together, counts.source)
    joint = range(n_judged, pool.n_cells)
    sources: dict[str, CountedSource] = {}
    omitted: dict[str, str] = {}
    for name, part in parts.items():
        if part.n_rows and not part.level.any() and unmatched != "keep":
            problem = (
                f"{counts.source}: no document that {shortened(name)} scores is judged: it counts queries "
                f"{shown_ids(part.queries())}, the judgments {shown_ids(query_ids)}"
            )
            if unmatched == "refuse":
                raise AlignmentError(
                    f"{problem}; look for a prefix, or leave such features out: unmatched='omit', "
                    "in the command --unmatched omit"
                )
            omitted[name] = problem
            continue
        own, scores = cell_of.get(name, (None, part.scores))
        unknown_queries, unknown_documents = counts.left_out.get(name, (0, 0))
        sources[name] = CountedSource.of(
            _records(counts.source, query_ids, {name: scores}),
            name,
            pool.add(part.query, part.level, part.n) if own is None else own,
            left_out=(unknown_queries + part.n_unknown_queries, unknown_documents + part.n_unknown_documents),
        )
    if not sources:
        raise AlignmentError(next(iter(omitted.values())))
    return CountedAlignment(
        query_ids=query_ids,
        document_ids=pa.nulls(0, pa.string()),
        query=pool.joined(0),
        level=pool.joined(1),
        grades=levels,
        n_judged=n_judged,
        ascending=lower_is_better - omitted.keys(),
        sources=sources,
        omitted=omitted,
        documents=pool.joined(2),
        joint=joint,
    )


_Cells = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Query, level and number of documents of some cells."""


@dataclass(slots=True, eq=False)
class _Pool:
    """The cells of all features, as they are brought together: in place, as far as no row is left out."""

    query: np.ndarray
    """(n_rows,)"""
    level: np.ndarray
    """(n_rows,)"""
    documents: np.ndarray
    """(n_rows,)"""
    parts: list[_Cells] = field(default_factory=list)
    """What has been added; parts of the arrays above, or arrays of their own where rows were left out."""
    n_cells: int = 0

    @classmethod
    def of(cls, n_rows: int, *, level: np.dtype, documents: np.dtype) -> _Pool:
        """Make room for the cells of all rows."""
        return cls(np.empty(n_rows, dtype=np.int32), np.empty(n_rows, dtype=level), np.empty(n_rows, dtype=documents))

    def between(self, begin: int, end: int) -> _Cells:
        """Room of some rows."""
        return self.query[begin:end], self.level[begin:end], self.documents[begin:end]

    def add(self, query: np.ndarray, level: np.ndarray, documents: np.ndarray) -> range:
        """Append cells and return their positions."""
        self.parts.append((query.astype(np.int32, copy=False), level, documents))
        first, self.n_cells = self.n_cells, self.n_cells + len(query)
        return range(first, self.n_cells)

    def joined(self, place: int) -> np.ndarray:
        """(n_cells,) query, level or documents of all cells."""
        whole = (self.query, self.level, self.documents)[place]
        arrays = [part[place] for part in self.parts if len(part[0])]
        is_in_place = self.n_cells == len(whole) and all(array.base is whole for array in arrays)
        return whole if is_in_place else np.concatenate(arrays)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Part:
    """The rows of one feature that belong to judged queries, by query."""

    rows: Sequence[pa.RecordBatch]
    """All its rows."""
    query: np.ndarray
    """(n_known,)"""
    level: np.ndarray
    """(n_known,)"""
    n: np.ndarray
    """(n_known,)"""
    scores: np.ndarray
    """(n_known,)"""
    joint: np.ndarray | None
    """(n_known,) number inside the query of documents that other features score too; None if it is counted alone."""
    n_unknown_queries: int
    n_unknown_documents: int

    @property
    def n_rows(self) -> int:
        return sum(map(len, self.rows))

    @classmethod
    def of(
        cls, rows: Sequence[pa.RecordBatch], query_ids: pa.Array, levels: np.ndarray, source: str, space: _Cells
    ) -> _Part:
        """Take the rows of a feature, a piece at a time: what is made on the way stays in the processor's cache."""
        query, level, n = space
        if not rows:
            return cls(
                rows=rows, query=query, level=level, n=n, scores=np.zeros(0), joint=None, n_unknown_queries=0,
                n_unknown_documents=0,
            )  # fmt: skip
        numbers = iter(_numbers([batch["query_id"] for batch in rows], query_ids))
        _fill(query, rows, lambda batch: next(numbers)[batch["query_id"].indices.to_numpy()])
        _fill(level, rows, lambda batch: level_of(batch["grade"], levels, source))
        _fill(n, rows, lambda batch: batch["n"].to_numpy())
        of_score = "score_double" if rows[0]["score_int"].null_count else "score_int"
        scores = _filled(rows, lambda batch: batch[of_score].to_numpy())
        joint = None
        if not rows[0]["joint"].null_count:
            joint = _filled(rows, lambda batch: batch["joint"].to_numpy()).astype(np.int64)
        n_unknown_queries = n_unknown_documents = 0
        kept: np.ndarray | None = None
        if query.min() < 0:
            is_unknown = query < 0
            ids = _ids(rows).filter(pa.array(is_unknown))
            n_unknown_queries = len(pc.unique(ids))
            n_unknown_documents = int(n[is_unknown].sum(dtype=np.int64))
            kept = np.flatnonzero(~is_unknown)
        known = query if kept is None else query[kept]
        if (known[1:] < known[:-1]).any():
            by_query = np.argsort(known, kind="stable")
            kept = by_query if kept is None else kept[by_query]
        if kept is not None:
            query, level, n, scores = query[kept], level[kept], n[kept], scores[kept]
            joint = None if joint is None else joint[kept]
        return cls(
            rows=rows,
            query=query,
            level=level,
            n=n,
            scores=scores,
            joint=joint,
            n_unknown_queries=n_unknown_queries,
            n_unknown_documents=n_unknown_documents,
        )

    def queries(self) -> pa.Array:
        """Ids of all its queries."""
        return pc.unique(_ids(self.rows)).dictionary_decode()


def _filled(rows: Sequence[pa.RecordBatch], column: Callable[[pa.RecordBatch], np.ndarray]) -> np.ndarray:
    """(n_rows,) what becomes of a column of some batches."""
    filled = np.empty(sum(map(len, rows)), dtype=column(rows[0].slice(0, 1)).dtype)
    _fill(filled, rows, column)
    return filled


def _fill(room: np.ndarray, rows: Sequence[pa.RecordBatch], column: Callable[[pa.RecordBatch], np.ndarray]) -> None:
    begin = 0
    for batch in rows:
        room[begin : begin + len(batch)] = column(batch)
        begin += len(batch)


def _add_joint(pool: _Pool, parts: dict[str, _Part], source: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Append the cells of features that are counted together; return cells and scores of each, by cell."""
    if not parts:
        return {}
    several = list(parts.values())
    query, level, n, joint = (
        np.concatenate([getattr(part, name) for part in several]) for name in ("query", "level", "n", "joint")
    )
    order = np.lexsort((joint, query))
    is_first = changes(query[order]) | changes(joint[order])
    first = order[is_first]
    cell = np.empty(len(order), dtype=np.int64)
    cell[order] = np.cumsum(is_first) - 1
    if (level != level[first][cell]).any() or (n != n[first][cell]).any():
        problem = (
            "rows of a query with the same number in 'joint' count the same documents, so they need the same grade"
        )
        raise FormatError(source, None, f"{problem} and the same n")
    positions = pool.add(query[first], level[first], n[first])
    found, begin = {}, 0
    for name, part in parts.items():
        own = cell[begin : begin + len(part.query)]
        begin += len(part.query)
        by_cell = np.argsort(own, kind="stable")
        if (own[by_cell][1:] == own[by_cell][:-1]).any():
            problem = f"{shortened(name)} has several rows of a query with the same number in 'joint'; expected one"
            raise FormatError(source, None, problem)
        found[name] = positions.start + own[by_cell], part.scores[by_cell]
    return found


def _by_feature(counts: Counts) -> dict[str, list[pa.RecordBatch]]:
    """Rows of each feature in the order of the table."""
    place = {name: number for number, name in enumerate(counts.features)}
    n_features = len(place)
    kind = np.int16 if n_features < 2**15 - 1 else np.int32  # short numbers are sorted in linear time

    def numbers(batch: pa.RecordBatch) -> np.ndarray:
        if not pa.types.is_dictionary(batch["feature"].type):  # no feature has any row
            return np.full(len(batch), n_features, dtype=kind)
        names = batch["feature"].dictionary.to_pylist()
        number_of = np.array([place.get(name, n_features) for name in names] + [n_features], dtype=kind)
        return number_of[batch["feature"].indices.fill_null(-1).to_numpy()]

    def stretches(batches: Sequence[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
        for batch in batches:
            number = numbers(batch)
            for first, end in pairwise([*starts(number).tolist(), len(number)]):
                yield int(number[first]), batch.slice(first, end - first)

    batches = counts.table.to_batches()
    most = len(batches) + _MOST_STRETCHES
    found = list(islice(stretches(batches), most + 1))
    if len(found) > most:
        order = pa.array(np.argsort(_filled(batches, numbers), kind="stable"))
        ordered = counts.table.unify_dictionaries().take(order).combine_chunks()
        found = list(stretches(ordered.to_batches()))
    rows: dict[str, list[pa.RecordBatch]] = {name: [] for name in place}
    for number_of_feature, batch in found:
        if number_of_feature < n_features:
            rows[counts.features[number_of_feature]].append(batch)
    return rows


def _ids(rows: Sequence[pa.RecordBatch]) -> pa.ChunkedArray:
    """(n_rows,) query ids with one dictionary."""
    return pa.Table.from_batches(rows).select(["query_id"]).unify_dictionaries()["query_id"]


def _numbers(ids: Sequence[pa.DictionaryArray], query_ids: pa.Array) -> list[np.ndarray]:
    """Return for each dictionary the numbers of its queries among the judged ones; -1 if one is not judged."""
    sizes = [len(column.dictionary) for column in ids]
    joined = pa.concat_arrays([column.dictionary for column in ids])
    number = pc.index_in(joined, value_set=query_ids).fill_null(-1).to_numpy()
    return np.split(number, np.cumsum(sizes)[:-1])


def _records(source: str, query_ids: pa.Array, features: dict[str, np.ndarray]) -> Records:
    no_codes = pa.array([], pa.int32())
    return Records(
        source=source,
        kind="memory",
        query=pa.DictionaryArray.from_arrays(no_codes, query_ids),
        document=pa.nulls(0, pa.string()),
        features=features,
    )

"""Files of counts that stand in order, feature by feature and query by query, straight into cells.

Any order is right, and this one is the quickest to read: no row has to be moved, and what is read is kept once.
Whatever is unusual is left to the reader of all tables, which also words the refusals.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.counts.cells import Cells, Judged, Layout, Runs, level_of
from tiecore.counts.layout import is_best_first
from tiecore.errors import FormatError
from tiecore.threads import in_threads
from tiecore.ties.segments import starts

if TYPE_CHECKING:
    from pyarrow import parquet

__all__ = ["Piece", "read_in_order", "read_rest"]

_BATCH_ROWS = 1 << 17
"""Rows that are read at once; what is made of them on the way fits into the processor's cache."""
_AT_ONCE = 1 << 12
"""Queries whose numbers are put in their places at once."""
_MOST_STRETCHES = 1 << 12
"""Stretches of one feature in a piece: more of them stand in no order."""
_WHOLE = ("score_int", "grade", "n")


class _Unusual(Exception):  # noqa: N818  # no error: another reader takes over
    """The files are not in order, or hold something else that this reader leaves to another one."""


class Piece(NamedTuple):
    """Some row groups of a file, which are read in one go."""

    source: Path | pa.BufferReader
    about: parquet.FileMetaData
    groups: list[int]

    def batches(
        self, columns: Sequence[str], stretches: Sequence[_Stretch] | None = None
    ) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield the first row and some columns of a few rows after the other; of groups that hold any of stretches."""
        from pyarrow import parquet  # takes longer to import than all of tiecore

        ends = np.cumsum([self.about.row_group(group).num_rows for group in self.groups]).tolist()
        with parquet.ParquetFile(self.source, metadata=self.about, read_dictionary=["feature", "query_id"]) as opened:
            for group, at, end in zip(self.groups, [0, *ends], ends, strict=False):
                if stretches is None or any(own.first < end and at < own.end for own in stretches):
                    for batch in opened.iter_batches(_BATCH_ROWS, [group], columns=list(columns), use_threads=False):
                        yield at, batch
                        at += len(batch)


class _Stretch(NamedTuple):
    """Neighbouring rows of one feature, or of judged documents, in a piece."""

    feature: str | None
    first: int
    end: int


class _Placed(NamedTuple):
    """Rows of one feature, and the cell at which they begin."""

    begin: int
    runs: Runs


@dataclass(frozen=True, slots=True, eq=False)
class _Room:
    """Room for the cells of all features; what is never written takes no memory."""

    judged: Judged
    kinds: Mapping[str, pa.DataType | None]
    begins: Sequence[Sequence[int]]
    """Cell at which each stretch of each piece begins."""
    query: np.ndarray
    level: np.ndarray
    documents: np.ndarray
    whole: np.ndarray
    real: np.ndarray
    is_real: dict[str, set[bool]]

    def take(self, piece: Piece, stretches: Sequence[_Stretch], begins: Sequence[int]) -> list[_Placed]:
        """Read the rows of features in a piece into their cells, except for their queries."""
        found: list[_Placed] = []
        columns = [name for name in ("query_id", "score_int", "score_double", "grade", "n") if name in self.kinds]
        for at, batch in piece.batches(columns, [own for own in stretches if own.feature is not None]):
            behind = at + len(batch)
            for (feature, first, end), begin in zip(stretches, begins, strict=True):
                first_here, end_here = max(first, at), min(end, behind)
                if feature is not None and first_here < end_here:
                    rows = batch.slice(first_here - at, end_here - first_here)
                    found.append(self._put(feature, rows, begin + first_here - first))
        return found

    def _put(self, feature: str, rows: pa.RecordBatch, begin: int) -> _Placed:
        which = slice(begin, begin + len(rows))
        self.documents[which] = _numbers(rows, "n", self.kinds)
        self.level[which] = level_of(rows["grade"], self.judged.grades, "")
        is_real = not _is_empty(rows, "score_double")
        if is_real == (not _is_empty(rows, "score_int")):
            raise _Unusual
        if is_real:
            self.real[which] = _floats(rows["score_double"])
        else:
            self.whole[which] = _numbers(rows, "score_int", self.kinds, least=None)
        self.is_real.setdefault(feature, set()).add(is_real)
        return _Placed(begin, Runs.of(_queries(rows)))


def read_in_order(pieces: Sequence[Piece], kinds: Mapping[str, pa.DataType | None], source: str) -> Cells | None:
    """Return the cells of the files if they stand in order; None if another reader has to take over.

    Parameters
    ----------
    pieces
        The row groups of all files.
    kinds
        Columns that are not empty, and the narrowest type of whole numbers; None where it is not known.
    source
        Name for messages.
    """
    if "joint" in kinds or not {"feature", "query_id", "grade", "n"} <= kinds.keys():
        return None
    try:
        stretches = in_threads(_stretches, pieces)
        cells = _read(pieces, stretches, kinds, _judged(pieces, stretches, kinds, source))
        # another reader says so if there is no feature, or none of the documents of one is judged
        is_usual = cells.cells and all(cells.level[own.start : own.stop].any() for own in cells.cells.values())
        return cells if is_usual else None
    except (_Unusual, FormatError):
        return None


def read_rest(
    heads: Cells,
    pieces: Sequence[Piece],
    kinds: Mapping[str, pa.DataType | None],
    *,
    layout: Layout,
    ascending: Collection[str],
) -> Cells | None:
    """Return the cells of a file whose heads are known; None where they are not what its layout says.

    Parameters
    ----------
    heads
        Judged documents, and the heads.
    pieces
        The other row groups.
    kinds
        As for ``read_in_order``.
    layout, ascending
        What the file says about its heads, and the features of which low scores stand there.
    """
    first = slice(heads.n_judged)
    judged = Judged(heads.query_ids, heads.grades, heads.query[first], heads.level[first], heads.documents[first])
    try:
        stretches = in_threads(_stretches, pieces)
        if any(one.feature is None for of_piece in stretches for one in of_piece):
            return None
        rest = _read(pieces, stretches, kinds, judged)
        return _joined(heads, rest, layout, ascending)
    except (_Unusual, FormatError):
        return None


def _joined(heads: Cells, rest: Cells, layout: Layout, ascending: Collection[str]) -> Cells:
    """Bring heads and rest together by query, and check that the heads are what they should be."""
    if not rest.cells.keys() <= heads.cells.keys() == layout.features.keys():
        raise _Unusual
    n_judged = heads.n_judged
    ends = np.cumsum([n_judged, *(layout.features[name].rows for name in heads.cells)]).tolist()
    cells = {name: range(*both) for name, both in zip(heads.cells, pairwise(ends), strict=True)}
    arrays: dict[str, Any] = {
        name: np.empty(ends[-1], dtype=getattr(heads, name).dtype) for name in ("query", "level", "documents")
    }
    for name, array in arrays.items():
        array[:n_judged] = getattr(heads, name)[:n_judged]

    n_queries = len(heads.query_ids)

    def join(feature: str) -> np.ndarray:
        whole, of_rest = cells[feature], rest.cells.get(feature, range(0))
        own, front, back = (slice(one.start, one.stop) for one in (whole, heads.cells[feature], of_rest))
        n_head, n_rest = (np.bincount(query, minlength=n_queries) for query in (heads.query[front], rest.query[back]))
        if n_head.sum() + n_rest.sum() != len(whole):
            raise _Unusual
        # of each query first what is in its head, then the others
        is_head = np.repeat(np.tile([True, False], n_queries), np.stack([n_head, n_rest], axis=1).ravel())
        scores = np.empty(len(whole), dtype=heads.scores[feature].dtype)
        if n_rest.any() and rest.scores[feature].dtype != scores.dtype:
            raise _Unusual
        for which, part, behind in ((is_head, heads, front), (~is_head, rest, back)):
            for name, array in arrays.items():
                array[own][which] = getattr(part, name)[behind]
            scores[which] = part.scores.get(feature, scores[:0])
        query, level, documents = (array[own] for array in arrays.values())
        goes_on = n_rest > 0
        in_head = np.bincount(heads.query[front], weights=heads.documents[front], minlength=n_queries)
        border = np.cumsum(n_head + n_rest)[goes_on] - n_rest[goes_on]
        facts = layout.features[feature]
        if (
            int(documents.sum(dtype=np.int64)) != facts.documents
            or int(documents[level > 0].sum(dtype=np.int64)) != facts.judged
            or (in_head[goes_on] < layout.depth).any()
            or (scores[border] == scores[border - 1]).any()
            or not is_best_first(query, scores, feature in ascending)
        ):
            raise _Unusual
        return scores

    scores = dict(zip(cells, in_threads(join, list(cells)), strict=True))
    return Cells(
        query_ids=heads.query_ids, grades=heads.grades, n_judged=n_judged, cells=cells, scores=scores, **arrays
    )


def _read(
    pieces: Sequence[Piece],
    stretches: Sequence[Sequence[_Stretch]],
    kinds: Mapping[str, pa.DataType | None],
    judged: Judged,
) -> Cells:
    """Read the rows of features."""
    n_judged = len(judged.query)
    n_rows: dict[str, int] = {}
    for feature, first, end in (one for of_piece in stretches for one in of_piece):
        if feature is not None:
            n_rows[feature] = n_rows.get(feature, 0) + end - first
    ends = np.cumsum([n_judged, *n_rows.values()]).tolist()
    cells = {name: range(*both) for name, both in zip(n_rows, pairwise(ends), strict=True)}
    next_of = {name: own.start for name, own in cells.items()}
    begins: list[list[int]] = []
    for of_piece in stretches:
        begins.append([])
        for feature, first, end in of_piece:
            begins[-1].append(0 if feature is None else next_of[feature])
            if feature is not None:
                next_of[feature] += end - first
    n_cells = ends[-1]
    of_level = np.min_scalar_type(len(judged.grades))
    of_documents = np.result_type(np.min_scalar_type(-int(judged.documents.max())), _numpy(kinds["n"]))
    room = _Room(
        judged,
        kinds,
        begins,
        np.empty(n_cells, dtype=np.int32),
        np.empty(n_cells, dtype=of_level),
        np.empty(n_cells, dtype=of_documents),
        np.empty(n_cells, dtype=_numpy(kinds.get("score_int"))),
        np.empty(n_cells),
        {},
    )
    room.query[:n_judged], room.level[:n_judged] = judged.query, judged.level
    room.documents[:n_judged] = judged.documents
    places = range(len(pieces))
    found = in_threads(lambda place: room.take(pieces[place], stretches[place], begins[place]), places)
    _number([run for runs in found for run in runs], room, cells)
    if any(len(both) > 1 for both in room.is_real.values()):
        raise _Unusual
    return Cells(
        query_ids=judged.query_ids,
        grades=judged.grades,
        n_judged=n_judged,
        query=room.query,
        level=room.level,
        documents=room.documents,
        cells=cells,
        scores={
            name: (room.real if True in room.is_real[name] else room.whole)[own.start : own.stop]
            for name, own in cells.items()
        },
    )


def _stretches(piece: Piece) -> list[_Stretch]:
    """Find the stretches of a piece."""
    found: list[_Stretch] = []
    for at, batch in piece.batches(["feature"]):
        column = batch["feature"]
        names = _dictionary(column).to_pylist()
        code = np.zeros(1, dtype=np.int64)  # as all rows, where they are of one feature
        if len(names) > 1 or column.null_count:
            code = column.indices.fill_null(-1).to_numpy()
        first = starts(code)
        if len(found) + len(first) > _MOST_STRETCHES:
            raise _Unusual
        ends = np.append(first[1:], len(batch)).tolist()
        for begin, end, number in zip(first.tolist(), ends, code[first].tolist(), strict=True):
            name = None if number < 0 else names[number]
            if found and found[-1].feature == name:
                found[-1] = _Stretch(name, found[-1].first, at + end)
            else:
                found.append(_Stretch(name, at + begin, at + end))
    return found


def _judged(
    pieces: Sequence[Piece],
    stretches: Sequence[Sequence[_Stretch]],
    kinds: Mapping[str, pa.DataType | None],
    source: str,
) -> Judged:
    """Read the rows without a feature."""
    columns = [name for name in ("query_id", "score_int", "score_double", "grade", "n") if name in kinds]

    def take(place: int) -> list[pa.RecordBatch]:
        parts: list[pa.RecordBatch] = []
        wanted = [own for own in stretches[place] if own.feature is None]
        for at, batch in pieces[place].batches(columns, wanted):
            behind = at + len(batch)
            for _, first, end in wanted:
                first_here, end_here = max(first, at), min(end, behind)
                if first_here < end_here:
                    rows = batch.slice(first_here - at, end_here - first_here)
                    _queries(rows)
                    if not (_is_empty(rows, "score_int") and _is_empty(rows, "score_double")):
                        raise _Unusual
                    for name in ("grade", "n"):
                        _numbers(rows, name, kinds, least=1 if name == "n" else None)
                    parts.append(rows.select(["query_id", "grade", "n"]))
        return parts

    parts = [part for found in in_threads(take, range(len(pieces))) for part in found]
    if not parts:
        raise _Unusual
    return Judged.of(pa.Table.from_batches(parts), source)


def _number(placed: Sequence[_Placed], room: _Room, cells: Mapping[str, range]) -> None:
    """Put the queries of all cells in their places."""
    if not placed:
        return
    placed = sorted(placed, key=lambda one: one.begin)
    number = _numbers_of([one.runs.ids for one in placed], room.judged.query_ids)
    length = np.concatenate([one.runs.lengths for one in placed])
    begin = np.cumsum(length) - length + placed[0].begin

    def fill(own: range) -> None:
        first, end = np.searchsorted(begin, [own.start, own.stop])
        queries = number[first:end]
        if (queries[1:] < queries[:-1]).any():
            raise _Unusual
        for at in range(first, end, _AT_ONCE):
            some = slice(at, min(at + _AT_ONCE, end))
            stop = int(begin[some][-1] + length[some][-1])
            room.query[int(begin[at]) : stop] = np.repeat(number[some], length[some])

    in_threads(fill, list(cells.values()))


def _numbers_of(parts: Sequence[pa.Array], query_ids: pa.Array) -> np.ndarray:
    """(n_ids,) numbers of queries; those of each part are compared with what should follow before they are looked up.

    Most lists are there for all judged queries.
    """
    begins: list[int | None] = []
    behind = 0
    for ids in parts:
        # a part may begin with the query in which the last one ended, and a feature with the first query
        found = next((at for at in (behind, behind - 1, 0) if at >= 0 and _is_at(ids, query_ids, at)), None)
        behind = behind if found is None else found + len(ids)
        begins.append(found)
    others = [ids for ids, begin in zip(parts, begins, strict=True) if begin is None]
    number = pc.index_in(pa.chunked_array(others, pa.string()), value_set=query_ids)
    if number.null_count:  # a query that is not judged
        raise _Unusual
    looked_up = iter(np.split(number.to_numpy(), np.cumsum([len(ids) for ids in others])))
    return np.concatenate(
        [
            next(looked_up) if begin is None else np.arange(begin, begin + len(ids), dtype=np.int32)
            for ids, begin in zip(parts, begins, strict=True)
        ]
    )


def _is_at(ids: pa.Array, query_ids: pa.Array, at: int) -> bool:
    return ids.equals(query_ids.slice(at, len(ids)))


def _dictionary(column: pa.Array) -> pa.Array:
    """Return the dictionary of a column of texts."""
    if not pa.types.is_dictionary(column.type) or not pa.types.is_string(column.type.value_type):
        raise _Unusual
    return column.dictionary


def _queries(rows: pa.RecordBatch) -> pa.DictionaryArray:
    """(n_rows,) queries of some rows."""
    column = rows["query_id"]
    _dictionary(column)
    if column.null_count:
        raise _Unusual
    return column


def _is_empty(rows: pa.RecordBatch, name: str) -> bool:
    return name not in rows.schema.names or rows[name].null_count == len(rows)


def _numbers(
    rows: pa.RecordBatch, name: str, kinds: Mapping[str, pa.DataType | None], *, least: int | None = 1
) -> np.ndarray:
    """(n_rows,) whole numbers, all of them from ``least`` on."""
    column = rows[name]
    if column.null_count or not pa.types.is_signed_integer(column.type):
        raise _Unusual
    kind = kinds[name]
    numbers: np.ndarray = (column if kind is None else column.cast(kind)).to_numpy()
    if least is not None and int(numbers.min()) < least:
        raise _Unusual
    return numbers


def _floats(column: pa.Array) -> np.ndarray:
    if column.null_count or not pa.types.is_floating(column.type):
        raise _Unusual
    numbers: np.ndarray = column.to_numpy().astype(np.float64)
    if np.isnan(numbers).any():
        raise _Unusual
    return numbers


def _numpy(kind: pa.DataType | None) -> np.dtype:
    return np.dtype(np.int64 if kind is None else kind.to_pandas_dtype())

"""Files of counts that stand in order, feature by feature and query by query, straight into cells.

Any order is right, and this one is the quickest to read: no row has to be moved, and what is read is kept once.
Whatever is unusual is left to the reader of all tables, which also words the refusals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.counts.cells import Cells, Judged, level_of
from tiecore.errors import FormatError
from tiecore.ranking.segments import starts
from tiecore.threads import in_threads

if TYPE_CHECKING:
    from pyarrow import parquet

__all__ = ["Piece", "read_in_order"]

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


class _Runs(NamedTuple):
    """Neighbouring rows of one feature and query in a part of a stretch: id of each query, and how many rows."""

    begin: int
    ids: pa.Array
    lengths: np.ndarray


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

    def take(self, piece: Piece, stretches: Sequence[_Stretch], begins: Sequence[int]) -> list[_Runs]:
        """Read the rows of features in a piece into their cells, except for their queries."""
        found: list[_Runs] = []
        columns = [name for name in ("query_id", "score_int", "score_double", "grade", "n") if name in self.kinds]
        for at, batch in piece.batches(columns, [own for own in stretches if own.feature is not None]):
            behind = at + len(batch)
            for (feature, first, end), begin in zip(stretches, begins, strict=True):
                first_here, end_here = max(first, at), min(end, behind)
                if feature is not None and first_here < end_here:
                    rows = batch.slice(first_here - at, end_here - first_here)
                    found.append(self._put(feature, rows, begin + first_here - first))
        return found

    def _put(self, feature: str, rows: pa.RecordBatch, begin: int) -> _Runs:
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
        code = _codes(rows)
        first = starts(code)
        ids = rows["query_id"].dictionary.take(pa.array(code[first]))
        return _Runs(begin, ids, np.diff(first, append=len(code)))


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
        return _read(pieces, kinds, source)
    except (_Unusual, FormatError):
        return None


def _read(pieces: Sequence[Piece], kinds: Mapping[str, pa.DataType | None], source: str) -> Cells:
    stretches = in_threads(_stretches, pieces)
    judged = _judged(pieces, stretches, kinds, source)
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
    parts: list[pa.RecordBatch] = []
    for piece, of_piece in zip(pieces, stretches, strict=True):
        wanted = [own for own in of_piece if own.feature is None]
        for at, batch in piece.batches(columns, wanted):
            behind = at + len(batch)
            for _, first, end in wanted:
                first_here, end_here = max(first, at), min(end, behind)
                if first_here < end_here:
                    rows = batch.slice(first_here - at, end_here - first_here)
                    _codes(rows)
                    if not (_is_empty(rows, "score_int") and _is_empty(rows, "score_double")):
                        raise _Unusual
                    for name in ("grade", "n"):
                        _numbers(rows, name, kinds, least=1 if name == "n" else None)
                    parts.append(rows.select(["query_id", "grade", "n"]))
    if not parts:
        raise _Unusual
    return Judged.of(pa.Table.from_batches(parts).unify_dictionaries(), source)


def _number(runs: Sequence[_Runs], room: _Room, cells: Mapping[str, range]) -> None:
    """Put the queries of all cells in their places."""
    if not runs:
        raise _Unusual
    number = pc.index_in(pa.chunked_array([run.ids for run in runs]), value_set=room.judged.query_ids)
    if number.null_count:  # a query that is not judged
        raise _Unusual
    number = number.to_numpy()
    length = np.concatenate([run.lengths for run in runs])
    begin = np.concatenate([run.begin + np.cumsum(run.lengths) - run.lengths for run in runs])
    order = np.argsort(begin, kind="stable")
    number, length, begin = number[order].astype(np.int32), length[order], begin[order]

    def fill(own: range) -> None:
        first, end = np.searchsorted(begin, [own.start, own.stop])
        queries = number[first:end]
        if (queries[1:] < queries[:-1]).any() or not room.level[own.start : own.stop].any():
            raise _Unusual
        for at in range(first, end, _AT_ONCE):
            some = slice(at, min(at + _AT_ONCE, end))
            stop = int(begin[some][-1] + length[some][-1])
            room.query[int(begin[at]) : stop] = np.repeat(number[some], length[some])

    in_threads(fill, list(cells.values()))


def _dictionary(column: pa.Array) -> pa.Array:
    """Return the dictionary of a column of texts."""
    if not pa.types.is_dictionary(column.type) or not pa.types.is_string(column.type.value_type):
        raise _Unusual
    return column.dictionary


def _codes(rows: pa.RecordBatch) -> np.ndarray:
    """(n_rows,) places of the queries in their dictionary."""
    column = rows["query_id"]
    _dictionary(column)
    if column.null_count:
        raise _Unusual
    codes: np.ndarray = column.indices.to_numpy()
    return codes


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

"""Whether what a caller hands over is a table of counts, and which."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa

from tiecore.counts.cells import Cells, Heads
from tiecore.counts.ordered import Piece, read_in_order, read_rest
from tiecore.counts.table import METADATA_KEY, NEEDED, Counts, has_columns, layout_in, narrowest
from tiecore.errors import FormatError
from tiecore.formats.source import in_words
from tiecore.frames import is_frame
from tiecore.threads import in_threads

if TYPE_CHECKING:
    from pyarrow import parquet

__all__ = ["as_counts", "parts_of"]

Lists = Literal["whole", "heads"]
_MAGIC = b"PAR1"
_ROW_BYTES = 48
_PIECE_ROWS = 1 << 20
"""Rows that one thread reads in one go, as far as row groups allow."""


def as_counts(source: object, *, max_bytes: int | None = None, lists: Lists = "whole") -> Counts | None:
    """Return the table of counts that this is, or None if it is something else.

    Parameters
    ----------
    source
        :class:`Counts`, a frame or an Arrow table with their columns, a Parquet file (path, bytes or open file), or a
        folder of Parquet files, as an engine writes them.
    max_bytes
        Most that a file may unpack to; None if it does not matter.
    lists
        Whether to read ``"whole"`` lists, or at first only their ``"heads"`` if the file has them first; the rest is
        then read when it is needed, so the file has to stay as it is.
    """
    if isinstance(source, Counts):
        return source
    if is_frame(source):
        return Counts.of(source) if has_columns(map(str, source.columns)) else None
    if isinstance(source, pa.Table):
        return Counts.of(source) if _is_counts(source.schema) else None
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        name = os.fsencode(source).decode("utf-8", "replace")
        return _read_all(parts_of(path), name, max_bytes, lists)
    data = _bytes(source)
    return None if data is None else _read_all([data], str(getattr(source, "name", "<bytes>")), max_bytes, lists)


def parts_of(path: Path) -> list[Path]:
    """Return the Parquet files that a path names; none where it is another kind of file, or cannot be opened."""
    try:
        if path.is_dir():
            return sorted(file for file in path.glob("*.parquet") if not file.name.startswith(("_", ".")))
        if not path.is_file():  # what is read from a pipe is gone for the reader of other files
            return []
        with path.open("rb") as file:
            return [path] if file.read(len(_MAGIC)) == _MAGIC else []
    except (OSError, ValueError):  # what is wrong with it is for the reader of other files to say
        return []


def _bytes(source: object) -> bytes | None:
    """Return what bytes or an open file hold if that is Parquet; the file is left where it stood if not."""
    if isinstance(source, bytes | bytearray):
        return bytes(source) if source[: len(_MAGIC)] == _MAGIC else None
    if not isinstance(source, io.IOBase) or not source.seekable():
        return None
    place = source.tell()
    is_parquet = source.read(len(_MAGIC)) == _MAGIC
    source.seek(place)
    if not is_parquet:
        return None
    data: bytes = source.read()
    source.seek(place)
    return data


def _read_all(files: list[Path] | list[bytes], name: str, max_bytes: int | None, lists: Lists) -> Counts | None:
    if not files:
        return None
    from pyarrow import parquet  # takes longer to import than all of tiecore

    sources = [pa.BufferReader(file) if isinstance(file, bytes) else file for file in files]
    try:
        schema = parquet.read_schema(sources[0])
    except (pa.ArrowException, OSError):  # the reader of other Parquet files says what is wrong with it
        return None
    if not _is_counts(schema):
        return None
    try:
        about = [parquet.read_metadata(source) for source in sources]
        if max_bytes is not None:
            n_rows = sum(one.num_rows for one in about)
            if n_rows * _ROW_BYTES > max_bytes:
                most = in_words(max_bytes)
                problem = f"has {n_rows:,} rows, which unpack to more than {most}, the most that is read"
                raise FormatError(name, None, problem)
        kinds = _kinds(about)
        heads = _heads(sources[0], about[0], kinds, schema.metadata, name) if len(sources) == 1 else None
        if heads is not None and lists == "heads":
            return Counts.of_cells(heads, schema.metadata, source=name)
        pieces = [
            Piece(source, one, groups)
            for source, one in zip(sources, about, strict=True)
            for groups in _pieces(one, 0, one.num_row_groups)
        ]
        cells = read_in_order(pieces, kinds, name) if heads is None else heads.read(heads.cells)
        tables = [] if cells is not None else in_threads(lambda piece: _read(piece, kinds), pieces)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FormatError(name, None, f"cannot be read as Parquet ({reason}); write it again") from None
    if cells is not None:
        return Counts.of_cells(cells, schema.metadata, source=name)
    joined = pa.concat_tables(tables, promote_options="permissive").replace_schema_metadata(schema.metadata)
    return Counts.of(joined, source=name)


def _heads(
    source: Path | pa.BufferReader,
    about: parquet.FileMetaData,
    kinds: Mapping[str, pa.DataType | None],
    metadata: Mapping[bytes, bytes] | None,
    name: str,
) -> Heads | None:
    """Read the heads of lists; None where a file does not have them first."""
    layout, ascending = layout_in(metadata, name)
    if layout is None or layout.rows != about.num_rows:  # rows have been left out or added since it was written
        return None
    ends = np.cumsum([0, *(about.row_group(group).num_rows for group in range(about.num_row_groups))])
    end = int(np.searchsorted(ends, layout.head_rows))
    if ends[end] != layout.head_rows:
        return None
    state = _state(source)
    first, others = (
        [Piece(source, about, groups) for groups in _pieces(about, *both)]
        for both in ((0, end), (end, about.num_row_groups))
    )
    cells = read_in_order(first, kinds, name)
    if cells is None or cells.cells.keys() != layout.features.keys():
        return None

    def read_others(heads: Cells) -> Cells:
        try:
            whole = read_rest(heads, others, kinds, layout=layout, ascending=ascending)
            is_same = _state(source) == state
        except (pa.ArrowException, OSError):
            is_same = False
        if not is_same:
            raise FormatError(name, None, "has changed since it was opened; open it again")
        if whole is None:
            problem = "its metadata say that the heads of lists stand first, which is not so: write it again"
            raise FormatError(name, None, problem)
        return whole

    return Heads(cells=cells, layout=layout, ascending=ascending, read=read_others)


def _state(source: Path | pa.BufferReader) -> tuple[int, int] | None:
    """Return size and time of change of a file."""
    if isinstance(source, pa.BufferReader):
        return None
    found = source.stat()
    return found.st_size, found.st_mtime_ns


def _pieces(about: parquet.FileMetaData, begin: int, end: int) -> list[list[int]]:
    """Return row groups of a file in pieces of about as many rows; an empty file has one piece without any."""
    rows = np.cumsum([about.row_group(group).num_rows for group in range(begin, end)], dtype=np.int64)
    n_rows = int(rows[-1]) if len(rows) else 0
    bounds = begin + np.unique(np.searchsorted(rows, np.arange(0, max(1, n_rows), _PIECE_ROWS)))
    return [list(range(*ends)) for ends in pairwise([*bounds.tolist(), end])]


def _read(piece: Piece, kinds: Mapping[str, pa.DataType | None]) -> pa.Table:
    """Return some columns of a piece, numbers as other types.

    A few rows at a time: the wide numbers of a file then take the same little memory again and again.
    """
    from pyarrow import parquet  # takes longer to import than all of tiecore

    names = [name for name in piece.about.schema.to_arrow_schema().names if name in kinds]
    batches = [
        pa.RecordBatch.from_arrays([batch[name].cast(kinds[name] or batch[name].type) for name in names], names)
        for _, batch in piece.batches(names)
    ]
    if batches:
        return pa.Table.from_batches(batches)
    with parquet.ParquetFile(piece.source, read_dictionary=["feature", "query_id"]) as opened:
        return opened.read(columns=names)


def _kinds(about: Sequence[parquet.FileMetaData]) -> dict[str, pa.DataType | None]:
    """Return the columns of some files, and the narrowest type that their statistics allow.

    Columns that need not be there are left out where they are empty.
    """
    parts: dict[str, list[parquet.ColumnChunkMetaData]] = {}
    types: dict[str, set[pa.DataType]] = {}
    for one in about:
        schema = one.schema.to_arrow_schema()
        if one.num_columns != len(schema):  # some columns are nested, which is refused later
            return dict.fromkeys(name for other in about for name in other.schema.to_arrow_schema().names)
        for place, field in enumerate(schema):
            types.setdefault(field.name, set()).add(field.type)
            of_column = [one.row_group(group).column(place) for group in range(one.num_row_groups)]
            parts.setdefault(field.name, []).extend(of_column)
    return {
        name: _narrowest(types[name], columns)
        for name, columns in parts.items()
        if name in NEEDED or not columns or not all(map(_is_empty, columns))
    }


def _narrowest(kinds: set[pa.DataType], columns: Sequence[parquet.ColumnChunkMetaData]) -> pa.DataType | None:
    """Return the type that holds all numbers of a column; None where it holds others, or statistics do not tell."""
    known = [column.statistics for column in columns if not _is_empty(column)]
    if not all(map(pa.types.is_signed_integer, kinds)) or not all(one is not None and one.has_min_max for one in known):
        return None
    return narrowest(min(one.min for one in known), max(one.max for one in known)) if known else None


def _is_empty(column: parquet.ColumnChunkMetaData) -> bool:
    """Return whether all values of a part of a column are known to be null."""
    statistics = column.statistics
    return statistics is not None and statistics.has_null_count and statistics.null_count == column.num_values


def _is_counts(schema: pa.Schema) -> bool:
    return METADATA_KEY in (schema.metadata or {}) or has_columns(schema.names)

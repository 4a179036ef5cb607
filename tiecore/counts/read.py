"""Whether what a caller hands over is a table of counts, and which."""

from __future__ import annotations

import io
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

from tiecore.counts.table import METADATA_KEY, Counts, has_columns, in_memory
from tiecore.errors import FormatError
from tiecore.formats.source import in_words
from tiecore.threads import in_threads

if TYPE_CHECKING:
    from pyarrow import parquet

__all__ = ["as_counts", "parts_of"]

_MAGIC = b"PAR1"
_ROW_BYTES = 48


def as_counts(source: object, *, max_bytes: int | None = None) -> Counts | None:
    """Return the table of counts that this is, or None if it is something else.

    Parameters
    ----------
    source
        :class:`Counts`, a frame or an Arrow table with their columns, a Parquet file (path, bytes or open file), or a
        folder of Parquet files, as an engine writes them.
    max_bytes
        Most that a file may unpack to; None if it does not matter.
    """
    if isinstance(source, Counts):
        return source
    if isinstance(source, pd.DataFrame):
        return Counts.of(source) if has_columns(map(str, source.columns)) else None
    if isinstance(source, pa.Table):
        return Counts.of(source) if _is_counts(source.schema) else None
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        name = os.fsencode(source).decode("utf-8", "replace")
        return _read_all(parts_of(path), name, max_bytes)
    data = _bytes(source)
    return None if data is None else _read_all([data], str(getattr(source, "name", "<bytes>")), max_bytes)


def parts_of(path: Path) -> list[Path]:
    """Return the Parquet files that a path names; none where it is another kind of file, or cannot be opened."""
    try:
        if path.is_dir():
            return sorted(file for file in path.glob("*.parquet") if not file.name.startswith(("_", ".")))
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


def _read_all(files: list[Path] | list[bytes], name: str, max_bytes: int | None) -> Counts | None:
    from pyarrow import parquet  # takes longer to import than all of tiecore

    sources = [pa.BufferReader(file) if isinstance(file, bytes) else file for file in files]
    try:
        schema = parquet.read_schema(sources[0]) if sources else None
    except (pa.ArrowException, OSError):  # the reader of other Parquet files says what is wrong with it
        return None
    if schema is None or not _is_counts(schema):
        return None
    try:
        if max_bytes is not None:
            n_rows = sum(parquet.read_metadata(source).num_rows for source in sources)
            if n_rows * _ROW_BYTES > max_bytes:
                most = in_words(max_bytes)
                problem = f"has {n_rows:,} rows, which unpack to more than {most}, the most that is read"
                raise FormatError(name, None, problem)
        tables = in_threads(partial(_read, use_threads=len(sources) == 1), sources)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise FormatError(name, None, f"cannot be read as Parquet ({reason}); write it again") from None
    joined = pa.concat_tables(tables, promote_options="permissive").replace_schema_metadata(schema.metadata)
    return Counts.of(joined, source=name)


def _read(source: Path | pa.BufferReader, *, use_threads: bool) -> pa.Table:
    """Return one file, without the columns that its statistics call empty, and with numbers as narrow as they allow."""
    from pyarrow import parquet  # takes longer to import than all of tiecore

    with parquet.ParquetFile(source, read_dictionary=["feature", "query_id"]) as opened:
        about = opened.metadata
        is_empty = [
            all(_is_empty(about.row_group(group).column(place)) for group in range(about.num_row_groups))
            for place in range(about.num_columns)
        ]
        names = opened.schema_arrow.names
        kept = (
            names
            if len(is_empty) != len(names)
            else [name for name, empty in zip(names, is_empty, strict=True) if not empty]
        )
        return in_memory(opened.read(columns=kept, use_threads=use_threads))


def _is_empty(column: parquet.ColumnChunkMetaData) -> bool:
    """Return whether all values of a part of a column are known to be null."""
    statistics = column.statistics
    return statistics is not None and statistics.has_null_count and statistics.null_count == column.num_values


def _is_counts(schema: pa.Schema) -> bool:
    return METADATA_KEY in (schema.metadata or {}) or has_columns(schema.names)

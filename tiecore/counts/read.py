"""Whether what a caller hands over is a table of counts, and which."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tiecore.counts.table import METADATA_KEY, MOST_ROWS, Counts, has_columns, narrow
from tiecore.errors import FormatError
from tiecore.formats.limits import Limits
from tiecore.formats.source import PARQUET_MAGIC, label_of, parquet_files
from tiecore.formats.tables import parquet_faults
from tiecore.frames import is_frame
from tiecore.threads import in_threads

if TYPE_CHECKING:
    from pyarrow import parquet

_ROW_BYTES = 48
_ONE_AT_A_TIME = Lock()
_PIECE_ROWS = 1 << 20
"""Rows that one thread reads in one go, as far as row groups allow."""
_BATCH_ROWS = 1 << 17
"""Rows that are read at once: wide numbers then take little memory before they are narrowed."""


def as_counts(source: object, *, limits: Limits | None = None) -> Counts | None:
    """Return the table of counts that this is, or None if it is something else.

    It may be :class:`Counts`, a frame or an Arrow table with their columns, a Parquet file (path, bytes or open file),
    or a folder of Parquet files, as an engine writes them. Of ``limits``, that on the unpacked size is kept.
    """
    if isinstance(source, Counts):
        return source
    if is_frame(source):
        return Counts.of(source) if has_columns(map(str, source.columns)) else None
    if isinstance(source, pa.Table):
        return Counts.of(source) if _is_counts(source.schema) else None
    if isinstance(source, str | os.PathLike):
        return _read(parquet_files(Path(source)), label_of(source), limits)
    data = _bytes(source)
    return None if data is None else _read([data], str(getattr(source, "name", "<bytes>")), limits)


def _bytes(source: object) -> bytes | None:
    """Return what bytes or an open file hold if that is Parquet; the file is left where it stood."""
    if isinstance(source, io.IOBase) and source.seekable():
        file, place = source, source.tell()
        source = file.read(len(PARQUET_MAGIC))
        if source == PARQUET_MAGIC:
            source += file.read()
        file.seek(place)
    return bytes(source) if isinstance(source, bytes | bytearray) and source.startswith(PARQUET_MAGIC) else None


def _read(files: list[Path] | list[bytes], name: str, limits: Limits | None) -> Counts | None:
    if not files:
        return None
    from pyarrow import parquet  # takes longer to import than all of tiecore

    sources = [pa.BufferReader(file) if isinstance(file, bytes) else file for file in files]
    try:
        with parquet_faults(name):
            schema = parquet.read_schema(sources[0])
    except FormatError:  # the reader of other Parquet files says what is wrong with it
        return None
    if not _is_counts(schema):
        return None
    with _memory_of_the_system(), parquet_faults(name):
        about = [parquet.read_metadata(source) for source in sources]
        n_rows = sum(one.num_rows for one in about)
        if n_rows > MOST_ROWS:
            raise FormatError(name, None, f"has {n_rows:,} rows; a table of counts has {MOST_ROWS:,} at most")
        if limits is not None:
            limits.check("unpacked", n_rows * _ROW_BYTES, found=f"has {n_rows:,} rows to unpack", file=name)
        pieces = [(source, one, groups) for source, one in zip(sources, about, strict=True) for groups in _pieces(one)]
        tables = in_threads(lambda piece: _rows(*piece), pieces)
        joined = pa.concat_tables(tables, promote_options="permissive")
        return Counts.of(joined.replace_schema_metadata(schema.metadata), source=name)


@contextmanager
def _memory_of_the_system() -> Iterator[None]:
    """Take no memory from Arrow's own pool, whose huge pages the system has to find.

    Counts of 200 million rows (``python -m bench.scale --rows 200000000``) open in 1.8 to 2.3 s in a new process
    instead of 2.6 to 4.8 s (mark: 3 s).
    One at a time, else the second would take the pool of the first for that of the process.
    """
    with _ONE_AT_A_TIME:
        usual = pa.default_memory_pool()
        pa.set_memory_pool(pa.system_memory_pool())
        try:
            yield
        finally:
            pa.set_memory_pool(usual)


def _pieces(about: parquet.FileMetaData) -> list[list[int]]:
    """Return row groups of a file in pieces of about as many rows; an empty file has one piece without any."""
    rows = np.cumsum([about.row_group(group).num_rows for group in range(about.num_row_groups)], dtype=np.int64)
    first = np.unique(np.searchsorted(rows, np.arange(0, max(1, about.num_rows), _PIECE_ROWS)))
    return [list(range(*ends)) for ends in pairwise([*first.tolist(), about.num_row_groups])]


def _rows(source: Path | pa.BufferReader, about: parquet.FileMetaData, groups: list[int]) -> pa.Table:
    """Return the rows of a piece, numbers as narrow as they allow."""
    from pyarrow import parquet  # takes longer to import than all of tiecore

    options = {"read_dictionary": ["feature", "query_id"], "page_checksum_verification": True}
    with parquet.ParquetFile(source, metadata=about, **options) as opened:
        tables = []
        for batch in opened.iter_batches(_BATCH_ROWS, groups, use_threads=False):
            batch.validate(full=True)  # codes in a damaged file may point to no text
            tables.append(narrow(pa.Table.from_batches([batch])))
        return pa.concat_tables(tables or [opened.schema_arrow.empty_table()], promote_options="permissive")


def _is_counts(schema: pa.Schema) -> bool:
    return METADATA_KEY in (schema.metadata or {}) or has_columns(schema.names)

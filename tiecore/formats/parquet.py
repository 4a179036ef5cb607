"""Parquet tables: ids and grades are read at once, each feature only when it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from tiecore.errors import FormatError, shortened
from tiecore.formats import numbers
from tiecore.formats.arrays import IDS, codes, first_row, one_chunk, without_unused
from tiecore.formats.columns import feature_names, find_columns, no_numbers
from tiecore.formats.records import LazyColumns, Records, faults_on, refuse_empty_ids
from tiecore.formats.source import Content, in_words

__all__ = ["read_parquet"]

REASON = 200
"""Characters kept of another library's message about a file."""
WIDE = 100
"""Columns from which on a file is read several columns at a time."""
TOGETHER = 1 << 20
"""Numbers that are then read, and kept, at a time."""
IS_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_binary)
IS_NUMBER = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)


def read_parquet(content: Content, *, name: str | None) -> Records:
    """Read ids and grades; nulls in a feature say that it does not score the document."""
    file = _File(content)
    schema, n_rows = file.schema, file.n_rows
    if n_rows == 0:
        raise FormatError(content.name, None, "has columns but no rows; expected judgments or scores")
    limits = content.limits
    limits.check("rows", n_rows, found=f"has {n_rows:,} rows", file=content.name)
    limits.check("columns", len(schema), found=f"has {len(schema):,} columns", file=content.name)
    columns = find_columns(schema.names, source=content.name)
    numeric = [column for column in columns.others if column in file.place_of]
    if not numeric and columns.label is None:
        raise FormatError(content.name, None, no_numbers(schema.names))
    n_cells = n_rows * len(numeric)
    limits.check("cells", n_cells, found=f"has {n_cells:,} numbers", file=content.name)
    found = feature_names(numeric, name=name, stem=content.stem, source=content.name)
    with faults_on(None, file=content.name):
        query = codes(file.ids(columns.query))
        document = one_chunk(_decoded(file.ids(columns.document), content))
        refuse_empty_ids(query, document)
        grades = None if columns.label is None else _grades(file.column(columns.label))
    return Records(
        source=content.name,
        stem=content.stem,
        kind="table",
        query=query,
        document=document,
        grades=grades,
        features=LazyColumns(file.scores, {feature: column for column, feature in found.items()}),
        rank=None if columns.rank is None else numbers.whole_or_none(file.column(columns.rank)),
        ignored=tuple(column for column in (*columns.idle, *columns.others) if column not in found),
    )


class _File:
    """A Parquet file that is opened for each reading, so that threads do not get into each other's way.

    That takes time for each of its columns, so a wide one is read many columns at a time.
    """

    def __init__(self, content: Content) -> None:
        self.name = content.name
        self._path = content.path if content.on_disk else None
        self._data = content.data
        self._state = self._stat()
        self._kept: dict[str, pa.ChunkedArray] = {}
        with self._opened() as file:
            self.schema, self.n_rows = file.schema_arrow, file.metadata.num_rows
        numeric = [field.name for field in self.schema if _is_any(field.type, IS_NUMBER)]
        self.place_of = {name: place for place, name in enumerate(numeric)}

    def scores(self, name: str) -> np.ndarray:
        """(n_rows,) numbers of a column."""
        kept = self._kept  # another thread may replace it
        if name not in kept:
            together = max(TOGETHER // self.n_rows, 1) if len(self.place_of) > WIDE else 1
            start = self.place_of[name] // together * together
            kept = self.columns(list(self.place_of)[start : start + together])
            self._kept = kept if together > 1 else {}
        with faults_on(None, file=self.name):
            return numbers.from_arrow(kept[name], what=shortened(name))

    def columns(self, names: Sequence[str], *, as_codes: bool = False) -> dict[str, pa.ChunkedArray]:
        """Read some columns; text as codes if asked for."""
        with self._opened(names if as_codes else []) as file:
            table = file.read(columns=names)
            for name in names:
                if len(table[name]) != file.metadata.num_rows:
                    found = f"{len(table[name])} values for {file.metadata.num_rows} rows"
                    raise FormatError(self.name, None, f"{shortened(name)} has {found}; write the file again")
            return {name: table[name] for name in names}

    def column(self, name: str) -> pa.ChunkedArray:
        """Read one column."""
        return self.columns([name])[name]

    def ids(self, name: str) -> pa.ChunkedArray:
        """Ids as codes, which stay small however often a long id comes back."""
        column = self.columns([name], as_codes=True)[name]
        if column.null_count:
            raise numbers.RowFault(first_row(column.is_null()), f"{shortened(name)} is null; every row needs an id")
        value_type = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not _is_any(value_type, (*IS_TEXT, pa.types.is_integer)):
            raise FormatError(
                self.name, None, f"{shortened(name)} holds {value_type}; expected ids as text or whole numbers"
            )
        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        try:
            chunks = [
                pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int32()), _text(chunk.dictionary))
                for chunk in column.chunks
            ]
        except pa.ArrowException as error:  # no UTF-8, or codes without a text
            raise FormatError(
                self.name, None, f"{shortened(name)} cannot be read as text: {str(error)[:REASON]}"
            ) from None
        return without_unused(pa.chunked_array(chunks, IDS))

    def _stat(self) -> tuple[int, int, int] | None:
        """Identity of the file, to notice that another one has replaced it."""
        if self._path is None:
            return None
        try:
            state = self._path.stat()
        except OSError:
            return None
        return state.st_ino, state.st_size, state.st_mtime_ns

    @contextmanager
    def _opened(self, as_codes: Sequence[str] = ()) -> Iterator[parquet.ParquetFile]:
        if self._stat() != self._state:  # its columns would no longer fit the ids
            raise FormatError(self.name, None, "has changed or been removed since it was opened; open it again")
        try:
            with parquet.ParquetFile(self._path or pa.BufferReader(self._data), read_dictionary=list(as_codes)) as file:
                yield file
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = str(error).partition("\n")[0][:REASON]
            raise FormatError(self.name, None, f"cannot be read as Parquet ({reason}); write it again") from None


def _is_any(kind: pa.DataType, tests: Sequence[Callable[[pa.DataType], bool]]) -> bool:
    return any(test(kind) for test in tests)


def _text(values: pa.Array) -> pa.Array:
    texts = values.cast(pa.string())
    texts.validate(full=True)  # that it is UTF-8
    return texts


def _decoded(column: pa.ChunkedArray, content: Content) -> pa.ChunkedArray:
    """Decode ids after checking their total length: a small file can repeat a long id a million times."""
    n_bytes = sum(
        pc.sum(pc.binary_length(chunk.dictionary).take(chunk.indices)).as_py() or 0 for chunk in column.chunks
    )
    found = f"its document ids unpack to {in_words(n_bytes)}"
    content.limits.check("unpacked", n_bytes, found=found, file=content.name)
    return pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], pa.string())


def _grades(column: pa.ChunkedArray) -> np.ndarray:
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    try:
        texts = column.cast(pa.string()).fill_null("")
    except pa.ArrowException:
        raise numbers.RowFault(0, f"the grade is of type {column.type}; expected whole numbers") from None
    return numbers.grades_of_texts(codes(texts.dictionary_encode()))

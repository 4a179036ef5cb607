"""Parquet tables: ids and grades are read at once, each feature only when it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from tiecore.errors import FormatError, shortened
from tiecore.formats import cells, numbers
from tiecore.formats.columns import feature_names, find_columns, no_numbers
from tiecore.formats.records import Records
from tiecore.formats.source import Content, in_words

__all__ = ["LazyColumns", "read_parquet"]

REASON = 200
"""Characters kept of another library's message about a file."""
WIDEST = 8
"""Bytes of a number, to estimate the unpacked size of a column."""
IS_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_binary)
IS_NUMBER = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)


def read_parquet(content: Content, *, name: str | None) -> Records:
    """Read ids and grades; nulls in a feature say that it does not score the document."""
    file = _File(content)
    schema, n_rows = file.shape()
    if n_rows == 0:
        raise FormatError(content.name, None, "has columns but no rows; expected judgments or scores")
    if n_rows * WIDEST > content.max_bytes:
        most = in_words(content.max_bytes)
        problem = f"has {n_rows:,} rows, whose columns unpack to more than {most}, the most that is read; split it"
        raise FormatError(content.name, None, problem)
    columns = find_columns(schema.names, source=content.name)
    type_of = dict(zip(schema.names, schema.types, strict=True))
    numeric = dict.fromkeys(column for column in columns.others if _is_any(type_of[column], IS_NUMBER))
    if not numeric and columns.label is None:
        raise FormatError(content.name, None, no_numbers(schema.names))
    found = feature_names(list(numeric), name=name, stem=content.stem, source=content.name)
    try:
        query = cells.codes(file.ids(columns.query))
        document = cells.one_chunk(_decoded(file.ids(columns.document), content))
        cells.refuse_empty_ids(query, document)
        grades = None if columns.label is None else _grades(file.column(columns.label))
    except cells.RowFault as fault:
        raise FormatError(content.name, None, f"row {fault.row + 1}: {fault.problem}") from None
    return Records(
        source=content.name,
        stem=content.stem,
        kind="table",
        query=query,
        document=document,
        grades=grades,
        features=LazyColumns(_file=file, _column_of={feature: column for column, feature in found.items()}),
        rank=None if columns.rank is None else cells.whole_or_none(file.column(columns.rank)),
        ignored=tuple(column for column in (*columns.idle, *columns.others) if column not in numeric),
    )


@dataclass(frozen=True, slots=True)
class LazyColumns(Mapping[str, np.ndarray]):
    """Features of a file by name, each read again on every access, so that only those in use are in memory."""

    _file: _File
    _column_of: dict[str, str]

    def __getitem__(self, name: str) -> np.ndarray:
        column = self._column_of[name]
        try:
            return _numbers(self._file.column(column), what=shortened(column))
        except cells.RowFault as fault:
            raise FormatError(self._file.name, None, f"row {fault.row + 1}: {fault.problem}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._column_of)

    def __len__(self) -> int:
        return len(self._column_of)


class _File:
    """A Parquet file that is opened for each reading, so that threads do not get into each other's way."""

    def __init__(self, content: Content) -> None:
        self.name = content.name
        self._path = content.path if content.on_disk else None
        self._data = content.data
        self._state = self._stat()

    def shape(self) -> tuple[pa.Schema, int]:
        """Names and types of the columns, and the number of rows."""
        with self._opened() as file:
            return file.schema_arrow, file.metadata.num_rows

    def column(self, name: str, *, as_codes: bool = False) -> pa.ChunkedArray:
        """Read one column; text as codes if asked for."""
        with self._opened([name] if as_codes else []) as file:
            column = file.read(columns=[name]).column(0)
            if len(column) != file.metadata.num_rows:
                found = f"{len(column)} values for {file.metadata.num_rows} rows"
                problem = f"{shortened(name)} has {found}; write the file again"
                raise FormatError(self.name, None, problem)
            return column

    def ids(self, name: str) -> pa.ChunkedArray:
        """Ids as codes, which stay small however often a long id comes back."""
        column = self.column(name, as_codes=True)
        if column.null_count:
            raise cells.RowFault(cells.first_row(column.is_null()), f"{shortened(name)} is null; every row needs an id")
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
        return cells.without_unused(pa.chunked_array(chunks, cells.IDS))

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
    if n_bytes > content.max_bytes:
        problem = f"its document ids unpack to more than {in_words(content.max_bytes)}, the most that is read; split it"
        raise FormatError(content.name, None, problem)
    return pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks], pa.string())


def _grades(column: pa.ChunkedArray) -> np.ndarray:
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    try:
        texts = column.cast(pa.string()).fill_null("")
    except pa.ArrowException:
        raise cells.RowFault(0, f"the grade is of type {column.type}; expected whole numbers") from None
    return cells.grades(cells.codes(texts.dictionary_encode()))


def _numbers(column: pa.ChunkedArray, *, what: str) -> np.ndarray:
    """(n_rows,) numbers in the type they have, as far as it can say that there is none."""
    kind = column.type
    if pa.types.is_decimal(kind):
        decimals = column.combine_chunks()
        floats = numbers.floats_of(decimals.cast(pa.float64()))
        return numbers.from_values(decimals.to_pylist(), what=what) if numbers.has_far(floats) else floats
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    elif pa.types.is_float16(kind):
        column = column.cast(pa.float32())
    if pa.types.is_floating(column.type):
        cells.refuse_nan(column, what=what)
        return numbers.floats_of(column)
    return numbers.from_arrow(column.combine_chunks())

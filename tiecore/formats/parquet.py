"""Parquet tables: ids and grades are read at once, each feature only when it is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tiecore.errors import FormatError, shortened
from tiecore.formats import numbers
from tiecore.formats.columns import find_columns
from tiecore.formats.records import ROWS, Records, faults_on
from tiecore.formats.source import Content
from tiecore.formats.tables import IS_TEXT, decoded, holds_numbers, parquet_faults, records_of_table

TOGETHER = 1 << 21
"""Numbers that are read, and kept, at a time."""


def read_parquet(content: Content) -> Records:
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
    n_cells = n_rows * len(numeric)
    limits.check("cells", n_cells, found=f"has {n_cells:,} numbers", file=content.name)
    ids = (columns.query, columns.document)  # as codes, which stay small however often a long id comes back
    return records_of_table(
        columns,
        numeric,
        read=lambda column: file.columns([column], as_codes=column in ids)[column],
        scores=file.scores,
        content=content,
    )


class _File:
    """A Parquet file that is opened for each reading, so that threads do not get into each other's way.

    That takes time for each of its columns, so of a short one many columns are read at a time.
    """

    def __init__(self, content: Content) -> None:
        self._content, self._state = content, _state(content)
        self._kept: dict[str, pa.ChunkedArray] = {}
        self._last: tuple[str, np.ndarray] = ("", np.zeros(0))
        with opened(content) as file:
            self.schema, self.n_rows = file.schema_arrow, file.metadata.num_rows
        numeric = [field.name for field in self.schema if holds_numbers(field.type)]
        self.place_of = {name: place for place, name in enumerate(numeric)}

    def scores(self, name: str) -> np.ndarray:
        """(n_rows,) numbers of a column; those asked for last are kept, since its blocks of queries are."""
        kept, last = self._kept, self._last  # another thread may replace them
        is_same = _state(self._content) == self._state
        if last[0] == name and is_same:
            return last[1]
        if name not in kept or not is_same:
            together = max(TOGETHER // self.n_rows, 1)
            start = self.place_of[name] // together * together
            kept = self.columns(list(self.place_of)[start : start + together])
            self._kept = kept if together > 1 else {}
        with faults_on(ROWS, file=self._content.name):
            self._last = last = name, numbers.from_arrow(kept[name], what=f"value of column {shortened(name)}")
        return last[1]

    def columns(self, names: Sequence[str], *, as_codes: bool = False) -> dict[str, pa.ChunkedArray]:
        """Read some columns; text as codes if asked for."""
        if _state(self._content) != self._state:  # its columns would no longer fit the ids
            raise FormatError(
                self._content.name, None, "has changed or been removed since it was opened; open it again"
            )
        with opened(self._content, names if as_codes else []) as file:
            table = file.read(columns=names)
            for name in names:
                if len(table[name]) != file.metadata.num_rows:
                    found = f"{len(table[name])} values for {file.metadata.num_rows} rows"
                    raise FormatError(self._content.name, None, f"{shortened(name)} has {found}; write the file again")
            return {name: table[name] for name in names}


@contextmanager
def opened(content: Content, as_codes: Sequence[str] = ()) -> Iterator[parquet.ParquetFile]:
    """Open a Parquet file, text of some columns as codes; what is wrong with it is said of the file."""
    source = content.path if content.on_disk else pa.BufferReader(content.data)
    with parquet_faults(content.name), parquet.ParquetFile(source, read_dictionary=list(as_codes)) as file:
        yield file


def read_whole(content: Content, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a table that is within its limits in cells and in bytes of its texts; ``columns``: instead of all."""
    with opened(content) as file:
        n_cells = file.metadata.num_rows * file.metadata.num_columns
        content.limits.check("cells", n_cells, found=f"has {n_cells:,} cells", file=content.name)
        schema = file.schema_arrow
    flat = flat_columns(schema)
    if nested := [name for name in columns or schema.names if name not in flat]:
        raise FormatError(content.name, None, f"column {shortened(nested[0])} holds lists; leave it out")
    texts = [field.name for field in schema if any(test(field.type) for test in IS_TEXT)]
    with opened(content, texts) as file:
        table = file.read(list(columns or schema.names))
        table.validate(full=True)  # texts of a damaged file may be no UTF-8
    for place, name in enumerate(table.column_names):
        if pa.types.is_dictionary(table[place].type):
            what = f"the texts of {shortened(name)}"
            table = table.set_column(place, name, decoded(table[place], content, what=what))
    return table


def flat_columns(schema: pa.Schema) -> list[str]:
    """Return the columns but those of lists, of which a small file can hold billions of numbers."""
    return [field.name for field in schema if not pa.types.is_nested(field.type)]


def _state(content: Content) -> tuple[int, int, int] | None:
    """Identity of a file, to notice that another one has replaced it."""
    if not content.on_disk or content.path is None:
        return None
    try:
        state = content.path.stat()
    except OSError:
        return None
    return state.st_ino, state.st_size, state.st_mtime_ns

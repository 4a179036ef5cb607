"""CSV and TSV with a header: ids, perhaps grades, and one numeric column per feature."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from tiecore.errors import FormatError, listed, shortened
from tiecore.formats import numbers
from tiecore.formats.arrays import IDS, parses_in_threads
from tiecore.formats.columns import Columns, find_columns
from tiecore.formats.records import Records, faults_on
from tiecore.formats.sniff import cells_of_header, names_ids, refuse_open_quote
from tiecore.formats.source import Content
from tiecore.formats.tables import records_of_table
from tiecore.formats.text import first_line, refuse_bad_utf8, row_lines

__all__ = ["read_delimited"]

PARSER_BLOCK = 1 << 24
LARGEST_BLOCK = 2**31 - 1
SAMPLE_ROWS = 1000
NUMBER, TRUTH, TEXT = pa.float64(), pa.bool_(), pa.string()


def read_delimited(content: Content, *, name: str | None) -> Records:
    """Read a table; the delimiter (comma, semicolon, tab or bar) is the one that brings out the names of the ids."""
    table = _Table(content)
    columns = table.columns()
    kinds = {column: kind for column, kind in table.kinds(columns.others).items() if kind != TEXT}
    n_cells = table.data.count(b"\n", table.start) * len(kinds)
    content.limits.check("cells", n_cells, found=f"has {n_cells:,} numbers", file=content.name)
    others = {columns.query: IDS, columns.document: TEXT, columns.label: IDS, columns.rank: TEXT}
    parsed = table.parsed(kinds | {column: kind for column, kind in others.items() if column})
    lines = table.row_lines(len(parsed[columns.query]))
    content.release()
    del table.data
    first_line = table.header_line + 1
    with faults_on(lines, file=content.name, first_line=first_line):
        scores = {column: _scores(parsed.pop(column), kinds[column], name=column) for column in kinds}
    return records_of_table(
        columns,
        [column for column in kinds if not np.isnan(scores[column]).all()],
        read=parsed.pop,
        scores=scores.__getitem__,
        source=content.name,
        limits=content.limits,
        name=name,
        stem=content.stem,
        lines=lines,
        first_line=first_line,
        header_line=table.header_line,
    )


class _Table:
    """A table being read: its header, where its rows are, and what is wrong if they cannot be parsed."""

    def __init__(self, content: Content) -> None:
        self.content, self.data = content, content.data
        begin, self.header_line, line = first_line(self.data)
        text = line.decode(errors="replace")
        refuse_open_quote(text, file=content.name, number=self.header_line)
        self.delimiter, header = cells_of_header(text)
        self.header = [cell.strip() for cell in header]
        self.start = self.data.find(b"\n", begin) + 1 or len(self.data)

    def columns(self) -> Columns:
        """Recognise the columns by their names."""
        header, file = self.header, self.content.name
        found = f"has {len(header):,} columns"
        self.content.limits.check("columns", len(header), found=found, file=file, line=self.header_line)
        if not names_ids(header) and any(map(numbers.NUMBER.fullmatch, header)):
            self.refuse("the first line holds data; expected the names of the columns, such as query_id,doc_id,score")
        columns = find_columns(header, source=file, line=self.header_line)
        if not first_line(self.data, self.start)[2]:
            self.refuse("there are no rows below the header; expected judgments or scores")
        return columns

    def kinds(self, names: Sequence[str]) -> dict[str, pa.DataType]:
        """Return what each column seems to hold, by its first rows: numbers, truth values or text."""
        if not names:
            return {}
        try:
            with arrow_csv.open_csv(*self._options(dict.fromkeys(names, TEXT))) as reader:
                sample = reader.read_next_batch().slice(0, SAMPLE_ROWS)
        except pa.ArrowInvalid:
            self._refuse_structure()
        return {name: numbers.kind_of(sample[i].to_pylist()) for i, name in enumerate(names)}

    def parsed(self, kinds: dict[str, pa.DataType]) -> dict[str, pa.ChunkedArray]:
        """Return the columns by name; all numbers as text if one of them does not hold what it seemed to.

        Numbers beyond 2^53 are read as text too: floats do not hold every whole number there.
        """
        for number in (NUMBER, TEXT):
            try:
                columns = self._read(
                    {name: {NUMBER: number, TRUTH: TEXT}.get(kind, kind) for name, kind in kinds.items()}
                )
            except pa.ArrowInvalid:
                continue
            floats = (name for name, column in columns.items() if column.type == NUMBER)
            far = [name for name in floats if len(numbers.far_rows(numbers.floats_of(columns[name])))]
            return columns | (self._read(dict.fromkeys(far, TEXT)) if far else {})
        return self._refuse_structure()

    def _read(self, kinds: dict[str, pa.DataType]) -> dict[str, pa.ChunkedArray]:
        return dict(zip(kinds, arrow_csv.read_csv(*self._options(kinds)).columns, strict=True))

    def _options(self, kinds: dict[str, pa.DataType]) -> tuple[Any, ...]:
        """Return arguments of the parser, which identifies columns by position."""
        place_of = {name: str(place) for place, name in enumerate(self.header)}
        kind_at = {place_of[name]: kind for name, kind in kinds.items()}
        return (
            pa.py_buffer(self.data).slice(self.start),
            arrow_csv.ReadOptions(
                column_names=[str(place) for place in range(len(self.header))],
                block_size=min(max(PARSER_BLOCK, self.content.limits.line + 1), LARGEST_BLOCK),
                use_threads=parses_in_threads(),
            ),
            arrow_csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=b'"' in self.data),
            arrow_csv.ConvertOptions(
                column_types=kind_at, include_columns=list(kind_at), null_values=[""], strings_can_be_null=False
            ),
        )

    def row_lines(self, n_rows: int) -> np.ndarray | None:
        """(n_rows,) line of each row; stray quotes between quoted line ends leave it at one row a line."""
        first = self.header_line + 1
        lines = row_lines(self.data, n_rows, start=self.start, number=first)
        if len(lines) > n_rows:
            # quoted cells hold line ends: a row begins behind an end up to which the number of quotes is even
            view = np.frombuffer(self.data, np.uint8)[self.start :]
            n_quotes = np.searchsorted(np.flatnonzero(view == ord('"')), np.flatnonzero(view == ord("\n")))
            lines = lines[np.concatenate(([True], n_quotes % 2 == 0))[lines - first]]
        return lines if len(lines) == n_rows else None

    def refuse(self, problem: str) -> NoReturn:
        """Raise with the line of the header."""
        raise FormatError(self.content.name, self.header_line, problem)

    def _refuse_structure(self) -> NoReturn:
        """Find the first row whose cells do not fit the header."""
        file = self.content.name
        refuse_bad_utf8(self.data, file=file)
        texts = (line.decode() for line in io.BytesIO(memoryview(self.data)[self.start :]))
        rows = csv.reader(texts, delimiter=self.delimiter)
        line = self.header_line + 1
        try:
            for row in rows:
                if row and len(row) != len(self.header):
                    expected = f"{len(self.header)} cells ({listed(self.header)})"
                    raise FormatError(file, line, f"expected {expected}, found {len(row)}")
                line = self.header_line + 1 + rows.line_num
        except csv.Error as error:
            raise FormatError(file, line, f"cannot be parsed as a table: {error}; is a quote never closed?") from None
        problem = f"cannot be parsed as a table; is a quote never closed, or a row longer than {PARSER_BLOCK:,} bytes?"
        raise FormatError(file, None, problem)


def _scores(column: pa.ChunkedArray, kind: pa.DataType, *, name: str) -> np.ndarray:
    what = f"value of column {shortened(name)}"
    if kind == TRUTH:
        return numbers.truths(column.combine_chunks(), what=what)
    return (
        numbers.from_text(column.combine_chunks(), what=what)
        if column.type == TEXT
        else numbers.from_arrow(column, what=what)
    )

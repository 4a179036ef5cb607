"""CSV and TSV with a header: ids, perhaps grades, and one numeric column per feature."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from tiecore.errors import FormatError, listed, shortened
from tiecore.formats import numbers
from tiecore.formats.arrays import IDS, MOST_BYTES, arrow_texts, parses_in_threads, pc
from tiecore.formats.columns import find_columns, plain
from tiecore.formats.records import Records, faults_on
from tiecore.formats.sniff import cells_of_header, names_ids
from tiecore.formats.source import Content
from tiecore.formats.tables import records_of_table
from tiecore.formats.text import first_line, refuse_bad_utf8, row_lines

PARSER_BLOCK = 1 << 24
SAMPLE_ROWS = 1000
NUMBER, TRUTH, TEXT = pa.float64(), pa.bool_(), pa.string()


def read_delimited(content: Content, *, unscored: Collection[str] = ()) -> Records:
    """Read a table; the delimiter (comma, semicolon, tab or bar) is the one that brings out the names of the ids.

    ``unscored``: texts in columns of scores that stand for empty cells.
    """
    file, rows = content.name, Rows.below_header(content, example="query_id,doc_id,score")
    columns = find_columns(rows.names, source=file, line=rows.line - 1)
    kinds = {column: kind for column, kind in rows.kinds(columns.others).items() if kind != TEXT}
    rows.check_cells(len(kinds))
    others = {columns.query: IDS, columns.document: TEXT, columns.label: IDS, columns.rank: TEXT}
    parsed = rows.parsed(kinds | {column: kind for column, kind in others.items() if column})
    lines = rows.lines(len(parsed[columns.query]))
    content.release()
    with faults_on(lines, file=file):
        scores = {
            column: _scores(parsed.pop(column), kind, name=column, unscored=unscored) for column, kind in kinds.items()
        }
    return records_of_table(
        columns,
        [column for column in kinds if not np.isnan(scores[column]).all()],
        read=parsed.pop,
        scores=scores.__getitem__,
        content=content,
        lines=lines,
        header_line=rows.line - 1,
    )


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a table: where they are, and what is wrong if they cannot be parsed.

    Between blanks, each of them one space, a quote is a sign like any other.
    """

    content: Content
    names: Sequence[str]
    """Of the columns."""
    delimiter: str
    start: int = 0
    """Where they begin."""
    line: int = 1
    """Line of the first one."""

    @classmethod
    def below_header(cls, content: Content, *, example: str, first: Collection[str] = ()) -> Rows:
        """Return the rows below the first line, which names the columns; ``example``: names that would do.

        ``first``: names of a first column beside which the names of others may be numbers.
        """
        file, data = content.name, content.data
        begin, line, header = first_line(data)
        delimiter, cells = cells_of_header(header.decode(errors="replace"))
        if cells[-1].endswith("\n"):
            problem = "a quoted name goes on in the next line; write the names of the columns on one line"
            raise FormatError(file, line, problem)
        names = tuple(cell.strip() for cell in cells)
        content.limits.check("columns", len(names), found=f"has {len(names):,} columns", file=file, line=line)
        holds_data = any(numbers.NUMBER.fullmatch(name) or numbers.WITH_COMMA.fullmatch(name) for name in names)
        if holds_data and not names_ids(names) and plain(names[0]) not in first:
            problem = f"the first line holds data; expected the names of the columns, such as {example}"
            raise FormatError(file, line, problem)
        start = data.find(b"\n", begin) + 1 or len(data)
        if not first_line(data, start)[2]:
            raise FormatError(file, line, "there are no rows below the header; expected data under these names")
        return cls(content, names, delimiter, start=start, line=line + 1)

    def kinds(self, names: Sequence[str]) -> dict[str, pa.DataType]:
        """Return what each column seems to hold, by its first rows: numbers, truth values or text."""
        if not names:
            return {}
        try:
            with arrow_csv.open_csv(**self._options(dict.fromkeys(names, TEXT))) as reader:
                sample = reader.read_next_batch().slice(0, SAMPLE_ROWS)
        except pa.ArrowInvalid:
            self._refuse()
        return {name: numbers.kind_of(column.to_pylist()) for name, column in zip(names, sample.columns, strict=True)}

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
        return self._refuse()

    def check_cells(self, n_columns: int) -> None:
        """Refuse more numbers than the limit."""
        n_cells = self.content.data.count(b"\n", self.start) * n_columns
        self.content.limits.check("cells", n_cells, found=f"has {n_cells:,} numbers", file=self.content.name)

    def no_numbers(self, names: Sequence[str]) -> Iterator[tuple[str, str, int, int]]:
        """Yield column, text, number of its cells and line of the first for what is no number in columns of numbers.

        Blank cells are named only where there are others too.
        """
        kinds = {column: kind for column, kind in self.kinds(names).items() if kind != TEXT}
        self.check_cells(len(kinds))
        parsed = self.parsed(dict.fromkeys(kinds, TEXT))
        lines = self.lines(max(map(len, parsed.values()), default=0))
        for column, texts in parsed.items():
            trimmed = pc.utf8_trim_whitespace(texts)
            fits = "false|true" if kinds[column] == TRUTH else numbers.NUMBER.pattern
            is_odd = pc.invert(pc.match_substring_regex(trimmed, f"^(?:{fits})$", ignore_case=True))
            odd = trimmed.filter(is_odd).combine_chunks().dictionary_encode()
            _, first, n_cells = np.unique(odd.indices, return_index=True, return_counts=True)
            line = lines[is_odd.to_numpy()][first]
            if (texts := odd.dictionary.to_pylist()) != [""]:
                for found in zip(texts, n_cells.tolist(), line.tolist(), strict=True):
                    yield column, *found

    def _read(self, kinds: dict[str, pa.DataType]) -> dict[str, pa.ChunkedArray]:
        return dict(zip(kinds, arrow_csv.read_csv(**self._options(kinds)).columns, strict=True))

    def _options(self, kinds: dict[str, pa.DataType]) -> dict[str, Any]:
        """Return arguments of the parser, which identifies columns by position."""
        data = self.content.data
        place_of = {name: str(place) for place, name in enumerate(self.names)}
        types = {place_of[name]: kind for name, kind in kinds.items()}
        is_plain, block = self.delimiter == " ", max(PARSER_BLOCK, self.content.limits.line + 1)
        return {
            "input_file": pa.py_buffer(data).slice(self.start),
            "read_options": arrow_csv.ReadOptions(
                column_names=list(map(str, range(len(self.names)))),
                block_size=min(block, MOST_BYTES),
                use_threads=parses_in_threads(),
            ),
            "parse_options": arrow_csv.ParseOptions(
                delimiter=self.delimiter,
                quote_char=not is_plain and '"',
                newlines_in_values=not is_plain and b'"' in data,
            ),
            "convert_options": arrow_csv.ConvertOptions(
                column_types=types, include_columns=list(types), null_values=[""]
            ),
        }

    def lines(self, n_rows: int) -> np.ndarray:
        """(n_rows,) line of each row; stray quotes between quoted line ends leave it at one row a line."""
        data = self.content.data
        lines = row_lines(data, n_rows, start=self.start, number=self.line)
        if len(lines) > n_rows:
            # quoted cells hold line ends: a row begins behind an end up to which the number of quotes is even
            view = np.frombuffer(data, np.uint8)[self.start :]
            n_quotes = np.searchsorted(np.flatnonzero(view == ord('"')), np.flatnonzero(view == ord("\n")))
            lines = lines[np.concatenate(([True], n_quotes % 2 == 0))[lines - self.line]]
        return lines if len(lines) == n_rows else np.arange(self.line, self.line + n_rows)

    def _refuse(self) -> NoReturn:
        """Find the first row whose cells do not fit the header."""
        file, data, n_cells = self.content.name, self.content.data, len(self.names)
        is_plain, line = self.delimiter == " ", self.line
        refuse_bad_utf8(data, file=file, number=line - data.count(b"\n", 0, self.start))
        texts = (line.decode() for line in io.BytesIO(memoryview(data)[self.start :]))
        quoting: Any = csv.QUOTE_NONE if is_plain else csv.QUOTE_MINIMAL
        rows = csv.reader(texts, delimiter=self.delimiter, quoting=quoting)
        names = f"fields ({' '.join(self.names)})" if is_plain else f"cells ({listed(self.names)})"
        try:
            for row in rows:
                if row and len(row) != n_cells:
                    raise FormatError(file, line, f"expected {n_cells} {names}, found {len(row)}")
                line = self.line + rows.line_num
        except csv.Error as error:
            raise FormatError(file, line, f"cannot be parsed as a table: {error}; is a quote never closed?") from None
        problem = f"cannot be parsed as a table; is a quote never closed, or a row longer than {PARSER_BLOCK:,} bytes?"
        raise FormatError(file, None, problem)


def _scores(column: pa.ChunkedArray, kind: pa.DataType, *, name: str, unscored: Collection[str]) -> np.ndarray:
    what = f"value of column {shortened(name)}"
    if unscored and column.type == TEXT:
        is_empty = pc.is_in(pc.utf8_trim_whitespace(column), arrow_texts([*unscored]))
        column = pc.if_else(is_empty, arrow_texts([""])[0], column)
    elif unscored and pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), None, column)
    if kind == TRUTH:
        return numbers.truths(column.combine_chunks(), what=what)
    return (numbers.from_text if column.type == TEXT else numbers.from_arrow)(column, what=what)

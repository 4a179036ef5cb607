"""What a table does not say by itself: which column is which, and what cells mean that hold no number."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq

from tiecore import FormatError
from tiecore.counts.table import has_columns
from tiecore.formats import Limits
from tiecore.formats.columns import DOCUMENT_NAMES, LABEL_NAMES, QUERY_NAMES, plain
from tiecore.formats.delimited import Rows
from tiecore.formats.numbers import NUMBER, WHOLE
from tiecore.formats.parquet import flat_columns, read_whole
from tiecore.formats.sniff import cells_of_header, sniff
from tiecore.formats.source import PARQUET_MAGIC, Content, open_source, stem_of
from tiecore.formats.text import HEAD, first_line, refuse_bad_utf8

_SHOWN_ROWS, _LONGEST_CELL = 3, 200
_MOST_TEXTS = 20
_DECIMAL_COMMA = re.compile(r"[-+]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+),\d+")
_IN_QUOTES = re.compile(rf"(?![-+]?[1-9]\d{{0,2}},\d{{3}}$){_DECIMAL_COMMA.pattern}")
"""The same between commas, where 1,234 is rather a thousand."""
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+")
_LIKE_A_NUMBER = re.compile(r"[-+]?[\d.,]*\d[\d.,]*[% ]*")
_MOST_COLUMNS = 2000
BLANKS = r"\s+"
"""Delimiter of a table whose columns are separated by blanks, as pandas knows it."""
_QUERY, _DOCUMENT, _GRADES = "query_id", "doc_id", "relevance"
_QUERY_HINTS = ("quer", "topic", "qid", "search", "session", "anfrage", "request", "requet", "requê")
_DOCUMENT_HINTS = ("doc", "dok", "url", "item", "passage", "page", "product", "pid")
_GRADE_HINTS = ("gold", "truth", "human", "judg", "assess", "label", "grade", "relevan")


@dataclass(frozen=True, slots=True)
class Question:
    """A table whose columns of ids could not be recognised, or some of whose scores are not written as numbers are."""

    file: str
    columns: tuple[str, ...]
    """Names as written; numbered where the file has no header."""
    rows: tuple[tuple[str, ...], ...]
    """The first few, to be recognised by."""
    delimiter: str
    """Empty for Parquet; ``BLANKS`` for any number of blanks."""
    has_header: bool
    decimal_comma: str = ""
    """First number that is written as 0,53 is; where points part thousands, 7.364,5 or 0,53 beside 7.364."""
    comma_at: str = ""
    """Where that is, as it is told."""
    unscored: tuple[tuple[str, str, int, int], ...] = ()
    """Column of scores, text in it that is no number, how many cells hold it, and the line of the first."""

    @property
    def knows_columns(self) -> bool:
        """Whether the columns are known by their names, so that all to ask is how scores are to be read."""
        return not self.nameless

    @property
    def nameless(self) -> list[str]:
        """Which columns of ids have no usual name."""
        known = {"query": QUERY_NAMES, "document": DOCUMENT_NAMES}
        return [what for what, names in known.items() if _first(self.columns, names, ()) is None]

    @property
    def unscored_texts(self) -> list[str]:
        """What stands where there is no score."""
        return [text for _, text, _, _ in self.unscored]

    @property
    def has_documents(self) -> bool:
        """Whether names of columns speak of queries and documents."""
        known = (QUERY_NAMES, _QUERY_HINTS), (DOCUMENT_NAMES, _DOCUMENT_HINTS)
        return all(_first(self.columns, *names) for names in known)

    @property
    def guess_with_grades(self) -> Answer:
        """The same where judgments are missing: whole numbers whose name speaks of grades are them."""
        guess = self.guess
        whole = [one for one in guess.features if all(map(WHOLE.fullmatch, self.cells[one]))]
        grades = guess.grades or _first(whole, (), _GRADE_HINTS)
        return replace(guess, grades=grades, features=tuple(one for one in guess.features if one != grades))

    @property
    def guess(self) -> Answer:
        """What the columns most likely are."""
        rest = [one for one in self.columns if plain(one) not in DOCUMENT_NAMES]
        query = _first(self.columns, QUERY_NAMES, _QUERY_HINTS) or (rest or self.columns)[0]
        others = [column for column in self.columns if column != query]
        cells = self.cells
        varying = [column for column in others if len(set(cells[column])) > 1]  # Q0 is no document
        document = _first(others, DOCUMENT_NAMES, _DOCUMENT_HINTS) or next(iter(varying), others[0])
        grades = next((column for column in others if plain(column) in LABEL_NAMES and column != document), None)
        odd = {"", *self.unscored_texts}
        features = tuple(
            column
            for column in others
            if column not in (document, grades) and all(cell in odd or NUMBER.fullmatch(cell) for cell in cells[column])
        )
        return Answer(query, document, grades, features)

    @property
    def cells(self) -> dict[str, list[str]]:
        """Return the first cells of each column, numbers with decimal points."""
        signs = str.maketrans(",", ".", "." if "." in self.decimal_comma else "") if self.decimal_comma else {}
        rows = [[cell.strip().translate(signs) for cell in row] for row in self.rows]
        return {column: [row[at] for row in rows if at < len(row)] for at, column in enumerate(self.columns)}


@dataclass(frozen=True, slots=True)
class Answer:
    """Which column is which, by the names in the question."""

    query: str
    document: str
    grades: str | None
    features: tuple[str, ...]

    def names(self, question: Question) -> tuple[str, ...]:
        """Return the names under which the columns are read; what is neither is named so that it is left out."""
        known = {self.query: _QUERY, self.document: _DOCUMENT}
        if self.grades is not None:
            known[self.grades] = _GRADES
        taken = {_QUERY, _DOCUMENT, *LABEL_NAMES, *QUERY_NAMES, *DOCUMENT_NAMES, "rank"}
        stem = stem_of(question.file)  # of the only feature without a name
        is_named_by_file = not question.has_header and len(self.features) == 1 and plain(stem) not in taken
        names = []
        for place, column in enumerate(question.columns):
            if column in known or question.knows_columns:
                names.append(known.get(column, column))
            elif column in self.features:
                own = f"{column} (column {place + 1})" if plain(column) in taken else column
                names.append(stem if is_named_by_file else own)
            else:
                names.append(f"unnamed: {place}")
        return tuple(names)


def question_about(data: bytes, *, name: str, limits: Limits) -> Question | None:
    """Return what to ask about a file that could not be read; None if its columns are not the problem."""
    question: Question | None
    try:
        content = open_source(data, name=name, limits=limits)
        question = _about_parquet(data, name=name) if content.data.startswith(PARQUET_MAGIC) else _about_text(content)
        if question is not None and question.delimiter not in ("", BLANKS):
            with suppress(FormatError):  # what else is wrong with it is said by its reader
                question = replace(question, unscored=_unscored(content, question))
    except Exception:  # whatever looking at a damaged file ends in: the reader has already said what is wrong with it
        return None
    if question is None or not 2 < len(question.columns) <= _MOST_COLUMNS or has_columns(question.columns):
        return None
    if not question.unscored:
        if question.knows_columns and not question.decimal_comma:
            return None
        if not any(NUMBER.fullmatch(cell) for cells in question.cells.values() for cell in cells):
            return None
    return question if len(set(question.columns)) == len(question.columns) else None


def _about_parquet(data: bytes, *, name: str) -> Question:
    file = pq.ParquetFile(pa.BufferReader(data))
    columns = tuple(flat_columns(file.schema_arrow))
    head = islice(file.iter_batches(batch_size=_SHOWN_ROWS, columns=columns), 1)
    cells = [[str(cell)[:_LONGEST_CELL] for cell in column.to_pylist()] for batch in head for column in batch.columns]
    return Question(name, columns, tuple(zip(*cells, strict=True)), "", True)


def _about_text(content: Content) -> Question | None:
    data = content.data
    begin, number, line = first_line(data)
    refuse_bad_utf8(data[begin + len(line) :], file=content.name)
    try:
        shape = sniff(data, file=content.name)
    except FormatError:  # fields that no format has so many of may be columns
        shape = "table"
    if shape != "table":
        return None
    text = line.decode("cp1252" if b"\xef\xbf\xbd" in line.decode(errors="replace").encode() else "utf-8", "replace")
    delimiter, cells = cells_of_header(text)
    head = data[begin : begin + 64 * len(line) + HEAD].decode(errors="replace")
    if len(cells) < 2:
        return _about_blanks(head, name=content.name, number=number)
    rows = [tuple(row) for row in islice(csv.reader(io.StringIO(head), delimiter=delimiter), _SHOWN_ROWS + 1)]
    has_header = not any(NUMBER.fullmatch(cell) or _DECIMAL_COMMA.fullmatch(cell) for cell in map(str.strip, cells))
    columns = tuple(cells) if has_header else _numbered(len(cells))
    shown = tuple(rows[has_header:][:_SHOWN_ROWS])
    is_table = any(len(row) == len(columns) for row in shown)
    comma = _first_comma(head, delimiter, columns, number)
    return Question(content.name, columns, shown, delimiter, has_header, *comma) if is_table else None


def _about_blanks(head: str, *, name: str, number: int) -> Question | None:
    """Take blanks for what separates columns, if each of the first lines has as many of them, one a number."""
    rows = [tuple(line.split()) for line in head.splitlines()[:_SHOWN_ROWS]]
    if len({len(row) for row in rows}) != 1 or not all(any(map(NUMBER.fullmatch, row)) for row in rows):
        return None
    columns = _numbered(len(rows[0]))
    return Question(name, columns, tuple(rows), BLANKS, False, *_first_comma(head, BLANKS, columns, number))


def _unscored(content: Content, question: Question) -> tuple[tuple[str, str, int, int], ...]:
    """Return what stands in columns of scores and is no number: nothing where some of it may be one after all."""
    guess, (begin, number, line) = question.guess, first_line(content.data)
    start = begin + len(line) * question.has_header
    rows = Rows(content, question.columns, question.delimiter, start=start, line=number)
    others = [one for one in question.columns if one not in (guess.query, guess.document, guess.grades)]
    comma = _DECIMAL_COMMA if question.decimal_comma else NUMBER
    found = tuple(one for one in rows.no_numbers(others) if not comma.fullmatch(one[1]))
    may_be_numbers = any(_LIKE_A_NUMBER.fullmatch(text) or len(text) > _LONGEST_CELL for _, text, _, _ in found)
    return () if may_be_numbers or len(found) > _MOST_TEXTS else found


def _first_comma(head: str, delimiter: str, columns: Sequence[str], number: int) -> tuple[str, str]:
    """Return the first number written as 7.364,5 is, or else as 0,53, and where; ``number``: of the first line."""
    written, found, place = _IN_QUOTES if delimiter == "," else _DECIMAL_COMMA, ("", ""), -1
    split = str.split if delimiter == BLANKS else lambda line: next(csv.reader([line], delimiter=delimiter), [])
    rows = [[cell.strip(' "\r') for cell in split(line)] for line in head.split("\n")]
    for at, cells in enumerate(rows, start=number):
        comma = max(filter(written.fullmatch, cells), key=lambda cell: "." in cell, default="")
        if comma and (not found[0] or ("." in comma and "." not in found[0])):
            place = cells.index(comma)
            column = f"in {columns[place]}, " * (len(cells) == len(columns))
            found = comma, f" ({column}line {at:,})"
    parted = [row[place] for row in rows if len(row) > place >= 0 and _THOUSANDS.fullmatch(row[place])]
    return (f"{found[0]} beside {parted[0]}", found[1]) if parted and "." not in found[0] else found


def _numbered(n_columns: int) -> tuple[str, ...]:
    return tuple(f"column {place}" for place in range(1, n_columns + 1))


def answered(data: bytes, question: Question, answer: Answer, *, limits: Limits) -> bytes:
    """Return the file with names for its columns that readers know."""
    if answer.query == answer.document or answer.grades in (answer.query, answer.document):
        raise FormatError(question.file, None, "one column cannot be two things: choose another for one of them")
    if not question.knows_columns and not answer.features and answer.grades is None:
        raise FormatError(question.file, None, "choose at least one column of scores, or the column of grades")
    names = answer.names(question)
    if not question.delimiter:
        table = read_whole(open_source(data, name=question.file, limits=limits), question.columns)
        table = table.rename_columns(list(names))
        written = io.BytesIO()
        pq.write_table(table, written)
        return written.getvalue()
    whole = open_source(data, name=question.file, limits=limits).data
    begin, _, line = first_line(whole)
    header = io.StringIO()
    delimiter = "\t" if question.delimiter == BLANKS else question.delimiter
    csv.writer(header, delimiter=delimiter, lineterminator="").writerow(names)
    # the new header replaces the old one; blank lines before it are dropped
    rest = bytes(whole[begin + len(line) :] if question.has_header else b"\n" + whole[begin:])
    if question.delimiter == BLANKS:
        rest = re.sub(rb"[ \t]+", b"\t", re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", rest))
    if question.decimal_comma:
        ids = {place for place, name in enumerate(question.columns) if name in (answer.query, answer.document)}
        rest = _with_points(rest, question, delimiter, ids)
    return header.getvalue().encode() + rest


def _with_points(rest: bytes, question: Question, delimiter: str, ids: Collection[int]) -> bytes:
    """Return rows with numbers as 0,53 written as 0.53; ``ids``: places of the columns that stay as they are."""
    lines = io.StringIO(rest.decode(errors="surrogateescape"), newline="")
    written = io.StringIO(newline="")
    rows = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    has_thousands = "." in question.decimal_comma

    def is_number(cell: str) -> bool:
        return bool(_DECIMAL_COMMA.fullmatch(cell) or (has_thousands and _THOUSANDS.fullmatch(cell)))

    try:
        for row in csv.reader(lines, delimiter=delimiter):
            for place, cell in enumerate(row):
                if place not in ids and is_number(cell.strip()):
                    row[place] = cell.replace(".", "").replace(",", ".")
            rows.writerow(row)
    except csv.Error as error:
        raise FormatError(question.file, None, f"cannot be read as a table ({error})") from error
    return written.getvalue().encode(errors="surrogateescape")


def _first(columns: Sequence[str], names: Sequence[str], hints: Sequence[str]) -> str | None:
    named = {plain(column): column for column in columns}
    hinted = (name for name in named if any(hint in name for hint in hints))
    return next((named[name] for name in (*names, *hinted) if name in named), None)

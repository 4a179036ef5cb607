"""What a table does not say by itself: which of its columns holds queries, documents, grades and scores."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq

from tiecore import FormatError, TiecoreError
from tiecore.formats import Records
from tiecore.formats.cells import NUMBER
from tiecore.formats.columns import DOCUMENT_NAMES, LABEL_NAMES, QUERY_NAMES, plain
from tiecore.formats.sniff import cells_of_header, names_ids
from tiecore.formats.source import PARQUET_MAGIC, open_source
from tiecore.formats.text import first_line

__all__ = ["Answer", "Question", "answered", "question_about", "refuse_table_without_header"]

_SHOWN_ROWS = 3
_MOST_COLUMNS = 2000
_LOOKED_AT = 200
"""Rows at the beginning of a file by which a table without a header is told from TREC files."""
_HEAD = 1 << 16
_GZIP_MAGIC = b"\x1f\x8b"
_QUERY, _DOCUMENT, _GRADES = "query_id", "doc_id", "relevance"
_QUERY_HINTS = ("quer", "topic", "qid", "search", "session")
_DOCUMENT_HINTS = ("doc", "url", "item", "passage", "page", "product", "pid")
_ROWS_MEAN_NOTHING = "unnamed: {}"
"""Name of a column that readers leave out."""


@dataclass(frozen=True, slots=True)
class Question:
    """A table whose columns of ids could not be recognised."""

    file: str
    columns: tuple[str, ...]
    """Names as written; numbered where the file has no header."""
    rows: tuple[tuple[str, ...], ...]
    """The first few, to be recognised by."""
    delimiter: str
    """Empty for Parquet."""
    has_header: bool

    @property
    def guess(self) -> Answer:
        """What the columns most likely are."""
        query = _first(self.columns, QUERY_NAMES, _QUERY_HINTS) or self.columns[0]
        others = [column for column in self.columns if column != query]
        document = _first(others, DOCUMENT_NAMES, _DOCUMENT_HINTS) or others[0]
        grades = next((column for column in others if plain(column) in LABEL_NAMES and column != document), None)
        features = tuple(
            column for column in others if column not in (document, grades) and self._holds_numbers(column)
        )
        return Answer(query, document, grades, features)

    def _holds_numbers(self, column: str) -> bool:
        place = self.columns.index(column)
        cells = [row[place].strip() for row in self.rows if place < len(row)]
        return all(not cell or NUMBER.fullmatch(cell) for cell in cells)


@dataclass(frozen=True, slots=True)
class Answer:
    """Which column is which, by the names in the question."""

    query: str
    document: str
    grades: str | None
    features: tuple[str, ...]

    def names(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the names under which the columns are read; what is neither is named so that it is left out."""
        known = {self.query: _QUERY, self.document: _DOCUMENT}
        if self.grades is not None:
            known[self.grades] = _GRADES
        taken = {_QUERY, _DOCUMENT, *LABEL_NAMES, *QUERY_NAMES, *DOCUMENT_NAMES, "rank"}
        names = []
        for place, column in enumerate(columns):
            if column in known:
                names.append(known[column])
            elif column in self.features:
                names.append(f"{column} (column {place + 1})" if plain(column) in taken else column)
            else:
                names.append(_ROWS_MEAN_NOTHING.format(place))
        return tuple(names)


def question_about(data: bytes, *, name: str, max_bytes: int) -> Question | None:
    """Return what to ask about a file that could not be read; None if its columns are not what is wrong."""
    question: Question | None
    try:
        content = open_source(data, name=name, max_bytes=max_bytes)
        if content.head.startswith(PARQUET_MAGIC):
            question = _about_parquet(data, name=name)
        else:
            question = _about_text(bytes(content.head), name=name)
    except (TiecoreError, pa.ArrowException, csv.Error):
        return None
    if question is None or names_ids(list(question.columns)) or not 2 < len(question.columns) <= _MOST_COLUMNS:
        return None
    return question if len(set(question.columns)) == len(question.columns) else None


def refuse_table_without_header(records: Records, opened: Callable[[], IO[bytes]]) -> None:
    """Raise if what was read as qrels or a run is a table without a header: the ids stand where TREC has ``0``.

    Its third column, taken for documents, repeats within a query, and its second one does not: as a TREC file it would
    be refused later, for documents that are listed twice.
    """
    if records.kind not in ("qrels", "run"):
        return
    queries = records.query.slice(0, _LOOKED_AT).to_pylist()
    documents = records.document.slice(0, _LOOKED_AT).to_pylist()
    if len(set(zip(queries, documents, strict=True))) == len(documents):
        return
    with opened() as file:
        is_packed = file.read(2) == _GZIP_MAGIC
        file.seek(0)
        text = (gzip.GzipFile(fileobj=file) if is_packed else file).read(_HEAD)
    rows = [line.split() for line in text.splitlines()[:_LOOKED_AT]]
    ids = [tuple(row[:2]) for row in rows if len(row) > 1]
    if len(set(ids)) == len(ids):
        problem = "looks like a table without a header: its second column holds ids, and not 0 or Q0 as in TREC files; "
        problem += "name its columns in a first line, with commas or tabs between them"
        raise FormatError(records.source, None, problem)


def _about_parquet(data: bytes, *, name: str) -> Question:
    file = pq.ParquetFile(io.BytesIO(data))
    columns = tuple(file.schema_arrow.names)
    head = next(file.iter_batches(batch_size=_SHOWN_ROWS), None)
    cells = [] if head is None else [[str(cell) for cell in column.to_pylist()] for column in head.columns]
    return Question(name, columns, tuple(zip(*cells, strict=True)), "", True)


def _about_text(data: bytes, *, name: str) -> Question | None:
    begin, _, line = first_line(bytearray(data))
    text = line.decode(errors="replace")
    delimiter, cells = cells_of_header(text)
    if len(cells) < 2:
        return None
    head = data[begin : begin + 64 * (len(line) + 80)].decode(errors="replace")
    rows = [tuple(row) for _, row in zip(range(_SHOWN_ROWS + 1), csv.reader(io.StringIO(head), delimiter=delimiter))]  # noqa: B905
    has_header = not any(NUMBER.fullmatch(cell.strip()) for cell in cells)
    columns = tuple(cells) if has_header else tuple(f"column {place}" for place in range(1, len(cells) + 1))
    return Question(name, columns, tuple(rows[has_header:][:_SHOWN_ROWS]), delimiter, has_header)


def answered(data: bytes, question: Question, answer: Answer, *, max_bytes: int) -> bytes:
    """Return the file with names for its columns that readers know."""
    if answer.query == answer.document or answer.grades in (answer.query, answer.document):
        raise FormatError(question.file, None, "one column cannot be two things: choose another for one of them")
    if not answer.features and answer.grades is None:
        raise FormatError(question.file, None, "choose at least one column of scores, or the column of grades")
    names = answer.names(question.columns)
    if not question.delimiter:
        table = pq.read_table(io.BytesIO(data)).rename_columns(list(names))
        written = io.BytesIO()
        pq.write_table(table, written)
        return written.getvalue()
    whole = open_source(data, name=question.file, max_bytes=max_bytes).data
    begin, _, line = first_line(whole)
    header = io.StringIO()
    csv.writer(header, delimiter=question.delimiter, lineterminator="").writerow(names)
    # a header takes the place of the line that was one; blank lines before it go
    rest = whole[begin + len(line) :] if question.has_header else b"\n" + whole[begin:]
    return header.getvalue().encode() + bytes(rest)


def _first(columns: Sequence[str], names: Sequence[str], hints: Sequence[str]) -> str | None:
    spelled = {plain(column): column for column in columns}
    known = next((spelled[name] for name in names if name in spelled), None)
    return known or next((spelled[name] for name in spelled if any(hint in name for hint in hints)), None)

"""What kind of file this is, by its content; its name does not matter."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Literal

from tiecore.errors import FormatError, shortened
from tiecore.formats.columns import DOCUMENT_NAMES, QUERY_NAMES, plain
from tiecore.formats.numbers import NUMBER
from tiecore.formats.records import Role
from tiecore.formats.source import PARQUET_MAGIC
from tiecore.formats.text import HEAD, first_line, refuse_bad_utf8

Shape = Literal["json", "letor", "parquet", "qrels", "run", "table"]

FIELDS: dict[Role, tuple[str, ...]] = {
    "qrels": ("query", "0", "doc", "grade"),
    "run": ("query", "Q0", "doc", "rank", "score", "tag"),
}
DELIMITERS = ",;\t|"
JSON = re.compile(rb'(?:\[\s*)?\{\s*["}]|\[\s*[\[\]]')
LETOR_LINE = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?(?:[ \t]+(?:qid|-?\d+):[^\s#]*)+[ \t]*(?:#.*)?")
COMMENT_LINES = re.compile(rb"(?:[ \t\r]*+(?:#[^\n]*+)?\n)*+")
LONGEST_LINE = HEAD - 1
EXPECTED = (
    "expected 4 fields (query 0 doc grade), 6 fields (query Q0 doc rank score tag), LETOR (grade qid:1 1:0.5 …), "
    "JSON, or a table whose first line names its columns (query_id,doc_id,score)"
)


def sniff(data: bytearray, *, file: str) -> Shape:
    """Recognise the kind of a file by its first bytes and its first line."""
    if data.startswith(PARQUET_MAGIC):
        return "parquet"
    begin, number, line = first_line(data)
    if not line:
        raise FormatError(file, None, "holds nothing but blanks; expected judgments or scores")
    if b"\r" in data and b"\n" not in data and b"\r" in data[begin:].strip():
        raise FormatError(file, None, "its lines end in CR alone (old Mac text); save it with LF line ends")
    if JSON.match(data, begin):
        return "json"
    if len(line) >= LONGEST_LINE:
        raise FormatError(file, number, f"has a line of more than {LONGEST_LINE:,} bytes; expected text")
    text = line.decode(errors="replace")
    if "\N{REPLACEMENT CHARACTER}" in text:
        refuse_bad_utf8(data, file=file)
    behind = first_line(data, COMMENT_LINES.match(data).end())[2]  # type: ignore[union-attr]  # it matches nothing, too
    if LETOR_LINE.fullmatch(behind.decode(errors="replace").strip()):
        return "letor"
    fields = re.findall(r"[^ \t]+", text)
    delimiter, header = cells_of_header(text)
    if names_ids(header):
        return "table"
    may_be_header = len(header) > 1 and not any(NUMBER.fullmatch(field) for field in fields)
    for shape, known in FIELDS.items():
        if len(fields) == len(known) and not may_be_header:
            return shape
    if header[-1].endswith("\n") or (len(header) > 1 and not _is_prose(data[begin:HEAD], delimiter)):
        return "table"
    found = f"{len(fields)} field{'s' * (len(fields) > 1)}: {shortened(text.strip())}"
    raise FormatError(file, number, f"holds neither scores nor judgments; {EXPECTED}; found {found}")


def _is_prose(head: bytearray, delimiter: str) -> bool:
    """Return whether none of the lines that follow a first one without names for ids has as many cells."""
    lines = [line.decode(errors="replace") for line in head.splitlines()[:4] if line.strip()]
    first, *others = (len(_cells(line, delimiter)) for line in lines)
    return bool(others) and first not in others


def cells_of_header(line: str) -> tuple[str, list[str]]:
    """Split a header at the delimiter that shows the names of the ids, or else makes the most cells."""
    split = {delimiter: _cells(line, delimiter) for delimiter in DELIMITERS}
    delimiter = max(DELIMITERS, key=lambda one: (names_ids(split[one]), len(split[one])))
    return delimiter, split[delimiter]


def _cells(line: str, delimiter: str) -> list[str]:
    """Split a line; only the last cell can end in a line end, if its quote is still open there."""
    try:
        return next(csv.reader([line, '\n"'], delimiter=delimiter))
    except csv.Error:
        return [line]


def names_ids(header: Iterable[str]) -> bool:
    """Return whether a line has names for a column of queries and one of documents."""
    names = {plain(name) for name in header}
    return not names.isdisjoint(QUERY_NAMES) and not names.isdisjoint(DOCUMENT_NAMES)

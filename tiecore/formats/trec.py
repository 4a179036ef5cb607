"""TREC files: `query 0 doc grade` and `query Q0 doc rank score tag`, fields separated by blanks."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from tiecore.errors import FormatError
from tiecore.formats import cells, numbers, text
from tiecore.formats.arrays import numpy_numbers
from tiecore.formats.records import Records
from tiecore.formats.source import Content

__all__ = ["FIELDS", "read_trec"]

TrecKind = Literal["qrels", "run"]

FIELDS: dict[TrecKind, tuple[str, ...]] = {
    "qrels": ("query", "0", "doc", "grade"),
    "run": ("query", "Q0", "doc", "rank", "score", "tag"),
}
TYPES = {
    "qrels": {"query": cells.IDS, "0": cells.IDS, "doc": pa.string(), "grade": cells.IDS},
    "run": {
        "query": cells.IDS,
        "Q0": cells.IDS,
        "doc": pa.string(),
        "rank": pa.int64(),
        "score": pa.float64(),
        "tag": cells.IDS,
    },
}
AS_TEXT = {"rank": pa.string(), "score": pa.string()}
PARSER_BLOCK = 1 << 22
SHARED = 1 << 24
"""Bytes from which on threads share the parsing of one file: of smaller ones each thread takes its own."""


def read_trec(content: Content, kind: TrecKind, *, name: str | None) -> Records:
    """Read judgments or one run; a run is named by its tag, or by the file if it holds several tags."""
    column, lines, first_line = _parsed(content, kind)

    def line(row: int) -> int:
        return int(lines[row]) if lines is not None else row + first_line

    try:
        return Records(
            source=content.name,
            stem=content.stem,
            kind=kind,
            document=cells.one_chunk(column.pop("doc")),
            query=cells.codes(column.pop("query")),
            grades=cells.grades(cells.codes(column.pop("grade"))) if kind == "qrels" else None,
            features={name or _name(column.pop("tag"), content.stem): _scores(column.pop("score"))}
            if kind == "run"
            else {},
            rank=cells.whole_or_none(column.pop("rank")) if kind == "run" else None,
            lines=lines,
            first_line=first_line,
        )
    except cells.RowFault as fault:
        raise FormatError(content.name, line(fault.row), fault.problem) from None


def _parsed(content: Content, kind: TrecKind) -> tuple[dict[str, pa.ChunkedArray], np.ndarray | None, int]:
    """Columns, the line of each row (None where line and row keep their distance) and that of the first row."""
    tables: list[pa.Table] = []
    parts: list[tuple[np.ndarray | None, int]] = []
    number, has_gap = 1, False
    for block in content.blocks():
        if text.first_line(block)[2]:
            table, data = _table(block, kind, file=content.name, number=number)
            parts.append(text.row_lines(data, len(table), number=number))
            tables.append(table)
        else:
            has_gap = True
        number += block.count(b"\n")
    if len({table.schema for table in tables}) > 1:
        as_text = pa.schema([(name, pa.string() if name in AS_TEXT else type_) for name, type_ in TYPES[kind].items()])
        tables = [table.cast(as_text) for table in tables]
    table = pa.concat_tables(tables)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    if not has_gap and all(lines is None for lines, _ in parts):
        return columns, None, parts[0][1]
    every = [
        np.arange(first_line, first_line + len(table)) if lines is None else lines
        for (lines, first_line), table in zip(parts, tables, strict=True)
    ]
    return columns, np.concatenate(every), every[0][0]


def _table(data: bytearray, kind: TrecKind, *, file: str, number: int) -> tuple[pa.Table, bytearray]:
    """Parse lines, the first of them line ``number``, at once; look for the malformed one only if that fails."""
    blank = "\t" if b" " not in data else " "
    table = _columns(data, kind, blank=blank) if text.looks_tidy(data, blank=blank.encode()) else None
    if table is None:
        data = text.tidied(data)
        table = _columns(data, kind, blank=" ")
    if table is None:
        text.refuse_bad_utf8(data, file=file, number=number)
        _refuse_wrong_fields(data, kind, file=file, number=number)
        raise FormatError(file, None, f"has a line of more than {PARSER_BLOCK:,} bytes; is this a {kind} file?")
    return table, data


def _columns(data: bytearray, kind: TrecKind, *, blank: str) -> pa.Table | None:
    """Return the columns, or None where lines differ in their fields."""
    for types in (TYPES[kind], {**TYPES[kind], **AS_TEXT}):
        try:
            table = csv.read_csv(
                pa.py_buffer(data),
                read_options=csv.ReadOptions(
                    column_names=list(FIELDS[kind]),
                    block_size=PARSER_BLOCK,
                    use_threads=len(data) >= SHARED and cells.parses_in_threads(),
                ),
                parse_options=csv.ParseOptions(delimiter=blank, quote_char=False, ignore_empty_lines=True),
                convert_options=csv.ConvertOptions(column_types=types, null_values=[], check_utf8=True),
            )
        except pa.ArrowInvalid:
            continue
        if any(map(_has_empty, table.columns)):
            return None
        if kind == "qrels" or not _has_far(table["score"]):
            return table
    return None


def _has_empty(column: pa.ChunkedArray) -> bool:
    """Return whether a field is empty, as it is between two blanks."""
    if pa.types.is_dictionary(column.type):
        return any(pc.min(pc.binary_length(chunk.dictionary)).as_py() == 0 for chunk in column.chunks)
    return pa.types.is_string(column.type) and pc.min(pc.binary_length(column)).as_py() == 0


def _has_far(score: pa.ChunkedArray) -> bool:
    """Return whether scores are parsed as floats and so large that these do not hold every whole number."""
    return pa.types.is_floating(score.type) and numbers.has_far_column(score)


def _refuse_wrong_fields(data: bytearray, kind: TrecKind, *, file: str, number: int) -> None:
    expected = FIELDS[kind]
    for line_number, line in text.numbered_lines(data, number=number):
        n_found = len(line.split(b" "))
        if n_found != len(expected):
            problem = f"expected {len(expected)} fields ({' '.join(expected)}), found {n_found}"
            raise FormatError(file, line_number, problem)


def _name(tag: pa.ChunkedArray, stem: str) -> str:
    tags = cells.codes(tag).dictionary.to_pylist()
    return str(tags[0]) if len(tags) == 1 else stem


def _scores(column: pa.ChunkedArray) -> np.ndarray:
    if pa.types.is_string(column.type):
        return numbers.from_text(column.combine_chunks())
    cells.refuse_nan(column)
    return numpy_numbers(column)

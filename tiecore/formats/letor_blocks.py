"""Some lines of a LETOR file -> arrays, without a step of Python for each line or value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from tiecore.errors import FormatError, shortened
from tiecore.formats import numbers
from tiecore.formats.arrays import arrow_numbers, numpy_numbers
from tiecore.formats.cells import NUMBER, score_problem

__all__ = ["Block", "parse_block"]

LF, HASH, COLON = b"\n#:"
QID = b"qid:"
MISSING = ["NULL", "null", "Null"]
BLANKS_TO_LF = bytes.maketrans(b" \t\r", b"\n\n\n")
LONGEST_TOKEN = 4096
# `#docid = GX1 inc = 1`, `# docid=GX1`, `# docno: GX1`, `# GX1`, `#GX1 some more`
DOCUMENT = r"(?i)^\s*(?:doc_?(?:id|no)(?:\s*[=:]\s*|\s+))?(?P<document>\S+)"
DIGITS = re.compile(r"\d{1,18}", re.ASCII)
IS_BLANK = np.zeros(256, bool)
IS_BLANK[list(b" \t\r")] = True
IN_TOKEN = ~IS_BLANK


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The rows of some consecutive lines; features one after the other, each with the rows that mention it."""

    lines: np.ndarray
    """(n_rows,) line of each row."""
    grade: pa.Array
    """(n_rows,) grade as written."""
    has_qid: np.ndarray
    query: pa.Array
    """(n_rows,) what follows `qid:`, or nothing."""
    document: pa.Array
    """(n_rows,) document that the comment names, or null."""
    numbers: np.ndarray
    """(n_features,) numbers of the features mentioned, ascending."""
    begin: np.ndarray
    """(n_features + 1,) where the values of each feature begin."""
    row: np.ndarray | None
    """(n_values,) row of each value in the block; None where every row mentions every feature."""
    values: np.ndarray
    """(n_values,) NaN where NULL is written."""
    texts: pa.Array | None
    """(n_values,) as written, where a value is so large that floats do not hold every whole number; else None."""

    def feature(self, number: int) -> np.ndarray:
        """(n_rows,) values of one feature, 0 where it is not mentioned."""
        values = np.zeros(len(self.lines))
        at = int(np.searchsorted(self.numbers, number))
        if at == len(self.numbers) or self.numbers[at] != number:
            return values
        own = slice(int(self.begin[at]), int(self.begin[at + 1]))
        rows = slice(None) if self.row is None else self.row[own]
        values[rows] = self.values[own]
        if self.texts is None or not numbers.has_far(values):
            return values
        texts = np.full(len(values), "0", dtype=object)
        texts[rows] = self.texts[own].to_numpy(zero_copy_only=False)
        return numbers.from_text(pa.array(texts, pa.string()), what=f"value of feature {number}")


def parse_block(text: bytearray, *, line: int, file: str) -> Block:
    """Split lines: grade, qid and comment by their ends, the pairs in between by the CSV parser.

    ``text``: whole lines; the bytes are overwritten.
    """
    if not text.endswith(b"\n"):
        text += b"\n"
    view = np.frombuffer(text, np.uint8)
    end = np.flatnonzero(view == LF)  # (n_lines,)
    start = np.concatenate(([0], end[:-1] + 1))
    comment = _comments(view, start, end)
    grade = _behind(view, start, comment, IS_BLANK)
    kept = np.flatnonzero(grade < comment)  # (n_rows,)
    grade_end = _behind(view, grade, comment, IN_TOKEN)
    query = _behind(view, grade_end, comment, IS_BLANK)
    has_qid = query + len(QID) <= comment
    for offset, letter in enumerate(QID):
        has_qid &= view[np.minimum(query + offset, end)] == letter
    query_end = np.where(has_qid, _behind(view, query, comment, IN_TOKEN), query)
    query = np.where(has_qid, query + len(QID), query)
    fields = {
        "grade": _texts(view, grade[kept], grade_end[kept]),
        "query": _texts(view, query[kept], query_end[kept]),
        "document": _document(view, comment[kept], end[kept]),
    }
    lines = kept + line
    # What is not a pair becomes empty lines and every blank a line end: one pair a line, which is quick to parse.
    _blank_out(view, start, query_end)
    _blank_out(view, comment, end)
    colon = np.flatnonzero(view == COLON)
    n_pairs = (np.searchsorted(colon, end) - np.searchsorted(colon, start))[kept]  # (n_rows,)
    pairs = _pairs(text.translate(BLANKS_TO_LF))
    if pairs is None:
        faults = _faults(text, query_end[kept], comment[kept])
        row, problem = next(faults, (0, "cannot be parsed; expected lines like: grade qid:1 1:0.5 2:3"))
        raise FormatError(file, int(lines[row]), problem)
    columns = _by_feature(pairs, n_pairs)
    if columns is None:
        row, number = _twice(pairs.number, n_pairs)
        raise FormatError(file, int(lines[row]), f"feature {number} has two values; keep one of them")
    return Block(lines=lines, has_qid=has_qid[kept], **fields, **columns._asdict())


def _comments(view: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(n_lines,) where the comment of each line begins, or the line ends."""
    hashes = np.append(np.flatnonzero(view == HASH), len(view))
    return np.minimum(hashes[np.searchsorted(hashes, start)], end)


def _behind(view: np.ndarray, start: np.ndarray, end: np.ndarray, passed: np.ndarray) -> np.ndarray:
    """(n_lines,) first position from `start` on, `end` at the latest, whose byte is not among those passed."""
    position = start.copy()
    moving = np.arange(len(position))
    for _ in range(LONGEST_TOKEN):  # a token that goes on is no number and no pair, and is refused as such
        moving = moving[position[moving] < end[moving]]
        moving = moving[passed[view[position[moving]]]]
        if not len(moving):
            break
        position[moving] += 1
    return position


def _inside(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Positions inside spans, one span after the other."""
    length = np.maximum(end - begin, 0)
    behind = np.cumsum(length)
    return np.arange(behind[-1] if len(behind) else 0) + np.repeat(begin - behind + length, length)


def _blank_out(view: np.ndarray, begin: np.ndarray, end: np.ndarray) -> None:
    view[_inside(begin, end)] = LF


def _texts(view: np.ndarray, begin: np.ndarray, end: np.ndarray) -> pa.Array:
    """Text inside spans; that it is UTF-8 is known."""
    offset = np.concatenate(([0], np.cumsum(end - begin))).astype(np.int32)
    return pa.StringArray.from_buffers(len(begin), pa.py_buffer(offset), pa.py_buffer(view[_inside(begin, end)]))


def _document(view: np.ndarray, comment: np.ndarray, end: np.ndarray) -> pa.Array:
    if (comment == end).all():
        return pa.nulls(len(end), pa.string())
    found = pc.extract_regex(_texts(view, np.minimum(comment + 1, end), end), DOCUMENT)
    return pc.struct_field(found, "document")  # null where nothing matches


class _Pairs(NamedTuple):
    """The pairs of a block as they stand in it."""

    number: np.ndarray
    """(n_values,) number of the feature."""
    values: np.ndarray
    texts: pa.Array | None


def _pairs(text: bytearray) -> _Pairs | None:
    """Parse a pair on each line: number of the feature and value; None if one of them is at fault."""
    if b"x" in text or b"X" in text:  # the parser takes 0x10 for a whole number
        return None
    if not text.strip():
        return _Pairs(np.zeros(0, np.int64), np.zeros(0), None)
    try:
        table = _parsed(text, pa.float64())
    except pa.ArrowInvalid:
        return None
    number, value = table["number"], table["value"]
    if number.null_count or pc.any(pc.is_nan(value)).as_py() or pc.min(number).as_py() < 0:
        return None
    values = numbers.floats_of(value)
    texts = _parsed(text, pa.string())["value"].combine_chunks() if numbers.has_far(values) else None
    return _Pairs(numpy_numbers(number), values, texts)


def _parsed(text: bytearray, kind: pa.DataType) -> pa.Table:
    return csv.read_csv(
        pa.py_buffer(text),
        read_options=csv.ReadOptions(column_names=["number", "value"], use_threads=False),
        parse_options=csv.ParseOptions(delimiter=":", quote_char=False),
        convert_options=csv.ConvertOptions(
            column_types={"number": pa.int64(), "value": kind}, null_values=MISSING, strings_can_be_null=True
        ),
    )


class _Columns(NamedTuple):
    """The pairs of a block in the order of their features; the fields of `Block` of the same names."""

    numbers: np.ndarray
    begin: np.ndarray
    row: np.ndarray | None
    values: np.ndarray
    texts: pa.Array | None


def _by_feature(pairs: _Pairs, n_pairs: np.ndarray) -> _Columns | None:
    """Bring the values of each feature together; None if a row has a feature twice."""
    number, values, texts = pairs
    n_rows, width = len(n_pairs), int(n_pairs[0]) if len(n_pairs) else 0
    if width and (n_pairs == width).all() and (number.reshape(n_rows, width) == number[:width]).all():
        order = np.argsort(number[:width])
        distinct = number[order]
        if (distinct[1:] == distinct[:-1]).any():
            return None
        place = np.arange(len(values)).reshape(n_rows, width).T[order].reshape(-1) if texts is not None else None
        by_feature = values.reshape(n_rows, width).T[order].reshape(-1)
        return _Columns(distinct, np.arange(width + 1) * n_rows, None, by_feature, _taken(texts, place))
    row = np.repeat(np.arange(n_rows, dtype=np.int32), n_pairs)
    # sorting small numbers takes a pass or two
    narrow = number.astype(np.uint16) if len(number) and number.max() < 1 << 16 else number
    order = np.argsort(narrow, kind="stable")
    number, row = number[order], row[order]
    changes = np.flatnonzero(np.append(True, number[1:] != number[:-1])[: len(number)])
    if ((number[1:] == number[:-1]) & (row[1:] == row[:-1])).any():
        return None
    return _Columns(number[changes], np.append(changes, len(number)), row, values[order], _taken(texts, order))


def _taken(texts: pa.Array | None, order: np.ndarray | None) -> pa.Array | None:
    return None if texts is None or order is None else texts.take(arrow_numbers(order))


def _twice(number: np.ndarray, n_pairs: np.ndarray) -> tuple[int, int]:
    """Return the first row that has a feature twice, and the feature."""
    row = np.repeat(np.arange(len(n_pairs)), n_pairs)
    order = np.lexsort((number, row))
    number, row = number[order], row[order]
    at = int(np.flatnonzero((number[1:] == number[:-1]) & (row[1:] == row[:-1]))[0])
    return int(row[at]), int(number[at])


def _faults(text: bytearray, begin: np.ndarray, end: np.ndarray) -> Iterator[tuple[int, str]]:
    """Yield the rows with a malformed pair, and what is wrong with it."""
    for row, span in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        for pair in text[slice(*span)].decode(errors="replace").split():
            number, colon, value = pair.partition(":")
            if not colon or not DIGITS.fullmatch(number):
                yield row, f"found {shortened(pair, 40)}, expected feature:value such as 3:0.5"
            elif value not in MISSING and not NUMBER.fullmatch(value):
                yield row, score_problem(value, what=f"value of feature {number}")

"""Columns of text -> ids, grades and scores; faults are raised with the row they are in."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.errors import shortened
from tiecore.formats.arrays import arrow_texts, numpy_numbers

__all__ = [
    "IDS",
    "LARGEST_GRADE",
    "NO_NUMBER",
    "NUMBER",
    "TRUTH",
    "RowFault",
    "codes",
    "first_row",
    "grade_problem",
    "grades",
    "looks_numeric",
    "one_chunk",
    "parses_in_threads",
    "refuse_empty_ids",
    "refuse_nan",
    "score_problem",
    "truths",
    "whole_or_none",
    "without_unused",
]

IDS = pa.dictionary(pa.int32(), pa.string())
NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
WHOLE = re.compile(r"[-+]?\d+", re.ASCII)
WITH_COMMA = re.compile(r"[-+]?[\d.]*,[\d.,]*", re.ASCII)
NO_NUMBER = {"nan", "-nan", "na", "n/a", "#n/a", "null", "none", "-", "?"}
"""Spellings of a missing number."""
TRUTH = {"true": 1.0, "false": 0.0}
STRING_LIMIT = 2**31 - 1
LARGEST_GRADE = 2**53
"""From here on a float cannot hold every whole number."""
SHOWN = 40
BLANKS = " \t\r\n"  # no other whitespace: Python's float refuses some that its strip takes away
NAN_REMEDY = "it has no place in an order; leave out what is not scored (in a table: an empty cell)"


class RowFault(Exception):  # noqa: N818  # never leaves the readers, which know the line of a row
    """What is wrong with one row of a column."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(row, problem)
        self.row = row
        self.problem = problem


def parses_in_threads(version: str = pa.__version__) -> bool:
    """Return whether pyarrow may parse text in threads.

    Before version 23 it can stand still for good after it has refused a text (https://github.com/apache/arrow/pull/48742).
    """
    return int(version.partition(".")[0]) >= 23


def one_chunk(column: pa.ChunkedArray, *, limit: int = STRING_LIMIT) -> pa.Array:
    """Join text into one array, with 64-bit offsets if it holds too much for 32-bit ones."""
    if column.nbytes > limit:
        column = column.cast(pa.large_string())
    return column.combine_chunks()


def codes(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Join dictionaries of ids into one."""
    return column.unify_dictionaries().combine_chunks()


def without_unused(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Leave out the ids in a dictionary that no row has, as filtered categories have them."""
    chunks = [
        chunk
        if len(pc.unique(chunk.indices)) == len(chunk.dictionary)
        else chunk.dictionary_decode().dictionary_encode()
        for chunk in column.chunks
    ]
    return pa.chunked_array(chunks, column.type)


def first_row(mask: pa.BooleanArray | pa.ChunkedArray) -> int:
    """Return the first row that is true, or -1; quick in the usual case that there is none."""
    return int(pc.index(mask, True).as_py()) if pc.any(mask).as_py() else -1


def refuse_empty_ids(query: pa.DictionaryArray, document: pa.Array) -> None:
    """Raise at the first row without query or document."""
    for what, row in (("query", _row_of(query, "")), ("document", first_row(is_text(document, "")))):
        if row >= 0:
            raise RowFault(row, f"the {what} id is empty; every row needs one")


def _row_of(column: pa.DictionaryArray, text: str) -> int:
    """First row with a text, or -1."""
    code = first_row(is_text(column.dictionary, text))
    return first_row(pc.equal(column.indices, code)) if code >= 0 else -1


def is_text(column: pa.Array | pa.ChunkedArray, text: str) -> pa.Array | pa.ChunkedArray:
    """Return for each row whether it holds a text."""
    return pc.equal(column, arrow_texts([text])[0])


def grades(column: pa.DictionaryArray) -> np.ndarray:
    """(n_rows,) int64 grades from their texts, of which there are few."""
    of_code = np.zeros(len(column.dictionary), np.int64)
    for code, text in enumerate(column.dictionary.to_pylist()):
        problem = grade_problem(text.strip(BLANKS))
        if problem:
            raise RowFault(_row_of(column, text), problem)
        of_code[code] = int(float(text))  # exact: larger grades are refused
    return of_code[numpy_numbers(column.indices)]


def grade_problem(text: str) -> str:
    """Return what is wrong with the text of a grade; empty if nothing is."""
    if not text:
        return "the grade is empty; leave out the rows of documents that are not judged"
    if not NUMBER.fullmatch(text):
        return f"the grade {shortened(text, SHOWN)} is not a number; expected a whole number such as 0, 1 or -2"
    if abs(float(text)) >= LARGEST_GRADE:
        return f"the grade {shortened(text, SHOWN)} is too large; expected a small whole number"
    if not float(text).is_integer():
        return (
            f"the grade {shortened(text, SHOWN)} is not a whole number; thresholds and gains are defined on whole "
            "grades: multiply all grades until they are whole (0.5 and 1 -> 1 and 2)"
        )
    return ""


def truths(column: pa.Array, *, what: str) -> np.ndarray:
    """(n_rows,) 1.0 for true, 0.0 for false, NaN for empty."""
    texts = column.dictionary_encode()
    of_code = np.zeros(len(texts.dictionary))
    for code, text in enumerate(texts.dictionary.to_pylist()):
        spelled = text.strip().casefold()
        if spelled and spelled not in TRUTH:
            row = _row_of(texts, text)
            raise RowFault(row, f"{what} is {shortened(text, SHOWN)}; expected true or false as in the other rows")
        of_code[code] = TRUTH.get(spelled, np.nan)
    return of_code[numpy_numbers(texts.indices)]


def whole_or_none(column: pa.ChunkedArray) -> np.ndarray | None:
    """(n_rows,) int64, or None if not all are whole numbers: for ranks, which no measure needs."""
    try:
        return None if column.null_count else numpy_numbers(column.cast(pa.int64()))
    except pa.ArrowException:
        return None


def refuse_nan(numbers: pa.Array | pa.ChunkedArray, *, what: str = "score") -> None:
    """Raise at the first value that is NaN and not merely missing."""
    row = first_row(pc.is_nan(numbers))
    if row >= 0:
        raise RowFault(row, f"the {what} is NaN; {NAN_REMEDY}")


def looks_numeric(text: str) -> bool:
    """Return whether a text is meant as a number, rightly written or not."""
    return NUMBER.fullmatch(text) is not None or WITH_COMMA.fullmatch(text) is not None


def score_problem(text: str, *, what: str) -> str:
    """Return what is wrong with the text of a score that is not a number."""
    found = f"the {what} {shortened(text, SHOWN)} is not a number"
    if WITH_COMMA.fullmatch(text):
        return f"{found}; write decimals with a point and thousands without a separator"
    if text.casefold() in NO_NUMBER:
        return f"{found}; {NAN_REMEDY}"
    return f"{found}; expected digits such as 3, -0.5 or 1e-4"

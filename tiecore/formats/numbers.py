"""Grades and scores from text, Arrow or Python, in types that tell them apart: beyond 2^53 whole ones stay whole."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from tiecore.errors import shortened
from tiecore.formats.arrays import arrow_numbers, arrow_texts, codes, first_row, numpy_numbers, pc
from tiecore.frames import is_null
from tiecore.ties.keys import EXACT, with_missing

NUMBER = re.compile(r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?)", re.ASCII | re.IGNORECASE)
WITH_COMMA = re.compile(r"[-+]?[\d.]*,[\d.,]*", re.ASCII)
WHOLE = re.compile(r"([-+]?)(?:0(?=[0-9]))*+([0-9]+)(?:\.0*)?")
NO_NUMBER = {"nan", "-nan", "na", "n/a", "#n/a", "null", "none", "-", "?"}
"""Spellings of a missing number."""
TRUTH = ("false", "true", "")
FAR = EXACT
"""From here on float64 cannot hold every whole number: scores are read exactly, grades are refused."""
MOST_DIGITS = 4000
"""Python reads few more; a number of so many is refused whatever its value."""
SHOWN = 40
BLANKS = " \t\r\n"  # no other whitespace: Python's float refuses some that its strip takes away
NAN_REMEDY = "it has no place in an order; leave out what is not scored (in a table: an empty cell)"


class RowFault(Exception):  # noqa: N818  # never leaves the readers, which know the line of a row
    """What is wrong with one row of a column, or with all of them if there is no row."""

    def __init__(self, row: int | None, problem: str) -> None:
        super().__init__(row, problem)
        self.row = row
        self.problem = problem


def grades_of_column(column: pa.ChunkedArray, *, where: str = "") -> np.ndarray:
    """(n_rows,) int64 grades from numbers or texts of any type; ``where`` they are expected, for messages."""
    if pa.types.is_integer(column.type) and not column.null_count:
        whole = numpy_numbers(column)
        if whole.max(initial=0) < FAR and whole.min(initial=0) > -FAR:
            return whole.astype(np.int64)
    try:
        coded = codes(column if pa.types.is_dictionary(column.type) else column.dictionary_encode())
        texts = coded.dictionary
        texts = (texts.cast(pa.int8()) if pa.types.is_boolean(texts.type) else texts).cast(pa.string())
    except pa.ArrowException:
        raise RowFault(None, f"the grade is of type {column.type}; expected whole numbers") from None
    if coded.null_count:
        raise RowFault(first_row(coded.is_null()), _grade_problem("", where))
    of_code = np.zeros(len(texts), np.int64)
    for code, text in enumerate(texts.to_pylist()):
        problem = _grade_problem(text.strip(BLANKS), where)
        if problem:
            raise RowFault(first_row(pc.equal(coded.indices, code)), problem)
        of_code[code] = int(float(text))  # exact: larger grades are refused
    return of_code[numpy_numbers(coded.indices)]


def _grade_problem(text: str, where: str) -> str:
    """Return what is wrong with the text of a grade; empty if nothing is."""
    if not text:
        return "the grade is empty; leave out the rows of documents that are not judged"
    found = f"the grade {shortened(text, SHOWN)} is"
    if not NUMBER.fullmatch(text):
        return f"{found} not a number; expected a whole number such as 0, 1 or -2{where}"
    if abs(float(text)) >= FAR:
        return f"{found} too large; expected a small whole number"
    if not float(text).is_integer():
        return (
            f"{found} not a whole number; thresholds and gains are defined on whole "
            "grades: multiply all grades until they are whole (0.5 and 1 -> 1 and 2)"
        )
    return ""


def truths(column: pa.Array, *, what: str) -> np.ndarray:
    """(n_rows,) 1.0 for true, 0.0 for false, NaN for empty."""
    places = pc.index_in(pc.utf8_lower(pc.utf8_trim_whitespace(column)), arrow_texts(TRUTH))
    row = first_row(places.is_null())
    if row >= 0:
        found = shortened(column[row].as_py(), SHOWN)
        raise RowFault(row, f"{what} is {found}; expected true or false as in the other rows")
    return np.array([0.0, 1.0, np.nan])[numpy_numbers(places)]


def whole_or_none(column: pa.ChunkedArray) -> np.ndarray | None:
    """(n_rows,) int64, or None if not all are whole numbers: for ranks, which no measure needs."""
    try:
        return None if column.null_count else numpy_numbers(column.cast(pa.int64()))
    except pa.ArrowException:
        return None


def kind_of(texts: Sequence[str]) -> pa.DataType:
    """Return what most texts of a column are, so that the odd one out is refused and not the column left out."""
    filled = [text for text in map(str.strip, texts) if text and text.casefold() not in NO_NUMBER]
    if not filled:
        return pa.string() if any(texts) else pa.float64()
    if 2 * sum(text.casefold() in TRUTH for text in filled) > len(filled):
        return pa.bool_()
    n_numbers = sum(NUMBER.fullmatch(text) is not None or WITH_COMMA.fullmatch(text) is not None for text in filled)
    return pa.float64() if 2 * n_numbers >= len(filled) else pa.string()


def _named(value: object, what: str) -> str:
    """Name a value at fault by what it is: ``the value 'many' of column 'clicks'``."""
    head, of, where = what.partition(" of ")
    return f"the {head} {shortened(value, SHOWN)}{of}{where}"


def score_problem(text: str, *, what: str) -> str:
    """Return what is wrong with the text of a score that is not a number."""
    found = f"{_named(text, what)} is not a number"
    bare = text.rstrip("% ")
    if WITH_COMMA.fullmatch(bare) or (bare != text and NUMBER.fullmatch(bare)):
        no_sign = ", and no per cent sign" if bare != text else ""
        return f"{found}; write decimals with a point and thousands without a separator{no_sign}"
    if text.casefold() in NO_NUMBER:
        return f"{found}; {NAN_REMEDY}"
    or_nothing = ", or an empty cell where there is no score" * (" column " in what)
    return f"{found}; expected digits such as 3, -0.5 or 1e-4{or_nothing}"


def floats_of(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """(n_rows,) numbers of a column of floats; NaN where one is null."""
    if column.null_count:
        column = column.fill_null(arrow_numbers(np.array([np.nan]))[0].cast(column.type))
    return numpy_numbers(column)


def from_arrow(column: pa.ChunkedArray, *, what: str = "score") -> np.ndarray:
    """(n_rows,) scores of a column of numbers, in its type as far as that can say that there is none."""
    if pa.types.is_decimal(column.type):
        floats = floats_of(column.cast(pa.float64()))
        return exact(floats, column.take(arrow_numbers(far_rows(floats))).to_pylist(), what=what)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    elif pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    if pa.types.is_floating(column.type):
        return _without_nan(column, what=what)
    if not column.null_count:
        return numpy_numbers(column)
    return with_missing(numpy_numbers(column.fill_null(0)), np.asarray(column.is_null()))


def parsed(column: pa.Array | pa.ChunkedArray, *, what: str = "score") -> tuple[np.ndarray, list[Any]]:
    """(n_rows,) nearest floats of numbers as text, NaN for empty text, and what :func:`written_far` returns."""
    trimmed = pc.utf8_trim_whitespace(column)
    texts = pc.if_else(pc.equal(trimmed, arrow_texts([""])[0]), pa.nulls(1, trimmed.type)[0], trimmed)
    try:
        floats = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        spelled = enumerate(texts.to_pylist())
        row, text = next((row, text) for row, text in spelled if text is not None and not NUMBER.fullmatch(text))
        raise RowFault(row, score_problem(text, what=what)) from None
    scores = _without_nan(floats, what=what)
    return scores, written_far(texts, scores)


def written_far(texts: pa.Array | pa.ChunkedArray, scores: np.ndarray) -> list[Any]:
    """Return the texts of :func:`far_rows`, or integers if all fit: millions of texts take long and much memory."""
    far = texts.take(arrow_numbers(far_rows(scores)))
    for kind in (pa.int64(), pa.uint64()):
        with suppress(pa.ArrowInvalid):
            return numpy_numbers(far.cast(kind)).tolist()
    return far.to_pylist()


def from_text(column: pa.Array, *, what: str = "score") -> np.ndarray:
    """(n_rows,) scores from their texts; empty text says that the document is not scored."""
    return exact(*parsed(column, what=what), what=what)


def _without_nan(floats: pa.Array | pa.ChunkedArray, *, what: str) -> np.ndarray:
    """(n_rows,) floats, NaN where one is missing; one that is NaN itself is refused."""
    row = first_row(pc.is_nan(floats))
    if row >= 0:
        raise RowFault(row, f"the {what} is NaN; {NAN_REMEDY}")
    return floats_of(floats)


def from_values(values: Sequence[Any], *, what: str = "score") -> np.ndarray:
    """(n_rows,) scores from numbers of Python, NumPy or decimal arithmetic; None, NA and NaN become NaN."""
    try:
        found = np.array(values) if len(values) else np.zeros(0)
    except (ValueError, TypeError):  # lists among them; TypeError: an object that refuses to be looked at
        found = np.array([None])
    kind = found.dtype.kind if found.ndim == 1 else "O"  # lists of one length
    if kind in "iub":
        return found.view(np.int8) if kind == "b" else found
    if kind == "f" and (not len(far_rows(found)) or {type(value) for value in values} == {float}):
        return found
    floats = np.zeros(len(values))
    for row, value in enumerate(values):
        if not is_null(value) and not isinstance(value, numbers.Real | Decimal | np.bool_):
            raise RowFault(row, f"{_named(value, what)} is not a number")
        try:
            floats[row] = math.nan if is_null(value) else float(value)
        except OverflowError:  # an integer beyond the largest float
            floats[row] = math.inf
    return exact(floats, [values[row] for row in far_rows(floats).tolist()], what=what)


def far_rows(scores: np.ndarray) -> np.ndarray:
    """(n_far,) rows of floats so large that not every whole number of their size is one, infinities included."""
    # minimum and maximum need no copy; both are NaN only where all scores are
    if not len(scores) or (np.fmin.reduce(scores) > -FAR and np.fmax.reduce(scores) < FAR):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.abs(scores) >= FAR)


def exact(floats: np.ndarray, given: Iterable[Any], *, what: str = "score") -> np.ndarray:
    """Return scores as integers if all are whole and fit into 64 bits, else as floats if these lose nothing.

    ``floats`` are the nearest ones, NaN where a score is missing; ``given`` are the scores of :func:`far_rows` as they
    were written, or numbers of any kind.
    """
    far = far_rows(floats)
    if not len(far):
        return floats
    wholes = [_whole(value, nearest) for value, nearest in zip(given, floats[far].tolist(), strict=True)]
    missing = np.isnan(floats)
    is_near = ~missing
    is_near[far] = False
    near = floats[is_near]
    if all(isinstance(whole, int) for whole in wholes) and (near == np.rint(near)).all():
        # Python compares int and float exactly
        lowest, highest = min(*wholes, float(near.min(initial=0.0))), max(*wholes, float(near.max(initial=0.0)))
        kind = np.int64 if highest < 2**63 else np.uint64
        if np.iinfo(kind).min <= lowest and highest <= np.iinfo(kind).max:
            scores = np.zeros(len(floats), kind)
            scores[is_near] = near.astype(kind)
            scores[far] = np.array(wholes, kind)
            return with_missing(scores, missing)
    for row, whole in zip(far.tolist(), wholes, strict=True):
        if isinstance(whole, int) and float(floats[row]) != whole:
            raise RowFault(
                row,
                f"{_named(whole, what)} is beyond 2^53, where whole numbers are read exactly only without "
                "decimals and within 64 bits; subtract what all scores have in common, or make all of them whole",
            )
    return floats


def _whole(value: Any, nearest: float) -> int | float:
    """Return a score of 2^53 or beyond as an integer if it is whole, else the float nearest to it."""
    if isinstance(value, str):
        written = WHOLE.fullmatch(value)
        value = int("".join(written.groups())[:MOST_DIGITS]) if written else nearest
    if isinstance(value, int):
        return value
    return int(value) if math.isfinite(nearest) and int(value) == value else nearest

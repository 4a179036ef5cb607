"""Scores in a type that tells them apart: whole numbers beyond 2^53 stay whole, which float64 cannot do."""

from __future__ import annotations

import math
import numbers
import re
from array import array
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.errors import shortened
from tiecore.formats.arrays import arrow_numbers, numpy_numbers
from tiecore.formats.cells import NUMBER, RowFault, is_text, refuse_nan, score_problem
from tiecore.frames import is_null

__all__ = [
    "exact_integers",
    "floats_of",
    "from_arrow",
    "from_text",
    "from_values",
    "has_far",
    "has_far_column",
    "is_scored",
    "joined",
]

FAR = 2.0**53
"""From here on float64 cannot hold every whole number."""
WHOLE_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.0*)?")
BEYOND_FLOATS = 10**400
"""Stands for whole numbers of hundreds of digits, which are refused whatever their value."""
_NAN = arrow_numbers(np.array([np.nan]))[0]
INTEGER_TYPES = {np.dtype(np.int64): (-(2**63), 2**63 - 1), np.dtype(np.uint64): (0, 2**64 - 1)}


def has_far(scores: np.ndarray) -> bool:
    """Return whether some scores are so large that float64 does not hold every whole number of their size."""
    # minimum and maximum need no copy; both are NaN only where all scores are
    return len(scores) > 0 and bool(np.fmin.reduce(scores) <= -FAR or np.fmax.reduce(scores) >= FAR)


def has_far_column(scores: pa.ChunkedArray) -> bool:
    """As :func:`has_far`, of a column of floats, of which some may be null."""
    extremes = pc.min_max(scores).as_py().values()
    return any(extreme is not None and abs(extreme) >= FAR for extreme in extremes)


def floats_of(column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """(n_rows,) numbers of a column of floats; NaN where one is null."""
    return numpy_numbers(column.fill_null(_NAN.cast(column.type)) if column.null_count else column)


def exact_integers(whole: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Return whole numbers of which some are missing, as floats with NaN, or masked where floats would merge them.

    ``whole``: (n_rows,) of an integer type; anything where it is missing. ``missing``: (n_rows,) bool.
    """
    if not missing.any():
        return whole
    known = whole[~missing]
    if len(known) and not -FAR <= int(known.min()) <= int(known.max()) <= FAR:
        return np.ma.MaskedArray(whole, missing)
    return np.where(missing, np.nan, whole.astype(np.float64))


def is_scored(scores: np.ndarray) -> np.ndarray:
    """(n_rows,) bool: where there is a score."""
    if isinstance(scores, np.ma.MaskedArray):
        return ~np.ma.getmaskarray(scores)
    return ~np.isnan(scores)


def from_arrow(column: pa.Array) -> np.ndarray:
    """(n_rows,) scores of an integer column, in its type as far as nothing is null."""
    if not column.null_count:
        return numpy_numbers(column)
    return exact_integers(column.fill_null(0).to_numpy(), column.is_null().to_numpy(zero_copy_only=False))


def from_text(column: pa.Array, *, what: str = "score") -> np.ndarray:
    """(n_rows,) scores from their texts; empty text says that the document is not scored."""
    trimmed = pc.utf8_trim_whitespace(column)
    texts = pc.if_else(is_text(trimmed, ""), pa.nulls(1, trimmed.type)[0], trimmed)
    try:
        parsed = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        spelled = enumerate(texts.to_pylist())
        row, text = next((row, text) for row, text in spelled if text is not None and not NUMBER.fullmatch(text))
        raise RowFault(row, score_problem(text, what=what)) from None
    refuse_nan(parsed, what=what)
    floats = floats_of(parsed)
    if not has_far(floats):
        return floats
    for integers in (pa.int64(), pa.uint64()):
        try:
            return from_arrow(texts.cast(integers))
        except pa.ArrowInvalid:
            continue
    far = np.flatnonzero(np.abs(floats) >= FAR)
    far_texts = texts.take(arrow_numbers(far))
    if not pc.any(pc.match_substring_regex(far_texts, f"^{WHOLE_NUMBER.pattern}$")).as_py():
        return floats
    return _with_exact(
        floats,
        far,
        [_parsed(*pair) for pair in zip(far_texts.to_pylist(), floats[far].tolist(), strict=True)],
        what=what,
    )


def from_values(values: Sequence[object], *, what: str = "score") -> np.ndarray:
    """(n_rows,) scores from numbers of Python, NumPy or decimal arithmetic; None, NA and NaN become NaN."""
    if (plain := _of_one_type(values)) is not None:
        return plain
    try:
        found = np.array(values) if len(values) else np.zeros(0)
    except (ValueError, TypeError):  # lists among them; TypeError: an object that refuses to be looked at
        found = np.array([None])
    if found.dtype.kind in "iub":
        return found
    if found.dtype.kind == "f" and (not has_far(found) or {type(value) for value in values} == {float}):
        return found
    floats = np.array([_float(value, row=row, what=what) for row, value in enumerate(values)])
    far = np.flatnonzero(np.abs(floats) >= FAR)
    return _with_exact(floats, far, [_exact(values[row], floats[row]) for row in far.tolist()], what=what)


def _of_one_type(values: Sequence[Any]) -> np.ndarray | None:
    """Take floats, or integers, in half the time that NumPy needs to find out what they are; None if that fails."""
    kind = type(values[0]) if len(values) else None
    try:
        if kind is float:
            floats = np.frombuffer(array("d", values))
            return None if has_far(floats) else floats
        if kind is int:
            return _small_integers(values)
    except (TypeError, ValueError, OverflowError):  # others among them, or too large
        pass
    return None


def _small_integers(values: Sequence[Any]) -> np.ndarray:
    """(n_rows,) int64; grades fit into a byte, almost always."""
    try:
        return np.frombuffer(bytes(values), dtype=np.uint8).astype(np.int64)
    except ValueError:
        return np.frombuffer(array("q", values), dtype=np.int64)


def joined(parts: Sequence[np.ndarray], *, what: str = "score") -> np.ndarray:
    """Join scores that were read in parts, each in a type of its own."""
    if len({part.dtype for part in parts}) == 1 and not any(isinstance(part, np.ma.MaskedArray) for part in parts):
        return np.concatenate(parts)
    floats = np.concatenate([_as_floats(part) for part in parts])
    far = np.flatnonzero(np.abs(floats) >= FAR)
    values = [value for part in parts for value in np.ma.getdata(part)[np.abs(_as_floats(part)) >= FAR].tolist()]
    exact = [_exact(value, float(nearest)) for value, nearest in zip(values, floats[far], strict=True)]
    return _with_exact(floats, far, exact, what=what)


def _as_floats(scores: np.ndarray) -> np.ndarray:
    return np.where(np.ma.getmaskarray(scores), np.nan, np.ma.getdata(scores).astype(np.float64))


def _with_exact(floats: np.ndarray, far: np.ndarray, exact: Sequence[int | float], *, what: str) -> np.ndarray:
    """Return scores as integers if all are whole and fit into 64 bits, else as floats if these lose nothing.

    Parameters
    ----------
    floats
        (n_rows,) the nearest floats; NaN where a score is missing.
    far
        (n_far,) rows of the scores of 2^53 and beyond, infinities included.
    exact
        (n_far,) what these scores are: an int, or a float that is not whole (an infinity).
    """
    if not len(far):
        return floats
    missing = np.isnan(floats)
    is_near = ~missing
    is_near[far] = False
    near = floats[is_near]
    if all(isinstance(number, int) for number in exact) and (near == np.rint(near)).all():
        # Python compares int and float exactly
        lowest, highest = min(min(exact), float(near.min(initial=0.0))), max(max(exact), float(near.max(initial=0.0)))
        for kind, (smallest, largest) in INTEGER_TYPES.items():
            if smallest <= lowest and highest <= largest:
                whole = np.zeros(len(floats), kind)
                whole[is_near] = near.astype(kind)
                whole[far] = np.array(exact, kind)
                return exact_integers(whole, missing)
    for row, nearest, number in zip(far.tolist(), floats[far].tolist(), exact, strict=True):
        if isinstance(number, int) and nearest != number:
            raise RowFault(
                row,
                f"the {what} {shortened(number)} is beyond 2^53, where whole numbers are read exactly only without "
                "decimals and within 64 bits; subtract what all scores have in common, or make all of them whole",
            )
    return floats


def _parsed(text: str, nearest: float) -> int | float:
    """Parse a score of 2^53 or beyond."""
    if math.isfinite(nearest) and WHOLE_NUMBER.fullmatch(text):
        return int(text.partition(".")[0])
    is_too_long = math.isinf(nearest) and WHOLE_NUMBER.fullmatch(text)
    return BEYOND_FLOATS if is_too_long else _exact(nearest, nearest)


def _float(value: object, *, row: int, what: str) -> float:
    if is_null(value):
        return math.nan
    if not isinstance(value, numbers.Real | Decimal | np.bool_):
        raise RowFault(row, f"the {what} {shortened(value)} is not a number")
    try:
        return float(value)
    except OverflowError:  # an integer beyond the largest float
        return math.inf


def _exact(value: object, nearest: float) -> int | float:
    """Return a number of 2^53 or beyond as an integer if it is whole, else the float nearest to it."""
    if isinstance(value, int) or math.isinf(nearest):  # that of an infinite Decimal, or one of a million digits
        return value if isinstance(value, int) else nearest
    whole = int(value)  # type: ignore[call-overload]  # a real number, as _float has found
    return int(whole) if whole == value else nearest

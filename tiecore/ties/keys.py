"""Sort keys: scores as small whole numbers, several keys packed into one 64-bit number, and runs of equal keys.

Scores are coded in as few bits as the data allow, so that query, score, tie key and grade fit into one number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tiecore.errors import TiecoreError, shortened

_MAX_DECIMALS = 15
_WHOLE_UP_TO = 2.0**52
EXACT = 2**53
"""Up to here float64 holds every whole number."""
_LARGEST_CODE = 2**64 - 1
_SAMPLE = 4096


def pack(
    keys: Sequence[np.ndarray], *, query: np.ndarray, level: np.ndarray, n_queries: int, n_levels: int
) -> tuple[np.ndarray, int, int]:
    """Pack (query, keys, level) of each document into one number that sorts as they do.

    Keys that do not fit are replaced by their rank among the values that occur, which changes nothing in the order.

    Returns
    -------
    packed
        (n_documents,) uint64.
    query_shift, level_bits
        Where the query begins, and how many low bits hold the level.
    """
    level_bits = (n_levels - 1).bit_length()
    room = 64 - level_bits - (n_queries - 1).bit_length()
    keys = [np.asarray(key) for key in keys]
    widths = [int(key.max(initial=0)).bit_length() for key in keys]
    while sum(widths) > room:
        widest = int(np.argmax(widths))
        ranked = dense_rank(keys[widest])
        width = int(ranked.max(initial=0)).bit_length()
        if width < widths[widest]:
            keys[widest], widths[widest] = ranked, width
            continue
        if len(keys) == 1:
            raise TiecoreError("more queries, documents and grades than 64-bit sort keys can distinguish")
        # The widest key is already dense: ranks of pairs need no more bits than there are documents.
        major, minor = (dense_rank(key).astype(np.uint64) for key in keys[:2])
        joined = dense_rank(major << np.uint64(32) | minor)
        keys[:2], widths[:2] = [joined], [int(joined.max(initial=0)).bit_length()]
    packed = query.astype(np.uint64)
    for key, width in zip([*keys, level], [*widths, level_bits], strict=True):
        packed <<= np.uint64(width)
        packed |= key.astype(np.uint64, copy=False)
    return packed, sum(widths) + level_bits, level_bits


def dense_rank(values: np.ndarray) -> np.ndarray:
    """Rank of each value among the distinct values, from 0."""
    return np.unique(values, return_inverse=True)[1]


def is_scored(scores: np.ndarray) -> np.ndarray:
    """(n_documents,) bool: where there is a score, so neither NaN nor, in a masked array of integers, masked."""
    if hasattr(scores, "mask"):
        return ~np.ma.getmaskarray(scores)
    return np.broadcast_to(True, len(scores)) if scores.dtype.kind in "iub" else ~np.isnan(scores)


def with_unscored(scores: np.ndarray, n_unscored: int) -> np.ndarray:
    """Append documents without a score: NaN, or masked behind integers of which floats would merge some."""
    longer = np.concatenate([scores, np.zeros(n_unscored, scores.dtype)])
    return with_missing(longer, np.arange(len(longer)) >= len(scores))


def with_missing(scores: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """Return scores of which some are missing: with NaN, or masked where they are integers that floats would merge.

    ``missing``: (n_documents,) bool; what stands there does not matter.
    """
    if not missing.any():
        return scores
    known = scores[~missing]
    if scores.dtype.kind in "iu" and len(known) and not -EXACT <= int(known.min()) <= int(known.max()) <= EXACT:
        return np.ma.MaskedArray(scores, missing)
    return np.where(missing, np.nan, scores.astype(np.float64))


def behind(code: np.ndarray) -> tuple[np.ndarray, np.uint64]:
    """Return a code, ranked if need be, and a number that comes after all of it in 64 bits."""
    if len(code) and int(code.max()) == _LARGEST_CODE:
        code = dense_rank(code)
    code = code.astype(np.uint64, copy=False)
    return code, code.max(initial=0) + np.uint64(1)


def score_code(scores: np.ndarray, *, ascending: bool = False) -> np.ndarray:
    """Code scores as whole numbers, the highest score first, equal exactly where the scores are equal.

    −0.0 equals 0.0, infinities are scores, what is not scored (NaN or masked) comes after everything.

    ``scores``: (n_documents,) numbers of any kind.
    """
    if hasattr(scores, "mask"):
        scored = is_scored(scores)
        own, last = behind(score_code(np.ma.getdata(scores)[scored], ascending=ascending))
        whole = np.full(len(scores), last)
        whole[scored] = own
        return whole
    if scores.dtype.kind in "iub":
        # unsigned arithmetic wraps, so the differences are right for every 64-bit score
        edge = np.uint64(int(scores.min(initial=0) if ascending else scores.max(initial=0)) & _LARGEST_CODE)
        return scores.astype(np.uint64) - edge if ascending else edge - scores.astype(np.uint64)
    unscored = np.isnan(scores)
    some_unscored = bool(unscored.any())
    values = (-scores if ascending else scores).astype(np.float64) + 0.0  # −0.0 has become 0.0
    if some_unscored:
        values[unscored] = 0.0
    code = _decimal_code(values)
    if code is None:
        code = _float_code(values)
    if some_unscored:
        code[unscored] = code.max() + 1
    return code


def _decimal_code(values: np.ndarray) -> np.ndarray | None:
    """Code scores that are whole numbers, or decimals read from text, by their digits.

    A decimal with d places is read as the double nearest to m/10^d; where rint(x·10^d)/10^d returns every x, the
    whole number m tells the scores apart and keeps their order.
    """
    if not len(values):
        return values.astype(np.uint64)
    largest = max(float(values.max()), -float(values.min()))
    sample = values[:: max(1, len(values) // _SAMPLE)]
    for scale in (1.0, 1e2, 1e4, 1e6):
        if not largest * scale < _WHOLE_UP_TO:
            return None
        if not np.array_equal(np.rint(sample * scale) / scale, sample):
            continue
        whole = np.rint(values * scale)
        if np.array_equal(whole if scale == 1.0 else whole / scale, values):
            return (whole.max() - whole).astype(np.uint64)
    return None


def _float_code(values: np.ndarray) -> np.ndarray:
    """Code floats by their bits: in 32 of them where float32 holds every score, else in 64."""
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    exact = np.array_equal(single, values)
    bits = single.view(np.uint32) if exact else values.view(np.uint64)
    sign = bits.dtype.type(1) << bits.dtype.type(31 if exact else 63)
    # negative floats order against their bits; positive ones along them, so flip those: high scores come first
    return np.where(bits & sign, bits, ~(bits | sign)).astype(np.uint64)


def parse_precision(precision: str) -> int | str:
    """Check the name of a precision: ``float64``, ``float32`` or ``decimals:N`` (given back as N)."""
    if not isinstance(precision, str):
        raise TiecoreError(f"precision must be text such as 'float64', found {shortened(precision)}")
    if precision in ("float64", "float32"):
        return precision
    decimals = re.fullmatch(r"decimals:([0-9]{1,2})", precision)
    if decimals and int(decimals[1]) <= _MAX_DECIMALS:
        return int(decimals[1])
    raise TiecoreError(
        f"unknown precision {shortened(precision)}: expected 'float64', 'float32' or 'decimals:N', "
        f"N from 0 to {_MAX_DECIMALS}"
    )


def to_precision(scores: np.ndarray, precision: str) -> np.ndarray:
    """Round scores to the precision in which they are to be compared.

    ``float32`` casts as older trec_eval does; ``decimals:N`` rounds half to even and leaves alone what has no N-th
    decimal in float64.
    """
    digits = parse_precision(precision)
    if digits == "float64" or (scores.dtype.kind in "iub" and digits != "float32"):
        return scores
    if digits == "float32":
        with np.errstate(over="ignore"):
            return scores.astype(np.float32)
    scores = scores.astype(np.float64)
    has_digit = np.abs(scores) < _WHOLE_UP_TO / 10.0 ** int(digits)
    rounded = scores.copy()
    rounded[has_digit] = np.rint(scores[has_digit] * 10.0 ** int(digits)) / 10.0 ** int(digits)
    return rounded


def changes(values: np.ndarray) -> np.ndarray:
    """Return for each value whether it differs from the one before it."""
    is_other = np.empty(len(values), dtype=bool)
    is_other[:1] = True
    np.not_equal(values[1:], values[:-1], out=is_other[1:])
    return is_other


def starts(values: np.ndarray) -> np.ndarray:
    """Positions at which a run of equal neighbours begins."""
    return np.flatnonzero(changes(values))


def lengths(first: np.ndarray, end: int) -> np.ndarray:
    """Members of each run, given where each begins and where the last one ends."""
    length = np.empty(len(first), dtype=np.int64)  # np.diff would take twice as long
    np.subtract(first[1:], first[:-1], out=length[:-1])
    length[-1:] = end - first[-1:]
    return length


def ranges(first: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of all members of some runs, and where each run begins among them."""
    begin = np.cumsum(length) - length
    return np.repeat(first - begin, length) + np.arange(int(length.sum())), begin


def sums_before(values: np.ndarray, is_first: np.ndarray) -> np.ndarray:
    """Sum of the values in front of each one in its run; exact for whole numbers only."""
    first = np.flatnonzero(is_first)
    shifted = np.empty_like(values)
    shifted[:1] = 0
    shifted[1:] = values[:-1]
    # at each further run the sum of the one before is taken back; without further arrays, whose memory takes longest
    shifted[first[1:]] -= np.add.reduceat(values, first)[:-1]
    return np.cumsum(shifted, out=shifted)


def sums_at(places: np.ndarray, values: np.ndarray, n_places: int) -> np.ndarray:
    """(n_places,) sum of the values that belong to each place."""
    # without anything to add, bincount counts in whole numbers
    return np.bincount(places, weights=values, minlength=n_places).astype(np.float64, copy=False)

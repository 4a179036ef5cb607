"""Runs: members that stand together in an array, such as the groups of a query or the cells of a group."""

from __future__ import annotations

import numpy as np

_DENSE = 4
"""Possible values to each one given up to which they are counted rather than sorted."""


def changes(values: np.ndarray) -> np.ndarray:
    """Return for each value whether it differs from the one before it."""
    is_other = np.empty(len(values), dtype=bool)
    is_other[:1] = True
    np.not_equal(values[1:], values[:-1], out=is_other[1:])
    return is_other


def counted(values: np.ndarray, end: int, *, times: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Distinct values below ``end``, ascending, and how often each comes; each stands for some ``times``, or once."""
    distinct, place = np.arange(end), values
    if end > _DENSE * len(values):
        distinct, place = np.unique(values, return_inverse=True)
    number = np.bincount(place, weights=times, minlength=len(distinct))
    found = np.flatnonzero(number)
    return distinct[found], number[found].astype(np.int64)


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


def since_first(values: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Values less the one at the first position of their run."""
    return values - np.repeat(values.take(first), lengths(first, len(values)))


def sums_before(values: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Sum of the values in front of each one in its run; exact for whole numbers only."""
    shifted = np.empty_like(values)
    shifted[:1] = 0
    shifted[1:] = values[:-1]
    # at each further run the sum of the one before is taken back
    shifted[first[1:]] -= np.add.reduceat(values, first)[:-1] if len(first) else 0
    return np.cumsum(shifted, out=shifted)


def sums_at(places: np.ndarray, values: np.ndarray, n_places: int) -> np.ndarray:
    """(n_places,) sum of the values that belong to each place."""
    # without anything to add, bincount counts in whole numbers
    return np.bincount(places, weights=values, minlength=n_places).astype(np.float64, copy=False)

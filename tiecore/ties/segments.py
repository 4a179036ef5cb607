"""Runs: members that stand together in an array, such as the groups of a query or the cells of a group."""

from __future__ import annotations

import numpy as np

__all__ = [
    "at",
    "changes",
    "counts_of_ascending",
    "in_a_row",
    "lengths",
    "ranges",
    "since_first",
    "starts",
    "sums_at",
    "sums_before",
]


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
    length = np.empty(len(first), dtype=np.int64)
    np.subtract(first[1:], first[:-1], out=length[:-1])
    length[-1:] = end - first[-1:]
    return length


def in_a_row(positions: np.ndarray) -> range | None:
    """Return positions as a range if each follows the one before it."""
    if not len(positions) or positions[-1] - positions[0] != len(positions) - 1:
        return None
    if not (positions[1:] - positions[:-1] == 1).all():
        return None
    return range(int(positions[0]), int(positions[-1]) + 1)


def at(positions: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values at some positions, which ascend; the array itself, without a copy, where these are all.

    Here as elsewhere ``take`` needs two thirds of the time of square brackets.
    """
    return values if len(positions) == len(values) else values.take(positions)


def counts_of_ascending(values: np.ndarray, n_values: int) -> np.ndarray:
    """(n_values,) how often each whole number from 0 occurs among values that ascend."""
    first = starts(values)
    count = np.zeros(n_values, dtype=np.int64)
    count[values[first]] = lengths(first, len(values))
    return count


def ranges(first: np.ndarray, length: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of all members of some runs, and where each run begins among them."""
    begin = np.cumsum(length)
    begin -= length
    return np.repeat(first - begin, length) + np.arange(int(length.sum())), begin


def since_first(values: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Values less the one at the first position of their run."""
    return values - np.repeat(values[first], lengths(first, len(values)))


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

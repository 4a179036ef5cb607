"""Documents of tie groups in an order without ties, in which all that matters is where their grades stand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tiecore.ties.segments import changes, lengths

__all__ = ["Stretches", "levels_by_numbers", "stretches"]

_NOTHING = 2**32 - 1
"""Stands for no level: more than there can be."""


class Stretches(NamedTuple):
    """Neighbours of one grade in the groups of a ranking; every array is (n_stretches,)."""

    group: np.ndarray
    above: np.ndarray
    """Documents of the same group that stand above."""
    size: np.ndarray
    level: np.ndarray


def stretches(level: np.ndarray, begin: np.ndarray) -> Stretches:
    """Find neighbours of one grade.

    ``level``: (n_documents,) levels of the documents in their order, one group behind the other. ``begin``: (n_groups,)
    first document of each group.
    """
    begins = np.zeros(len(level), dtype=bool)
    begins[begin] = True
    start = np.flatnonzero(changes(level) | begins)
    group = np.cumsum(begins[start]) - 1
    return Stretches(group, start - begin[group], lengths(start, len(level)), level[start].astype(np.int64))


def levels_by_numbers(key: np.ndarray, level: np.ndarray, size: np.ndarray) -> np.ndarray | None:
    """(n_documents,) uint32 levels in the order of a key that numbers the documents of each group without gaps.

    None if it does not. ``size`` of the groups, whose documents stand one group behind the other.
    """
    if not len(key):
        return None
    level = level.astype(np.uint32)
    begin = np.cumsum(size) - size
    lowest = np.minimum.reduceat(key, begin)
    reach = np.maximum.reduceat(key, begin) - lowest
    if not np.array_equal(reach.astype(np.int64), size - 1):
        return None
    place = np.repeat(begin - lowest.astype(np.int64), size)
    place += key.astype(np.int64, copy=False)
    ordered = np.full(len(level), _NOTHING, dtype=np.uint32)
    ordered[place] = level
    return None if (ordered == _NOTHING).any() else ordered

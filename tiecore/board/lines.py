"""Lines of places: at which heights they run, and what is said of them, on pages and in figures."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from tiecore.board.marks import MOST_COLOURED
from tiecore.stability.sentences import queries_of

EQUAL = "equal places, in the order of the first column"
"""What the sign in front of a place says."""
_ANCHORED = 1e4
"""How much more strongly a feature that stays at its place pulls than one that moves."""
_SPARSE = 2
"""Places for each feature drawn, beyond which heights follow the places, and rows that each then has at most."""


def lines_of_places(places: pd.DataFrame, total: int) -> str:
    """Return what is to be said where places are drawn as lines, and not those of all features; else nothing."""
    if len(places) == total:
        return ""
    if _is_sparse(places.to_numpy()):
        return f"Heights follow the places among all {total}; features that would overlap are moved apart."
    return f"Lines: order among the features drawn; numbers: places among all {total}."


def movers_among(places: pd.DataFrame) -> list[str]:
    """Return the features (rows) whose place is not the same under all columns, those that move farthest first."""
    far = places.max(axis=1) - places.min(axis=1)
    return far[far > 0].sort_values(ascending=False, kind="stable").index.tolist()


def part_of(places: pd.DataFrame, clear: Sequence[str], *, most: int) -> tuple[pd.DataFrame, str]:
    """Return the places under each judge that are drawn, and which these are if not all.

    Of more features than ``most`` those that are first under a judge, which a sentence names, and those that swap
    clearly, which are ``clear``, or else those that move farthest.

    >>> places = pd.DataFrame({"one": [1, 2, 3, 4], "other": [1, 3, 2, 4]}, ["a", "b", "c", "d"])
    >>> drawn, said = part_of(places, [], most=3)
    >>> list(drawn.index), said.strip()[:79]
    (['a', 'b', 'c'], 'Drawn: 3 features, those first under a judge and those that move farthest. Line')
    """
    moved = movers_among(places)[:MOST_COLOURED]
    if len(places) <= most or not moved:
        return places.iloc[:most], ""
    n_firsts = (places == 1).sum(axis=1).sort_values(ascending=False, kind="stable")
    drawn = places.loc[places.index.isin([*dict.fromkeys([*n_firsts.index[n_firsts > 0], *(clear or moved)])][:most])]
    which = "of pairs that swap clearly" if clear else "that move farthest"
    told = f" Drawn: {len(drawn)} features, those first under a judge and those {which}. "
    return drawn, told + lines_of_places(drawn, len(places))


def rows_with(shown: pd.DataFrame, unit: str, *, most: int, named: Collection[object] = ()) -> tuple[pd.DataFrame, str]:
    """Return the rows that are drawn, and which these are: the first, but all that a sentence has ``named``.

    >>> rows_with(pd.DataFrame(index=["a", "b", "c", "d"]), "judge", most=2, named=["d"])[1]
    '2 of 4 judges'
    """
    late = [row for row in range(most, len(shown)) if shown.index[row] in named]
    drawn = shown.iloc[[*range(min(most, len(shown)) - len(late)), *late]]
    part = f"{'' if late else 'the first '}{len(drawn)} of " * (len(drawn) < len(shown))
    return drawn, part + queries_of(len(shown), unit)


def rows_of(places: np.ndarray, *, most: int = 100) -> np.ndarray:
    """Return in which row each feature is drawn under each column: in the order of its places, equal ones as they are.

    Of few among many features the heights follow the places, in ``most`` rows, or else long moves would be flat lines.

    >>> rows_of(np.array([[1, 2], [1, 1], [3, 2]]))
    array([[0, 1],
           [1, 0],
           [2, 2]])
    >>> rows_of(np.array([[1, 2], [2, 1], [90, 60]])).round(2).tolist()
    [[0.0, 1.0], [1.0, 0.0], [5.0, 3.31]]
    >>> rows_of(np.array([[5, 5], [9, 4], [10, 10]])).round(2).tolist()
    [[2.33, 2.33], [4.0, 1.33], [5.0, 5.0]]
    """
    if not _is_sparse(places):
        return np.argsort(np.argsort(places, axis=0, kind="stable"), axis=0)
    last = min(_SPARSE * len(places), most) - 1
    heights = last * (places - 1) / (places.max() - 1)
    ends, stays = (-0.5, last + 0.5), (places == places[:, :1]).all(axis=1)
    first = np.transpose([spread(own, 1.0, ends) for own in heights.T])
    # the line of a feature that stays at its place is straight, whatever moves beside it
    wanted = np.where(stays[:, None], first.mean(axis=1, keepdims=True), heights)
    pull = np.where(stays, _ANCHORED, 1.0)
    return np.transpose([spread(own, 1.0, ends, by=by, pull=pull) for own, by in zip(wanted.T, heights.T, strict=True)])


def written(places: np.ndarray) -> np.ndarray:
    """Return places as they are drawn: with a sign where features that are in rows of their own share one.

    >>> written(np.array([[1, 2], [1, 1], [3, 2]])).tolist()
    [['=1', '=2'], ['=1', '1'], ['3', '=2']]
    """
    n_alike = (places[:, None] == places).sum(axis=1)
    return np.char.add(np.where(n_alike > 1, "=", ""), places.astype(str))


def spread(
    centres: Sequence[float],
    height: float,
    ends: Sequence[float],
    *,
    by: Sequence[float] | None = None,
    pull: np.ndarray | None = None,
) -> list[float]:
    """Move the middles of things of a height above each other so far, and no further, that none lies on another.

    ``ends``: those of the axis, beyond which nothing reaches if there is room for all. ``by``: what puts them into
    order, if not their middles. ``pull``: how strongly each stays where it is.

    >>> spread([1.0, 1.0, 9.0], 2.0, (0.0, 10.0)), spread([9.0, 9.0], 2.0, (10.0, 0.0))
    ([1.0, 3.0, 9.0], [7.0, 9.0])
    """
    n, order = len(centres), np.argsort(centres if by is None else by, kind="stable")
    weights = np.ones(n) if pull is None else pull[order]
    below = height * np.arange(n)
    free = np.asarray(centres)[order] - below
    # the isotonic regression in its max-min form: of the means of all that follow each other
    sums, wholes = (np.concatenate([[0.0], np.cumsum(own)]) for own in (weights * free, weights))
    means = np.full((n, n), np.inf)
    begin, end = np.triu_indices(n)
    means[begin, end] = (sums[end + 1] - sums[begin]) / (wholes[end + 1] - wholes[begin])
    least = np.minimum.accumulate(means[:, ::-1], axis=1)[:, ::-1]
    moved = np.where(np.tri(n, dtype=bool).T, least, -np.inf).max(axis=0)
    found = np.clip(moved, min(ends) + height / 2, max(ends) + height / 2 - n * height) + below
    return found[np.argsort(order)].tolist()


def _is_sparse(places: np.ndarray) -> bool:
    return bool(places.max() > _SPARSE * len(places))

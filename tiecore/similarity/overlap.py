"""Rank-biased overlap of two rankings with ties, in linear time once they are sorted.

Depth d of two tie groups, one of each list, needs four counts of common items: inside both groups, inside one group and
above the other (twice), above both. They are whole numbers that change where groups begin and end, so running sums give
them at every depth without rounding, and X_d is a polynomial of the share of each group that lies within d.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tiecore.errors import TiecoreError, check_choice
from tiecore.similarity.lists import Scores, scored_items

OverlapTies = Literal["w", "a", "b"]

_NEAR_ONE = 5.0
"""Up to this l(1-p) the sum of all terms behind depth l is found as a difference; behind it, they are added up."""
_NEGLIGIBLE = 37.0
"""exp(-37) is below the resolution of float64 beside 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankBiasedOverlap:
    """Rank-biased overlap of two rankings of which only the beginning is known."""

    ext: float
    """Extrapolated: assumes that the lists go on to agree as they did."""
    min: float
    """The rest of the lists has nothing in common."""
    max: float
    """The rest of the lists has as much in common as possible."""

    @property
    def res(self) -> float:
        """Residual: how much the unseen rest of the lists could change."""
        return max(0.0, self.max - self.min)


def rbo(x: Scores, y: Scores, *, p: float = 0.9, ties: OverlapTies = "a") -> RankBiasedOverlap:
    """Compute the rank-biased overlap of two rankings that may have ties.

    RBO = (1-p) Σ_d p^(d-1) A_d, with A_d the agreement of the lists down to depth d. The lists may differ in length and
    in what they list; an item that is missing from one of them is taken to stand somewhere behind its end.

    Parameters
    ----------
    x, y
        ``{item: score}`` or a pandas Series; the highest score comes first, equal scores tie.
    p
        Persistence, between 0 and 1: the larger, the deeper the comparison reaches. The first d ranks hold
        1 - p^d of a list's weight or more.
    ties
        ``a``: mean over all orders of tied items. ``b``: as ``a``, but two equal weak orders agree fully. ``w``: tied
        items share one rank, as in competitions.

    Returns
    -------
    RankBiasedOverlap
        ``ext``, ``min``, ``max`` and ``res`` (= max - min).

    References
    ----------
    W. Webber, A. Moffat and J. Zobel, A similarity measure for indefinite rankings, TOIS 2010 (variant w).
    M. Corsi and J. Urbano, The treatment of ties in rank-biased overlap, SIGIR 2024 (variants a and b).

    Examples
    --------
    Half of the orders of a tie put the same item first:

    >>> clicks, dwell = {"a": 3, "b": 3, "c": 1}, {"a": 9, "b": 7, "c": 2}
    >>> rbo(clicks, dwell).ext, rbo(clicks, clicks).ext
    (0.95..., 0.95...)
    >>> rbo(clicks, clicks, ties="b").ext
    1.0
    """
    _check_p(p)
    check_choice("ties", ties, get_args(OverlapTies))
    code_of = {}
    for name, scores in (("x", x), ("y", y)):
        if not hasattr(scores, "items"):
            raise TiecoreError(f"{name} is a {type(scores).__name__}: expected {{item: score}} or a pandas Series")
        code_of[name] = scored_items(scores, name=name)
        if not code_of[name]:
            raise TiecoreError(f"{name} lists nothing, so there is nothing to compare: leave such rankings out")
    place = {item: number for number, item in enumerate(code_of["x"] | code_of["y"])}
    lists = (
        _List.of(np.array([place[item] for item in codes]), np.array(list(codes.values())), n_items=len(place))
        for codes in code_of.values()
    )
    return _overlap(*lists, p=p, ties=ties)


def _check_p(p: object) -> None:
    if not (isinstance(p, float | int | np.floating) and 0 < p < 1):
        raise TiecoreError(f"p must lie between 0 and 1, both excluded, found {p!r}; 0.9 is common")


@dataclass(frozen=True, slots=True, eq=False)
class _List:
    """One ranking as a weak order. All arrays are (n_items,), by item or by depth from 1."""

    length: int
    """Items listed."""
    is_listed: np.ndarray
    """By item: bool."""
    first: np.ndarray
    """By item: position of the first depth of its tie group; where it is not listed, any."""
    end: np.ndarray
    """By item: position behind the last depth of its tie group."""
    above_at: np.ndarray
    """By depth: items above the tie group that covers the depth.

    Behind the end of a list every depth counts as a tie group of one."""
    size_at: np.ndarray
    """By depth: items in the tie group that covers the depth."""

    @classmethod
    def of(cls, item: np.ndarray, code: np.ndarray, *, n_items: int) -> _List:
        """Rank the items that are listed by their codes, the smallest first."""
        is_listed = np.zeros(n_items, dtype=bool)
        is_listed[item] = True
        first, end = np.zeros((2, n_items), dtype=np.int64)
        above_at, end_at = np.arange(n_items), np.arange(1, n_items + 1)
        ordered = np.sort(code)
        first[item], end[item] = np.searchsorted(ordered, code), np.searchsorted(ordered, code, side="right")
        above_at[: len(item)], end_at[: len(item)] = np.sort(first[item]), np.sort(end[item])
        return cls(len(item), is_listed, first, end, above_at, end_at - above_at)

    def share_at(self, depth: np.ndarray, ties: OverlapTies) -> np.ndarray:
        """By depth: share of the tie group there that lies within the depth; in variant w all of it does."""
        return np.ones(len(depth)) if ties == "w" else (depth - self.above_at) / self.size_at


def _overlap(x: _List, y: _List, *, p: float, ties: OverlapTies) -> RankBiasedOverlap:
    """Add up what the two share at each depth; all arrays but the powers of p are (n_items,) by depth."""
    n = len(x.is_listed)
    depth, power = np.arange(1, n + 1), p ** np.arange(n + 1)
    x_share, y_share = x.share_at(depth, ties), y.share_at(depth, ties)
    # of lists of equal length nothing asks for what one lacks: they end at the same depth
    short, long, share = (y, x, x_share) if x.length > y.length else (x, y, y_share)
    s, longer, is_lacking = short.length, long.length, long.is_listed & ~short.is_listed
    first, end = long.first[is_lacking], long.end[is_lacking]
    # items that the shorter list lacks, above the tie group of the longer one and inside it
    above, inside = _running(end, n, n=n), _running(first, end, n=n)
    shared, norm = _shared(x, y, x_share, y_share), _norm(depth, x, y, ties)
    common = x.length + y.length - n

    def total(agreement: np.ndarray) -> float:
        return float(np.add.reduceat((1 - p) * power[:-1] * agreement, [0])[0])

    def within(shared: np.ndarray) -> float:
        return total(np.where(depth <= longer, shared / norm, 0.0))

    lacking, beyond, at_s = above + inside, np.maximum(depth - s, 0), shared[s - 1] / norm[s - 1]
    unseen = beyond * at_s * np.divide(above + share * inside, lacking, out=np.zeros(n), where=lacking > 0)
    rest = (common + (longer - s) * at_s) / longer
    most = np.minimum(beyond, above) + share * np.clip(beyond - above, 0, inside)
    behind = total(np.where(depth > longer, (2 * depth - n) / depth, 0.0))
    return RankBiasedOverlap(
        ext=within(shared + unseen) + float(rest * power[longer]),
        min=within(shared) + float((1 - p) * common * _tail(p, power, longer)),
        max=within(shared + most) + behind + float(power[n]),  # from depth n the lists may agree fully
    )


def _norm(depth: np.ndarray, x: _List, y: _List, ties: OverlapTies) -> np.ndarray:
    """By depth: what the overlap is divided by."""
    if ties == "a":
        return depth.astype(np.float64)
    if ties == "w":
        return (x.above_at + x.size_at + y.above_at + y.size_at) / 2
    squares = [own.above_at + (depth - own.above_at).astype(np.float64) ** 2 / own.size_at for own in (x, y)]
    return np.sqrt(squares[0] * squares[1])


def _shared(x: _List, y: _List, x_share: np.ndarray, y_share: np.ndarray) -> np.ndarray:
    """By depth: the common items expected within it in both lists, the sum of the products of their shares."""
    n, both = len(x_share), x.is_listed & y.is_listed
    x_first, x_end, y_first, y_end = x.first[both], x.end[both], y.first[both], y.end[both]
    in_both = _running(np.maximum(x_first, y_first), np.minimum(x_end, y_end), n=n)
    in_x = _running(np.maximum(x_first, y_end), x_end, n=n)
    in_y = _running(np.maximum(y_first, x_end), y_end, n=n)
    done = _running(np.maximum(x_end, y_end), n, n=n)
    return done + in_x * x_share + in_y * y_share + in_both * x_share * y_share


def _running(begin: np.ndarray, end: np.ndarray | int, *, n: int) -> np.ndarray:
    """Count the intervals [begin, end) that cover each of n positions; those that end before they begin are empty."""
    steps = np.bincount(begin, minlength=n + 1) - np.bincount(np.maximum(begin, end), minlength=n + 1)
    return np.cumsum(steps[:-1])


def _tail(p: float, power: np.ndarray, longer: int) -> float:
    """Return Σ_{d>l} p^(d-1)/d, l being the length of the longer list.

    It is a sum of positive terms, added from the far end: ln(1/(1-p)) less a partial sum would lose its digits.
    """
    last = len(power) - 1
    terms = power[:-1] / np.arange(1, last + 1)
    if last * (1 - p) < _NEAR_ONE:
        behind = -math.log1p(-p) / p - math.fsum(terms)
    else:
        further = np.arange(last, last + math.ceil(_NEGLIGIBLE / (1 - p)))
        behind = float((p**further / (further + 1)).sum())
    return behind + float(np.cumsum(np.append(0.0, terms[longer:][::-1]))[-1])

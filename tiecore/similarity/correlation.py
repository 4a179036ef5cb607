"""Rank correlations with ties: Kendall's tau and AP correlation.

Both follow from a few counts for each item: how many items stand above it in each ranking, are tied with it
there, stand above it in both, and are tied in one and above it in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from tiecore.errors import TiecoreError, check_choice
from tiecore.similarity.lists import Scores, codes_by_position, scored_items

ApTies = Literal["a", "b"]
Ranking: TypeAlias = Scores | Sequence[Any] | np.ndarray


def tau_b(x: Ranking, y: Ranking) -> float:
    """Compute Kendall's tau-b of two rankings.

    (C - D) / √(X Y): C and D are the concordant and discordant pairs of items, X and Y the pairs that are not tied in x
    and in y.

    Parameters
    ----------
    x, y
        Scores of the same items, the highest first: arrays or lists, matched by position, or mappings or pandas
        Series, matched by item; what only one of them scores is left out of both.

    Returns
    -------
    float
        From -1 to 1; NaN where a ranking ties all items that are compared, or there are fewer than two.

    Examples
    --------
    >>> tau_b([3, 3, 1], [9, 7, 2])
    0.816...
    """
    return _of_one_pair(x, y, kendall)


def tau_ap(x: Ranking, y: Ranking, *, ties: ApTies = "a") -> float:
    """Compute the AP correlation of two rankings, in which the top counts for more.

    2/(n-1) Σ_{r=2..n} C(r)/(r-1) - 1: C(r) of the r - 1 items above rank r of y also stand above that item in x.

    Parameters
    ----------
    x, y
        As in :func:`tau_b`. With ``ties="a"`` x is the reference and the ranks are those of y, so the order of the two
        matters.
    ties
        ``a``: the mean over all orders of tied items (of both rankings, where the reference has ties as well).
        ``b``: agreement of two rankings of which neither is the reference. The mean of both directions, each over the
        items below its first tie group, compared with the items above their own tie group; what is tied in the other
        ranking counts as not concordant.

    Returns
    -------
    float
        From -1 to 1; NaN where fewer than two items are compared, and in variant b where a ranking ties all of them.

    References
    ----------
    E. Yilmaz, J. Aslam and S. Robertson, A new rank correlation coefficient for information retrieval, SIGIR 2008.
    J. Urbano and M. Marrero, The treatment of ties in AP correlation, ICTIR 2017.

    Examples
    --------
    >>> tau_ap([3, 2, 1], [5, 5, 4]), tau_ap([3, 2, 1], [4, 5, 5])
    (0.5, -0.5)
    >>> tau_ap([3, 2, 1], [5, 5, 4], ties="b")
    0.5
    """
    check_choice("ties", ties, get_args(ApTies))
    return _of_one_pair(x, y, lambda counts: yilmaz(counts, ties=ties))


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Where each item of two rankings stands among all of them. All arrays: (n_lists, n_items), whole numbers."""

    x_above: np.ndarray
    """Items above the tie group in x."""
    y_above: np.ndarray
    """Items above the tie group in y."""
    y_tied: np.ndarray
    """Items in the tie group in y, this one included."""
    above_in_y_only: np.ndarray
    """Items tied in x, and above in y."""
    above_in_x_only: np.ndarray
    """Items tied in y, and above in x."""
    both_above: np.ndarray
    """Items above in x and in y."""

    @classmethod
    def of(cls, x: np.ndarray, y: np.ndarray) -> PairCounts:
        """Count in O(n log² n); ``x``, ``y``: (n_lists, n_items) items above the tie group of each in a ranking."""
        # the lists are counted as one, in which each stands below those before it
        before = x.shape[1] * np.arange(len(x))[:, None]
        one, other = (x + before).ravel(), (y + before).ravel()
        order = np.lexsort((-other, one))  # what is tied in x does not count
        both = np.empty_like(one)
        both[order] = _smaller_before(other[order])
        y_tied = _smaller(other, side="right") - other
        of_ties = (_smaller(a * a.size + b) - a for a, b in ((one, other), (other, one)))
        return cls(x, y, *(found.reshape(x.shape) for found in (y_tied, *of_ties, both - one + x.ravel())))

    @property
    def swapped(self) -> np.ndarray:
        """(n_lists,) pairs of items that the two put in opposite order."""
        return np.asarray((self.x_above - self.both_above - self.above_in_x_only).sum(axis=1))


def _smaller(values: np.ndarray, side: Literal["left", "right"] = "left") -> np.ndarray:
    """(n_values,) how many are smaller than each; on the right side, how many are not larger."""
    return np.searchsorted(np.sort(values), values, side=side)


def kendall(counts: PairCounts) -> np.ndarray:
    """Return (n_lists,) tau-b."""
    balance = counts.both_above.sum(axis=1) - counts.swapped
    return _ratio(balance, np.sqrt(counts.x_above.sum(axis=1) * counts.y_above.sum(axis=1).astype(np.float64)))


def yilmaz(counts: PairCounts, *, ties: ApTies) -> np.ndarray:
    """Return (n_lists,) AP correlations; in variant a x is the reference."""
    if ties == "b":
        return (_below_first_group(counts, counts.x_above) + _below_first_group(counts, counts.y_above)) / 2
    # An item of y has an even share of the ranks of its tie group. With b items before such a rank, the items above the
    # group count where they are above in x, half where they are tied there, and half of the b - y_above others count.
    n_items = counts.x_above.shape[1]
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n_items + 1))])
    first, last = np.maximum(counts.y_above, 1), counts.y_above + counts.y_tied - 1  # b, 0 left out
    inverse = harmonic[last] - harmonic[first - 1]  # the sum of 1/b
    concordant = 2 * counts.both_above + counts.above_in_y_only
    share = ((concordant - counts.y_above) * inverse + last - first + 1) / (2 * counts.y_tied)
    return 2 * _ratio(np.add.reduceat(share, [0], axis=1)[:, 0], np.full(len(share), n_items - 1.0)) - 1


def _below_first_group(counts: PairCounts, above: np.ndarray) -> np.ndarray:
    share = np.divide(counts.both_above, above, out=np.zeros(above.shape), where=above > 0)
    return 2 * _ratio(np.add.reduceat(share, [0], axis=1)[:, 0], np.count_nonzero(above, axis=1)) - 1


def _ratio(dividend: np.ndarray, divisor: np.ndarray) -> np.ndarray:
    """Return quotients, NaN where nothing can be compared: there is no divisor."""
    return np.divide(dividend, divisor, out=np.full(dividend.shape, np.nan), where=divisor > 0)


def _smaller_before(values: np.ndarray) -> np.ndarray:
    """(n_values,) how many smaller ones stand before each: merge sort, all pairs of halves of one size at once."""
    position, counted = np.arange(len(values)), np.zeros(len(values), dtype=np.int64)
    for bit in range((len(values) - 1).bit_length()):
        order = np.lexsort((-position, values, position >> bit + 1))
        is_right = order >> bit & 1
        # the left halves of all blocks before it are full
        counted[order] += is_right * (np.cumsum(1 - is_right) - (order >> bit + 1 << bit))
    return counted


def _of_one_pair(
    x: Ranking,
    y: Ranking,
    coefficient: Callable[[PairCounts], np.ndarray],
) -> float:
    by_item = [hasattr(scores, "items") for scores in (x, y)]
    if by_item[0] != by_item[1]:
        raise TiecoreError("one of x and y has items and the other has none: give two mappings or two arrays")
    if by_item[0]:
        x_of, y_of = scored_items(cast("Scores", x), name="x"), scored_items(cast("Scores", y), name="y")
        common = [item for item in x_of if item in y_of]
        codes = [[code_of[item] for item in common] for code_of in (x_of, y_of)]
    else:
        codes = [codes_by_position(cast("Sequence[Any]", own), name=name) for own, name in ((x, "x"), (y, "y"))]
        if len(codes[0]) != len(codes[1]):
            sizes = f"x has {len(codes[0])} scores and y has {len(codes[1])}"
            raise TiecoreError(f"{sizes}: give both for the same items")
    if not codes[0]:
        return float("nan")
    return float(coefficient(PairCounts.of(*(_smaller(np.array(own, dtype=np.int64))[None] for own in codes)))[0])

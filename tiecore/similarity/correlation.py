"""Rank correlations with ties: Kendall's tau and AP correlation.

Both follow from a few counts for each item: how many items stand above it in each ranking, are tied with it
there, stand above it in both, and are tied in one and above it in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from tiecore.errors import TiecoreError, check_choice
from tiecore.similarity.lists import Pool, Scores, scored_items, scores_by_position
from tiecore.ties.keys import starts

ApTies = Literal["a", "b"]


def tau_b(x: Scores | Sequence[Any] | np.ndarray, y: Scores | Sequence[Any] | np.ndarray) -> float:
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


def tau_ap(
    x: Scores | Sequence[Any] | np.ndarray, y: Scores | Sequence[Any] | np.ndarray, *, ties: ApTies = "a"
) -> float:
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
class _Places:
    """Where the items of two rankings stand in one of them, the own one. All arrays: (n_items,)."""

    order: np.ndarray
    """Items by query and rank."""
    rank: np.ndarray
    """From 0; what is tied takes the order of the other ranking, what is tied in both that of the array."""
    above: np.ndarray
    """Items above the tie group."""
    tied: np.ndarray
    """Items in the tie group, this one included."""
    tied_and_above: np.ndarray
    """Of these, the items that stand above this one in the other ranking."""
    before_in_cell: np.ndarray
    """Items tied in both rankings that have smaller ranks."""

    @classmethod
    def of(cls, items: Pool, own: np.ndarray, other: np.ndarray, *, width: int) -> _Places:
        """Sort the items by two codes below ``width``."""
        key = (items.query * width + own) * width + other
        order = np.argsort(key, kind="stable")
        position, start = np.empty_like(order), items.start[items.query]
        position[order] = np.arange(len(order))
        first, end = (edge[position] for edge in _runs(key[order] // width))
        cell_first = _runs(key[order])[0][position]
        return cls(
            order=order,
            rank=position - start,
            above=first - start,
            tied=end - first,
            tied_and_above=cell_first - first,
            before_in_cell=position - cell_first,
        )


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Where each item that two rankings have in common stands among all of those, per query."""

    items: Pool
    """The items in common."""
    x: _Places
    y: _Places
    both_above: np.ndarray
    """(n_items,) items above in x and in y."""

    @classmethod
    def of(cls, items: Pool, x_above: np.ndarray, y_above: np.ndarray) -> PairCounts:
        """Count in O(n log n); ``x_above``, ``y_above``: (n_items,) items above the tie group of each in a ranking."""
        both = ((x_above, y_above), (y_above, x_above))
        x, y = (_Places.of(items, own, other, width=items.longest) for own, other in both)
        # what has a smaller rank in both is above in both, or above in one and tied in the other, or tied in both
        smaller = np.empty_like(x.rank)
        smaller[y.order] = _count_smaller_before(items, y.rank[x.order])
        return cls(items, x, y, both_above=smaller - x.tied_and_above - y.tied_and_above - x.before_in_cell)


def kendall(counts: PairCounts) -> np.ndarray:
    """Return (n_queries,) tau-b."""
    sums = counts.items.sums
    above_in_x_only = counts.x.above - counts.both_above - counts.y.tied_and_above
    balance = sums(counts.both_above - above_in_x_only)
    return _ratio(balance, np.sqrt(sums(counts.x.above) * sums(counts.y.above).astype(np.float64)))


def yilmaz(counts: PairCounts, *, ties: ApTies) -> np.ndarray:
    """Return (n_queries,) AP correlations; in variant a x is the reference."""
    if ties == "a":
        return _mean_over_orders(counts)
    return (_below_first_group(counts, counts.x.above) + _below_first_group(counts, counts.y.above)) / 2


def _mean_over_orders(counts: PairCounts) -> np.ndarray:
    # An item of y has an even share of the ranks of its tie group. With b items before such a rank, the items above the
    # group count where they are above in x, half where they are tied there, and half of the b - y.above others count.
    y = counts.y
    concordant = 2 * counts.both_above + counts.x.tied_and_above
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, counts.items.longest + 1))])
    first, last = np.maximum(y.above, 1), y.above + y.tied - 1  # b, 0 left out
    inverse = harmonic[last] - harmonic[first - 1]  # the sum of 1/b
    share = ((concordant - y.above) * inverse + last - first + 1) / (2 * y.tied)
    return 2 * _ratio(counts.items.sums(share), counts.items.size - 1.0) - 1


def _below_first_group(counts: PairCounts, above: np.ndarray) -> np.ndarray:
    share = np.divide(counts.both_above, above, out=np.zeros(len(above)), where=above > 0)
    n_below = counts.items.sums((above > 0).astype(np.float64))
    return 2 * _ratio(counts.items.sums(share), n_below) - 1


def _ratio(dividend: np.ndarray, divisor: np.ndarray) -> np.ndarray:
    """Return quotients, NaN where nothing can be compared: there is no divisor."""
    return np.divide(dividend, divisor, out=np.full(dividend.shape, np.nan), where=divisor > 0)


def _runs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return first position and end of the run of equal values that each position lies in."""
    first = starts(values)
    size = np.diff(first, append=len(values))
    return np.repeat(first, size), np.repeat(first + size, size)


def _count_smaller_before(items: Pool, rank: np.ndarray) -> np.ndarray:
    """Count the smaller ranks that stand before each rank in a sequence: (n_items,) by query and rank.

    ``rank``: (n_items,) in each query all whole numbers from 0, in the order of the sequence.
    """
    # From the highest bit of the ranks down, blocks of ranks that agree in all higher bits are split in two by the next
    # bit, each half in the order of the sequence: a rank with the bit set stands behind the smaller half. Ranks have no
    # gaps, so each block and each half fills the positions of its own ranks.
    start, position = items.start[items.query], np.arange(items.n_documents)
    counted = np.zeros(items.n_documents, dtype=np.int64)
    for level in range(max(0, items.longest - 1).bit_length() - 1, -1, -1):
        half = rank >> level
        is_upper = (half & 1).astype(bool)
        block_start = start + (half >> 1 << level + 1)
        n_lower = np.concatenate([[0], np.cumsum(~is_upper)])
        lower_before = n_lower[:-1] - n_lower[block_start]
        counted[start + rank] += np.where(is_upper, lower_before, 0)
        before = np.where(is_upper, position - block_start - lower_before, lower_before)
        split = np.empty_like(rank)
        split[start + (half << level) + before] = rank
        rank = split
    return counted


def _of_one_pair(
    x: Scores | Sequence[Any] | np.ndarray,
    y: Scores | Sequence[Any] | np.ndarray,
    coefficient: Callable[[PairCounts], np.ndarray],
) -> float:
    by_item = [hasattr(scores, "items") for scores in (x, y)]
    if by_item[0] != by_item[1]:
        raise TiecoreError("one of x and y has items and the other has none: give two mappings or two arrays")
    if by_item[0]:
        x_of, y_of = scored_items(cast("Scores", x), name="x"), scored_items(cast("Scores", y), name="y")
        common = [item for item in x_of if item in y_of]
        codes = [np.array([code_of[item] for item in common], dtype=np.int64) for code_of in (x_of, y_of)]
    else:
        codes = [scores_by_position(cast("Sequence[Any]", own), name=name) for own, name in ((x, "x"), (y, "y"))]
        if len(codes[0]) != len(codes[1]):
            sizes = f"x has {len(codes[0])} scores and y has {len(codes[1])}"
            raise TiecoreError(f"{sizes}: give both for the same items")
    pool = Pool.of_sizes(np.array([len(codes[0])]))
    above = [np.searchsorted(np.sort(own), own) for own in codes]
    return float(coefficient(PairCounts.of(pool, *above))[0])

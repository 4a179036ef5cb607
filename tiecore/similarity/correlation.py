"""Rank correlations with ties: Kendall's tau, AP correlation and weighted tau.

All of them follow from six counts for each item: how many items stand above it in one ranking, are tied with it there,
the same in the other ranking, and how many stand above it in both or above it in one and tied in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.similarity.lists import Pool, Ranking, Scores, documents_above, scored_items, scores_by_position

__all__ = ["ApTies", "PairCounts", "kendall", "ratio", "tau_ap", "tau_b", "weighted_kendall", "weighted_tau", "yilmaz"]

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
    if ties not in get_args(ApTies):
        raise TiecoreError(f"unknown ties={ties!r}: expected 'a' or 'b'")
    return _of_one_pair(x, y, lambda counts: yilmaz(counts, ties=ties))


def weighted_tau(x: Scores | Sequence[Any] | np.ndarray, y: Scores | Sequence[Any] | np.ndarray) -> float:
    """Compute Vigna's weighted tau: additive hyperbolic weights, the default of ``scipy.stats.weightedtau``.

    Kendall's tau-b with each pair of items counted 1/r + 1/s times, r and s their ranks from 1. The result is the mean
    of two: once the ranks are those in x, what is tied in x in the order of y, and once the other way round. A pair
    tied in one of the rankings counts 0 above the line and, as in tau-b, only in the other ranking's norm below it.

    Parameters
    ----------
    x, y
        As in :func:`tau_b`.

    Returns
    -------
    float
        From -1 to 1; NaN where a ranking ties all items that are compared, or there are fewer than two.

    References
    ----------
    S. Vigna, A weighted correlation index for rankings with ties, WWW 2015.

    Examples
    --------
    >>> weighted_tau([3, 3, 1], [9, 7, 2])
    0.768...
    """
    return _of_one_pair(x, y, weighted_kendall)


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Where each item that two rankings have in common stands among all of those, per query.

    Items lie in the order of y inside each query, so that the positions of a query are also the ranks of y.
    """

    pool: Pool
    """The items in common."""
    x_above: np.ndarray
    """(n_items,) items above the tie group in x."""
    x_tied: np.ndarray
    """(n_items,) items in the tie group in x."""
    y_above: np.ndarray
    """(n_items,) items above the tie group in y."""
    y_tied: np.ndarray
    """(n_items,) items in the tie group in y."""
    both_above: np.ndarray
    """(n_items,) items above in x and in y."""
    x_above_y_tied: np.ndarray
    """(n_items,) items above in x and tied in y."""
    y_above_x_tied: np.ndarray
    """(n_items,) items above in y and tied in x."""
    both_tied: np.ndarray
    """(n_items,) items tied in both rankings, this one included."""
    x_rank: np.ndarray
    """(n_items,) ranks from 0 in x, what is tied there in the order of y."""
    y_rank: np.ndarray
    """(n_items,) ranks from 0 in y, what is tied there in the order of x."""

    @classmethod
    def of(cls, pool: Pool, x: Ranking, y: Ranking) -> PairCounts:
        """Count the items that both rankings list, in O(n log n)."""
        document = np.flatnonzero(x.is_listed & y.is_listed)
        query = pool.query[document]
        items = Pool.of_sizes(np.bincount(query, minlength=pool.n_queries))
        x_code, y_code = x.above[document], y.above[document]
        # One number per item that sorts by query, then y from the top, then x from the bottom: of two items that are
        # tied in y the earlier one never stands above the later one in x, so it is not counted as above in both.
        width = pool.longest
        by_y = np.argsort((pool.start[query] + y_code) * width + (width - 1 - x_code), kind="stable")
        x_code, y_code, query = x_code[by_y], y_code[by_y], items.query
        start = items.start[query]
        rank = items.depth - 1  # (n_items,)
        # By query, then x from the top, then y from the bottom, for the same reason.
        by_x = np.argsort((pool.start[query] + x_code) * width + (width - 1 - rank), kind="stable")
        y_first, y_end = _runs(query, y_code)
        cell_first, cell_end = _runs(query, y_code, x_code)
        sorted_first, sorted_end = _runs(query, x_code[by_x])
        sorted_cell_end = _runs(query, x_code[by_x], y_code[by_x])[1]
        x_first, x_end, y_above_x_tied, x_rank = np.empty((4, len(by_x)), dtype=np.int64)
        x_first[by_x], x_end[by_x] = sorted_first, sorted_end
        y_above_x_tied[by_x] = sorted_end - sorted_cell_end
        # Inside a tie group the best in the other ranking comes last, so ranks are counted from its end.
        x_rank[by_x] = sorted_first + sorted_end - 1 - np.arange(len(by_x)) - start
        return cls(
            pool=items,
            x_above=x_first - start,
            x_tied=x_end - x_first,
            y_above=y_first - start,
            y_tied=y_end - y_first,
            both_above=_count_above(items, rank[by_x]),
            x_above_y_tied=y_end - cell_end,
            y_above_x_tied=y_above_x_tied,
            both_tied=cell_end - cell_first,
            x_rank=x_rank,
            y_rank=y_first + y_end - 1 - np.arange(len(by_x)) - start,
        )

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return (n_queries,) sums of (n_items,) values, whole numbers exactly."""
        return self.pool.sums(values)


def kendall(counts: PairCounts) -> np.ndarray:
    """Return (n_queries,) tau-b."""
    concordant = counts.sums(counts.both_above)
    discordant = counts.sums(counts.x_above - counts.both_above - counts.x_above_y_tied)
    x_pairs, y_pairs = (counts.sums(above).astype(np.float64) for above in (counts.x_above, counts.y_above))
    return ratio(concordant - discordant, np.sqrt(x_pairs * y_pairs))


def weighted_kendall(counts: PairCounts) -> np.ndarray:
    """Return (n_queries,) weighted tau, the mean over the ranks of x and of y."""
    n_items = counts.pool.size[counts.pool.query]
    x_behind = n_items - counts.x_above - counts.x_tied
    above_in_x_only = counts.x_above - counts.both_above - counts.x_above_y_tied
    above_in_y_only = counts.y_above - counts.both_above - counts.y_above_x_tied
    # Of what stands behind an item in x, all but those above it or tied with it in y stand behind it in y as well.
    y_tied_x_behind = counts.y_tied - counts.both_tied - counts.x_above_y_tied
    both_behind = x_behind - above_in_y_only - y_tied_x_behind
    balance = counts.both_above + both_behind - above_in_x_only - above_in_y_only
    halves = []
    for rank in (counts.x_rank, counts.y_rank):
        weight = 1 / (rank + 1)
        x_norm = counts.sums(weight * (n_items - counts.x_tied))
        y_norm = counts.sums(weight * (n_items - counts.y_tied))
        halves.append(ratio(counts.sums(weight * balance), np.sqrt(x_norm * y_norm)))
    return (halves[0] + halves[1]) / 2


def yilmaz(counts: PairCounts, *, ties: ApTies) -> np.ndarray:
    """Return (n_queries,) AP correlations; in variant a x is the reference."""
    if ties == "a":
        return _mean_over_orders(counts)
    return (_below_first_group(counts, counts.x_above) + _below_first_group(counts, counts.y_above)) / 2


def _mean_over_orders(counts: PairCounts) -> np.ndarray:
    # Items of one tie group of y share its ranks evenly, so each rank holds the group's mean of the items above the
    # group that are above in x (half of those tied there), and half of the group's items on the ranks before.
    group_start = np.flatnonzero(counts.pool.depth - 1 == counts.y_above)
    group_size = counts.y_tied[group_start]
    concordant = (2 * counts.both_above + counts.y_above_x_tied).astype(np.float64)
    mean = np.add.reduceat(concordant, group_start) / group_size if len(group_start) else concordant
    before = counts.pool.depth - 1  # (n_ranks,) ranks before this one
    expected = (np.repeat(mean, group_size) + before - counts.y_above) / 2
    share = np.divide(expected, before, out=np.zeros(len(before)), where=before > 0)
    return 2 * ratio(counts.sums(share), counts.pool.size - 1.0) - 1


def _below_first_group(counts: PairCounts, above: np.ndarray) -> np.ndarray:
    share = np.divide(counts.both_above, above, out=np.zeros(len(above)), where=above > 0)
    n_below = counts.sums((above > 0).astype(np.int64))
    return 2 * ratio(counts.sums(share), n_below.astype(np.float64)) - 1


def ratio(dividend: np.ndarray, divisor: np.ndarray) -> np.ndarray:
    """Return quotients, NaN where nothing can be compared: there is no divisor."""
    return np.divide(dividend, divisor, out=np.full(dividend.shape, np.nan), where=divisor > 0)


def _runs(*keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return first position and end of the run of equal keys that each position lies in."""
    n_positions = len(keys[0])
    is_first = np.ones(n_positions, dtype=bool)
    is_first[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    first = np.flatnonzero(is_first)
    end = np.append(first, n_positions)[1:]
    return np.repeat(first, end - first), np.repeat(end, end - first)


def _count_above(items: Pool, rank: np.ndarray) -> np.ndarray:
    """Count for each rank, per query, the smaller ranks that stand before it in a sequence.

    ``rank``: (n_items,) in each query all whole numbers from 0, in the order of the sequence.

    Returns
    -------
    (n_items,) by rank.
    """
    # From the highest bit of the ranks down, blocks of ranks that agree in all higher bits are split in two by the next
    # bit, each half in the order of the sequence: a rank with the bit set stands behind the smaller half. Ranks have no
    # gaps, so each block and each half fills the positions of its own ranks.
    start = items.start[items.query]
    position = np.arange(items.n_documents)
    counted = np.zeros(items.n_documents, dtype=np.int64)
    for level in range(max(0, items.longest - 1).bit_length() - 1, -1, -1):
        half = rank >> level
        is_upper = (half & 1).astype(bool)
        block_start = start + ((half >> 1) << (level + 1))
        n_lower = np.concatenate([[0], np.cumsum(~is_upper)])
        lower_before = n_lower[:-1] - n_lower[block_start]
        upper = np.flatnonzero(is_upper)
        counted[start[upper] + rank[upper]] += lower_before[upper]
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
        x_items, x_codes = scored_items(cast("Scores", x), name="x")
        y_items, y_codes = scored_items(cast("Scores", y), name="y")
        place = {item: number for number, item in enumerate(y_items)}
        common = [(here, place[item]) for here, item in enumerate(x_items) if item in place]
        x_place, y_place = np.array(common, dtype=np.int64).reshape(-1, 2).T
        x_codes, y_codes = x_codes[x_place], y_codes[y_place]
    else:
        x_codes = scores_by_position(cast("Sequence[Any]", x), name="x")
        y_codes = scores_by_position(cast("Sequence[Any]", y), name="y")
        if len(x_codes) != len(y_codes):
            raise TiecoreError(f"x has {len(x_codes)} scores and y has {len(y_codes)}: give both for the same items")
    pool = Pool.of_sizes(np.array([len(x_codes)]))
    document = np.arange(len(x_codes))
    x_above, y_above = (documents_above(pool, document=document, codes=codes) for codes in (x_codes, y_codes))
    return float(coefficient(PairCounts.of(pool, Ranking.of(pool, x_above), Ranking.of(pool, y_above)))[0])

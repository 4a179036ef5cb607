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

from tiecore.errors import TiecoreError
from tiecore.similarity.lists import Pool, Scores, documents_above, group_ends, scored_items

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
    if ties not in get_args(OverlapTies):
        raise TiecoreError(f"unknown ties={ties!r}: expected 'w', 'a' or 'b'")
    code_of = {}
    for name, scores in (("x", x), ("y", y)):
        if not hasattr(scores, "items"):
            raise TiecoreError(f"{name} is a {type(scores).__name__}: expected {{item: score}} or a pandas Series")
        code_of[name] = scored_items(scores, name=name)
        if not code_of[name]:
            raise TiecoreError(f"{name} lists nothing, so there is nothing to compare: leave such rankings out")
    place = {item: number for number, item in enumerate(code_of["x"] | code_of["y"])}
    pool = Pool.of_sizes(np.array([len(place)]))
    above = [
        documents_above(pool, document=np.array([place[item] for item in codes]), codes=np.array(list(codes.values())))
        for codes in code_of.values()
    ]
    overlap = _Overlap.of(pool, *above, p=p, ties=ties)
    ext, least, most = (float(values[0]) for values in (overlap.extrapolated(), overlap.minimum(), overlap.maximum()))
    return RankBiasedOverlap(ext=ext, min=least, max=most)


def _check_p(p: object) -> None:
    if not (isinstance(p, float | int | np.floating) and 0 < p < 1):
        raise TiecoreError(f"p must lie between 0 and 1, both excluded, found {p!r}; 0.9 is common")


@dataclass(frozen=True, slots=True, eq=False)
class _List:
    """The lists of one ranking, one for each query, as weak orders."""

    length: np.ndarray
    """(n_queries,) documents listed."""
    is_listed: np.ndarray
    """(n_documents,) bool"""
    first: np.ndarray
    """(n_documents,) position of the first depth of its tie group; where it is not listed, any."""
    end: np.ndarray
    """(n_documents,) position behind the last depth of its tie group."""
    above_at: np.ndarray
    """(n_documents,) by depth: documents above the tie group that covers the depth.

    Behind the end of a list every depth counts as a tie group of one."""
    size_at: np.ndarray
    """(n_documents,) by depth: documents in the tie group that covers the depth."""

    @classmethod
    def of(cls, pool: Pool, above: np.ndarray) -> _List:
        is_listed = above >= 0
        start = pool.start[pool.query]
        first, end = start + above, start + group_ends(pool, above)
        above_at, size_at = pool.depth - 1, np.ones(pool.n_documents, dtype=np.int64)
        size = np.bincount(first[is_listed], minlength=pool.n_documents)
        group = np.flatnonzero(size)
        covered = np.repeat(group, size[group])  # (n_listed,) group of each depth, query by query
        length = np.bincount(pool.query[is_listed], minlength=pool.n_queries)
        is_covered = pool.depth <= length[pool.query]
        above_at[is_covered], size_at[is_covered] = (pool.depth - 1)[covered], size[covered]
        return cls(length, is_listed, first, end, above_at, size_at)

    def share_at(self, pool: Pool, ties: OverlapTies) -> np.ndarray:
        """By depth: share of the tie group there that lies within the depth; in variant w all of it does."""
        return np.ones(pool.n_documents) if ties == "w" else (pool.depth - self.above_at) / self.size_at


@dataclass(frozen=True, slots=True, eq=False)
class _Overlap:
    """Agreement of two rankings at every depth of every query.

    Of a query, ``shorter`` and ``longer`` are the lengths of its lists, s and l.
    """

    pool: Pool
    p: float
    shorter: np.ndarray
    """(n_queries,)"""
    longer: np.ndarray
    """(n_queries,)"""
    common: np.ndarray
    """(n_queries,) items in both lists: X_l."""
    shared: np.ndarray
    """(n_documents,) by depth: X_d, the common items expected within depth d of both lists."""
    norm: np.ndarray
    """(n_documents,) by depth: what X_d is divided by."""
    share: np.ndarray
    """(n_documents,) by depth: share of the longer list's tie group that lies within the depth."""
    lacking_above: np.ndarray
    """(n_documents,) by depth: items that the shorter list lacks, above that tie group."""
    lacking_inside: np.ndarray
    """(n_documents,) by depth: items that the shorter list lacks, inside that tie group."""
    power: np.ndarray
    """(longest + 1,) p^0, p^1, ..."""

    @classmethod
    def of(cls, pool: Pool, x_above: np.ndarray, y_above: np.ndarray, *, p: float, ties: OverlapTies) -> _Overlap:
        x, y = _List.of(pool, x_above), _List.of(pool, y_above)
        both = x.is_listed & y.is_listed
        is_x_longer = x.length > y.length
        x_share, y_share = x.share_at(pool, ties), y.share_at(pool, ties)
        lacking_above, lacking_inside = _lacking(pool, x, y, is_x_longer)
        return cls(
            pool=pool,
            p=p,
            shorter=np.minimum(x.length, y.length),
            longer=np.maximum(x.length, y.length),
            common=np.bincount(pool.query[both], minlength=pool.n_queries),
            shared=_shared(pool, both, x, y, x_share=x_share, y_share=y_share),
            norm=_norm(pool, x, y, ties),
            share=np.where(is_x_longer[pool.query], x_share, y_share),
            lacking_above=lacking_above,
            lacking_inside=lacking_inside,
            power=p ** np.arange(pool.longest + 1),
        )

    def extrapolated(self) -> np.ndarray:
        pool, s, longer = self.pool, self.shorter, self.longer
        last_of_both = pool.start + s - 1
        at_s = self.shared[last_of_both] / self.norm[last_of_both]  # (n_queries,)
        beyond = np.maximum(pool.depth - s[pool.query], 0)
        lacking = self.lacking_above + self.lacking_inside
        seen = self.lacking_above + self.share * self.lacking_inside
        unseen = beyond * at_s[pool.query] * np.divide(seen, lacking, out=np.zeros(len(seen)), where=lacking > 0)
        rest = (self.common + (longer - s) * at_s) / longer
        return self._sum_within(self.shared + unseen) + rest * self.power[longer]

    def minimum(self) -> np.ndarray:
        tail = _tails(self.p, self.power)[self.longer]
        return self._sum_within(self.shared) + (1 - self.p) * self.common * tail

    def maximum(self) -> np.ndarray:
        depth, query = self.pool.depth, self.pool.query
        lengths = self.longer + self.shorter
        everything = lengths - self.common  # (n_queries,) depth from which the lists may agree fully
        beyond = np.maximum(depth - self.shorter[query], 0)
        unseen = np.minimum(beyond, self.lacking_above) + self.share * np.clip(
            beyond - self.lacking_above, 0, self.lacking_inside
        )
        is_behind = (depth > self.longer[query]) & (depth <= everything[query])
        agreement = (2 * depth - (lengths - self.common)[query]) / depth
        behind = self._sum(np.where(is_behind, agreement, 0.0))
        return self._sum_within(self.shared + unseen) + behind + self.power[everything]

    def _sum_within(self, shared: np.ndarray) -> np.ndarray:
        is_within = self.pool.depth <= self.longer[self.pool.query]
        return self._sum(np.where(is_within, shared / self.norm, 0.0))

    def _sum(self, agreement: np.ndarray) -> np.ndarray:
        weighted = (1 - self.p) * self.power[self.pool.depth - 1] * agreement
        return self.pool.sums(weighted)


def _norm(pool: Pool, x: _List, y: _List, ties: OverlapTies) -> np.ndarray:
    """By depth: what the overlap is divided by."""
    if ties == "a":
        return pool.depth.astype(np.float64)
    if ties == "w":
        return (x.above_at + x.size_at + y.above_at + y.size_at) / 2
    squares = [own.above_at + (pool.depth - own.above_at).astype(np.float64) ** 2 / own.size_at for own in (x, y)]
    return np.sqrt(squares[0] * squares[1])


def _shared(
    pool: Pool, both: np.ndarray, x: _List, y: _List, *, x_share: np.ndarray, y_share: np.ndarray
) -> np.ndarray:
    """By depth: sum over the common items of the product of their shares."""
    x_first, x_end, y_first, y_end = x.first[both], x.end[both], y.first[both], y.end[both]
    in_both = _running(pool, np.maximum(x_first, y_first), np.minimum(x_end, y_end))
    in_x = _running(pool, np.maximum(x_first, y_end), x_end)
    in_y = _running(pool, np.maximum(y_first, x_end), y_end)
    done = _running(pool, np.maximum(x_end, y_end), _behind(pool)[both])
    return done + in_x * x_share + in_y * y_share + in_both * x_share * y_share


def _lacking(pool: Pool, x: _List, y: _List, is_x_longer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By depth: items of the longer list that the shorter lacks, above and inside the longer list's tie group.

    Of lists of equal length those of y, which nothing asks for: they end at the same depth.
    """
    x_lacks, y_lacks = y.is_listed & ~x.is_listed, x.is_listed & ~y.is_listed
    in_longer = np.where(is_x_longer[pool.query], y_lacks, x_lacks)
    first = np.where(y_lacks, x.first, y.first)[in_longer]
    end = np.where(y_lacks, x.end, y.end)[in_longer]
    return _running(pool, end, _behind(pool)[in_longer]), _running(pool, first, end)


def _behind(pool: Pool) -> np.ndarray:
    """(n_documents,) position behind the last depth of the query."""
    return (pool.start + pool.size)[pool.query]


def _running(pool: Pool, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Count the intervals [begin, end) that cover each position; those that end before they begin are empty."""
    n_positions = pool.n_documents + 1
    steps = np.bincount(begin, minlength=n_positions)
    steps -= np.bincount(np.maximum(begin, end), minlength=n_positions)
    return np.cumsum(steps[:-1])


def _tails(p: float, power: np.ndarray) -> np.ndarray:
    """Return Σ_{d>l} p^(d-1)/d for l = 0, 1, ... as many as there are powers.

    All are sums of positive terms, added from the far end: ln(1/(1-p)) less a partial sum would lose its digits.
    """
    last = len(power) - 1
    terms = power[:-1] / np.arange(1, last + 1)
    if last * (1 - p) < _NEAR_ONE:
        behind = -math.log1p(-p) / p - math.fsum(terms)
    else:
        further = np.arange(last, last + math.ceil(_NEGLIGIBLE / (1 - p)))
        behind = float((p**further / (further + 1)).sum())
    return behind + np.append(np.cumsum(terms[::-1])[::-1], 0.0)

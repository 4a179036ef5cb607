"""What is drawn over the cut-off, on pages and in figures: which cut-offs and features, with which bands."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import NormalDist

import numpy as np
import pandas as pd

from tiecore.diagnostics.cutoffs import CUTOFFS, curves, reigns
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.stability.leaderboards import leaderboards_of
from tiecore.stability.paired import most_apart, paired

MOST_CURVES = 8
"""As many as can be told apart by their dashes."""
_USUAL, _FEW = 4, 6
"""Features that are drawn at first, of few all."""
MOST_REIGNS, MOST_LEADERS = 4, 3
"""Ranges of cut-offs, and features that lead in one of them, that a sentence names."""
_HALF = NormalDist().inv_cdf(0.975)
_SAME = 1e-9
"""Parts of a value by which others may differ from it and be drawn as the same."""


def cutoffs_to_draw(evaluation: Evaluation, features: Sequence[str], own: int | None) -> list[int]:
    """Return cut-offs from 1 to the longest list, close together where it matters, and ``own`` among them."""
    rows = [evaluation.values.rows(name) for name in features]
    depth = max(np.bincount(one.query, weights=one.count).max(initial=0) for one in rows)
    deepest = int(max(1, min(depth, CUTOFFS[-1])))
    steps = [k for k in CUTOFFS if k <= 10 or k < 0.9 * deepest]  # none right before the last
    return sorted({k for k in (*steps, deepest, own or 1) if k <= deepest})


def values_to_draw(evaluation: Evaluation, *, measures: Sequence[Measure], features: Sequence[str]) -> pd.DataFrame:
    """Return what :func:`tiecore.diagnostics.curves` returns with ``tie_low`` and ``tie_high``, the band of ties.

    It holds about 95 % of random tie-breaks, or reaches from the worst to the best case where no variance is known.

    ``measures``: those of the evaluation at each cut-off.
    """
    found = curves(evaluation, measures[0], cutoffs=[one.cutoff or 1 for one in measures], features=features)
    ends = np.sort(found[["worst", "best"]].to_numpy().T, axis=0)
    if measures[0].has_variance:  # of the normal distribution, held inside worst and best case
        sd = evaluation.summary["sd"].reindex([(str(one), name) for one in measures for name in features])
        ends = np.clip(found["expected"].to_numpy() + np.outer([-_HALF, _HALF], sd), *ends)
    return found.assign(tie_low=ends[0], tie_high=ends[1])


def leads_to_draw(evaluation: Evaluation, one: str, other: str, *, measures: Sequence[Measure]) -> pd.DataFrame:
    """Return the mean lead of a feature over another at each cut-off, and its interval over the queries of both.

    Index ``k``; columns ``difference``, ``low`` and ``high``, as in ``Stability.pairs``.
    """
    rows = {}
    for measure in measures:
        boards = leaderboards_of(evaluation.values, measure)
        values, both = boards.per_query[0], [boards.features.index(name) for name in (one, other)]
        span = most_apart(values, boards.listed) if measure.span is None else measure.span
        test = paired(values[both], span=span, listed=boards.listed[both])
        rows[measure.cutoff or 1] = [*test.difference, *np.where(test.is_equal, np.nan, test.interval)[:, 0]]
    return pd.DataFrame.from_dict(rows, orient="index", columns=["difference", "low", "high"]).rename_axis("k")


def of_ties(measure: Measure) -> str:
    """Return what the band of ties is."""
    return "about 95\u00a0% of random tie-breaks" if measure.has_variance else "from the worst to the best case"


def best_of(ordered: Sequence[str]) -> Sequence[str]:
    """Return the best few features, of few all."""
    return ordered[: _FEW if len(ordered) <= _FEW else _USUAL]


def drawn_at_first(placed: pd.DataFrame, ranked: Sequence[str]) -> list[str]:
    """Return the features that lead at some cut-off, those first that a sentence names, and the best; in their order.

    ``placed``: place of each feature (rows) at each cut-off (columns). ``ranked``: the features, the best first.
    """
    found = reigns(placed.loc[:, placed.max() > 1])
    told = (*found[:MOST_REIGNS], *found[-1:], *found)
    leaders = [name for reign in told for name in reign.leaders[: MOST_LEADERS + 1]]
    drawn = list(dict.fromkeys([*leaders, *best_of(ranked)]))[:MOST_CURVES]
    return [name for name in ranked if name in drawn]


def banded_of(drawn: pd.DataFrame, highlighted: Collection[str] = ()) -> list[str]:
    """Return the features that have bands: those that are highlighted, or else the first, for all hide each other."""
    names = list(drawn.index.unique(0))
    return [name for name in names if name in highlighted] or names[:1]


def widest_of(drawn: pd.DataFrame) -> tuple[str, int]:
    """Return the feature and the cut-off at which ties matter most: a sentence names it, so its band is drawn."""
    name, k = drawn.index[int((drawn["tie_high"] - drawn["tie_low"]).to_numpy().argmax())]
    return str(name), int(k)


def ticks_of(cutoffs: Collection[int]) -> list[int]:
    """Return the cut-offs that an axis names, round ones and the last.

    >>> ticks_of([1, 2, 3]), ticks_of(range(1, 9)), ticks_of(range(1, 309))
    ([1, 2, 3], [1, 2, 3, 5, 8], [1, 3, 10, 30, 100, 308])
    """
    last = max(cutoffs)
    named = (1, 2, 3, 5, 10) if last <= 20 else (1, 3, 10, 30, 100, 300)
    return [*(k for k in named if min(cutoffs) <= k <= last / 1.5), last]


def lines_above(values: np.ndarray) -> np.ndarray:
    """(n_lines, n_points) how many of the lines below in the table, which are drawn later, lie on each point."""
    same = [np.isclose(values[row + 1 :], own, rtol=_SAME, atol=0) for row, own in enumerate(values)]
    return np.array([one.sum(axis=0) for one in same])


def equal_lines(drawn: pd.DataFrame) -> list[list[str]]:
    """Return the features whose values are equal at every cut-off, those of each line together."""
    values = drawn["expected"].unstack().loc[drawn.index.unique(0)]
    found: dict[str, list[str]] = {}
    for name in values.index:
        same = (one for one in found if np.allclose(values.loc[one], values.loc[name], rtol=_SAME, atol=0))
        found.setdefault(next(same, str(name)), []).append(str(name))
    return [names for names in found.values() if len(names) > 1]

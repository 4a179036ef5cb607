"""Where random tie-breaks, and where other queries, put the value of a feature, most of the time."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.rare import is_unusual, rare_size, with_rare
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress

__all__ = ["MANY_QUERIES", "central_interval", "needs_draws", "query_interval"]

_NOISE = 1e-12
MANY_QUERIES = 30
"""Means over so many queries are nearly normal."""


def needs_draws(evaluation: Values, measure: str | Measure) -> bool:
    """Return whether the interval needs random tie-breaks: without a variance, or with few queries."""
    wanted = evaluation.measure_named(measure)
    counted = evaluation.counted[evaluation.measures.index(wanted)]
    return not wanted.has_variance or int(counted.sum()) < MANY_QUERIES


def central_interval(
    evaluation: Values,
    measure: str | Measure,
    *,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Find the central part of the values that a feature takes under random tie-breaks.

    From 30 queries on, and where the measure has a variance, it is that of the normal distribution with the exact
    moments, held inside worst and best case; otherwise quantiles of random tie-breaks.

    Parameters
    ----------
    evaluation
        With ``worst`` and ``best``; where nothing is drawn, with ``expected`` and ``sd`` too.
    level
        Share of the random tie-breaks inside.
    draws, seed
        Of random tie-breaks, where they are drawn.

    Returns
    -------
    DataFrame
        Index feature, in the order of the evaluation; columns ``low``, ``high`` and ``method``: ``normal``, ``sampled``
        or, where no tie can change the value, ``exact``.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {str(q): {"a": 0, "b": 1} for q in range(40)}
    >>> e = evaluate(qrels, {"clicks": {str(q): {"a": 1, "b": 1} for q in range(40)}}, ["RR"])
    >>> central_interval(e, "RR").round(3)
               low   high  method
    feature
    clicks   0.673  0.827  normal
    """
    share: object = level
    if not isinstance(share, int | float) or not 0 < share < 1:
        raise TiecoreError(f"level must lie between 0 and 1, found {shortened(level)}")
    wanted = evaluation.measure_named(measure)
    evaluation.check_statistics("worst", "best", *(() if needs_draws(evaluation, wanted) else ("expected", "sd")))
    first = evaluation.measures.index(wanted) * len(evaluation.features)
    board = evaluation.summary.iloc[first : first + len(evaluation.features)]
    ends = np.sort(board[["worst", "best"]].to_numpy(), axis=1)
    lower, upper = ends[:, 0], ends[:, 1]
    if needs_draws(evaluation, wanted):
        drawn = evaluation.sample(wanted, draws=draws, seed=seed, progress=progress).to_numpy()
        ends = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
        method = "sampled"
    else:
        half = ndtri((1 + level) / 2) * board["sd"].to_numpy()
        ends = np.clip(board["expected"].to_numpy() + np.stack([-half, half]), lower, upper)
        method = "normal"
    return pd.DataFrame(
        {"low": ends[0], "high": ends[1], "method": np.where(lower == upper, "exact", method)},
        index=pd.Index(evaluation.features, name="feature"),
    )


def query_interval(evaluation: Values, measure: str | Measure, *, level: float = 0.95) -> pd.DataFrame:
    """Return the confidence interval of each mean for other queries of the same kind, ties averaged out.

    It is the mean of the expectations ± Student's t times its standard error, on the scale that the measure averages
    (that of logarithms for GMAP), and wider where rare values decide the mean: as if there were two more queries, one
    in either direction, as far off as the rare values that the queries show or may have missed, if that adds more than
    a twentieth to the width. It belongs to one feature by itself: two features whose intervals overlap can differ
    significantly, for their values on the same queries go up and down together.

    Parameters
    ----------
    evaluation
        With ``expected``.
    level
        Chance with which an interval holds the true mean.

    Returns
    -------
    DataFrame
        Index feature, in the order of the evaluation; columns ``low``, ``high`` and ``se``, the standard error on the
        scale that is averaged; NaN where fewer than two queries count.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {str(q): {"a": q % 2, "b": 1} for q in range(40)}
    >>> e = evaluate(qrels, {"clicks": {str(q): {"a": 2, "b": 1} for q in range(40)}}, ["P@1"])
    >>> query_interval(e, "P@1").round(3)
              low   high    se
    feature
    clicks   0.338  0.662  0.08
    """
    if not 0 < level < 1:
        raise TiecoreError(f"level must lie between 0 and 1, found {level!r}")
    wanted = evaluation.measure_named(measure)
    m = evaluation.measures.index(wanted)
    expected = evaluation.of_counted(m)[:, evaluation.columns.index("expected")]
    ends, se = interval_of_mean(wanted, wanted.averaged(expected), level=level)
    return pd.DataFrame(
        {"low": ends[0], "high": ends[1], "se": se}, index=pd.Index(evaluation.features, name="feature")
    )


def interval_of_mean(measure: Measure, averaged: np.ndarray, *, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the confidence interval of each mean over queries, and its standard error.

    Parameters
    ----------
    averaged
        (n_features, n_queries) values on the scale that the measure averages.
    level
        Chance with which an interval holds the true mean.

    Returns
    -------
    ends
        (2, n_features) on the scale of the measure; NaN where there are fewer than two queries.
    se
        (n_features,) on the scale that is averaged.
    """
    n_queries = averaged.shape[1]
    if n_queries < 2:
        return np.full((2, len(averaged)), np.nan), np.full(len(averaged), np.nan)
    centred = averaged - averaged.mean(axis=1, keepdims=True)
    squares = np.square(centred).sum(axis=1)
    noise = _NOISE * float(np.abs(averaged).max(initial=0.0))
    n_unusual = is_unusual(averaged, np.ones(averaged.shape, dtype=bool), noise=noise).sum(axis=1)
    unseen = max(float(np.ptp(averaged)), measure.span or 0.0) / (1 + n_unusual)
    seen = rare_size(np.where(squares > n_queries * noise**2, squares, 0.0), np.power(centred, 3).sum(axis=1))
    se, wider = (
        np.sqrt(some / (n_queries - 1) / n_queries)
        for some in (squares, with_rare(squares, np.maximum(unseen, np.abs(seen))))
    )
    half = stdtrit(n_queries - 1, (1 + level) / 2) * wider
    return measure.unaveraged(averaged.mean(axis=1) + np.stack([-half, half])), se

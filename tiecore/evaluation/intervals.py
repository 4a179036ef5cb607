"""Where random tie-breaks, and where other queries, put the value of a feature, most of the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.random_values import random_means
from tiecore.measures import Measure
from tiecore.threads import Progress

if TYPE_CHECKING:
    from tiecore.evaluation.result import Evaluation

_NOISE = 1e-12
MANY_QUERIES = 30
"""Means over so many queries are nearly normal."""
FEWEST_QUERIES = 6
"""Fewer say nothing of others: no interval is given, and nothing is tested."""


def central_interval(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Find the central part of the values that a feature takes under random tie-breaks.

    From 30 queries on, and where the measure has a variance, it is that of the normal distribution with the exact
    moments, held inside worst and best case; otherwise quantiles of random tie-breaks.

    Parameters
    ----------
    evaluation
        With ``expected``, ``worst`` and ``best``; where nothing is drawn, with ``sd`` too.
    level
        Share of the random tie-breaks inside.

    Returns
    -------
    DataFrame
        Index feature, in the order of the evaluation; columns ``low`` and ``high``, NaN where there are too many tied
        documents to draw.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {str(q): {"a": 0, "b": 1} for q in range(40)}
    >>> e = evaluate(qrels, {"clicks": {str(q): {"a": 1, "b": 1} for q in range(40)}}, ["RR"])
    >>> central_interval(e, "RR").round(3)
               low   high
    feature
    clicks   0.673  0.827
    """
    values = evaluation.values
    check_level(level)
    wanted = values.measure_or_only(measure)
    m = evaluation.measures.index(wanted)
    is_drawn = not wanted.has_variance or np.count_nonzero(values.counted[m]) < MANY_QUERIES
    values.check_statistics("expected", "worst", "best", *([] if is_drawn else ["sd"]))
    board = evaluation.summary.loc[str(wanted)]
    lower, upper = np.sort(board[["worst", "best"]].to_numpy(), axis=1).T
    if is_drawn:
        drawn = random_means(values, wanted, seed=seed, progress=progress)
        share = [(1 - level) / 2, (1 + level) / 2]
        ends = np.full((2, len(lower)), np.nan) if drawn is None else np.quantile(drawn, share, axis=0)
    else:
        half = ndtri((1 + level) / 2) * board["sd"].to_numpy()
        ends = board["expected"].to_numpy() + np.stack([-half, half])
    low, high = np.where(lower == upper, lower, np.clip(ends, lower, upper))  # draws differ from bounds by rounding
    return pd.DataFrame({"low": low, "high": high}, index=pd.Index(evaluation.features, name="feature"))


def query_interval(evaluation: Evaluation, measure: str | Measure | None = None) -> pd.DataFrame:
    """Return the 95 % confidence interval of each mean for other queries of the same kind, ties averaged out.

    It is the mean of the expectations ± Student's t times its standard error, on the scale that the measure averages
    (that of logarithms for GMAP), held inside the range of the measure. Two more squares stand in the error for rare
    queries that these may have missed: of Δ/(1 + m), Δ being the range of the values and m the queries on which the
    feature has another value than its usual one. For ordinary features they vanish. The interval belongs to one feature
    by itself: two features whose intervals overlap can differ clearly, for their values on the same queries go up and
    down together.

    Returns
    -------
    DataFrame
        Index feature, in the order of the evaluation; columns ``low`` and ``high``, NaN where fewer than six queries
        count.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {str(q): {"a": q % 2, "b": 1} for q in range(40)}
    >>> e = evaluate(qrels, {"clicks": {str(q): {"a": 2, "b": 1} for q in range(40)}}, ["P@1"])
    >>> query_interval(e, "P@1").round(3)
               low   high
    feature
    clicks   0.338  0.662
    """
    values = evaluation.values
    wanted = values.measure_or_only(measure)
    values.check_statistics("expected")
    m = values.measures.index(wanted)
    expected = values.of_counted(m)[:, values.columns.index("expected")]
    ends = interval_of_mean(wanted.averaged(expected), span=wanted.span)
    low, high = np.clip(wanted.unaveraged(ends), 0.0, wanted.highest)  # no query has a value below 0
    return pd.DataFrame({"low": low, "high": high}, index=pd.Index(evaluation.features, name="feature"))


def check_level(level: object) -> None:
    """Refuse what is no chance of an interval."""
    if not isinstance(level, int | float) or not 0 < level < 1:
        raise TiecoreError(f"level must lie between 0 and 1, found {shortened(level)}")


def interval_of_mean(averaged: np.ndarray, *, span: float | None, level: float = 0.95) -> np.ndarray:
    """(2, n_features) ends of the confidence interval of each mean over queries; NaN for fewer than six queries.

    ``averaged``: (n_features, n_queries) values on the scale that the measure averages. ``span``: by how much two of
    them can differ; None where there is no bound: then by how much they do.
    """
    n_queries = averaged.shape[1]
    if n_queries < FEWEST_QUERIES:
        return np.full((2, len(averaged)), np.nan)
    mean = averaged.mean(axis=1)
    squares = np.square(averaged - mean[:, None]).sum(axis=1)
    usual = np.partition(averaged, n_queries // 2, axis=1)[:, [n_queries // 2]]
    noise = _NOISE * float(np.abs(averaged).max(initial=0.0))
    n_unusual = np.count_nonzero(np.abs(averaged - usual) > noise, axis=1)
    unseen = (float(np.ptp(averaged)) if span is None else span) / (1 + n_unusual)
    half = stdtrit(n_queries - 1, (1 + level) / 2) * np.sqrt((squares + 2 * unseen**2) / (n_queries - 1) / n_queries)
    return mean + np.stack([-half, half])

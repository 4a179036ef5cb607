"""Comparison of features as tie-breakers of another feature."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tiecore.diagnostics.bias import chance_variance, random_z, z_scores
from tiecore.diagnostics.shared import (
    counted_queries,
    interval_of_gain,
    of_measure,
    statistics_of,
    summaries,
)
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.statistics import STATISTICS
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.tie_breaks import TieBreak

_COLUMNS = [
    "expected", "gained", "low", "high", "sd", "sd_removed", "worst", "best", "spread", "spread_removed", "z", "p",
]  # fmt: skip


def advice(
    evaluation: Evaluation,
    feature: str | None = None,
    measure: str | Measure | None = None,
    *,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return the values with every other feature as tie-breaker, as the tie-break ``feature:NAME`` does for one.

    Documents that the other feature leaves tied stay tied, so each value is exact. The best of many is selected on
    these queries, so its gain is biased upwards: check z, or evaluate it on other queries.

    Parameters
    ----------
    evaluation
        With ``expected``, ``sd``, ``worst`` and ``best`` among its statistics.
    feature
        The feature whose ties are to be broken; by default each in turn, n·(n−1) evaluations.

    Returns
    -------
    DataFrame
        Index (``feature``, ``other``), the best tie-breaker of each feature first; columns ``expected``, ``gained``
        and the ends ``low`` and ``high`` of its 95 % interval over queries, ``sd``, ``sd_removed``, ``worst``,
        ``best``, ``spread``, ``spread_removed``, ``z`` and ``p`` of the gain (see
        :func:`~tiecore.diagnostics.bias.bias`: p is small if it correlates with relevance inside the ties).
    """
    values = evaluation.values
    chosen = values.measure_or_only(measure)
    names = evaluation.features
    broken = names if feature is None else (names[values.feature_position(feature)],)
    if len(names) == 1:
        raise TiecoreError("no other feature that could break ties: evaluate at least two")
    before = np.stack([of_measure(values, chosen, statistic) for statistic in STATISTICS], axis=1)
    pairs = [(name, other) for name in broken for other in names if other != name]

    def broken_by(pair: tuple[str, str]) -> np.ndarray:
        feature, other = pair
        groups = values.groups(feature, TieBreak(f"feature:{other}", "feature", other))
        return statistics_of(groups, chosen)[:, counted_queries(values, chosen)]

    after = np.stack(in_threads(broken_by, pairs, progress=progress))  # (n_pairs, 4, n_counted)
    tables = zip(broken, after.reshape(len(broken), len(names) - 1, *after.shape[1:]), strict=True)
    return pd.concat([_of_feature(values, chosen, name, before[names.index(name)], own) for name, own in tables])


def _of_feature(values: Values, measure: Measure, feature: str, before: np.ndarray, after: np.ndarray) -> pd.DataFrame:
    """Return a table with a row for each other feature; (4, n_counted) statistics before, (n_others, …) after."""
    others = [name for name in values.features if name != feature]
    index = pd.MultiIndex.from_product([[feature], others], names=["feature", "other"])
    table = pd.DataFrame([summaries(statistics, measure) for statistics in after], index=index)
    whole = summaries(before, measure)
    table["gained"] = measure.sign * (table["expected"] - whole["expected"])
    table["low"], table["high"] = interval_of_gain(measure, after[:, 0], before[0])
    for name in ("sd", "spread"):
        table[f"{name}_removed"] = 1.0 - table[name] / whole[name] if whole[name] != 0 else 0.0  # unknown stays so
    table["z"], table["p"] = np.nan, np.nan
    if measure.has_variance:
        by_chance = chance_variance(np.broadcast_to(before[1], after[:, 1].shape), after[:, 1])
        table["z"] = z_scores((after[:, 0] - before[0]).sum(axis=1), by_chance, scale=after[:, 0].sum(axis=1))
        table["p"] = random_z(values, measure, [feature]).share(table["z"].to_numpy())
    return table.iloc[np.argsort(-table["gained"].to_numpy(), kind="stable")][_COLUMNS]

"""Comparison of features as tie-breakers of another feature."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tiecore.diagnostics.bias import chance_skewness, chance_variance, z_scores
from tiecore.diagnostics.shared import check_feature, counted_queries, improvement
from tiecore.errors import TiecoreError
from tiecore.evaluation.engine import STATISTICS, values_of_groups
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.shuffles import check_draws
from tiecore.ties.tie_breaks import TieBreak

__all__ = ["advice"]


def advice(
    evaluation: Evaluation,
    measure: str | Measure,
    feature: str | None = None,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return the values with every other feature as tie-breaker, as the tie-break ``feature:NAME`` does for one.

    Documents that the other feature leaves tied stay tied, so each value is exact. The best of many is selected on
    these queries, so its gain is biased upwards: check z, or evaluate it on other queries.

    Parameters
    ----------
    evaluation, measure
        The evaluation, with ``expected``, ``sd``, ``worst`` and ``best`` among its statistics, and one of its measures.
    feature
        The feature whose ties are to be broken; by default each in turn, n·(n−1) evaluations.
    progress
        Called with the number of features done and their total: features whose ties are broken, or tie-breakers if
        ``feature`` is given.

    Returns
    -------
    DataFrame
        Index (``feature``, ``other``), the best tie-breaker of each feature first; columns ``expected``, ``gained``,
        ``sd``, ``sd_removed``, ``worst``, ``best``, ``spread``, ``spread_removed``, ``z`` and ``p`` of the gain (see
        :func:`~tiecore.diagnostics.bias.bias`: p is small if it correlates with relevance inside the ties).
    """
    if workers is not None:
        check_draws(workers, least=1, name="workers")
    resolved = evaluation.measure_named(measure)
    f = None if feature is None else check_feature(evaluation, feature)
    n_features = len(evaluation.features)
    if n_features < 2:
        raise TiecoreError("no other feature that could break ties: evaluate at least two")
    counted = counted_queries(evaluation, resolved)
    names = evaluation.features

    def broken(f: int, o: int) -> np.ndarray:
        """(4, n_counted) expectation, variance, worst and best of a feature with another one as tie-breaker."""
        tie_break = None if o == f else TieBreak(f"feature:{names[o]}", "feature", names[o])
        return values_of_groups(evaluation.groups(names[f], tie_break), [resolved], STATISTICS)[0][:, counted]

    def all_of(f: int) -> pd.DataFrame:
        return _table(evaluation, resolved, f, np.stack([broken(f, o) for o in range(n_features)]))

    if f is None:
        return pd.concat(in_threads(all_of, range(n_features), workers=workers, progress=progress))
    each = in_threads(lambda o: broken(f, o), range(n_features), workers=workers, progress=progress)
    return _table(evaluation, resolved, f, np.stack(each))


def _table(evaluation: Evaluation, measure: Measure, f: int, values: np.ndarray) -> pd.DataFrame:
    """Return a table with one row for each other feature from (n_features, 4, n_counted) values."""
    others = np.delete(np.arange(len(evaluation.features)), f)
    before, after = values[f], values[others]
    n_counted = values.shape[2]

    def summaries(of_query: np.ndarray) -> np.ndarray:
        return np.array([measure.summarise(row) for row in of_query])

    expected, worst, best = (summaries(after[:, column]) for column in (0, 2, 3))
    whole = measure.summarise(before[0])
    spread = np.abs(best - worst)
    spread_before = abs(measure.summarise(before[3]) - measure.summarise(before[2]))
    sd, sd_before = np.sqrt(after[:, 1].sum(axis=1)) / n_counted, np.sqrt(before[1].sum()) / n_counted
    z, p = np.full((2, len(others)), np.nan)
    if measure.has_variance:
        by_chance = chance_variance(np.broadcast_to(before[1], after[:, 1].shape), after[:, 1])
        low, high = np.sort(before[2:], axis=0)
        skewness = chance_skewness(before[1], below=before[0] - low, above=high - before[0])
        shift, scale = (after[:, 0] - before[0]).sum(axis=1), after[:, 0].sum(axis=1)
        z, p = z_scores(shift, by_chance, scale=scale, skewness=skewness)
    table = pd.DataFrame(
        {
            "expected": expected,
            "gained": improvement(measure) * (expected - whole),
            "sd": sd,
            "sd_removed": 1.0 - sd / sd_before if sd_before > 0 else np.zeros(len(others)),
            "worst": worst,
            "best": best,
            "spread": spread,
            "spread_removed": 1.0 - spread / spread_before if spread_before > 0 else np.zeros(len(others)),
            "z": z,
            "p": p,
        },
        index=pd.MultiIndex(
            levels=[evaluation.features, evaluation.features],
            codes=[np.full(len(others), f), others],  # type: ignore[list-item]  # arrays of codes are taken as they are
            names=["feature", "other"],
        ),
    )
    return table.iloc[np.argsort(-table["gained"].to_numpy(), kind="stable")]

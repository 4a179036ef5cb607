"""Comparison of features as tie-breakers of another feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tiecore.collection.align import FeatureRows
from tiecore.diagnostics.bias import chance_variance, random_z, two_sided, z_scores
from tiecore.diagnostics.shared import breakable, check_feature, counted_queries, improvement, of_measure
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.measures.refinable import Refinable
from tiecore.threads import Progress, in_threads
from tiecore.ties.keys import dense_rank
from tiecore.ties.shuffles import check_draws

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
    codes = in_threads(lambda name: _pool_code(evaluation, name), evaluation.features, workers=workers)
    before = {name: of_measure(evaluation, resolved, name) for name in ("expected", "variance", "worst", "best")}

    def broken(
        f: int, others: Sequence[int], some: FeatureRows, is_open: np.ndarray, refinable: Refinable
    ) -> np.ndarray:
        """(n_others, 4, n_counted) expectation, variance, worst and best with each other feature as tie-breaker."""
        whole = np.stack([before[name][f] for name in ("expected", "variance", "worst", "best")])
        values = np.repeat(whole[None], len(others), axis=0)
        for of_other, o in zip(values, others, strict=True):
            if o == f or not is_open.any():
                continue  # nothing to break
            part = refinable.part_of(some.groups(codes[o][some.document]))
            of_other[0, is_open] = refinable.expectations(part)[0, counted][is_open]
            if resolved.has_variance:
                of_other[1, is_open] = refinable.variances(part)[0, counted][is_open]
            of_other[2, is_open] = refinable.expectations(part.worst())[0, counted][is_open]
            of_other[3, is_open] = refinable.expectations(part.best())[0, counted][is_open]
        return values

    def open_rows(f: int) -> tuple[FeatureRows, np.ndarray, Refinable]:
        some, is_open = breakable(evaluation.rows(evaluation.features[f]), resolved)
        return some, is_open[counted], Refinable([resolved], some.groups())

    def all_of(f: int) -> pd.DataFrame:
        return _table(evaluation, resolved, f, broken(f, range(n_features), *open_rows(f)))

    if f is None:
        return pd.concat(in_threads(all_of, range(n_features), workers=workers, progress=progress))
    own = open_rows(f)
    each = in_threads(lambda o: broken(f, [o], *own), range(n_features), workers=workers, progress=progress)
    return _table(evaluation, resolved, f, np.concatenate(each))


def _pool_code(evaluation: Evaluation, feature: str) -> np.ndarray:
    """(n_documents,) code of a feature's scores for every document of the pool, the best first, unscored last."""
    code = dense_rank(evaluation.alignment.feature_code(feature, evaluation.options.precision))
    return code.astype(np.min_scalar_type(int(code.max(initial=0))))


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
        shift, scale = (after[:, 0] - before[0]).sum(axis=1), after[:, 0].sum(axis=1)
        z = z_scores(shift, by_chance, scale=scale)
        drawn = random_z(evaluation, measure, [evaluation.features[f]])
        if drawn is not None:
            p = two_sided(z, drawn[0])
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

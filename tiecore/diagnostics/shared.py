"""Look-ups in an evaluation that all diagnostics share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.intervals import interval_of_mean
from tiecore.evaluation.values import Values
from tiecore.measures import Measure, values_of
from tiecore.ties.groups import TieGroups


def wanted_measures(values: Values, measure: str | Measure | None) -> tuple[Measure, ...]:
    """Return the named measure, or all measures of the evaluation."""
    return values.measures if measure is None else (values.measure_or_only(measure),)


def counted_queries(values: Values, measure: str | Measure | None = None) -> np.ndarray:
    """(n_queries,) bool: queries that count for the measure, or for any of them."""
    if measure is None:
        return np.asarray(values.counted.any(axis=0))
    return values.counted[values.measures.index(values.measure_or_only(measure))]


def query_index(values: Values, measure: Measure) -> pd.Index:
    """(n_counted,) ids of the queries that count for a measure."""
    counted = np.flatnonzero(counted_queries(values, measure))
    return pd.Index(values.alignment.query_ids.take(pa.array(counted)).to_pylist(), name="query_id")


def of_measure(values: Values, measure: Measure, column: str) -> np.ndarray:
    """(n_features, n_counted) values per counted query of one of ``values.columns``; of ``sd`` the variances."""
    if column not in values.columns:
        values.check_statistics(column)
    m = values.measures.index(measure)
    return values.array[m, :, values.columns.index(column)][:, values.counted[m]]


def statistics_of(groups: TieGroups, measure: Measure) -> np.ndarray:
    """(4, n_queries) expectation, variance (NaN if the measure has none), worst and best case."""
    expected, worst, best = (measure.expected(groups.case(name)) for name in ("expected", "worst", "best"))
    return np.stack([expected, *values_of([measure], groups, "variance"), worst, best])


def summaries(statistics: np.ndarray, measure: Measure) -> dict[str, float]:
    """Summarise the (4, n_counted) statistics of the queries that count; ``sd`` is that of the mean."""
    expected, worst, best = (measure.summarise(statistics[place]) for place in (0, 2, 3))
    sd = float(np.sqrt(statistics[1].sum())) / statistics.shape[1]
    return {"expected": expected, "sd": sd, "worst": worst, "best": best, "spread": abs(best - worst)}


def interval_of_gain(measure: Measure, after: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(2, n) ends of a 95 % interval over queries of each gain; NaN where values are not averaged as they are.

    ``after``, ``before``: (n, n_counted) and (n_counted,) values.
    """
    if not np.array_equal(measure.averaged(after), after):
        return np.full((2, len(after)), np.nan)
    most = np.inf if measure.span is None else measure.span
    return np.clip(interval_of_mean(measure.sign * (after - before), span=measure.span), -most, most)


def query_position(values: Values, query_id: str) -> int:
    """Return the position of a judged query."""
    if not isinstance(query_id, str):
        raise TiecoreError(f"a query id must be text, found {shortened(query_id)}: write '{shortened(query_id)}'")
    position: int = values.alignment.query_ids.index(query_id).as_py()
    if position < 0:
        raise TiecoreError(f"there is no judged query {shortened(query_id)}")
    return position

"""By how much one feature leads another, query by query."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.diagnostics.shared import check_feature, counted_queries, improvement, of_measure
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure

__all__ = ["leads"]


def leads(evaluation: Evaluation, measure: str | Measure, leader: str, trailer: str) -> pd.DataFrame:
    """Compare two features in each query, whose mean over the queries is the difference of their values.

    Parameters
    ----------
    evaluation, measure
        What was evaluated; ``expected``, ``worst`` and ``best`` are needed.
    leader, trailer
        The features; differences are positive where the first is better.

    Returns
    -------
    DataFrame
        Index ``query_id``; the expectations ``leader_expected`` and ``trailer_expected``, ``lead``, by how much the
        first is ahead by expectation, and ``worst_lead`` and ``best_lead``, the least and the most that ties allow.
        What a measure averages by another scale, as GMAP does, is compared on that scale.
    """
    wanted = evaluation.measure_named(measure)
    places = [check_feature(evaluation, name) for name in (leader, trailer)]
    expected, worst, best = (of_measure(evaluation, wanted, name)[places] for name in ("expected", "worst", "best"))
    sign, scale = improvement(wanted), wanted.averaged

    def ahead(own: np.ndarray, rival: np.ndarray) -> np.ndarray:
        return sign * (scale(own) - scale(rival))

    columns = {
        "leader_expected": expected[0],
        "trailer_expected": expected[1],
        "lead": ahead(expected[0], expected[1]),
        "worst_lead": ahead(worst[0], best[1]),
        "best_lead": ahead(best[0], worst[1]),
    }
    counted = np.flatnonzero(counted_queries(evaluation, wanted))
    query_ids = evaluation.alignment.query_ids.take(pa.array(counted)).to_pylist()
    return pd.DataFrame(columns, index=pd.Index(query_ids, name="query_id"))

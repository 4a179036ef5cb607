"""The lead of one feature over another in each query."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.diagnostics.shared import check_feature, counted_queries, improvement, of_measure
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure

__all__ = ["leads"]


def leads(evaluation: Evaluation, measure: str | Measure, leader: str, trailer: str) -> pd.DataFrame:
    """Return the lead of one feature over another in each query; the mean lead is the difference of their values.

    Parameters
    ----------
    evaluation, measure
        The evaluation, with ``expected``, ``worst`` and ``best`` among its statistics, and one of its measures.
    leader, trailer
        The features; a lead is positive where the leader is better.

    Returns
    -------
    DataFrame
        Index ``query_id``; the expectations ``leader_expected`` and ``trailer_expected``; ``lead``, by how much the
        leader is ahead by expectation; ``worst_lead`` and ``best_lead``, the smallest and largest lead under any
        tie-breaking. A measure that is averaged on another scale, as GMAP is, is compared on that scale.
    """
    wanted = evaluation.measure_named(measure)
    places = [check_feature(evaluation, name) for name in (leader, trailer)]
    expected, worst, best = (of_measure(evaluation, wanted, name)[places] for name in ("expected", "worst", "best"))
    sign, scale = improvement(wanted), wanted.averaged

    def ahead(of_leader: np.ndarray, of_trailer: np.ndarray) -> np.ndarray:
        return sign * (scale(of_leader) - scale(of_trailer))

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

"""The lead of one feature over another in each query."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from tiecore.diagnostics.shared import counted_queries, of_measure, query_index
from tiecore.evaluation.random_values import random_means
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure


def leads(evaluation: Evaluation, feature: str, other: str, measure: str | Measure | None = None) -> pd.DataFrame:
    """Return the lead of one feature over another in each query that both list; its mean is their difference.

    A lead is positive where the first feature is better. ``expected``, ``worst`` and ``best`` are needed.

    Returns
    -------
    DataFrame
        Index ``query_id``; the expectations ``leader_expected`` and ``trailer_expected``; ``lead``, by how much the
        leader is ahead by expectation; ``worst_lead`` and ``best_lead``, the smallest and largest lead under any
        tie-breaking; and the lead under each tie-break, by its name. A measure that is averaged on another scale, as
        GMAP is, is compared on that scale.
    """
    values = evaluation.values
    chosen = values.measure_or_only(measure)
    places = [values.feature_position(name) for name in (feature, other)]
    listed = np.all([values.alignment.listed(name) for name in (feature, other)], axis=0)
    own = listed[counted_queries(values, chosen)]

    def both(column: str) -> np.ndarray:
        return of_measure(values, chosen, column)[places][:, own]

    def ahead(of_leader: str, of_trailer: str) -> np.ndarray:
        return chosen.sign * (chosen.averaged(both(of_leader)[0]) - chosen.averaged(both(of_trailer)[1]))

    columns = {
        **dict(zip(("leader_expected", "trailer_expected"), both("expected"), strict=True)),
        "lead": ahead("expected", "expected"),
        "worst_lead": ahead("worst", "best"),
        "best_lead": ahead("best", "worst"),
    } | {one.name: ahead(one.name, one.name) for one in evaluation.tie_breaks}
    return pd.DataFrame(columns, index=query_index(values, chosen)[own])


def random_leads(evaluation: Evaluation, feature: str, other: str, measure: str | Measure | None = None) -> np.ndarray:
    """Return the (draws,) mean leads over the queries that both list when one random order breaks the ties of both.

    None are returned where too many documents are tied to draw orders.
    """
    values, both = evaluation.values, (feature, other)
    chosen = values.measure_or_only(measure)
    listed = np.all([values.alignment.listed(name) for name in both], axis=0)
    drawn = random_means(replace(values, counted=values.counted & listed), chosen, features=both)
    return np.zeros(0) if drawn is None else -chosen.sign * np.diff(chosen.averaged(drawn))[:, 0]

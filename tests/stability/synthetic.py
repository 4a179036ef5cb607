"""Evaluations with values of one's own choice, to put known numbers before the statistics."""

from collections.abc import Mapping
from dataclasses import replace
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

import tiecore
from tiecore.collection.alignment import Cache
from tiecore.evaluation.random_values import RandomValues, random_values
from tiecore.evaluation.result import Evaluation

LEVEL, WAVE = np.linspace(0.45, 0.55, 40), np.tile([0.3, -0.3], 20)
"""Values of forty queries, and what may be added to them without a change of their mean."""
OPEN: dict[str, Any] = {"variance": 4.0, "worst": 0.0, "best": 1.0}
"""Ties that leave everything open."""


def evaluation_of(
    expected: ArrayLike,
    *,
    variance: ArrayLike = 0.0,
    worst: ArrayLike | None = None,
    best: ArrayLike | None = None,
    tie_breaks: Mapping[str, ArrayLike] | None = None,
    measure: str = "AP",
) -> Evaluation:
    """Evaluate features a, b, c, … to these values: arrays (n_features, n_queries), or one number for all.

    Without bounds the values have no ties: best and worst case are the expectation. Behind the values stand queries of
    one document each, so drawn tie-breaks find all features equal.
    """
    mean = np.asarray(expected, dtype=np.float64)
    n_features, n_queries = mean.shape
    chosen = dict(tie_breaks or {})
    columns = [mean, variance, mean if worst is None else worst, mean if best is None else best, *chosen.values()]
    names = [ascii_lowercase[f] if n_features <= 26 else f"f{f}" for f in range(n_features)]
    rows = pd.DataFrame({"query_id": [f"q{q}" for q in range(n_queries)], "doc_id": "d"})
    features = rows.join(pd.DataFrame(1.0, index=rows.index, columns=names))
    values = tiecore.evaluate(rows.assign(relevance=1), features, [measure], list(chosen)).values
    array = np.stack([np.broadcast_to(np.asarray(c, dtype=np.float64), mean.shape) for c in columns], axis=1)[None]
    return Evaluation(replace(values, array=array))


def afresh(evaluation: Evaluation) -> Evaluation:
    values = evaluation.values
    return Evaluation(replace(values, alignment=replace(values.alignment, cache=Cache())))


def drawn_of(evaluation: tiecore.Evaluation) -> RandomValues:
    found = random_values(evaluation.values, evaluation.measures[0])
    assert found is not None
    return found


def row_of(pairs: pd.DataFrame, leader: str, trailer: str) -> dict[str, Any]:
    return only_row_of(pairs[(pairs["leader"] == leader) & (pairs["trailer"] == trailer)])


def only_row_of(pairs: pd.DataFrame) -> dict[str, Any]:
    (row,) = pairs.to_dict("records")
    return {str(column): value for column, value in row.items()}

"""What several plug-ins need: one column of values for a run, and values of flat lists with their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tiecore.errors import TiecoreError
from tiecore.evaluation.engine import STATISTICS, evaluate
from tiecore.measures import Measure, NoVarianceError
from tiecore.ranking.groups import UNJUDGED, TieGroups
from tiecore.ranking.keys import score_code

__all__ = ["NoRelevant", "Statistic", "groups_of_lists", "mean_of_lists", "run_values"]

Statistic = Literal["expected", "sd", "worst", "best"]
NoRelevant = Literal["zero", "skip"]
_EXACT = 2.0**53


def run_values(
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    measures: Sequence[Measure],
    *,
    column: str,
    precision: str = "float64",
) -> dict[str, np.ndarray]:
    """Return the values of a run by query, (n_measures,) each, for every judged query.

    ``column`` is a statistic or the name of a tie-break.
    """
    for wanted in measures:
        if column == "sd" and not wanted.has_variance:
            raise NoVarianceError(f"{wanted} has no closed form for the variance: draw random tie-breaks instead")
    is_statistic = column in STATISTICS
    found = evaluate(
        qrels,
        {"run": run},
        measures,
        () if is_statistic else (column,),
        precision=precision,
        statistics=(column,) if is_statistic else (),
    )
    values = found.values[:, 0, 0]  # (n_measures, n_queries)
    if column == "sd":
        values = np.sqrt(values)
    return dict(zip(found.alignment.query_ids.to_pylist(), values.T, strict=True))


def groups_of_lists(scores: ArrayLike, labels: ArrayLike, sizes: ArrayLike) -> TieGroups:
    """Return the tie groups of lists that stand one behind the other, all of whose documents are judged.

    Parameters
    ----------
    scores, labels
        Of each document; labels are whole numbers.
    sizes
        Documents of each list.
    """
    score, label, size = np.asarray(scores).ravel(), np.asarray(labels).ravel(), np.asarray(sizes).ravel()
    if not len(score) == len(label) == int(size.sum()):
        raise TiecoreError(
            f"{len(score)} scores, {len(label)} labels and groups of {int(size.sum())} documents do not fit together"
        )
    if not np.isfinite(label).all() or (label != np.rint(label)).any() or (np.abs(label) >= _EXACT).any():
        raise TiecoreError("labels must be whole numbers: multiply them to a whole-number scale")
    if np.isnan(score).any():
        raise TiecoreError("a score is NaN: the model has diverged, or was given no data")
    query = np.repeat(np.arange(len(size)), size)
    grades, level = np.unique(np.concatenate([[UNJUDGED], label.astype(np.int64)]), return_inverse=True)
    level = level[1:]
    ideal = TieGroups.from_grades(query=query, level=level, grades=grades, n_queries=len(size))
    return TieGroups.from_keys(
        [score_code(score)], query=query, level=level, grades=grades, n_queries=len(size), judged=ideal
    )


def mean_of_lists(
    measure: Measure, groups: TieGroups, *, statistic: Statistic = "expected", no_relevant: NoRelevant = "zero"
) -> float:
    """Return the mean of a measure over lists; ``sd`` is that of the mean under random tie-breaks.

    Lists without a relevant document count 0 or are left out.
    """
    counted = measure.has_relevant(groups) if no_relevant == "skip" else np.ones(groups.n_queries, dtype=bool)
    if not counted.any():
        raise TiecoreError("nothing to average: no list has a relevant document")
    if statistic == "sd":
        return float(np.sqrt(measure.variance(groups)[counted].sum()) / counted.sum())
    refined = {"expected": lambda: groups, "worst": groups.worst, "best": groups.best}
    return measure.summarise(measure.expected(refined[statistic]())[counted])

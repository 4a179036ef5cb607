"""Which of several systems are clearly better, by values that were measured elsewhere."""

from __future__ import annotations

from typing import Any, Literal, get_args

import pandas as pd

from tiecore.comparing.values import Given, ValuesInput, matrix_of
from tiecore.errors import check_choice
from tiecore.evaluation.values import rounded
from tiecore.measures import Measure
from tiecore.stability import Stability, stability_of_values
from tiecore.stability.paired import LEVEL

Aggregate = Literal["mean", "borda"]
_SOURCE = "The values were measured elsewhere: it is not known what the order of tied documents does to them."
_RANKS = "Ranks from 1, the best, to the number of systems that have the item; equal values share their mean rank."


def compare(
    values: ValuesInput,
    measure: str | Measure | None = None,
    *,
    baseline: str | None = None,
    margin: float | None = None,
    aggregate: Aggregate = "mean",
    level: float = LEVEL,
    higher_is_better: bool = True,
) -> Stability:
    """Return which differences between systems are clear, by values that were measured elsewhere.

    The test, the intervals, the groups and the sets of places are those of :meth:`Evaluation.stability`; what ties
    could make of the values is not known.

    Parameters
    ----------
    values
        A frame with a row an item (query, task) and a column a system; one with a row a system, if its first column is
        called ``model`` or ``system``; one with a row a value and columns such as ``query_id``, ``system``, ``value``
        and ``measure``; ``{system: {item: value}}``; ``{system: ir_measures.iter_calc(…)}``; the frame of
        ``pt.Experiment(…, perquery=True)``; files of such tables (CSV, TSV, Parquet), or of what ``trec_eval -q`` and
        ``ir_measures -q`` print, one a system. An empty cell or NaN says that a system lacks an item.
    measure
        Which measure, where the values are of several; or what the values are. Values of a known measure are held
        inside its range.
    baseline, margin
        As for :meth:`Evaluation.stability`.
    aggregate
        ``"mean"`` of the values, or ``"borda"``: mean of the ranks that the systems have on each item, equal values
        sharing theirs.
    level
        Chance with which an interval, or a set of places, holds the true one; a difference is clear where p, adjusted
        by Holm for all pairs, is 1 − level or less.
    higher_is_better
        Whether higher values are better; a known measure says it by itself.

    Returns
    -------
    Stability
        ``pairs``, ``ranks``, ``sensitivity``. A system that lacks items has the mean over those that it has; each pair
        is compared on the items that both have.

    Examples
    --------
    >>> values = {"bm25": [5, 6, 4, 5, 7, 6], "dense": [7, 8, 7, 9, 9, 8], "mixed": [7, 9, 6, 9, 9, 9]}
    >>> found = compare(pd.DataFrame(values))
    >>> found.ranks[["place", "low", "high", "group"]]
             place  low  high  group
    feature
    mixed        1    1     2      1
    dense        2    1     2      1
    bm25         3    3     3      2
    """
    check_choice("aggregate", aggregate, get_args(Aggregate))
    used, matrix = matrix_of(values, measure, higher_is_better=higher_is_better)
    table, notes = matrix.to_numpy(), [_SOURCE]
    if aggregate == "borda":
        table = pd.DataFrame(rounded(table)).rank(ascending=not used.higher_is_better).to_numpy()
        used, notes = Given(label=f"mean rank by {used}", higher_is_better=False), [_SOURCE, _RANKS]
    how: dict[str, Any] = {"baseline": baseline, "margin": margin, "level": level, "unit": str(matrix.columns.name)}
    return stability_of_values(table, list(matrix.index), used, notes=notes, **how)

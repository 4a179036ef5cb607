"""Values of a measure, and the order of the features, as functions of the cut-off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tiecore.errors import TiecoreError
from tiecore.evaluation.engine import evaluate_alignment
from tiecore.evaluation.intervals import query_interval
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import places
from tiecore.measures import Measure
from tiecore.measures import measure as parse_measure
from tiecore.threads import Progress

CUTOFFS = (
    *range(1, 11), 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 600, 800, 1000,
)  # fmt: skip
"""Cut-offs of the curves, densest at small values, where curves change most."""
_NEEDED = ("expected", "worst", "best")


def curves(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    cutoffs: Sequence[int] = CUTOFFS,
    features: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return values of a measure and places of the features at many cut-offs, at little more than the cost of one.

    Parameters
    ----------
    measure
        A measure that takes a cut-off, for example ``nDCG`` or ``nDCG@10``; its own cut-off does not matter. By default
        that of the evaluation, if it has only one.
    features
        Those of the evaluation that are compared; by default all.

    Returns
    -------
    DataFrame
        Index (``feature``, ``cutoff``), in the order of the cut-offs; columns ``place`` (among these features),
        ``expected``, ``worst``, ``best``, ``low`` and ``high`` (the 95 % confidence interval over queries) and one for
        each tie-break.
    """
    values = evaluation.values
    names = list(evaluation.features if features is None else features)
    for name in names:
        values.feature_position(name)
    family = values.measure_or_only(None) if measure is None else parse_measure(measure)
    wanted = tuple(replace(family, cutoff=k) for k in dict.fromkeys(cutoffs))
    if not wanted or not names:
        raise TiecoreError("curves need at least one cut-off and one feature")
    if not (set(wanted) <= set(evaluation.measures) and set(_NEEDED) <= set(values.statistics)):
        evaluation = evaluate_alignment(
            values.alignment,
            wanted,
            evaluation.tie_breaks,
            options=values.options,
            statistics=_NEEDED,
            progress=progress,
        )
    summary, boards, tie_breaks = evaluation.summary, [], [one.name for one in evaluation.tie_breaks]
    for one in wanted:
        over_queries = query_interval(evaluation, one)
        board = summary.xs(str(one)).reindex(names)
        board = board[[*_NEEDED]].join(over_queries).join(board[tie_breaks])
        board.insert(0, "place", places(one.sign * board["expected"].to_numpy()))
        boards.append(board.assign(cutoff=one.cutoff).set_index("cutoff", append=True))
    return pd.concat(boards)


def crossings(placed: pd.DataFrame) -> pd.DataFrame:
    """Return where one feature passes another as the cut-off grows, by cut-off and then by place.

    Columns ``cutoff``, the first cut-off in the new order; ``ahead``, the feature that is ahead from there on;
    ``behind``, the other one; ``place`` of the feature ahead. Features that only draw level are not listed.

    ``placed``: place of each feature (rows) at each cut-off (columns, ascending): ``curves(…)["place"].unstack()``.
    """
    rows = []
    places_of: Any = (
        placed.T
    )  # Any: with the stubs of pandas and numpy one line of signs takes a fifth of all type checks
    for one, other in combinations(map(str, placed.index), 2):
        lead = np.sign(places_of[other] - places_of[one])  # 1: one is ahead
        for before, after in pairwise(lead.index[lead != 0]):
            if lead[before] != lead[after]:
                ahead, behind = (one, other) if lead[after] > 0 else (other, one)
                rows.append((int(after), ahead, behind, int(placed[after][ahead])))
    frame = pd.DataFrame(rows, columns=["cutoff", "ahead", "behind", "place"])
    return frame.sort_values(["cutoff", "place"], kind="stable", ignore_index=True)


class Reign(NamedTuple):
    """A range of consecutive cut-offs at which the same features lead."""

    first: int
    last: int
    leaders: tuple[str, ...]


def reigns(placed: pd.DataFrame) -> list[Reign]:
    """Return which features lead from which cut-off to which; ``placed`` as for :func:`crossings`.

    Examples
    --------
    >>> reigns(pd.DataFrame({1: [1, 1], 2: [1, 2], 5: [1, 2]}, index=["a", "b"]))
    [Reign(first=1, last=1, leaders=('a', 'b')), Reign(first=2, last=5, leaders=('a',))]
    """
    leaders_at = [(int(k), tuple(map(str, placed.index[placed[k] == 1]))) for k in placed.columns]
    found = []
    for leaders, together in groupby(leaders_at, key=itemgetter(1)):
        cutoffs = [k for k, _ in together]
        found.append(Reign(cutoffs[0], cutoffs[-1], leaders))
    return found

"""The dashboard's figures for an evaluation, in a notebook: no server, no session.

The methods ``plot``, ``plot_places`` and ``plot_blame`` of an evaluation are these.

>>> import tiecore
>>> evaluation = tiecore.evaluate({"q": {"a": 1, "b": 0}}, {"clicks": {"q": {"a": 1, "b": 1}}}, ["RR"])
>>> evaluation.plot().layout.xaxis.title.text
'RR'
"""

from __future__ import annotations

from typing import Literal

import pandas as pd
import plotly.graph_objects as go

from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import places
from tiecore.measures import Measure
from tiecore_dashboard.charts.look import look_of
from tiecore_dashboard.pages.queries.charts import query_chart
from tiecore_dashboard.pages.ranking.answer import contenders
from tiecore_dashboard.pages.ranking.charts import bump_chart, interval_chart

__all__ = ["plot", "plot_blame", "plot_places"]

Theme = Literal["light", "dark"]
_TITLES = {"worst": "worst case", "expected": "expectation", "best": "best case"}


def plot(evaluation: Evaluation, measure: str | Measure | None = None, *, theme: Theme = "light") -> go.Figure:
    """Draw where each feature can land: worst to best case, 95 % of random tie-breaks, expectation and tie-breaks.

    Parameters
    ----------
    evaluation
        With all statistics.
    measure
        One of its measures; may be left out if there is only one.
    theme
        Colours for a light or a dark ground.
    """
    wanted, board = _board(evaluation, measure)
    return interval_chart(
        board.join(evaluation.interval(wanted)[["low", "high"]]),
        measure=str(wanted),
        look=look_of(theme),
        tie_breaks=_tie_breaks(evaluation),
        higher_is_better=wanted.higher_is_better,
    )


def plot_places(evaluation: Evaluation, measure: str | Measure | None = None, *, theme: Theme = "light") -> go.Figure:
    """Draw the place of each feature under the expectation, the extremes and every tie-break of the evaluation."""
    wanted, board = _board(evaluation, measure)
    look, tie_breaks = look_of(theme), _tie_breaks(evaluation)
    columns = ["worst", *tie_breaks, "expected", "best"]
    placed = {name: places(board[name].to_numpy(), higher_is_better=wanted.higher_is_better) for name in columns}
    return bump_chart(
        pd.DataFrame(placed, index=board.index),
        board[columns],
        look=look,
        emphasised=contenders(board, tie_breaks)[: len(look.palette)],
        titles=_TITLES,
    )


def plot_blame(
    evaluation: Evaluation,
    feature: str,
    measure: str | Measure | None = None,
    *,
    by: str = "spread",
    theme: Theme = "light",
) -> go.Figure:
    """Draw the queries of a feature, those first that are most to blame: worst to best case and expectation.

    Parameters
    ----------
    evaluation, feature
        What was evaluated, with all statistics.
    measure
        One of its measures; may be left out if there is only one.
    by
        ``spread`` (best less worst), ``sd``, or the name of a tie-break of the evaluation.
    theme
        Colours for a light or a dark ground.
    """
    wanted, tie_breaks = evaluation.measure_or_only(measure), _tie_breaks(evaluation)
    order = {"spread": "largest spread first", "sd": "largest deviation first"}
    return query_chart(
        evaluation.blame(feature, wanted, by=by),
        measure=str(wanted),
        look=look_of(theme),
        tie_break=by if by in tie_breaks else None,
        tie_breaks=tie_breaks,
        order=order.get(by, "largest shift first"),
        higher_is_better=wanted.higher_is_better,
    )


def _tie_breaks(evaluation: Evaluation) -> list[str]:
    return [chosen.name for chosen in evaluation.tie_breaks]


def _board(evaluation: Evaluation, measure: str | Measure | None) -> tuple[Measure, pd.DataFrame]:
    missing = {"expected", "worst", "best"} - {*evaluation.statistics}
    if missing:
        raise TiecoreError(f"the figure needs {', '.join(sorted(missing))}: evaluate with all statistics")
    wanted = evaluation.measure_or_only(measure)
    return wanted, evaluation.leaderboard(wanted)

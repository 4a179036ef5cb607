"""The dashboard's figures and tables for an evaluation, in a notebook: no server, no session.

>>> import tiecore
>>> evaluation = tiecore.evaluate({"q": {"a": 1, "b": 0}}, {"clicks": {"q": {"a": 1, "b": 1}}}, ["RR"])
>>> plot(evaluation).layout.xaxis.title.text
'RR'
>>> interval(evaluation, draws=100)[["low", "high"]].loc["clicks"].tolist()
[0.5, 1.0]
"""

from __future__ import annotations

from typing import Literal

import pandas as pd
import plotly.graph_objects as go

from tiecore.diagnostics import blame as blame_queries
from tiecore.errors import TiecoreError
from tiecore.evaluation.intervals import central_interval
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import places
from tiecore.measures import Measure
from tiecore_dashboard.answers.ranking import contenders
from tiecore_dashboard.figures.look import look_of
from tiecore_dashboard.figures.queries import query_chart
from tiecore_dashboard.figures.ranking import bump_chart, interval_chart

__all__ = ["blame", "interval", "plot", "plot_blame", "plot_places"]

Theme = Literal["light", "dark"]
_TITLES = {"worst": "worst case", "expected": "expectation", "best": "best case"}


def plot(evaluation: Evaluation, measure: str | Measure | None = None, *, theme: Theme = "light") -> go.Figure:
    """Draw where each feature can land: worst to best case, 95 % of random tie-breaks, expectation and tie-breaks.

    Parameters
    ----------
    evaluation
        With all statistics.
    measure
        One of its measures; None takes the first.
    theme
        Colours for a light or a dark ground.
    """
    wanted, board = _board(evaluation, measure)
    return interval_chart(
        board.join(central_interval(evaluation, wanted)[["low", "high"]]),
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


def interval(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return where random tie-breaks put each feature most of the time; see ``central_interval``."""
    return central_interval(evaluation, _measure(evaluation, measure), level=level, draws=draws, seed=seed)


def blame(
    evaluation: Evaluation, feature: str, measure: str | Measure | None = None, *, by: str = "spread"
) -> pd.DataFrame:
    """Return the queries of a feature, those first that are most to blame for its uncertainty; see ``blame``."""
    return blame_queries(evaluation, _measure(evaluation, measure), feature, by)


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
        One of its measures; None takes the first.
    by
        ``spread`` (best less worst), ``sd``, or the name of a tie-break of the evaluation.
    theme
        Colours for a light or a dark ground.
    """
    wanted, tie_breaks = _measure(evaluation, measure), _tie_breaks(evaluation)
    order = {"spread": "largest spread first", "sd": "largest deviation first"}
    return query_chart(
        blame(evaluation, feature, wanted, by=by),
        measure=str(wanted),
        look=look_of(theme),
        tie_break=by if by in tie_breaks else None,
        tie_breaks=tie_breaks,
        show_sd=by == "sd",
        order=order.get(by, "largest shift first"),
        higher_is_better=wanted.higher_is_better,
    )


def _measure(evaluation: Evaluation, measure: str | Measure | None) -> Measure:
    return evaluation.measures[0] if measure is None else evaluation.measure_named(measure)


def _tie_breaks(evaluation: Evaluation) -> list[str]:
    return [chosen.name for chosen in evaluation.tie_breaks]


def _board(evaluation: Evaluation, measure: str | Measure | None) -> tuple[Measure, pd.DataFrame]:
    missing = {"expected", "worst", "best"} - {*evaluation.statistics}
    if missing:
        raise TiecoreError(f"the figure needs {', '.join(sorted(missing))}: evaluate with all statistics")
    wanted = _measure(evaluation, measure)
    return wanted, evaluation.leaderboard(wanted)

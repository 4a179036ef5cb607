"""Random orderings of one list, one after another, and their mean."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, layout
from tiecore_dashboard.charts.pieces import legend, legend_room, padded, sign, value_axis

__all__ = ["draws_chart"]


def draws_chart(
    drawn: pd.DataFrame,
    *,
    expected: float,
    worst: float,
    best: float,
    measure: str,
    look: Look,
    higher_is_better: bool = True,
) -> go.Figure:
    """Values of random orderings one after another, their running mean, and where it is bound to settle.

    ``drawn``: index draw; columns ``value`` and ``mean``; may be empty.
    """
    n_draws = len(drawn)
    end = max(20, n_draws) + max(20, n_draws) * 0.03
    figure = go.Figure(layout=layout(look, height=300, meta=legend_room(56)))
    figure.add_scatter(
        x=[0, end, end, 0],
        y=[worst, worst, best, best],
        fill="toself",
        mode="lines",
        line={"width": 0},
        fillcolor=look.range,
        hoverinfo="skip",
        showlegend=False,
    )
    sign(figure, "worst to best case", {"symbol": "square", "color": look.range})
    figure.add_scatter(
        x=drawn.index,
        y=drawn["value"],
        mode="markers",
        name="random ordering",
        marker={
            "size": 7 if n_draws <= 120 else 5,
            "color": look.central,
            "line": {"width": 1, "color": look.ground if n_draws <= 120 else look.central},
        },
        customdata=np.array([drawn.index.astype(str), drawn["value"].map(words.number)]).T.reshape(-1, 2),
        hovertemplate="ordering %{customdata[0]}: %{customdata[1]}<extra></extra>",
    )
    figure.add_scatter(
        x=[0, end],
        y=[expected, expected],
        mode="lines",
        name="exact expectation",
        line={"color": look.text, "width": 2, "dash": "dash"},
        hovertemplate=f"exact expectation {words.number(expected)}<extra></extra>",
    )
    figure.add_scatter(
        x=drawn.index,
        y=drawn["mean"],
        mode="lines" if n_draws > 1 else "markers",
        name="running mean",
        line={"color": look.palette[1], "width": 3},
        customdata=np.array([drawn.index.astype(str), drawn["mean"].map(words.number)]).T.reshape(-1, 2),
        hovertemplate="mean of %{customdata[0]}: %{customdata[1]}<extra></extra>",
    )
    if n_draws:
        figure.add_scatter(
            x=[drawn.index[-1]],
            y=[drawn["value"].iloc[-1]],
            mode="markers",
            name="the last one",
            marker={
                "symbol": "diamond",
                "size": 13,
                "color": look.accent,
                "line": {"width": 1.5, "color": look.ground},
            },
            hoverinfo="skip",
        )
    low, high = padded(np.array([worst, best, expected]))
    figure.update_layout(
        margin={"l": 52, "r": 10, "t": 66, "b": 34},
        legend=legend(),
        xaxis={"range": [0, end], "showgrid": False, "title": {"text": "random orderings drawn", "standoff": 6}},
        yaxis=value_axis(measure, low, high, higher_is_better=higher_is_better),
    )
    return figure

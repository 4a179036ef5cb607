"""The pictures of one feature's queries: where ties cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, label, layout, marks_of
from tiecore_dashboard.charts.pieces import legend, legend_room, padded, sign, value_axis

__all__ = ["MOST_QUERIES", "query_chart"]

MOST_QUERIES = 80
"""Columns of the overview."""
_LONGEST, _ROOM = 10, 44


def query_chart(
    blamed: pd.DataFrame,
    *,
    measure: str,
    look: Look,
    chosen: str | None = None,
    tie_break: str | None = None,
    tie_breaks: Sequence[str] = (),
    show_sd: bool = False,
    order: str = "in order",
    higher_is_better: bool = True,
) -> go.Figure:
    """One column a query: worst to best case and expectation; the first ones of the table, and the chosen one.

    Parameters
    ----------
    blamed
        Index query; columns ``expected``, ``sd``, ``worst``, ``best`` and, if one is named, that of the tie-break.
    tie_break
        Mark its values as well.
    tie_breaks
        All that are compared, so that the one has the same mark everywhere.
    order
        What the order of the queries is.
    """
    shown = blamed.iloc[:MOST_QUERIES]
    if chosen in blamed.index and chosen not in shown.index:
        shown = pd.concat([shown.iloc[:-1], blamed.loc[[chosen]]])
    names = [str(name) for name in shown.index]
    at = np.arange(len(names))
    hover_data = np.array(
        [
            names,
            [label(name, 60) for name in names],
            *(shown[column].map(words.number) for column in ("expected", "worst", "best")),
        ]
    ).T
    hover = (
        "<b>%{customdata[1]}</b><br>expected %{customdata[2]}<br>"
        "worst %{customdata[3]}, best %{customdata[4]}<extra></extra>"
    )
    figure = go.Figure(layout=layout(look, height=290, meta=legend_room(34)))
    is_chosen = [name == chosen for name in names]
    for ends, name, colour, strong, width in (
        ((shown["worst"], shown["best"]), "worst to best case", look.range, look.accent, 0.74),
        *(
            [((shown["expected"] - shown["sd"], shown["expected"] + shown["sd"]), "± 1 SD", look.central, "", 0.4)]
            if show_sd
            else []
        ),
    ):
        low, high = np.minimum(*ends), np.maximum(*ends)
        figure.add_bar(
            x=at,
            base=low,
            y=high - low,
            width=width,
            name=name,
            marker={
                "color": [strong or colour if one else colour for one in is_chosen],
                "line": {"width": 0},
                "cornerradius": 3,
            },
            customdata=hover_data,
            hovertemplate=hover,
            showlegend=False,
        )
    if tie_break is not None:
        mark = marks_of(tie_breaks or [tie_break], look)[tie_break]
        figure.add_scatter(
            x=at,
            y=shown[tie_break],
            mode="markers",
            name=label(words.known_as(tie_break), 22),
            marker={"symbol": mark.symbol, "size": 9, "color": mark.colour, "line": {"width": 1, "color": look.ground}},
            customdata=np.array([names, [label(name, 60) for name in names], shown[tie_break].map(words.number)]).T,
            hovertemplate=f"<b>%{{customdata[1]}}</b><br>{label(words.known_as(tie_break), 60)}: "
            "%{customdata[2]}<extra></extra>",
        )
    figure.add_scatter(
        x=at,
        y=shown["expected"],
        mode="markers",
        name="expectation",
        marker={"size": 8 if len(names) <= 60 else 6, "color": look.text, "line": {"width": 1, "color": look.ground}},
        customdata=hover_data,
        hovertemplate=hover,
    )
    if (shown["worst"] != shown["best"]).any():
        sign(figure, "worst to best case", {"symbol": "square", "color": look.range})
    if show_sd:
        sign(figure, "± 1 SD under random ties", {"symbol": "square", "color": look.central})
    if any(is_chosen):
        sign(figure, "chosen query", {"symbol": "square", "color": look.accent})
        figure.add_annotation(
            x=is_chosen.index(True),
            y=0,
            yref="paper",
            yanchor="top",
            text="▲",
            showarrow=False,
            font={"color": look.accent, "size": SMALL},
        )
    values = shown[["expected", "worst", "best", *([tie_break] if tie_break else [])]].to_numpy()
    low, high = padded(values)
    few = sum(min(len(name), _LONGEST) + 2 for name in names) <= _ROOM  # names fit below the columns, on a phone too
    figure.update_layout(
        barmode="overlay",
        margin={"l": 48, "r": 8, "t": 44, "b": 54 if few else 34},
        legend=legend(),
        xaxis={
            "range": [-0.6, max(len(names), 8) - 0.4],
            "showgrid": False,
            "tickmode": "array",
            "tickvals": list(at) if few else [],
            "ticktext": [label(name, _LONGEST) for name in names] if few else [],
            "tickangle": 0,
            "ticklabelstandoff": 12,
            "title": {"text": f"{_how_many(len(names), len(blamed))}, {order}", "standoff": 10},
        },
        yaxis=value_axis(measure, low, high, higher_is_better=higher_is_better),
    )
    return figure


def _how_many(n_shown: int, n_queries: int) -> str:
    queries = words.plural(n_queries, "query", "queries")
    return f"{words.count(n_shown)} of {queries}" if n_shown < n_queries else queries

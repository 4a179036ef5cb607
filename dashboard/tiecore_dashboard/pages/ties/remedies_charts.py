"""The pictures of what may be done about ties: how coarse a feature may be, and which other one breaks its ties."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, blend, gutter, label, layout, row_height
from tiecore_dashboard.charts.pieces import legend, legend_room, rows_axis, sign, signed, value_axis

__all__ = ["MOST_TIE_BREAKERS", "advice_chart", "advice_map", "precision_chart"]

MOST_TIE_BREAKERS = 12
"""Rows of the advice for one feature."""
_DEEP = 0.75
_MOST_TITLES = 40
_VERDICTS = {
    "as in float64": ("circle", "text"),
    "no more than noise": ("circle-open", "text"),
    "gains": ("triangle-up", "good"),
    "costs": ("triangle-down", "bad"),
    "too few queries to say": ("x-thin-open", "muted"),
}
_KINDS = {"decimals": "decimals", "bits": "significant bits", "levels": "levels"}


def precision_chart(curve: pd.DataFrame, *, measure: str, look: Look, higher_is_better: bool = True) -> go.Figure:
    """Show the expectation and the share of tied documents as a feature is stored more and more coarsely.

    ``curve``: index ``precision``; columns ``expected``, ``tied``, ``values``, ``change`` and ``verdict``.
    """
    kinds = [str(name).partition(":")[0] for name in curve.index]
    block = [kind if kind in _KINDS else "float" for kind in kinds]
    starts = [row for row in range(len(block)) if row == 0 or block[row] != block[row - 1]]
    at = np.array([row + 0.7 * sum(start <= row for start in starts[1:]) for row in range(len(block))])
    names = [str(name).partition(":")[2] or str(name).removeprefix("float") for name in curve.index]
    hover_data = np.array(
        [
            [str(name) for name in curve.index],
            curve["expected"].map(words.number),
            [signed(value) for value in curve["change"]],
            curve["tied"].map(words.share),
            [words.count(value) for value in curve["values"]],
            list(curve["verdict"]),
        ]
    ).T
    hover = (
        "<b>%{customdata[0]}</b>: %{customdata[5]}<br>expected %{customdata[1]} (%{customdata[2]})<br>"
        "%{customdata[4]} distinct scores, %{customdata[3]} of documents tied<extra></extra>"
    )
    figure = go.Figure(layout=layout(look, height=400, meta=legend_room(30)))
    line_x: list[float | None] = []
    line_y: list[float | None] = []
    for row, x in enumerate(at):
        if row in starts[1:]:
            line_x.append(None)
            line_y.append(None)
        line_x.append(float(x))
        line_y.append(float(curve["expected"].iloc[row]))
    figure.add_hline(y=float(curve["expected"].iloc[0]), line={"color": look.quiet, "width": 1.2, "dash": "dot"})
    figure.add_scatter(
        x=line_x, y=line_y, mode="lines", line={"color": look.central, "width": 2}, hoverinfo="skip", showlegend=False
    )
    for verdict, (symbol, colour) in _VERDICTS.items():
        rows = np.flatnonzero((curve["verdict"] == verdict).to_numpy())
        if len(rows):
            figure.add_scatter(
                x=at[rows],
                y=curve["expected"].iloc[rows],
                mode="markers",
                name=verdict,
                marker={
                    "symbol": symbol,
                    "size": 10,
                    "color": getattr(look, colour),
                    "line": {"width": 2, "color": getattr(look, colour)},
                },
                customdata=hover_data[rows],
                hovertemplate=hover,
            )
    figure.add_bar(
        x=at,
        y=100 * curve["tied"],
        yaxis="y2",
        width=0.66,
        marker={"color": look.range, "line": {"width": 0}},
        customdata=hover_data,
        hovertemplate=hover,
        showlegend=False,
    )
    for i, start in enumerate(starts):
        end = starts[i + 1] if i + 1 < len(starts) else len(block)
        figure.add_annotation(
            x=float(at[start:end].mean()),
            y=-0.1,
            yref="paper",
            yanchor="top",
            text=_KINDS.get(block[start], block[start]),
            showarrow=False,
            font={"size": SMALL, "color": look.muted},
        )
    values = curve["expected"].to_numpy()
    low, high = float(values.min()), float(values.max())
    room = max(0.12 * (high - low), 0.02 * abs(high), 1e-6)
    figure.update_layout(
        margin={"l": 58, "r": 10, "t": 40, "b": 62},
        legend=legend(),
        xaxis={
            "range": [-0.6, float(at[-1]) + 0.6],
            "tickmode": "array",
            "tickvals": list(at),
            "ticktext": names,
            "tickangle": -60,
            "showgrid": False,
            "anchor": "y2",
        },
        yaxis={"domain": [0.34, 1], **value_axis(measure, low - room, high + room, higher_is_better=higher_is_better)},
        yaxis2={
            "domain": [0, 0.25],
            "range": [0, 100],
            "tickvals": [0, 50, 100],
            "ticktext": ["0 %", "50 %", "100 %"],
            "title": {"text": "tied", "standoff": 4},
        },
    )
    return figure


def advice_chart(
    advice: pd.DataFrame, *, before: Mapping[str, float], measure: str, look: Look, higher_is_better: bool = True
) -> go.Figure:
    """Show what becomes of one feature with each other one as tie-breaker; the best few.

    ``advice``: index other feature, the best first; columns ``expected``, ``worst``, ``best``, ``gained``. ``before``:
    ``expected``, ``worst`` and ``best`` of the feature alone.
    """
    shown = advice.iloc[:MOST_TIE_BREAKERS]
    names = ["", *(str(name) for name in shown.index)]
    columns = {name: np.array([before[name], *shown[name]]) for name in ("expected", "worst", "best")}
    low, high = np.minimum(columns["worst"], columns["best"]), np.maximum(columns["worst"], columns["best"])
    rows = np.arange(len(names))
    hover_data = np.array(
        [
            names,
            ["ties left as they are", *(f"then {label(name, 60)}" for name in names[1:])],
            *([words.number(value) for value in columns[name]] for name in ("expected", "worst", "best")),
            ["", *(f"gained {signed(value)}" for value in shown["gained"])],
        ]
    ).T
    hover = (
        "<b>%{customdata[1]}</b><br>expected %{customdata[2]}<br>worst %{customdata[3]}, best %{customdata[4]}<br>"
        "%{customdata[5]}<extra></extra>"
    )
    figure = go.Figure(layout=layout(look, height=84 + 14 + row_height(len(names)) * len(names), meta=legend_room(38)))
    figure.add_bar(
        orientation="h",
        y=rows,
        base=low,
        x=high - low,
        width=0.5,
        marker={"color": look.range, "line": {"width": 0}, "cornerradius": 3},
        customdata=hover_data,
        hovertemplate=hover,
        showlegend=False,
    )
    figure.add_vline(x=before["expected"], line={"color": look.text, "width": 1.2, "dash": "dot"})
    figure.add_scatter(
        x=columns["expected"],
        y=rows,
        mode="markers",
        marker={"size": 10, "color": look.text, "line": {"width": 1.5, "color": look.ground}},
        customdata=hover_data,
        hovertemplate=hover,
        showlegend=False,
    )
    sign(figure, "worst to best case", {"symbol": "square", "color": look.range})
    sign(figure, "expectation", {"symbol": "circle", "color": look.text})
    end_low, end_high = float(low.min()), float(high.max())
    room = 0.04 * (end_high - end_low) or 0.1
    texts = ["<i>ties left as they are</i>", *(label(name) for name in names[1:])]
    figure.update_layout(
        barmode="overlay",
        margin={"l": gutter(["ties left as they are", *names]), "r": 14, "t": 84, "b": 14},
        legend=legend(),
        xaxis={
            "side": "top",
            **value_axis(measure, end_low - room, end_high + room, higher_is_better=higher_is_better),
        },
        yaxis={**rows_axis(names, [True] * len(names), look), "ticktext": texts},
    )
    return figure


def advice_map(gained: pd.DataFrame, *, look: Look) -> go.Figure:
    """Heat map: what each feature (row) gains with each other one (column) as tie-breaker.

    ``gained``: index and columns features in the same order; NaN on the diagonal.
    """
    names = [str(name) for name in gained.index]
    values = gained.to_numpy()
    largest = float(np.nanmax(np.abs(values), initial=0.0)) or 1.0
    labels = [label(name) for name in names]
    row = 26 if len(names) <= 30 else 12
    named = len(names) <= _MOST_TITLES
    top = gutter(names, least=50) * 3 // 4 + 32 if named else 40
    figure = go.Figure(layout=layout(look, height=top + 30 + row * len(names)))
    figure.add_heatmap(
        z=values,
        zmin=-largest,
        zmax=largest,
        colorscale=[
            [0, blend(look.palette[4], look.ground, _DEEP)],
            [0.5, look.ground],
            [1, blend(look.palette[0], look.ground, _DEEP)],
        ],
        xgap=1,
        ygap=1,
        customdata=[
            [[one, label(one, 60), label(other, 60), signed(values[i, j])] for j, other in enumerate(names)]
            for i, one in enumerate(names)
        ],
        hovertemplate="<b>%{customdata[1]}</b>, then %{customdata[2]}<br>gained %{customdata[3]}<extra></extra>",
        hoverongaps=False,
        text=[[signed(value) for value in row_of] for row_of in values],
        texttemplate="%{text}" if len(names) <= 12 else None,
        colorbar={
            "thickness": 10,
            "len": 1,
            "tickformat": "+.3~f",
            "tickfont": {"size": 11, "color": look.muted},
            "outlinewidth": 0,
        },
    )
    figure.update_layout(
        margin={"l": gutter(names), "r": 8, "t": top, "b": 20},
        xaxis={
            "side": "top",
            "tickmode": "array",
            "tickvals": list(range(len(names))) if named else [],
            "ticktext": labels if named else [],
            "title": {"text": "then broken by", "standoff": 6},
            "tickangle": -45,
            "ticks": "",
            "showgrid": False,
        },
        yaxis={
            **rows_axis(names, [True] * len(names), look),
            "tickfont": {"size": 11 if row > 20 else 9, "color": look.text},
        },
    )
    return figure

"""The pictures of ties: how many, how large, where a cut-off meets them, and what a tie-break knows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, blend, gutter, label, layout, marks_of, row_height
from tiecore_dashboard.charts.pieces import legend, legend_height, legend_room, rows_axis, sign, sign_of_mark, signed

__all__ = ["bias_chart", "cut_chart", "sizes_chart", "tied_chart"]

_FADED = 0.3
_CHANCE = 1.96
_ENTRY, _WIDE_ENTRY = 70, 112
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid", "dash")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "star", "hexagon", "cross", "pentagon")


def tied_chart(anatomy: pd.DataFrame, *, look: Look, highlighted: Collection[str] = ()) -> go.Figure:
    """One row a feature: the share of its documents that are tied, and that are tied where relevance is mixed.

    ``anatomy``: index feature in the order of the rows; columns ``tied``, ``tied_mixed`` and ``values_per_query``.
    """
    names = [str(name) for name in anatomy.index]
    rows = np.arange(len(names))
    strong = [not highlighted or name in highlighted for name in names]
    hover_data = np.array(
        [
            names,
            [label(name, 60) for name in names],
            anatomy["tied"].map(words.share),
            anatomy["tied_mixed"].map(words.share),
            [f"{values:,.1f}" for values in anatomy["values_per_query"]],
        ]
    ).T
    left, right = gutter(names), 26
    above = legend_height(3, entrywidth=_ENTRY, beside=left + right)
    top = above + 24
    figure = go.Figure(
        layout=layout(look, height=top + 14 + row_height(len(names)) * len(names), meta=legend_room(above))
    )
    for column, _, marker in _shares(look):
        colour = marker["color"]
        figure.add_bar(
            orientation="h",
            y=rows,
            x=100 * anatomy[column] if column else np.full(len(names), 100.0),
            width=0.62,
            # with a colour for each bar plotly chooses that of the hatching by itself: so only where some are faded
            marker=marker
            if all(strong)
            else {**marker, "color": [colour if one else blend(colour, look.ground, _FADED) for one in strong]},
            customdata=hover_data,
            hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]} of its documents are tied,<br>%{customdata[3]} "
            "where relevance is mixed<br>%{customdata[4]} levels a query<extra></extra>",
            showlegend=False,
        )
    for _, name, marker in _shares(look):
        figure.add_bar(x=[None], y=[None], name=name, marker=marker, hoverinfo="skip")  # an entry of the legend
    figure.update_layout(
        barmode="overlay",
        margin={"l": left, "r": right, "t": top, "b": 14},
        legend=legend(entrywidth=_ENTRY),
        xaxis={"range": [0, 100], "side": "top", "ticksuffix": " %", "nticks": 6},
        yaxis=rows_axis(names, strong, look),
    )
    return figure


def _shares(look: Look) -> tuple[tuple[str, str, dict[str, Any]], ...]:
    return (
        ("", "not tied", {"color": look.panel, "line": {"width": 1, "color": look.grid}}),
        ("tied", "tied", {"color": look.range, "line": {"width": 0}}),
        ("tied_mixed", "mixed ties", _mixed(look)),
    )


def _mixed(look: Look) -> dict[str, Any]:
    """How ties that matter look: colour and hatching."""
    return {
        "color": look.central,
        "line": {"width": 0},
        "pattern": {
            "shape": "/",
            "fillmode": "overlay",
            "size": 7,
            "solidity": 0.22,
            "fgcolor": look.ground,
            "fgopacity": 0.7,
        },
    }


def sizes_chart(sizes: pd.DataFrame, *, look: Look) -> go.Figure:
    """Documents in tie groups of each size, sizes doubling from one column to the next.

    ``sizes``: index ``size``; columns ``groups``, ``mixed_groups`` and ``documents``.
    """
    size = sizes.index.to_numpy()
    column = np.ceil(np.log2(size)).astype(int) if len(size) else np.zeros(0, dtype=int)
    n_columns = int(column.max(initial=0)) + 1

    def total(values: pd.Series[Any]) -> np.ndarray:
        return np.bincount(column, weights=values, minlength=n_columns)

    documents, groups = total(sizes["documents"]), total(sizes["groups"])
    mixed_groups, in_mixed = total(sizes["mixed_groups"]), total(sizes["mixed_groups"] * size)
    first = [1, *(2 ** (power - 1) + 1 for power in range(1, n_columns))]
    names = [
        words.count(low) if low == 2**power else f"{words.count(low)}–{words.count(2**power)}"
        for power, low in enumerate(first)
    ]
    hover_data = np.array(
        [
            ["alone" if name == "1" else f"ties of {name} documents" for name in names],
            [words.count(value) for value in documents],
            [words.count(value) for value in groups],
            [words.count(value) for value in mixed_groups],
        ]
    ).T
    figure = go.Figure(layout=layout(look, height=284, meta=legend_room(24)))
    for values, name, marker in (
        (documents, "one relevance", {"color": look.range, "line": {"width": 0}}),
        (in_mixed, "mixed relevance", _mixed(look)),
    ):
        figure.add_bar(
            x=np.arange(n_columns),
            y=values,
            width=0.8,
            marker=marker,
            name=name,
            customdata=hover_data,
            hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]} documents in %{customdata[2]} groups, "
            "%{customdata[3]} of them mixed<extra></extra>",
        )
    figure.update_layout(
        barmode="overlay",
        margin={"l": 62, "r": 8, "t": 34, "b": 46},
        legend=legend(),
        xaxis={
            "range": [-0.6, max(n_columns, 4) - 0.4],
            "tickmode": "array",
            "tickvals": list(range(n_columns)),
            "ticktext": names if n_columns <= 5 else [words.count(2**power) for power in range(n_columns)],
            "tickangle": 0,
            "showgrid": False,
            "title": {"text": f"documents in the tie group{', at most' if n_columns > 5 else ''}", "standoff": 8},
        },
        yaxis={"rangemode": "tozero", "nticks": 5, "tickformat": ",~f", "title": {"text": "documents", "standoff": 6}},
    )
    return figure


def cut_chart(curve: pd.DataFrame, *, look: Look, cutoff: int, emphasised: Sequence[str] = ()) -> go.Figure:
    """Share of queries whose cut-off falls inside a tie, against the cut-off: lines are features.

    ``curve``: index (feature, cutoff); column ``cut_in_mixed_tie``. ``emphasised``: features with a line of their own,
    at most as many as the palette has; the others are grey.
    """
    shares = 100 * curve["cut_in_mixed_tie"].unstack("feature")
    names = list(curve.index.unique("feature"))
    chosen = [name for name in emphasised if name in names][: len(look.palette)]
    many = [name for name in names if name not in chosen]
    k = shares.index.to_numpy()
    top = 14 + legend_height(len(chosen) + bool(many), entrywidth=_WIDE_ENTRY, beside=66)
    figure = go.Figure(layout=layout(look, height=330 + top, meta=legend_room(top)))
    if many:
        gap = np.array([np.nan])
        figure.add_scatter(
            x=np.concatenate([np.append(k, gap) for _ in many]),
            y=np.concatenate([np.append(shares[name], gap) for name in many]),
            customdata=[entry for name in many for entry in [*_told(name, shares[name]), ["", "", "", ""]]],
            mode="lines",
            line={"color": look.quiet, "width": 1.3},
            hovertemplate=_HOVER_OF_CUT,
            name="others" if chosen else "features",
        )
    for place, name in enumerate(chosen):
        marked = [row for row, value in enumerate(k) if value == cutoff or value in (1, int(k[-1]))]
        figure.add_scatter(
            x=k,
            y=shares[name],
            customdata=_told(name, shares[name]),
            mode="lines",
            line={"color": look.palette[place], "width": 2.6, "dash": _DASHES[place]},
            hovertemplate=_HOVER_OF_CUT,
            legendgroup=label(name, 60),
            showlegend=False,
            name=label(name),
        )
        figure.add_scatter(
            x=k[marked],
            y=shares[name].iloc[marked],
            customdata=[_told(name, shares[name])[row] for row in marked],
            mode="markers+lines",
            line={"color": look.palette[place], "width": 0, "dash": _DASHES[place]},
            marker={
                "size": 9,
                "symbol": _SYMBOLS[place],
                "color": look.palette[place],
                "line": {"width": 1, "color": look.ground},
            },
            hovertemplate=_HOVER_OF_CUT,
            legendgroup=label(name, 60),
            name=label(name),
        )
    figure.add_vline(x=cutoff, line={"color": look.text, "width": 1.2, "dash": "dot"})
    figure.add_annotation(
        x=cutoff,
        y=100,
        text=f"k = {words.count(cutoff)}",
        xanchor="left",
        xshift=4,
        yanchor="bottom",
        showarrow=False,
        font={"size": SMALL, "color": look.text},
    )
    figure.update_layout(
        margin={"l": 52, "r": 14, "t": top + 24, "b": 40},
        legend=legend(entrywidth=_WIDE_ENTRY),
        xaxis={"range": [0, float(k[-1]) * 1.02], "nticks": 8, "title": {"text": "cut-off k", "standoff": 6}},
        yaxis={"range": [-2, 100], "ticksuffix": " %", "title": {"text": "queries", "standoff": 4}},
    )
    return figure


_HOVER_OF_CUT = "<b>%{customdata[1]}</b><br>k = %{customdata[2]}: %{customdata[3]} of queries<extra></extra>"


def _told(name: str, shares: pd.Series[Any]) -> list[list[str]]:
    return [
        [name, label(name, 60), words.count(k), words.share(value / 100)]
        for k, value in zip(shares.index.tolist(), shares, strict=True)
    ]


def bias_chart(
    bias: pd.DataFrame, *, look: Look, tie_breaks: Sequence[str], highlighted: Collection[str] = ()
) -> go.Figure:
    """One row a feature: how far each tie-break shifts its value, in units of what chance would do.

    ``bias``: index (tie_break, feature); columns ``z``, ``shift`` and ``verdict``; features in the order of the rows.
    """
    names = [str(name) for name in bias.index.unique("feature")]
    rows = np.arange(len(names))
    strong = [not highlighted or name in highlighted for name in names]
    marks = marks_of(tie_breaks, look)
    left, right = gutter(names), 14
    above = legend_height(1 + len(marks), entrywidth=_WIDE_ENTRY, beside=left + right)
    top = above + 46
    figure = go.Figure(
        layout=layout(look, height=top + 14 + row_height(len(names)) * len(names), meta=legend_room(above))
    )
    figure.add_vrect(x0=-_CHANCE, x1=_CHANCE, fillcolor=look.range, opacity=0.55, line={"width": 0}, layer="below")
    figure.add_vline(x=0, line={"color": look.quiet, "width": 1})
    nudges = np.linspace(-0.3, 0.3, len(marks)) if len(marks) > 1 else np.zeros(len(marks))
    for nudge, (name, mark) in zip(nudges, marks.items(), strict=True):
        of_tie_break = bias.xs(name, level="tie_break")
        figure.add_scatter(
            x=of_tie_break["z"],
            y=rows + nudge,
            mode="markers",
            name=label(words.known_as(name), 22),
            showlegend=False,
            marker={
                "symbol": mark.symbol,
                "size": 9 if len(names) <= 30 else 7,
                "color": [mark.colour if one else blend(mark.colour, look.ground, _FADED) for one in strong],
                "line": {"width": 1, "color": look.ground},
            },
            customdata=np.array(
                [
                    names,
                    [label(feature, 60) for feature in names],
                    [signed(value) for value in of_tie_break["shift"]],
                    [words.number(value) if value == value else "" for value in of_tie_break["z"]],
                    [
                        label(str(verdict).replace(name, words.known_as(name), 1), 120)
                        for verdict in of_tie_break["verdict"]
                    ],
                ]
            ).T,
            hovertemplate=f"<b>%{{customdata[1]}}</b> under {label(words.known_as(name), 60)}<br>"
            "shift %{customdata[2]}, z = %{x:.2f}<br>%{customdata[4]}<extra></extra>",
        )
    sign(figure, "within chance (95 %)", {"symbol": "square", "color": look.range})
    for name, mark in marks.items():
        sign_of_mark(figure, label(words.known_as(name), 22), mark)
    farthest = float(np.nanmax(np.abs(bias["z"].to_numpy()), initial=3.0)) * 1.06
    figure.update_layout(
        margin={"l": left, "r": right, "t": top, "b": 14},
        legend=legend(entrywidth=_WIDE_ENTRY),
        xaxis={
            "range": [-farthest, farthest],
            "side": "top",
            "nticks": 7,
            "title": {"text": "shift, in standard deviations of random tie-breaks (z)", "standoff": 4},
        },
        yaxis=rows_axis(names, strong, look),
    )
    return figure

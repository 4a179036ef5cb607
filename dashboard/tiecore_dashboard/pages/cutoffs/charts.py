"""The pictures of the cut-offs: values and places of features as more of each list counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, blend, gutter, label, layout, marks_of, transparent
from tiecore_dashboard.charts.pieces import (
    legend,
    legend_height,
    legend_room,
    line_through_marks,
    padded,
    round_ticks,
    spread,
)

__all__ = ["BANDS", "MOST_CURVES", "curve_chart", "place_chart"]

BANDS = ("worst to best", "95 % of tie-breaks")
_ENDS = dict(zip(BANDS, (("worst", "best"), ("low", "high")), strict=True))
MOST_CURVES = 8
"""As many as the palette tells apart."""
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "star", "hexagon", "cross", "pentagon")
_GLYPHS = ("●", "■", "◆", "▲", "★", "⬢", "✚", "⬟")
"""The same shapes as characters, for the names beside the lines."""
_SHORT = 20
_LEFT, _BELOW, _HEIGHT, _LINE = 52, 44, 370, 16
_ENTRY = 112
_ROUND_SHORT = (1, 2, 3, 4, 5, 7, 10, 15, 20)
_ROUND = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_FADED = 0.3


def curve_chart(
    curves: pd.DataFrame,
    *,
    measure: str,
    look: Look,
    bands: Collection[str] = BANDS,
    tie_breaks: Sequence[str] = (),
    highlighted: Collection[str] = (),
    own_cutoff: int | None = None,
    is_log: bool = True,
) -> go.Figure:
    """One line a feature: its expectation at each cut-off, what ties allow and where most tie-breaks fall.

    Parameters
    ----------
    curves
        Index (feature, k), features in the order of their colours; columns ``expected``, ``worst``, ``best``, ``low``
        and ``high`` (NaN where not known) and one for each tie-break.
    own_cutoff
        Cut-off of the rest of the dashboard, to be pointed at.
    is_log
        Whether equal ratios of cut-offs are equally far apart.
    """
    names = _names(curves)
    shades = _shades(names, look, highlighted)
    marks = marks_of(tie_breaks, look)
    right = end_gutter(names)
    above = legend_height(len(marks), entrywidth=_ENTRY, beside=_LEFT + right) if marks else 0
    top = above + 8
    figure = go.Figure(layout=layout(look, height=_HEIGHT + top + _BELOW, meta=legend_room(above)))
    for (band, ends), strength in zip(_ENDS.items(), (0.1, 0.24), strict=True):
        if band not in bands:
            continue
        for name in names:
            rows = _rows(curves, name)
            if rows[list(ends)].isna().to_numpy().any():
                continue
            figure.add_scatter(
                x=np.concatenate([rows.index, rows.index[::-1]]),
                y=np.concatenate([rows[ends[0]], rows[ends[1]][::-1]]),
                mode="lines",
                line={"width": 0},
                fill="toself",
                fillcolor=transparent(shades[name], strength),
                hoverinfo="skip",
                legendgroup=name,
                showlegend=False,
                name=f"{label(name)}, {band}",
            )
    for number, name in enumerate(names):
        rows = _rows(curves, name)
        figure.add_scatter(
            x=rows.index,
            y=rows["expected"],
            **line_through_marks(shades[name], _SYMBOLS[number % len(_SYMBOLS)], size=7, look=look),
            name=label(name, 22),
            legendgroup=name,
            showlegend=False,
            customdata=[[name]] * len(rows),
            text=_told(name, rows),
            hovertemplate="%{text}<extra></extra>",
        )
    for tie_break, mark in marks.items():
        for name in names:
            values = _rows(curves, name)[tie_break]
            figure.add_scatter(
                x=values.index,
                y=values,
                mode="lines+markers",
                line={"color": shades[name], "width": 1, "dash": "dot"},
                marker={
                    "symbol": mark.symbol,
                    "size": 7,
                    "color": shades[name],
                    "line": {"width": 1, "color": look.ground},
                },
                name=label(words.known_as(tie_break), 22),
                legendgroup=tie_break,
                showlegend=name == names[0],
                customdata=[[name]] * len(values),
                text=[f"<b>{label(name, 60)}</b> at {k}: {words.number(value)}" for k, value in values.items()],
                hovertemplate=f"%{{text}}<br>under {label(words.known_as(tie_break), 40)}<extra></extra>",
            )
    cutoffs = np.unique(curves.index.get_level_values("k"))
    _point_at(figure, own_cutoff, cutoffs, look)
    shown = [end for band, ends in _ENDS.items() if band in bands for end in ends]
    low, high = padded(curves[["expected", *shown, *marks]].to_numpy(dtype=float).ravel())
    last = {name: float(_rows(curves, name)["expected"].iloc[-1]) for name in names}
    _name_ends(figure, last, shades, look, least=_LINE * (high - low) / _HEIGHT)
    figure.update_layout(
        margin={"l": _LEFT, "r": right, "t": top, "b": _BELOW},
        legend=legend(entrywidth=_ENTRY),
        xaxis={**_cutoff_axis(cutoffs, is_log=is_log), "title": {"text": "cut-off k", "standoff": 4}},
        yaxis={
            "range": [low, high],
            **round_ticks(low, high, 7),
            "title": {"text": f"{label(measure, 40)} at k", "standoff": 4},
        },
    )
    return figure


def end_gutter(names: Sequence[str]) -> int:
    """Pixels right of the lines for their names."""
    return gutter(names, least=40) + 12


def _name_ends(
    figure: go.Figure, ends: Mapping[str, float], shades: Mapping[str, str], look: Look, *, least: float
) -> None:
    """Write the name of each line beside its end, names at least so far apart."""
    glyphs = dict(zip(shades, cycle(_GLYPHS), strict=False))
    for name, y in zip(ends, spread(list(ends.values()), [least] * len(ends)), strict=True):
        figure.add_annotation(
            x=1,
            xref="paper",
            xshift=4,
            y=y,
            text=f'<span style="color:{shades[name]}">{glyphs[name]}</span> {label(name)}',
            font={"size": SMALL, "color": look.text},
            showarrow=False,
            xanchor="left",
            yanchor="middle",
        )


def place_chart(
    places: pd.DataFrame,
    *,
    look: Look,
    highlighted: Collection[str] = (),
    own_cutoff: int | None = None,
    is_log: bool = True,
) -> go.Figure:
    """One line a feature: its place at each cut-off; features that share a place lie a little apart.

    ``places``: place of each feature (rows, in the order of their colours) at each cut-off (columns).
    """
    names = [str(name) for name in places.index]
    shades = _shades(names, look, highlighted)
    cutoffs = places.columns.to_numpy()
    lowest = int(places.to_numpy().max())
    height = min(26 * lowest, 300)
    figure = go.Figure(layout=layout(look, height=64 + height))
    for number, name in enumerate(names):
        figure.add_scatter(
            x=cutoffs,
            y=places.loc[name] + _nudge(places, name, lowest),
            **line_through_marks(shades[name], _SYMBOLS[number % len(_SYMBOLS)], size=8, look=look),
            name=label(name, 22),
            showlegend=False,
            customdata=[[name]] * len(cutoffs),
            text=[f"<b>{label(name, 60)}</b><br>place {place} at {k}" for k, place in places.loc[name].items()],
            hovertemplate="%{text}<extra></extra>",
        )
    _point_at(figure, own_cutoff, cutoffs, look)
    ends = {name: float(places.loc[name].iloc[-1] + _nudge(places, name, lowest)[-1]) for name in names}
    _name_ends(figure, ends, shades, look, least=_LINE * (lowest + 0.2) / (height + 10))
    figure.update_layout(
        margin={"l": _LEFT, "r": end_gutter(names), "t": 10, "b": 44},
        xaxis={**_cutoff_axis(cutoffs, is_log=is_log), "title": {"text": "cut-off k", "standoff": 4}},
        yaxis={
            "range": [lowest + 0.6, 0.4],
            "tickmode": "array",
            "tickvals": _place_ticks(lowest),
            "title": {"text": "place", "standoff": 4},
        },
    )
    return figure


def _names(curves: pd.DataFrame) -> list[str]:
    return [str(name) for name in dict.fromkeys(curves.index.get_level_values("feature"))]


def _rows(curves: pd.DataFrame, name: str) -> pd.DataFrame:
    """Values of one feature: index k."""
    return curves[curves.index.get_level_values("feature") == name].droplevel("feature")


def _shades(names: Sequence[str], look: Look, highlighted: Collection[str]) -> dict[str, str]:
    """Colour of each feature, faded if others are highlighted."""
    some = any(name in highlighted for name in names)
    own = {name: look.palette[number % len(look.palette)] for number, name in enumerate(names)}
    return {
        name: blend(colour, look.ground, _FADED) if some and name not in highlighted else colour
        for name, colour in own.items()
    }


def _told(name: str, rows: pd.DataFrame) -> list[str]:
    return [
        f"<b>{label(name, 60)}</b> at {k}<br>expected {words.number(expected)}"
        f"<br>95 % of tie-breaks {words.number(low)} to {words.number(high)}"
        f"<br>worst {words.number(worst)}, best {words.number(best)}"
        for k, expected, worst, best, low, high in rows[["expected", "worst", "best", "low", "high"]].itertuples(
            name=None
        )
    ]


def _cutoff_axis(cutoffs: np.ndarray, *, is_log: bool) -> dict[str, object]:
    first, last = float(cutoffs.min()), float(cutoffs.max())
    if not is_log or first == last:
        room = 0.03 * (last - first) or 1.0
        steps = {"dtick": 1} if last < _SHORT else {"nticks": 10}
        return {"type": "linear", "range": [first - room, last + room], **steps}
    ends = np.log10([first, last])
    room = 0.03 * (ends[1] - ends[0])
    shown = [k for k in (_ROUND if last > _SHORT else _ROUND_SHORT) if first <= k <= last]
    return {
        "type": "log",
        "range": [ends[0] - room, ends[1] + room],
        "tickmode": "array",
        "tickangle": 0,
        "tickvals": shown,
        "ticktext": [words.count(k) for k in shown],
        "minor": {"showgrid": False},
    }


def _point_at(figure: go.Figure, own_cutoff: int | None, cutoffs: np.ndarray, look: Look) -> None:
    """Draw a line at the cut-off of the rest of the dashboard."""
    if own_cutoff is None or own_cutoff not in cutoffs:
        return
    figure.add_shape(
        type="line",
        x0=own_cutoff,
        x1=own_cutoff,
        y0=0,
        y1=1,
        yref="paper",
        line={"color": look.muted, "width": 1.2, "dash": "dot"},
        layer="below",
    )


def _nudge(places: pd.DataFrame, name: str, lowest: int) -> np.ndarray:
    """How far below its place a feature is drawn at each cut-off: those that share it lie below each other."""
    before = places.loc[:name].iloc[:-1]
    shared = (before == places.loc[name]).sum(axis=0).to_numpy()
    return shared * 0.16 * max(1.0, lowest / 12)


def _place_ticks(lowest: int) -> list[int]:
    if lowest <= 12:
        return list(range(1, lowest + 1))
    step = max(1, round(lowest / 8 / 5) * 5)
    return [1, *range(step, lowest + 1, step)]

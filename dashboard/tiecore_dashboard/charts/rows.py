"""One grammar for charts with a row a feature, or a query, or a pair: ranges, points, rules and a zero line.

A chart is its rows and what is drawn in them, one layer on the other:

>>> from tiecore_dashboard.charts.look import LIGHT
>>> figure = rows_chart(
...     ["bm25", "clicks"],
...     [Range("95 % over queries", [0.3, 0.2], [0.5, 0.4], LIGHT.range), Point("expected", [0.4, 0.3], LIGHT.text)],
...     look=LIGHT,
...     title="nDCG@10",
... )
>>> [trace.name for trace in figure.data if trace.showlegend is not False]
['95 % over queries', 'expected']
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from tiecore_dashboard.charts.look import SMALL, Look, Mark, blend, gutter, label, layout, row_height
from tiecore_dashboard.charts.pieces import round_ticks, rows_axis, sign, sign_of_mark

__all__ = ["Point", "Range", "rows_chart"]

_FADED = 0.28
_AXIS, _RIGHT = 46, 22
"""Pixels of the axis above the rows, and at the right end."""
_ROOM = 0.05
_BESIDE = 22
"""Pixels between the rows and a text beside them: half a number of the axis reaches over its end."""


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """A bar in each row, from one value to another; no bar where either is NaN."""

    name: str
    low: ArrayLike
    """(n_rows,)"""
    high: ArrayLike
    """(n_rows,)"""
    colour: str
    thickness: float = 0.5
    """Part of the height of a row."""
    offset: float = 0.0
    """Parts of a row below its middle."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A mark in each row; none where the value is NaN."""

    name: str
    values: ArrayLike
    """(n_rows,)"""
    colour: str
    symbol: str = "circle"
    size: int = 10
    offset: float = 0.0
    hover: Sequence[str] | None = None
    """Instead of that of the row."""


def rows_chart(
    names: Sequence[str],
    layers: Sequence[Range | Point],
    *,
    look: Look,
    title: str,
    ends: tuple[float, float] | None = None,
    zero: float | None = None,
    higher_is_better: bool = True,
    hover: Sequence[str] | None = None,
    beside: Mapping[str, Sequence[str]] | None = None,
    highlighted: Collection[str] = (),
    more: Mapping[str, Any] | None = None,
) -> go.Figure:
    """Draw a chart with a row a name, the first at the top.

    Parameters
    ----------
    names
        Of the rows; each is the first entry of the ``customdata`` of its marks.
    layers
        What is drawn, the hindmost first; each has an entry in the legend.
    look
        Colours.
    title
        Of the axis of values.
    ends
        Of the axis; by default it holds all values with some room.
    zero
        Where a line is drawn through all rows.
    higher_is_better
        If not, the axis runs backwards, so that better is always to the right.
    hover
        (n_rows,) what is told under the pointer, as HTML.
    beside
        Columns of text right of the rows, by their titles.
    highlighted
        Rows that stand out; the others fade if there are any.
    more
        Of plotly's layout.
    """
    height = row_height(len(names))
    strong = [not highlighted or name in highlighted for name in names]
    columns = dict(beside or {})
    shifts = np.cumsum([_BESIDE, *(_width(head, texts) for head, texts in columns.items())])
    low, high = ends or _ends(layers, zero)
    figure = go.Figure(
        layout=layout(
            look,
            height=_AXIS + 14 + height * len(names),
            margin={
                "l": gutter(names),
                "r": int(shifts[-1]) if columns else _RIGHT,
                "t": _AXIS,
                "b": 14,
            },
            barmode="overlay",
            bargap=0,
            xaxis={
                "range": [low, high] if higher_is_better else [high, low],
                "side": "top",
                "title": {"text": title, "standoff": 4},
                "tickangle": 0,
                **round_ticks(low, high, 4 if columns else 5),  # there is less room beside texts
            },
            yaxis=rows_axis(names, strong, look),
        )
    )
    told = hover or [f"<b>{label(name, 60)}</b>" for name in names]
    bars = [layer for layer in layers if isinstance(layer, Range)]
    points = [layer for layer in layers if isinstance(layer, Point)]
    for bar in bars:
        _draw(figure, bar, names, told, strong=strong, look=look, is_dense=height <= 20)
    if zero is not None:
        line = {"color": look.muted, "width": 1.4}  # in front of the bars, which would hide a shape
        ends_of_line = [-0.5, len(names) - 0.5]
        silent = {"name": "zero", "hoverinfo": "skip", "showlegend": False}
        figure.add_scatter(x=[zero, zero], y=ends_of_line, mode="lines", line=line, **silent)
    for point in points:
        _draw(figure, point, names, told, strong=strong, look=look, is_dense=height <= 20)
    for shift, (head, texts) in zip(shifts, columns.items(), strict=False):
        _write_beside(figure, head, texts, shift=int(shift), look=look)
    figure.update_layout(dict(more or {}))
    return figure


def _draw(
    figure: go.Figure,
    layer: Range | Point,
    names: Sequence[str],
    told: Sequence[str],
    *,
    strong: Sequence[bool],
    look: Look,
    is_dense: bool,
) -> None:
    faded = blend(layer.colour, look.ground, _FADED)
    colours = [layer.colour if is_strong else faded for is_strong in strong]
    usual: dict[str, Any] = {
        "y": np.arange(len(names)) + layer.offset,
        "name": layer.name,
        "customdata": [[name] for name in names],
        "hovertext": list(told),
        "hovertemplate": "%{hovertext}<extra></extra>",
        "showlegend": False,
        "legendgroup": layer.name,
    }
    if isinstance(layer, Range):
        low, high = np.asarray(layer.low, dtype=float), np.asarray(layer.high, dtype=float)
        figure.add_bar(
            orientation="h",
            base=np.minimum(low, high),
            x=np.abs(high - low),
            width=layer.thickness,
            marker={"color": colours, "line": {"width": 0}, "cornerradius": 3},
            **usual,
        )
        sign(figure, layer.name, {"symbol": "square", "color": layer.colour})
    else:
        line = {"width": 1.5, "color": look.ground}
        if layer.hover is not None:
            usual["hovertext"] = list(layer.hover)
        figure.add_scatter(
            x=np.asarray(layer.values, dtype=float),
            mode="markers",
            marker={"symbol": layer.symbol, "size": layer.size - 2 * is_dense, "color": colours, "line": line},
            **usual,
        )
        sign_of_mark(figure, layer.name, Mark(layer.colour, layer.symbol, ""))
    figure.data[-1].legendgroup = layer.name


def _ends(layers: Sequence[Range | Point], zero: float | None) -> tuple[float, float]:
    """Ends of the axis: all values, and some room."""
    arrays = [
        one for layer in layers for one in ((layer.low, layer.high) if isinstance(layer, Range) else (layer.values,))
    ]
    values = np.concatenate([np.ravel(np.asarray(one, dtype=float)) for one in arrays])
    known = values[np.isfinite(values)]
    known = known if zero is None else np.append(known, zero)
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = (high - low) * _ROOM or abs(high) * 0.1 or 0.1
    return low - room, high + room


def _write_beside(figure: go.Figure, head: str, texts: Sequence[str], *, shift: int, look: Look) -> None:
    """Write a column of texts right of the rows, with its title above."""
    font = {"size": SMALL, "color": look.muted}
    place = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": shift, "showarrow": False, "font": font}
    figure.add_annotation(y=1, yref="paper", yanchor="bottom", text=head, **place)
    for row, text in enumerate(texts):
        figure.add_annotation(y=row, yref="y", yanchor="middle", text=text, **place)


def _width(title: str, texts: Sequence[str]) -> int:
    """Pixels of a column of short texts, with room after it."""
    return 10 + round(6.5 * max(map(len, (title, *texts))))

"""One grammar for charts with a row a feature, or a column a query: ranges, points and a zero line.

A chart is its rows and what is drawn in them, one layer on the other.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike

from tiecore.measures import Measure
from tiecore_dashboard.charts.look import SMALL, Look, blend, gutter, label, layout, row_height
from tiecore_dashboard.charts.pieces import padded, round_ticks, rows_axis, sign, targets, value_axis

_FADED = 0.28
_AXIS, _RIGHT = 46, 22
"""Pixels of the axis above the rows, and at the right end."""
_TOLD = "%{hovertext}<extra></extra>"
_MANY = 120
"""Columns beyond which bars touch."""
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
    """Part of the height of a row; 0 for a line of two pixels, which has one width in all rows."""
    offset: float = 0.0
    """Parts of a row below its middle."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A mark in each row; none where the value is NaN."""

    name: str
    """In the legend, or nothing."""
    values: ArrayLike
    """(n_rows,)"""
    colour: str
    symbol: str = "circle"
    size: int = 10
    offset: float | np.ndarray = 0.0
    """For all rows, or (n_rows,)."""
    hover: Sequence[str] | None = None
    """Instead of that of the row."""


def levels(n: int) -> np.ndarray:
    """(n,) offsets at which nothing in a row hides what has its value, and nothing comes close to the next row."""
    return 0.75 * ((np.arange(n) + 0.5) / n - 0.5)


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
    beside: tuple[str, Sequence[str]] | None = None,
    highlighted: Collection[str] = (),
) -> go.Figure:
    """Draw a chart with a row a name, the first at the top.

    Each name is the first entry of the ``customdata`` of its marks. ``layers``: the hindmost first, each with an entry
    in the legend. ``ends``: of the axis, which holds all values by default. ``zero``: where a line is drawn through all
    rows. ``hover``: (n_rows,) told under the pointer, as HTML. ``beside``: title and texts of a column right
    of the rows. Rows that are not ``highlighted`` fade if any is.
    """
    n_levels = len({float(np.min(layer.offset)) for layer in layers if isinstance(layer, Point)})
    height = max(row_height(len(names)), 14 * n_levels)  # marks of a row stay apart
    strong = [not highlighted or name in highlighted for name in names]
    labels = [label(name, among=names) for name in names]
    low, high = ends or _ends(layers, zero)
    top, right = _AXIS + 17 * title.count("<br>"), _RIGHT
    if beside:  # short texts, with room after them
        right = _BESIDE + 10 + round(6.5 * max(map(len, (beside[0], *beside[1]))))
    figure = go.Figure(
        layout=layout(
            look,
            height=top + 14 + height * len(names),
            margin={"l": gutter(names), "r": right, "t": top, "b": 14},
            barmode="overlay",
            bargap=0,
            xaxis={
                "range": [low, high] if higher_is_better else [high, low],
                "side": "top",
                "title": {"text": title, "standoff": 4},
                "tickangle": 0,
                **round_ticks(low, high, 4 if beside else 6),  # there is less room beside texts
            },
            yaxis={
                **rows_axis(labels, range(len(names)), strong, look, look.quiet),
                "minor": {"tickvals": np.arange(0.5, len(names) - 1), "showgrid": True, "gridcolor": look.grid},
            },
        )
    )
    told = hover or [f"<b>{label(name, 60)}</b>" for name in names]
    _draw(figure, layers, names, look=look, zero=zero, strong=strong, hover=told)
    if beside:
        font = {"size": SMALL, "color": look.muted}
        at = {"x": 1, "xref": "paper", "xanchor": "left", "xshift": _BESIDE, "showarrow": False, "font": font}
        texts = [{"y": row, "yref": "y", "yanchor": "middle", "text": text, **at} for row, text in enumerate(beside[1])]
        figure.layout.annotations = [{"y": 1, "yref": "paper", "yanchor": "bottom", "text": beside[0], **at}, *texts]
    return figure


def columns_chart(
    names: Sequence[str],
    layers: Sequence[Range | Point],
    *,
    look: Look,
    title: Measure | str,
    below: str,
    at: ArrayLike,
    hover: Sequence[str],
    zero: float | None = None,
    chosen: str | None = None,
) -> go.Figure:
    """Draw the same upright: a column a name, the first on the left, each of which takes the clicks.

    ``below``: what stands below the columns instead of their names. ``at``: (n_columns,) where ``hover`` is told.
    ``chosen``: column to frame, if it is there.
    """
    places = np.arange(len(names))
    figure = go.Figure(
        layout=layout(
            look,
            height=260,
            margin={"l": 52, "r": 12, "t": 8, "b": 36},
            barmode="overlay",
            hovermode="x",
            hoverdistance=-1,
            xaxis={
                "range": (len(names) - 1) / 2 + (max(len(names), 4) / 2 + 0.2) * np.array([-1, 1]),
                "showticklabels": False,
                "showgrid": False,
                "title": {"text": below},
            },
            yaxis=value_axis(title, *_ends(layers, zero)),
        )
    )
    _draw(figure, layers, names, look=look, zero=zero, strong=[True] * len(names), hover=None)
    figure.add_scatter(
        x=places,
        y=np.asarray(at, dtype=float),
        customdata=[[name] for name in names],
        hovertext=hover,
        hovertemplate=_TOLD,
        name="targets",
        **targets(look),
    )
    if chosen in names:
        middle = names.index(chosen)
        figure.add_vrect(x0=middle - 0.5, x1=middle + 0.5, line={"color": look.text, "width": 1.5}, name="chosen")
    return figure


def _draw(
    figure: go.Figure,
    layers: Sequence[Range | Point],
    names: Sequence[str],
    *,
    look: Look,
    zero: float | None,
    strong: Sequence[bool],
    hover: Sequence[str] | None,
) -> None:
    """Draw bars, then the zero line, which they would hide, then points; upright where they tell nothing themselves.

    A layer without a value is left out, and its entry in the legend too.
    """
    layers = [one for one in layers if np.isfinite(one.low if isinstance(one, Range) else one.values).any()]
    is_upright = hover is None
    place, value = "xy" if is_upright else "yx"
    is_dense = len(names) > _MANY if is_upright else row_height(len(names)) <= 20
    shrunk = min(4, len(names) // 20) if is_upright else 2 * is_dense  # else dots would hide each other

    def shared(layer: Range | Point) -> dict[str, Any]:
        faded = blend(layer.colour, look.ground, _FADED)
        told = getattr(layer, "hover", None) or hover
        return {
            place: np.arange(len(names)) + layer.offset,
            "name": layer.name,
            "customdata": [[name] for name in names],
            "marker": {"color": [layer.colour if is_strong else faded for is_strong in strong]},
            **({"hoverinfo": "skip"} if told is None else {"hovertext": told, "hovertemplate": _TOLD}),
        }

    for bar in (layer for layer in layers if isinstance(layer, Range)):
        low, high = np.asarray(bar.low, dtype=float), np.asarray(bar.high, dtype=float)
        figure.add_bar(
            **shared(bar),
            **{value: np.abs(high - low)},
            base=np.minimum(low, high),
            orientation="v" if is_upright else "h",
            width=min(1.0, bar.thickness * (2 if is_dense and is_upright else 1) or 0.001),
            marker_line={"width": 0 if bar.thickness else 2, "color": bar.colour},
            marker_cornerradius=3,
        )
        sign(figure, bar.name, bar.colour)
    if zero is not None:
        line = {place: [-0.5, len(names) - 0.5], value: [zero, zero], "line": {"color": look.muted, "width": 1.4}}
        figure.add_scatter(**line, mode="lines", name="zero", hoverinfo="skip")
    for point in (layer for layer in layers if isinstance(layer, Point)):
        figure.add_scatter(
            **shared(point),
            **{value: np.asarray(point.values, dtype=float)},
            mode="markers",
            marker_symbol=point.symbol,
            marker_size=point.size - shrunk + 3 * point.symbol.startswith(("star", "triangle")),  # thin ones
            marker_line={"width": 1.5, "color": look.ground},
        )
        if point.name:
            sign(figure, point.name, point.colour, point.symbol)


def _ends(layers: Sequence[Range | Point], zero: float | None) -> tuple[float, float]:
    values: list[ArrayLike] = [] if zero is None else [zero]
    for layer in layers:
        values += [layer.low, layer.high] if isinstance(layer, Range) else [layer.values]
    return padded(np.hstack([np.asarray(some, dtype=float) for some in values]))

"""Pieces that several charts have in common: what stands in legends, axes of rows, room around values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, Mark, label

__all__ = [
    "Entry",
    "entries_of",
    "legend_in_html",
    "line_through_marks",
    "padded",
    "round_ticks",
    "rows_axis",
    "sign",
    "sign_of_mark",
    "signed",
    "spread",
    "targets",
    "value_axis",
]

_MARK = "mark"


class Entry(NamedTuple):
    """An entry of a legend."""

    name: str
    symbol: str
    """Name of plotly's marker, or ``line``."""
    colour: str
    outline: str = ""
    is_hatched: bool = False


def entries_of(figure: go.Figure) -> list[Entry]:
    """Entries of the legend of a figure, in their order."""
    found = []
    for trace in figure.data:
        if trace.showlegend is False or trace.name is None:
            continue
        is_line = "mode" in trace and trace.mode == "lines"
        painted = trace.line if is_line else trace.marker
        outline = "" if is_line or painted.line.color is None or not painted.line.width else painted.line.color
        pattern = None if is_line else getattr(painted, "pattern", None)
        usual = "circle" if trace.type == "scatter" else "square"
        symbol = "line" if is_line else getattr(painted, "symbol", None) or usual
        if symbol == "square" and trace.type == "scatter" and (trace.meta == _MARK or trace.x[0] is not None):
            symbol = _MARK  # a small one, as in the chart; larger ones stand for bars
        colour = painted.color if isinstance(painted.color, str) else outline
        found.append(Entry(trace.name, symbol, colour, outline, pattern is not None and pattern.shape is not None))
    return found


_GLYPHS = {
    "circle": "●", "circle-open": "○", "triangle-left": "◄", "triangle-right": "►", "diamond": "◆", "hourglass": "⧗",
    "star": "★", "x": "✖", "x-thin-open": "×", "cross": "✚", "pentagon": "⬟", "hexagon": "⬢", "bowtie": "⧓",
    "line-ns": "│", "line-ns-open": "│", "triangle-up": "▲", "triangle-down": "▼", "mark": "■",
}  # fmt: skip


def legend_in_html(entries: Iterable[Entry], look: Look) -> str:
    """Legend as text, which takes as many lines as the screen makes it and no more."""
    return f'<p class="legend">{"".join(f"<span>{_sign_in_html(one, look)}{one.name}</span>" for one in entries)}</p>'


def _sign_in_html(entry: Entry, look: Look) -> str:
    if entry.symbol in _GLYPHS:
        return f'<i class="sign" style="color:{entry.colour}">{_GLYPHS[entry.symbol]}</i>'
    fill = entry.colour
    if entry.is_hatched:
        fill = f"repeating-linear-gradient(135deg,{entry.colour} 0 4px,{look.ground} 4px 5px)"
    shape = ";height:3px" if entry.symbol == "line" else f";border:1px solid {entry.outline}" if entry.outline else ""
    return f'<i class="swatch" style="background:{fill}{shape}"></i>'


def sign(figure: go.Figure, name: str, marker: Mapping[str, Any]) -> None:
    """Give the legend an entry of its own."""
    figure.add_scatter(x=[None], y=[None], mode="markers", name=name, marker={"size": 11, **marker}, hoverinfo="skip")


def sign_of_mark(figure: go.Figure, name: str, mark: Mark) -> None:
    """Give the legend an entry of a tie-break of its own, in the colour of its mark."""
    sign(figure, name, {"symbol": mark.symbol, "color": mark.colour})
    figure.data[-1].meta = _MARK


def line_through_marks(colour: str, symbol: str, *, size: int, look: Look) -> dict[str, Any]:
    """Draw a trace as a line through marks, which stay apart where lines cross."""
    marker = {"symbol": symbol, "size": size, "color": colour, "line": {"width": 1, "color": look.ground}}
    return {"mode": "lines+markers", "line": {"color": colour, "width": 2.4}, "marker": marker}


def targets(look: Look) -> dict[str, Any]:
    """Make a trace invisible: it tells under the pointer and takes the clicks where what is drawn does not.

    Invisible points need not be drawn: one of them is, and all of them show their texts and take clicks.
    """
    unseen = {"marker": {"opacity": 0}}
    return {
        "mode": "markers",
        "marker": {"size": 6, "opacity": 0, "color": look.text, "maxdisplayed": 1},
        "selected": unseen,
        "unselected": unseen,
        "showlegend": False,
    }


def spread(centres: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Move the middles of things above each other so far, and no further, that none lies on another.

    >>> spread([1.0, 1.0, 9.0], [2.0, 2.0, 4.0])
    [0.0, 2.0, 9.0]
    """
    groups: list[tuple[float, list[int]]] = []  # where things that touch begin, and which these are from below
    for one in sorted(range(len(centres)), key=lambda one: centres[one]):
        start, members = centres[one] - heights[one] / 2, [one]
        while groups and groups[-1][0] + sum(heights[other] for other in groups[-1][1]) > start:
            _, others = groups.pop()
            members = [*others, *members]
            below = np.cumsum([0.0, *(heights[other] for other in members[:-1])])
            middles = [centres[other] - heights[other] / 2 for other in members]
            start = float(np.mean(np.array(middles) - below))
        groups.append((start, members))
    found = [0.0] * len(centres)
    for start, members in groups:
        for member in members:
            found[member] = start + heights[member] / 2
            start += heights[member]
    return found


def padded(values: np.ndarray) -> tuple[float, float]:
    """Range of an axis with some room around the values."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = (high - low) * 0.06 or abs(high) * 0.1 or 0.1
    return low - room, high + room


def round_ticks(low: float, high: float, most: int) -> dict[str, Any]:
    """Write the numbers of an axis with equally many decimals; plotly leaves out zeros at the end of each.

    >>> [round_ticks(*ends, 6)["tickformat"] for ends in ((0.093, 0.117), (0, 1), (0, 90))]
    [',.3f', ',.1f', ',.0f']
    """
    step = abs(high - low) / most or 1.0
    power = math.floor(math.log10(step))
    step = next(one for one in (2, 5, 10) if one >= step / 10.0**power * (1 - 1e-9)) * 10.0**power  # as plotly does
    return {"nticks": most, "tickformat": f",.{max(0, -math.floor(math.log10(step) + 1e-9))}f"}


def rows_axis(names: Sequence[str], strong: Sequence[bool], look: Look) -> dict[str, Any]:
    """Axis with a row a name from the top downwards; what is not strong steps back."""
    return {
        "range": [len(names) - 0.5, -0.5],
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": [
            label(name) if is_strong else f'<span style="color:{look.quiet}">{label(name)}</span>'
            for name, is_strong in zip(names, strong, strict=True)
        ],
        "tickfont": {"color": look.text, "size": SMALL if len(names) > 30 else SMALL + 1},
        "showgrid": False,
        "ticks": "",
        "ticklabelstandoff": 4,
        "ticklabeloverflow": "allow",  # the margin has room for the longest; else the browser measures each of them
    }


def with_direction(measure: str, *, higher_is_better: bool) -> str:
    """Title of an axis with values of a measure."""
    return f"{label(measure, 40)}{'' if higher_is_better else ', fewer is better'}"


def value_axis(
    measure: str, low: float, high: float, *, higher_is_better: bool, ticks: int = 6, standoff: int | None = 4
) -> dict[str, Any]:
    """Axis with values of a measure; it runs backwards where lower is better, so that better is right or above."""
    return {
        "range": [low, high] if higher_is_better else [high, low],
        "title": {"text": with_direction(measure, higher_is_better=higher_is_better), "standoff": standoff},
        **round_ticks(low, high, ticks),
    }


def signed(value: float) -> str:
    """Difference of two values, with its sign.

    >>> signed(0.12345), signed(-0.5), signed(0.0), signed(float("nan"))
    ('+0.1235', '−0.5000', '0.0000', '–')
    """
    if value != value:
        return words.NOTHING
    text = words.number(abs(value))
    return text if not text.strip("0.") else f"{'+' if value > 0 else '−'}{text}"

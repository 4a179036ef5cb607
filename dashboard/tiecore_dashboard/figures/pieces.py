"""Pieces that several charts have in common: legends of their own, axes of rows, room around values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tiecore_dashboard.figures.look import LONGEST_LABEL, SMALL, Look, label
from tiecore_dashboard.ui import words

__all__ = [
    "course",
    "entry_width",
    "legend",
    "legend_height",
    "padded",
    "rows_axis",
    "sign",
    "signed",
    "targets",
    "with_direction",
]

_PHONE = 358
_SIGN, _LEGEND_ROW = 40, 19


def legend(**more: Any) -> dict[str, Any]:
    """Put the legend at the top left of the chart, in the order of the traces, with all the height that it needs."""
    return {
        "x": 0.01,
        "xref": "container",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "traceorder": "normal",
        "maxheight": 999,
        **more,
    }


def entry_width(names: Iterable[str]) -> int:
    """Pixels that the longest of some names needs in a legend.

    >>> entry_width(["input", "query_url_clicks"])
    107
    """
    return 8 + round(6.2 * max((min(len(name), LONGEST_LABEL) for name in names), default=0))


def legend_height(n_entries: int, *, entrywidth: int, beside: int) -> int:
    """Pixels for a legend so that it fits on a phone, where it may be as wide as the chart without its margins.

    Parameters
    ----------
    n_entries
        Entries of the legend.
    entrywidth
        Pixels for the text of each.
    beside
        Margins to the left and right.
    """
    n_columns = max(1, (_PHONE - beside) // (entrywidth + _SIGN))
    return _LEGEND_ROW * -(-n_entries // n_columns)


def sign(figure: go.Figure, name: str, marker: Mapping[str, Any]) -> None:
    """Give the legend an entry of its own."""
    figure.add_scatter(x=[None], y=[None], mode="markers", name=name, marker={"size": 11, **marker}, hoverinfo="skip")


def course(colour: str, symbol: str, *, size: int, look: Look) -> dict[str, Any]:
    """Draw a trace as a line through marks, which stay apart where lines cross."""
    marker = {"symbol": symbol, "size": size, "color": colour, "line": {"width": 1, "color": look.ground}}
    return {"mode": "lines+markers", "line": {"color": colour, "width": 2.4}, "marker": marker}


def targets(look: Look) -> dict[str, Any]:
    """Make a trace invisible: it tells under the pointer and takes the clicks where what is drawn does not.

    The browser need not draw what nobody sees: of all the points one is drawn, and all of them tell and take clicks.
    """
    unseen = {"marker": {"opacity": 0}}
    return {
        "mode": "markers",
        "marker": {"size": 6, "opacity": 0, "color": look.text, "maxdisplayed": 1},
        "selected": unseen,
        "unselected": unseen,
        "showlegend": False,
    }


def padded(values: np.ndarray) -> tuple[float, float]:
    """Range of an axis with some room around the values."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = (high - low) * 0.06 or abs(high) * 0.1 or 0.1
    return low - room, high + room


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


def signed(value: float) -> str:
    """Difference of two values, with its sign.

    >>> signed(0.12345), signed(-0.5), signed(0.0), signed(float("nan"))
    ('+0.1235', '−0.5000', '0.0000', '–')
    """
    if value != value:
        return words.NOTHING
    text = words.number(abs(value))
    return text if not text.strip("0.") else f"{'+' if value > 0 else '−'}{text}"

"""Pieces that several charts have in common: what stands in legends, axes of rows, room around values."""

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from tiecore.measures import Measure
from tiecore.stability.sentences import heading_of
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import GLYPHS, SMALL, Look, label


class Entry(NamedTuple):
    """An entry of a legend."""

    name: str
    colour: str
    symbol: str = "swatch"
    """Name of plotly's marker, a character, or ``swatch`` for what is drawn as a bar."""
    outline: str = ""
    where: str = ""
    """``narrow`` for what stands beside the lines where there is room."""


def sign(figure: go.Figure, *entry: str, **more: str) -> None:
    """Add an :class:`Entry` to the legend of a figure."""
    figure.layout.meta = [*entries_of(figure), Entry(*entry, **more)]


def entries_of(figure: go.Figure) -> list[Entry]:
    """Entries of the legend of a figure, in their order."""
    return [Entry(*entry) for entry in figure.layout.meta or ()]


def legend_in_html(entries: Iterable[Entry]) -> str:
    """Legend as text, which takes as many lines as the screen makes it and no more."""
    signs = (f'<span class="{one.where}">{_sign_in_html(one)}{one.name}</span>' for one in entries)
    return f'<p class="legend">{"".join(signs)}</p>'


def _sign_in_html(entry: Entry) -> str:
    if entry.symbol != "swatch":
        return f'<i class="sign" style="color:{entry.colour}">{GLYPHS.get(entry.symbol, entry.symbol)}</i>'
    border = f";border:1px solid {entry.outline}" if entry.outline else ""
    return f'<i class="swatch" style="background:{entry.colour}{border}"></i>'


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
    }


def padded(values: np.ndarray) -> tuple[float, float]:
    """Range of an axis with some room around the values, or the one; if all are 0, no tick is below."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = abs(high) * 0.1 if math.isclose(low, high) else (high - low) * 0.06
    return (low - room, high + room) if room else (-0.006, 0.1)


def round_values(low: float, high: float, most: int) -> tuple[list[float], int]:
    """Return round values for an axis, about so many and at least two, and the decimals that all of them need.

    >>> round_values(0.093, 0.117, 6)
    ([0.095, 0.1, 0.105, 0.11, 0.115], 3)
    >>> [round_values(*ends, 4)[0] for ends in ((0.12, 0.93), (0.21, 0.98), (-3, 3.1))]
    [[0.2, 0.4, 0.6, 0.8], [0.4, 0.6, 0.8], [-2.0, 0.0, 2.0]]
    """
    power = math.floor(math.log10((high - low or 1.0) / most))
    steps = [one * 10.0**at for at in (power - 1, power, power + 1) for one in (1, 2, 5)]
    counts = [(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1) for step in steps]
    at = next(at for at, (first, end) in enumerate(counts) if end - first <= most)
    at -= counts[at][1] - counts[at][0] < 2
    digits = max(0, -math.floor(math.log10(steps[at]) + 1e-9))
    return [round(n * steps[at], digits) for n in range(*counts[at])], digits


def round_ticks(low: float, high: float, most: int) -> dict[str, Any]:
    """Write the numbers of an axis with equally many decimals; plotly leaves out zeros at the end of each."""
    values, digits = round_values(low, high, most)
    return {"tickvals": values, "tickformat": f",.{digits}f"}


def rows_axis(
    texts: Sequence[str], rows: Iterable[int], strong: Iterable[bool], look: Look, pale: str
) -> dict[str, Any]:
    """Axis with a text in each of the rows, which are counted from the top; what is not strong has the pale colour."""
    return {
        "range": [len(texts) - 0.5, -0.5],
        "tickmode": "array",
        "tickvals": [*rows],
        "ticktext": [
            text if is_strong else f'<span style="color:{pale}">{text}</span>'
            for text, is_strong in zip(texts, strong, strict=True)
        ],
        "tickfont": {"color": look.text, "size": SMALL if len(texts) > 30 else SMALL + 1},
        "showgrid": False,
        "ticks": "",
        "ticklabelstandoff": 4,
        "ticklabeloverflow": "allow",  # the margin has room for the longest; else the browser measures each of them
    }


def value_axis(title: Measure | str, low: float, high: float) -> dict[str, Any]:
    """Axis with values of a measure; it runs backwards where lower is better, so that better is right or above."""
    is_turned = isinstance(title, Measure) and not title.higher_is_better
    return {
        "range": [high, low] if is_turned else [low, high],
        "title": {"text": label(heading_of(title) if isinstance(title, Measure) else title, 60), "standoff": 4},
        **round_ticks(low, high, 6),
    }


def signed(value: float, size: float = 0.0) -> str:
    """Difference of two values, with its sign; ``size``: of the largest in its column.

    >>> signed(0.12345), signed(-0.5, 12.0), signed(0.0), signed(float("nan"))
    ('+0.1235', '−0.50', '0.0000', '–')
    """
    text = words.number(value, size)
    return f"+{text}" if value > 0 and text.strip("0.") else text

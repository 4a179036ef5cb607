"""Courses of the features through the tie-breaks, beside the rows of the leaderboard: who stands where under which.

It is HTML as the leaderboard is, so its rows stand beside those of the table whatever the browser makes of them, and
the page needs no chart that is mounted, drawn and measured anew with each change.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from html import escape
from urllib.parse import quote

import numpy as np
import pandas as pd

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, label, marks_of
from tiecore_dashboard.pages.ranking.leaderboard import HEAD, table_row_height

__all__ = ["MOST_COLUMNS", "course_of", "courses_beside"]

MOST_COLUMNS = 7
"""Expectation and tie-breaks that have room beside a table."""
_WORDY = 4
"""Columns up to which titles are words; beyond they are the signs of the tie-breaks, which the legend explains."""
_WIDE, _NARROW = 54, 36
"""Pixels from one column to the next, under words and under signs."""
_LONGEST = 22
_EDGE = 1.2
"""Pixels of the ground around a symbol, which keeps it apart from the lines."""


def course_of(places: np.ndarray) -> np.ndarray:
    """Row in which each feature is drawn under each column: its place; equal ones in the order of the expectation.

    So no line hides another.

    Parameters
    ----------
    places
        (n_features, n_columns), rows in the order of the expectation.

    >>> course_of(np.array([[1, 2], [1, 1], [3, 2]]))
    array([[0, 1],
           [1, 0],
           [2, 2]])
    """
    return np.argsort(np.argsort(places, axis=0, kind="stable"), axis=0)


def courses_beside(
    places: pd.DataFrame, values: pd.DataFrame, *, look: Look, emphasised: Sequence[str], named: Collection[str] = ()
) -> str:
    """Return the picture as HTML, in rows as high as those of a leaderboard of as many features.

    Parameters
    ----------
    places
        Place of each feature (rows, in order of expectation) under the expectation and each tie-break.
    values
        The values behind the places, in the same shape.
    look
        Colours.
    emphasised
        Features drawn in a colour and with a symbol of their own; the others are grey.
    named
        Features whose names also stand at the end of their course; those of the others are seen only where no row of
        the table stands beside them.
    """
    names = [str(name) for name in places.index]
    columns = [str(column) for column in places.columns]
    rows = course_of(places.to_numpy())
    chosen = [name for name in emphasised if name in names]
    step = _WIDE if len(columns) <= _WORDY else _NARROW
    height = table_row_height(len(names))
    xs = ((np.arange(len(columns)) + 0.5) * step).tolist()
    points = {
        name: list(zip(xs, ys, strict=True)) for name, ys in zip(names, ((rows + 0.5) * height).tolist(), strict=True)
    }
    size = len(columns) * step, len(names) * height
    picture = _picture(points, chosen, look, size=size, radius=3.2 if height > 24 else 2.6)
    told = [
        f'<i class="point" style="left:{x:.0f}px;top:{y:.0f}px" data-feature="{escape(name)}" '
        f'title="{escape(_told(name, column, place, value))}"></i>'
        for name, of_places, of_values in zip(
            names, places.to_numpy().tolist(), values.to_numpy().tolist(), strict=True
        )
        if name in chosen
        for (x, y), column, place, value in zip(points[name], columns, of_places, of_values, strict=True)
    ]
    ends = [
        f'<span style="top:{points[name][-1][1]:.0f}px" class="{_kind(name, chosen, named)}" '
        f'data-feature="{escape(name)}" title="{escape(name)}">{label(name, _LONGEST)}</span>'
        for name in names
    ]
    lengths = {name: 0.9 * min(len(name), _LONGEST) for name in names}
    longest = max((length for name, length in lengths.items() if name in chosen or name in named), default=0)
    style = {
        "head": f"{HEAD}px",
        "step": f"{step}px",
        "width": f"{size[0]}px",
        "names": f"{longest:.1f}ch",
        "all-names": f"{max(lengths.values()):.1f}ch",
        "muted": look.muted,
        "text": look.text,
    }
    return (
        f'<div class="courses{"" if len(columns) <= _WORDY else " signs"}" role="group" '
        'aria-label="Places of the features by expectation and under each tie-break" '
        f'style="{"".join(f"--{name}:{value};" for name, value in style.items())}">'
        f'<div class="titles">{_titles(columns, look)}</div>'
        f'<div class="course-rows" style="height:{size[1]}px"><img alt="" src="{picture}" width="{size[0]}" '
        f'height="{size[1]}">{"".join(told)}{"".join(ends)}</div></div>'
    )


def _titles(columns: Sequence[str], look: Look) -> str:
    """Titles of the columns: names in two lines where there is room, else signs; the names are told on hovering."""
    marks, wordy = marks_of(columns[1:], look), len(columns) <= _WORDY
    titles = []
    for column in columns:
        known = words.known_as(column) if column in marks else "expected"
        sign = marks[column].glyph if column in marks else "●"
        shown = label(known, 18).replace(" ", "<br>", 1) if wordy else sign
        titles.append(f'<span title="{escape(known)}">{shown}</span>')
    return "".join(titles)


def _kind(name: str, chosen: Collection[str], named: Collection[str]) -> str:
    return "chosen" if name in chosen else "named" if name in named else "same"


def _told(name: str, column: str, place: int, value: float) -> str:
    under = "expectation" if column == "expected" else words.known_as(column)
    return f"{name}, {under}: place {place} ({words.number(value)})"


def _picture(
    points: Mapping[str, Sequence[tuple[float, float]]],
    chosen: Sequence[str],
    look: Look,
    *,
    size: tuple[int, int],
    radius: float,
) -> str:
    """Return the lines and points as the address of an SVG image."""
    width, height = size
    parts = [
        f"<path d='{''.join(f'M{x:g} 0V{height}' for x, _ in next(iter(points.values())))}' stroke='{look.grid}'/>"
    ]
    many = [course for name, course in points.items() if name not in chosen]
    if many:
        dots = "".join(f"M{x:g} {y:g}h0" for course in many for x, y in course)
        parts.append(f"<path d='{''.join(map(_line, many))}' stroke='{look.quiet}' stroke-width='1.3'/>")
        parts.append(f"<path d='{dots}' stroke='{look.quiet}' stroke-width='{2 * radius:g}' stroke-linecap='round'/>")
    colours = [look.palette[rank % len(look.palette)] for rank in range(len(chosen))]
    for name, colour in zip(chosen, colours, strict=True):
        parts.append(f"<path d='{_line(points[name])}' stroke='{colour}' stroke-width='3'/>")
    for rank, (name, colour) in enumerate(zip(chosen, colours, strict=True)):
        # with as many features again each colour meets another symbol
        corners = _SYMBOLS[(rank + rank // len(look.palette)) % len(_SYMBOLS)]
        shapes = "".join(_outline(corners, x, y) for x, y in points[name])
        parts.append(f"<path d='{shapes}' fill='{colour}' stroke='{look.ground}' stroke-width='{_EDGE}'/>")
    svg = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' fill='none'>{''.join(parts)}</svg>"
    )
    return "data:image/svg+xml," + quote(svg, safe=" '/:=,;()-")


def _line(course: Sequence[tuple[float, float]]) -> str:
    return f"M{'L'.join(f'{x:g} {y:g}' for x, y in course)}"


def _outline(corners: Sequence[tuple[float, float]], x: float, y: float) -> str:
    return f"M{'L'.join(f'{x + right:.1f} {y + down:.1f}' for right, down in corners)}z"


def _polygon(n: int, radius: float, *, inner: float = 0.0, turned: float = 0.0) -> list[tuple[float, float]]:
    """Corners of a polygon with a corner at the top, or of a star whose notches lie at the inner radius."""
    radii = (radius, inner) if inner else (radius,)
    n *= len(radii)
    angles = [2 * math.pi * (corner / n + turned) for corner in range(n)]
    return [
        (radii[corner % len(radii)] * math.sin(angle), -radii[corner % len(radii)] * math.cos(angle))
        for corner, angle in enumerate(angles)
    ]


_CROSS = [
    (-2.0, -6.0), (2.0, -6.0), (2.0, -2.0), (6.0, -2.0), (6.0, 2.0), (2.0, 2.0),
    (2.0, 6.0), (-2.0, 6.0), (-2.0, 2.0), (-6.0, 2.0), (-6.0, -2.0), (-2.0, -2.0),
]  # fmt: skip
# circle, square, diamond, triangle, star, hexagon, cross, pentagon: as in the chart of places
_SYMBOLS = (
    _polygon(20, 5.5),
    _polygon(4, 7.0, turned=1 / 8),
    _polygon(4, 7.0),
    _polygon(3, 7.0),
    _polygon(5, 7.5, inner=3.2),
    _polygon(6, 6.5),
    _CROSS,
    _polygon(5, 6.5),
)

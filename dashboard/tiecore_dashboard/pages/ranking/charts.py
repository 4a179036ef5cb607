"""The pictures of the ranking: where each feature can land, and what each way of breaking ties makes of the order."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.board import Board
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import (
    SMALL,
    Look,
    Mark,
    blend,
    colours_of,
    gutter,
    label,
    layout,
    marks_of,
    row_height,
)
from tiecore_dashboard.charts.pieces import in_caption, legend, legend_height, round_ticks, rows_axis, with_direction

__all__ = [
    "bump_chart",
    "course_of",
    "farthest_movers",
    "interval_cell",
    "interval_chart",
    "places_chart",
    "value_chart",
]

MOST_COLOURED = 14
"""Features whose courses can be told apart by their colours."""
_FADED = 0.28
_TITLES = 96
"""Pixels that the slanted titles of columns need."""
_AXIS = 42
"""Pixels of the axis and its title above the rows."""
_SIGNS = ("worst–best", "95 % range", "expected")
"""Names in the legend, short enough for two in a row on a phone; what they mean is told below the chart."""
_ENTRY, _LONGEST_SIGN, _RIGHT = 100, 17, 14
_BAR, _MARKS = -0.19, 0.25
"""Middle of the bars and of the marks of tie-breaks, as parts of a row: so no mark hides behind the expectation."""
_CAPTION = (
    "Dot: exact expectation over all orders of tied documents. Light bar: 95 % confidence interval over the queries. "
    "Dark bar: where 95 % of random tie-breaks land."
)
_RANGES = (
    "Worst–best: what the order of tied documents can make of the value. 95 % range: where 95 % of random tie-breaks "
    "land. Expected: exact expectation over all orders of tied documents."
)
_COURSES = "Places by expectation and under each tie-break; features of one place stand one below the other."
_SETS = " Places: 95 % place set for other queries."
_LETTERS = " Letters: features that share one are not clearly different (paired tests, Holm, 0.05)."
_HOVER_OF_ROW = (
    "<b>%{text}</b><br>expected %{customdata[1]}<br>95 % of tie-breaks %{customdata[4]} to %{customdata[5]}"
    "<br>worst %{customdata[2]}, best %{customdata[3]}<extra></extra>"
)


def top_margin(names: Sequence[str], n_tie_breaks: int) -> int:
    """Pixels above the rows, the same for both charts so that their rows stand side by side: legend and axis."""
    n_entries = len(_SIGNS) + n_tie_breaks
    return max(_TITLES, legend_height(n_entries, entrywidth=_ENTRY, beside=gutter(names) + _RIGHT) + _AXIS + 14)


def interval_chart(
    board: pd.DataFrame,
    *,
    measure: str,
    look: Look,
    tie_breaks: Sequence[str] = (),
    highlighted: Collection[str] = (),
    higher_is_better: bool = True,
    close_up: bool = False,
) -> go.Figure:
    """One row a feature: worst to best case, the central 95 % of random tie-breaks, expectation and tie-breaks.

    Parameters
    ----------
    board
        Index feature in the order of the rows; columns ``expected``, ``worst``, ``best``, ``low`` and ``high`` (NaN
        where they are not known) and one for each tie-break.
    measure
        Name, for the axis.
    look
        Colours.
    tie_breaks
        Columns of the board to mark.
    highlighted
        Features that stand out; the others fade if there are any.
    higher_is_better
        If not, the axis runs backwards, so that better is always to the right.
    close_up
        Let the axis show expectations, central intervals and tie-breaks, and cut off the bars that reach further.
    """
    names = list(board.index)
    rows = np.arange(len(names))
    height, top = row_height(len(names)), top_margin(names, len(tie_breaks))
    has_ties = bool((board["worst"] != board["best"]).any())
    tie_breaks = tie_breaks if has_ties else ()  # nothing about ties is drawn where none matters
    strong = [not highlighted or name in highlighted for name in names]
    data = np.array(
        [names, *(board[column].map(words.number) for column in ("expected", "worst", "best", "low", "high"))]
    ).T
    hover_data = {"customdata": data, "hovertemplate": _HOVER_OF_ROW, "text": [label(one, 60) for one in names]}
    left, right = board[["worst", "best"]].min(axis=1), board[["worst", "best"]].max(axis=1)
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "orientation": "h",
            "y": rows + _BAR,
            "base": ends[0].to_numpy(),
            "x": (ends[1] - ends[0]).to_numpy(),
            "width": thickness,
            "name": title,
            "marker": {"color": _faded(colour, strong, look), "line": {"width": 0}, "cornerradius": 3},
            "textposition": "none",
            **hover_data,
        }
        for ends, title, colour, thickness in (
            ((left, right), _SIGNS[0], look.range, 0.46),
            ((board["low"], board["high"]), _SIGNS[1], look.central, 0.26),
        )
        if has_ties
    ]
    marks = marks_of(tie_breaks, look)
    traces += [
        {
            "type": "scatter",
            "x": board[name].to_numpy(),
            "y": rows + _MARKS + offset,
            "mode": "markers",
            "name": label(words.known_as(name), _LONGEST_SIGN),
            "marker": _marker(mark, look, strong, size=8 if height > 20 else 6),
            **hover_data,
            "customdata": np.array([names, board[name].map(words.number)]).T,
            "hovertemplate": "<b>%{text}</b><br>"
            f"{label(words.known_as(name), 60)}: %{{customdata[1]}}<extra></extra>",
        }
        for offset, (name, mark) in zip(_spread(len(tie_breaks)), marks.items(), strict=True)
    ]
    traces.append(
        {
            "type": "scatter",
            "x": board["expected"].to_numpy(),
            "y": rows + _BAR,
            "mode": "markers",
            "name": _SIGNS[2],
            "marker": {
                "symbol": "circle",
                "size": 10 if height > 20 else 8,
                "color": _faded(look.text, strong, look),
                "line": {"width": 1.5, "color": look.ground},
            },
            **hover_data,
        }
    )
    # the legend has entries of its own: those of the traces would fade with their first row
    for trace in traces:
        trace |= {"showlegend": False, "legendgroup": trace["name"]}
    low, high = _range(board[["expected", "low", "high", *tie_breaks]] if close_up else board[["worst", "best"]])
    return go.Figure(
        [*traces, *_signs(marks, look, has_ties=has_ties)],
        layout(
            look,
            meta=in_caption(_RANGES) if has_ties else None,
            height=top + 14 + height * len(names),
            margin={"l": gutter(names), "r": _RIGHT, "t": top, "b": 14},
            barmode="overlay",
            bargap=0,
            legend=legend(entrywidth=_ENTRY),
            xaxis={
                "range": [low, high] if higher_is_better else [high, low],
                "side": "top",
                "title": {
                    "text": f"{label(measure, 60)}{'' if higher_is_better else ', fewer is better'}",
                    "standoff": 4,
                },
                **round_ticks(low, high, 6),
            },
            yaxis=rows_axis(names, strong, look),
        ),
    )


def value_chart(board: pd.DataFrame, *, measure: str, look: Look, higher_is_better: bool = True) -> go.Figure:
    """One row a feature: its value with the 95 % interval over queries, and what ties add; places and letters beside.

    Parameters
    ----------
    board
        Index feature in the order of the rows; columns ``place``, ``expected``, ``low`` and ``high`` (95 % of random
        tie-breaks), ``query_low`` and ``query_high`` (over queries), NaN where not known; shown where they are there:
        ``place_low``, ``place_high``, ``letters``.
    measure
        Name, for the axis.
    look
        Colours.
    higher_is_better
        If not, the axis runs backwards, so that better is always to the right.
    """
    names = [str(name) for name in board.index]
    rows = np.arange(len(names))
    height = row_height(len(names))
    hover_data = np.array(
        [names, *(board[one].map(words.number) for one in ("expected", "query_low", "query_high", "low", "high"))]
    ).T
    hover = (
        "<b>%{text}</b><br>%{customdata[1]}<br>95 % over queries %{customdata[2]} to %{customdata[3]}"
        "<br>95 % of tie-breaks %{customdata[4]} to %{customdata[5]}<extra></extra>"
    )
    usual = {
        "customdata": hover_data,
        "text": [label(one, 60) for one in names],
        "hovertemplate": hover,
        "showlegend": False,
    }
    bars = (
        ("95 % over queries", "query_low", "query_high", look.range, 0.56),
        ("95 % of random tie-breaks", "low", "high", look.central, 0.26),
    )
    known = [bar for bar in bars if (board[bar[1]] != board[bar[2]]).where(board[bar[1]].notna(), False).any()]
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "orientation": "h",
            "y": rows,
            "base": board[low].to_numpy(),
            "x": (board[high] - board[low]).to_numpy(),
            "width": thickness,
            "name": title,
            "marker": {"color": colour, "line": {"width": 0}, "cornerradius": 3},
            "textposition": "none",
            **usual,
        }
        for title, low, high, colour, thickness in known
    ]
    dot: dict[str, object] = {"symbol": "circle", "color": look.text, "line": {"width": 1.5, "color": look.ground}}
    traces.append(
        {
            "type": "scatter",
            "x": board["expected"].to_numpy(),
            "y": rows,
            "mode": "markers",
            "name": "expected",
            "marker": {**dot, "size": 10 if height > 20 else 8},
            **usual,
        }
    )
    traces += [_sign(title, {"symbol": "square", "color": colour}) for title, _, _, colour, _ in known]
    traces.append(_sign("expected", dot))
    beside, entry = _beside(board), 158
    shifts = np.cumsum([6, *(_width(title, texts) for title, texts in beside.items())])
    top = legend_height(len(known) + 1, entrywidth=entry, beside=gutter(names) + _RIGHT) + _AXIS + 14
    ends = board[["expected", *(end for _, low, high, _, _ in known for end in (low, high))]]
    low, high = _range(ends)
    return go.Figure(
        traces,
        layout(
            look,
            height=top + 14 + height * len(names),
            margin={"l": gutter(names), "r": int(shifts[-1]), "t": top, "b": 14},
            barmode="overlay",
            bargap=0,
            legend=legend(entrywidth=entry),
            xaxis={
                "range": [low, high] if higher_is_better else [high, low],
                "side": "top",
                "title": {"text": with_direction(measure, higher_is_better=higher_is_better), "standoff": 4},
                **round_ticks(low, high, 6),
            },
            yaxis=rows_axis(names, [True] * len(names), look),
            meta=in_caption(
                _CAPTION + (_SETS if "place_low" in board else "") + (_LETTERS if "letters" in beside else "")
            ),
            annotations=[
                {
                    "x": 1,
                    "xref": "paper",
                    "xanchor": "left",
                    "xshift": int(shift),
                    "y": at,
                    "yref": "paper" if text == title else "y",
                    "yanchor": "bottom" if text == title else "middle",
                    "text": text,
                    "showarrow": False,
                    "font": {"size": SMALL, "color": look.muted},
                }
                for shift, (title, texts) in zip(shifts, beside.items(), strict=False)
                for at, text in ((1, title), *enumerate(texts))
            ],
        ),
    )


def _beside(board: pd.DataFrame) -> dict[str, list[str]]:
    """Title to cells of what stands right of the rows: places, as sets where known, and letters of the groups."""
    if "place_low" not in board:
        return {"place": [str(place) for place in board["place"]]}
    sets = [words.place_set(low, high) for low, high in zip(board["place_low"], board["place_high"], strict=True)]
    letters = {"letters": [str(groups) for groups in board["letters"]]} if "letters" in board else {}
    return {"places": sets} | letters


def _width(title: str, texts: Sequence[str]) -> int:
    """Pixels of a column of short texts, with room after it."""
    return 10 + round(6.5 * max(map(len, (title, *texts))))


def _sign(name: str, marker: Mapping[str, object]) -> dict[str, Any]:
    """Trace that shows nothing but its entry in the legend."""
    return {
        "type": "scatter",
        "x": [None],
        "y": [None],
        "mode": "markers",
        "name": name,
        "legendgroup": name,
        "marker": {"size": 10, **marker},
        "hoverinfo": "skip",
    }


def _signs(marks: Mapping[str, Mark], look: Look, *, has_ties: bool) -> list[dict[str, Any]]:
    """Traces that show nothing but their entries in the legend."""
    bars = ((_SIGNS[0], look.range), (_SIGNS[1], look.central)) if has_ties else ()
    signs = [
        *((name, {"symbol": "square", "color": colour}) for name, colour in bars),
        (_SIGNS[2], {"symbol": "circle", "color": look.text}),
        *(
            (label(words.known_as(name), _LONGEST_SIGN), {"symbol": mark.symbol, "color": look.text})
            for name, mark in marks.items()
        ),
    ]
    return [_sign(name, marker) for name, marker in signs]


def _spread(n_marks: int) -> np.ndarray:
    """Nudge the marks of a row apart, so that those of equal value are all seen."""
    return np.linspace(-0.17, 0.17, n_marks) if n_marks > 1 else np.zeros(n_marks)


def _faded(colour: str, strong: Sequence[bool], look: Look) -> list[str]:
    """Colour of each row: what is not strong steps back."""
    faded = blend(colour, look.ground, _FADED)
    return [colour if is_strong else faded for is_strong in strong]


def _marker(mark: Mark, look: Look, strong: Sequence[bool], *, size: int) -> dict[str, object]:
    return {
        "symbol": mark.symbol,
        "size": size - (2 if mark.symbol in ("square", "cross") else 0),  # these look larger than they are
        "color": _faded(look.text, strong, look),
        "line": {"width": 1, "color": look.ground},
    }


def _range(board: pd.DataFrame) -> tuple[float, float]:
    values = board.to_numpy()
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = (high - low) * 0.03 or abs(high) * 0.1 or 0.1
    return low - room, high + room


def bump_chart(
    places: pd.DataFrame,
    values: pd.DataFrame,
    *,
    look: Look,
    emphasised: Sequence[str] = (),
    titles: Mapping[str, str] | None = None,
) -> go.Figure:
    """Columns are ways to break the ties, lines are features: who stands where under which.

    Parameters
    ----------
    places
        Place of each feature (rows, in order of expectation) under each column.
    values
        The values behind the places, in the same shape.
    look
        Colours.
    emphasised
        Features drawn in a colour of their own, at most as many as the palette has; the others are grey.
    titles
        What to write over a column, if not its name.
    """
    names, columns = list(places.index), list(places.columns)
    n_columns = len(columns)
    height, top = row_height(len(names)), top_margin(names, n_columns - 3)
    slots = course_of(places.to_numpy())
    hover_data = _told(places, values)
    chosen = [name for name in emphasised if name in names]
    many = [row for row, name in enumerate(names) if name not in chosen]
    radius = 7 if height > 20 else 5
    usual = {
        "type": "scatter",
        "mode": "lines+markers",
        "hovertemplate": "<b>%{customdata[3]}</b><br>%{customdata[1]}: place %{customdata[2]}<extra></extra>",
        "showlegend": False,
    }
    traces: list[dict[str, Any]] = []
    if many:  # one line with gaps
        traces.append(
            {
                **usual,
                "x": [x for _ in many for x in (*range(n_columns), None)],
                "y": [y for row in many for y in (*slots[row].tolist(), None)],
                "customdata": [entry for row in many for entry in (*hover_data[row], ["", "", "", ""])],
                "line": {"color": look.quiet, "width": 1.3},
                "marker": {"size": radius, "color": look.quiet, "line": {"width": 1, "color": look.ground}},
                "name": "others",
            }
        )
    for rank, name in enumerate(chosen):
        row = names.index(name)
        colour = look.palette[rank % len(look.palette)]
        traces.append(
            {
                **usual,
                "x": list(range(n_columns)),
                "y": slots[row],
                "customdata": hover_data[row],
                "line": {"color": colour, "width": 3},
                "marker": {
                    "size": radius + 4,
                    "color": colour,
                    # with as many features again each colour meets another symbol
                    "symbol": _EMPHASIS[(rank + rank // len(look.palette)) % len(_EMPHASIS)],
                    "line": {"width": 1.5, "color": look.ground},
                },
                "name": label(name),
            }
        )
    last = [names[row] for row in np.argsort(slots[:, -1])]
    return go.Figure(
        traces,
        layout(
            look,
            meta=in_caption(_COURSES),
            height=top + 14 + height * len(names),
            margin={"l": 24, "r": gutter(names), "t": top, "b": 14},
            xaxis={
                "range": [-0.3, n_columns - 0.7],
                "side": "top",
                "tickmode": "array",
                "tickvals": list(range(n_columns)),
                "ticktext": [(titles or {}).get(column, label(column, 16)) for column in columns],
                "tickangle": 0 if n_columns <= 2 else -35,
                "showgrid": True,
            },
            yaxis={
                **rows_axis(last, [True] * len(names), look),
                "side": "right",
                "ticktext": [
                    f'<span style="color:{_text_colour(name, chosen, look)}">{label(name)}</span>' for name in last
                ],
            },
        ),
    )


_EMPHASIS = ("circle", "square", "diamond", "triangle-up", "star", "hexagon", "cross", "pentagon")


def _told(places: pd.DataFrame, values: pd.DataFrame) -> list[list[list[str]]]:
    """What each point of each feature tells: its name, column and value, place, and its name as one may read it."""
    columns = [label(column, 40) for column in places.columns]
    return [
        [
            [name, f"{column} {words.number(value)}", str(place), label(name, 60)]
            for column, value, place in zip(columns, of_values, of_places, strict=True)
        ]
        for name, of_values, of_places in zip(
            places.index, values.to_numpy().tolist(), places.to_numpy().tolist(), strict=True
        )
    ]


def _text_colour(name: str, chosen: Sequence[str], look: Look) -> str:
    if name in chosen or not chosen:
        return look.text
    return look.muted


def interval_cell(
    expected: float, worst: float, best: float, low: float, high: float, *, ends: tuple[float, float], look: Look
) -> str:
    """Small picture of an interval for the cell of a table, as the address of an SVG image.

    Parameters
    ----------
    expected, worst, best, low, high
        Values of the feature; low and high may be NaN.
    ends
        Values at the left and at the right end, the same for the whole table.
    look
        Colours.
    """
    width, height = 172, 26
    span = ends[1] - ends[0] or 1.0

    def at(value: float) -> float:
        return 5 + (value - ends[0]) / span * (width - 10)

    def bar(one: float, other: float, thickness: int, colour: str) -> str:
        if math.isnan(one) or math.isnan(other):
            return ""
        left, right = sorted((at(one), at(other)))
        return (
            f'<rect x="{left:.1f}" y="{(height - thickness) / 2}" width="{max(right - left, 1):.1f}" '
            f'height="{thickness}" rx="2" fill="{colour}"/>'
        )

    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"{bar(worst, best, 12, look.range)}{bar(low, high, 6, look.central)}"
        f'<circle cx="{at(expected):.1f}" cy="{height / 2}" r="4" fill="{look.text}" stroke="{look.ground}"/></svg>'
    )
    return "data:image/svg+xml;utf8," + quote(svg)


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


def places_chart(board: Board, *, look: Look, highlighted: Collection[str] = ()) -> go.Figure:
    """Draw the place of each feature by expectation and under each tie-break, in order of the expectation.

    Only features that move have a colour, of many those that a tie-break puts first and those that move farthest; or
    those that are ``highlighted`` if there are any.
    """
    names, unders = list(board.names), [board.under(name) for name in board.tie_breaks]
    titles = ["expectation", *(label(words.known_as(name), 22) for name in board.tie_breaks)]
    places = np.column_stack([board.rows["place"], *(under["place"] for under in unders)])  # (n_features, n_columns)
    values = np.column_stack([board.rows["value"], *(under["value"] for under in unders)])
    slots, height = course_of(places), row_height(len(names))
    chosen = set(highlighted) & set(names) or set(farthest_movers(board))
    colours = colours_of(board.stability.places.index, look)
    figure = go.Figure(
        layout=layout(
            look,
            height=62 + height * len(names),
            margin={"l": gutter(names) + 30, "r": gutter(names) + 30, "t": 48, "b": 14},
            xaxis={
                "range": [-0.1, len(titles) - 0.9],
                "side": "top",
                "tickvals": list(range(len(titles))),
                "ticktext": [title.replace(" ", "<br>", 1) for title in titles],
                "tickangle": 0,
                "showgrid": False,
            },
            yaxis=_numbered(names, places[:, 0], np.arange(len(names)), chosen, look),
            yaxis2={
                **_numbered(names, places[:, -1], slots[:, -1], chosen, look),
                "overlaying": "y",
                "side": "right",
            },
        )
    )
    columns = list(range(len(titles)))
    for row in sorted(range(len(names)), key=lambda row: names[row] in chosen):  # those that have a colour on top
        strong = names[row] in chosen
        colour = colours[names[row]] if strong else look.quiet
        figure.add_scatter(
            x=columns,
            y=slots[row],
            mode="lines+markers",
            name=label(names[row]),
            showlegend=False,
            line={"color": colour, "width": 2.6 if strong else 1},
            marker={"size": 9 if strong else 4, "color": colour, "line": {"width": 1, "color": look.ground}},
            customdata=[
                [names[row], f"{title}: place {place}, {words.number(value)}"]
                for title, place, value in zip(titles, places[row], values[row], strict=True)
            ],
            hovertemplate=f"<b>{label(names[row], 60)}</b><br>%{{customdata[1]}}<extra></extra>",
        )
    # an axis without a trace of its own is not drawn
    figure.add_scatter(x=[None], y=[None], yaxis="y2", showlegend=False, hoverinfo="skip")
    return figure


def farthest_movers(board: Board) -> list[str]:
    """Features that move: those that a tie-break puts first, then those that move farthest, as many as can be told."""
    movers = board.movers()
    firsts = {name for under in map(board.under, board.tie_breaks) for name in under.index[under["place"] == 1]}
    return sorted(movers, key=lambda name: name not in firsts)[:MOST_COLOURED]


def _numbered(
    names: Sequence[str], places: np.ndarray, slots: np.ndarray, chosen: Collection[str], look: Look
) -> dict[str, Any]:
    """Axis with a row a feature: its place and name."""
    strong = [name in chosen for name in names]
    texts = [f"{place}  {label(name)}" for name, place in zip(names, places, strict=True)]
    return {
        **rows_axis(names, strong, look),
        "tickvals": slots.tolist(),
        "ticktext": [
            text if is_strong else f'<span style="color:{look.muted}">{text}</span>'
            for text, is_strong in zip(texts, strong, strict=True)
        ],
    }

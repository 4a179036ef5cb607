"""The picture of the ranking: what each way of breaking ties makes of the order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tiecore.board.board import Board, rows_of
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, colours_of, gutter, label, layout, row_height
from tiecore_dashboard.charts.pieces import rows_axis

MOST_COLOURED = 14
"""Features whose courses can be told apart by their colours."""


def places_chart(board: Board, *, look: Look, highlighted: Collection[str] = ()) -> go.Figure:
    """Draw the place of each feature by expectation and under each tie-break, in order of the expectation.

    Only features that move have a colour, of many those that a tie-break puts first and those that move farthest; or
    those that are ``highlighted`` if there are any.
    """
    unders = [board.under(name) for name in board.tie_breaks]
    return courses_chart(
        list(board.names),
        ["expectation", *(label(words.known_as(name), 22) for name in board.tie_breaks)],
        places=board.courses()[0],
        values=np.column_stack([board.rows["value"], *(under["value"] for under in unders)]),
        chosen=set(highlighted) & set(board.names) or set(farthest_movers(board)),
        colours=colours_of(board.stability.places.index, look),
        look=look,
    )


def courses_chart(
    names: Sequence[str],
    titles: Sequence[str],
    *,
    places: np.ndarray,
    values: np.ndarray,
    chosen: Collection[str],
    colours: Mapping[str, str],
    look: Look,
) -> go.Figure:
    """Draw the place of each feature under each column, in the order of the first.

    ``places``, ``values``: (n_features, n_columns). ``chosen``: features that have a colour.
    """
    slots, height = rows_of(places), row_height(len(names))
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
    told = _told(names, titles, places, values)
    still = [row for row, name in enumerate(names) if name not in chosen]
    courses = [(still, look.quiet, 1.0, 4)]  # in one trace, which a browser draws at once
    courses += [([row], colours[name], 2.6, 9) for row, name in enumerate(names) if name in chosen]
    for rows, colour, width, size in courses:
        figure.add_scatter(
            x=[x for _ in rows for x in (*range(len(titles)), None)],
            y=[y for row in rows for y in (*slots[row].tolist(), None)],
            customdata=[entry for row in rows for entry in (*told[row], ["", ""])],
            mode="lines+markers",
            line={"color": colour, "width": width},
            marker={"size": size, "color": colour, "line": {"width": 1, "color": look.ground}},
            hovertemplate="<b>%{customdata[1]}<extra></extra>",
        )
    # an axis without a trace of its own is not drawn
    figure.add_scatter(x=[None], y=[None], yaxis="y2", hoverinfo="skip")
    return figure


def _told(names: Sequence[str], titles: Sequence[str], places: np.ndarray, values: np.ndarray) -> list[list[list[str]]]:
    """Name of each feature, and what each of its points tells under the pointer."""
    found = []
    for name, own_places, own_values in zip(names, places, values, strict=True):
        shown = [f"{title}: place {place}" for title, place in zip(titles, own_places, strict=True)]
        texts = [f"{text}, {words.number(value)}" for text, value in zip(shown, own_values, strict=True)]
        found.append([[name, f"{label(name, 60)}</b><br>{text}"] for text in texts])
    return found


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

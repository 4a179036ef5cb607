"""The picture of the ranking: what each way of breaking ties makes of the order."""

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.board import Board
from tiecore.board.lines import EQUAL, rows_of, written
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import LONGEST_LABEL, SMALL, Look, gutter, label, layout, row_height
from tiecore_dashboard.charts.pieces import rows_axis, sign

_DISC, _ROOMY = 19, 24
"""Pixels of a disc with a number, and of a row in which discs have room."""
_RAISED = 32
"""Pixels of the two lines of a title."""
_NUMBER, _RIGHT = 30, 190
"""Pixels of a place with the gap before the name, and right of the last column, of which style.css cuts names off."""


def places_chart(board: Board, *, look: Look, colours: Mapping[str, str], screen: int = 1440) -> go.Figure:
    """Draw the place of each feature by expectation and under each tie-break, in order of the expectation.

    ``colours``, ``screen``: as for ``places_in_columns``.
    """
    titles = ["expectation", *(label(words.known_as(name), 22) for name in board.tie_breaks)]
    values, placed = board.rows[["value", *board.tie_breaks]], board.places.set_axis(titles, axis=1)
    return places_in_columns(placed, values, colours=colours, look=look, screen=screen)


def places_in_columns(
    placed: pd.DataFrame, values: pd.DataFrame, *, colours: Mapping[str, str], look: Look, screen: int = 1440
) -> go.Figure:
    """Draw the place of each feature (rows) under each column, in the order of the first.

    ``values``: those that the places follow from. ``colours``: of the features that are not to step back.
    ``screen``: its width, of which a small one has room for short names alone.
    """
    names, titles, places = list(placed.index), list(placed.columns), written(placed.to_numpy())
    slots, is_strong = rows_of(placed.to_numpy()), np.isin(names, list(colours))
    n_rows, letters = round(slots.max()) + 1, min(LONGEST_LABEL, screen // 35)
    height = row_height(n_rows)
    above = _RAISED if len(titles) > 3 else 0  # style.css raises every other title so far where a phone needs it

    def numbered(column: int, form: str) -> dict[str, Any]:
        """Axis with a row a feature: its name and, beside the lines, its place, all places below each other."""
        width = max(map(len, places[:, column]))
        texts = [
            form.format(name=label(name, letters, names), place=f"{place:\u2007>{width}}")
            for name, place in zip(names, places[:, column], strict=True)
        ]
        rows = slots[:, column].tolist()
        return rows_axis(texts, rows, is_strong, look, look.muted) | {"range": [n_rows - 0.5, -0.5]}

    figure = go.Figure(
        layout=layout(
            look,
            height=62 + above + height * n_rows,
            margin={"l": _NUMBER + gutter(names, longest=letters), "r": _RIGHT, "t": 48 + above, "b": 14},
            xaxis={
                "range": [-0.1, len(titles) - 0.9],
                "side": "top",
                "tickvals": list(range(len(titles))),
                "ticktext": ["<br>".join(wrap(title, 9, break_long_words=False)) for title in titles],
                "tickangle": 0,
                "ticklabelstandoff": 3,  # a disc of the first row reaches above it
                "showgrid": False,
            },
            yaxis=numbered(0, "{name}\u2003{place}"),
            yaxis2={**numbered(-1, "{place}\u2002{name}"), "overlaying": "y", "side": "right"},
        )
    )
    told = np.array(
        [
            [
                [name, f"{label(name, 60)}</b><br>{title}: place {place}, {words.number(value)}"]
                for title, place, value in zip(titles, placed.loc[name], values.loc[name], strict=True)
            ]
            for name in names
        ]
    )
    still = [row for row, name in enumerate(names) if name not in colours]
    lines = [(still, look.quiet, 1.0, 4)]  # in one trace, which a browser draws at once
    lines += [([row], colours[name], 2.6, 9) for row, name in enumerate(names) if name in colours]
    hovered = {"hovertemplate": "<b>%{customdata[1]}<extra></extra>"}
    for rows, colour, width, size in lines:
        figure.add_scatter(
            x=[x for _ in rows for x in (*range(len(titles)), None)],
            y=[y for row in rows for y in (*slots[row].tolist(), None)],
            customdata=[entry for row in rows for entry in (*told[row].tolist(), ["", ""])],
            mode="lines+markers",
            line={"color": colour, "width": width},
            marker={"size": size, "color": colour, "line": {"width": 1, "color": look.ground}},
            **hovered,
        )
    has_discs = np.zeros(slots.shape, dtype=bool)
    has_discs[is_strong | (height >= _ROOMY), 1:-1] = True  # the places at both ends stand beside the names
    row, column = has_discs.nonzero()
    own = np.array([colours.get(name, look.ground) for name in names])[row]
    texts = np.strings.lstrip(places[row, column], "=")  # which stands at the ends of the lines
    outlines = np.where(np.strings.str_len(texts) > 2, look.ground, own)  # longer ones have no room
    figure.add_scatter(
        x=column,
        y=slots[row, column],
        text=texts,
        customdata=told[row, column],
        mode="markers+text",
        cliponaxis=False,
        name="places",
        textfont={"size": SMALL, "color": np.where(is_strong[row], look.text, look.muted)},
        marker={"size": _DISC, "color": look.ground, "line": {"width": 2, "color": outlines}},
        **hovered,
    )
    # an axis without a trace of its own is not drawn
    figure.add_scatter(x=[None], y=[None], yaxis="y2", hoverinfo="skip")
    if "=" in "".join(places.flat):
        sign(figure, EQUAL, look.text, "=")
    return figure

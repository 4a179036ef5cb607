"""The picture of the ranking: what each way of breaking ties makes of the order."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tiecore.board.board import Board, rows_of
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, gutter, label, layout, row_height
from tiecore_dashboard.charts.pieces import rows_axis, sign

_DISC, _ROOMY = 19, 24
"""Pixels of a disc with a number, and of a row in which discs have room."""
_RAISED = 32
"""Pixels of the two lines of a title."""
_NUMBER = 30
"""Pixels of a place with the gap before the name."""
_RIGHT, _LONGEST = 190, 22
"""Pixels right of the last column, of which style.css cuts names off, and letters of a name that have room there."""


def places_chart(board: Board, *, look: Look, colours: Mapping[str, str]) -> go.Figure:
    """Draw the place of each feature by expectation and under each tie-break, in order of the expectation.

    ``colours``: of the features that are not to step back.
    """
    return places_in_columns(
        list(board.names),
        ["expectation", *(label(words.known_as(name), 22) for name in board.tie_breaks)],
        places=board.places.to_numpy(),
        values=board.rows[["value", *board.tie_breaks]].to_numpy(),
        colours=colours,
        look=look,
    )


def places_in_columns(
    names: Sequence[str],
    titles: Sequence[str],
    *,
    places: np.ndarray,
    values: np.ndarray,
    colours: Mapping[str, str],
    look: Look,
) -> go.Figure:
    """Draw the place of each feature under each column, in the order of the first.

    ``places``, ``values``: (n_features, n_columns). ``colours``: of the features that are not to step back.
    """
    slots, height = rows_of(places), row_height(len(names))
    above = _RAISED if len(titles) > 3 else 0  # style.css raises every other title so far where a phone needs it
    figure = go.Figure(
        layout=layout(
            look,
            height=62 + above + height * len(names),
            margin={"l": _NUMBER + gutter(names), "r": _RIGHT, "t": 48 + above, "b": 14},
            xaxis={
                "range": [-0.1, len(titles) - 0.9],
                "side": "top",
                "tickvals": list(range(len(titles))),
                "ticktext": [title.replace(" ", "<br>", 1) for title in titles],
                "tickangle": 0,
                "showgrid": False,
            },
            yaxis=_numbered(names, places[:, 0], np.arange(len(names)), colours, look, written="{name}\u2003{place}"),
            yaxis2={
                **_numbered(names, places[:, -1], slots[:, -1], colours, look, written="{place}\u2003{name}"),
                "overlaying": "y",
                "side": "right",
            },
        )
    )
    for name, colour in colours.items():  # where the names at the right are cut off
        sign(figure, label(name), colour, "circle", where="narrow")
    told = [
        [
            [name, f"{label(name, 60)}</b><br>{title}: place {places[row, at]}, {words.number(values[row, at])}"]
            for at, title in enumerate(titles)
        ]
        for row, name in enumerate(names)
    ]
    still = [row for row, name in enumerate(names) if name not in colours]
    lines = [(still, look.quiet, 1.0, 4)]  # in one trace, which a browser draws at once
    lines += [([row], colours[name], 2.6, 9) for row, name in enumerate(names) if name in colours]
    hovered = {"hovertemplate": "<b>%{customdata[1]}<extra></extra>"}
    for rows, colour, width, size in lines:
        figure.add_scatter(
            x=[x for _ in rows for x in (*range(len(titles)), None)],
            y=[y for row in rows for y in (*slots[row].tolist(), None)],
            customdata=[entry for row in rows for entry in (*told[row], ["", ""])],
            mode="lines+markers",
            line={"color": colour, "width": width},
            marker={"size": size, "color": colour, "line": {"width": 1, "color": look.ground}},
            **hovered,
        )
    # the places at both ends stand beside the names
    inner = [
        (row, column)
        for row, name in enumerate(names)
        for column in range(1, len(titles) - 1)
        if name in colours or height >= _ROOMY
    ]
    figure.add_scatter(
        x=[column for _, column in inner],
        y=[slots[at] for at in inner],
        text=[str(places[at]) for at in inner],
        customdata=[told[row][column] for row, column in inner],
        mode="markers+text",
        name="places",
        textfont={"size": SMALL, "color": [look.text if names[row] in colours else look.muted for row, _ in inner]},
        marker={
            "size": _DISC,
            "color": look.ground,
            "line": {"width": 2, "color": [colours.get(names[row], look.ground) for row, _ in inner]},
        },
        **hovered,
    )
    # an axis without a trace of its own is not drawn
    figure.add_scatter(x=[None], y=[None], yaxis="y2", hoverinfo="skip")
    return figure


def _numbered(
    names: Sequence[str], places: np.ndarray, slots: np.ndarray, chosen: Collection[str], look: Look, *, written: str
) -> dict[str, Any]:
    """Axis with a row a feature: its name and, beside the lines, its place, all places below each other."""
    width, texts = len(str(places.max())), []
    for name, place in zip(names, places, strict=True):
        text = written.format(name=label(name, _LONGEST, names), place=f"{place:\u2007>{width}}")
        texts.append(text if name in chosen else f'<span style="color:{look.muted}">{text}</span>')
    return rows_axis(names, [True] * len(names), look) | {"tickvals": slots.tolist(), "ticktext": texts}

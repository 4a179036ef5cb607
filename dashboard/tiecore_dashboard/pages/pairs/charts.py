"""The picture of all pairs: which differences are clear, and which are open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, blend, label, transparent
from tiecore_dashboard.charts.pieces import (
    MOST_NAMED,
    are_numbered,
    frame_pair,
    legend,
    legend_height,
    square_map,
    targets,
)
from tiecore_dashboard.charts.pieces import sign as add_sign
from tiecore_dashboard.words import MEANINGS, REVERSED, VERDICTS

__all__ = ["heat_map", "sign", "verdict_legend"]

_STRENGTH = {"clear": 1.0, "open": 0.8, "small": 0.6, "equal": 0.5}
"""Where a verdict stands on the scale of colours, from the better one's side."""
_FEW, _WITH_TEXT = 14, 24
_ENTRY = 150
_STROKES = {"open": ("rising",), "small": ("falling",)}
"""Across the cells that are too small for marks; none where a difference is clear."""


def sign(verdict: str, *, is_reversed: bool) -> str:
    """Mark of a pair, and of a tie-break that reverses its order.

    >>> sign("open", is_reversed=True)
    '○⇅'
    """
    return VERDICTS.get(verdict, "") + (REVERSED if is_reversed else "")


def _steps(look: Look) -> dict[str, str]:
    """Return the colour of each verdict, from the better one's side."""
    return {
        "clear": look.accent,
        "open": blend(look.accent, look.ground, 0.4),
        "small": blend(look.quiet, look.ground, 0.22),
        "equal": blend(look.quiet, look.ground, 0.1),
    }


def _behind(look: Look) -> dict[str, str]:
    """Return the colour of each verdict but the last, from the worse one's side."""
    return {
        "clear": blend(look.palette[1], look.ground, 0.5),
        "open": blend(look.palette[1], look.ground, 0.2),
        "small": _steps(look)["small"],
    }


def _colours(look: Look) -> list[tuple[float, str]]:
    """Scale from the row being clearly worse to its being clearly better, a step for each verdict."""
    ahead, behind = _steps(look), _behind(look)
    edges = [0.0, 0.1, 0.3, 0.45, 0.55, 0.7, 0.9, 1.0]
    steps = [*behind.values(), *reversed(ahead.values())]
    return [
        edge
        for (low, high), colour in zip(pairwise(edges), steps, strict=True)
        for edge in ((low, colour), (high, colour))
    ]


def verdict_legend(look: Look, *, n_features: int, verdicts: Collection[str], any_reversed: bool) -> str:
    """Say in HTML what marks and colours of the heat map mean."""
    colours = _steps(look)
    if n_features > _WITH_TEXT:
        colours = {name: f"{_swatch_strokes(name, look)}{colour}" for name, colour in colours.items()}
    entries = [
        f'<span title="{MEANINGS[name]}" style="white-space:nowrap;cursor:help">'
        f"{_swatch(colours[name], look.quiet)} {mark} {name}</span>"
        for name, mark in VERDICTS.items()
        if name in verdicts
    ]
    entries.append(
        f'<span style="white-space:nowrap">{_swatch(look.accent)} row leads&ensp;'
        f"{_swatch(_behind(look)['clear'])} column leads</span>"
    )
    if any_reversed:
        mark = "dots:" if n_features > _WITH_TEXT else REVERSED
        entries.append(f'<span style="white-space:nowrap">{mark} reversed by a tie-break</span>')
    return (
        f'<div style="font-size:.82rem;color:{look.muted};display:flex;flex-wrap:wrap;gap:.1rem .9rem">'
        f"{''.join(entries)}</div>"
    )


def _swatch(colour: str, outline: str = "transparent") -> str:
    """Return a little square in a colour, or in layers of a background."""
    return (
        '<span style="display:inline-block;width:.8em;height:.8em;border-radius:2px;box-sizing:border-box;'
        f'vertical-align:-.05em;border:1px solid {outline};background:{colour}"></span>'
    )


def _swatch_strokes(verdict: str, look: Look) -> str:
    """Layers of a background in CSS: the strokes of a cell."""
    ink, corner = transparent(look.text, 0.7), {"rising": "right", "falling": "left"}
    return "".join(
        f"linear-gradient(to bottom {corner[stroke]},transparent 44%,{ink} 44% 56%,transparent 56%),"
        for stroke in _STROKES.get(verdict, ())
    )


def heat_map(
    beats: pd.DataFrame,
    pairs: pd.DataFrame,
    *,
    look: Look,
    chosen: tuple[str, str] | None = None,
    highlighted: Collection[str] = (),
    explained: Collection[str] = (),
) -> go.Figure:
    """Chance that the feature of the row beats that of the column, in order of the expectation.

    Parameters
    ----------
    beats
        Chance of each feature (rows) to beat each other (columns).
    pairs
        A row for each pair with ``leader``, ``trailer``, ``verdict``, ``tie_risk`` and ``reversed_by``.
    explained
        Verdicts whose colours and marks a legend explains; where the map stands alone, for on the page it has one.
    """
    names = [str(name) for name in beats.index]
    n = len(names)
    position = {name: place for place, name in enumerate(names)}
    leader = pairs["leader"].map(position).to_numpy()
    trailer = pairs["trailer"].map(position).to_numpy()
    chance = beats.to_numpy()
    colour = np.full(chance.shape, np.nan)
    strength = pairs["verdict"].map(_STRENGTH).to_numpy(dtype=float)
    colour[leader, trailer], colour[trailer, leader] = strength, 1 - strength

    is_numbered = are_numbered(names)
    shown = [f"{label(name)}  {place}" if is_numbered else label(name) for place, name in enumerate(names, start=1)]
    figure = square_map(
        colour,
        names,
        [
            f'<span style="color:{look.muted}">{text}</span>' if highlighted and name not in highlighted else text
            for text, name in zip(shown, names, strict=True)
        ],
        lowest=0,
        colours=_colours(look),
        texts=_cell_texts(chance, pairs, leader, trailer) if n <= _WITH_TEXT else None,
        cell=38 if n <= _FEW else 26 if n <= _WITH_TEXT else 16,
        look=look,
    )
    if n > _WITH_TEXT:
        _strike(figure, n, pairs["verdict"].to_numpy(), leader, trailer, look)
    _add_targets(figure, names, chance, pairs, leader, trailer, look)
    any_reversed = bool(pairs["reversed_by"].map(bool).any())
    above = _explain(figure, explained, look, has_marks=n <= _WITH_TEXT, any_reversed=any_reversed)
    figure.update_layout(
        height=figure.layout.height + above,
        margin={"t": figure.layout.margin.t + above},
        legend=legend(entrywidth=_ENTRY),
    )
    if n > MOST_NAMED:
        title = {"font": {"size": SMALL, "color": look.muted}, "standoff": 4}
        figure.update_xaxes(title={"text": "beats the feature at this place by expectation", **title})
    frame_pair(figure, names, chosen, look)
    return figure


def _explain(figure: go.Figure, verdicts: Collection[str], look: Look, *, has_marks: bool, any_reversed: bool) -> int:
    """Give the legend an entry for each verdict; return the pixels that it needs."""
    shown = [verdict for verdict in VERDICTS if verdict in verdicts]
    for verdict in shown:
        mark = f"{VERDICTS[verdict]} " if has_marks else ""
        line = {"color": look.quiet, "width": 0.6}
        add_sign(figure, f"{mark}{verdict}", {"symbol": "square", "color": _steps(look)[verdict], "line": line})
    if shown and any_reversed:
        add_sign(figure, f"{REVERSED if has_marks else '•'} reversed by a tie-break", {"color": look.ground})
    return legend_height(len(shown) + any_reversed, entrywidth=_ENTRY, beside=20) + 8 if shown else 0


def _cell_texts(chance: np.ndarray, pairs: pd.DataFrame, leader: np.ndarray, trailer: np.ndarray) -> np.ndarray:
    """(n_features, n_features) marks; with few features the chances below them where luck decides."""
    n = len(chance)
    texts = np.full((n, n), "", dtype=object)
    for one, other, verdict, reversing in zip(leader, trailer, pairs["verdict"], pairs["reversed_by"], strict=True):
        for row, column in ((one, other), (other, one)):
            mark = sign(verdict, is_reversed=bool(reversing))
            shown = n <= _FEW and verdict == "open"
            texts[row, column] = f"{mark}<br>{words.share(chance[row, column])[:-2]}" if shown else mark
    return texts


def _strike(
    figure: go.Figure, n: int, verdict: np.ndarray, leader: np.ndarray, trailer: np.ndarray, look: Look
) -> None:
    """Strike small cells through, so that verdicts differ in more than colour; a path each, light for any browser."""
    for name, strokes in _STROKES.items():
        crossed = np.zeros((n, n), dtype=bool)
        of_verdict = verdict == name
        crossed[leader[of_verdict], trailer[of_verdict]] = crossed[trailer[of_verdict], leader[of_verdict]] = True
        if not crossed.any():
            continue
        figure.add_shape(
            type="path",
            name=name,
            path="".join(_rising(crossed) if stroke == "rising" else _falling(crossed) for stroke in strokes),
            line={"color": transparent(look.text, 0.25), "width": 1 if n <= MOST_NAMED else 0.6},
            layer="above",
        )


def _falling(crossed: np.ndarray) -> str:
    """Path of the strokes from the upper left to the lower right of cells; a run of them is one stroke."""
    return "".join(f"M{left},{top}L{right},{bottom}" for left, top, right, bottom in _runs(crossed))


def _rising(crossed: np.ndarray) -> str:
    """Path of the strokes from the lower left to the upper right of cells."""
    end = len(crossed) - 1
    return "".join(f"M{left},{end - top}L{right},{end - bottom}" for left, top, right, bottom in _runs(crossed[::-1]))


def _runs(crossed: np.ndarray) -> np.ndarray:
    """(n_runs, 4) corners of the runs of cells down the diagonals: left, top, right, bottom."""
    around = np.pad(crossed, 1)

    def along(ends: np.ndarray) -> np.ndarray:
        rows, columns = np.nonzero(ends)
        order = np.lexsort((rows, columns - rows))  # by diagonals, so that each first cell meets its last one
        return np.stack([columns[order], rows[order]], axis=1)

    first, last = along(crossed & ~around[:-2, :-2]), along(crossed & ~around[2:, 2:])
    return np.hstack([first - 0.5, last + 0.5])


def _add_targets(
    figure: go.Figure,
    names: Sequence[str],
    chance: np.ndarray,
    pairs: pd.DataFrame,
    leader: np.ndarray,
    trailer: np.ndarray,
    look: Look,
) -> None:
    """Lay invisible points over the cells: they tell under the pointer and take the clicks, which cells do not."""
    many = len(names) > _WITH_TEXT
    shown = [f"{label(name, 40)}{f' (place {row + 1})' if many else ''}" for row, name in enumerate(names)]
    hover_data = []
    for verdict, tie_risk, reversing in zip(pairs["verdict"], pairs["tie_risk"], pairs["reversed_by"], strict=True):
        line = words.badge(verdict, tie_risk=tie_risk)
        hover_data.append(
            line + (f"<br>reversed by {label(words.enumerate_names(reversing), 60)}" if reversing else "")
        )
    rows, columns = np.concatenate([leader, trailer]), np.concatenate([trailer, leader])
    data = np.array(
        [
            [names[row], names[column], shown[row], shown[column], words.share(chance[row, column]), line]
            for row, column, line in zip(rows, columns, hover_data * 2, strict=True)
        ],
        dtype=object,
    )
    is_reversed = pairs["reversed_by"].map(bool).to_numpy(dtype=bool)
    if many and is_reversed.any():
        figure.add_scatter(
            x=columns[np.tile(is_reversed, 2)],
            y=rows[np.tile(is_reversed, 2)],
            mode="markers",
            marker={"symbol": "asterisk-open" if len(names) <= MOST_NAMED else "circle", "size": 3, "color": look.text},
            hoverinfo="skip",
            showlegend=False,
        )
    figure.add_scatter(
        x=columns,
        y=rows,
        customdata=data,
        hovertemplate="<b>%{customdata[2]}</b> beats<br><b>%{customdata[3]}</b><br>"
        "in %{customdata[4]} of random tie-breaks<br>%{customdata[5]}<extra></extra>",
        name="pairs",
        **targets(look),
    )

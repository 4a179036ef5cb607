"""Maps of all pairs: a triangle of cells, with each name where its row begins and its column ends."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Figure, Look, blend, gutter, label, layout
from tiecore_dashboard.charts.pieces import sign, signed, targets
from tiecore_dashboard.words import REVERSED

MOST_NAMED, _MOST_MARKED = 40, 24
"""Features whose names have room on the diagonal, and whose cells have room for marks; larger maps have dots."""
_SIDE = 560
_OPEN, _CLEAR = 0.3, 0.55
"""Where the colours of open differences end, and where those of clear ones begin."""


def colours(look: Look) -> list[tuple[float, str]]:
    """Scale of colours from −1 to 1."""
    return [(0.0, look.palette[1]), (0.5, blend(look.quiet, look.ground, 0.16)), (1.0, look.accent)]


def triangle(
    values: np.ndarray,
    names: Sequence[str],
    told: Sequence[str],
    *,
    look: Look,
    chosen: tuple[str, str] | None = None,
    highlighted: Collection[str] = (),
) -> Figure:
    """Draw a cell for each pair, its colour between −1 and 1; a click on a cell names the pair.

    ``values``: (n_features, n_features), shown above the diagonal. ``told``: (n_pairs,) what is told
    under the pointer, in the order of ``np.triu_indices``. ``chosen``: two features whose cell is framed.
    """
    n = len(names)
    row, column = np.triu_indices(n, 1)
    is_named = n <= MOST_NAMED
    left = max(24, gutter(names) - 16) if is_named else 44
    top = 8 if is_named else 40
    side = max(90, (40 if n <= 14 else 26 if n <= _MOST_MARKED else 16) * n) if is_named else _SIDE
    figure = go.Figure(layout=layout(look, height=top + side + 10, hoverdistance=-1))
    z = np.full((n, n), np.nan)
    z[row, column] = values[row, column]
    gap = 1 if is_named else 0
    figure.add_heatmap(
        z=z, zmin=-1, zmax=1, colorscale=colours(look), showscale=False, xgap=gap, ygap=gap, hoverinfo="skip"
    )
    figure.add_scatter(
        x=column,
        y=row,
        customdata=[[names[one], names[other]] for one, other in zip(row.tolist(), column.tolist(), strict=True)],
        hovertext=list(told),
        hovertemplate="%{hovertext}<extra></extra>",
        name="pairs",
        **targets(look),
    )
    if chosen is not None and set(chosen) <= set(names):
        at = sorted(names.index(name) for name in chosen)
        half = max(0.5, n / 80)  # a small cell gets a frame that is seen
        ends = {"x0": at[1] - half, "x1": at[1] + half, "y0": at[0] - half, "y1": at[0] + half}
        figure.add_shape(type="rect", line={"color": look.text, "width": 2.5}, **ends)
    places = [] if is_named else [0, *range(9, n, 10)]
    axis = {"showgrid": False, "ticks": "", "tickmode": "array", "tickvals": places}
    axis |= {"ticktext": [str(place + 1) for place in places], "title": {"text": "" if is_named else "place"}}
    figure.update_layout(
        margin={"l": left, "r": 10, "t": top, "b": 10},
        xaxis={**axis, "range": [-0.5, n - 0.5], "side": "top"},
        yaxis={**axis, "range": [n - 0.5, -0.5]},
    )
    for place, name in enumerate(names if is_named else ()):
        is_strong = not highlighted or name in highlighted
        figure.add_annotation(
            x=place + 0.45,
            y=place,
            text=label(name),
            font={"size": SMALL, "color": look.text if is_strong else look.quiet},
            showarrow=False,
            xanchor="right",
        )
    return figure


def alike_map(
    means: pd.DataFrame,
    queries: pd.DataFrame,
    *,
    title: str,
    look: Look,
    chosen: tuple[str, str] | None = None,
    highlighted: Collection[str] = (),
) -> Figure:
    """Draw how alike each two features rank.

    ``means``, ``queries``: features × features in the order to draw them: mean of the coefficient, queries in it.
    """
    names, values = [str(name) for name in means.index], means.to_numpy(dtype=float)
    upper = np.triu_indices(len(names), 1)
    told = []
    for one, other, value, n in zip(*upper, values[upper], queries.to_numpy()[upper], strict=True):
        over = f"{value:.3f} over {words.plural(int(n), 'query', 'queries')}".replace("-", "−")
        known = over if value == value else "not defined: no query in which both order documents"
        told.append(f"<b>{label(names[one], 40)}</b> and <b>{label(names[other], 40)}</b><br>{label(title)} {known}")
    figure = triangle(values, names, told, look=look, chosen=chosen, highlighted=highlighted)
    ends = {"1 same order": 1.0, "0 unrelated": 0.5}
    if np.nanmin(values, initial=0.0) < 0:
        ends["−1 opposite order"] = 0.0
    for name, at in ends.items():
        sign(figure, name, dict(colours(look))[at])
    return figure


def difference_map(
    pairs: pd.DataFrame,
    names: Sequence[str],
    *,
    look: Look,
    chosen: tuple[str, str] | None = None,
    highlighted: Collection[str] = (),
) -> Figure:
    """Draw the difference of each two features: strong where it is clear, pale where it is open.

    ``pairs``: rows of ``Stability.pairs``, all pairs of the names. ``names``: in order of the expectation; where the
    feature of the column is the better one, the cell has another colour.
    """
    position = {name: place for place, name in enumerate(names)}
    leader, trailer = (pairs[side].map(position).to_numpy(dtype=int) for side in ("leader", "trailer"))
    size = pairs["difference"].fillna(0).to_numpy()
    size = size / (size.max(initial=0.0) or 1.0)
    is_clear = pairs["verdict"].eq("clear").to_numpy()
    strength = np.where(is_clear, _CLEAR + (1 - _CLEAR) * size, _OPEN * size)
    row, column = np.minimum(leader, trailer), np.maximum(leader, trailer)
    values = np.full((len(names), len(names)), np.nan)
    values[row, column] = np.where(leader < trailer, strength, -strength)
    told = np.full(values.shape, "", dtype=object)
    told[row, column] = [_told(pair) for pair in pairs.itertuples(index=False)]
    figure = triangle(
        values,
        names,
        list(told[np.triu_indices(len(names), 1)]),
        look=look,
        chosen=chosen,
        highlighted=highlighted,
    )
    is_reversed = pairs["reversed_by"].map(bool).to_numpy(dtype=bool)
    scale = dict(colours(look))
    for name, strength_of, is_there in (
        ("clear", 1.0, is_clear.any()), ("open", _OPEN, not is_clear.all()),
        ("clear, and the later one leads", -1.0, (is_clear & (leader > trailer)).any()),
    ):  # fmt: skip
        if is_there:
            colour = blend(scale[1.0 if strength_of > 0 else 0.0], scale[0.5], abs(strength_of))
            sign(figure, name, colour)
    if is_reversed.any():
        mode = "text" if len(names) <= _MOST_MARKED else "markers"
        sign(figure, f"{REVERSED if mode == 'text' else '•'} reversed by a tie-break", look.ground)
        figure.add_scatter(
            x=column[is_reversed],
            y=row[is_reversed],
            mode=mode,
            text=REVERSED,
            textfont={"size": SMALL + 2, "color": look.text},
            marker={"size": 3, "color": look.text},
            name="reversed",
            hoverinfo="skip",
        )
    return figure


def _told(pair: Any) -> str:
    names = f"<b>{label(pair.leader, 40)}</b> − <b>{label(pair.trailer, 40)}</b>"
    interval = "" if pair.low != pair.low else f" ({signed(pair.low)} to {signed(pair.high)})"
    lines = [names, f"{signed(pair.difference)}{interval}", words.badge(pair.verdict, tie_risk=pair.tie_risk)]
    if pair.reversed_by:
        lines.append(f"reversed by {label(words.enumerate_names(pair.reversed_by), 60)}")
    return "<br>".join(lines)

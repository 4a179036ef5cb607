"""The pictures of the worked example: its tie groups, and the values that the orderings of tied documents give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, layout
from tiecore_dashboard.charts.pieces import legend, legend_height, legend_room, padded, sign, value_axis

__all__ = ["groups_strip", "orderings_chart"]

_HEIGHT, _BELOW, _ENTRY = 230, 46, 130

_ON_CENTRAL = "#10151d"
"""Text on the colour of the central range, readable in both themes."""


def groups_strip(groups: Sequence[Sequence[int | None]], *, rel: int, look: Look) -> str:
    """Tie groups as boxes of grades, the best scores first, in HTML; relevant grades are filled."""
    boxes = []
    for group in groups:
        cells = "".join(_cell(grade, relevant=grade is not None and grade >= rel, look=look) for grade in group)
        tied = f"{len(group)} tied" if len(group) > 1 else "alone"
        boxes.append(
            f'<div style="text-align:center"><div style="display:flex;gap:4px;padding:5px;border-radius:8px;'
            f'background:{look.panel};border:1px solid {look.grid}">{cells}</div>'
            f'<small style="color:{look.muted}">{tied}</small></div>'
        )
    return f'<div style="display:flex;flex-wrap:wrap;gap:8px">{"".join(boxes)}</div>'


def _cell(grade: int | None, *, relevant: bool, look: Look) -> str:
    meaning = "not judged" if grade is None else f"grade {grade}, {'relevant' if relevant else 'not relevant'}"
    fill = f"background:{look.central};color:{_ON_CENTRAL};font-weight:650" if relevant else f"background:{look.ground}"
    border = "dashed" if grade is None else "solid"
    return (
        f'<span title="{meaning}" style="{fill};border:1px {border} {look.quiet};border-radius:5px;min-width:1.8em;'
        f'padding:1px 5px;text-align:center">{words.NOTHING if grade is None else grade}</span>'
    )


def orderings_chart(
    distribution: pd.DataFrame,
    *,
    expected: float,
    measure: str,
    look: Look,
    higher_is_better: bool = True,
    mean_is_the_value: bool = True,
) -> go.Figure:
    """Dots at the values that orderings give, as high as many give them; a line at the value of the closed form.

    ``distribution``: columns ``value`` and ``orderings``. ``mean_is_the_value``: whether the value is the mean over the
    orderings, or defined otherwise.
    """
    value, count = distribution["value"].to_numpy(), distribution["orderings"].to_numpy()
    title = "expectation" if mean_is_the_value else "value as defined"
    margin = {"l": 52, "r": 16, "b": _BELOW}
    above = legend_height(2, entrywidth=_ENTRY, beside=margin["l"] + margin["r"]) + 4
    top = above + 8
    figure = go.Figure(layout=layout(look, height=_HEIGHT + top, margin={**margin, "t": top}, meta=legend_room(above)))
    highest = count.max()
    figure.add_scatter(
        x=np.repeat(value, 3),
        y=np.stack([np.zeros(len(count)), count, np.full(len(count), np.nan)], axis=1).ravel(),
        mode="lines",
        line={"color": look.range, "width": 5 if len(value) < 40 else 2},
        hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=value,
        y=count,
        mode="markers",
        marker={
            "size": 11 if len(value) < 40 else 6,
            "color": look.central,
            "line": {"width": 1, "color": look.ground},
        },
        customdata=np.array(
            [[words.number(one) for one in value], [words.plural(int(n), "ordering") for n in count]]
        ).T,
        hovertemplate="%{customdata[1]}<br>give %{customdata[0]}<extra></extra>",
        showlegend=False,
    )
    figure.add_scatter(
        x=[expected, expected],
        y=[0, highest * 1.15],
        mode="lines",
        line={"color": look.text, "width": 2, "dash": "dash"},
        hovertemplate=f"{title} {words.number(expected)}<extra></extra>",
        showlegend=False,
    )
    sign(figure, "value of an ordering", {"symbol": "circle", "color": look.central})
    sign(figure, title, {"symbol": "line-ns", "line": {"width": 2, "color": look.text}})
    low, high = padded(np.append(value, expected))
    figure.update_layout(
        legend=legend(entrywidth=_ENTRY),
        xaxis=value_axis(measure, low, high, higher_is_better=higher_is_better, ticks=8, standoff=None),
        yaxis={
            "range": [0, highest * 1.15],
            "title": {"text": "orderings"},
            "dtick": max(1, -(-int(highest) // 4)),
            "tickformat": ",d",
        },
    )
    return figure

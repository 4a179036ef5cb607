"""The picture of the worked example: the values that the orderings of tied documents give."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.measures import Measure
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, layout
from tiecore_dashboard.charts.pieces import padded, round_values, sign, value_axis

_THINNEST, _BINS = 0.006, 16


def orderings_chart(
    values: pd.Series,
    *,
    expected: float,
    title: str,
    measure: Measure,
    look: Look,
    noun: str = "ordering",
    ends: Sequence[float] = (),
) -> go.Figure:
    """Bars at the values that orderings give, as high as many give them; a line at the value of the closed form.

    Where bars would be too thin to stay apart they are those of a histogram.

    ``values``: how many orderings, a ``noun``, give each value, which is the index. ``title``: what the value of the
    closed form is called. ``ends``: values that the axis holds besides.
    """
    value, count = values.index.to_numpy(), values.to_numpy()
    figure = go.Figure(layout=layout(look, height=238))
    low, high = padded(np.array([*value, expected, *ends]))
    width = min(0.03 * (high - low), 0.8 * np.diff(value).min(initial=high - low))
    told = [words.number(one) for one in value]
    if width < _THINNEST * (high - low):
        count, edges = np.histogram(value, _BINS, weights=count)
        value, width = (edges[1:] + edges[:-1]) / 2, 0.8 * (edges[1] - edges[0])
        told = [f"{words.number(one)} to {words.number(other)}" for one, other in pairwise(edges)]
    top = count.max() * 1.15
    figure.add_bar(
        x=value,
        y=count,
        width=width,
        marker={"color": look.central, "line": {"width": 0}},
        customdata=[[one, words.plural(int(n), noun)] for one, n in zip(told, count, strict=True)],
        hovertemplate="%{customdata[1]}<br>give %{customdata[0]}<extra></extra>",
    )
    figure.add_scatter(
        x=[expected, expected],
        y=[0, top],
        mode="lines",
        line={"color": look.text, "width": 2},
        hovertemplate=f"{title} {words.number(expected)}<extra></extra>",
    )
    sign(figure, f"values of {noun}s", look.central)
    sign(figure, title, look.text, "line-ns")
    figure.update_layout(
        margin={"l": 52, "r": 16, "t": 8, "b": 46},
        xaxis=value_axis(measure, low, high),
        yaxis={
            "range": [0, top],
            "title": {"text": f"{noun}s"},
            "tickvals": [one for one in round_values(0.0, float(count.max()), 4)[0] if one == int(one)],
            "tickformat": ",d",
        },
    )
    return figure

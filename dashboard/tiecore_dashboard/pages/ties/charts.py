"""The pictures of ties: how many, what a tie-break knows, what repairs do."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.board.marks import marks_of
from tiecore.measures import Measure
from tiecore.stability.sentences import called, heading_of
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, label
from tiecore_dashboard.charts.pieces import signed
from tiecore_dashboard.charts.rows import Point, Range, levels, rows_chart

MOST_TIE_BREAKERS = 12
"""Rows of the advice for one feature."""
_CHANCE, EDGE = 1.96, 5.0
"""Standard deviations that chance gives, and those at which marks that lie farther stand."""


def bias_chart(
    bias: pd.DataFrame, *, measure: Measure, look: Look, tie_breaks: Sequence[str], highlighted: Collection[str] = ()
) -> go.Figure:
    """One row a feature: how far each tie-break shifts its value, in units of what chance would do.

    One mark far away would squeeze all others: those beyond ``EDGE`` stand there, each on an arrow from its number.
    ``bias``: index (tie_break, feature); columns ``z``, ``shift`` and ``verdict``; features in the order of the rows.
    """
    names = list(bias.index.unique("feature"))
    marks = marks_of(tie_breaks)
    nudges = levels(len(marks))
    chance = np.full(len(names), _CHANCE)
    farthest = min(EDGE, np.fmax(3.0, bias["z"].abs().max())) * 1.1
    points = []
    for nudge, (name, symbol) in zip(nudges, marks.items(), strict=False):
        known, found = words.known_as(name), bias.xs(name, level="tie_break")
        hover = [
            f"<b>{label(feature, 60)}</b> under {label(known, 60)}<br>shift {signed(shift)}, z = {words.number(z)}<br>"
            f"{label(str(verdict).replace(name, known, 1), 120)}"
            for feature, shift, z, verdict in found[["shift", "z", "verdict"]].itertuples(name=None)
        ]
        place = found["z"].clip(-EDGE, EDGE)
        points.append(Point(label(known, 22), place, look.muted, symbol, size=10, offset=nudge, hover=hover))
    figure = rows_chart(
        names,
        [Range("within chance (95 %)", -chance, chance, look.range, thickness=0.9), *points],
        look=look,
        title=f"shift of {label(heading_of(measure), 40)}<br>in standard deviations (z)",
        ends=(-farthest, farthest),
        higher_is_better=measure.higher_is_better,
        zero=0.0,
        highlighted=highlighted,
    )
    arrow = {"ay": 0, "arrowhead": 1, "arrowwidth": 1.5, "arrowcolor": look.muted, "font": {"color": look.muted}}
    for name, feature, z in bias["z"][bias["z"].abs() > EDGE].reset_index().itertuples(index=False):
        side, row, text = np.sign(z), names.index(feature) + nudges[[*marks].index(name)], f"{z:.1f}".replace("-", "−")
        outwards = side * measure.sign
        figure.add_annotation(x=side * EDGE, y=row, xshift=13 * outwards, ax=-34 * outwards, text=text, **arrow)
    return figure


def advice_chart(advice: pd.DataFrame, *, measure: Measure, look: Look) -> go.Figure:
    """Show what one feature gains with each other one as tie-breaker; the best few.

    ``advice``: what ``tiecore.diagnostics.advice`` gives, index other feature, the best first.
    """
    shown = advice.iloc[:MOST_TIE_BREAKERS]
    told = shown[["gained", "low", "high"]].map(signed).join(shown[["worst", "best"]].map(words.number))
    interval = Range("95 % interval over the queries", shown["low"], shown["high"], look.range)
    gain = Point("gain over random tie-breaks", shown["gained"], look.text)
    return rows_chart(
        list(shown.index),
        [interval, gain],
        look=look,
        title=f"gain in {label(called(measure), 40)}",
        zero=0.0,
        beside=("gain", list(told["gained"])),
        hover=[
            f"<b>{label(name, 60)}</b>: gain {gained}, 95 % interval {low} to {high}<br>worst {worst}, best {best}"
            for name, gained, low, high, worst, best in told.itertuples(name=None)
        ],
    )

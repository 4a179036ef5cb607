"""The pictures of ties: how many, what a tie-break knows, what repairs do."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.measures import Measure
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, label, marks_of
from tiecore_dashboard.charts.pieces import signed
from tiecore_dashboard.charts.rows import Point, Range, levels, rows_chart

MOST_TIE_BREAKERS = 12
"""Rows of the advice for one feature."""
_CHANCE, EDGE = 1.96, 5.0
"""Standard deviations that chance gives, and those at which marks that lie farther stand with their number."""


def bias_chart(
    bias: pd.DataFrame, *, look: Look, tie_breaks: Sequence[str], highlighted: Collection[str] = ()
) -> go.Figure:
    """One row a feature: how far each tie-break shifts its value, in units of what chance would do.

    One mark far away would squeeze all others: beyond ``EDGE`` marks stand there, beside their number.
    ``bias``: index (tie_break, feature); columns ``z``, ``shift`` and ``verdict``; features in the order of the rows.
    """
    names = list(bias.index.unique("feature"))
    marks = marks_of(tie_breaks, look)
    nudges = levels(len(marks))
    chance = np.full(len(names), _CHANCE)
    farthest = min(EDGE, np.fmax(3.0, bias["z"].abs().max())) * 1.06
    points = []
    for nudge, (name, mark) in zip(nudges, marks.items(), strict=False):
        known, found = words.known_as(name), bias.xs(name, level="tie_break")
        hover = [
            f"<b>{label(feature, 60)}</b> under {label(known, 60)}<br>shift {signed(shift)}, z = {words.number(z)}<br>"
            f"{label(str(verdict).replace(name, known, 1), 120)}"
            for feature, shift, z, verdict in found[["shift", "z", "verdict"]].itertuples(name=None)
        ]
        place = found["z"].clip(-EDGE, EDGE)
        points.append(Point(label(known, 22), place, mark.colour, mark.symbol, size=9, offset=nudge, hover=hover))
    figure = rows_chart(
        names,
        [Range("within chance (95 %)", -chance, chance, look.range, thickness=0.9), *points],
        look=look,
        title="shift in standard deviations (z)",
        ends=(-farthest, farthest),
        zero=0.0,
        highlighted=highlighted,
    )
    table = bias["z"].unstack("tie_break", sort=False).loc[names, list(marks)]
    for row, z in enumerate(table.to_numpy()):
        for edge, is_beyond in ((-EDGE, z < -EDGE), (EDGE, z > EDGE)):
            if is_beyond.any():
                figure.add_annotation(
                    x=edge,
                    y=row + np.mean(np.compress(is_beyond, nudges)),
                    text=", ".join(f"{one:.1f}".replace("-", "−") for one in z[is_beyond]),
                    showarrow=False,
                    xanchor="left" if edge < 0 else "right",
                    xshift=-np.sign(edge) * 8,
                    font={"size": SMALL, "color": look.muted},
                )
    return figure


def advice_chart(advice: pd.DataFrame, *, before: Mapping[Any, float], measure: Measure, look: Look) -> go.Figure:
    """Show what becomes of one feature with each other one as tie-breaker; the best few.

    ``advice``: index other feature, the best first; columns ``expected``, ``worst``, ``best``, ``gained``. ``before``:
    ``expected``, ``worst`` and ``best`` of the feature alone.
    """
    shown = advice.iloc[:MOST_TIE_BREAKERS]
    names = ["ties left as they are", *shown.index]
    columns = {name: [before[name], *shown[name]] for name in ("expected", "worst", "best")}
    return rows_chart(
        names,
        [
            Range("worst to best case", columns["worst"], columns["best"], look.range),
            Point("expectation", columns["expected"], look.text),
        ],
        look=look,
        title=label(str(measure), 40),
        zero=before["expected"],
        higher_is_better=measure.higher_is_better,
        beside=("gained", ["", *(signed(gain) for gain in shown["gained"])]),
        hover=[
            f"<b>{label(name, 60)}</b><br>expected {words.number(middle)}<br>worst {words.number(low)}, "
            f"best {words.number(high)}"
            for name, middle, low, high in zip(names, *columns.values(), strict=True)
        ],
    )

"""What each tie group of a list adds to its value, and what the order inside it can make of that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.evaluation.columns import derived_column
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, label, layout, marks_of
from tiecore_dashboard.charts.pieces import legend, legend_height, legend_room, padded, round_ticks, sign

__all__ = ["MOST_PARTS", "parts_chart", "parts_shown"]

MOST_PARTS = 12
"""Tie groups whose parts are drawn."""
_ENTRY = 110


def parts_chart(
    groups: pd.DataFrame,
    *,
    measure: str,
    look: Look,
    tie_breaks: Sequence[str] = (),
    cut: int | None = None,
    higher_is_better: bool = True,
) -> go.Figure:
    """One row a tie group: what it adds to the expectation, and what its order can make of that.

    ``groups``: as ``tiecore.diagnostics.culprits`` gives them, in the order of the list; those that matter most are
    shown. ``cut``: mark the group through which the list is cut after so many documents.
    """
    rows = parts_shown(groups)
    adds = groups["contribution"].notna().all()
    base = rows["contribution"] if adds else rows["contribution"].fillna(0.0)
    names = [_span(first, last) for first, last in zip(rows["first_rank"], rows["last_rank"], strict=True)]
    split = [
        cut is not None and first <= cut < last
        for first, last in zip(rows["first_rank"], rows["last_rank"], strict=True)
    ]
    at = np.arange(len(rows))
    figure = go.Figure()
    hover_data = np.array(
        [
            [f"rank{'' if '–' not in name else 's'} {name}" for name in names],
            [words.plural(size, "document") for size in rows["size"]],
            rows["grades"],
            *((base + rows[column] if column else base).map(words.number) for column in ("", "to_worst", "to_best")),
        ]
    ).T.reshape(-1, 6)
    verb = "adds" if adds else "changes the value by"
    hover = (
        f"<b>%{{customdata[0]}}</b>, %{{customdata[1]}}<br>grade × documents: %{{customdata[2]}}<br>{verb} "
        "%{customdata[3]}, worst %{customdata[4]}, best %{customdata[5]}<extra></extra>"
    )
    ends = np.sort(np.stack([base + rows["to_worst"], base + rows["to_best"]]), axis=0)
    figure.add_bar(
        orientation="h",
        y=at - 0.2,
        base=ends[0],
        x=ends[1] - ends[0],
        width=0.46,
        marker={"color": look.range, "line": {"width": 0}, "cornerradius": 3},
        customdata=hover_data,
        hovertemplate=hover,
        showlegend=False,
    )
    if (rows["to_worst"] != rows["to_best"]).any():
        sign(figure, "worst to best", {"symbol": "square", "color": look.range})
    marks = marks_of(tie_breaks, look)
    nudges = np.linspace(-0.14, 0.14, len(marks)) if len(marks) > 1 else np.zeros(len(marks))
    for nudge, (name, mark) in zip(nudges, marks.items(), strict=True):
        figure.add_scatter(
            x=base + rows[derived_column(name, "shift", tie_breaks)],
            y=at + 0.3 + nudge,
            mode="markers",
            name=label(words.known_as(name), 22),
            marker={"symbol": mark.symbol, "size": 8, "color": look.text, "line": {"width": 1, "color": look.ground}},
            customdata=np.array(
                [names, (base + rows[derived_column(name, "shift", tie_breaks)]).map(words.number)]
            ).T.reshape(-1, 2),
            hovertemplate=f"{label(words.known_as(name), 60)}: %{{customdata[1]}}<extra></extra>",
        )
    figure.add_scatter(
        x=base,
        y=at - 0.2,
        mode="markers",
        name="expectation",
        marker={"size": 9, "color": look.text, "line": {"width": 1.5, "color": look.ground}},
        customdata=hover_data,
        hovertemplate=hover,
    )
    left, right = 34 + 7 * max(map(len, names), default=0), 14
    above = legend_height(2 + len(marks), entrywidth=_ENTRY, beside=left + right)
    top = above + 50
    figure.update_layout(layout(look, height=top + 12 + 32 * max(1, len(rows)), meta=legend_room(above)))
    low, high = padded(
        np.concatenate(
            [ends.ravel(), [0.0], *(base + rows[derived_column(name, "shift", tie_breaks)] for name in tie_breaks)]
        )
    )
    figure.update_layout(
        barmode="overlay",
        margin={"l": left, "r": right, "t": top, "b": 12},
        legend=legend(entrywidth=_ENTRY),
        xaxis={
            "range": [low, high] if higher_is_better else [high, low],
            "side": "top",
            **round_ticks(low, high, 5),
            "zeroline": True,
            "zerolinecolor": look.quiet,
            "title": {
                "text": f"part of {label(measure, 40)}" if adds else f"change of {label(measure, 40)}",
                "standoff": 4,
            },
        },
        yaxis={
            "range": [max(1, len(rows)) - 0.42, -0.5],
            "tickmode": "array",
            "tickvals": list(at),
            "ticktext": [
                f'<span style="color:{look.bad}">✂</span> {name}' if is_split else name
                for name, is_split in zip(names, split, strict=True)
            ],
            "tickfont": {"color": look.text, "size": SMALL},
            "showgrid": False,
        },
    )
    return figure


def parts_shown(groups: pd.DataFrame) -> pd.DataFrame:
    """Groups that add or decide something; of too many those that decide, then add, most."""
    matter = groups[(groups["contribution"].fillna(0.0) != 0) | (groups["spread"] > 0)]
    if len(matter) <= MOST_PARTS:
        return matter
    most = matter.sort_values(["spread", "contribution"], ascending=False, kind="stable").index[:MOST_PARTS]
    return matter.loc[sorted(most)]


def _span(first: int, last: int) -> str:
    return words.count(first) if first == last else f"{words.count(first)}–{words.count(last)}"

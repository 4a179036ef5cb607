"""The pictures of one pair: its difference, its queries one by one, and what ties alone do to both values."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.board import Duel
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, colours_of, label, layout, transparent
from tiecore_dashboard.charts.pieces import padded, sign, signed, value_axis
from tiecore_dashboard.charts.rows import Point, Range, columns_chart, rows_chart

_MOST_BARS = 400
_AXIS = 4.0
_BINS = 24


def difference_chart(duel: Duel, *, look: Look) -> go.Figure:
    """Draw the difference of two features with its interval over queries, and what tie-breaks make of it."""
    rows = {duel.words["value"]: duel.difference} | {words.known_as(name): value for name, value in duel.under.items()}
    told = [
        f"<b>{label(row, 60)}</b><br>{label(duel.leader, 40)} over {label(duel.trailer, 40)}: {signed(value)}"
        for row, value in rows.items()
    ]
    scale, nothing, layers = duel.words["scale"], [np.nan] * len(duel.under), []
    for name, low, high, colour, thickness in (
        (f"{duel.words['level']} interval over {duel.words['queries']}", duel.low, duel.high, look.range, 0.8),
        ("95 % of random tie-breaks", duel.tie_low, duel.tie_high, look.central, 0.3),
    ):
        if low == low:
            layers.append(Range(name, [low, *nothing], [high, *nothing], colour, thickness))
            told[0] += f"<br>{name} {signed(low)} to {signed(high)}"
    return rows_chart(
        list(rows),
        [*layers, Point("mean difference", list(rows.values()), look.text, "diamond")],
        look=look,
        title=f"mean lead of {label(duel.leader, 18)} over {label(duel.trailer, 18)} in {label(scale, 24)}",
        zero=0,
        hover=told,
        beside={label(duel.measure, 12): [signed(value) for value in rows.values()]},
    )


def query_chart(duel: Duel, *, look: Look, features: Collection[str], chosen: str | None = None) -> go.Figure:
    """Draw a bar a query, from that where the leader is ahead most to that where the trailer is.

    ``features``: all of the view, each of which has its colour in every chart.
    """
    frame = duel.queries.sort_values("lead", ascending=False, kind="stable")
    if len(frame) > _MOST_BARS:  # every so many stand for all: the shape stays
        frame = frame.iloc[np.unique(np.linspace(0, len(frame) - 1, _MOST_BARS).round().astype(int))]
    queries, lead = [str(query) for query in frame.index], frame["lead"].to_numpy()
    worst, best = frame["worst_lead"].to_numpy(), frame["best_lead"].to_numpy()
    layers = [Range("what ties allow", worst, best, look.range, thickness=0.86)] if (best > worst).any() else []
    units = duel.words["query"], duel.words["queries"]
    for name, is_ahead, n_better, colour in zip(
        (duel.leader, duel.trailer), (lead > 0, lead < 0), duel.wins, _colours(duel, features, look), strict=True
    ):
        title = f"{label(name)} better: {words.plural(n_better, *units)}"
        layers.append(Range(title, 0 * lead, np.where(is_ahead, lead, np.nan), colour))
    part = f"{words.count(len(frame))} of " if len(frame) < len(duel.queries) else ""
    return columns_chart(
        queries,
        layers,
        look=look,
        title="difference",
        below=f"{part}{words.plural(len(duel.queries), *units)}, by difference",
        at=lead,
        hover=[
            f"<b>{units[0]} {label(query, 40)}</b><br>{label(duel.leader, 40)} {words.number(one)}<br>"
            f"{label(duel.trailer, 40)} {words.number(other)}<br>difference {signed(own)}"
            + (f", ties allow {signed(least)} to {signed(most)}" if least < most else "")
            for query, one, other, own, least, most in zip(
                queries, frame["leader_expected"], frame["trailer_expected"], lead, worst, best, strict=True
            )
        ],
        ends=_cropped(lead, worst, best),
        zero=0,
        chosen=chosen,
    )


def _cropped(lead: np.ndarray, worst: np.ndarray, best: np.ndarray) -> tuple[float, float]:
    """Range of the axis: what ties allow is cut off where it would make the differences themselves vanish."""
    largest = _AXIS * float(np.abs(lead).max(initial=0.0)) or float(np.abs([worst, best]).max(initial=0.0)) or 1.0
    ends = np.clip([worst.min(initial=0.0), best.max(initial=0.0)], -largest, largest)
    return padded(ends)


def _colours(duel: Duel, features: Collection[str], look: Look) -> tuple[str, str]:
    """Colours of leader and trailer; another one for the trailer where many features make them share one."""
    colours = colours_of(features, look)
    ahead, behind = colours[duel.leader], colours[duel.trailer]
    return ahead, behind if behind != ahead else look.text


def tie_chart(
    draws: pd.DataFrame, duel: Duel, *, look: Look, features: Collection[str], higher_is_better: bool
) -> go.Figure:
    """Draw the values of two features under random tie-breaks; ``draws``: a column a feature."""
    low, high = padded(draws.to_numpy().ravel())
    figure = go.Figure(layout=layout(look, height=234, margin={"l": 12, "r": 12, "t": 8, "b": 44}))
    for (name, values), colour in zip(draws.items(), _colours(duel, features, look), strict=True):
        count, edges = np.histogram(values, _BINS, range=(low, high) if np.ptp(values) == 0 else None)
        figure.add_scatter(
            x=np.concatenate([edges[:1], edges]),
            y=np.concatenate([[0.0], count / count.max(), [0.0]]),
            mode="lines",
            line={"color": colour, "width": 1.6, "shape": "hv"},
            fill="tozeroy",
            fillcolor=transparent(colour, 0.22),
            name=label(str(name)),
            hovertemplate=f"<b>{label(str(name), 60)}</b><br>%{{x:.4f}}<extra></extra>",
        )
        sign(figure, label(str(name)), colour)
    figure.update_layout(
        xaxis=value_axis(duel.measure, low, high, higher_is_better=higher_is_better),
        yaxis={"range": [0, 1.08], "showticklabels": False, "showgrid": False},
    )
    return figure

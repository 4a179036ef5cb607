"""All pairs as a triangle of cells; and one pair: its difference, its queries, what ties alone do to it."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.board import Duel
from tiecore.measures import Measure
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import (
    LONGEST_LABEL,
    SMALL,
    Figure,
    Look,
    blend,
    label,
    layout,
    marks_of,
    transparent,
)
from tiecore_dashboard.charts.pieces import padded, sign, signed, targets, value_axis
from tiecore_dashboard.charts.rows import Point, Range, columns_chart, rows_chart
from tiecore_dashboard.words import REVERSED, SAME, VERDICTS

MOST_NAMED, _MOST_MARKED = 40, 24
"""Features whose names have room beside their rows and above their columns, and whose cells have room for marks."""
_FEW, _TILTED = 14, 60
"""Features whose rows are high, and degrees by which a name above its column is tilted."""
_LETTER, _PHONE, _SIDE = 6.2, 320, 560
"""Pixels of a letter, of all cells on the narrowest screen, and of the side of a map without names."""
_MOST_BARS, _BINS = 400, 24
_AXIS = 4.0
_LEAST, _OPEN, _CLEAR = 0.16, 0.3, 0.55
"""Where the colours of open differences begin and end, and where those of clear ones begin."""


def difference_map(
    pairs: pd.DataFrame,
    names: Sequence[str],
    *,
    draws: int,
    look: Look,
    chosen: Sequence[str] = (),
    highlighted: Collection[str] = (),
) -> Figure:
    """Draw a cell above the diagonal for the difference of each two features: strong where it is clear, pale where not.

    A click on a cell names its pair. ``pairs``: rows of ``Stability.pairs``, all pairs of the names. ``names``: in
    order of the expectation; where the feature of the column is the better one, the cell has another colour.
    ``chosen``: two features whose cell is framed.
    """
    n = len(names)
    is_named, is_marked = n <= MOST_NAMED, n <= _MOST_MARKED
    heads = [label(name, among=names) for name in names] if is_named else []
    first = round(0.3 * n) if n <= _FEW else 0  # have the least room at their left, and are high enough for two lines
    texts = [re.sub(r"^(?=.{14})(.{3,12}[_./ -])(?=.{3})", r"\1<br>", text) for text in heads[:first]] + heads[first:]
    cell = (_PHONE if n <= _FEW else _SIDE) / n
    reach = [_LETTER * max(map(len, text.split("<br>"))) - cell * (at + 0.5) for at, text in enumerate(texts)]
    left = max(10, round(max(reach))) if is_named else 44
    top = 16 + round(0.87 * _LETTER * min(LONGEST_LABEL, max(map(len, names)))) if is_named else 40
    side = max(90, (40 if n <= _FEW else 26 if is_marked else 16) * n) if is_named else _SIDE
    figure = go.Figure(layout=layout(look, height=top + side + 10, hoverdistance=-1))
    position = {name: place for place, name in enumerate(names)}
    leader, trailer = (pairs[side].map(position).to_numpy(dtype=int) for side in ("leader", "trailer"))
    row, column = np.minimum(leader, trailer), np.maximum(leader, trailer)
    size = pairs["difference"].fillna(0).to_numpy()
    size = size / (size.max(initial=0.0) or 1.0)
    is_clear = pairs["verdict"].eq("clear").to_numpy()
    strength = np.where(is_clear, _CLEAR + (1 - _CLEAR) * size, _LEAST + (_OPEN - _LEAST) * size)
    z = np.full((n, n), np.nan)
    z[row, column] = np.where(leader < trailer, strength, -strength)
    gap, pale = int(is_named), blend(look.quiet, look.ground, 0.16)
    scale = [(0.0, look.palette[1]), (0.5, pale), (1.0, look.accent)]
    figure.add_heatmap(z=z, zmin=-1, zmax=1, colorscale=scale, showscale=False, xgap=gap, ygap=gap, hoverinfo="skip")
    figure.add_scatter(
        x=column,
        y=row,
        customdata=np.asarray(names)[np.stack([row, column], axis=1)].tolist(),
        hovertext=[_told(pair, draws) for pair in pairs.itertuples(index=False)],
        hovertemplate="%{hovertext}<extra></extra>",
        name="pairs",
        **targets(look),
    )
    if chosen and set(chosen) <= set(names):
        at = sorted(names.index(name) for name in chosen)
        half = max(0.5, n / 80)  # a small cell gets a frame that is seen
        ends = {"x0": at[1] - half, "x1": at[1] + half, "y0": at[0] - half, "y1": at[0] + half}
        figure.add_shape(type="rect", line={"color": look.text, "width": 2.5}, **ends)
    places = [] if is_named else [0, *range(9, n, 10)]
    axis = {"showgrid": False, "ticks": "", "tickmode": "array", "title": {"text": "" if is_named else "place"}}
    axis |= {"tickvals": places, "ticktext": [str(place + 1) for place in places]}
    named = {"tickvals": [*range(1, n)], "ticktext": heads[1:], "tickangle": _TILTED}
    above = axis | (named if is_named else {"tickangle": 0})
    figure.update_layout(
        margin={"l": left, "r": 10, "t": top, "b": 10},
        xaxis={**above, "range": [-0.5, n - 0.5], "side": "top"},
        yaxis={**axis, "range": [n - 0.5, -0.5]},
    )
    figure.layout.annotations = [  # at once: one by one, each would have plotly look at all before it again
        {
            "x": place + 0.45,
            "y": place,
            "text": text,
            "font": {"size": SMALL, "color": look.text if not highlighted or name in highlighted else look.quiet},
            "showarrow": False,
            "xanchor": "right",
            "align": "right",
        }
        for place, (name, text) in enumerate(zip(names, texts, strict=False))
    ]
    leads_later = leader > trailer
    clear, *others = (
        f"{mark} {one}" if is_marked else one
        for one, mark in VERDICTS.items()
        if (pairs["verdict"] == one).any() or one == "clear"
    )
    both = (~leads_later, look.accent, ""), (leads_later, look.palette[1], ", and the later one leads")
    for is_one, name, strength_of in ((is_clear, clear, 1.0), (~is_clear, " or ".join(others), _OPEN)):
        for is_led, hue, more in both:
            if (is_one & is_led).any():
                sign(figure, f"{name}{more}", blend(hue, pale, strength_of))
    is_reversed = pairs["reversed_by"].map(bool).to_numpy(dtype=bool)
    if is_reversed.any():
        sign(figure, "reversed by a tie-break", look.text, REVERSED if is_named else "square")
    if is_named:
        found = pairs[["verdict", "reversed_by"]].itertuples(index=False)
        figure.add_scatter(
            x=column,
            y=row,
            mode="text",
            text=[" ".join([VERDICTS[one]] * is_marked + [REVERSED] * bool(by)) for one, by in found],
            textfont={"size": SMALL + 1, "color": np.where(is_clear, look.ground, look.text)},
            name="marks",
            hoverinfo="skip",
        )
    else:  # in small cells a letter would be a smear
        dots = {"size": 0.4 * cell, "symbol": "square", "color": look.text}
        x, y = column[is_reversed], row[is_reversed]
        figure.add_scatter(x=x, y=y, mode="markers", marker=dots, name="marks", hoverinfo="skip")
    return figure


def _told(pair: Any, draws: int) -> str:
    names = f"<b>{label(pair.leader, 40)}</b> − <b>{label(pair.trailer, 40)}</b>"
    interval = "" if pair.low != pair.low else f" ({signed(pair.low)} to {signed(pair.high)})"
    risk = "" if pair.verdict == "equal" else f", tie risk {words.tie_risk(pair.tie_risk, draws)}"
    lines = [names, f"{signed(pair.difference)}{interval}", f"{VERDICTS[pair.verdict]} {pair.verdict}{risk}"]
    if pair.reversed_by:
        lines.append(f"reversed by {label(words.enumerate_names(pair.reversed_by), 60)}")
    return "<br>".join(lines)


def difference_chart(duel: Duel, *, look: Look) -> Figure:
    """Draw the difference of two features with its interval over queries, and what tie-breaks make of it."""
    rows = {duel.words["value"]: duel.difference} | {words.known_as(name): value for name, value in duel.under.items()}
    both = (duel.leader, duel.trailer)
    # a phone cuts more off
    (leader, trailer), heads = ([label(name, most, both) for name in both] for most in (40, 24))
    told = [f"<b>{label(row, 60)}</b><br>{leader} over {trailer}: {signed(value)}" for row, value in rows.items()]
    scale, nothing = label(duel.words["scale"], 36), [np.nan] * len(duel.under)
    layers: list[Range | Point] = []
    below = f"over {heads[1]}{'<br>' if len(heads[1]) + len(scale) > 30 else ' '}in {scale}"
    for is_seen, name, low, high, colour, thickness in (
        (True, f"{duel.words['level']} interval over {duel.words['queries']}", duel.low, duel.high, look.range, 0.8),
        (bool(duel.deciding_line), "at Holm’s level, which decides", *duel.holm_interval, look.muted, 0.12),
        (duel.shows_ties, "about 95 % of random tie-breaks", duel.tie_low, duel.tie_high, look.central, 0.3),
    ):
        if low == low and is_seen:
            layers.append(Range(name, [low, *nothing], [high, *nothing], colour, thickness))
            told[0] += f"<br>{name} {signed(low)} to {signed(high)}"
    layers.append(Point("mean difference", [duel.difference, *nothing], look.text))
    for row, (name, mark) in enumerate(marks_of(duel.under, look).items(), start=1):
        at = [value if own == row else np.nan for own, value in enumerate(rows.values())]
        layers.append(Point(words.known_as(name), at, look.muted, mark.symbol))
    return rows_chart(
        list(rows),
        layers,
        look=look,
        title=f"mean lead of {heads[0]}<br>{below}",
        zero=0,
        hover=told,
        beside=("lead", [signed(value) for value in rows.values()]),
    )


def query_chart(duel: Duel, *, look: Look, colours: Mapping[str, str], chosen: str | None = None) -> Figure:
    """Draw a bar a query, from that where the leader is ahead most to that where the trailer is.

    ``colours``: of the two features.
    """
    frame = duel.queries.sort_values("lead", ascending=False, kind="stable")
    if len(frame) > _MOST_BARS:  # every so many stand for all: the shape stays
        frame = frame.iloc[np.unique(np.linspace(0, len(frame) - 1, _MOST_BARS).round().astype(int))]
    queries, lead = list(frame.index), frame["lead"].to_numpy()
    worst, best = frame["worst_lead"].to_numpy(), frame["best_lead"].to_numpy()
    told = frame[["leader_expected", "trailer_expected", "lead", "worst_lead", "best_lead"]]
    layers = [Range("what ties allow", worst, best, look.range, thickness=0.86)] if (best > worst).any() else []
    unit, equal = duel.words["query"], len(duel.queries) - sum(duel.wins)
    both = [duel.leader, duel.trailer]
    for name, is_ahead, n_better in zip(both, (lead > 0, lead < 0), duel.wins, strict=True):
        title = f"{label(name, among=both)} better: {words.plural(n_better, unit)}"
        layers.append(Range(title, 0 * lead, np.where(is_ahead, lead, np.nan), colours[name]))
    part = f"{words.count(len(frame))} of " if len(frame) < len(duel.queries) else ""
    # what ties allow is cut off where it would make the differences themselves vanish
    largest = _AXIS * np.abs(lead).max(initial=0.0) or np.abs([worst, best]).max(initial=0.0) or 1.0
    return columns_chart(
        queries,
        layers,
        look=look,
        title=f"lead in {duel.words['scale']}",
        below=f"{part}{words.plural(len(duel.queries), unit)}, by difference{f'; {equal:,} equal' * bool(equal)}",
        at=lead,
        hover=[
            f"<b>{unit} {label(query, 40)}</b><br>{label(duel.leader, 40)} {words.number(one)}<br>"
            f"{label(duel.trailer, 40)} {words.number(other)}<br>difference {signed(own)}"
            + (f", ties allow {signed(least)} to {signed(most)}" if least < most else "")
            for query, one, other, own, least, most in told.itertuples(name=None)
        ],
        ends=padded(np.clip([worst.min(initial=0.0), best.max(initial=0.0)], -largest, largest)),
        zero=0,
        chosen=chosen,
    )


def tie_chart(draws: pd.DataFrame, measure: Measure, *, look: Look, colours: Mapping[str, str]) -> Figure:
    """Draw the values of two features under random tie-breaks; ``draws``: a column a feature, which has a colour."""
    low, high = padded(draws.to_numpy().ravel())
    figure = go.Figure(layout=layout(look, height=234, margin={"l": 12, "r": 12, "t": 8, "b": 44}))
    for name, values in draws.items():
        colour, known_as = colours[str(name)], label(str(name))
        if np.ptp(values) > SAME:
            count, edges = np.histogram(values, _BINS)
        else:  # no width: one line
            known_as, count, edges = f"{known_as}: no ties that matter", np.ones(1), np.repeat(values.mean(), 2)
        figure.add_scatter(
            x=np.concatenate([edges[:1], edges]),
            y=np.concatenate([[0.0], count / count.max(), [0.0]]),
            mode="lines",
            line={"color": colour, "width": 1.6, "shape": "hv"},
            fill="tozeroy",
            fillcolor=transparent(colour, 0.22),
            name=known_as,
            hovertemplate=f"<b>{label(str(name), 60)}</b><br>%{{x:.4f}}<extra></extra>",
        )
        sign(figure, known_as, colour)
    figure.update_layout(
        xaxis=value_axis(measure, low, high),
        yaxis={"range": [0, 1.08], "showticklabels": False, "showgrid": False},
    )
    return figure

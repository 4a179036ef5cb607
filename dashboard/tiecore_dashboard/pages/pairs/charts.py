"""All pairs as a triangle of cells; and one pair: its difference, its queries, what ties alone do to it."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore.board import Duel
from tiecore.board.marks import marks_of
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import LONGEST_LABEL, SMALL, Figure, Look, blend, label, layout, names_with_marks
from tiecore_dashboard.charts.pieces import padded, sign, signed, targets, value_axis
from tiecore_dashboard.charts.rows import Point, Range, columns_chart, rows_chart
from tiecore_dashboard.words import REVERSED, SAME, VERDICTS

_MOST_MARKED = 24
"""Features whose cells have room for marks of verdicts."""
FEW, _TILTED = 14, 60
"""Features whose rows are high and whose cells have room for numbers, and degrees by which names above are tilted."""
_LETTER, _PHONE, _SIDE = 6.2, 320, 560
"""Pixels of a letter, of all cells on the narrowest screen, and on others."""
_MOST_BARS, _BINS = 400, 40
_LEAST, _OPEN, _CLEAR, _MOST = 0.16, 0.3, 0.62, 0.85
"""Where the colours of open differences begin and end, and those of clear ones, on which black is read well."""


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
    is_marked, heads = n <= _MOST_MARKED, [label(name, among=names) for name in names]
    first = round(0.3 * n) if n <= FEW else 0  # have the least room at their left, and are high enough for two lines
    texts = [re.sub(r"^(?=.{14})(.{3,12}[_./ -])(?=.{3})", r"\1<br>", text) for text in heads[:first]] + heads[first:]
    cell = (_PHONE if n <= FEW else _SIDE) / n
    reach = [_LETTER * max(map(len, text.split("<br>"))) - cell * (at + 0.5) for at, text in enumerate(texts)]
    left = max(10, round(max(reach)))
    top = 16 + round(0.87 * _LETTER * min(LONGEST_LABEL, max(map(len, names))))
    side = max(90, (40 if n <= FEW else 26 if is_marked else 16) * n)
    figure = go.Figure(layout=layout(look, height=top + side + 10, hoverdistance=-1))
    position = {name: place for place, name in enumerate(names)}
    leader, trailer = (pairs[side].map(position).to_numpy(dtype=int) for side in ("leader", "trailer"))
    row, column = np.minimum(leader, trailer), np.maximum(leader, trailer)
    size = pairs["difference"].fillna(0).to_numpy()
    size = size / (size.max(initial=0.0) or 1.0)
    is_clear = pairs["verdict"].eq("clear").to_numpy()
    strength = np.where(is_clear, _CLEAR + (_MOST - _CLEAR) * size, _LEAST + (_OPEN - _LEAST) * size)
    z = np.full((n, n), np.nan)
    z[row, column] = np.where(leader < trailer, strength, -strength)
    pale = blend(look.quiet, look.ground, 0.16)
    scale = [(0.0, look.palette[1]), (0.5, pale), (1.0, look.accent)]
    figure.add_heatmap(z=z, zmin=-1, zmax=1, colorscale=scale, showscale=False, xgap=1, ygap=1, hoverinfo="skip")
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
        ends = {"x0": at[1] - 0.5, "x1": at[1] + 0.5, "y0": at[0] - 0.5, "y1": at[0] + 0.5}
        figure.add_shape(type="rect", line={"color": look.text, "width": 2.5}, **ends)
    axis = {"showgrid": False, "ticks": "", "tickmode": "array", "tickvals": []}
    above = axis | {"tickvals": [*range(1, n)], "ticktext": heads[1:], "tickangle": _TILTED}
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
            "font": {"size": SMALL, "color": look.text if not highlighted or name in highlighted else look.muted},
            "showarrow": False,
            "xanchor": "right",
            "align": "right",
        }
        for place, (name, text) in enumerate(zip(names, texts, strict=False))
    ]
    leads_later = leader > trailer
    found = {"clear", *pairs["verdict"]}
    clear, *others = (f"{mark} {one}" if is_marked else one for one, mark in VERDICTS.items() if one in found)
    both = (~leads_later, look.accent, ""), (leads_later, look.palette[1], ", and the later one leads")
    for is_one, name, strength_of in ((is_clear, clear, _MOST), (~is_clear, " or ".join(others), _OPEN)):
        for is_led, hue, more in both:
            if (is_one & is_led).any():
                sign(figure, f"{name}{more}", blend(hue, pale, strength_of))
    is_reversed = pairs["reversed_by"].map(bool).to_numpy(dtype=bool)
    if is_reversed.any():
        sign(figure, "reversed by a tie-break", look.text, REVERSED)
    figure.add_scatter(
        x=column,
        y=row,
        mode="text",
        text=[_written(pair, n) for pair in pairs.itertuples(index=False)],
        textfont={"size": SMALL, "color": np.where(is_clear, "#000000", look.text)},
        name="marks",
        hoverinfo="skip",
    )
    return figure


def _written(pair: Any, n_features: int) -> str:
    marks = [VERDICTS[pair.verdict]] * (n_features <= _MOST_MARKED) + [REVERSED] * bool(pair.reversed_by)
    lead = f"{pair.difference:.{2 if pair.difference < 10 else 0}f}".removeprefix("0").replace("nan", "")
    return " ".join(marks) + f"<br>{lead}" * (n_features <= FEW)


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
    marked, lanes = names_with_marks(duel.under), np.arange(1 + len(duel.under))
    rows = {duel.words["value"]: duel.difference} | {marked[name]: value for name, value in duel.under.items()}
    both = (duel.leader, duel.trailer)
    leader, trailer = (label(name, among=both) for name in both)
    told = [f"<b>{label(row, 60)}</b><br>{leader} over {trailer}: {signed(value)}" for row, value in rows.items()]
    scale, nothing = label(duel.words["scale"], 36), [np.nan] * len(duel.under)
    layers: list[Range | Point] = []
    below = f"over {trailer}{'<br>' if len(trailer) + len(scale) > 30 else ' '}in {scale}"
    thick = 0.55 if "holm" in duel.ranges else 0.8
    bars = {"queries": (look.range, thick), "holm": (look.muted, 0.12), "ties": (look.central, 0.3)}
    for kind, (name, low, high) in duel.ranges.items():
        layers.append(Range(name, [low, *nothing], [high, *nothing], *bars[kind]))
        told[0] += f"<br>{name}: {signed(low)} to {signed(high)}"
    sign_of_mean = ("circle", 10) if duel.verdict == "clear" else ("circle-open", 8)
    layers.append(Point(f"mean lead: {duel.verdict}", [duel.difference, *nothing], look.text, *sign_of_mean))
    marks = enumerate(zip(marks_of(duel.under).values(), duel.under.values(), strict=True), start=1)
    layers += [Point("", np.where(lanes == at, value, np.nan), look.muted, symbol) for at, (symbol, value) in marks]
    size = max(map(abs, rows.values()))
    return rows_chart(
        list(rows),
        layers,
        look=look,
        title=f"mean lead of {leader}<br>{below}",
        zero=0,
        hover=told,
        beside=("lead", [signed(value, size) for value in rows.values()]),
    )


def query_chart(duel: Duel, *, look: Look, colours: Mapping[str, str], chosen: str | None = None) -> Figure:
    """Draw a bar a query, from that where the leader is ahead most to that where the trailer is.

    ``colours``: of the two features.
    """
    frame = duel.queries.sort_values("lead", ascending=False, kind="stable")
    if len(frame) > _MOST_BARS:  # every so many stand for all: the shape stays
        frame = frame.iloc[np.unique(np.linspace(0, len(frame) - 1, _MOST_BARS).round().astype(int))]
    queries, lead = list(frame.index), frame["lead"].to_numpy()
    worst, best = frame[["worst_lead", "best_lead"]].to_numpy().T
    told = frame[["leader_expected", "trailer_expected", "lead", "worst_lead", "best_lead"]]
    layers = []
    unit, equal = duel.words["query"], len(duel.queries) - sum(duel.wins)
    both = [duel.leader, duel.trailer]
    for name, is_ahead, n_better, unseen in zip(both, (lead > 0, lead < 0), duel.wins, duel.unseen, strict=True):
        if n_better:
            title = f"{label(name, among=both)} better: {words.plural(n_better, unit)}{unseen}"
            layers.append(Range(title, 0 * lead, np.where(is_ahead, lead, np.nan), colours[name], thickness=0.8))
    if (best > worst).any():  # over the bars, which would hide the part within them
        layers.append(Range("what ties allow", worst, best, look.quiet, thickness=0))
    part = f"{words.count(len(frame))} of " if len(frame) < len(duel.queries) else ""
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
        zero=0,
        chosen=chosen,
    )


def tie_chart(leads: np.ndarray, duel: Duel, *, look: Look, colours: Mapping[str, str]) -> Figure:
    """Draw in what share of random tie-breaks the leader is so far ahead; ``leads``: (draws,) means."""
    low, high = padded(np.append(leads, 0.0))
    title = f"mean lead in {label(duel.words['scale'], 36)}"
    figure = go.Figure(layout=layout(look, height=234, margin={"l": 52, "r": 12, "t": 8, "b": 44}, barmode="stack"))
    upwards = {"title": {"text": "share of tie-breaks"}, "tickformat": ".0%", "nticks": 5}
    figure.update_layout(xaxis=value_axis(title, low, high), yaxis=upwards)
    width, both = (high - low) / _BINS, (duel.leader, duel.trailer)
    leader, trailer = (f"{label(name, among=both)} ahead: {n}" for name, n in zip(both, duel.shares, strict=True))
    for name, is_own, colour in (
        (leader, leads > SAME, colours[duel.leader]),
        (trailer, leads < -SAME, colours[duel.trailer]),
        ("level: counts half for each", np.abs(leads) <= SAME, look.quiet),
    ):
        if is_own.any():
            at, count = np.unique(np.floor(leads[is_own] / width), return_counts=True)
            bars = {"x": (at + 0.5) * width, "width": width, "marker": {"color": colour, "line_width": 0}}
            told = "lead about %{x:+.4f}: %{y:.1%} of tie-breaks<extra></extra>"
            figure.add_bar(y=count / len(leads), name=name, hovertemplate=told, **bars)
            sign(figure, name, colour)
    figure.add_vline(x=0, line={"color": look.muted, "width": 1.4})
    return figure

"""The pictures of one pair: the values of two features under random tie-breaks, and their queries one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, blend, label, layout, marks_of, transparent
from tiecore_dashboard.charts.pieces import legend, legend_height, legend_room, round_ticks, targets, value_axis

__all__ = ["Side", "difference_chart", "duel_chart"]

_MOST_BARS = 400
_WIDE = 4.0
_ENTRY = 112
_BINS = 16
"""Steps of the outline of a distribution, over all of its own values."""
_AXIS = 4.0
_REACHED = 0.86
"""Share of the axis that a bar takes when it reaches the name at its end."""
_ROWS, _FAR_ROWS = (-0.3, -0.78), (-0.42, -1.04)
"""Heights of the bars below the curves, if the names above them take one line, and if one takes two."""
_DEPTH, _LANE, _LANES = 0.1, 0.08, 0.2
"""Below a bar each tie-break has a lane of its own, so that none hides another: the first, the next, all of them."""
_ONE_LINE = 40
"""Characters of a name that have room in a line."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two features that are compared."""

    name: str
    expected: float
    sd: float
    """Of its value under random tie-breaks; not needed where there are draws."""
    worst: float
    best: float
    tie_breaks: Mapping[str, float]
    """Value under each chosen tie-break."""
    draws: np.ndarray | None = None
    """Values under random tie-breaks, where there is no closed form; None for the normal distribution."""

    @property
    def varies(self) -> bool:
        """Whether random tie-breaks change the value."""
        return self.worst != self.best and (float(np.ptp(self.draws)) > 0 if self.draws is not None else self.sd > 0)

    @property
    def reach(self) -> tuple[float, float]:
        """Where nearly all random tie-breaks fall."""
        if not self.varies:
            return self.expected, self.expected
        if self.draws is not None:
            return float(self.draws.min()), float(self.draws.max())
        low, high = sorted((self.worst, self.best))
        return max(low, self.expected - _WIDE * self.sd), min(high, self.expected + _WIDE * self.sd)


def duel_chart(
    leader: Side, trailer: Side, *, measure: str, look: Look, tie_breaks: Sequence[str] = (), higher_is_better: bool
) -> go.Figure:
    """Draw the values of two features under random tie-breaks over each other, and below them what ties could do.

    ``leader``, ``trailer``: the two; the better one is the first.
    """
    sides = (leader, trailer)
    colours = (look.palette[0], look.palette[1])
    above = legend_height(len(tie_breaks), entrywidth=_ENTRY, beside=24) if tie_breaks else 0
    top = above + 8
    rows = _FAR_ROWS if any("<br>" in _in_lines(side.name) for side in sides) else _ROWS
    figure = go.Figure(layout=layout(look, height=290 + top, meta=legend_room(above)))
    seen = [value for side in sides for value in (*side.reach, side.expected, *side.tie_breaks.values())]
    low, high = min(seen), max(seen)
    room = (high - low) * 0.06 or abs(high) * 0.05 or 0.05
    low, high = low - room, high + room
    for side, colour, dash in zip(sides, colours, ("solid", "dash"), strict=True):
        x, y = _outline(side)
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            # steps are many and short: thinner, so that dashes stay dashes
            line={"color": colour, "dash": dash, "width": 2.2, "shape": "linear"}
            if side.draws is None or not side.varies
            else {"color": colour, "dash": dash.replace("dash", "dot"), "width": 1.4, "shape": "hv"},
            fill="tozeroy" if side.varies else None,
            fillcolor=transparent(colour, 0.22),
            name=label(side.name, 20),
            showlegend=False,
            **_hover(side, len(x)),
        )
    for side, colour, row in zip(sides, colours, rows, strict=True):
        figure.add_scatter(
            x=np.clip(sorted((side.worst, side.best)), low, high),
            y=[row, row],
            mode="lines",
            line={"color": blend(colour, look.ground, 0.42), "width": 9},
            showlegend=False,
            name="worst to best case",
            **_hover(side, 2),
        )
        figure.add_scatter(
            x=[side.expected],
            y=[row],
            mode="markers",
            marker={"symbol": "circle", "size": 9, "color": look.text, "line": {"width": 1.5, "color": look.ground}},
            showlegend=False,
            name="expectation",
            **_hover(side, 1),
        )
    depths = _DEPTH + min(_LANE, _LANES / max(1, len(tie_breaks) - 1)) * np.arange(len(tie_breaks))
    for depth, (name, mark) in zip(depths, marks_of(tie_breaks, look).items(), strict=False):
        figure.add_scatter(
            x=[side.tie_breaks[name] if side.worst != side.best else None for side in sides],
            y=[row - depth for row in rows],
            mode="markers",
            # by its shape alone: the colours here are those of the two features
            marker={"symbol": mark.symbol, "size": 9, "color": look.text, "line": {"width": 1, "color": look.ground}},
            name=label(words.known_as(name), 18),
            customdata=[[side.name] for side in sides],
            text=[f"<b>{label(side.name, 60)}</b><br>{words.number(side.tie_breaks[name])}" for side in sides],
            hovertemplate=f"%{{text}} under {label(words.known_as(name), 40)}<extra></extra>",
        )
    for side, colour, row in zip(sides, colours, rows, strict=True):
        begin, end = np.clip(sorted((side.worst, side.best)), low, high)
        is_right = begin + end > low + high  # a name begins or ends with its bar, where there is room for it
        figure.add_annotation(
            x=float(end if is_right else begin),
            y=row + 0.06,
            text=f'<span style="color:{colour}">■</span> {_in_lines(side.name)}',
            font={"size": SMALL + 1, "color": look.text},
            align="right" if is_right == higher_is_better else "left",
            showarrow=False,
            xanchor="right" if is_right == higher_is_better else "left",
            yanchor="bottom",
        )
    figure.update_layout(
        margin={"l": 12, "r": 12, "t": top, "b": 44},
        legend=legend(entrywidth=_ENTRY),
        xaxis=value_axis(measure, low, high, higher_is_better=higher_is_better),
        yaxis={"range": [rows[1] - _DEPTH - _LANES - 0.08, 1.08], "showticklabels": False, "showgrid": False},
    )
    return figure


def _in_lines(name: str) -> str:
    """Name for the chart, in two lines where it is long, as names on paper may be; broken behind a sign."""
    if len(label(name)) <= _ONE_LINE:
        return label(name)
    middle = len(name) // 2
    signs = (at for at, sign in enumerate(name, start=1) if not sign.isalnum())
    at = min(signs, key=lambda at: abs(at - middle), default=middle)
    return "<br>".join(label(part) for part in (name[:at], name[at:]) if part)


def _hover(side: Side, n_points: int) -> dict[str, object]:
    hover_data = (
        f"<b>{label(side.name, 60)}</b><br>expected {words.number(side.expected)}"
        f"<br>worst {words.number(side.worst)}, best {words.number(side.best)}"
    )
    return {"customdata": [[side.name]] * n_points, "hovertemplate": f"{hover_data}<extra></extra>"}


def _outline(side: Side) -> tuple[np.ndarray, np.ndarray]:
    """Outline of the distribution of a feature, each drawn to the same height so that a narrow one hides no other."""
    if not side.varies:
        return np.array([side.expected, side.expected]), np.array([0.0, 1.0])
    if side.draws is not None:
        count, edges = np.histogram(side.draws, _BINS)
        height = count / count.max()
        return np.concatenate([edges[:1], edges]), np.concatenate([[0.0], height, [0.0]])
    x = np.linspace(*side.reach, 161)
    normal = NormalDist(side.expected, side.sd)
    y = np.array([normal.pdf(value) for value in x]) / normal.pdf(side.expected)
    return np.concatenate([x[:1], x, x[-1:]]), np.concatenate([[0.0], y, [0.0]])


def difference_chart(
    differences: pd.DataFrame, *, leader: str, trailer: str, look: Look, chosen: str | None = None
) -> go.Figure:
    """One bar a query, from that where the leader is ahead most to that where the trailer is.

    ``differences``: what ``tiecore.diagnostics.leads`` gives.
    """
    frame = differences.sort_values("lead", ascending=False, kind="stable")
    if len(frame) > _MOST_BARS:  # every so many stand for all: the shape stays
        frame = frame.iloc[np.unique(np.linspace(0, len(frame) - 1, _MOST_BARS).round().astype(int))]
    queries = [str(query) for query in frame.index]
    x = np.arange(len(frame))
    ahead = frame["lead"].to_numpy()
    has_ties = bool((frame["best_lead"] > frame["worst_lead"]).any())
    above = 26 if has_ties else 0
    figure = go.Figure(layout=layout(look, height=299 + above, meta=legend_room(above)))
    hover_data = [
        f"<b>query {label(query, 40)}</b><br>{label(leader, 40)} {words.number(one)}<br>{label(trailer, 40)} "
        f"{words.number(other)}<br>difference {words.number(difference)}, ties allow {words.number(low)} to "
        f"{words.number(high)}"
        for query, one, other, difference, low, high in zip(
            queries,
            frame["leader_expected"],
            frame["trailer_expected"],
            ahead,
            frame["worst_lead"],
            frame["best_lead"],
            strict=True,
        )
    ]
    low, high = _cropped(frame)
    thin = len(frame) > 120
    if has_ties:
        figure.add_bar(
            x=x,
            base=frame["worst_lead"],
            y=frame["best_lead"] - frame["worst_lead"],
            width=1.0 if thin else 0.86,
            marker={"color": look.range, "line": {"width": 0}},
            name="what ties allow",
            hoverinfo="skip",
        )
    for name, mask, colour in ((leader, ahead > 0, look.palette[0]), (trailer, ahead < 0, look.palette[1])):
        figure.add_bar(
            x=x[mask],
            y=ahead[mask],
            width=1.0 if thin else 0.5,
            marker={"color": colour, "line": {"width": 0}},
            name=f"{label(name, 18)} leads",
            hoverinfo="skip",
            showlegend=False,
        )
        if mask.any():
            is_leader = name == leader
            figure.add_annotation(
                x=_beside_bars(ahead, high) if is_leader else len(frame) - 1 - _beside_bars(ahead[::-1], low),
                y=1 if is_leader else 0,
                yref="paper",
                text=f'<span style="color:{colour}">■</span> {_in_lines(name)} leads',
                align="left" if is_leader else "right",
                font={"size": SMALL + 1, "color": look.text},
                bgcolor=transparent(look.ground, 0.8),
                showarrow=False,
                xanchor="left" if is_leader else "right",
                yanchor="top" if is_leader else "bottom",
            )
    figure.add_scatter(
        x=x,
        y=ahead,
        customdata=[[query] for query in queries],
        hovertext=hover_data,
        hovertemplate="%{hovertext}<extra></extra>",
        name="queries",
        **targets(look),
    )
    if chosen in queries:
        at = queries.index(chosen)
        figure.add_scatter(
            x=[at],
            y=[min(max(float(frame["best_lead"].iloc[at]), 0.0), _cropped(frame)[1] * 0.9)],
            mode="markers",
            marker={"symbol": "arrow-down", "size": 14, "color": look.text, "line": {"width": 1, "color": look.ground}},
            hoverinfo="skip",
            showlegend=False,
        )
    figure.add_hline(y=0, line={"color": look.muted, "width": 1})
    figure.update_layout(
        barmode="overlay",
        hovermode="x",
        hoverdistance=-1,
        margin={"l": 48, "r": 12, "t": above + 8, "b": 44},
        legend=legend(entrywidth=150),
        xaxis={
            "range": [-0.7, max(len(frame), 4) - 0.3],
            "showticklabels": False,
            "showgrid": False,
            "title": {"text": _queries_label(len(frame), len(differences)), "standoff": 4},
        },
        yaxis={**round_ticks(low, high, 6), "range": [low, high], "title": {"text": "difference", "standoff": 2}},
    )
    return figure


def _beside_bars(ahead: np.ndarray, end: float) -> float:
    """Where a name at the end of the axis hides no bar: behind the first bars, if it is only a few that reach it."""
    reaching = int((ahead / end > _REACHED).sum()) if end else 0
    return reaching - 0.5 if reaching <= len(ahead) / 4 else -0.5


def _cropped(frame: pd.DataFrame) -> list[float]:
    """Range of the axis: what ties allow is cut off where it would make the differences themselves vanish."""
    extent = float(np.abs(frame[["worst_lead", "best_lead"]].to_numpy()).max())
    largest = float(np.abs(frame["lead"].to_numpy()).max())
    limit = _AXIS * largest if largest > 0 else extent or 1.0
    low, high = float(frame["worst_lead"].min()), float(frame["best_lead"].max())
    room = 0.05 * (min(high, limit) - max(low, -limit)) or 0.05 * limit
    return [max(min(low, 0.0), -limit) - room, min(max(high, 0.0), limit) + room]


def _queries_label(n_shown: int, n_queries: int) -> str:
    if n_shown < n_queries:
        return f"{words.count(n_shown)} of {words.count(n_queries)} queries, evenly taken, best for the leader first"
    return f"{words.plural(n_queries, 'query', 'queries')}, best for the leader first"

"""The pictures of the cut-offs: values of features, and the lead of one, as more of each list counts."""

from collections.abc import Collection, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import ArrayLike
from plotly.colors import hex_to_rgb

from tiecore.board.cutoffs import lines_above, ticks_of, widest_of
from tiecore.board.lines import spread
from tiecore.board.marks import DASHES
from tiecore_dashboard import words
from tiecore_dashboard.charts.look import SMALL, Look, blend, gutter, label, layout
from tiecore_dashboard.charts.pieces import padded, round_ticks, sign

BANDS = {"over queries": ("low", "high", 0.08), "of ties": ("tie_low", "tie_high", 0.3)}
"""Bands around a curve: the columns that hold their ends, and how much of its colour is inside; pale ones have an
outline, so that several that overlap stay apart."""
_SIGNS = ("──", "– –", "····", "–·–", "— —", "—·—", "–··", "—–")
"""Each of the lines as characters."""
_LEFT, _ABOVE, _BELOW, _LINE, _SIGN = 52, 20, 44, 16, 30
_FADED, _WIDTH = 0.45, 2.2


def curve_chart(
    curves: pd.DataFrame,
    *,
    measure: str,
    look: Look,
    colours: Mapping[str, str],
    banded: Sequence[str],
    ties: str = "",
    own_cutoff: int | None = None,
) -> go.Figure:
    """One line a feature: its expectation at each cut-off, what other queries and what ties leave open.

    ``curves``: index (feature, k); columns ``expected``, those of the bands (NaN where they are not known), and
    ``open`` where a feature is not clearly different from the first that is banded: there its dots are hollow;
    that one has none. ``colours``: of each feature. ``banded``: those that have bands; one of ties has also the feature
    for which they matter most. ``ties``: what that is. ``own_cutoff``: that of the sidebar.
    """
    values = curves["expected"].unstack("k").loc[curves.index.unique(0)]
    cutoffs = values.columns.to_numpy()
    widest = widest_of(curves)[0]
    with_band = {"over queries": banded, "of ties": [*dict.fromkeys([*banded, widest])]}
    ends = [curves.loc[[*own], [*BANDS[band][:2]]].to_numpy(dtype=float).ravel() for band, own in with_band.items()]
    low, high = padded(np.concatenate([curves["expected"], *ends]))
    y_axis = {"range": [low, high], **round_ticks(low, high, 7), "title": {"text": f"{label(measure, 40)} at k"}}
    figure = _over_cutoffs(cutoffs, list(values.index), own_cutoff, look, height=424, yaxis=y_axis)
    of_queries, of_ties = ((curves[high] - curves[low]).max() for low, high, _ in BANDS.values())
    for band, (begin, end, usual) in BANDS.items():
        strength = min(usual, 0.12) if of_ties > of_queries else usual  # wide ones would hide the others
        is_wide = curves[begin] < curves[end]
        known = [name for name in with_band[band] if is_wide.loc[[name]].any()]
        for name in known:
            around = curves.loc[[name], [begin, end]].droplevel(0)
            _add_band(figure, around, colours[name], strength if name in banded else 0.0, f"{label(name)}, {band}")
        if {*known} & {*banded}:
            what = ties if band == "of ties" else "95\u00a0% confidence interval"
            line = look.muted if band == "over queries" else ""
            sign(figure, f"band {band} ({what})", blend(look.text, look.ground, strength), outline=line)
        if {*known} - {*banded}:
            sign(figure, f"dotted: band of ties of {label(widest)}", look.ground, outline=colours[widest])
    names, later = list(values.index), values.to_numpy()
    stacked = np.sqrt(lines_above(later))  # many rings would hide everything
    reference = banded[0] if curves["open"].any() else ""
    for name, own, dashes, above in zip(names, later, cycle(DASHES), stacked, strict=False):
        dash = ",".join(f"{part * _WIDTH}px" for part in dashes)
        figure.add_scatter(
            x=cutoffs,
            y=own,
            mode="lines+markers",
            line={"color": colours[name], "width": _WIDTH + 4 * above.min(), "dash": dash or None},
            marker=_dots(curves.loc[name, "open"], colours[name], look, size=6 + 4 * above - 4 * (name == reference)),
            name=label(name, 22),
            customdata=[[name]] * len(cutoffs),
            text=_told(name, curves.loc[name]),
            hovertemplate="%{text}<extra></extra>",
        )
    line = _LINE * (high - low) / (figure.layout.height - _ABOVE - _BELOW)
    beside = spread(values.iloc[:, -1].to_list(), line, [low, high])
    at = {"x": 1, "xref": "paper", "xanchor": "left", "showarrow": False}
    for name, y, drawn in zip(names, beside, cycle(_SIGNS), strict=False):
        for shift, text, colour in ((4, drawn, colours[name]), (4 + _SIGN, label(name), look.text)):
            figure.add_annotation(at, xshift=shift, y=y, text=text, font={"size": SMALL, "color": colour})
        sign(figure, label(name), colours[name], drawn, where="narrow")
    if stacked.any():
        sign(figure, "rings: equal values", look.text, "◎")
    if reference:
        sign(figure, f"not clearly different from {label(reference)} at that k", look.text, "○")
    return figure


def lead_chart(
    leads: pd.DataFrame, names: Sequence[str], *, measure: str, look: Look, colour: str, own_cutoff: int | None = None
) -> go.Figure:
    """Draw the lead of a feature over another at each cut-off, with its interval and a zero line.

    ``leads``: index k; columns ``difference``, ``low`` and ``high`` (NaN where they are not known), and ``open``.
    ``names``: those of the chart above, whose axis this one has. ``colour``: of the feature whose lead it is.
    """
    cutoffs = leads.index.to_numpy()
    low, high = padded(np.append(leads[["difference", "low", "high"]].to_numpy().ravel(), 0.0))
    y_axis = {"range": [low, high], **round_ticks(low, high, 5), "title": {"text": f"lead in {label(measure, 40)}"}}
    figure = _over_cutoffs(cutoffs, names, own_cutoff, look, height=240, yaxis=y_axis)
    _add_band(figure, leads[["low", "high"]], colour, BANDS["over queries"][-1], "interval")
    figure.add_hline(y=0, line={"color": look.muted, "width": 1.4})
    figure.add_scatter(
        x=cutoffs,
        y=leads["difference"],
        mode="lines+markers",
        line={"color": colour, "width": _WIDTH},
        marker=_dots(leads["open"], colour, look, size=7),
        name="lead",
        hovertemplate="k = %{x}: %{y:+.4f}<extra></extra>",
    )
    return figure


def _add_band(figure: go.Figure, ends: pd.DataFrame, colour: str, strength: float, name: str) -> None:
    """Draw a band over the cut-offs; ``ends``: low and high at each; ``strength``: of the colour inside, 0 for none."""
    ends = ends.dropna()  # there is none where all are level
    (low, high), at = ends.to_numpy(dtype=float).T, [*ends.index]
    shared = {"mode": "lines", "hoverinfo": "skip", "name": name}
    line = {"width": int(strength < 0.1), "color": colour, "dash": None if strength else "dot"}
    if strength:
        shared |= {"fill": "toself", "fillcolor": f"rgba{(*hex_to_rgb(colour), strength)}"}
        figure.add_scatter(x=[*at, *at[::-1]], y=[*low, *high[::-1]], line=line, **shared)
    else:  # nothing joins the two
        figure.add_scatter(x=[*at, None, *at], y=[*low, None, *high], line=line, **shared)


def _dots(is_open: ArrayLike, colour: str, look: Look, *, size: ArrayLike) -> dict[str, Any]:
    """Return dots that are hollow where a difference is open."""
    line = {"width": 1.5, "color": colour}
    return {"color": np.where(is_open, look.ground, colour), "size": size, "line": line, "opacity": 1}


def _over_cutoffs(
    cutoffs: np.ndarray, names: Sequence[str], own_cutoff: int | None, look: Look, **more: Any
) -> go.Figure:
    """Begin a figure over the cut-offs, with room for the names beside the ends of lines; ``more``: of its layout."""
    first, last = np.log10([cutoffs.min(), cutoffs.max()])
    beside = 0.03 * (last - first) or 0.1
    ticks = ticks_of(cutoffs)
    x_axis = {
        "type": "log",
        "range": [first - beside, last + beside],
        "tickmode": "array",
        "tickangle": 0,
        "tickvals": ticks,
        "ticktext": [words.count(k) for k in ticks],
        "minor": {"showgrid": False},
        "title": {"text": "cut-off k", "standoff": 4},
    }
    margin = {"l": _LEFT, "r": beside_lines(names), "t": _ABOVE, "b": _BELOW}
    figure = go.Figure(layout=layout(look, margin=margin, xaxis=x_axis, **more))
    if own_cutoff is not None and own_cutoff in cutoffs:
        figure.add_vline(x=own_cutoff, line={"color": look.muted, "width": 1.2, "dash": "dot"}, layer="below")
        at = {"x": np.log10(own_cutoff), "y": 1, "yref": "paper", "yanchor": "bottom"}
        figure.add_annotation(at, text=f"k = {words.count(own_cutoff)}", showarrow=False)
    return figure


def beside_lines(names: Sequence[str]) -> int:
    """Pixels for the names beside the ends of the lines."""
    return gutter(names, least=40) + _SIGN


def faded(colours: Mapping[str, str], highlighted: Collection[str], look: Look) -> dict[str, str]:
    """Return the colour of each feature, faded if others are highlighted."""
    strong = {*colours} & {*highlighted} or {*colours}
    return {name: one if name in strong else blend(one, look.ground, _FADED) for name, one in colours.items()}


def _told(name: str, rows: pd.DataFrame) -> list[str]:
    columns = ["expected", *(end for band in BANDS.values() for end in band[:2])]
    return [
        f"<b>{label(name, 60)}</b> at {k}<br>expected {words.number(expected)}<br>"
        f"band over queries<br>{words.number(low)} to {words.number(high)}<br>"
        f"band of ties<br>{words.number(tie_low)} to {words.number(tie_high)}"
        for k, expected, low, high, tie_low, tie_high in rows[columns].itertuples(name=None)
    ]

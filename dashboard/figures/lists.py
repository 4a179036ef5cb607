"""The pictures of one ranked list: its ties document by document, what each adds, and random orderings of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from dashboard import words
from dashboard.figures.look import SMALL, Look, blend, label, layout, marks_of
from dashboard.figures.pieces import legend, legend_height, padded, sign, with_direction

__all__ = ["MOST_DOCUMENTS", "MOST_PARTS", "draws_chart", "list_chart", "parts_chart", "parts_shown"]

MOST_DOCUMENTS = 1000
"""Cells of a list."""
MOST_PARTS = 12
"""Tie groups whose parts are drawn."""
_PER_LINE = 20
_LINE = 27
_ENTRY, _PART_ENTRY = 110, 74


def list_chart(
    documents: pd.DataFrame, *, deciding: Sequence[int], look: Look, cut: int | None = None, cut_name: str = ""
) -> go.Figure:
    """A ranked list as a text: cells are documents, twenty a line, on bands that are tie groups.

    Parameters
    ----------
    documents
        Index document in the order to show; columns ``group``, ``first_rank``, ``last_rank``, ``score``, ``grade``
        (empty if not judged) and ``relevant``.
    deciding
        Groups whose order changes the value.
    look
        Colours.
    cut
        Draw a line behind so many documents.
    cut_name
        What to call it in the legend.
    """
    shown = documents.iloc[:MOST_DOCUMENTS]
    n_documents = len(shown)
    at = np.arange(n_documents)
    line, column = at // _PER_LINE, at % _PER_LINE
    n_lines = int(line[-1]) + 1 if n_documents else 1
    figure = go.Figure()
    _add_bands(figure, shown["group"].to_numpy(dtype=np.int64), deciding, look)
    kinds = _kinds(shown, look)
    kind = [kinds[_kind_of(grade)] for grade in shown["grade"]]
    told = np.array(
        [
            [label(str(name), 60) for name in shown.index],
            [f"{score:,.6g}" if score == score else "not scored" for score in shown["score"]],
            ["not judged" if grade is pd.NA else f"grade {grade}" for grade in shown["grade"]],
            [
                f"rank {words.count(first)}"
                if first == last
                else f"ranks {words.count(first)}–{words.count(last)}, tied with {words.count(last - first)}"
                for first, last in zip(shown["first_rank"], shown["last_rank"], strict=True)
            ],
        ]
    ).T.reshape(-1, 4)
    figure.add_bar(
        orientation="h",
        y=line,
        base=column + 0.09,
        x=np.full(n_documents, 0.82),
        width=0.62,
        marker={
            "color": [one["colour"] for one in kind],
            "line": {"width": 1, "color": [one["line"] for one in kind]},
            "cornerradius": 3,
        },
        text=["–" if grade is pd.NA else f"{grade}" for grade in shown["grade"]],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        textfont={"size": 11, "color": [one["text"] for one in kind]},
        customdata=told,
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[2]}, score %{customdata[1]}<br>"
        "%{customdata[3]}<extra></extra>",
        name="documents",
        showlegend=False,
    )
    signs: list[tuple[str, dict[str, Any]]] = [
        (one["name"], {"symbol": "square", "color": one["colour"], "line": {"width": 1, "color": one["line"]}})
        for one in kinds.values()
    ]
    sizes = shown["last_rank"] - shown["first_rank"]
    is_deciding = shown["group"].isin(list(deciding))
    if is_deciding.any():
        signs.append(("tie: order decides", {"symbol": "square", **_band(look, decides=True)}))
    if ((sizes > 0) & ~is_deciding).any():
        signs.append(("tie: does not matter", {"symbol": "square", **_band(look, decides=False)}))
    for name, marker in signs:
        sign(figure, name, marker)
    if cut is not None and 0 < cut < n_documents:
        x, y = _stairs(cut)
        figure.add_scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": look.bad, "width": 3},
            name=cut_name or f"cut behind rank {cut}",
            hoverinfo="skip",
            cliponaxis=False,
        )
    top = legend_height(len(signs) + 1, entrywidth=_ENTRY, beside=46) + 12
    figure.update_layout(layout(look, height=top + 8 + _LINE * n_lines))
    starts = np.arange(n_lines) * _PER_LINE + 1
    figure.update_layout(
        barmode="overlay",
        margin={"l": 40, "r": 6, "t": top, "b": 8},
        legend=legend(
            entrywidth=_ENTRY,
        ),
        xaxis={"range": [-0.05, _PER_LINE + 0.05], "showgrid": False, "visible": False},
        yaxis={
            "range": [n_lines - 0.44, -0.56],
            "showgrid": False,
            "tickmode": "array",
            "tickvals": list(range(n_lines)),
            "ticktext": [words.count(start) for start in starts.tolist()],
        },
    )
    return figure


def _kind_of(grade: Any) -> int | None:
    return None if grade is pd.NA else int(grade)


def _kinds(documents: pd.DataFrame, look: Look) -> Mapping[int | None, dict[str, str]]:
    """How the documents of each grade look, the highest first; what is not relevant is grey, the more so unjudged."""
    judged = documents[documents["grade"].notna()]
    grades = sorted({int(grade) for grade in judged["grade"]}, reverse=True)
    relevant = sorted({int(grade) for grade in judged["grade"][judged["relevant"]]})
    kinds: dict[int | None, dict[str, str]] = {}
    for grade in grades:
        if grade in relevant:
            share = 0.4 + 0.6 * (relevant.index(grade) + 1) / len(relevant)
            colour = blend(look.accent, look.ground, share)
            text = look.ground if share > 0.65 else look.text
            kinds[grade] = {"colour": colour, "line": colour, "text": text, "name": f"grade {grade}, relevant"}
        else:
            colour = blend(look.quiet, look.ground, 0.55)
            kinds[grade] = {"colour": colour, "line": colour, "text": look.text, "name": f"grade {grade}"}
    if documents["grade"].isna().any():
        kinds[None] = {"colour": look.ground, "line": look.quiet, "text": look.muted, "name": "– not judged"}
    return kinds


def _band(look: Look, *, decides: bool) -> dict[str, Any]:
    if decides:
        return {"color": blend(look.palette[1], look.ground, 0.3), "line": {"width": 1.5, "color": look.palette[1]}}
    return {"color": look.panel, "line": {"width": 1, "color": look.grid}}


def _add_bands(figure: go.Figure, group: np.ndarray, deciding: Sequence[int], look: Look) -> None:
    """Lay a band below the documents of each tie, one piece for each line that it runs through."""
    if not len(group):
        return
    at = np.arange(len(group))
    line = at // _PER_LINE
    start = np.flatnonzero(np.append(True, (np.diff(group) != 0) | (np.diff(line) != 0)))
    length = np.diff(start, append=len(group))
    tied = np.isin(group, np.unique(group)[np.unique(group, return_counts=True)[1] > 1])[start]
    for decides in (False, True):
        piece = tied & (np.isin(group[start], list(deciding)) == decides)
        if piece.any():
            figure.add_bar(
                orientation="h",
                y=line[start][piece],
                base=(start % _PER_LINE)[piece] + 0.02,
                x=length[piece] - 0.04,
                width=0.9,
                marker={**_band(look, decides=decides), "cornerradius": 5},
                hoverinfo="skip",
                showlegend=False,
                name="ties",
            )


def _stairs(cut: int) -> tuple[list[float], list[float]]:
    """Line that has the first documents above or to the left of it."""
    line, column = divmod(cut, _PER_LINE)
    above, below = line - 0.5, line + 0.5
    if column == 0:
        return [0, _PER_LINE], [above, above]
    if line == 0:
        return [column, column, 0], [above, below, below]
    return [_PER_LINE, column, column, 0], [above, above, below, below]


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

    Parameters
    ----------
    groups
        As ``tiecore.diagnostics.culprits`` gives them, in the order of the list; those that matter most are shown.
    measure
        Name, for the axis.
    look
        Colours.
    tie_breaks
        Their shifts are marked.
    cut
        Mark the group through which the list is cut behind so many documents.
    higher_is_better
        If not, the axis runs backwards.
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
    told = np.array(
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
        y=at - 0.1,
        base=ends[0],
        x=ends[1] - ends[0],
        width=0.5,
        marker={"color": look.range, "line": {"width": 0}, "cornerradius": 3},
        customdata=told,
        hovertemplate=hover,
        showlegend=False,
    )
    sign(figure, "worst to best", {"symbol": "square", "color": look.range})
    marks = marks_of(tie_breaks, look)
    nudges = np.linspace(-0.09, 0.09, len(marks)) if len(marks) > 1 else np.zeros(len(marks))
    for nudge, (name, mark) in zip(nudges, marks.items(), strict=True):
        figure.add_scatter(
            x=base + rows[f"{name} shift"],
            y=at + 0.29 + nudge,
            mode="markers",
            name=label(name, 12),
            marker={"symbol": mark.symbol, "size": 8, "color": mark.colour, "line": {"width": 1, "color": look.ground}},
            customdata=np.array([names, (base + rows[f"{name} shift"]).map(words.number)]).T.reshape(-1, 2),
            hovertemplate=f"{label(name, 60)}: %{{customdata[1]}}<extra></extra>",
        )
    figure.add_scatter(
        x=base,
        y=at - 0.1,
        mode="markers",
        name="expectation",
        marker={"size": 9, "color": look.text, "line": {"width": 1.5, "color": look.ground}},
        customdata=told,
        hovertemplate=hover,
    )
    left, right = 34 + 7 * max(map(len, names), default=0), 14
    top = legend_height(2 + len(marks), entrywidth=_PART_ENTRY, beside=left + right) + 50
    figure.update_layout(layout(look, height=top + 12 + 32 * max(1, len(rows))))
    low, high = padded(np.concatenate([ends.ravel(), [0.0], *(base + rows[f"{name} shift"] for name in tie_breaks)]))
    figure.update_layout(
        barmode="overlay",
        margin={"l": left, "r": right, "t": top, "b": 12},
        legend=legend(
            entrywidth=_PART_ENTRY,
        ),
        xaxis={
            "range": [low, high] if higher_is_better else [high, low],
            "side": "top",
            "nticks": 5,
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


def draws_chart(
    drawn: pd.DataFrame,
    *,
    expected: float,
    worst: float,
    best: float,
    measure: str,
    look: Look,
    higher_is_better: bool = True,
) -> go.Figure:
    """Values of random orderings one after another, their running mean, and where it is bound to settle.

    Parameters
    ----------
    drawn
        Index draw; columns ``value`` and ``mean``; may be empty.
    expected, worst, best
        Exact.
    measure
        Name, for the axis.
    look
        Colours.
    higher_is_better
        If not, the axis runs downwards.
    """
    n_draws = len(drawn)
    end = max(20, n_draws) + max(20, n_draws) * 0.03
    figure = go.Figure(layout=layout(look, height=300))
    figure.add_scatter(
        x=[0, end, end, 0],
        y=[worst, worst, best, best],
        fill="toself",
        mode="lines",
        line={"width": 0},
        fillcolor=look.range,
        hoverinfo="skip",
        showlegend=False,
    )
    sign(figure, "worst to best case", {"symbol": "square", "color": look.range})
    figure.add_scatter(
        x=drawn.index,
        y=drawn["value"],
        mode="markers",
        name="random ordering",
        marker={
            "size": 7 if n_draws <= 120 else 5,
            "color": look.central,
            "line": {"width": 1, "color": look.ground if n_draws <= 120 else look.central},
        },
        customdata=np.array([drawn.index.astype(str), drawn["value"].map(words.number)]).T.reshape(-1, 2),
        hovertemplate="ordering %{customdata[0]}: %{customdata[1]}<extra></extra>",
    )
    figure.add_scatter(
        x=[0, end],
        y=[expected, expected],
        mode="lines",
        name="exact expectation",
        line={"color": look.text, "width": 2, "dash": "dash"},
        hovertemplate=f"exact expectation {words.number(expected)}<extra></extra>",
    )
    figure.add_scatter(
        x=drawn.index,
        y=drawn["mean"],
        mode="lines" if n_draws > 1 else "markers",
        name="running mean",
        line={"color": look.palette[1], "width": 3},
        customdata=np.array([drawn.index.astype(str), drawn["mean"].map(words.number)]).T.reshape(-1, 2),
        hovertemplate="mean of %{customdata[0]}: %{customdata[1]}<extra></extra>",
    )
    if n_draws:
        figure.add_scatter(
            x=[drawn.index[-1]],
            y=[drawn["value"].iloc[-1]],
            mode="markers",
            name="the last one",
            marker={
                "symbol": "diamond",
                "size": 13,
                "color": look.accent,
                "line": {"width": 1.5, "color": look.ground},
            },
            hoverinfo="skip",
        )
    low, high = padded(np.array([worst, best, expected]))
    figure.update_layout(
        margin={"l": 52, "r": 10, "t": 66, "b": 34},
        legend=legend(),
        xaxis={"range": [0, end], "showgrid": False, "title": {"text": "random orderings drawn", "standoff": 6}},
        yaxis={
            "range": [low, high] if higher_is_better else [high, low],
            "nticks": 6,
            "title": {"text": with_direction(measure, higher_is_better=higher_is_better), "standoff": 4},
        },
    )
    return figure

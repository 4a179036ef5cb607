"""One ranked list, document by document: its ties, grades and cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Look, blend, label, layout
from tiecore_dashboard.charts.pieces import legend, legend_height, legend_room, sign

__all__ = ["MOST_DOCUMENTS", "list_chart"]

MOST_DOCUMENTS = 1000
"""Cells of a list."""
_PER_LINE = 20
_LINE = 27
_ENTRY = 110


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
    hover_data = np.array(
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
        customdata=hover_data,
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[2]}, score %{customdata[1]}<br>"
        "%{customdata[3]}<extra></extra>",
        name="documents",
        showlegend=False,
    )
    # each grade stands on its documents, so a sign for the highest of either kind is enough
    signs: list[tuple[str, dict[str, Any]]] = [
        (name, {"symbol": "square", "color": one["colour"], "line": {"width": 1, "color": one["line"]}})
        for name, one in {one["name"]: one for one in reversed([*kinds.values()])}.items()
    ][::-1]
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
            name=cut_name or f"cut after rank {cut}",
            hoverinfo="skip",
            cliponaxis=False,
        )
    above = legend_height(len(signs) + 1, entrywidth=_ENTRY, beside=46) + 4
    top = above + 8
    figure.update_layout(layout(look, height=top + 8 + _LINE * n_lines, meta=legend_room(above)))
    starts = np.arange(n_lines) * _PER_LINE + 1
    figure.update_layout(
        barmode="overlay",
        margin={"l": 40, "r": 6, "t": top, "b": 8},
        legend=legend(entrywidth=_ENTRY),
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
            kinds[grade] = {"colour": colour, "line": colour, "text": text, "name": "relevant"}
        else:
            colour = blend(look.quiet, look.ground, 0.55)
            kinds[grade] = {"colour": colour, "line": colour, "text": look.text, "name": "not relevant"}
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

"""Which features rank alike: the map of all pairs, and one pair document by document."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard.charts.look import Look, blend, label, layout
from tiecore_dashboard.charts.pieces import (
    are_numbered,
    frame_pair,
    legend,
    legend_height,
    legend_room,
    padded,
    sign,
    square_map,
    targets,
)

__all__ = ["Axes", "alike_map", "document_chart", "scale_legend"]

Axes = Literal["ranks", "scores"]
_WITH_TEXT = 16
"""Features up to which cells have room for numbers."""
_LARGE_CELLS = 24
_FEW_SCORES = 30
_SKEWED = 20
"""Times the ninth decile."""
_SPREAD = 0.35
"""Of the smallest step between two scores, to either side."""


def scale_legend(look: Look, *, lowest: float) -> str:
    """Say in HTML what the colours of the map mean; ``lowest`` is that of the coefficient, −1 or 0."""
    colours = [colour for at, colour in _colours(look) if at >= (0 if lowest < 0 else 0.5)]
    ends = ("−1 opposite order", "0 unrelated", "1 same order") if lowest < 0 else ("0 nothing in common", "1 the same")
    bar = (
        '<span style="display:inline-block;width:6rem;height:.7em;border-radius:2px;'
        f'background:linear-gradient(to right,{",".join(colours)})"></span>'
    )
    texts = "".join(f"<span>{text}</span>" for text in ends)
    return (
        f'<div style="font-size:.82rem;color:{look.muted};display:flex;flex-wrap:wrap;align-items:center;'
        f'gap:.1rem .9rem">{bar}{texts}</div>'
    )


def _colours(look: Look) -> list[tuple[float, str]]:
    return [(0.0, look.palette[1]), (0.5, blend(look.quiet, look.ground, 0.12)), (1.0, look.accent)]


def alike_map(
    means: pd.DataFrame,
    queries: pd.DataFrame,
    *,
    title: str,
    look: Look,
    chosen: tuple[str, str] | None = None,
    highlighted: Collection[str] = (),
) -> go.Figure:
    """Draw how alike each two features rank.

    ``means``: features × features in the order to draw them: mean of the coefficient over queries.
    """
    names = [str(name) for name in means.index]
    n = len(names)
    values = means.to_numpy(copy=True)
    np.fill_diagonal(values, np.nan)
    cell = 40 if n <= 10 else 32 if n <= _WITH_TEXT else 22 if n <= _LARGE_CELLS else 14
    shown = [
        f'<span style="color:{look.muted}">{label(name)}</span>'
        if highlighted and name not in highlighted
        else label(name)
        for name in names
    ]
    if are_numbered(names):
        shown = [f"{text}  {place}" for place, text in enumerate(shown, start=1)]
    figure = square_map(
        values,
        names,
        shown,
        lowest=-1,
        colours=_colours(look),
        texts=_texts(values) if n <= _WITH_TEXT else None,
        cell=cell,
        look=look,
    )
    _add_targets(figure, names, values, queries.to_numpy(), title, look)
    frame_pair(figure, names, chosen, look)
    return figure


def _texts(values: np.ndarray) -> np.ndarray:
    """(n_features, n_features) coefficients with two digits, without the zero before the point."""
    texts = np.full(values.shape, "", dtype=object)
    for at in np.argwhere(~np.isnan(values)):
        texts[tuple(at)] = _short(float(values[tuple(at)]))
    return texts


def _short(value: float) -> str:
    text = f"{value:.2f}".replace("0.", ".")
    return text.lstrip("-") if not text.strip("-0.") else text.replace("-", "−")


def _add_targets(
    figure: go.Figure, names: list[str], values: np.ndarray, queries: np.ndarray, title: str, look: Look
) -> None:
    """Lay invisible points over the cells: they tell under the pointer and take the clicks, which cells do not."""
    rows, columns = np.nonzero(~np.eye(len(names), dtype=bool))
    shown = [label(name, 40) for name in names]
    data = np.array(
        [
            [names[row], names[column], shown[row], shown[column], _told(values[row, column], queries[row, column])]
            for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        ],
        dtype=object,
    )
    figure.add_scatter(
        x=columns,
        y=rows,
        customdata=data,
        hovertemplate="<b>%{customdata[2]}</b> and<br><b>%{customdata[3]}</b><br>"
        f"{label(title)} %{{customdata[4]}}<extra></extra>",
        name="pairs",
        **targets(look),
    )


def _told(value: float, n_queries: int) -> str:
    if value != value:
        return "not defined: no query in which both order documents"
    return f"{value:.3f}".replace("-", "−") + f" over {n_queries:,} {'query' if n_queries == 1 else 'queries'}"


def document_chart(
    documents: pd.DataFrame,
    *,
    one: str,
    other: str,
    shows: Axes,
    look: Look,
    threshold: int = 1,
    lower_is_better: tuple[bool, bool] = (False, False),
) -> go.Figure:
    """Draw the documents of two features as points coloured by grade; ranked high by both is at the top right.

    Parameters
    ----------
    documents
        What ``tiecore.similarity.shared_documents`` gives.
    one, other
        Features along the horizontal and the vertical axis.
    shows
        Ranks, tied documents spread over those that they share; or scores, moved a little where they have few values.
    """
    rng = np.random.default_rng(0)
    is_log = {axis: shows == "scores" and _is_skewed(documents[axis].to_numpy(dtype=float)) for axis in ("x", "y")}
    at = {
        axis: _ranks(documents, axis, rng) if shows == "ranks" else _scores(documents[axis], rng, is_log=is_log[axis])
        for axis in ("x", "y")
    }
    kinds = _kinds(documents["grade"], threshold, look)
    entry_width = 7 * max(len(name) for name, *_ in kinds)
    room = legend_height(len(kinds), entrywidth=entry_width, beside=80)
    top = room + 12
    figure = go.Figure(layout=layout(look, height=400 + top))
    hover_data = _hover_of_documents(documents)
    for name, mask, marker in kinds:
        figure.add_scatter(
            x=at["x"][mask],
            y=at["y"][mask],
            mode="markers",
            marker=marker,
            customdata=hover_data[mask],
            hovertemplate="<b>%{customdata[0]}</b>, query %{customdata[1]}<br>%{customdata[4]}<br>"
            f"{label(one, 30)} %{{customdata[2]}}<br>{label(other, 30)} %{{customdata[3]}}<extra></extra>",
            name=name,
            showlegend=False,
        )
        sign(figure, name, {**marker, "opacity": 1})
    axes = {
        axis: _rank_axis(at[axis], name)
        if shows == "ranks"
        else _score_axis(at[axis], name, is_log=is_log[axis], lower_is_better=lower)
        for axis, name, lower in zip("xy", (one, other), lower_is_better, strict=True)
    }
    figure.update_layout(
        margin={"l": 62, "r": 12, "t": top, "b": 46},
        legend=legend(entrywidth=entry_width),
        meta=legend_room(room),
        xaxis=axes["x"],
        yaxis=axes["y"],
    )
    return figure


def _ranks(documents: pd.DataFrame, axis: str, rng: np.random.Generator) -> np.ndarray:
    """(n_documents,) places all over the ranks that a tie group takes."""
    first = documents[f"{axis} first_rank"].to_numpy(dtype=float)
    size = documents[f"{axis} last_rank"].to_numpy(dtype=float) - first + 1
    return first + np.where(size > 1, rng.random(len(first)) * size - 0.5, 0.0)


def _is_skewed(scores: np.ndarray) -> bool:
    """Whether a few high scores would leave no room for all others, as with counts."""
    known = scores[np.isfinite(scores)]
    return bool(len(known) and known.min() >= 0 and known.max() > _SKEWED * max(1.0, float(np.quantile(known, 0.9))))


def _scores(scores: pd.Series, rng: np.random.Generator, *, is_log: bool) -> np.ndarray:
    """(n_documents,) scores, moved a little where there are so few that points would hide each other."""
    values = scores.to_numpy(dtype=float, copy=True)
    values[~np.isfinite(values)] = np.nan
    if is_log:
        values = np.log10(1 + values)
    distinct = np.unique(values[~np.isnan(values)])
    if 1 <= len(distinct) <= _FEW_SCORES:
        step = float(np.diff(distinct).min()) if len(distinct) > 1 else abs(float(distinct[0])) * 0.1 or 1.0
        values += _SPREAD * step * (2 * rng.random(len(values)) - 1)
    return values


def _kinds(grades: pd.Series, threshold: int, look: Look) -> list[tuple[str, np.ndarray, dict[str, Any]]]:
    """Return name, documents and marker of each grade, those in front last; what is not relevant is grey."""
    known = grades.notna().to_numpy()
    values = grades.fillna(-1).to_numpy(dtype=np.int64)
    relevant = np.unique(values[known & (values >= threshold)]).tolist()
    found: list[tuple[str, np.ndarray, dict[str, Any]]] = [
        ("not judged", ~known, {"symbol": "circle-open", "color": look.quiet, "size": 5, "opacity": 0.7}),
        (
            "not relevant",
            known & (values < threshold),
            {"symbol": "circle", "color": look.quiet, "size": 5, "opacity": 0.6},
        ),
    ]
    for place, grade in enumerate(relevant, start=1):
        colour = blend(look.accent, look.ground, 0.4 + 0.6 * place / len(relevant))
        line = {"width": 0.5, "color": look.ground}
        marker = {"symbol": "diamond", "color": colour, "size": 7, "opacity": 0.85, "line": line}
        found.append((f"grade {grade}", known & (values == grade), marker))
    return [(name, mask, marker) for name, mask, marker in found if mask.any()]


def _hover_of_documents(documents: pd.DataFrame) -> np.ndarray:
    """(n_documents, 5) what is said of each document under the pointer."""
    ranks = {
        axis: [
            f"rank {first:,}" if first == last else f"ranks {first:,}–{last:,}"
            for first, last in documents[[f"{axis} first_rank", f"{axis} last_rank"]].itertuples(index=False, name=None)
        ]
        for axis in ("x", "y")
    }
    rows = [
        [
            label(str(document), 40),
            label(str(query), 30),
            f"{x:,.6g} ({rank_x})",
            f"{y:,.6g} ({rank_y})",
            "not judged" if grade is pd.NA else f"grade {grade}",
        ]
        for (query, document), x, rank_x, y, rank_y, grade in zip(
            documents.index, documents["x"], ranks["x"], documents["y"], ranks["y"], documents["grade"], strict=True
        )
    ]
    return np.array(rows, dtype=object).reshape(-1, 5)


def _rank_axis(values: np.ndarray, name: str) -> dict[str, Any]:
    low, high = padded(values)
    return {"range": [high, low], "nticks": 7, "title": {"text": f"rank by {label(name, 30)} (1 is first)"}}


def _score_axis(values: np.ndarray, name: str, *, is_log: bool, lower_is_better: bool) -> dict[str, Any]:
    low, high = padded(values)
    notes = [note for note, is_so in (("log scale", is_log), ("lower is better", lower_is_better)) if is_so]
    axis: dict[str, Any] = {
        "range": [high, low] if lower_is_better else [low, high],
        "nticks": 7,
        "title": {"text": ", ".join([label(name, 30), *notes])},
    }
    if is_log:
        ticks = [0, *(10**power for power in range(int(high) + 1))]
        axis |= {"tickmode": "array", "tickvals": np.log10(1 + np.array(ticks)), "ticktext": [f"{t:,}" for t in ticks]}
    return axis

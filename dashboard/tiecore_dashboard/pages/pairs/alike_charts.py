"""Which features rank alike: the map of all pairs, and one pair document by document."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tiecore_dashboard import words
from tiecore_dashboard.charts.look import Figure, Look, label, layout
from tiecore_dashboard.charts.pieces import padded, sign
from tiecore_dashboard.pages.pairs.charts import colours, triangle

__all__ = ["alike_map", "document_chart"]


def alike_map(
    means: pd.DataFrame,
    queries: pd.DataFrame,
    *,
    title: str,
    look: Look,
    chosen: tuple[str, str] | None = None,
    highlighted: Collection[str] = (),
) -> Figure:
    """Draw how alike each two features rank.

    ``means``, ``queries``: features × features in the order to draw them: mean of the coefficient, queries in it.
    """
    names = [str(name) for name in means.index]
    row, column = np.triu_indices(len(names), 1)
    told = [
        f"<b>{label(names[one], 40)}</b> and <b>{label(names[other], 40)}</b><br>{label(title)} "
        + (
            f"{value:.3f} over {words.plural(int(n), 'query', 'queries')}".replace("-", "−")
            if value == value
            else "not defined: no query in which both order documents"
        )
        for one, other, value, n in zip(
            row, column, means.to_numpy()[row, column], queries.to_numpy()[row, column], strict=True
        )
    ]
    values = means.to_numpy(dtype=float)
    figure = triangle(values, names, told, look=look, chosen=chosen, highlighted=highlighted)
    ends = {"1 same order": 1.0, "0 unrelated": 0.5}
    if np.nanmin(values, initial=0.0) < 0:
        ends["−1 opposite order"] = 0.0
    for name, at in ends.items():
        sign(figure, name, {"symbol": "square", "color": dict(colours(look))[at]})
    return figure


def document_chart(documents: pd.DataFrame, *, one: str, other: str, look: Look, threshold: int = 1) -> Figure:
    """Draw the documents of two features by their ranks; what both rank high is at the top right.

    Parameters
    ----------
    documents
        What ``tiecore.similarity.shared_documents`` returns; tied documents are spread over the ranks that they share.
    one, other
        Features along the horizontal and the vertical axis.
    threshold
        Least grade of a relevant document.
    """
    rng = np.random.default_rng(0)
    x, y = (_ranks(documents, axis, rng) for axis in "xy")
    figure = go.Figure(layout=layout(look, height=408))
    grade = documents["grade"]
    is_relevant = (grade.fillna(threshold - 1) >= threshold).to_numpy(dtype=bool)
    kinds: list[tuple[str, np.ndarray, dict[str, Any]]] = [
        ("not judged", grade.isna().to_numpy(), {"symbol": "circle-open", "color": look.quiet, "size": 5}),
        ("not relevant", grade.notna().to_numpy() & ~is_relevant, {"color": look.quiet, "size": 5}),
        ("relevant", is_relevant, {"symbol": "diamond", "color": look.accent, "size": 7}),
    ]
    told = _told(documents, one, other)
    for name, mask, marker in kinds:
        if mask.any():
            figure.add_scatter(
                x=x[mask],
                y=y[mask],
                mode="markers",
                marker={"opacity": 0.75, **marker},
                customdata=documents.index.to_numpy()[mask],
                hovertext=told[mask],
                hovertemplate="%{hovertext}<extra></extra>",
                name=name,
            )
    axes = {
        axis: {"range": padded(ranks)[::-1], "nticks": 7, "title": {"text": f"rank by {label(name, 30)} (1 is first)"}}
        for axis, ranks, name in (("xaxis", x, one), ("yaxis", y, other))
    }
    figure.update_layout(margin={"l": 62, "r": 12, "t": 12, "b": 46}, **axes)
    return figure


def _ranks(documents: pd.DataFrame, axis: str, rng: np.random.Generator) -> np.ndarray:
    """(n_documents,) places all over the ranks that a tie group takes."""
    first, last = (documents[f"{axis} {end}_rank"].to_numpy(dtype=float) for end in ("first", "last"))
    return first + np.where(last > first, rng.random(len(first)) * (last - first + 1) - 0.5, 0.0)


def _told(documents: pd.DataFrame, one: str, other: str) -> np.ndarray:
    """(n_documents,) what is told of each document under the pointer."""
    rows = documents[["grade", "x", "x first_rank", "x last_rank", "y", "y first_rank", "y last_rank"]]
    told = [
        f"<b>{label(str(document), 40)}</b>, query {label(str(query), 30)}<br>"
        f"{'not judged' if grade is pd.NA else f'grade {grade}'}<br>"
        f"{label(one, 30)} {x:,.6g} ({_rank(x_first, x_last)})<br>"
        f"{label(other, 30)} {y:,.6g} ({_rank(y_first, y_last)})"
        for (query, document), grade, x, x_first, x_last, y, y_first, y_last in rows.itertuples(name=None)
    ]
    return np.array(told, dtype=object)


def _rank(first: int, last: int) -> str:
    return f"rank {first:,}" if first == last else f"ranks {first:,}–{last:,}"

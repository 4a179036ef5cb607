"""The leaderboard as a figure: values with their intervals, and how far each feature is behind the best."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes

from tiecore.board import Board
from tiecore.board.board import GROUPS
from tiecore.board.sentences import cut, on_ties, writing_of
from tiecore.plot.sheet import COLOURS, Figure, Sheet, features_of
from tiecore.stability.sentences import called, heading_of, queries_of, unit_of_differences
from tiecore.ties.tie_breaks import known_as

_SIGNS = ("d", "s", "^", "v", "<", ">", "P", "X")
_SEEN = 3
"""Letters of a whole line of which a dark bar must take its part of the axis to stick out below its dot."""


def board(shown: Board, sheet: Sheet | None = None) -> Figure:
    """Draw a row a feature: value with both intervals and its tie-breaks; behind the best, with its verdict.

    Of more features than a sheet holds, the best are drawn.
    """
    sheet = sheet or Sheet()
    whole, shown = shown, sheet.on_a_page(shown)
    rows = shown.rows
    at = np.arange(len(rows))
    columns = max(1, sheet.letters() // 19)

    def draw(figure: Figure) -> None:
        values, behind = figure.subplots(1, 2, sharey=True, width_ratios=[1.25, 1])
        for axes in (values, behind):
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0)
            axes.locator_params(axis="x", nbins=sheet.letters() // 25, steps=[1, 2, 5, 10])
            for first in shown.new_groups:
                axes.axhline(first - 0.5, color=COLOURS["line"], linewidth=0.8)
        _draw_values(values, shown, sheet)
        _draw_behind(behind, shown, sheet)
        values.set_ylim(len(rows) - 0.4, -0.6)
        values.set_yticks(
            at,
            [
                f"{sheet.name(name, 0.3, shown.known)}  {place}"
                for name, place in zip(shown.names, rows["place"], strict=True)
            ],
        )
        verdicts = behind.secondary_yaxis("right")
        verdicts.set_yticks(at, list(rows["verdict"]), color=COLOURS["muted"])
        verdicts.tick_params(length=0)
        verdicts.spines["right"].set_visible(False)
        if shown.tie_breaks:
            sheet.legend(figure, values, columns=columns)

    dot = "mean" if shown.stability.tie_orders is None else "exact expectation over all orders of tied documents"
    words = shown.stability.words
    note = [f"Dot: {dot}.", f"Light bar: {words['level']} confidence interval over {words['queries']}."]
    if (rows["tie_high"] - rows["tie_low"]).max() > _seen(shown, sheet):
        note.append("Dark bar: 95 % of random tie-breaks.")
    note += ["Small marks: values under tie-breaks, except where the dot hides them."] * bool(shown.tie_breaks)
    n_queries = queries_of(shown.n_queries, shown.stability.unit)
    if len(rows) > 1:
        reference = cut(shown.reference, among=shown.known)
        hollow = " (hollow dot: open)" if (rows["verdict"] == "open").any() else ""
        note.append(f"Verdict: on the difference from {reference}{hollow}, adjusted for all pairs.")
    note += [GROUPS] * bool(shown.new_groups)
    writing = writing_of(whole.stability)
    return sheet.figure(
        draw,
        height=sheet.rows(len(rows)) + 4 * sheet.line,
        title=f"{called(shown.measure)} of {features_of(shown, whole)}, {n_queries}",
        answer=whole.headline(writing)[0],
        more=" ".join(on_ties(whole, writing)) if whole.tie_breaks else "",
        legend=math.ceil(len(shown.tie_breaks) / columns),
        note=" ".join([*note, *whole.suspicions]),
    )


def _seen(shown: Board, sheet: Sheet) -> float:
    """Return the difference of two values from which on it is seen."""
    held = shown.rows[["value", "low", "high", *shown.tie_breaks]].to_numpy()
    return _SEEN / sheet.letters() * float(np.nanmax(held) - np.nanmin(held))


def _draw_values(axes: Axes, shown: Board, sheet: Sheet) -> None:
    rows, thick = shown.rows, sheet.font * 0.85
    axes.hlines(range(len(rows)), rows["low"], rows["high"], color=COLOURS["queries"], linewidth=thick)
    axes.hlines(range(len(rows)), rows["tie_low"], rows["tie_high"], color=COLOURS["ties"], linewidth=thick * 0.4)
    axes.plot(rows["value"], range(len(rows)), "o", color=COLOURS["text"], markersize=thick * 0.5, zorder=5)
    for number, name in enumerate(shown.tie_breaks):
        below = np.arange(len(rows)) + 0.27 + 0.04 * (number % 3)  # inside the row, and so that equal values are seen
        is_apart = (rows[name] - rows["value"]).abs() > _seen(shown, sheet) / 2
        axes.plot(
            rows[name].where(is_apart), below, _SIGNS[number % len(_SIGNS)],
            color=COLOURS["muted"], markersize=thick * 0.35, label=known_as(name), linestyle="", zorder=4,
        )  # fmt: skip
    axes.set_xlabel(heading_of(shown.measure))
    if not shown.measure.higher_is_better:
        axes.invert_xaxis()


def _draw_behind(axes: Axes, shown: Board, sheet: Sheet) -> None:
    rows = shown.rows
    axes.axvline(0, color=COLOURS["text"], linewidth=0.8)
    thick = sheet.font * 0.85
    axes.hlines(range(len(rows)), rows["behind_low"], rows["behind_high"], color=COLOURS["queries"], linewidth=thick)
    axes.plot(rows["behind"], range(len(rows)), "o", color=COLOURS["text"], markersize=thick * 0.5, zorder=5)
    is_open = np.flatnonzero(rows["verdict"] == "open")  # hollow, as on the page
    axes.plot(rows["behind"].iloc[is_open], is_open, "o", color="white", markersize=sheet.font * 0.22, zorder=6)
    axes.set_xlabel(f"behind {sheet.name(shown.reference, 0.16, shown.known)}{unit_of_differences(shown.measure)}")

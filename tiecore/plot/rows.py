"""Figures with a row for each feature, pair or query: values with their intervals, differences with a zero line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, zip_longest
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from tiecore.board import Board
from tiecore.board.board import GROUPS, deciding_line
from tiecore.board.lines import rows_with
from tiecore.board.sentences import REVERSED, cut, warnings_on, writing_of
from tiecore.diagnostics.blame import TWO_SD, two_sd
from tiecore.measures import Measure
from tiecore.plot.sheet import COLOURS, MOST_OF_A_TIE_BREAK, PAGE, Figure, Sheet, features_of, markers_of
from tiecore.stability import Stability
from tiecore.stability.sentences import called, direction, heading_of, queries_of, scale_of, unit_of_differences
from tiecore.stability.verdicts import VERDICTS, signs_of
from tiecore.ties.tie_breaks import known_as

_LANES = (0.16, -0.16, 0.26, -0.26)
"""Where in a row the marks of tie-breaks stand: below and above its bar, so that those of equal values are seen."""
_REST = ("holm_low", "holm_high", "verdict")
"""Columns that differences of boards and of pairs both have, beside those with the ends of their interval."""
_MOST_QUERIES = 80
_SEEN = 75
"""Parts of the axis: a mark, or the end of a dark bar, must be one of them off the dot to be seen, at every width."""


def board(shown: Board, sheet: Sheet = PAGE) -> Figure:
    """Draw a row a feature: value with both intervals and its tie-breaks; behind the best, with its verdict.

    Of more features than a sheet holds, the first are drawn.
    """
    whole, shown = shown, sheet.on_a_page(shown)
    rows, study, is_narrow = shown.rows, shown.stability, sheet.width == "column"
    held = whole.rows[["value", "low", "high", *shown.tie_breaks]].to_numpy()
    seen = float(f"{(np.nanmax(held) - np.nanmin(held)) / _SEEN:.0g}")
    marks = rows[[name for name in shown.tie_breaks if not is_narrow]]  # a column has no room for them
    marks = marks.where(marks.sub(rows["value"], axis=0).abs() > seen)
    writing, marked = writing_of(whole.stability), np.flatnonzero(rows.index.isin(shown.marked))

    def draw(figure: Figure) -> None:
        ratios = [1.25, 1.0][: len(rows)]  # one feature is behind none
        values, *others = figure.subplots(1, len(ratios), sharey=True, width_ratios=ratios, squeeze=False)[0]
        labels = [
            sheet.name(name, 0.37 if is_narrow else 0.34, shown.all_names)
            + f"  {writing.difference(value)}" * (not is_narrow)
            for name, value in rows[["value"]].itertuples()
        ]
        for axes in (values, *others):
            _begin(axes, labels, sheet)
            for row in marked:
                axes.axhspan(row - 0.5, row + 0.5, color=COLOURS["marked"], linewidth=0, zorder=0)
            for first in shown.new_groups:
                axes.axhline(first - 0.5, color=COLOURS["muted"], linewidth=0.8)
        values.yaxis.remove_overlapping_locs = False
        values.set_yticks(range(len(rows)), rows["place"], minor=True)  # a column of their own
        names, places = values.get_yticklabels(), values.get_yticklabels(minor=True)
        for row in marked:
            for text in (names[row], places[row]):
                text.set_fontweight("bold")
        widest = max(text.get_window_extent().width for text in names) * 72 / figure.dpi
        pad = 1.04 * widest + sheet.font  # at another resolution letters are a little wider
        values.tick_params(axis="y", which="minor", length=0, pad=pad)
        at, thick = np.arange(len(rows)), sheet.font * 0.75
        values.hlines(at, rows["low"], rows["high"], color=COLOURS["queries"], linewidth=thick)
        values.hlines(at, rows["tie_low"], rows["tie_high"], color=COLOURS["ties"], linewidth=thick * 0.4)
        values.plot(rows["value"], at, "o", color=COLOURS["text"], markersize=thick * 0.55, zorder=5)
        _draw_marks(values, marks, sheet, _LANES)
        values.set_xlabel(sheet.wrapped(heading_of(shown.measure), 0.32))
        if not shown.measure.higher_is_better:
            values.invert_xaxis()
        for behind in others:
            _draw_differences(behind, rows[["behind", "behind_low", "behind_high", *_REST]], sheet)
            best = sheet.name(shown.reference, 0.27, shown.all_names)  # of a column, has a line of its own
            behind.set_xlabel(sheet.wrapped(f"behind {best}{unit_of_differences(shown.measure)}", 0.32))

    bars = [f"{study.words['level']} interval over {study.words['queries']}"] * bool(rows["low"].notna().any())
    bars += ["about 95 % of random tie-breaks"] * bool((rows["tie_high"] - rows["tie_low"]).max() > 2 * seen)
    note = ["Dot: mean." if study.tie_orders is None else "Dot: exact expectation."]
    note += [f"Bars: {' (light), '.join(bars)}{' (dark)' * (len(bars) > 1)}."] * bool(bars)
    if not sheet.is_slide and len(rows) > 1:  # a slide has words for the signs of verdicts
        note += [f"Behind {cut(shown.reference, among=shown.all_names)}: {signs_of(rows['verdict'])}."]
    if marks.notna().any(axis=None):
        note += [f"Marks: tie-breaks, but for those that the dot would hide ({seen:g} or less from it)."]
    note += [sheet.brief(deciding_line(study))] * (len(rows) > 1)
    note += [GROUPS] * bool(shown.new_groups)
    warned = () if is_narrow else warnings_on(whole, writing)  # of marks that are not drawn
    note += [f"Places are those among all {whole.total} features."] * whole.is_filtered
    answer = [whole.headline(writing)[0], *(sheet.brief(one, ", which is not") for one in warned)]
    of, n_queries = called(shown.measure), queries_of(shown.n_queries, study.unit)
    title = f"{of} of {features_of(shown, whole)}, {n_queries}"
    return sheet.figure(
        draw,
        height=sheet.rows(len(rows)) + 4 * sheet.line,
        title=title if len(rows) < shown.total else sheet.title_of(title, answer[0], of, n_queries),
        answer=" ".join(answer),
        legend=marks.notna().any().sum(),
        note=" ".join(filter(None, [*note, shown.arrangement, *whole.suspicions])),
    )


def pairs(study: Stability, sheet: Sheet = PAGE, *, rows: pd.DataFrame | None = None, answer: str = "") -> Figure:
    """Draw a row a pair: the difference with its interval and verdict, as many as a sheet holds.

    ``rows``: those of ``study.pairs`` in the order in which they are drawn. ``answer``: what was found.
    """
    rows = study.pairs if rows is None else rows
    (drawn, part), known = rows_with(rows, "pair", most=sheet.most_rows), study.places.index
    names = drawn[["leader", "trailer"]].itertuples(index=False)
    labels = [" − ".join(sheet.pair(*both, share=0.6, among=known)) for both in names]
    is_reversed = drawn["reversed_by"].map(bool)

    def draw(axes: Axes) -> None:
        _draw_differences(axes, drawn[["difference", "low", "high", *_REST]], sheet, is_reversed)
        axes.set_xlabel(sheet.wrapped(f"difference in {scale_of(study.measure)}", 0.5))

    note = f"Bar: {study.words['level']} interval over {study.words['queries']}. " * bool(drawn["low"].notna().any())
    note += f"{signs_of(drawn['verdict'])}. " * (not sheet.is_slide) + sheet.brief(deciding_line(study))
    note = note.rstrip() + f" {REVERSED}: a tie-break reverses the order." * bool(is_reversed.any())
    note += f" {direction(study.measure)}".rstrip()
    of = f"{called(study.measure)}, {queries_of(study.n_queries, study.unit)}"
    return _of_rows(labels, draw, sheet, of=of, part=part, answer=answer, note=note)


def queries(
    blamed: pd.DataFrame,
    sheet: Sheet = PAGE,
    *,
    feature: str,
    measure: Measure,
    tie_breaks: Sequence[str] = (),
    order: str = "largest spread first",
    answer: str = "",
) -> Figure:
    """Draw a column a query of a feature: its expectation, what ties do by chance and at most, and named tie-breaks.

    ``blamed``: what :func:`tiecore.diagnostics.blame` returns, in an order with a name; the first ones are drawn.
    """
    rows = blamed.iloc[:_MOST_QUERIES]
    at = np.arange(len(rows))

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.use_sticky_edges = False  # what lies on the edge is seen
        is_sd = measure.has_variance
        low, high = two_sd(rows) if is_sd else (rows["worst"], rows["best"])
        axes.vlines(at, rows["worst"], rows["best"], color=COLOURS["quiet"], linewidth=sheet.font * 0.08, zorder=0)
        axes.bar(at, high - low, 0.74, low, color=COLOURS["ties" if is_sd else "quiet"], alpha=0.6)
        axes.plot(at, rows["expected"], "o", color=COLOURS["text"], markersize=sheet.font * 0.36, zorder=5)
        _draw_marks(axes, rows[[*tie_breaks]], sheet, _LANES, is_upright=True)
        names = [sheet.name(str(query), 0.12) for query in rows.index if len(rows) <= sheet.letters(0.45)]
        axes.set_xticks(at[: len(names)], names, rotation=90)
        axes.set_xlim(-0.6, len(rows) - 0.4)
        axes.set_xlabel(f"{queries_of(len(rows))}, {order}")
        axes.set_ylabel(sheet.wrapped(heading_of(measure), 0.32))
        if not measure.higher_is_better:
            axes.invert_yaxis()

    first = f"{len(rows)} of " if len(rows) < len(blamed) else ""
    bars = f"Bar: {TWO_SD}. Line" if measure.has_variance else "Bar"
    return sheet.figure(
        draw,
        height=16 * sheet.line,
        title=f"{called(measure)} of {cut(feature)}: {first}{queries_of(len(blamed))}, {order}",
        answer=answer,
        legend=len(tie_breaks),
        note=f"Dot: exact expectation. {bars}: from the worst to the best case of ties.",
    )


def intervals(
    shown: pd.DataFrame, sheet: Sheet = PAGE, *, scale: str, unit: str, named: Sequence[str] = (), **texts: str
) -> Figure:
    """Draw a row a ``unit``: value and interval; hollow if its ``verdict`` is open, a diamond if it has none.

    All are drawn that are ``named`` in the answer, which with a note is among the ``texts``.
    """
    rows, part = rows_with(shown, unit, most=sheet.most_rows, named=named)
    value, low, high = (rows[one] for one in [*rows][:3])
    verdicts = rows.get("verdict", pd.Series("clear", rows.index))

    def draw(axes: Axes) -> None:
        at, thick = np.arange(len(rows)), sheet.font * 0.75
        axes.axvline(0, color=COLOURS["text"], linewidth=0.8)
        axes.hlines(at, low, high, color=COLOURS["queries"], linewidth=thick)
        _draw_dots(axes, value.where(verdicts != ""), verdicts == "open", sheet)
        axes.plot(value.where(verdicts == ""), at, "D", color=COLOURS["text"], markersize=thick * 0.7, zorder=5)
        axes.set_xlabel(sheet.wrapped(scale, 0.5))

    names, of = [sheet.name(str(name), 0.4, shown.index) for name in rows.index], f"{scale[0].upper()}{scale[1:]}"
    texts = {"answer": ""} | texts  # a slide has no room for what it is computed from
    texts["note"] = sheet.brief(texts.get("note", ""), ". κ: ")
    return _of_rows(names, draw, sheet, of=of, part=part, **texts)


def shifts(
    z: pd.DataFrame, sheet: Sheet = PAGE, *, title: str, answer: str = "", higher_is_better: bool = True
) -> Figure:
    """Draw a row a feature: how far each tie-break (column) shifts its value, in units of what chance would do."""
    drawn, part = rows_with(z, "feature", most=sheet.most_rows)

    def draw(axes: Axes) -> None:
        for row in np.flatnonzero(drawn.index.isin([*(sheet.colours or ())])):
            axes.axhspan(row - 0.5, row + 0.5, color=COLOURS["marked"], linewidth=0, zorder=0)
        axes.axvspan(-1.96, 1.96, color=COLOURS["queries"], alpha=0.4, linewidth=0)
        axes.axvline(0, color=COLOURS["text"], linewidth=0.8)
        _draw_marks(axes, drawn, sheet, np.linspace(-0.25, 0.25, drawn.shape[1]) if drawn.shape[1] > 1 else [0.0])
        axes.set_xlabel(sheet.wrapped("shift in standard deviations of random orders (z)", 0.6))
        if not higher_is_better:
            axes.invert_xaxis()

    names = [sheet.name(str(name), 0.34, z.index) for name in drawn.index]
    note = "Band: 95 % of random orders of one feature; of many marks some lie beyond it by chance."
    texts = {"of": title, "answer": answer, "note": note}
    return _of_rows(names, draw, sheet, part=part, legend=z.shape[1], **texts)


def _of_rows(
    labels: Sequence[str], draw: Callable[[Axes], None], sheet: Sheet, *, of: str, part: str, **texts: Any
) -> Figure:
    """Return a figure of one picture with a row for each label; ``part``: which these are of those that there are."""

    def begin(figure: Figure) -> None:
        axes = figure.subplots()
        _begin(axes, labels, sheet)
        draw(axes)

    return sheet.figure(begin, height=sheet.rows(len(labels)) + 3 * sheet.line, title=f"{of}: {part}", **texts)


def _begin(axes: Axes, labels: Sequence[str], sheet: Sheet) -> None:
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_yticks(range(len(labels)), labels)
    for row in range(1, len(labels), 2):  # so that a mark is seen to belong to its row
        axes.axhspan(row - 0.5, row + 0.5, color=COLOURS["stripe"], linewidth=0, zorder=0)
    axes.locator_params(axis="x", nbins=sheet.letters() // 25, steps=[1, 2, 5, 10])


def _draw_marks(
    axes: Axes, marks: pd.DataFrame, sheet: Sheet, lanes: Sequence[float] | np.ndarray, *, is_upright: bool = False
) -> None:
    """Draw a mark for each tie-break (column), in a lane of its row, or of the column that stands for it."""
    for (name, sign), lane in zip(markers_of([*map(str, marks)]).items(), cycle(lanes)):
        if marks[name].notna().any():  # else the legend would name what is not there
            label = cut(known_as(name), MOST_OF_A_TIE_BREAK)
            points = marks[name], np.arange(len(marks)) + lane
            size = sheet.font * (0.36 if is_upright or len(marks) > 20 else 0.52) * (1.4 if sign == "*" else 1)  # thin
            axes.plot(
                *points[:: -1 if is_upright else 1], marker=sign,
                color=COLOURS["muted"], markersize=size, label=label,
                linestyle="", zorder=4,
            )  # fmt: skip


def _draw_dots(axes: Axes, values: pd.Series, is_hollow: bool | pd.Series, sheet: Sheet) -> None:
    """Draw a dot in each row; hollow, as on the page, what is not clear."""
    size, hollow = sheet.font * 0.45, np.flatnonzero(is_hollow)
    axes.plot(values, range(len(values)), "o", color=COLOURS["text"], markersize=size, zorder=5)
    axes.plot(values.iloc[hollow], hollow, "o", color="white", markersize=size / 2, zorder=6)


def _draw_differences(
    axes: Axes, rows: pd.DataFrame, sheet: Sheet, is_reversed: Sequence[bool] | pd.Series = ()
) -> None:
    """Draw differences around a zero line; ``rows``: the difference, the ends of both intervals, its verdict."""
    value, low, high, line_low, line_high, verdict = (rows[one] for one in rows)
    at, thick = np.arange(len(rows)), sheet.font * 0.75
    axes.axvline(0, color=COLOURS["text"], linewidth=0.8, zorder=3)  # no bar hides whether it crosses it
    is_longer = (line_low < low) | (line_high > high)
    axes.hlines(at, low, high, color=COLOURS["queries"], linewidth=thick * (0.55 if is_longer.any() else 1))
    for hue, has_line in (("clear", verdict == "clear"), ("muted", verdict != "clear")):
        shown = value.where(has_line & is_longer)
        reach = np.array([shown - line_low, line_high - shown])  # the oldest matplotlib takes no series
        axes.errorbar(
            shown, at, xerr=reach, fmt="none", ecolor=COLOURS[hue], elinewidth=thick * 0.15, capthick=thick * 0.15,
            capsize=thick * 0.4,
        )  # fmt: skip
    # not the one that the others are compared with
    _draw_dots(axes, value.where(verdict != ""), ~verdict.isin(["clear", ""]), sheet)
    verdicts = axes.secondary_yaxis("right")
    word = "" if sheet.width == "column" else " {}"  # the note has it
    labels = [f"{VERDICTS.get(one, '')}{word.format(one)}" for one in verdict]
    labels = [f"{text} {REVERSED}" if turned else text for text, turned in zip_longest(labels, is_reversed)]
    verdicts.set_yticks(at, labels, color=COLOURS["muted"])
    verdicts.tick_params(length=0)
    verdicts.spines["right"].set_visible(False)

"""Places of the features by expectation and under each tie-break, or under each judge: lines that cross."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from tiecore.board import Board
from tiecore.board.lines import EQUAL, lines_of_places, movers_among, part_of, rows_of, written
from tiecore.board.marks import MOST_COLOURED, colours_of
from tiecore.board.sentences import cut
from tiecore.comparing import Judges
from tiecore.plot.sheet import COLOURS, MOST_OF_A_TIE_BREAK, PAGE, Figure, Sheet, features_of
from tiecore.stability.sentences import called, queries_of
from tiecore.ties.tie_breaks import known_as


def places(board: Board, sheet: Sheet = PAGE) -> Figure:
    """Draw how each tie-break orders the features; in colour what ``Board.in_colour`` names.

    Of more features than a sheet holds, these alone are drawn.
    """
    whole, colours = board.in_order(), sheet.colours or colours_of(board.coloured)
    chosen, which = whole.in_colour()
    hues = {name: colours[name] for name in chosen if name in colours}
    is_part = 0 < len(chosen) < len(whole.rows) > sheet.most_rows
    board, n_moved = sheet.on_a_page(whole.only(chosen) if is_part else whole), len(whole.movers)
    verb = "changes" if n_moved == 1 else "change"
    moved = f"{n_moved} of {len(whole.rows)} features {verb} place" if n_moved else "No feature changes place"
    return _places_in_columns(
        board.places.rename(columns=known_as),
        hues,
        sheet,
        title=f"Places of {features_of(board, board if is_part else whole)} under each tie-break: "
        f"{called(board.measure)}, {queries_of(board.n_queries)}",
        answer=f"{moved} under {'at least one' if n_moved else 'any'} of these tie-breaks."
        if board.tie_breaks
        else "No tie-break is compared.",
        note="Left: by the expectation over all orders of tied documents."
        + f" {'Drawn' if is_part else 'In colour'}: {which}." * bool(hues or is_part)
        + f" {lines_of_places(board.places, board.total)}".rstrip(),
    )


def judges(found: Judges, sheet: Sheet = PAGE, *, marked: Collection[str] = ()) -> Figure:
    """Draw how each judge orders the features; in colour what is marked, or else those of pairs that swap clearly."""
    placed = found.by_judge("place")
    moved = movers_among(placed)
    by_first = Board.of_stability(next(iter(found.studies.values())))
    colours = sheet.colours or colours_of(by_first.coloured)
    turned = found.reversed[["leader", "trailer"]].to_numpy()
    clear = [name for name in moved if name in turned and name in colours][:MOST_COLOURED]
    own = [name for name in placed.index if name in marked and name in colours] or clear
    hues = dict.fromkeys(moved, COLOURS["muted"]) | {name: colours[name] for name in own}
    shown, drawn = part_of(placed, own, most=sheet.most_rows)
    part = f"{len(shown)} of " if len(shown) < len(placed) else ""
    return _places_in_columns(
        shown,
        hues,
        sheet,
        title=f"Places of {part}{queries_of(len(placed), 'feature')} under each judge: {called(found.measure)}",
        answer=found.sentences[0],
        note="Places by the expectation under each judge."
        + f" In colour: features of pairs that swap clearly, at most {MOST_COLOURED}." * bool(clear and not marked)
        + " Thick: features that change place." * (len(hues) > len(own))
        + drawn,
    )


def _places_in_columns(shown: pd.DataFrame, hues: Mapping[str, str], sheet: Sheet, **texts: Any) -> Figure:
    """Draw a line a feature through its place under each column; ``hues``: of those that do not step back."""
    known, placed = list(map(str, shown.index)), written(shown.to_numpy())
    at = rows_of(shown.to_numpy(), most=sheet.most_rows)
    most = 4 if len(shown) <= 12 else 2  # columns beside which names have room at both ends
    is_roomy = sheet.width != "column" or shown.shape[1] <= most
    names = [sheet.name(name, 0.26 if is_roomy else 0.36, known) for name in known]
    inks = [COLOURS["text" if name in hues else "muted"] for name in known]
    titles = [cut(str(name), MOST_OF_A_TIE_BREAK) for name in shown]
    longest = max(len(line) for title in titles for line in title.split(" ", 1))
    if not (is_crowded := longest * (len(titles) - 1) > sheet.letters(0.4)):
        titles = [title.replace(" ", "\n", 1) for title in titles]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for name, lane, own, ink in zip(known, at, placed, inks, strict=True):
            axes.plot(
                lane, "o-", color=hues.get(name, COLOURS["quiet"]), markersize=sheet.font * 0.45,
                linewidth=1.6 if name in hues else 0.8, zorder=2 + (name in hues),
            )  # fmt: skip
            for column, place in [*enumerate(own)][1:-1]:
                axes.annotate(
                    place, (column, lane[column]), ha="center", va="center_baseline", zorder=2.5 + 2 * (name in hues),
                    color=ink, fontsize=sheet.font * 0.93,
                    bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"},
                )  # fmt: skip
        side, slant = "left" if is_crowded else "center", 75 if sheet.width == "column" and len(titles) > 5 else 30
        axes.set_xticks(range(len(titles)), titles, rotation=slant * is_crowded, ha=side, rotation_mode="anchor")
        axes.tick_params(length=0)
        axes.xaxis.tick_top()
        axes.set_ylim(at.max() + 0.6, -0.6)
        axes.set_xlim(-0.15, placed.shape[1] - 0.85)
        right = axes.secondary_yaxis("right")
        for end, column in ((axes, 0), (right, -1)):
            end.yaxis.remove_overlapping_locs = False
            own = placed[:, column]
            padded = np.strings.rjust(own, np.strings.str_len(own).max(), "\u2007")
            end.set_yticks(at[:, column], padded, minor=True)  # a column of their own
            end.set_yticks(at[:, column], names if is_roomy or end is axes else [""] * len(names))
            widest = max(text.get_window_extent().width for text in end.get_yticklabels(minor=True))
            end.tick_params(axis="y", which="both", length=0)
            end.tick_params(axis="y", which="major", pad=1.04 * widest * 72 / figure.dpi + sheet.font)
            for text, ink in zip(end.get_yticklabels() + end.get_yticklabels(minor=True), inks * 2, strict=True):
                text.set_color(ink)
            for spine in end.spines.values():
                spine.set_visible(False)

    texts["note"] += f" =: {EQUAL}." * ("=" in "".join(placed.flat))
    height = sheet.rows(round(at.max()) + 1) + (6 if is_crowded else 3) * sheet.line
    return sheet.figure(draw, height=height, **texts)

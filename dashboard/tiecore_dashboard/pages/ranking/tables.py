"""Tables of the page Ranking: the leaderboard, and how far the orders agree."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from tiecore.escape import in_latex
from tiecore.evaluation.columns import column_of
from tiecore.latex import LatexColumn, in_bold, value_column
from tiecore.stability import COLUMNS
from tiecore_dashboard import words
from tiecore_dashboard.charts.columns import Columns

__all__ = ["agreement_columns", "for_paper"]


def for_paper(
    board: pd.DataFrame, *, measure: str, tie_breaks: Sequence[str], higher_is_better: bool = True
) -> list[LatexColumn]:
    """Return the leaderboard of a paper: place, value with letters ± half of its interval, places, tie-breaks.

    Parameters
    ----------
    board
        Index feature; columns ``place``, ``expected`` and those of the tie-breaks; ``query_low`` and ``query_high``;
        ``letters``, ``place_low`` and ``place_high`` where they are known.
    tie_breaks
        Shown as value and place, the best value in bold.
    higher_is_better
        Which value is the best.
    """
    halves = (board["query_high"] - board["query_low"]).abs() / 2
    letters = [str(groups) for groups in board["letters"]] if "letters" in board else [""] * len(board)
    first = [row for row, place in enumerate(board["place"]) if place == 1]
    columns = [
        LatexColumn(heading=r"\#", cells=[str(place) for place in board["place"]]),
        LatexColumn(heading="feature", cells=[in_latex(str(name)) for name in board.index], spec="l"),
        value_column(
            measure, [*map(words.number, board["expected"])], [*map(words.number, halves)], letters, best=first
        ),
    ]
    if "place_low" in board:
        sets = map(words.place_set, board["place_low"], board["place_high"])
        columns.append(LatexColumn(heading="places", cells=[in_latex(places) for places in sets]))
    for name in tie_breaks:
        own, places = board[name], board[column_of(board, name, "place")]
        best = own.max() if higher_is_better else own.min()
        written = [in_bold(words.number(value)) if value == best else words.number(value) for value in own]
        cells = [f"{value} ({place})" for value, place in zip(written, places, strict=True)]
        columns.append(LatexColumn(heading=in_latex(name), cells=cells))
    return columns


def agreement_columns() -> Columns:
    """Columns of the agreement of two orders of the features."""
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "reference": text("Order", help=COLUMNS["reference"], pinned=True),
        "other": text("compared with", help=COLUMNS["other"]),
        "kendall_tau": number("Kendall’s τ", help=COLUMNS["kendall_tau"], format="%.3f"),
        "tau_ap": number("τ AP", help=COLUMNS["tau_ap"], format="%.3f"),
        "spearman": number("Spearman’s ρ", help=COLUMNS["spearman"], format="%.3f"),
        "n_swapped": number("Swapped pairs", help=COLUMNS["n_swapped"], format="%d"),
    }

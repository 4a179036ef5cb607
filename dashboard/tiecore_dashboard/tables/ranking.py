"""Tables of the page Ranking: the leaderboard, and how far the orders agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from tiecore.evaluation.columns import column_of, derived_column
from tiecore.stability import COLUMNS
from tiecore_dashboard.figures.look import Mark
from tiecore_dashboard.tables.columns import Columns, meaning_of
from tiecore_dashboard.ui import words

__all__ = ["agreement_columns", "board_columns", "for_paper"]

_SPREAD = "Light: worst to best case. Dark: 95 % of random tie-breaks. Dot: expectation."


def board_columns(marks: Mapping[str, Mark]) -> Columns:
    """Columns of the leaderboard: what is exact, then value, place and shift of each tie-break."""
    number = st.column_config.NumberColumn
    columns: Columns = {
        "feature": st.column_config.TextColumn("Feature", help=meaning_of("feature"), pinned=True, width=150),
        "place": number(
            "Place", help="Place by expectation; equal features share a place.", width="small", format="%d"
        ),
        "spread": st.column_config.ImageColumn("Spread", help=_SPREAD, width=205),
        "expected": number("Expected", help="Exact mean over all orders of tied documents.", format="%.4f"),
        "sd": number("SD", help="Standard deviation of the mean over queries under random tie-breaks.", format="%.4f"),
        "low": number("95 % from", help="95 % of random tie-breaks give a value from here …", format="%.4f"),
        "high": number("to", help="… to here.", format="%.4f"),
        "worst": number("Worst", help="The least favourable order of every tie.", format="%.4f"),
        "best": number("Best", help="The most favourable order of every tie.", format="%.4f"),
    }
    for name, mark in marks.items():
        meaning = words.in_markdown(words.of_tie_break(name))
        columns[name] = number(f"{mark.glyph} {name}", help=f"Value under this tie-break. {meaning}", format="%.4f")
        columns[derived_column(name, "place", marks)] = number(
            "place", help=f"Place under {words.in_markdown(name)}.", format="%d", width="small"
        )
        columns[derived_column(name, "shift", marks)] = number(
            "shift", help="Places gained by this tie-break against the expectation.", format="%+d", width="small"
        )
    return columns


def for_paper(board: pd.DataFrame, tie_breaks: Sequence[str]) -> pd.DataFrame:
    """Leaderboard that fits on a page: the value under each tie-break with the place in brackets."""
    shown = board[["place", "expected", "sd", "worst", "best"]].copy()
    for name in tie_breaks:
        values = zip(board[name], board[column_of(board, name, "place")], strict=True)
        shown[name] = [f"{words.number(value)} ({place})" for value, place in values]
    return shown


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

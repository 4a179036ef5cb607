"""Tables of the page Ranking: the leaderboard, and how far the orders agree."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from tiecore.evaluation.columns import column_of
from tiecore.stability import COLUMNS
from tiecore_dashboard.tables.columns import Columns
from tiecore_dashboard.ui import words

__all__ = ["agreement_columns", "for_paper"]


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

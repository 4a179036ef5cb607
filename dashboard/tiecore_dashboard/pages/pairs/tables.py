"""Table of the page Pairs: a row for each two features."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from tiecore.stability import COLUMNS
from tiecore_dashboard import words
from tiecore_dashboard.charts.columns import P_VALUE, Columns, as_p_values

__all__ = ["pair_columns", "pair_rows"]

_TITLES = {
    "n_queries": ("Queries", "%d"), "p": ("p", P_VALUE), "sensitivity": ("Sensitivity", "%.4f"),
}  # fmt: skip
_NEARLY_CERTAIN = 0.9999


def pair_rows(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return what is shown of each pair: verdicts with their marks, lists of names as text."""
    return pd.DataFrame(
        {
            "leader": pairs["leader"],
            "trailer": pairs["trailer"],
            "verdict": [f"{words.VERDICTS[verdict]} {verdict}" for verdict in pairs["verdict"]],
            "difference": pairs["difference"],
            "low": pairs["low"],
            "high": pairs["high"],
            "tie_risk": pairs["tie_risk"].where(
                pairs["ties"] == "certain", pairs["tie_risk"].clip(lower=1 - _NEARLY_CERTAIN)
            ),
            "holm": as_p_values(pairs["holm"]),
            "reversed_by": [", ".join(map(words.known_as, names)) for names in pairs["reversed_by"]],
            **{
                name: as_p_values(pairs[name])
                if form == P_VALUE
                else pairs[name].replace([math.inf, -math.inf], math.nan)
                for name, (_, form) in _TITLES.items()
            },
            "note": pairs["note"],
        }
    )


def pair_columns() -> Columns:
    """Return the columns of the pairs."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    return {
        "leader": text("Leader", help=COLUMNS["leader"], width=106),
        "trailer": text("Trailer", help=COLUMNS["trailer"], width=106),
        "verdict": text("Verdict", help=COLUMNS["verdict"], width=112),
        "difference": number("Difference", help=COLUMNS["difference"], format="%.4f", width=86),
        "low": number("from", help=COLUMNS["low"], format="%.4f", width=76),
        "high": number("to", help=COLUMNS["high"], format="%.4f", width=76),
        "tie_risk": number("Tie risk", help=COLUMNS["tie_risk"], format="%.4f", width=66),
        "holm": text("p (Holm)", help=COLUMNS["holm"], alignment="right", width=70),
        "reversed_by": text("Reversed by", help=COLUMNS["reversed_by"]),
        **{
            name: text(title, help=COLUMNS[name], alignment="right")
            if form == P_VALUE
            else number(title, help=COLUMNS[name], format=form)
            for name, (title, form) in _TITLES.items()
        },
        "note": text("Note", help=COLUMNS["note"]),
    }

"""Table of the page Pairs: a row for each two features."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from tiecore.stability import COLUMNS
from tiecore_dashboard.tables.columns import P_VALUE, Columns, as_p_values
from tiecore_dashboard.ui import words

__all__ = ["pair_columns", "pair_rows"]

_TITLES = {
    "n_queries": ("Queries", "%d"), "better": ("Better in", "%d"), "worse": ("Worse in", "%d"),
    "sd_ties": ("SD from ties", "%.4f"), "sd_queries": ("SE from queries", "%.4f"),
    "tie_share": ("Share of ties", "%.4f"), "t_p": ("t-test p", P_VALUE),
    "rare_p": ("p allowing for rare hits", P_VALUE),
    "randomisation_p": ("Randomisation p", P_VALUE), "bh": ("Benjamini–Hochberg p", P_VALUE),
    "effect": ("Effect size d", "%.2f"), "queries_needed": ("Queries needed", "%d"),
    "queries_needed_once": ("… with one random tie-break", "%d"),
}  # fmt: skip
_LISTS = {"reversed_by": "Reversed by", "significance_changed_by": "Significance changed by"}
_NEARLY_CERTAIN = 0.9999


def pair_rows(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return what is shown of each pair: verdicts with their marks, lists of names as text."""
    return pd.DataFrame(
        {
            "leader": pairs["leader"],
            "trailer": pairs["trailer"],
            "verdict": [f"{words.VERDICTS[verdict]} {verdict}" for verdict in pairs["verdict"]],
            "difference": pairs["difference"],
            "p_beats": pairs["p_beats"].where(pairs["ties"] == "certain", pairs["p_beats"].clip(upper=_NEARLY_CERTAIN)),
            "holm": as_p_values(pairs["holm"]),
            "reversed_by": [", ".join(map(words.known_as, names)) for names in pairs["reversed_by"]],
            **{
                name: as_p_values(pairs[name])
                if form == P_VALUE
                else pairs[name].replace([math.inf, -math.inf], math.nan)
                for name, (_, form) in _TITLES.items()
            },
            "significance_changed_by": [
                ", ".join(map(words.known_as, names)) for names in pairs["significance_changed_by"]
            ],
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
        "p_beats": number("Chance", help=COLUMNS["p_beats"], format="%.4f", width=66),
        "holm": text("p (Holm)", help=COLUMNS["holm"], alignment="right", width=70),
        **{name: text(title, help=COLUMNS[name]) for name, title in _LISTS.items()},
        **{
            name: text(title, help=COLUMNS[name], alignment="right")
            if form == P_VALUE
            else number(title, help=COLUMNS[name], format=form)
            for name, (title, form) in _TITLES.items()
        },
    }

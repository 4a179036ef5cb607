"""Table of the page Pairs: a row for each two features."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from tiecore.stability import COLUMNS
from tiecore_dashboard.figures.pairs import sign
from tiecore_dashboard.tables.columns import Columns
from tiecore_dashboard.ui.words import ARTEFACT

__all__ = ["pair_columns", "pair_rows"]

_TITLES = {
    "difference": "Difference", "sd_ties": "SD ties", "sd_queries": "SE queries", "tie_share": "Ties’ share",
    "t_p": "t-test p", "randomisation_p": "Randomisation p", "holm": "Holm", "bh": "BH", "effect": "Effect d",
}  # fmt: skip
_NEARLY_CERTAIN = 0.9999


def pair_rows(pairs: pd.DataFrame) -> pd.DataFrame:
    """What is shown of each pair: verdicts with their mark, lists of names as text."""
    return pd.DataFrame(
        {
            "leader": pairs["leader"],
            "trailer": pairs["trailer"],
            "verdict": [
                f"{sign(verdict, artefact=artefact)} {verdict}"
                for verdict, artefact in zip(pairs["verdict"], pairs["artefact"], strict=True)
            ],
            "p_beats": pairs["p_beats"].where(
                pairs["verdict"] == "certain", pairs["p_beats"].clip(upper=_NEARLY_CERTAIN)
            ),
            "flipped_by": [", ".join(names) for names in pairs["flipped_by"]],
            **{name: pairs[name] for name in ("difference", "sd_ties", "sd_queries", "tie_share")},
            **{name: pairs[name] for name in ("t_p", "randomisation_p", "holm", "bh")},
            "effect": pairs["effect"].replace([math.inf, -math.inf], math.nan),
            "significance_flipped_by": [", ".join(names) for names in pairs["significance_flipped_by"]],
        }
    )


def pair_columns() -> Columns:
    """Columns of the pairs."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    return {
        "leader": text("Ahead", help=COLUMNS["leader"], width=96),
        "trailer": text("Behind", help=COLUMNS["trailer"], width=96),
        "verdict": text("Verdict", help=f"{COLUMNS['verdict']}; {ARTEFACT}: {COLUMNS['artefact']}", width=96),
        "p_beats": number("Chance", help=COLUMNS["p_beats"], format="%.4f", width=66),
        "flipped_by": text("Turned by", help=COLUMNS["flipped_by"], width=130),
        "significance_flipped_by": text("Significance turned by", help=COLUMNS["significance_flipped_by"]),
        **{name: number(title, help=COLUMNS[name], format="%.4f") for name, title in _TITLES.items()},
    }

"""Table of the conventions that give a reported number."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from tiecore_dashboard.charts.columns import Columns

__all__ = ["whose_columns"]


def whose_columns(measures: Sequence[str]) -> Columns:
    """Return the columns; ``measures`` are those whose numbers were reported."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    return {
        "conventions": text("Conventions", help="What differs from the usual ones.", width="large"),
        **{name: number(name, help="Value under them.", format="%.6f") for name in measures},
        "departures": number("Departures", help="How many conventions differ from the usual ones.", format="%d"),
    }

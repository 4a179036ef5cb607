"""Tables of the page Cut-offs: where features pass each other, and their values at each cut-off."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from tiecore_dashboard.charts.columns import Columns

__all__ = ["crossing_columns", "value_columns"]


def crossing_columns() -> Columns:
    """Columns of the crossings."""
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "cutoff": number("From k", help="The first cut-off looked at where it is so.", format="%d"),
        "ahead": text("Feature", help="The better one from this cut-off on."),
        "behind": text("passes", help="The better one before."),
        "place": number("Place", help="That the feature takes at this cut-off.", format="%d"),
    }


def value_columns(names: Sequence[str]) -> Columns:
    """A row a cut-off, a column a feature."""
    number = st.column_config.NumberColumn
    return {
        "k": number("k", help="Cut-off: how many documents of each list count.", format="%d"),
        **{name: number(name, help="Expectation of this feature at each cut-off.", format="%.4f") for name in names},
    }

"""Table of the features that rank alike: a row for each two."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tiecore_dashboard.charts.columns import Columns

__all__ = ["alike_columns", "alike_rows"]


def alike_rows(pairs: pd.DataFrame, queries: pd.DataFrame) -> pd.DataFrame:
    """Return what is shown of each pair, with the queries in its mean."""
    at = {str(name): place for place, name in enumerate(queries.index)}
    counts = queries.to_numpy()
    row, column = (pairs[name].map(at).to_numpy(dtype=int) for name in ("feature", "other"))
    return pairs.assign(queries=counts[row, column])


def alike_columns(title: str) -> Columns:
    """Return the columns of the pairs; ``title`` is that of the coefficient."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    return {
        "feature": text("Feature", pinned=True),
        "other": text("and"),
        "mean": number(title, help="Mean over the queries in which it is defined.", format="%.3f"),
        "queries": number("Queries", help="Queries in the mean.", format="%d"),
    }

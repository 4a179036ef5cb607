"""All pairs at once: a map of their differences, and a list that begins with those that need a look."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from tiecore.stability import COLUMNS, Stability
from tiecore_dashboard import words
from tiecore_dashboard.app import page
from tiecore_dashboard.charts.columns import as_p_values
from tiecore_dashboard.pages.pairs.answer import by_need
from tiecore_dashboard.pages.pairs.charts import difference_map
from tiecore_dashboard.pages.pairs.choice import choose_cell, pair_table
from tiecore_dashboard.words import VERDICTS

__all__ = ["show_all"]

MOST_FEATURES = 100
"""Features that a map has cells for that one can hit, and a table rows for that a browser can hold."""
TITLES = {
    "leader": "Ahead", "trailer": "Behind", "verdict": "Verdict", "difference": "Difference", "low": "from",
    "high": "to", "holm": "p (Holm)", "tie_risk": "Tie risk", "reversed_by": "Reversed by",
    "sensitivity": "Sensitivity", "n_queries": "Queries", "note": "Note",
}  # fmt: skip


def show_list(pairs: pd.DataFrame, chosen: tuple[str, str], *, highest: int) -> None:
    """List the pairs by what needs a look; a selected row is looked at below."""
    rows = by_need(pairs)[list(TITLES)]
    rows = rows.assign(
        holm=as_p_values(rows["holm"]),
        verdict=[f"{VERDICTS[verdict]} {verdict}" for verdict in rows["verdict"]],
        tie_risk=100 * rows["tie_risk"],
        reversed_by=[", ".join(map(words.known_as, names)) for names in rows["reversed_by"]],
        sensitivity=rows["sensitivity"].where(rows["sensitivity"] < math.inf),
    )
    config = st.column_config
    formats = dict.fromkeys(("difference", "low", "high", "sensitivity"), "%.4f") | {"tie_risk": "%.2f %%"}
    columns = {
        name: config.NumberColumn(title, help=COLUMNS[name], format=formats.get(name))
        if pd.api.types.is_numeric_dtype(rows[name])
        else config.TextColumn(title, help=COLUMNS[name])
        for name, title in TITLES.items()
    }
    pair_table(rows, key="pairs_table", alt="All pairs of features", chosen=chosen, columns=columns, highest=highest)


def show_all(stable: Stability, chosen: tuple[str, str], *, highlighted: Sequence[str] = ()) -> None:
    """Show all pairs as a map and as a list."""
    names, pairs = list(stable.places.index[:MOST_FEATURES]), stable.pairs
    shown = pairs[pairs["leader"].isin(names) & pairs["trailer"].isin(names)]
    is_wide = len(names) > page.BESIDE
    left, right = (st.container(), st.container()) if is_wide else st.columns([5, 6], gap="medium")
    with left:
        page.chart(
            difference_map(shown, names, look=page.look(), chosen=chosen, highlighted=highlighted),
            key="pairs_map",
            alt=f"Difference of each pair of features, by {stable.measure}",
            on_click=choose_cell,
            stem=f"pairs {stable.measure}",
        )
    with right:
        show_list(shown, chosen, highest=248 if is_wide else 420)
    rest = ""
    if len(names) < len(stable.places):
        rest = (
            f" Map and list show the {len(names)} best of {words.count(len(stable.places))} features; any pair can be "
            "chosen below, and the export holds all of them."
        )
    page.note(
        "The larger the difference, the stronger the colour. The list begins with what needs a look: pairs that a "
        f"tie-break reverses, that ties put at risk, that are open.{rest}"
    )

"""The choice of two features: by name, by a click on a map, or by a row of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from tiecore_dashboard import words
from tiecore_dashboard.app import page

__all__ = ["QUERY", "choose_cell", "chosen_pair", "pair_table"]

QUERY = "pairs_query"
_CHOSEN = {"pairs_one": "Feature", "pairs_other": "against"}


def _choose(*pair: str) -> None:
    """Look at another pair, and at no query of the one before."""
    st.session_state.update(zip(_CHOSEN, pair, strict=True))
    st.session_state.pop(QUERY, None)


def choose_cell(key: str) -> None:
    """Look at the pair of the cell that was clicked on."""
    for data in page.clicked(key)[:1]:
        _choose(*data)


def chosen_pair(names: Sequence[str], usual: tuple[str, str]) -> tuple[str, str]:
    """Let two features be chosen by name, at first the usual ones."""
    chosen = []
    for column, (key, title), name in zip(st.columns(2), _CHOSEN.items(), usual, strict=True):
        # no default: it would be left out of the URL, and what is usual differs from view to view
        if st.session_state.get(key, st.query_params.get(key)) not in names:
            st.session_state[key] = name
        picked = column.selectbox(
            title, names, index=None, key=key, bind="query-params", on_change=st.session_state.pop, args=(QUERY, None)
        )
        chosen.append(str(picked))
    return chosen[0], chosen[1]


def pair_table(
    rows: pd.DataFrame, *, key: str, alt: str, chosen: tuple[str, str], columns: Mapping[str, Any], highest: int
) -> None:
    """List pairs, the two features in the first two columns; a selected row is looked at."""
    listed = list(zip(rows.iloc[:, 0], rows.iloc[:, 1], strict=True))
    selected = [row for row, pair in enumerate(listed) if set(pair) == set(chosen)]

    def choose_row() -> None:
        for row in st.session_state[key]["selection"]["rows"][:1]:
            _choose(*listed[row])

    st.session_state[key] = {"selection": {"rows": selected, "columns": [], "cells": []}}
    st.dataframe(
        rows,
        key=key,
        hide_index=True,
        column_config=dict(columns),
        alt=alt,
        placeholder=words.NOTHING,
        on_select=choose_row,
        selection_mode="single-row",
        height=min(highest, 38 + 35 * max(1, len(rows))),
    )

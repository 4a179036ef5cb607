"""Columns of numbers and of text, explained in the words of tiecore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from tiecore.diagnostics import column_meaning
from tiecore_dashboard import words

__all__ = ["PERCENT", "P_VALUE", "Columns", "as_p_values", "meaning_of", "number", "numbers", "shown", "text"]

Columns = dict[str, Any]
"""Name of a column to how it is shown."""
PERCENT = "%.0f %%"
P_VALUE = "p"
"""Format of a column of p-values, which are written as in every sentence."""
_P_VALUES = frozenset({"p", "p_adjusted"})


def shown(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Bring the columns that are to be shown into their order, shares in percent."""
    chosen = frame[[name for name in columns if name in frame]]
    shares = [str(name) for name in chosen if columns[str(name)]["type_config"].get("format") == PERCENT]
    written = {str(name): as_p_values(chosen[name]) for name in chosen if name in _P_VALUES}
    return chosen.assign(**{name: 100 * chosen[name] for name in shares}, **written)


def as_p_values(column: pd.Series) -> pd.Series:
    """Write p-values as texts that sort as their numbers do, NaN as nothing.

    >>> as_p_values(pd.Series([0.31, 5.5e-29, 1.0])).tolist()
    ['.31', ' <.0001', '1']
    >>> sorted([".31", " <.0001", "1", ".032"])
    [' <.0001', '.032', '.31', '1']
    """
    # "<" sorts behind digits, a space before everything
    written = {p: text if (text := words.p_value(p))[0] != "<" else f" {text}" for p in column.dropna().unique()}
    return column.map(written)


def number(title: str, column: str, form: str) -> Any:
    """Column of numbers."""
    if form == P_VALUE:
        return st.column_config.TextColumn(title, help=meaning_of(column), alignment="right")
    return st.column_config.NumberColumn(title, help=meaning_of(column), format=form)


def text(title: str, column: str, **more: Any) -> Any:
    """Column of text."""
    return st.column_config.TextColumn(title, help=meaning_of(column), **more)


def numbers(*columns: tuple[str, str, str]) -> Columns:
    """Columns of numbers: name, title and format of each."""
    return {name: number(title, name, form) for name, title, form in columns}


def meaning_of(column: str) -> str:
    """Meaning of a column of tiecore, as Markdown."""
    text = column_meaning(column)
    return words.in_markdown(text[:1].upper() + text[1:] + ".")

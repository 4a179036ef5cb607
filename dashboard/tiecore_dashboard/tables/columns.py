"""Columns of numbers and of text, explained in the words of tiecore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from tiecore.diagnostics import explain
from tiecore_dashboard.ui import words

__all__ = ["PERCENT", "Columns", "meaning_of", "number", "numbers", "shown", "text"]

Columns = dict[str, Any]
"""Name of a column to how it is shown."""
PERCENT = "%.0f %%"


def shown(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Bring the columns that are to be shown into their order, shares in percent."""
    chosen = frame[[name for name in columns if name in frame]]
    shares = [str(name) for name in chosen if columns[str(name)]["type_config"].get("format") == PERCENT]
    return chosen.assign(**{name: 100 * chosen[name] for name in shares})


def number(title: str, column: str, form: str) -> Any:
    """Column of numbers."""
    return st.column_config.NumberColumn(title, help=meaning_of(column), format=form)


def text(title: str, column: str, **more: Any) -> Any:
    """Column of text."""
    return st.column_config.TextColumn(title, help=meaning_of(column), **more)


def numbers(*columns: tuple[str, str, str]) -> Columns:
    """Columns of numbers: name, title and format of each."""
    return {name: number(title, name, form) for name, title, form in columns}


def meaning_of(column: str) -> str:
    """Meaning of a column of tiecore, as Markdown."""
    text = explain(column)
    return words.in_markdown(text[:1].upper() + text[1:] + ".")

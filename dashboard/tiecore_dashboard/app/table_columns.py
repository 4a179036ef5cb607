"""Columns of numbers and of text, each of which explains itself one hover away."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from tiecore.comparing.grades import coefficient
from tiecore.diagnostics import column_meaning
from tiecore_dashboard import words
from tiecore_dashboard.charts.pieces import signed

Columns = dict[str, Any]
"""Name of a column to how it is shown."""
Titles = Mapping[str, str | tuple[str, str]]
"""Name of a column to its title; of a column of numbers, title and format."""
PERCENT, BAR = "%.1f %%", "bar"
"""Formats of columns of shares, as numbers and as bars; none that is not is shown as 0 or 100."""
NUMBER, SIGNED, Z, COEFFICIENT = "%.4f", "%+.4f", "%+.2f", "%.2f"
"""Formats of columns of values, of differences, of z, and of κ and τ."""
WRITTEN = "text"
"""Format of a column of p-values or tie risks, which are written as in every sentence."""


def columns(titles: Titles, meanings: Mapping[str, str] = {}) -> Columns:
    """Describe columns by their titles.

    ``meanings``: of columns that do not mean what tiecore says of such a column.
    """
    found: Columns = {}
    for name, title in titles.items():
        meaning = meanings.get(name, column_meaning(name))
        own = words.in_markdown(f"{words.capitalised(meaning)}.") if meaning else None
        shown, form = (title, "") if isinstance(title, str) else title
        if isinstance(title, str) or form == WRITTEN:
            found[name] = st.column_config.TextColumn(shown, help=own, alignment="right" if form else None)
        elif form == BAR:
            found[name] = st.column_config.ProgressColumn(
                shown, help=own, format=PERCENT, min_value=0, max_value=100, width=100
            )
        else:
            found[name] = st.column_config.NumberColumn(shown, help=own, format=form or None)
    return found


def shown(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Bring the columns that are to be shown into their order, shares in percent, p-values as texts."""
    frame = frame.reset_index()
    chosen = frame[[name for name in columns if name in frame]]
    formats = {str(name): columns[str(name)]["type_config"].get("format") for name in chosen}
    shares = {name: in_percent(chosen[name]) for name, form in formats.items() if form == PERCENT}
    texts = {str(name): _as_p_values(chosen[name]) for name in chosen if name in ("p", "p_adjusted", "holm")}
    return chosen.assign(**shares, **texts)


def in_percent(shares: pd.Series) -> pd.Series:
    """Return shares in percent, of which none that is not is shown as 0 or 100."""
    return (100 * shares).clip(0.09, 99.91).where(shares.between(0, 1, inclusive="neither"), 100 * shares)


def percent(value: float) -> str:
    """Write what ``in_percent`` returns with one decimal, and what that would make 0 or 100 as a sentence does.

    >>> [percent(one) for one in in_percent(pd.Series([0.0, 0.0004, 0.674, 0.9996, 1.0]))]
    ['0.0 %', '<0.1 %', '67.4 %', '>99.9 %', '100.0 %']
    """
    return f"{value:.1f} %" if 0.1 <= value <= 99.9 or value in (0, 100) else words.percent(value / 100)


def writers(frame: pd.DataFrame, titles: Titles) -> dict[str, Callable[[float], str]]:
    """Return how numbers are written, by their columns, where a format alone cannot write them as in sentences."""
    known: dict[str, Any] = {COEFFICIENT: coefficient, PERCENT: percent, Z: partial(signed, size=10.0)}
    forms = {name: titles[name][1] for name in map(str, frame) if not isinstance(titles[name], str)}
    sized = {NUMBER: words.number, SIGNED: signed}
    found = {name: known[form] for name, form in forms.items() if form in known}
    found |= {name: partial(sized[form], size=frame[name].abs().max()) for name, form in forms.items() if form in sized}
    return found


def as_tie_risks(column: pd.Series, draws: int) -> pd.Series:
    """Write tie risks as texts that sort as their numbers do, NaN as nothing.

    >>> as_tie_risks(pd.Series([0.12, 0.002, 0.0, 0.031]), 1000).tolist()
    [' 12 %', '   below 1 %', '    none', '  3 %']
    """
    texts = {risk: words.tie_risk(risk, draws) for risk in column.dropna().unique()}
    width_of = {"n": 8, "b": 12}  # none, below 1 %
    return column.map({risk: f"{text:>{width_of.get(text[0], 5)}}" for risk, text in texts.items()})


def _as_p_values(column: pd.Series) -> pd.Series:
    """Write p-values as texts that sort as their numbers do, NaN as nothing.

    >>> _as_p_values(pd.Series([0.31, 5.5e-29, 1.0])).tolist()
    ['.31', ' <.0001', '1']
    """
    # "<" sorts behind digits, a space before everything
    written = {p: text if (text := words.p_value(p))[0] != "<" else f" {text}" for p in column.dropna().unique()}
    return column.map(written)

"""Anything shown can be had: tables as CSV and LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Literal

import pandas as pd

from tiecore.escape import csv_of, in_latex
from tiecore.latex import NEEDS, LatexColumn, latex_table
from tiecore_dashboard import words
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.conventions import chosen

__all__ = ["Extreme", "as_csv", "as_latex", "chart_config", "file_stem", "latex_of", "settings_in_words"]

Extreme = Literal["max", "min"]


def as_csv(table: pd.DataFrame) -> bytes:
    """Table with its index, full precision, UTF-8 with a mark so that spreadsheets read it rightly.

    Cells that a spreadsheet would run as a formula are kept from it by an apostrophe.
    """
    has_names = any(name is not None for name in table.index.names)
    named = table.reset_index() if has_names else table
    return csv_of(named).encode("utf-8-sig")


def chart_config(stem: str) -> dict[str, object]:
    """Configure the toolbar of a chart: a picture as it is on the screen, and nothing that leaves the computer."""
    return {
        "displaylogo": False,
        "showSendToCloud": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "zoom2d", "pan2d"],
        "toImageButtonOptions": {"format": "png", "filename": stem, "scale": 3},
        "responsive": True,
    }


def as_latex(table: pd.DataFrame, *, caption: str, label: str = "", bold: Mapping[str, Extreme] | None = None) -> str:
    """Table for a paper, in booktabs; names are escaped, and numbers stand to the right.

    Parameters
    ----------
    table
        With its index, if that has a name.
    label
        To refer to it by; by default made of the caption.
    bold
        Columns whose largest or smallest value is set in bold, with those that are equal to it as printed.
    """
    has_names = any(name is not None for name in table.index.names)
    shown = table.reset_index() if has_names else table
    columns = [
        LatexColumn(
            heading=in_latex(str(column)),
            cells=_cells(shown[column], (bold or {}).get(str(column))),
            spec="r" if _is_numeric(shown[column]) and (place or not has_names) else "l",
        )
        for place, column in enumerate(shown.columns)
    ]
    return latex_of(columns, caption=caption, label=label)


def latex_of(columns: Sequence[LatexColumn], *, caption: str, label: str = "") -> str:
    """Table for a paper of columns that are LaTeX already; what a label is made of is that of :func:`as_latex`."""
    lines = latex_table([("", columns)], caption=caption, label=f"tab:{label or file_stem(caption)}")
    return "\n".join([NEEDS, *lines]) + "\n"


def _cells(values: pd.Series[float], extreme: Extreme | None) -> list[str]:
    """Write the cells of a column, its best in bold: as printed: differences beyond the last digit do not show."""
    cells = [in_latex(_cell(value)) for value in values]
    if extreme is None:
        return cells
    found = values.max() if extreme == "max" else values.min()
    best = {cell for cell, value in zip(cells, values, strict=True) if value == found}
    return [f"\\textbf{{{cell}}}" if cell in best else cell for cell in cells]


def _is_numeric(column: pd.Series[str]) -> bool:
    """Return whether a column holds numbers, or texts one of which begins as a number does."""
    return pd.api.types.is_numeric_dtype(column) or bool(column.astype(str).str.match(r"[-+−–.\d(]").any())


def _cell(value: object) -> str:
    if isinstance(value, float):
        return words.NOTHING if math.isnan(value) else f"{value:.4f}"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def file_stem(*parts: str) -> str:
    """Name of a file to download, of harmless characters.

    >>> file_stem("ranking", "nDCG(dcg='exp-log2')@10")
    'ranking-ndcg-dcg-exp-log2-10'
    """
    return "-".join(filter(None, re.split(r"[^a-z0-9]+", " ".join(parts).lower())))


def settings_in_words(view: View) -> Sequence[str]:
    """Settings of the view, a sentence each, for reports."""
    conventions = [
        f"{one.title}: {label} ({one.meanings.get(label, 'rounded')})." for one, label in chosen(view.settings.options)
    ]
    return (
        f"Measure: {view.measure}.",
        f"Tie-breaks compared: {', '.join(map(words.known_as, view.tie_breaks)) or 'none'}.",
        *conventions,
    )

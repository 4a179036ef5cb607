"""Anything shown can be had: tables as CSV, and those of a paper in LaTeX."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pandas as pd

from tiecore.escape import csv_of, in_latex
from tiecore.latex import NEEDS, LatexColumn, latex_table
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.conventions import chosen

_LONGEST_STEM = 120


def as_csv(table: pd.DataFrame) -> bytes:
    """Table with its index, full precision, UTF-8 with a mark so that spreadsheets read it rightly.

    Cells that a spreadsheet would run as a formula are kept from it by an apostrophe.
    """
    has_names = any(name is not None for name in table.index.names)
    named = table.reset_index() if has_names else table
    written = named.map(lambda cell: ", ".join(cell) if isinstance(cell, tuple) else cell)
    return csv_of(written).encode("utf-8-sig")


def chart_config(stem: str) -> dict[str, object]:
    """Configure the toolbar of a chart: a picture as it is on the screen, and nothing that leaves the computer."""
    return {
        "displaylogo": False,
        "showSendToCloud": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "zoom2d", "pan2d"],
        "toImageButtonOptions": {"format": "png", "filename": stem, "scale": 3},
        "responsive": True,
    }


def as_latex(columns: Mapping[str, Iterable[str]], *, caption: str, label: str) -> str:
    """Table for a paper of texts, two columns of which are names."""
    return latex_of(
        [
            LatexColumn(heading=in_latex(title), cells=[in_latex(text) for text in texts], spec="l" if at < 2 else "r")
            for at, (title, texts) in enumerate(columns.items())
        ],
        caption=caption,
        label=label,
    )


def latex_of(columns: Sequence[LatexColumn], *, caption: str, label: str, new_groups: Sequence[int] = ()) -> str:
    """Table for a paper of columns that are LaTeX already, in booktabs; a rule stands above each new group."""
    parts = [
        ("", [replace(column, cells=column.cells[first:end]) for column in columns])
        for first, end in pairwise([0, *new_groups, None])
    ]
    return "\n".join([NEEDS, *latex_table(parts, caption=caption, label=f"tab:{label}")]) + "\n"


def file_stem(*parts: str) -> str:
    """Name of a file to download, of harmless characters.

    >>> file_stem("ranking", "nDCG(dcg='exp-log2')@10")
    'ranking-ndcg-dcg-exp-log2-10'
    """
    return "-".join(filter(None, re.split(r"[^a-z0-9]+", " ".join(parts).lower())))[:_LONGEST_STEM]


def settings_in_words(view: View) -> Sequence[str]:
    """Settings of the view, a sentence each, for reports."""
    conventions = [
        f"{one.title}: {label} ({one.meanings.get(label, 'rounded')})." for one, label in chosen(view.settings.options)
    ]
    return (
        f"Measure: {called(view.measure)}.",
        f"Tie-breaks compared: {', '.join(map(words.known_as, view.tie_breaks)) or 'none'}.",
        *conventions,
    )

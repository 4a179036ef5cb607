"""Anything shown can be had: tables as CSV and LaTeX, charts as pages of their own."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pandas as pd

from tiecore.escape import csv_of, in_latex
from tiecore_dashboard.compute.cached import View
from tiecore_dashboard.controls.conventions import chosen
from tiecore_dashboard.figures.look import Figure
from tiecore_dashboard.ui import words

__all__ = [
    "PICTURE_FORMATS",
    "as_csv",
    "as_html",
    "as_latex",
    "chart_config",
    "file_stem",
    "settings_in_words",
]

PICTURE_FORMATS = ("svg", "png")


def as_csv(table: pd.DataFrame) -> bytes:
    """Table with its index, full precision, UTF-8 with a mark so that spreadsheets read it rightly.

    Cells that a spreadsheet would run as a formula are kept from it by an apostrophe.
    """
    has_names = any(name is not None for name in table.index.names)
    named = table.reset_index() if has_names else table
    return csv_of(named).encode("utf-8-sig")


def chart_config(stem: str, picture: str = "svg") -> dict[str, object]:
    """Configure the toolbar of a chart: a picture in one click, nothing that leaves the computer."""
    return {
        "displaylogo": False,
        "showSendToCloud": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "zoom2d", "pan2d"],
        "toImageButtonOptions": {"format": picture, "filename": stem, "scale": 3 if picture == "png" else 1},
        "responsive": True,
    }


def as_html(figure: Figure, *, title: str, stem: str) -> str:
    """One self-contained page with a live chart; it asks nothing of any server."""
    config = chart_config(stem) | {"displayModeBar": True}
    body = figure.to_html(full_html=False, include_plotlyjs=True, include_mathjax=False, config=config)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{words.in_html(title)}</title></head><body>{body}</body></html>"
    )


def as_latex(table: pd.DataFrame, *, caption: str, formats: dict[str, str] | None = None) -> str:
    """Table for a paper, in booktabs; names are escaped, and everything but the first column stands to the right."""
    formats = formats or {}
    shown = table.reset_index()
    head = " & ".join(in_latex(str(column)) for column in shown.columns)
    lines = [
        " & ".join(
            in_latex(_cell(value, formats.get(str(column)))) for column, value in zip(shown.columns, row, strict=True)
        )
        for row in shown.itertuples(index=False, name=None)
    ]
    kinds = "l" + "r" * (len(shown.columns) - 1)
    body = " \\\\\n    ".join(lines)
    return (
        "% needs \\usepackage{booktabs}\n"
        "\\begin{table}\n  \\centering\n"
        f"  \\caption{{{in_latex(caption)}}}\n"
        f"  \\begin{{tabular}}{{{kinds}}}\n    \\toprule\n    {head} \\\\\n    \\midrule\n    {body} \\\\\n"
        "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n"
    )


def _cell(value: object, form: str | None) -> str:
    if isinstance(value, float):
        return words.NOTHING if math.isnan(value) else format(value, form or ".4f")
    return str(value)


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
        f"Tie-breaks compared: {', '.join(view.tie_breaks) or 'none'}.",
        *conventions,
    )

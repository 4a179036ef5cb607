"""Anything shown can be had: tables as CSV, and those of a paper in LaTeX."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pandas as pd

from tiecore.board import COLUMNS as OF_BOARD
from tiecore.comparing.judges import JUDGE_COLUMNS
from tiecore.diagnostics import COLUMNS as OF_DIAGNOSTICS
from tiecore.escape import csv_of, in_latex
from tiecore.latex import NEEDS, LatexColumn, latex_table
from tiecore.stability import COLUMNS as OF_STABILITY
from tiecore.stability.sentences import called
from tiecore_dashboard import words
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.state.conventions import chosen

_LONGEST_STEM = 120
_ENDS = {"low": "95 % from", "high": "95 % to"}
_TITLES = {
    **_ENDS, "leader": "Ahead", "trailer": "Behind", "holm": "p (Holm)", "p": "p", "z": "z", "k": "k",
    "p_beats": "Ahead under random tie-breaks", "ties": "How sure the tie risk is", "cutoff": "From k",
    "judge": "Judge", "judge_a": "Judge", "judge_b": "Other judge", "kappa": "Cohen’s κ",
    "tie_break": "Tie-break", "cut_tie": "Documents in the tie at the cut", "p_adjusted": "p, adjusted",
    "sensitivity": "Found with 80 % power", "first": "First under random tie-breaks", "query_id": "Query",
    "doc_id": "Document", "sd": "SD of ties", "lead": "Difference",
    "leader_expected": "Value of the one ahead", "trailer_expected": "Value of the other",
    "worst_lead": "Difference, worst case", "best_lead": "Difference, best case", "tau_b": "τ-b", "tau_ap": "τ AP",
    **{
        f"{of}_{end}": f"{what}: {which}"
        for of, what in (("behind", "Behind"), ("place", "Places"), ("all", "All places together"), ("tau_b", "τ-b"),
                         ("holm", "Adjusted (Holm)"), ("tie", "Random tie-breaks"), ("tau_ap", "τ AP"))
        for end, which in _ENDS.items()
    },
}  # fmt: skip
"""Columns whose names say too little, and what they hold."""
_KNOWN = {*OF_DIAGNOSTICS, *OF_STABILITY, *OF_BOARD, *JUDGE_COLUMNS}


def as_csv(table: pd.DataFrame, measure: str = "") -> bytes:
    """Table with its index, UTF-8 with a mark so that spreadsheets read it rightly; no column without a cell.

    Columns have readable names, tie-breaks those of the pages, values that of their ``measure``. Numbers have twelve
    digits: all that is more is noise of their sums. Cells that a spreadsheet would run as a formula are kept from it by
    an apostrophe.
    """
    has_names = any(name is not None for name in table.index.names)
    named = table.reset_index() if has_names else table
    written = {
        _title(str(name), measure): [_cell(str(name), cell) for cell in column]
        for name, column in named.items()
        if column.notna().any() or named.empty
    }
    return csv_of(written).encode("utf-8-sig")


def _title(name: str, measure: str) -> str:
    """Readable name of a column.

    >>> [_title(name, "AP") for name in ("value", "behind_low", "docid-desc place", "n_queries", "mine_10")]
    ['AP', 'Behind: 95 % from', 'trec_eval (ids ↓): place', 'Queries', 'mine_10']
    """
    if name == "value" and measure:
        return measure
    head, _, tail = name.rpartition(" ")
    if head and words.known_as(head) != head:
        return f"{words.known_as(head)}: {tail}"
    if name in _TITLES or re.sub(r"@\d+", "@k", name) not in _KNOWN:
        return _TITLES.get(name, words.known_as(name))
    return words.capitalised(name.removeprefix("n_").replace("_", " "))


def _cell(column: str, cell: object) -> object:
    if isinstance(cell, float):
        return float(f"{cell:.12g}")
    if isinstance(cell, tuple):
        return ", ".join(map(words.known_as, cell))
    if column == "tie_break":
        return words.known_as(str(cell))
    head, _, rest = str(cell).partition(" ")  # a verdict may begin with a tie-break
    return f"{words.known_as(head)} {rest}" if column == "verdict" and rest else cell


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
    """Table for a paper of texts."""
    return latex_of([column_of(*column) for column in columns.items()], caption=caption, label=label)


def column_of(heading: str, texts: Iterable[str], spec: str = "l") -> LatexColumn:
    """Column of a table for a paper, of texts."""
    return LatexColumn(heading=in_latex(heading), cells=[*map(in_latex, texts)], spec=spec)


def latex_of(columns: Sequence[LatexColumn], *, caption: str, label: str, new_groups: Sequence[int] = ()) -> str:
    """Table for a paper of columns that are LaTeX already, in booktabs; a rule stands above each new group."""
    parts = [
        ("", [replace(column, cells=column.cells[first:end]) for column in columns])
        for first, end in pairwise([0, *new_groups, None])
    ]
    caption = caption.replace("\u00a0", " ")  # of sentences of a page
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

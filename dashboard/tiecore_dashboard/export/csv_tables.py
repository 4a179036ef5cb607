"""Anything shown can be had: tables as CSV, under names that people read."""

import re
from itertools import groupby

import pandas as pd

from tiecore.board import COLUMNS as OF_BOARD
from tiecore.comparing.judges import JUDGE_COLUMNS
from tiecore.diagnostics import COLUMNS as OF_DIAGNOSTICS
from tiecore.diagnostics import column_meaning
from tiecore.escape import csv_of
from tiecore.stability import COLUMNS as OF_STABILITY
from tiecore_dashboard import words

_LONGEST_STEM = 120
_TITLES = {
    "leader": "Ahead", "trailer": "Behind", "holm": "p (Holm)", "p": "p", "z": "z", "k": "k", "cutoff": "From k",
    "p_beats": "Ahead under random tie-breaks", "ties": "Order under ties", "first": "First under random tie-breaks",
    "judge": "Judge", "judge_a": "Judge", "judge_b": "Other judge", "kappa": "κ (quadratic)", "doc_id": "Document",
    "tie_break": "Tie-break", "cut_tie": "Tie at the cut", "p_adjusted": "p (adjusted)", "query_id": "Query",
    "sensitivity": "Smallest detectable difference (80 % power)", "sd": "SD of ties", "lead": "Difference",
    "worst_lead": "Difference: worst case", "best_lead": "Difference: best case", "tau_b": "τ-b", "tau_ap": "τ AP",
    "kappa_unweighted": "κ (unweighted)", "equal": "Same grade", "tied_mixed": "In mixed ties", "values": "Levels",
    "constant_queries": "All tied", "values_per_query": "Levels per query", "cut_in_tie@k": "Cut k in a tie",
    "cut_in_mixed_tie@k": "Cut k in a mixed tie", "elsewhere": "Lowest lead elsewhere",
    **{
        f"{of}{end}": f"{what} {which}"
        for of, what in (("", "95 % over {queries}:"), ("behind_", "Behind: 95 % over {queries}"),
                         ("holm_", "Difference: Holm interval"), ("place_", "Places: 95 % set"),
                         ("all_", "All places: 95 % together"), ("tie_", "About 95 % of random tie-breaks:"),
                         ("kappa_", "κ (quadratic): 95 % over queries"))
        for end, which in (("low", "from"), ("high", "to"))
    },
}  # fmt: skip
"""Columns whose names say too little, and what they hold."""
_KNOWN = {**OF_DIAGNOSTICS, **JUDGE_COLUMNS, **OF_STABILITY, **OF_BOARD}


def as_csv(table: pd.DataFrame, measure: str = "", queries: str = "queries") -> bytes:
    """Table with its index, UTF-8 with a mark so that spreadsheets read it rightly; no column without a cell.

    Columns have the names of the pages, tie-breaks too, values that of their ``measure``; ``queries``: what the values
    are of. Shares are in percent, as on the pages. Numbers have twelve digits: all that is more is noise of their sums.
    Cells that a spreadsheet would run as a formula are kept from it by an apostrophe.
    """
    named = table.reset_index() if any(name is not None for name in table.index.names) else table
    written = {}
    for name, column in ((str(name), column) for name, column in named.items()):
        is_share = _KNOWN.get(name, column_meaning(name)).startswith(("share", "chance"))
        cells = [_cell(name, cell) for cell in (100 * column if is_share else column)]
        if named.empty or pd.Series(cells, dtype=object).replace("", None).notna().any():
            written[title_of(name, measure, queries) + " (%)" * is_share] = cells
    return csv_of(written).encode("utf-8-sig")


def title_of(name: str, measure: str = "", queries: str = "queries") -> str:
    """Readable name of a column.

    >>> [title_of(name, "AP") for name in ("value", "behind_low", "docid-desc place", "n_queries", "mine_10")]
    ['AP', 'Behind: 95 % over queries from', 'trec_eval (ids ↓): place', 'Queries', 'mine_10']
    >>> title_of("cut_in_tie@20"), title_of("chance_sd")
    ('Cut 20 in a tie', 'Chance SD')
    """
    if name == "value" and measure:
        return measure
    head, _, tail = name.rpartition(" ")
    if head and words.known_as(head) != head:
        return f"{words.known_as(head)}: {tail}"
    general = re.sub(r"@\d+", "@k", name)
    if title := _TITLES.get(general):
        return title.replace("{queries}", queries).replace(" k ", f" {name.rpartition('@')[2]} ")
    if general not in _KNOWN:
        return words.known_as(name)
    written = re.sub(r"\bsd\b", "SD", name.removeprefix("n_").replace("_", " "))
    return words.capitalised(queries if name == "n_queries" else written)


def _cell(column: str, cell: object) -> object:
    if isinstance(cell, float):
        return int(cell) if column.endswith("rank") and cell.is_integer() else float(f"{cell:.12g}") + 0.0
    if column == "grades":
        return re.sub(r"(\S+) × (\d+)", r"\2 of grade \1", str(cell)).replace("of grade –", "unjudged")
    if isinstance(cell, tuple):
        return ", ".join(map(words.known_as, cell))
    if column == "tie_break":
        return words.known_as(str(cell))
    head, _, rest = str(cell).partition(" ")  # a verdict may begin with a tie-break
    return f"{words.known_as(head)} {rest}" if column == "verdict" and rest else cell


def file_stem(*parts: str) -> str:
    """Name of a file to download, of harmless characters; a page and its table of one name are called so once.

    >>> file_stem("ranking", "nDCG(dcg='exp-log2')@10"), file_stem("queries", "Queries by x")
    ('ranking-ndcg-dcg-exp-log2-10', 'queries-by-x')
    """
    found = re.findall(r"[a-z0-9]+", " ".join(parts).lower())
    return "-".join(word for word, _ in groupby(found))[:_LONGEST_STEM]

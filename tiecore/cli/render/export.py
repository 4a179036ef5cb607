"""Reports as CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator

import numpy as np

import tiecore
from tiecore.cli.render.tables import LEGEND, Report, Sheet
from tiecore.escape import cells_of, csv_of, in_markdown, visible
from tiecore.latex import NEEDS, column_of, latex_table

_TITLES = {"holm": "p (Holm)", "kendall_tau": "τ-b", "tau_b": "τ-b", "tau_ap": "τ-AP", "kappa": "κ"}
"""Headings in a paper, where they are not the names of the columns with blanks."""


def csv_lines(report: Report, shown: Callable[[str], str]) -> Iterator[str]:
    """Yield every column of the first sheet in full precision, nothing where there is no value.

    A text that a spreadsheet would run as a formula gets an apostrophe before it. ``shown`` changes every text before.
    """
    table = {
        name: [" ".join(cell) if isinstance(cell, tuple) else cell for cell in cells]
        for name, cells in cells_of(report.sheets[0].in_full())
    }
    yield from csv_of(table, shown=shown).split("\n")[:-1]


def json_lines(report: Report) -> Iterator[str]:
    """Yield every sheet as a list of rows: null where there is no value, a text where a number is infinite.

    Every program reads such a file: JSON has no word for infinity, and Python, R and JavaScript read the text
    ``"Infinity"`` as the number where they are asked for one.
    """
    content: dict[str, object] = {"tiecore": tiecore.__version__, "command": report.command}
    for name, data in ({sheet.name: sheet.in_full for sheet in report.sheets} | dict(report.beside)).items():
        columns = {column: map(_json_value, cells) for column, cells in cells_of(data())}
        content[name] = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    # Whatever is not ASCII is escaped, so no name can steer a terminal.
    yield json.dumps(content, indent=1, allow_nan=False)


def _json_value(cell: object) -> object:
    if isinstance(cell, tuple):
        return [_json_value(part) for part in cell]
    if isinstance(cell, float) and math.isinf(cell):
        return "Infinity" if cell > 0 else "-Infinity"
    return cell.item() if isinstance(cell, np.generic) else cell


def markdown_lines(report: Report) -> Iterator[str]:
    """Yield the lines of every table, then what headings mean."""
    for sheet in report.sheets:
        for table in (table.first(report.top) for table in sheet.tables):
            for text in filter(None, [f"### {in_markdown(table.title)}", in_markdown(table.detail)]):
                yield from (text, "")
            if table.written:
                columns = [[in_markdown(cell.strip()) for cell in one.cells()] for one in table.written]
                headings = [in_markdown(column.heading) for column in table.written]
                rules = ["--:" if column.right else ":--" for column in table.written]
                for row in (headings, rules, *zip(*columns, strict=True)):
                    yield f"| {' | '.join(row)} |"
                yield ""
            for note in table.notes:
                yield from (in_markdown(note), "")
        for heading, meaning in _headings(sheet):
            yield f"- **{in_markdown(heading)}**: {in_markdown(meaning)}"
    for remark in report.remarks:
        yield f"- {in_markdown(remark)}"


def _headings(sheet: Sheet) -> list[tuple[str, str]]:
    """Return what the headings of columns mean; only a terminal has drawings."""
    return [(heading, meaning) for heading, meaning in sheet.legend.items() if heading != LEGEND]


def latex_lines(report: Report) -> Iterator[str]:
    r"""Yield a ``table`` in the style of booktabs for each table, whose caption says what headings mean."""
    yield NEEDS
    used: set[str] = set()
    for sheet in report.sheets:
        for table in sheet.tables:
            about = " ".join([report.command, sheet.name, *table.about.values()])
            label = "-".join(re.findall("[a-z0-9]+", about.lower()))
            while label in used:
                label += "-2"
            used.add(label)
            shown = table.first(report.top)
            if shown.paper:
                yield from (visible(line) for line in shown.paper(report.top, label).splitlines() if line != NEEDS)
            elif shown.written:
                columns = [
                    column_of(_title(one.heading), map(str.strip, one.cells()), "lr"[one.right])
                    for one in shown.written
                ]
                about = ", ".join(filter(None, [shown.title, shown.detail]))
                about = about if table.about else about[0].upper() + about[1:]
                key = (f"{_title(heading)}: {meaning}." for heading, meaning in _headings(sheet))
                yield from latex_table(columns, caption=" ".join([f"{about}.", *key]), label=f"tab:{label}")
            yield from (f"% {visible(note)}" for note in shown.notes)
    for remark in report.remarks:
        yield f"% {visible(remark)}"


def _title(heading: str) -> str:
    """Return a heading as people write it; names of tie-breaks and letters of statistics stay.

    >>> _title("n_queries"), _title("sd_removed"), _title("worst, best"), _title("docid-asc"), _title("p_adjusted")
    ('Queries', 'SD removed', 'Worst, best', 'docid-asc', 'p adjusted')
    """
    if not re.fullmatch("[a-z0-9_@, ]{2,}", heading):
        return heading
    words = re.sub(r"\bsd\b", "SD", heading.removeprefix("n_").replace("_", " "))
    return _TITLES.get(heading, words if words[1] == " " else words[0].upper() + words[1:])


LINES = {"json": json_lines, "markdown": markdown_lines, "latex": latex_lines}
"""What writes a report in full, by the name of the format."""

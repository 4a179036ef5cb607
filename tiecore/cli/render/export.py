"""Reports as CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator

import numpy as np

import tiecore
from tiecore.cli.render.tables import LEGEND, Column, Report, Sheet
from tiecore.escape import cells_of, csv_of, in_latex, in_markdown, visible
from tiecore.latex import NEEDS, LatexColumn, latex_table


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
                columns = [_escaped(column, in_markdown) for column in table.written]
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


def _escaped(column: Column, escape: Callable[[str], str]) -> list[str]:
    return [escape(cell.strip()) for cell in column.cells()]


def _headings(sheet: Sheet) -> list[tuple[str, str]]:
    """Return what the headings of columns mean; only a terminal has drawings."""
    return [(heading, meaning) for heading, meaning in sheet.legend.items() if heading != LEGEND]


def latex_lines(report: Report) -> Iterator[str]:
    r"""Yield a ``table`` in the style of booktabs for each table, then what headings mean as comments."""
    yield NEEDS
    for sheet in report.sheets:
        for number, table in enumerate((table.first(report.top) for table in sheet.tables), 1):
            if table.written:
                columns = [
                    LatexColumn(heading=in_latex(one.heading), cells=_escaped(one, in_latex), spec="lr"[one.right])
                    for one in table.written
                ]
                about = ", ".join(filter(None, [table.title, table.detail]))
                label = f"tab:{report.command}-{sheet.name.replace('_', '-')}-{number}"
                yield from latex_table(columns, caption=f"{about}.", label=label)
            yield from (f"% {visible(note)}" for note in table.notes)
        for heading, meaning in _headings(sheet):
            yield f"% {visible(heading)}: {visible(meaning)}"
    for remark in report.remarks:
        yield f"% {visible(remark)}"


LINES = {"json": json_lines, "markdown": markdown_lines, "latex": latex_lines}
"""What writes a report in full, by the name of the format."""

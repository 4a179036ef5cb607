"""Reports as CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count, groupby
from typing import TextIO

import numpy as np

import tiecore
from tiecore.cli.render.tables import LEGEND, Column, Report, Sheet, Table
from tiecore.escape import cells_of, csv_of, in_latex, in_markdown, visible
from tiecore.latex import NEEDS, LatexColumn, latex_table

__all__ = ["write_csv", "write_json", "write_latex", "write_markdown"]


# An unbuffered stream loses the rest of a piece whose reader goes away while it is written, without an error: the next
# piece shows it.
_PIECE = 8192


def write_csv(report: Report, stream: TextIO) -> None:
    """Write every column of the first sheet in full precision, nothing where there is no value.

    A text that a spreadsheet would run as a formula gets an apostrophe before it. On a terminal no name may steer it.
    """
    table = {
        name: [" ".join(cell) if isinstance(cell, tuple) else cell for cell in cells]
        for name, cells in cells_of(report.sheets[0].in_full())
    }
    text = csv_of(table, shown=visible if stream.isatty() else str)
    for start in range(0, len(text), _PIECE):
        stream.write(text[start : start + _PIECE])


def write_json(report: Report, stream: TextIO) -> None:
    """Write every sheet as a list of rows: null where there is no value, a text where a number is infinite.

    Every program reads such a file: JSON has no word for infinity, and Python, R and JavaScript read the text
    ``"Infinity"`` as the number where they are asked for one.
    """
    content: dict[str, object] = {"tiecore": tiecore.__version__, "command": report.command}
    for name, data in ({sheet.name: sheet.in_full for sheet in report.sheets} | dict(report.beside)).items():
        columns = {column: map(_json_value, cells) for column, cells in cells_of(data())}
        content[name] = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    # Whatever is not ASCII is escaped, so no name can steer a terminal.
    json.dump(content, stream, indent=1, allow_nan=False)
    stream.write("\n")


def _json_value(cell: object) -> object:
    if isinstance(cell, tuple):
        return [_json_value(part) for part in cell]
    if isinstance(cell, float) and math.isinf(cell):
        return "Infinity" if cell > 0 else "-Infinity"
    return cell.item() if isinstance(cell, np.generic) else cell


def write_markdown(report: Report, stream: TextIO) -> None:
    """Write every table."""
    for sheet in report.sheets:
        for table in sheet.tables:
            for line in _markdown_lines(table.first(report.top)):
                stream.write(f"{line}\n")
        for heading, meaning in _headings(sheet):
            stream.write(f"- **{in_markdown(heading)}**: {in_markdown(meaning)}\n")
    for remark in report.remarks:
        stream.write(f"- {in_markdown(remark)}\n")


def _markdown_lines(table: Table) -> Iterator[str]:
    yield from (f"### {in_markdown(table.title)}", "")
    if table.detail:
        yield from (in_markdown(table.detail), "")
    if table.written:
        yield _markdown_row(in_markdown(column.heading) for column in table.written)
        yield _markdown_row("--:" if column.right else ":--" for column in table.written)
        columns = [_escaped(column, in_markdown, "**%s**") for column in table.written]
        yield from map(_markdown_row, zip(*columns, strict=True))
        yield ""
    for note in table.notes:
        yield from (in_markdown(note), "")


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(column: Column, escape: Callable[[str], str], strong: str) -> list[str]:
    """Return the cells of a column, those that stand out set strong."""
    cells = [escape(cell.strip()) for cell in column.cells()]
    return [strong % cell if row in column.best else cell for row, cell in enumerate(cells)]


def _headings(sheet: Sheet) -> list[tuple[str, str]]:
    """Return what the headings of columns mean; only a terminal has drawings."""
    return [(heading, meaning) for heading, meaning in sheet.legend.items() if heading != LEGEND]


def write_latex(report: Report, stream: TextIO) -> None:
    r"""Write a ``table`` in the style of booktabs, with caption and label; tables with the same columns become one."""
    stream.write(f"{NEEDS}\n")
    used: set[str] = set()
    for sheet in report.sheets:
        tables = [table.first(report.top) for table in sheet.tables]
        laid = [(table, [_in_latex(column) for column in table.paper or table.written]) for table in tables]
        for _, together in groupby(laid, key=lambda pair: [column.heading for column in pair[1]]):
            group = list(together)
            label = _label(f"{report.command} {sheet.name}", [table.title for table, _ in group], used)
            used.add(label)
            for line in _latex_lines(group, caption=sheet.caption, label=label):
                stream.write(f"{line}\n")
        for heading, meaning in _headings(sheet):
            stream.write(f"% {visible(heading)}: {visible(meaning)}\n")
    for remark in report.remarks:
        stream.write(f"% {visible(remark)}\n")


def _in_latex(column: Column | LatexColumn) -> LatexColumn:
    if isinstance(column, LatexColumn):
        return column
    return LatexColumn(
        heading=in_latex(column.heading),
        cells=_escaped(column, in_latex, r"\textbf{%s}"),
        spec="r" if column.right else "l",
    )


def _label(part: str, titles: Sequence[str], used: set[str]) -> str:
    """Return what the text of a paper refers to a table by; different for each.

    >>> _label("stability places", ["nDCG@10 · places"], set())
    'tab:stability-places-ndcg-10'
    """
    about = titles[0] if len(titles) == 1 else ""
    words = dict.fromkeys(re.findall("[a-z0-9]+", f"{part} {about}".lower()))
    label = "tab:" + "-".join(words)
    further = (f"{label}-{number}" for number in count(2))
    return next(one for one in chain([label], further) if one not in used)


def _latex_lines(group: Sequence[tuple[Table, Sequence[LatexColumn]]], *, caption: str, label: str) -> Iterator[str]:
    tables = [table for table, _ in group]
    if group[0][1]:
        if len(group) == 1:
            about, headings = ", ".join(filter(None, [tables[0].title, tables[0].detail])), [""]
        else:
            about, headings = "; ".join(table.title for table in tables), [_heading(table) for table in tables]
        sections = [(heading, columns) for heading, (_, columns) in zip(headings, group, strict=True)]
        yield from latex_table(sections, caption=f"{about}.{f' {caption}' if caption else ''}", label=label)
    for table in tables:
        for note in table.notes:
            yield f"% {visible(note)}"


def _heading(table: Table) -> str:
    detail = f", {in_latex(table.detail)}" if table.detail else ""
    return rf"\emph{{{in_latex(table.title)}}}{detail}"

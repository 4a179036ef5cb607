"""Sheets as CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TextIO

import pandas as pd

from tiecore.cli.render.sheets import Report, Sheet
from tiecore.cli.render.table import Block, Column
from tiecore.escape import visible

__all__ = ["write_csv", "write_json", "write_latex", "write_markdown"]

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~$&])")
_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$", "…": r"\dots{}",
    "●": r"$\bullet$", "·": r"$\cdot$", "–": "--", "σ": r"$\sigma$", "τ": r"$\tau$", "≥": r"$\geq$", "×": r"$\times$",
    "[": "{[}", "*": "{*}",  # where a row begins with one of these, LaTeX takes it for a part of the row break before
}  # fmt: skip


def write_csv(sheet: Sheet, stream: TextIO, *, literal: bool) -> None:
    """Write every column in full precision; nothing where there is no value.

    Parameters
    ----------
    sheet
        The one table that a CSV file holds.
    stream
        Where to.
    literal
        Whether names are left as they are; on a terminal they must not steer it.
    """
    frame = _plain(sheet.frame())
    if not literal:
        frame = frame.map(_shown).rename(columns=visible)
    frame.to_csv(stream, index=False, lineterminator="\n")


def write_json(report: Report, stream: TextIO, *, version: str) -> None:
    """Write every sheet as a list of rows; null where there is no value."""
    frames: dict[str, Callable[[], pd.DataFrame]] = {sheet.name: sheet.frame for sheet in report.sheets}
    content: dict[str, object] = {"tiecore": version, "command": report.command}
    for name, frame in (frames | dict(report.beside)).items():
        table = frame().astype(object)
        content[name] = table.where(table.notna(), None).to_dict("records")
    json.dump(content, stream, indent=1, allow_nan=False)  # all but ASCII is escaped, so nothing can steer a terminal
    stream.write("\n")


def write_markdown(report: Report, stream: TextIO) -> None:
    """Write a table for each block."""
    for sheet in report.sheets:
        for block in sheet.blocks():
            stream.write(f"### {_markdown(block.title)}\n\n")
            if block.detail:
                stream.write(f"{_markdown(block.detail)}\n\n")
            if block.written:
                for line in _markdown_lines(block):
                    stream.write(f"{line}\n")
                stream.write("\n")
            for note in block.notes:
                stream.write(f"{_markdown(note)}\n\n")
        for heading, meaning in sheet.legend.items():
            if _is_heading(heading):
                stream.write(f"- **{_markdown(heading)}**: {_markdown(meaning)}\n")
    for remark in report.remarks:
        stream.write(f"- {_markdown(remark)}\n")


def write_latex(report: Report, stream: TextIO) -> None:
    r"""Write a ``tabular`` in the style of booktabs; blocks with the same columns share one."""
    stream.write("% needs \\usepackage{booktabs}\n")
    for sheet in report.sheets:
        for _, blocks in groupby(sheet.blocks(), key=lambda block: [column.heading for column in block.written]):
            for line in _latex_lines(list(blocks)):
                stream.write(f"{line}\n")
        for heading, meaning in sheet.legend.items():
            if _is_heading(heading):
                stream.write(f"% {heading}: {meaning}\n")
    for remark in report.remarks:
        stream.write(f"% {visible(remark)}\n")


def _is_heading(heading: str) -> bool:
    """Tell headings of columns from those of drawings, which only a terminal has."""
    return "●" not in heading


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Lists inside a cell as one text."""
    return frame.map(lambda cell: " ".join(cell) if isinstance(cell, tuple) else cell)


def _shown(cell: object) -> object:
    return visible(cell) if isinstance(cell, str) else cell


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", visible(text))


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in visible(text))


def _rows(block: Block, escape: Callable[[str], str], strong: str) -> Iterator[list[str]]:
    """Cells of each row, those that stand out set strong."""
    columns = [[escape(cell.strip()) for cell in column.plain()] for column in block.written]
    for row, cells in enumerate(zip(*columns, strict=True)):
        yield [strong % cell if row in column.best else cell for cell, column in zip(cells, block.written, strict=True)]


def _markdown_lines(block: Block) -> Iterator[str]:
    yield _markdown_row([_markdown(column.heading) for column in block.written])
    yield _markdown_row(["--:" if column.right else ":--" for column in block.written])
    for cells in _rows(block, _markdown, "**%s**"):
        yield _markdown_row(cells)


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _latex_lines(blocks: list[Block]) -> Iterator[str]:
    columns: list[Column] = blocks[0].written
    if columns:
        yield from _tabular(blocks, columns)
    for block in blocks:
        for note in block.notes:
            yield f"% {visible(note)}"


def _tabular(blocks: list[Block], columns: list[Column]) -> Iterator[str]:
    yield rf"\begin{{tabular}}{{{''.join('r' if column.right else 'l' for column in columns)}}}"
    yield r"\toprule"
    yield rf"{' & '.join(_latex(column.heading) for column in columns)} \\"
    for block in blocks:
        yield r"\midrule"
        detail = f", {_latex(block.detail)}" if block.detail else ""
        yield rf"\multicolumn{{{len(columns)}}}{{l}}{{\emph{{{_latex(block.title)}}}{detail}}} \\"
        for cells in _rows(block, _latex, r"\textbf{%s}"):
            yield rf"{' & '.join(cells)} \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"

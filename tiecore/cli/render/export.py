"""Sheets as CSV, JSON, Markdown and LaTeX."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, count, groupby
from typing import TextIO

import numpy as np

from tiecore.cli.render.sheets import Report, Sheet, columns_in_latex, rows_of
from tiecore.cli.render.table import Block
from tiecore.escape import cells_of, csv_of, in_latex, in_markdown, visible
from tiecore.latex import NEEDS, LatexColumn, latex_table

__all__ = ["write_csv", "write_json", "write_latex", "write_markdown"]


# An unbuffered stream loses the rest of a piece whose reader goes away while it is written, without an error: the next
# piece shows it.
_PIECE = 8192


def write_csv(sheet: Sheet, stream: TextIO) -> None:
    """Write every column in full precision, nothing where there is no value.

    A text that a spreadsheet would run as a formula gets an apostrophe before it. On a terminal no name may steer it.
    """
    table = {
        name: [" ".join(cell) if isinstance(cell, tuple) else cell for cell in cells]
        for name, cells in cells_of(sheet.table())
    }
    text = csv_of(table, shown=visible if stream.isatty() else str)
    for start in range(0, len(text), _PIECE):
        stream.write(text[start : start + _PIECE])


def write_json(report: Report, stream: TextIO, *, version: str) -> None:
    """Write every sheet as a list of rows: null where there is no value, a text where a number is infinite.

    Every program reads such a file: JSON has no word for infinity, and Python, R and JavaScript read the text
    ``"Infinity"`` as the number where they are asked for one.
    """
    tables = {sheet.name: sheet.table for sheet in report.sheets} | dict(report.beside)
    content: dict[str, object] = {"tiecore": version, "command": report.command}
    for name, table in tables.items():
        columns = {column: map(_json_value, cells) for column, cells in cells_of(table())}
        content[name] = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    # Whatever is not ASCII is escaped, so no name can steer a terminal.
    json.dump(content, stream, indent=1, allow_nan=False)
    stream.write("\n")


def write_markdown(report: Report, stream: TextIO) -> None:
    """Write a table for each block."""
    for sheet in report.sheets:
        for block in sheet.blocks():
            stream.write(f"### {in_markdown(block.title)}\n\n")
            if block.detail:
                stream.write(f"{in_markdown(block.detail)}\n\n")
            if block.written:
                for line in _markdown_lines(block):
                    stream.write(f"{line}\n")
                stream.write("\n")
            for note in block.notes:
                stream.write(f"{in_markdown(note)}\n\n")
        for heading, meaning in sheet.legend.items():
            if _is_heading(heading):
                stream.write(f"- **{in_markdown(heading)}**: {in_markdown(meaning)}\n")
    for remark in report.remarks:
        stream.write(f"- {in_markdown(remark)}\n")


def write_latex(report: Report, stream: TextIO) -> None:
    r"""Write a ``table`` in the style of booktabs, with caption and label; blocks with the same columns share one."""
    stream.write(f"{NEEDS}\n")
    used: set[str] = set()
    for sheet in report.sheets:
        together = [
            list(blocks)
            for _, blocks in groupby(sheet.blocks(), key=lambda block: [column.heading for column in _for_paper(block)])
        ]
        for blocks in together:
            label = _label(report.command, sheet.name, blocks, used)
            used.add(label)
            for line in _latex_lines(blocks, caption=sheet.caption, label=label):
                stream.write(f"{line}\n")
        for heading, meaning in sheet.legend.items():
            if _is_heading(heading):
                stream.write(f"% {visible(heading)}: {visible(meaning)}\n")
    for remark in report.remarks:
        stream.write(f"% {visible(remark)}\n")


def _is_heading(heading: str) -> bool:
    """Tell headings of columns from those of drawings, which only a terminal has."""
    return "●" not in heading


def _json_value(cell: object) -> object:
    if isinstance(cell, tuple):
        return [_json_value(part) for part in cell]
    if isinstance(cell, float) and math.isinf(cell):
        return "Infinity" if cell > 0 else "-Infinity"
    return cell.item() if isinstance(cell, np.generic) else cell


def _markdown_lines(block: Block) -> Iterator[str]:
    yield _markdown_row([in_markdown(column.heading) for column in block.written])
    yield _markdown_row(["--:" if column.right else ":--" for column in block.written])
    for cells in rows_of(block.written, in_markdown, "**%s**"):
        yield _markdown_row(cells)


def _markdown_row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _for_paper(block: Block) -> Sequence[LatexColumn]:
    """Return the columns of a block in LaTeX: its own for a paper, or else those of text."""
    return block.paper or columns_in_latex(block.written)


def _label(command: str, part: str, blocks: list[Block], used: Collection[str]) -> str:
    """Return what the text of a paper refers to a table by; different for each.

    >>> _label("stability", "places", [Block(title="nDCG@10 · places", columns=())], ())
    'tab:stability-places-ndcg-10'
    """
    about = blocks[0].title if len(blocks) == 1 else ""
    words = dict.fromkeys(re.findall("[a-z0-9]+", f"{command} {part} {about}".lower()))
    label = "tab:" + "-".join(words)
    further = (f"{label}-{number}" for number in count(2))
    return next(one for one in chain([label], further) if one not in used)


def _latex_lines(blocks: list[Block], *, caption: str, label: str) -> Iterator[str]:
    columns = [_for_paper(block) for block in blocks]
    if columns[0]:
        whole = len(blocks) == 1
        of_one, of_all = filter(None, [blocks[0].title, blocks[0].detail]), (block.title for block in blocks)
        about = ", ".join(of_one) if whole else "; ".join(of_all)
        headings = [""] if whole else [_heading(block) for block in blocks]
        sections = list(zip(headings, columns, strict=True))
        yield from latex_table(sections, caption=f"{about}.{f' {caption}' if caption else ''}", label=label)
    for block in blocks:
        for note in block.notes:
            yield f"% {visible(note)}"


def _heading(block: Block) -> str:
    detail = f", {in_latex(block.detail)}" if block.detail else ""
    return rf"\emph{{{in_latex(block.title)}}}{detail}"

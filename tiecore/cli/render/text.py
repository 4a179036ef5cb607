"""Tables as lines of text, laid out by rich: columns that do not fit side by side continue below."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Literal, NamedTuple

from rich.cells import cell_len, chop_cells
from rich.console import Console, RenderableType
from rich.segment import Segment, Segments
from rich.table import Table as Grid
from rich.text import Text

from tiecore.cli.render.tables import Column, Report, Table
from tiecore.escape import visible

_GAP = 2
_NARROW_HEADING, _WIDEST_HEADING = 10, 24
_NARROWEST_NAME = 8
_SHARE_OF_NAMES = 0.45  # of the width
_AT_ONCE = 100  # rows that are one to rich, which takes four times as long for each by itself
_BLANKS_AT_END = re.compile(r"(?m) ++(\x1b\[0m)? *+$")  # of a line, also inside a style
_JOINT = re.compile(r"[^ :_./-]*[ :_./-]|[^ :_./-]+")


def lines_of(report: Report, *, width: int, styled: bool) -> Iterator[str]:
    """Lay all sheets out in a width, each followed by the meaning of its headings; ``styled``: as on a terminal."""
    colours: Literal["standard"] | None = "standard" if styled else None
    console = Console(file=io.StringIO(), width=width, height=1, color_system=colours, legacy_windows=False)
    for piece in _pieces(report, console):
        with console.capture() as captured:
            console.print(piece, crop=False)
        yield from _BLANKS_AT_END.sub(r"\1", captured.get()).split("\n")[:-1]


def _pieces(report: Report, console: Console) -> Iterator[RenderableType]:
    for sheet in report.sheets:
        for table in sheet.tables:
            shown = table.first(report.top)
            yield from _table(shown, console.width)
            for note in shown.notes:
                lines = Text(visible(note), "dim").wrap(console, console.width - 2)
                yield Text("\n  ").join(lines)
            yield Text()
        if sheet.legend:
            grid = Grid.grid(padding=(0, _GAP))
            for pair in sheet.legend.items():
                grid.add_row(*(Text(one, "dim") for one in pair))
            yield grid
            if sheet is not report.sheets[-1]:
                yield Text()
    for remark in report.remarks:
        yield Text(visible(remark), "dim")


class _Laid(NamedTuple):
    """A column whose width is known."""

    width: int
    heading: str
    cells: list[str]


def _table(table: Table, width: int) -> Iterator[RenderableType]:
    yield _title(table.title, table.detail)
    if not table.n_rows:
        yield from () if table.notes else [Text("none")]
        return
    for part, columns in enumerate(_parts(table, width)):
        if part:
            yield Text()
            yield _title(table.title, "continued")
        grid = Grid(box=None, padding=0, header_style=None, width=_total(columns) + _GAP)
        for column in columns:
            grid.add_column(Text(column.heading, "dim"), width=column.width + _GAP)
        for start in range(0, table.n_rows, _AT_ONCE):
            cells = (map(Segment, column.cells[start : start + _AT_ONCE]) for column in columns)
            grid.add_row(*(Segments(lines, new_lines=True) for lines in cells))
        yield grid


def _title(title: str, detail: str) -> Text:
    """Return the title and what belongs to it."""
    return Text.assemble((visible(title), "bold"), (f" · {visible(detail)}" * bool(detail), "dim"))


def _parts(table: Table, width: int) -> Iterator[list[_Laid]]:
    """Fill one part after the other with as many columns as stand side by side, each behind the key columns."""
    keys = [column for column in table.written if column.key]
    columns, laid = [_laid(column) for column in table.columns if column not in keys], [*map(_laid, keys)]
    if _total([*laid, *columns]) > width:  # figures need room, so long names lose their middle
        n_names = max(1, sum(not column.right for column in keys))
        beside = max((column.width for column in columns), default=0)
        longest = min(int(_SHARE_OF_NAMES * width), width - beside - n_names * _GAP) // n_names
        laid = [_laid(column, longest=max(_NARROWEST_NAME, longest)) for column in keys]
    room = width - sum(column.width + _GAP for column in laid)
    while columns:
        n_fit = next((n for n in range(len(columns), 1, -1) if _total(columns[:n]) <= room), 1)
        yield [*laid, *columns[:n_fit]]
        columns = columns[n_fit:]


def _total(columns: Sequence[_Laid]) -> int:
    return sum(column.width + _GAP for column in columns) - _GAP


def _laid(column: Column, *, longest: int | None = None) -> _Laid:
    cells = column.cells() if longest is None or column.right else shorten_all(column.cells(), longest)
    heading = _heading(visible(column.heading), max(map(cell_len, cells), default=0))
    lines = [*heading, *cells]
    width = max(map(cell_len, lines))
    if column.right:  # rich would take away blanks at the end, which belong to what is below each other
        lines = [" " * (width - cell_len(line)) + line for line in lines]
    return _Laid(width, "\n".join(lines[: len(heading)]), lines[len(heading) :])


def _heading(heading: str, width: int) -> list[str]:
    """Break a long name behind its joints, as in ``feature:`` ``query_url_`` ``clicks``, to what stands below it."""
    width = max(width, _NARROW_HEADING)
    lines = [""]
    for piece in _JOINT.findall(heading):
        if lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [shorten(line.rstrip(), _WIDEST_HEADING) for line in lines]


def shorten(text: str, width: int) -> str:
    """Leave out the middle of a text that is wider than so many cells.

    >>> shorten("query_url_clicks", 9)
    'quer…icks'
    """
    if cell_len(text) <= width:
        return text
    n_tail = (width - 1) // 2
    return f"{chop_cells(text, width - 1 - n_tail)[0]}…{chop_cells(text[::-1], n_tail)[0][::-1]}"


def shorten_all(texts: Sequence[str], width: int) -> list[str]:
    """Shorten texts to a width, or to the next one that leaves different texts different."""
    tried = ([shorten(text, at) for text in texts] for at in count(width, 4))
    return next(short for short in tried if len(set(short)) == len(set(texts)))

"""Tables as lines of text: columns that do not fit side by side continue in a further table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from tiecore.cli.render.numbers import figures
from tiecore.escape import visible
from tiecore.latex import LatexColumn

__all__ = ["LEGEND", "Bar", "Block", "Column", "Scale", "interval_bar", "lines_of", "shorten", "shorten_all"]

_GAP = 2
_NARROW_HEADING = 10
_ARROWS, _CHANGED = "↑↓", "magenta"
_WIDEST_HEADING = 24
_NARROWEST_NAME = 8
_SHARE_OF_ONE, _SHARE_OF_SEVERAL = 0.4, 0.55
LEGEND = "├──●──┤"
_JOINT = re.compile(r"[^ :_./-]*[ :_./-]|[^ :_./-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """Figures or names under a heading."""

    heading: str
    cells: Sequence[str]
    right: bool = True
    """Whether cells end together (figures) or begin together (names)."""
    key: bool = False
    """Key columns say what a row is and stand in every part of a table that is too wide."""
    best: frozenset[int] = frozenset()
    """Rows to emphasise."""

    def plain(self) -> list[str]:
        """Return the cells as they may be shown."""
        return [visible(str(cell)) for cell in self.cells]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A column of drawings that fills the free width."""

    draw: Callable[[int], Sequence[Text]]
    """Gives the heading and then every row for a width."""
    least: int = 14
    most: int = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One table as people read it."""

    title: str
    columns: Sequence[Column | Bar]
    further: Sequence[Column] = ()
    """Columns that get a table of their own where not all of them fit beside the others."""
    detail: str = ""
    """Addition to the title, set apart from it."""
    notes: Sequence[str] = ()
    """Sentences below the table."""
    paper: Sequence[LatexColumn] = ()
    """Columns of the table in LaTeX, where they are not those of the other formats."""

    @property
    def written(self) -> list[Column]:
        """Columns of text, without the drawings."""
        return [column for column in (*self.columns, *self.further) if isinstance(column, Column)]


@dataclass(frozen=True, slots=True)
class _Strip:
    """A column that is laid out: its heading in one or two lines, and its cells, all of one width."""

    width: int
    heading: list[Text]
    cells: list[Text]


@dataclass(frozen=True, slots=True)
class Scale:
    """What the two ends of a column of bars stand for; the better end is on the right."""

    left: float
    right: float

    @classmethod
    def of(cls, worst: np.ndarray, best: np.ndarray) -> Scale:
        """Take in every interval of a measure."""
        if np.sum(worst) <= np.sum(best):
            return cls(float(np.min(worst, initial=np.inf)), float(np.max(best, initial=-np.inf)))
        return cls(float(np.max(worst)), float(np.min(best)))

    def cell(self, value: float, width: int) -> int:
        """Cell from 0 of a value in a bar of this width."""
        if self.left == self.right:
            return 0
        share = (value - self.left) / (self.right - self.left)
        return round(min(1.0, max(0.0, share)) * (width - 1))


def interval_bar(*, worst: np.ndarray, mark: np.ndarray, best: np.ndarray, scale: Scale, decimals: int) -> Bar:
    """Draw a row of intervals on one scale; the heading says what its ends stand for."""

    def draw(width: int) -> Sequence[Text]:
        left, right = figures(np.array([scale.left, scale.right]), decimals)
        heading = Text(left + right.rjust(width - len(left)), style="dim")
        ends = zip(worst.tolist(), mark.tolist(), best.tolist(), strict=True)
        return [heading, *(_interval_line(*(scale.cell(value, width) for value in row), width=width) for row in ends)]

    return Bar(draw=draw)


def _interval_line(first: int, mark: int, last: int, *, width: int) -> Text:
    line = [" "] * width
    line[first : last + 1] = "─" * (last + 1 - first)
    line[first], line[last] = "├", "┤"
    line[mark] = "●"
    text = Text("".join(line), style="dim")
    text.stylize("not dim bold", mark, mark + 1)
    return text


def lines_of(block: Block, *, width: int) -> Iterator[Text]:
    """Lay a block out in a width; a table that is wider goes on in further tables below."""
    yield from _title(block, block.detail, width)
    if not any(len(column.cells) for column in block.written):
        return
    for part, strips in enumerate(_parts(block, width)):
        if part:
            yield Text("")
            yield from _title(block, "continued", width)
        n_heading = max(len(strip.heading) for strip in strips)
        for line in range(-n_heading, 0):
            yield _joined(
                [strip.heading[line] if -line <= len(strip.heading) else Text(" " * strip.width) for strip in strips]
            )
        for cells in zip(*(strip.cells for strip in strips), strict=True):
            yield _joined(cells)


def _title(block: Block, detail: str, width: int) -> Iterator[Text]:
    """Write the title and what belongs to it, below each other where one line does not hold both."""
    title, detail = visible(block.title), visible(detail)
    if detail and cell_len(title) + cell_len(detail) + 3 <= width:
        yield Text(title, style="bold").append(f" · {detail}", style="not bold dim")
        return
    yield Text(shorten(title, width), style="bold")
    if detail:
        yield Text(shorten(detail, width), style="dim")


def _joined(cells: Sequence[Text]) -> Text:
    line = Text(" " * _GAP).join(cells)
    line.rstrip()
    return line


def _parts(block: Block, width: int) -> Iterator[list[_Strip]]:
    """Fill one table after the other with as many columns as stand side by side."""
    keys = [_strip(column) for column in block.written if column.key]
    first = [_laid(column) for column in block.columns if not (isinstance(column, Column) and column.key)]
    further = [_strip(column) for column in block.further]
    in_one = sum(_least(column) + _GAP for column in (*keys, *first, *further)) - _GAP <= width
    if not in_one:
        keys = _narrow([column for column in block.written if column.key], width)
    room = width - sum(strip.width + _GAP for strip in keys) + _GAP
    for columns in ([*first, *further],) if in_one else (first, further):
        for part, left in _filled(columns, room):
            yield [*keys, *(_drawn_bar(column, left) if isinstance(column, Bar) else column for column in part)]


def _filled(columns: Sequence[_Strip | Bar], room: int) -> Iterator[tuple[list[_Strip | Bar], int]]:
    """Cut a row of columns where it is too wide; gives each piece with the room that it leaves."""
    part: list[_Strip | Bar] = []
    left = room
    for column in columns:
        if part and left < _least(column) + _GAP:
            yield part, left
            part, left = [], room
        part.append(column)
        left -= _least(column) + _GAP
    if part:
        yield part, left


def _least(column: _Strip | Bar) -> int:
    return column.least if isinstance(column, Bar) else column.width


def _laid(column: Column | Bar) -> _Strip | Bar:
    return column if isinstance(column, Bar) else _strip(column)


def _drawn_bar(bar: Bar, left: int) -> _Strip:
    """Draw a bar as wide as it may be with the room that is left."""
    width = min(bar.most, bar.least + max(0, left))
    heading, *cells = bar.draw(width)
    return _Strip(width, [heading], cells)


def _narrow(columns: Sequence[Column], width: int) -> list[_Strip]:
    """Lay key columns out so that figures have room beside them: long names lose their middle."""
    n_names = sum(not column.right for column in columns)
    share = _SHARE_OF_ONE if n_names == 1 else _SHARE_OF_SEVERAL
    longest = max(_NARROWEST_NAME, int(share * width) // max(1, n_names))
    return [_strip(column, longest=None if column.right else longest) for column in columns]


def _strip(column: Column, *, longest: int | None = None) -> _Strip:
    cells = column.plain()
    if longest is not None:
        cells = shorten_all(cells, longest)
    heading = _heading(visible(column.heading), max(map(cell_len, cells), default=0))
    width = max(map(cell_len, [*heading, *cells]))

    def padded(text: str, style: str) -> Text:
        cell, pad = Text(text, style=style), Text(" " * (width - cell_len(text)))
        if not column.right:
            return cell + pad
        cell.highlight_words(_ARROWS, _CHANGED)
        return pad + cell

    return _Strip(
        width,
        [padded(line, "dim") for line in heading],
        [padded(cell, "bold" if row in column.best else "") for row, cell in enumerate(cells)],
    )


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
    head, tail = _cut((width - 1) - (width - 1) // 2, text), _cut((width - 1) // 2, text[::-1])[::-1]
    return f"{head}…{tail}"


def shorten_all(texts: Sequence[str], width: int) -> list[str]:
    """Shorten texts to a width, or to the next one that leaves different texts different."""
    while True:
        short = [shorten(text, width) for text in texts]
        if len(set(short)) == len(set(texts)):
            return short
        width += 4


def _cut(width: int, text: str) -> str:
    """Longest beginning that is no wider."""
    kept = text[:width]  # no sign is narrower than one cell, but for marks that belong to the sign before
    while cell_len(kept) > width:
        kept = kept[:-1]
    return kept

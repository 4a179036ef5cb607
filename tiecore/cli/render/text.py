"""Tables as lines of text with the styles of a terminal: columns that do not fit side by side continue below."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple
from unicodedata import category, east_asian_width

import click

from tiecore.cli.render.tables import Column, Report, Table
from tiecore.escape import visible

_GAP = 2
_NARROW_HEADING, _WIDEST_HEADING = 10, 24
_NARROWEST_NAME = 8
_SHARE_OF_NAMES = 0.45  # of the width
_JOINT = re.compile(r"[^ :_./-]*[ :_./-]|[^ :_./-]+")


def lines_of(report: Report, *, width: int) -> Iterator[str]:
    """Lay all sheets out in a width, each followed by the meaning of its headings."""
    for sheet in report.sheets:
        for table in sheet.tables:
            shown = table.first(report.top)
            yield from _table(shown, width)
            for note in shown.notes:
                yield from _wrapped(visible(note), width=width, indent=2)
            yield ""
        indent = max(map(width_of, sheet.legend), default=0) + _GAP
        for heading, meaning in sheet.legend.items():
            entry = heading + " " * (indent - width_of(heading)) + meaning
            yield from _wrapped(entry, width=width, indent=indent if 3 * indent < width else 2)
        if sheet.legend and sheet is not report.sheets[-1]:
            yield ""
    for remark in report.remarks:
        yield from _wrapped(visible(remark), width=width)


def _wrapped(text: str, *, width: int, indent: int = 0) -> Iterator[str]:
    # textwrap counts characters, and some take two cells: a narrower wrap makes room for them
    excess = width_of(text) - len(text)
    for line in textwrap.wrap(text, max(width - excess, 20), subsequent_indent=" " * indent, break_long_words=False):
        yield click.style(line, dim=True)


class _Strip(NamedTuple):
    """A column that is laid out: heading and cells as lines of one width."""

    width: int
    lines: list[str]


def _table(table: Table, width: int) -> Iterator[str]:
    yield from _title(table.title, table.detail, width)
    if not table.n_rows:
        yield from () if table.notes else ["none"]
        return
    for part, strips in enumerate(_parts(table, width)):
        if part:
            yield ""
            yield from _title(table.title, "continued", width)
        height = max(len(strip.lines) for strip in strips)
        columns = ([" " * strip.width] * (height - len(strip.lines)) + strip.lines for strip in strips)
        for cells in zip(*columns, strict=True):
            yield (" " * _GAP).join(cells).rstrip()


def _title(title: str, detail: str, width: int) -> Iterator[str]:
    """Write the title and what belongs to it, below each other where one line does not hold both."""
    title, detail = visible(title), visible(detail)
    if detail and width_of(title) + width_of(detail) + 3 <= width:
        yield click.style(title, bold=True) + click.style(f" · {detail}", dim=True)
        return
    yield click.style(shorten(title, width), bold=True)
    if detail:
        yield click.style(shorten(detail, width), dim=True)


def _parts(table: Table, width: int) -> Iterator[list[_Strip]]:
    """Fill one part after the other with as many columns as stand side by side, each behind the key columns."""
    keys = [column for column in table.written if column.key]
    columns, laid = [_strip(column) for column in table.columns if column not in keys], [*map(_strip, keys)]
    if _total([*laid, *columns]) > width:  # figures need room, so long names lose their middle
        n_names = max(1, sum(not column.right for column in keys))
        beside = max((column.width for column in columns), default=0)
        longest = min(int(_SHARE_OF_NAMES * width), width - beside - n_names * _GAP) // n_names
        laid = [_strip(column, longest=max(_NARROWEST_NAME, longest)) for column in keys]
    room = width - sum(strip.width + _GAP for strip in laid)
    while columns:
        n_fit = next((n for n in range(len(columns), 1, -1) if _total(columns[:n]) <= room), 1)
        yield [*laid, *columns[:n_fit]]
        columns = columns[n_fit:]


def _total(columns: Sequence[_Strip]) -> int:
    return sum(column.width + _GAP for column in columns) - _GAP


def _strip(column: Column, *, longest: int | None = None) -> _Strip:
    cells = column.cells() if longest is None or column.right else shorten_all(column.cells(), longest)
    heading = _heading(visible(column.heading), max(map(width_of, cells), default=0))
    width = max(map(width_of, [*heading, *cells]))

    def padded(text: str, styled: str) -> str:
        pad = " " * (width - width_of(text))
        return pad + styled if column.right else styled + pad

    return _Strip(
        width, [padded(line, click.style(line, dim=True)) for line in heading] + list(map(padded, cells, cells))
    )


def _heading(heading: str, width: int) -> list[str]:
    """Break a long name behind its joints, as in ``feature:`` ``query_url_`` ``clicks``, to what stands below it."""
    width = max(width, _NARROW_HEADING)
    lines = [""]
    for piece in _JOINT.findall(heading):
        if lines[-1] and width_of(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [shorten(line.rstrip(), _WIDEST_HEADING) for line in lines]


def width_of(text: str) -> int:
    """Return how many cells of a terminal a text takes: two for a sign of East Asia, none for a mark on another.

    >>> width_of("hits"), width_of("件数"), width_of("e\N{COMBINING ACUTE ACCENT}")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(0 if category(sign) in ("Mn", "Me", "Cf") else 1 + (east_asian_width(sign) in "WF") for sign in text)


def shorten(text: str, width: int) -> str:
    """Leave out the middle of a text that is wider than so many cells.

    >>> shorten("query_url_clicks", 9)
    'quer…icks'
    """
    if width_of(text) <= width:
        return text
    n_tail = (width - 1) // 2
    return f"{_beginning(text, width - 1 - n_tail)}…{_beginning(text[::-1], n_tail)[::-1]}"


def shorten_all(texts: Sequence[str], width: int) -> list[str]:
    """Shorten texts to a width, or to the next one that leaves different texts different."""
    tried = ([shorten(text, at) for text in texts] for at in count(width, 4))
    return next(short for short in tried if len(set(short)) == len(set(texts)))


def _beginning(text: str, width: int) -> str:
    """Return the longest beginning that is no wider."""
    kept = text[:width]  # no sign is narrower than one cell, but for marks that belong to the sign before
    while width_of(kept) > width:
        kept = kept[:-1]
    return kept

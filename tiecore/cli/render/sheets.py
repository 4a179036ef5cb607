"""Reports: tables in full precision for programs, and the same in blocks for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tiecore.cli.render.numbers import deviations, figures
from tiecore.cli.render.table import Block, Column
from tiecore.escape import Table, in_latex
from tiecore.latex import LatexColumn

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Report",
    "Sheet",
    "Write",
    "columns_in_latex",
    "columns_of",
    "legend_of",
    "names",
    "rows_of",
    "shown_rows",
    "to_decimals",
    "to_deviations",
]

_PATTERNS = ((re.compile(r".+( place| shift)"), r"…\1"), (re.compile(r"tied .+"), "tied …"))

Write = Callable[[np.ndarray], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One table."""

    name: str
    """Name for `--part`, and key in JSON."""
    table: Callable[[], Table]
    """All columns, no index."""
    blocks: Callable[[], Iterable[Block]]
    legend: Mapping[str, str] = field(default_factory=dict)
    """What the headings of the blocks mean."""
    caption: str = ""
    """Sentence that a table in LaTeX adds to what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The tables of one command."""

    command: str
    sheets: tuple[Sheet, ...]
    remarks: tuple[str, ...] = ()
    """Sentences below the tables."""
    beside: Mapping[str, Callable[[], Table]] = field(default_factory=dict)
    """Further tables that only JSON holds."""


def names(values: np.ndarray) -> list[str]:
    """Return names as left-aligned cells; several in one cell are separated by commas."""
    return [", ".join(value) if isinstance(value, tuple) else str(value) for value in values]


def to_decimals(decimals: int) -> Write:
    """Write values with so many decimals."""
    return partial(figures, decimals=decimals)


def to_deviations(decimals: int) -> Write:
    """Write standard deviations with so many decimals."""
    return partial(deviations, decimals=decimals)


def columns_of(frame: pd.DataFrame, writes: Mapping[str, Write], *, keys: Sequence[str] = ()) -> list[Column]:
    """Take columns out of a frame.

    ``writes``: how to write each column that is to be shown, in the order of the table. ``keys``: those of them that
    say what a row is.
    """
    return [
        Column(
            heading="#" if name == "place" else name,
            cells=write(frame[name].to_numpy()),
            right=write is not names,
            key=name in keys,
        )
        for name, write in writes.items()
    ]


def rows_of(columns: Sequence[Column], escape: Callable[[str], str], strong: str) -> Iterator[list[str]]:
    """Yield the cells of each row, those that stand out set strong."""
    cells_of_columns = [[escape(cell.strip()) for cell in column.plain()] for column in columns]
    for row, cells in enumerate(zip(*cells_of_columns, strict=True)):
        yield [strong % cell if row in column.best else cell for cell, column in zip(cells, columns, strict=True)]


def columns_in_latex(columns: Sequence[Column]) -> list[LatexColumn]:
    """Return columns of text for a table in LaTeX."""
    rows = list(rows_of(columns, in_latex, r"\textbf{%s}"))
    return [
        LatexColumn(
            heading=in_latex(column.heading), cells=[row[place] for row in rows], spec="r" if column.right else "l"
        )
        for place, column in enumerate(columns)
    ]


def shown_rows(frame: pd.DataFrame, top: int) -> tuple[pd.DataFrame, list[str]]:
    """Return the first rows of a table and a note on the others; 0 keeps all."""
    left_out = len(frame) - top
    if top == 0 or left_out <= 0:
        return frame, []
    rows = "row" if left_out == 1 else "rows"
    return frame.head(top), [f"{left_out} more {rows}: --top 0 shows all; csv and json always hold all"]


def legend_of(blocks: Iterable[Block], explain: Callable[[str], str]) -> dict[str, str]:
    """Explain every heading that an explanation is known for; those of tie-breaks and precisions together."""
    headings = dict.fromkeys(column.heading for block in blocks for column in block.written if len(column.cells))
    legend = {}
    for heading in headings:
        if meaning := explain(heading):
            for pattern, together in _PATTERNS:
                heading = pattern.sub(together, heading)
            legend[heading] = meaning
    return legend

"""Tables of a report: every column in full for programs, and those that people read, with how they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tiecore.cli.render.numbers import BAR_WIDTH, Write, bars, decimals_for, deviations, figures, names, usual_write
from tiecore.escape import visible

if TYPE_CHECKING:
    import pandas as pd

    from tiecore.escape import Table as Data
    from tiecore.plot import Figure

LEGEND = "├──●──┤"
_TOGETHER = ((re.compile(r"(?s).+( place| shift)$"), r"…\1"), (re.compile(r"tied .+"), "tied …"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """Figures or names under a heading."""

    heading: str
    values: Sequence[object] | np.ndarray
    write: Write = names
    """How people read them: `names` begin together, all else ends together."""
    key: bool = False
    """Key columns say what a row is and stand in every part of a table that is too wide."""
    drawn: bool = False  # shown on a terminal alone

    @property
    def right(self) -> bool:
        """Whether the cells end together."""
        return self.write is not names

    def cells(self) -> list[str]:
        """Return the cells as they may be shown."""
        return [visible(cell) for cell in self.write(np.asarray(self.values))]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """Rows under headings."""

    data: Data  # every column in full, for CSV and JSON
    columns: Sequence[Column]
    about: Mapping[str, str] = field(default_factory=dict)
    """What is the same in all rows, such as the measure: first columns of the data, beginning of the title."""
    name: str = ""  # rest of the title
    detail: str = ""  # addition to the title, set apart from it
    notes: Sequence[str] = ()
    paper: Callable[[int, str], str] | None = None
    """What LaTeX has in the place of the columns: of so many rows, 0 for all, and of that label."""

    @property
    def title(self) -> str:
        """What stands above the table."""
        return " · ".join(filter(None, [*self.about.values(), self.name]))

    @property
    def written(self) -> list[Column]:
        """Columns of text, without the drawings."""
        return [column for column in self.columns if not column.drawn]

    @property
    def n_rows(self) -> int:
        """Rows that people read."""
        return max((len(column.values) for column in self.columns), default=0)

    def first(self, top: int) -> Table:
        """Return a table of the first rows, with a note on the others; 0 keeps all."""
        if top == 0 or (left_out := self.n_rows - top) <= 0:
            return self
        note = f"{left_out} more {'row' if left_out == 1 else 'rows'}: --top 0 shows all; csv and json always hold all"
        columns = [replace(column, values=column.values[:top]) for column in self.columns]
        return replace(self, columns=columns, notes=[note, *self.notes])

    def in_full(self) -> dict[str, np.ndarray]:
        """Return every column for programs."""
        data = {str(name): np.asarray(column) for name, column in self.data.items()}
        n_rows = len(next(iter(data.values())))
        return {name: np.full(n_rows, value, dtype=object) for name, value in self.about.items()} | data


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sheet:
    """Tables of one kind, such as one for each measure; in CSV and JSON they follow each other."""

    name: str
    """Name for `--part`, and key in JSON."""
    tables: Sequence[Table]
    legend: Mapping[str, str] = field(default_factory=dict)  # what the headings mean

    def in_full(self) -> dict[str, np.ndarray]:
        """Return every column of all tables, for programs."""
        parts = [table.in_full() for table in self.tables]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Report:
    """The sheets of one command."""

    sheets: Sequence[Sheet]
    command: str = ""
    top: int = 0  # rows of a table in text formats; 0 for all
    remarks: Sequence[str] = ()  # sentences below the tables
    beside: Mapping[str, Callable[[], Data]] = field(default_factory=dict)
    """Further tables that only JSON holds."""
    status: int = 0  # exit status of the command
    figures: Callable[[], Sequence[Figure]] = tuple
    """What is drawn where a picture is asked for."""


def drawn(intervals: np.ndarray, ends: tuple[float, float], decimals: int) -> Column:
    """Return a column of drawings, as :func:`bars` makes them, under the ends of the scale."""
    left, right = figures(np.array(ends), decimals)
    heading = left + right.rjust(BAR_WIDTH - len(left))
    return Column(heading=heading, values=intervals, write=partial(bars, ends=ends), drawn=True)


def table_of(
    frame: pd.DataFrame, shown: str | Sequence[str], *, keys: int = 1, decimals: int | None = None, **parts: Any
) -> Table:
    """Make a table of a frame; parameters as for :func:`columns_of`, and ``parts`` are further ones of a table."""
    return Table(data=frame, columns=columns_of(frame, shown, keys=keys, decimals=decimals), **parts)


def columns_of(data: Data, shown: str | Sequence[str], *, keys: int = 0, decimals: int | None = None) -> list[Column]:
    """Take columns out of a table, each written as its name and its type ask for.

    ``shown``: names, in the order of the columns; what the table lacks is left out. ``keys``: how many of them say what
    a row is. ``decimals``: of all values; by default as many as the largest of them needs.
    """
    wanted = shown.split(", ") if isinstance(shown, str) else shown
    values = {name: np.asarray(data[name]) for name in wanted if name in data}
    write_of = {name: usual_write(name, column.dtype.kind) for name, column in values.items()}
    scaled = [name for name, write in write_of.items() if write in (figures, deviations)]
    if decimals is None:
        together = np.concatenate([np.zeros(0), *(values[name] for name in scaled)])
        decimals = decimals_for(together[np.isfinite(together)])
    write_of |= {name: partial(write_of[name], decimals=decimals) for name in scaled}
    return [
        Column(heading="#" if name == "place" else name, values=values[name], write=write, key=at < keys)
        for at, (name, write) in enumerate(write_of.items())
    ]


def legend_of(tables: Iterable[Table], explain: Callable[[str], str | None]) -> dict[str, str]:
    """Explain every heading that an explanation is known for; those of tie-breaks and precisions together."""
    headings = dict.fromkeys(column.heading for table in tables for column in table.written if len(column.values))
    legend = {}
    for heading in headings:
        together = heading
        for pattern, form in _TOGETHER:
            together = pattern.sub(form, together)
        if meaning := explain(heading) or explain(together):
            legend[together] = meaning
    return legend

"""Values measured elsewhere, one by one: system, item, measure and value, out of whatever holds them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tiecore.errors import FormatError, TiecoreError, listed, shortened
from tiecore.formats.columns import QUERY_NAMES, plain
from tiecore.formats.numbers import NO_NUMBER, NUMBER, score_problem

__all__ = ["ITEM_NAMES", "Cells", "cells_of_frame", "cells_of_mapping", "number_of"]

# the preferred name comes first
ITEM_NAMES = (
    *QUERY_NAMES,
    *("item_id", "item", "task_name", "task_id", "task", "dataset", "instance_id", "instance", "question_id"),
    *("problem_id", "problem", "example_id", "example"),
)
SYSTEM_NAMES = ("system", "run", "run_id", "runid", "model_name", "model", "feature", "name", "tag")
MEASURE_NAMES = ("measure", "metric", "measure_name", "metric_name")
VALUE_NAMES = ("value", "score", "expected", "result")
_NUMBERED = ("", "index", "unnamed: 0")
"""Headings of the index that a frame writes along."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Values one by one; all (n_cells,)."""

    source: str
    system: Sequence[str]
    item: Sequence[str]
    measure: Sequence[str]
    """Empty where it has no name."""
    value: np.ndarray
    """NaN where the system lacks the item."""
    lines: np.ndarray | None = None
    """Line of the file, from 1; None where there are no lines."""

    def fault(self, cell: int, problem: str) -> FormatError:
        """Return an error that names the line of a cell."""
        return _fault(self.source, self.lines, cell, problem)


_LARGEST = 1e100
"""Squares of larger values, added up, are beyond floats."""
_TOO_LARGE = f"is infinite or beyond {_LARGEST:g} and has no mean with others"


def _fault(source: str, lines: np.ndarray | None, row: int, problem: str) -> FormatError:
    if lines is None:
        return FormatError(source, None, f"row {row}: {problem}")
    return FormatError(source, int(lines[row]), problem)


def number_of(text: str, *, what: str) -> float:
    """Return the number that a text is, NaN where it says that there is none; ValueError with the reason otherwise.

    >>> number_of("0.25", what="value"), number_of("n/a", what="value")
    (0.25, nan)
    """
    text = text.strip()
    if not text or text.casefold() in NO_NUMBER:
        return math.nan
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{score_problem(text, what=what)}; leave the cell empty where there is no value")
    if abs(value := float(text)) > _LARGEST:
        raise ValueError(f"the {what} {shortened(text)} {_TOO_LARGE}; leave the cell empty")
    return value


def cells_of_frame(frame: pd.DataFrame, *, source: str, lines: np.ndarray | None = None, system: str = "") -> Cells:
    """Read a table of items × systems, of systems × items, or one with a row for each value.

    Parameters
    ----------
    frame
        Its columns are recognised by their names, whatever their case. An index with names is columns too.
    source
        Name for messages.
    lines
        (n_rows,) line of each row in the file.
    system
        Name of the only system, where a table of single values does not name any.
    """
    columns = [str(name) for name in frame.columns]
    if repeated := [name for name in columns if columns.count(name) > 1]:
        raise FormatError(source, None, f"two columns are named {shortened(repeated[0])}; rename one")
    frame = frame.set_axis(columns, axis=1)
    if any(name is not None for name in frame.index.names) or not _is_numbered(frame.index):
        frame = frame.reset_index(names=[name or "item" for name in frame.index.names])
    item = _first(frame, ITEM_NAMES)
    value = _first(frame, VALUE_NAMES)
    named = _first(frame, SYSTEM_NAMES)
    if item is not None and value is not None and (named is not None or (system and len(frame.columns) <= 3)):
        measure = _first(frame, MEASURE_NAMES)
        return Cells(
            source=source,
            system=[system] * len(frame) if named is None else _texts(frame[named], source, lines),
            item=_texts(frame[item], source, lines),
            measure=[""] * len(frame) if measure is None else _texts(frame[measure], source, lines),
            value=_numbers(frame[value], source, lines),
            lines=lines,
        )
    return _of_matrix(frame, item or named, source=source, lines=lines)


def _of_matrix(frame: pd.DataFrame, names: str | None, *, source: str, lines: np.ndarray | None) -> Cells:
    """Read a table whose other columns hold numbers alone."""
    first = frame.columns[0] if len(frame.columns) else ""
    if names is None and (plain(first) in _NUMBERED or not _holds_numbers(frame[first])):
        names = first
    rows = list(map(str, range(1, len(frame) + 1))) if names is None else _texts(frame[names], source, lines)
    others = [name for name in frame.columns if name != names]
    if not others or not len(frame):
        found = f"no column of values among {listed(list(frame.columns))}" if len(frame) else "no rows below the header"
        raise FormatError(source, None, f"{found}; expected a row an item and a column a system")
    values = np.stack([_numbers(frame[name], source, lines) for name in others], axis=1)
    along, across = np.repeat(np.array(rows, dtype=object), len(others)).tolist(), others * len(frame)
    is_turned = names is not None and plain(names) in SYSTEM_NAMES
    return Cells(
        source=source,
        system=along if is_turned else across,
        item=across if is_turned else along,
        measure=[""] * values.size,
        value=values.ravel(),
        lines=None if lines is None else np.repeat(lines, len(others)),
    )


def cells_of_mapping(given: Mapping[str, Any]) -> list[Cells]:
    """Read the values of each system by its name: a mapping of items, or what ``ir_measures.iter_calc`` gives.

    The values of a mapping are numbers, or again mappings of measures, as pytrec_eval returns them.
    """
    return [_of_system(str(system), values) for system, values in given.items()]


def _of_system(system: str, values: Any) -> Cells:
    rows: list[tuple[str, str, Any]] = []
    if isinstance(values, pd.Series):
        values = values.to_dict()
    if isinstance(values, Mapping):
        for item, value in values.items():
            named = value.items() if isinstance(value, Mapping) else [("", value)]
            rows += [(str(item), str(measure), number) for measure, number in named]
    elif isinstance(values, Iterable) and not isinstance(values, str):
        for one in values:
            if not all(hasattr(one, name) for name in ("query_id", "measure", "value")):
                raise TiecoreError(_expected(system, one))
            rows.append((str(one.query_id), str(one.measure), one.value))
    else:
        raise TiecoreError(_expected(system, values))
    item, measure, found = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    value = _numbers(pd.Series(found, dtype=object), f"values of {shortened(system)}", None)
    return Cells(source=system, system=[system] * len(rows), item=item, measure=measure, value=value)


def _expected(system: str, found: object) -> str:
    return (
        f"the values of {shortened(system)} are {shortened(found)}: expected {{item: value}}, "
        "{item: {measure: value}}, or what ir_measures.iter_calc gives"
    )


def _first(frame: pd.DataFrame, preferred: Sequence[str]) -> str | None:
    by_spelling = {plain(name): name for name in reversed(list(frame.columns))}
    return next((by_spelling[name] for name in preferred if name in by_spelling), None)


def _is_numbered(index: pd.Index[Any]) -> bool:
    return bool(index.equals(pd.RangeIndex(len(index))))


def _holds_numbers(column: pd.Series[Any]) -> bool:
    if pd.api.types.is_numeric_dtype(column):
        return True
    try:
        return not np.isnan([number_of(str(cell), what="value") for cell in column]).all()
    except ValueError:
        return False


def _texts(column: pd.Series[Any], source: str, lines: np.ndarray | None) -> list[str]:
    """(n_rows,) names, none of which is missing."""
    missing = np.flatnonzero(column.isna() | (column.astype(str).str.strip() == ""))
    if len(missing):
        raise _fault(source, lines, int(missing[0]), f"{shortened(column.name)} is empty; every row needs one")
    return column.astype(str).str.strip().tolist()


def _numbers(column: pd.Series[Any], source: str, lines: np.ndarray | None) -> np.ndarray:
    """(n_rows,) floats, NaN where there is no value."""
    what = "value" if column.name is None else f"value of {shortened(column.name)}"
    if pd.api.types.is_numeric_dtype(column):
        numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if len(far := np.flatnonzero(np.abs(numbers) > _LARGEST)):
            raise _fault(source, lines, int(far[0]), f"the {what} {_TOO_LARGE}")
        return numbers
    numbers = np.full(len(column), np.nan)
    for row, (cell, is_missing) in enumerate(zip(column, column.isna(), strict=True)):
        if not is_missing:
            try:
                numbers[row] = number_of(str(cell), what=what)
            except ValueError as error:
                raise _fault(source, lines, row, str(error)) from None
    return numbers

"""Values measured elsewhere, in whatever table they come, as one of systems and items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from tiecore.errors import FormatError, TiecoreError, listed, shortened
from tiecore.formats.columns import DOCUMENT_NAMES, QUERY_NAMES, plain
from tiecore.formats.numbers import NO_NUMBER, score_problem

LONG = ["system", "item", "measure", "value"]
"""Columns of a table with a row a value; beside them ``unit`` (of the items), ``source``, ``row`` and ``is_line``."""
_TASKS = "item_id item task_name task_id task dataset instance_id instance question_id problem_id problem example"
_NAMES = {  # the preferred one comes first
    "system": ("system", "run", "run_id", "runid", "model_name", "model", "feature", "name", "tag"),
    "item": (*QUERY_NAMES, *_TASKS.split()),
    "measure": ("measure", "metric", "measure_name", "metric_name"),
    "value": ("value", "score", "expected", "result"),
}
_LARGEST = 1e100
"""Squares of larger values, added up, are beyond floats."""
_TOO_LARGE = f"is infinite or beyond {_LARGEST:g} and has no mean with others"
_EMPTY = "leave the cell empty where there is no value"
_OTHERWISE = ", a column of text out, and name the columns item, system and value where a row is one value"
_TRUTHS = {"True": "1", "true": "1", "TRUE": "1", "False": "0", "false": "0", "FALSE": "0"}
_NUMBERED = ("", "index", "unnamed: 0")
"""Headings of the index that a frame writes along."""


class BadCellError(FormatError):
    """A cell that holds no value, in a table whose other cells leave no doubt that it is one of values."""


def long_of_frame(
    frame: pd.DataFrame, *, source: str, lines: Sequence[int] | None = None, system: str = ""
) -> pd.DataFrame:
    """Read a table of items × systems, of systems × items, or one with a row for each value.

    ``lines``: those of the rows in the file. ``system``: name of the only one, where a table of single values has none.
    Columns are recognised by their names, whatever their case; an index with names is columns too.
    """
    if frame.columns.nlevels > 1:
        raise FormatError(source, None, "the columns have several levels; stack them into rows, or choose a part")
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    if repeated := frame.columns[frame.columns.duplicated()].tolist():
        raise FormatError(source, None, f"two columns are named {shortened(repeated[0])}; rename one")
    if any(frame.index.names) or not frame.index.equals(pd.RangeIndex(len(frame))):
        names_items = any(plain(name) in _NAMES["item"] for name in frame.columns)  # then it numbers rows
        frame = frame.reset_index(
            names=[name or "item" for name in frame.index.names], drop=names_items and not any(frame.index.names)
        )
    by_name = {plain(name): name for name in reversed(list(frame.columns))}
    found = {what: next((by_name[n] for n in known if n in by_name), None) for what, known in _NAMES.items()}
    items = plain(found["item"] or "item")
    where: dict[str, Any] = {"unit": "query" if items in QUERY_NAMES else items.partition("_")[0], "source": source}
    where |= {"row": range(len(frame)) if lines is None else lines, "is_line": lines is not None}
    has_one = system and len(frame.columns) <= 3
    if found["item"] and found["value"] and (found["system"] or has_one):
        defaults = {"system": system, "measure": ""}
        columns = {what: frame[name] if name else defaults[what] for what, name in found.items()}
        return checked(pd.DataFrame(columns | where, index=frame.index))
    names = found["item"] or found["system"]
    first = frame.columns[0] if len(frame.columns) else ""
    if names is None and (plain(first) in _NUMBERED or pd.to_numeric(frame[first], errors="coerce").isna().all()):
        names = first
    others = [name for name in frame.columns if name != names]
    if not others or not len(frame):
        problem = "no rows below the header" if others else f"no column of values among {listed(list(frame.columns))}"
        raise FormatError(source, None, f"{problem}; expected a row an item and a column a system")
    along, across = ("system", "item") if names and plain(names) in _NAMES["system"] else ("item", "system")
    rows = frame[names] if names else range(1, len(frame) + 1)
    where |= {what: np.tile(np.asarray(cells), len(others)) for what, cells in ((along, rows), ("row", where["row"]))}
    where |= {across: np.repeat(others, len(frame)), "value": frame[others].to_numpy().ravel(order="F"), "measure": ""}
    return checked(pd.DataFrame(where), named_by=across)


def checked(table: pd.DataFrame, *, named_by: str = "") -> pd.DataFrame:
    """Return the table with names as text and values as numbers, NaN where there is none; refuse what is neither.

    ``named_by``: column with the names that the columns of the values had.
    """
    for what in LONG[:3]:
        texts = table[what].astype("str").str.strip()
        if what != "measure" and len(bad := np.flatnonzero(table[what].isna() | (texts == ""))):
            refuse(table, int(bad[0]), f"the {what} is empty; every row needs one")
        table[what] = texts
    given = table["value"]
    texts = given.astype("str").str.strip()
    numbers = pd.to_numeric(texts.replace(_TRUTHS), errors="coerce").astype("float64")
    is_missing = given.isna() | texts.str.casefold().isin(["", *NO_NUMBER])
    if len(bad := np.flatnonzero((numbers.isna() & ~is_missing) | (numbers.abs() > _LARGEST))):
        at = int(bad[0])
        where = f"in column {shortened(table[named_by].iloc[at])} " if named_by else ""
        is_text = np.isnan(numbers.iloc[at])
        problem = score_problem(texts.iloc[at], what="value") if is_text else f"the value {_TOO_LARGE}"
        remedy, kind = f"{_EMPTY}{_OTHERWISE if named_by and is_text else ''}", FormatError
        if named_by and not any(plain(name) in DOCUMENT_NAMES for name in table[named_by].unique()):
            of_column = numbers[table[named_by] == table[named_by].iloc[at]]
            kind = BadCellError if of_column.notna().mean() > 0.5 else kind  # else this is a column of text
        refuse(table, at, f"{where}{problem}; {remedy}", kind)
    return table.assign(value=numbers)


def refuse(table: pd.DataFrame, at: int, problem: str, kind: type[FormatError] = FormatError) -> NoReturn:
    """Raise what is wrong with a row, with its line."""
    row = table.iloc[at]
    if row["is_line"]:
        raise kind(row["source"], int(row["row"]), problem)
    raise kind(row["source"], None, f"row {row['row']}: {problem}")


def long_of_mapping(given: Mapping[str, Any]) -> pd.DataFrame:
    """Read the values of each system by its name: ``{item: value}``, ``{item: {measure: value}}``, or named tuples.

    Such are what pytrec_eval returns, and what ``ir_measures.iter_calc`` gives.
    """
    rows: list[tuple[object, ...]] = []
    for system, values in given.items():
        if isinstance(values, Mapping | pd.Series):
            for item, value in values.items():
                named = value.items() if isinstance(value, Mapping) else [("", value)]
                rows += [(system, item, measure, number) for measure, number in named]
            continue
        for one in values if isinstance(values, Iterable) and not isinstance(values, str) else [values]:
            if not all(hasattr(one, name) for name in ("query_id", "measure", "value")):
                expected = "expected {item: value}, {item: {measure: value}}, or what ir_measures.iter_calc gives"
                raise TiecoreError(f"the values of {shortened(system)} are {shortened(one)}: {expected}")
            rows.append((system, one.query_id, one.measure, one.value))
    table = pd.DataFrame(rows, columns=LONG, dtype=object)
    unit = "query" if table["measure"].any() else "item"
    return checked(table.assign(source="values", unit=unit, row=range(len(rows)), is_line=False))


def matrix_of_long(table: pd.DataFrame) -> pd.DataFrame:
    """Return systems × items of the values of one measure, NaN where a system lacks an item; both in their order."""
    if len(twice := np.flatnonzero(table.duplicated(["system", "item"]))):
        system, item = (shortened(table[name].iloc[twice[0]]) for name in ("system", "item"))
        refuse(table, int(twice[0]), f"{system} has a second value for {item}; keep one of the two")
    systems, items = (table[name].unique() for name in ("system", "item"))
    matrix = table.set_index(["system", "item"])["value"].unstack("item").loc[systems, items].dropna(axis=1, how="all")
    matrix = matrix.rename_axis(columns=table["unit"].iloc[0])
    if empty := [system for system, lacks in matrix.isna().all(axis=1).items() if lacks]:
        raise TiecoreError(f"{shortened(empty[0])} has no value at all; leave it out")
    for n, few in (
        (len(systems), f"holds one system, {listed(systems)}; add the values of another"),
        (matrix.shape[1], "holds the values of one item; add others, for it takes six to tell systems apart"),
    ):
        if n < 2:
            raise FormatError(str(table["source"].iloc[0]), None, few)
    return matrix

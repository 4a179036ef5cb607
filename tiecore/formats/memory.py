"""Tables in memory (frames of pandas or Polars, tables of Arrow, lists of named tuples) as records."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from numbers import Real
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError, TiecoreError, listed, shortened
from tiecore.formats import numbers
from tiecore.formats.columns import find_columns
from tiecore.formats.limits import limits_in_force
from tiecore.formats.records import ROWS_FROM_0, Kind, Lines, Records, faults_on
from tiecore.formats.source import Content, stem_of
from tiecore.formats.tables import holds_numbers, records_of_table
from tiecore.frames import is_frame, is_null
from tiecore.ties.keys import is_scored


class ArrowTable(Protocol):
    """What hands over its columns by Arrow's protocol, such as frames of Polars and tables of Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule with the columns."""


def is_table(table: object) -> bool:
    """Return whether something is a frame, a table of Arrow's protocol or a list of named tuples."""
    if is_frame(table) or _is_series(table) or hasattr(table, "__arrow_c_stream__"):
        return True
    return isinstance(table, Sequence) and len(table) > 0 and hasattr(table[0], "_fields")


def from_table(table: Any, *, source: str, kind: Kind = "memory", lines: Lines = ROWS_FROM_0) -> Records:
    """Return records of what :func:`is_table`; the fields of named tuples are its columns.

    ``Qrel`` and ``ScoredDoc`` of ir_measures are such tuples. A missing number (null, or NaN) says that the feature
    does not score the document; where there is only one feature, the row should not be there at all, so it is refused.

    >>> from collections import namedtuple
    >>> ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
    >>> from_table([ScoredDoc("q", "a", 2.5)], source="run").document.to_pylist()
    ['a']
    """
    columns = _columns(table)
    names = [name for name, _ in columns]
    try:
        found = find_columns(names, source=source)
    except FormatError as error:
        indexed = [str(name) for name in table.index.names if name is not None] if is_frame(table) else []
        if not indexed:
            raise
        problem = f"{error.problem}; the index holds {listed(indexed)}: reset_index() makes columns of it"
        raise FormatError(source, None, problem) from None
    column_of = dict(columns)
    with faults_on(lines, file=source):
        taken = {name: _numbers(column_of[name], name=name) for name in found.others}
        scores = {name: column for name, column in taken.items() if column is not None}
        if len(scores) == 1 and found.label is None and kind == "memory":
            missing = np.flatnonzero(~is_scored(*scores.values()))
            if len(missing):
                problem = "the score is NaN; leave the row out if the feature does not score it"
                raise numbers.RowFault(int(missing[0]), problem)
    return records_of_table(
        found,
        list(scores),
        read=lambda name: _arrow(column_of[name], name=name, is_id=name in (found.query, found.document)),
        scores=scores.__getitem__,
        content=Content(name=source, stem=stem_of(source), limits=limits_in_force()),
        kind=kind,
        lines=lines,
    )


def _columns(table: Any) -> list[tuple[str, Any]]:
    """Return the name of each column, and its Series or array of Arrow."""
    if isinstance(table, Sequence):
        import pandas as pd  # only when asked for

        table = pd.DataFrame(table, columns=list(table[0]._fields))
    if is_frame(table):
        return [(str(name), table.iloc[:, place]) for place, name in enumerate(table.columns)]
    if not _is_series(table):
        with suppress(pa.ArrowInvalid):  # a column of another library
            table = pa.table(table)
            return list(zip(table.column_names, table.columns, strict=True))
    found = f"expected a table with columns of ids, found {type(table).__name__}"
    raise TiecoreError(f"{found}: in pandas, reset_index() makes columns of an index")


def _is_series(table: object) -> bool:
    """Return whether something is a Series of pandas, which before pandas 3 does not speak Arrow's protocol."""
    return isinstance(table, getattr(sys.modules.get("pandas"), "Series", ()))


def _numbers(column: Any, *, name: str) -> np.ndarray | None:
    """(n_rows,) scores in the type of the column, as far as nothing is missing; None where it holds no numbers."""
    what = f"value of column {shortened(name)}"
    if isinstance(column, pa.ChunkedArray) or not isinstance(column.dtype, np.dtype):
        column = _arrow(column, name=name, is_id=False)
        return numbers.from_arrow(column, what=what) if holds_numbers(column.type) else None
    kind = column.dtype.kind
    if kind == "O":
        kinds = {type(value) for value in column if not is_null(value)}
        is_numeric = kinds and all(issubclass(kind, Real | Decimal | np.bool_) for kind in kinds)
        return numbers.from_values(column.to_list(), what=what) if is_numeric else None
    if kind == "c":
        raise numbers.RowFault(None, f"{shortened(name)} holds complex numbers; scores must be real")
    return column.to_numpy() if kind in "biuf" else None


def _arrow(column: Any, *, name: str, is_id: bool) -> pa.ChunkedArray:
    """Return a column as an array of Arrow; what no type holds as text, except ids."""
    if isinstance(column, pa.ChunkedArray):
        return column
    try:
        array = pa.array(column, from_pandas=True)
    except (pa.ArrowException, UnicodeEncodeError, OverflowError):
        if is_id:
            raise numbers.RowFault(None, f"{shortened(name)} must hold ids as text or whole numbers") from None
        array = pa.array(column.astype(str))
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])

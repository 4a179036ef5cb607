"""Tables that are no pandas frames (Polars, Arrow, DuckDB, lists of named tuples) as such frames."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from tiecore.errors import TiecoreError
from tiecore.frames import is_frame

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ArrowTable", "as_frame", "is_table"]


class ArrowTable(Protocol):
    """What hands over its columns by Arrow's protocol, such as frames of Polars and tables of Arrow."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Return a capsule with the columns."""


def is_table(table: object) -> bool:
    """Return whether something is a frame, a table of Arrow's protocol or a list of named tuples."""
    if is_frame(table) or _is_column(table) or hasattr(table, "__arrow_c_stream__"):
        return True
    return isinstance(table, Sequence) and len(table) > 0 and hasattr(table[0], "_fields")


def as_frame(table: Any) -> pd.DataFrame:
    """Return what :func:`is_table` as a frame; the fields of named tuples are its columns.

    ``Qrel`` and ``ScoredDoc`` of ir_measures are such tuples.

    >>> from collections import namedtuple
    >>> ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
    >>> as_frame([ScoredDoc("q", "a", 2.5)])
      query_id doc_id  score
    0        q      a    2.5
    """
    if is_frame(table):
        return table
    if not _is_column(table):
        if not hasattr(table, "__arrow_c_stream__"):
            import pandas as pd  # only when asked for

            return pd.DataFrame(table, columns=list(table[0]._fields))
        try:
            return pa.table(table).to_pandas()
        except pa.ArrowInvalid:  # a column of another library
            pass
    raise TiecoreError(
        f"expected a table with columns of ids, found {type(table).__name__}: "
        "in pandas, reset_index() makes columns of an index"
    )


def _is_column(table: object) -> bool:
    """Return whether something is a Series of pandas, which before pandas 3 does not speak Arrow's protocol."""
    return isinstance(table, getattr(sys.modules.get("pandas"), "Series", ()))

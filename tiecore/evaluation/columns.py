"""Names of the columns that tables derive from a tie-break."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["column_of", "derived_column"]


def derived_column(tie_break: str, what: str, tie_breaks: Iterable[str]) -> str:
    """Return the name of a column such as ``trec_eval shift``.

    A feature may be called ``x shift``, so that ``feature:x shift`` is a tie-break of its own beside ``feature:x``. Its
    values keep that name; the derived column then ends with as many asterisks as it takes to be told from all of them.

    ``what``: what is derived from it: ``place`` or ``shift``.

    Examples
    --------
    >>> derived_column("trec_eval", "shift", ["trec_eval", "input"])
    'trec_eval shift'
    >>> derived_column("feature:x", "shift", ["feature:x", "feature:x shift"])
    'feature:x shift*'
    """
    taken = set(tie_breaks)
    name = f"{tie_break} {what}"
    while name in taken:
        name += "*"
    return name


def column_of(table: pd.DataFrame, tie_break: str, what: str) -> str:
    """Return the name of a derived column in a table that has it: a leaderboard, or one of the diagnostics.

    What is derived from a tie-break follows its values, so the first column of the name behind them is the one.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(columns=["feature:x", "feature:x shift*", "feature:x shift", "feature:x shift shift"])
    >>> column_of(table, "feature:x", "shift")
    'feature:x shift*'
    """
    plain = f"{tie_break} {what}"
    columns = list(table.columns)
    behind = columns[columns.index(tie_break) + 1 :] if tie_break in columns else []
    return next((column for column in behind if column.rstrip("*") == plain), plain)

"""A table that names the slice of each query."""

from __future__ import annotations

import io
from collections.abc import Container
from dataclasses import dataclass

import pandas as pd

from tiecore import FormatError

__all__ = ["MOST_NAMES", "QueryNames", "read_names"]

MOST_NAMES = 12
"""Slices that a table has columns for."""


@dataclass(frozen=True, slots=True)
class QueryNames:
    """Names of slices, query by query, as a file gives them."""

    file: str
    names: tuple[tuple[str, str], ...]
    """Query id and name of its slice."""
    is_plain: bool
    """Whether it is CSV with a line of titles, as the command takes it."""


def read_names(data: bytes, *, file: str, queries: Container[str]) -> QueryNames:
    """Read query id and name from a table with two columns, separated by commas or tabs.

    ``queries``: ids of the judged queries: a first line that begins with one of them is no line of titles.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError(file, None, "is no text: give a CSV file of query_id and name") from None
    first = text.lstrip("\n").partition("\n")[0]
    separator = "\t" if "\t" in first else ","
    try:
        table = pd.read_csv(io.StringIO(text), sep=separator, header=None, dtype=str, keep_default_na=False)
    except ValueError as error:
        raise FormatError(file, None, f"cannot be read as a table: {str(error).splitlines()[0][:120]}") from None
    if table.shape[1] != 2:
        raise FormatError(file, None, f"expected two columns, query_id and name, found {table.shape[1]}")
    has_titles = table[0].iloc[0] not in queries
    rows = table.iloc[1:] if has_titles else table
    known = rows[rows[0].isin([query for query in rows[0] if query in queries]) & (rows[1] != "")]
    if known.empty:
        raise FormatError(file, None, "no query of the judgments has a name in it: check the ids in the first column")
    if (n_names := known[1].nunique()) > MOST_NAMES:
        raise FormatError(file, None, f"it names {n_names:,} slices: give {MOST_NAMES} at most, coarser ones")
    twice = known[0].duplicated()
    if twice.any():
        line = int(known.index[twice][0]) + 1
        raise FormatError(file, line, f"query {known[0][twice].iloc[0][:40]} has a name already: keep one")
    names = tuple(zip(known[0], known[1], strict=True))
    return QueryNames(file, names, is_plain=has_titles and separator == ",")

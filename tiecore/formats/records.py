"""The result of every reader: one row per (query, document), as columns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError, shortened
from tiecore.formats.arrays import arrow_texts, byte_lengths
from tiecore.formats.limits import Limits
from tiecore.formats.numbers import RowFault

Role = Literal["qrels", "run"]
"""What a file is needed for."""
Kind = Literal["qrels", "run", "table", "letor", "json", "memory"]
Lines = np.ndarray | range
"""Lines on which rows stand, from 1; a range that has no end is of rows that stand on none."""
ROWS, ROWS_FROM_0 = range(1, sys.maxsize), range(sys.maxsize)


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """The columns of one file (or frame, or dict), in the order of its rows."""

    source: str
    """Name for messages: the file as the user wrote it."""
    kind: Kind
    query: pa.DictionaryArray
    """Query id of each row (int32 codes into strings), kept to the letter."""
    document: pa.Array
    """Document id of each row (string or large_string, one chunk, no nulls)."""
    grades: np.ndarray | None = None
    """(n_rows,) int64 relevance grades, where the file has them."""
    features: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Name to (n_rows,) numeric scores; NaN where the feature does not score the document.

    Integers beyond 2^53 of which some are missing are a masked array: floats would make different scores equal.
    """
    rank: np.ndarray | None = None
    """(n_rows,) int64 rank column of a run."""
    lines: Lines = ROWS
    """(n_rows,) line of each row."""
    stem: str = ""
    """Name of the file without folder and ending: names a feature where its own name is taken."""
    header_line: int | None = None
    """Line that names the features, where there is one."""
    ignored: tuple[str, ...] = ()
    """Columns that are neither ids nor numbers, and so were left out."""
    head: bytes = field(default=b"", repr=False)
    """First lines of a TREC file as they were written, to see where its columns are in another order."""

    def line(self, row: int) -> int:
        """Line of the file on which a row stands."""
        return int(self.lines[row])


@dataclass(frozen=True, slots=True)
class LazyColumns(Mapping[str, np.ndarray]):
    """Features by name, each read again on every access, so that only those in use are in memory."""

    _read: Callable[[Any], np.ndarray]
    _place_of: Mapping[str, Any]

    def __getitem__(self, name: str) -> np.ndarray:
        return self._read(self._place_of[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._place_of)

    def __len__(self) -> int:
        return len(self._place_of)


@contextmanager
def faults_on(lines: Lines, *, file: str) -> Iterator[None]:
    """Name the line of a row at fault, or where a file has no lines the row."""
    try:
        yield
    except RowFault as fault:
        if fault.row is None:
            raise FormatError(file, None, fault.problem) from None
        line = int(lines[fault.row])
        if isinstance(lines, range):
            raise FormatError(file, None, f"row {line}: {fault.problem}") from None
        raise FormatError(file, line, fault.problem) from None


def as_feature(records: Records) -> Records:
    """Return records whose grades are a feature, named by their file, where they hold grades and nothing else.

    Language models that judge documents write such files; they are features where these are expected. Other records
    are returned unchanged.
    """
    if records.grades is None or records.features:
        return records
    return replace(records, features={records.stem: records.grades})


def refuse_long_names(records: Records, limits: Limits) -> None:
    """Raise if an id, or the name of a feature, is longer than the limit of names."""
    features = arrow_texts([name.encode(errors="replace").decode() for name in records.features])
    texts = {"query id": records.query.dictionary, "document id": records.document, "name of a feature": features}
    for what, ids in texts.items():
        n_bytes = byte_lengths(ids)
        if int(n_bytes.max(initial=0)) > limits.name:
            row = int(n_bytes.argmax())
            found = f"the {what} {shortened(ids[row].as_py(), 30)} has {n_bytes[row]:,} bytes"
            line = records.header_line if ids is features else None
            line = records.line(row) if ids is records.document else line
            limits.check("name", n_bytes[row], found=found, file=records.source, line=line)

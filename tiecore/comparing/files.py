"""Files of values: CSV, TSV and Parquet tables, and what `trec_eval -q` and `ir_measures -q` print."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import numpy as np
import pandas as pd

from tiecore.comparing.cells import Cells, cells_of_frame, number_of
from tiecore.errors import FormatError, TiecoreError, listed
from tiecore.formats.limits import limits_in_force
from tiecore.formats.numbers import NUMBER
from tiecore.formats.sniff import cells_of_header
from tiecore.formats.source import PARQUET_MAGIC, Content, Source, open_source
from tiecore.formats.text import first_line, refuse_bad_utf8
from tiecore.measures import measure

__all__ = ["read_cells"]

_ALL, _RUN = "all", "runid"
"""What trec_eval writes in the place of a query in the rows of all queries, and before the tag of the run."""


def read_cells(source: Source, *, system: str | None = None) -> Cells:
    """Read a file of values; one that names no system holds those of the one that it is named after."""
    content = open_source(source, name=system, limits=limits_in_force())
    own = system or content.stem or content.name
    if content.data.startswith(PARQUET_MAGIC):
        return cells_of_frame(_parquet(content), source=content.name, system=own)
    refuse_bad_utf8(content.data, file=content.name)
    _, number, line = first_line(content.data)
    if not line:
        raise FormatError(content.name, None, "holds nothing but blanks; expected a table of values")
    fields = line.decode().split()
    if len(fields) == 3 and NUMBER.fullmatch(fields[2]) and not NUMBER.fullmatch(fields[1] + fields[0]):
        return _printed(content, fields, system=system)
    delimiter, _ = cells_of_header(line.decode())
    rows, lines = _rows(content, delimiter)
    header = [cell.strip() for cell in rows[0]]
    if any(NUMBER.fullmatch(cell) for cell in header):
        problem = "the first line holds data; expected the names of the columns, such as item,bm25,dense"
        raise FormatError(content.name, number, problem)
    for row, at in zip(rows, lines, strict=True):
        if len(row) != len(header):
            problem = f"expected {len(header)} cells ({listed(header)}), found {len(row)}"
            raise FormatError(content.name, at, problem)
    table = pd.DataFrame(rows[1:], columns=header, dtype=object)
    return cells_of_frame(table, source=content.name, lines=np.array(lines[1:], dtype=np.int64), system=own)


def _rows(content: Content, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """Return the rows that are not empty, and the line that each ends on."""
    reader = csv.reader(io.StringIO(content.data.decode(), newline=""), delimiter=delimiter)
    rows, lines = [], []
    try:
        for row in reader:
            if any(map(str.strip, row)):
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise FormatError(content.name, reader.line_num, f"cannot be parsed as a table: {error}") from None
    return rows, lines


def _printed(content: Content, first: Sequence[str], *, system: str | None) -> Cells:
    """Read lines of measure, query and value, as trec_eval prints them, or of query, measure and value."""
    is_swapped = _is_measure(first[1]) and not _is_measure(first[0])
    rows, lines, run = [], [], ""
    for line, text in enumerate(content.data.decode().splitlines(), start=1):
        fields = text.split()
        if not fields:
            continue
        if len(fields) != 3:
            problem = f"expected 3 fields (measure query value, as trec_eval -q prints), found {len(fields)}"
            raise FormatError(content.name, line, problem)
        name, query = (fields[1], fields[0]) if is_swapped else (fields[0], fields[1])
        if name == _RUN:
            run = fields[2]
        elif query != _ALL:
            try:
                rows.append((query, name, number_of(fields[2], what="value")))
            except ValueError as error:
                raise FormatError(content.name, line, str(error)) from None
            lines.append(line)
    if not rows:
        problem = "holds values of all queries together; print those of each query: trec_eval -q, ir_measures -q"
        raise FormatError(content.name, None, problem)
    queries, names, values = zip(*rows, strict=True)
    return Cells(
        source=content.name,
        system=[system or run or content.stem] * len(rows),
        item=queries,
        measure=names,
        value=np.array(values),
        lines=np.array(lines),
    )


def _is_measure(name: str) -> bool:
    try:
        measure(name)
    except TiecoreError:
        return False
    return True


def _parquet(content: Content) -> pd.DataFrame:
    import pyarrow as pa  # only for such a file
    from pyarrow import parquet

    from tiecore.formats.tables import parquet_faults

    source = content.path if content.on_disk else pa.BufferReader(content.data)
    with parquet_faults(content.name), parquet.ParquetFile(source) as file:
        n_rows, n_columns = file.metadata.num_rows, file.metadata.num_columns
        found = f"has {n_rows:,} rows and {n_columns:,} columns"
        content.limits.check("cells", n_rows * n_columns, found=found, file=content.name)
        table = file.read()
        table.validate(full=True)  # texts of a damaged file may be no UTF-8
        frame: pd.DataFrame = table.to_pandas()
        return frame

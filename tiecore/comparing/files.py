"""Values in any form: tables in memory, CSV, TSV and Parquet files, what `trec_eval -q` and `ir_measures -q` print."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from os import PathLike
from typing import Any, TypeAlias, cast

import pandas as pd

from tiecore.comparing.tables import BadCellError, checked, long_of_frame, long_of_mapping, matrix_of_long
from tiecore.errors import FormatError, TiecoreError, listed, shortened
from tiecore.formats.limits import limits_in_force
from tiecore.formats.numbers import NUMBER
from tiecore.formats.sniff import cells_of_header
from tiecore.formats.source import PARQUET_MAGIC, Content, Source, open_source, stem_of
from tiecore.formats.text import first_line, refuse_bad_utf8
from tiecore.measures import Measure, measure

ValuesInput: TypeAlias = "Source | Sequence[Source] | pd.DataFrame | Mapping[str, Any]"


def matrix_of(values: ValuesInput, wanted: str | Measure | None = None) -> tuple[str, pd.DataFrame]:
    """Return the name of a measure, as the values have it, and its values: systems × items.

    ``wanted`` may be left out where the values are of one measure.
    """
    table = _long(values)
    named = chosen = table["measure"].unique().tolist()
    if wanted is not None and named not in ([], [""]):
        known = measure_known_as(str(wanted))
        same = [name for name in named if known is not None and measure_known_as(name) == known]
        chosen = [str(wanted)] if str(wanted) in named else same
        if not chosen:
            raise TiecoreError(f"there are no values of {shortened(str(wanted))}; there are {listed(named)}")
    if len(chosen) != 1:
        several = f"there are values of several measures; choose one of {listed(chosen)}"
        raise TiecoreError(several if chosen else "there are no values")
    return chosen[0], matrix_of_long(table[table["measure"] == chosen[0]])


def values_in(source: Source) -> pd.DataFrame | None:
    """Return the values of a file, one a row, if they are of several systems, or of a measure that it names.

    Raises ``BadCellError`` where one cell keeps it from being such a table.
    """
    try:
        table = _read(source)
    except BadCellError:
        raise
    except TiecoreError:
        return None
    is_twice = table.duplicated(["system", "item", "measure"]).any()
    says_whose = table["system"].nunique() > 1 or (table["measure"] != "").all()
    return table if says_whose and not is_twice and table["item"].nunique() > 1 else None


def joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put the values of several files together; systems of one name, such as a tag, are named by their files."""
    table = pd.concat(tables, ignore_index=True)
    is_twice = table.duplicated(["system", "item", "measure"], keep=False)
    is_alone = table.groupby("source")["system"].transform("nunique") == 1
    is_clash = is_alone & table["system"].isin(table.loc[is_twice, "system"])
    table.loc[is_clash, "system"] = table.loc[is_clash, "source"].map(stem_of)
    return table


def _long(values: Any) -> pd.DataFrame:
    if isinstance(values, pd.DataFrame):
        return long_of_frame(values, source="values")
    if isinstance(values, Mapping):
        return long_of_mapping(values)
    if hasattr(values, "__arrow_c_stream__"):
        import pyarrow as pa  # only for frames of Polars and tables of Arrow

        return long_of_frame(pa.table(values).to_pandas(), source="values")
    if isinstance(values, str | PathLike | bytes) or hasattr(values, "read"):
        return _read(cast("Source", values))
    if isinstance(values, list | tuple) and values:
        return joined([_read(file) for file in values])
    raise TiecoreError(f"expected a table of values, files or {{system: values}}, found {shortened(values)}")


def _read(source: Source) -> pd.DataFrame:
    """Read a file; one that names no system holds the values of the one that it is named after."""
    content = open_source(source, limits=limits_in_force())
    if content.data.startswith(PARQUET_MAGIC):
        return long_of_frame(_parquet(content), source=content.name, system=content.stem)
    refuse_bad_utf8(content.data, file=content.name)
    *_, line = first_line(content.data)
    if not line or line.lstrip()[:1] in b"[{":
        found = "is JSON" if line else "holds nothing but blanks"
        raise FormatError(content.name, None, f"{found}; expected a table of values (CSV, TSV, Parquet)")
    fields = line.decode().split()
    if len(fields) == 3 and NUMBER.fullmatch(fields[2]) and not NUMBER.fullmatch(fields[1] + fields[0]):
        is_swapped = measure_known_as(fields[1]) is not None and measure_known_as(fields[0]) is None
        return _printed(content, ["item", "measure", "value"] if is_swapped else ["measure", "item", "value"])
    frame = _frame(content, cells_of_header(line.decode())[0])
    return long_of_frame(frame.reset_index(drop=True), source=content.name, lines=[*frame.index], system=content.stem)


def _frame(content: Content, delimiter: str | None, names: Sequence[str] = ()) -> pd.DataFrame:
    """Return the rows that are not empty by their lines; ``names`` of the columns where no header has them."""
    text = io.StringIO(content.data.decode(), newline="")
    if delimiter is None:
        rows = [(line, fields) for line, row in enumerate(text, start=1) if (fields := row.split())]
    else:
        reader = csv.reader(text, delimiter=delimiter)
        try:
            rows = [(reader.line_num, row) for row in reader if any(map(str.strip, row))]
        except csv.Error as error:
            problem = f"cannot be parsed as a table: {error}"
            raise FormatError(content.name, reader.line_num, problem) from None
    if not names:
        (line, header), *rows = rows
        names = [cell.strip() for cell in header]
        if any(map(NUMBER.fullmatch, names)):
            problem = "the first line holds data; expected the names of the columns, such as item,bm25,dense"
            raise FormatError(content.name, line, problem)
    for line, row in rows:
        if len(row) != len(names):
            raise FormatError(content.name, line, f"expected {len(names)} cells ({listed(names)}), found {len(row)}")
    return pd.DataFrame([row for _, row in rows], [line for line, _ in rows], list(names), dtype=object)


def _printed(content: Content, names: Sequence[str]) -> pd.DataFrame:
    """Read lines of measure, query and value, as trec_eval prints them, or of query, measure and value."""
    table = _frame(content, None, names).reset_index(names="row")
    table = table.assign(source=content.name, unit="query", is_line=True)
    tags = table.loc[table["measure"] == "runid", "value"].tolist()
    is_text = table["measure"].str.startswith(("runid", "relstring"))  # trec_eval has no others
    table = table[(table["item"] != "all") & ~is_text].assign(system=(tags or [content.stem])[0])
    if table.empty:
        problem = "holds values of all queries together; print those of each query: trec_eval -q, ir_measures -q"
        raise FormatError(content.name, None, problem)
    return checked(table.reset_index(drop=True))


def measure_known_as(name: str) -> Measure | None:
    """Return the measure of this name, if there is one."""
    with suppress(TiecoreError):
        return measure(name)
    return None


def _parquet(content: Content) -> pd.DataFrame:
    import pyarrow as pa  # only for such a file
    from pyarrow import parquet

    from tiecore.formats.tables import parquet_faults

    source = content.path if content.on_disk else pa.BufferReader(content.data)
    with parquet_faults(content.name), parquet.ParquetFile(source) as file:
        n_cells = file.metadata.num_rows * file.metadata.num_columns
        content.limits.check("cells", n_cells, found=f"has {n_cells:,} cells", file=content.name)
        table = file.read()
        table.validate(full=True)  # texts of a damaged file may be no UTF-8
        return cast("pd.DataFrame", table.to_pandas())

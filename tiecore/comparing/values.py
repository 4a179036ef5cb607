"""Values measured elsewhere, in whatever form they come: tables in memory, files of them, what `trec_eval -q` prints.

All become one table with a row a value: ``system``, ``item``, ``measure``, ``value``, the ``unit`` of the items, and
where it stands: ``source``, ``row``, ``is_line``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from os import PathLike
from typing import Any, NoReturn, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.errors import FormatError, TiecoreError, listed, shortened
from tiecore.formats.columns import DOCUMENT_NAMES, QUERY_NAMES, first_of, plain, refuse_twice
from tiecore.formats.delimited import TEXT, Rows
from tiecore.formats.limits import limits_in_force
from tiecore.formats.numbers import NO_NUMBER, NUMBER, score_problem
from tiecore.formats.source import PARQUET_MAGIC, Source, open_source, stem_of
from tiecore.formats.text import first_line, tidied
from tiecore.measures import Measure, measure

ValuesInput: TypeAlias = "Source | Sequence[Source] | pd.DataFrame | Mapping[str, Any]"

_CELL = ["system", "item", "measure"]
_TASKS = "item_id item task_name task_id task dataset instance_id instance question_id problem_id problem example"
_NAMES = {  # the preferred one comes first
    "system": ("system", "run", "run_id", "runid", "model_name", "model", "feature", "name", "tag"),
    "item": (*QUERY_NAMES, *_TASKS.split()),
    "measure": ("measure", "metric", "measure_name", "metric_name"),
    "value": ("value", "score", "expected", "result"),
}
_FEW_TWICE = 0.25
"""Share of values that are given twice by mistake; where it is larger, the rows are no items but documents."""
_DOCUMENT_HINTS, _MOST_DISTINCT = ("doc", "url", "item", "passage", "page", "product"), 0.3
"""Parts of names of columns of documents; and the share of distinct whole numbers beyond which these are no values."""
_NUMBERED = ("", "index", "unnamed: 0")
"""Headings of the index that a frame writes along."""
_LARGEST = 1e100
"""Squares of larger values, added up, are beyond floats."""
_TOO_LARGE = f"the value is infinite or beyond {_LARGEST:g} and has no mean with others"
_EMPTY = "leave the cell empty where there is no value"
_OTHERWISE = ", a column of text out, and name the columns item, system and value where a row is one value"
_NEARLY_NUMBER = r"[-+]?\d*[.,]?\d+\s*%?"
"""Numbers as people write them: 12,5 or 45 %."""
_PRINTED = ("measure", "query", "value")
_MOST_NAMES = 100
"""Names that are looked at: in a run each document has its own."""
_NO_MEASURES = (
    "looks like a run without a header (query doc score): unlike what trec_eval -q prints, it names no measure. "
    "Separate its columns by commas and add a first line: query_id,doc_id,score for a run, which goes to tiecore "
    "evaluate, or measure,query_id,value for values"
)
_TRUTHS = {"true": "1", "false": "0"}


class Given(Measure):
    """A measure of which only values are known, and those of other systems and items than these could be any."""

    cutoff_rule = "none"
    highest = None
    label: str = "value"
    higher_is_better: bool = True  # type: ignore[misc]  # these values say it, not the class

    def expected(self, groups: Any) -> np.ndarray:
        """Refuse: there is no ranking."""
        raise TiecoreError(f"{self.label} was measured elsewhere: it has no value of a ranking")

    def __str__(self) -> str:
        """Return what the values are called."""
        return self.label


class BadCellError(FormatError):
    """A cell at fault, in a table whose other cells leave no doubt that it is one of values."""


def matrix_of(
    values: ValuesInput, wanted: str | Measure | None = None, *, higher_is_better: bool = True
) -> tuple[Measure, pd.DataFrame]:
    """Return a measure, ``Given`` where the values cannot be those of a known one, and its values: systems × items.

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
    matrix, name = _matrix(table[table["measure"] == chosen[0]]), str(wanted or chosen[0]) or "value"
    known = measure_known_as(name)
    is_gain = higher_is_better and (known is None or known.higher_is_better)
    if known is not None and known.higher_is_better == is_gain:
        highest = np.inf if known.highest is None else known.highest
        if np.nanmin(matrix.to_numpy()) >= 0 and np.nanmax(matrix.to_numpy()) <= highest:  # not per cent, say
            return known, matrix
    return Given(label=name, higher_is_better=is_gain), matrix


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
    if not _names_systems_or_measures(table) or table["item"].nunique() < 2:
        return None
    if any(map(_may_be_documents, *zip(*table.groupby("system")["value"], strict=True))):
        return None
    is_twice = table.duplicated(_CELL)
    if 0 < is_twice.mean() < _FEW_TWICE:
        _matrix(table[table["measure"] == table["measure"][is_twice].iloc[0]])  # refuses the first one
    return None if is_twice.any() else table


def _may_be_documents(name: str, values: pd.Series) -> bool:
    """Whether a column is named as those of documents are, or nearly so and holds numbers of them."""
    if plain(name) in DOCUMENT_NAMES:
        return True
    is_near = any(hint in plain(name) for hint in _DOCUMENT_HINTS)
    return is_near and bool((values % 1 == 0).all()) and values.nunique() > _MOST_DISTINCT * len(values)


def _names_systems_or_measures(table: pd.DataFrame) -> bool:
    """Whether the values are of several systems, or of measures that are named: others may be scores of documents."""
    return table["system"].nunique() > 1 or bool((table["measure"] != "").all())


def joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Put the values of several files together; systems of one name, such as a tag, are named by their files."""
    table = pd.concat(tables, ignore_index=True)
    is_alone = table.groupby("source")["system"].transform("nunique") == 1
    is_clash = is_alone & table["system"].isin(table.loc[table.duplicated(_CELL, keep=False), "system"])
    table.loc[is_clash, "system"] = table.loc[is_clash, "source"].map(stem_of)
    return table


def may_be_of_documents(values: pd.DataFrame) -> bool:
    """Whether no column names items, and the first runs as ids of queries do: whole numbers, each in rows in a row.

    >>> rows = pd.DataFrame({"system": "a", "item": ["1", "2", "3", "4"], "value": [1.0, 1.0, 2.0, 2.0]})
    >>> may_be_of_documents(rows), may_be_of_documents(rows.assign(value=0.5))
    (True, False)
    """
    first = values.loc[values["system"] == values["system"].iloc[0]].set_index("item")["value"]
    is_bare = [*first.index] == [*map(str, range(1, len(first) + 1))] and bool((first % 1 == 0).all())
    is_alike = first.diff().ne(0).sum() == first.nunique() <= len(first) // 2
    return bool(is_bare and first.max() > 1 and first.nunique() > 1 and is_alike)


def measure_known_as(name: str) -> Measure | None:
    """Return the measure of this name, if there is one."""
    with suppress(TiecoreError):
        return measure(name)
    return None


def _long(values: Any) -> pd.DataFrame:
    if isinstance(values, Mapping):
        return _of_mapping(values)
    if isinstance(values, str | PathLike | bytes) or hasattr(values, "read"):
        return _read(values)
    if isinstance(values, list | tuple) and values:
        return joined([_read(file) for file in values])
    if hasattr(values, "__arrow_c_stream__") and not isinstance(values, pd.DataFrame):
        values = pa.table(values).to_pandas()
    if isinstance(values, pd.DataFrame):
        return _of_frame(values, source="values")
    raise TiecoreError(f"expected a table of values, files or {{system: values}}, found {shortened(values)}")


def _of_mapping(given: Mapping[str, Any]) -> pd.DataFrame:
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
        try:
            rows += [(system, one.query_id, one.measure, one.value) for one in values]
        except (TypeError, AttributeError):
            expected = "expected {item: value}, {item: {measure: value}}, or what ir_measures.iter_calc gives"
            raise TiecoreError(f"the values of {shortened(system)} are {shortened(values)}: {expected}") from None
    table = pd.DataFrame(rows, columns=[*_CELL, "value"], dtype=object)
    unit = "query" if table["measure"].any() else "item"
    return _checked(table.assign(source="values", unit=unit, row=range(len(rows)), is_line=False))


def _read(source: Source) -> pd.DataFrame:
    """Read a file; one that names no system holds the values of the one that it is named after."""
    content, is_printed = open_source(source, limits=limits_in_force()), False
    system = content.stem
    if content.data.startswith(PARQUET_MAGIC):
        from tiecore.formats.parquet import read_whole  # its library takes longer to load than a small file to be read

        return _of_frame(read_whole(content).to_pandas(), source=content.name, system=system)
    line = first_line(content.data)[2].decode(errors="replace")
    if not line or line.lstrip()[:1] in "[{":
        found = "is JSON" if line else "holds nothing but blanks"
        raise FormatError(content.name, None, f"{found}; expected a table of values (CSV, TSV, Parquet)")
    cells, headings = line.split(), {*_NUMBERED, *_NAMES["item"], *_NAMES["system"]}
    is_row = len(cells) == 3 and NUMBER.fullmatch(cells[2]) and plain(cells[0]) not in headings
    if is_row or cells[:2] == ["runid", "all"]:
        content.data, is_printed = tidied(content.data), True
        rows = Rows(content, _PRINTED, " ")
    else:
        rows = Rows.below_header(content, example="item,bm25,dense", first=headings)
    refuse_twice(rows.names, source=content.name)
    columns = rows.parsed(dict.fromkeys(rows.names, TEXT))
    frame = pa.table(columns).to_pandas().set_axis(rows.lines(len(columns[rows.names[0]])))
    frame = frame[(frame.apply(lambda cells: cells.str.strip()) != "").any(axis=1)]  # no rows of commas alone
    if is_printed:
        if not _names_measures(frame):  # first, as trec_eval prints them
            frame = frame.rename(columns={"query": "measure", "measure": "query"})  # as ir_measures does
        if not _names_measures(frame):
            raise FormatError(content.name, None, _NO_MEASURES)
        system = next(iter(frame.loc[frame["measure"] == "runid", "value"]), system)
        frame = frame[(frame["query"] != "all") & ~frame["measure"].str.startswith(("runid", "relstring"))]
        if frame.empty:
            problem = "holds values of all queries together; print those of each query: trec_eval -q, ir_measures -q"
            raise BadCellError(content.name, None, problem)
    return _of_frame(frame, source=content.name, is_line=True, system=system)


def _names_measures(printed: pd.DataFrame) -> bool:
    """Whether most measures of what looks printed are known, or end with a value of all queries; else it is a run."""
    last = printed.drop_duplicates("measure", keep="last")[:_MOST_NAMES]
    n_measures = sum(
        query == "all" or measure_known_as(name) is not None
        for name, query in zip(last["measure"], last["query"], strict=True)
    )
    return 2 * n_measures >= len(last)


def _of_frame(frame: pd.DataFrame, *, source: str, is_line: bool = False, system: str = "") -> pd.DataFrame:
    """Read a table of items × systems, of systems × items, or one with a row for each value.

    ``is_line``: the index holds the lines of a file. ``system``: name of the only one, where a table of single values
    has none. Columns are recognised by their names, whatever their case; an index with names is columns too.
    """
    if frame.columns.nlevels > 1:
        raise FormatError(source, None, "the columns have several levels; stack them into rows, or choose a part")
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    refuse_twice(frame.columns, source=source)
    longest = max(frame.columns, key=len, default="")  # which would be written beside each value
    too_long = f"the name of column {shortened(longest, 30)} has {len(longest):,} characters"
    limits_in_force().check("name", len(longest), found=too_long, file=source)
    has_names = any(frame.index.names)
    if has_names or not (is_line or frame.index.equals(pd.RangeIndex(len(frame)))):
        names_items = first_of(list(frame.columns), _NAMES["item"]) is not None  # then the index numbers rows
        names = [name or "item" for name in frame.index.names]
        frame = frame.reset_index(names=names, drop=names_items and not has_names)
    found = {what: first_of(list(frame.columns), known) for what, known in _NAMES.items()}
    items = plain(found["item"] or "item")
    where: dict[str, Any] = {"unit": "query" if items in QUERY_NAMES else items.partition("_")[0], "source": source}
    where |= {"row": frame.index, "is_line": is_line}
    if found["item"] and found["value"] and (found["system"] or (system and len(frame.columns) <= 3)):
        defaults = {"system": system, "measure": ""}
        columns = {what: frame[name] if name else defaults[what] for what, name in found.items()}
        return _checked(pd.DataFrame(columns | where, index=frame.index))
    first = frame.columns[0] if len(frame.columns) else ""
    names_rows = found["item"] or found["system"]
    if plain(names_rows or "") == "name" and names_rows != first:  # of what stands before it
        names_rows = None
    if names_rows is None and (plain(first) in _NUMBERED or pd.to_numeric(frame[first], errors="coerce").isna().all()):
        names_rows = first
    others = [name for name in frame.columns if name != names_rows]
    if not others or not len(frame):
        problem = "no rows" if others else f"no column of values among {listed(list(frame.columns))}"
        raise FormatError(source, None, f"{problem}; expected a row an item and a column a system")
    rows = range(1, len(frame) + 1) if names_rows is None else frame[names_rows]
    is_turned = names_rows is not None and names_rows == found["system"]
    # names without a heading beside numbered columns are those of systems
    if names_rows == "" and all(map(str.isdigit, others)):
        is_turned = not frame[names_rows].astype("str").str.isdigit().any()
    along, across = ("system", "item") if is_turned else ("item", "system")
    where |= {what: np.tile(np.asarray(cells), len(others)) for what, cells in ((along, rows), ("row", where["row"]))}
    where |= {across: np.repeat(others, len(frame)), "value": frame[others].to_numpy().ravel(order="F"), "measure": ""}
    return _checked(pd.DataFrame(where), named_by=across)


def _checked(table: pd.DataFrame, *, named_by: str = "") -> pd.DataFrame:
    """Return the table with names as text and values as numbers, NaN where there is none; refuse what is neither.

    ``named_by``: column with the names that the columns of the values had.
    """
    for what in _CELL:
        table[what] = table[what].where(table[what].notna(), "").astype("str").str.strip()
        if what != "measure" and len(empty := np.flatnonzero(table[what] == "")):
            _refuse(table, empty[0], f"the {what} is empty; every row needs one")
    texts = table["value"].astype("str").str.strip()
    folded = texts.str.casefold()
    numbers = pd.to_numeric(folded.replace(_TRUTHS), errors="coerce").astype("float64")
    is_missing = table["value"].isna() | folded.isin(["", *NO_NUMBER])
    if len(bad := np.flatnonzero((numbers.isna() & ~is_missing) | (numbers.abs() > _LARGEST))):
        at, kind = bad[0], FormatError
        is_text = np.isnan(numbers.iloc[at])
        problem = score_problem(texts.iloc[at], what="value") if is_text else _TOO_LARGE
        is_nearly = texts.str.fullmatch(_NEARLY_NUMBER)
        is_meant, columns = numbers.notna() | is_nearly, set()
        else_do = "" if is_nearly.iloc[at] else f"; {_EMPTY}{_OTHERWISE if named_by and is_text else ''}"
        if named_by:
            columns = {plain(name) for name in table[named_by].unique()}
            is_meant = is_meant[table[named_by] == table[named_by].iloc[at]]
            problem = f"in column {shortened(table[named_by].iloc[at])} {problem}"
        may_be_scores = not _names_systems_or_measures(table) or table.duplicated(_CELL).mean() >= _FEW_TWICE
        if not may_be_scores and columns.isdisjoint(DOCUMENT_NAMES) and is_meant.mean() > 0.5:  # else a column of text
            kind = BadCellError
        _refuse(table, at, problem + else_do, kind)
    return table.assign(value=numbers)


def _refuse(table: pd.DataFrame, at: int, problem: str, kind: type[FormatError] = FormatError) -> NoReturn:
    """Raise what is wrong with a row, with its line."""
    row = table.iloc[at]
    line, begin = (int(row["row"]), "") if row["is_line"] else (None, f"row {row['row']}: ")
    raise kind(row["source"], line, begin + problem)


def _matrix(table: pd.DataFrame) -> pd.DataFrame:
    """Return systems × items of the values of one measure, NaN where a system lacks an item; both in their order."""
    if len(twice := np.flatnonzero(table.duplicated(["system", "item"]))):
        system, item = (shortened(table[name].iloc[twice[0]]) for name in ("system", "item"))
        _refuse(table, twice[0], f"{system} has a second value for {item}; keep one of the two", BadCellError)
    systems, items = (table[name].unique() for name in ("system", "item"))
    matrix = table.set_index(["system", "item"])["value"].unstack("item").loc[systems, items].dropna(axis=1, how="all")
    if len(empty := matrix.index[matrix.isna().all(axis=1)]):
        raise TiecoreError(f"{shortened(empty[0])} has no value at all; leave it out")
    for n, few in (
        (len(systems), f"holds one system, {listed(systems)}; add the values of another"),
        (matrix.shape[1], "holds the values of one item; add others, for it takes six to tell systems apart"),
    ):
        if n < 2:
            raise FormatError(table["source"].iloc[0], None, few)
    return matrix.rename_axis(columns=table["unit"].iloc[0])

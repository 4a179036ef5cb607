"""Frames and dicts in memory -> the same records that are read from files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.errors import FormatError, listed, shortened
from tiecore.formats import cells, numbers
from tiecore.formats.columns import find_columns
from tiecore.formats.json_dicts import Nested, ids_of, numbers_of
from tiecore.formats.records import Records

__all__ = ["from_dict", "from_frame"]

_NUMERIC_OBJECTS = {"integer", "floating", "mixed-integer-float", "decimal", "boolean"}
"""Kinds of columns of objects, in the words of pandas."""
_INTEGERS = [np.dtype(kind) for kind in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32)]


def from_frame(frame: pd.DataFrame, *, source: str) -> Records:
    """Return records from a frame: query and document columns, numeric columns as features, a label column as grades.

    NaN in one of several features says that the feature does not score the document; where there is only one feature,
    the row should not be there at all, so it is refused.
    """
    indexed = [str(name) for name in frame.index.names if name is not None]
    try:
        columns = find_columns([str(name) for name in frame.columns], source=source)
    except FormatError as error:
        if not indexed:
            raise
        problem = f"{error.problem}; the index holds {listed(indexed)}: reset_index() makes columns of it"
        raise FormatError(source, None, problem) from None
    by_name = dict(zip([str(name) for name in frame.columns], range(frame.shape[1]), strict=True))

    def column(name: str) -> pd.Series[Any]:
        return frame.iloc[:, by_name[name]]

    grades = None if columns.label is None else _whole_grades(column(columns.label), source=source)
    features = {
        name: _scores(column(name), name=name, source=source) for name in columns.others if _is_numeric(column(name))
    }
    if not features and grades is None:
        raise FormatError(source, None, f"no numeric column besides the ids: found columns {listed(by_name)}")
    if len(features) == 1 and grades is None:
        _refuse_missing(next(iter(features.values())), source=source)
    return Records(
        source=source,
        kind="memory",
        query=_ids(column(columns.query), source=source, what="query").dictionary_encode(),
        document=_ids(column(columns.document), source=source, what="document"),
        grades=grades,
        features=features,
        rank=_ranks(frame, columns.rank),
        first_line=0,
        ignored=tuple(name for name in (*columns.idle, *columns.others) if name not in features),
    )


def _ranks(frame: pd.DataFrame, name: str | None) -> np.ndarray | None:
    if name is None or not pd.api.types.is_integer_dtype(frame[name].dtype) or frame[name].isna().any():
        return None
    return frame[name].to_numpy(np.int64)


def from_dict(nested: Nested, *, source: str, kind: Literal["qrels", "run"]) -> Records:
    """Take ``{query: {document: number}}``: a feature, and grades as well if all numbers are whole."""
    if not all(isinstance(inner, dict | Mapping) for inner in nested.values()):
        problem = "expected {query: {document: number}}, found a query whose value is no mapping"
        hint = "; several features are {name: {query: {document: score}}}" if kind == "run" else ""
        raise FormatError(source, None, problem + hint)
    query, document = ids_of(nested, file=source)
    scores, grades = numbers_of(nested, file=source, kind=kind)
    return Records(
        source=source,
        kind="memory",
        query=query,
        document=document,
        grades=grades,
        features={source: scores},
        first_line=0,
    )


def _is_numeric(series: pd.Series[Any]) -> bool:
    """Return whether a column holds numbers, by its type or, where it holds objects, by each of them."""
    if _is_object(series):
        return pd.api.types.infer_dtype(series, skipna=True) in _NUMERIC_OBJECTS
    return pd.api.types.is_numeric_dtype(series.dtype)


def _is_object(series: pd.Series[Any]) -> bool:
    return bool(pd.api.types.is_object_dtype(series.dtype))


def _scores(series: pd.Series[Any], *, name: str, source: str) -> np.ndarray:
    """(n_rows,) scores of a numeric column in its own type, as far as nothing is missing."""
    kind = series.dtype
    if _is_object(series) or (isinstance(kind, pd.ArrowDtype) and pa.types.is_decimal(kind.pyarrow_dtype)):
        try:
            return numbers.from_values(series.to_list(), what=f"value of column {shortened(name)}")
        except cells.RowFault as fault:
            raise FormatError(source, None, f"row {fault.row}: {fault.problem}") from None
    if isinstance(kind, np.dtype):
        scores = series.to_numpy()
        if not np.isrealobj(scores):
            raise FormatError(source, None, f"column {shortened(name)} holds complex numbers: scores must be real")
        return scores
    if not pd.api.types.is_integer_dtype(kind):
        return series.to_numpy(np.float64, na_value=np.nan)
    integers = np.uint64 if pd.api.types.is_unsigned_integer_dtype(kind) else np.int64
    return numbers.exact_integers(series.to_numpy(integers, na_value=0), series.isna().to_numpy())


def _refuse_missing(scores: np.ndarray, *, source: str) -> None:
    missing = np.flatnonzero(~numbers.is_scored(scores))
    if len(missing):
        problem = f"the score in row {missing[0]} is NaN: leave the row out if the feature does not score it"
        raise FormatError(source, None, problem)


def _whole_grades(series: pd.Series[Any], *, source: str) -> np.ndarray:
    if series.dtype in _INTEGERS:
        whole = series.to_numpy(np.int64, copy=True)
        if whole.min(initial=0) > -cells.LARGEST_GRADE and whole.max(initial=0) < cells.LARGEST_GRADE:
            return whole
    grades = pd.to_numeric(series, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    is_grade = np.isfinite(grades) & (grades == np.rint(grades)) & (np.abs(grades) < cells.LARGEST_GRADE)
    if not is_grade.all():
        row = int(np.argmin(is_grade))
        raise FormatError(source, None, f"row {row}: {cells.grade_problem(str(series.iloc[row]).strip())}")
    return grades.astype(np.int64)


def _ids(series: pd.Series[Any], *, source: str, what: str) -> pa.Array:
    if series.isna().any():
        row = int(np.flatnonzero(series.isna().to_numpy())[0])
        raise FormatError(source, None, f"the {what} id in row {row} is missing")
    if pd.api.types.is_float_dtype(series.dtype):
        raise FormatError(
            source, None, f"the {what} ids are decimal numbers: read them as text (dtype=str) to keep them"
        )
    values = series.astype(str) if pd.api.types.is_integer_dtype(series.dtype) else series
    try:
        array = pa.array(values, pa.string(), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        raise FormatError(source, None, f"the {what} ids must be text or whole numbers") from None
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array

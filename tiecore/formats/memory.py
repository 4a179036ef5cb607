"""Frames of pandas -> the same records that are read from files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.errors import FormatError, listed, shortened
from tiecore.formats import numbers
from tiecore.formats.columns import find_columns
from tiecore.formats.records import Records

__all__ = ["from_frame"]

_NUMERIC_OBJECTS = {"integer", "floating", "mixed-integer-float", "decimal", "boolean"}
"""Kinds of columns of objects, in the words of pandas."""


def from_frame(frame: pd.DataFrame, *, source: str) -> Records:
    """Return records from a frame: query and document columns, numeric columns as features, a label column as grades.

    NaN in one of several features says that the feature does not score the document; where there is only one feature,
    the row should not be there at all, so it is refused.
    """
    names = [str(name) for name in frame.columns]
    try:
        columns = find_columns(names, source=source)
    except FormatError as error:
        indexed = [str(name) for name in frame.index.names if name is not None]
        if not indexed:
            raise
        problem = f"{error.problem}; the index holds {listed(indexed)}: reset_index() makes columns of it"
        raise FormatError(source, None, problem) from None
    column = {name: frame.iloc[:, place] for place, name in enumerate(names)}
    try:
        grades = None if columns.label is None else _grades(column[columns.label])
        features = {
            name: _scores(column[name], what=f"value of column {shortened(name)}")
            for name in columns.others
            if _is_numeric(column[name])
        }
        if len(features) == 1 and grades is None:
            _refuse_missing(*features.values())
    except numbers.RowFault as fault:
        raise FormatError(source, None, f"row {fault.row}: {fault.problem}") from None
    if not features and grades is None:
        raise FormatError(source, None, f"no numeric column besides the ids: found columns {listed(names)}")
    return Records(
        source=source,
        kind="memory",
        query=_ids(column[columns.query], source=source, what="query").dictionary_encode(),
        document=_ids(column[columns.document], source=source, what="document"),
        grades=grades,
        features=features,
        rank=None if columns.rank is None else _ranks(column[columns.rank]),
        first_line=0,
        ignored=tuple(name for name in (*columns.idle, *columns.others) if name not in features),
    )


def _is_numeric(series: pd.Series[Any]) -> bool:
    """Return whether a column holds numbers, by its type or, where it holds objects, by each of them."""
    if pd.api.types.is_object_dtype(series):
        return pd.api.types.infer_dtype(series, skipna=True) in _NUMERIC_OBJECTS
    return pd.api.types.is_numeric_dtype(series)


def _scores(series: pd.Series[Any], *, what: str) -> np.ndarray:
    """(n_rows,) scores of a numeric column in its own type, as far as nothing is missing."""
    if pd.api.types.is_object_dtype(series):
        return numbers.from_values(series.to_list(), what=what)
    if isinstance(series.dtype, np.dtype):
        if series.dtype.kind == "c":
            raise numbers.RowFault(0, f"{what} is a complex number; scores must be real")
        return series.to_numpy()
    return numbers.from_arrow(_arrow(series), what=what)


def _refuse_missing(scores: np.ndarray) -> None:
    missing = np.flatnonzero(~numbers.is_scored(scores))
    if len(missing):
        raise numbers.RowFault(int(missing[0]), "the score is NaN; leave the row out if the feature does not score it")


def _grades(series: pd.Series[Any]) -> np.ndarray:
    if _is_numeric(series):
        return numbers.grades_of_numbers(_scores(series, what="grade"))
    return numbers.grades_of_texts(_arrow(series.astype(str), pa.string()).combine_chunks().dictionary_encode())


def _ranks(series: pd.Series[Any]) -> np.ndarray | None:
    is_whole = pd.api.types.is_integer_dtype(series) and not series.isna().any()
    return series.to_numpy(np.int64) if is_whole else None


def _ids(series: pd.Series[Any], *, source: str, what: str) -> pa.Array:
    missing = series.isna().to_numpy()
    if missing.any():
        raise FormatError(source, None, f"the {what} id in row {int(np.argmax(missing))} is missing")
    if pd.api.types.is_float_dtype(series):
        problem = f"the {what} ids are decimal numbers: read them as text (dtype=str) to keep them"
        raise FormatError(source, None, problem)
    values = series.astype(str) if pd.api.types.is_integer_dtype(series) else series
    try:
        return _arrow(values, pa.string()).combine_chunks()
    except (pa.ArrowInvalid, pa.ArrowTypeError, UnicodeEncodeError):
        raise FormatError(source, None, f"the {what} ids must be text or whole numbers") from None


def _arrow(series: pd.Series[Any], kind: pa.DataType | None = None) -> pa.ChunkedArray:
    array = pa.array(series, kind, from_pandas=True)
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])

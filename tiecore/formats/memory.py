"""Frames and dicts that are in memory already, as the same records that files give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.errors import FormatError
from tiecore.formats.columns import find_columns
from tiecore.formats.records import Records

__all__ = ["from_dict", "from_frame"]

_WHOLE_UP_TO = 2.0**53


def from_frame(frame: pd.DataFrame, *, source: str) -> Records:
    """Take a frame with query and document columns; the numeric others are features, a label column the grades.

    NaN in one of several features says that the feature does not score the document; where there is only one feature,
    the row should not be there at all, so it is refused.
    """
    columns = find_columns([str(name) for name in frame.columns], source=source)
    by_name = dict(zip([str(name) for name in frame.columns], range(frame.shape[1]), strict=True))

    def column(name: str) -> pd.Series[Any]:
        return frame.iloc[:, by_name[name]]

    grades = None if columns.label is None else _whole_grades(column(columns.label), source=source)
    features = {}
    for name in columns.others:
        series = column(name)
        if not pd.api.types.is_numeric_dtype(series.dtype):
            continue
        # nullable columns hold pd.NA, which only a float can stand for
        scores = (
            series.to_numpy() if isinstance(series.dtype, np.dtype) else series.to_numpy(np.float64, na_value=np.nan)
        )
        if not np.isrealobj(scores):
            raise FormatError(source, None, f"column {name!r} holds complex numbers: scores must be real")
        features[name] = scores
    if not features and grades is None:
        found = ", ".join(map(repr, by_name))
        raise FormatError(source, None, f"no numeric column besides the ids: found columns {found}")
    if len(features) == 1 and grades is None:
        _refuse_nan(next(iter(features.values())), source=source)
    return Records(
        source=source,
        kind="memory",
        query=_ids(column(columns.query), source=source, what="query").dictionary_encode(),
        document=_ids(column(columns.document), source=source, what="document"),
        grades=grades,
        features=features,
        rank=_ranks(frame, columns.rank),
        first_line=0,
    )


def _ranks(frame: pd.DataFrame, name: str | None) -> np.ndarray | None:
    if name is None or not pd.api.types.is_integer_dtype(frame[name].dtype) or frame[name].isna().any():
        return None
    return frame[name].to_numpy(np.int64)


def from_dict(nested: Mapping[str, Mapping[str, float]], *, source: str) -> Records:
    """Take ``{query: {document: number}}``: a feature, and grades as well if all numbers are whole."""
    if not all(isinstance(inner, Mapping) for inner in nested.values()):
        problem = "expected {query: {document: number}}, found a query whose value is no mapping"
        hint = "; several features are {name: {query: {document: score}}}" if source != "qrels" else ""
        raise FormatError(source, None, problem + hint)
    queries = [query for query, inner in nested.items() for _ in range(len(inner))]
    documents = [document for inner in nested.values() for document in inner]
    if not all(isinstance(name, str) for name in (*nested, *documents)):
        raise FormatError(source, None, "ids must be strings: write {'1': {'doc': 2}}, not {1: {'doc': 2}}")
    try:
        scores = np.array([score for inner in nested.values() for score in inner.values()])
    except ValueError:
        scores = np.array(["?"])
    if scores.dtype.kind not in "iufb" and len(documents):
        raise FormatError(source, None, "expected {query: {document: number}}, found a value that is not a number")
    scores = scores if len(documents) else np.zeros(0)
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        fault = int(np.flatnonzero(np.isnan(scores))[0])
        where = f"query {queries[fault]!r}, document {documents[fault]!r}"
        raise FormatError(source, None, f"{where}: the score is NaN; leave it out if the feature does not score it")
    whole = scores.dtype.kind in "iub" or bool(
        (np.abs(scores) < _WHOLE_UP_TO).all() and (scores == np.rint(scores)).all()
    )
    return Records(
        source=source,
        kind="memory",
        query=pa.array(queries, pa.string()).dictionary_encode(),
        document=pa.array(documents, pa.string()),
        grades=scores.astype(np.int64) if whole else None,
        features={source: scores},
        first_line=0,
    )


def _refuse_nan(scores: np.ndarray, *, source: str) -> None:
    if scores.dtype.kind == "f" and np.isnan(scores).any():
        row = int(np.flatnonzero(np.isnan(scores))[0])
        raise FormatError(
            source, None, f"the score in row {row} is NaN: leave the row out if the feature does not score it"
        )


def _whole_grades(series: pd.Series[Any], *, source: str) -> np.ndarray:
    numbers = pd.to_numeric(series, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    fault = np.flatnonzero(~(np.isfinite(numbers) & (numbers == np.rint(numbers)) & (np.abs(numbers) < _WHOLE_UP_TO)))
    if len(fault):
        row = int(fault[0])
        found = series.iloc[row]
        raise FormatError(
            source, None, f"grade {found} in row {row} is not a whole number: multiply grades to a whole-number scale"
        )
    return numbers.astype(np.int64)


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
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        raise FormatError(source, None, f"the {what} ids must be text or whole numbers") from None
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array

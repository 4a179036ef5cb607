"""Whatever a caller hands over (path, open file, bytes, frame, dict), as records and named features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import IO, Any

import pandas as pd

from tiecore.errors import FormatError, TiecoreError
from tiecore.formats import read
from tiecore.formats.memory import from_dict, from_frame
from tiecore.formats.records import Records

__all__ = ["FeatureInput", "NamedFeature", "QrelsInput", "read_features", "read_qrels", "to_features", "to_qrels"]

FileInput = str | PathLike[str] | IO[bytes] | IO[str] | bytes
TableInput = FileInput | pd.DataFrame | Records
QrelsInput = TableInput | Mapping[str, Mapping[str, int]]
FeatureInput = TableInput | Iterable[TableInput] | Mapping[str, TableInput | Mapping[str, Mapping[str, float]]]
NamedFeature = tuple[str, Records, str]
"""Name of a feature, where it stands, and the column there."""


def to_qrels(qrels: QrelsInput) -> Records:
    """Take judgments in any form."""
    if isinstance(qrels, Mapping):
        return from_dict(qrels, source="qrels")
    return _records(qrels, source="qrels")


def to_features(features: FeatureInput | None, *, qrels: Records, qrels_input: QrelsInput) -> list[NamedFeature]:
    """Take features in any form and name each.

    A run is named by its tag, or by its file if another run has the same tag; a column of a table by its header; a
    feature that is given with a name by that name. Without features, those that stand beside the judgments are taken.
    """
    if features is None or features is qrels_input:
        return _columns(qrels)
    if isinstance(features, Mapping):
        named: list[NamedFeature] = []
        for name, given in features.items():
            records = from_dict(given, source=name) if isinstance(given, Mapping) else _records(given, source=name)
            columns = _columns(records)
            if len(columns) != 1:
                raise TiecoreError(
                    f"{records.source} holds {len(columns)} features, so it cannot be given as {name!r} alone: "
                    "give it without a name"
                )
            named.append((name, records, columns[0][2]))
        return _not_empty(named)
    several = not isinstance(features, str | PathLike | bytes | pd.DataFrame | Records) and not hasattr(
        features, "read"
    )
    tables: list[Any] = list(features) if several else [features]  # type: ignore[arg-type]
    read_tables = [
        qrels if table is qrels_input else _records(table, source=f"features[{i}]") for i, table in enumerate(tables)
    ]
    tags = Counter(name for records in read_tables for name in records.features)
    return _not_empty(
        [
            (records.stem if records.kind == "run" and tags[column] > 1 else name, records, column)
            for records in read_tables
            for name, _, column in _columns(records)
        ]
    )


def _not_empty(named: list[NamedFeature]) -> list[NamedFeature]:
    if not named:
        raise TiecoreError("no features: give at least one file of scores")
    return named


def read_qrels(source: FileInput) -> pd.DataFrame:
    """Read a file of judgments: a frame of query_id, doc_id and relevance."""
    records = read(source)
    if records.grades is None:
        raise FormatError(records.source, None, "it has no relevance grades: read it with read_features")
    return _ids(records).assign(relevance=records.grades)


def read_features(source: FileInput) -> pd.DataFrame:
    """Read a file of scores: a frame of query_id, doc_id and one column a feature; NaN where it does not score."""
    records = read(source)
    columns = {name: records.features[column] for name, _, column in _columns(records)}
    return pd.concat([_ids(records), pd.DataFrame(columns)], axis=1)


def _ids(records: Records) -> pd.DataFrame:
    query = records.query.dictionary_decode() if hasattr(records.query, "dictionary_decode") else records.query
    return pd.DataFrame({"query_id": query.to_pandas(), "doc_id": records.document.to_pandas()}, dtype="str")


def _records(table: TableInput, *, source: str) -> Records:
    if isinstance(table, Records):
        return table
    if isinstance(table, pd.DataFrame):
        return from_frame(table, source=source)
    return read(table)


def _columns(records: Records) -> list[NamedFeature]:
    if not records.features:
        raise FormatError(records.source, None, "it has no feature scores, only judgments: give it as qrels")
    return [(name, records, name) for name in records.features]

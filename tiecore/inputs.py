"""Whatever a caller hands over (path, open file, bytes, frame, dict), as records and named features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import IO, Literal, cast

import pandas as pd
import pyarrow as pa

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
    return _records(qrels, source="qrels", role="qrels")


def to_features(features: FeatureInput | None, *, qrels: Records, qrels_input: QrelsInput) -> list[NamedFeature]:
    """Take features in any form and name each.

    A run is named by its tag, or by its file if another feature has that name; a column of a table by its header; what
    is given with a name by that name. Without features, those that stand beside the judgments are taken.
    """
    if features is None:
        return _columns(qrels)
    if isinstance(features, Mapping):
        named = [_one_feature(name, given) for name, given in features.items()]
    else:
        tables = _as_list(features)
        # a file that holds judgments as well as features is read once
        known = [
            qrels if _is_same(table, qrels_input) else _records(table, source=f"features[{place}]", role="run")
            for place, table in enumerate(tables)
        ]
        taken = Counter(name for records in known for name in records.features)
        named = [
            (records.stem if records.kind == "run" and taken[column] > 1 else column, records, column)
            for records in known
            for _, _, column in _columns(records)
        ]
    if not named:
        raise TiecoreError("no features: give at least one file of scores")
    return named


def _one_feature(name: str, given: TableInput | Mapping[str, Mapping[str, float]]) -> NamedFeature:
    if isinstance(given, Mapping):
        if not all(isinstance(scores, Mapping) for scores in given.values()):
            raise TiecoreError(
                f"features[{name!r}] maps to numbers: features are {{name: {{query: {{document: score}}}}}}, so put the "
                "name of the feature around the queries"
            )
        return name, from_dict(given, source=name), name
    records = _records(given, source=name, role="run")
    columns = _columns(records)
    if len(columns) != 1:
        raise TiecoreError(
            f"{records.source} holds {len(columns)} features, so it cannot be given as {name!r} alone: "
            "give it in a list, without a name"
        )
    return name, records, columns[0][2]


def _as_list(features: TableInput | Iterable[TableInput]) -> list[TableInput]:
    if isinstance(features, str | PathLike | bytes | pd.DataFrame | Records) or hasattr(features, "read"):
        return [cast("TableInput", features)]
    return list(features)


def _is_same(table: object, other: object) -> bool:
    if isinstance(table, str | PathLike) and isinstance(other, str | PathLike):
        return Path(table) == Path(other)
    return table is other


def read_qrels(source: FileInput) -> pd.DataFrame:
    """Read a file of judgments: a frame of query_id, doc_id and relevance."""
    records = read(source, kind="qrels")
    return _ids(records).assign(relevance=records.grades)


def read_features(source: FileInput) -> pd.DataFrame:
    """Read a file of scores: a frame of query_id, doc_id and one column a feature; NaN where it does not score."""
    records = read(source, kind="run")
    columns = {name: records.features[column] for name, _, column in _columns(records)}
    return pd.concat([_ids(records), pd.DataFrame(columns)], axis=1)


def _ids(records: Records) -> pd.DataFrame:
    query, document = records.query.cast(pa.string()), records.document
    return pd.DataFrame({"query_id": query.to_pandas(), "doc_id": document.to_pandas()}, dtype="str")


def _records(table: TableInput, *, source: str, role: Literal["qrels", "run"]) -> Records:
    if isinstance(table, Records):
        return table
    if isinstance(table, pd.DataFrame):
        return from_frame(table, source=source)
    return read(table, kind=role)


def _columns(records: Records) -> list[NamedFeature]:
    if not records.features:
        raise FormatError(records.source, None, "it has no feature scores, only judgments: give it as qrels")
    return [(name, records, name) for name in records.features]

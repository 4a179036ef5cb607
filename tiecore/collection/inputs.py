"""Whatever a caller hands over (path, open file, bytes, frame, dict), as records and named features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from tiecore.errors import FormatError, TiecoreError, shortened
from tiecore.formats import read
from tiecore.formats.memory import ArrowTable, from_table, is_table
from tiecore.formats.records import Records, Role, as_feature
from tiecore.threads import in_threads

if TYPE_CHECKING:
    import pandas as pd

FileInput = str | PathLike[str] | IO[bytes] | IO[str] | bytes
TableInput: TypeAlias = "FileInput | pd.DataFrame | Records | ArrowTable | Sequence[tuple[Any, ...]]"
QrelsInput: TypeAlias = "TableInput | Mapping[str, Mapping[str, int]]"
FeatureInput: TypeAlias = (
    "TableInput | Iterable[TableInput] | Mapping[str, TableInput | Mapping[str, Mapping[str, float]]]"
)
NamedFeature = tuple[str, Records, str]
"""Name of a feature, where it stands, and the column there."""


def load(qrels: QrelsInput, features: FeatureInput | None) -> tuple[Records, list[NamedFeature]]:
    """Return named judgments and features from any form; files are read on all processors.

    A run is named by its tag, or by its file if another feature has that name; grades alone that are given as a feature
    are named by their file, files of one name by their folders too; a column of a table by its header; what is given
    with a name by that name. Without features, those that stand beside the judgments are taken.
    """
    if features is None:
        judgments = read_records("qrels", qrels, "qrels")
        return judgments, [(name, judgments, name) for name in _columns(judgments)]
    given = _given(features)
    # a file that holds judgments as well as features is read once
    is_shared = [table is qrels for _, table in given]
    if isinstance(qrels, str | PathLike):
        is_shared = [isinstance(table, str | PathLike) and Path(table) == Path(qrels) for _, table in given]
    pieces: list[tuple[str, Any, Role]] = [("qrels", qrels, "qrels")]
    pieces += [(*table, "run") for table, shared in zip(given, is_shared, strict=True) if not shared]
    if all(isinstance(table, Mapping | Records) for _, table, _ in pieces):
        # dicts are walked through by the interpreter, which does one thing at a time
        judgments, *others = [read_records(*piece) for piece in pieces]
    else:
        judgments, *others = in_threads(lambda piece: read_records(*piece), pieces)
    remaining = iter(others)
    tables = [as_feature(judgments) if shared else next(remaining) for shared in is_shared]
    if isinstance(features, Mapping):
        named = []
        for name, records in zip(features, tables, strict=True):
            if len(records.features) != 1:
                raise _not_one(name, records)
            named.append((name, records, next(iter(records.features))))
    else:
        named = named_features(tables)
    if not named:
        raise TiecoreError("no features: give at least one file of scores")
    return judgments, named


def named_features(tables: Sequence[Records]) -> list[NamedFeature]:
    """Name the features of files that are given together; see :func:`load`."""
    times = Counter(name for records in tables for name in records.features)
    of_files = [
        records
        for records in tables
        if [*records.features] == [records.stem]
        or (records.kind == "run" and any(times[name] > 1 for name in records.features))
    ]
    name_of = _names_of_files(of_files)
    return [(name_of.get(id(records), column), records, column) for records in tables for column in _columns(records)]


def _names_of_files(tables: Sequence[Records]) -> dict[int, str]:
    """Name each file by its stem, and where several have one, by as many of its folders as tell them apart."""
    parents = {id(records): Path(records.source).parts[-2::-1] for records in tables}
    name_of = {id(records): records.stem for records in tables}
    for depth in range(max(map(len, parents.values()), default=0)):
        times = Counter(name_of.values())
        for key, name in name_of.items():
            if times[name] > 1 and depth < len(parents[key]):
                name_of[key] = f"{parents[key][depth]}/{name}"
    return name_of


def _given(features: Any) -> list[tuple[str, Any]]:
    """Return what was given one by one, each with a name for messages."""
    if isinstance(features, Mapping):
        for name in features:
            if not isinstance(name, str):
                problem = f"the names of features must be text, found {shortened(name)}"
                raise TiecoreError(f"{problem}: give each a name in quotes")
        return list(features.items())
    if isinstance(features, str | PathLike | bytes | Records) or hasattr(features, "read") or is_table(features):
        return [("features", features)]
    return [(f"features[{place}]", table) for place, table in enumerate(features)]


def read_once(features: FeatureInput) -> FeatureInput:
    """Return features as records, each file read, so that they can be evaluated several times."""
    read_all = in_threads(lambda piece: read_records(*piece, "run"), _given(features))
    if isinstance(features, Mapping):
        return dict(zip(features, read_all, strict=True))
    return read_all


def read_qrels(source: FileInput) -> pd.DataFrame:
    """Read a file of judgments: a frame of query_id, doc_id and relevance."""
    records = read(source, kind="qrels")
    return frame_of(records, {"relevance": records.grades})


def read_features(source: FileInput) -> pd.DataFrame:
    """Read a file of scores: a frame of query_id, doc_id and one column a feature; NaN where it does not score."""
    records = read(source, kind="run")
    return frame_of(records, {name: records.features[name] for name in _columns(records)})


def frame_of(records: Records, columns: Mapping[str, Any]) -> pd.DataFrame:
    """Return a frame of the ids and of some columns."""
    import pandas as pd  # only when asked for

    columns = {
        # masked integers stay nullable, since a float cannot represent them exactly
        name: pd.arrays.IntegerArray(scores.data, np.ma.getmaskarray(scores)) if np.ma.isMA(scores) else scores
        for name, scores in columns.items()
    }
    query, document = records.query.cast(pa.string()), records.document
    ids = pd.DataFrame({"query_id": query.to_pandas(), "doc_id": document.to_pandas()}, dtype="str")
    return pd.concat([ids, pd.DataFrame(columns)], axis=1)


def read_records(source: str, table: TableInput | Mapping[str, Any], role: Role) -> Records:
    """Return what was handed over as records; ``source`` is for messages, where it has no name of its own."""
    if isinstance(table, Mapping):
        from tiecore.formats.json_dicts import from_dict  # files need none of it

        return from_dict(table, source=source, kind=role)
    if isinstance(table, Records):
        return as_feature(table) if role == "run" else table
    return from_table(table, source=source) if is_table(table) else read(table, kind=role)  # type: ignore[arg-type]


def _columns(records: Records) -> list[str]:
    if not records.features:
        raise _not_one("", records)
    return list(records.features)


def _not_one(name: str, records: Records) -> FormatError:
    """Return that records hold no feature, or several where one was given by its name."""
    problem = f"holds {len(records.features)} features, so it cannot be given as {shortened(name)} alone"
    problem += ": keep one of them, or give it in a list, without a name"
    nothing = "it holds judgments only; give a file of scores as well"
    return FormatError(records.source, None, problem if records.features else nothing)

"""A table of counts: its columns, what is refused in them, adding two of them up, and writing them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.errors import FormatError, TiecoreError, listed, shortened
from tiecore.threads import in_threads
from tiecore.ties.groups import UNJUDGED
from tiecore.ties.keys import starts

if TYPE_CHECKING:
    import pandas as pd

METADATA_KEY = b"tiecore.counts"
VERSION = 1
COLUMNS = {
    "feature": pa.string(),
    "query_id": pa.string(),
    "score_int": pa.int64(),
    "score_double": pa.float64(),
    "grade": pa.int64(),
    "n": pa.int64(),
    "joint": pa.int64(),
}
"""Columns and their types in a file, in order."""
MOST_ROWS = 10**9
"""Rows of a table: it is read whole."""
MOST_DOCUMENTS = 2 * 10**7
"""Documents of one query: measures keep numbers for each rank, up to 2 GB of them. No sum then leaves 64 bits."""
_MOST_GRADE, _MOST_NUMBER = 2**63 - 1, 10**18
"""The latter in ``joint``: numbers of several tables add up."""
_NEEDED = frozenset(COLUMNS) - {"score_int", "score_double", "joint"}
_NAMES = ("feature", "query_id")
_KEYS = [name for name in COLUMNS if name != "n"]
_WRITING = {"compression": "zstd", "write_page_checksum": True}
"""So that a reader notices a page that was damaged afterwards."""
_GROUP_ROWS = 1 << 17
"""Rows of a row group, which readers take in one go."""
_MOST_RUNS = 1 << 12
"""Runs of rows of one feature that are taken as they are: sorted files have one for each file and feature."""


def has_columns(names: Iterable[str]) -> bool:
    """Tell whether these are the columns of a table of counts."""
    return _NEEDED <= set(names) <= set(COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How many documents of each grade share each score in each query, and the judged documents by grade.

    It is judgments and features at once: give it to :func:`tiecore.evaluate` alone. Two of them add up.
    """

    judged: pa.Table
    """Query, grade and number of the judged documents."""
    scored: Mapping[str, pa.Table]
    """Rows of each feature, :data:`COLUMNS` without the first; each is in one piece, numbers as narrow as may be."""
    ascending: tuple[str, ...] = ()
    """Features for which lower is better."""
    left_out: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Queries that the judgments do not know and documents of those queries, by feature; absent where not counted."""
    judgments: str | None = None
    """What tells the judgments from others; None where the table was made elsewhere."""
    source: str = "counts"
    """Name for messages."""

    @classmethod
    def of(cls, table: pa.Table | pd.DataFrame, *, source: str = "counts", features: Sequence[str] = ()) -> Counts:
        """Take a table in the format of docs/counts.md, with its metadata if it has any.

        ``features`` come first, also those that score no document; for tables without metadata.
        """
        if not isinstance(table, pa.Table):
            table = pa.Table.from_pandas(table, preserve_index=False)
        known = _metadata(table.schema.metadata, source)
        rows = _checked(table, source)
        parts = _parts(rows)
        nothing = rows.slice(0, 0).drop_columns("feature")
        judged = parts.pop(None, None)
        if judged is None:
            raise FormatError(source, None, "counts no judged documents: add rows without a feature")
        named = dict.fromkeys([*features, *known["features"], *sorted(name for name in parts if name is not None)])
        if not named:
            raise FormatError(source, None, "counts no feature, only judged documents: add rows with a feature")
        unknown = [name for name in known["ascending"] if name not in named]
        if unknown:
            raise FormatError(source, None, f"its metadata call {shortened(unknown[0])} ascending, which is no feature")
        for name, part in parts.items():
            for column, problem in (
                ("score_int", "has whole and real scores; write all of them to one column"),
                ("joint", "has rows with a number in 'joint' and rows without; give one to all of them or to none"),
            ):
                if 0 < part[column].null_count < len(part):
                    raise FormatError(source, None, f"feature {shortened(name)} {problem}")
        scored = {name: parts.get(name, nothing) for name in named}
        left_out = {name: (queries, documents) for name, (queries, documents) in known["left_out"].items()}
        return cls(judged, scored, tuple(known["ascending"]), left_out, known["judgments"], source)

    @property
    def features(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(self.scored)

    @property
    def table(self) -> pa.Table:
        """All rows, columns as in :data:`COLUMNS`: judged documents, which have no feature, then each feature."""
        names = pa.array(self.scored, pa.string())
        parts = []
        for place, part in enumerate([self.judged, *self.scored.values()]):
            code = pa.array(np.full(len(part), max(0, place - 1), dtype=np.int32), mask=np.full(len(part), place == 0))
            parts.append(part.add_column(0, "feature", pa.DictionaryArray.from_arrays(code, names)))
        return pa.concat_tables(parts, promote_options="permissive")

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.judged) + sum(map(len, self.scored.values()))

    @property
    def frame(self) -> pd.DataFrame:
        """The table as a frame; empty where there is no feature, no such score or no grade."""
        import pandas as pd  # only when asked for

        text = pd.Series([""]).dtype  # plain objects before pandas 3, where no mapping is needed
        kinds: dict[Any, Any] = {pa.int64(): pd.Int64Dtype(), pa.string(): None if text.name == "object" else text}
        shown = self.to_arrow().drop_columns([] if self.joint else ["joint"]).replace_schema_metadata(None)
        return shown.to_pandas(types_mapper=kinds.get).astype({"n": "int64"})

    @property
    def n_documents(self) -> int:
        """Documents that the features score, taken together."""
        return sum(_sum(part["n"]) for part in self.scored.values())

    @property
    def n_judged(self) -> int:
        """Documents that are judged."""
        return _sum(self.judged["n"])

    @property
    def joint(self) -> tuple[str, ...]:
        """Features whose scores are counted together, so that they can break the ties of each other."""
        return tuple(name for name, part in self.scored.items() if part["joint"].null_count < len(part))

    def judged_queries(self) -> pa.Array:
        """Ids of the judged queries, in the order in which queries are numbered."""
        return pc.unique(self.judged["query_id"]).dictionary_decode()

    def to_arrow(self) -> pa.Table:
        """Return the table with the types of a file, and its metadata."""
        return self.table.cast(self._schema())

    def _schema(self) -> pa.Schema:
        about = {
            "version": VERSION,
            "features": self.features,
            "ascending": self.ascending,
            "left_out": self.left_out,
            "judgments": self.judgments,
        }
        return pa.schema(COLUMNS.items(), metadata={METADATA_KEY: json.dumps(about, ensure_ascii=False)})

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write one Parquet file."""
        table, schema = self.table, self._schema()
        try:
            from pyarrow import parquet  # takes longer to import than all of tiecore

            with parquet.ParquetWriter(fspath(path), schema, **_WRITING) as file:
                for begin in range(0, len(table), _GROUP_ROWS):  # a few rows at a time: wide numbers take room
                    file.write_table(table.slice(begin, _GROUP_ROWS).cast(schema), row_group_size=_GROUP_ROWS)
        except OSError as error:
            raise TiecoreError(f"cannot write {shortened(fspath(path))}: {error.strerror or error}") from None

    def __add__(self, other: Counts) -> Counts:
        """Add the counts of other documents up.

        Where both were counted against the same judgments, these stay as they are; otherwise judged documents are other
        documents too, and add up.
        """
        if not isinstance(other, Counts):
            return NotImplemented
        source = f"{self.source} + {other.source}"
        is_same = self.judgments is not None and self.judgments == other.judgments
        if is_same and self.joint and other.joint and not {*self.joint} & {*other.joint}:
            raise TiecoreError(
                f"{source}: both count features of the same judgments together, {listed(self.joint)} in one table and "
                f"{listed(other.joint)} in the other, and which documents of one are those of the other is not known: "
                "count them in one table"
            )
        for name in {*self.features} & {*other.features}:
            if (name in self.ascending) != (name in other.ascending):
                raise TiecoreError(f"{shortened(name)} is ascending in one table of counts and not in the other")
        first, second = self.to_arrow(), other.to_arrow()
        if is_same:
            second = second.filter(second["feature"].is_valid())
        if self.joint:  # the same number means other documents in another table
            moved = pc.add(second["joint"], pc.max(first["joint"]).as_py() + 1)
            second = second.set_column(second.schema.get_field_index("joint"), "joint", moved)
        both = pa.concat_tables([first, second], promote_options="none")
        # one thread keeps the order in which rows were first seen
        summed = both.group_by(_KEYS, use_threads=False).aggregate([("n", "sum")]).rename_columns([*_KEYS, "n"])
        about = {
            "features": list(dict.fromkeys([*self.features, *other.features])),
            "ascending": list(dict.fromkeys([*self.ascending, *other.ascending])),
            "left_out": {
                name: np.add(self.left_out.get(name, (0, 0)), other.left_out.get(name, (0, 0))).tolist()
                for name in {**self.left_out, **other.left_out}
            },
            "judgments": self.judgments if is_same else _joined(self.judgments, other.judgments),
        }
        added = Counts.of(summed.replace_schema_metadata({METADATA_KEY: json.dumps(about)}), source=source)
        return replace(added, source=self.source)


def _sum(n: pa.ChunkedArray) -> int:
    return int(pc.sum(n).as_py() or 0)


def _joined(first: str | None, second: str | None) -> str | None:
    """Return what tells the judgments of two tables together: it adds up as they do."""
    return None if first is None or second is None else f"{(int(first, 16) + int(second, 16)) % 2**64:016x}"


def _metadata(metadata: Mapping[bytes, bytes] | None, source: str) -> dict[str, Any]:
    """Read what a table says about itself; nothing where another program wrote it without."""
    known: dict[str, Any] = {"version": VERSION, "features": [], "ascending": [], "left_out": {}, "judgments": None}
    try:
        known = {**known, **json.loads((metadata or {}).get(METADATA_KEY, b"{}"))}
        are_names = all(isinstance(name, str) for name in [*known["features"], *known["ascending"]])
        are_pairs = all(len(pair) == 2 and all(type(n) is int for n in pair) for pair in known["left_out"].values())
        if not are_names or not are_pairs:
            raise ValueError
        if known["judgments"] is not None:
            int(known["judgments"], 16)
    except (ValueError, TypeError, AttributeError, RecursionError):
        problem = f"its metadata {METADATA_KEY.decode()} cannot be read: write it again"
        raise FormatError(source, None, problem) from None
    if known["version"] != VERSION:
        found = shortened(known["version"])
        raise FormatError(source, None, f"is of version {found} of the format; this tiecore reads version {VERSION}")
    return known


def _checked(table: pa.Table, source: str) -> pa.Table:
    """Return the rows that count any document with their proper types, or say what is wrong with the first one."""
    names = table.column_names
    if not has_columns(names) or len(set(names)) < len(names):
        raise FormatError(source, None, f"is no table of counts: it needs {', '.join(COLUMNS)}; found {listed(names)}")
    absent = pa.chunked_array([pa.nulls(len(table))])
    rows = pa.table({name: _cast(table[name] if name in names else absent, name, source) for name in COLUMNS})
    feature, grade, n = rows["feature"], rows["grade"], rows["n"]
    of_feature, is_whole, is_real = (rows[name].is_valid() for name in ("feature", "score_int", "score_double"))
    is_scored, of_judged = pc.or_(is_whole, is_real), feature.is_null()
    for is_wrong, problem in (
        (rows["query_id"].is_null(), "query_id is null; every row belongs to a query"),
        (
            pc.or_(n.is_null(), _outside(n, 0, MOST_DOCUMENTS)),
            f"n must be a number of documents, from 0 to {MOST_DOCUMENTS:,}, the most of a query",
        ),
        (_outside(grade, UNJUDGED + 1, _MOST_GRADE), f"grade {UNJUDGED} stands for documents that are not judged"),
        (_outside(rows["joint"], 0, _MOST_NUMBER), f"'joint' must be a number from 0 to {_MOST_NUMBER:,}"),
        (_is_nan(rows["score_double"]), "the score is NaN; leave out what has no score"),
        (pc.and_(is_whole, is_real), "it has two scores; a feature has score_int or score_double"),
        (pc.and_not(of_feature, is_scored), "a row with a feature needs score_int or score_double"),
        (pc.and_(of_judged, is_scored), "a row with a score needs a feature"),
        (
            pc.and_(of_judged, grade.is_null()),
            "a row without a feature counts judged documents and needs a grade",
        ),
        (
            pc.and_(of_judged, rows["joint"].is_valid()),
            "a row without a feature counts all judged documents of a grade, so it has no number in 'joint'",
        ),
    ):
        if any(chunk.true_count for chunk in is_wrong.chunks):  # quicker than asking for any
            raise FormatError(source, None, f"row {pc.index(is_wrong, True).as_py() + 1}: {problem}")
    return rows.filter(pc.greater(n, 0)) if len(n) and pc.min(n).as_py() == 0 else rows


def _outside(column: pa.ChunkedArray, least: int, most: int) -> pa.ChunkedArray:
    """Return for each whole number whether it is below the least or beyond the most that may be; null is not."""
    if column.null_count < len(column):
        ends = pc.min_max(column).as_py()
        if ends["min"] < least or ends["max"] > most:
            return pc.fill_null(pc.or_(pc.less(column, least), pc.greater(column, most)), False)
    return pa.chunked_array([pa.repeat(False, len(column))])


def _is_nan(scores: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return for each score whether it is NaN, which null is not."""
    return scores.is_valid() if pa.types.is_null(scores.type) else pc.fill_null(pc.is_nan(scores), False)


def _cast(column: pa.ChunkedArray, name: str, source: str) -> pa.ChunkedArray:
    """Return a column with its type: names as dictionaries, whole numbers in any width, nulls where all are."""
    kind = COLUMNS[name]
    if column.null_count == len(column):  # it has no type of its own where a frame held it
        return column.cast(kind).dictionary_encode() if name in _NAMES else pa.chunked_array([pa.nulls(len(column))])
    found = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    is_text = pa.types.is_string(found) or pa.types.is_large_string(found) or pa.types.is_string_view(found)
    is_whole = pa.types.is_integer(found)
    fits = {"feature": is_text, "query_id": is_text or is_whole, "score_double": pa.types.is_floating(found)}
    if not fits.get(name, is_whole):
        raise FormatError(source, None, f"{name!r} holds {found}; expected {kind}")
    try:
        if name in _NAMES:
            is_ready = pa.types.is_dictionary(column.type) and pa.types.is_string(found)
            return column if is_ready else column.cast(kind).dictionary_encode()
        return column if pa.types.is_signed_integer(found) else column.cast(kind)
    except pa.ArrowInvalid as error:
        reason = str(error).splitlines()[0][:80]
        raise FormatError(source, None, f"{name!r} cannot be read as {kind}: {reason}") from None


def _parts(rows: pa.Table) -> dict[str | None, pa.Table]:
    """Return the rows of each feature, under None those of judged documents; each column is in one piece."""

    def codes(batch: pa.RecordBatch) -> np.ndarray:
        return batch["feature"].indices.fill_null(-1).to_numpy()

    batches = rows.to_batches()
    begins = [starts(codes(batch)) for batch in batches]
    if sum(map(len, begins)) > _MOST_RUNS + len(batches):
        (whole,) = rows.unify_dictionaries().combine_chunks().to_batches()
        batches = [whole.take(pa.array(np.argsort(codes(whole), kind="stable")))]
        begins = [starts(codes(batches[0]))]
    found: dict[str | None, list[pa.RecordBatch]] = {}
    for of_batch, batch in zip(begins, batches, strict=True):
        without = batch.drop_columns(["feature"])
        for begin, end in pairwise([*of_batch.tolist(), len(batch)]):
            name = batch["feature"][begin].as_py()
            found.setdefault(name, []).append(without.slice(begin, end - begin))
    # queries get a dictionary for each feature: one for all rows would need a copy of all codes, and new memory is slow
    parts = in_threads(lambda some: narrow(pa.Table.from_batches(some).combine_chunks()), list(found.values()))
    return dict(zip(found, parts, strict=True))


def narrow(rows: pa.Table) -> pa.Table:
    """Return the rows with numbers as narrow as they allow, and nothing kept of empty columns."""
    columns = {}
    for name in rows.column_names:
        column = rows[name]
        if name not in _NAMES and column.null_count == len(column):
            column = pa.chunked_array([pa.nulls(len(column))])
        elif pa.types.is_signed_integer(column.type):
            ends = pc.min_max(column).as_py()
            reach = max(-ends["min"] - 1, ends["max"])
            column = column.cast(pa.from_numpy_dtype(np.min_scalar_type(-reach - 1)))
        columns[name] = column
    return pa.table(columns)


def joint_names(joint: str | Iterable[str], features: Sequence[str]) -> tuple[str, ...]:
    """Check the names of features that are counted together."""
    given = [joint] if isinstance(joint, str) or not isinstance(joint, Iterable) else list(joint)
    unknown = [name for name in given if name not in features]
    if unknown:
        raise TiecoreError(f"joint names {shortened(unknown[0])}, which is no feature; there are {listed(features)}")
    names = tuple(dict.fromkeys(given))
    if len(names) == 1:
        raise TiecoreError(
            f"joint names {shortened(names[0])} alone: name the features that may break its ties as well"
        )
    return names

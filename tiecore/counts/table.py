"""A table of counts: its columns, what is refused in them, adding two of them up, and writing them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from tiecore.errors import FormatError, TiecoreError, listed, shortened

__all__ = ["COLUMNS", "METADATA_KEY", "Counts", "has_columns"]

METADATA_KEY = b"tiecore.counts"
VERSION = 1
COLUMNS = {
    "feature": pa.string(),
    "query_id": pa.string(),
    "score_int": pa.int64(),
    "score_double": pa.float64(),
    "grade": pa.int64(),
    "n": pa.int64(),
}
"""Columns and their types, in order."""
_SCHEMA = pa.schema(COLUMNS.items())
_NEEDED = frozenset(COLUMNS) - {"score_int", "score_double"}
_KEYS = [name for name in COLUMNS if name != "n"]


def has_columns(names: Iterable[str]) -> bool:
    """Tell whether these are the columns of a table of counts."""
    return _NEEDED <= set(names) <= set(COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How many documents of each grade share each score in each query, and the judged documents by grade.

    It is judgments and features at once: give it to :func:`tiecore.evaluate` alone. Two of them add up.
    """

    table: pa.Table
    """Columns :data:`COLUMNS`; rows without a feature count the judged documents of a query."""
    features: tuple[str, ...]
    """Names in order."""
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

        Parameters
        ----------
        table
            Its rows.
        source
            Name for messages.
        features
            Names that come first, also of features that score no document; for tables without metadata.
        """
        if isinstance(table, pd.DataFrame):
            table = pa.Table.from_pandas(table, preserve_index=False)
        known = _metadata(table, source)
        rows = _checked(table, source)
        in_rows = [name for name in pc.unique(rows["feature"]).to_pylist() if name is not None]
        named = tuple(dict.fromkeys([*features, *known["features"], *sorted(in_rows)]))
        if not named:
            raise FormatError(source, None, "counts no feature, only judged documents: add rows with a feature")
        unknown = [name for name in known["ascending"] if name not in named]
        if unknown:
            raise FormatError(source, None, f"its metadata call {shortened(unknown[0])} ascending, which is no feature")
        left_out = {name: (int(queries), int(rows)) for name, (queries, rows) in known["left_out"].items()}
        return cls(rows, named, tuple(known["ascending"]), left_out, known["judgments"], source)

    @property
    def frame(self) -> pd.DataFrame:
        """The table as a frame; empty where there is no feature, no such score or no grade."""
        kinds: dict[Any, Any] = {pa.int64(): pd.Int64Dtype(), pa.string(): pd.StringDtype(na_value=float("nan"))}
        return self.table.to_pandas(types_mapper=kinds.get).astype({"n": "int64"})

    @property
    def n_documents(self) -> int:
        """Documents that the features score, taken together."""
        return int(pc.sum(self.table["n"].filter(self.table["feature"].is_valid())).as_py() or 0)

    @property
    def n_judged(self) -> int:
        """Documents that are judged."""
        return int(pc.sum(self.table["n"].filter(self.table["feature"].is_null())).as_py() or 0)

    def judged_queries(self) -> pa.Array:
        """Ids of the judged queries, in the order in which queries are numbered."""
        return pc.unique(self.table["query_id"].filter(self.table["feature"].is_null()))

    def to_arrow(self) -> pa.Table:
        """Return the table with its metadata."""
        about = {
            "version": VERSION,
            "features": self.features,
            "ascending": self.ascending,
            "left_out": self.left_out,
            "judgments": self.judgments,
        }
        return self.table.replace_schema_metadata({METADATA_KEY: json.dumps(about, ensure_ascii=False)})

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write one Parquet file."""
        try:
            parquet.write_table(self.to_arrow(), fspath(path), compression="zstd")
        except OSError as error:
            raise TiecoreError(f"cannot write {shortened(fspath(path))}: {error.strerror or error}") from None

    def __add__(self, other: Counts) -> Counts:
        """Add the counts of other documents up.

        Where both were counted against the same judgments, these stay as they are; otherwise judged documents are other
        documents too, and add up.
        """
        if not isinstance(other, Counts):
            return NotImplemented
        same = self.judgments is not None and self.judgments == other.judgments
        added = other.table.filter(other.table["feature"].is_valid()) if same else other.table
        both = pa.concat_tables([self.table, added])
        # one thread keeps the order in which rows were first seen
        summed = both.group_by(_KEYS, use_threads=False).aggregate([("n", "sum")]).rename_columns([*_KEYS, "n"])
        if self.judgments is None or other.judgments is None:
            judgments = None
        else:
            judgments = self.judgments if same else _joined(self.judgments, other.judgments)
        left_out = {
            name: _sum(self.left_out.get(name, (0, 0)), other.left_out.get(name, (0, 0)))
            for name in {**self.left_out, **other.left_out}
        }
        features = tuple(dict.fromkeys([*self.features, *other.features]))
        for name in {*self.features} & {*other.features}:
            if (name in self.ascending) != (name in other.ascending):
                raise TiecoreError(f"{shortened(name)} is ascending in one table of counts and not in the other")
        ascending = tuple(dict.fromkeys([*self.ascending, *other.ascending]))
        rows = _checked(summed, f"{self.source} + {other.source}")
        return Counts(rows, features, ascending, left_out, judgments, self.source)


def _sum(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    return first[0] + second[0], first[1] + second[1]


def _joined(first: str, second: str) -> str:
    """Return what tells the judgments of two tables together: it adds up as they do."""
    return f"{(int(first, 16) + int(second, 16)) % 2**64:016x}"


def _metadata(table: pa.Table, source: str) -> dict[str, Any]:
    """Read what a table says about itself; nothing where another program wrote it without."""
    known: dict[str, Any] = {"version": VERSION, "features": [], "ascending": [], "left_out": {}, "judgments": None}
    written = (table.schema.metadata or {}).get(METADATA_KEY)
    if written is None:
        return known
    try:
        known = {**known, **json.loads(written)}
        are_names = all(isinstance(name, str) for name in [*known["features"], *known["ascending"]])
        are_pairs = all(len(pair) == 2 and all(type(n) is int for n in pair) for pair in known["left_out"].values())
        if not are_names or not are_pairs or not isinstance(known["judgments"], str | None):
            raise ValueError
        if known["judgments"] is not None:
            int(known["judgments"], 16)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise FormatError(
            source, None, f"its metadata {METADATA_KEY.decode()} cannot be read: write it again"
        ) from None
    if known["version"] != VERSION:
        found = shortened(known["version"])
        raise FormatError(source, None, f"is of version {found} of the format; this tiecore reads version {VERSION}")
    return known


def _checked(table: pa.Table, source: str) -> pa.Table:
    """Return the rows with their proper types, or say what is wrong with the first that cannot be."""
    names = table.column_names
    if not has_columns(names) or len(set(names)) < len(names):
        raise FormatError(source, None, f"is no table of counts: it needs {', '.join(COLUMNS)}; found {listed(names)}")
    columns = []
    for name, kind in COLUMNS.items():
        if name not in names:
            columns.append(pa.nulls(len(table), kind))
            continue
        columns.append(_cast(table[name], name, kind, source))
    rows = pa.table(columns, schema=_SCHEMA)
    of_feature, whole, real = rows["feature"].is_valid(), rows["score_int"].is_valid(), rows["score_double"].is_valid()
    for wrong, problem in (
        (rows["query_id"].is_null(), "query_id is null; every row belongs to a query"),
        (pc.fill_null(pc.less(rows["n"], 0), True), "n must be a number of documents, 0 or more"),
        (pc.fill_null(pc.is_nan(rows["score_double"]), False), "the score is NaN; leave out what has no score"),
        (pc.and_(whole, real), "it has two scores; a feature has score_int or score_double"),
        (pc.and_(of_feature, pc.invert(pc.or_(whole, real))), "a row with a feature needs score_int or score_double"),
        (pc.and_(pc.invert(of_feature), pc.or_(whole, real)), "a row with a score needs a feature"),
        (
            pc.and_(pc.invert(of_feature), rows["grade"].is_null()),
            "a row without a feature counts judged documents and needs a grade",
        ),
    ):
        first = pc.index(wrong, True).as_py()
        if first >= 0:
            raise FormatError(source, None, f"row {first + 1}: {problem}")
    rows = rows.filter(pc.greater(rows["n"], 0))
    if not pc.any(rows["feature"].is_null()).as_py():
        raise FormatError(source, None, "counts no judged documents: add rows without a feature")
    mixed = set(pc.unique(rows["feature"].filter(rows["score_int"].is_valid())).to_pylist()) & set(
        pc.unique(rows["feature"].filter(rows["score_double"].is_valid())).to_pylist()
    )
    if mixed:
        problem = f"feature {shortened(min(mixed))} has whole and real scores; write all of them to one column"
        raise FormatError(source, None, problem)
    return rows.combine_chunks()


def _cast(column: pa.ChunkedArray, name: str, kind: pa.DataType, source: str) -> pa.ChunkedArray:
    found = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    fits = {
        "feature": _is_text,
        "query_id": lambda own: _is_text(own) or pa.types.is_integer(own),
        "score_double": pa.types.is_floating,
    }.get(name, pa.types.is_integer)
    # a column of nothing but nulls has no type of its own where a frame held it
    if not fits(found) and column.null_count < len(column):
        raise FormatError(source, None, f"{name!r} holds {found}; expected {kind}")
    try:
        return column.cast(kind)
    except pa.ArrowInvalid as error:
        reason = str(error).splitlines()[0][:80]
        raise FormatError(source, None, f"{name!r} cannot be read as {kind}: {reason}") from None


def _is_text(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def chosen(counts: Counts, only: Sequence[str]) -> Counts:
    """Return the counts of some features, in their order."""
    kept = pc.or_(counts.table["feature"].is_null(), pc.is_in(counts.table["feature"], pa.array(only, pa.string())))
    return Counts(
        counts.table.filter(kept),
        tuple(only),
        tuple(name for name in counts.ascending if name in only),
        {name: counts.left_out[name] for name in only if name in counts.left_out},
        counts.judgments,
        counts.source,
    )

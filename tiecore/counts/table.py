"""A table of counts: its columns, what is refused in them, adding two of them up, and writing them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from tiecore.counts.cells import Cells, Facts, Heads, Layout
from tiecore.counts.layout import heads_first
from tiecore.errors import FormatError, TiecoreError, listed, shortened

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COLUMNS", "METADATA_KEY", "NEEDED", "Counts", "has_columns", "in_memory", "narrowest", "together_named"]

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
NEEDED = frozenset(COLUMNS) - {"score_int", "score_double", "joint"}
_KEYS = [name for name in COLUMNS if name != "n"]
GROUP_ROWS = 1 << 17
"""Rows of a row group, which readers take in one go."""
_FEWEST_ROWS = 1 << 14
"""Of a piece, on average: what is done piece by piece then stays in the processor's cache and takes little more."""
_WIDTHS = ((pa.int8(), 2**7), (pa.int16(), 2**15), (pa.int32(), 2**31))


def has_columns(names: Iterable[str]) -> bool:
    """Tell whether these are the columns of a table of counts."""
    return NEEDED <= set(names) <= set(COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """How many documents of each grade share each score in each query, and the judged documents by grade.

    It is judgments and features at once: give it to :func:`tiecore.evaluate` alone. Two of them add up.
    """

    rows: pa.Table | Cells | Heads
    """See ``table``; cells where they were read in order, all of them or, at first, the heads of lists."""
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
        if not isinstance(table, pa.Table):
            table = pa.Table.from_pandas(table, preserve_index=False)
        rows = _checked(table, source)
        return cls._of(rows, _names(rows["feature"]), table.schema.metadata, source=source, features=features)

    @classmethod
    def of_cells(cls, cells: Cells | Heads, metadata: Mapping[bytes, bytes] | None, *, source: str) -> Counts:
        """Take what has been read in order, and the metadata of the file."""
        in_rows = cells.layout.features if isinstance(cells, Heads) else cells.cells
        return cls._of(cells, in_rows, metadata, source=source)

    @classmethod
    def _of(
        cls,
        rows: pa.Table | Cells | Heads,
        in_rows: Iterable[str],
        metadata: Mapping[bytes, bytes] | None,
        *,
        source: str,
        features: Sequence[str] = (),
    ) -> Counts:
        """Take rows with what the metadata say about them."""
        known = _metadata(metadata, source)
        named = tuple(dict.fromkeys([*features, *known["features"], *sorted(in_rows)]))
        if not named:
            raise FormatError(source, None, "counts no feature, only judged documents: add rows with a feature")
        unknown = [name for name in known["ascending"] if name not in named]
        if unknown:
            raise FormatError(source, None, f"its metadata call {shortened(unknown[0])} ascending, which is no feature")
        left_out = {name: (int(queries), int(documents)) for name, (queries, documents) in known["left_out"].items()}
        return cls(rows, named, tuple(known["ascending"]), left_out, known["judgments"], source)

    @property
    def table(self) -> pa.Table:
        """Columns :data:`COLUMNS`, names as dictionaries, of each piece its own, and numbers as narrow as they allow.

        Rows without a feature count the judged documents of a query.
        """
        rows = self.rows.whole if isinstance(self.rows, Heads) else self.rows
        return in_memory(rows.table) if isinstance(rows, Cells) else rows

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        if isinstance(self.rows, Heads):
            return self.rows.layout.rows
        return len(self.rows.query) if isinstance(self.rows, Cells) else len(self.rows)

    @property
    def _cells(self) -> Cells | None:
        """Cells, of which the judged documents are sure to be there; None where rows stand in any order."""
        if isinstance(self.rows, Heads):
            return self.rows.cells
        return self.rows if isinstance(self.rows, Cells) else None

    @property
    def frame(self) -> pd.DataFrame:
        """The table as a frame; empty where there is no feature, no such score or no grade."""
        import pandas as pd  # only when asked for

        text = pd.Series([""]).dtype  # plain objects before pandas 3, where no mapping is needed
        kinds: dict[Any, Any] = {pa.int64(): pd.Int64Dtype(), pa.string(): None if text.name == "object" else text}
        shown = self._as_written().drop_columns([] if self.joint else ["joint"])
        return shown.to_pandas(types_mapper=kinds.get).astype({"n": "int64"})

    @property
    def n_documents(self) -> int:
        """Documents that the features score, taken together."""
        if isinstance(self.rows, Heads):
            return sum(facts.documents for facts in self.rows.layout.features.values())
        if isinstance(self.rows, Cells):
            return int(self.rows.documents[self.rows.n_judged :].sum())
        return _sum_of(self.rows["n"]) - self.n_judged

    @property
    def joint(self) -> tuple[str, ...]:
        """Features whose scores are counted together, so that they can break the ties of each other."""
        if isinstance(self.rows, Cells | Heads) or self.rows["joint"].null_count == len(self.rows):
            return ()
        found = set(_names(self.rows["feature"].filter(self.rows["joint"].is_valid())))
        return tuple(name for name in self.features if name in found)

    @property
    def n_judged(self) -> int:
        """Documents that are judged."""
        if (cells := self._cells) is not None:
            return int(cells.documents[: cells.n_judged].sum())
        return _sum_of(self.judged_rows()["n"])

    def judged_rows(self) -> pa.Table:
        """Return the rows without a feature; they mostly stand together, so most pieces have none."""
        batches = [batch for batch in self.table.to_batches() if batch["feature"].null_count]
        found = pa.Table.from_batches([batch.filter(batch["feature"].is_null()) for batch in batches])
        return found.unify_dictionaries()

    def judged_queries(self) -> pa.Array:
        """Ids of the judged queries, in the order in which queries are numbered."""
        if (cells := self._cells) is not None:
            return cells.query_ids
        return pc.unique(self.judged_rows()["query_id"]).dictionary_decode()

    def _as_written(self) -> pa.Table:
        """Return the table with the types of a file."""
        return self.table.cast(pa.schema(COLUMNS.items()))

    def to_arrow(self) -> pa.Table:
        """Return the table with the types of a file, and its metadata."""
        return self._as_written().replace_schema_metadata(self._about())

    def _about(self, layout: Layout | None = None) -> dict[bytes, str]:
        about: dict[str, Any] = {
            "version": VERSION,
            "features": self.features,
            "ascending": self.ascending,
            "left_out": self.left_out,
            "judgments": self.judgments,
        }
        if layout is not None:
            about["heads"] = asdict(layout)
        return {METADATA_KEY: json.dumps(about, ensure_ascii=False)}

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write one Parquet file; of a large table whose rows stand in order, the heads of lists first."""
        table = self.table
        parted = heads_first(table, self.ascending)
        layout, parts = (None, [table]) if parted is None else parted
        schema = pa.schema(COLUMNS.items(), metadata=self._about(layout))
        try:
            from pyarrow import parquet  # takes longer to import than all of tiecore

            with parquet.ParquetWriter(fspath(path), schema, compression="zstd") as file:
                for part in parts:
                    for begin in range(0, len(part), GROUP_ROWS):
                        some = part.slice(begin, GROUP_ROWS).cast(schema)  # a few at a time: wide numbers take room
                        file.write_table(some, row_group_size=GROUP_ROWS)
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
        if self.joint:  # the same number means other documents in another table
            begin = int(pc.max(self.table["joint"]).as_py()) + 1
            moved = pc.add(added["joint"].cast(pa.int64()), begin)
            added = added.set_column(added.schema.get_field_index("joint"), "joint", moved)
        both = pa.concat_tables([self.table, added], promote_options="permissive").unify_dictionaries()
        for place, (name, kind) in enumerate(COLUMNS.items()):
            if pa.types.is_null(both[name].type):  # nothing to tell rows apart by, but a key all the same
                both = both.set_column(place, name, pa.nulls(len(both), kind))
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


def _sum_of(n: pa.ChunkedArray) -> int:
    return int(pc.sum(n).as_py() or 0)


def _sum(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    return first[0] + second[0], first[1] + second[1]


def _joined(first: str, second: str) -> str:
    """Return what tells the judgments of two tables together: it adds up as they do."""
    return f"{(int(first, 16) + int(second, 16)) % 2**64:016x}"


def layout_in(metadata: Mapping[bytes, bytes] | None, source: str) -> tuple[Layout | None, frozenset[str]]:
    """Read what a file says about the heads of its lists, and of which features low scores stand there."""
    known = _metadata(metadata, source)
    return known["heads"], frozenset(known["ascending"])


def _metadata(metadata: Mapping[bytes, bytes] | None, source: str) -> dict[str, Any]:
    """Read what a table says about itself; nothing where another program wrote it without."""
    known: dict[str, Any] = {
        "version": VERSION, "features": [], "ascending": [], "left_out": {}, "judgments": None, "heads": None,
    }  # fmt: skip
    written = (metadata or {}).get(METADATA_KEY)
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
        if known["heads"] is not None:
            known["heads"] = _layout(known["heads"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise FormatError(
            source, None, f"its metadata {METADATA_KEY.decode()} cannot be read: write it again"
        ) from None
    if known["version"] != VERSION:
        found = shortened(known["version"])
        raise FormatError(source, None, f"is of version {found} of the format; this tiecore reads version {VERSION}")
    return known


def _layout(written: Mapping[str, Any]) -> Layout:
    """Read what a file says about the heads of its lists."""
    features = {name: Facts(*numbers) for name, numbers in written["features"].items()}
    found = Layout(depth=written["depth"], head_rows=written["head_rows"], rows=written["rows"], features=features)
    numbers = [found.depth, found.head_rows, found.rows, *(n for of_one in features.values() for n in of_one)]
    if found.depth == 0 or not all(type(n) is int and n >= 0 for n in numbers):
        raise ValueError
    return found


def _checked(table: pa.Table, source: str) -> pa.Table:
    """Return the rows with their proper types, or say what is wrong with the first that cannot be."""
    names = table.column_names
    if not has_columns(names) or len(set(names)) < len(names):
        raise FormatError(source, None, f"is no table of counts: it needs {', '.join(COLUMNS)}; found {listed(names)}")
    columns = []
    for name, kind in COLUMNS.items():
        if name not in names:
            columns.append(pa.chunked_array([pa.nulls(len(table))]))
            continue
        columns.append(_cast(table[name], name, kind, source))
    rows = pa.table(dict(zip(COLUMNS, columns, strict=True)))
    of_feature, whole, real = rows["feature"].is_valid(), rows["score_int"].is_valid(), rows["score_double"].is_valid()
    zero = pa.scalar(0, rows["n"].type)  # a number of another type would widen the whole column
    for wrong, problem in (
        (rows["query_id"].is_null(), "query_id is null; every row belongs to a query"),
        (pc.fill_null(pc.less(rows["n"], zero), True), "n must be a number of documents, 0 or more"),
        (_is_nan(rows["score_double"]), "the score is NaN; leave out what has no score"),
        (pc.and_(whole, real), "it has two scores; a feature has score_int or score_double"),
        (pc.and_(of_feature, pc.invert(pc.or_(whole, real))), "a row with a feature needs score_int or score_double"),
        (pc.and_(pc.invert(of_feature), pc.or_(whole, real)), "a row with a score needs a feature"),
        (
            pc.and_(pc.invert(of_feature), rows["grade"].is_null()),
            "a row without a feature counts judged documents and needs a grade",
        ),
        (
            pc.and_(pc.invert(of_feature), rows["joint"].is_valid()),
            "a row without a feature counts all judged documents of a grade, so it has no number in 'joint'",
        ),
    ):
        if pc.any(wrong).as_py():
            raise FormatError(source, None, f"row {pc.index(wrong, True).as_py() + 1}: {problem}")
    if not pc.all(pc.greater(rows["n"], zero)).as_py():
        rows = rows.filter(pc.greater(rows["n"], zero))
        whole, real = rows["score_int"].is_valid(), rows["score_double"].is_valid()
    if not rows["feature"].null_count:
        raise FormatError(source, None, "counts no judged documents: add rows without a feature")
    for one, other, problem in (
        (whole, real, "has whole and real scores; write all of them to one column"),
        (
            rows["joint"].is_valid(),
            pc.and_(rows["joint"].is_null(), rows["feature"].is_valid()),
            "has rows with a number in 'joint' and rows without; give one to all of them or to none",
        ),
    ):
        mixed = _both(rows["feature"], one, other)
        if mixed:
            raise FormatError(source, None, f"feature {shortened(min(mixed))} {problem}")
    return in_memory(rows)


def _is_nan(scores: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return for each score whether it is NaN, which null is not."""
    return scores.is_valid() if pa.types.is_null(scores.type) else pc.fill_null(pc.is_nan(scores), False)


def _both(feature: pa.ChunkedArray, one: pa.ChunkedArray, other: pa.ChunkedArray) -> set[str]:
    """Features that have rows of two kinds."""
    if not (pc.any(one).as_py() and pc.any(other).as_py()):
        return set()
    return set(_names(feature.filter(one))) & set(_names(feature.filter(other)))


def _names(column: pa.ChunkedArray) -> list[str]:
    """Names that occur in a column, without null."""
    names = dict.fromkeys(name for chunk in column.chunks for name in pc.unique(chunk).to_pylist())
    return [name for name in names if name is not None]


def narrowest(least: int, most: int) -> pa.DataType:
    """Return the type of the narrowest whole numbers from ``least`` to ``most``."""
    reach = max(-least - 1, most)
    return next((kind for kind, limit in _WIDTHS if reach < limit), pa.int64())


def in_memory(rows: pa.Table) -> pa.Table:
    """Return the rows in few pieces, with numbers as narrow as they allow and nothing kept of empty columns."""
    if rows["n"].num_chunks * _FEWEST_ROWS > len(rows):
        rows = rows.unify_dictionaries().combine_chunks()
    columns = {}
    for name in rows.column_names:
        column = rows[name]
        if column.null_count == len(column):
            column = pa.chunked_array([pa.nulls(len(column))])
        elif pa.types.is_integer(column.type):
            ends = pc.min_max(column).as_py()
            column = column.cast(narrowest(ends["min"], ends["max"]))
        columns[name] = column
    return pa.table(columns)


def _cast(column: pa.ChunkedArray, name: str, kind: pa.DataType, source: str) -> pa.ChunkedArray:
    """Return a column with the type that it has in a file; names as dictionaries, whole numbers in any width."""
    found = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    fits = {
        "feature": _is_text,
        "query_id": lambda own: _is_text(own) or pa.types.is_integer(own),
        "score_double": pa.types.is_floating,
    }.get(name, pa.types.is_integer)
    # a column of nothing but nulls has no type of its own where a frame held it
    if not fits(found) and column.null_count < len(column):
        raise FormatError(source, None, f"{name!r} holds {found}; expected {kind}")
    if column.null_count == len(column):
        return pa.chunked_array([pa.nulls(len(column), kind if name == "n" else None)])
    try:
        if name in ("feature", "query_id"):
            if pa.types.is_dictionary(column.type) and pa.types.is_string(found):
                return column
            return column.cast(kind).dictionary_encode()
        if kind == pa.int64() and pa.types.is_signed_integer(found):
            return column
        return column.cast(kind)
    except pa.ArrowInvalid as error:
        reason = str(error).splitlines()[0][:80]
        raise FormatError(source, None, f"{name!r} cannot be read as {kind}: {reason}") from None


def _is_text(kind: pa.DataType) -> bool:
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def chosen(counts: Counts, only: Sequence[str]) -> Counts:
    """Return the counts of some features, in their order."""
    batches = counts.table.to_batches()
    wanted = pa.array([*only, None], pa.string())
    kept = [pc.is_in(batch["feature"], value_set=wanted) for batch in batches]
    some = [batch.filter(mask) for batch, mask in zip(batches, kept, strict=True) if pc.any(mask).as_py()]
    return Counts(
        counts.table if all(pc.all(mask).as_py() for mask in kept) else pa.Table.from_batches(some),
        tuple(only),
        tuple(name for name in counts.ascending if name in only),
        {name: counts.left_out[name] for name in only if name in counts.left_out},
        counts.judgments,
        counts.source,
    )


def together_named(joint: Iterable[str], features: Sequence[str]) -> tuple[str, ...]:
    """Check the names of features that are counted together."""
    names = tuple(dict.fromkeys([joint] if isinstance(joint, str) else joint))
    unknown = [name for name in names if name not in features]
    if unknown:
        raise TiecoreError(f"joint names {shortened(unknown[0])}, which is no feature; there are {listed(features)}")
    if len(names) == 1:
        raise TiecoreError(
            f"joint names {shortened(names[0])} alone: name the features that may break its ties as well"
        )
    return names

"""DataFrames of judgments and features: their columns by the names that files may have, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from tiecore.counts.sql import repeated_sql
from tiecore.errors import AlignmentError, TiecoreError, listed, shortened
from tiecore.formats.columns import find_columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Checks = Literal["all", "none"]
_WHOLE = ("tinyint", "smallint", "int", "bigint", "boolean")
_REAL = ("float", "double", "decimal")


@dataclass(frozen=True, slots=True)
class Inputs:
    """Judgments and features under the names that the queries use."""

    qrels: DataFrame
    """query_id, doc_id, relevance"""
    features: DataFrame
    """query_id, doc_id, one column a feature"""
    whole: tuple[str, ...]
    real: tuple[str, ...]
    names: tuple[str, ...]
    """All features, in the order of the columns."""
    labelled: DataFrame | None
    """Both in one, with a null in relevance where a document is not judged; None where they are two tables."""


def read_inputs(qrels: DataFrame, features: DataFrame | None) -> Inputs:
    """Find the columns, by the names that files may have."""
    found = find_columns(qrels.columns, source="qrels")
    if found.label is None:
        raise TiecoreError(f"the qrels need a column relevance; found {listed(qrels.columns)}")
    scored = qrels if features is None else features
    columns = found if features is None else find_columns(features.columns, source="features")
    type_of = dict(scored.dtypes)
    whole = tuple(name for name in columns.others if type_of[name] in _WHOLE)
    real = tuple(name for name in columns.others if type_of[name].startswith(_REAL))
    if not whole and not real:
        raise TiecoreError(f"no numeric column besides the ids among {listed(scored.columns)}")
    ids = [_as(qrels, found.query, "query_id"), _as(qrels, found.document, "doc_id")]
    ids.append(_as(qrels, found.label, "relevance", "bigint"))
    own = [_as(scored, columns.query, "query_id"), _as(scored, columns.document, "doc_id")]
    names = tuple(name for name in columns.others if name in whole or name in real)
    named = [_as(scored, name, name, "bigint" if name in whole else "double") for name in names]
    judged = qrels.select(*ids).where("relevance is not null")
    labelled = qrels.select(*ids, *named) if features is None else None
    return Inputs(judged, scored.select(*own, *named), whole, real, names, labelled)


def _as(frame: DataFrame, column: str, name: str, kind: str = "string") -> Any:
    return frame[quoted(column)].cast(kind).alias(name)


def quoted(name: str) -> str:
    """Return the name of a column as SQL of Spark has it."""
    return "`" + name.replace("`", "``") + "`"


def with_views(frames: Sequence[DataFrame], query: Callable[..., str]) -> DataFrame:
    """Run a query over frames under names that nobody else has."""
    session = frames[0].sparkSession
    names = [f"tiecore_{uuid4().hex}" for _ in frames]
    try:
        for frame, name in zip(frames, names, strict=True):
            frame.createOrReplaceTempView(name)
        return session.sql(query(*names))
    finally:
        for name in names:
            session.catalog.dropTempView(name)


def check(inputs: Inputs) -> None:
    """Refuse what the local reader refuses, found by the engine."""
    from pyspark.sql import functions as fn

    apart = {"qrels": inputs.qrels, "features": inputs.features}
    for what, frame in (apart if inputs.labelled is None else {"features": inputs.labelled}).items():
        real = inputs.real if what == "features" else ()
        nulls = fn.isnull("query_id") | fn.isnull("doc_id")
        sums = [fn.sum(wrong.cast("bigint")) for wrong in (nulls, *(fn.isnan(quoted(name)) for name in real))]
        n_null, *n_nan = frame.agg(*sums).first() or [0]
        if n_null:
            raise TiecoreError(f"{what}: an id is null; every row needs a query and a document")
        for name, n_found in zip(real, n_nan, strict=False):
            if n_found:
                raise TiecoreError(f"features: {shortened(name)} is NaN in {n_found} rows; make what has no score null")
        if repeated := with_views([frame], repeated_sql).first():
            document, query = shortened(repeated["doc_id"]), shortened(repeated["query_id"])
            raise TiecoreError(f"{what}: document {document} of query {query} is listed twice: keep one of them")
    if inputs.qrels.isEmpty():
        raise TiecoreError("qrels: there are no judgments in it")
    _check_matches(inputs)


def _check_matches(inputs: Inputs) -> None:
    """Refuse inputs that have no query in common, and features that score no judged document."""
    both = inputs.labelled
    if both is None:
        judged = inputs.features.join(inputs.qrels, ["query_id", "doc_id"], "left_semi")
    else:
        judged = both.where("relevance is not null")
    n_judged = _n_scored(inputs, judged)
    of_judged_queries = inputs.features.join(inputs.qrels, "query_id", "left_semi")
    if not any(n_judged.values()) and of_judged_queries.isEmpty():
        first, second = (listed([row[0] for row in frame.take(3)]) for frame in (inputs.features, inputs.qrels))
        raise AlignmentError(
            f"features and qrels have no query in common: the first name {first}, the second {second}; look for "
            "leading zeros, blanks or a prefix"
        )
    if not all(n_judged.values()):
        _refuse_unmatched(n_judged, _n_scored(inputs, of_judged_queries))


def _n_scored(inputs: Inputs, rows: DataFrame) -> dict[str, int]:
    """Count the documents that each feature scores."""
    from pyspark.sql import functions as fn

    found = rows.agg(*(fn.count(quoted(name)) for name in inputs.names)).first()
    return dict(zip(inputs.names, found or (), strict=True))


def _refuse_unmatched(n_judged: Mapping[str, int], n_scored: Mapping[str, int]) -> None:
    """Refuse features that score documents of judged queries, but none that is judged."""
    if unmatched := [name for name in n_scored if n_scored[name] and not n_judged[name]]:
        raise AlignmentError(
            f"features: no document that {shortened(unmatched[0])} scores is judged: look for a prefix or leading "
            "zeros in the ids, or drop the column"
        )


def check_counts(counts: DataFrame, names: Sequence[str]) -> None:
    """Refuse a table of counts with a feature that scores no judged document."""
    judged = counted_features(counts.where("grade is not null"))
    _refuse_unmatched({name: name in judged for name in names}, dict.fromkeys(names, 1))


def counted_features(counts: DataFrame) -> tuple[str, ...]:
    """Return the names of the features in a table of counts, sorted."""
    names = counts.where("feature is not null").select("feature").distinct().collect()
    return tuple(sorted(row["feature"] for row in names))

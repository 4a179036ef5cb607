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

__all__ = ["Checks", "Inputs", "check", "counted_features", "read_inputs", "refuse_unmatched", "with_views"]

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
    judged = qrels.select(*ids, _as(qrels, found.label, "relevance", "bigint"))
    own = [_as(scored, columns.query, "query_id"), _as(scored, columns.document, "doc_id")]
    named = [_as(scored, name, name, "bigint") for name in whole] + [_as(scored, name, name, "double") for name in real]
    names = tuple(name for name in columns.others if name in whole or name in real)
    labelled = None
    if features is None:
        labelled = qrels.select(*ids, _as(qrels, found.label, "relevance", "bigint"), *named)
    return Inputs(judged.where("relevance is not null"), scored.select(*own, *named), whole, real, names, labelled)


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

    if inputs.labelled is None:
        tables = {"qrels": inputs.qrels, "features": inputs.features}
    else:
        tables = {"features": inputs.labelled}
    for what, frame in tables.items():
        sums = [fn.sum((fn.isnull("query_id") | fn.isnull("doc_id")).cast("bigint"))]
        if what == "features":
            sums += [fn.sum(fn.isnan(quoted(name)).cast("bigint")) for name in inputs.real]
        n_null, *n_nan = frame.agg(*sums).first() or [0]
        if n_null:
            raise TiecoreError(f"{what}: an id is null; every row needs a query and a document")
        for name, n_found in zip(inputs.real, n_nan, strict=False):
            if n_found:
                raise TiecoreError(f"features: {shortened(name)} is NaN in {n_found} rows; make what has no score null")
        _refuse_repeated(what, frame)
    if inputs.qrels.isEmpty():
        raise TiecoreError("qrels: there are no judgments in it")
    _check_matches(inputs)


def _refuse_repeated(what: str, frame: DataFrame) -> None:
    """Refuse a document that is listed twice."""
    from pyspark.sql import functions as fn

    # numbers are shuffled and compared more quickly than ids: only where two of them agree do ids matter
    numbered = frame.select(fn.xxhash64("query_id", "doc_id").alias("number"))
    if numbered.groupBy("number").count().where("count > 1").isEmpty():
        return
    repeated = with_views([frame], repeated_sql).first()
    if repeated is not None:
        document, query = shortened(repeated["doc_id"]), shortened(repeated["query_id"])
        raise TiecoreError(f"{what}: document {document} of query {query} is listed twice: keep one of them")


def _check_matches(inputs: Inputs) -> None:
    """Refuse inputs that have no query in common, and features that score no judged document."""
    if inputs.labelled is not None:
        judged = inputs.labelled.where("relevance is not null")
    else:
        judged = inputs.features.join(inputs.qrels.select("query_id", "doc_id"), ["query_id", "doc_id"], "left_semi")
    n_judged = _n_scored(inputs, judged)
    of_judged_queries = inputs.features.join(inputs.qrels.select("query_id"), "query_id", "left_semi")
    if not any(n_judged.values()) and of_judged_queries.isEmpty():
        some = [
            [row["query_id"] for row in frame.select("query_id").take(3)] for frame in (inputs.features, inputs.qrels)
        ]
        raise AlignmentError(
            f"features and qrels have no query in common: the first name {listed(some[0])}, the second "
            f"{listed(some[1])}; look for leading zeros, blanks or a prefix"
        )
    refuse_unmatched(inputs.names, n_judged, lambda: _n_scored(inputs, of_judged_queries))


def _n_scored(inputs: Inputs, rows: DataFrame) -> dict[str, int]:
    """Count the documents that each feature scores."""
    from pyspark.sql import functions as fn

    found = rows.agg(*(fn.count(quoted(name)).alias(str(place)) for place, name in enumerate(inputs.names))).first()
    return dict(zip(inputs.names, found or (), strict=True))


def refuse_unmatched(
    names: Sequence[str], n_judged: Mapping[str, int], n_scored: Callable[[], Mapping[str, int]]
) -> None:
    """Refuse features that score documents of judged queries, but none that is judged."""
    lacking = [name for name in names if not n_judged[name]]
    if not lacking:
        return
    scored = n_scored()
    unmatched = [name for name in lacking if scored[name]]
    if unmatched:
        raise AlignmentError(
            f"features: no document that {shortened(unmatched[0])} scores is judged: look for a prefix or leading "
            "zeros in the ids, or drop the column"
        )


def counted_features(counts: DataFrame) -> tuple[str, ...]:
    """Return the names of the features in a table of counts, sorted."""
    names = counts.where("feature is not null").select("feature").distinct().collect()
    return tuple(sorted(row["feature"] for row in names))

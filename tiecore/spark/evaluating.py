"""Evaluation of what lies in Spark: counts by plain DataFrame operations, documents only where a tie-break needs them.

    counts = tiecore.spark.count(qrels_df, features_df)        # a DataFrame in the format of docs/counts.md
    e = tiecore.spark.evaluate(qrels_df, features_df, ["nDCG@10"], ["trec_eval"])
    e.summary                                                  # pandas; only sums have come to the driver
    e.per_query                                                # a Spark DataFrame
    e.collect().stability("nDCG@10")                           # an Evaluation, all queries on the driver

The workers of a cluster need tiecore and PyArrow installed, and Spark's Python is the one of ``PYSPARK_PYTHON``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.collection.align import Alignment, align
from tiecore.counts.aligned import aligned
from tiecore.counts.sql import counts_sql, repeated_sql
from tiecore.counts.table import Counts, chosen, has_columns, together_named
from tiecore.errors import AlignmentError, TiecoreError, listed, shortened
from tiecore.evaluation.engine import (
    DEFAULT_MEASURES,
    STATISTICS,
    evaluate_alignment,
    parse_measures,
    parse_tie_breaks,
)
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import Missing, NoRelevant, Options, Queries
from tiecore.formats.columns import find_columns
from tiecore.formats.records import Records
from tiecore.measures import Measure
from tiecore.measures.average_precision import GMAP
from tiecore.ranking.tie_breaks import TieBreak

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Checks", "SparkEvaluation", "count", "evaluate"]

Checks = Literal["all", "none"]
_WHOLE = ("tinyint", "smallint", "int", "bigint", "boolean")
_REAL = ("float", "double", "decimal")
_BY_COUNTS = ("worst", "best")
_BY_DOCUMENT = ("docid-asc", "docid-desc", "random", "feature")
_KEYS = ("measure", "feature", "query_id")
_PARTITIONS = "spark.sql.shuffle.partitions"


@dataclass(frozen=True, slots=True)
class _Inputs:
    """Judgments and features under the names that the queries use."""

    qrels: DataFrame
    """query_id, doc_id, relevance"""
    features: DataFrame
    """query_id, doc_id, one column a feature"""
    whole: tuple[str, ...]
    real: tuple[str, ...]
    names: tuple[str, ...]
    """All features, in the order of the columns."""


def count(
    qrels: DataFrame, features: DataFrame | None = None, *, joint: Sequence[str] = (), checks: Checks = "all"
) -> DataFrame:
    """Count how many documents of each grade share each score in each query; nothing leaves the engine.

    Parameters
    ----------
    qrels
        Columns query_id, doc_id and relevance, or others by the names that files may have. Without ``features``, its
        other numeric columns are the features.
    features
        Columns query_id, doc_id and a numeric one for each feature. A null says that the feature does not score the
        document.
    joint
        Features that are counted together, so that they can break the ties of each other.
    checks
        ``"all"`` looks for documents listed twice, missing ids, NaN and inputs that do not meet before it counts, which
        costs one pass more; ``"none"`` trusts the tables: a document listed twice counts twice.

    Returns
    -------
    DataFrame
        In the format of docs/counts.md, lazily; write it with ``.write.parquet(folder)`` and open the folder with
        :func:`tiecore.evaluate` wherever you like.
    """
    inputs = _inputs(qrels, features)
    if checks == "all":
        _check(inputs)
    return _counted(inputs, together_named(joint, inputs.names))


def evaluate(
    qrels: DataFrame,
    features: DataFrame | None = None,
    measures: Sequence[str | Measure] = DEFAULT_MEASURES,
    tie_breaks: Sequence[str] = (),
    *,
    queries: Queries = "qrels",
    no_relevant: NoRelevant = "zero",
    missing: Missing = "unranked",
    precision: str = "float64",
    ascending: Iterable[str] = (),
    only: Sequence[str] | None = None,
    statistics: Sequence[str] = STATISTICS,
    checks: Checks = "all",
    buckets: int | None = None,
) -> SparkEvaluation:
    """Evaluate features against relevance judgments, both in Spark, as :func:`tiecore.evaluate` does.

    Counts are made first and evaluated in buckets of queries; tie-breaks by document (``docid-asc``, ``random:7``,
    ``feature:clicks``) take the documents of a bucket through the same engine instead.

    Parameters
    ----------
    qrels, features, checks
        As for :func:`count`; ``qrels`` alone may also be a table of counts.
    measures, tie_breaks, queries, no_relevant, missing, precision, ascending, only, statistics
        As for :func:`tiecore.evaluate`. A DataFrame has no order of rows, so there is no tie-break ``input``.
    buckets
        Parts that the queries are evaluated in, each of which must fit into the memory of a Python worker; by default
        as many as the session has shuffle partitions.
    """
    options = Options(queries, no_relevant, missing, precision)
    wanted, broken = parse_measures(measures), parse_tie_breaks(tie_breaks)
    unknown = [name for name in statistics if name not in STATISTICS]
    if unknown:
        raise TiecoreError(f"unknown statistic {unknown[0]!r}: expected {', '.join(STATISTICS)}")
    kept = tuple(name for name in STATISTICS if name in statistics or name in {tie.policy for tie in broken})
    broken = tuple(tie for tie in broken if tie.policy not in kept)
    for tie in broken:
        if tie.policy not in _BY_DOCUMENT:
            raise TiecoreError(
                f"tie-break {tie.name!r} needs a file: the rows of a DataFrame have no order and no rank"
            )
    inputs = None
    if features is None and has_columns(qrels.columns):
        counts, names = qrels, _counted_features(qrels)
        if not names:
            raise TiecoreError("the table of counts holds no feature, only judged documents: add rows with a feature")
        if checks == "all":
            judged = set(_counted_features(qrels.where("grade is not null")))
            _refuse_unmatched(names, {name: name in judged for name in names}, lambda: dict.fromkeys(names, 1))
        together = _counted_features(qrels.where("joint is not null")) if "joint" in qrels.columns else ()
        for tie in broken:
            if tie.policy != "feature":
                raise TiecoreError(f"tie-break {tie.name!r} needs documents, and a table of counts holds none")
            apart = [name for name in ([only] if isinstance(only, str) else only or names) if name not in together]
            if apart:
                raise TiecoreError(
                    f"tie-break {tie.name!r} of {shortened(apart[0])} needs documents, or the counts of both features "
                    "together: count them with the option joint"
                )
    else:
        inputs = _inputs(qrels, features)
        counts, names = _counted(inputs), inputs.names
    lower = tuple(ascending)
    taking_part = names if only is None else tuple(dict.fromkeys([only] if isinstance(only, str) else only))
    for name in (*taking_part, *lower):
        if name not in names:
            raise TiecoreError(f"no feature is named {shortened(name)}; there are {listed(names)}")
    for tie in broken:
        if tie.policy == "feature" and tie.argument not in taking_part:
            raise TiecoreError(f"tie-break {tie.name!r}: no such feature; there are {listed(taking_part)}")
    if not taking_part:
        raise TiecoreError("only names no feature")
    if inputs is not None and checks == "all":
        _check(inputs)
    plan = _Plan(wanted, broken, kept, options, taking_part, tuple(name for name in lower if name in taking_part))
    by_query = _by_query(plan, counts, inputs, buckets)
    return SparkEvaluation(plan=plan, counts=counts, by_query=by_query)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What to compute, as it travels to the workers."""

    measures: tuple[Measure, ...]
    tie_breaks: tuple[TieBreak, ...]
    statistics: tuple[str, ...]
    options: Options
    features: tuple[str, ...]
    ascending: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return self.statistics + tuple(tie.name for tie in self.tie_breaks)

    def schema(self) -> str:
        values = ", ".join(f"value{c} double, averaged{c} double" for c in range(len(self.columns)))
        return f"measure string, feature string, query_id string, counted boolean, {values}"


@dataclass(frozen=True, slots=True, eq=False)
class SparkEvaluation:
    """Values of every measure and feature, computed by the engine when they are asked for."""

    plan: _Plan
    counts: DataFrame
    """The table of counts; ``persist()`` it before if several results are asked for."""
    by_query: DataFrame
    """All queries, also those that do not count, with variances in the place of ``sd``."""
    _memo: dict[str, pd.DataFrame] = field(default_factory=dict, repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Statistics, then tie-breaks as the user named them."""
        return self.plan.columns

    @property
    def per_query(self) -> DataFrame:
        """One row for each measure, feature and query_id that counts, as a Spark DataFrame."""
        from pyspark.sql import functions as fn

        values = [
            fn.sqrt(f"value{c}") if name == "sd" else fn.col(f"value{c}") for c, name in enumerate(self.plan.columns)
        ]
        return self.by_query.where("counted").select(*_KEYS, *values).toDF(*_KEYS, *self.plan.columns)

    @property
    def summary(self) -> pd.DataFrame:
        """One row for each (measure, feature), as that of :class:`tiecore.Evaluation`; the engine adds up."""
        if "summary" not in self._memo:
            self._memo["summary"] = self._summary()
        return self._memo["summary"].copy()

    def sums(self) -> DataFrame:
        """Return a row for each measure and feature: how many queries count, and their sums; all that the driver gets.

        Each bucket is summed up where it was evaluated, so that a thousand million queries cost no more on the way than
        one.
        """
        from pyspark.sql import functions as fn

        # the sum of variances counts, and the mean of everything else on the scale that the measure averages
        sums = [
            fn.sum(f"value{c}" if name == "sd" else f"averaged{c}").alias(f"sum{c}")
            for c, name in enumerate(self.plan.columns)
        ]
        return self.by_query.where("counted").groupBy("measure", "feature").agg(fn.count("*").alias("n"), *sums)

    def _summary(self) -> pd.DataFrame:
        plan = self.plan
        rows = {(row["measure"], row["feature"]): row for row in self.sums().collect()}
        values = []
        for used in plan.measures:
            for feature in plan.features:
                if (str(used), feature) not in rows:
                    raise TiecoreError(_NOTHING_COUNTS)
                values.append(_means(used, plan.columns, rows[str(used), feature]))
        names = ["measure", "feature"]
        index = pd.MultiIndex.from_product([[str(used) for used in plan.measures], plan.features], names=names)
        return pd.DataFrame(values, index=index, columns=list(plan.columns))

    def collect(self) -> Evaluation:
        """Bring the counts, and the values under tie-breaks, to the driver as one :class:`tiecore.Evaluation`."""
        plan = self.plan
        counts = chosen(Counts.of(_in_order(self.counts.toArrow()), source="counts"), plan.features)
        alignment = aligned(counts, ascending=plan.ascending)
        if not plan.tie_breaks:
            return evaluate_alignment(alignment, plan.measures, options=plan.options, statistics=plan.statistics)
        found = self.by_query.toArrow()
        measures = pa.array([str(used) for used in plan.measures])
        place = tuple(
            pc.index_in(found[name], value_set=known).to_numpy()
            for name, known in (
                ("measure", measures),
                ("feature", pa.array(plan.features)),
                ("query_id", alignment.query_ids),
            )
        )
        values = np.full((len(plan.measures), len(plan.features), len(plan.columns), alignment.n_queries), np.nan)
        counted = np.zeros((len(plan.measures), alignment.n_queries), dtype=bool)
        counted[place[0], place[2]] = found["counted"].to_numpy()
        if not counted.any(axis=1).all():
            raise TiecoreError(_NOTHING_COUNTS)
        for column in range(len(plan.columns)):
            values[place[0], place[1], column, place[2]] = found[f"value{column}"].to_numpy()
        values.flags.writeable = False
        return Evaluation(
            measures=plan.measures,
            features=plan.features,
            tie_breaks=plan.tie_breaks,
            statistics=plan.statistics,
            options=plan.options,
            alignment=alignment,
            values=values,
            counted=counted,
        )


_NOTHING_COUNTS = "nothing to average: no query counts for every feature and measure; let all judged queries count"


def _means(used: Measure, columns: Sequence[str], row: Any) -> list[float]:
    means = []
    for c, name in enumerate(columns):
        if name == "sd":
            means.append(math.sqrt(row[f"sum{c}"]) / row["n"] if used.has_variance else math.nan)
        else:
            mean = row[f"sum{c}"] / row["n"]
            means.append(math.exp(mean) if isinstance(used, GMAP) else mean)
    return means


# --- inputs -----------------------------------------------------------------------------------------------------------


def _inputs(qrels: DataFrame, features: DataFrame | None) -> _Inputs:
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
    return _Inputs(judged.where("relevance is not null"), scored.select(*own, *named), whole, real, names)


def _as(frame: DataFrame, column: str, name: str, kind: str = "string") -> Any:
    return frame[_quoted(column)].cast(kind).alias(name)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _with_views(frames: Sequence[DataFrame], query: Callable[..., str]) -> DataFrame:
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


def _counted(inputs: _Inputs, joint: Sequence[str] = ()) -> DataFrame:
    return _with_views(
        [inputs.qrels, inputs.features],
        lambda qrels, features: counts_sql(
            whole=inputs.whole, real=inputs.real, joint=joint, features=features, qrels=qrels, quote="`"
        ),
    )


def _check(inputs: _Inputs) -> None:
    """Refuse what the local reader refuses, found by the engine."""
    from pyspark.sql import functions as fn

    for what, frame in (("qrels", inputs.qrels), ("features", inputs.features)):
        repeated = _with_views([frame], repeated_sql).first()
        if repeated is not None:
            query, document = repeated["query_id"], repeated["doc_id"]
            if query is None or document is None:
                raise TiecoreError(f"{what}: an id is null; every row needs a query and a document")
            raise TiecoreError(
                f"{what}: document {shortened(document)} of query {shortened(query)} is listed twice: keep one of them"
            )
        if not frame.where("query_id is null or doc_id is null").isEmpty():
            raise TiecoreError(f"{what}: an id is null; every row needs a query and a document")
    if inputs.real:
        not_numbers = [fn.sum(fn.isnan(_quoted(name)).cast("bigint")).alias(name) for name in inputs.real]
        found = inputs.features.agg(*not_numbers).first()
        for name, n_found in zip(inputs.real, found or (), strict=True):
            if n_found:
                raise TiecoreError(f"features: {shortened(name)} is NaN in {n_found} rows; make what has no score null")
    if inputs.qrels.isEmpty():
        raise TiecoreError("qrels: there are no judgments in it")
    if inputs.features.join(inputs.qrels, "query_id", "left_semi").isEmpty():
        some = [
            [row["query_id"] for row in frame.select("query_id").take(3)] for frame in (inputs.features, inputs.qrels)
        ]
        raise AlignmentError(
            f"features and qrels have no query in common: the first name {listed(some[0])}, the second "
            f"{listed(some[1])}; look for leading zeros, blanks or a prefix"
        )
    judged = inputs.qrels.select("query_id", "doc_id")
    _refuse_unmatched(
        inputs.names,
        _n_scored(inputs, inputs.features.join(judged, ["query_id", "doc_id"], "left_semi")),
        lambda: _n_scored(inputs, inputs.features.join(inputs.qrels.select("query_id"), "query_id", "left_semi")),
    )


def _n_scored(inputs: _Inputs, rows: DataFrame) -> dict[str, int]:
    """Count the documents that each feature scores."""
    from pyspark.sql import functions as fn

    found = rows.agg(*(fn.count(_quoted(name)).alias(str(place)) for place, name in enumerate(inputs.names))).first()
    return dict(zip(inputs.names, found or (), strict=True))


def _refuse_unmatched(
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


def _counted_features(counts: DataFrame) -> tuple[str, ...]:
    names = counts.where("feature is not null").select("feature").distinct().collect()
    return tuple(sorted(row["feature"] for row in names))


def _in_order(counts: pa.Table) -> pa.Table:
    """Sort what comes in any order, so that the same data give the same draws."""
    return counts.sort_by([("feature", "ascending"), ("query_id", "ascending")])


# --- buckets of queries -----------------------------------------------------------------------------------------------


def _by_query(plan: _Plan, counts: DataFrame, inputs: _Inputs | None, buckets: int | None) -> DataFrame:
    from pyspark.sql import functions as fn

    session = counts.sparkSession
    _use_this_python(session)
    n_buckets = int(session.conf.get(_PARTITIONS) or 1) if buckets is None else buckets
    if n_buckets < 1:
        raise TiecoreError(f"buckets must be 1 or more, found {n_buckets}")
    if plan.tie_breaks and inputs is not None:
        rows = _pooled(inputs)
        values = _of_documents(plan, inputs.whole)
    else:
        rows, values = counts, _of_counts(plan)
    bucket = fn.pmod(fn.xxhash64("query_id"), fn.lit(n_buckets))
    return rows.withColumn("_bucket", bucket).groupBy("_bucket").applyInArrow(values, plan.schema())


def _pooled(inputs: _Inputs) -> DataFrame:
    """All documents of judged queries once, with grade and scores as far as they have them."""
    judged = inputs.qrels.select("query_id").distinct()
    known = inputs.features.join(judged, "query_id", "left_semi")
    return inputs.qrels.withColumnRenamed("relevance", "_relevance").join(known, ["query_id", "doc_id"], "full_outer")


def _use_this_python(session: Any) -> None:
    """Give the workers of a local session the interpreter that this is; a cluster has its own."""
    context = getattr(session, "_sc", None)
    if context is not None and context.master.startswith("local"):
        context.pythonExec = sys.executable


def _of_counts(plan: _Plan) -> Callable[[pa.Table], pa.Table]:
    def values(bucket: pa.Table) -> pa.Table:
        rows = _in_order(bucket.drop_columns(["_bucket"]))
        judged = pc.unique(rows["query_id"].filter(rows["feature"].is_null()))
        rows = rows.filter(pc.is_in(rows["query_id"], judged))
        if not len(rows):
            return _rows(plan, None)
        counts = Counts.of(rows.replace_schema_metadata(None), source="counts", features=plan.features)
        kept = chosen(counts, plan.features)
        return _rows(plan, aligned(kept, ascending=plan.ascending, unmatched="keep"))

    return values


def _of_documents(plan: _Plan, whole: Sequence[str]) -> Callable[[pa.Table], pa.Table]:
    def values(bucket: pa.Table) -> pa.Table:
        rows = bucket.sort_by([("query_id", "ascending"), ("doc_id", "ascending")])
        judged = rows.filter(rows["_relevance"].is_valid())
        qrels = _records("qrels", judged, grades=judged["_relevance"].to_numpy())
        scores = {name: _scores(rows[name], is_whole=name in whole) for name in plan.features}
        features = _records("features", rows, features=scores)
        named = [(name, features, name) for name in plan.features]
        return _rows(plan, align(qrels, named, ascending=plan.ascending, unmatched="keep"))

    return values


def _scores(column: pa.ChunkedArray, *, is_whole: bool) -> np.ndarray:
    if not column.null_count:
        return column.to_numpy()
    if is_whole:  # whole numbers that floats would merge stay apart
        return np.ma.MaskedArray(column.fill_null(0).to_numpy(), column.is_null().to_numpy())
    return column.fill_null(np.nan).to_numpy()


def _records(source: str, rows: pa.Table, **columns: Any) -> Records:
    ids = rows["query_id"].combine_chunks().cast(pa.string()).dictionary_encode()
    document = rows["doc_id"].combine_chunks().cast(pa.string())
    return Records(source=source, kind="memory", query=ids, document=document, **columns)


def _rows(plan: _Plan, alignment: Alignment | None) -> pa.Table:
    """Values of all queries of a bucket, as rows of ``by_query``."""
    n_queries = 0 if alignment is None else alignment.n_queries
    shape = (len(plan.measures), len(plan.features), n_queries)
    columns: dict[str, Any] = {
        "measure": _repeated([str(used) for used in plan.measures], np.arange(shape[0])[:, None, None], shape),
        "feature": _repeated(list(plan.features), np.arange(shape[1])[None, :, None], shape),
    }
    if alignment is None:
        columns |= {"query_id": pa.array([], pa.string()), "counted": pa.array([], pa.bool_())}
        columns |= {name: pa.array([], pa.float64()) for c in range(len(plan.columns)) for name in _value_names(c)}
        return pa.table(columns)
    evaluation = evaluate_alignment(
        alignment,
        plan.measures,
        plan.tie_breaks,
        options=Options(missing=plan.options.missing, precision=plan.options.precision),
        statistics=plan.statistics,
        workers=1,
    )
    counted = np.ones((shape[0], n_queries), dtype=bool)
    if plan.options.queries == "common":
        counted &= alignment.common_queries()
    if plan.options.no_relevant == "skip":
        counted &= np.array([used.has_relevant(alignment.judged) for used in plan.measures])
    query = np.broadcast_to(np.arange(n_queries), shape).reshape(-1)
    columns["query_id"] = alignment.query_ids.take(pa.array(query))
    columns["counted"] = pa.array(np.broadcast_to(counted[:, None], shape).reshape(-1))
    for c in range(len(plan.columns)):
        values = evaluation.values[:, :, c]
        on_scale = [used.averaged(values[m]) for m, used in enumerate(plan.measures)]
        for name, of_column in zip(_value_names(c), (values, np.array(on_scale)), strict=True):
            columns[name] = pa.array(of_column.reshape(-1))
    return pa.table(columns)


def _value_names(column: int) -> Iterator[str]:
    yield f"value{column}"
    yield f"averaged{column}"


def _repeated(names: list[str], number: np.ndarray, shape: tuple[int, ...]) -> pa.Array:
    return pa.array(names, pa.string()).take(pa.array(np.broadcast_to(number, shape).reshape(-1)))

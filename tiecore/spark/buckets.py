"""Queries evaluated in buckets, each by the local engine in a Python worker."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.collection.align import Alignment, align
from tiecore.counts.aligned import aligned
from tiecore.counts.table import Counts
from tiecore.errors import TiecoreError
from tiecore.evaluation.engine import evaluate_alignment
from tiecore.evaluation.values import Options
from tiecore.formats.records import Records
from tiecore.spark.inputs import Inputs
from tiecore.spark.result import Plan, in_order

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["by_query"]

_PARTITIONS = "spark.sql.shuffle.partitions"


def by_query(plan: Plan, counts: DataFrame, inputs: Inputs | None, buckets: int | None) -> DataFrame:
    """Return the values of all queries, computed in buckets of them when they are asked for."""
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


def _pooled(inputs: Inputs) -> DataFrame:
    """All documents of judged queries once, with grade and scores as far as they have them."""
    if inputs.labelled is not None:  # queries that are not judged are left out in their bucket
        return inputs.labelled.withColumnRenamed("relevance", "_relevance")
    judged = inputs.qrels.select("query_id").distinct()
    known = inputs.features.join(judged, "query_id", "left_semi")
    return inputs.qrels.withColumnRenamed("relevance", "_relevance").join(known, ["query_id", "doc_id"], "full_outer")


def _use_this_python(session: Any) -> None:
    """Give the workers of a local session the interpreter that this is; a cluster has its own."""
    context = getattr(session, "_sc", None)
    if context is not None and context.master.startswith("local"):
        context.pythonExec = sys.executable


def _of_counts(plan: Plan) -> Callable[[pa.Table], pa.Table]:
    def values(bucket: pa.Table) -> pa.Table:
        rows = in_order(bucket.drop_columns(["_bucket"]))
        judged = pc.unique(rows["query_id"].filter(rows["feature"].is_null()))
        rows = rows.filter(pc.is_in(rows["query_id"], judged))
        if not len(rows):
            return _rows(plan, None)
        counts = Counts.of(rows.replace_schema_metadata(None), source="counts", features=plan.features)
        return _rows(plan, aligned(counts, only=plan.features, ascending=plan.ascending, unmatched="keep"))

    return values


def _of_documents(plan: Plan, whole: Sequence[str]) -> Callable[[pa.Table], pa.Table]:
    def values(bucket: pa.Table) -> pa.Table:
        rows = bucket.sort_by([("query_id", "ascending"), ("doc_id", "ascending")])
        judged = rows.filter(rows["_relevance"].is_valid())
        if not len(judged):
            return _rows(plan, None)
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


def _rows(plan: Plan, alignment: Alignment | None) -> pa.Table:
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

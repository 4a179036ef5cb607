"""Queries evaluated in buckets, each by the local engine in a Python worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.collection.align import align
from tiecore.collection.alignment import Alignment
from tiecore.counts.aligned import aligned
from tiecore.counts.table import Counts
from tiecore.errors import TiecoreError
from tiecore.evaluation.engine import Options, evaluate_alignment, queries_that_count
from tiecore.formats.records import Records
from tiecore.spark.inputs import Inputs
from tiecore.spark.result import Plan, in_order
from tiecore.ties.keys import with_missing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def by_query(plan: Plan, counts: DataFrame, inputs: Inputs | None, buckets: int | None) -> DataFrame:
    """Return the values of all queries, computed in buckets of them when they are asked for."""
    from pyspark.sql import functions as fn

    n_buckets = int(counts.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1) if buckets is None else buckets
    if n_buckets < 1:
        raise TiecoreError(f"buckets must be 1 or more, found {n_buckets}")
    if plan.tie_breaks and inputs is not None:
        rows = _pooled(inputs)
        values = _of_documents(plan)
    else:
        rows, values = counts, _of_counts(plan)
    bucket = fn.pmod(fn.xxhash64("query_id"), fn.lit(n_buckets))
    return rows.withColumn("_bucket", bucket).groupBy("_bucket").applyInArrow(values, plan.schema())


def _pooled(inputs: Inputs) -> DataFrame:
    """All documents of judged queries once, with grade and scores as far as they have them."""
    if inputs.labelled is not None:  # queries that are not judged are left out in their bucket
        return inputs.labelled.withColumnRenamed("relevance", "_relevance")
    known = inputs.features.join(inputs.qrels, "query_id", "left_semi")
    return inputs.qrels.withColumnRenamed("relevance", "_relevance").join(known, ["query_id", "doc_id"], "full_outer")


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


def _of_documents(plan: Plan) -> Callable[[pa.Table], pa.Table]:
    def values(bucket: pa.Table) -> pa.Table:
        rows = bucket.sort_by([("query_id", "ascending"), ("doc_id", "ascending")])
        judged = rows.filter(rows["_relevance"].is_valid())
        if not len(judged):
            return _rows(plan, None)
        qrels = _records("qrels", judged, grades=judged["_relevance"].to_numpy())
        scores = {
            name: with_missing(rows[name].fill_null(0).to_numpy(), rows[name].is_null().to_numpy())
            for name in plan.features
        }
        features = _records("features", rows, features=scores)
        named = [(name, features, name) for name in plan.features]
        return _rows(plan, align(qrels, named, ascending=plan.ascending, unmatched="keep"))

    return values


def _records(source: str, rows: pa.Table, **columns: Any) -> Records:
    ids = rows["query_id"].combine_chunks().cast(pa.string()).dictionary_encode()
    document = rows["doc_id"].combine_chunks().cast(pa.string())
    return Records(source=source, kind="memory", query=ids, document=document, **columns)


def _rows(plan: Plan, alignment: Alignment | None) -> pa.Table:
    """Values of all queries of a bucket, as rows of ``by_query``; None where it has no judged query."""
    n_measures, n_features, n_columns = len(plan.measures), len(plan.features), len(plan.columns)
    query_ids, counted = pa.array([], pa.string()), np.zeros((n_measures, 0), dtype=bool)
    values = averaged = np.zeros((n_measures, n_features, n_columns, 0))
    if alignment is not None:
        query_ids, counted = alignment.query_ids, queries_that_count(alignment, plan.measures, plan.options)
        values = evaluate_alignment(
            alignment,
            plan.measures,
            plan.tie_breaks,
            options=Options(missing=plan.options.missing, precision=plan.options.precision),
            statistics=plan.statistics,
            workers=1,
        ).values.array
        averaged = np.array([used.averaged(values[m]) for m, used in enumerate(plan.measures)])
    shape = n_measures, n_features, len(query_ids)
    measure, feature, query = (pa.array(place) for place in np.indices(shape).reshape(3, -1))
    columns = {
        "measure": pa.array([str(used) for used in plan.measures]).take(measure),
        "feature": pa.array(plan.features).take(feature),
        "query_id": query_ids.take(query),
        "counted": pa.array(np.broadcast_to(counted[:, None], shape).reshape(-1)),
    }
    for c in range(n_columns):
        columns[f"value{c}"] = pa.array(values[:, :, c].reshape(-1))
        columns[f"averaged{c}"] = pa.array(averaged[:, :, c].reshape(-1))
    return pa.table(columns)

"""The table of counts by plain DataFrame operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tiecore.counts.sql import counts_sql
from tiecore.counts.table import joint_names
from tiecore.spark.inputs import Checks, Inputs, check, read_inputs, with_views

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


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
        ``"all"`` first looks for documents listed twice, missing ids, NaN and inputs that do not match, which
        costs one pass more; ``"none"`` trusts the tables: a document listed twice counts twice.

    Returns
    -------
    DataFrame
        In the format of docs/counts.md, lazily; write it with ``.write.parquet(folder)`` and open the folder with
        :func:`tiecore.evaluate` wherever you like.
    """
    inputs = read_inputs(qrels, features)
    if checks == "all":
        check(inputs)
    return counted(inputs, joint_names(joint, inputs.names))


def counted(inputs: Inputs, joint: Sequence[str] = ()) -> DataFrame:
    """Return the table of counts."""
    frames = [inputs.features, inputs.qrels] if inputs.labelled is None else [inputs.labelled]

    def query(features: str, qrels: str | None = None) -> str:
        return counts_sql(whole=inputs.whole, real=inputs.real, joint=joint, features=features, qrels=qrels, quote="`")

    return with_views(frames, query)

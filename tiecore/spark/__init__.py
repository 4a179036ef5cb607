"""Evaluation of what lies in Spark: counts by plain DataFrame operations, documents only where a tie-break needs them.

    counts = tiecore.spark.count(qrels_df, features_df)        # a DataFrame in the format of docs/counts.md
    e = tiecore.spark.evaluate(qrels_df, features_df, ["nDCG@10"], ["trec_eval"])
    e.summary                                                  # pandas; only sums have come to the driver
    e.per_query                                                # a Spark DataFrame
    e.collect().stability("nDCG@10")                           # an Evaluation, all queries on the driver

The workers of a cluster need tiecore and PyArrow installed, and Spark's Python is the one of ``PYSPARK_PYTHON``.
"""

from tiecore.spark.counting import count
from tiecore.spark.evaluating import evaluate
from tiecore.spark.inputs import Checks
from tiecore.spark.result import SparkEvaluation

__all__ = ["Checks", "SparkEvaluation", "count", "evaluate"]

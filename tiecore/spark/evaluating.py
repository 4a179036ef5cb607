"""The evaluation of DataFrames, with the options of the local one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tiecore.counts.table import has_columns
from tiecore.errors import TiecoreError, listed, shortened
from tiecore.evaluation.engine import (
    DEFAULT_MEASURES,
    Missing,
    NoRelevant,
    Options,
    Queries,
    parse_columns,
    parse_measures,
)
from tiecore.evaluation.statistics import STATISTICS
from tiecore.measures import Measure
from tiecore.spark.buckets import by_query
from tiecore.spark.counting import counted
from tiecore.spark.inputs import Checks, check, check_counts, counted_features, read_inputs
from tiecore.spark.result import Plan, SparkEvaluation
from tiecore.ties.tie_breaks import TieBreak

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BY_DOCUMENT = ("docid-asc", "docid-desc", "random", "feature")


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
    wanted = parse_measures(measures)
    broken, kept = parse_columns(tie_breaks, statistics)
    inputs = None if features is None and has_columns(qrels.columns) else read_inputs(qrels, features)
    names = counted_features(qrels) if inputs is None else inputs.names
    if not names:
        raise TiecoreError("the table of counts holds no feature, only judged documents: add rows with a feature")
    lower = tuple(ascending)
    taking_part = names if only is None else tuple(dict.fromkeys([only] if isinstance(only, str) else only))
    for name in (*taking_part, *lower):
        if name not in names:
            raise TiecoreError(f"no feature is named {shortened(name)}; there are {listed(names)}")
    if not taking_part:
        raise TiecoreError("only names no feature")
    for tie in broken:
        if tie.policy not in _BY_DOCUMENT:
            raise TiecoreError(
                f"tie-break {tie.name!r} needs a file: the rows of a DataFrame have no order and no rank"
            )
        if tie.policy == "feature" and tie.argument not in taking_part:
            raise TiecoreError(f"tie-break {tie.name!r}: no such feature; there are {listed(taking_part)}")
    if inputs is None:
        _refuse_apart(qrels, broken, taking_part)
        if checks == "all":
            check_counts(qrels, names)
    elif checks == "all":
        check(inputs)
    counts = qrels if inputs is None else counted(inputs)
    plan = Plan(wanted, broken, kept, options, taking_part, tuple(name for name in lower if name in taking_part))
    return SparkEvaluation(plan=plan, counts=counts, by_query=by_query(plan, counts, inputs, buckets))


def _refuse_apart(counts: DataFrame, tie_breaks: Sequence[TieBreak], features: Sequence[str]) -> None:
    """Refuse tie-breaks of a table of counts, but for features that are counted together."""
    together = counted_features(counts.where("joint is not null")) if "joint" in counts.columns else ()
    apart = [name for name in features if name not in together]
    for tie in tie_breaks:
        if tie.policy != "feature":
            raise TiecoreError(f"tie-break {tie.name!r} needs documents, and a table of counts holds none")
        if apart:
            raise TiecoreError(
                f"tie-break {tie.name!r} of {shortened(apart[0])} needs documents, or the counts of both features "
                "together: count them with the option joint"
            )

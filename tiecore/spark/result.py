"""What was evaluated in Spark: values that the engine computes when they are asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.counts.aligned import aligned
from tiecore.counts.table import Counts
from tiecore.errors import TiecoreError
from tiecore.evaluation.engine import Options, evaluate_alignment
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.ties.tie_breaks import TieBreak

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KEYS = ("measure", "feature", "query_id")
_NOTHING_COUNTS = "nothing to average: no query counts for every feature and measure; let all judged queries count"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compute, as it travels to the workers."""

    measures: tuple[Measure, ...]
    tie_breaks: tuple[TieBreak, ...]
    statistics: tuple[str, ...]
    options: Options
    features: tuple[str, ...]
    ascending: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Statistics, then tie-breaks."""
        return self.statistics + tuple(tie.name for tie in self.tie_breaks)

    def schema(self) -> str:
        """Columns of a row of values, as Spark writes them."""
        values = ", ".join(f"value{c} double, averaged{c} double" for c in range(len(self.columns)))
        return f"measure string, feature string, query_id string, counted boolean, {values}"


@dataclass(frozen=True, slots=True, eq=False)
class SparkEvaluation:
    """Values of every measure and feature, computed by the engine when they are asked for."""

    plan: Plan
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
        measure_of = {(str(used), feature): used for used in plan.measures for feature in plan.features}
        if not measure_of.keys() <= rows.keys():
            raise TiecoreError(_NOTHING_COUNTS)
        values = [
            [_mean(used, name, rows[key][f"sum{c}"], rows[key]["n"]) for c, name in enumerate(plan.columns)]
            for key, used in measure_of.items()
        ]
        index = pd.MultiIndex.from_tuples(measure_of, names=["measure", "feature"])
        return pd.DataFrame(values, index=index, columns=list(plan.columns))

    def collect(self) -> Evaluation:
        """Bring the counts, and the values under tie-breaks, to the driver as one :class:`tiecore.Evaluation`."""
        plan = self.plan
        counts = Counts.of(in_order(self.counts.toArrow()), source="counts")
        alignment = aligned(counts, only=plan.features, ascending=plan.ascending)
        if not plan.tie_breaks:
            return evaluate_alignment(alignment, plan.measures, options=plan.options, statistics=plan.statistics)
        found = self.by_query.toArrow()
        known = pa.array([str(used) for used in plan.measures]), pa.array(plan.features), alignment.query_ids
        place = [pc.index_in(found[key], value_set=names).to_numpy() for key, names in zip(_KEYS, known, strict=True)]
        values = np.full((*map(len, known), len(plan.columns)), np.nan)  # columns last, until all is placed
        values[*place] = np.stack([found[f"value{c}"].to_numpy() for c in range(len(plan.columns))], axis=-1)
        values = values.swapaxes(2, 3)
        values.flags.writeable = False
        counted = np.zeros((len(plan.measures), alignment.n_queries), dtype=bool)
        counted[place[0], place[2]] = found["counted"].to_numpy()
        if not counted.any(axis=1).all():
            raise TiecoreError(_NOTHING_COUNTS)
        return Evaluation(
            Values(
                measures=plan.measures,
                features=plan.features,
                tie_breaks=plan.tie_breaks,
                statistics=plan.statistics,
                options=plan.options,
                alignment=alignment,
                array=values,
                counted=counted,
            )
        )


def _mean(used: Measure, column: str, total: float, n: int) -> float:
    if column == "sd":
        return math.sqrt(total) / n if used.has_variance else math.nan
    return float(used.unaveraged(np.array(total / n)))


def in_order(counts: pa.Table) -> pa.Table:
    """Sort what comes in any order, so that the same data give the same draws."""
    return counts.sort_by([("feature", "ascending"), ("query_id", "ascending")])

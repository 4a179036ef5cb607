"""What ir_measures asks of a measure: an evaluator of runs and an aggregate over queries."""

# mypy: disallow-subclassing-any=False, disallow-untyped-calls=False
# ir_measures is typed in part, where it is installed at all

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

import ir_measures
from ir_measures import Metric
from ir_measures.measures.base import Agg
from ir_measures.providers import Evaluator
from ir_measures.util import RunConverter

from tiecore.errors import TiecoreError
from tiecore.measures import Measure, measure
from tiecore.plugins._shared import run_values

__all__ = ["SdOfMean", "TieAwareEvaluator", "ours_of"]


class SdOfMean(Agg):
    """Standard deviation of the mean over independent queries."""

    def __init__(self) -> None:
        self._variance, self._count = 0.0, 0

    def add(self, value: float) -> None:
        """Take the standard deviation of one query."""
        self._variance += value * value
        self._count += 1

    def result(self) -> float:
        """Return that of the mean."""
        return sqrt(self._variance) / self._count if self._count else float("nan")


def ours_of(wanted: ir_measures.Measure) -> Measure:
    if wanted.NAME == "RBP" and "rel" not in wanted.params:
        raise TiecoreError(f"{wanted} depends on the highest grade that the judgments hold: write RBP(rel=1)")
    if wanted.NAME == "BPM":  # it cuts grades down to a scale, here to that of relevant or not
        if wanted["max_rel"] != wanted["min_rel"] + 1:
            raise TiecoreError(f"{wanted} has more than two gains: write BPM(max_rel=1) (docs/measures.md says why)")
        return measure(f"BPM(T={float(wanted['T'])}, rel={wanted['max_rel']})@{wanted['cutoff']}")
    return measure(str(wanted))


class TieAwareEvaluator(Evaluator):
    """Values of many measures in one go."""

    def __init__(
        self, wanted: Sequence[ir_measures.Measure], qrels: dict[str, dict[str, int]], *, column: str, precision: str
    ) -> None:
        super().__init__(wanted, set(qrels))
        self._qrels, self._column, self._precision = qrels, column, precision

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        return (Metric(*found) for found in self.iter_values(run))

    def iter_values(self, run: Any) -> Iterator[tuple[str, ir_measures.Measure, float]]:
        """Yield query, measure and value for the judged queries of the run."""
        given = RunConverter(run).as_dict_of_dict()
        judged = {query: documents for query, documents in given.items() if query in self._qrels}
        if not any(judged.values()):
            return  # ir_measures fills in what is missing
        ours = [ours_of(wanted) for wanted in self.measures]
        values = run_values(self._qrels, judged, ours, column=self._column, precision=self._precision)
        for query in judged:
            yield from ((query, wanted, float(v)) for wanted, v in zip(self.measures, values[query], strict=True))

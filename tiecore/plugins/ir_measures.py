"""Tie-aware values inside ir_measures, and so inside everything that calls it, such as ``pt.Experiment``.

``expected(nDCG @ 10)`` is a measure of ir_measures like any other, and so are ``sd``, ``worst``, ``best`` and
``under(nDCG @ 10, "anserini")``. ``with installed():`` gives the plain measures tie-aware values.
"""

# mypy: disallow-subclassing-any=False, disallow-untyped-calls=False
# ir_measures is typed in part, where it is installed at all

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import hypot, nan
from typing import Any

import ir_measures
from ir_measures import Metric
from ir_measures.measures.base import Agg, ParamInfo
from ir_measures.providers import Evaluator, Provider
from ir_measures.util import QrelsConverter, RunConverter

from tiecore.errors import TiecoreError
from tiecore.evaluation.statistics import STATISTICS
from tiecore.measures import Measure, measure
from tiecore.plugins._shared import run_values
from tiecore.ties.tie_breaks import tie_break as parse_tie_break

__all__ = ["TieAware", "best", "expected", "installed", "sd", "under", "worst"]

_LOST_ORDER = ("input", "input-reversed", "rank")


def expected(wanted: ir_measures.Measure, *, precision: str = "float64") -> TieAware:
    """Return the measure whose value is the expectation over all orders of tied documents."""
    return TieAware(measure=wanted, column="expected", precision=precision)


def sd(wanted: ir_measures.Measure, *, precision: str = "float64") -> TieAware:
    """Return the measure whose value is the standard deviation under random tie-breaks; summed up, that of the mean."""
    return TieAware(measure=wanted, column="sd", precision=precision)


def worst(wanted: ir_measures.Measure, *, precision: str = "float64") -> TieAware:
    """Return the measure whose value is that of the least favourable order of tied documents."""
    return TieAware(measure=wanted, column="worst", precision=precision)


def best(wanted: ir_measures.Measure, *, precision: str = "float64") -> TieAware:
    """Return the measure whose value is that of the most favourable order of tied documents."""
    return TieAware(measure=wanted, column="best", precision=precision)


def under(wanted: ir_measures.Measure, tie_break: str, *, precision: str = "float64") -> TieAware:
    """Return the measure whose value is that under a named tie-break, such as ``anserini`` or ``random:7``."""
    if parse_tie_break(tie_break).policy in _LOST_ORDER:
        raise TiecoreError(f"tie-break {tie_break!r} needs the order of the run, and ir_measures sorts it before")
    return TieAware(measure=wanted, column=tie_break, precision=precision)


class TieAware(ir_measures.Measure):
    """A measure of ir_measures, computed by tiecore with its ties; a cut-off goes to the measure inside."""

    NAME = "TieAware"
    __name__ = NAME
    SUPPORTED_PARAMS = {name: ParamInfo(required=True) for name in ("measure", "column", "precision")}  # noqa: RUF012
    # ir_measures asks for the columns of frames by these names
    RUN_INPUTS = ("query_id", "doc_id", "score")
    QREL_INPUTS = ("query_id", "doc_id", "relevance")

    def __init__(self, **params: Any) -> None:
        if isinstance(params.get("measure"), str):
            params["measure"] = ir_measures.parse_measure(params["measure"])
        super().__init__(**params)
        _ours_of(params["measure"])

    def __matmul__(self, at_param: float) -> TieAware:
        return self(measure=self.params["measure"] @ at_param)

    def __repr__(self) -> str:
        """Return how the measure is made."""
        inside, column, precision = (self.params[name] for name in self.SUPPORTED_PARAMS)
        options = "" if precision == "float64" else f", precision={precision!r}"
        return f"{column}({inside}{options})" if column in STATISTICS else f"under({inside}, {column!r}{options})"

    def aggregator(self) -> Agg:
        """Sum up as the measure inside does; standard deviations as those of independent queries."""
        return _SdOfMean() if self.params["column"] == "sd" else self.params["measure"].aggregator()

    def runtime_impl(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """Yield the value of each query of the run; ir_measures calls this with two frames."""
        inside, *how = (self.params[name] for name in self.SUPPORTED_PARAMS)
        found = _Evaluator([inside], qrels, *how)
        yield from (Metric(query, self, value) for query, _, value in found._iter_calc(run))


def _ours_of(wanted: ir_measures.Measure) -> Measure:
    if wanted.NAME == "RBP" and "rel" not in wanted.params:
        raise TiecoreError(f"{wanted} depends on the highest grade that the judgments hold: write RBP(rel=1)")
    if wanted.NAME == "BPM":  # it cuts grades down to a scale, here to that of relevant or not
        if wanted["max_rel"] != wanted["min_rel"] + 1:
            raise TiecoreError(f"{wanted} has more than two gains: write BPM(max_rel=1) (docs/measures.md says why)")
        return measure(f"BPM(T={float(wanted['T'])}, rel={wanted['max_rel']})@{wanted['cutoff']}")
    return measure(str(wanted))


class _SdOfMean(Agg):
    """Standard deviation of the mean over independent queries."""

    def __init__(self) -> None:
        self._sds: list[float] = []

    def add(self, value: float) -> None:
        """Take the standard deviation of one query."""
        self._sds.append(value)

    def result(self) -> float:
        """Return that of the mean."""
        return hypot(*self._sds) / len(self._sds) if self._sds else nan


class _Evaluator(Evaluator):
    """Values of many measures in one go."""

    def __init__(self, wanted: Sequence[ir_measures.Measure], qrels: Any, column: str, precision: str) -> None:
        self._qrels = QrelsConverter(qrels).as_dict_of_dict()
        super().__init__(wanted, set(self._qrels))
        self._column, self._precision = column, precision

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        given = RunConverter(run).as_dict_of_dict()
        judged = {query: documents for query, documents in given.items() if query in self._qrels}
        if not any(judged.values()):
            return  # ir_measures fills in what is missing
        ours = [_ours_of(wanted) for wanted in self.measures]
        values = run_values(self._qrels, judged, ours, column=self._column, precision=self._precision)
        for query in judged:
            yield from (Metric(query, *found) for found in zip(self.measures, values[query].tolist(), strict=True))


class _Provider(Provider):
    """Takes every measure that tiecore computes."""

    NAME = "tiecore"

    def __init__(self, column: str, precision: str) -> None:
        super().__init__()
        self._how = column, precision

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Tell whether tiecore computes the measure."""
        measure.validate_params()
        if hasattr(measure, "runtime_impl"):
            return False
        try:
            _ours_of(measure)
        except TiecoreError:
            return False
        return True

    def _evaluator(self, measures: Any, qrels: Any) -> Evaluator:
        return _Evaluator(list(measures), qrels, *self._how)


@contextmanager
def installed(tie_break: str | None = None, *, precision: str = "float64") -> Iterator[None]:
    """Let ir_measures' default pipeline give tie-aware values to every measure that tiecore computes.

    Without ``tie_break`` they are expectations. What tiecore does not compute goes the usual way.
    """
    provider = _Provider("expected" if tie_break is None else parse_tie_break(tie_break).name, precision)
    providers = ir_measures.DefaultPipeline.providers
    providers.insert(0, provider)
    try:
        yield
    finally:
        providers.remove(provider)

"""Two features: their difference with its interval, what ties do to it, and the queries one by one."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd

from tiecore.diagnostics.leads import leads
from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.values import Values
from tiecore.stability import Stability
from tiecore.stability.sentences import percent

__all__ = ["Duel", "duel"]

_HALF = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True, eq=False)
class Duel:
    """Two features on the queries that both list; differences above 0 speak for the leader."""

    leader: str
    trailer: str
    measure: str
    difference: float
    low: float
    """Ends of the 95 % interval over queries; NaN where there are too few of them."""
    high: float
    tie_low: float
    """Ends of where 95 % of random tie-breaks put the difference; NaN where it is not known."""
    tie_high: float
    verdict: str
    tie_risk: float
    under: dict[str, float]
    """Difference under each tie-break."""
    queries: pd.DataFrame
    """Index query; what :func:`tiecore.diagnostics.leads` returns."""

    @property
    def wins(self) -> tuple[int, int]:
        """Queries on which the leader, and on which the trailer is better."""
        lead = self.queries["lead"]
        return int((lead > 0).sum()), int((lead < 0).sum())

    @property
    def sentence(self) -> str:
        """What the difference is worth."""
        if self.verdict == "equal":
            return f"{self.leader} and {self.trailer} have the same expectation on every query."
        ahead, other, low, high = self.leader, self.trailer, self.low, self.high
        if self.difference < 0:
            ahead, other, low, high = other, ahead, -high, -low
        interval = "" if np.isnan(low) else f" (95 % interval {_signed(low)} to {_signed(high)})"
        risk = "" if np.isnan(self.tie_risk) else f" The tie risk is {percent(self.tie_risk)}."
        return (
            f"{ahead} is ahead of {other} by {abs(self.difference):.4f}{interval}: {self.verdict} over "
            f"{len(self.queries):,} queries.{risk}"
        )


def duel(evaluation: Values, stable: Stability, leader: str, trailer: str) -> Duel:
    """Return what is known of two features from a study of stability and the values that it was made of.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {"q": {"a": 1, "b": 0}}
    >>> e = evaluate(qrels, {"x": {"q": {"a": 2, "b": 1}}, "y": {"q": {"a": 1, "b": 1}}}, ["RR"])
    >>> duel(e, e.stability(), "x", "y").difference
    0.25
    """
    for name in (leader, trailer):
        evaluation.feature_position(name)
    pairs = stable.pairs
    is_own = pairs["leader"].isin([leader, trailer]) & pairs["trailer"].isin([leader, trailer])
    if not is_own.any():
        raise TiecoreError(f"{shortened(leader)} and {shortened(trailer)} are not compared: see stability(…).pairs")
    at = int(np.flatnonzero(is_own)[0])
    pair = pairs.iloc[at]
    sign = 1.0 if pair["leader"] == leader else -1.0
    low, high = sorted((sign * float(pair["low"]), sign * float(pair["high"])))
    difference = sign * float(pair["difference"])
    queries = leads(evaluation, leader, trailer, stable.measure)
    reach = _HALF * np.sqrt(stable.variances[1, at] / max(1, len(queries)))
    ends = queries[["worst_lead", "best_lead"]].mean() if len(queries) else (np.nan, np.nan)
    tie_low, tie_high = np.clip([difference - reach, difference + reach], *ends)
    return Duel(
        leader=leader,
        trailer=trailer,
        measure=str(stable.measure),
        difference=difference,
        low=low,
        high=high,
        tie_low=float(tie_low),
        tie_high=float(tie_high),
        verdict=str(pair["verdict"]),
        tie_risk=float(pair["tie_risk"]),
        under={one.name: float(queries[one.name].mean()) for one in evaluation.tie_breaks},
        queries=queries,
    )


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", "−")

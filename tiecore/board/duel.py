"""Two features: their difference with its interval, what ties do to it, and the queries one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pandas as pd

from tiecore.board.board import deciding_line
from tiecore.board.sentences import writing_of
from tiecore.diagnostics.leads import leads
from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.result import Evaluation
from tiecore.stability import Stability
from tiecore.stability.sentences import called, pair_sentence, scale_of, tie_risk

_HALF = NormalDist().inv_cdf(0.975)
_SEEN, _SEEN_ALONE = 0.03, 0.005
"""Parts of an axis that a bar below a dot, and one that stands alone, need to be seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Duel:
    """Two features on the queries that both list; differences above 0 speak for the leader."""

    leader: str
    trailer: str
    measure: str
    difference: float
    low: float
    """Ends of the interval over queries; NaN where there are too few of them."""
    high: float
    holm_interval: tuple[float, float]
    """Ends of the interval at the level at which Holm's test stops: ``holm_low`` and ``holm_high`` of the pair."""
    deciding_line: str
    """What is said of it; empty where it is not longer than the other."""
    tie_low: float
    """Ends of where about 95 % of random tie-breaks put the difference; NaN where it is not known."""
    tie_high: float
    under: dict[str, float]
    """Difference under each tie-break."""
    shares: tuple[str, ...]
    """Of random tie-breaks under which the leader, and the trailer is ahead: in words, as the sentence has them."""
    queries: pd.DataFrame
    """Index query; what :func:`tiecore.diagnostics.leads` returns."""
    sentence: str
    """What the difference is worth."""
    verdict: str
    """The same in a word, as in ``Stability.pairs``."""
    words: dict[str, str]
    """Those of the study, and ``scale``: what the difference is of."""

    @property
    def shows_ties(self) -> bool:
        """Whether where random tie-breaks put the difference is wide enough to be seen on an axis that holds it all."""
        ends = [0.0, self.difference, self.low, self.high, *self.holm_interval, *self.under.values()]
        return self.tie_high - self.tie_low > _SEEN * float(np.nanmax(ends) - np.nanmin(ends))

    @property
    def ranges(self) -> dict[str, tuple[str, float, float]]:
        """What of the difference is drawn as bars, the first below the others: its name and its ends."""
        known = {
            "queries": (f"{self.words['level']} interval over {self.words['queries']}", self.low, self.high),
            "holm": ("interval at Holm’s level: clear only if it excludes 0", *self.holm_interval),
            "ties": ("about 95 % of random tie-breaks", self.tie_low, self.tie_high),
        }
        is_seen = {"queries": self.low == self.low, "holm": bool(self.deciding_line), "ties": self.shows_ties}
        return {kind: named for kind, named in known.items() if is_seen[kind]}

    @property
    def wins(self) -> tuple[int, int]:
        """Queries on which the leader, and on which the trailer is better."""
        lead = self.queries["lead"]
        return int((lead > 0).sum()), int((lead < 0).sum())

    @property
    def unseen(self) -> tuple[str, ...]:
        """How many of the ``wins`` of both are too small to be seen as bars, in brackets; nothing if none is."""
        drawn = np.append(self.queries[["lead", "worst_lead", "best_lead"]], 0.0)
        least, lead = float(f"{_SEEN_ALONE * np.ptp(drawn):.0g}"), self.queries["lead"].to_numpy()
        small = ((own > 0) & (own < least) for own in (lead, -lead))
        return tuple(f" ({n:,} by less than {least:g})" * bool(n) for n in map(np.count_nonzero, small))


def duel(evaluation: Evaluation, stable: Stability, leader: str, trailer: str) -> Duel:
    """Return what is known of two features from a study of stability and the values that it was made of.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> qrels = {"q": {"a": 1, "b": 0}}
    >>> e = evaluate(qrels, {"x": {"q": {"a": 2, "b": 1}}, "y": {"q": {"a": 1, "b": 1}}}, ["RR", "GMAP"])
    >>> duel(e, e.stability("RR"), "x", "y").difference
    0.25
    >>> duel(e, e.stability("GMAP"), "x", "y").tie_low  # it is no average over the orders
    nan
    """
    for name in (leader, trailer):
        evaluation.values.feature_position(name)
    queries = leads(evaluation, leader, trailer, stable.measure)
    return _duel(stable, leader, trailer, queries, tie_breaks=[one.name for one in evaluation.tie_breaks])


def duel_of_values(values: pd.DataFrame, stable: Stability, leader: str, trailer: str) -> Duel:
    """Return the same of two systems by values that were measured elsewhere; ``values``: systems × items.

    Examples
    --------
    >>> from tiecore import compare
    >>> values = pd.DataFrame({"q1": [0.5, 0.25], "q2": [1.0, 1.0]}, index=["x", "y"])
    >>> duel_of_values(values, compare(values.T), "x", "y").queries["lead"].tolist()
    [0.25, 0.0]
    """
    both = values.loc[[leader, trailer]].dropna(axis=1)
    lead = both.iloc[0] - both.iloc[1] if stable.measure.higher_is_better else both.iloc[1] - both.iloc[0]
    columns = {"leader_expected": both.iloc[0], "trailer_expected": both.iloc[1]}
    queries = pd.DataFrame(columns | dict.fromkeys(("lead", "worst_lead", "best_lead"), lead))
    return _duel(stable, leader, trailer, queries, tie_breaks=())


def _duel(stable: Stability, leader: str, trailer: str, queries: pd.DataFrame, *, tie_breaks: Sequence[str]) -> Duel:
    pairs = stable.pairs
    is_own = pairs["leader"].isin([leader, trailer]) & pairs["trailer"].isin([leader, trailer])
    if not is_own.any():
        raise TiecoreError(f"{shortened(leader)} and {shortened(trailer)} are not compared: see stability(…).pairs")
    at = int(np.flatnonzero(is_own)[0])
    pair = pairs.iloc[at]
    sign = 1.0 if pair["leader"] == leader else -1.0
    (low, high), holm = (sorted(sign * pair[[f"{of}low", f"{of}high"]].astype(float)) for of in ("", "holm_"))
    difference = sign * float(pair["difference"])
    reach = _HALF * np.sqrt(stable.variances[1, at] / max(1, len(queries)))
    if not stable.measure.averages_orderings:  # they then lie about another difference
        reach = np.nan
    ends = queries[["worst_lead", "best_lead"]].mean() if len(queries) else (np.nan, np.nan)
    ahead = pair["p_beats"] if sign > 0 else 1 - pair["p_beats"]
    tie_low, tie_high = np.clip([difference - reach, difference + reach], *ends)
    return Duel(
        leader=leader,
        trailer=trailer,
        measure=called(stable.measure),
        difference=difference,
        low=low,
        high=high,
        holm_interval=(holm[0], holm[1]),
        deciding_line=deciding_line(stable) * (low < high),
        tie_low=float(tie_low),
        tie_high=float(tie_high),
        under={name: float(queries[name].mean()) for name in tie_breaks},
        shares=tuple("all" if chance == 1 else tie_risk(chance, stable.draws) for chance in (ahead, 1 - ahead)),
        queries=queries,
        sentence=pair_sentence(pair, stable, writing=writing_of(stable)),
        verdict=str(pair["verdict"]),
        words=stable.words | {"scale": "values" if str(stable.measure) == "value" else scale_of(stable.measure)},
    )

"""Conventions under which others may have computed a number, and the values of one feature under each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import combinations, product
from typing import Literal

import numpy as np

from tiecore.collection.alignment import Alignment
from tiecore.evaluation.engine import Options, Queries, queries_that_count
from tiecore.measures import Measure
from tiecore.measures.base import quotient
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import changes, sums_before
from tiecore.ties.tie_breaks import tie_break

Gain = Literal["as named", "log2", "exp-log2"]
_DEPTHS = (1000, 100, 50, 10)
_PRECISIONS = ("float32", *(f"decimals:{n}" for n in range(6, -1, -1)))
_HIGHEST_EXPONENTIAL = 30
"""Grade above which an exponential gain is not tried."""
_MOST_THRESHOLDS = 4
_UNCUT = ("expected", "thresholds", "worst", "best")
"""Orders that are none: a run that is cut keeps the documents that stand first in its file."""
_ORDERS = {
    "expected": "ties averaged",
    "docid-desc": "ties broken by docid-desc (as trec_eval)",
    "docid-asc": "ties broken by docid-asc (as Anserini)",
    "input": "ties in the order of the file (as a stable sort leaves them: LightGBM, XGBoost)",
    "input-reversed": "ties in the reversed order of the file (as ranx with plain dicts)",
    "rank": "ties in the order of the rank column",
    "thresholds": "the precision of AP taken behind each tie (as average_precision_score of scikit-learn)",
    "worst": "tied documents in the worst order (as CatBoost)",
    "best": "tied documents in the best order",
}


@dataclass(frozen=True, slots=True)
class Conventions:
    """How a number was computed; the defaults are those of :func:`tiecore.evaluate`."""

    order: str = "expected"
    """``expected`` over all orders of tied documents, ``thresholds``, or the name of a tie-break.

    With ``thresholds`` all documents of a tie are looked at before the precision is taken. It concerns AP alone; other
    measures are expectations then.
    """
    precision: str = "float64"
    gain: Gain = "as named"
    threshold: int | None = None
    """Grade from which a document is relevant; None as the measure is named."""
    unjudged: Literal["ranked", "left out"] = "ranked"
    depth: int | None = None
    """Documents of each list that count; None for all."""
    short_lists: Literal["k", "length"] = "k"
    """What P@k divides by where fewer than k documents are listed."""
    queries: Queries = "qrels"
    no_relevant: Literal["zero", "skip", "one"] = "zero"

    def departures(self) -> list[str]:
        """Return in words what differs from the defaults."""
        words = {
            "order": _ORDERS[self.order],
            "precision": f"scores compared in {self.precision}",
            "gain": "gain 2^grade - 1" if self.gain == "exp-log2" else "gain equal to the grade",
            "threshold": f"relevant from grade {self.threshold}",
            "unjudged": "unjudged documents left out",
            "depth": f"lists cut at {self.depth}",
            "short_lists": "P@k of short lists divided by their length",
            "queries": "only the queries that the run lists",
            "no_relevant": "queries without a relevant document "
            + ("left out" if self.no_relevant == "skip" else "counted 1 (as LightGBM does in nDCG)"),
        }
        default = Conventions()
        return [words[part.name] for part in fields(self) if getattr(self, part.name) != getattr(default, part.name)]

    def measure(self, named: Measure) -> Measure:
        """Return a measure under its gain and threshold."""
        changed: dict[str, object] = {}
        if self.gain != "as named" and hasattr(named, "dcg"):
            changed["dcg"] = self.gain
        if self.threshold is not None and getattr(named, "rel", None) is not None:
            changed["rel"] = self.threshold
        return replace(named, **changed) if changed else named  # type: ignore[arg-type]  # fields of the family

    def ranking(self) -> Conventions:
        """Keep what concerns the order of documents alone."""
        return Conventions(order=self.order, precision=self.precision, unjudged=self.unjudged, depth=self.depth)


@dataclass(frozen=True, slots=True, eq=False)
class ConventionValues:
    """Values of one feature's measures under any conventions; what they share is computed once."""

    alignment: Alignment
    feature: str
    measures: tuple[Measure, ...]
    _values: dict[tuple[Conventions, Measure], np.ndarray] = field(default_factory=dict, repr=False)

    def of(self, conventions: Conventions) -> np.ndarray:
        """Return the value of each measure: (n_measures,)."""
        ranking, summarised = conventions.ranking(), []
        options = Options(conventions.queries, "skip" if conventions.no_relevant == "skip" else "zero")
        for used in map(conventions.measure, self.measures):
            if (ranking, used) not in self._values:
                groups = self._groups(ranking)
                is_at_thresholds = ranking.order == "thresholds" and _has_thresholds(used)
                self._values[ranking, used] = (
                    _at_thresholds(groups, used) if is_at_thresholds else used.expected(groups)
                )
            values = self._values[ranking, used]
            if conventions.short_lists == "length" and used.name == "P":
                groups = self._groups(ranking)
                length = groups.per_query(groups.size)
                values = values * (used.cutoff or 1) / np.clip(length, 1, used.cutoff)
            if conventions.no_relevant == "one":
                values = np.where(used.has_relevant(self.alignment.judged), values, 1.0)
            (counted,) = queries_that_count(self.alignment, [used], options)
            summarised.append(used.summarise(values[counted]))
        return np.array(summarised)

    def alternatives(self) -> Mapping[str, Sequence[object]]:
        """Return the other choices of each convention that can change a value here."""
        rows = self.alignment.rows(self.feature)
        grades = self.alignment.grades[1:]
        relevant = [getattr(used, "rel", None) for used in self.measures]
        possible = {
            "expected": False,
            "rank": self.alignment.sources[self.feature].rank is not None,
            "thresholds": any(map(_has_thresholds, self.measures)),
        }
        first_with: dict[int, str] = {}
        for precision in ("float64", *_PRECISIONS):  # coarser ones join groups, so their number tells them apart
            n_groups = len(self.alignment.groups(self.feature, precision=precision).size)
            first_with.setdefault(n_groups, precision)
        lengths = np.bincount(rows.query)
        dcg = {used.dcg for used in self.measures if hasattr(used, "dcg")}
        known = ("log2",) if grades.max() > _HIGHEST_EXPONENTIAL else ("exp-log2", "log2")
        short = any(used.name == "P" and (lengths < (used.cutoff or 0)).any() for used in self.measures)
        thresholds = [int(grade) for grade in grades if grade >= 1 and {grade} != set(relevant) - {None}][
            :_MOST_THRESHOLDS
        ]
        variants = [Conventions(threshold=rel).measure(used) for rel in (None, *thresholds) for used in self.measures]
        barren = any(not used.has_relevant(self.alignment.judged).all() for used in variants)
        return {
            "order": [order for order in _ORDERS if possible.get(order, True)],
            "precision": list(first_with.values())[1:],
            "gain": [gain for gain in known if dcg - {gain}],
            "threshold": thresholds if any(relevant) else [],
            "unjudged": ["left out"] if (rows.level == 0).any() else [],
            "depth": [depth for depth in _DEPTHS if lengths.max() > depth],
            "short_lists": ["length"] if short else [],
            "queries": ["common"] if not self.alignment.common_queries().all() else [],
            "no_relevant": ["skip", "one"] if barren else [],
        }

    def _groups(self, ranking: Conventions) -> TieGroups:
        """Tie groups of the documents that a list keeps, in an order."""
        groups = self.alignment.cache.get(("kept", ranking), lambda: self._kept(ranking))
        return replace(groups).case(ranking.order)

    def _kept(self, ranking: Conventions) -> TieGroups:
        rows = self.alignment.rows(self.feature, precision=ranking.precision)
        if ranking.unjudged == "left out":
            rows = rows.some(np.flatnonzero(rows.level > 0))
        keys = [] if ranking.order in _UNCUT else [tie_break(ranking.order).key(rows)]
        if ranking.depth is not None:
            order = self.alignment.sort(rows, *keys, rows.input_order()).order
            rank = sums_before(np.ones_like(order), changes(rows.query[order]))
            kept = order[rank < ranking.depth]
            rows, keys = rows.some(kept), [key[kept] for key in keys]
        return self.alignment.sort(rows, *keys)


def _has_thresholds(used: Measure) -> bool:
    return used.name == "AP" and used.cutoff is None


def _at_thresholds(groups: TieGroups, used: Measure) -> np.ndarray:
    """(n_queries,) mean over the listed relevant documents of the precision behind the tie that each is in."""
    seen = used.seen(groups)
    found = seen.relevant(used.threshold)
    precision = (seen.relevant_above(used.threshold) + found) / (seen.above + seen.size)
    return quotient(seen.per_query(found * precision), seen.per_query(found))


def conventions_with(alternatives: Mapping[str, Sequence[object]], n_departures: int) -> Iterator[Conventions]:
    """Yield all conventions with so many departures from the defaults."""
    for names in combinations([name for name, choices in alternatives.items() if choices], n_departures):
        for choice in product(*(alternatives[name] for name in names)):
            yield Conventions(**dict(zip(names, choice, strict=True)))  # type: ignore[arg-type]  # names of its fields

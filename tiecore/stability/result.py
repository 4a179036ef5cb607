"""What a study of stability gives: tables, what each column means, and sentences on how they came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd

from tiecore.errors import TiecoreError
from tiecore.measures import Measure
from tiecore.stability.agreement import swapped
from tiecore.stability.compared import Compared
from tiecore.stability.letters import letters
from tiecore.stability.pairs import SIGNIFICANT
from tiecore.stability.place_sets import PlaceSets, place_sets
from tiecore.stability.power import QueriesNeeded, queries_to_settle
from tiecore.stability.sentences import leader_sentence, unequal_lists
from tiecore.threads import Progress

__all__ = ["COLUMNS", "PlaceMethod", "Stability"]

PlaceMethod = Literal["normal", "sampled"]
_SETS = ("place", "low", "high", "low_all", "high_all", "low_once", "high_once")

COLUMNS: dict[str, str] = {
    "place": "place by expectation; equal features share a place",
    "best_place": "best place that any breaking of ties can give",
    "worst_place": "worst place that any breaking of ties can give",
    "… place": "place under this tie-break",
    "place_probability": "chance of each place when ties are broken at random",
    "beats": "chance that the feature of the row beats the one of the column under random tie-breaks; a draw is half",
    "leader": "the better of the two features by expectation, on the queries that both list",
    "trailer": "the other feature",
    "n_queries": "queries that both features list; a query that one of them lacks says nothing about the other",
    "difference": "how much better the leader is by expectation, on average over these queries",
    "sd_ties": "standard deviation of the difference when ties are broken at random, for these queries",
    "sd_queries": "standard error of the difference of the expectations, from the choice of queries alone",
    "tie_share": "share of the ties in the variance of a difference measured under one random tie-break; rest: queries",
    "p_beats": "chance that the leader beats the trailer under random tie-breaks; a draw is half",
    "verdict": "real: neither ties nor other queries undo it; these queries: ties cannot undo it, other queries could; "
    "ties decide: significant over the queries, but random tie-breaks reverse it too often; undecided: neither is "
    "settled; equal: the same expectation for every query",
    "ties": "certain: no tie-breaking can change the order; likely: p_beats is 0.95 or more; undecided: it is less",
    "queries": "significant: holm is 0.05 or less, so other queries of the kind would hardly reverse the order",
    "t_p": "p of the paired t-test on the expectations per query, two-sided",
    "randomisation_p": "p of the paired randomisation test on the expectations per query, two-sided; left out where "
    "the t-test decides, unless permutations are asked for",
    "p": "p that decides: of the t-test, or of the randomisation test where fewer than 30 queries are compared",
    "holm": "p adjusted for all pairs by Holm: 0.05 keeps the chance of any false discovery below 5 %",
    "bh": "p adjusted for all pairs by Benjamini and Hochberg: 0.05 keeps the share of false discoveries below 5 %",
    "effect": "difference in standard deviations of the differences per query (Cohen's d for pairs)",
    "better": "queries in which the leader is better by expectation",
    "worse": "queries in which the trailer is better by expectation",
    "queries_needed": "queries of the kind that make this difference significant with a chance of 80 %, by expectation",
    "queries_needed_once": "the same if one random tie-break is used instead of the expectation",
    "reversed_by": "tie-breaks that put the trailer ahead",
    "significance_changed_by": "tie-breaks under which the difference gains or loses significance (Holm, 0.05)",
    "low": "best place that the 95 % set of this feature holds, for other queries of the kind, ties averaged",
    "high": "worst place that the 95 % set of this feature holds, for other queries of the kind, ties averaged",
    "low_all": "best place in the sets that hold the true places of all features together at 95 %",
    "high_all": "worst place in the sets that hold the true places of all features together at 95 %",
    "low_once": "best place to expect at 95 % if measured once, on other queries under one random tie-break",
    "high_once": "worst place to expect at 95 % if measured once, on other queries under one random tie-break",
    "letters": "features that share a letter cannot be told apart: their difference is not significant (Holm, 0.05)",
    "reference": "leaderboard compared with",
    "other": "leaderboard compared",
    "kendall_tau": "Kendall's tau-b of the two leaderboards: 1 same order, 0 unrelated, −1 reversed",
    "tau_ap": "AP correlation: as Kendall's tau, but swaps near the top count more; the reference is taken as true",
    "spearman": "Spearman's correlation of the places",
    "n_swapped": "pairs of features that stand in opposite order",
    "ahead_in_reference": "the feature that is ahead in the reference",
    "ahead_in_other": "the feature that is ahead in the other leaderboard",
    "lead_in_reference": "how much better it is there",
    "lead_in_other": "how much better it is there",
}
"""One line on each column of the tables, for headings and footnotes."""


@dataclass(frozen=True, slots=True, eq=False)
class Stability:
    """What ties do to the order of the features under one measure; ``COLUMNS`` explains the columns.

    Features stand in order of their expectation everywhere. Differences and deviations are on the scale that the
    measure averages over queries: that of logarithms for GMAP.
    """

    measure: Measure
    n_queries: int
    """Queries that count."""
    places: pd.DataFrame
    """Places of each feature: ``place``, ``best_place``, ``worst_place``, then ``… place`` for each tie-break."""
    place_probability: pd.DataFrame
    """Chance of each feature (rows) to take each place (columns, from 1)."""
    place_method: PlaceMethod
    """Where chances come from: ``normal``, the exact moments; ``sampled``, random tie-breaks."""
    draws: int
    """Random tie-breaks that were drawn for the chances; 0 if these come from exact moments."""
    shared_order: bool
    """Whether one random order of documents breaks the ties of all features, or each feature breaks its own."""
    beats: pd.DataFrame
    """Chance that the feature of the row beats that of the column; 0 or 1 only where no tie can change the order."""
    ties: pd.DataFrame
    """Whether ties can change the order of each two features, as in ``pairs``; empty on the diagonal."""
    verdicts: pd.DataFrame
    """Verdict on each two features, as in ``pairs``; empty on the diagonal, and where two were not compared."""
    pairs: pd.DataFrame
    """One row for each two features, the better one first; only those with the baseline, if there is one."""
    baseline: str | None
    """The feature that all others are compared with; None if all are compared with each other."""
    agreement: pd.DataFrame
    """One row for each two leaderboards, (reference, other): expectation, tie-breaks, worst and best case."""
    values: pd.DataFrame
    """Value of each feature (rows) in each leaderboard (columns)."""
    notes: tuple[str, ...]
    """Sentences on how the numbers were found and what they leave open; the first says where chances come from."""
    board_places: np.ndarray
    """(n_boards, n_features) place of each feature in each leaderboard."""
    compared: Compared = field(repr=False)
    """Values per query from which all of this follows."""
    seed: int = 0
    slice: str = ""
    """Part of the queries that is studied; empty for all."""
    _memo: dict[str, PlaceSets] = field(default_factory=dict, repr=False)

    @property
    def ranks(self) -> pd.DataFrame:
        """Place of each feature by expectation and the sets of places that other queries leave open, at 95 %.

        ``place``, ``low`` and ``high``: each set by itself holds the true place of its feature. ``low_all`` and
        ``high_all``: all sets together hold all true places. ``low_once`` and ``high_once``: the place of the feature
        in a leaderboard measured once, on as many other queries under one random tie-break of each feature.
        ``letters``: features that share one cannot be told apart.
        """
        sets = self.place_sets()
        table = {name: getattr(sets, name) for name in _SETS}
        found = letters(self._told_apart())
        separator = "" if all(len(letter) == 1 for own in found for letter in own) else ","
        table["letters"] = [separator.join(own) for own in found]
        return pd.DataFrame(table, index=self.places.index)

    def place_sets(self, *, progress: Progress | None = None) -> PlaceSets:
        """Return the sets of places, computed when first asked for.

        Parameters
        ----------
        progress
            Called with the pieces of work done and the pieces in all; an exception raised in it stops the work.
        """
        if "sets" not in self._memo:
            boards = self.compared
            variances = boards.tie_variance
            self._memo["sets"] = place_sets(
                boards.per_query[0],
                None if np.isnan(variances).any() else variances,
                listed=boards.listed if boards.lists_differ else None,
                seed=self.seed,
                unit=boards.unit,
                progress=progress,
            )
        return self._memo["sets"]

    def __str__(self) -> str:
        """Return what was found in a sentence or two: who ranks first, and whether that is real."""
        return " ".join(filter(None, [leader_sentence(self), unequal_lists(self)]))

    def p_top(self, k: int) -> pd.Series:
        """Return for each feature how often it is among the first k places if these queries are drawn anew."""
        return pd.Series(self.place_sets().p_top(k), index=self.places.index, name=f"p_top({k})")

    def queries_to_settle(self, *, power: float = 0.8) -> QueriesNeeded:
        """Return the queries needed to find the difference of each two neighbours, adjusted for all pairs.

        ``settling_all()`` of it tells how many settle the whole order.
        """
        order = {feature: place for place, feature in enumerate(self.places.index)}
        pairs = self.pairs[(self.pairs["leader"].map(order) - self.pairs["trailer"].map(order)).abs() == 1]
        root = np.sqrt(pairs["n_queries"].to_numpy(dtype=np.float64))
        return queries_to_settle(
            pairs["difference"].to_numpy(),
            pairs["sd_queries"].to_numpy() * root,
            (pairs["sd_ties"].to_numpy() * root) ** 2,
            power=power,
            tests=max(1, len(self.pairs)),
        )

    def _told_apart(self) -> np.ndarray:
        """(n_features, n_features) bool: a significant difference; with a baseline, one that place sets tell apart."""
        if self.baseline is not None:
            return self.place_sets().clearly_different
        position = {feature: place for place, feature in enumerate(self.places.index)}
        found = self.pairs[self.pairs["holm"] <= SIGNIFICANT]
        leader, trailer = (found[side].map(position).to_numpy(dtype=np.int64) for side in ("leader", "trailer"))
        apart = np.zeros((len(position), len(position)), dtype=bool)
        apart[leader, trailer] = apart[trailer, leader] = True
        return apart

    def swapped(self, reference: str, other: str) -> pd.DataFrame:
        """List the pairs of features that two leaderboards put in opposite order, as far up as they matter.

        Parameters
        ----------
        reference, other
            ``expected``, ``worst``, ``best`` or the name of a tie-break.
        """
        a, b = self._board(reference), self._board(other)
        pair = swapped(self.board_places[a], self.board_places[b])
        place = self.board_places[a][pair]
        ahead, behind = pair[np.lexsort((place[:, 1], place[:, 0]))].T
        feature, value = self.values.index, self.values.to_numpy()
        return pd.DataFrame(
            {
                "ahead_in_reference": feature[ahead],
                "ahead_in_other": feature[behind],
                "lead_in_reference": np.abs(value[ahead, a] - value[behind, a]),
                "lead_in_other": np.abs(value[ahead, b] - value[behind, b]),
            }
        )

    def _board(self, name: str) -> int:
        boards = list(self.values.columns)
        if name not in boards:
            raise TiecoreError(f"no leaderboard {name!r}: there are {', '.join(boards)}")
        return boards.index(name)

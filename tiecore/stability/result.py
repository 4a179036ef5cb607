"""The result of a stability study: tables, explanations of their columns, and notes on the method."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
import pandas as pd

from tiecore.errors import TiecoreError
from tiecore.measures import Measure
from tiecore.stability.agreement import agreement, swapped
from tiecore.stability.compared import Compared
from tiecore.stability.letters import letters
from tiecore.stability.pairs import SIGNIFICANT, queries_for, verdict_matrix, with_queries_needed
from tiecore.stability.place_sets import PlaceSets, place_sets
from tiecore.stability.power import QueriesNeeded
from tiecore.stability.sentences import leader_sentence, unequal_lists
from tiecore.threads import Progress

__all__ = ["COLUMNS", "PlaceMethod", "Stability"]

PlaceMethod = Literal["normal", "sampled"]
_SETS = ("place", "low", "high", "low_all", "high_all", "low_once", "high_once")

COLUMNS: dict[str, str] = {
    "place": "place by expectation; equal features share a place",
    "best_place": "best place under any tie-breaking",
    "worst_place": "worst place under any tie-breaking",
    "… place": "place under this tie-break",
    "place_probability": "chance of each place under random tie-breaks",
    "beats": "chance that the row's feature beats the column's under random tie-breaks; a draw counts one half",
    "leader": "the better of the two features by expectation, on the queries that both list",
    "trailer": "the other feature",
    "n_queries": "queries that both features list; only these are compared",
    "difference": "mean difference of the expectations over these queries, in favour of the leader",
    "sd_ties": "SD from ties: standard deviation of the difference under random tie-breaks, for these queries",
    "sd_queries": "SE from queries: standard error of the difference of the expectations, with ties averaged out",
    "tie_share": "share of ties in the variance of a difference under one random tie-break; the rest is from queries",
    "p_beats": "chance that the leader beats the trailer under random tie-breaks; a draw counts one half",
    "verdict": "real: settled against ties and significant over the queries; these queries: settled against ties, but "
    "not significant; ties decide: significant by expectation, but more than 5 % of random tie-breaks reverse the "
    "order; undecided: neither is settled; equal: the same expectation for every query",
    "ties": "certain: no tie-breaking reverses the order; likely: p_beats is 0.95 or more; undecided: it is less",
    "queries": "significant: holm is 0.05 or less; not significant: other queries could reverse the order",
    "t_p": "p of the paired t-test on the expectations per query, two-sided",
    "rare_p": "p of the paired t-test with a standard error that allows for rare queries, seen or not, that go the "
    "other way; empty where these would hardly matter",
    "randomisation_p": "p of the paired randomisation test on the expectations per query, two-sided; empty where "
    "the t-test decides, unless permutations are requested",
    "p": "p used for the verdict: of the t-test, or of the randomisation test if fewer than 30 queries are compared; "
    "rare_p where that is larger",
    "holm": "p adjusted by Holm for all pairs of this measure: at 0.05 the chance of any false claim is at most 5 %",
    "bh": "p adjusted by Benjamini and Hochberg: at 0.05 the expected share of false discoveries is at most 5 %",
    "effect": "mean difference divided by the standard deviation of the differences per query (Cohen's d for pairs)",
    "better": "queries in which the leader is better by expectation",
    "worse": "queries in which the trailer is better by expectation",
    "queries_needed": "queries of the same kind needed to detect this difference, if it is the true one, with 80 % "
    "power in a paired t-test of this pair alone at 0.05, by expectation",
    "queries_needed_once": "the same if one random tie-break is used instead of the expectation",
    "reversed_by": "tie-breaks that put the trailer ahead",
    "significance_changed_by": "tie-breaks under which the difference gains or loses significance (Holm, 0.05)",
    "low": "best place in the feature's 95 % place set, for other queries of the same kind, ties averaged",
    "high": "worst place in the feature's 95 % place set, for other queries of the same kind, ties averaged",
    "low_all": "best place in the simultaneous 95 % place set, which holds for all features together",
    "high_all": "worst place in the simultaneous 95 % place set, which holds for all features together",
    "low_once": "best place to expect at 95 % in one measurement on other queries under one random tie-break",
    "high_once": "worst place to expect at 95 % in one measurement on other queries under one random tie-break",
    "letters": "features that share a letter are not significantly different (Holm, 0.05)",
    "reference": "leaderboard that the other is compared with",
    "other": "leaderboard that is compared with the reference",
    "kendall_tau": "Kendall's tau-b of the two leaderboards: 1 same order, 0 unrelated, −1 reversed",
    "tau_ap": "AP correlation: Kendall's tau with more weight on swaps near the top; the reference is taken as true",
    "spearman": "Spearman's correlation of the places",
    "n_swapped": "pairs of features that the two leaderboards put in opposite order",
    "ahead_in_reference": "the feature that is ahead in the reference",
    "ahead_in_other": "the feature that is ahead in the other leaderboard",
    "lead_in_reference": "by how much that feature is ahead in the reference",
    "lead_in_other": "by how much that feature is ahead in the other leaderboard",
}
"""Explanation of each column of the tables in one line, for headings and footnotes."""


@dataclass(frozen=True, eq=False)
class Stability:
    """How ties and the choice of queries affect the order of the features under one measure.

    Features are always in order of their expectation; ``COLUMNS`` explains the columns. Differences and deviations are
    on the scale on which the measure is averaged over queries: the logarithmic one for GMAP.
    """

    measure: Measure
    n_queries: int
    """Queries that count."""
    places: pd.DataFrame
    """Places of each feature: ``place``, ``best_place``, ``worst_place``, then ``… place`` for each tie-break."""
    place_probability: pd.DataFrame
    """Chance of each feature (rows) to take each place (columns, from 1)."""
    place_method: PlaceMethod
    """How chances are computed: ``normal``, from exact moments; ``sampled``, from random tie-breaks."""
    draws: int
    """Number of random tie-breaks drawn for the chances; 0 if these come from exact moments."""
    shared_order: bool
    """Whether one random order of documents breaks the ties of all features, instead of one order for each feature."""
    beats: pd.DataFrame
    """Chance that the row's feature beats the column's; 0 or 1 only where no tie-breaking can change the order."""
    ties: pd.DataFrame
    """Whether tie-breaking can change the order of each pair, as in ``pairs``; empty on the diagonal."""
    tests: pd.DataFrame
    """One row for each pair, as in ``pairs``, without the numbers of queries needed, which take longest to find."""
    baseline: str | None
    """The feature that all others are compared with; None if all are compared with each other."""
    values: pd.DataFrame
    """Value of each feature (rows) in each leaderboard (columns)."""
    notes: tuple[str, ...]
    """Sentences on the method and its limits; the first states how the chances were computed."""
    board_places: np.ndarray
    """(n_boards, n_features) place of each feature in each leaderboard."""
    compared: Compared = field(repr=False)
    """Values per query from which all tables are computed."""
    seed: int = 0
    slice: str = ""
    """Name of the slice that is studied; empty for all queries."""
    _memo: dict[str, PlaceSets] = field(default_factory=dict, repr=False)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row for each pair, leader first; with a baseline, only the pairs that include it."""
        return with_queries_needed(self.tests)

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """Verdict on each pair, as in ``pairs``; empty on the diagonal and for pairs that were not compared."""
        verdicts = verdict_matrix(self.tests, tuple(self.ties.index))
        return pd.DataFrame(verdicts, index=self.ties.index, columns=self.ties.columns, dtype=object)

    @property
    def agreement(self) -> pd.DataFrame:
        """One row for each two leaderboards, (reference, other), among expectation, tie-breaks, worst and best case."""
        return agreement(self.compared.boards, self.board_places)

    @property
    def ranks(self) -> pd.DataFrame:
        """Return the place of each feature by expectation and its 95 % place sets.

        ``low`` and ``high``: the set of one feature contains its true place at 95 %. ``low_all`` and ``high_all``: all
        sets together contain all true places at 95 %. ``low_once`` and ``high_once``: the place in a leaderboard that
        is measured once, on as many other queries under one random tie-break of each feature. ``letters``: features
        that share a letter are not significantly different.
        """
        sets = self.place_sets()
        table = {name: getattr(sets, name) for name in _SETS}
        letters_of_feature = letters(self._distinguished())
        separator = "" if all(len(letter) == 1 for shared in letters_of_feature for letter in shared) else ","
        table["letters"] = [separator.join(shared) for shared in letters_of_feature]
        return pd.DataFrame(table, index=self.places.index)

    def place_sets(self, *, progress: Progress | None = None) -> PlaceSets:
        """Return the place sets, which are computed on the first call."""
        if "sets" not in self._memo:
            boards = self.compared
            variances = boards.tie_variance
            self._memo["sets"] = place_sets(
                boards.per_query[0],
                None if np.isnan(variances).any() else variances,
                listed=boards.listed if boards.lists_differ else None,
                seed=self.seed,
                unit=boards.unit,
                largest=boards.largest_difference,
                progress=progress,
            )
        return self._memo["sets"]

    def __str__(self) -> str:
        """Return the result in a sentence or two: which feature ranks first, and whether that is real."""
        return " ".join(filter(None, [leader_sentence(self), unequal_lists(self)]))

    def p_top(self, k: int) -> pd.Series:
        """Return for each feature how often it takes one of the first k places when queries are resampled."""
        return pd.Series(self.place_sets().p_top(k), index=self.places.index, name=f"p_top({k})")

    def queries_to_settle(self, *, power: float = 0.8) -> QueriesNeeded:
        """Return the number of queries needed to find each difference between neighbours, adjusted for all pairs.

        Its method ``settling_all()`` returns the number that settles the whole order.
        """
        order = {feature: place for place, feature in enumerate(self.places.index)}
        pairs = self.tests[(self.tests["leader"].map(order) - self.tests["trailer"].map(order)).abs() == 1]
        return queries_for(pairs, power=power, n_tests=max(1, len(self.tests)))

    def _distinguished(self) -> np.ndarray:
        """(n_features, n_features) bool: significantly different; with a baseline, clearly different by place sets."""
        if self.baseline is not None:
            return self.place_sets().clearly_different
        position = {feature: place for place, feature in enumerate(self.places.index)}
        found = self.tests[self.tests["holm"] <= SIGNIFICANT]
        leader, trailer = (found[side].map(position).to_numpy(dtype=np.int64) for side in ("leader", "trailer"))
        apart = np.zeros((len(position), len(position)), dtype=bool)
        apart[leader, trailer] = apart[trailer, leader] = True
        return apart

    def swapped(self, reference: str, other: str) -> pd.DataFrame:
        """Return the pairs of features that two leaderboards put in opposite order, those near the top first.

        ``reference``, ``other``: ``expected``, ``worst``, ``best`` or the name of a tie-break.
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

"""The result of a study of stability: tables, explanations of their columns, and notes on the method."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from tiecore.errors import drawing
from tiecore.evaluation.values import places
from tiecore.stability.agreement import agreement
from tiecore.stability.paired import LEVEL
from tiecore.stability.sensitivity import queries_needed
from tiecore.stability.sentences import words_of
from tiecore.stability.verdicts import MEANING

if TYPE_CHECKING:
    from tiecore.evaluation.random_orders import TieOrders
    from tiecore.measures import Measure
    from tiecore.plot import Figure, SheetOptions

_MOST_ROWS = 30
_COLUMNS: dict[str, str] = {
    # pairs
    "leader": "the better of the two features by {value}, on the {queries} that both list",
    "trailer": "the other feature",
    "n_queries": "{queries} that both features list; only these are compared",
    "difference": "mean difference of the {value}s over these {queries}, in favour of the leader",
    "low": "lower end of the {level} confidence interval of the difference, for this pair alone",
    "high": "upper end of the {level} confidence interval of the difference, for this pair alone",
    "p": "two-sided p of the paired t-test on the {value}s per {query}, with an allowance for rare "
    "{queries} that these may have missed",
    "holm": "p adjusted by Holm for all pairs that are compared: calling differences clear at {alpha} or less aims at "
    "a chance of at most {alpha} of any false claim among them",
    "holm_low": "lower end of the confidence interval of the difference at level 1 − {alpha}/h, h being the pairs that "
    "Holm does not reject: it excludes 0 where holm is {alpha} or less, and nowhere else",
    "holm_high": "upper end of this interval",
    "verdict": MEANING,
    "p_beats": "chance that the leader is ahead on these {queries} under one random tie-break; equal values count half",
    "tie_risk": "chance that a random tie-break puts the two in the order opposite to that by expectation; "
    "equal values count half",
    "ties": "certain: no tie-break reverses the order; likely: tie_risk is 0.05 or less; undecided: it is more; empty "
    "where nothing is known of ties",
    "reversed_by": "tie-breaks that put the other one ahead",
    "sensitivity": "smallest difference that these {queries} detect for this pair with 80 % power, at level {alpha} "
    "divided by the number of pairs",
    "note": "too few {queries} to tell: fewer than six; clear but for the allowance: the verdict is open only "
    "because these {queries} may have missed rare ones; too many tied documents to draw: tie_risk is not known",
    # ranks
    "place": "place by {value}; equal features share a place",
    "low_all": "best place in a simultaneous set: with {level} confidence the sets of all features contain all true "
    "places",
    "high_all": "worst place in this set",
    "group": "1: not clearly worse than the best feature; 2: not clearly worse than the best of the others; and so on",
    "letters": "features that share a letter are not clearly different",
    # places
    "first": "share of the drawn tie-breaks under which the feature is in first place",
    "best_place": "no tie-break leads to a better place; not every place inside the bounds is reached",
    "worst_place": "no tie-break leads to a worse place",
    "… place": "place under this tie-break",
    # agreement
    "reference": "leaderboard that the other is compared with",
    "other": "leaderboard that is compared with the reference",
    "kendall_tau": "Kendall's tau-b of the two leaderboards: 1 same order, 0 unrelated, −1 reversed",
    "tau_ap": "AP correlation: Kendall's tau with more weight on swaps near the top; the reference is taken as true",
    "n_swapped": "pairs of features that the two leaderboards put in opposite order",
}
COLUMNS = {name: text.format(**words_of()) for name, text in _COLUMNS.items()}
"""Explanation of each column of the tables in one line, for headings and footnotes."""

RANK_COLUMNS = COLUMNS | {
    "low": "best place in the 95 % confidence set of this feature's place: 1 + the features found better, p adjusted "
    "for its own pairs only",
    "high": "worst place in this set: the number of features minus those found worse in the same way",
}
"""The same for ``ranks``, whose ``low`` and ``high`` are places."""


@dataclass(frozen=True, eq=False)
class Stability:
    """What ties and the choice of queries leave of the order of the features under one measure.

    Features are in order of their expectation; ``COLUMNS`` explains the columns. Differences are on the scale on which
    the measure is averaged over queries: the logarithmic one for GMAP.
    """

    measure: Measure
    n_queries: int
    """Queries that count."""
    pairs: pd.DataFrame
    """One row for each pair, leader first; with a baseline, only the pairs that include it."""
    ranks: pd.DataFrame
    """Place of each feature, the sets of its place, group and, for up to twelve features, letters.

    They follow from the tests of all pairs, also with a baseline.
    """
    places: pd.DataFrame
    """What ties do: ``place``, ``first``, ``best_place``, ``worst_place``, then ``… place`` for each tie-break."""
    values: pd.DataFrame
    """Value of each feature (rows) in each leaderboard (columns)."""
    intervals: pd.DataFrame
    """Confidence interval of each mean over queries: ``low`` and ``high``."""
    draws: int
    """Random tie-breaks that were drawn, or that those put together from fewer are worth; 0 where nothing is."""
    tie_orders: TieOrders | None
    """Whether the features share the random orders of documents that break their ties; None where nothing is known of
    ties, as of values that were measured elsewhere: then all that is said of them is NaN or empty."""
    baseline: str | None
    """The feature that all others are compared with; None if all are compared with each other."""
    margin: float | None
    """Differences inside it are too small to matter."""
    notes: tuple[str, ...]
    """Sentences on the method and its limits."""
    variances: np.ndarray = field(repr=False)
    """(2, n_pairs) variance of the difference of one query: over queries, and under one random tie-break."""
    slice: str = ""
    """Name of the part of the queries that is studied; empty for all."""
    level: float = LEVEL
    """Chance with which an interval, or a set of places, holds the true one; differences are clear at 1 − level."""
    unit: str = "query"
    """What the values are of: a query, or another item of values that were measured elsewhere."""
    blanks: tuple[str, ...] = ()
    """What is said of features with empty cells, which are not ranked."""

    @cached_property
    def words(self) -> dict[str, str]:
        """What sentences say for the level, for the queries, and for the values."""
        known = words_of(self.level, self.unit, knows_ties=self.tie_orders is not None)
        return known if self.n_tests > 1 else known | {"adjusted": ""}

    @property
    def columns(self) -> dict[str, str]:
        """``COLUMNS`` for the level of this study, and for what its values are of."""
        return {name: text.format(**self.words) for name, text in _COLUMNS.items()}

    @cached_property
    def n_tests(self) -> int:
        """Pairs that are tested, for all of which p is adjusted."""
        return int(self.pairs["p"].notna().sum())

    @property
    def sensitivity(self) -> float:
        """Median over the pairs of the smallest difference that these queries detect; NaN where nothing is tested."""
        known = self.pairs["sensitivity"].dropna()
        return float(known.median()) if len(known) else float("nan")

    def queries_for(self, difference: float) -> float:
        """Return the queries of this kind that it takes to find a difference with 80 % power, for the median pair.

        The level is shared by all pairs, as in ``sensitivity``; NaN where nothing is tested.
        """
        known = self.variances[0][~np.isnan(self.variances[0])]
        needed = queries_needed(difference, known, n_tests=self.n_tests, level=self.level)
        return float(np.median(needed)) if len(needed) else float("nan")

    @property
    def agreement(self) -> pd.DataFrame:
        """One row for each two leaderboards, (reference, other), among expectation, tie-breaks, worst and best case."""
        under_each = [places(self.measure.sign * values) for values in self.values.to_numpy().T]
        return agreement(list(self.values.columns), np.array(under_each))

    def plot(self, **sheet: Unpack[SheetOptions]) -> Figure:
        """Draw the leaderboard: values with their intervals, and how far each feature is behind the best.

        Options are those of ``evaluation.plot``: ``width``, ``title``, ``note``.
        """
        from tiecore.board import Board  # which stands further out

        with drawing():
            from tiecore.plot import Sheet, board
        return board(Board.of_stability(self), Sheet(**sheet))

    def _repr_html_(self) -> str:
        """Return the answer, the places and the pairs for a notebook."""
        tables = (table.to_html(max_rows=_MOST_ROWS, border=0) for table in (self.ranks, self.pairs))
        return "".join([f"<p>{escape(text)}</p>" for text in (str(self), *self.blanks, *self.notes)] + list(tables))

    def __str__(self) -> str:
        """Return the headline of the board: which feature leads, and what ties and other queries could change."""
        from tiecore.board import Board  # which stands further out

        return str(Board.of_stability(self))

"""The leaderboard as an object: a row a feature, and the sentence that says what the rows show."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tiecore.board.marks import MOST_COLOURED, movers_of, order_of_colours
from tiecore.board.sentences import headline, pairs_among
from tiecore.errors import TiecoreError, listed, shortened
from tiecore.evaluation.suspicious import suspicious
from tiecore.stability.paired import alpha_of
from tiecore.stability.places import groups
from tiecore.stability.sentences import PLAIN, Writing, words_of
from tiecore.stability.verdicts import MEANING
from tiecore.ties.tie_breaks import known_as

if TYPE_CHECKING:
    from tiecore.measures import Measure
    from tiecore.stability import Stability

_COLUMNS: dict[str, str] = {
    "place": "place by expectation among all features; equal features share a place",
    "value": "exact mean over all orders of tied documents, averaged over the {queries}",
    "low": "lower end of the {level} confidence interval of the value over {queries}",
    "high": "upper end of this interval",
    "behind": "mean lead of the best feature, or of the baseline, over this one, on the {queries} that both list; "
    "above 0 this one is worse",
    "behind_low": "lower end of the {level} confidence interval of this difference, for this pair alone; below 0 this "
    "feature may be the better one",
    "behind_high": "upper end of this interval",
    "verdict": MEANING,
    "tie_risk": "chance that a random tie-break puts the two in the order opposite to that by expectation; "
    "equal values count half",
    "holm": "p of the paired t-test of this difference, with an allowance for rare queries, adjusted by Holm for all "
    "pairs that are compared",
    "holm_low": "lower end of the confidence interval of this difference at level 1 − {alpha}/h, h being the pairs "
    "that Holm does not reject: it excludes 0 where holm is {alpha} or less, and nowhere else",
    "holm_high": "upper end of this interval",
    "group": "1: not clearly worse than the best feature; 2: not clearly worse than the best of the others; and so on",
    "place_low": "best place in the {level} confidence set of this feature’s place, adjusted for its own pairs only",
    "place_high": "worst place in this set",
    "all_low": "best place in a simultaneous set: with {level} confidence the sets of all features contain all true "
    "places",
    "all_high": "worst place in this set",
    "letters": "features that share a letter are not clearly different",
    "worst": "value under the least favourable order of every tie",
    "best": "value under the most favourable order of every tie",
    "sd": "standard deviation of the value under random tie-breaks",
    "tie_low": "lower end of where about 95 % of random tie-breaks put the value: 1.96 sd around the expectation, "
    "inside the worst and the best case; of fewer than 30 {queries}, or without an sd, quantiles of draws",
    "tie_high": "upper end of this range",
    "first": "share of the drawn tie-breaks under which the feature is in first place: counted, so by chance not quite "
    "what the tie risk says, which is computed where many {queries} have ties",
}
COLUMNS = {name: text.format(**words_of()) for name, text in _COLUMNS.items()}
"""Meaning of each column of ``rows`` but those of tie-breaks, of scores of documents at the usual level."""

GROUPS = (
    "Line between rows: the feature just below it is clearly worse than the best of the group above; features further "
    "down need not be."
)
"""What the lines between the rows of a board say."""
_SETS = {"low": "place_low", "high": "place_high", "low_all": "all_low", "high_all": "all_high"}


def deciding_line(study: Stability) -> str:
    """Say what the line is that decides whether a difference is clear; nothing where it is the interval, or none is."""
    n_open = (study.pairs["holm"] > alpha_of(study.level)).sum() * (study.pairs["verdict"] != "equal").any()
    level = f"the interval at Holm’s level for all {study.n_tests:,} pairs"
    return f"Line: {level}; a difference is clear only where it excludes 0." * bool(n_open > 1)


@dataclass(frozen=True, eq=False, repr=False)
class Board:
    """The leaderboard of one measure: values with intervals, differences with verdicts, and what ties do to them."""

    stability: Stability
    """Of all features."""
    rows: pd.DataFrame
    """Index feature, in order of the expectation; ``COLUMNS``, then for each tie-break its value, place and shift."""
    bias: pd.DataFrame | None = None
    """Whether each tie-break (index) correlates with relevance: see :func:`tiecore.diagnostics.pooled_bias`."""
    highlighted: Collection[str] = ()
    """Features that stand out wherever the board is shown; places of theirs alone are coloured."""

    @classmethod
    def of_stability(
        cls, stability: Stability, *, ties: pd.DataFrame | None = None, bias: pd.DataFrame | None = None
    ) -> Board:
        """Return the board of a study.

        ``ties``: index feature; ``sd``, ``low`` and ``high`` of each value under random tie-breaks. Without it they are
        known of the features whose value no tie can change. ``bias``: see that of the board.
        """
        values = stability.values.reindex(columns=["expected", "worst", "best"])  # two are not known from elsewhere
        if ties is None:
            fixed = values["expected"].where(values["worst"] == values["best"])
            ties = pd.DataFrame({"sd": 0 * fixed, "low": fixed, "high": fixed})
        known = [
            stability.ranks.rename(columns=_SETS),
            values.rename(columns={"expected": "value"}),
            stability.intervals,
            _behind(stability, stability.ranks.index),
            ties.rename(columns={"low": "tie_low", "high": "tie_high"}),
            stability.places["first"],
        ]
        rows = pd.concat(known, axis=1)
        rows = rows[[name for name in _COLUMNS if name in rows]]
        under: dict[str, pd.Series] = {}
        for name in _tie_breaks_of(stability):
            place = stability.places[f"{name} place"]
            under |= {name: stability.values[name], f"{name} place": place, f"{name} shift": rows["place"] - place}
        return cls(stability, rows.assign(**under), bias=bias)

    def __repr__(self) -> str:
        """Return what the board is of, in one line."""
        shown = f"{len(self.rows)} of {self.total}" if self.is_filtered else f"{self.total}"
        return f"<Board: {self.measure}, {shown} features, {self.n_queries:,} queries>"

    def __str__(self) -> str:
        """Return the headline as plain text."""
        return " ".join(self.headline())

    @property
    def measure(self) -> Measure:
        """What the features are measured by."""
        return self.stability.measure

    @property
    def n_queries(self) -> int:
        """Queries that count."""
        return self.stability.n_queries

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """Names of the tie-breaks that are compared with the expectation."""
        return _tie_breaks_of(self.stability)

    @property
    def suspicions(self) -> list[str]:
        """What casts doubt on the values: empty cells, and tie-breaks under which an order seems to know the grades."""
        columns = dict(self.rows) | {"feature": self.rows.index, "expected": self.rows["value"]}
        return [*self.stability.blanks, *suspicious({self.measure: columns}, self.tie_breaks, called=known_as)]

    @property
    def columns(self) -> dict[str, str]:
        """``COLUMNS`` for the level of its study, and for what its values are of."""
        return {name: text.format(**self.stability.words) for name, text in _COLUMNS.items()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Features on the board, in the order of its rows: at first that of their expectation."""
        return tuple(self.rows.index.tolist())

    @property
    def _order(self) -> tuple[str, ...]:
        """The same in the order of their expectation."""
        return tuple(name for name in self.all_names if name in self.rows.index)

    @property
    def marked(self) -> list[str]:
        """Those of them that are highlighted."""
        return [name for name in self.names if name in self.highlighted]

    @cached_property
    def all_names(self) -> tuple[str, ...]:
        """All features of its study, from each of which a name that is shortened is to be told."""
        return tuple(self.stability.places.index)

    @property
    def total(self) -> int:
        """Features before any were left out."""
        return len(self.all_names)

    @property
    def reference(self) -> str:
        """The feature that ``behind`` compares with: the baseline if it is on the board, else the best on it."""
        return _reference(self.stability, self.names)

    @property
    def new_groups(self) -> list[int]:
        """Rows with which a further group begins: none above is of it, or of one behind it; none in another order."""
        if not self.rows["place"].is_monotonic_increasing:
            return []
        behind = np.maximum.accumulate(self.rows["group"].to_numpy())
        return (1 + np.flatnonzero(np.diff(behind))).tolist()

    @property
    def is_filtered(self) -> bool:
        """Whether features were left out."""
        return len(self.rows) < self.total

    @property
    def has_ties(self) -> bool:
        """Whether a tie-break can change the value of a feature on the board."""
        return bool((self.rows["worst"] != self.rows["best"]).any())

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Pairs of the features on the board, as in ``Stability.pairs``; verdicts stay adjusted for all pairs."""
        return pairs_among(self.stability.pairs, self.names)

    def only(self, names: Collection[str]) -> Board:
        """Return a board of some of the features, in the same order and with their places among all.

        ``behind`` compares with the best of those that are left, and so do groups.
        """
        if unknown := [name for name in names if name not in self.rows.index]:
            raise TiecoreError(f"no feature is named {shortened(unknown[0])}; there are {listed(self.names)}")
        kept = [name for name in self.names if name in set(names)]
        if not kept:
            raise TiecoreError("a board needs at least one feature")
        rows = self.rows.loc[kept].copy()
        behind = _behind(self.stability, kept)
        rows[behind.columns] = behind
        board = replace(self, rows=rows)
        if self.stability.baseline is None:  # else not all pairs are compared
            rows["group"] = _groups(board)
        return board

    def in_order(self, names: Sequence[str] = ()) -> Board:
        """Return the board with its rows in the order of all its ``names``, by default in that of the expectation.

        Places, groups, what ``behind`` compares with and what the headline says stay as they are.
        """
        order = tuple(names or self._order)
        return self if order == self.names else replace(self, rows=self.rows.loc[[*order]])

    @property
    def arrangement(self) -> str:
        """What is to be said of rows in another order than that of the expectation; else nothing."""
        return "" if self.names == self._order else "The rows are not in the order of the expectation."

    def like(self, board: Board) -> Board:
        """Return what this board has of the features of another one, in its order."""
        return self.only(board.names).in_order(board.names)

    def under(self, tie_break: str) -> pd.DataFrame:
        """Return what a tie-break makes of each feature: ``value``, ``place`` and ``shift``, the places gained."""
        if tie_break not in self.tie_breaks:
            raise TiecoreError(f"no tie-break {shortened(tie_break)}: there are {listed(self.tie_breaks)}")
        columns = {"value": tie_break, "place": f"{tie_break} place", "shift": f"{tie_break} shift"}
        return pd.DataFrame({name: self.rows[column] for name, column in columns.items()})

    @property
    def places(self) -> pd.DataFrame:
        """Place of each feature (rows) by expectation and under each tie-break (columns)."""
        under = {name: self.rows[f"{name} place"] for name in self.tie_breaks}
        return pd.DataFrame({"expectation": self.rows["place"], **under})

    @cached_property
    def movers(self) -> list[str]:
        """Features that a tie-break puts at another place: first those that come first most often, then by how far."""
        movers = movers_of(self.stability.places, self.tie_breaks)
        return [name for name in movers if name in self.rows.index]

    def in_colour(self) -> tuple[list[str], str]:
        """Return the features that stand out where all places are drawn, and which these are, in words.

        Those that are highlighted; else the leader, and those that a tie-break moves, of many those that come first
        under most tie-breaks and those that move farthest.
        """
        if self.marked or not self.movers:
            return self.marked, "highlighted features"
        chosen = list(dict.fromkeys([*self._order[:1], *self.movers]))
        chosen, left = chosen[:MOST_COLOURED], chosen[MOST_COLOURED:]
        which = "features that change place"
        if left:
            places, n_moved = self.places, len(chosen) - 1
            far = places.sub(places["expectation"], axis=0).abs().max(axis=1)
            least = int(far[chosen[-1]])
            n_alike = ((far[left] >= least) | (places.loc[left] == 1).any(axis=1)).sum()
            of = f"{n_moved} of the {n_moved + n_alike}" if n_alike else f"the {n_moved}"
            far_or_first = f"come first or move at least {least} places" if least > 1 else "change place"
            which = f"{of} features that {far_or_first} under a tie-break"
        return chosen, f"the leader by expectation, and {which}"

    @cached_property
    def coloured(self) -> list[str]:
        """All features of its study in the order in which they take their colours: see ``order_of_colours``."""
        return order_of_colours(self.stability.places, self.tie_breaks)

    def headline(self, writing: Writing = PLAIN) -> tuple[str, ...]:
        """Return the answer in sentences.

        Which feature leads, by how much, and whether that is clear over the queries; what the tie-breaks do to the
        order; and a warning where one of them favours or disfavours relevant documents.

        ``writing``: how names and numbers are written, for a page that escapes or marks them.
        """
        return tuple(headline(self.in_order(), writing))


def _tie_breaks_of(stability: Stability) -> tuple[str, ...]:
    return tuple(str(name) for name in stability.values if name not in ("expected", "worst", "best"))


def _reference(stability: Stability, names: Collection[str]) -> str:
    baseline = stability.baseline
    return next(name for name in (baseline, *stability.places.index) if name in names)


def _groups(board: Board) -> np.ndarray:
    """(n_features,) group of each feature on the board among those on it."""
    clear = board.pairs[board.pairs["verdict"] == "clear"]
    leader, trailer = (board.rows.index.get_indexer(pd.Index(clear[side])) for side in ("leader", "trailer"))
    is_better = np.zeros((len(board.rows), len(board.rows)), dtype=bool)
    is_better[leader, trailer] = True
    return groups(is_better)


def _behind(stability: Stability, names: Collection[str]) -> pd.DataFrame:
    """Return what is known of the difference of each feature from the reference, which itself is 0 behind."""
    pairs, reference = stability.pairs, _reference(stability, names)
    own = pairs[(pairs["leader"] == reference) | (pairs["trailer"] == reference)]
    is_ahead = (own["leader"] == reference).to_numpy()
    sign = np.where(is_ahead, 1.0, -1.0)
    found = {name: own[name].to_numpy() for name in ("verdict", "tie_risk", "holm")}
    found["behind"] = sign * own["difference"].to_numpy()
    for of, name in (("", "behind"), ("holm_", "holm")):
        ends = np.sort([sign * own[f"{of}{end}"].to_numpy() for end in ("low", "high")], axis=0)
        found[f"{name}_low"], found[f"{name}_high"] = ends
    rows = pd.DataFrame(found, index=np.where(is_ahead, own["trailer"], own["leader"]))
    rows = rows.reindex(pd.Index(names, name="feature"))
    rows.loc[reference, ["verdict", "behind"]] = "", 0.0
    return rows.fillna({"verdict": ""})

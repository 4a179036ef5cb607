"""What of a feature was used, what was left out, and how tied it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from tiecore.collection.align import FeatureRows
from tiecore.ranking.groups import TieGroups
from tiecore.threads import in_threads

__all__ = ["Ties", "coverage_of", "remember_ties"]


@dataclass(frozen=True, slots=True, eq=False)
class Ties:
    """What coverage needs to know of tie groups."""

    n_groups: int
    n_tied: int
    """Documents in groups of more than one."""
    largest: int
    mixed_above: np.ndarray
    """(n_mixed,) documents above each group that holds relevant documents and others."""
    mixed_size: np.ndarray
    """(n_mixed,) documents in it."""

    @classmethod
    def of(cls, groups: TieGroups) -> Self:
        """Count the groups of some queries."""
        relevant = groups.relevant(1)
        mixed = np.flatnonzero((relevant > 0) & (relevant < groups.size))
        n_tied = int(groups.size[groups.size > 1].sum())
        return cls(len(groups.size), n_tied, int(groups.size.max(initial=0)), groups.above[mixed], groups.size[mixed])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Bring together what has been counted of different queries."""
        return cls(
            sum(part.n_groups for part in parts),
            sum(part.n_tied for part in parts),
            max(part.largest for part in parts),
            np.concatenate([part.mixed_above for part in parts]),
            np.concatenate([part.mixed_size for part in parts]),
        )


def remember_ties(rows: FeatureRows, parts: Sequence[Ties]) -> Ties:
    """Keep what has been counted of the blocks of a feature, so that its coverage need not sort them again."""
    # how scores compare, and whether what is missing is ranked, is all that changes the groups of a feature
    return rows.alignment.once(("ties", rows.feature, rows.precision, rows.n_unscored), lambda: Ties.joined(parts))


def _ties(rows: FeatureRows) -> Ties:
    known = rows.alignment.known(("ties", rows.feature, rows.precision, rows.n_unscored))
    if isinstance(known, Ties):
        return known
    return remember_ties(rows, in_threads(lambda block: Ties.of(block.groups()), list(rows.blocks())))


def coverage_of(rows: FeatureRows, *, cutoff: int) -> dict[str, float]:
    """Count queries and documents of one feature.

    Parameters
    ----------
    rows
        The documents that the feature ranks.
    cutoff
        Rank behind which the list is cut, for ``cut_in_mixed_tie``.
    """
    alignment = rows.alignment
    match = alignment.sources[rows.feature].match
    ties = _ties(rows)
    n_scored = len(rows.document) - rows.n_unscored
    n_listed = int((np.bincount(rows.query[:n_scored]) > 0).sum())
    judged = int((rows.level[:n_scored] > 0).sum())
    is_cut = (ties.mixed_above < cutoff) & (ties.mixed_above + ties.mixed_size > cutoff)
    return {
        "queries": n_listed,
        "queries_missing": alignment.n_queries - n_listed,
        "queries_unknown": match.unknown_queries,
        "documents": n_scored,
        "documents_unknown": match.unknown_rows,
        "judged": judged,
        "unjudged": n_scored - judged,
        "missing": int(alignment.judged.size.sum()) - judged,
        "tied": ties.n_tied / max(1, len(rows.document)),
        "largest_tie": ties.largest,
        "mean_tie": len(rows.document) / ties.n_groups if ties.n_groups else 0.0,
        "cut_in_mixed_tie": int(is_cut.sum()),
    }

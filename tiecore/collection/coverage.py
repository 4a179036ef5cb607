"""What of a feature was used, what was left out, and how tied it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from tiecore.collection.align import Alignment, FeatureRows
from tiecore.errors import listed, shortened
from tiecore.threads import in_threads
from tiecore.ties.groups import TieGroups

__all__ = ["MANY_UNMATCHED", "Ties", "coverage_of", "coverage_warnings", "matched_of", "remember_ties"]

MANY_UNMATCHED = 0.1
"""Share of documents without a judgment from which on a feature is worth a warning."""
_MOST_NAMES = 3


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
    def of(cls, groups: TieGroups, n_features: int = 1) -> list[Self]:
        """Count the groups of some queries; of several features in a stack, one after the other."""
        mixed = groups.mixed()
        relevant = groups.relevant(1)[mixed]
        mixed = mixed[(relevant > 0) & (relevant < groups.size[mixed])]
        queries = np.arange(n_features + 1) * (groups.n_queries // n_features)
        bounds = np.searchsorted(groups.query, queries)
        found = []
        for own, own_mixed in zip(pairwise(bounds.tolist()), pairwise(np.searchsorted(mixed, bounds)), strict=True):
            size, which = groups.size[slice(*own)], mixed[slice(*own_mixed)]
            n_tied = int(size.sum() - np.count_nonzero(size == 1))
            largest = int(size.max(initial=0))
            found.append(cls(len(size), n_tied, largest, groups.above[which], groups.size[which]))
        return found

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
    return remember_ties(rows, in_threads(lambda block: Ties.of(block.groups())[0], list(rows.blocks())))


def coverage_of(rows: FeatureRows, *, cutoff: int) -> dict[str, float]:
    """Count queries and documents of one feature.

    ``cutoff``: rank behind which the list is cut, for ``cut_in_mixed_tie``.
    """
    ties, n_ranked = _ties(rows), int(rows.count.sum())
    is_cut = (ties.mixed_above < cutoff) & (ties.mixed_above + ties.mixed_size > cutoff)
    return {
        **_matched(rows.alignment, rows.feature, *rows.n_scored()),
        "tied": ties.n_tied / max(1, n_ranked),
        "largest_tie": ties.largest,
        "mean_tie": n_ranked / ties.n_groups if ties.n_groups else 0.0,
        "cut_in_mixed_tie": int(is_cut.sum()),
    }


def matched_of(alignment: Alignment, feature: str) -> dict[str, float]:
    """Count the queries and documents of one feature that the judgments know, which needs no sorting."""
    return _matched(alignment, feature, *alignment.n_scored(feature))


def _matched(alignment: Alignment, feature: str, n_scored: int, judged: int) -> dict[str, float]:
    match = alignment.sources[feature].match
    n_listed = int(alignment.listed(feature).sum())
    return {
        "queries": n_listed,
        "queries_missing": alignment.n_queries - n_listed,
        "queries_unknown": match.unknown_queries,
        "documents": n_scored,
        "documents_unknown": match.unknown_rows,
        "judged": judged,
        "unjudged": n_scored - judged,
        "unmatched": (n_scored - judged) / max(1, n_scored),
        "missing": alignment.judged_documents() - judged,
    }


def coverage_warnings(
    coverage: Mapping[str, Mapping[str, float]], *, n_queries: int, omitted: Mapping[str, str], uncounted: str
) -> Iterator[str]:
    """Yield sentences on what does not match; none if nothing needs attention.

    ``uncounted``: what becomes of a judged query that a feature does not list: ``count 0`` or ``are left out``.
    """
    for name, reason in list(omitted.items())[:_MOST_NAMES]:
        yield f"Left out: {shortened(name)}. {reason}."
    if len(omitted) > _MOST_NAMES:
        yield f"Left out for the same reason: {len(omitted) - _MOST_NAMES} more features."
    some = {name: facts["queries_missing"] for name, facts in coverage.items() if facts["queries_missing"]}
    if some:
        verb = "lists" if len(some) == 1 else "list"
        listed_queries = _range(f"{n_queries - most:.0f}" for most in (max(some.values()), min(some.values())))
        yield (
            f"{_named(some)} {verb} only {listed_queries} of the {n_queries} judged queries; the others {uncounted}: "
            "features that list different queries are hard to compare."
        )
    some = {name: facts["unmatched"] for name, facts in coverage.items() if facts["unmatched"] > MANY_UNMATCHED}
    if some:
        verb = "ranks" if len(some) == 1 else "rank"
        shares = _range(f"{100 * share:.0f} %" for share in (min(some.values()), max(some.values())))
        yield (
            f"{shares} of the documents that {_named(some)} {verb} for judged queries have no judgment and count as "
            "not relevant: check that the document ids agree if you expect fewer."
        )


def _named(features: Collection[str]) -> str:
    names = list(features)
    if len(names) <= _MOST_NAMES:
        return listed(names)
    return f"{len(names)} features ({listed(names, most=_MOST_NAMES)})"


def _range(ends: Iterator[str]) -> str:
    least, most = ends
    return least if least == most else f"{least} to {most}"

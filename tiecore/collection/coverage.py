"""What of a feature was used, what was left out, and how tied it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from tiecore.collection.alignment import Alignment
from tiecore.errors import listed, shortened

MANY_UNMATCHED = 0.1
"""Share of documents without a judgment from which on a feature is worth a warning."""
_MANY_BLANK = 0.01
"""Share of the judged documents from which on empty cells of a feature are."""
_MOST_NAMES = 3
_FAR = 2
"""A feature whose count is more than so many times that of every other is named."""


def coverage_of(alignment: Alignment, feature: str, *, precision: str, missing: str, cutoff: int) -> dict[str, float]:
    """Count queries and documents of one feature.

    ``precision``, ``missing``: as for :func:`tiecore.evaluate`. ``cutoff``: rank behind which the list is cut, for
    ``cut_in_mixed_tie``.
    """
    n_groups = n_documents = n_tied = largest = n_cut = 0
    for queries in alignment.blocks():
        groups = alignment.groups(feature, queries=queries, precision=precision, missing=missing)
        size, top = groups.size, groups.top(cutoff)
        n_groups += len(size)
        n_documents += int(size.sum())
        n_tied += int(size[size > 1].sum())
        largest = max(largest, int(size.max(initial=0)))
        relevant = top.relevant(1)
        is_cut = (top.above + top.size > cutoff) & (relevant > 0) & (relevant < top.size)
        n_cut += int(np.count_nonzero(is_cut))
    return {
        **matched_of(alignment, feature),
        "tied": n_tied / max(1, n_documents),
        "largest_tie": largest,
        "mean_tie": n_documents / n_groups if n_groups else 0.0,
        "cut_in_mixed_tie": n_cut,
    }


def matched_of(alignment: Alignment, feature: str) -> dict[str, float]:
    """Count the queries and documents of one feature that the judgments know, which needs no sorting."""
    listed, n_scored, judged, n_infinite, n_blank = alignment.scored(feature)
    match, n_listed = alignment.sources[feature].match, int(listed.sum())
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
        "blank": n_blank,
        "infinite": n_infinite,
    }


def coverage_warnings(
    coverage: Mapping[str, Mapping[str, float]], alignment: Alignment, *, uncounted: str
) -> Iterator[str]:
    """Yield sentences on what does not match; none if nothing needs attention.

    ``uncounted``: what becomes of a judged query that a feature does not list: ``count 0`` or ``are left out``.
    """
    n_queries = alignment.n_queries
    for name, reason in list(alignment.omitted.items())[:_MOST_NAMES]:
        yield f"Left out: {shortened(name)}. {reason}."
    if len(alignment.omitted) > _MOST_NAMES:
        yield f"Left out for the same reason: {len(alignment.omitted) - _MOST_NAMES} more features."
    if 1 < n_queries == alignment.judged_documents() == len(alignment.query):
        yield "Each query has one document, so there is no order: are the ids of queries and documents swapped?"
    some = {name: facts["queries_missing"] for name, facts in coverage.items() if facts["queries_missing"]}
    if some:
        verb = "lists" if len(some) == 1 else "list"
        listed_queries = range_of([n_queries - n_missing for n_missing in some.values()])
        yield (
            f"{most_affected(some)} {verb} only {listed_queries} of the {n_queries} judged queries; the others "
            f"{uncounted}: features that list different queries are hard to compare."
        )
    some = {name: facts["unmatched"] for name, facts in coverage.items() if facts["unmatched"] > MANY_UNMATCHED}
    if some:
        verb = "ranks" if len(some) == 1 else "rank"
        shares = range_of([100 * share for share in some.values()], written="{:.0f} %")
        yield (
            f"{shares} of the documents that {most_affected(some)} {verb} for judged queries have no judgment and "
            "count as not relevant: check that the document ids agree if you expect fewer."
        )


def many_blank(coverage: Mapping[str, Mapping[str, float]], n_judged: int) -> dict[str, float]:
    """Return the features with many empty cells among the judged documents, and how many these are."""
    return {name: facts["blank"] for name, facts in coverage.items() if facts["blank"] > _MANY_BLANK * n_judged}


def blank_warnings(coverage: Mapping[str, Mapping[str, float]], n_judged: int, *, missing: str) -> Iterator[str]:
    """Yield a sentence on features with empty cells, which language models leave that fail to grade; none if few are.

    ``n_judged``: judged documents; ``missing``: as for :func:`tiecore.evaluate`.
    """
    blank = many_blank(coverage, n_judged)
    if blank and missing == "unranked":
        has = "has" if len(blank) == 1 else "have"
        yield (
            f"{most_affected(blank)} {has} no score for {range_of(blank.values(), written='{:,.0f}')} of "
            f"{n_judged:,} judged documents; these are not ranked, which alone can decide a comparison."
        )


def most_affected(features: Mapping[str, float]) -> str:
    """Name few features; count many, and name one that is far from all others."""
    most, *others = sorted(features, key=lambda name: -features[name])
    if len(others) < _MOST_NAMES:
        return listed([most, *others])
    is_far = features[most] > _FAR * features[others[0]]
    return f"{len(features)} features" + (f" (most of all {shortened(most)})" if is_far else "")


def range_of(values: Collection[float], *, written: str = "{:.0f}") -> str:
    """Return the least and the greatest value, or the one that all are."""
    least, most = map(written.format, (min(values), max(values)))
    return least if least == most else f"{least} to {most}"

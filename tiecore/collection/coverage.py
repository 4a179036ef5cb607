"""What of a feature was used, what was left out, and how tied it is."""

from __future__ import annotations

from tiecore.collection.align import FeatureRows

__all__ = ["coverage_of", "matched_of"]


def coverage_of(rows: FeatureRows, *, cutoff: int) -> dict[str, float]:
    """Count queries and documents of one feature.

    Parameters
    ----------
    rows
        The documents that the feature ranks.
    cutoff
        Rank behind which the list is cut, for ``cut_in_mixed_tie``.
    """
    groups = rows.groups()
    relevant = groups.relevant(1)
    is_mixed = (relevant > 0) & (relevant < groups.size)
    is_cut = (groups.above < cutoff) & (groups.above + groups.size > cutoff)
    return {
        **matched_of(rows),
        "tied": float(groups.size[groups.size > 1].sum() / max(1, int(groups.size.sum()))),
        "largest_tie": int(groups.size.max(initial=0)),
        "mean_tie": float(groups.size.mean()) if len(groups.size) else 0.0,
        "cut_in_mixed_tie": int((is_mixed & is_cut).sum()),
    }


def matched_of(rows: FeatureRows) -> dict[str, float]:
    """Count the queries and documents of one feature that meet those of the judgments: the part without any sorting."""
    alignment = rows.alignment
    match = alignment.sources[rows.feature].match
    n_scored = len(rows.document) - rows.n_unscored
    n_listed = int(alignment.listed(rows.feature).sum())
    judged = int((rows.level[:n_scored] > 0).sum())
    return {
        "queries": n_listed,
        "queries_missing": alignment.n_queries - n_listed,
        "queries_unknown": match.unknown_queries,
        "documents": n_scored,
        "documents_unknown": match.unknown_rows,
        "judged": judged,
        "unjudged": n_scored - judged,
        "missing": int(alignment.judged.size.sum()) - judged,
    }

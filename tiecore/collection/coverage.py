"""What of a feature was used, what was left out, and how tied it is."""

from __future__ import annotations

import numpy as np

from tiecore.collection.align import FeatureRows

__all__ = ["coverage_of"]


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
    groups = rows.groups()
    scored = slice(len(rows.document) - rows.n_unscored)
    n_scored = int(rows.count[scored].sum())
    n_listed = int((np.bincount(rows.query[scored]) > 0).sum())
    judged = int(rows.count[scored][rows.level[scored] > 0].sum())
    relevant = groups.relevant(1)
    is_mixed = (relevant > 0) & (relevant < groups.size)
    is_cut = (groups.above < cutoff) & (groups.above + groups.size > cutoff)
    return {
        "queries": n_listed,
        "queries_missing": alignment.n_queries - n_listed,
        "queries_unknown": match.unknown_queries,
        "documents": n_scored,
        "documents_unknown": match.unknown_rows,
        "judged": judged,
        "unjudged": n_scored - judged,
        "missing": int(alignment.judged.size.sum()) - judged,
        "tied": float(groups.size[groups.size > 1].sum() / max(1, int(groups.size.sum()))),
        "largest_tie": int(groups.size.max(initial=0)),
        "mean_tie": float(groups.size.mean()) if len(groups.size) else 0.0,
        "cut_in_mixed_tie": int((is_mixed & is_cut).sum()),
    }

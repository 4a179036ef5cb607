"""What the columns of the tables mean, in one line each."""

from __future__ import annotations

import re

__all__ = ["COLUMNS", "explain"]

COLUMNS: dict[str, str] = {
    # indexes
    "measure": "name of the measure",
    "feature": "feature that ranks the documents",
    "tie_break": "tie-break as it was named",
    "query_id": "query",
    "cutoff": "rank k behind which the list is cut",
    "group": "number of the tie group from the top of the list",
    "other": "feature that breaks the ties",
    "precision": "precision in which scores are compared",
    # anatomy
    "queries": "queries in which the feature ranks documents, of those that count",
    "documents": "documents that it ranks there",
    "tied": "share of documents that are tied with another one of their query",
    "tied_mixed": "share of documents in tie groups of mixed relevance: only there does a tie-break matter",
    "mean_tie": "documents per tie group, single documents counted as groups of one",
    "largest_tie": "documents in the largest tie group",
    "values": "distinct scores over all queries",
    "values_per_query": "distinct scores in a query, on average: the length of its ranking as far as it is one",
    "constant_queries": "share of these queries whose documents are all tied",
    "cut_in_tie@k": "share of queries in which rank k falls inside a tie group",
    "cut_in_mixed_tie@k": "share of queries in which rank k falls inside a tie group of mixed relevance",
    "alarm": "why this feature, or a part of it, is no ranking",
    # cut_curve
    "cut_in_tie": "share of queries in which the cut-off falls inside a tie group",
    "cut_in_mixed_tie": "share of queries in which the cut-off falls inside a tie group of mixed relevance",
    "longer": "share of queries with more documents than the cut-off: elsewhere there is nothing to cut",
    # curves and crossings
    "place": "place by expectation at this cut-off; equal features share a place",
    "ahead": "feature that is ahead from this cut-off on",
    "behind": "feature that was ahead before",
    # group_sizes
    "size": "documents in the tie group",
    "groups": "tie groups of this size",
    "mixed_groups": "tie groups of this size with relevant documents beside others",
    "share": "share of the total",
    # random_baseline
    "random": "expectation of a random order of the same documents: what a constant feature gets",
    "gained": "improvement of the expectation",
    # values of a measure
    "expected": "exact mean over all orderings of tied documents",
    "sd": "standard deviation under random tie-breaks",
    "worst": "value of the least favourable ordering",
    "best": "value of the most favourable ordering",
    "spread": "difference between best and worst",
    "…": "value under the tie-break",
    "… shift": "value under the tie-break less the expectation",
    # bias
    "value": "value under the tie-break",
    "shift": "value under the tie-break less the expectation",
    "chance_sd": "standard deviation that the shift would have if the tie-break knew nothing",
    "z": "shift in units of the standard deviation that chance would give it",
    "p": "probability of so large a difference, up or down, by chance alone",
    "p_adjusted": "p made larger for the number of features tried (Benjamini & Yekutieli)",
    "verdict": "the same in plain words",
    # pooled bias
    "features": "features with ties that change the measure",
    "lifted": "of these, features that the tie-break makes look better",
    "strongest": "feature with the largest z, up or down",
    # blame
    "blame": "what the queries are ranked by",
    "cumulative": "share of the total that this row and those above it make up",
    # leads
    "leader_expected": "expectation of the feature that is said to lead",
    "trailer_expected": "expectation of the other feature",
    "lead": "by how much the first is ahead, by expectation",
    "worst_lead": "the least that it can be ahead, whatever breaks the ties of both",
    "best_lead": "the most that it can be ahead, whatever breaks the ties of both",
    # culprits
    "score": "score that the tied documents share; none for judged documents that are not listed",
    "first_rank": "first rank of the group",
    "last_rank": "last rank of the group",
    "relevant": "relevant documents in the group",
    "grades": "grade × documents, highest grade first; – stands for not judged",
    "inside": "ranks of the group inside the cut-off",
    "contribution": "what the documents of the group add to the expectation of the query",
    "to_worst": "change of the query's expectation if this group alone fell least favourably",
    "to_best": "change of the query's expectation if this group alone fell most favourably",
    # listing
    "doc_id": "document",
    "grade": "grade in the judgments; none if it is not judged",
    "… rank": "rank under the tie-break; documents that it leaves tied share the mean of their ranks",
    # draws
    "draw": "number of the random ordering",
    "mean": "mean of this random ordering and those before it",
    # hidden ties
    "tied <precision>": "share of documents that are tied when scores are compared in that precision",
    "step": "tiny gap, always the same, that seems to have been put between tied scores to hide the tie",
    "step_share": "share of neighbours with different scores that are exactly one such step apart",
    "restore": "precision that ties them again",
    "restored": "share of the tiny gaps that this precision closes",
    "spurious": "share of the other gaps that it closes as well, which it should not",
    "note": "the same in plain words",
    # precision_curve
    "change": "expectation less that in float64",
    # advice
    "sd_removed": "share of the standard deviation that the other feature takes away",
    "spread_removed": "share of the spread that the other feature takes away",
}
"""Column (or index) to its explanation; ``@k`` and ``…`` stand for a cut-off and the name of a tie-break."""


def explain(column: str) -> str:
    """Explain a column of any table of this package.

    Examples
    --------
    >>> explain("cut_in_tie@10")
    'share of queries in which rank 10 falls inside a tie group'
    >>> explain("trec_eval shift")
    'value under the tie-break less the expectation'
    """
    if column in COLUMNS:
        return COLUMNS[column]
    name, at, cutoff = column.rpartition("@")
    if at and f"{name}@k" in COLUMNS:
        return re.sub(r"\bk\b", cutoff, COLUMNS[f"{name}@k"])
    if column.startswith("tied "):
        return COLUMNS["tied <precision>"]
    ending = column.rstrip("*").rpartition(" ")[2]  # asterisks keep derived columns apart
    return COLUMNS.get(f"… {ending}", COLUMNS["…"])

"""What the columns of the tables mean, in one line each."""

from __future__ import annotations

import re

COLUMNS: dict[str, str] = {
    # indexes
    "measure": "name of the measure",
    "feature": "feature that ranks the documents",
    "tie_break": "name of the tie-break",
    "query_id": "query",
    "cutoff": "rank k after which the list is cut",
    "group": "number of the tie group from the top of the list",
    "other": "feature that breaks the ties",
    "precision": "precision in which scores are compared",
    # anatomy
    "queries": "queries that count and in which the feature ranks documents",
    "documents": "documents that the feature ranks in these queries",
    "tied": "share of documents that are tied with another document of their query",
    "tied_mixed": "share of documents in mixed ties, the only ones in which a tie-break matters",
    "mean_tie": "documents per tie group; a document that is not tied is a group of one",
    "largest_tie": "documents in the largest tie group",
    "values": "number of distinct scores over all queries",
    "values_per_query": "mean number of distinct scores in a query",
    "constant_queries": "share of these queries in which all documents are tied",
    "cut_in_tie@k": "share of queries in which rank k falls inside a tie group",
    "cut_in_mixed_tie@k": "share of queries in which rank k falls inside a mixed tie",
    "alarm": "why the feature does not rank documents, or not in every query",
    # curves and crossings
    "place": "place by expectation; equal features share a place",
    "ahead": "feature that is ahead from this cut-off on",
    "behind": "feature that is ahead just before this cut-off",
    # random_baseline
    "random": "expectation of a random order of the same documents, which is that of a constant feature",
    "gained": "improvement of the expectation: over that of a random order, or by a tie-breaker over that without it",
    # values of a measure
    "expected": "expectation: exact mean over all orderings of tied documents",
    "sd": "standard deviation under random tie-breaks",
    "worst": "worst case: least favourable value that any tie-breaking gives",
    "best": "best case: most favourable value that any tie-breaking gives",
    "spread": "difference between best and worst",
    "…": "value under the tie-break",
    "… shift": "value under the tie-break minus the expectation",
    # bias
    "value": "value under the tie-break",
    "shift": "value under the tie-break minus the expectation",
    "chance_sd": "standard deviation of the shift if the tie-break is unrelated to relevance",
    "z": "shift divided by its standard deviation under chance",
    "p": "two-sided p: share of random orders (1,000 at most) that lead at least as far from the expectation",
    "p_adjusted": "p adjusted for all features together: share of random orders in which any |z| is as large",
    "verdict": "the result in words",
    # pooled bias
    "features": "features with ties that change the measure",
    "lifted": "of these, features that the tie-break makes look better",
    "strongest": "feature with the largest absolute z",
    # blame
    "blame": "what the queries are ranked by",
    "cut_tie": "documents of the mixed tie through which the list is cut; 0 where there is none",
    "share": "share of the sum of all rows: of their spreads, or of what queries are ordered by (of sd, its square)",
    "cumulative": "share of the same sum in this row and those above it",
    # leads
    "leader_expected": "expectation of the leader",
    "trailer_expected": "expectation of the trailer",
    "lead": "by how much the leader is ahead, by expectation",
    "worst_lead": "smallest lead that any tie-breaking of the two features gives",
    "best_lead": "largest lead that any tie-breaking of the two features gives",
    # culprits
    "score": "score of the tied documents; empty for judged documents that the feature does not list",
    "size": "documents in the tie group",
    "first_rank": "first rank of the group",
    "last_rank": "last rank of the group",
    "relevant": "relevant documents in the group",
    "grades": "grade × documents, highest grade first; – stands for unjudged",
    "inside": "number of ranks of the group within the cut-off",
    "contribution": "what the documents of the group add to the expectation of the query",
    "to_worst": "change of the query's expectation if only this group takes its worst order",
    "to_best": "change of the query's expectation if only this group takes its best order",
    # listing
    "doc_id": "document",
    "grade": "grade in the judgments; empty if unjudged",
    "… rank": "rank under the tie-break; documents that it leaves tied share their mean rank",
    # draws
    "draw": "number of the random ordering",
    "mean": "mean value of this random ordering and those before it",
    # hidden ties
    "tied <precision>": "share of documents that are tied in that precision",
    "step": "constant tiny gap that appears to separate scores that were tied",
    "step_share": "share of neighbours with different scores that are exactly one step apart",
    "restore": "precision in which they are tied again",
    "restored": "share of the tiny gaps that this precision closes",
    "spurious": "share of the larger gaps that it closes too, although it should not",
    "note": "the result in words",
    # precision_curve
    "change": "expectation minus that in float64",
    "exact": "expectation in float64",
    "exact_place": "place by the expectation in float64",
    # chain
    "link": "place in the chain: the first feature ranks, each further one breaks the ties that are left",
    "held_out": "expectation on queries that were not used to choose the chain",
    "held_out_gain": "gain of this step on such queries",
    "low": "lower end of a 95 % interval of the gain over queries (of a chain, held out), not adjusted for the choice",
    "high": "upper end of this interval",
    "agreement": "share of the searches without one part of the queries that chose the same features up to this step",
    # advice
    "sd_removed": "share of the standard deviation that breaking ties by the other feature removes",
    "spread_removed": "share of the spread that breaking ties by the other feature removes",
}
"""Column (or index) to its meaning; ``@k`` and ``…`` stand for a cut-off and the name of a tie-break."""


def column_meaning(column: str) -> str:
    """Return the meaning of a column of any table of this package.

    Examples
    --------
    >>> column_meaning("cut_in_tie@10")
    'share of queries in which rank 10 falls inside a tie group'
    >>> column_meaning("trec_eval shift")
    'value under the tie-break minus the expectation'
    """
    if column in COLUMNS:
        return COLUMNS[column]
    name, at, cutoff = column.rpartition("@")
    if at and f"{name}@k" in COLUMNS:
        return re.sub(r"\bk\b", cutoff, COLUMNS[f"{name}@k"])
    if column.startswith("tied "):
        return COLUMNS["tied <precision>"]
    ending = column.rpartition(" ")[2]
    return COLUMNS.get(f"… {ending}", COLUMNS["…"])

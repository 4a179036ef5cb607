"""The experiment of McSherry & Najork: what it costs to heed ties."""

from __future__ import annotations

from bench.rows.base import Check, Results, Row, Table, Verdict, same, seconds_text
from bench.run import Contender
from bench.spelling import SIX

__all__ = ["PAPER"]


PAPER_FEATURES = ("indegree", "query_url_clicks")
WAYS = ("aware", "oblivious", "textbook")


def _paper_table(results: Results) -> Table:
    table = [["feature", "measure", *WAYS, "aware to oblivious", "aware to textbook", *(f"{w}, no sort" for w in WAYS)]]
    for feature, found in results.items():
        if found.problem:
            table.append([feature, found.problem, *[""] * 8])
            continue
        for name in SIX:
            whole = [found.processor[f"{name} {way} whole"] for way in WAYS]
            alone = [found.processor[f"{name} {way}"] for way in WAYS]
            overhead = [f"{whole[0] / other - 1.0:+.0%}" for other in whole[1:]]
            table.append([feature, name, *map(seconds_text, whole), *overhead, *map(seconds_text, alone)])
    return table


def _paper_verdicts(results: Results) -> list[Verdict]:
    verdicts = []
    for feature, found in results.items():
        for other in WAYS[1:]:
            work = f"the paper's experiment, 28,043 queries, {feature}: tie-aware against {other}"
            if found.problem:
                verdicts.append(Verdict(work, "cheaper", "not measured", None))
                continue
            over = [
                found.processor[f"{name} aware whole"] / found.processor[f"{name} {other} whole"] - 1 for name in SIX
            ]
            reached = f"{min(over):+.0%} to {max(over):+.0%}"
            # the mark speaks of breaking the ties; the textbook is a further comparison
            mark, met = ("cheaper", max(over) < 0) if other == "oblivious" else ("(no mark)", None)
            verdicts.append(Verdict(work, mark, reached, met))
    return verdicts


def _paper_checks(results: Results) -> list[Check]:
    return [
        check
        for feature in results
        for check in same(
            results,
            f"docid-asc of {feature}: tiecore and the textbook",
            (feature, "oblivious"),
            (feature, "textbook"),
            SIX,
        )
    ]


PAPER = Row(
    title="The experiment of McSherry & Najork",
    text="28,043 queries, each measure by itself, from arrays of scores, queries and grade levels to a value per "
    "query, in one thread; the times are processor times. *aware*: sort by score, cut into tie groups, take the "
    "expectation. *oblivious*: sort by score and document id, then the same function on groups of one document. "
    "*textbook*: the same sort, then the usual formula on the grades in their order, in plain NumPy. The ranks of "
    "the ids inside their query are ready beforehand, which favours the two that need them. The last three "
    "columns leave out the sort (and the cut into groups). McSherry & Najork found about 0 % overhead for five "
    "measures and 25 % for RR.",
    contenders={
        feature: Contender(
            tool="tiecore",
            gives=f"three ways on {feature}",
            task="paper.paper",
            arguments={"n_queries": 28_043, "feature": feature, "repeats": 3},
        )
        for feature in PAPER_FEATURES
    },
    verdicts=_paper_verdicts,
    checks=_paper_checks,
    table=_paper_table,
)

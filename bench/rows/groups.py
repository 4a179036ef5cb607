"""Tie groups of one feature beside the sort that they cannot do without."""

from __future__ import annotations

from bench.rows.base import Results, Row, Table, Verdict, has, seconds_text
from bench.run import Contender

__all__ = ["GROUPS"]


GROUPED = {"indegree": "whole numbers, 35 % zero", "url_slashes": "ten values", "bm25_whole": "six decimals, no ties"}


def _groups_table(results: Results) -> Table:
    table = [["feature", "documents", "groups", "tie groups", "np.sort", "ratio", "of processor time"]]
    for name, found in results.items():
        if found.problem:
            table.append([f"{name}: {found.problem}", "", "", "", "", "", ""])
            continue
        sort = found.seconds["np.sort"]
        counts = [f"{found.counts[what]:,}" for what in ("documents", "groups")]
        times = [seconds_text(found.seconds["groups"]), seconds_text(sort), f"{found.seconds['groups'] / sort:.1f}"]
        busy = found.processor["groups"] / found.processor["np.sort"]
        table.append([f"{name} ({GROUPED[name]})", *counts, *times, f"{busy:.1f}"])
    return table


def _groups_verdicts(results: Results) -> list[Verdict]:
    work, mark = "tie groups of one feature, 3.72 M documents", "≤ 5 × np.sort of the same packed keys"
    if not has(results, "indegree"):
        return [Verdict(work, mark, "not measured", None)]
    seconds, processor = results["indegree"].seconds, results["indegree"].processor
    ratio = seconds["groups"] / seconds["np.sort"]
    busy = processor["groups"] / processor["np.sort"]
    return [Verdict(work, mark, f"{ratio:.1f} × (of processor time {busy:.1f} ×)", ratio <= 5)]


GROUPS = Row(
    title="Tie groups of one feature",
    text="From the scores, grade levels and queries of one feature to its tie groups: coding, packing, sorting, "
    "cutting, in blocks of queries as evaluate() takes them. Beside it np.sort of the very keys that are sorted on the "
    "way, all at once and in the order in which they come; both in turns in one process.",
    contenders={
        name: Contender(
            tool="tiecore",
            gives=f"tie groups of {name}",
            task="groups.groups",
            arguments={"feature": name, "repeats": 5},
        )
        for name in GROUPED
    },
    verdicts=_groups_verdicts,
    table=_groups_table,
)

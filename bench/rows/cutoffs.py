"""Curves over a hundred cut-offs."""

from __future__ import annotations

from bench.rows.base import Check, Results, Row, Table, seconds_text
from bench.run import Contender

__all__ = ["CUTOFFS"]


LAST = 100
FAMILIES = ("P", "R", "AP", "RR", "nDCG", "Success")


def _cutoffs_table(results: Results) -> Table:
    table = [["measure", f"@{LAST}", f"@1 to @{LAST}", "ratio", "of processor time"]]
    for name, found in results.items():
        if found.problem:
            table.append([f"{name}: {found.problem}", "", "", "", ""])
            continue
        seconds, processor = found.seconds, found.processor
        times = [seconds_text(seconds["one"]), seconds_text(seconds["all"]), f"{seconds['all'] / seconds['one']:.1f}"]
        table.append([name, *times, f"{processor['all'] / processor['one']:.1f}"])
    return table


def _cutoffs_checks(results: Results) -> list[Check]:
    return [
        Check(f"sd of {name}@{LAST} by itself and among the others", found.values["apart"][name], 1e-12)
        for name, found in results.items()
        if not found.problem
    ]


CUTOFFS = Row(
    title="A hundred cut-offs",
    text="In-degree of 8,000 queries: expectation, sd, worst and best of a measure at one cut-off, and at a hundred in "
    "one call. Documents are aligned beforehand.",
    contenders={
        name: Contender(
            tool="tiecore",
            gives=f"{name} at one and at {LAST} cut-offs",
            task="cutoffs.cutoffs",
            arguments={"n_queries": 8_000, "family": name, "last": LAST, "repeats": 5},
        )
        for name in FAMILIES
    },
    checks=_cutoffs_checks,
    table=_cutoffs_table,
)

"""Verdicts and place sets, beside the evaluation that they start from."""

from __future__ import annotations

from bench import QUERIES
from bench.rows.base import Results, Row, Verdict, fits, has, seconds_text
from bench.run import Contender


def _ours(task: str, arguments: dict[str, object], runs: int | None = None) -> dict[str, Contender]:
    gives = "verdicts and place sets"
    return {"tiecore": Contender(tool="tiecore", gives=gives, task=task, arguments=arguments, runs=runs)}


def _verdict(results: Results, work: str, *, share: float) -> Verdict:
    mark = f"≤ {share:g} × evaluate"
    if not has(results, "tiecore"):
        return Verdict(work, mark, "not measured", None)
    ours = results["tiecore"]
    ratio = ours.seconds["work"] / ours.seconds["evaluate"]
    busy = ours.processor["work"] / ours.processor["evaluate"]
    reached = f"{ratio:.2f} × of {seconds_text(ours.seconds['evaluate'])} (of processor time {busy:.2f} ×)"
    return Verdict(work, mark, reached, ratio <= share)


_SMALL = "stability with place sets, 20 features × 1,000 queries, from frames"
_WIDE = "stability with place sets, 136 features × 31,531 queries, from Parquet"

STABILITY = Row(
    title="Verdicts and place sets",
    text="nDCG@10 of twenty features on 1,000 queries: which differences are clear, and the place sets, from an "
    "evaluation that is ready; the mark is the evaluation from frames, by the four default measures.",
    contenders=_ours("stability.frames", {"n_queries": 1000, "repeats": 3}),
    verdicts=lambda results: [_verdict(results, _SMALL, share=1)],
)
WIDE_STABILITY = Row(
    title="Verdicts and place sets of 136 features",
    text=f"The same for 136 features and {QUERIES:,} queries; the mark is the evaluation of six measures from Parquet.",
    contenders=_ours("stability.table", {"n_queries": QUERIES, "which": "all"}, runs=1),
    verdicts=lambda results: [
        _verdict(results, _WIDE, share=0.25),
        fits(results, _WIDE, "tiecore", gigabytes=4),
    ],
    tables=((QUERIES, "all"),),
    is_large=True,
)

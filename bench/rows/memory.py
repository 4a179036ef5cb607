"""One feature, every tool starting from structures of its own."""

from __future__ import annotations

from collections.abc import Sequence

from bench.rows.base import ALL_COLUMNS, Check, Results, Row, Verdict, inside, quicker, same
from bench.run import Contender
from bench.spelling import FOUR

__all__ = ["MEMORY"]


IN_MEMORY: dict[str, object] = {"n_queries": 8000, "repeats": 5}
STATISTICS = ["expected", "sd", "worst", "best"]


def _ours(gives: str, *, statistics: Sequence[str], tie_breaks: Sequence[str], begin: str) -> Contender:
    arguments = {**IN_MEMORY, "statistics": statistics, "tie_breaks": tie_breaks, "begin": begin}
    return Contender(tool="tiecore", gives=gives, task="memory.tiecore", arguments=arguments)


def _memory_verdicts(results: Results) -> list[Verdict]:
    work = "in memory, 8,000 queries × 118, P@10 AP RR nDCG@10, expectation only"
    more = f"same, {ALL_COLUMNS}"
    return [
        quicker(results, work, quick="expected", slow="pytrec_eval", tool="pytrec_eval's evaluate", by=6),
        quicker(results, work, quick="expected", slow="tie-aware", tool="tie-aware-retrieval-metrics", by=15),
        quicker(results, more, quick="everything", slow="pytrec_eval", tool="pytrec_eval's one tie-break", by=2),
    ]


def _memory_checks(results: Results) -> list[Check]:
    ours = ("everything", "docid-desc")
    return [
        *same(results, "docid-desc: tiecore and pytrec_eval", ours, ("pytrec_eval", "docid-desc"), FOUR),
        *same(results, "docid-desc: tiecore and ir_measures", ours, ("ir_measures", "docid-desc"), FOUR),
        *same(
            results,
            "expectation: tiecore and tie-aware-retrieval-metrics, gains of nDCG binary",
            ("binary", "expected"),
            ("tie-aware", "expected"),
            ("P@10", "AP", "RR", "nDCG@10 (binary)"),
        ),
        *same(
            results,
            "expectation: tiecore and scikit-learn",
            ("expected", "expected"),
            ("sklearn", "expected"),
            FOUR[3:],
        ),
        *inside(results, "ranx", "everything"),
    ]


MEMORY = Row(
    title="One feature in memory",
    text="In-degree of 8,000 queries; P@10, AP, RR, nDCG@10. Every tool starts from its own structures made "
    "beforehand: tiecore from aligned documents (ids matched, nothing sorted), the others from dicts, lists or objects "
    "of theirs. The line with join shows tiecore from ids and scores instead. Peak memory is that of the whole "
    "process, the reading of the generated data included.",
    contenders={
        "expected": _ours("expectation", statistics=["expected"], tie_breaks=[], begin="aligned"),
        "everything": _ours(ALL_COLUMNS, statistics=STATISTICS, tie_breaks=["docid-desc"], begin="aligned"),
        "joined": _ours("expectation, with join", statistics=["expected"], tie_breaks=[], begin="join"),
        "pytrec_eval": Contender(
            tool="pytrec_eval", gives="one tie-break", task="peers.pytrec_eval", arguments=IN_MEMORY
        ),
        "ir_measures": Contender(
            tool="ir_measures", gives="one tie-break", task="peers.ir_measures", arguments=IN_MEMORY
        ),
        "ranx": Contender(
            tool="ranx", gives="one arbitrary order; two threads, warm", task="peers.ranx", arguments=IN_MEMORY
        ),
        "tie-aware": Contender(
            tool="tie-aware-retrieval-metrics",
            gives="expectation, min, max, file order; binary gains",
            task="peers.tie_aware",
            arguments={**IN_MEMORY, "repeats": 1, "cut": "full"},
        ),
        "tie-aware-10": Contender(
            tool="tie-aware-retrieval-metrics",
            gives="the same with AP and RR cut at 10 too",
            task="peers.tie_aware",
            arguments={**IN_MEMORY, "repeats": 1, "cut": "10"},
        ),
        "sklearn": Contender(
            tool="scikit-learn",
            gives="expectation of nDCG@10 alone",
            task="peers.sklearn",
            arguments={**IN_MEMORY, "repeats": 1},
        ),
        "binary": Contender(
            tool="tiecore",
            gives="binary gains, for comparison",
            task="memory.binary",
            arguments={"n_queries": 8000},
            runs=1,
            only_checked=True,
        ),
    },
    verdicts=_memory_verdicts,
    checks=_memory_checks,
)

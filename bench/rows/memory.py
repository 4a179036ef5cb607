"""One feature, every tool starting from structures of its own."""

from __future__ import annotations

from collections.abc import Sequence

from bench import QUERIES
from bench.rows.base import ALL_COLUMNS, Check, Results, Row, Verdict, has, inside, quicker, same, seconds_text
from bench.run import Contender

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
    return [
        *same(results, "docid-desc: tiecore and pytrec_eval", "everything", "pytrec_eval", kind="docid-desc"),
        *same(results, "docid-desc: tiecore and ir_measures", "everything", "ir_measures", kind="docid-desc"),
        *same(
            results,
            "expectation: tiecore and tie-aware-retrieval-metrics, gains of nDCG binary",
            "binary",
            "tie-aware",
            kind="expected",
            measures=("P@10", "AP", "RR", "nDCG@10 (binary)"),
        ),
        *same(
            results,
            "expectation: tiecore and scikit-learn",
            "expected",
            "sklearn",
            kind="expected",
            measures=["nDCG@10"],
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
        **{
            name: Contender(tool=tool, gives=gives, task=task, arguments={**IN_MEMORY, **more})
            for name, tool, gives, task, more in (
                ("pytrec_eval", "pytrec_eval", "one tie-break", "peers.pytrec_eval", {}),
                ("ir_measures", "ir_measures", "one tie-break", "peers.ir_measures", {}),
                ("ranx", "ranx", "one arbitrary order; two threads, warm", "peers.ranx", {}),
                (
                    "tie-aware",
                    "tie-aware-retrieval-metrics",
                    "expectation, min, max, file order; binary gains",
                    "peers.tie_aware",
                    {"repeats": 1},
                ),
                ("sklearn", "scikit-learn", "expectation of nDCG@10 alone", "peers.sklearn", {"repeats": 1}),
            )
        },
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


_MILLION: dict[str, object] = {"n_documents": 1_000_000, "repeats": 3}
_OBJECTS_MARKS = (
    ("frames", "frames of a million rows, all columns", 2.0),
    ("dicts expected", "dicts of a million documents, expectation only", 1.0),
    ("dicts", "dicts of a million documents, all columns", 0.8),
)
OBJECTS = Row(
    title="Frames and dicts",
    text="In-degree of the first queries that make up a million documents; P@10, AP, RR, nDCG@10. Everything counts "
    "but the making of the frames, the dicts and pytrec_eval's evaluator.",
    contenders={
        "frames": Contender(tool="tiecore", gives=f"frames: {ALL_COLUMNS}", task="memory.frames", arguments=_MILLION),
        "dicts expected": Contender(
            tool="tiecore",
            gives="dicts: expectation",
            task="memory.dicts",
            arguments={**_MILLION, "statistics": ["expected"], "tie_breaks": []},
        ),
        "dicts": Contender(
            tool="tiecore",
            gives=f"dicts: {ALL_COLUMNS}",
            task="memory.dicts",
            arguments={**_MILLION, "statistics": STATISTICS, "tie_breaks": ["docid-desc"]},
        ),
        "pytrec_eval": Contender(
            tool="pytrec_eval", gives="dicts: one tie-break", task="peers.pytrec_eval", arguments=_MILLION
        ),
    },
    verdicts=lambda results: [
        quicker(results, work, quick=name, slow="pytrec_eval", tool="pytrec_eval's evaluate", by=by)
        for name, work, by in _OBJECTS_MARKS
    ],
    checks=lambda results: [
        check
        for name in ("frames", "dicts")
        for check in same(
            results, f"docid-desc: tiecore from {name} and pytrec_eval", name, "pytrec_eval", kind="docid-desc"
        )
    ],
)


_ALL: dict[str, object] = {"n_queries": QUERIES, "repeats": 3, "begin": "aligned", "statistics": STATISTICS}


def _one_more_verdicts(results: Results) -> list[Verdict]:
    work, mark = "one more tie-break, 3.72 M documents", "≤ 0.6 × expectation, sd, worst and best"
    if not has(results, "none", "docid"):
        return [Verdict(work, mark, "not measured", None)]
    without, with_it = results["none"], results["docid"]
    more = with_it.seconds["work"] / without.seconds["work"] - 1
    busy = with_it.processor["work"] / without.processor["work"] - 1
    reached = f"{more:.2f} × of {seconds_text(without.seconds['work'])} (of processor time {busy:.2f} ×)"
    return [Verdict(work, mark, reached, more <= 0.6)]


ONE_MORE = Row(
    title="One more tie-break",
    text="In-degree of all queries, documents aligned; P@10, AP, RR, nDCG@10. The ids are ordered anew each time.",
    contenders={
        name: Contender(
            tool="tiecore", gives=gives, task="memory.tiecore", arguments={**_ALL, "tie_breaks": tie_breaks}
        )
        for name, gives, tie_breaks in (
            ("none", "expectation, sd, worst, best", []),
            ("docid", ALL_COLUMNS, ["docid-desc"]),
            ("random", "expectation, sd, worst, best, one random order", ["random:7"]),
        )
    },
    verdicts=_one_more_verdicts,
)

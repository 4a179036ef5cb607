"""One feature from files to numbers, whole processes."""

from __future__ import annotations

from bench import QUERIES
from bench.rows.base import (
    ALL_COLUMNS,
    Check,
    Results,
    Row,
    Verdict,
    at_most,
    fits,
    has,
    inside,
    quicker,
    same,
    seconds_text,
    shows_progress,
)
from bench.run import PROCESS, Contender

_ALL: dict[str, object] = {"n_queries": QUERIES}
WITHOUT_KERNEL = f"{ALL_COLUMNS}; without the part in C"
TREC_EVAL_TO_PYTREC_EVAL = 2.9 / 1.2
"""Seconds of trec_eval in C, from files, for each second that pytrec_eval's evaluate takes for the same data."""
TREC_EVAL_TO_IR_MEASURES = 11 / 23.6
"""The same for each second of ir_measures, with long ids: the quickest of some runs of trec_eval built with -O3."""


def _files_verdicts(results: Results) -> list[Verdict]:
    work = "from files, 3.72 M lines each, whole process, all columns"
    verdicts = [quicker(results, work, quick="tiecore", slow="ir_measures", tool="ir_measures", by=6, part=PROCESS)]
    if has(results, "pytrec_eval"):
        reference = results["pytrec_eval"].seconds["work"] * TREC_EVAL_TO_PYTREC_EVAL
        mark = f"≤ trec_eval in C, here {seconds_text(reference)}"
        verdicts.append(at_most(results, work, "tiecore", seconds=reference, part=PROCESS, mark=mark))
    return [*verdicts, fits(results, work, "tiecore", gigabytes=1)]


def _files_checks(results: Results) -> list[Check]:
    return [
        *same(results, "docid-desc: tiecore and pytrec_eval", "tiecore", "pytrec_eval", kind="docid-desc"),
        *same(results, "docid-desc: tiecore and ir_measures", "tiecore", "ir_measures", kind="docid-desc"),
        *inside(results, "ranx", "tiecore"),
    ]


FILES = Row(
    title="One feature from files",
    text="A run of in-degree and qrels of the same documents, as TREC files; P@10, AP, RR, nDCG@10. The time is that "
    "of the whole process, from the start of the interpreter to its end. trec_eval itself is not at hand: its time is "
    "taken from a known relation, 2.9 s from files where pytrec_eval's evaluate, dicts ready, takes 1.2 s for the same "
    "data, and from that evaluate as measured here.",
    contenders={
        name: Contender(tool=tool, gives=gives, task=task, arguments={**_ALL, **more}, part=PROCESS, runs=runs)
        for name, tool, gives, task, more, runs in (
            ("tiecore", "tiecore", ALL_COLUMNS, "files.tiecore_columns", {}, None),
            ("no kernel", "tiecore", WITHOUT_KERNEL, "files.tiecore_columns", {"kernel": "off"}, None),
            ("ir_measures", "ir_measures", "one tie-break", "files.ir_measures", {}, None),
            ("pytrec_eval", "pytrec_eval", "one tie-break; its own parsers", "files.pytrec_eval", {}, None),
            ("ranx", "ranx", "one arbitrary order", "files.ranx", {}, 1),
        )
    },
    verdicts=_files_verdicts,
    checks=_files_checks,
    texts=((QUERIES, "short"),),
)


def _long_verdicts(results: Results) -> list[Verdict]:
    work = "from files, 3.72 M lines each, ids such as clueweb12-0073wb-00-78087, whole process, all columns"
    verdicts = [quicker(results, work, quick="tiecore", slow="ir_measures", tool="ir_measures", by=6, part=PROCESS)]
    if has(results, "ir_measures"):
        reference = results["ir_measures"].seconds[PROCESS] * TREC_EVAL_TO_IR_MEASURES
        mark = f"≤ 0.35 × trec_eval -O3, here {seconds_text(reference)}"
        verdicts.append(at_most(results, work, "tiecore", seconds=0.35 * reference, part=PROCESS, mark=mark))
    return [*verdicts, fits(results, work, "tiecore", gigabytes=1)]


LONG_IDS = Row(
    title="One feature from files with long ids",
    text="As above, with ids of 25 letters in no order of the lines. trec_eval in C is not measured: no package holds "
    "it as a program, and its source is in none of those that wrap it. Its time is taken from a known relation, 11 s "
    "built with -O3 where ir_measures takes 23.6 s for the same data, and from ir_measures as measured here.",
    contenders={
        name: Contender(tool=name, gives=gives, task=task, arguments={**_ALL, "ids": "long"}, part=PROCESS)
        for name, gives, task in (
            ("tiecore", ALL_COLUMNS, "files.tiecore_columns"),
            ("ir_measures", "one tie-break", "files.ir_measures"),
        )
    },
    verdicts=_long_verdicts,
    checks=lambda results: same(
        results, "docid-desc: tiecore and ir_measures", "tiecore", "ir_measures", kind="docid-desc"
    ),
    tables=(),
    texts=((QUERIES, "long"),),
)


def many_runs_row(n_runs: int, *, by: float) -> Row:
    """Compare with pytrec_eval on many runs of few queries."""

    def verdicts(results: Results) -> list[Verdict]:
        work = f"from files, {n_runs} runs × 30 queries × 1,000 documents, whole process, all columns"
        tool = "pytrec_eval and its own parsers"
        return [quicker(results, work, quick="tiecore", slow="pytrec_eval", tool=tool, by=by, part=PROCESS)]

    return Row(
        title=f"{n_runs} runs of a TREC track",
        text=f"{n_runs} TREC runs of 30 queries × 1,000 documents and qrels of 300 documents a query, ids of 25 "
        "letters; every second run ties some of its scores. P@10, AP, RR, nDCG@10; the time is that of the whole "
        "process. Values are compared as means over the runs. trec_eval in C is not measured: no package holds it as "
        "a program.",
        contenders={
            name: Contender(tool=tool, gives=gives, task=task, arguments={"n_runs": n_runs, **more}, part=PROCESS)
            for name, tool, gives, task, more in (
                ("tiecore", "tiecore", ALL_COLUMNS, "files.tiecore_many", {}),
                ("no kernel", "tiecore", WITHOUT_KERNEL, "files.tiecore_many", {"kernel": "off"}),
                ("pytrec_eval", "pytrec_eval", "one tie-break; its own parsers", "files.pytrec_eval_many", {}),
            )
        },
        verdicts=verdicts,
        checks=lambda results: same(
            results, "docid-desc: tiecore and pytrec_eval", "tiecore", "pytrec_eval", kind="docid-desc"
        ),
        tables=(),
        n_runs=n_runs,
    )


_WIDE = f"136 features × 31,531 queries × 3.72 M documents from Parquet, six measures, {ALL_COLUMNS}"

WIDE = Row(
    title="136 features from Parquet",
    text=f"One table of 136 features with a label column, {QUERIES:,} queries; P@10, R@10, F1@10, AP, RR, nDCG@10; "
    "whole process.",
    contenders={
        "tiecore": Contender(
            tool="tiecore",
            gives=ALL_COLUMNS,
            task="files.table",
            arguments=_ALL | {"which": "all"},
            part=PROCESS,
            runs=2,
        )
    },
    verdicts=lambda results: [
        at_most(results, _WIDE, "tiecore", seconds=120, part=PROCESS),
        fits(results, _WIDE, "tiecore", gigabytes=6),
        shows_progress(results, _WIDE, "tiecore"),
    ],
    tables=((QUERIES, "all"),),
    is_large=True,
)

"""Many features of one Parquet table."""

from __future__ import annotations

from bench import QUERIES
from bench.rows.base import ALL_COLUMNS, Row, at_most, fits, shows_progress
from bench.run import PROCESS, Contender

__all__ = ["WIDE"]

_WORK = f"136 features × 31,531 queries × 3.72 M documents from Parquet, six measures, {ALL_COLUMNS}"

WIDE = Row(
    title="136 features from Parquet",
    text=f"One table of 136 features with a label column, {QUERIES:,} queries; P@10, R@10, F1@10, AP, RR, nDCG@10; "
    "whole process.",
    contenders={
        "tiecore": Contender(
            tool="tiecore",
            gives=ALL_COLUMNS,
            task="files.table",
            arguments={"n_queries": QUERIES, "which": "all"},
            part=PROCESS,
            runs=2,
        )
    },
    verdicts=lambda results: [
        at_most(results, _WORK, "tiecore", seconds=120, part=PROCESS),
        fits(results, _WORK, "tiecore", gigabytes=6),
        shows_progress(results, _WORK, "tiecore"),
    ],
    tables=((QUERIES, "all"),),
    is_large=True,
)

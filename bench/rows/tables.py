"""Many features of one Parquet table."""

from __future__ import annotations

from bench import QUERIES
from bench.rows.base import ALL_COLUMNS, Results, Row, Verdict, at_most, fits, shows_progress
from bench.run import PROCESS, Contender

__all__ = ["table_row"]


def table_row(which: str, n_features: int, *, is_large: bool) -> Row:
    """Make the row of a table of features: the frequent ones, or all."""
    work = f"{n_features} features × 31,531 queries × 3.72 M documents from Parquet, six measures, {ALL_COLUMNS}"

    def verdicts(results: Results) -> list[Verdict]:
        if not is_large:
            return []
        return [
            at_most(results, work, "tiecore", seconds=120, part=PROCESS),
            fits(results, work, "tiecore", gigabytes=6),
            shows_progress(results, work, "tiecore"),
        ]

    contender = Contender(
        tool="tiecore",
        gives=ALL_COLUMNS,
        task="files.table",
        arguments={"n_queries": QUERIES, "which": which},
        part=PROCESS,
        runs=2,
    )
    return Row(
        title=f"{n_features} features from Parquet",
        text=f"One table of {n_features} features with a label column, {QUERIES:,} queries; P@10, R@10, F1@10, AP, RR, "
        "nDCG@10; whole process.",
        contenders={"tiecore": contender},
        verdicts=verdicts,
        tables=((QUERIES, which),),
        is_large=is_large,
    )

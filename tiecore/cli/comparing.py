"""The commands on systems whose values are at hand, declared as those of :mod:`tiecore.cli.commands`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tiecore.cli.options import COUNTING, OUTPUT, Listed, argument, choice, limits_option, names, option

if TYPE_CHECKING:
    from tiecore.cli.render.tables import Report

__all__ = ["Compare"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Compare(Listed):
    """Which systems are clearly better, by values that were measured elsewhere.

    A leaderboard with a value for each item and system is enough: differences with intervals and verdicts, groups, and
    the places that other items leave open.
    """

    examples = (
        ("A leaderboard of ten systems", "tiecore compare leaderboard.csv"),
        ("What trec_eval -q prints, a file a system", "tiecore compare bm25.eval title_match.eval -m ndcg_cut_10"),
        ("By ranks, against one of the systems", "tiecore compare leaderboard.csv --aggregate borda --baseline bm25"),
    )
    values: tuple[str, ...] = argument(
        "VALUES...",
        several=True,
        help="Values: a table (CSV, TSV, Parquet) with a row an item and a column a system, or a row a value; or what "
        "trec_eval -q prints, a file a system; plain or .gz.",
    )
    measure: str | None = option(
        "--measure", "-m", metavar="NAME", help="Measure to compare, where the values are of several; or what they are."
    )
    baseline: str | None = option("--baseline", metavar="SYSTEM", help="Compare every other system with this one only.")
    margin: float | None = option(
        "--margin",
        metavar="DIFFERENCE",
        type=float,
        help="Smallest difference that matters: smaller ones are called small.",
    )
    aggregate: Literal["mean", "borda"] = choice(
        "--aggregate",
        Literal["mean", "borda"],
        help="Means of the values, or (borda) of the ranks that the systems have on each item.",
    )
    lower: bool = option(
        "--lower-is-better", default=False, is_flag=True, panel=COUNTING, help="Lower values are the better ones."
    )
    limits: tuple[str, ...] = limits_option()
    parts: tuple[str, ...] = names("--part", panel=OUTPUT, help="Table to show: places, pairs")

    @property
    def files(self) -> list[str]:
        """Those of the values."""
        return list(self.values)

    def report(self) -> Report:
        """Compare the systems."""
        from tiecore.cli.render.tables import check_parts
        from tiecore.cli.reports.stability import report_of
        from tiecore.comparing import compare
        from tiecore.formats import Limits, limited

        check_parts(self.parts, ("places", "pairs"))
        with limited(Limits().with_settings(self.limits)):
            study = compare(
                self.values,
                self.measure,
                baseline=self.baseline,
                margin=self.margin,
                aggregate=self.aggregate,
                higher_is_better=not self.lower,
            )
        return report_of([study], parts=self.parts, top=self.top, command="compare")

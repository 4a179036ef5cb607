"""The commands on systems whose values are at hand, declared as those of :mod:`tiecore.cli.commands`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click

from tiecore.cli.options import (
    COUNTING,
    OUTPUT,
    Compared,
    Counting,
    Listed,
    Written,
    argument,
    choice,
    limits_option,
    names,
    number,
    option,
)
from tiecore.errors import TiecoreError, shortened

if TYPE_CHECKING:
    from tiecore.cli.render.tables import Report

__all__ = ["Compare", "Gate", "Judges"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Compare(Compared, Listed):
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Gate(Counting, Written):
    """Has a ranking become worse? Lets a pipeline stop.

    pass (status 0): a loss of more than the margin is excluded. fail (status 1): clearly worse. cannot tell (status 0
    and a warning, 3 with --strict): neither.
    """

    examples = (
        ("May a run replace another?", "tiecore gate qrels.txt title_match.json bm25.run.gz --margin 0.01"),
        ("The same by values of a table", "tiecore gate title_match bm25 --values leaderboard.csv --margin 0.01"),
    )
    qrels: str = argument("[QRELS]", help="Relevance judgments; none with --values.")
    features: tuple[str, ...] = argument(
        "BASELINE CANDIDATE", several=True, help="Two files of one run each; with --values, the names of two systems."
    )
    measures: tuple[str, ...] = names(
        "--measure", "-m", shown="nDCG@10", help="Measure to test; over several p is adjusted by Holm"
    )
    margin: float = option("--margin", default=0.0, metavar="LOSS", type=float, help="Loss up to which nobody minds.")
    strict: bool = option("--strict", default=False, is_flag=True, help="End with status 3 where it cannot tell.")
    values: str | None = option(
        "--values", metavar="FILE", help="Take the values of both from a file that compare reads, instead of runs."
    )

    @property
    def files(self) -> list[str]:
        """Judgments and runs, or the file of values."""
        return [self.values] if self.values else [self.qrels, *self.features]

    def report(self) -> Report:
        """Compare the two."""
        from tiecore.cli.load import conventions_of, reading, sources
        from tiecore.cli.messages import say
        from tiecore.cli.reports.gate import report_of
        from tiecore.comparing import gate, gate_values

        given = (self.qrels, *self.features)
        if len(given) != (2 if self.values else 3):
            wanted = "BASELINE CANDIDATE --values FILE" if self.values else "QRELS BASELINE CANDIDATE"
            raise click.UsageError(f"expected {wanted}, found {len(given)} names")
        with reading(self, "evaluating") as progress:
            if self.values:
                found = gate_values(self.values, given[0], given[1], self.measures, margin=self.margin)
            else:
                qrels, features = sources(self)
                baseline, candidate = features or []
                how = conventions_of(self) | {"progress": progress}
                found = gate(qrels, baseline, candidate, self.measures or ("nDCG@10",), margin=self.margin, **how)
        doubt = ["cannot tell whether the candidate is worse"] if found.verdict == "cannot tell" else []
        for note in (*found.notes, *doubt):
            say(note, kind="warning")
        return report_of(found, status={"pass": 0, "fail": 1, "cannot tell": 3 if self.strict else 0}[found.verdict])


@dataclass(frozen=True, eq=False, kw_only=True)
class Judges(Counting, Listed):
    """Whether another judge orders the same systems in the same way.

    Leaderboards side by side, agreement with intervals, the pairs that are clearly the other way round under another
    judge, and those that are clear under one alone.
    """

    examples = (
        (
            "Do two judges agree?",
            "tiecore judges bm25.run.gz clicks.csv -j a=qrels.txt -j b=second_judge.txt",
        ),
    )
    qrels: str = argument("RUN", help="Scores of systems, as evaluate reads them.")
    features: tuple[str, ...] = argument("[RUN]...", several=True, required=False, help="Further files of scores.")
    judgments: tuple[str, ...] = option(
        "--judgments",
        "-j",
        metavar="NAME=FILE",
        multiple=True,
        required=True,
        default=(),
        help="Judgments of one judge, with a name; give two or more.",
    )
    measure: str = option("--measure", "-m", default="nDCG@10", metavar="NAME", help="Measure of the leaderboards.")
    draws: int = number("--draws", default=1000, least=1, help="Draws of the queries for the intervals.")
    seed: int = number("--seed", default=0, help="Seed of these draws; the same seed gives the same numbers.")
    parts: tuple[str, ...] = names(
        "--part", panel=OUTPUT, help="Table to show: leaderboards, agreement, reversed, only"
    )

    @property
    def named(self) -> dict[str, str]:
        """Files of the judges by their names."""
        found: dict[str, str] = {}
        for given in self.judgments:
            name, _, file = given.partition("=")
            if not name or not file or name in found:
                raise TiecoreError(f"expected --judgments NAME=FILE with a name of its own, found {shortened(given)}")
            found[name] = file
        return found

    @property
    def files(self) -> list[str]:
        """Runs and judgments."""
        return [self.qrels, *self.features, *self.named.values()]

    def report(self) -> Report:
        """Compare the judges."""
        from tiecore.cli.load import conventions_of, reading
        from tiecore.cli.render.tables import check_parts
        from tiecore.cli.reports.judges import PARTS, report_of
        from tiecore.comparing import judges

        check_parts(self.parts, PARTS)
        with reading(self, "evaluating"):
            found = judges(
                self.named,
                [self.qrels, *self.features],
                self.measure,
                draws=self.draws,
                seed=self.seed,
                **conventions_of(self),
            )
        return report_of(found, parts=self.parts, top=self.top)

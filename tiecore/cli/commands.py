"""The commands: the fields of each are its options, its docstring is its help.

What one reports is made by the module of its name in :mod:`tiecore.cli.reports`, which is loaded when it runs, so that
help and usage errors are fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click

from tiecore.cli.fields import COUNTING, OPTIONS, OUTPUT, argument, choice, names, number, option, tables
from tiecore.cli.options import Command, Compared, Counting, Evaluated, Limited, Listed, Reading, Written
from tiecore.errors import TiecoreError, shortened

__all__ = ["COMMANDS", "Compare", "Count", "Dashboard", "Evaluate", "Explain", "Gate", "Judges", "Stability", "Ties"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluate(Evaluated, Written):
    """Expectation, spread, worst and best case of each feature, and its value under any tie-break.

    Where scores are tied, the expectation is the exact mean over all orderings of the tied documents.
    """

    examples = (
        ("Four measures of four features", "tiecore evaluate qrels.txt indegree.run clicks.csv"),
        ("Values under named tie-breaks", "tiecore evaluate qrels.txt clicks.csv bm25.run.gz -t trec_eval,input"),
        ("Lower is better for one feature", "tiecore evaluate qrels.txt pages.parquet --ascending quality_score"),
        ("Measures by name, as a LaTeX table", "tiecore evaluate qrels.txt clicks.csv -m AP,nDCG@5 -f latex"),
        ("Every query, to a file", "tiecore evaluate qrels.txt indegree.run -m ERR@20 --per-query -o err.csv"),
    )
    per_query: bool = option(
        "--per-query",
        default=False,
        is_flag=True,
        panel=OUTPUT,
        help="Show the values of every query instead of their means.",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Ties(Evaluated, Listed):
    """How tied each feature is, and where it hurts.

    With tie-breaks, also whether they correlate with relevance; for one feature, which queries and ties matter most.
    """

    examples = (
        ("Where do cuts at 5 and 10 fall?", "tiecore ties qrels.txt clicks.csv pages.parquet -k 5 -k 10"),
        (
            "Are tie-breaks biased towards relevance?",
            "tiecore ties qrels.txt clicks.csv -t input,docid-asc --part bias",
        ),
        ("Which queries suffer most?", "tiecore ties qrels.txt title_match.json --feature title_match"),
    )
    measures: tuple[str, ...] = names(
        "--measure", "-m", shown="nDCG at the first cut-off", help="Measure whose values the ties affect"
    )
    cutoffs: tuple[int, ...] = option(
        "--cutoff",
        "-k",
        metavar="RANK",
        type=click.IntRange(1, 2**31 - 1),
        multiple=True,
        callback=lambda ctx, parameter, ranks: tuple(dict.fromkeys(ranks or (10,))),
        default=(),
        help="Rank of a cut that may fall inside a tie; repeat for several. [default: 10]",
    )
    feature: str | None = option(
        "--feature",
        metavar="NAME",
        help="Analyse one feature: its queries, and which other feature could break its ties.",
    )
    query: str | None = option("--query", metavar="ID", help="Analyse the ties of one query of that feature.")
    by: str = option(
        "--by", default="spread", metavar="spread|sd|TIE-BREAK", help="How the queries of that feature are ordered."
    )
    parts: tuple[str, ...] = tables(
        "anatomy", "cuts", "cost", "bias", "bias_features", "hidden", "blame", "culprits", "precision", "advice"
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Stability(Compared, Evaluated, Listed):
    """Which differences are clear over the queries, and what ties put at risk.

    Differences with their intervals and verdicts, the places that other queries leave open, and what each tie-break
    changes.
    """

    examples = (
        ("Can ties change the order?", "tiecore stability qrels.txt clicks.csv bm25.run.gz -t input"),
        ("All pairs, to a file", "tiecore stability qrels.txt pages.parquet -m AP --part pairs -o pairs.csv"),
    )
    measures: tuple[str, ...] = names("--measure", "-m", shown="nDCG@10", help="Measure of the leaderboard")
    tie_orders: Literal["shared", "independent"] = choice(
        "--tie-orders",
        Literal["shared", "independent"],
        panel=OPTIONS,
        help="Random tie-breaks: one order of the documents of a query, shared by all features as document ids are, or "
        "an independent order for each feature, right for systems that break ties each in its own way.",
    )
    slices: str | None = option(
        "--slices",
        metavar="NAME|FILE",
        help="Study parts of the queries one by one: relevant, length or tied (three parts of about as many queries by "
        "the number of relevant documents, the length of the lists, the share of tied documents), or a CSV file of "
        "query id and name.",
    )
    seed: int = number("--seed", default=0, help="Seed of random tie-breaks; the same seed gives the same numbers.")
    parts: tuple[str, ...] = tables("places", "pairs", "agreement", "swapped", "place_probability")


@dataclass(frozen=True, eq=False, kw_only=True)
class Compare(Limited, Compared, Listed):
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
    parts: tuple[str, ...] = tables("places", "pairs")

    @property
    def files(self) -> list[str]:
        """Those of the values."""
        return list(self.values)


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
    parts: tuple[str, ...] = tables("leaderboards", "agreement", "reversed", "only")

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


@dataclass(frozen=True, eq=False, kw_only=True)
class Explain(Listed):
    """Whose number is this? The conventions that give a number reported elsewhere, to its printed digits."""

    examples = (("Whose number is this?", "tiecore explain qrels.txt bm25.run.gz nDCG@10=.4215 AP=.5740"),)
    qrels: str = argument("QRELS", help="Relevance judgments, in any format that evaluate reads.")
    feature: str = argument("FEATURE", help="File of the one feature whose number it is.")
    reported: tuple[str, ...] = argument(
        "MEASURE=NUMBER...", several=True, help="Reported numbers, in the digits as printed."
    )

    @property
    def files(self) -> list[str]:
        """Judgments and the feature."""
        return [self.qrels, self.feature]


@dataclass(frozen=True, eq=False, kw_only=True)
class Count(Reading):
    """Count documents by query, score and grade: a small file in the place of judgments and features.

    Give it to every other command as QRELS alone. All but what looks at single documents is exactly the same.
    """

    examples = (
        ("A file for every other command", "tiecore count qrels.txt clicks.csv indegree.run -o counts.parquet"),
        (
            "Features that may break the ties of each other",
            "tiecore count qrels.txt clicks.csv --joint dwell,url_clicks -o c.parquet",
        ),
    )
    joint: tuple[str, ...] = names(
        "--joint",
        metavar="FEATURE",
        panel=COUNTING,
        help="Feature counted together with the others named so, to break their ties",
    )
    output: Path = option(
        "--output", "-o", metavar="FILE", type=Path, required=True, help="Parquet file to write the counts to."
    )

    def run(self) -> None:
        """Count and write."""
        from tiecore.cli.load import load_counts
        from tiecore.cli.render.output import check_output

        check_output(self.output, self.files)
        load_counts(self).to_parquet(self.output)


@dataclass(frozen=True, eq=False, kw_only=True)
class Dashboard(Command):
    """Open the dashboard in the browser."""

    examples = (
        ("On the sample data", "tiecore dashboard"),
        ("On your own files", "tiecore dashboard --qrels qrels.txt --features indegree.run clicks.csv"),
    )
    more_features: tuple[str, ...] = argument("[FEATURE]...", several=True, required=False, help="More feature files.")
    qrels: str | None = option("--qrels", metavar="FILE", help="Relevance judgments to open at the start.")
    features: tuple[str, ...] = option(
        "--features", default=(), metavar="FILE...", multiple=True, help="Feature files to open at the start."
    )
    data_root: str | None = option(
        "--data-root", metavar="DIR", help="Folder whose files can be opened in the dashboard; files outside it cannot."
    )
    memory: int | None = number(
        "--memory", least=1, most=4096, help="Gibibytes that the server stays below. [default: 4]"
    )
    forget: bool = option("--forget/--keep", default=False, help="Keep no files of visitors for a reload or a link.")
    port: int | None = number(
        "--port", least=1, most=65535, help="Port on this computer. [default: 8501, or the next free one]"
    )
    browser: bool = option("--browser/--no-browser", default=True, help="Open a browser window.")

    def run(self) -> None:
        """Become the server."""
        from tiecore.cli.dashboard import environment, free_port, program, run

        variables = environment(
            qrels=self.qrels,
            features=[*self.features, *self.more_features],
            data_root=self.data_root,
            memory=self.memory,
            forget=self.forget,
        )
        raise click.exceptions.Exit(run(program(port=free_port(self.port), opens_browser=self.browser), variables))


COMMANDS: dict[str, type[Command]] = {
    command.__name__.lower(): command
    for command in (Evaluate, Ties, Stability, Compare, Gate, Judges, Explain, Count, Dashboard)
}
"""Every command, by its name."""

"""The commands: the fields of each are its options, its docstring is its help, and `run` does it.

What needs more than the standard library is imported inside the functions, so that help and usage errors are fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from tiecore.cli.comparing import Compare, Gate, Judges
from tiecore.cli.options import (
    COUNTING,
    OPTIONS,
    OUTPUT,
    Command,
    Compared,
    Evaluated,
    Listed,
    Reading,
    Written,
    argument,
    choice,
    names,
    number,
    option,
)

if TYPE_CHECKING:
    from tiecore.cli.render.tables import Report

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

    def report(self) -> Report:
        """Evaluate the features."""
        from tiecore.cli.load import load_evaluation
        from tiecore.cli.reports.evaluate import report_of

        return report_of(load_evaluation(self), per_query=self.per_query)


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
    parts: tuple[str, ...] = names(
        "--part",
        panel=OUTPUT,
        help="Table to show: anatomy, cuts, cost, bias, bias_features, hidden, blame, culprits, precision, advice",
    )

    def report(self) -> Report:
        """Analyse the ties."""
        from tiecore.cli.load import load_evaluation
        from tiecore.cli.reports.ties import check, report_of

        check(self)
        return report_of(load_evaluation(self, measures=[f"nDCG@{self.cutoffs[0]}"]), self)


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
    parts: tuple[str, ...] = names(
        "--part", panel=OUTPUT, help="Table to show: places, pairs, agreement, swapped, place_probability"
    )

    def report(self) -> Report:
        """Compare the features."""
        from tiecore.cli.load import load_evaluation, slices_by
        from tiecore.cli.messages import working
        from tiecore.cli.render.tables import check_parts
        from tiecore.cli.reports.stability import PARTS, report_of
        from tiecore.evaluation.suspicious import suspicions
        from tiecore.stability import slice_stability

        by = slices_by(self.slices)
        check_parts(self.parts, PARTS)
        evaluation = load_evaluation(self, measures=["nDCG@10"])
        with working("comparing features") as progress:
            study = partial(slice_stability, baseline=self.baseline, margin=self.margin, seed=self.seed)
            study = partial(study, tie_orders=self.tie_orders, progress=progress)
            found = [study(evaluation, measure, by) for measure in evaluation.measures]
        studies = [part for one in found for part in one.parts.values()]
        remarks = dict.fromkeys([*suspicions(evaluation), *(note for one in found for note in one.notes)])
        return report_of(studies, parts=self.parts, top=self.top, remarks=list(remarks))


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

    def report(self) -> Report:
        """Try the conventions."""
        from tiecore.cli.messages import working
        from tiecore.cli.reports.explain import report_of
        from tiecore.evaluation.explain import explain, parse_reported

        numbers = parse_reported(self.reported)
        with working("trying conventions"):
            return report_of(explain(self.qrels, self.feature, numbers), top=self.top)


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
        load_counts(self, joint=self.joint).to_parquet(self.output)


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
        from tiecore.cli.dashboard import environment, free_port, limits, program, run

        files = [*self.features, *self.more_features]
        variables = environment(qrels=self.qrels, features=files, data_root=self.data_root)
        variables |= limits(memory=self.memory, forget=self.forget)
        raise click.exceptions.Exit(run(program(port=free_port(self.port), opens_browser=self.browser), variables))


COMMANDS: dict[str, type[Command]] = {
    command.__name__.lower(): command
    for command in (Evaluate, Ties, Stability, Compare, Gate, Judges, Explain, Count, Dashboard)
}
"""Every command, by its name."""

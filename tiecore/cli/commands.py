"""The commands: the fields of each are its options, its docstring is its help.

What one reports is made by the module of its name in :mod:`tiecore.cli.reports`, which is loaded when it runs, so that
help and usage errors are fast.
"""

from __future__ import annotations

from pathlib import Path

import click

from tiecore.cli.fields import COUNTING, OPTIONS, OUTPUT, argument, choice, flag, names, number, option, tables
from tiecore.cli.options import Command, Compared, Counting, Evaluated, Limited, Listed, Reading, Written
from tiecore.errors import TiecoreError, listed


class Evaluate(Evaluated, Written):
    """Expectation, spread, worst and best case of each feature, and its value under any tie-break.

    Where scores are tied, the expectation is the exact mean over all orderings of the tied documents. -o board.pdf
    (.svg, .png) draws the leaderboard.
    """

    examples = (
        ("Four measures of four features", "tiecore evaluate qrels.txt indegree.run clicks.csv"),
        ("Values under named tie-breaks", "tiecore evaluate qrels.txt clicks.csv bm25.run.gz -t trec_eval,input"),
        ("Lower is better for one feature", "tiecore evaluate qrels.txt pages.parquet --ascending quality_score"),
        ("Measures by name, as a LaTeX table", "tiecore evaluate qrels.txt clicks.csv -m AP,nDCG@5 -f latex"),
        ("Every query, to a file", "tiecore evaluate qrels.txt indegree.run -m ERR@20 --per-query -o err.csv"),
    )
    per_query: bool = flag("Show the values of every query instead of their means.", panel=OUTPUT)


class Ties(Evaluated, Listed):
    """How tied each feature is, and where its ties change values.

    With tie-breaks, also whether they correlate with relevance; for one feature, which queries and ties matter most.
    """

    examples = (
        ("Where do cuts at 5 and 10 fall?", "tiecore ties qrels.txt clicks.csv pages.parquet -k 5 -k 10"),
        ("Are tie-breaks biased?", "tiecore ties qrels.txt clicks.csv -t input,docid-asc --part bias"),
        ("Which queries suffer most?", "tiecore ties qrels.txt title_match.json --feature title_match"),
    )
    measures: tuple[str, ...] = names(
        "Measure by which the effect of ties is shown [default: nDCG at the first cut-off]", "--measure", "-m"
    )
    cutoffs: tuple[int, ...] = option(
        "Rank of a cut that may fall inside a tie; repeat for several. [default: 10]",
        "--cutoff",
        "-k",
        metavar="RANK",
        type=click.IntRange(1, 2**31 - 1),
        multiple=True,
        callback=lambda ctx, parameter, ranks: tuple(dict.fromkeys(ranks or (10,))),
    )
    feature: str | None = option("Analyse one feature: its queries, and what could break its ties.", metavar="NAME")
    query: str | None = option("Analyse the ties of one query of that feature.", metavar="ID")
    by: str = option("How the queries of that feature are ordered.", default="spread", metavar="spread|sd|TIE-BREAK")
    parts: tuple[str, ...] = tables("anatomy", "cost", "bias", "bias_features", "hidden", "blame", "culprits", "advice")


class Stability(Compared, Evaluated, Listed):
    """Which differences are clear over the queries, and what ties put at risk.

    Differences with their intervals and verdicts, the places that other queries leave open, and what each tie-break
    changes.
    """

    examples = (
        ("Can ties change the order?", "tiecore stability qrels.txt clicks.csv bm25.run.gz -t input"),
        ("All pairs, to a file", "tiecore stability qrels.txt pages.parquet -m AP --part pairs -o pairs.csv"),
    )
    measures: tuple[str, ...] = names("Measure of the leaderboard [default: nDCG@10]", "--measure", "-m")
    tie_orders: str = choice(
        "Random tie-breaks: one order of the documents of a query, shared by all features as document ids are, or an "
        "independent order for each feature, right for systems that break ties each in its own way.",
        "shared",
        "independent",
        panel=OPTIONS,
    )
    slices: str | None = option(
        "Study parts of the queries one by one: relevant, length or tied (three parts of about as many queries by the "
        "number of relevant documents, the length of the lists, the share of tied documents), or a CSV file of query "
        "id and name.",
        metavar="NAME|FILE",
    )
    seed: int = number("Seed of random tie-breaks; the same seed gives the same numbers.", 0, default=0)
    parts: tuple[str, ...] = tables("places", "pairs", "agreement")


class Compare(Limited, Compared, Listed):
    """Which features (systems, runs) are clearly better, by values that were measured elsewhere.

    A table with a value for each query (task, or whatever the values are of) and feature is enough: differences with
    intervals and verdicts, groups, and the places that other queries leave open. -o board.pdf (.svg, .png) draws it.
    """

    examples = (
        ("A leaderboard of ten features", "tiecore compare leaderboard.csv"),
        ("What trec_eval -q prints, a file a feature", "tiecore compare bm25.eval title_match.eval -m ndcg_cut_10"),
        ("By ranks, against one of the features", "tiecore compare leaderboard.csv --aggregate borda --baseline bm25"),
    )
    values: tuple[str, ...] = argument(
        "VALUES...",
        "Values: a table (CSV, TSV, Parquet) with a row a query and a column a feature, or a row a value; or what "
        "trec_eval -q prints, a file a feature; plain or .gz.",
        several=True,
    )
    measure: str | None = option(
        "Measure to compare if the files have several; else a name for the values.", "-m", metavar="NAME"
    )
    aggregate: str = choice("Means of the values, or (borda) of the ranks on each query.", "mean", "borda")
    level: float = option(
        "Confidence level of intervals and tests: clear is p, adjusted by Holm, of 1 - LEVEL or less.",
        default=0.95,
        metavar="LEVEL",
        type=float,
    )
    lower: bool = flag("Lower values are the better ones.", "--lower-is-better", panel=COUNTING)
    parts: tuple[str, ...] = tables("places", "pairs")


class Gate(Counting, Written):
    """Has a ranking become worse? Lets a pipeline stop.

    pass (status 0): a loss of more than the margin is excluded. fail (status 1): clearly worse. cannot tell (status 0
    and a warning, 3 with --strict): neither.
    """

    examples = (
        ("May a run replace another?", "tiecore gate qrels.txt title_match.json bm25.run.gz --margin 0.01"),
        ("The same by values of a table", "tiecore gate title_match bm25 --values leaderboard.csv --margin 0.01"),
    )
    qrels: str = argument("[QRELS]", "Relevance judgments; none with --values.")
    features: tuple[str, ...] = argument(
        "BASELINE CANDIDATE", "Two files of one run each; with --values, the names of two systems.", several=True
    )
    measures: tuple[str, ...] = names(
        "Measure to test; over several p is adjusted by Holm [default: nDCG@10]", "--measure", "-m"
    )
    margin: float = option("Loss up to which nobody minds.", default=0.0, metavar="LOSS", type=float)
    strict: bool = flag("End with status 3 where it cannot tell.")
    values: tuple[str, ...] = option(
        "Take the values of both from a file that compare reads, instead of runs; repeat it for several files.",
        metavar="FILE",
        multiple=True,
    )
    lower: bool = flag("With --values: lower values are the better ones.", "--lower-is-better", panel=COUNTING)


class Judges(Counting, Listed):
    """Whether another judge orders the same systems in the same way.

    Leaderboards side by side, how far they and the grades agree, the pairs that are clearly the other way round under
    another judge, and those that are clear under one alone.
    """

    examples = (("Do two judges agree?", "tiecore judges bm25.run.gz clicks.csv -j a=qrels.txt -j b=second_judge.txt"),)
    qrels: str = argument("RUN", "Scores of systems, as evaluate reads them.")
    features: tuple[str, ...] = argument("[RUN]...", "Further files of scores.", several=True, required=False)
    judgments: tuple[str, ...] = option(
        "Judgments of one judge, with a name; two or more.", "-j", metavar="NAME=FILE", multiple=True, required=True
    )
    measure: str = option("Measure of the leaderboards.", "-m", default="nDCG@10", metavar="NAME")
    parts: tuple[str, ...] = tables("leaderboards", "agreement", "reversed", "only")

    @property
    def named(self) -> dict[str, str]:
        """Files of the judges by their names."""
        found = {name: file for name, _, file in (given.partition("=") for given in self.judgments)}
        if len(found) < len(self.judgments) or "" in (*found, *found.values()):
            given = listed(self.judgments)
            raise TiecoreError(f"expected --judgments NAME=FILE, each with its own name, found {given}")
        return found


class Explain(Listed):
    """Whose number is this? The conventions that give a number reported elsewhere, to its printed digits."""

    examples = (("Whose number is this?", "tiecore explain qrels.txt bm25.run.gz nDCG@10=.4215 AP=.5740"),)
    qrels: str = argument("QRELS", "Relevance judgments, as evaluate reads them.")
    feature: str = argument("FEATURE", "File of the one feature whose number it is.")
    reported: tuple[str, ...] = argument("MEASURE=NUMBER...", "Reported numbers, digits as printed.", several=True)


class Count(Reading):
    """Count documents by query, score and grade: a small file in the place of judgments and features.

    Give it to every other command as QRELS alone. All but what looks at single documents is exactly the same.
    """

    examples = (
        ("A file for every other command", "tiecore count qrels.txt clicks.csv indegree.run -o counts.parquet"),
        ("Features to break ties", "tiecore count qrels.txt clicks.csv --joint dwell,url_clicks -o c.parquet"),
    )
    joint: tuple[str, ...] = names(
        "Feature to count jointly with the others named here, so that each can break their ties",
        metavar="FEATURE",
        panel=COUNTING,
    )
    output: Path = option("Parquet file to write the counts to.", "-o", metavar="FILE", type=Path, required=True)

    def run(self) -> None:
        """Count and write."""
        from tiecore.cli.load import chosen, reading, sources
        from tiecore.cli.render.output import check_output
        from tiecore.counts import count

        if str(self.output) == "-":
            raise TiecoreError("counts are written as Parquet, which needs a file: name one with -o")
        check_output(self.output, self.files)
        with reading(self, "counting") as progress:
            counts = count(*sources(self), **chosen(self, "ascending joint unmatched"), progress=progress)
        counts.to_parquet(self.output)


class Dashboard(Command):
    """Open the dashboard in the browser."""

    examples = (
        ("On the sample data", "tiecore dashboard"),
        ("On your own files", "tiecore dashboard --qrels qrels.txt --features indegree.run clicks.csv"),
    )
    more_features: tuple[str, ...] = argument("[FEATURE]...", "More feature files.", several=True, required=False)
    qrels: str | None = option("Relevance judgments to open at the start.", metavar="FILE")
    features: tuple[str, ...] = option("Feature files to open at the start.", metavar="FILE...", multiple=True)
    data_root: str | None = option("Folder whose files, and no others, can be opened there.", metavar="DIR")
    memory: int | None = number("Memory in GiB below which the server stays. [default: 4]", 1, 4096)
    forget: bool = flag("Keep no files of visitors for a reload or a link.")
    port: int | None = number("Port on this computer. [default: 8501, or the next free one]", 1, 65535)
    browser: bool = option("Open a browser window.", "--browser/--no-browser", default=True)

    def run(self) -> None:
        """Become the server."""
        from tiecore.cli.dashboard import check_port, environment, program, run
        from tiecore.cli.load import chosen

        files = [*self.features, *self.more_features]
        variables = environment(features=files, **chosen(self, "qrels data_root memory forget"))
        command = program(opens_browser=self.browser)
        if self.port is not None:  # else Streamlit takes a free one
            check_port(self.port)
            command.append(f"--server.port={self.port}")
        raise click.exceptions.Exit(run(command, variables))


COMMANDS: dict[str, type[Command]] = {
    command.__name__.lower(): command
    for command in (Evaluate, Ties, Stability, Compare, Gate, Judges, Explain, Count, Dashboard)
}
"""Every command, by its name."""

"""The commands: each reads its arguments, computes, and writes a report.

Modules that need pandas are imported inside the functions, so that help and usage errors are fast.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tiecore.cli.options import (
    AscendingOption,
    Features,
    FormatOption,
    JointOption,
    MeasuresOption,
    MissingOption,
    NoRelevantOption,
    OnlyOption,
    OutputOption,
    PrecisionOption,
    Qrels,
    QueriesOption,
    TieBreaksOption,
    UnmatchedOption,
    listed,
)

__all__ = ["count", "dashboard", "evaluate", "explain", "stability", "ties"]

_PART_HELP = "Table to show; repeat the option or separate names by commas: "
_TOP_HELP = "Rows per table in text formats; 0 for all. csv and json always hold all."
TopOption = Annotated[int, typer.Option("--top", min=0, rich_help_panel="Output", help=_TOP_HELP)]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, help="Seed of random tie-breaks; the same seed gives the same numbers.")
]
PerQueryOption = Annotated[
    bool,
    typer.Option(
        "--per-query", rich_help_panel="Output", help="Show the values of every query instead of their means."
    ),
]


def evaluate(
    qrels: Qrels,
    features: Features = None,
    *,
    measures: MeasuresOption = None,
    tie_breaks: TieBreaksOption = None,
    queries: QueriesOption = "qrels",
    no_relevant: NoRelevantOption = "zero",
    missing: MissingOption = "unranked",
    precision: PrecisionOption = "float64",
    unmatched: UnmatchedOption = "refuse",
    ascending: AscendingOption = None,
    only: OnlyOption = None,
    per_query: PerQueryOption = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Expectation, spread, worst and best case of each feature, and its value under any tie-break.

    Where scores are tied, the expectation is the exact mean over all orderings of the tied documents.
    """
    from tiecore.cli.load import DataOptions, load_evaluation
    from tiecore.cli.render.output import check_output, emit
    from tiecore.cli.reports.evaluate import report_of
    from tiecore.evaluation.engine import DEFAULT_MEASURES

    data = DataOptions(qrels, features, queries, no_relevant, missing, precision, unmatched, ascending, only)
    check_output(output, data.files)
    evaluation = load_evaluation(data, measures=listed(measures) or DEFAULT_MEASURES, tie_breaks=listed(tie_breaks))
    emit(report_of(evaluation, per_query=per_query), format=format, output=output)


def ties(
    qrels: Qrels,
    features: Features = None,
    *,
    cutoffs: Annotated[
        list[int] | None,
        typer.Option(
            "--cutoff",
            "-k",
            metavar="RANK",
            min=1,
            max=2**31 - 1,
            help="Rank of a cut that may fall inside a tie; repeat for several. \\[default: 10]",
        ),
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="NAME",
            help="Measure whose values the ties affect. \\[default: nDCG at the first cut-off]",
        ),
    ] = None,
    tie_breaks: TieBreaksOption = None,
    feature: Annotated[
        str | None,
        typer.Option(
            "--feature",
            metavar="NAME",
            help="Analyse one feature: its queries, and which other feature could break its ties.",
        ),
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="ID", help="Analyse the ties of one query of that feature.")
    ] = None,
    by: Annotated[
        str, typer.Option("--by", metavar="spread|sd|TIE-BREAK", help="How the queries of that feature are ordered.")
    ] = "spread",
    queries: QueriesOption = "qrels",
    no_relevant: NoRelevantOption = "zero",
    missing: MissingOption = "unranked",
    precision: PrecisionOption = "float64",
    unmatched: UnmatchedOption = "refuse",
    ascending: AscendingOption = None,
    only: OnlyOption = None,
    parts: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="NAME",
            rich_help_panel="Output",
            help=f"{_PART_HELP}anatomy, cuts, cost, bias, bias_features, hidden, blame, culprits, precision, advice.",
        ),
    ] = None,
    top: TopOption = 10,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """How tied each feature is, and where it hurts.

    With tie-breaks, also whether they correlate with relevance; for one feature, which queries and ties matter most.
    """
    from tiecore.cli.load import DataOptions, load_evaluation
    from tiecore.cli.options import TiesRequest
    from tiecore.cli.render.output import check_output, emit
    from tiecore.cli.reports.ties import check, report_of

    data = DataOptions(qrels, features, queries, no_relevant, missing, precision, unmatched, ascending, only)
    ranks = tuple(dict.fromkeys(cutoffs or (10,)))
    request = TiesRequest(cutoffs=ranks, feature=feature, query=query, by=by, top=top, parts=tuple(listed(parts)))
    tie_break_names = listed(tie_breaks)
    check(request, has_tie_breaks=bool(tie_break_names))
    check_output(output, data.files)
    evaluation = load_evaluation(data, measures=listed(measures) or [f"nDCG@{ranks[0]}"], tie_breaks=tie_break_names)
    emit(report_of(evaluation, request), format=format, output=output)


def stability(
    qrels: Qrels,
    features: Features = None,
    *,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="NAME",
            help="Measure of the leaderboard; repeat for several. \\[default: nDCG@10]",
        ),
    ] = None,
    tie_breaks: TieBreaksOption = None,
    tie_orders: Annotated[
        Literal["shared", "independent"],
        typer.Option(
            "--tie-orders",
            help="Random tie-breaks: one order of the documents of a query, shared by all features as document ids "
            "are, or an independent order for each feature, right for systems that break ties each in its own way.",
        ),
    ] = "shared",
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin", metavar="DIFFERENCE", help="Smallest difference that matters: smaller ones are called small."
        ),
    ] = None,
    slices: Annotated[
        str | None,
        typer.Option(
            "--slices",
            metavar="NAME|FILE",
            help="Study parts of the queries one by one: relevant, length or tied (three parts of about as many "
            "queries by the number of relevant documents, the length of the lists, the share of tied documents), or a "
            "CSV file of query id and name.",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="FEATURE", help="Compare every other feature with this one only."),
    ] = None,
    seed: SeedOption = 0,
    queries: QueriesOption = "qrels",
    no_relevant: NoRelevantOption = "zero",
    missing: MissingOption = "unranked",
    precision: PrecisionOption = "float64",
    unmatched: UnmatchedOption = "refuse",
    ascending: AscendingOption = None,
    only: OnlyOption = None,
    parts: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="NAME",
            rich_help_panel="Output",
            help=f"{_PART_HELP}places, pairs, agreement, swapped, place_probability.",
        ),
    ] = None,
    top: TopOption = 10,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Which differences are clear over the queries, and what ties put at risk.

    Differences with their intervals and verdicts, the places that other queries leave open, and what each tie-break
    changes.
    """
    from tiecore.cli.load import DataOptions, load_evaluation, slices_by
    from tiecore.cli.messages import working
    from tiecore.cli.render.output import check_output, emit
    from tiecore.cli.reports.stability import check, report_of
    from tiecore.stability import slice_stability

    data = DataOptions(qrels, features, queries, no_relevant, missing, precision, unmatched, ascending, only)
    by = slices_by(slices)
    requested_parts = listed(parts)
    check(requested_parts)
    check_output(output, data.files)
    evaluation = load_evaluation(data, measures=listed(measures) or ["nDCG@10"], tie_breaks=listed(tie_breaks))
    with working("comparing features") as progress:
        parts_of_queries = [
            slice_stability(
                evaluation,
                measure,
                by,
                baseline=baseline,
                margin=margin,
                seed=seed,
                tie_orders=tie_orders,
                progress=progress,
            )
            for measure in evaluation.measures
        ]
    studies = [study for found in parts_of_queries for study in found.parts.values()]
    remarks = dict.fromkeys(note for found in parts_of_queries for note in found.notes)
    emit(report_of(studies, parts=requested_parts, top=top, remarks=list(remarks)), format=format, output=output)


def explain(
    qrels: Qrels,
    feature: Annotated[str, typer.Argument(metavar="FEATURE", help="File of the one feature whose number it is.")],
    reported: Annotated[
        list[str], typer.Argument(metavar="MEASURE=NUMBER...", help="Reported numbers, in the digits as printed.")
    ],
    *,
    top: TopOption = 10,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Whose number is this? The conventions that give a number reported elsewhere, to its printed digits."""
    from tiecore.cli.messages import working
    from tiecore.cli.render.output import check_output, emit
    from tiecore.cli.reports.explain import report_of
    from tiecore.evaluation.explain import explain, parse_reported

    numbers = parse_reported(reported)
    check_output(output, [qrels, feature])
    with working("trying conventions"):
        found = explain(qrels, feature, numbers)
    emit(report_of(found, top=top), format=format, output=output)


def count(
    qrels: Qrels,
    features: Features = None,
    *,
    unmatched: UnmatchedOption = "refuse",
    ascending: AscendingOption = None,
    joint: JointOption = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", show_default=False, help="Parquet file to write the counts to."),
    ],
) -> None:
    """Count documents by query, score and grade: a small file in the place of judgments and features.

    Give it to every other command as QRELS alone. All but what looks at single documents is exactly the same.
    """
    from tiecore.cli.load import load_counts
    from tiecore.cli.render.output import check_output

    check_output(output, [qrels, *(features or ())])
    counts = load_counts(qrels, features, ascending=listed(ascending), joint=listed(joint), unmatched=unmatched)
    counts.to_parquet(output)


def dashboard(
    more_features: Annotated[
        list[str] | None, typer.Argument(metavar="FEATURE", show_default=False, help="More feature files.")
    ] = None,
    *,
    qrels: Annotated[
        str | None, typer.Option("--qrels", metavar="FILE", help="Relevance judgments to open at the start.")
    ] = None,
    features: Annotated[
        list[str] | None, typer.Option("--features", metavar="FILE...", help="Feature files to open at the start.")
    ] = None,
    data_root: Annotated[
        str | None,
        typer.Option(
            "--data-root",
            metavar="DIR",
            help="Folder whose files can be opened in the dashboard; files outside it cannot.",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port",
            metavar="N",
            min=1,
            max=65535,
            show_default=False,
            help="Port on this computer. \\[default: 8501, or the next free one]",
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Open the dashboard in the browser."""
    from tiecore.cli.dashboard import environment, free_port, program, run

    feature_files = [*(features or ()), *(more_features or ())]
    variables = environment(qrels=qrels, features=feature_files, data_root=data_root)
    raise typer.Exit(run(program(port=free_port(port), opens_browser=browser), variables))

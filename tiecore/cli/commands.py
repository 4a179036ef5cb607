"""The commands: each reads its arguments, calls what computes, and hands over a report.

What needs pandas is imported inside, so that help and mistakes in the arguments answer at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tiecore.cli.options import (
    AscendingOption,
    Features,
    FormatOption,
    MeasuresOption,
    MissingOption,
    NoRelevantOption,
    OnlyOption,
    OutputOption,
    PrecisionOption,
    Qrels,
    QueriesOption,
    TieBreaksOption,
    listed,
)

__all__ = ["count", "dashboard", "evaluate", "stability", "ties"]

_PART_HELP = "Table to show; may be given several times, or as a list with commas: "
_TOP_HELP = "Rows of a table on the screen; 0 for all. csv and json hold all."
TopOption = Annotated[int, typer.Option("--top", min=0, rich_help_panel="Output", help=_TOP_HELP)]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, help="Of random tie-breaks: the same gives the same numbers.")
]
PerQueryOption = Annotated[
    bool, typer.Option("--per-query", rich_help_panel="Output", help="Values of every query instead of their means.")
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
    ascending: AscendingOption = None,
    only: OnlyOption = None,
    per_query: PerQueryOption = False,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Expectation, spread, worst and best case of each feature, and its value under any tie-break.

    Where scores are tied, the expectation is the exact mean over all orderings of the tied documents.
    """
    from tiecore.cli.load import Given, evaluated
    from tiecore.cli.render.output import check_output, emit
    from tiecore.cli.reports.evaluate import report_of
    from tiecore.evaluation.engine import DEFAULT_MEASURES

    given = Given(qrels, features, queries, no_relevant, missing, precision, ascending, only)
    check_output(output, given.files)
    evaluation = evaluated(given, measures=listed(measures) or DEFAULT_MEASURES, tie_breaks=listed(tie_breaks))
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
            help="Does a cut behind this rank fall inside a tie? May be given several times. \\[default: 10]",
        ),
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure", "-m", metavar="NAME", help="Measure that the ties may hurt. \\[default: nDCG at the cut-off]"
        ),
    ] = None,
    tie_breaks: TieBreaksOption = None,
    feature: Annotated[
        str | None,
        typer.Option(
            "--feature", metavar="NAME", help="Take one feature apart: its queries, and what could break its ties."
        ),
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", metavar="ID", help="Take one query of that feature apart: its ties.")
    ] = None,
    by: Annotated[
        str,
        typer.Option("--by", metavar="spread|sd|TIE-BREAK", help="What the queries of that feature are ranked by."),
    ] = "spread",
    draws: Annotated[
        int,
        typer.Option("--draws", min=0, help="Random tie-breaks to test bias where a measure has no variance."),
    ] = 0,
    queries: QueriesOption = "qrels",
    no_relevant: NoRelevantOption = "zero",
    missing: MissingOption = "unranked",
    precision: PrecisionOption = "float64",
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

    With tie-breaks, also whether they know about relevance; of one feature, which queries and ties are to blame.
    """
    from tiecore.cli.load import Given, evaluated
    from tiecore.cli.render.output import check_output, emit
    from tiecore.cli.reports.ties import check, report_of
    from tiecore.cli.wanted import Wanted

    given = Given(qrels, features, queries, no_relevant, missing, precision, ascending, only)
    ranks = tuple(dict.fromkeys(cutoffs or (10,)))
    wanted = Wanted(
        cutoffs=ranks, feature=feature, query=query, by=by, draws=draws, top=top, parts=tuple(listed(parts))
    )
    chosen = listed(tie_breaks)
    check(wanted, has_tie_breaks=bool(chosen))
    check_output(output, given.files)
    evaluation = evaluated(given, measures=listed(measures) or [f"nDCG@{ranks[0]}"], tie_breaks=chosen)
    emit(report_of(evaluation, wanted), format=format, output=output)


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
            help="Measure of the leaderboard; may be given several times. \\[default: nDCG@10]",
        ),
    ] = None,
    tie_breaks: TieBreaksOption = None,
    shared_order: Annotated[
        bool,
        typer.Option(
            "--shared-order",
            help="Break the ties of all features by one random order of the documents, as document ids do, instead of "
            "each feature's for itself.",
        ),
    ] = False,
    place_method: Annotated[
        Literal["auto", "normal", "sampled"],
        typer.Option(
            "--place-method", help="Where chances come from: exact moments and a normal curve, or random draws."
        ),
    ] = "auto",
    draws: Annotated[int, typer.Option("--draws", min=2, help="Random tie-breaks, where they are drawn.")] = 2000,
    permutations: Annotated[
        int, typer.Option("--permutations", min=1, help="Of the randomisation test of each pair.")
    ] = 10_000,
    seed: SeedOption = 0,
    queries: QueriesOption = "qrels",
    no_relevant: NoRelevantOption = "zero",
    missing: MissingOption = "unranked",
    precision: PrecisionOption = "float64",
    ascending: AscendingOption = None,
    only: OnlyOption = None,
    parts: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="NAME",
            rich_help_panel="Output",
            help=f"{_PART_HELP}places, beats, pairs, agreement, swapped, place_probability.",
        ),
    ] = None,
    top: TopOption = 10,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Places that each feature can reach, who beats whom, and which differences ties have made."""
    from tiecore.cli.load import Given, evaluated
    from tiecore.cli.messages import working
    from tiecore.cli.render.output import check_output, emit
    from tiecore.cli.reports.stability import check, report_of

    given = Given(qrels, features, queries, no_relevant, missing, precision, ascending, only)
    wanted = listed(parts)
    check(wanted)
    check_output(output, given.files)
    evaluation = evaluated(given, measures=listed(measures) or ["nDCG@10"], tie_breaks=listed(tie_breaks))
    with working("comparing features") as progress:
        studies = [
            evaluation.stability(
                measure,
                draws=draws,
                seed=seed,
                shared_order=shared_order,
                place_method=None if place_method == "auto" else place_method,
                permutations=permutations,
                progress=progress,
            )
            for measure in evaluation.measures
        ]
    emit(report_of(studies, parts=wanted, top=top), format=format, output=output)


def count(
    qrels: Qrels,
    features: Features = None,
    *,
    ascending: AscendingOption = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", show_default=False, help="Parquet file to write the counts to."),
    ],
) -> None:
    """Count documents by query, score and grade: a small file in the place of judgments and features.

    Give it to every other command as QRELS alone. All but what looks at single documents is exactly the same.
    """
    from tiecore.cli.load import counted
    from tiecore.cli.render.output import check_output

    check_output(output, [qrels, *(features or ())])
    counted(qrels, features, ascending=listed(ascending)).to_parquet(output)


def dashboard(
    more_features: Annotated[
        list[str] | None, typer.Argument(metavar="FEATURE", show_default=False, help="Further files for --features.")
    ] = None,
    *,
    qrels: Annotated[
        str | None, typer.Option("--qrels", metavar="FILE", help="Relevance judgments to open with.")
    ] = None,
    features: Annotated[
        list[str] | None, typer.Option("--features", metavar="FILE...", help="Feature files to open with.")
    ] = None,
    data_root: Annotated[
        str | None,
        typer.Option(
            "--data-root",
            metavar="DIR",
            help="Folder whose files may be opened in the dashboard; nothing outside it ever is.",
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
            help="Port of this computer to serve on. \\[default: 8501, or the next that is free]",
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open it in a browser at once.")] = True,
) -> None:
    """Open the dashboard in the browser."""
    from tiecore.cli.dashboard import environment, free_port, program, run

    given = [*(features or ()), *(more_features or ())]
    variables = environment(qrels=qrels, features=given, data_root=data_root)
    raise typer.Exit(run(program(port=free_port(port), opens_browser=browser), variables))

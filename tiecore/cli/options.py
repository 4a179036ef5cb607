"""Arguments and options that the commands share, and how lists of names are written in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tiecore.measures import FAMILIES
from tiecore.ranking.tie_breaks import ALIASES, TIE_BREAKS

__all__ = [
    "AscendingOption",
    "Features",
    "Format",
    "FormatOption",
    "MeasuresOption",
    "Missing",
    "MissingOption",
    "NoRelevant",
    "NoRelevantOption",
    "OnlyOption",
    "OutputOption",
    "PrecisionOption",
    "Qrels",
    "Queries",
    "QueriesOption",
    "TieBreaksOption",
    "listed",
]

Format = Literal["table", "csv", "json", "markdown", "latex"]
# As in tiecore.evaluation.values, which would bring pandas along; a test compares them.
Queries = Literal["qrels", "common"]
NoRelevant = Literal["zero", "skip"]
Missing = Literal["unranked", "last"]

_COUNTING = "What counts"
_OUTPUT = "Output"


def listed(given: list[str] | None) -> list[str]:
    r"""Split names at commas, but not inside brackets; ``\,`` is a comma that belongs to a name.

    >>> listed(["P@10,AP", "nDCG(dcg='exp-log2', x=1)@5"])
    ['P@10', 'AP', "nDCG(dcg='exp-log2', x=1)@5"]
    """
    names = []
    for text in given or ():
        start, depth, before = 0, 0, ""
        for at, sign in enumerate(text):
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth <= 0 and before != "\\":
                names.append(text[start:at])
                start = at + 1
            before = sign
        names.append(text[start:])
    return [name.strip().replace("\\,", ",") for name in names if name.strip()]


def _measure_names() -> Iterator[str]:
    for name, family in FAMILIES.items():
        if family.cutoff_rule != "required":
            yield f"{name}{family.usual}"
        if family.cutoff_rule != "none":
            yield f"{name}{family.usual}@10"


def _tie_break_names() -> Iterator[str]:
    for name in (*TIE_BREAKS, *ALIASES):
        yield {"random": "random:1", "feature": "feature:"}.get(name, name)


def _completion(names: Iterable[str]) -> Callable[[str], list[str]]:
    known = list(names)

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in known if name.startswith(last)]

    return complete


Qrels = Annotated[
    str,
    typer.Argument(
        metavar="QRELS",
        show_default=False,
        help="Relevance judgments: TREC qrels, JSON, LETOR, or a table (CSV, TSV, Parquet) with a grade column; plain "
        "or .gz; - for standard input.",
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FEATURE",
        show_default=False,
        help="Scores: TREC run, JSON, LETOR, or a table with a column for each feature. Without any, the features that "
        "stand beside the judgments.",
    ),
]
MeasuresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        autocompletion=_completion(_measure_names()),
        help="Measure, such as P@10, AP(rel=2), nDCG(dcg='exp-log2')@10 or trec_eval's ndcg_cut_10; may be given "
        "several times, or as a list with commas. \\[default: P@10,AP,RR,nDCG@10]",
    ),
]
TieBreaksOption = Annotated[
    list[str] | None,
    typer.Option(
        "--tie-break",
        "-t",
        metavar="NAME",
        autocompletion=_completion(_tie_break_names()),
        help="Tie-break to show beside the expectation: docid-desc (trec_eval), docid-asc (anserini), input (stable), "
        "input-reversed, rank, random:SEED, feature:NAME; may be given several times, or as a list with commas.",
    ),
]
QueriesOption = Annotated[
    Queries,
    typer.Option(
        "--queries",
        rich_help_panel=_COUNTING,
        help="Average over all judged queries (those that a feature does not list count 0), or only over those that "
        "every feature lists.",
    ),
]
NoRelevantOption = Annotated[
    NoRelevant,
    typer.Option(
        "--no-relevant", rich_help_panel=_COUNTING, help="Queries without a relevant document count 0, or not at all."
    ),
]
MissingOption = Annotated[
    Missing,
    typer.Option(
        "--missing",
        rich_help_panel=_COUNTING,
        help="Judged documents without a score are not in the ranking, or form one last tie.",
    ),
]
PrecisionOption = Annotated[
    str,
    typer.Option(
        "--precision",
        metavar="float64|float32|decimals:N",
        rich_help_panel=_COUNTING,
        help="When two scores are equal.",
    ),
]


def _features_option(name: str, meaning: str) -> Any:
    several = "may be given several times, or as a list with commas"
    return typer.Option(name, metavar="FEATURE", rich_help_panel=_COUNTING, help=f"{meaning}; {several}.")


AscendingOption = Annotated[list[str] | None, _features_option("--ascending", "Feature for which lower is better")]
OnlyOption = Annotated[list[str] | None, _features_option("--only", "Feature that takes part, in place of all")]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        show_default=False,
        rich_help_panel=_OUTPUT,
        help="table, csv, json, markdown or latex; csv and json hold every digit. \\[default: by the ending of -o, "
        "else table]",
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        show_default=False,
        rich_help_panel=_OUTPUT,
        help="Write to a file (.csv, .json, .md, .tex) instead of standard output.",
    ),
]

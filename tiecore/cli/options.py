"""Arguments and options that the commands share, and how lists of names are written in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tiecore.cli.dashboard import sample_data
from tiecore.errors import TiecoreError
from tiecore.measures import FAMILIES
from tiecore.ranking.tie_breaks import ALIASES, TIE_BREAKS

__all__ = [
    "EXAMPLES",
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
    "Unmatched",
    "UnmatchedOption",
    "Wanted",
    "epilog",
    "listed",
]

Format = Literal["table", "csv", "json", "markdown", "latex"]
# As in tiecore.evaluation.values, which would bring pandas along; a test compares them.
Queries = Literal["qrels", "common"]
NoRelevant = Literal["zero", "skip"]
Missing = Literal["unranked", "last"]
Unmatched = Literal["refuse", "omit"]

_COUNTING = "What counts"
_OUTPUT = "Output"


def listed(given: list[str] | None) -> list[str]:
    r"""Split names at commas, but not inside brackets; ``\,`` is a comma that belongs to a name.

    >>> listed(["P@10,AP", "nDCG(dcg='exp-log2', x=1)@5"])
    ['P@10', 'AP', "nDCG(dcg='exp-log2', x=1)@5"]
    """
    names: list[str] = []
    for text in given or ():
        start, depth, before = 0, 0, ""
        first = len(names)
        for at, sign in enumerate(text):
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth <= 0 and before != "\\":
                names.append(text[start:at])
                start = at + 1
            before = sign
        names.append(text[start:])
        if not all(name.strip() for name in names[first:]):
            raise TiecoreError(f"a name is empty in {text!r}: write names with one comma between them")
    return [name.strip().replace("\\,", ",") for name in names]


def _measure_names() -> Iterator[str]:
    for name, family in FAMILIES.items():
        if family.cutoff_rule != "required":
            yield name
        if family.cutoff_rule != "none":
            yield f"{name}@10"


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
UnmatchedOption = Annotated[
    Unmatched,
    typer.Option(
        "--unmatched",
        rich_help_panel=_COUNTING,
        help="A feature none of whose queries or documents is judged is an error, or is left out with a warning.",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to look at."""

    cutoffs: tuple[int, ...]
    feature: str | None = None
    """The one feature to take apart."""
    query: str | None = None
    """The one query of it to take apart."""
    by: str = "spread"
    """What its queries are ranked by."""
    draws: int = 0
    """Random tie-breaks for the bias of measures without a variance."""
    top: int = 10
    """Rows that a table shows people; 0 for all."""
    parts: Sequence[str] = ()
    """Names of the tables; by default those that fit the rest."""


EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "evaluate": (
        ("Four measures of four features", "tiecore evaluate qrels.txt indegree.run clicks.csv"),
        ("What tie-breaks make of it", "tiecore evaluate qrels.txt clicks.csv bm25.run.gz -t trec_eval,input"),
        ("Lower is better for one feature", "tiecore evaluate qrels.txt pages.parquet --ascending quality_score"),
        ("Measures by name, as a LaTeX table", "tiecore evaluate qrels.txt clicks.csv -m AP,nDCG@5 -f latex"),
        ("Every query, to a file", "tiecore evaluate qrels.txt indegree.run -m ERR@20 --per-query -o err.csv"),
    ),
    "ties": (
        ("Where do cuts at 5 and 10 fall?", "tiecore ties qrels.txt clicks.csv pages.parquet -k 5 -k 10"),
        ("Does an order know relevance?", "tiecore ties qrels.txt clicks.csv -t input,docid-asc --part bias"),
        ("Which queries are to blame?", "tiecore ties qrels.txt title_match.json --feature title_match"),
    ),
    "stability": (
        ("What can ties do to the order?", "tiecore stability qrels.txt clicks.csv bm25.run.gz -t input"),
        ("All pairs, to a file", "tiecore stability qrels.txt pages.parquet -m AP --part pairs -o pairs.csv"),
    ),
    "dashboard": (
        ("On the sample data", "tiecore dashboard"),
        ("On your own files", "tiecore dashboard --qrels qrels.txt --features indegree.run clicks.csv"),
    ),
}
"""What each shows, and its command, by the name of the command."""


def epilog(command: str, *, only: int | None = None) -> str:
    """Write the examples of a command for its help, in the markup of rich."""
    shown = (
        f"[dim]{what}{':' * (not what.endswith('?'))}[/dim]\n  {example}" for what, example in EXAMPLES[command][:only]
    )
    return "\n".join(["\b", f"[bold]Examples[/bold], in {_sample_folder()}", *shown])


def _sample_folder() -> str:
    folder = sample_data()
    return "the folder sample_data" if folder is None else str(folder).replace("[", r"\[")

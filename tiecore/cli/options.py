"""Arguments and options that the commands share, the lists of names in them, and the examples in the help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tiecore.cli.dashboard import sample_data
from tiecore.errors import TiecoreError
from tiecore.measures import FAMILIES
from tiecore.ties.tie_breaks import ALIASES, TIE_BREAKS

__all__ = [
    "EXAMPLES",
    "AscendingOption",
    "Features",
    "Format",
    "FormatOption",
    "JointOption",
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
    "TiesRequest",
    "Unmatched",
    "UnmatchedOption",
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


def listed(texts: list[str] | None) -> list[str]:
    r"""Split names at commas, but not inside brackets; ``\,`` is a comma that belongs to a name.

    >>> listed(["P@10,AP", "nDCG(dcg='exp-log2', x=1)@5"])
    ['P@10', 'AP', "nDCG(dcg='exp-log2', x=1)@5"]
    """
    names: list[str] = []
    for text in texts or ():
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
        help="Scores: TREC run, JSON, LETOR, or a table with one column per feature. Without any, the features in the "
        "same file as the judgments.",
    ),
]
MeasuresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        autocompletion=_completion(_measure_names()),
        help="Measure, such as P@10, AP(rel=2), nDCG(dcg='exp-log2')@10 or trec_eval's ndcg_cut_10; repeat the "
        "option or separate names by commas. \\[default: P@10,AP,RR,nDCG@10]",
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
        "input-reversed, rank, random:SEED, feature:NAME; repeat the option or separate names by commas.",
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
        "--no-relevant", rich_help_panel=_COUNTING, help="Queries without a relevant document count 0 or are skipped."
    ),
]
MissingOption = Annotated[
    Missing,
    typer.Option(
        "--missing",
        rich_help_panel=_COUNTING,
        help="Judged documents without a score are left unranked or form one tie at the end.",
    ),
]
UnmatchedOption = Annotated[
    Unmatched,
    typer.Option(
        "--unmatched",
        rich_help_panel=_COUNTING,
        help="A feature with no judged query or no judged document is refused, or omitted with a warning.",
    ),
]
PrecisionOption = Annotated[
    str,
    typer.Option(
        "--precision",
        metavar="float64|float32|decimals:N",
        rich_help_panel=_COUNTING,
        help="Precision in which scores are compared; equal scores are tied.",
    ),
]


def _features_option(name: str, meaning: str) -> Any:
    several = "repeat the option or separate names by commas"
    return typer.Option(name, metavar="FEATURE", rich_help_panel=_COUNTING, help=f"{meaning}; {several}.")


AscendingOption = Annotated[list[str] | None, _features_option("--ascending", "Feature whose lower scores rank first")]
JointOption = Annotated[
    list[str] | None,
    _features_option("--joint", "Feature counted together with the others named so, to break their ties"),
]
OnlyOption = Annotated[list[str] | None, _features_option("--only", "Evaluate this feature instead of all")]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        show_default=False,
        rich_help_panel=_OUTPUT,
        help="table, csv, json, markdown or latex; csv and json keep every digit. csv puts an "
        "apostrophe before text that a spreadsheet would run as a formula; json keeps names exactly, writes null where "
        'there is no value, and "Infinity" and "-Infinity" as text. \\[default: by the extension of -o, else table]',
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
        help="Write to a file (.csv, .json, .md, .tex) instead of standard output; an existing file is replaced when "
        "the new one is complete, a link is followed.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TiesRequest:
    """What the command `ties` shows."""

    cutoffs: tuple[int, ...]
    feature: str | None = None
    """Feature to analyse in detail."""
    query: str | None = None
    """Query of that feature to analyse in detail."""
    by: str = "spread"
    """Order of its queries: `spread`, `sd`, or a tie-break."""
    top: int = 10
    """Rows of a table in text formats; 0 for all."""
    parts: Sequence[str] = ()
    """Names of the tables; empty for those that fit the other options."""


EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "evaluate": (
        ("Four measures of four features", "tiecore evaluate qrels.txt indegree.run clicks.csv"),
        ("Values under named tie-breaks", "tiecore evaluate qrels.txt clicks.csv bm25.run.gz -t trec_eval,input"),
        ("Lower is better for one feature", "tiecore evaluate qrels.txt pages.parquet --ascending quality_score"),
        ("Measures by name, as a LaTeX table", "tiecore evaluate qrels.txt clicks.csv -m AP,nDCG@5 -f latex"),
        ("Every query, to a file", "tiecore evaluate qrels.txt indegree.run -m ERR@20 --per-query -o err.csv"),
    ),
    "ties": (
        ("Where do cuts at 5 and 10 fall?", "tiecore ties qrels.txt clicks.csv pages.parquet -k 5 -k 10"),
        (
            "Are tie-breaks biased towards relevance?",
            "tiecore ties qrels.txt clicks.csv -t input,docid-asc --part bias",
        ),
        ("Which queries suffer most?", "tiecore ties qrels.txt title_match.json --feature title_match"),
    ),
    "stability": (
        ("Can ties change the order?", "tiecore stability qrels.txt clicks.csv bm25.run.gz -t input"),
        ("All pairs, to a file", "tiecore stability qrels.txt pages.parquet -m AP --part pairs -o pairs.csv"),
    ),
    "explain": (("Whose number is this?", "tiecore explain qrels.txt bm25.run.gz nDCG@10=.4215 AP=.5740"),),
    "count": (
        ("A file for every other command", "tiecore count qrels.txt clicks.csv indegree.run -o counts.parquet"),
        (
            "Features that may break the ties of each other",
            "tiecore count qrels.txt clicks.csv --joint dwell,url_clicks -o c.parquet",
        ),
    ),
    "dashboard": (
        ("On the sample data", "tiecore dashboard"),
        ("On your own files", "tiecore dashboard --qrels qrels.txt --features indegree.run clicks.csv"),
    ),
}
"""Caption and command line of each example, by command."""


def epilog(command: str, *, only: int | None = None) -> str:
    """Write the examples of a command for its help, in the markup of rich."""
    shown = (
        f"[dim]{what}{':' * (not what.endswith('?'))}[/dim]\n  {example}" for what, example in EXAMPLES[command][:only]
    )
    return "\n".join(["\b", f"[bold]Examples[/bold], in {_sample_folder()}", *shown])


def _sample_folder() -> str:
    folder = sample_data()
    return "the folder sample_data" if folder is None else str(folder).replace("[", r"\[")

"""Arguments and options of the commands, each declared once: as the field that holds its value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import click

from tiecore.cli.render import Format
from tiecore.errors import TiecoreError

if TYPE_CHECKING:
    from tiecore.cli.render.tables import Report

__all__ = [
    "COUNTING",
    "OPTIONS",
    "OUTPUT",
    "PANELS",
    "Command",
    "Compared",
    "Counting",
    "Evaluated",
    "Listed",
    "Reading",
    "Written",
]
__all__ += ["argument", "choice", "limits_option", "listed", "names", "number", "option"]

PANELS = OPTIONS, COUNTING, OUTPUT = "Options", "What counts", "Output"
"""Sections of the options in the help of a command."""

# As in tiecore.evaluation.values, which help need not load; a test compares them.
Queries = Literal["qrels", "common"]
NoRelevant = Literal["zero", "skip"]
Missing = Literal["unranked", "last"]
Unmatched = Literal["refuse", "omit"]


def argument(metavar: str, *, help: str, several: bool = False, required: bool = True) -> Any:
    """Declare an argument; one that takes several values holds a tuple."""

    def parameter(name: str) -> click.Parameter:
        return click.Argument([name], metavar=metavar, nargs=-1 if several else 1, required=required, help=help)

    return field(metadata={"panel": "", "parameter": parameter})


def option(*flags: str, help: str, default: object = None, panel: str = OPTIONS, **settings: Any) -> Any:
    """Declare an option; ``settings`` are further ones of :class:`click.Option`."""

    def parameter(name: str) -> click.Parameter:
        shown = default is not None and default != ()
        return click.Option([name, *flags], help=help, default=default, show_default=shown, **settings)

    return field(default=default, metadata={"panel": panel, "parameter": parameter})


def number(
    flag: str, *, help: str, default: int | None = None, least: int = 0, most: int | None = None, panel: str = OPTIONS
) -> Any:
    """Declare an option that takes a whole number in a range."""
    return option(flag, help=help, default=default, panel=panel, metavar="N", type=click.IntRange(least, most))


def choice(flag: str, choices: Any, *, help: str, panel: str = COUNTING) -> Any:
    """Declare an option that takes one of a few words, by default the first."""
    words = get_args(choices)
    return option(flag, help=help, default=words[0], panel=panel, type=click.Choice(words))


def names(*flags: str, help: str, metavar: str = "NAME", panel: str = OPTIONS, shown: str = "") -> Any:
    """Declare an option that takes names; ``shown`` is the default for the help."""
    text = f"{help}; repeat the option or separate names by commas.{f' [default: {shown}]' if shown else ''}"
    settings: dict[str, Any] = {"metavar": metavar, "multiple": True, "callback": lambda ctx, one, texts: listed(texts)}
    return option(*flags, help=text, default=(), panel=panel, **settings)


def listed(texts: Iterable[str]) -> tuple[str, ...]:
    r"""Split names at commas, but not inside brackets; ``\,`` is a comma that belongs to a name.

    >>> listed(["P@10,AP", "nDCG(dcg='exp-log2', x=1)@5"])
    ('P@10', 'AP', "nDCG(dcg='exp-log2', x=1)@5")
    """
    found: list[str] = []
    for text in texts:
        start, depth, before = 0, 0, ""
        first = len(found)
        for at, sign in enumerate(text):
            depth += (sign == "(") - (sign == ")")
            if sign == "," and depth <= 0 and before != "\\":
                found.append(text[start:at])
                start = at + 1
            before = sign
        found.append(text[start:])
        if not all(name.strip() for name in found[first:]):
            raise TiecoreError(f"a name is empty in {text!r}: write names with one comma between them")
    return tuple(name.strip().replace("\\,", ",") for name in found)


def limits_option() -> Any:
    """Declare the option of what a file may hold."""
    return option(
        "--limit",
        metavar="NAME=N",
        multiple=True,
        default=(),
        help="Most that a file may hold, for example rows=100000000; names: rows, columns, cells, json_values, line, "
        "name, unpacked. Repeat for several.",
    )


# Not slotted: a class cannot inherit from two that are.
@dataclass(frozen=True, eq=False, kw_only=True)
class Command(ABC):
    """A command: its fields are its arguments and options, its docstring is its help."""

    examples: ClassVar[tuple[tuple[str, str], ...]]
    """Caption and command line of each example."""

    @abstractmethod
    def run(self) -> None:
        """Do what the command is for."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Reading(Command):
    """Files, and how they are read. An option that limits what may be read belongs here."""

    qrels: str = argument(
        "QRELS",
        help="Relevance judgments: TREC qrels, JSON, LETOR, or a table (CSV, TSV, Parquet) with a grade column; plain "
        "or .gz; - for standard input.",
    )
    features: tuple[str, ...] = argument(
        "[FEATURE]...",
        several=True,
        required=False,
        help="Scores: TREC run, JSON, LETOR, or a table with one column per feature. Without any, the features in the "
        "same file as the judgments.",
    )
    unmatched: Unmatched = choice(
        "--unmatched",
        Unmatched,
        help="A feature with no judged query or no judged document is refused, or omitted with a warning.",
    )
    ascending: tuple[str, ...] = names(
        "--ascending", metavar="FEATURE", panel=COUNTING, help="Feature whose lower scores rank first"
    )
    limits: tuple[str, ...] = limits_option()

    @property
    def files(self) -> list[str]:
        """Judgments, then features."""
        return [self.qrels, *self.features]


@dataclass(frozen=True, eq=False, kw_only=True)
class Written(Command):
    """How and where the report is written."""

    format: Format | None = option(
        "--format",
        "-f",
        metavar="FORMAT",
        type=click.Choice(get_args(Format)),
        panel=OUTPUT,
        help="table, csv, json, markdown or latex; csv and json keep every digit. csv puts an "
        "apostrophe before text that a spreadsheet would run as a formula; json keeps names exactly, writes null where "
        'there is no value, and "Infinity" and "-Infinity" as text. [default: by the extension of -o, else table]',
    )
    output: Path | None = option(
        "--output",
        "-o",
        metavar="FILE",
        type=Path,
        panel=OUTPUT,
        help="Write to a file (.csv, .json, .md, .tex; of evaluate also .pdf, .svg, .png: a figure) instead of "
        "standard output; an existing file is replaced when the new one is complete, a link is followed.",
    )

    @property
    @abstractmethod
    def files(self) -> list[str]:
        """All files that the command reads, as the user wrote them."""

    @abstractmethod
    def report(self) -> Report:
        """Read and compute."""

    def run(self) -> None:
        """Write the report."""
        from tiecore.cli.render.output import check_output, emit

        check_output(self.output, self.files)
        report = self.report()
        emit(report, format=self.format, output=self.output)
        if report.status:
            raise click.exceptions.Exit(report.status)


@dataclass(frozen=True, eq=False, kw_only=True)
class Listed(Written):
    """A report whose tables may be long."""

    top: int = number(
        "--top",
        default=10,
        panel=OUTPUT,
        help="Rows per table in text formats; 0 for all. csv and json always hold all.",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Compared:
    """Differences: which of them, and how large they have to be."""

    baseline: str | None = option("--baseline", metavar="NAME", help="Compare all others with this one only.")
    margin: float | None = option(
        "--margin",
        metavar="DIFFERENCE",
        type=float,
        help="Smallest difference that matters: smaller ones are called small.",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Counting(Reading):
    """What counts in an evaluation, and how."""

    queries: Queries = choice(
        "--queries",
        Queries,
        help="Average over all judged queries (those that a feature does not list count 0), or only over those that "
        "every feature lists.",
    )
    no_relevant: NoRelevant = choice(
        "--no-relevant", NoRelevant, help="Queries without a relevant document count 0 or are skipped."
    )
    missing: Missing = choice(
        "--missing", Missing, help="Judged documents without a score are left unranked or form one tie at the end."
    )
    precision: str = option(
        "--precision",
        default="float64",
        metavar="float64|float32|decimals:N",
        panel=COUNTING,
        help="Precision in which scores are compared; equal scores are tied.",
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluated(Counting):
    """Measures and conventions of an evaluation."""

    measures: tuple[str, ...] = names(
        "--measure",
        "-m",
        shown="P@10,AP,RR,nDCG@10",
        help="Measure, such as P@10, AP(rel=2), nDCG(dcg='exp-log2')@10 or trec_eval's ndcg_cut_10",
    )
    tie_breaks: tuple[str, ...] = names(
        "--tie-break",
        "-t",
        help="Tie-break to show beside the expectation: docid-desc (trec_eval), docid-asc (anserini), input (stable), "
        "input-reversed, rank, random:SEED, feature:NAME",
    )
    only: tuple[str, ...] = names(
        "--only", metavar="FEATURE", panel=COUNTING, help="Evaluate this feature instead of all"
    )

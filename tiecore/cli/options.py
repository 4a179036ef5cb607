"""Arguments and options of the commands, each declared once: as the field that holds its value."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import click

from tiecore.cli.render import Format
from tiecore.errors import TiecoreError

if TYPE_CHECKING:
    from tiecore.cli.render.tables import Report

__all__ = ["COUNTING", "OPTIONS", "OUTPUT", "PANELS", "Command", "Evaluated", "Listed", "Reading", "TiesOptions"]
__all__ += ["Written", "argument", "choice", "flag", "listed", "measure_names", "names", "number", "option"]
__all__ += ["tie_break_names"]

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


def flag(name: str, *, help: str, panel: str = OPTIONS) -> Any:
    """Declare an option that is given or not."""
    return option(name, help=help, default=False, panel=panel, is_flag=True)


def choice(flag: str, choices: Any, *, help: str, panel: str = COUNTING) -> Any:
    """Declare an option that takes one of a few words, by default the first."""
    words = get_args(choices)
    return option(flag, help=help, default=words[0], panel=panel, type=click.Choice(words))


def names(
    *flags: str,
    help: str,
    metavar: str = "NAME",
    panel: str = OPTIONS,
    shown: str = "",
    known: Callable[[], Iterable[str]] = tuple,
) -> Any:
    """Declare an option that takes names.

    ``shown``: default for the help. ``known``: names to complete.
    """

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [before + comma + name for name in known() if name.startswith(last)]

    text = f"{help}; repeat the option or separate names by commas.{f' [default: {shown}]' if shown else ''}"
    return option(
        *flags,
        help=text,
        default=(),
        panel=panel,
        metavar=metavar,
        multiple=True,
        callback=lambda ctx, parameter, texts: listed(texts),
        shell_complete=complete,
    )


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


def measure_names() -> Iterator[str]:
    """Yield measures to complete."""
    from tiecore.measures import FAMILIES

    for name, family in FAMILIES.items():
        if family.cutoff_rule != "required":
            yield f"{name}{family.usual}"
        if family.cutoff_rule != "none":
            yield f"{name}{family.usual}@10"


def tie_break_names() -> Iterator[str]:
    """Yield tie-breaks to complete."""
    from tiecore.ties.tie_breaks import ALIASES, TIE_BREAKS

    for name in (*TIE_BREAKS, *ALIASES):
        yield {"random": "random:1", "feature": "feature:"}.get(name, name)


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
    limits: tuple[str, ...] = option(
        "--limit",
        metavar="NAME=N",
        multiple=True,
        default=(),
        help="Most that a file may hold, for example rows=100000000; names: rows, columns, cells, json_values, line, "
        "name, unpacked. Repeat for several.",
    )

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
        help="Write to a file (.csv, .json, .md, .tex) instead of standard output; an existing file is replaced when "
        "the new one is complete, a link is followed.",
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
        emit(self.report(), format=self.format, output=self.output)


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
class Evaluated(Reading):
    """Measures and conventions of an evaluation."""

    measures: tuple[str, ...] = names(
        "--measure",
        "-m",
        shown="P@10,AP,RR,nDCG@10",
        known=measure_names,
        help="Measure, such as P@10, AP(rel=2), nDCG(dcg='exp-log2')@10 or trec_eval's ndcg_cut_10",
    )
    tie_breaks: tuple[str, ...] = names(
        "--tie-break",
        "-t",
        known=tie_break_names,
        help="Tie-break to show beside the expectation: docid-desc (trec_eval), docid-asc (anserini), input (stable), "
        "input-reversed, rank, random:SEED, feature:NAME",
    )
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
    only: tuple[str, ...] = names(
        "--only", metavar="FEATURE", panel=COUNTING, help="Evaluate this feature instead of all"
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class TiesOptions(Evaluated, Listed):
    """What the command `ties` shows."""

    measures: tuple[str, ...] = names(
        "--measure",
        "-m",
        shown="nDCG at the first cut-off",
        known=measure_names,
        help="Measure whose values the ties affect",
    )
    cutoffs: tuple[int, ...] = option(
        "--cutoff",
        "-k",
        metavar="RANK",
        type=click.IntRange(min=1, max=2**31 - 1),
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

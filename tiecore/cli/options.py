"""What several commands take, each declared once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import ClassVar, dataclass_transform

import click

from tiecore.cli.fields import COUNTING, OUTPUT, READING, argument, choice, names, number, option

FORMATS = "table", "csv", "json", "markdown", "latex"


@dataclass_transform(frozen_default=True, kw_only_default=True, eq_default=False)
class Options:
    """Arguments and options as fields: what inherits from it is a frozen dataclass without a decorator."""

    def __init_subclass__(cls) -> None:
        """Make a dataclass; not a slotted one, for a class cannot inherit from two that are."""
        dataclass(frozen=True, eq=False, kw_only=True)(cls)


class Command(Options, ABC):
    """A command: its fields are its arguments and options, its docstring is its help."""

    examples: ClassVar[tuple[tuple[str, str], ...]]
    """Caption and command line of each example."""

    @abstractmethod
    def run(self) -> None:
        """Do what the command is for."""


class Limited(Options):
    """What files may hold."""

    limits: tuple[str, ...] = option(
        "Most that a file may hold, for example rows=100000000; names: rows, columns, cells, json_values, line, name, "
        "unpacked. Repeat for several.",
        "--limit",
        metavar="NAME=N",
        multiple=True,
        panel=READING,
    )


class Reading(Limited, Command):
    """Files, and how they are read."""

    qrels: str = argument(
        "QRELS",
        "Relevance judgments: TREC qrels, JSON, LETOR, or a table (CSV, TSV, Parquet) with a grade column; plain or "
        ".gz; - for standard input.",
    )
    features: tuple[str, ...] = argument(
        "[FEATURE]...",
        "Scores: TREC run, JSON, LETOR, or a table with one column per feature; grades alone are a feature, named by "
        "their file. Without any, the features in the same file as the judgments.",
        several=True,
        required=False,
    )
    unmatched: str = choice(
        "A feature with no judged query or no judged document is refused, or omitted with a warning.", "refuse", "omit"
    )
    ascending: tuple[str, ...] = names("Feature whose lower scores rank first", metavar="FEATURE", panel=COUNTING)

    @property
    def files(self) -> list[str]:
        """Judgments, then features."""
        return [self.qrels, *self.features]


class Written(Command):
    """How and where the report is written."""

    format: str | None = option(
        "table, csv, json, markdown or latex; csv and json keep every digit. csv puts an apostrophe before text that a "
        "spreadsheet would run as a formula; json keeps names exactly, writes null where there is no value, and "
        '"Infinity" and "-Infinity" as text. [default: by the extension of -o, else table]',
        "-f",
        metavar="FORMAT",
        type=click.Choice(FORMATS),
        panel=OUTPUT,
    )
    output: Path | None = option(
        "Write to a file (.csv, .json, .md, .tex) instead of standard output; an existing file is replaced when the "
        "new one is complete, a link is followed.",
        "-o",
        metavar="FILE",
        type=Path,
        panel=OUTPUT,
    )

    def run(self) -> None:
        """Write the report that the module of this name in `reports` makes."""
        from tiecore.cli.render.output import check_output, emit

        texts = [text for value in vars(self).values() for text in (value if isinstance(value, tuple) else [value])]
        inputs = [part for text in texts if isinstance(text, str) for part in (text, text.partition("=")[2])]
        check_output(self.output, inputs)  # whatever the user wrote may name a file that is read
        name = type(self).__name__.lower()
        report = import_module(f"tiecore.cli.reports.{name}").report(self)
        emit(replace(report, command=name, top=vars(self).get("top", 0)), format=self.format, output=self.output)
        if report.status:
            raise click.exceptions.Exit(report.status)


class Listed(Written):
    """A report whose tables may be long."""

    top: int = number("Rows per table in text formats, 0 for all; csv and json hold all.", 0, default=10, panel=OUTPUT)


class Compared(Options):
    """Differences: which of them, and how large they have to be."""

    baseline: str | None = option("Compare all others with this one only.", metavar="NAME")
    margin: float | None = option(
        "Smallest difference that matters: a pair is called small where the whole interval of its difference lies "
        "between -DIFFERENCE and +DIFFERENCE.",
        metavar="DIFFERENCE",
        type=float,
    )


class Counting(Reading):
    """What counts in an evaluation, and how."""

    queries: str = choice(
        "Average over all judged queries (those that a feature does not list count 0), or only over those that every "
        "feature lists.",
        "qrels",
        "common",
    )
    no_relevant: str = choice("Queries without a relevant document count 0 or are skipped.", "zero", "skip")
    missing: str = choice(
        "Judged documents without a score are left unranked or form one tie at the end.", "unranked", "last"
    )
    precision: str = option(
        "Precision in which scores are compared; equal scores are tied.",
        default="float64",
        metavar="float64|float32|decimals:N",
        panel=COUNTING,
    )


class Evaluated(Counting):
    """Measures and conventions of an evaluation."""

    measures: tuple[str, ...] = names(
        "Measure, such as P@10, AP(rel=2), nDCG(dcg='exp-log2')@10 or trec_eval's ndcg_cut_10 "
        "[default: P@10,AP,RR,nDCG@10]",
        "--measure",
        "-m",
    )
    tie_breaks: tuple[str, ...] = names(
        "Tie-break to show beside the expectation: docid-desc (trec_eval), docid-asc (anserini), input (stable), "
        "input-reversed, rank, random:SEED, feature:NAME",
        "--tie-break",
        "-t",
    )
    only: tuple[str, ...] = names("Evaluate this feature instead of all", metavar="FEATURE", panel=COUNTING)

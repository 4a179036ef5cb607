"""Conventions that give a reported number, as sheets."""

from __future__ import annotations

from functools import partial

from tiecore.cli.render.numbers import figures
from tiecore.cli.render.sheets import Report, Sheet, Write, columns_of, names, shown_rows
from tiecore.cli.render.table import Block
from tiecore.evaluation.explain import Explanation

__all__ = ["report_of"]

_LEAST_DIGITS = 6
_LEGENDS = {
    "conventions": {
        "departures": "conventions that differ from the defaults",
        "order": "order of tied documents, or expectation over all orders",
        "precision": "precision in which scores are compared",
        "gain": "gain of nDCG and DCG",
        "threshold": "lowest grade that counts as relevant; – as the measure is named",
        "unjudged": "whether unjudged documents are ranked or left out",
        "depth": "documents at which the lists are cut; – not at all",
        "short_lists": "what P@k divides by in a list shorter than k",
        "queries": "queries that are averaged: all judged ones, or those that the run lists",
        "no_relevant": "value of queries without a relevant document, or skip",
    },
    "ranges": {
        "reported": "number as reported",
        "expected": "mean over all orderings of tied documents",
        "low, high": "least and greatest value of any ordering of tied documents",
        "ties alone": "whether the number lies between these two",
    },
}


def report_of(found: Explanation, *, top: int) -> Report:
    """Return the sentence, the sets of conventions that fit or come nearest, and what ties alone can do."""
    title = "conventions that give the numbers" if found.fits else "nearest conventions; none gives the numbers"
    sheets = []
    for name, frame, heading in (
        ("conventions", found.frame, title),
        ("ranges", found.ranges.reset_index(), "what ties alone can do"),
    ):
        shown, left_out = shown_rows(frame, top)
        decimals = max(_LEAST_DIGITS, found.digits)
        writes = {str(column): _writer(frame[column].dtype.kind, decimals) for column in frame}
        block = Block(title=heading, columns=columns_of(shown, writes), notes=left_out)
        sheets.append(Sheet(name=name, table=frame.copy, blocks=partial(_only, block), legend=_LEGENDS[name]))
    return Report(command="explain", sheets=tuple(sheets), remarks=(found.sentence,))


def _only(block: Block) -> list[Block]:
    return [block]


def _writer(kind: str, decimals: int) -> Write:
    """Write numbers with these decimals, whole ones without any, some of which may be missing, and text as it is."""
    return {"f": partial(figures, decimals=decimals), "i": partial(figures, decimals=0)}.get(kind, names)

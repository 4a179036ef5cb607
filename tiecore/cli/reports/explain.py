"""Conventions that give a reported number, as tables."""

from __future__ import annotations

from tiecore.cli.commands import Explain
from tiecore.cli.messages import working
from tiecore.cli.render.tables import Report, Sheet, legend_of, table_of
from tiecore.evaluation.explain import explain, parse_reported

_LEAST_DIGITS = 6
_MEANING = {
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
    "reported": "number as reported",
    "expected": "mean over all orderings of tied documents",
    "low": "least value of any ordering of tied documents",
    "high": "greatest value of any ordering",
    "ties alone": "whether the number lies between these two",
}


def report(request: Explain) -> Report:
    """Return the sentence, the sets of conventions that fit or come nearest, and what ties alone can do."""
    numbers = parse_reported(request.reported)
    with working("trying conventions"):
        found = explain(request.qrels, request.feature, numbers)
    title = "conventions that give the numbers" if found.fits else "nearest conventions; none gives the numbers"
    decimals = max(_LEAST_DIGITS, found.digits)
    sheets = []
    for name, frame, heading in (
        ("conventions", found.frame, title),
        ("ranges", found.ranges.reset_index(), "what ties alone can do"),
    ):
        table = table_of(frame, list(map(str, frame)), name=heading, keys=0, decimals=decimals)
        sheets.append(Sheet(name=name, tables=[table], legend=legend_of([table], _MEANING.get)))
    return Report(sheets=sheets, remarks=[found.sentence])

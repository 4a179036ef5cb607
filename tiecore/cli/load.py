"""Read and evaluate the files of a command, with progress and notes on what does not match."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import IO, TYPE_CHECKING, Any

from tiecore.cli.messages import say, working
from tiecore.errors import TiecoreError, listed
from tiecore.ties.tie_breaks import known_as

if TYPE_CHECKING:
    from tiecore.cli.options import Command, Evaluated, Limited, Reading
    from tiecore.evaluation.result import Evaluation
    from tiecore.threads import Progress

CONVENTIONS = "queries no_relevant missing precision unmatched ascending"
"""Options of what counts in an evaluation."""
_STANDARD_INPUT = "-"
_MOST_NAMES = 3
_CACHE = 1 << 26
"""Bytes of tie groups: a command asks for little twice."""


def sources(request: Reading) -> tuple[str | IO[bytes], list[str | IO[bytes]] | None]:
    """Return what to read for judgments and features."""
    if request.files.count(_STANDARD_INPUT) > 1:
        raise TiecoreError("standard input (-) can be read once only: save one of them to a file")
    if _STANDARD_INPUT in request.files and sys.stdin is None:
        raise TiecoreError("standard input (-) is closed: name a file")
    qrels, *features = (sys.stdin.buffer if name == _STANDARD_INPUT else name for name in request.files)
    return qrels, features or None


@contextmanager
def reading(request: Limited, doing: str) -> Iterator[Progress | None]:
    """Work within the limits of a request, with its progress on a terminal."""
    from tiecore.formats import Limits, limited

    with limited(Limits().with_settings(request.limits)), working(doing) as progress:
        yield progress


def chosen(request: Command, names: str) -> dict[str, Any]:
    """Return some options of a command, as arguments of the function of the library that knows them by these names."""
    return {name: getattr(request, name) for name in names.split()}


def load_evaluation(request: Evaluated, *, measures: Sequence[str] | None = None) -> Evaluation:
    """Return the evaluation of the files; warnings and notes on what was left out go to standard error.

    ``measures``: those of the command where the user names none.
    """
    from tiecore.evaluation.engine import DEFAULT_MEASURES, evaluate

    how = chosen(request, CONVENTIONS) | {"only": request.only or None, "cache_bytes": _CACHE}
    wanted = request.measures or measures or DEFAULT_MEASURES
    with reading(request, "evaluating") as progress:
        evaluation = evaluate(*sources(request), wanted, request.tie_breaks, **how, progress=progress)
        notes = list(coverage_notes(evaluation))
    for warning in evaluation.warnings:
        say(warning, kind="warning")
    for note in notes:
        say(note, kind="note")
    return evaluation


def known_names(evaluation: Evaluation) -> Iterator[str]:
    """Yield a sentence with what people call the tie-breaks of an evaluation, as the dashboard does too."""
    names = {one.name: known_as(one.name) for one in evaluation.tie_breaks}
    if told := [f"{name} is {known}" for name, known in names.items() if known != name]:
        yield f"Tie-breaks: {', '.join(told)}."


def coverage_notes(evaluation: Evaluation) -> Iterator[str]:
    """Yield a sentence for each fact on what was left out or counts by convention, with the range over the features."""
    from tiecore.collection.coverage import many_blank, most_affected, range_of  # what the dashboard does not wait for

    alignment, options, matched = evaluation.values.alignment, evaluation.values.options, evaluation.values.matched
    ignored = {source.file: source.ignored for source in alignment.sources.values() if source.ignored}
    if columns := list(dict.fromkeys(chain(*ignored.values()))):
        are = "column is not read as a feature" if len(columns) == 1 else "columns are not read as features"
        yield f"{', '.join(ignored)}: {len(columns)} {are}: {listed(columns, most=_MOST_NAMES)}"
    how = "are not ranked" if options.missing == "unranked" else "form one tie at the end"
    n_judged = alignment.judged_documents()
    facts_of = {
        "queries_unknown": "queries that are not in the judgments: {queries_unknown} (documents: {documents_unknown})",
        "missing": f"{{missing}} of {n_judged} judged documents without a score: they {how}",
        "unjudged": "{unjudged} of {documents} scored documents not judged: they count as not relevant",
        "infinite": "{infinite} of {documents} scores infinite: they rank before (inf) or behind (-inf) all others",
    }
    for count, fact in facts_of.items():
        is_told = count == "missing" and options.missing == "unranked"  # by a warning, of many
        known = many_blank(matched, n_judged) if is_told else {}
        if some := {name: facts for name, facts in matched.items() if facts[count] > known.get(name, 0)}:
            ranges = {name: range_of([facts[name] for facts in some.values()]) for name in matched[next(iter(some))]}
            names = most_affected({name: facts[count] for name, facts in some.items()})
            more = "; --format json has the coverage of every feature" if len(some) > _MOST_NAMES else ""
            yield f"{names}: {fact.format_map(ranges)}{more}"
    left_out = alignment.n_queries - evaluation.values.counted.sum(axis=1)
    if left_out.any():
        given = {"--queries common": options.queries == "common", "--no-relevant skip": options.no_relevant == "skip"}
        why = ", ".join(option for option, is_given in given.items() if is_given)
        yield f"{range_of(left_out)} of {alignment.n_queries} judged queries left out ({why})"

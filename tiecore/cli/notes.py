"""Sentences on what in the files was left out or counts by convention: one for each fact, over all features."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from tiecore.collection.coverage import most_affected, range_of
from tiecore.errors import listed
from tiecore.evaluation.result import Evaluation

_MOST_NAMES = 3


def coverage_notes(evaluation: Evaluation) -> Iterator[str]:
    """Yield a sentence for each fact, with the range of what the features count."""
    alignment, options, matched = evaluation.alignment, evaluation.options, evaluation.matched
    ignored = {source.file: source.ignored for source in alignment.sources.values() if source.ignored}
    if columns := list(dict.fromkeys(chain(*ignored.values()))):
        are = "column is not read as a feature" if len(columns) == 1 else "columns are not read as features"
        yield f"{', '.join(ignored)}: {len(columns)} {are}: {listed(columns, most=_MOST_NAMES)}"
    how = "are not ranked" if options.missing == "unranked" else "form one tie at the end"
    for count, fact in (
        (
            "queries_unknown",
            "queries that are not in the judgments: {queries_unknown} (documents: {documents_unknown})",
        ),
        ("missing", f"{{missing}} of {alignment.judged_documents()} judged documents without a score: they {how}"),
        ("unjudged", "{unjudged} of {documents} scored documents not judged: they count as not relevant"),
    ):
        if some := {name: facts for name, facts in matched.items() if facts[count]}:
            ranges = {known: range_of([facts[known] for facts in some.values()]) for known in matched[next(iter(some))]}
            names = most_affected({name: facts[count] for name, facts in some.items()})
            more = "; --format json has the coverage of every feature" if len(some) > _MOST_NAMES else ""
            yield f"{names}: {fact.format_map(ranges)}{more}"
    left_out = alignment.n_queries - evaluation.counted.sum(axis=1)
    if left_out.any():
        common = ["--queries common"] if options.queries == "common" else []
        skip = ["--no-relevant skip"] if options.no_relevant == "skip" else []
        options_given = ", ".join(common + skip)
        yield f"{range_of(left_out)} of {alignment.n_queries} judged queries left out ({options_given})"

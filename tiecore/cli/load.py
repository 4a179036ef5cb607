"""From arguments to an evaluation, with progress and notes on the way."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from tiecore.cli.messages import say, working
from tiecore.cli.notes import coverage_notes
from tiecore.cli.options import Missing, NoRelevant, Queries, listed
from tiecore.counts import Counts, count
from tiecore.errors import TiecoreError
from tiecore.evaluation.engine import evaluate
from tiecore.evaluation.result import Evaluation

__all__ = ["Given", "counted", "evaluated"]

_STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class Given:
    """What every command takes: files, and what counts in them."""

    qrels: str
    features: Sequence[str] | None
    queries: Queries
    no_relevant: NoRelevant
    missing: Missing
    precision: str
    ascending: Sequence[str] | None
    only: Sequence[str] | None = None

    @property
    def files(self) -> list[str]:
        """All files, as the user wrote them."""
        return [self.qrels, *(self.features or ())]


def _sources(files: Sequence[str]) -> dict[str, str | IO[bytes]]:
    """Map each name to what is to be read: a name that stands twice is read once."""
    if files.count(_STANDARD_INPUT) > 1:
        raise TiecoreError("standard input (-) can be read once only: save one of them to a file")
    if _STANDARD_INPUT in files and sys.stdin is None:  # by whoever started the process
        raise TiecoreError("standard input (-) is closed: name a file")
    return {name: sys.stdin.buffer if name == _STANDARD_INPUT else name for name in files}


def counted(qrels: str, features: Sequence[str] | None, *, ascending: Sequence[str]) -> Counts:
    """Read and count."""
    sources = _sources([qrels, *(features or ())])
    with working("counting") as progress:
        return count(
            sources[qrels],
            [sources[name] for name in features] if features else None,
            ascending=ascending,
            progress=progress,
        )


def evaluated(given: Given, *, measures: Sequence[str], tie_breaks: Sequence[str]) -> Evaluation:
    """Read and evaluate; say what of the files was left out."""
    sources = _sources(given.files)
    with working("evaluating") as progress:
        evaluation = evaluate(
            sources[given.qrels],
            [sources[name] for name in given.features] if given.features else None,
            measures,
            tie_breaks,
            queries=given.queries,
            no_relevant=given.no_relevant,
            missing=given.missing,
            precision=given.precision,
            ascending=listed(list(given.ascending or ())),
            only=listed(list(given.only)) if given.only else None,
            progress=progress,
        )
        notes = coverage_notes(evaluation)
    for note in notes:
        say(note, kind="note", style="yellow")
    return evaluation

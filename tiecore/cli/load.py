"""Read and evaluate the files of a command, with progress and notes on what does not match."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from tiecore.cli.messages import say, working
from tiecore.cli.options import Missing, NoRelevant, Queries, Unmatched, listed
from tiecore.counts import Counts, count
from tiecore.errors import FormatError, TiecoreError, shortened
from tiecore.evaluation.engine import evaluate
from tiecore.evaluation.result import Evaluation

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DataOptions", "coverage_notes", "load_counts", "load_evaluation", "slices_by"]

_STANDARD_INPUT = "-"
_MOST_NOTES = 12
_MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class DataOptions:
    """Files and conventions, as every command takes them."""

    qrels: str
    features: Sequence[str] | None
    queries: Queries
    no_relevant: NoRelevant
    missing: Missing
    precision: str
    unmatched: Unmatched
    ascending: Sequence[str] | None
    only: Sequence[str] | None = None

    @property
    def files(self) -> list[str]:
        """All files, as the user wrote them."""
        return [self.qrels, *(self.features or ())]


def _sources(files: Sequence[str]) -> dict[str, str | IO[bytes]]:
    """Return what to read for each name; a repeated name is read once."""
    if files.count(_STANDARD_INPUT) > 1:
        raise TiecoreError("standard input (-) can be read once only: save one of them to a file")
    if _STANDARD_INPUT in files and sys.stdin is None:
        raise TiecoreError("standard input (-) is closed: name a file")
    return {name: sys.stdin.buffer if name == _STANDARD_INPUT else name for name in files}


def load_counts(
    qrels: str, features: Sequence[str] | None, *, ascending: Sequence[str], joint: Sequence[str], unmatched: Unmatched
) -> Counts:
    """Return the table of counts of the files."""
    sources = _sources([qrels, *(features or ())])
    with working("counting") as progress:
        return count(
            sources[qrels],
            [sources[name] for name in features] if features else None,
            ascending=ascending,
            joint=joint,
            unmatched=unmatched,
            progress=progress,
        )


def load_evaluation(data: DataOptions, *, measures: Sequence[str], tie_breaks: Sequence[str]) -> Evaluation:
    """Return the evaluation of the files; warnings and notes on what was left out go to standard error."""
    sources = _sources(data.files)
    with working("evaluating") as progress:
        evaluation = evaluate(
            sources[data.qrels],
            [sources[name] for name in data.features] if data.features else None,
            measures,
            tie_breaks,
            queries=data.queries,
            no_relevant=data.no_relevant,
            missing=data.missing,
            precision=data.precision,
            unmatched=data.unmatched,
            ascending=listed(list(data.ascending or ())),
            only=listed(list(data.only)) if data.only else None,
            progress=progress,
        )
        notes = coverage_notes(evaluation)
    for warning in evaluation.warnings:
        say(warning, kind="warning", style="bold yellow")
    for note in notes:
        say(note, kind="note", style="yellow")
    return evaluation


def coverage_notes(evaluation: Evaluation) -> list[str]:
    """Return a sentence for everything in the files that was left out or counts by convention."""
    notes = [*_of_files(evaluation), *_of_queries(evaluation)]
    if len(notes) > _MOST_NOTES:
        left = len(notes) - _MOST_NOTES + 1
        return [
            *notes[: _MOST_NOTES - 1],
            f"{left} more notes like these; --format json has the coverage of all features",
        ]
    return notes


def _of_files(evaluation: Evaluation) -> Iterator[str]:
    features_of_file: dict[str, list[str]] = {}
    ignored_of_file: dict[str, tuple[str, ...]] = {}
    for feature, source in evaluation.alignment.sources.items():
        features_of_file.setdefault(source.records.source, []).append(feature)
        ignored_of_file[source.records.source] = source.records.ignored
    for file, features in features_of_file.items():
        if ignored := ignored_of_file[file]:
            columns = _counted(len(ignored), "column is not read as a feature", "columns are not read as features")
            yield f"{file}: {columns}: {_some(ignored)}"
        for fact in _facts([evaluation.coverage_of_features[name] for name in features], evaluation):
            yield f"{file}: {fact}"


def _facts(of_features: Sequence[Mapping[str, float]], evaluation: Evaluation) -> Iterator[str]:
    """Yield facts on the features of one file, as a range where the features differ."""
    n_judged = evaluation.alignment.judged_documents()
    first = of_features[0]
    if first["queries_unknown"]:
        queries = _counted(first["queries_unknown"], "query is", "queries are")
        documents = _counted(first["documents_unknown"], "document", "documents")
        yield f"{queries} not in the judgments ({documents} left out)"
    if scored := _range([facts["missing"] for facts in of_features]):
        how = "are not ranked" if evaluation.options.missing == "unranked" else "form one tie at the end"
        yield f"{scored} of {n_judged} judged documents without a score: they {how}"
    if judged := _range([facts["unjudged"] for facts in of_features]):
        of_all = f" of {first['documents']:.0f}" if len({facts["documents"] for facts in of_features}) == 1 else ""
        yield f"{judged}{of_all} scored documents not judged: they count as not relevant"


def _of_queries(evaluation: Evaluation) -> Iterator[str]:
    left_out = evaluation.alignment.n_queries - evaluation.counted.sum(axis=1)
    if span := _range(left_out.tolist()):
        options_set = [
            option
            for option, is_set in (
                ("--queries common", evaluation.options.queries == "common"),
                ("--no-relevant skip", evaluation.options.no_relevant == "skip"),
            )
            if is_set
        ]
        yield f"{span} of {evaluation.alignment.n_queries} judged queries left out ({', '.join(options_set)})"


def _range(counts: Collection[float]) -> str:
    """Return the range of some counts; empty if all are 0."""
    least, most = int(min(counts)), int(max(counts))
    if most == 0:
        return ""
    return str(most) if least == most else f"up to {most}" if least == 0 else f"{least} to {most}"


def _counted(count: float, one: str, many: str) -> str:
    return f"{count:.0f} {one if count == 1 else many}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + ", …" * (len(names) > _MOST_NAMES)


def slices_by(wanted: str | None) -> str | pd.DataFrame | None:
    """Return by what queries are parted: a known name, or a table of query id and name read from a file."""
    if wanted is None:
        return wanted
    import pandas as pd  # only when asked for

    from tiecore.evaluation.slices import KNOWN_SLICES

    if wanted in KNOWN_SLICES:
        return wanted
    try:
        table = pd.read_csv(wanted, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        known = ", ".join(KNOWN_SLICES)
        raise TiecoreError(f"--slices takes {known} or a CSV file; there is no file {shortened(wanted)}") from None
    except (OSError, ValueError) as error:
        raise FormatError(wanted, None, f"cannot be read as CSV: {shortened(str(error))}") from None
    if table.shape[1] != 2:
        raise FormatError(wanted, None, f"expected two columns, query_id and name, found {table.shape[1]}")
    return table

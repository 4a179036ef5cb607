"""Sentences on what in the files was left out or counts by convention: one for each fact, over all files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiecore.evaluation.result import Evaluation

_MOST_NAMES = 3
_FAR = 2  # a file whose count is more than so many times that of every other is named
_Coverage = Sequence[Mapping[str, float]]


def coverage_notes(evaluation: Evaluation) -> list[str]:
    """Return a sentence for each fact, with the range of what the features count."""
    files: dict[str, list[Mapping[str, float]]] = {}
    ignored: dict[str, tuple[str, ...]] = {}
    matched = evaluation.matched
    for feature, source in evaluation.alignment.sources.items():
        files.setdefault(source.file, []).append(matched[feature])
        ignored[source.file] = source.ignored
    notes = [*_of_columns(ignored), *_of_documents(evaluation, files)]
    if notes and len(files) > _MOST_NAMES:
        notes[-1] += "; --format json has the coverage of every feature"
    return [*notes, *_of_queries(evaluation)]


def _of_columns(ignored: Mapping[str, Sequence[str]]) -> Iterator[str]:
    if columns := list(dict.fromkeys(chain(*ignored.values()))):
        are = "column is not read as a feature" if len(columns) == 1 else "columns are not read as features"
        named = ", ".join(columns[:_MOST_NAMES]) + ", …" * (len(columns) > _MOST_NAMES)
        yield f"{_files([file for file in ignored if ignored[file]], ignored)}: {len(columns)} {are}: {named}"


def _of_documents(evaluation: Evaluation, files: Mapping[str, _Coverage]) -> Iterator[str]:
    """Yield a sentence for each count; the one file that is far from the others is named behind it."""
    n_judged = evaluation.alignment.judged_documents()
    how = "are not ranked" if evaluation.options.missing == "unranked" else "form one tie at the end"
    for count, sentence in (
        (
            "queries_unknown",
            "queries that are not in the judgments: {queries_unknown} (documents: {documents_unknown})",
        ),
        ("missing", f"{{missing}} of {n_judged} judged documents without a score: they {how}"),
        ("unjudged", "{unjudged} of {documents} scored documents not judged: they count as not relevant"),
    ):
        most = {file: number for file, coverage in files.items() if (number := max(one[count] for one in coverage))}
        if not most:
            continue
        *usual, last = sorted(most, key=lambda file: most[file])
        is_odd = len(usual) >= _MOST_NAMES and most[last] > _FAR * most[usual[-1]]
        shown = [file for file in most if file != last or not is_odd]
        coverage = [*chain(*(files[file] for file in shown))]
        odd = f"; {last}: {_range(files[last], count)}" if is_odd else ""
        numbers = {name: _range(coverage, name) for name in coverage[0]}
        yield f"{_files(shown, files)}: {sentence.format_map(numbers)}{odd}"


def _of_queries(evaluation: Evaluation) -> Iterator[str]:
    n_queries = evaluation.alignment.n_queries
    left_out = [{"queries": float(n_queries - counted)} for counted in evaluation.counted.sum(axis=1)]
    if span := _range(left_out, "queries"):
        common = ["--queries common"] if evaluation.options.queries == "common" else []
        skip = ["--no-relevant skip"] if evaluation.options.no_relevant == "skip" else []
        yield f"{span} of {n_queries} judged queries left out ({', '.join(common + skip)})"


def _files(some: Sequence[str], of: Collection[str]) -> str:
    """Name a few files, count many."""
    if len(some) <= _MOST_NAMES:
        return ", ".join(some)
    return f"{len(some)} files" if len(some) == len(of) else f"{len(some)} of {len(of)} files"


def _range(coverage: _Coverage, count: str) -> str:
    """Return the range of a count; empty if all are 0."""
    numbers = [int(one[count]) for one in coverage]
    least, most = min(numbers), max(numbers)
    if most == 0:
        return ""
    return str(most) if least == most else f"up to {most}" if least == 0 else f"{least} to {most}"

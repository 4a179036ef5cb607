"""What of the files does not meet the judgments, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from tiecore.evaluation.result import Evaluation

__all__ = ["coverage_notes"]

_MOST_NOTES = 12
_MOST_NAMES = 3


def coverage_notes(evaluation: Evaluation) -> list[str]:
    """Say for each file what was left out or has to count as something; nothing if all fits together."""
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
            columns = _counted(len(ignored), "column is", "columns are")
            yield f"{file}: {columns} not numeric and left out: {_some(ignored)}"
        for fact in _facts(evaluation.coverage.loc[features], evaluation):
            yield f"{file}: {fact}"


def _facts(of_features: pd.DataFrame, evaluation: Evaluation) -> Iterator[str]:
    """Tell what the features of one file have in common, with the range where they differ."""
    n_queries, n_judged = evaluation.alignment.n_queries, int(evaluation.alignment.judged.size.sum())
    first = of_features.iloc[0]
    if first["queries_unknown"]:
        queries = _counted(first["queries_unknown"], "query is", "queries are")
        documents = _counted(first["documents_unknown"], "document", "documents")
        yield f"{queries} not in the judgments ({documents} left out)"
    if listed := _range(of_features["queries_missing"]):
        how = "count 0" if evaluation.options.queries == "qrels" else "count for no feature"
        yield f"{listed} of {n_queries} judged queries not listed: they {how}"
    if scored := _range(of_features["missing"]):
        how = "stand in no ranking" if evaluation.options.missing == "unranked" else "form one last tie"
        yield f"{scored} of {n_judged} judged documents without a score: they {how}"
    if judged := _range(of_features["unjudged"]):
        of_all = f" of {first['documents']:.0f}" if of_features["documents"].nunique() == 1 else ""
        yield f"{judged}{of_all} scored documents not judged: they count as not relevant"


def _of_queries(evaluation: Evaluation) -> Iterator[str]:
    left_out = evaluation.alignment.n_queries - evaluation.counted.sum(axis=1)
    if span := _range(pd.Series(left_out)):
        asked = [
            option
            for option, is_set in (
                ("--queries common", evaluation.options.queries == "common"),
                ("--no-relevant skip", evaluation.options.no_relevant == "skip"),
            )
            if is_set
        ]
        yield f"{span} of {evaluation.alignment.n_queries} judged queries left out ({', '.join(asked)})"


def _range(counts: pd.Series[int]) -> str:
    """Write the least and the most of some counts; nothing if all are 0."""
    least, most = int(np.min(counts)), int(np.max(counts))
    if most == 0:
        return ""
    return str(most) if least == most else f"up to {most}" if least == 0 else f"{least} to {most}"


def _counted(count: float, one: str, many: str) -> str:
    return f"{count:.0f} {one if count == 1 else many}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_NAMES]) + ", …" * (len(names) > _MOST_NAMES)

"""What is loaded: files of every origin, what is in them, or what is wrong with them and what to ask."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore import FormatError, TiecoreError
from tiecore.comparing.values import BadCellError, may_be_of_documents, values_in
from tiecore.counts import Counts
from tiecore.counts.read import as_counts
from tiecore.formats import Limits, Records, as_feature, limited, limits_in_force, read
from tiecore.formats.source import parquet_files
from tiecore.threads import in_threads
from tiecore_dashboard.files.questions import Answer, Question, answered, question_about
from tiecore_dashboard.results.memory import LARGEST_UPLOAD, upload_limits
from tiecore_dashboard.results.shelf import SHELF

if TYPE_CHECKING:
    from tiecore_dashboard.files.kept import Folder

Origin = Literal["sample", "upload", "server", "command line"]
_KINDS = {"qrels": "TREC qrels", "run": "TREC run", "letor": "LETOR", "json": "JSON"}
_CHANGED = "has changed or gone since it was opened; open it again"
_COMPANIONS = ((".query", ".group"), (".features.json",))
"""Endings of the files with sizes of groups, and of those with names of features."""
_DAMAGES = (pa.ArrowException, OSError, UnicodeDecodeError)
"""What pyarrow raises over damaged bytes."""
_MOST_VALUES = 1 << 22
"""Bytes of a file, and cells of its table, that is looked at for values that were measured elsewhere."""
_MOST_TEXT = 1 << 26
"""Bytes that it may unpack to."""


@dataclass(frozen=True, eq=False)  # no slots: what it holds as scores is made once
class Content:
    """What is in a file: documents, a table of counts, which is judgments and features at once, or measured values."""

    records: Records
    """Of a file without documents its names, and no rows."""
    counts: Counts | None = None
    values: pd.DataFrame | None = None
    """Values that were measured elsewhere, one a row: see :func:`tiecore.compare`."""

    @cached_property
    def as_scores(self) -> Records:
        """Its records in the role of features: grades alone are one, named by the file."""
        return as_feature(self.records)


@dataclass(frozen=True, eq=False)
class File:
    """A file to read, and once it is opened what it is known by. What is in it is on the shelf with all results."""

    path: Path
    name: str
    """As the user knows it."""
    origin: Origin
    folder: Folder | None = None
    """Where it lies until nobody needs it any more, if a visitor has brought it."""
    asked: tuple[Question, Answer] | None = None
    """Question about its columns, and the user's answer."""
    state: tuple[tuple[int, int], ...] = ()
    """Size and time of change of each of its parts, as it was opened."""
    digest: str = ""
    """SHA-256 of its bytes, by which everything computed from it is kept."""
    companions: tuple[str, ...] = ()
    """Files that are read along with it: names of its features, sizes of its groups."""

    @property
    def content(self) -> Content:
        """What is in it; by its name as well, for a feature may be called after its file."""
        key = "file", self.digest, self.name
        try:
            return SHELF.once(key, lambda: _content(self), files=[self.digest])
        except FormatError as error:
            raise type(error)(self.name, error.line, error.problem) from None  # where it lies is nobody's business
        except OSError:
            raise FormatError(self.name, None, _CHANGED) from None

    @property
    def records(self) -> Records:
        """Its documents."""
        return self.content.records

    @property
    def counts(self) -> Counts | None:
        """Judgments and features at once, where it is a table of counts."""
        return self.content.counts

    @property
    def values(self) -> pd.DataFrame | None:
        """Values that were measured elsewhere, if it holds such."""
        return self.content.values

    @property
    def limits(self) -> Limits:
        """What it may hold: who starts the server knows the files of the command line."""
        return limits_in_force() if self.is_everybodys else upload_limits()

    @property
    def is_everybodys(self) -> bool:
        """Whether it opens with the dashboard."""
        return self.origin in ("sample", "command line")

    @property
    def n_bytes(self) -> int:
        """Bytes that it had as it was opened."""
        return sum(size for size, _ in self.state)

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        if self.values is not None:
            return int(self.values["row"].nunique())
        return len(self.records.document) if self.counts is None else self.counts.n_rows

    @property
    def n_judged(self) -> int:
        """Documents that it judges."""
        return len(self.records.document) if self.counts is None else self.counts.n_judged

    @property
    def has_grades(self) -> bool:
        """Whether it can serve as the judgments."""
        return self.records.grades is not None

    @property
    def is_judgments_only(self) -> bool:
        """Whether it holds grades and nothing else."""
        return self.has_grades and not self.records.features

    @property
    def written(self) -> str:
        """What one would write in code to name the file."""
        if self.origin == "sample":
            return f"{self.path.parent.name}/{self.name}"
        return self.name if self.folder is not None else str(self.path)

    @property
    def kind(self) -> str:
        """What it was recognised as."""
        if self.counts is not None:
            return "table of counts, judgments and scores"
        if self.values is not None:
            return "values already measured"
        roles = ["judgments"] * self.has_grades + ["scores"] * bool(self.records.features)
        what = "whole numbers" if self.records.kind == "json" and self.has_grades else " and ".join(roles)
        return f"{_KINDS.get(self.records.kind, 'table')}, {what}"


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be read, and what to do about it."""

    file: str
    line: int | None
    what: str
    source: File | None = None
    question: Question | None = None
    """Question to the user whose answer would make the file readable."""
    given: Answer | None = None
    """What was answered before, where it is asked again."""
    refused: str = ""
    """Why the user's answer cannot be right."""


def read_all(wanted: Sequence[File]) -> tuple[list[File], list[Problem]]:
    """Open files at once; a bad one never keeps the others from being read."""
    outcomes = in_threads(_outcome, wanted)
    files = [one for one in outcomes if isinstance(one, File)]
    return files, [one for one in outcomes if isinstance(one, Problem)]


def _outcome(file: File) -> File | Problem:
    line, may_ask, is_of_values = None, False, False
    try:
        return _opened(file)
    except FormatError as error:
        line, what = error.line, error.problem
        may_ask = file.asked is None
        is_of_values = isinstance(error, BadCellError)
    except TiecoreError as error:
        what = str(error)
    except _DAMAGES:
        what = "is damaged: not all of it can be read; write it again"
    except MemoryError:
        what = "needs more memory than there is; leave rows or columns out"
    problem = Problem(file.name, line, what, file)
    asking = _asking(problem, file) if may_ask else problem  # now that nothing holds what was read so far
    is_helped = asking.question is None or not is_of_values or asking.question.has_documents
    return asking if is_helped else problem


def _opened(file: File) -> File:
    """Open a file, of those that the dashboard opens with once for all visitors as long as it stays as it is."""
    try:
        file = replace(file, state=_state(file.path))
        if file.folder is not None:
            return _recognised(file)
        key = "opened", str(file.path), file.name, file.origin, file.asked, file.state
        return SHELF.once(key, lambda: _recognised(file), files=(), size=lambda _: 0)
    except FileNotFoundError:
        raise FormatError(file.name, None, "does not exist; check the path") from None
    except PermissionError:
        raise FormatError(file.name, None, "cannot be read; check who may read it") from None


def _recognised(file: File) -> File:
    file = replace(file, digest=_digest_of(file.path, file.asked))
    if file.records.kind != "letor" or not (beside := read_with(file.path)):
        return file
    # the same bytes with other companions are something else
    digest = _sha256("".join([file.digest, *(_digest_of(one) for one in beside)]))
    return replace(file, digest=digest, companions=tuple(one.name for one in beside))


def _content(file: File) -> Content:
    """Read what is in a file that is still as it was when it was opened."""
    # its folders tell two files of one name apart; those of a visitor lie in one folder
    name = str(file.path) if file.origin == "command line" else file.name
    if file.asked is not None:
        question, answer = file.asked
        named = _Named(answered(file.path.read_bytes(), question, answer, limits=file.limits), file.path.name)
        records = read(named, limits=file.limits, unscored=question.unscored_texts)
        known_as = dict(zip(answer.names(question), question.columns, strict=True))
        ignored = tuple(known_as.get(column) or column for column in records.ignored)
        found = Content(replace(records, source=name, ignored=ignored))
    elif (counts := as_counts(file.path, limits=file.limits)) is not None:
        no_rows = np.zeros(0, dtype=np.int64)
        records = _without_rows(name, counts.judged_queries())
        records = replace(records, grades=no_rows, features=dict.fromkeys(counts.features, no_rows))
        found = Content(records, replace(counts, source=name))
    else:
        found = _documents_or_values(file, name)
    if _state(file.path) != file.state:
        raise FormatError(file.name, None, _CHANGED)
    return found


def _without_rows(name: str, queries: pa.Array) -> Records:
    query = pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), queries)
    return Records(source=name, kind="memory", query=query, document=pa.array([], pa.string()))


def _documents_or_values(file: File, name: str) -> Content:
    """Read judgments and scores, or else values that were measured elsewhere."""
    path = file.path
    try:
        return Content(replace(read(path, limits=file.limits), source=name))
    except FormatError as error:
        fault = type(error)(error.file, error.line, error.problem)  # which does not hold what was read so far
    values = None
    if path.is_file() and path.stat().st_size <= _MOST_VALUES:
        least = {"cells": min(_MOST_VALUES, file.limits.cells), "unpacked": min(_MOST_TEXT, file.limits.unpacked)}
        with limited(replace(file.limits, **least)):
            values = values_in(_Named(path.read_bytes(), file.name))
    if values is None or may_be_of_documents(values):
        raise fault
    return Content(_without_rows(name, pa.array(values["item"].unique())), values=values)


class _Named(io.BytesIO):
    """Bytes under the name that the user knows them by."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def _asking(problem: Problem, file: File) -> Problem:
    """Add a question about the columns of a table, if its answer would make the file readable."""
    try:
        if not file.path.is_file() or file.path.stat().st_size > LARGEST_UPLOAD:
            return problem
        data, source = file.path.read_bytes(), replace(file, state=_state(file.path))
    except OSError:
        return problem
    question = question_about(data, name=problem.file, limits=upload_limits())
    return replace(problem, source=source, question=question)


def _parts(path: Path) -> list[Path]:
    return [Path(part) for part in parquet_files(path)] if path.is_dir() else [path]


def _state(path: Path) -> tuple[tuple[int, int], ...]:
    return tuple((found.st_size, found.st_mtime_ns) for found in map(os.stat, _parts(path)))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _digest_of(path: Path, asked: tuple[Question, Answer] | None = None) -> str:
    """Return the digest of a file, of the parts of a table in a folder, or of a file and what was answered about it."""
    if path.is_dir():
        return _sha256("".join(map(_digest_of, _parts(path))))
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return digest if asked is None else _sha256(f"{digest} {asked}")


def read_with(path: Path) -> list[Path]:
    """Return the other files that reading a path may open: parts of a table in a folder, companions of a LETOR file."""
    if path.is_dir():
        return _parts(path)
    plain = path.name.removesuffix(".gz")
    stems = dict.fromkeys((path.name, plain, plain.rpartition(".")[0], path.name.partition(".")[0]))
    found = []
    for endings in _COMPANIONS:
        others = (path.with_name(stem + ending) for stem in stems if stem for ending in endings)
        found += [other for other in others if other != path and other.is_file()][:1]
    return found

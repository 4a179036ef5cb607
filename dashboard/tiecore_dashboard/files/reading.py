"""Files of every origin: what is in them, or what is wrong with those that cannot be read, and what to ask."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from tiecore import FormatError, TiecoreError
from tiecore.comparing.files import values_in
from tiecore.counts.read import as_counts
from tiecore.formats import Limits, limited, limits_in_force, read
from tiecore.formats.source import parquet_files
from tiecore.threads import in_threads
from tiecore_dashboard.files.datasets import Content, LoadedFile, Origin, digest_of
from tiecore_dashboard.files.kept import Folder
from tiecore_dashboard.files.questions import (
    DAMAGES,
    IS_DAMAGED,
    Answer,
    Question,
    answered,
    question_about,
    refuse_table_without_header,
)
from tiecore_dashboard.results.memory import LARGEST_UPLOAD, upload_limits
from tiecore_dashboard.results.shelf import SHELF

__all__ = ["Problem", "Source", "companion_of", "read_all", "read_with"]

_GROUP_ENDINGS = (".query", ".group")
_NAMES_ENDING = ".features.json"
_MOST_VALUES = 1 << 22
"""Bytes of a file that is looked at for values that were measured elsewhere."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read."""

    path: Path
    name: str
    """As the user knows it."""
    origin: Origin
    folder: Folder | None = None
    """Where it lies, if a visitor has brought it."""
    answer: tuple[Question, Answer] | None = None
    """Question about its columns, and the user's answer."""

    @property
    def limits(self) -> Limits:
        """What it may hold: who starts the server knows the files of the command line."""
        return limits_in_force() if self.origin in ("sample", "command line") else upload_limits()


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be read, and what to do about it."""

    file: str
    line: int | None
    what: str
    source: Source | None = None
    question: Question | None = None
    """Question to the user whose answer would make the file readable."""
    refused: str = ""
    """Why the user's answer cannot be right."""


def read_all(sources: Sequence[Source]) -> tuple[list[LoadedFile], list[Problem]]:
    """Read files at once; a bad one never keeps the others from being read."""
    outcomes = in_threads(_outcome, sources)
    files = [one for one in outcomes if isinstance(one, LoadedFile)]
    return files, [one for one in outcomes if isinstance(one, Problem)]


def _outcome(source: Source) -> LoadedFile | Problem:
    try:
        return _loaded(source)
    except FormatError as error:
        problem = Problem(source.name, error.line, error.problem, source)
        return _asking(problem) if source.answer is None else problem
    except TiecoreError as error:
        return Problem(source.name, None, str(error), source)
    except DAMAGES:
        return Problem(source.name, None, IS_DAMAGED, source)
    except MemoryError:
        return Problem(source.name, None, "needs more memory than there is; split it or leave columns out", source)


def _loaded(source: Source) -> LoadedFile:
    """Read a file, of those that the dashboard opens with once for all visitors as long as it stays as it is."""
    try:
        state = _state(source.path)
        if source.folder is not None:
            return _opened(source, state)
        key = "opened", str(source.path), source.name, source.origin, source.answer, state
        return SHELF.once(key, partial(_opened, source, state), files=(), size=lambda _: 0)
    except FileNotFoundError:
        raise FormatError(source.name, None, "does not exist; check the path") from None
    except PermissionError:
        raise FormatError(source.name, None, "cannot be read; check who may read it") from None


def _opened(source: Source, state: tuple[object, ...]) -> LoadedFile:
    path = source.path
    digest = _digest_of(path, source.answer)
    read_content = partial(_content, source, state)
    file = LoadedFile(
        source.name, digest, read_content, _size(path), source.origin, path, source.answer, folder=source.folder
    )
    if file.records.kind != "letor" or not (beside := read_with(path)):
        return file
    # the same bytes with other companions are something else
    digest = digest_of("".join([digest, *(_digest_of(one, None) for one in beside)]).encode())
    return replace(file, digest=digest, companions=tuple(one.name for one in beside))


def _content(source: Source, state: tuple[object, ...]) -> Content:
    """Read what is in a file that is still as it was when it was opened."""
    path, limits = source.path, source.limits
    # its folders tell two files of one name apart; those of a visitor lie in one folder
    name = str(path) if source.origin == "command line" else source.name
    if source.answer is not None:
        named = _Named(answered(path.read_bytes(), *source.answer, limits=limits), path.name)
        found = Content(replace(read(named, limits=limits), source=name))
    elif (counts := as_counts(path, limits=limits)) is not None:
        found = Content.of_counts(name, counts)
    else:
        found = _documents_or_values(source, name)
    if _state(path) != state:
        raise FormatError(source.name, None, "has changed or gone since it was opened; open it again")
    return found


def _documents_or_values(source: Source, name: str) -> Content:
    """Read judgments and scores, or else values that were measured elsewhere."""
    path = source.path
    try:
        records = read(path, limits=source.limits)
        if path.is_file():
            refuse_table_without_header(records, lambda: path.open("rb"))
    except FormatError:
        if not path.is_file() or path.stat().st_size > _MOST_VALUES:
            raise
        with limited(source.limits):
            values = values_in(_Named(path.read_bytes(), source.name))
        if values is None:
            raise
        return Content.of_values(name, values)
    return Content(replace(records, source=name))


class _Named(io.BytesIO):
    """Bytes under the name that the user knows them by."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def _asking(problem: Problem) -> Problem:
    """Add a question about the columns of a table, if its answer would make the file readable."""
    source = problem.source
    assert source is not None
    try:
        if not source.path.is_file() or source.path.stat().st_size > LARGEST_UPLOAD:
            return problem
        data = source.path.read_bytes()
    except OSError:
        return problem
    return replace(problem, question=question_about(data, name=problem.file, limits=upload_limits()))


def _parts(path: Path) -> list[Path]:
    return [Path(part) for part in parquet_files(path)] if path.is_dir() else [path]


def _state(path: Path) -> tuple[object, ...]:
    """Return sizes and times of change of a file, or of the parts of a table of counts that is a folder."""
    return tuple((found.st_size, found.st_mtime_ns) for found in map(os.stat, _parts(path)))


def _size(path: Path) -> int:
    return sum(part.stat().st_size for part in _parts(path))


def _digest_of(path: Path, answer: tuple[Question, Answer] | None) -> str:
    """Return the digest of a file, of the parts of a table in a folder, or of a file and what was answered about it."""
    if path.is_dir():
        return digest_of("".join(_digest_of(part, None) for part in _parts(path)).encode())
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return digest if answer is None else digest_of(f"{digest} {answer}".encode())


def _names_of_companions(name: str) -> tuple[list[str], list[str]]:
    plain = name.removesuffix(".gz")
    stems = [stem for stem in dict.fromkeys((name, plain, plain.rpartition(".")[0], name.partition(".")[0])) if stem]
    sizes = [one for stem in stems for ending in _GROUP_ENDINGS if (one := stem + ending) != name]
    return sizes, [one for stem in stems if (one := stem + _NAMES_ENDING) != name]


def read_with(path: Path) -> list[Path]:
    """Return the other files that reading a path may open: parts of a table in a folder, companions of a LETOR file."""
    if path.is_dir():
        return _parts(path)
    beside = ([path.with_name(name) for name in names] for names in _names_of_companions(path.name))
    return [found[0] for names in beside if (found := [other for other in names if other.is_file()])]


def companion_of(name: str, files: Sequence[LoadedFile]) -> str:
    """Return what else to do about a file without scores whose name is that of a companion; nothing for another one."""
    if not name.endswith((*_GROUP_ENDINGS, _NAMES_ENDING)):
        return ""
    letor = [file.name for file in files if file.records.kind == "letor"]
    owner = next((one for one in letor if any(name in names for names in _names_of_companions(one))), None)
    if owner is not None:
        return f"; if it goes with {owner}, remove that and drop in both at once"
    return "; if it goes with a LETOR file, drop in both at once"

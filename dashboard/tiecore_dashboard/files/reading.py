"""Files of every origin to records: one by one or many at once, with what is wrong with those that cannot be read."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tiecore import FormatError, TiecoreError
from tiecore.counts.read import as_counts
from tiecore.formats import Limits, read
from tiecore.formats.source import parquet_files
from tiecore.threads import in_threads
from tiecore_dashboard import words
from tiecore_dashboard.app.waiting import meanwhile
from tiecore_dashboard.files.datasets import Dataset, LoadedFile, Origin, digest_of
from tiecore_dashboard.files.questions import (
    DAMAGES,
    IS_DAMAGED,
    Answer,
    Question,
    answered,
    question_about,
    refuse_table_without_header,
)
from tiecore_dashboard.results import cached

__all__ = [
    "LARGEST_UPLOAD",
    "MOST_TOGETHER",
    "UPLOAD_LIMITS",
    "Batch",
    "Job",
    "Problem",
    "companions_of",
    "from_path",
    "of_answer",
    "of_path",
    "of_upload",
    "read_with",
]

LARGEST_UPLOAD = 200 * 2**20
"""Bytes that an upload may have."""
MOST_TOGETHER = 1 << 30
"""Bytes that the uploads of a session may have."""
UPLOAD_LIMITS = Limits(unpacked=1 << 30)
"""What an upload may hold."""
_GROUP_ENDINGS = (".query", ".group")
_NAMES_ENDING = ".features.json"


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be read, and what to do about it."""

    file: str
    line: int | None
    what: str
    question: Question | None = None
    """Question to the user whose answer would make the file readable."""
    refused: str = ""
    """Why the user's answer cannot be right."""
    data: bytes = b""
    """The file, as long as there is something to answer about it."""
    origin: Origin = "upload"
    path: Path | None = None


def _unasked(problem: Problem) -> Problem:
    return problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A file to read."""

    name: str
    load: Callable[[], LoadedFile]
    remedy: str = ""
    """What else can be done if it cannot be read."""
    ask: Callable[[Problem], Problem] = _unasked
    """Adds a question to a problem, if an answer would solve it."""

    def __call__(self) -> LoadedFile | Problem:
        """Return the file, or why it cannot be read."""
        try:
            return self.load()
        except FormatError as error:
            return self.ask(Problem(self.name, error.line, error.problem + self.remedy))
        except TiecoreError as error:
            return Problem(self.name, None, str(error))
        except DAMAGES:
            return Problem(self.name, None, IS_DAMAGED)
        except MemoryError:
            return Problem(self.name, None, "needs more memory than there is; split it or leave columns out")


@dataclass(frozen=True, slots=True)
class Batch:
    """Files read together, and those that could not be; a bad one never keeps the others from being read."""

    n_files: int
    """How many there are to read, at most."""
    files: list[LoadedFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def read(self, *jobs: Job) -> list[LoadedFile]:
        """Read files at once, and return those that could be read."""
        if not jobs:
            return []
        with meanwhile(self._reading(jobs[0], 0)) as say:

            def read_one(place: int) -> LoadedFile | Problem:
                say(self._reading(jobs[place], place))
                return jobs[place]()

            outcomes = in_threads(read_one, range(len(jobs)))
        self.problems.extend(one for one in outcomes if isinstance(one, Problem))
        read_now = [one for one in outcomes if isinstance(one, LoadedFile)]
        self.files.extend(read_now)
        return read_now

    def _reading(self, job: Job, place: int) -> str:
        number = len(self.files) + len(self.problems) + place + 1
        which = f" ({number} of {self.n_files})" if self.n_files > 1 else ""
        return f"Reading {words.in_markdown(job.name)}{which}"


def companions_of(name: str, by_name: Mapping[str, io.BytesIO]) -> tuple[io.BytesIO | None, io.BytesIO | None]:
    """Return the companions of a file, should it be LETOR: sizes of its groups, names of its features."""
    sizes, names = ([by_name[one] for one in wanted if one in by_name] for wanted in _names_of_companions(name))
    return next(iter(sizes), None), next(iter(names), None)


def _names_of_companions(name: str) -> tuple[list[str], list[str]]:
    plain = name.removesuffix(".gz")
    stems = [stem for stem in dict.fromkeys((name, plain, plain.rpartition(".")[0], name.partition(".")[0])) if stem]
    sizes = [one for stem in stems for ending in _GROUP_ENDINGS if (one := stem + ending) != name]
    return sizes, [one for stem in stems if (one := stem + _NAMES_ENDING) != name]


def _remedy(name: str, data: Dataset) -> str:
    """Return what else to do about a file without scores whose name is that of a companion."""
    if not name.endswith((*_GROUP_ENDINGS, _NAMES_ENDING)):
        return ""
    letor = [file.name for file in data.files if file.records.kind == "letor"]
    owner = next((one for one in letor if any(name in names for names in _names_of_companions(one))), None)
    if owner is not None:
        return f"; if it goes with {owner}, remove that and drop in both at once"
    return "; if it goes with a LETOR file, drop in both at once"


def _from_upload(
    name: str, upload: io.BytesIO, sizes: io.BytesIO | None, names: io.BytesIO | None, *, room: int
) -> LoadedFile:
    data = upload.getvalue()  # the bytes themselves, not a copy
    if len(data) > LARGEST_UPLOAD:
        limit, found = words.size(LARGEST_UPLOAD), words.size(len(data))
        problem = f"has {found}, and uploads end at {limit}: pack it with gzip, or start tiecore dashboard --data-root"
        raise FormatError(name, None, problem)
    if len(data) > room:
        limit = words.size(MOST_TOGETHER)
        problem = f"is one too many: the files of a tab end at {limit} together. Remove some, or use --data-root"
        raise FormatError(name, None, problem)
    counts = as_counts(data, limits=UPLOAD_LIMITS)
    if counts is not None:
        return LoadedFile.of_counts(name, digest_of(data), replace(counts, source=name), len(data), "upload")
    records = read(
        _Named(data, name),
        group_sizes=None if sizes is None else sizes.getvalue(),
        feature_names=None if names is None else names.getvalue(),
        limits=UPLOAD_LIMITS,
    )
    refuse_table_without_header(records, partial(io.BytesIO, data))
    is_told_of = records.kind == "letor" and (sizes is not None or names is not None)
    digest = digest_of(_joined(data, sizes, names) if is_told_of else data)
    beside = tuple(one.name for one in (sizes, names) if is_told_of and one is not None)
    return LoadedFile(name, digest, records, len(data), "upload", companions=beside)


class _Named(io.BytesIO):
    """Bytes under the name that the user knows them by."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def _joined(data: bytes, *companions: io.BytesIO | None) -> bytes:
    return b"\0".join([data, *(b"" if one is None else one.getvalue() for one in companions)])


def from_path(path: Path, *, name: str, origin: Origin) -> LoadedFile:
    """Read a file of this computer, once for all sessions as long as it stays as it is."""

    def load() -> LoadedFile:
        counts = as_counts(path)
        records = read(path) if counts is None else None
        digest, n_bytes = _digest_of_path(path), _size(path)
        now = path.stat()
        if (now.st_size, now.st_mtime_ns) != (state.st_size, state.st_mtime_ns):
            raise FormatError(name, None, "changed while it was read; open it again when it is complete")
        if records is None:
            assert counts is not None
            return LoadedFile.of_counts(name, digest, replace(counts, source=name), n_bytes, origin, path)
        if path.is_file():
            refuse_table_without_header(records, lambda: path.open("rb"))
        beside = _beside(path) if records.kind == "letor" else ()
        return LoadedFile(name, digest, records, n_bytes, origin, path, companions=beside)

    try:
        state = path.stat()
        return cached.read_once((str(path), name, origin), load, state=(state.st_size, state.st_mtime_ns))
    except OSError:  # also of a file that is deleted while it is read
        raise FormatError(name, None, "does not exist or cannot be read; check the path") from None


def _digest_of_path(path: Path) -> str:
    """Digest of a file, or of the parts of a table of counts that is a folder."""
    if path.is_dir():
        return digest_of("".join(map(_digest_of_path, parquet_files(path))).encode())
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(path: Path) -> int:
    return sum(part.stat().st_size for part in (parquet_files(path) if path.is_dir() else [path]))


def read_with(path: Path) -> list[Path]:
    """Return the other files that reading a path may open: parts of a table in a folder, companions of a LETOR file."""
    if path.is_dir():
        return parquet_files(path)
    beside = (path.with_name(name) for names in _names_of_companions(path.name) for name in names)
    return [other for other in beside if other.is_file()]


def _beside(path: Path) -> tuple[str, ...]:
    """Return the names of files beside a LETOR file that say something about it."""
    wanted = _names_of_companions(path.name)
    return tuple(found[0] for names in wanted if (found := [name for name in names if path.with_name(name).is_file()]))


def of_path(path: Path, *, name: str, known_as: str, origin: Origin) -> Job:
    """Read a file of this computer."""
    load = partial(from_path, path, name=name, origin=origin)
    return Job(name=known_as, load=load, ask=partial(_ask, path.read_bytes, origin, path))


def _ask(get: Callable[[], bytes], origin: Origin, path: Path | None, problem: Problem) -> Problem:
    """Add a question to a problem with the columns of a table."""
    try:
        if path is not None and path.stat().st_size > LARGEST_UPLOAD:
            return problem
        data = get()
    except OSError:
        return problem
    if len(data) > LARGEST_UPLOAD:
        return problem
    question = question_about(data, name=problem.file, limits=UPLOAD_LIMITS)
    if question is None:
        return problem
    return replace(problem, question=question, data=data, origin=origin, path=path)


def _from_answer(problem: Problem, given: Answer) -> LoadedFile:
    assert problem.question is not None
    data = answered(problem.data, problem.question, given, limits=UPLOAD_LIMITS)
    name = problem.file if problem.path is None else problem.path.name
    records = read(_Named(data, name), limits=UPLOAD_LIMITS)
    asked = problem.question, given
    return LoadedFile(name, digest_of(data), records, len(problem.data), problem.origin, problem.path, asked)


def of_upload(
    name: str, upload: io.BytesIO, companions: tuple[io.BytesIO | None, io.BytesIO | None], *, room: int, data: Dataset
) -> Job:
    """Read an upload with what may say something about it; ``room``: bytes that the session may still take."""
    return Job(
        name=name,
        load=partial(_from_upload, name, upload, *companions, room=room),
        remedy=_remedy(name, data),
        ask=partial(_ask, upload.getvalue, "upload", None),
    )


def of_answer(problem: Problem, given: Answer) -> Job:
    """Read a file once its columns are known."""
    return Job(name=problem.file, load=partial(_from_answer, problem, given))

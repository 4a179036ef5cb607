"""Files into the session: the sample, uploads, files of the command line, files of the server. No page reads a file.

What `tiecore dashboard` was given comes in three environment variables, so that the app can also be started by hand:

``TIECORE_QRELS``
    Path of the file with the judgments.
``TIECORE_FEATURES``
    JSON list of paths of files with features.
``TIECORE_DATA_ROOT``
    Folder whose files may be opened by anybody who can open the dashboard; nothing outside it ever is.

A session keeps one :class:`~tiecore_dashboard.data.datasets.Dataset` and the problems of the last loading; sessions
share nothing.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from tiecore import FormatError, TiecoreError
from tiecore.collection.align import align
from tiecore.collection.join import join
from tiecore.counts.aligned import aligned
from tiecore.counts.read import as_counts, parts_of
from tiecore.formats import read
from tiecore.threads import in_threads
from tiecore_dashboard.compute import cached
from tiecore_dashboard.compute.waiting import meanwhile
from tiecore_dashboard.data.datasets import Dataset, LoadedFile, Origin, digest_of
from tiecore_dashboard.data.questions import Answer, Question, answered, question_about
from tiecore_dashboard.ui import words

__all__ = [
    "LARGEST_UPLOAD",
    "MOST_UNPACKED",
    "SAMPLE_ORDER",
    "Problem",
    "answer",
    "current",
    "data_root",
    "dismiss",
    "load_server_files",
    "load_uploads",
    "problems",
    "repeated",
    "replace_by",
    "sample",
    "server_files",
    "started_with_files",
    "to_sample",
    "to_start",
    "uploader_key",
]

LARGEST_UPLOAD = 200 * 2**20
"""Bytes that an upload may have."""
MOST_TOGETHER = 1 << 30
"""Bytes that the uploads of a session may have."""
MOST_UNPACKED = 1 << 30
"""Bytes that an upload may have after decompression."""
WRITTEN = "_SUCCESS"
"""Lies in a folder that Spark has written a table to."""
_DATA = "dataset"
_PROBLEMS = "problems"
_UPLOADS = "uploads"
_REPEATED = "repeated_files"
SAMPLE_ORDER = (
    "qrels.txt",
    "bm25.run.gz",
    "indegree.run",
    "clicks.csv",
    "outdegree.tsv.gz",
    "pages.parquet",
    "title_match.json",
)
_NO_DATA = frozenset({".py", ".md", ".rst", ".html", ".pdf", ".png", ".svg", ".toml", ".ipynb", ".log", ".lock"})
_GROUP_ENDINGS = (".query", ".group")
_NAMES_ENDING = ".features.json"


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be read, and the way out."""

    file: str
    line: int | None
    what: str
    question: Question | None = None
    """What could be answered for the file to be read."""
    refused: str = ""
    """Why the answer that was given does not serve."""
    data: bytes = b""
    """The file, as long as there is something to answer about it."""
    origin: Origin = "upload"
    path: Path | None = None


def _unasked(problem: Problem) -> Problem:
    return problem


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """A file to read."""

    name: str
    load: Callable[[], LoadedFile]
    remedy: str = ""
    """What else can be done if it cannot be read."""
    ask: Callable[[Problem], Problem] = _unasked
    """Puts a question to a problem, if an answer would solve it."""

    def __call__(self) -> LoadedFile | Problem:
        """Read the file, or say what keeps it from being read."""
        try:
            return self.load()
        except FormatError as error:
            return self.ask(Problem(self.name, error.line, error.problem + self.remedy))
        except TiecoreError as error:
            return Problem(self.name, None, str(error))
        except MemoryError:
            return Problem(self.name, None, "needs more memory than there is; split it or leave columns out")


@dataclass(frozen=True, slots=True)
class _Batch:
    """Files read together, and those that could not be; a bad one never keeps the others from being read."""

    n_files: int
    """How many there are to read, at most."""
    files: list[LoadedFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def read(self, *jobs: _Job) -> list[LoadedFile]:
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

    def _reading(self, job: _Job, place: int) -> str:
        number = len(self.files) + len(self.problems) + place + 1
        which = f" ({number} of {self.n_files})" if self.n_files > 1 else ""
        return f"Reading {words.in_markdown(job.name)}{which}"


def current() -> Dataset:
    """Return what the session has loaded; at first the files of the command line, or else the sample."""
    if _DATA not in st.session_state:
        to_start()
    data: Dataset = st.session_state[_DATA]
    return data


def problems() -> tuple[Problem, ...]:
    """Files of the last loading that could not be read."""
    return tuple(st.session_state.get(_PROBLEMS, ()))


def repeated() -> tuple[tuple[str, str], ...]:
    """Return files of the last loading that hold the bytes of another one, with its name; they are there once."""
    return tuple(st.session_state.get(_REPEATED, ()))


def dismiss() -> None:
    """Forget the problems."""
    st.session_state[_PROBLEMS] = ()
    st.session_state[_REPEATED] = ()


def replace_by(data: Dataset) -> None:
    """Take a changed dataset as that of the session, its files held against the judgments."""
    st.session_state[_DATA] = _fitted(data)


def _fitted(data: Dataset) -> Dataset:
    """Set aside what does not fit the judgments; only if not everything fits are files tried one by one."""
    if data.qrels is None or not data.used:
        return data
    with meanwhile("Bringing judgments and features together"):
        try:
            data = replace(data, unmatched=cached.unmatched(data))
        except TiecoreError:
            data = replace(data, misfits=_misfits(data))
            if data.qrels is not None and data.used:
                data = replace(data, unmatched=cached.unmatched(data))
    return data


def _misfits(data: Dataset) -> dict[str, str]:
    qrels = data.qrels
    if qrels is None:
        return {}
    used = dict.fromkeys(feature.file for feature in data.used)
    others = [digest for digest in used if digest != qrels.digest]
    if strange := [one for one in others if qrels.counts is not None or data.file(one).counts is not None]:
        return dict.fromkeys(strange, cached.STANDS_ALONE)
    try:
        if qrels.counts is not None:
            aligned(qrels.counts, unmatched="omit")
            return {}
        join(qrels.records, [])
    except TiecoreError as error:
        return {qrels.digest: str(error)}
    found = {}
    for digest in used:
        records = data.file(digest).as_scores
        try:
            align(qrels.records, [(column, records, column) for column in records.features], unmatched="omit")
        except TiecoreError as error:
            found[digest] = str(error)
    return found


def to_start() -> None:
    """Open what the dashboard was started with."""
    qrels, features = _given_paths()
    if not (qrels or features):
        to_sample()
        return
    paths = *qrels, *features
    batch = _Batch(len(paths))
    batch.read(*(_of_path(path, name=path.name, known_as=str(path), origin="command line") for path in paths))
    data = Dataset().add(batch.files)
    same = _repeated(batch.files, data)
    if qrels:
        named = next((file for file in data.candidates if file.path == qrels[0]), None)
        data = data.judged_by(named.digest) if named else data
    _keep(data, batch.problems, same)


def started_with_files() -> bool:
    """Whether files were named on the command line."""
    return any(_given_paths())


def sample() -> Dataset:
    """Read the sample data."""
    folder = _sample_folder()
    return Dataset().add(_from_path(folder / name, name=name, origin="sample") for name in SAMPLE_ORDER)


def to_sample() -> None:
    """Open the sample data."""
    replace_by(sample())
    dismiss()


def _sample_folder() -> Path:
    package = Path(__file__).parents[1]
    # inside the package once installed, at the top of a checkout
    folders = (package / "sample_data", package.parents[1] / "sample_data")
    return next(folder for folder in folders if folder.is_dir())


def _given_paths() -> tuple[list[Path], list[Path]]:
    """Judgments and features of the command line."""
    qrels = os.environ.get("TIECORE_QRELS", "")
    features = json.loads(os.environ.get("TIECORE_FEATURES", "") or "[]")
    return [Path(qrels)] if qrels else [], [Path(path) for path in features]


def uploader_key() -> str:
    """Key of the uploader; it changes when uploads have been taken, so that the widget lets go of their bytes."""
    return f"uploader_{st.session_state.get(_UPLOADS, 0)}"


def load_uploads() -> None:
    """Parse what was dropped in, keep the columns, free the bytes. For the uploader's ``on_change``."""
    uploads = st.session_state.get(uploader_key()) or []
    st.session_state[_UPLOADS] = st.session_state.get(_UPLOADS, 0) + 1
    if uploads:
        try:
            _load([(upload.name, upload) for upload in uploads])
        finally:
            _let_go(uploads)


def _let_go(uploads: Sequence[UploadedFile]) -> None:
    """Free the bytes: Streamlit keeps them as long as the session lives, whatever becomes of the widget."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        for upload in uploads:
            context.uploaded_file_mgr.remove_file(context.session_id, upload.file_id)


def _load(uploads: Sequence[tuple[str, io.BytesIO]]) -> None:
    """Read files; those that may only say something about another come last, and are read too if they do not."""
    at_hand = dict(uploads)
    companions = {name: _companions(name, at_hand) for name in at_hand}
    beside = {id(one) for both in companions.values() for one in both}
    said: set[int] = set()
    batch, data = _Batch(len(uploads)), current()
    kept = [file for file in data.files if file.origin == "upload"]
    for name, upload in sorted(uploads, key=lambda one: id(one[1]) in beside):
        if id(upload) not in said:
            room = MOST_TOGETHER - sum(file.n_bytes for file in (*kept, *batch.files))
            load = partial(_from_upload, name, upload, *companions[name], room=room)
            ask = partial(_ask, upload.getvalue, "upload", None)
            for found in batch.read(_Job(name=name, load=load, remedy=_remedy(name, data), ask=ask)):
                if found.records.kind == "letor":  # nothing else has use for companions
                    said |= {id(one) for one in companions[name]}
    _take(batch, data)


def _take(batch: _Batch, data: Dataset) -> None:
    """Add files to the data of the session, which were asked for before the files were read."""
    if batch.files:
        # one's own files take the place of the sample, and never mix with it
        data = (Dataset() if data.is_sample else data).add(batch.files)
    _keep(data, batch.problems, _repeated(batch.files, data))


def _repeated(files: Sequence[LoadedFile], data: Dataset) -> list[tuple[str, str]]:
    """Return files that are there under another name, and that name."""
    name_of = {file.digest: file.name for file in data.files}
    return [(file.name, name_of[file.digest]) for file in files if file.name != name_of[file.digest]]


def _keep(data: Dataset, found: Sequence[Problem], repeated_files: Sequence[tuple[str, str]] = ()) -> None:
    """Put into the session what has been read; a click that came meanwhile ends the run only then.

    It ends it wherever the state of the session is touched next, and it does so once.
    """
    loaded = {_DATA: _fitted(data), _PROBLEMS: tuple(found), _REPEATED: tuple(repeated_files)}
    try:
        st.session_state.update(loaded)
    except RerunException:
        st.session_state.update(loaded)
        raise


def _companions(name: str, at_hand: Mapping[str, io.BytesIO]) -> tuple[io.BytesIO | None, io.BytesIO | None]:
    """Find what may say something about a file, should it be LETOR: sizes of its groups, names of its features."""
    sizes, names = ([at_hand[one] for one in wanted if one in at_hand] for wanted in _names_of_companions(name))
    return next(iter(sizes), None), next(iter(names), None)


def _names_of_companions(name: str) -> tuple[list[str], list[str]]:
    plain = name.removesuffix(".gz")
    stems = (name, plain, plain.rpartition(".")[0], name.partition(".")[0])
    names = [stem + _NAMES_ENDING for stem in dict.fromkeys(stems) if stem]
    return [name + ending for ending in _GROUP_ENDINGS], [one for one in names if one != name]


def _remedy(name: str, data: Dataset) -> str:
    """What else can be done about a file that holds no scores but is called as if it went with another."""
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
    counts = as_counts(data, max_bytes=MOST_UNPACKED)
    if counts is not None:
        return LoadedFile.of_counts(name, digest_of(data), replace(counts, source=name), len(data), "upload")
    records = read(
        _Named(data, name),
        group_sizes=None if sizes is None else sizes.getvalue(),
        feature_names=None if names is None else names.getvalue(),
        max_bytes=MOST_UNPACKED,
    )
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


def _from_path(path: Path, *, name: str, origin: Origin) -> LoadedFile:
    try:
        state = path.stat()
    except OSError:
        raise FormatError(name, None, "does not exist or cannot be read; check the path") from None

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
        beside = _beside(path) if records.kind == "letor" else ()
        return LoadedFile(name, digest, records, n_bytes, origin, path, companions=beside)

    return cached.read_once((str(path), state.st_size, state.st_mtime_ns, name, origin), load)


def _digest_of_path(path: Path) -> str:
    """Digest of a file, or of the parts of a table of counts that is a folder."""
    if path.is_dir():
        return digest_of("".join(map(_digest_of_path, parts_of(path))).encode())
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(path: Path) -> int:
    return sum(part.stat().st_size for part in (parts_of(path) if path.is_dir() else [path]))


def _beside(path: Path) -> tuple[str, ...]:
    """Return the names of files beside a LETOR file that say something about it."""
    wanted = _names_of_companions(path.name)
    return tuple(found[0] for names in wanted if (found := [name for name in names if path.with_name(name).is_file()]))


def data_root() -> Path | None:
    """Folder of the server whose files may be opened."""
    root = os.environ.get("TIECORE_DATA_ROOT", "")
    return Path(root).resolve() if root and Path(root).is_dir() else None


def server_files(*, most: int = 5000) -> list[str]:
    """Names of the files under the data root, relative to it; hidden ones and links that lead outside left out."""
    root = data_root()
    if root is None:
        return []
    found: list[str] = []
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        if WRITTEN in names and inside(root, folder) is not None:  # one table in many parts
            found.append(str(Path(folder).relative_to(root)))
            continue
        for name in sorted(names):
            path = Path(folder) / name
            if not name.startswith(".") and path.suffix.lower() not in _NO_DATA and inside(root, path) is not None:
                found.append(str(path.relative_to(root)))
            if len(found) >= most:
                return found
    return found


def inside(root: Path, wanted: Path | str) -> Path | None:
    """Resolve a path under the root; None if it does not exist or leads outside."""
    try:
        path = (root / wanted).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    is_table = path.is_file() or (path / WRITTEN).is_file()
    return path if path.is_relative_to(root) and is_table else None


def load_server_files(names: Sequence[str]) -> None:
    """Open files of the data root."""
    root = data_root()
    batch, data = _Batch(len(names)), current()
    jobs = []
    for name in names:
        path = None if root is None else inside(root, name)
        if path is None:
            batch.problems.append(Problem(name, None, "is not a file under the data root"))
        else:
            jobs.append(_of_path(path, name=name, known_as=name, origin="server"))
    batch.read(*jobs)
    _take(batch, data)


def _of_path(path: Path, *, name: str, known_as: str, origin: Origin) -> _Job:
    load = partial(_from_path, path, name=name, origin=origin)
    return _Job(name=known_as, load=load, ask=partial(_ask, path.read_bytes, origin, path))


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
    question = question_about(data, name=problem.file, max_bytes=MOST_UNPACKED)
    if question is None:
        return problem
    return replace(problem, question=question, data=data, origin=origin, path=path)


def answer(asked: Sequence[Problem], given: Answer) -> None:
    """Read files once somebody has said which of their columns is which."""
    batch, data = _Batch(len(asked)), current()
    for problem in asked:
        batch.read(_Job(name=problem.file, load=partial(_from_answer, problem, given)))
    unanswered = [
        replace(problem, refused=new.what) for problem in asked for new in batch.problems if new.file == problem.file
    ]
    others = [problem for problem in problems() if problem not in asked]
    batch.problems[:] = [*others, *unanswered]
    _take(batch, data)


def _from_answer(problem: Problem, given: Answer) -> LoadedFile:
    assert problem.question is not None
    data = answered(problem.data, problem.question, given, max_bytes=MOST_UNPACKED)
    name = problem.file if problem.path is None else problem.path.name
    records = read(_Named(data, name), max_bytes=MOST_UNPACKED)
    asked = problem.question, given
    return LoadedFile(name, digest_of(data), records, len(problem.data), problem.origin, problem.path, asked)

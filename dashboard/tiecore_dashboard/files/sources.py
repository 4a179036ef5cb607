"""Files into the session: the sample, uploads, files of the command line, files of the server. No page reads a file.

What `tiecore dashboard` was given comes in three environment variables, so that the app can also be started by hand:

``TIECORE_QRELS``
    Path of the file with the judgments.
``TIECORE_FEATURES``
    JSON list of paths of files with features.
``TIECORE_DATA_ROOT``
    Folder whose files may be opened by anybody who can open the dashboard; nothing outside it ever is.

A session keeps one :class:`~tiecore_dashboard.files.datasets.Dataset` and the problems of the last loading; sessions
share nothing.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from tiecore import FormatError, TiecoreError
from tiecore.collection.align import align
from tiecore.collection.join import join
from tiecore.counts.aligned import aligned
from tiecore_dashboard.app.waiting import meanwhile
from tiecore_dashboard.files import reading
from tiecore_dashboard.files.datasets import Dataset, LoadedFile
from tiecore_dashboard.files.questions import Answer
from tiecore_dashboard.files.reading import (
    Batch,
    Job,
    Problem,
    companions_of,
    from_path,
    of_answer,
    of_path,
    of_upload,
    read_with,
)
from tiecore_dashboard.files.root import data_root, inside
from tiecore_dashboard.results import cached

__all__ = [
    "SAMPLE_ORDER",
    "answer",
    "current",
    "dismiss",
    "load_server_files",
    "load_uploads",
    "open_ahead",
    "problems",
    "repeated",
    "replace_by",
    "sample",
    "started_with_files",
    "to_sample",
    "to_start",
    "unreadable_judgments",
    "uploader_key",
]

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
    """Take a changed dataset as that of the session, and check which of its files fit the judgments."""
    st.session_state[_DATA] = _fitted(data)


def _fitted(data: Dataset) -> Dataset:
    """Leave out what does not fit the judgments; files are tried one by one only if not everything fits."""
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
    if apart := [one for one in others if qrels.counts is not None or data.file(one).counts is not None]:
        return dict.fromkeys(apart, cached.STANDS_ALONE)
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


def unreadable_judgments() -> str | None:
    """Return what is wrong with the judgments of the command line, unless an answer of the user can mend it."""
    for job in _given_jobs()[: len(_given_paths()[0])]:
        outcome = job()  # kept, so that no visitor waits for it again
        if isinstance(outcome, Problem) and outcome.question is None:
            return str(FormatError(outcome.file, outcome.line, outcome.what))
    return None


def open_ahead() -> Thread | None:
    """Begin to open the files of the command line, if any: the first visitor's browser takes a while to come."""
    jobs = _given_jobs()
    if not jobs:
        return None
    thread = Thread(target=lambda: _fitted(_given(jobs)[0]), name="open ahead", daemon=True)
    thread.start()
    return thread


def to_start() -> None:
    """Open what the dashboard was started with."""
    jobs = _given_jobs()
    if not jobs:
        to_sample()
        return
    data, batch = _given(jobs)
    _keep(data, batch.problems, _repeated(batch.files, data))


def _given(jobs: Sequence[Job]) -> tuple[Dataset, Batch]:
    """Read the files of the command line."""
    batch = Batch(len(jobs))
    batch.read(*jobs)
    data = Dataset().add(batch.files)
    qrels, _ = _given_paths()
    named = next((file for file in data.candidates if qrels and file.path == qrels[0]), None)
    return data.judged_by(named.digest) if named else data, batch


def started_with_files() -> bool:
    """Whether files were named on the command line."""
    return any(_given_paths())


def sample() -> Dataset:
    """Read the sample data."""
    folder = _sample_folder()
    return Dataset().add(from_path(folder / name, name=name, origin="sample") for name in SAMPLE_ORDER)


def to_sample() -> None:
    """Open the sample data."""
    replace_by(sample())
    dismiss()


def _sample_folder() -> Path:
    package = Path(__file__).parents[1]
    # inside the installed package, or at the top of a checkout
    folders = (package / "sample_data", package.parents[1] / "sample_data")
    return next(folder for folder in folders if folder.is_dir())


def _given_paths() -> tuple[list[Path], list[Path]]:
    """Judgments and features of the command line."""
    qrels = os.environ.get("TIECORE_QRELS", "")
    features = json.loads(os.environ.get("TIECORE_FEATURES", "") or "[]")
    return [Path(qrels)] if qrels else [], [Path(path) for path in features]


def _given_jobs() -> list[Job]:
    """Return the files of the command line, each to be read once."""
    qrels, features = _given_paths()
    paths = dict.fromkeys((*qrels, *features))  # a labelled table may be named as both
    return [of_path(path, name=path.name, known_as=str(path), origin="command line") for path in paths]


def uploader_key() -> str:
    """Key of the uploader; it changes when uploads have been taken, so that the widget frees their bytes."""
    return f"uploader_{st.session_state.get(_UPLOADS, 0)}"


def load_uploads() -> None:
    """Parse what was dropped in, keep the columns, free the bytes. For the uploader's ``on_change``."""
    uploads = st.session_state.get(uploader_key()) or []
    st.session_state[_UPLOADS] = st.session_state.get(_UPLOADS, 0) + 1
    if uploads:
        try:
            _load([(upload.name, upload) for upload in uploads])
        finally:
            _free_bytes(uploads)


def _free_bytes(uploads: Sequence[UploadedFile]) -> None:
    """Free the bytes: Streamlit keeps them until the session ends, even if the widget is gone."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        for upload in uploads:
            context.uploaded_file_mgr.remove_file(context.session_id, upload.file_id)


def _load(uploads: Sequence[tuple[str, io.BytesIO]]) -> None:
    """Read files; possible companions of LETOR files come last, and are read if no LETOR file uses them."""
    by_name = dict(uploads)
    companions = {name: companions_of(name, by_name) for name in by_name}
    beside = {id(one) for both in companions.values() for one in both}
    used_ids: set[int] = set()
    batch, data = Batch(len(uploads)), current()
    kept = [file for file in data.files if file.origin == "upload"]
    for name, upload in sorted(uploads, key=lambda one: id(one[1]) in beside):
        if id(upload) not in used_ids:
            room = reading.MOST_TOGETHER - sum(file.n_bytes for file in (*kept, *batch.files))
            for found in batch.read(of_upload(name, upload, companions[name], room=room, data=data)):
                if found.records.kind == "letor":  # only LETOR files have companions
                    used_ids |= {id(one) for one in companions[name]}
    _take(batch, data)


def _take(batch: Batch, data: Dataset) -> None:
    """Add files to the data of the session, which were asked for before the files were read."""
    if batch.files:
        # files of the user replace the sample and are never mixed with it
        data = (Dataset() if data.is_sample else data).add(batch.files)
    _keep(data, batch.problems, _repeated(batch.files, data))


def _repeated(files: Sequence[LoadedFile], data: Dataset) -> list[tuple[str, str]]:
    """Return files that are loaded already under another name, and that name."""
    name_of = {file.digest: file.name for file in data.files}
    return [(file.name, name_of[file.digest]) for file in files if file.name != name_of[file.digest]]


def _keep(data: Dataset, found: Sequence[Problem], repeated_files: Sequence[tuple[str, str]] = ()) -> None:
    """Store in the session what has been read, even if the user has clicked meanwhile.

    A click ends the run where the state of the session is next touched, and only once: so it is stored again.
    """
    loaded = {_DATA: _fitted(data), _PROBLEMS: tuple(found), _REPEATED: tuple(repeated_files)}
    try:
        st.session_state.update(loaded)
    except RerunException:
        st.session_state.update(loaded)
        raise


def load_server_files(names: Sequence[str]) -> None:
    """Open files of the data root."""
    root = data_root()
    batch, data = Batch(len(names)), current()
    jobs = []
    for name in names:
        path = None if root is None else inside(root, name)
        if root is None or path is None:
            batch.problems.append(Problem(name, None, "is not a file under the data root"))
        elif strays := [other.name for other in read_with(path) if inside(root, other) is None]:
            batch.problems.append(Problem(name, None, f"is read with {strays[0]}, which is not under the data root"))
        else:
            jobs.append(of_path(path, name=name, known_as=name, origin="server"))
    batch.read(*jobs)
    _take(batch, data)


def answer(asked: Sequence[Problem], given: Answer) -> None:
    """Read files after the user has answered which of their columns is which."""
    batch, data = Batch(len(asked)), current()
    for problem in asked:
        batch.read(of_answer(problem, given))
    unanswered = [
        replace(problem, refused=new.what) for problem in asked for new in batch.problems if new.file == problem.file
    ]
    others = [problem for problem in problems() if problem not in asked]
    batch.problems[:] = [*others, *unanswered]
    _take(batch, data)

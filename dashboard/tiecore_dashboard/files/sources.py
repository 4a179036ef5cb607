"""Files into the session: the sample, uploads, files of the command line, files of the server. No page reads a file.

What ``tiecore dashboard`` was given comes in environment variables, so that the app can also be started by hand:

``TIECORE_QRELS``
    Path of the file with the judgments.
``TIECORE_FEATURES``
    JSON list of paths of files with features.
``TIECORE_DATA_ROOT``
    Folder whose files may be opened by anybody who can open the dashboard; nothing outside it ever is.
``TIECORE_MEMORY``
    Gibibytes that the server should stay below; 4 if nothing is said.
``TIECORE_FORGET``
    Not empty if no data are kept for a reload or a link.

A session holds one :class:`~tiecore_dashboard.files.datasets.Dataset` and the problems of the last loading.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Thread

import streamlit as st

from tiecore import FormatError, TiecoreError
from tiecore.collection.align import align
from tiecore.collection.join import join
from tiecore.counts.aligned import aligned
from tiecore_dashboard import words
from tiecore_dashboard.files.datasets import Dataset, LoadedFile
from tiecore_dashboard.files.kept import KEPT, UPLOADS, Folder
from tiecore_dashboard.files.questions import Answer
from tiecore_dashboard.files.reading import Problem, Source, companion_of, read_all, read_with
from tiecore_dashboard.files.root import data_root, inside
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.memory import LARGEST_UPLOAD, most_together
from tiecore_dashboard.results.visits import VISITS

__all__ = [
    "DATA_IN_LINK",
    "SAMPLE_ORDER",
    "answer",
    "are_gone",
    "current",
    "dismiss",
    "drop",
    "load_server_files",
    "open_ahead",
    "problems",
    "repeated",
    "replace_by",
    "sample",
    "started_with_files",
    "take_dropped",
    "to_sample",
    "to_start",
    "unreadable_judgments",
    "upload_address",
    "without_what_is_gone",
]

DATA_IN_LINK = "data"
"""Parameter of the URL that names the data, where they are not those that the dashboard opens with."""
_DATA, _NAME, _GONE = "dataset", "dataset_name", "dataset_is_gone"
_PROBLEMS, _REPEATED, _DROPPED = "problems", "repeated_files", "dropped_files"
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
    """Return what the session has loaded; at first what the link names, or else what the dashboard was started with."""
    if _DATA not in st.session_state:
        name = st.query_params.get(DATA_IN_LINK, "")
        found = KEPT.get(name) if name else None
        if name:
            st.session_state.update({_DATA: found or Dataset(), _NAME: name, _GONE: found is None})
        else:
            to_start()
    data: Dataset = st.session_state[_DATA]
    name = st.session_state.get(_NAME, "")
    if name != st.query_params.get(DATA_IN_LINK, ""):  # each time it is set the browser gets a new address
        if name:
            st.query_params[DATA_IN_LINK] = name
        else:
            st.query_params.pop(DATA_IN_LINK, None)
    VISITS.looks_at(st.context.headers.get("x-visit"), data.files)
    return data


def are_gone() -> bool:
    """Whether the link names data that this server does not hold."""
    return bool(st.session_state.get(_GONE)) and not current().files


def problems() -> tuple[Problem, ...]:
    """Files of the last loading that could not be read."""
    return tuple(st.session_state.get(_PROBLEMS, ()))


def repeated() -> tuple[tuple[str, str], ...]:
    """Return files of the last loading that hold the bytes of another one, with its name; they are there once."""
    return tuple(st.session_state.get(_REPEATED, ()))


def dismiss() -> None:
    """Forget the problems."""
    st.session_state.update({_PROBLEMS: (), _REPEATED: ()})


def replace_by(data: Dataset) -> None:
    """Take a changed dataset as that of the session, and check which of its files fit the judgments."""
    fitted = _fitted(data)
    name = "" if all(file.is_everybodys for file in fitted.files) and fitted.files else KEPT.put(fitted)
    st.session_state.update({_DATA: fitted, _NAME: name})


def without_what_is_gone() -> None:
    """Go on without the files that can no longer be read."""
    replace_by(current().readable())


def _keep(data: Dataset, found: Iterable[Problem], repeated_files: Iterable[tuple[str, str]] = ()) -> None:
    replace_by(data)
    st.session_state.update({_PROBLEMS: tuple(found), _REPEATED: tuple(repeated_files)})


def _fitted(data: Dataset) -> Dataset:
    """Leave out what does not fit the judgments; files are tried one by one only if not everything fits."""
    if data.qrels is None or not data.used:
        return data
    try:
        return replace(data, unmatched=cached.unmatched(data))
    except TiecoreError:
        data = replace(data, misfits=_misfits(data))
        return replace(data, unmatched=cached.unmatched(data)) if data.qrels is not None and data.used else data


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


# --- what the dashboard opens with ------------------------------------------------------------------------------------


def unreadable_judgments() -> str | None:
    """Return what is wrong with the judgments of the command line, unless an answer of the user can mend it."""
    judgments, _ = _given()
    _, found = read_all(judgments)  # kept, so that no visitor waits for it again
    wrong = next((problem for problem in found if problem.question is None), None)
    return (
        None
        if wrong is None or wrong.source is None
        else str(FormatError(str(wrong.source.path), wrong.line, wrong.what))
    )


def open_ahead() -> Thread | None:
    """Begin to open the files of the command line, if any: the first visitor's browser takes a while to come."""
    if not started_with_files():
        return None
    thread = Thread(target=lambda: _fitted(_started_with()[0]), name="open ahead", daemon=True)
    thread.start()
    return thread


def to_start() -> None:
    """Open what the dashboard was started with."""
    if started_with_files():
        data, files, found = _started_with()
        _keep(data, found, _repeated(files, data))
    else:
        to_sample()


def _started_with() -> tuple[Dataset, list[LoadedFile], list[Problem]]:
    """Read the files of the command line."""
    judgments, features = _given()
    # a labelled table may be named as both
    files, found = read_all([*judgments, *(one for one in features if one not in judgments)])
    data = Dataset().add(files)
    named = next((file for file in data.candidates if judgments and file.path == judgments[0].path), None)
    return data.judged_by(named.digest) if named else data, files, found


def started_with_files() -> bool:
    """Whether files were named on the command line."""
    return any(_given())


def _given() -> tuple[list[Source], list[Source]]:
    """Judgments and features of the command line."""
    qrels = os.environ.get("TIECORE_QRELS", "")
    features = json.loads(os.environ.get("TIECORE_FEATURES", "") or "[]")
    return tuple(  # type: ignore[return-value]  # two of them
        [Source(Path(path), Path(path).name, "command line") for path in dict.fromkeys(paths)]
        for paths in ([qrels] if qrels else [], features)
    )


def sample() -> Dataset:
    """Read the sample data."""
    package = Path(__file__).parents[1]
    # inside the installed package, or at the top of a checkout
    folders = (package / "sample_data", package.parents[1] / "sample_data")
    folder = next(folder for folder in folders if folder.is_dir())
    return Dataset().add(read_all([Source(folder / name, name, "sample") for name in SAMPLE_ORDER])[0])


def to_sample() -> None:
    """Open the sample data."""
    _keep(sample(), ())


# --- what a visitor brings --------------------------------------------------------------------------------------------


def drop(files: Sequence[Mapping[str, object]]) -> None:
    """Note what was dropped in: ``name``, ``size`` and the ``id`` of the upload; the next run takes it."""
    st.session_state[_DROPPED] = [*st.session_state.get(_DROPPED, ()), *files]


def take_dropped() -> None:
    """Read what was dropped in. A click meanwhile begins it again, with what has been read so far."""
    dropped: list[Mapping[str, object]] = st.session_state.get(_DROPPED, [])
    if not dropped:
        return
    data, folder = current(), st.session_state.setdefault("dropped_folder", Folder())
    arrived: dict[str, Source | Problem] = st.session_state.setdefault("dropped_arrived", {})
    for one in dropped:
        handle, name = str(one.get("id", "")), str(one.get("name", "file"))
        if (key := handle or name) not in arrived:
            upload = UPLOADS.take(handle)
            arrived[key] = (
                Problem(name, None, _not_arrived(one))
                if upload is None
                else Source(folder.add(upload), upload.name, "upload", folder)
            )
    found = [one for one in arrived.values() if isinstance(one, Problem)]
    wanted = [one for one in arrived.values() if isinstance(one, Source)]
    room = most_together() - sum(file.n_bytes for file in data.files if file.origin == "upload")
    fits: list[Source] = []
    for source in wanted:
        room -= source.path.stat().st_size
        if room >= 0:
            fits.append(source)
        else:
            limit = words.size(most_together())
            what = f"is one too many: the files of a visitor end at {limit} together. Remove some, or use --data-root"
            found.append(Problem(source.name, None, what))
    with st.spinner(f"Reading {words.plural(len(fits), 'file')}"):
        _take(fits, found)
    for key in (_DROPPED, "dropped_folder", "dropped_arrived"):
        st.session_state.pop(key, None)


def upload_address() -> str:
    """Return the path to which files are sent, below that of the dashboard."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/files" if base else "/files"


def _not_arrived(one: Mapping[str, object]) -> str:
    size = one.get("size")
    if isinstance(size, int | float) and size > LARGEST_UPLOAD:
        limit, found = words.size(LARGEST_UPLOAD), words.size(int(size))
        return f"has {found}, and uploads end at {limit}: pack it with gzip, or start tiecore dashboard --data-root"
    return "did not arrive whole; drop it in again"


def load_server_files(names: Sequence[str]) -> None:
    """Open files of the data root."""
    root = data_root()
    found, wanted = [], []
    for name in names:
        path = None if root is None else inside(root, name)
        if root is None or path is None:
            found.append(Problem(name, None, "is not a file under the data root"))
        elif strays := [other.name for other in read_with(path) if inside(root, other) is None]:
            found.append(Problem(name, None, f"is read with {strays[0]}, which is not under the data root"))
        else:
            wanted.append(Source(path, name, "server"))
    _take(wanted, found)


def answer(asked: Sequence[Problem], given: Answer) -> None:
    """Read files after the user has answered which of their columns is which."""
    answered = [
        replace(problem.source, answer=(problem.question, given))
        for problem in asked
        if problem.source is not None and problem.question is not None
    ]
    files, wrong = read_all(answered)
    why = {problem.source.path: problem.what for problem in wrong if problem.source is not None}
    still = [
        replace(problem, refused=why[problem.source.path])
        for problem in asked
        if problem.source is not None and problem.source.path in why
    ]
    _add(files, [*(problem for problem in problems() if problem not in asked), *still])


def _take(wanted: Sequence[Source], found: Sequence[Problem]) -> None:
    """Read files, but not the companions of others as files of their own."""
    files, unread = read_all(wanted)
    beside = {file.path.with_name(name) for file in files if file.path for name in file.companions}
    files = [file for file in files if file.path not in beside]
    owners = [*current().files, *files]
    unread = [
        replace(problem, what=problem.what + companion_of(problem.file, owners))
        for problem in unread
        if problem.source is None or problem.source.path not in beside
    ]
    _add(files, [*found, *unread])


def _add(files: Sequence[LoadedFile], found: Sequence[Problem]) -> None:
    """Add files to the data of the session; files of the user replace the sample and are never mixed with it."""
    data = current()
    if files:
        data = (Dataset() if data.is_sample else data).add(files)
    _keep(data, found, _repeated(files, data))


def _repeated(files: Sequence[LoadedFile], data: Dataset) -> list[tuple[str, str]]:
    """Return files that are loaded already under another name, and that name."""
    name_of = {file.digest: file.name for file in data.files}
    return [(file.name, name_of[file.digest]) for file in files if file.name != name_of[file.digest]]

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

A session holds one :class:`~tiecore_dashboard.files.datasets.Dataset` with the problems of the last loading.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from tiecore_dashboard import words
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.joined import fitted
from tiecore_dashboard.files.kept import KEPT, UPLOADS
from tiecore_dashboard.files.questions import Answer
from tiecore_dashboard.files.reading import File, Problem, read_all, read_with
from tiecore_dashboard.files.root import data_root, inside
from tiecore_dashboard.results.memory import LARGEST_UPLOAD, most_together
from tiecore_dashboard.results.visits import VISITS
from tiecore_dashboard.state.link import keep_in_link

DATA_IN_LINK = "data"
"""Parameter of the URL that names the data, where they are not those that the dashboard opens with."""
TABLE_VERSION = "data_version"
"""Counts the changes of the data; a table of features is of one version."""
_DATA, _NAME, _GONE, _DROPPED = "dataset", "dataset_name", "dataset_is_gone", "dropped_files"
OWN = "own_dataset"
SAMPLE_ORDER = (
    *("qrels.txt", "bm25.run.gz", "indegree.run", "clicks.csv"),
    *("outdegree.tsv.gz", "pages.parquet", "title_match.json"),
)


def current() -> Dataset:
    """Return what the session has loaded; at first what the link names, or else what the dashboard was started with."""
    if _DATA not in st.session_state:
        if name := st.query_params.get(DATA_IN_LINK, ""):
            found = KEPT.get(name)
            st.session_state.update({_DATA: found or Dataset(), _NAME: name, _GONE: found is None})
        else:
            to_start()
    data: Dataset = st.session_state[_DATA]
    keep_in_link(DATA_IN_LINK, [st.session_state.get(_NAME, "")], usual=[""])
    VISITS.looks_at(st.context.headers.get("x-visit"), data.files)
    return data


def are_gone() -> bool:
    """Whether the link names data that this server does not hold."""
    return bool(st.session_state.get(_GONE))


def replace_by(data: Dataset, *, is_named: bool = True, is_shown: bool = False) -> None:
    """Take a dataset as that of the session, once it is checked which of its files fit the judgments.

    ``is_named``: whether the address names it; what the dashboard opens with is found without. ``is_shown``: whether
    the table of features, by whose edits it has changed, shows it already.
    """
    data = fitted(data)
    name = KEPT.put(data) if is_named else ""
    version = st.session_state.get(TABLE_VERSION, 0) + (not is_shown)
    st.session_state.update({_DATA: data, _NAME: name, _GONE: False, TABLE_VERSION: version})


def to_start() -> None:
    """Open what the dashboard was started with."""
    replace_by(started_with() if started_with_files() else sample(), is_named=False)


def to_sample() -> None:
    """Open the sample data; files of the user can be gone back to."""
    if current().files:
        st.session_state[OWN] = current()
    replace_by(sample(), is_named=False)


def started_with() -> Dataset:
    """Read the files of the command line."""
    judgments, features = _given()
    files, found = read_all([*judgments, *features])
    data = Dataset(problems=tuple(found)).add(files)
    named = next((file for file in data.candidates if judgments and file.path == judgments[0].path), None)
    return data.judged_by(named.digest) if named else data


def started_with_files() -> bool:
    """Whether files were named on the command line."""
    return any(_given())


def _given() -> Iterator[list[File]]:
    """Yield judgments and features of the command line."""
    qrels, features = os.environ.get("TIECORE_QRELS", ""), os.environ.get("TIECORE_FEATURES", "")
    for paths in ([qrels] if qrels else [], json.loads(features or "[]")):
        yield [File(Path(path), Path(path).name, "command line") for path in dict.fromkeys(paths)]


def sample(*more: str) -> Dataset:
    """Read the sample data, and more of the files beside it."""
    package = Path(__file__).parents[1]
    # inside the installed package, or at the top of a checkout
    folders = (package / "sample_data", package.parents[1] / "sample_data")
    folder = next(folder for folder in folders if folder.is_dir())
    return Dataset().add(read_all([File(folder / name, name, "sample") for name in (*SAMPLE_ORDER, *more)])[0])


def drop(files: Sequence[Mapping[str, object]]) -> None:
    """Note what was dropped in: ``name``, ``size`` and the ``id`` of the upload; the next run takes it."""
    st.session_state[_DROPPED] = [*st.session_state.get(_DROPPED, ()), *files]


def take_dropped() -> None:
    """Read what was dropped in. A click meanwhile begins it again."""
    dropped: list[Mapping[str, object]] = st.session_state.get(_DROPPED, [])
    if not dropped:
        return
    handles = [str(one.get("id", "")) for one in dropped]
    room = most_together() - sum(file.n_bytes for file in current().files if file.origin == "upload")
    fits: list[File] = []
    found = []
    for one, file in zip(dropped, map(UPLOADS.get, handles), strict=True):
        room -= file.path.stat().st_size if file else 0
        if file is None:
            found.append(Problem(str(one.get("name", "file")), None, _not_arrived(one)))
        elif room < 0:
            limit = words.size(most_together())
            what = f"does not fit: a visitor may load {limit} in total. Remove some files, or use --data-root"
            found.append(Problem(file.name, None, what))
        else:
            fits.append(file)
    with st.spinner(f"Reading {words.plural(len(fits), 'file')}"):
        _read(fits, found)
    UPLOADS.remove(handles)
    st.session_state.pop(_DROPPED)


def upload_address() -> str:
    """Return the path to which files are sent, below that of the dashboard."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/files" if base else "/files"


def _not_arrived(one: Mapping[str, object]) -> str:
    size = one.get("size")
    if isinstance(size, int | float) and size > LARGEST_UPLOAD:
        limit, found = words.size(LARGEST_UPLOAD), words.size(int(size))
        return f"has {found}; the upload limit is {limit}: pack it with gzip, or start tiecore dashboard --data-root"
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
            wanted.append(File(path, name, "server"))
    _read(wanted, found)


def answer(asked: Sequence[Problem], given: Answer | None = None) -> None:
    """Read files after the user has answered which of their columns is which; by default what each most likely is."""
    known = [(one.source, one.question) for one in asked if one.source and one.question]
    wanted = [replace(source, asked=(question, given or question.guess)) for source, question in known]
    files, wrong = read_all(wanted)
    why = {one.source.path: one.what for one in wrong if one.source}
    still = [replace(one, refused=why[one.source.path]) for one in asked if one.source and one.source.path in why]
    _add(files, [*(one for one in current().problems if one not in asked), *still])


def ask_again(digests: Collection[str]) -> None:
    """Ask again which columns of some files are which; until that is answered they take no part."""
    data = current()
    asked = [(one, *one.asked) for one in data.files if one.digest in digests and one.asked]
    again = [Problem(one.name, None, "", replace(one, asked=None), question, given) for one, question, given in asked]
    replace_by(replace(data.remove(digests), problems=(*data.problems, *again)))


def _read(wanted: Sequence[File], found: Sequence[Problem]) -> None:
    """Read files, but not the companions of others as files of their own."""
    files, unread = read_all(wanted)
    beside = {file.path.with_name(name) for file in files for name in file.companions}
    files = [file for file in files if file.path not in beside]
    unread = [problem for problem in unread if problem.source is None or problem.source.path not in beside]
    _add(files, [*found, *unread])


def _add(files: Sequence[File], found: Iterable[Problem]) -> None:
    """Add files to the data of the session; files of the user replace the sample and are never mixed with it."""
    data = current()
    if files:
        before = Dataset() if data.is_sample else data
        data, known = before.add(files), {file.name: file.digest for file in before.files}
        copies = [file.name for file in files if data.file(file.digest).name != file.name]
        others = [file.name for file in files if known.get(file.name, file.digest) != file.digest]
        beside = "Beside another file of the same name, which can be removed under Files if it is out of date"
        for said, names in (("Loaded already, with the same content", copies), (beside, others)):
            if names:
                text = words.in_markdown(words.enumerate_names(names))
                st.toast(f"{said}: {text}", icon=":material/content_copy:", duration="long")
    problems = (one if one.question else replace(one, source=None) for one in found)  # nobody needs the file itself
    replace_by(replace(data, problems=tuple(problems)))

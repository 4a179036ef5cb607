"""The dashboard without a browser: pages run by AppTest, and views made without Streamlit's server."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit import config
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner, require_widgets_deltas

from tiecore.measures import measure
from tiecore_dashboard.export import menu
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.kept import UPLOADS
from tiecore_dashboard.files.reading import File, read_all
from tiecore_dashboard.files.sources import sample
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View
from tiecore_dashboard.results.shelf import SHELF
from tiecore_dashboard.state.sidebar import Settings

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "sample_data"
TIMEOUT = 100  # seconds, for what takes one or two on an idle machine


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TIECORE_QRELS", "TIECORE_FEATURES", "TIECORE_DATA_ROOT", "TIECORE_FORGET", "TIECORE_MEMORY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True, scope="session")
def _pages_run_as_on_a_server() -> Iterator[None]:
    """Run each command of a page and no more, as a server does that has begun.

    AppTest would look through all installed packages for components of Streamlit, where there are none, compile each
    page anew, and ask a thousand times a second whether a run has ended, which slows it down.
    """

    def wait(runner: LocalScriptRunner, timeout: float) -> None:
        assert runner._script_thread is not None
        runner._script_thread.join(timeout)
        require_widgets_deltas(runner, 0 if runner._script_thread.is_alive() else timeout)

    config.set_option("browser.gatherUsageStats", False)
    compiled = ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        for user in ("app_test", "local_script_runner"):
            patch.setattr(f"streamlit.testing.v1.{user}.ScriptCache", lambda: compiled)
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


def open_app(
    page: str = "ranking", *, query: Mapping[str, str | list[str]] | None = None, state: Mapping[str, Any] | None = None
) -> AppTest:
    """Open a page as a browser would, with parameters of the URL and entries of the session; nothing is raised."""
    script = ROOT / "dashboard" / "tiecore_dashboard" / "app" / "script.py"
    app = AppTest.from_file(str(script), default_timeout=TIMEOUT)
    for name, value in (query or {}).items():
        app.query_params[name] = value
    for name, value in (state or {}).items():
        app.session_state[name] = value
    if page != "ranking":
        app.switch_page(f"../pages/{page}/{page}.py")
    app.run()
    assert not app.exception, app.exception
    return app


def upload(name: str, text: str | bytes, *, drop: str = "alone") -> str:
    """Send a file to the server as a browser does; return what it is found by."""

    async def body() -> AsyncIterator[bytes]:
        yield text.encode() if isinstance(text, str) else text

    handle = asyncio.run(UPLOADS.receive(drop, name, body()))
    assert handle is not None
    return handle


def file_of(name: str, text: str | bytes) -> File:
    handle = upload(name, text)
    file = UPLOADS.get(handle)
    UPLOADS.remove([handle])
    assert file is not None
    (opened,), _ = read_all([file])
    return opened


def loaded(**contents: str | bytes) -> Dataset:
    """Make a dataset of names and contents of files; a double underscore stands for the dot of a name."""
    return Dataset().add(file_of(name.replace("__", "."), data) for name, data in contents.items())


def alike(grades: Sequence[int], scores: Mapping[str, Sequence[float]], n_queries: int = 3) -> Dataset:
    """Make a dataset of queries whose documents all have these grades, and these scores by each feature."""
    ids = [(f"q{query}", f"d{document}") for query in range(1, n_queries + 1) for document in range(len(grades))]
    table = pd.DataFrame(ids, columns=["query_id", "doc_id"])
    judged = "".join(f"{q} 0 {d} {grade}\n" for (q, d), grade in zip(ids, [*grades] * n_queries, strict=True))
    features = pd.DataFrame({name: [*own] * n_queries for name, own in scores.items()})
    return loaded(qrels__txt=judged, table__csv=table.join(features).to_csv(index=False))


EVIL = "<b>x</b>|![y](https://outside.example)"
"""A name of a feature that is markup in HTML and in Markdown."""
TINY_QRELS = "".join(f"q{q} 0 d{d} {grade}\n" for q in (1, 2, 3) for d, grade in enumerate((0, 1, 0, 2)))
TINY_TABLE = "query_id,doc_id,clicks,visits,constant\n" + "".join(
    f"q{q},d{d},{(d * q) % 2},{d % 3},1\n" for q in (1, 2, 3) for d in range(4)
)
LETOR = "2 qid:1 1:3 2:0.5\n0 qid:1 1:3 2:0.1\n1 qid:2 1:1 2:0.5\n0 qid:2 1:0 2:0.1\n"
BAD = "q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 oops tag\n"
OWN = {"qrels.txt": TINY_QRELS, "table.csv": TINY_TABLE}
USUAL = ["clicks", "visits", "constant"]
"""Features of these."""


@pytest.fixture
def tiny_data() -> Dataset:
    """Three queries of four documents, three features: tied, less tied, constant."""
    return loaded(qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)


@pytest.fixture
def tiny_view(tiny_data: Dataset) -> View:
    return cached.view(tiny_data, Settings(measure("nDCG@10")))


@pytest.fixture(scope="session")
def sample_data() -> Dataset:
    return sample()


@pytest.fixture
def sample_view(sample_data: Dataset) -> View:
    return cached.view(sample_data, Settings(measure("nDCG@10")))


@pytest.fixture
def no_cache() -> Iterator[None]:
    SHELF.keep_only(())
    yield
    SHELF.keep_only(())


Offered = dict[str, Callable[[], Any]]


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> Offered:
    """What a page offers to take away: by its label, what makes the file."""
    found: Offered = {}
    monkeypatch.setattr(menu, "offer_file", lambda label, make, **_: found.update({label: make}))
    return found


@pytest.fixture
def no_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print no figure of the studio, which takes longer than all else of a page."""
    monkeypatch.setattr("tiecore.plot.Figure.to_bytes", lambda *_: "data:image/png;base64,")


def put(app: AppTest, files: Sequence[tuple[str, str | bytes]]) -> AppTest:
    """Drop files into the page Data, all at once."""
    at_once = secrets.token_hex(8)  # as a browser does: an address would come back
    app.session_state["dropped_files"] = [
        {"name": name, "size": len(data), "id": upload(name, data, drop=at_once)} for name, data in files
    ]
    app.run()
    assert not app.exception, app.exception
    return app


def drop(app: AppTest, **contents: str | bytes) -> AppTest:
    """Drop files into the page Data; a double underscore stands for the dot of the name."""
    return put(app, [(name.replace("__", "."), data) for name, data in contents.items()])


def go(app: AppTest, page: str) -> AppTest:
    app.switch_page(f"../pages/{page}/{page}.py").run()
    assert not app.exception, app.exception
    return app


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label.startswith(label)).click().run()
    assert not app.exception, app.exception
    return app


def features(app: AppTest) -> list[str]:
    return [feature.name for feature in app.session_state["dataset"].used]


def complaints(app: AppTest) -> str:
    return "\n".join(element.value for element in (*app.error, *app.warning))


def codes_of(app: AppTest, language: str) -> list[str]:
    return [str(box.value) for box in app.code if box.language == language]


def code_of(app: AppTest, language: str) -> str:
    return codes_of(app, language)[0]


def run_of(code: str) -> tuple[dict[str, Any], list[pd.DataFrame]]:
    """Run code as it is offered; its names, and the tables that it prints in full."""
    printed: list[pd.DataFrame] = []
    names: dict[str, Any] = {"print": printed.append}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pd.DataFrame, "to_string", lambda table: table.copy())
        exec(code, names)
    return names, printed


def html_of(app: AppTest) -> str:
    return " ".join(str(element.proto.body) for element in app.get("html"))


def answer_of(app: AppTest) -> str:
    return next(str(element.proto.body) for element in app.get("html") if 'class="answer"' in element.proto.body)


def plain(html: str) -> str:
    return re.sub("<[^>]*>", "", html).replace("\u00a0", " ")


@pytest.fixture
def tiny_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the dashboard open on the tiny dataset instead of the sample."""
    for name, text in OWN.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("TIECORE_QRELS", str(tmp_path / "qrels.txt"))
    monkeypatch.setenv("TIECORE_FEATURES", f'["{tmp_path / "table.csv"}"]')

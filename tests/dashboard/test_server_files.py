"""Files of the server: those of the command line, and those under a root."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import (
    LETOR,
    SAMPLE,
    TINY_QRELS,
    TINY_TABLE,
    USUAL,
    answer_of,
    complaints,
    features,
    go,
    open_app,
    press,
)
from tiecore.collection.align import align
from tiecore.collection.alignment import Alignment
from tiecore.formats import Records, read
from tiecore_dashboard.app.server import answer_ahead
from tiecore_dashboard.files import joined as of_joined
from tiecore_dashboard.files import reading
from tiecore_dashboard.files import root as root_of_server
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.shelf import SHELF


def name_files(monkeypatch: pytest.MonkeyPatch, qrels: str, *features: str) -> None:
    """Name files of the sample as the command line does."""
    monkeypatch.setenv("TIECORE_QRELS", str(SAMPLE / qrels))
    monkeypatch.setenv("TIECORE_FEATURES", json.dumps([str(SAMPLE / name) for name in features]))


def test_files_of_the_command_line_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    name_files(monkeypatch, "qrels.txt", "clicks.csv", "nowhere.run")
    app = open_app("data")
    assert features(app) == ["url_clicks", "query_url_clicks", "dwell"]
    assert "nowhere\\.run" in complaints(app)
    press(app, "Back to the sample")
    assert "bm25" in features(app)


def test_files_of_the_command_line_are_read_and_joined_before_anybody_comes_and_only_once(
    no_cache: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    joined: list[int] = []

    def slowly(path: Path, **options: Any) -> object:
        names.append(path.name)
        sleep(0.1)
        return read(path, **options)

    def joined_slowly(qrels: Records, columns: list[Any], **options: Any) -> Alignment:
        joined.append(len(columns))
        sleep(0.1)
        return align(qrels, columns, **options)

    monkeypatch.setattr(reading, "read", slowly)
    monkeypatch.setattr(of_joined, "align", joined_slowly)
    name_files(monkeypatch, "qrels.txt", "clicks.csv", "nowhere.run")
    thread = Thread(target=answer_ahead)
    thread.start()
    app = open_app("data")  # comes too early, and waits
    thread.join()
    assert sorted(names) == ["clicks.csv", "qrels.txt"]
    assert len(joined) == 1
    assert "nowhere\\.run" in complaints(app)


def test_the_first_page_of_named_files_is_computed_before_anybody_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    name_files(monkeypatch, "qrels.txt", "clicks.csv")
    answer_ahead()
    monkeypatch.setattr(cached, "evaluate_alignment", None)
    monkeypatch.setattr("tiecore.evaluation.random_values.order_seeds", None)
    assert "query_url_clicks" in answer_of(open_app("ranking"))


def test_one_file_is_enough_and_one_that_is_not_read_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name_files(monkeypatch, "nowhere.txt", "clicks.csv")
    assert "nowhere\\.txt could not be read" in open_app("ranking").info[0].value
    (tmp_path / "train.txt").write_text(LETOR)
    monkeypatch.setenv("TIECORE_QRELS", str(tmp_path / "train.txt"))
    assert features(open_app()) == ["1", "2"]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data root with a file, a hidden one, and ways out."""
    inside, outside = tmp_path / "root", tmp_path / "outside"
    (inside / "deep" / ".git").mkdir(parents=True)
    outside.mkdir()
    (inside / "qrels.txt").write_text(TINY_QRELS)
    (inside / "deep" / "table.csv").write_text(TINY_TABLE)
    for unlisted in (".hidden.csv", "deep/.git/table.csv", "script.py"):
        (inside / unlisted).write_text(TINY_TABLE)
    (inside / "seen.csv").symlink_to(inside / ".hidden.csv")
    (outside / "secret.csv").write_text(TINY_TABLE)
    (inside / "way.csv").symlink_to(outside / "secret.csv")
    (inside / "folder").symlink_to(outside)
    monkeypatch.setenv("TIECORE_DATA_ROOT", str(inside))
    return inside


def opened(app: AppTest, names: list[str]) -> AppTest:
    app.multiselect(key="data_server").set_value(names).run()
    press(app, "Open")
    return app


def test_what_lies_under_the_root_is_offered_and_can_be_opened_and_nothing_else(root: Path) -> None:
    app = opened(open_app("data"), ["qrels.txt", "deep/table.csv"])
    assert features(app) == USUAL
    assert sorted(root_of_server.server_files()) == ["deep/table.csv", "qrels.txt"]


@pytest.mark.parametrize(
    "name",
    [
        *("../outside/secret.csv", "way.csv", "folder/secret.csv", "/etc/passwd", "deep", "a\0b"),
        *(".hidden.csv", "deep/.git/table.csv", "script.py", "seen.csv"),  # inside, and not offered
    ],
)
def test_no_path_leads_out_of_the_root_or_to_what_the_picker_does_not_offer(root: Path, name: str) -> None:
    assert root_of_server.inside(root, name) is None


@pytest.mark.parametrize(
    ("wanted", "stray"),
    [("l.txt", "l.features.json"), ("l.txt", "l.txt.query"), ("g.txt.gz", "g.group"), ("table", "part-1.parquet")],
)
def test_nothing_that_is_read_along_leads_out_of_the_root(root: Path, wanted: str, stray: str) -> None:
    outside = root.parent / "outside" / "secret"
    outside.write_text("{}")
    folder = root / "table"
    folder.mkdir()
    for name in ("_SUCCESS", "part-0.parquet"):
        (folder / name).touch()
    (root / "l.txt").write_text(LETOR)
    (root / "g.txt.gz").write_bytes(gzip.compress(LETOR.encode()))
    (folder if wanted == "table" else root).joinpath(stray).symlink_to(outside)
    app = opened(open_app("data"), [wanted])
    assert f"is read with {stray}, which is not under the data root" in complaints(app).replace("\\", "")
    assert app.session_state["dataset"].is_sample


def test_without_a_root_there_is_no_picker() -> None:
    assert not root_of_server.server_files()
    assert "data_server" not in [element.key for element in open_app("data").multiselect]


def grow(path: Path) -> None:
    path.write_text(path.read_text() + "q1,d9,1,1,1\n")


@pytest.mark.parametrize("change", [grow, Path.unlink])
def test_a_file_that_grows_or_goes_while_it_is_read_is_refused(
    no_cache: None, root: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]
) -> None:
    path = root / "deep" / "table.csv"

    def read_and_change(source: Path, **options: Any) -> object:
        records = read(source, **options)
        if source == path:
            change(path)
        return records

    monkeypatch.setattr("tiecore_dashboard.files.reading.read", read_and_change)
    app = opened(open_app("data"), ["deep/table.csv"])
    assert "since it was opened" in complaints(app)


@pytest.mark.parametrize("page", ["ranking", "pairs", "cutoffs", "queries", "ties"])
def test_a_file_that_goes_while_it_is_looked_at_is_told_of_on_the_page(no_cache: None, root: Path, page: str) -> None:
    (root / "pages.parquet").write_bytes((SAMPLE / "pages.parquet").read_bytes())
    (root / "judged.txt").write_bytes((SAMPLE / "qrels.txt").read_bytes())
    app = opened(open_app("data"), ["judged.txt", "pages.parquet"])
    if page == "cutoffs":  # what it needs besides the usual values is read by a part of the page
        go(app, "ranking")
    (root / "pages.parquet").unlink()
    SHELF.keep_only(())  # others needed the room
    go(app, page)
    assert "pages\\.parquet\\: does not exist" in complaints(app)
    assert str(root) not in complaints(app).replace("\\", ""), "where files lie is nobody's business"
    press(app, "Go on without")
    assert "needs at least" in app.info[0].value

"""A table of counts in the dashboard: judgments and features at once, and no documents."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

import tiecore
from tests.dashboard.conftest import OWN, USUAL, complaints, features, go, html_of, open_app, press, put, run_of
from tiecore.formats import Limits
from tiecore.measures import measure
from tiecore_dashboard.export.reproduce import as_command, as_python
from tiecore_dashboard.files import reading
from tiecore_dashboard.files import root as root_of_server
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.files.reading import File
from tiecore_dashboard.pages.all_pages import PAGES
from tiecore_dashboard.results import cached
from tiecore_dashboard.state.sidebar import Settings


@pytest.fixture
def written(tmp_path: Path) -> Path:
    for name, text in OWN.items():
        (tmp_path / name).write_text(text)
    path = tmp_path / "counts.parquet"
    tiecore.count(tmp_path / "qrels.txt", tmp_path / "table.csv", ascending=["visits"]).to_parquet(path)
    return path


def text_of(app: AppTest) -> str:
    return "\n".join([*(str(one.value) for one in (*app.markdown, *app.caption, *app.info)), html_of(app)])


def drop(app: AppTest, *paths: Path) -> AppTest:
    return put(app, [(path.name, path.read_bytes()) for path in paths])


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_what_the_command_names(written: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    monkeypatch.setenv("TIECORE_FEATURES", f'["{written}"]')
    app = open_app(page)
    assert features(app) == USUAL
    assert not app.error
    assert not app.warning
    assert not [one for one in app.multiselect if one.key == "tie"]
    assert "No tie-breaks to compare" in text_of(app)


def test_values_are_those_of_the_files(written: Path) -> None:
    app = drop(open_app("data"), written)
    assert features(app) == USUAL
    dataset = app.session_state["dataset"]
    assert [feature.lower_is_better for feature in dataset.used] == [False, True, False]
    folder = written.parent
    direct = tiecore.evaluate(folder / "qrels.txt", folder / "table.csv", ["nDCG@10"], ascending=["visits"])
    shown = cached.view(dataset, Settings(measure("nDCG@10"), tie_breaks=())).evaluation.summary
    np.testing.assert_allclose(shown["expected"], direct.summary["expected"], rtol=0, atol=1e-12)
    assert "judged by" in text_of(app)


def test_a_feature_can_be_renamed_and_turned(written: Path) -> None:
    app = drop(open_app("data"), written)
    changed = app.session_state["dataset"].change(0, name="taps", lower_is_better=True)
    for page in ("ranking", "queries"):
        again = open_app(page, state={"dataset": changed})
        assert features(again)[0] == "taps"


def test_the_page_queries_shows_groups_without_documents(written: Path) -> None:
    app = go(drop(open_app("data"), written), "queries")
    assert "holds no documents" in text_of(app)
    assert "tie group" in text_of(app)


@pytest.mark.parametrize("part", ["orders in use", "repairs"])
def test_what_needs_documents_says_so_in_one_line(written: Path, part: str) -> None:
    app = drop(open_app("data"), written)
    app.session_state["ties_part"] = part
    go(app, "ties")
    assert "holds only their numbers" in "\n".join(one.value for one in app.info)


def test_other_files_cannot_be_held_against_counts(written: Path) -> None:
    app = drop(open_app("data"), written, written.parent / "table.csv")
    assert features(app) == USUAL
    assert "judgments and features at once" in complaints(app)


def test_counts_that_contradict_themselves_are_left_out(written: Path) -> None:
    table = parquet.read_table(written).to_pylist()
    bad = [row | {"n": row["n"] + (100 if row["feature"] == "clicks" else 0)} for row in table]
    path = written.with_name("bad.parquet")
    parquet.write_table(pa.Table.from_pylist(bad, schema=parquet.read_schema(written)), path)
    assert "counts more judged documents" in complaints(drop(open_app("data"), path))
    rows = [{"query_id": "q", "grade": 0, "n": 2**62}, {"feature": "f", "query_id": "q", "score_int": 1, "n": 2**62}]
    parquet.write_table(pa.Table.from_pylist([dict.fromkeys(rows[1]) | {"grade": 1} | row for row in rows]), path)
    app = drop(open_app("data"), path)
    assert complaints(app)
    assert not [button for button in app.button if str(button.key).startswith("data_read")], "its columns are known"


def test_a_folder_of_parts_opens_from_the_server(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written.parent / "log"
    folder.mkdir()
    table = parquet.read_table(written)
    for part, begin in enumerate(range(0, len(table), 5)):
        parquet.write_table(table.slice(begin, 5), folder / f"part-{part}.parquet")
    (folder / root_of_server.WRITTEN).touch()
    monkeypatch.setenv("TIECORE_DATA_ROOT", str(written.parent))
    assert root_of_server.server_files() == ["counts.parquet", "qrels.txt", "table.csv", "log"]
    app = open_app("data")
    app.multiselect(key="data_server").set_value(["log"]).run()
    press(app, "Open")
    assert features(app) == USUAL


def test_what_unpacks_to_too_much_is_refused(no_cache: None, written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "upload_limits", lambda: Limits(unpacked=500))
    assert "beyond the limit" in complaints(drop(open_app("data"), written))


def test_the_code_gives_what_is_shown_under_the_names_of_the_file(written: Path) -> None:
    files, _ = reading.read_all([File(written, written.name, "command line")])
    data = Dataset().add(files).change(0, name="taps").change(2, used=False)
    view = cached.view(data, Settings(measure("AP"), tie_breaks=()))
    code = as_python(view)
    assert 'only=["clicks", "visits"],  # names are those of the file' in code
    (shown,) = run_of(code)[1]
    found, known = shown["value"].sort_values(), view.leaderboard["expected"].sort_values()
    np.testing.assert_allclose(found, known, rtol=0, atol=1e-12)
    assert "--only clicks --only visits" in as_command(view)


@pytest.fixture
def together(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the dashboard open on counts of features that were counted together."""
    path, folder = written.with_name("joint.parquet"), written.parent
    tiecore.count(folder / "qrels.txt", folder / "table.csv", joint=USUAL).to_parquet(path)
    monkeypatch.setenv("TIECORE_FEATURES", f'["{path}"]')


@pytest.mark.parametrize("page", PAGES)
def test_features_counted_together_are_offered_as_tie_breaks(together: None, page: str) -> None:
    app = open_app(page, state={"tie": ["docid-desc", "feature:visits"]})
    assert not app.error
    assert not app.warning
    assert app.multiselect(key="tie").options == ["by clicks", "by visits", "by constant"]
    assert app.multiselect(key="tie").value == ["feature:visits"]


@pytest.mark.parametrize("part", ["orders in use", "repairs"])
def test_features_counted_together_are_tried_as_tie_breakers(together: None, part: str) -> None:
    app = open_app("ties", query={"ties_part": part}, state={"tie": ["feature:visits"]})
    assert not app.error
    assert not app.exception
    assert "holds only their numbers" not in "\n".join(one.value for one in app.info)


def test_a_link_keeps_the_tie_breaks_that_counts_know(together: None) -> None:
    app = open_app(query={"tie": ["input", "feature:clicks"]})
    assert app.multiselect(key="tie").value == ["feature:clicks"]


@pytest.mark.parametrize("page", PAGES)
def test_tables_of_next_to_nothing_open_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    path = tmp_path / "counts.parquet"
    scores = {"q": {"a": float("inf"), "x": 2.0}}
    tiecore.count({"q": {"a": 0}, "r": {"b": 1}}, {"<b>nasty*": scores, "other": {"q": {"a": 1}}}).to_parquet(path)
    monkeypatch.setenv("TIECORE_FEATURES", f'["{path}"]')
    for measure_name in ("nDCG", "ESL"):
        app = open_app(page, query={"measure": measure_name})
        assert not app.error, [one.value for one in app.error]

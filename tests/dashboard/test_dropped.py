"""Files that were loaded are gone after a reload; the link remembers how many there were, and the page says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import TINY_QRELS, TINY_TABLE, OpenApp
from tests.dashboard.test_sources import drop


def told(app: AppTest) -> str:
    """What is said about files that are not here."""
    return "".join(element.value for element in app.markdown if "loaded earlier" in element.value)


def parameter(app: AppTest) -> list[str]:
    """How many files the link says there were."""
    return list(app.query_params.get("dropped", []))


def test_the_link_counts_the_files_and_a_reload_tells_that_they_are_gone(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    app.run()
    assert parameter(app) == ["2"]
    assert not told(app)
    for page in ("data", "ranking", "ties"):
        again = open_app(page, query={"dropped": "2"})
        assert "2 files loaded earlier are not here" in told(again)
        assert parameter(again) == ["2"], "a second reload tells it too"


def test_files_opened_from_the_server_count_and_those_of_the_command_line_do_not(
    open_app: OpenApp, tiny_files: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "more.csv").write_text(TINY_TABLE.replace("clicks", "likes"))
    monkeypatch.setenv("TIECORE_DATA_ROOT", str(tmp_path))
    app = open_app("data")
    assert parameter(app) == []
    app.multiselect(key="data_server").set_value(["more.csv"]).run()
    next(button for button in app.button if button.label == "Open").click().run()
    assert parameter(app) == ["1"]
    again = open_app("ranking", query={"dropped": "1"})
    assert "1 file loaded earlier is not here" in told(again)


def test_with_the_files_back_nothing_is_lacking(open_app: OpenApp) -> None:
    app = open_app("data", query={"dropped": "1"})
    assert "1 file loaded earlier is not here" in told(app)
    app = drop(app, qrels__txt=TINY_QRELS, table__csv=TINY_TABLE).run()
    assert not told(app)
    assert parameter(app) == ["2"]


def test_who_opens_something_else_is_not_told_what_was_there_before(open_app: OpenApp, tiny_files: object) -> None:
    app = open_app("data", query={"dropped": "3"})
    assert "3 files loaded earlier" in told(app)
    next(button for button in app.button if "sample" in button.label.lower()).click().run()
    assert not told(app.run())
    assert parameter(app) == []


def test_who_goes_back_to_the_sample_is_told_nothing(open_app: OpenApp) -> None:
    app = drop(open_app("data"), qrels__txt=TINY_QRELS, table__csv=TINY_TABLE)
    next(button for button in app.button if "sample" in button.label.lower()).click().run()
    assert not told(app)
    assert parameter(app) == []


@pytest.mark.parametrize("written", ["", "none", "-1", "0", "²", "9" * 5000])
def test_a_link_that_was_meddled_with_tells_nothing(open_app: OpenApp, written: str) -> None:
    assert not told(open_app("ranking", query={"dropped": written}))


def test_a_link_without_own_files_has_no_count(open_app: OpenApp) -> None:
    assert parameter(open_app()) == []

"""Long work tells how far it is, and can be stopped and taken up again."""

import pytest
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from tests.dashboard.conftest import TIMEOUT, answer_of, open_app, press
from tiecore_dashboard.app import waiting


def slow_script() -> None:
    """Stand for a page whose work is long; what it showed on the way is kept in the session."""
    import streamlit as st

    from tiecore_dashboard.app import page

    with page.progress("Counting", of="stars", key=st.session_state.get("work", "")) as report:
        report(1, 3)
        report(2, 3)
        st.session_state["reached"] = True
        if st.session_state.get("looking"):
            st.stop()
    st.write("done")


def test_quick_work_shows_nothing_and_other_work_of_the_same_name_is_not_stopped() -> None:
    app = AppTest.from_function(slow_script, default_timeout=TIMEOUT).run()
    assert not app.exception
    assert app.markdown[0].value == "done"
    assert not app.button
    app = AppTest.from_function(slow_script, default_timeout=TIMEOUT)
    app.session_state["stopped"] = {"Counting": "this"}
    app.session_state["work"] = "that"
    app.run()
    assert app.markdown[0].value == "done"


@pytest.mark.parametrize(("glance", "shown"), [(-1.0, 2), (60.0, 1)])
def test_long_work_shows_a_bar_and_a_way_to_stop_it(monkeypatch: pytest.MonkeyPatch, glance: float, shown: int) -> None:
    monkeypatch.setattr(waiting, "_PATIENCE", -1.0)
    monkeypatch.setattr(waiting, "_GLANCE", glance)
    monkeypatch.setattr(DeltaGenerator, "empty", lambda _: None)  # leave it standing to be looked at
    app = AppTest.from_function(slow_script, default_timeout=TIMEOUT)
    app.session_state["looking"] = True
    app.run()
    assert not app.exception
    assert app.get("progress")[0].proto.text == f"Counting: {shown} of 3 stars"
    app.button[0].click().run()
    assert app.info[0].value == "Counting was stopped. *Go on* begins it again."
    app.session_state["looking"] = False
    app.button[0].click().run()
    assert app.markdown[-1].value == "done"


@pytest.mark.parametrize("work", ["Evaluating", "Drawing random tie-breaks"])
def test_work_that_was_stopped_waits_until_one_goes_on(work: str) -> None:
    app = open_app()
    key = (app.session_state["dataset"].key, app.session_state["settings"])
    app.session_state["stopped"] = {work: key}
    app.run()
    assert f"{work} was stopped" in app.info[0].value
    press(app, "Go on")
    assert "bm25" in answer_of(app)

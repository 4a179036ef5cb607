"""The page Ranking and its figures."""

from __future__ import annotations

from tests.dashboard.conftest import OpenApp, answer_of


def test_it_opens_on_the_sample_and_answers_first(open_app: OpenApp) -> None:
    app = open_app()
    assert app.title[0].value == "Ranking"
    answer = answer_of(app)
    assert "bm25" in answer
    assert "input</abbr></strong> 7 of 10 features change place" in answer


def test_the_url_sets_the_measure_and_the_tie_breaks(open_app: OpenApp) -> None:
    app = open_app(query={"measure": "AP", "k": "none", "tie": ["input"]})
    settings = app.session_state["settings"]
    assert str(settings.measure) == "AP"
    assert settings.tie_breaks == ("input",)

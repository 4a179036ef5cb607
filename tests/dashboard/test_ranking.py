"""The page Ranking and its figures."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from tests.dashboard.conftest import OpenApp, answer_of
from tiecore_dashboard.results import cached


def test_it_opens_on_the_sample_and_answers_first(open_app: OpenApp) -> None:
    app = open_app()
    assert "<h1>Ranking</h1>" in app.get("html")[0].proto.body
    answer = answer_of(app)
    assert "bm25" in answer
    assert "file order</abbr></strong> 7 (<abbr" in answer


def test_a_single_feature_is_told_its_values_and_drawn_without_places(
    open_app: OpenApp, tiny_files: dict[str, str]
) -> None:
    app = open_app(query={"measure": "RR"})
    data = app.session_state["dataset"].change(1, used=False).change(2, used=False)
    app = open_app(query={"measure": "RR", "tie": ["docid-desc"]}, state={"dataset": data})
    answer = answer_of(app)
    assert "Load another feature to compare" in answer
    assert "trec_eval (ids ↓)</abbr></strong> gives 1.0000." in answer
    assert "keeps its place" not in answer
    assert not app.get("plotly_chart")


def test_the_url_sets_the_measure_and_the_tie_breaks(open_app: OpenApp) -> None:
    app = open_app(query={"measure": "AP", "k": "none", "tie": ["input"]})
    settings = app.session_state["settings"]
    assert str(settings.measure) == "AP"
    assert settings.tie_breaks == ("input",)


def test_how_far_orders_agree_needs_no_chances(
    open_app: OpenApp, tiny_files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown() -> tuple[str, pd.DataFrame]:
        app = open_app(query={"measure": "ERR"}, state={"ranking_orders": True})
        tables = [table.value for table in app.dataframe if "kendall_tau" in table.value]
        return answer_of(app), tables[0]

    answer, table = shown()
    monkeypatch.setattr(cached, "draws_for", lambda _: 0)
    answer_without, table_without = shown()
    pd.testing.assert_frame_equal(table_without, table)
    taus = [re.findall(r"τ [\d.−]+", text) for text in (answer, answer_without)]
    assert taus[0] == taus[1] != []

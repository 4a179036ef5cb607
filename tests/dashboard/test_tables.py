"""Columns of tables, walked through: each says what it holds, and looks the same in every browser."""

import json
import math
import re
from dataclasses import replace

import pandas as pd
import pytest

from tests.dashboard.conftest import open_app
from tiecore.ties.tie_breaks import known_as
from tiecore_dashboard.app import page
from tiecore_dashboard.app.table_columns import NUMBER, WRITTEN, columns, shown, writers
from tiecore_dashboard.charts.look import LIGHT
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages.all_pages import PAGES
from tiecore_dashboard.pages.ranking.columns import NOTES
from tiecore_dashboard.pages.ranking.leaderboard import Leaderboard
from tiecore_dashboard.results import cached
from tiecore_dashboard.results.cached import View

ROWS = "_index"
"""Stands for the numbers of rows, where they are hidden."""


def test_both_names_of_a_pair_stay_on_a_phone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "width", lambda: 390)
    pairs, agreement = open_app("pairs").dataframe[0].value, open_app("judges").dataframe[-1].value
    assert pairs["leader"].iloc[0].tolist() == ["title_match > query_…licks"]
    assert agreement["judge_a"].iloc[0].tolist() == ["qrels – second_judge"]
    assert not {"trailer", "judge_b"} & {*pairs, *agreement}


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("ranking", "judges")])
def test_every_column_of_every_table_explains_itself_alike_in_every_browser(tiny_data: Dataset, page: str) -> None:
    own = {"dataset": tiny_data} if page == "data" else {}  # which shows nothing of the sample
    tables = open_app(page, state=own).dataframe
    assert len(tables)
    for table in tables:
        found = json.loads(table.proto.columns)
        assert {*map(str, table.value.columns)} <= set(found)
        assert not {name for name in set(found) - {ROWS} if not found[name].get("help")}
        assert "localized" not in table.proto.columns, "a German one would show 5.260 documents beside a mean of 106.1"


def test_numbers_and_p_values_are_written_in_tables_as_in_sentences() -> None:
    assert writers(pd.DataFrame({"x": [3.25, 112.0]}), {"x": ("ESL", NUMBER)})["x"](3.25) == "3.25", "as its column"
    found = shown(pd.DataFrame({"p": [5.5e-29, 0.3136, 1.0, math.nan]}), columns({"p": ("p", WRITTEN)}))
    assert found["p"].tolist()[:3] == [" <.0001", ".31", "1"]
    assert found["p"].isna().tolist() == [False] * 3 + [True]


def test_the_caption_of_numbers_explains_what_is_shown_and_one_feature_is_compared_with_none(sample_view: View) -> None:
    for n in (10, 2, 1):
        few = replace(sample_view.dataset, features=sample_view.dataset.features[:n])
        view = cached.view(few, sample_view.settings)
        table = Leaderboard(cached.board(view), "numbers")
        heads = re.findall(r'<button type="button"[^>]*>(.*?)</button>', table.in_html(LIGHT))
        said = table.notes()
        assert {name for name, text in NOTES.items() if text in said} == {one.name for one in table.columns} & {*NOTES}
        assert "Bar" not in said
        assert ("Holm" in said) == (n > 2), "of two nothing is adjusted"
    assert heads == ["Feature", "nDCG@10", "95 %", *map(known_as, view.tie_breaks), "SD", "Worst", "Best"]

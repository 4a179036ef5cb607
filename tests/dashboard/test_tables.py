"""Columns of tables, walked through: each says what it holds, and looks the same in every browser."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest

from tests.dashboard.conftest import OpenApp
from tiecore_dashboard.charts.columns import WRITTEN, columns, shown
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages import PAGES

ROWS = "_index"
"""Stands for the numbers of rows, where they are hidden."""


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("ranking", "judges")])
def test_every_column_of_every_table_explains_itself_and_follows_no_language_of_a_browser(
    open_app: OpenApp, tiny_data: Dataset, page: str
) -> None:
    own = {"dataset": tiny_data} if page == "data" else {}  # which shows nothing of the sample
    tables = open_app(page, state=own).dataframe
    assert len(tables)
    for table in tables:
        found = json.loads(table.proto.columns)
        assert {str(name) for name in (*table.value.index.names, *table.value.columns)} - {"None"} <= set(found)
        assert not {name for name in set(found) - {ROWS} if not found[name].get("help")}
        assert "localized" not in table.proto.columns, "a German one would show 5.260 documents beside a mean of 106.1"


def test_p_values_are_written_in_tables_as_in_sentences() -> None:
    found = shown(pd.DataFrame({"p": [5.5e-29, 0.3136, 1.0, math.nan]}), columns({"p": ("p", WRITTEN)}))
    assert found["p"].tolist()[:3] == [" <.0001", ".31", "1"]
    assert found["p"].isna().tolist() == [False] * 3 + [True]

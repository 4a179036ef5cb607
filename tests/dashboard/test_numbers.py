"""Numbers of tables look the same in every browser, whatever language it speaks."""

from __future__ import annotations

import pytest

from tests.dashboard.conftest import OpenApp
from tiecore_dashboard.files.datasets import Dataset
from tiecore_dashboard.pages import PAGES


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ("ranking", "method", "judges")])
def test_no_column_follows_the_language_of_the_browser(open_app: OpenApp, tiny_data: Dataset, page: str) -> None:
    """A German one would show 5.260 documents beside a mean of 106.1: a point for thousands, and one for decimals."""
    own = {"dataset": tiny_data} if page == "data" else {}  # which shows nothing of the sample
    tables = open_app(page, state=own).dataframe
    assert len(tables)
    for table in tables:
        assert "localized" not in table.proto.columns

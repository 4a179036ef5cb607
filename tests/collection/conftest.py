"""What tests of the collection share."""

import numpy as np
import pytest

from tiecore.formats.records import LazyColumns


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Columns of Parquet files in the order in which they are read from now on."""
    read: list[str] = []
    column = LazyColumns.__getitem__

    def noted(columns: LazyColumns, name: str) -> np.ndarray:
        read.append(name)
        return column(columns, name)

    monkeypatch.setattr(LazyColumns, "__getitem__", noted)
    return read

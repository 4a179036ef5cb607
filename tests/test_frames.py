"""Frames are known as such whether or not pandas is loaded."""

import sys

import pandas as pd
import pytest

from tiecore.frames import is_frame, is_null


def test_frames_are_frames_and_none_and_na_are_null_and_nothing_else_is() -> None:
    assert is_frame(pd.DataFrame())
    assert not any(map(is_frame, (pd.Series([1]), {"a": [1]}, [], None)))
    assert is_null(None)
    assert is_null(pd.NA)
    assert not any(map(is_null, (0, "", float("nan"), False)))


@pytest.mark.parametrize("pandas", ["not loaded", "half loaded"])
def test_without_pandas_there_are_no_frames(pandas: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if pandas == "not loaded":
        monkeypatch.delitem(sys.modules, "pandas")
    else:  # by another thread
        monkeypatch.setitem(sys.modules, "pandas", type(sys)("pandas"))
    assert not is_frame({"a": [1]})
    assert not is_frame(None)
    assert is_null(None)
    assert not is_null(0)

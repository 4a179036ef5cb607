"""Frames are known as such whether or not pandas is loaded."""

import sys

import pytest

from tiecore.frames import is_frame, is_null


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

"""Laws of runs: neighbours that stand together in an array."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiecore.ranking import segments
from tiecore.ranking.segments import lengths, picked, starts


@given(values=st.lists(st.integers(0, 2)))
def test_lengths_of_runs_add_up_to_the_whole(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    first = starts(array)
    assert np.array_equal(np.repeat(array[first], lengths(first, len(array))), array)


@given(which=st.lists(st.integers(0, 11), unique=True))
def test_what_is_picked_is_what_stands_at_the_positions(which: list[int]) -> None:
    check_picked(np.array(which, dtype=np.int64))


@pytest.mark.parametrize("which", [[3, 4, 5, 6, 7], [3, 4, 6, 5, 7], [3, 5, 4, 6, 7], [0, 1, 2, 9, 4], [0], []])
def test_positions_are_looked_at_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch, which: list[int]) -> None:
    monkeypatch.setattr(segments, "_FEW", 2)
    check_picked(np.array(which, dtype=np.int64))


def test_positions_in_a_row_give_a_view() -> None:
    values = np.arange(9)
    assert np.shares_memory(picked(values, np.arange(2, 6)), values)


def check_picked(which: np.ndarray) -> None:
    values = np.random.default_rng(0).permutation(12)
    assert np.array_equal(picked(values, which), values[which])

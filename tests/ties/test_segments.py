"""Laws of runs: neighbours that stand together in an array."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tiecore.ties.segments import in_a_row, lengths, starts


@given(values=st.lists(st.integers(0, 2)))
def test_lengths_of_runs_add_up_to_the_whole(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    first = starts(array)
    assert np.array_equal(np.repeat(array[first], lengths(first, len(array))), array)


@given(positions=st.lists(st.integers(0, 6), unique=True))
def test_positions_are_a_range_only_if_each_follows_the_one_before_it(positions: list[int]) -> None:
    found = in_a_row(np.array(positions, dtype=np.int64))
    follows = bool(positions) and positions == list(range(positions[0], positions[0] + len(positions)))
    assert (found is not None) == follows
    if found is not None:
        assert list(found) == positions

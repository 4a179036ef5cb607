"""Laws of runs: neighbours that stand together in an array."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tiecore.ties.segments import lengths, starts


@given(values=st.lists(st.integers(0, 2)))
def test_lengths_of_runs_add_up_to_the_whole(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    first = starts(array)
    assert np.array_equal(np.repeat(array[first], lengths(first, len(array))), array)

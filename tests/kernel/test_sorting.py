"""Whole numbers are sorted alike by compiled code, its stand-in, and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernel.ways import WAYS, way
from tiecore.kernel import library
from tiecore.ties.keys import in_order

NUMBERS = st.one_of(
    st.lists(st.integers(0, 3)),
    st.lists(st.integers(0, 2**32 - 1)),
    st.lists(st.integers(0, 2**12).map(lambda n: n << 19)),
)
LARGE = st.one_of(
    NUMBERS,
    st.lists(st.integers(0, 2**64 - 1)),
    st.lists(st.sampled_from([0, 1, 2**63, 2**64 - 1])),
    # numbers and positions fit into 64 bits together, or just do not, and have bits in common above those that differ
    st.integers(58, 63).flatmap(lambda bits: st.lists(st.integers(2**63, 2**63 + 2**bits - 1))),
)


def check(name: str, numbers: np.ndarray, low_bits: int = 2) -> None:
    with way(name):
        ordered, order = in_order(numbers, low_bits)
    assert ordered.dtype == numbers.dtype
    assert order.dtype == np.int64
    assert np.array_equal(order, np.argsort(numbers, kind="stable"))
    assert np.array_equal(ordered, np.sort(numbers))


@pytest.mark.parametrize("name", WAYS)
@given(numbers=NUMBERS)
def test_short_numbers_are_sorted_and_equal_ones_keep_their_order(name: str, numbers: list[int]) -> None:
    check(name, np.array(numbers, dtype=np.uint32))


@pytest.mark.parametrize("name", WAYS)
@given(numbers=LARGE)
@example(numbers=[2**63 + 2**56, 2**63])  # a digit reaches up to a bit for which there is no room beside a position
def test_long_numbers_are_sorted_and_equal_ones_keep_their_order(name: str, numbers: list[int]) -> None:
    check(name, np.array(numbers, dtype=np.uint64))


@pytest.mark.parametrize("name", WAYS)
def test_every_other_number_of_an_array_is_sorted(name: str) -> None:
    check(name, np.arange(20_000, dtype=np.uint64)[::-2])


@pytest.mark.untraced
@pytest.mark.parametrize("name", WAYS)
@given(runs=st.lists(st.lists(st.integers(0, 7), max_size=6)), is_short=st.booleans())
def test_numbers_of_which_all_but_the_low_bits_ascend_are_sorted(
    name: str, runs: list[list[int]], is_short: bool
) -> None:
    numbers = [8 * place + low for place, run in enumerate(runs) for low in run]
    for low_bits in (3, 9):  # few enough to count them, or not
        check(name, np.array(numbers, dtype=np.uint32 if is_short else np.uint64), low_bits)


@pytest.mark.skipif(not library.is_there(), reason="the library is not compiled here")
def test_where_there_is_no_library_nothing_is_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_library", lambda: None)
    assert library.sort(np.zeros(1, dtype=np.uint32), 1) is None

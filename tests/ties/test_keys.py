"""Laws of sort keys: whatever the coding, documents stand in the same order and the same ones are tied."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiecore.errors import TiecoreError
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import dense_rank, pack, parse_precision, score_code, to_precision

NUMBERS = st.one_of(
    st.integers(-3, 3).map(float),
    st.integers(-(10**6), 10**6).map(lambda whole: whole / 1e6),
    st.integers(-(10**9), 10**9).map(lambda whole: whole / 1e7),
    st.floats(allow_nan=False),
    st.floats(width=32, allow_nan=False),
    st.sampled_from([0.0, -0.0, math.inf, -math.inf, 0.1 + 0.2, 0.3, 2.0**53, 2.0**53 - 1, 5e-324, -5e-324, 1e308]),
)


def assert_codes_order(scores: np.ndarray, *, ascending: bool = False) -> None:
    code = score_code(scores, ascending=ascending)
    assert code.dtype.kind == "u"
    values = scores.tolist()
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            if math.isnan(a) or math.isnan(b):
                assert (code[i] > code[j]) == (math.isnan(a) and not math.isnan(b))
                continue
            assert (code[i] == code[j]) == (a == b), (a, b)
            assert (code[i] < code[j]) == ((a < b) if ascending else (a > b)), (a, b)


@given(st.lists(st.one_of(NUMBERS, st.just(math.nan)), max_size=8), st.booleans())
@example([0.0, -0.0, 1.0], True)
@example([1e300, -1e300, 1e-300, 0.1], False)
def test_codes_order_as_the_scores_do_and_what_is_not_scored_comes_last(scores: list[float], ascending: bool) -> None:
    assert_codes_order(np.array(scores, dtype=np.float64), ascending=ascending)
    with np.errstate(over="ignore"):
        assert_codes_order(np.array(scores, dtype=np.float32), ascending=ascending)


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize(
    "scores",
    [
        np.array([-(2**63), 2**63 - 1, 0, -1, 1], dtype=np.int64),
        np.array([2**64 - 1, 0, 2**63], dtype=np.uint64),
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([True, False]),
        np.array([], dtype=np.int64),
    ],
)
def test_whole_numbers_of_any_size_are_coded(scores: np.ndarray, ascending: bool) -> None:
    assert_codes_order(scores, ascending=ascending)


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("whole", [[2**53, 2**53 + 1, 2**53 - 1], [-(2**63), 2**63 - 1, 0], [5]])
def test_masked_whole_numbers_come_after_everything(whole: list[int], ascending: bool) -> None:
    values = np.array([*whole, 0, 0], dtype=np.int64)
    code = score_code(np.ma.MaskedArray(values, [*[False] * len(whole), True, True]), ascending=ascending)
    order = sorted(whole, reverse=not ascending)
    assert dense_rank(code).tolist() == [*(order.index(number) for number in whole), len(whole), len(whole)]


@pytest.mark.parametrize("decimals", [0, 2, 4, 6])
def test_decimals_are_coded_by_their_digits_also_where_some_documents_are_not_scored(decimals: int) -> None:
    digits = np.floor(np.random.default_rng(0).gamma(3, 5, 5000) * 10**decimals)
    scores = digits / 10.0**decimals
    assert score_code(scores).tolist() == (digits.max() - digits).tolist()
    scores[::7] = math.nan
    left = digits[~np.isnan(scores)]
    assert score_code(scores)[~np.isnan(scores)].tolist() == (left.max() - left).tolist()


def test_a_decimal_that_only_a_sample_would_miss_is_not_lost() -> None:
    scores = np.zeros(20_000)
    scores[4097:4100] = [1.0, 1.0 + 2.0**-40, math.pi]  # between the sampled positions
    assert len(np.unique(score_code(scores))) == 4


@given(st.lists(st.tuples(st.integers(0, 2), NUMBERS, st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=12))
def test_packing_wide_keys_gives_the_groups_of_narrow_ones(rows: list[tuple[int, float, int, int]]) -> None:
    query, level = (np.array([row[part] for row in rows]) for part in (0, 3))
    code = score_code(np.array([row[1] for row in rows]))
    tie = np.array([row[2] for row in rows], dtype=np.uint64)
    narrow = [dense_rank(code), tie]
    wide = [code, tie << np.uint64(45)]
    shared: dict[str, Any] = {"query": query, "level": level, "grades": np.array([-1, 0, 1]), "n_queries": 3}
    found, known = TieGroups.from_keys(wide, **shared), TieGroups.from_keys(narrow, **shared)
    for name in ("query", "above", "size", "first_cell", "cell_level", "cell_count"):
        np.testing.assert_array_equal(getattr(found, name), getattr(known, name))


def test_keys_that_only_fit_together_are_ranked_together() -> None:
    # nine times nine bits are too many; every key is the only one that sets some of the documents apart
    rng = np.random.default_rng(1)
    value, apart = np.tile(np.arange(300), 10), np.repeat(np.arange(10), 300)
    keys = [rng.permutation(300)[(value + (apart == key)) % 300].astype(np.uint64) for key in range(9)]
    query, level = np.sort(rng.integers(0, 3, 3000)), rng.integers(0, 2, 3000)
    packed, query_shift, level_bits = pack(keys, query=query, level=level, n_queries=3, n_levels=2)
    np.testing.assert_array_equal(packed >> query_shift, query)
    np.testing.assert_array_equal(packed & ((1 << level_bits) - 1), level)
    _, known = np.unique(np.stack([query, *keys, level]), axis=1, return_inverse=True)
    np.testing.assert_array_equal(dense_rank(packed), known.ravel())


def test_what_64_bits_cannot_tell_apart_is_refused() -> None:
    few = np.arange(4)
    shared: dict[str, Any] = {"query": few, "level": few, "n_queries": 2**40}
    with pytest.raises(TiecoreError, match="64-bit"):
        pack([few], **shared, n_levels=2**23)
    full, query_shift, level_bits = pack([few[::-1]], **shared, n_levels=2**22)  # 40 + 2 + 22 bits
    assert (query_shift, level_bits) == (24, 22)
    np.testing.assert_array_equal(full, [(n << 24) + ((3 - n) << 22) + n for n in range(4)])


@pytest.mark.parametrize(
    ("precision", "scores", "rounded"),
    [
        ("float64", [0.1, 1e300], [0.1, 1e300]),
        ("float32", [0.5, 0.500000001, 1e300, 5e-324], [0.5, 0.5, math.inf, 0.0]),
        ("decimals:0", [0.5, 1.5, 2.5, -0.5, math.inf, 1e300], [0.0, 2.0, 2.0, 0.0, math.inf, 1e300]),
        ("decimals:0", [2.0**51 + 0.5, 2.0**51 + 1.5], [2.0**51, 2.0**51 + 2]),
        ("decimals:2", [1.006, 1.004, 2.0**52 + 1], [1.01, 1.0, 2.0**52 + 1]),
        ("decimals:5", [1.5e305, 1.4e305, -1e-6], [1.5e305, 1.4e305, 0.0]),
        ("decimals:15", [0.1, 123456.789], [0.1, 123456.789]),
    ],
)
def test_precision_rounds_to_what_it_can_tell(precision: str, scores: list[float], rounded: list[float]) -> None:
    np.testing.assert_array_equal(to_precision(np.array(scores), precision), rounded)


@pytest.mark.parametrize("decimals", range(1, 16))
def test_what_has_no_such_decimal_is_left_as_it_is(decimals: int) -> None:
    first = 2.0**52 / 10.0**decimals
    scores = np.linspace(first, 1.5 * first, 1000)
    np.testing.assert_array_equal(to_precision(scores, f"decimals:{decimals}"), scores)
    np.testing.assert_array_equal(to_precision(-scores, f"decimals:{decimals}"), -scores)


def test_decimals_leave_whole_numbers_alone() -> None:
    whole = np.array([2**53 + 1, 1])
    assert to_precision(whole, "decimals:3") is whole


@pytest.mark.parametrize(
    "name",
    ["float16", "decimals", "decimals:", "decimals:-1", "decimals:16", "decimals:²", "", "decimals:" + "9" * 5000],
)
def test_an_unknown_precision_is_refused(name: str) -> None:
    with pytest.raises(TiecoreError, match="decimals:N"):
        parse_precision(name)

"""Sorted documents are cut into groups where query and key change, and into cells where their levels do."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiecore.ties.cut import cut, of_levels
from tiecore.ties.groups import UNJUDGED, TieGroups
from tiecore.ties.keys import in_order, score_code
from tiecore.ties.strict import levels_by_numbers

ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)), max_size=20)
SCORES: dict[str, list[float]] = {
    "float64": [-np.inf, -1.5, -0.0, 0.0, 5e-324, 0.1, np.inf, np.nan],
    "float32": [-np.inf, -1.5, -0.0, 0.0, 0.1, np.inf, np.nan],
    "float16": [-np.inf, -1.5, -0.0, 0.0, 0.1, np.inf, np.nan],
    "int64": [-(2**63), -(2**53), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1],
    "uint64": [0, 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1],
    "int8": [-128, -1, 0, 127],
    "bool": [False, True],
}


@given(rows=ROWS, is_long=st.booleans())
@example(rows=[], is_long=False)  # nothing
@example(rows=[(0, 0, 0)], is_long=True)  # one group
@example(rows=[(2, 1, 3)] * 4, is_long=False)  # all tied and alike
@example(rows=[(0, 0, 0), (0, 0, 1), (0, 0, 3)], is_long=False)  # one group of several grades
def test_sorted_numbers_are_cut_where_query_key_and_level_change(
    rows: list[tuple[int, int, int]], is_long: bool
) -> None:
    key_bits, level_bits = (60 if is_long else 20), 2
    packed = np.array(
        sorted(query << key_bits + level_bits | key << level_bits | level for query, key, level in rows),
        dtype=np.uint64 if is_long else np.uint32,
    )
    found = cut(packed, query_shift=key_bits + level_bits, level_bits=level_bits)
    groups: list[tuple[int, int, int, int]] = []
    cells: list[tuple[int, int]] = []
    first_of_query: list[int] = []
    further_cells: list[int] = []
    for query, of_query in groupby(sorted(rows), key=lambda row: row[0]):
        first_of_query.append(len(groups))
        above = 0
        for _, of_group in groupby(of_query, key=lambda row: row[1]):
            levels = [level for _, _, level in of_group]
            groups.append((query, above, len(levels), len(cells)))
            above += len(levels)
            further_cells += range(len(cells) + 1, len(cells) + len(set(levels)))
            cells += [(level, len(list(members))) for level, members in groupby(levels)]
    expected: list[Any] = [
        *np.array(groups, dtype=np.int64).reshape(-1, 4).T,
        *np.array(cells, dtype=np.int64).reshape(-1, 2).T,
        first_of_query,
        further_cells,
    ]
    for array, known in zip(found, expected, strict=True):
        assert array is not None
        assert array.dtype == np.int64
        np.testing.assert_array_equal(array, known)


@pytest.mark.untraced
@pytest.mark.parametrize("kind", SCORES)
@given(data=st.data())
def test_ties_are_exactly_where_scores_of_any_kind_are_equal(kind: str, data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(st.tuples(st.sampled_from(SCORES[kind]), st.integers(0, 2), st.integers(0, 3)), min_size=1)
    )
    scores = np.array([score for score, _, _ in rows], dtype=kind)
    query, level = (np.array([row[place] for row in rows], dtype=np.int32) for place in (1, 2))
    grades = np.array([UNJUDGED, 0, 1, 2])
    found = TieGroups.from_keys([score_code(scores)], query=query, level=level, grades=grades, n_queries=3)
    # 0.0 equals -0.0, what is not scored is one tie
    text = [repr(score + 0) if score == score else "none" for score in scores.tolist()]
    assert len(found.size) == len(set(zip(query.tolist(), text, strict=True)))


@given(
    numbers=st.one_of(
        st.lists(st.integers(0, 3)),
        st.lists(st.integers(0, 2**32 - 1)),
        st.lists(st.integers(0, 2**64 - 1)),
        st.lists(st.sampled_from([0, 1, 2**63, 2**64 - 1])),
        # all but the low bits ascend, as in a run
        st.lists(st.integers(0, 7)).map(lambda lows: [8 * (place // 3) + low for place, low in enumerate(lows)]),
    ),
    level_bits=st.sampled_from([2, 3]),
)
def test_numbers_are_sorted_and_equal_ones_keep_their_order(numbers: list[int], level_bits: int) -> None:
    for kind in (np.uint32, np.uint64) if max(numbers, default=0) < 2**32 else (np.uint64,):
        packed = np.array(numbers, dtype=kind)
        ordered, order = in_order(packed, level_bits)
        assert ordered.dtype == kind
        assert np.array_equal(order, np.argsort(packed, kind="stable"))
        assert np.array_equal(ordered, np.sort(packed))


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 4)), max_size=30),
    narrow=st.sampled_from(["int8", "int16", "int32"]),
)
def test_documents_of_each_level_are_added_up(rows: list[tuple[int, int, int]], narrow: str) -> None:
    known = np.zeros((4, 4), dtype=np.int64)
    for query, level, n in rows:
        known[query, level] += n
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    arrays = columns[0].astype(np.int32) + np.int32(7), columns[1].astype(f"u{narrow}"), columns[2].astype(narrow)
    found = of_levels(*arrays, first_query=7, n_queries=4, n_levels=4)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, known)


@given(rows=ROWS.filter(bool), fault=st.sampled_from(["", "twice", "gap"]))
def test_documents_are_put_in_the_order_of_their_numbers_or_not_at_all(
    rows: list[tuple[int, int, int]], fault: str
) -> None:
    _, size = np.unique([query for query, _, _ in rows], return_counts=True)
    level = np.array([level for _, _, level in rows], dtype=np.uint8)
    key = np.concatenate([7 * group + np.random.default_rng(n).permutation(n) for group, n in enumerate(size)])
    if fault:
        key[0] = key[0] + 1 if fault == "twice" else key.max() + len(key)
    is_numbered = all(
        np.array_equal(np.sort(own), np.arange(own.min(), own.min() + len(own)))
        for own in np.split(key, np.cumsum(size)[:-1])
    )
    group = np.repeat(np.arange(len(size)), size)
    for kind in (np.int64, np.uint64, np.int32):
        found = levels_by_numbers(key.astype(kind), level, size)
        assert (found is not None) == is_numbered
        if found is not None:
            np.testing.assert_array_equal(found, level[np.lexsort((key, group))])

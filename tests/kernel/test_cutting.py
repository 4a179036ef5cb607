"""Compiled code, its stand-in, and NumPy cut sorted documents into the same groups, and order these alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernel.ways import WAYS, way
from tiecore.kernel import library
from tiecore.ranking import segments
from tiecore.ranking.cut import cut
from tiecore.ranking.groups import UNJUDGED, TieGroups
from tiecore.ranking.keys import score_code
from tiecore.ranking.strict import levels_by_numbers

ARRAYS = ("query", "above", "size", "first_cell", "cell_level", "cell_count")
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


def same(found: TieGroups, known: TieGroups) -> bool:
    return all(np.array_equal(getattr(found, name), getattr(known, name)) for name in ARRAYS)


def in_every_way_of(groups: list[TieGroups]) -> None:
    for other in groups[1:]:
        assert same(other, groups[0])
        for array in ARRAYS:
            assert getattr(other, array).dtype == getattr(groups[0], array).dtype == np.int64
            assert not getattr(other, array).flags.writeable
        assert np.array_equal(other.mixed(), groups[0].mixed())
        assert np.array_equal(other.first_of_query(), groups[0].first_of_query())


@pytest.mark.parametrize("name", WAYS)
@given(rows=ROWS, is_long=st.booleans())
@example(rows=[], is_long=False)  # nothing
@example(rows=[(0, 0, 0)], is_long=True)  # one group
@example(rows=[(2, 1, 3)] * 4, is_long=False)  # all tied and alike
@example(rows=[(0, 0, 0), (0, 0, 1), (0, 0, 3)], is_long=False)  # one group of several grades
def test_sorted_numbers_are_cut_where_query_key_and_level_change(
    name: str, rows: list[tuple[int, int, int]], is_long: bool
) -> None:
    key_bits, level_bits = (60 if is_long else 20), 2
    packed = np.array(
        sorted(query << key_bits + level_bits | key << level_bits | level for query, key, level in rows),
        dtype=np.uint64 if is_long else np.uint32,
    )
    with way("numpy"):
        known = cut(packed, query_shift=key_bits + level_bits, level_bits=level_bits)
    with way(name):
        found = cut(packed, query_shift=key_bits + level_bits, level_bits=level_bits)
    for array, other in zip(found, known, strict=True):
        assert array is not None
        assert array.dtype == np.int64
        np.testing.assert_array_equal(array, other)
    assert int(found.size.sum()) == len(rows)


@pytest.mark.untraced
@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("kind", SCORES)
@given(data=st.data())
def test_scores_of_every_kind_are_cut_alike(name: str, kind: str, data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(st.tuples(st.sampled_from(SCORES[kind]), st.integers(0, 2), st.integers(0, 3)), min_size=1)
    )
    scores = np.array([score for score, _, _ in rows], dtype=kind)
    query, level = (np.array([row[place] for row in rows], dtype=np.int32) for place in (1, 2))
    found = []
    for each in ("numpy", name):
        with way(each):
            code = score_code(scores)
            grades = np.array([UNJUDGED, 0, 1, 2])
            found.append(TieGroups.from_keys([code], query=query, level=level, grades=grades, n_queries=3))
    in_every_way_of(found)
    # ties are exactly where scores are equal; 0.0 equals -0.0, what is not scored is one tie
    text = [repr(score + 0) if score == score else "none" for score in scores.tolist()]
    assert len(found[0].size) == len(set(zip(query.tolist(), text, strict=True)))


@pytest.mark.parametrize("name", WAYS)
@given(rows=ROWS.filter(bool), random=st.randoms(use_true_random=False), fault=st.sampled_from(["", "twice", "gap"]))
def test_documents_are_put_in_the_order_of_their_numbers_or_not_at_all(
    name: str, rows: list[tuple[int, int, int]], random: object, fault: str
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
        with way(name):
            found = levels_by_numbers(key.astype(kind), level, size)
        assert (found is not None) == is_numbered
        if found is not None:
            np.testing.assert_array_equal(found, level[np.lexsort((key, group))])


@pytest.mark.parametrize("name", WAYS)
def test_numbers_at_the_upper_end_of_64_bits_number_documents_too(name: str) -> None:
    key = np.array([2**64 - 1, 2**64 - 3, 2**64 - 2], dtype=np.uint64)
    with way(name):
        found = levels_by_numbers(key, np.array([0, 1, 2]), np.array([3]))
    assert found is not None
    assert found.tolist() == [1, 2, 0]


@pytest.mark.parametrize("name", WAYS)
@given(
    runs=st.lists(st.tuples(st.integers(-(2**62), 2**62), st.integers(0, 4))),
    kind=st.sampled_from(["int64", "float64", "int32"]),
)
def test_values_are_repeated_as_often_as_their_runs_have_members(
    name: str, runs: list[tuple[int, int]], kind: str
) -> None:
    first, length = np.array(runs, dtype=np.int64).reshape(-1, 2).T
    values = first.astype(kind)
    with way(name), pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_FEW", -1)
        repeated = segments.repeat(values, length)
        members, begin = segments.ranges(first, length)
    assert repeated.dtype == values.dtype
    np.testing.assert_array_equal(repeated, np.repeat(values, length))
    assert members.tolist() == [start + place for start, n in runs for place in range(n)]
    assert begin.tolist() == [sum(n for _, n in runs[:place]) for place in range(len(runs))]


@pytest.mark.skipif(not library.is_there(), reason="the library is not compiled here")
def test_where_there_is_no_library_nothing_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_library", lambda: None)
    nothing = np.zeros(0, dtype=np.int64)
    assert library.cut(np.zeros(1, dtype=np.uint32), 2, 1) is None
    assert library.place(nothing, nothing, nothing) is None
    assert library.repeat(nothing, nothing, step=0) is None

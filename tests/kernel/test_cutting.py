"""Compiled code, its stand-in, and NumPy cut sorted documents into the same groups, and order these alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kernel.ways import WAYS, way
from tiecore.kernel import library
from tiecore.ties import groups as groups_module
from tiecore.ties import segments
from tiecore.ties.cut import cut, of_levels
from tiecore.ties.groups import UNJUDGED, TieGroups
from tiecore.ties.keys import score_code
from tiecore.ties.strict import levels_by_numbers

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


KINDS = ["int8", "int16", "int32", "int64", "float64"]
COUNTED = st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2), st.integers(0, 3), st.integers(1, 4)), max_size=30)
GRADES = np.array([UNJUDGED, 0, 1, 2])


def counted(rows: list[tuple[int, int, int, int]], kind: str, narrow: str) -> tuple[dict[str, Any], np.ndarray]:
    """Columns of rows of counts, and the scores."""
    query, scores, level, count = np.array(rows, dtype=np.int64).reshape(-1, 4).T.copy()
    columns = {"query": query.astype(np.int32), "level": level.astype(f"u{narrow}"), "count": count.astype(narrow)}
    return columns | {"grades": GRADES, "n_queries": 4, "ideal": None}, scores.astype(kind)


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@given(rows=COUNTED, is_ascending=st.booleans(), depth=st.sampled_from([None, 1, 3, 8]), narrow=st.sampled_from(KINDS))
@example(rows=[], is_ascending=False, depth=None, narrow="int8")
@example(rows=[(0, 0, level, 1) for level in (3, 2, 3, 0, 1)], is_ascending=False, depth=1, narrow="int8")
def test_counted_rows_that_stand_in_order_are_cut_as_if_they_were_sorted(
    name: str,
    kind: str,
    rows: list[tuple[int, int, int, int]],
    is_ascending: bool,
    depth: int | None,
    narrow: str,
) -> None:
    rows = sorted(rows, key=lambda row: (row[0], row[1] if is_ascending else -row[1]))  # levels in any order
    columns, scores = counted(rows, kind, narrow.replace("float", "int"))
    with way("numpy"):
        code = score_code(scores, ascending=is_ascending)
        known = TieGroups.from_keys([code], **columns)
    with way(name):
        found = TieGroups.from_counts(scores, is_ascending=is_ascending, depth=depth, **columns)
    assert (found is None) == (name == "numpy")
    if found is not None:
        in_every_way_of([known.top(depth), found])


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([(1, 0, 0, 1), (0, 0, 0, 1)], "int64"),  # queries do not ascend
        ([(0, 0, 0, 1), (0, 1, 0, 1)], "int8"),  # a better score comes later
        ([(0, 0, 0, 1), (0, 1, 0, 1)], "float64"),
        ([(0, 0, 0, 1)], "float32"),
    ],
)
def test_counted_rows_that_stand_in_no_order_are_left_to_be_sorted(
    name: str, rows: list[tuple[int, int, int, int]], kind: str
) -> None:
    columns, scores = counted(rows, kind, "int64")
    with way(name):
        assert TieGroups.from_counts(scores, is_ascending=False, depth=None, **columns) is None


@pytest.mark.parametrize("name", WAYS)
def test_counted_rows_of_unusual_kinds_are_left_to_be_sorted(name: str) -> None:
    columns, scores = counted([(0, 2, 0, 1), (0, 1, 0, 1)], "float64", "int64")
    with way(name):
        for other in (
            {"level": columns["level"].astype(np.int64)},
            {"query": columns["query"].astype(np.uint32)},
            {"count": columns["count"].astype(np.float64)},
        ):
            assert TieGroups.from_counts(scores, is_ascending=False, depth=None, **columns | other) is None
        unscored = np.array([1.0, np.nan])
        assert TieGroups.from_counts(unscored, is_ascending=False, depth=None, **columns) is None


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("n_levels", [60, 70])
def test_levels_are_put_in_order_or_left_to_be_sorted(name: str, n_levels: int) -> None:
    query, level = np.zeros(n_levels, dtype=np.int8), np.arange(n_levels, dtype=np.uint8)[::-1].copy()
    columns: dict[str, Any] = {"query": query, "level": level, "count": level + np.int64(1)}
    others: dict[str, Any] = {"grades": np.arange(n_levels), "n_queries": 1, "ideal": None}
    with way(name):
        found = TieGroups.from_counts(query, is_ascending=False, depth=None, **columns, **others)
    assert (found is None) == (name == "numpy" or n_levels > 64)
    if found is not None:
        assert found.cell_level.tolist() == list(range(n_levels))
        assert found.cell_count.tolist() == list(range(1, n_levels + 1))


@pytest.mark.parametrize("name", WAYS)
@given(rows=COUNTED, depth=st.sampled_from([None, 1, 3, 8]))
@example(rows=[], depth=None)
def test_groups_are_refined_and_added_up_alike(
    name: str, rows: list[tuple[int, int, int, int]], depth: int | None
) -> None:
    columns, scores = counted(rows, "int64", "int64")
    value = np.array([0.0, 0.5, -1.0, 3.0])
    found = []
    for each in ("numpy", name):
        with way(each), pytest.MonkeyPatch.context() as patch:
            patch.setattr(groups_module, "_FEW_CELLS", -1)
            groups = TieGroups.from_keys([score_code(scores)], **columns)
            part = groups.mixed_part()
            found.append(
                [
                    (groups.worst(depth).top(depth), groups.best(depth).top(depth), groups.worst(), groups.best()),
                    (part.worst(depth).top(depth), part.best(depth).top(depth)),
                    (groups.total(value), groups.squares(value), part.best().sum_above(np.arange(4))),
                ]
            )
    for known, other in zip(*found, strict=True):
        for left, right in zip(known, other, strict=True):
            if isinstance(left, TieGroups):
                assert same(right, left)
                assert right.toward == left.toward
                assert np.array_equal(right.first_of_query(), left.first_of_query())
            else:
                np.testing.assert_allclose(right, left, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", WAYS)
@given(rows=COUNTED, narrow=st.sampled_from(["int8", "int16", "int32"]))
def test_documents_of_each_level_are_added_up(name: str, rows: list[tuple[int, int, int, int]], narrow: str) -> None:
    columns, _ = counted(rows, "int64", narrow)
    known = np.zeros((4, 4), dtype=np.int64)
    for query, _, level, n in rows:
        known[query, level] += n
    arrays = columns["query"] + np.int32(7), columns["level"], columns["count"]
    with way(name):
        found = of_levels(*arrays, first_query=7, n_queries=4, n_levels=4)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, known)


@pytest.mark.parametrize("name", ["stand-in", WAYS[-1]])
@pytest.mark.parametrize("shape", [{"n_queries": 1, "n_levels": 2}, {"n_queries": 2, "n_levels": 1}])
def test_documents_outside_of_the_table_are_added_up_nowhere(name: str, shape: dict[str, int]) -> None:
    query, level, count = np.array([0, 1], np.int32), np.array([0, 1], np.uint8), np.array([1, 1])
    with way(name):
        assert library.add_up(query, level, count, first_query=0, **shape) is None
        assert library.add_up(query, level, count, first_query=1, n_queries=9, n_levels=9) is None


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
    groups = library.Groups(nothing, nothing, nothing, nothing, nothing, nothing)
    assert library.cut_counts(nothing, nothing, nothing, nothing, is_ascending=False, depth=1) is None
    assert library.add_up(nothing, nothing, nothing, first_query=0, n_queries=1, n_levels=1) is None
    assert library.cells_apart(groups, is_reversed=False, depth=1) is None
    assert library.totals(groups, nothing) is None
    assert library.squares(groups, nothing, nothing) is None

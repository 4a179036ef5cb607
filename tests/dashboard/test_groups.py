"""Tie groups that are kept in little room are the same when they are made anew."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiecore.measures import measure
from tiecore.ties.groups import UNJUDGED, TieGroups
from tiecore_dashboard.compute import groups as module
from tiecore_dashboard.compute.groups import depth_of, pack, unpack

GRADES = np.array([UNJUDGED, 0, 1, 2])
N_QUERIES = 4
WHOLE = (0, N_QUERIES)


def groups_of(documents: list[tuple[int, int, int]], count: np.ndarray | None = None) -> TieGroups:
    """Make groups of (query, level, score)."""
    query, level, score = np.array(documents, dtype=np.int64).reshape(-1, 3).T
    ideal = TieGroups.from_grades(query=query, level=level, grades=GRADES, n_queries=N_QUERIES)
    return TieGroups.from_keys(
        [score], query=query, level=level, grades=GRADES, n_queries=N_QUERIES, ideal=ideal, count=count
    )


def assert_same(one: TieGroups, other: TieGroups) -> None:
    for name in [field.name for field in fields(TieGroups) if not field.name.startswith("_")]:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@given(st.lists(st.tuples(st.integers(0, N_QUERIES - 1), st.integers(0, 3), st.integers(0, 3)), max_size=40))
def test_groups_are_the_same_when_they_are_made_anew(documents: list[tuple[int, int, int]]) -> None:
    groups = groups_of(documents)
    (packed,) = pack(groups, WHOLE)
    found = unpack([packed], ideal=groups.ideal)
    assert_same(groups, found)
    assert_same(groups.best(), found.best())
    assert_same(groups.worst(), found.worst())


@given(
    documents=st.lists(st.tuples(st.integers(0, N_QUERIES - 1), st.integers(0, 3), st.integers(0, 3)), max_size=40),
    cut=st.integers(0, N_QUERIES),
)
def test_features_that_are_packed_together_can_be_taken_apart_and_put_together(
    documents: list[tuple[int, int, int]], cut: int
) -> None:
    groups = groups_of(documents)
    packed = pack(groups, (0, cut, N_QUERIES))
    assert_same(groups, unpack(packed, ideal=groups.ideal))
    with_one = [document for document in documents if document[0] < cut]
    assert_same(replace(groups_of(with_one), n_queries=cut), unpack(packed[:1], ideal=None))


@given(
    documents=st.lists(st.tuples(st.integers(0, N_QUERIES - 1), st.integers(0, 3), st.integers(0, 3)), max_size=40),
    keys=st.lists(st.integers(0, 3), min_size=40, max_size=40),
    depth=st.sampled_from([None, 1, 3]),
)
def test_what_a_tie_break_makes_of_groups_is_the_same_when_it_is_made_anew(
    documents: list[tuple[int, int, int]], keys: list[int], depth: int | None
) -> None:
    groups = groups_of(documents)
    mixed = groups.mixed_part()
    level = np.repeat(mixed.cell_level, mixed.cell_count)
    refined = mixed.broken(np.array(keys[: len(level)], dtype=np.int64), level).top(depth)
    some = mixed.top(depth)
    packed = pack(some.division_by(refined), (0, len(some.size)))
    assert_same(refined, some.divided(unpack(packed, ideal=None)))


def test_a_measure_that_looks_down_whole_lists_gets_them() -> None:
    short = [measure(name) for name in ("nDCG@10", "AP@20", "RR@5", "P@1")]
    assert depth_of(short) == module.HEAD
    for name in ("nDCG@21", "AP", "Rprec", "ERR@10", "nDCG(judged_only=True)@10"):
        assert depth_of([*short, measure(name)]) is None


@pytest.mark.parametrize("number", [1, 300, 70_000])
def test_cells_of_many_documents_are_the_same_when_they_are_made_anew(number: int) -> None:
    groups = groups_of([(0, 1, 0), (0, 1, 1), (2, 0, 0), (2, 3, 0)], count=np.array([number, 1, 2, number]))
    assert_same(groups, unpack(pack(groups, WHOLE), ideal=groups.ideal))


def test_a_list_without_ties_takes_a_byte_a_document() -> None:
    (packed,) = pack(groups_of([(0, place % 3, place) for place in range(1000)]), WHOLE)
    assert packed.nbytes < 1100

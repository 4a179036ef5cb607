"""Laws of tie groups themselves."""

from __future__ import annotations

import sys
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiecore.measures import measure
from tiecore.threads import in_threads
from tiecore.ties import groups as groups_module
from tiecore.ties.groups import UNJUDGED, TieGroups

GRADES = np.array([UNJUDGED, 0, 1, 3])
TABLE = ("query", "above", "size", "first_cell", "cell_level", "cell_count")


def table(rows: list[tuple[int, int, int]], n_queries: int = 4) -> TieGroups:
    """Make groups of (query, score, level)."""
    query, score, level = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    judged = level > 0
    ideal = TieGroups.from_grades(query=query[judged], level=level[judged], grades=GRADES, n_queries=n_queries)
    keys = [np.max(score, initial=0) - score]
    return TieGroups.from_keys(keys, query=query, level=level, grades=GRADES, n_queries=n_queries, ideal=ideal)


def same(found: TieGroups, known: TieGroups) -> bool:
    return all(np.array_equal(getattr(found, name), getattr(known, name)) for name in TABLE)


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)), max_size=20)


@given(ROWS)
def test_groups_count_every_document_once(rows: list[tuple[int, int, int]]) -> None:
    groups = table(rows)
    assert groups.size.sum() == len(rows)
    for query in range(4):
        of_query = np.flatnonzero(groups.query == query)
        scores = sorted((score for q, score, _ in rows if q == query), reverse=True)
        sizes = [scores.count(score) for score in dict.fromkeys(scores)]
        assert groups.size[of_query].tolist() == sizes
        assert groups.above[of_query].tolist() == [sum(sizes[:i]) for i in range(len(sizes))]


@given(ROWS)
def test_refining_by_grade_is_final_and_keeps_the_counts(rows: list[tuple[int, int, int]]) -> None:
    groups = table(rows)
    for refined in (groups.worst(), groups.best()):
        assert len(refined.mixed()) == 0
        assert same(refined.worst(), refined)
        assert same(refined.best(), refined)
        counted = [np.bincount(part.cell_level, part.cell_count, minlength=4).tolist() for part in (groups, refined)]
        assert counted[0] == counted[1]


@given(ROWS)
def test_hits_of_a_part_have_above_them_what_the_whole_has(rows: list[tuple[int, int, int]]) -> None:
    groups = table(rows)
    counts = np.arange(len(groups.grades)) > 0
    for part in (groups, *groups.split(counts), groups.refined_part(groups.best())):
        np.testing.assert_array_equal(part.hits_above(1), part.relevant_above(1)[part.hits(1)])


@given(ROWS, st.randoms(use_true_random=False), st.booleans())
def test_a_key_that_numbers_documents_refines_as_one_that_must_be_sorted(
    rows: list[tuple[int, int, int]], random: Random, is_distinct: bool
) -> None:
    _, mixed = table(rows).split(np.ones(len(GRADES), dtype=bool))
    numbers: list[int] = []
    levels: list[int] = []
    for group, size in enumerate(mixed.size.tolist()):
        cells = slice(mixed.first_cell[group], [*mixed.first_cell[1:], len(mixed.cell_level)][group])
        own = list(range(7 * group, 7 * group + size))
        if not is_distinct and size > 2:
            own[1] = own[-1]  # as wide as it was, but with a gap
        numbers += random.sample(own, size)
        levels += np.repeat(mixed.cell_level[cells], mixed.cell_count[cells]).tolist()
    key, level = np.array(numbers, dtype=np.int64), np.array(levels, dtype=np.int64)
    assert same(mixed.broken(key, level), mixed.broken(2 * key, level))


@given(ROWS, st.lists(st.integers(0, 3), min_size=20, max_size=20))
def test_a_refinement_follows_from_what_divides_each_group(rows: list[tuple[int, int, int]], keys: list[int]) -> None:
    mixed = table(rows).mixed_part()
    level = np.repeat(mixed.cell_level, mixed.cell_count)
    refined = mixed.broken(np.array(keys[: len(level)], dtype=np.int64), level)
    division = mixed.division_by(refined)
    assert same(mixed.divided(division), refined)
    assert np.bincount(division.query, division.size, len(mixed.size)).tolist() == mixed.size.tolist()


@given(ROWS, st.lists(st.integers(1, 9), min_size=1, max_size=9))
def test_the_top_of_a_list_does_not_depend_on_what_was_cut_before(
    rows: list[tuple[int, int, int]], cutoffs: list[int]
) -> None:
    groups = table(rows)
    for cutoff in cutoffs:
        top = groups.top(cutoff)
        assert same(top, table(rows).top(cutoff))
        kept = [i for i in range(len(groups.size)) if groups.above[i] < cutoff]
        assert top.size.tolist() == groups.size[kept].tolist()


@given(ROWS, ROWS)
def test_what_is_not_listed_follows_as_one_group(
    listed: list[tuple[int, int, int]], missed: list[tuple[int, int, int]]
) -> None:
    judged = [(query, grade) for query, _, grade in [*listed, *missed] if grade > 0]
    query, level = np.array(judged, dtype=np.int64).reshape(-1, 2).T
    ideal = TieGroups.from_grades(query=query, level=level, grades=GRADES, n_queries=4)
    own = table(listed)
    groups = replace(own, _ideal=ideal)
    everything = groups.with_unretrieved()
    for q in range(4):
        extra = sum(query == q and level > 0 for query, _, level in missed)
        sizes = groups.size[groups.query == q].tolist()
        assert everything.size[everything.query == q].tolist() == sizes + [extra] * (extra > 0)


def test_arrays_handed_out_cannot_be_changed() -> None:
    groups = table([(0, 1, 1), (0, 1, 2), (1, 0, 0)])
    arrays = [getattr(groups, name) for name in TABLE]
    for array in (*arrays, groups.relevant(1), groups.mixed(), groups.best().size):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


@pytest.mark.untraced
def test_many_cut_offs_agree_with_one_at_a_time() -> None:
    rng = np.random.default_rng(0)
    rows = [(int(q), int(s), int(g)) for q, s, g in zip(*rng.integers(0, 4, (3, 300)), strict=True)]
    together = table(rows)
    for k in [*range(100, 0, -1), 3, 50]:
        for name in (f"P@{k}", f"nDCG@{k}", f"RR@{k}", f"AP@{k}", f"ERR@{k}"):
            alone = measure(name).expected(table(rows))
            np.testing.assert_array_equal(measure(name).expected(together), alone)


@pytest.mark.untraced
def test_threads_may_cut_one_table_at_the_same_time() -> None:
    groups = TieGroups.from_keys(
        [np.arange(400)],
        query=np.zeros(400, dtype=np.int64),
        level=np.arange(400) % 3,
        grades=np.array([UNJUDGED, 0, 1]),
        n_queries=1,
    )
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        sizes = in_threads(lambda k: len(groups.top(1 + k * 7 % 60).size), range(6000), workers=6)
    finally:
        sys.setswitchinterval(interval)
    assert sizes == [1 + k * 7 % 60 for k in range(6000)]


@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 5))))
def test_ideal_rankings_are_the_same_whether_documents_are_counted_or_sorted(rows: list[tuple[int, int, int]]) -> None:
    query, level, count = np.array(sorted(rows), dtype=np.int64).reshape(-1, 3).T
    for own_count in (None, count):
        counted, by_sorting = (_ideal(query, level, own_count, few_slots=slots) for slots in (1 << 10, 0))
        for name in TABLE:
            assert np.array_equal(getattr(counted, name), getattr(by_sorting, name)), name
        assert np.array_equal(counted.mixed(), by_sorting.mixed())


def _ideal(query: np.ndarray, level: np.ndarray, count: np.ndarray | None, *, few_slots: int) -> TieGroups:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups_module, "_FEW_SLOTS", few_slots)
        return TieGroups.from_grades(query=query, level=level, grades=GRADES, n_queries=4, count=count)

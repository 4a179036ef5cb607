"""Laws of tie groups themselves."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiecore.measures import measure
from tiecore.threads import in_threads
from tiecore.ties.groups import UNJUDGED, TieGroups

GRADES = np.array([UNJUDGED, 0, 1, 3])
Rows = list[tuple[int, int, int]]
"""Query, score and level of each document."""
TABLE = ("query", "above", "size", "first_cell", "cell_level", "cell_count")


def table(rows: Rows, n_queries: int = 4) -> TieGroups:
    query, score, level = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    judged = level > 0
    ideal = TieGroups.from_grades(query=query[judged], level=level[judged], grades=GRADES, n_queries=n_queries)
    keys = [np.max(score, initial=0) - score]
    how = {"query": query, "level": level, "grades": GRADES}
    return TieGroups.from_keys(keys, **how, n_queries=n_queries, ideal=ideal)


def same(found: TieGroups, known: TieGroups) -> bool:
    return all(np.array_equal(getattr(found, name), getattr(known, name)) for name in TABLE)


ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 3)), max_size=20)


@given(ROWS)
def test_groups_count_every_document_once(rows: Rows) -> None:
    groups = table(rows)
    assert groups.size.sum() == len(rows)
    for query in range(4):
        of_query = np.flatnonzero(groups.query == query)
        scores = sorted((score for q, score, _ in rows if q == query), reverse=True)
        sizes = [scores.count(score) for score in dict.fromkeys(scores)]
        assert groups.size[of_query].tolist() == sizes
        assert groups.above[of_query].tolist() == [sum(sizes[:i]) for i in range(len(sizes))]


def n_of_levels(groups: TieGroups) -> list[int]:
    return np.bincount(groups.cell_level, groups.cell_count, minlength=len(GRADES)).tolist()


@given(ROWS)
def test_refining_by_grade_is_final_and_keeps_the_counts(rows: Rows) -> None:
    groups = table(rows)
    for refined in (groups.case("worst"), groups.case("best")):
        assert len(refined.mixed) == 0
        assert same(refined.case("worst"), refined)
        assert same(refined.case("best"), refined)
        assert n_of_levels(groups) == n_of_levels(refined)


@given(ROWS, st.lists(st.integers(0, 2), min_size=20, max_size=20), st.booleans())
def test_refining_tied_groups_comes_to_the_same_as_sorting_all(rows: Rows, keys: list[int], has_counts: bool) -> None:
    query, score, level = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    key, count = np.array(keys[: len(rows)], dtype=np.int64), np.arange(1, len(rows) + 1) if has_counts else None
    best_first = np.max(score, initial=0) - score
    how = {"query": query, "level": level, "grades": GRADES, "n_queries": 4, "count": count}
    groups = TieGroups.from_keys([best_first], **how)  # type: ignore[arg-type]  # of its keywords
    whole = TieGroups.from_keys([best_first, key], **how)  # type: ignore[arg-type]
    own = np.ones(len(rows), dtype=np.int64) if count is None else count
    end = np.searchsorted(np.cumsum(own[groups.order]), np.cumsum(groups.size)) + 1
    group = np.repeat(np.arange(len(end)), np.diff(end, prepend=0))
    place = np.flatnonzero(np.isin(group, groups.mixed))
    ordered = {"query": query[groups.order], "level": level[groups.order]}
    ordered["count"] = None if count is None else count[groups.order]
    refined = groups.refined(place, group[place], key[groups.order[place]], **ordered)
    assert n_of_levels(refined) == n_of_levels(whole)
    for name in ("P@2", "AP", "RR", "nDCG@3", "ERR@4", "Bpref", "Accuracy", "Compat", "IPrec@0.5"):
        used = measure(name)
        np.testing.assert_allclose(used.expected(refined), used.expected(whole), rtol=0, atol=1e-12, err_msg=name)
        if used.has_variance:
            np.testing.assert_allclose(used.variance(refined), used.variance(whole), rtol=0, atol=1e-12, err_msg=name)


@given(ROWS, st.lists(st.integers(1, 9), min_size=1, max_size=9))
def test_the_top_of_a_list_does_not_depend_on_what_was_cut_before(rows: Rows, cutoffs: list[int]) -> None:
    groups = table(rows)
    for cutoff in cutoffs:
        top = groups.top(cutoff)
        assert same(top, table(rows).top(cutoff))
        kept = [i for i in range(len(groups.size)) if groups.above[i] < cutoff]
        assert top.size.tolist() == groups.size[kept].tolist()


@given(ROWS, ROWS)
def test_what_is_not_listed_follows_as_one_group(listed: Rows, missed: Rows) -> None:
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
    for array in (*arrays, groups.relevant(1), groups.mixed, groups.case("best").size):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_threads_may_cut_one_table_at_the_same_time() -> None:
    groups = table([(0, number, number % 3) for number in range(400)])
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        sizes = in_threads(lambda k: len(groups.top(1 + k * 7 % 60).size), range(6000), workers=6)
    finally:
        sys.setswitchinterval(interval)
    assert sizes == [1 + k * 7 % 60 for k in range(6000)]

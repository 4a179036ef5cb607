"""Laws of random tie-breaks of a whole table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ties.test_groups import GRADES, ROWS, TABLE, same, table
from tiecore.evaluation.draws import drawn_values
from tiecore.measures import FAMILIES, Measure, measure
from tiecore.ties import shuffles as shuffles_module
from tiecore.ties.groups import TieGroups
from tiecore.ties.shuffles import repeated, shuffles

MEASURES = [
    measure(f"{name}{family.usual}{'' if family.cutoff_rule == 'none' else '@3'}") for name, family in FAMILIES.items()
]


def one_by_one(groups: TieGroups, draws: int, seed: int) -> list[TieGroups]:
    """Shuffle with one draw at a time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shuffles_module, "_AT_ONCE", 1)
        return list(shuffles(groups, draws, np.random.default_rng(seed)))


@given(ROWS, st.integers(0, 5))
def test_a_shuffle_is_a_ranking_of_the_same_groups(rows: list[tuple[int, int, int]], seed: int) -> None:
    groups = table(rows)
    for shuffled in one_by_one(groups, 3, seed):
        assert len(shuffled.mixed()) == 0
        for position in range(len(groups.size)):
            inside = (
                (shuffled.query == groups.query[position])
                & (shuffled.above >= groups.above[position])
                & (shuffled.above < groups.above[position] + groups.size[position])
            )
            cells = np.flatnonzero(groups.group_of_cell() == position)
            found = np.bincount(shuffled.cell_level[inside], shuffled.cell_count[inside], minlength=4)
            known = np.bincount(groups.cell_level[cells], groups.cell_count[cells], minlength=4)
            assert found.tolist() == known.tolist()


@given(ROWS, st.integers(1, 7), st.integers(1, 9))
def test_how_many_are_drawn_at_once_changes_nothing(rows: list[tuple[int, int, int]], draws: int, at_once: int) -> None:
    groups = table(rows)
    known = one_by_one(groups, draws, 3)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(shuffles_module, "_AT_ONCE", at_once * max(1, len(rows)))
        found = list(shuffles(groups, draws, np.random.default_rng(3)))
    assert sum(some.n_queries for some in found) == draws * groups.n_queries
    for name in ("above", "size", "cell_level", "cell_count"):
        together = [np.concatenate([getattr(some, name) for some in drawn]).tolist() for drawn in (found, known)]
        assert together[0] == together[1]


@pytest.mark.untraced
@pytest.mark.parametrize("wanted", MEASURES, ids=str)
def test_values_drawn_together_are_those_of_each_shuffle(wanted: Measure) -> None:
    rng = np.random.default_rng(1)
    groups = table([tuple(row) for row in rng.integers(0, (4, 2, 4), (60, 3)).tolist()])
    known = [wanted.expected(some) for some in one_by_one(groups.top(wanted.cutoff), 50, 7)]
    found = list(drawn_values(wanted, groups, draws=50, rng=np.random.default_rng(7)))
    np.testing.assert_allclose(found, known, rtol=0, atol=1e-12)
    assert (np.ptp(found, axis=0).max() > 0) != wanted.name.startswith(("Set", "Num")), "some order matters"


@given(ROWS, st.integers(1, 4))
def test_copies_of_the_queries_are_those_of_a_longer_table(rows: list[tuple[int, int, int]], times: int) -> None:
    more = [(query + 4 * copy, score, level) for copy in range(times) for query, score, level in rows]
    found, known = repeated(table(rows), times), table(more, n_queries=4 * times)
    assert found.n_queries == known.n_queries
    assert same(found, known)
    assert same(found.ideal, known.ideal)
    assert found.grades is GRADES
    assert not any(getattr(found, name).flags.writeable for name in TABLE)


def test_what_was_drawn_cannot_be_changed() -> None:
    (shuffled,) = shuffles(table([(0, 1, 1), (0, 1, 2)]), 1, np.random.default_rng(0))
    assert not any(getattr(shuffled, name).flags.writeable for name in TABLE)


def test_without_mixed_groups_every_draw_is_the_same() -> None:
    groups = table([(0, 1, 1), (0, 0, 2), (1, 0, 3), (1, 0, 3)])
    found = list(drawn_values(measure("AP"), groups, draws=9, rng=np.random.default_rng(0)))
    assert np.ptp(found, axis=0).max() == 0


def test_nothing_is_drawn_where_nothing_is_asked_for() -> None:
    assert not list(shuffles(table([(0, 1, 1)]), 0, np.random.default_rng(0)))

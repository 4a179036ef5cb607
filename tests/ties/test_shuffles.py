"""Copies of tie groups behind each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.ties.test_groups import GRADES, ROWS, TABLE, same, table
from tiecore.ties.shuffles import repeated


@given(ROWS, st.integers(1, 4))
def test_copies_of_the_queries_are_those_of_a_longer_table(rows: list[tuple[int, int, int]], times: int) -> None:
    more = [(query + 4 * copy, score, level) for copy in range(times) for query, score, level in rows]
    found, known = repeated(table(rows), times), table(more, n_queries=4 * times)
    assert found.n_queries == known.n_queries
    assert same(found, known)
    assert same(found.ideal, known.ideal)
    assert found.grades is GRADES
    assert not any(getattr(found, name).flags.writeable for name in TABLE)

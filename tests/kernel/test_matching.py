"""Rows of several files are matched alike by compiled code and by dictionaries of Arrow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.ways import alike, records
from tiecore.collection import align as join_module
from tiecore.collection.align import join
from tiecore.errors import TiecoreError
from tiecore.formats.records import Records

AWKWARD = ["", "a", "a\0", "a\0\0", "ä", "日本", "1234567", "12345678", "123456789", "x" * 16, "x" * 17, "y" * 80]
ID = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PAIRS = st.lists(st.tuples(st.sampled_from("123"), ID), min_size=1, max_size=12)


def found(judged: Records, others: list[Records]) -> object:
    """Return all that matching comes to, or why it is refused."""
    with pytest.MonkeyPatch.context() as patch:
        # of several files at fault, threads refuse the one that they come to first
        patch.setattr(join_module, "in_threads", lambda work, items, **_: [work(item) for item in items])
        try:
            pool, matches = join(judged, others)
        except TiecoreError as error:
            return str(error)
    return (
        pool.query_ids.to_pylist(),
        pool.document_ids.to_pylist(),
        pool.query.tolist(),
        [(None if one.row is None else one.row.tolist(), one.document.tolist()) for one in matches],
        [(one.unknown_queries, one.unknown_rows) for one in matches],
    )


@given(PAIRS, st.lists(st.tuples(PAIRS, st.booleans()), max_size=4), st.booleans(), st.booleans())
def test_any_files_are_matched_or_refused_alike(
    judged: list[tuple[str, str]], others: list[tuple[list[tuple[str, str]], bool]], repeated: bool, large: bool
) -> None:
    if not repeated:
        judged, others = list(dict.fromkeys(judged)), [(list(dict.fromkeys(rows)), wide) for rows, wide in others]
    known = records(judged, source="q", large=large, grades=np.arange(len(judged)))
    files = [records(rows, source=str(place), large=wide) for place, (rows, wide) in enumerate(others)]
    alike(lambda: found(known, files))


@pytest.mark.parametrize("block", [1, 50, 1 << 17])
def test_many_rows_in_blocks_of_any_size_are_matched_alike(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join_module, "_BLOCK", block)
    rng = np.random.default_rng(block)

    def rows(n_queries: int, n_documents: int) -> list[tuple[str, str]]:
        pairs = [(str(query), f"doc-{number:09d}") for query in range(n_queries) for number in range(n_documents)]
        return [pairs[place] for place in rng.permutation(len(pairs))[: len(pairs) // 2]]

    judged = records(rows(20, 40), source="q", grades=np.zeros(400, dtype=np.int64))
    # more documents of a query than a table has room for at first
    others = [records(rows(25, 60), source="a"), records(rows(3, 4000), source="b"), records(rows(1, 9), source="c")]
    assert isinstance(alike(lambda: found(judged, others)), tuple)

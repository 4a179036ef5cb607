"""Rows of several files are matched alike by compiled code, its stand-in, and hashes in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel import ways
from tests.kernel.ways import WAYS, way
from tiecore.collection import join as join_module
from tiecore.collection.ids import Ids
from tiecore.collection.join import join
from tiecore.errors import TiecoreError
from tiecore.formats.records import Records

AWKWARD = ["", "a", "a\0", "a\0\0", "ä", "日本", "1234567", "12345678", "123456789", "x" * 16, "x" * 17, "y" * 80]
ID = st.sampled_from(AWKWARD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PAIRS = st.lists(st.tuples(st.sampled_from("123"), ID), min_size=1, max_size=12)


def records(rows: list[tuple[str, str]], *, source: str, large: bool = False, **columns: Any) -> Records:
    """Return rows as a reader would, and behind others in the same buffers, as slices of a table are."""
    text = pa.large_string() if large else pa.string()
    return Records(
        source=source,
        kind="run",
        query=pa.array(["head", *(query for query, _ in rows)], pa.string()).dictionary_encode()[1:],
        document=pa.array(["head", *(document for _, document in rows)], text)[1:],
        **columns,
    )


def found(judged: Records, others: list[Records]) -> object:
    """Return all that matching comes to, or why it is refused."""
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


def alike(judged: Records, others: list[Records]) -> object:
    """Return what each way finds, which is the same."""
    every = []
    for name in ["numpy", "stand-in", *["library"] * ways.HAS_LIBRARY]:
        with way(name), pytest.MonkeyPatch.context() as patch:
            # of several files at fault, threads refuse the one that they come to first
            patch.setattr(join_module, "in_threads", lambda work, items, **_: [work(item) for item in items])
            every.append(found(judged, others))
    assert all(one == every[0] for one in every[1:])
    return every[0]


@given(PAIRS, st.lists(st.tuples(PAIRS, st.booleans()), max_size=4), st.booleans(), st.booleans())
def test_any_files_are_matched_or_refused_alike(
    judged: list[tuple[str, str]],
    others: list[tuple[list[tuple[str, str]], bool]],
    repeated: bool,
    large: bool,
) -> None:
    if not repeated:
        judged, others = list(dict.fromkeys(judged)), [(list(dict.fromkeys(rows)), wide) for rows, wide in others]
    alike(
        records(judged, source="q", large=large, grades=np.arange(len(judged))),
        [records(rows, source=str(place), large=wide) for place, (rows, wide) in enumerate(others)],
    )


@pytest.mark.untraced
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
    assert isinstance(alike(judged, others), tuple)


@pytest.mark.parametrize("name", WAYS)
def test_a_file_that_is_given_twice_is_matched_once(name: str) -> None:
    judged = records([("1", "a"), ("1", "b")], source="q", grades=np.arange(2))
    run = records([("1", "b"), ("1", "c")], source="r")
    with way(name):
        pool, matches = join(judged, [run, run, judged])
    assert pool.document_ids.to_pylist() == ["a", "b", "c"]
    assert [match.document.tolist() for match in matches] == [[1, 2], [1, 2], [0, 1]]


def ordered(texts: list[str], group: np.ndarray, rows: np.ndarray | slice, *, large: bool) -> list[list[int]]:
    """Return the order that each way finds."""
    ids = Ids(pa.array(["head", *texts], pa.large_string() if large else pa.string())[1:])
    every = []
    for name in ["numpy", "stand-in", *["library"] * ways.HAS_LIBRARY]:
        with way(name):
            every.append(np.lexsort((ids.ranks(group, rows), group)).tolist())
    return every


@given(st.lists(ID, min_size=1, max_size=60), st.data(), st.booleans())
def test_ids_are_ordered_by_group_and_bytes_alike(texts: list[str], data: st.DataObject, large: bool) -> None:
    group = np.sort(data.draw(st.lists(st.integers(0, 4), min_size=len(texts), max_size=len(texts))))
    row = np.array(data.draw(st.permutations(range(len(texts)))))
    for rows in (row, slice(0, len(texts))):
        chosen = [texts[place] for place in row] if rows is row else texts
        expected = sorted(range(len(texts)), key=lambda place: (group[place], chosen[place].encode(), place))
        for order in ordered(texts, group, rows, large=large):
            # which of two equal ids comes first is nobody's concern: inside a query there are none
            assert [(group[place], chosen[place]) for place in order] == [
                (group[place], chosen[place]) for place in expected
            ]
            assert sorted(order) == list(range(len(texts)))


@pytest.mark.parametrize("shape", ["clueweb12-{:04d}tw-{:02d}-{:05d}", "{}/{}/{}", "x" * 70 + "{}{}{}"])
def test_many_ids_that_begin_alike_are_ordered_alike(shape: str) -> None:
    rng = np.random.default_rng(3)
    texts = sorted({shape.format(*row) for row in rng.integers(0, [3, 40, 100_000], size=(3000, 3)).tolist()})
    rng.shuffle(texts)
    group = np.sort(rng.integers(7, 20, size=len(texts)))
    expected = sorted(range(len(texts)), key=lambda row: (group[row], texts[row].encode()))
    assert all(order == expected for order in ordered(texts, group, slice(0, len(texts)), large=False))


def test_no_ids_are_in_order() -> None:
    assert ordered([], np.zeros(0, dtype=np.int64), slice(0, 0), large=False) == [[]] * (2 + ways.HAS_LIBRARY)


def test_long_ids_that_differ_at_their_ends_alone_are_ordered_alike() -> None:
    texts = ["y" * 200 + end for end in "cab"]
    assert all(order == [1, 2, 0] for order in ordered(texts, np.zeros(3, dtype=np.int64), np.arange(3), large=False))


def test_long_ids_that_fill_the_number_before_they_differ_are_ordered_alike() -> None:
    rng = np.random.default_rng(4)
    heads = ["".join(rng.choice(list("abcdefghij0123456789"), 78)) for _ in range(20)]
    texts = [head + end for end in ("b", "a", "") for head in heads]
    expected = sorted(range(len(texts)), key=lambda place: texts[place])
    for order in ordered(texts, np.zeros(len(texts), dtype=np.int64), slice(0, len(texts)), large=False):
        assert order == expected

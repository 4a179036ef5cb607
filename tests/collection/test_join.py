"""Laws of matching: one document is one (query, id), whatever the files, their order and the hashes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiecore.collection import ids as ids_module
from tiecore.collection.ids import Ids
from tiecore.collection.join import _stable_order, join
from tiecore.errors import AlignmentError, FormatError
from tiecore.formats.records import Records
from tiecore.kernel import library

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
AWKWARD = ["", "a", "a\0", "a\0\0", "A", "ä", "Ä", "日本", "1", "01", "1e5", "NA", "x" * 7, "x" * 8, "x" * 9, "y" * 80]


def records(rows: list[tuple[str, str]], *, source: str = "f", large: bool = False, **columns: Any) -> Records:
    text = pa.large_string() if large else pa.string()
    return Records(
        source=source,
        kind=columns.pop("kind", "run"),
        query=pa.array([query for query, _ in rows], pa.string()).dictionary_encode(),
        document=pa.array([document for _, document in rows], text),
        **columns,
    )


def qrels(rows: list[tuple[str, str]], **columns: Any) -> Records:
    return records(rows, source="q", grades=np.arange(len(rows)), **columns)


@given(st.lists(TEXTS | st.sampled_from(AWKWARD), max_size=8), st.integers(0, 3), st.booleans())
def test_ids_are_hashed_and_ordered_by_their_bytes(texts: list[str], skipped: int, large: bool) -> None:
    array = pa.array([*["head"] * skipped, *texts], pa.large_string() if large else pa.string())[skipped:]
    ids = Ids(array)
    assert len(ids) == len(texts)
    hashes = ids.hashed()
    for i, a in enumerate(texts):
        for j, b in enumerate(texts):
            assert (hashes[i] == hashes[j]) == (a == b)
    within = np.arange(len(texts)) % 2
    ordered = [(int(within[row]), texts[row].encode()) for row in ids.order(within, np.arange(len(texts)))]
    assert ordered == sorted(ordered)


@pytest.mark.parametrize("shape", ["clueweb12-{:04d}tw-{:02d}-{:05d}", "https://example.org/{}/{}?page={}", "{}" * 3])
def test_ids_of_all_lengths_are_ordered_by_their_bytes_inside_a_query(shape: str) -> None:
    """Many ids begin alike, so that what fits into one number does not tell all of them apart."""
    rng = np.random.default_rng(5)
    texts = [shape.format(*row) for row in rng.integers(0, [3, 40, 100_000], size=(3000, 3)).tolist()]
    texts += [text + "/" + "x" * 70 for text in texts[:50]] + [text + "\0" for text in texts[:50]]
    within = np.sort(rng.integers(7, 20, size=len(texts)))
    order = Ids(pa.array(texts)).order(within, slice(0, len(texts)))
    assert order.tolist() == sorted(range(len(texts)), key=lambda row: (within[row], texts[row].encode(), row))


@given(st.lists(TEXTS | st.sampled_from(AWKWARD), min_size=1, max_size=5), TEXTS)
def test_a_hash_does_not_depend_on_the_ids_beside_it(texts: list[str], other: str) -> None:
    alone = [int(Ids(pa.array([text])).hashed(5)[0]) for text in texts]
    assert Ids(pa.array([other * 9, *texts])).hashed(5)[1:].tolist() == alone


def test_a_hash_depends_on_its_salt() -> None:
    ids = Ids(pa.array(["a", "b"]))
    assert (ids.hashed(1) != ids.hashed(2)).all()
    np.testing.assert_array_equal(ids.hashed(np.array([1, 1], dtype=np.uint64)), ids.hashed(1))


def test_documents_are_found_by_query_and_id_and_new_ones_join() -> None:
    known = qrels([("1", "a"), ("1", "b"), ("2", "a")])
    first = records([("2", "a"), ("9", "a"), ("1", "new"), ("1", "b")])
    second = records([("1", "new"), ("2", "new"), ("1", "a")], large=True)
    pool, matches = join(known, [first, second, known])
    assert pool.document_ids.to_pylist() == ["a", "b", "a", "new", "new"]
    assert pool.query.tolist() == [0, 0, 1, 0, 1]
    # by query as in the judgments, inside a query as in the file
    assert [match.document.tolist() for match in matches] == [[3, 1, 2], [3, 0, 4], [0, 1, 2]]
    assert [None if match.row is None else match.row.tolist() for match in matches] == [[2, 3, 0], [0, 2, 1], None]
    assert (matches[0].unknown_queries, matches[0].unknown_rows) == (1, 1)


def test_ids_that_share_a_hash_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = ids_module.Ids.hashed
    salts = []

    def colliding(self: Ids, salt: Any = 0, rows: Any = None) -> np.ndarray:
        hashes = honest(self, salt, rows)
        if isinstance(salt, int):
            salts.append(salt)
        # with the first three salts all documents collide: inside a file, with the judgments, with what has joined
        return hashes if salts[-1] >= 3 or isinstance(salt, int) else np.full_like(hashes, 7)

    known, other = qrels([("1", "a")]), records([("1", "b")])
    twice = records([("1", "c"), ("1", "d")])
    expected, alone = join(known, [other, twice]), join(known, [twice])
    monkeypatch.setattr(ids_module.Ids, "hashed", colliding)
    monkeypatch.setattr(library, "number_documents", lambda *_: None)  # compares ids, and needs no hashes
    pool, matches = join(known, [other, twice])
    assert salts[-1] == 3
    assert pool.document_ids.to_pylist() == expected[0].document_ids.to_pylist()
    assert [match.document.tolist() for match in matches] == [[1], [2, 3]]
    assert join(known, [twice])[1][0].document.tolist() == alone[1][0].document.tolist()
    # with one judged document, of the same query or of another
    for judged, added in (([("1", "a")], ("1", "b")), ([("1", "a"), ("2", "b")], ("2", "a"))):
        salts.clear()
        _, (match,) = join(qrels(judged), [records([added])])
        assert salts[-1] == 3
        assert match.document.tolist() == [len(judged)]


@pytest.mark.parametrize(
    ("rows", "columns", "line", "problem"),
    [
        ([("1", "a"), ("1", "b"), ("1", "a")], {}, 3, "document 'a' of query '1' is listed twice, first in line 1"),
        ([("1", "a"), ("8", "x"), ("1", "a")], {}, 3, "listed twice, first in line 1"),
        ([("1", "a"), ("1", "a")], {"lines": np.array([5, 9])}, 9, "first in line 5"),
        ([("1", "a"), ("1", "a")], {"grades": np.array([0, 2])}, 2, "twice with grades 0 and 2"),
        ([("1", "a"), ("1", "a")], {"kind": "memory", "first_line": 0}, None, "first in row 0.*again in row 1"),
    ],
)
def test_a_document_listed_twice_is_refused(
    rows: list[tuple[str, str]], columns: dict[str, Any], line: int | None, problem: str
) -> None:
    with pytest.raises(FormatError, match=problem) as caught:
        join(qrels([("1", "z")]), [records(rows, **columns)])
    assert (caught.value.file, caught.value.line) == ("f", line)


def test_a_document_judged_twice_is_refused() -> None:
    with pytest.raises(FormatError, match="with grades 0 and 1"):
        join(qrels([("1", "a"), ("1", "a")]), [])


def test_no_query_in_common_shows_ids_of_both() -> None:
    with pytest.raises(AlignmentError, match=r"'001', '002', '003', …, the second '1'; look for leading zeros"):
        join(qrels([("1", "a")]), [records([(f"00{n}", "a") for n in range(1, 6)])])


def test_empty_files_are_refused() -> None:
    with pytest.raises(FormatError, match="no judgments"):
        join(qrels([]), [])
    with pytest.raises(FormatError, match="no scores"):
        join(qrels([("1", "a")]), [records([])])


def test_of_a_document_listed_many_times_the_first_two_lines_are_named() -> None:
    rng = np.random.default_rng(11)
    for _ in range(20):
        rows = [("1", f"d{i}") for i in range(300)]
        places = np.sort(rng.choice(300, 5, replace=False)).tolist()
        for place in places:
            rows[place] = ("1", "again")
        with pytest.raises(FormatError, match=f"line {places[1] + 1}: .* first in line {places[0] + 1}:"):
            join(qrels(rows), [])


def test_ids_of_a_dictionary_that_no_row_has_hide_nothing() -> None:
    judged = qrels([("1", "a")])
    ghost = pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), ["1", "2"])
    with pytest.raises(FormatError, match="listed twice"):
        join(replace(judged, query=ghost), [records([("2", "b"), ("2", "b")])])


def test_a_long_id_costs_its_own_block_alone() -> None:
    texts = [f"d{i}" for i in range(70_000)] + ["x" * 5000]
    ids = Ids(pa.array(texts))
    assert ids._n_words_of(slice(0, 1 << 15)) == 1
    assert ids.hashed()[:3].tolist() == Ids(pa.array(texts[:3])).hashed().tolist()


@given(st.lists(st.sampled_from([1, 2, 3, 2**40, 2**40 + 1, 2**64 - 1]), max_size=9))
def test_hashes_that_differ_in_their_low_bits_alone_are_ordered_too(values: list[int]) -> None:
    hashes = np.array(values, dtype=np.uint64)
    assert _stable_order(hashes).tolist() == np.argsort(hashes, kind="stable").tolist()


@pytest.mark.untraced
@given(st.data())
def test_any_number_of_files_in_any_order_of_rows_is_matched_as_dicts_would(data: st.DataObject) -> None:
    pairs = st.tuples(st.sampled_from("123"), st.sampled_from("abcdef"))
    files = data.draw(st.lists(st.lists(pairs, min_size=1, max_size=9, unique=True), min_size=2, max_size=5))
    judged, *others = files
    kept = [[pair for pair in rows if pair[0] in dict(judged)] for rows in others]
    if not all(kept):
        return
    pool, matches = join(qrels(judged), [records(rows, source=str(i)) for i, rows in enumerate(others)])
    named = [(pool.query_ids[query].as_py(), document.as_py()) for query, document in zip(*pool[:0:-1], strict=True)]
    assert named[: len(judged)] == judged
    assert sorted(named) == sorted({*judged, *(pair for rows in kept for pair in rows)})
    for rows, match in zip(others, matches, strict=True):
        row = range(len(rows)) if match.row is None else match.row.tolist()
        assert [named[document] for document in match.document.tolist()] == [rows[i] for i in row]

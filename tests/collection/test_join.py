"""Laws of matching: one document is one (query, id), whatever the files and their order."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiecore
from tests.kernel.ways import EVERY_WAY, WAYS, records, way
from tiecore.collection.align import join
from tiecore.collection.ids import Ids
from tiecore.errors import AlignmentError, FormatError
from tiecore.formats.records import Records

AWKWARD = ["", "a", "a\0", "a\0\0", "A", "ä", "Ä", "日本", "1", "01", "1e5", "NA", "x" * 7, "x" * 8, "x" * 9, "y" * 80]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(AWKWARD)

HEAD = b"1 z Q0 3 9 t\n1 y Q0 4 8 t\n1"
GOLDEN = ["d809a1f044d0922b", "91b334eca6b5308c", "d0ccf8d9d9f4f97f"]
GOLDEN += ["c1c5ade9f78fbe4e", "c3fe7cea33bcbf0f", "91e95d28e07748f9"]


def qrels(rows: list[tuple[str, str]], **columns: Any) -> Records:
    return records(rows, source="q", grades=np.arange(len(rows)), **columns)


@given(st.lists(TEXTS, max_size=8), st.integers(0, 3), st.booleans())
def test_ids_have_one_hash_if_and_only_if_their_bytes_are_equal(texts: list[str], skipped: int, large: bool) -> None:
    ids = Ids(pa.array([*["head"] * skipped, *texts], pa.large_string() if large else pa.string())[skipped:])
    assert len(ids) == len(texts)
    hashes = ids.hashed()
    assert [[a == b for a in hashes] for b in hashes] == [[a == b for a in texts] for b in texts]
    assert hashes.tolist() == [int(Ids(pa.array([text])).hashed()[0]) for text in texts]  # whatever stands beside them


def test_hashes_stay_what_they_are_since_random_tie_breaks_follow_them_whatever_stands_beside() -> None:
    ids = Ids(pa.array(["", "a", "a\0", "日本", "clueweb12-0073wb-00-78087", "y" * 80]))
    assert [f"{value:016x}" for value in ids.hashed(5).tolist()] == GOLDEN
    np.testing.assert_array_equal(ids.hashed(np.full(6, 5, dtype=np.uint64)), ids.hashed(5))
    assert (ids.hashed() != ids.hashed(5)).all()
    assert ids.hashed(5, np.array([4, 1])).tolist() == ids.hashed(5)[[4, 1]].tolist()
    assert ids.hashed(5, slice(2, 4)).tolist() == ids.hashed(5)[2:4].tolist()
    texts = [f"d{i}" for i in range(70_000)] + ["x" * 5000]
    hashes = Ids(pa.array(texts)).hashed()
    assert hashes[:3].tolist() == Ids(pa.array(texts[:3])).hashed().tolist()


def assert_ranked(texts: list[str], within: np.ndarray, rows: np.ndarray | slice, *, large: bool = False) -> None:
    """Compare ranks with what Python's own sort of the bytes says; equal ids may stand in any order."""
    ids = Ids(pa.array(["head", *texts], pa.large_string() if large else pa.string())[1:])
    chosen = [text.encode() for text in (texts[rows] if isinstance(rows, slice) else [texts[row] for row in rows])]
    rank = ids.order(within, rows)
    order = np.lexsort((rank, within))
    assert [(within[row], chosen[row]) for row in order] == sorted(zip(within.tolist(), chosen, strict=True))
    assert len(set(rank.tolist())) == len(rank)


@given(st.lists(TEXTS, max_size=60), st.data(), st.booleans())
def test_ids_are_ranked_by_their_bytes_inside_a_query(texts: list[str], data: st.DataObject, large: bool) -> None:
    within = np.sort(np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(texts), max_size=len(texts))), int))
    assert_ranked(texts, within, slice(0, len(texts)), large=large)
    assert_ranked(texts, within, np.array(data.draw(st.permutations(range(len(texts)))), int), large=large)


@pytest.mark.parametrize("shape", ["clueweb12-{:04d}tw-{:02d}-{:05d}", "{}/{}/{}", "{}" * 3, "x" * 70 + "{}{}{}"])
def test_ids_that_begin_alike_are_ranked_by_what_follows(shape: str) -> None:
    """What fits into one number does not tell all of them apart."""
    rng = np.random.default_rng(5)
    texts = [shape.format(*row) for row in rng.integers(0, [3, 40, 100_000], size=(3000, 3)).tolist()]
    texts += [text + "/" + "x" * 70 for text in texts[:50]] + [text + "\0" for text in texts[:50]]
    within = np.sort(rng.integers(7, 20, size=len(texts)))
    assert_ranked(texts, within, slice(0, len(texts)))
    assert_ranked(texts, within[500:], slice(500, len(texts)))


@pytest.mark.parametrize("name", WAYS)
def test_documents_are_found_by_query_and_id_and_new_ones_join(name: str) -> None:
    known = qrels([("1", "a"), ("1", "b"), ("2", "a")])
    first = records([("2", "a"), ("9", "a"), ("1", "new"), ("1", "b")])
    for large in (False, True):
        second = records([("1", "new"), ("2", "new"), ("1", "a")], large=large)
        with way(name):
            pool, matches = join(known, [first, second, known, first])
        assert pool.document_ids.to_pylist() == ["a", "b", "a", "new", "new"]
        assert pool.query_ids.take(pa.array(pool.query)).to_pylist() == ["1", "1", "2", "1", "2"]
        # by query as in the judgments, inside a query as in the file
        assert [match.document.tolist() for match in matches] == [[3, 1, 2], [3, 0, 4], [0, 1, 2], [3, 1, 2]]
        row = [None if match.row is None else match.row.tolist() for match in matches]
        assert row == [[2, 3, 0], [0, 2, 1], None, [2, 3, 0]]
        assert (matches[0].unknown_queries, matches[0].unknown_rows) == (1, 1)


@pytest.mark.parametrize(
    ("rows", "columns", "line", "problem"),
    [
        ([("1", "a"), ("1", "b"), ("1", "a")], {}, 3, "document 'a' of query '1' is listed twice, first in line 1"),
        ([("1", "a"), ("8", "x"), ("1", "a"), ("1", "a")], {}, 3, "line 1: 2 rows repeat one above; keep one"),
        ([("1", "Q0")] * 3, {"kind": "run", "head": HEAD}, 2, "columns .* its documents; expected query Q0 doc"),
        ([("1", "a")] * 3, {"kind": "run"}, 2, "all rows name this document; is another column that of"),
        ([("1", "a"), ("1", "a")], {"lines": np.array([5, 9])}, 9, "first in line 5"),
        ([("1", "a"), ("1", "a")], {"grades": np.array([0, 2])}, 2, "twice with grades 0 and 2"),
        ([("1", "a"), ("1", "a")], {"features": {"f": np.array([0.5, 2])}}, 2, "twice with scores 0.5 and 2.0, first"),
        ([("1", "a"), ("1", "a")], {"kind": "memory", "lines": range(9)}, None, "first in row 0.*again in row 1"),
    ],
)
def test_a_document_listed_twice_is_refused(
    rows: list[tuple[str, str]], columns: dict[str, Any], line: int | None, problem: str
) -> None:
    with pytest.raises(FormatError, match=problem) as caught:
        join(qrels([("1", "z")]), [records(rows, **columns)])
    assert (caught.value.file, caught.value.line) == ("f", line)


def test_of_a_document_listed_many_times_the_first_two_lines_are_named() -> None:
    rng = np.random.default_rng(11)
    for _ in range(20):
        rows = [("1", f"d{i}") for i in range(300)]
        places = np.sort(rng.choice(300, 5, replace=False)).tolist()
        for place in places:
            rows[place] = ("1", "again")
        with pytest.raises(FormatError, match=f"line {places[1] + 1}: .* first in line {places[0] + 1}:"):
            join(qrels(rows), [])


def test_no_query_in_common_shows_ids_of_both() -> None:
    with pytest.raises(AlignmentError, match=r"'001', '002', '003', …, the second '1'; look for leading zeros"):
        tiecore.evaluate({"1": {"a": 1}}, {"run": {f"00{n}": {"a": 1.0} for n in range(1, 6)}})


def test_ids_of_a_dictionary_that_no_row_has_hide_nothing() -> None:
    judged = qrels([("1", "a")])
    ghost = pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), ["1", "2"])
    with pytest.raises(FormatError, match="listed twice"):
        join(replace(judged, query=ghost), [records([("2", "b"), ("2", "b")])])


@given(st.data())
def test_any_number_of_files_in_any_order_of_rows_is_matched_as_dicts_would(data: st.DataObject) -> None:
    pairs = st.tuples(st.sampled_from("123"), st.sampled_from("abcdef"))
    files = data.draw(st.lists(st.lists(pairs, min_size=1, max_size=9, unique=True), min_size=2, max_size=5))
    judged, *others = files
    kept = [[pair for pair in rows if pair[0] in dict(judged)] for rows in others]
    if not all(kept):
        return
    with way(data.draw(st.sampled_from(EVERY_WAY))):
        pool, matches = join(qrels(judged), [records(rows, source=str(i)) for i, rows in enumerate(others)])
    named = [(pool.query_ids[query].as_py(), document.as_py()) for query, document in zip(*pool[:0:-1], strict=True)]
    assert named[: len(judged)] == judged
    assert sorted(named) == sorted({*judged, *(pair for rows in kept for pair in rows)})
    for rows, match in zip(others, matches, strict=True):
        row = range(len(rows)) if match.row is None else match.row.tolist()
        assert [named[document] for document in match.document.tolist()] == [rows[i] for i in row]

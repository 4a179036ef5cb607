"""LETOR and SVMlight files, dense and sparse, with what stands beside them."""

import gzip
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.formats.written import UNTIDY, features, grades, ids, lines
from tiecore.errors import FormatError
from tiecore.formats import letor, read

DENSE = b"""2 qid:1 1:0.5 2:3 3:-1e3 #docid = GX000-00-0000000 inc = 1 prob = 0.02
0 qid:1 1:0.25 2:NULL 3:inf #docid = GX000-00-0000001 inc = 1 prob = 0.02
1.0 qid:x7 1:1 2:0 3:+.5 #docid = GX000-00-0000000 inc = 1 prob = 0.02
"""
SPARSE = b"""# made by hand
-1 qid:001 7:2 2:1  # d1

+2 qid:001\t# d2
0 qid:NA 10:4 2:NULL #d1
"""


def test_dense_lines_give_grades_ids_and_features() -> None:
    records = read(DENSE)
    assert records.kind == "letor"
    assert records.query.type == pa.dictionary(pa.int32(), pa.string())
    first, second = "GX000-00-0000000", "GX000-00-0000001"
    assert ids(records) == [("1", first), ("1", second), ("x7", first)]
    assert grades(records) == [2, 0, 1]
    assert features(records) == {"1": [0.5, 0.25, 1], "2": [3, None, 0], "3": [-1e3, np.inf, 0.5]}
    assert lines(records) == [1, 2, 3]


def test_what_a_sparse_line_leaves_out_is_zero_be_it_all_and_null_is_missing() -> None:
    records = read(SPARSE)
    assert ids(records) == [("001", "d1"), ("001", "d2"), ("NA", "d1")]
    assert grades(records) == [-1, 2, 0]
    assert features(records) == {"2": [1, 0, None], "7": [2, 0, 0], "10": [0, 0, 4]}
    assert lines(records) == [2, 4, 5]
    with pytest.raises(KeyError):
        records.features["3"]
    assert features(read(b"1 qid:1 # d\n0 qid:1 2:0 # e\n")) == {"2": [0, 0]}
    assert not read(b"1 qid:1 # d\n").features


@pytest.mark.parametrize("spoil", [*UNTIDY, lambda data: data.replace(b"\n", b"\n\n#x\n \n")])
@pytest.mark.parametrize("data", [DENSE, SPARSE])
def test_blanks_and_line_ends_change_nothing(spoil: Any, data: bytes) -> None:
    tidy, untidy = read(data), read(spoil(data))
    assert features(untidy) == features(tidy)
    assert ids(untidy) == ids(tidy)


def test_blocks_of_any_size_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = DENSE + SPARSE + DENSE.replace(b"1:", b"4:") + b"3 qid:9 123456:7 # z\n"
    whole = read(data)
    assert features(whole)["123456"][-1] == 7
    for size in (1, 40, 100):
        monkeypatch.setattr(letor, "BLOCK", size)
        parts = read(data)
        assert (features(parts), ids(parts), lines(parts)) == (features(whole), ids(whole), lines(whole))


@pytest.mark.parametrize(
    ("comment", "document"),
    [
        ("#docid = GX1 inc = 1 prob = 0.5", "GX1"),
        ("# docid=GX1", "GX1"),
        ("# docno: GX1", "GX1"),
        ("# DocID GX1", "GX1"),
        ("# GX1", "GX1"),
        ("#GX1 some words", "GX1"),
        ("# 1-00002", "1-00002"),
        ("# docid", "docid"),
        ("# docidentity", "docidentity"),
        ("# http://a.b/#c", "http://a.b/#c"),
        ("# dé", "dé"),
        ("#", "q-00001"),
        ("", "q-00001"),
    ],
)
def test_the_comment_names_the_document(comment: str, document: str) -> None:
    assert read(f"1 qid:q 1:1 {comment}\n".encode()).document.to_pylist() == [document]


def test_documents_without_a_name_are_numbered_inside_their_query() -> None:
    records = read(b"1 qid:b 1:1\n1 qid:a 1:1\n1 qid:b 1:1 # named\n1 qid:b 1:1\n1 qid:a 1:1\n")
    assert records.document.to_pylist() == ["b-00001", "a-00001", "named", "b-00003", "a-00002"]


def test_group_sizes_beside_the_file_stand_in_for_qid(tmp_path: Path) -> None:
    data = b"2 1:1\n0 1:2\n1 1:3\n"
    path = tmp_path / "rank.test"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"rank\.test, line 1: has no qid: after the grade; write one, or put a file"):
        read(path)
    (tmp_path / "rank.test.group").write_text("1\n2\n")
    assert ids(read(path)) == [("1", "1-00001"), ("2", "2-00001"), ("2", "2-00002")]
    (tmp_path / "rank.test.query").write_text("3\n0\n")
    assert read(path).query.to_pylist() == ["1", "1", "1"]
    packed = tmp_path / "rank.test.gz"
    packed.write_bytes(gzip.compress(data))
    assert read(packed).query.to_pylist() == ["1", "1", "1"]
    path.write_bytes(DENSE)
    assert set(read(path).query.to_pylist()) != {"1"}  # which are not needed


@pytest.mark.parametrize(
    ("sizes", "problem"),
    [
        ("2", r"rank: has 3 rows, but the group sizes in .*rank\.group add up to 2"),
        ("2\n\nx", r"rank\.group, line 3: expected how many rows a query has, found 'x'"),
        ("-1 4", r"rank\.group, line 1: .* found '-1'"),
        ("9" * 30, r"rank\.group, line 1: .* found '999"),
    ],
)
def test_group_sizes_that_do_not_fit_are_refused(sizes: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "rank").write_bytes(b"2 1:1\n0 1:2\n1 1:3\n")
    (tmp_path / "rank.group").write_text(sizes)
    with pytest.raises(FormatError, match=problem):
        read(tmp_path / "rank")


def named(folder: Path, names: str, data: bytes = DENSE) -> list[str]:
    """Return the features of a file that has such names beside it."""
    path = folder / "news.train"
    path.write_bytes(data)
    path.with_suffix(".features.json").write_text(names)
    return list(read(path).features)


def test_features_are_named_by_a_file_beside(tmp_path: Path) -> None:
    assert list(read(DENSE).features) == ["1", "2", "3"]
    assert named(tmp_path, '{"1": "clicks", "3": "dwell", "99": "absent"}') == ["clicks", "2", "dwell"]
    assert named(tmp_path, '["a", "b", "c", "absent"]') == ["a", "b", "c"]
    assert named(tmp_path, '["zero", "one"]', b"1 qid:1 0:1 1:2\n") == ["zero", "one"]


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ('["a", "b"]', "json: names 2 features, but there is one with number 3"),
        ('["a", "b", "a"]', "json: two columns are named 'a'; rename one"),
        ('{"1": "2"}', "two columns are named '2'"),
        ('{"one": "a"}', "or a list of names, found something else"),
        ('{"%s": "a"}' % ("9" * 30), "or a list of names, found something else"),
        ('["a", "b", 3]', "or a list of names, found something else"),
        ("7", "or a list of names, found something else"),
        ('{"1": "a"', "json, line 1: no JSON"),
    ],
)
def test_names_that_do_not_fit_are_refused(names: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=problem):
        named(tmp_path, names)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1 qid:1 1:x", "the value 'x' of feature 1 is not a number; expected digits"),
        ("1 qid:1 1:nan", "the value 'nan' of feature 1 is not a number; it has no place in an order"),
        ("1 qid:1 1:0x10", "the value '0x10' of feature 1 is not a number"),
        ("1 qid:1 1:", "the value '' of feature 1 is not a number"),
        ("1 qid:1 1:0,5", "write decimals with a point"),
        ("1 qid:1 1:2 3", "found '3', expected feature:value such as 3:0.5"),
        ("1 qid:1 1:2:3", "the value '2:3' of feature 1 is not a number"),
        ("1 qid:1 a:2", "found 'a:2', expected feature:value"),
        ("1 qid:1 0x1:2", "found '0x1:2', expected feature:value"),
        ("1 qid:1 99999999999999999999:2", "found '99999999999999999999:2', expected feature:value"),
        ("1 qid:1 qid:2 1:1", "found 'qid:2', expected feature:value"),
        ("1 qid:1 3:1 1:2 3:1", "feature 3 has two values; keep one of them"),
        ("0.5 qid:1 1:1", "the grade '0.5' is not a whole number; thresholds and gains"),
        ("x qid:1 1:1", "the grade 'x' is not a number"),
        ("qid:1 1:1", "the grade 'qid:1' is not a number|expected qid"),
        ("1 1:1 2:1", "expected qid:… after the grade as in other lines, found none"),
        ("1 qid: 1:1", "the query id is empty"),
    ],
)
@pytest.mark.parametrize("around", [b"2 qid:1 1:0.5 2:3 3:4\n", b"2 qid:1 1:0.5\n1 qid:1 7:1\n"])
def test_the_line_at_fault_is_named(line: str, problem: str, around: bytes) -> None:
    number = 2 * around.count(b"\n") + 2
    with pytest.raises(FormatError, match=problem) as caught:
        read(around * 2 + b"# note\n" + line.encode() + b"\n" + around)
    assert caught.value.line == number


def test_what_only_the_parser_refuses_is_refused_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letor, "_values", lambda _: None)
    with pytest.raises(FormatError, match="line 1: cannot be parsed; expected lines like: grade"):
        read(DENSE)


def test_many_features_take_time_by_their_number_and_not_by_its_square() -> None:
    data = b"1 qid:1 " + b" ".join(b"%d:1" % number for number in range(9999)) + b"\n"
    began = process_time()
    assert len(read(data).features) == 9999
    assert process_time() - began < 2  # a fiftieth of that; seconds by the square

"""Runs and qrels as TREC writes them."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from tests.formats.written import UNTIDY, features, grades, ids, lines
from tiecore.errors import FormatError
from tiecore.formats import delimited, read, source
from tiecore.formats.arrays import one_chunk

RUN = [
    ("007", "Q0", "http://a.b/?q=1,2", "1", "3.5", "bm25"),
    ("007", "Q0", 'with"quote', "2", "3.5", "bm25"),
    ("NA", "Q0", "null", "1", "-1e5", "bm25"),
    ("1e5", "Q0", "été#1", "0", "inf", "bm25"),
    ("1e5", "Q0", "'x'", "1", "-inf", "bm25"),
]

DATA = "".join(" ".join(row) + "\n" for row in RUN).encode()


@pytest.mark.parametrize("spoil", UNTIDY)
def test_blanks_and_line_ends_change_nothing_and_ids_are_kept_to_the_letter(spoil: Callable[[bytes], bytes]) -> None:
    records = read(spoil(DATA))
    assert records.kind == "run"
    assert ids(records) == [(row[0], row[2]) for row in RUN]
    assert records.query.type == pa.dictionary(pa.int32(), pa.string())
    assert records.document.type == pa.string()
    assert features(records) == {"bm25": [3.5, 3.5, -1e5, np.inf, -np.inf]}
    assert records.features["bm25"].dtype == np.float64
    assert records.rank is not None
    assert records.rank.tolist() == [1, 2, 1, 0, 1]
    assert records.grades is None


def test_an_empty_field_never_passes_for_a_field() -> None:
    tidy = "".join(f"q{i} Q0 d{i} 1 {i} t\n" for i in range(9000))
    for fault in ("q Q0  1 1 t", "q  d 1 1 t", " Q0 d 1 1 t", "q Q0 d 1 1 "):
        with pytest.raises(FormatError, match=r"line 9001: expected 6 fields .*, found 5"):
            read((tidy + fault + "\n").encode())


def test_lines_are_told_where_blank_lines_stand_between_and_no_control_character_is_a_blank() -> None:
    assert lines(read(b"\n\nq 0 a 1\n\r\nq 0 b 1\n   \nq 0 c 1")) == [3, 5, 7]
    assert read(b"q 0 a 1\nq 0 b 0\n").lines == range(1, 3)
    with pytest.raises(FormatError, match=r"line 2: the grade '\\x1c1' is not a number"):
        read(b"q 0 a 1\nq 0 b \x1c1\n")


def test_qrels_give_whole_grades_and_no_feature() -> None:
    records = read(b"1 0 a -2\n1 0 b 2.0\n1 xyz c +1\n1 0 d 1e1\n")
    assert records.kind == "qrels"
    assert grades(records) == [-2, 2, 1, 10]
    assert not records.features
    assert records.rank is None


def test_ranks_that_are_no_numbers_are_nobodys_loss() -> None:
    records = read(b"q Q0 a first 2 t\nq Q0 b 2 1.5 t\n")
    assert records.rank is None
    assert records.features["t"].tolist() == [2, 1.5]
    assert read(b"q Q0 a 99999999999999999999 2 t\n").rank is None


def test_a_run_is_named_by_its_tag_else_its_file() -> None:
    run = b"q Q0 a 1 2 t1\nq Q0 b 2 1 t1\n"
    assert list(read(run).features) == ["t1"]
    assert list(read(run.replace(b"1 t1", b"1 t2")).features) == ["<bytes>"]


def test_a_query_has_one_code_however_far_apart_its_lines_are(monkeypatch: pytest.MonkeyPatch) -> None:
    run = b"".join(b"q%d Q0 d%d 1 1 t\n" % (i % 3, i) for i in range(20_000))
    monkeypatch.setattr(delimited, "PARSER_BLOCK", 1 << 12)
    records = read(run)
    assert records.query.dictionary.to_pylist() == ["q0", "q1", "q2"]
    assert records.query.to_pylist() == [f"q{i % 3}" for i in range(20_000)]


def test_text_beyond_32_bit_offsets_gets_64_bit_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    column = pa.chunked_array([["a", "b"], ["c"]])
    assert one_chunk(column).type == pa.string()
    monkeypatch.setattr("tiecore.formats.arrays.MOST_BYTES", 3)
    wide = one_chunk(column)
    assert wide.type == pa.large_string()
    assert wide.to_pylist() == ["a", "b", "c"]


BLANK_LINES = b"\n" * 60
PIECEWISE = {
    "tidy run": DATA * 9,
    "untidy run": (DATA * 5).replace(b" ", b"  \t", 7) + DATA,
    "late text among the ranks": DATA * 5 + b"q Q0 late first 1.5 t\n",
    "late text among the scores": DATA * 5 + b"q Q0 late 1 high t\n",
    "scores that are read as text": DATA * 5 + b"q Q0 late 1 +7 t\nq Q0 later 2 -inf t\n",
    "late whole scores": b"q Q0 early 1 7 t\n" * 9 + b"q Q0 a 1 9007199254740993 t\nq Q0 b 1 9007199254740992 t\n",
    "blank lines": BLANK_LINES + DATA * 5 + BLANK_LINES + DATA + BLANK_LINES,
    "no line end": DATA * 5 + b"q Q0 last 1 7 t",
    "a field too few": DATA * 5 + b"q Q0 last 1 7\n",
    "no UTF-8": DATA * 5 + b"q Q0 \xff 1 7 t\n",
    "a line longer than a piece": DATA + b"q Q0 %b 1 7 t\n" % (b"d" * 900) + b"z Q0 d 1 7 t\n",
    "a line of form feeds": DATA * 5 + b"\f\n" * 60 + DATA,
    "a NUL": DATA * 5 + b"q Q0 \0 1 7 t\n",
    "Windows": (DATA * 5).replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("case", PIECEWISE)
def test_a_file_taken_in_pieces_is_the_file(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> object:
        try:
            records = read(PIECEWISE[case], kind="run")
        except FormatError as error:
            return str(error)
        return ids(records), features(records), records.rank is None or records.rank.tolist(), lines(records)

    whole = found()
    for size in (40, 70, 200):
        monkeypatch.setattr(source, "CHUNK", size)
        monkeypatch.setattr(source, "BLOCK", size)
        assert found() == whole

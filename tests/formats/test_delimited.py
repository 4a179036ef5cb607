"""Tables as text: CSV, TSV and their relatives."""

import numpy as np
import pytest

from tests.formats.written import features, grades, ids, lines
from tiecore.errors import FormatError
from tiecore.formats import Limits, read
from tiecore.formats.arrays import parses_in_threads
from tiecore.formats.delimited import Rows
from tiecore.formats.source import open_source

TABLE = """query_id,doc_id,relevance,clicks,dwell
q1,d1,2,10,0.5
q1,d2,0,10,
q2,d1,-1,0,1e3
"""


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n\n"])
def test_the_delimiter_is_seen_in_the_header(delimiter: str, line_end: str) -> None:
    records = read(TABLE.replace(",", delimiter).replace("\n", line_end).encode())
    assert records.kind == "table"
    assert ids(records) == [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
    assert grades(records) == [2, 0, -1]
    assert features(records) == {"clicks": [10, 10, 0], "dwell": [0.5, None, 1000]}
    assert records.ignored == ()


def test_ids_are_kept_to_the_letter() -> None:
    texts = ["001", "NA", "1e5", "null", "https://a.b/?q=1", "日本", "True", " padded ", "nan"]
    rows = "".join(f'"{text}x","{text}",1\n' for text in texts)
    assert ids(read(f"qid,docno,s\n{rows}".encode())) == [(text + "x", text) for text in texts]


def test_quoted_cells_hold_delimiters_quotes_and_line_ends_and_lines_stay_right_unless_quotes_are_stray() -> None:
    table = 'qid,docid,title,"the clicks"\nq,"a,1","x\ny\nz",1\nq,"b""2",,2\n\nq,"c\n3","",3\nq,d,w,4\n'
    records = read(table.encode())
    assert records.document.to_pylist() == ["a,1", 'b"2', "c\n3", "d"]
    assert features(records) == {"the clicks": [1, 2, 3, 4]}
    assert records.ignored == ("title",)
    assert lines(records) == lines(read(table[:-1].encode())) == [2, 5, 7, 9]
    records = read(b'qid,docid,s\nq,"a\nb",1\nq,5" nail,2\nq,c,3\n')
    assert records.document.to_pylist() == ["a\nb", '5" nail', "c"]
    assert lines(records) == [2, 3, 4]
    assert lines(read(b"\n\nqid,docid,s\nq,a,1\n\nq,b,2\n")) == [4, 6]


def test_columns_of_text_are_left_out_and_told() -> None:
    table = (
        "Unnamed: 0,qid,query,docid,docno,iter,title,score,rank,empty,missing,\n"
        "0,q1,what is,17,d1,0,A,2.5,1,,NA,7\n"
        "1,q1,what is,18,d2,0,1984,2.5,2,,N/A,7\n"
        "2,q2,who was,17,d1,0,B,1,1,,null,7\n"
    )
    records = read(table.encode())
    assert ids(records) == [("q1", "d1"), ("q1", "d2"), ("q2", "d1")]
    assert features(records) == {"<bytes>": [2.5, 2.5, 1]}
    assert records.ignored == ("Unnamed: 0", "query", "docid", "iter", "title", "empty", "missing", "(no name)")
    assert records.rank is not None
    assert records.rank.tolist() == [1, 2, 1]
    assert read(b"qid,docid,rank,s\nq,a,,1\n").rank is None


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (b"qid,docid,1,2\nq,a,3,4\n", {"1": [3], "2": [4]}),
        (b"qid,docid,score\nq,a,1\n", {"<bytes>": [1]}),
        (b"qid,docid,Clicks\nq,a,1\n", {"Clicks": [1]}),
        (b"qid,docid,score,clicks\nq,a,1,1\n", {"clicks": [1], "score": [1]}),
        (b'qid\tdocid\t5" disk\tt\nq\ta\t1\t2\n', {'5" disk': [1], "t": [2]}),
        (b"qid,docid,f\nq,a,True\nq,b,FALSE\nq,c,\nq,d, true \n", {"f": [1, 0, None, 1]}),
        (
            b'qid,docid,s,t\nq,a, 1 ,"2"\nq,b,+.5,-inf\nq,c,"",1.\nq,d,   ,1E2\n',
            {"s": [1, 0.5, None, None], "t": [2, float("-inf"), 1, 100]},
        ),
        (b",qid,docid,s,\n0,q,a,1,7\n1,q,b,2,7\n", {"s": [1, 2]}),
    ],
)
def test_columns_of_numbers_are_features_by_their_headers(table: bytes, found: dict[str, list[float | None]]) -> None:
    assert features(read(table)) == found


@pytest.mark.parametrize(
    ("table", "found"),
    [
        (b"query-id\tcorpus-id\tscore\nq1\tMED-1\t2\nq1\tMED-2\t0\n", [2, 0]),
        (b"Topic|DocNo|Label\n1|a|1\n1|b|0.0\n", [1, 0]),
    ],
)
def test_a_labelled_table_without_features_is_just_qrels(table: bytes, found: list[int]) -> None:
    records = read(table, kind="qrels")
    assert grades(records) == found
    assert not records.features


def test_a_column_whose_first_rows_are_empty_is_read_to_its_end() -> None:
    rows = "".join(f"q,d{i},1,{'' if i < 1500 else i}\n" for i in range(2000))
    assert features(read(f"qid,docid,s,late\n{rows}".encode()))["late"] == [None] * 1500 + list(range(1500, 2000))


def test_rows_longer_than_a_block_are_refused_and_one_can_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore.formats.delimited.PARSER_BLOCK", 1 << 10)
    row = b'"a\nb",' + b'"' + b"d\n" * 1500 + b'",1\n'
    for _ in range(20):
        with pytest.raises(FormatError, match="a quote never closed, or a row longer than 1,024 bytes"):
            read(b"qid,docid,s\n" + b"q,d,1\n" * 400 + row, limits=Limits(line=100))
        assert features(read(b"qid,docid,s\nq,a,3\n")) == {"s": [3]}


@pytest.mark.parametrize(("version", "threads"), [("22.0.0", False), ("23.0.0", True), ("100.0", True)])
def test_text_is_parsed_in_threads_where_a_refused_text_does_not_stop_them(version: str, threads: bool) -> None:
    assert parses_in_threads(version) is threads


def test_a_table_of_thousands_of_columns_is_read() -> None:
    names = [f"f{n}" for n in range(5000)]
    data = f"qid,docid,{','.join(names)}\nq,a,{','.join(map(str, range(5000)))}\n".encode()
    assert features(read(data)) == {name: [n] for n, name in enumerate(names)}


def test_texts_that_say_that_there_is_no_score_are_read_so_in_columns_of_scores_alone() -> None:
    text = b"query_id,doc_id,gpt,llama\nq,high,high,1\nq,b, ? ,2\nq,c,0.5,3\n"
    records = read(text, unscored=["high", "?", "3"])
    assert records.document.to_pylist() == ["high", "b", "c"]
    assert np.isnan(records.features["gpt"]).tolist() == [True, True, False]
    with pytest.raises(FormatError, match="line 3: the value '\\?' of column 'gpt' is not a number"):
        read(text, unscored=["high"])
    assert read(text.replace(b" ? ", b"2").replace(b",high,1", b",1,1"), unscored=["?"]).features["gpt"][0] == 1
    assert np.isnan(read(b"qid,docid,s\nq,a,NaN\nq,b,1\n", unscored=["NaN"]).features["s"][0]), "a number too"


def test_what_stands_in_columns_of_numbers_and_is_none_is_counted() -> None:
    text = b"gap;text;number;truth\n1;x;1e3;true\n;y; - ;no\n2;;-;false\n3;z;;True\n4;w;.5;\n5;v;2;true\n6;u;7;\n"
    rows = Rows.below_header(open_source(text, limits=Limits()), example="", first=["gap"])
    found = [("number", "-", 2, 3), ("number", "", 1, 5), ("truth", "no", 1, 3), ("truth", "", 2, 6)]
    assert [*rows.no_numbers(rows.names)] == found
    with pytest.raises(FormatError, match="limit cells=9"):
        next(Rows.below_header(open_source(text, limits=Limits(cells=9)), example="").no_numbers(rows.names[2:]))

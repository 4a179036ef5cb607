"""Tables as text: CSV, TSV and their relatives."""

import numpy as np
import pytest

from tiecore.errors import FormatError
from tiecore.formats import Limits, read
from tiecore.formats.arrays import parses_in_threads
from tiecore.formats.records import Records

TABLE = """query_id,doc_id,relevance,clicks,dwell
q1,d1,2,10,0.5
q1,d2,0,10,
q2,d1,-1,0,1e3
"""


def features(records: Records) -> dict[str, list[float]]:
    return {name: values.tolist() for name, values in records.features.items()}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\n\n"])
def test_the_delimiter_is_seen_in_the_header(delimiter: str, line_end: str) -> None:
    records = read(TABLE.replace(",", delimiter).replace("\n", line_end).encode())
    assert records.kind == "table"
    assert records.query.to_pylist() == ["q1", "q1", "q2"]
    assert records.document.to_pylist() == ["d1", "d2", "d1"]
    assert records.grades is not None
    assert records.grades.tolist() == [2, 0, -1]
    assert list(records.features) == ["clicks", "dwell"]
    assert records.features["clicks"].tolist() == [10, 10, 0]
    np.testing.assert_array_equal(records.features["dwell"], [0.5, np.nan, 1000])
    assert records.ignored == ()


def test_ids_are_kept_to_the_letter() -> None:
    ids = ["001", "NA", "1e5", "null", "", "https://a.b/?q=1", "日本", "True", " padded ", "nan"]
    rows = "".join(f'"{query}x","{query}"\n' for query in ids if query)
    records = read(f"qid,docno,s\n{rows}".replace('"\n', '",1\n').encode())
    assert records.document.to_pylist() == [one for one in ids if one]
    assert records.query.to_pylist() == [one + "x" for one in ids if one]


def test_quoted_cells_hold_delimiters_quotes_and_line_ends_and_lines_stay_right() -> None:
    table = 'qid,docid,title,"the clicks"\nq,"a,1","x\ny\nz",1\nq,"b""2",,2\n\nq,"c\n3","",3\nq,d,w,4\n'
    records = read(table.encode())
    assert records.document.to_pylist() == ["a,1", 'b"2', "c\n3", "d"]
    assert features(records) == {"the clicks": [1, 2, 3, 4]}
    assert records.ignored == ("title",)
    assert [records.line(row) for row in range(4)] == [2, 5, 7, 9]
    without_end = read(table[:-1].encode())
    assert [without_end.line(row) for row in range(4)] == [2, 5, 7, 9]


def test_stray_quotes_beside_quoted_line_ends_cost_only_the_line_numbers() -> None:
    records = read(b'qid,docid,s\nq,"a\nb",1\nq,5" nail,2\nq,c,3\n')
    assert records.document.to_pylist() == ["a\nb", '5" nail', "c"]
    assert records.lines is None


def test_blank_lines_before_the_header_are_counted() -> None:
    records = read(b"\n\nqid,docid,s\nq,a,1\n\nq,b,2\n")
    assert [records.line(row) for row in range(2)] == [4, 6]


def test_columns_of_text_are_left_out_and_told() -> None:
    table = (
        "Unnamed: 0,qid,query,docid,docno,iter,title,score,rank,empty,missing\n"
        "0,q1,what is,17,d1,0,A,2.5,1,,NA\n"
        "1,q1,what is,18,d2,0,1984,2.5,2,,N/A\n"
        "2,q2,who was,17,d1,0,B,1,1,,null\n"
    )
    records = read(table.encode(), name="bm25")
    assert records.query.to_pylist() == ["q1", "q1", "q2"]
    assert records.document.to_pylist() == ["d1", "d2", "d1"]
    assert features(records) == {"bm25": [2.5, 2.5, 1]}
    assert records.ignored == ("Unnamed: 0", "query", "docid", "iter", "title", "empty", "missing")
    assert records.rank is not None
    assert records.rank.tolist() == [1, 2, 1]


def test_a_column_without_a_name_is_an_index_and_no_feature() -> None:
    records = read(b",qid,docid,s,\n0,q,a,1,7\n1,q,b,2,7\n")
    assert features(records) == {"s": [1, 2]}
    assert records.ignored == ("(no name)", "(no name)")


def test_ranks_that_are_not_whole_are_nobodys_loss() -> None:
    assert read(b"qid,docid,rank,s\nq,a,,1\n").rank is None


def test_a_lone_column_called_score_is_named_by_its_file() -> None:
    assert list(read(b"qid,docid,score\nq,a,1\n").features) == ["<bytes>"]
    assert list(read(b"qid,docid,Clicks\nq,a,1\n").features) == ["Clicks"]
    assert list(read(b"qid,docid,score,rel\nq,a,1,1\n", name="x").features) == ["x"]
    assert sorted(read(b"qid,docid,score,clicks\nq,a,1,1\n").features) == ["clicks", "score"]


def test_features_may_be_named_by_numbers() -> None:
    assert features(read(b"qid,docid,1,2\nq,a,3,4\n")) == {"1": [3], "2": [4]}


def test_truth_values_are_one_and_zero() -> None:
    records = read(b"qid,docid,official,s\nq,a,True,1\nq,b,FALSE,1\nq,c,,1\nq,d, true ,1\n")
    np.testing.assert_array_equal(records.features["official"], [1, 0, np.nan, 1])


def test_the_header_of_beir_qrels_makes_grades_of_scores() -> None:
    records = read(b"query-id\tcorpus-id\tscore\nq1\tMED-1\t2\nq1\tMED-2\t0\n")
    assert records.grades is not None
    assert records.grades.tolist() == [2, 0]
    assert records.query.to_pylist() == ["q1", "q1"]


def test_a_column_whose_first_rows_are_empty_is_read_to_its_end() -> None:
    rows = "".join(f"q,d{i},1,{'' if i < 1500 else i}\n" for i in range(2000))
    records = read(f"qid,docid,s,late\n{rows}".encode())
    assert np.isnan(records.features["late"][:1500]).all()
    assert records.features["late"][1500:].tolist() == list(range(1500, 2000))


def test_numbers_in_odd_spellings_are_numbers() -> None:
    records = read(b'qid,docid,s,t\nq,a, 1 ,"2"\nq,b,+.5,-inf\nq,c,"",1.\nq,d,   ,1E2\n')
    np.testing.assert_array_equal(records.features["s"], [1, 0.5, np.nan, np.nan])
    assert records.features["t"].tolist() == [2, -np.inf, 1, 100]


def test_a_labelled_table_without_features_is_just_qrels() -> None:
    records = read(b"Topic|DocNo|Label\n1|a|1\n1|b|0.0\n", kind="qrels")
    assert records.grades is not None
    assert records.grades.tolist() == [1, 0]
    assert not records.features


def test_rows_longer_than_a_block_are_refused_and_one_can_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiecore.formats.delimited.PARSER_BLOCK", 1 << 10)
    row = b'"a\nb",' + b'"' + b"d\n" * 1500 + b'",1\n'
    for _ in range(20):
        with pytest.raises(FormatError, match="a quote never closed, or a row longer than 1,024 bytes"):
            read(b"qid,docid,s\n" + b"q,d,1\n" * 400 + row, limits=Limits(line=100))
        assert features(read(b"qid,docid,s\nq,a,3\n")) == {"s": [3]}


@pytest.mark.parametrize(
    ("version", "threads"), [("16.1.0", False), ("22.0.0", False), ("23.0.0", True), ("100.0", True)]
)
def test_text_is_parsed_in_threads_where_a_refused_text_does_not_stop_them(version: str, threads: bool) -> None:
    assert parses_in_threads(version) is threads


def test_a_quote_inside_a_name_opens_nothing() -> None:
    assert list(read(b'qid\tdocid\t5" disk\tt\nq\ta\t1\t2\n').features) == ['5" disk', "t"]


@pytest.mark.untraced
def test_a_table_of_thousands_of_columns_is_read() -> None:
    names = [f"f{n}" for n in range(5000)]
    data = f"qid,docid,{','.join(names)}\nq,a,{','.join(map(str, range(5000)))}\n".encode()
    features = read(data).features
    assert list(features) == names
    assert [scores.tolist() for scores in features.values()] == [[n] for n in range(5000)]

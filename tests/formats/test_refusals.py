"""Everything that is refused, in one table: what is found, on which line, and how to mend it."""

import gzip
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pytest

import tiecore
from tests.formats.written import as_parquet
from tiecore.errors import FormatError
from tiecore.formats import read

QRELS = "q1 0 d1 1\nq1 0 d2 0\n"
RUN = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
TABLE = "qid,docid,label,clicks\nq1,d1,1,7\nq1,d2,0,8\n"

REFUSED: list[tuple[str, int, str]] = [
    # wrong number of fields
    (QRELS + "q1 0 d3\n", 3, r"expected 4 fields \(query 0 doc grade\), found 3"),
    (QRELS + "\n\nq1 0 d3 1 x\n", 5, r"expected 4 fields .*, found 5"),
    (RUN + "q1 Q0 d3 3 0.5\n", 3, r"expected 6 fields \(query Q0 doc rank score tag\), found 5"),
    (RUN + "q1 Q0 d3 3 0.5 my run\n", 3, r"expected 6 fields .*, found 7"),
    (RUN + QRELS, 3, r"expected 6 fields .*, found 4"),
    ("q1 Q0 d1 1 2.5\n", 1, r"expected 4 fields \(query 0 doc grade\), 6 fields .*, LETOR .*, JSON, or .*; found 5"),
    ('"' + "x" * 200_000 + '",qid', 1, r"; found 1 field: '\"xxx[^ ]*'$"),
    ("Dear colleague,\nhere are the results.\n", 1, r"neither scores nor judgments; .*; found 2 fields: 'Dear coll"),
    (TABLE + "q1,d3,1\n", 4, r"expected 4 cells \('qid', 'docid', 'label', 'clicks'\), found 3"),
    ("qid,docid,a,b,c,d,e,f,g\n1,2\n", 2, r"expected 9 cells \('qid', .*'f', …\), found 2"),
    (TABLE + "q1,d3," + "x" * 200_000 + "\n", 4, r"cannot be parsed as a table: field larger than field limit .*; is"),
    # scores that are none
    (RUN + "q1 Q0 d3 3 high t\n", 3, r"the score 'high' is not a number; expected digits such as 3, -0.5 or 1e-4"),
    (RUN + "q1 Q0 d3 3 nan t\n", 3, r"the score is NaN; it has no place in an order; leave out what is not scored"),
    (RUN + "q1 Q0 d3 3 0,5 t\n", 3, r"the score '0,5' is not a number; write decimals with a point and thousands"),
    (TABLE + "q1,d3,1,NA\n", 4, r"the value 'NA' of column 'clicks' is not a number; .*\(in a table: an empty cell\)"),
    (TABLE + "q1,d3,1,NaN\n", 4, r"the value of column 'clicks' is NaN; .*an empty cell"),
    ("qid;docid;s\nq;a;0,5\nq;b;0,25\n", 2, r"the value '0,5' of column 's' is not a number; write decimals with a"),
    ("qid,docid,s,official\nq,a,1,true\nq,b,1,maybe\nq,c,1,false\n", 3, r"'official' is 'maybe'; expected true or"),
    ("qid,docid,s,official\n" + "q,a,1,true\n" * 1000 + "q,b,1,maybe\n", 1002, r"'official' is 'maybe'; expected"),
    # grades that are none
    (QRELS + "q1 0 d3 0.5\n", 3, r"the grade '0.5' is not a whole number; thresholds and gains are defined on whole"),
    (QRELS + "q1 0 d3 nan\n", 3, r"the grade 'nan' is not a number; expected a whole number such as 0, 1 or -2"),
    (QRELS + "q1 0 d3 inf\n", 3, r"the grade 'inf' is too large"),
    (QRELS + "q1 0 d3 99999999999999999999\n", 3, r"the grade '9+' is too large; expected a small whole number"),
    (QRELS + "q1 0 d3 " + "9" * 5000 + "\n", 3, r"the grade '9{40}…' is too large"),
    ("query 0 doc grade\n" + QRELS, 1, r"the grade 'grade' is not a number"),
    (TABLE + "q1,d3,,1\n", 4, r"the grade is empty; leave out the rows of documents that are not judged"),
    # ids that are none
    (TABLE + ",d3,1,1\n", 4, r"the query id is empty; every row needs one"),
    (TABLE + "q1,,1,1\n", 4, r"the document id is empty"),
    # headers
    ("user,docid,clicks\n1,2,3\n", 1, r"no query column among 'user', 'docid', 'clicks'; name one of them query_id,"),
    ("qid,url,clicks\n1,2,3\n", 1, r"no document column among 'qid', 'url', 'clicks'; name one of them doc_id, docno"),
    ("1,2,3\n1,3,3\n", 1, r"the first line holds data; expected the names of the columns, such as"),
    ('"query\nid",docid,s\nq,a,1\n', 1, "a quoted name goes on in the next line; write the names of the columns on"),
    ('query_id,docid,"a\nq,a,1\n', 1, "a quoted name goes on in the next line"),
    ("qid,docid,s,s\n1,2,3,4\n", 1, r"two columns are named 's'; rename one"),
    ("qid,docid,label,grade\n1,2,3,4\n", 1, r"'label' and 'grade' could both hold the grades; rename the one"),
    ("qid,docid,title\n1,2,x\n", 1, r"no numeric column besides the ids among 'qid', 'docid', 'title'; a feature is"),
    ("qid,docid,s\n1,2,\n1,3,\n", 1, r"no numeric column besides the ids among 'qid', 'docid', 's'"),
    ("\nqid,docid,s\n \n", 2, r"there are no rows below the header"),
    # not text
    (QRELS + "q1 0 d\0 1\n", 3, "NUL bytes"),
]


@pytest.mark.parametrize(("text", "line", "problem"), REFUSED)
def test_refused_with_file_line_and_remedy(text: str, line: int, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "given.txt"
    for data in (text.encode(), gzip.compress(text.encode(), 1)):
        path.write_bytes(data)
        with pytest.raises(FormatError, match=problem) as caught:
            read(path)
        assert caught.value.file == str(path)
        assert caught.value.line == line
        assert str(caught.value).startswith(f"{path}, line {line}: ")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        QRELS + "q1 0 caf\xe9 1\n",
        RUN + "q1 Q0 caf\xe9 1 1 t\n",
        TABLE + "q,\xe9,1,1\n",
        "1 qid:1 1:1\n\n# \xe9\n",
        '{"q":\n{"\xe9": 1}}\n',
    ],
)
def test_latin_1_is_refused_on_its_line(text: str) -> None:
    problem = r"byte 0xE9 is not UTF-8 \(Latin-1 or Windows-1252 text\?\); save the file as"
    with pytest.raises(FormatError, match=problem) as caught:
        read(text.encode("latin-1"))
    assert caught.value.line == text.count("\n")


ROLES: list[tuple[str, Literal["qrels", "run"], str]] = [
    (RUN, "qrels", r"this looks like a run \(6 fields: query Q0 doc rank score tag\); give it as a feature"),
    ("qid,docid,a,b\n1,2,3,4\n", "qrels", r"has no grades, only features \('a', 'b'\); call the column of the grades"),
]


@pytest.mark.parametrize(("text", "role", "problem"), ROLES)
def test_a_file_that_cannot_serve_its_role_is_refused(text: str, role: Literal["qrels", "run"], problem: str) -> None:
    assert len(read(text.encode()).query)
    with pytest.raises(FormatError, match=problem):
        read(text.encode(), kind=role)


LONG = "x" * 100_000
NUMBER = "9" * 3000 + "x"

FAULTS: dict[str, Any] = {
    "score of a run": f"q Q0 a 1 {LONG} t\n",
    "grade": f"q 0 a {LONG}\n",
    "header": f"{LONG},{LONG}y,{LONG}z\n1,2,3\n",
    "cells": f"qid,docid,{LONG},{LONG}y\nq,a,1\n",
    "cell of a column": f"qid,docid,{LONG}\nq,a,1\nq,b,{NUMBER}\n",
    "no numbers": f"qid,docid,{LONG},{LONG}y\nq,a,{LONG},{LONG}\n",
    "letor": f"1 qid:1 1:{NUMBER} # a\n",
    "json query": f'{{"{LONG}": 1}}',
    "json key": f'{{"{LONG}": {{}}, "{LONG}": {{}}}}',
    "json text": f'{{"q": {{"{LONG}\\ud800": 1}}}}',
    "parquet names": as_parquet({"qid": ["q"], LONG: ["a"]}),
    "document listed twice": f"{LONG} Q0 {LONG} 1 1 t\n" * 2,
    "no query in common": f"{LONG} Q0 a 1 1 t\n",
    "no document in common": {"f": {"q": {f"{LONG}\n{n}": float(n) for n in range(50)}}},
    "dict value": {"f": {"q": {LONG: LONG}}},
    "name of a feature": {(LONG,): {"q": {"a": 1}}},
    "frame": {"f": pd.DataFrame({LONG: ["q"], "docid": ["a"]})},
    "frame grade": pd.DataFrame({"qid": ["q"], "docid": ["a"], "rel": [LONG], "t": 1}),
    "frame objects": pd.DataFrame({"qid": "q", "docid": ["a", "b"], LONG: pd.Series([10**400, 0.5], dtype=object)}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_refusal_is_one_short_line(fault: str) -> None:
    given = FAULTS[fault]
    qrels = {LONG: {"a": 1}} if fault == "document listed twice" else {"q": {"a": 1}}
    with pytest.raises(tiecore.TiecoreError) as caught:
        tiecore.evaluate(qrels, given.encode() if isinstance(given, str) else given, ["AP"])
    message = str(caught.value)
    assert len(message) < 700
    assert len(message.splitlines()) == 1

"""The kind of a file is seen in what it holds."""

import pytest

from tiecore.formats import read
from tiecore.formats.records import Kind

SEEN: list[tuple[str, Kind]] = [
    ("q 0 d 1\n", "qrels"),
    ("q\t0\td\t1\n", "qrels"),
    ("q;1 0 d|2 1\n", "qrels"),
    ("1 0:1 2:3 4\n", "qrels"),
    ("q\u00a0x 0 d\u3000y 1\n", "qrels"),
    ("q Q0 d 1 2 t\n", "run"),
    ("#1 Q0 d 1 2 t\n", "run"),
    ("{q} Q0 d 1 2 t\n", "run"),
    ('"q" Q0 d,e 1 2 t\n', "run"),
    ("\n \n q Q0 d 1 2 t\n", "run"),
    ("1 qid:1 1:2\n", "letor"),
    ("1 qid:1\n", "letor"),
    ("-1.0 qid:q 1:2 2:3 4:5 5:6\n", "letor"),
    ("1 qid:1 1:0 # 5\n", "letor"),
    ("# a comment of words\n\n# and one more\n1 qid:1 1:2\n", "letor"),
    ("query_id,doc_id,s\na,b,1\n", "table"),
    ("query Q0 docno rank score tag\n".replace(" ", "\t") + "q\tQ0\td\t1\t2\tt\n", "table"),
    ("topic\tdocno\tlabel\n1\t2\t3\n", "table"),
    ("a;QID;DocID \n1;2;3\n", "table"),
    ('"qid","docid","s"\n"a","b","1"\n', "table"),
    ('{"q": {"d": 1}}', "json"),
    ('\n {\n "q": {"d": 1}}', "json"),
]


@pytest.mark.parametrize(("text", "kind"), SEEN)
def test_the_kind_is_seen_in_the_content(text: str, kind: Kind) -> None:
    records = read(text.encode())
    assert records.kind == kind
    assert len(records.query) == 1

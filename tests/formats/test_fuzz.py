"""Files that went wrong in every way: the answer is records that hold together, or a clear refusal."""

import gzip
import os
import random

import numpy as np
import pyarrow as pa
import pytest

from tests.formats.written import as_parquet
from tiecore.errors import TiecoreError
from tiecore.formats import Limits, Records, read

LIMITS = Limits(unpacked=1_000_000)
MUTANTS = 20_000 if os.environ.get("TIECORE_HYPOTHESIS") == "thorough" else 150

COLUMNS = {"qid": ["q1", "q1", "q2"], "docid": ["a", "b", "a"], "label": [1, 0, 2], "s": [0.5, None, 2], "t": [1, 2, 3]}
RUN = b"".join(b"q%d Q0 doc-%d %d %d.5 tag\n" % (i // 4, i % 5, i, i % 3) for i in range(20))
WHOLE = {
    "run": RUN,
    "tabbed run": RUN.replace(b" ", b" \t").replace(b"\n", b"\r\n"),
    "qrels": b"".join(b"q%d 0 doc-%d %d\n" % (i // 4, i % 5, i % 3 - 1) for i in range(20)),
    "csv": b"qid,docid,label,clicks,title,new\n" + b'q1,"d,1",2,7.5,"a ""b""\nc",true\nq1,d2,0,,NA,false\n' * 4,
    "tsv": b"query-id\tcorpus-id\tscore\n" + "q1\tdé\t2\nq2\td\t-1\n".encode() * 5,
    "dense letor": b"2 qid:1 1:0.5 2:3 #docid = GX1 inc = 1\n0 qid:2 1:NULL 2:-1e3 #docid = GX2 inc = 0\n" * 5,
    "sparse letor": b"# words\n1 qid:7 3:1 70000:2 # d1\n\n0 qid:7 # d2\n2 qid:8 3:4\n" * 3,
    "records": b'{"qid": "q1", "docid": "d1", "label": 1, "s": 0.5}\n{"qid": "q2", "docid": "d2", "label": 0}\n',
    "json": b'{"q1": {"d1": 2, "d\\u00e9": 0.5}, "q2": {"d1": -1e3}}',
    "parquet": as_parquet(COLUMNS, row_group_size=2),
    "gzip": gzip.compress(RUN, mtime=0),
}
TOKENS = [
    *(b" ", b"\t", b"\n", b"\r", b"\r\n", b",", b";", b"|", b":", b"#", b'"', b"'", b"{", b"}", b"[", b"]", b"\\"),
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\xc3", "é\u2028".encode(), b"\x0b", b"\x1f\x8b", b"PAR1", b"PK\x03\x04"),
    *(b"nan", b"NaN", b"NULL", b"inf", b"-", b"+", b".", b"e", b"0x1F", b"1e999", b"-0", b"9" * 30, b"9" * 5000),
    *(b"qid:", b"1:", b" 1:1", b"qid", b"docid", b"true", b"null", b"1:2:3", b"Q0 ", b'""', b'{"a":', b"0 qid:1 "),
]


def mutated(data: bytes, *, rng: random.Random) -> bytes:
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        begin, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        end = min(end, begin + rng.choice((0, 1, 5, 1000)))
        other = rng.choice(list(WHOLE.values()))
        start = rng.randrange(len(other))
        data = rng.choice(
            (
                data[:begin] + rng.choice(TOKENS) + data[end:],  # replace or insert
                data[:begin] + rng.choice(TOKENS) + data[begin:],
                data[:begin] + data[end:],  # lose something
                data[:begin],
                data[begin:],
                data[:end] + data[begin:end] * 3 + data[end:],  # stutter
                data[:begin] + other[start : start + 40] + data[end:],  # two files in one
                data[:begin] + bytes([rng.randrange(256)]) + data[begin + 1 :],
            )
        )
    return data


def assert_holds_together(records: Records) -> None:
    n_rows = len(records.query)
    assert n_rows > 0
    assert records.query.type == pa.dictionary(pa.int32(), pa.string())
    assert records.query.null_count == records.document.null_count == 0
    assert all(records.query.to_pylist())
    assert all(records.document.to_pylist())
    assert len(records.document) == n_rows
    assert records.grades is not None or len(records.features) > 0
    if records.grades is not None:
        assert records.grades.dtype == np.int64
        assert records.grades.shape == (n_rows,)
    if records.rank is not None:
        assert records.rank.shape == (n_rows,)
    for name in records.features:
        assert records.features[name].shape == (n_rows,)
    assert records.line(0) >= 1
    assert records.line(n_rows - 1) >= n_rows * (records.kind not in ("json", "table"))


@pytest.mark.parametrize("kind", WHOLE)
def test_mutants_give_records_that_hold_together_or_a_refusal(kind: str) -> None:
    assert_holds_together(read(WHOLE[kind]))
    rng = random.Random(kind)
    n_read = 0
    for _ in range(MUTANTS):
        data = mutated(WHOLE[kind], rng=rng)
        refusal = ""
        try:
            assert_holds_together(read(data, limits=LIMITS))
        except TiecoreError as error:
            refusal = str(error)
        except Exception as error:
            error.add_note(f"data = {data!r}")
            raise
        assert "\n" not in refusal
        n_read += not refusal
    assert 0 < n_read < MUTANTS  # both ends are tried

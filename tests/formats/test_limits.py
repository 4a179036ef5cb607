"""What is too much in a file is refused while it is read, by one set of limits that the error names."""

import gzip
import re
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import tiecore
from tests.formats.written import as_parquet
from tiecore.errors import FormatError, TiecoreError
from tiecore.formats import Limits, limited, limits_in_force, read
from tiecore.formats.limits import FixedLimits
from tiecore.formats.source import Source

RUN = b"q Q0 a 1 1 t\nq Q0 b 2 1 t\nq Q0 c 3 0 t\n"
QRELS = b"q 0 a 1\nq 0 b 0\nq 0 c 1\n"
TABLE = b"qid,docid,s,t\nq,a,1,2\nq,b,1,2\nq,c,1,2\n"
LETOR = b"1 qid:q 1:1 2:0 # a\n0 qid:q 1:2 3:4 # b\n0 qid:q # c\n"
JSON = b'{"q": {"a": 1, "b": 2, "c": 3}}'
BRACE = b"{ Q0 a 1 1 t\n" * 3  # looks like JSON, which has no lines, but is a run

PARQUET = as_parquet({"qid": ["q"] * 3, "docid": ["a", "b", "c"], "s": [1, 2, 3], "t": [1, 2, 3]})
CASES: dict[str, tuple[bytes, str, int, str]] = {
    "run": (RUN, "rows", 2, "has at least 3 lines"),
    "qrels": (QRELS, "rows", 2, "has at least 3 lines"),
    "run like JSON": (BRACE, "rows", 2, "has 3 rows"),
    "table": (TABLE, "rows", 3, "has at least 4 lines"),
    "LETOR": (LETOR, "rows", 2, "has at least 3 lines"),
    "blank lines": (b"\n" * 9 + RUN, "rows", 8, "has at least 12 lines"),
    "Parquet": (PARQUET, "rows", 2, "has 3 rows"),
    "columns of a table": (TABLE, "columns", 3, "line 1: has 4 columns"),
    "columns of Parquet": (PARQUET, "columns", 3, "has 4 columns"),
    "features of LETOR": (LETOR, "columns", 2, "has 3 features"),
    "cells of a table": (TABLE, "cells", 5, "has 6 numbers"),
    "cells of Parquet": (PARQUET, "cells", 5, "has 6 numbers"),
    "pairs of LETOR": (LETOR, "cells", 6, "has at least 7 values"),
    "values of JSON": (JSON, "json_values", 3, "has 4 colons"),
    "long values of JSON": (JSON, "line", len(JSON) // 5 - 1, "holds a value that is too long"),
    "long line": (RUN + b"q Q0 dddd 4 0 t\n", "line", 14, "line 4: the line has more than 14 bytes"),
    "long row": (TABLE + b"q,dddddddddd,1,2\n", "line", 15, "line 5: the line has more than 15 bytes"),
    "document": (RUN.replace(b"b", b"bbb"), "name", 2, "line 2: the document id 'bbb' has 3 bytes"),
    "query": (QRELS.replace(b"q", b"qqq"), "name", 2, "the query id 'qqq' has 3 bytes"),
    "feature": (TABLE.replace(b",t\n", b",ttt\n"), "name", 2, "line 1: the name of a feature 'ttt' has 3 bytes"),
    "feature of Parquet": (
        as_parquet({"qid": ["q"], "docid": ["a"], "sss": [1]}),
        "name",
        2,
        "the name of a feature 'sss' has 3 bytes",
    ),
    "size": (RUN, "unpacked", len(RUN) - 1, f"more than {len(RUN) - 1} bytes"),
    "ids of Parquet": (PARQUET, "unpacked", 2, "its document ids unpack to 3 bytes"),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("pack", ["plain", "bytes", "gzip"])
def test_more_than_a_limit_is_refused_by_name_and_the_limit_is_read(case: str, pack: str, tmp_path: Path) -> None:
    data, limit, most, found = CASES[case]
    if pack != "plain" and limit == "unpacked" and data == PARQUET:
        pytest.skip("is refused before it is known to be Parquet")
    source: Source = gzip.compress(data) if pack == "gzip" else data
    if pack == "plain":
        source = tmp_path / "file"
        source.write_bytes(data)
    remedy = rf", beyond the limit {limit}={most}; .*\(--limit {limit}=N on the command line, Limits\({limit}=N\) in"
    with pytest.raises(FormatError, match=re.escape(found) + remedy):
        read(source, limits=Limits(**{limit: most}))
    with pytest.raises(FormatError, match=rf"{re.escape(found)} \(at most {most}( bytes)? are read\); [^(]*$"):
        read(source, limits=FixedLimits(**{limit: most}))
    assert len(read(source, limits=Limits(**{limit: max([most + 1, *map(int, re.findall(r"\d+", found)[-1:])])})).query)


def test_files_are_read_within_the_limits_in_force_in_every_thread(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(QRELS[:16])
    run.write_bytes(RUN)
    with limited(Limits(rows=2)):
        for evaluated in (lambda: tiecore.evaluate(qrels, run, ["AP"]), lambda: tiecore.read_features(run)):
            with pytest.raises(FormatError, match="run: has at least 3 lines, beyond the limit rows=2"):
                evaluated()
        assert len(tiecore.read_qrels(qrels)) == 2
    assert limits_in_force() == Limits()
    assert len(tiecore.read_features(run)) == 3


@pytest.mark.parametrize("setting", ["rows", "rows=many", "row=3", "rows=-1", ""])
def test_a_setting_that_is_no_limit_is_refused(setting: str) -> None:
    assert Limits().with_settings(["rows=3", "line=4"]) == Limits(rows=3, line=4)
    with pytest.raises(TiecoreError, match=r"unknown limit '.*': expected NAME=NUMBER with one of the names rows, col"):
        Limits().with_settings([setting])


@pytest.mark.parametrize("line", [b"q 0 d 1\n", b"\n", b"\0", b"q,"])
def test_what_unpacks_to_much_is_refused_on_the_way_and_the_refusal_holds_nothing_of_it(line: bytes) -> None:
    bomb = gzip.compress(line * (40_000_000 // len(line)), 9)
    assert len(bomb) < 120_000
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="beyond the limit") as refusal:
            read(bomb, limits=Limits(rows=2_400_000))
        now, peak = tracemalloc.get_traced_memory()
        assert refusal.tb is not None  # which holds what each function held
    finally:
        tracemalloc.stop()
    assert now < 5_000_000
    assert peak < 30_000_000


def test_parquet_of_thousands_of_columns_is_read_in_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    data = as_parquet({"qid": ["q", "q"], "docid": ["a", "b"], **{f"c{n}": [n, 1] for n in range(3000)}})
    opened = []

    class Counted(parquet.ParquetFile):  # type: ignore[misc]  # pyarrow has no types
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **options)
            opened.append(self)

    monkeypatch.setattr(parquet, "ParquetFile", Counted)
    features = read(data).features
    assert [scores[0] for scores in features.values()] == list(range(3000))
    assert len(opened) < 10

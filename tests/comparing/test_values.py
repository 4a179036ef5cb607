"""The form of values changes nothing; what cannot be compared is refused with file, line and remedy."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import tiecore
from tests.comparing.data import FORMS, LONG, MATRIX, MEASURED, PARQUET, SYSTEMS, printed, same
from tests.pages import SAMPLE
from tiecore.comparing.values import BadCellError, values_in


@pytest.mark.parametrize("form", FORMS)
def test_the_form_of_the_values_changes_nothing(form: str) -> None:
    same(tiecore.compare(FORMS[form], "RR"), tiecore.compare(MATRIX, "RR"))


def test_files_without_a_name_inside_or_with_one_for_several_are_named_by_themselves(tmp_path: Path) -> None:
    forms = {"trec": {}, "ir_measures": {"line": "{query_id}\t{measure}\t{value}\n", "end": "all\tRR\t.5\n"}}
    for form, how in forms.items():
        files = [tmp_path / f"{system}.{form}.txt" for system in SYSTEMS]
        for path, system in zip(files, SYSTEMS, strict=True):
            path.write_bytes(printed(system, **how))
        found = tiecore.compare(files, "RR")
        assert sorted(found.ranks.index) == [f"{system}.{form}" for system in SYSTEMS]
        same(tiecore.compare(MATRIX.add_suffix(f".{form}"), "RR"), found)
    tables = [tmp_path / f"{system}.csv" for system in MATRIX]
    for path, system in zip(tables, SYSTEMS, strict=True):
        MATRIX[[system]].dropna().rename(columns={system: "value"}).to_csv(path)
    same(tiecore.compare(tables, "RR"), tiecore.compare(MATRIX, "RR"))
    parquet = tmp_path / "matrix.parquet"
    parquet.write_bytes(PARQUET.getvalue())
    same(tiecore.compare(parquet, "RR"), tiecore.compare(MATRIX, "RR"))
    files = [tmp_path / f"{system}.txt" for system in SYSTEMS]
    for path, system, tag in zip(files, SYSTEMS, ("Anserini", "Anserini", "odd"), strict=True):
        path.write_bytes(printed(system) + f"runid all {tag}\n".encode())
    same(tiecore.compare(files, "RR"), tiecore.compare(MATRIX, "RR"))
    halves = [tmp_path / name for name in ("one.csv", "two.csv")]  # of the same systems
    for path, part in zip(halves, (MATRIX[:4], MATRIX[4:]), strict=True):
        part.to_csv(path)
    same(tiecore.compare(halves, "RR"), tiecore.compare(MATRIX, "RR"))
    with pytest.raises(tiecore.TiecoreError, match="line 2: 'bm25' has a second value for 'q0'"):
        tiecore.compare([halves[0], halves[0]])


@pytest.mark.parametrize(
    ("form", "unit"),
    [
        (MATRIX, "query"),
        (MATRIX.rename_axis("topic"), "query"),
        (MATRIX.rename_axis("Task_Name"), "task"),
        (MATRIX.rename_axis("instance_id"), "instance"),
        (MATRIX.rename_axis("our questions"), "item"),
        (MATRIX.rename_axis(None), "item"),
        (MATRIX.reset_index(drop=True), "item"),
        (LONG.rename(columns={"query_id": "dataset"}), "dataset"),
        (FORMS["mappings"], "item"),
        (FORMS["pytrec_eval"], "query"),
        (FORMS["ir_measures"], "query"),
        (FORMS["systems x items"], "item"),
        (FORMS["trec_eval -q"], "query"),
    ],
)
def test_items_are_called_what_their_column_is(form: Any, unit: str) -> None:
    assert tiecore.compare(form, "RR").unit == unit


@pytest.mark.parametrize(("heading", "tasks"), [("model", "1,2,3"), ("", "1,2,3"), ("", "t1,t2,t3"), ("task", "1,2")])
def test_tasks_or_systems_that_are_numbers_are_told_by_the_first(heading: str, tasks: str, tmp_path: Path) -> None:
    names = [f"x{n}" for n in range(8)]
    rows = [f"{name},{','.join(f'0.{n + k}' for k in range(tasks.count(',') + 1))}" for n, name in enumerate(names)]
    (tmp_path / "values.csv").write_text("\n".join([f"{heading},{tasks}", *rows]) + "\n")
    systems = tasks.split(",") if heading == "task" or tasks[0] == "t" else names
    assert sorted(tiecore.compare(tmp_path / "values.csv").places.index) == sorted(systems)


ROWS = "item,a,b\n" + "".join(f"{n},.5,.4\n" for n in range(8))
BAD = "t1,0.5,0.25\nt2,oops,0.5\nt3,0.5,0.5\n"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (ROWS + "8,.5,fine\n", "line 10: in column 'b' the value 'fine' is not a number"),
        ("task,note\nt1,fine\nt2,bad\n", "line 2: in column 'note' .* a column of text out, and name the columns item"),
        (ROWS + '8,.5,"0,4"\n', "line 10: .*write decimals with a point"),
        (ROWS + "8,.5,inf\n", "line 10: .*infinite"),
        (ROWS + "8,.5\n", r"line 10: expected 3 cells \('item', 'a', 'b'\), found 2"),
        (ROWS + "3,.5,.4\n", "line 10: 'a' has a second value for '3'"),
        (ROWS + ",.5,.4\n", "line 10: the item is empty"),
        (ROWS.replace("a,b", "a,a"), "two columns are named 'a'"),
        ("item,a,b\n", "no rows below the header"),
        ("item\nx\n", "no column of values"),
        ("1,.5,.4\n2,.4,.4\n", "line 1: the first line holds data"),
        ("item,a,b\n1,.5,.4\n", "holds the values of one item; add others"),
        ("item,a\n1,.5\n2,.4\n", "holds one system, 'a'; add the values of another"),
        ("item,a,b\n1,.5,\n2,.5,\n", "'b' has no value at all"),
        ("  \n", "nothing but blanks"),
        ('[{"item": 1, "a": 2}]', r"is JSON; expected a table of values \(CSV, TSV, Parquet\)"),
        ('item,a,b\n"1,.5,.4', "cannot be parsed|expected 3 cells"),
        ("map all .5\n", "values of all queries together"),
        ("runid all bm25\nnum_q all 3\nmap all .5\n", "values of all queries together"),
        ("q d .5\nq e .4\n", "looks like a run without a header .*: query_id,doc_id,score for a run"),
        ("1 7 5\nmap all 3\n2 all 4\n3 7 2\n4 all 9\n4 8 9\n2 7 1\n", "looks like a run without a header"),
        ("map 1 .5\nmap 2\n", r"line 2: expected 3 fields \(measure query value\), found 2"),
        ("map 1 .5\nmap 2 x\n", "line 2: the value 'x' is not a number"),
        ("map 1 .5\nRR 1 .5\n", "several measures; choose one of 'map', 'RR'"),
        ("item,a,b\n1," + "9" * 200_000 + ",1\n", "line 2: in column 'a' the value '99.*…' is not a number"),
        (b"PAR1 is not enough", "cannot be read as Parquet"),
        (PARQUET.getvalue().replace(b"q4", b"q\xff"), "cannot be read as Parquet .*UTF8"),
        ("item,a,b\nq1,1,2\nq2,1e300,3\n", r"line 3: in column 'a' the value is infinite or beyond 1e\+100"),
        (b"item,a,b\n1,\xff,2\n", "line 2: byte 0xFF is not UTF-8"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_the_remedy(tmp_path: Path, given: str | bytes, words: str) -> None:
    path = tmp_path / "values.csv"
    path.write_bytes(given.encode() if isinstance(given, str) else given)
    with pytest.raises(tiecore.TiecoreError, match=words) as caught:
        tiecore.compare(str(path))
    if "line" in words:
        assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("given", "how", "words"),
    [
        (MATRIX.assign(kind="x"), {}, "row 0: in column 'kind' the value 'x' is not a number"),
        (MATRIX.assign(odd=np.inf), {}, "row 0: in column 'odd' the value is infinite"),
        (
            MATRIX.assign(odd=-1e300),
            {},
            r"row 0: in column 'odd' the value is infinite or beyond 1e\+100 and has no mean",
        ),
        (MATRIX.set_axis(["a", "a", "b"], axis=1), {}, "two columns are named 'a'"),
        (MATRIX.set_axis([list("abc"), list("rst")], axis=1), {}, "columns have several levels; stack them into rows"),
        (pd.concat([LONG, LONG[:1]]), {}, "row 20: 'bm25' has a second value for 'q0'"),
        (MATRIX, {"aggregate": "median"}, "expected 'mean' or 'borda'"),
        (MATRIX, {"baseline": "splade"}, "no feature is named 'splade'"),
        (MATRIX, {"margin": 0}, "margin must be a number above 0"),
        (MATRIX, {"margin": np.nan}, "margin must be a number above 0"),
        (MATRIX, {"margin": "0.1"}, "margin must be a number above 0"),
        (MEASURED, {"measure": "AP"}, "no values of 'AP'; there are 'RR', 'nDCG@10'"),
        (MEASURED.replace({"RR": "F-score"}), {"measure": "EM"}, "no values of 'EM'"),
        ({"a": 5}, {}, "values of 'a' are 5: expected {item: value}"),
        ({"a": [5, 6]}, {}, r"values of 'a' are \[5, 6\]: expected {item: value}"),
        ({"a": {"q": "x"}}, {}, "'x' is not a number"),
        ({"a": {}}, {}, "there are no values"),
        ([], {}, "expected a table of values"),
        (5, {}, "expected a table of values"),
    ],
)
def test_nonsense_is_refused(given: Any, how: dict[str, Any], words: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=words):
        tiecore.compare(given, **how)


def test_a_large_parquet_file_is_refused_by_its_metadata_and_a_long_text_that_it_repeats_never_unpacked() -> None:
    texts = pa.array(["x" * 2**20]).dictionary_encode().take(pa.array([0] * 300))
    written = io.BytesIO()
    parquet.write_table(pa.table({"item": texts, "a": range(300), "b": range(300)}), written)
    refused = pytest.raises(
        tiecore.FormatError, match="the texts of 'item' unpack to 300 MB, beyond the limit unpacked"
    )
    with tiecore.limited(tiecore.Limits(unpacked=2**20)), refused:
        tiecore.compare(written.getvalue())
    with tiecore.limited(tiecore.Limits(cells=20)), pytest.raises(tiecore.FormatError, match="beyond the limit cells"):
        tiecore.compare(PARQUET.getvalue())


def test_a_column_of_lists_is_named_and_not_lost() -> None:
    written = io.BytesIO()
    parquet.write_table(pa.table({"item": range(9), "a": range(9), "b": [[1.0]] * 9}), written)
    with pytest.raises(tiecore.FormatError, match="column 'b' holds lists; leave it out"):
        tiecore.compare(written.getvalue())


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (SAMPLE / "leaderboard.csv", True),
        (SAMPLE / "bm25.eval", True),
        (SAMPLE / "clicks.csv", False),
        (b"query_id,item,score\n1,7,0.5\n1,8,0.25\n2,7,0.5\n", False),
        (b"item,a,b\n1,0.5,0.25\n", False),
        (b"q1 d1 0.5\nq2 d1 0.25\n", False),
        (f"query_id,a,docno\n{BAD}".encode(), False),
        (b"query_id,page,score\nq1,p1,1\nq2,p2,oops\nq3,p1,2\n", False),
        (b"q1\tmine\t0.5\nq1\tAP\t0.25\nq2\tmine\t0.5\nq2\tAP\t0.5\n", True),
        (b"mine q1 0.5\nmine q2 0.25\nmine all 0.375\n", True),
        (b"model\t1\t2\none\t0.5\t0.25\ntwo\t0.5\t1\n", True),
        (f"query_id,doc_id,{'n' * 5000}\n1,0,0.5\n2,0,0.25\n".encode(), False),
        (b"id,name,price\n1,a,2.5\n2,b,3.5\n", False),
        (b"topic_nr,passage,score\n1,001,0.5\n1,002,0.25\n2,003,1\n", False),
        (b"doc_id,score,clicks\n001,0.5,3\n002,0.25,0\n", False),
        (b"task,page_visits,bm25\n1,0.5,1\n2,0.25,0\n3,1,1\n", True),
    ],
)
def test_values_are_told_from_scores_of_documents(file: Any, expected: bool) -> None:
    assert (values_in(file) is not None) == expected


@pytest.mark.parametrize("header", ["task,a,b", "query_id,a,b", "our tasks,a,b"])
def test_a_cell_of_text_in_a_table_of_values_is_named(header: str) -> None:
    with pytest.raises(
        BadCellError, match=r"line 3: in column 'a' the value 'oops' is not a number; .*; leave the cell empty"
    ):
        values_in(f"{header}\n{BAD}".encode())


def test_a_value_given_twice_is_named_and_many_are_scores_of_documents() -> None:
    with pytest.raises(BadCellError, match="line 14: 'a' has a second value for '3'"):
        values_in(f"{ROWS}8,1,0\n9,1,0\n10,1,0\n11,0,1\n3,.5,.4\n".encode())
    assert values_in((ROWS + ROWS.partition("\n")[2]).encode()) is None

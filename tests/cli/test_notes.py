"""What of the files does not meet the judgments is told on standard error, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.running import SAMPLE, run

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\nq3 0 d 0\n"


def notes(folder: Path, features: dict[str, str], *options: str) -> list[str]:
    (folder / "qrels.txt").write_text(QRELS)
    for name, content in features.items():
        (folder / name).write_text(content)
    result = run("evaluate", folder / "qrels.txt", *(folder / name for name in features), *options)
    assert result.exit_code == 0
    lines = result.stderr.replace(f"{folder}/", "").splitlines()
    assert all(line.startswith("note: ") for line in lines)
    return [line.removeprefix("note: ") for line in lines]


def test_files_that_fit_together_need_no_note() -> None:
    assert run("evaluate", SAMPLE / "qrels.txt", SAMPLE / "clicks.csv", SAMPLE / "indegree.run").stderr == ""


def test_each_fact_is_one_note(tmp_path: Path) -> None:
    lines = "q1 Q0 a 1 1 t\nq1 Q0 x 2 1 t\nq2 Q0 c 1 1 t\nq9 Q0 a 1 1 t\nq9 Q0 b 1 1 t\nq8 Q0 a 1 1 t\n"
    assert notes(tmp_path, {"in.run": lines}) == [
        "in.run: 2 queries are not in the judgments (3 documents left out)",
        "in.run: 1 of 3 judged queries not listed: they count 0",
        "in.run: 2 of 4 judged documents without a score: they stand in no ranking",
        "in.run: 1 of 3 scored documents not judged: they count as not relevant",
    ]


def test_options_change_what_the_notes_say(tmp_path: Path) -> None:
    told = notes(
        tmp_path, {"a.run": "q1 Q0 a 1 1 t\n"}, "--queries", "common", "--missing", "last", "--no-relevant", "skip"
    )
    assert told == [
        "a.run: 2 of 3 judged queries not listed: they count for no feature",
        "a.run: 3 of 4 judged documents without a score: they form one last tie",
        "2 of 3 judged queries left out (--queries common, --no-relevant skip)",
    ]
    assert notes(tmp_path, {"b.csv": table("s", "a 1", "b 1", "c 2", "d 1")}, "--no-relevant", "skip", "-m", "AP") == [
        "1 of 3 judged queries left out (--no-relevant skip)"
    ]


def table(header: str, *rows: str) -> str:
    query_of = {"a": "q1", "b": "q1", "c": "q2", "d": "q3"}
    lines = [",".join([query_of[row[0]], *row.split(" ")]) for row in rows]
    return "\n".join([f"qid,docno,{header}", *lines]) + "\n"


def test_features_of_one_file_share_a_note_with_the_range(tmp_path: Path) -> None:
    wide = table("s,t", "a 1 ", "b 1 2", "c 1 ", "d 1 1")
    assert notes(tmp_path, {"wide.csv": wide}) == [
        "wide.csv: up to 1 of 3 judged queries not listed: they count 0",
        "wide.csv: up to 2 of 4 judged documents without a score: they stand in no ranking",
    ]
    wide = table("s,t", "a 1 ", "b 1 2", "c  1", "d  ")
    assert notes(tmp_path, {"wide.csv": wide})[0] == "wide.csv: 1 to 2 of 3 judged queries not listed: they count 0"


def test_columns_that_are_no_numbers_are_named(tmp_path: Path) -> None:
    one = table("s,title", "a 1 x", "b 1 y", "c 1 z", "d 1 z")
    assert notes(tmp_path, {"one.csv": one}) == ["one.csv: 1 column is not numeric and left out: title"]
    many = table("s,k,l,m,n", "a 1 x x x x", "b 1 y y y y", "c 1 z z z z", "d 1 z z z z")
    assert notes(tmp_path, {"many.csv": many}) == ["many.csv: 4 columns are not numeric and left out: k, l, m, …"]


def test_many_notes_end_in_a_count(tmp_path: Path) -> None:
    runs = {f"{n:02}.run": f"q1 Q0 a 1 1 t{n}\n" for n in range(10)}
    told = notes(tmp_path, runs)
    assert len(told) == 12
    assert told[-1].startswith("9 more notes like these")


@pytest.mark.parametrize("format", ["table", "csv", "json", "markdown", "latex"])
def test_notes_do_not_mix_with_the_result(tmp_path: Path, format: str) -> None:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "a.run").write_text("q1 Q0 a 1 1 t\n")
    result = run("evaluate", tmp_path / "qrels.txt", tmp_path / "a.run", "-f", format)
    assert not re.search("note|not listed", result.stdout)

"""What of the files does not meet the judgments is told on standard error, and nothing else is."""

import re
from pathlib import Path

import pytest

from tests.cli.running import SAMPLE, mistake, run

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\nq3 0 d 0\n"


def lines(folder: Path, features: dict[str, str], *options: str) -> list[str]:
    (folder / "qrels.txt").write_text(QRELS)
    for name, content in features.items():
        (folder / name).write_text(content)
    result = run("evaluate", folder / "qrels.txt", *(folder / name for name in features), *options)
    assert result.exit_code == 0, result.output
    assert not re.search("note|not listed", result.stdout), "notes do not mix with the result"
    return result.stderr.replace(f"{folder}/", "").splitlines()


def notes(folder: Path, features: dict[str, str], *options: str) -> list[str]:
    return [line.removeprefix("note: ") for line in lines(folder, features, *options) if line.startswith("note: ")]


def test_each_fact_is_one_note_and_files_that_fit_together_need_none(tmp_path: Path) -> None:
    lines = "q1 Q0 a 1 1 t\nq1 Q0 x 2 inf t\nq2 Q0 c 1 1 t\nq9 Q0 a 1 1 t\nq9 Q0 b 1 1 t\nq8 Q0 a 1 1 t\n"
    assert notes(tmp_path, {"in.run": lines}) == [
        "'t': queries that are not in the judgments: 2 (documents: 3)",
        "'t': 2 of 4 judged documents without a score: they are not ranked",
        "'t': 1 of 3 scored documents not judged: they count as not relevant",
        "'t': 1 of 3 scores infinite: they rank before (inf) or behind (-inf) all others",
    ]
    assert run("evaluate", SAMPLE / "qrels.txt", SAMPLE / "clicks.csv", SAMPLE / "indegree.run").stderr == ""


def test_options_change_what_the_notes_say(tmp_path: Path) -> None:
    told = notes(
        tmp_path, {"a.run": "q1 Q0 a 1 1 t\n"}, "--queries", "common", "--missing", "last", "--no-relevant", "skip"
    )
    assert told == [
        "'t': 3 of 4 judged documents without a score: they form one tie at the end",
        "2 of 3 judged queries left out (--queries common, --no-relevant skip)",
    ]
    assert notes(tmp_path, {"b.csv": table("s", "a 1", "b 1", "c 2", "d 1")}, "--no-relevant", "skip", "-m", "AP") == [
        "1 of 3 judged queries left out (--no-relevant skip)"
    ]


def table(header: str, *rows: str) -> str:
    query_of = {"a": "q1", "b": "q1", "c": "q2", "d": "q3"}
    lines = [",".join([query_of[row[0]], *row.split(" ")]) for row in rows]
    return "\n".join([f"qid,docno,{header}", *lines]) + "\n"


def test_features_share_a_note_with_the_range_and_columns_that_are_no_numbers_are_named(tmp_path: Path) -> None:
    wide = table("s,t", "a 1 ", "b 1 2", "c 1 ", "d 1 1")
    told = lines(tmp_path, {"wide.csv": wide})[-1]
    assert told.startswith("warning: 't' has no score for 2 of 4 judged documents; these are not ranked, which alone")
    wide = table("s,t", "a 1 ", "b 1 2", "c  ", "d  ")
    assert lines(tmp_path, {"wide.csv": wide})[-1].startswith("warning: 't', 's' have no score for 2 to 3 of 4 judged")
    one = table("s,title", "a 1 x", "b 1 y", "c 1 z", "d 1 z")
    assert notes(tmp_path, {"one.csv": one}) == ["one.csv: 1 column is not read as a feature: 'title'"]
    many = table("s,k,l,m,n", "a 1 x x x x", "b 1 y y y y", "c 1 z z z z", "d 1 z z z z")
    assert notes(tmp_path, {"many.csv": many}) == ["many.csv: 4 columns are not read as features: 'k', 'l', 'm', …"]


ALL = "; --format json has the coverage of every feature"


def test_sixty_runs_are_at_most_five_lines_with_ranges_and_the_name_of_the_run_that_differs(tmp_path: Path) -> None:
    run_of = "q1 Q0 a 1 3 t{0}\nq1 Q0 x 2 2 t{0}\n"
    runs = {f"{n:02}.run": run_of.format(n) + f"q2 Q0 c 1 1 t{n}\n" * (n % 2) for n in range(59)}
    runs["odd.run"] = run_of.format(59) + "q9 Q0 a 1 1 t59\n" + "".join(f"q1 Q0 y{n} 3 1 t59\n" for n in range(9))
    shown = lines(tmp_path, runs)
    assert len(shown) == 5
    assert [line.split(":")[0] for line in shown] == ["warning"] * 2 + ["note"] * 3
    assert shown[1].startswith("warning: 33 % to 91 % of the documents that 60 features rank")
    assert [line.removeprefix("note: ") for line in shown[2:]] == [
        "'t59': queries that are not in the judgments: 1 (documents: 1)",
        f"60 features: 2 to 3 of 4 judged documents without a score: they are not ranked{ALL}",
        "60 features (most of all 't59'): 1 to 10 of 2 to 11 scored documents not judged: they count as not relevant"
        + ALL,
    ]


@pytest.mark.parametrize("command", ["evaluate", "ties", "stability"])
def test_a_feature_that_meets_no_judgment_is_refused_or_left_out_when_asked(command: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "good.run").write_text("q1 Q0 a 1 1 good\nq2 Q0 c 1 1 good\nq3 Q0 d 1 1 good\n")
    (tmp_path / "alien.run").write_text("q1 Q0 A 1 1 alien\nq2 Q0 C 1 1 alien\n")
    asked = (command, *(tmp_path / name for name in ("qrels.txt", "good.run", "alien.run")))
    assert "alien" in mistake(*asked)
    result = run(*asked, "--unmatched", "omit")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("warning: Left out: ")
    assert "good" in result.stdout
    assert "alien" not in result.stdout

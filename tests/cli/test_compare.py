"""`tiecore compare` and `tiecore judges` show what `tiecore.compare` and `tiecore.judges` find."""

import json
import re
from pathlib import Path

import pytest

import tiecore
from tests.cli.running import SAMPLE, answer, mistake, rows_of, same, unexplained
from tiecore.cli.commands import Judges
from tiecore.cli.reports.judges import report as report_of_judges
from tiecore.cli.reports.stability import report_of
from tools import sample_values

TABLE = SAMPLE / "leaderboard.csv"
PRINTED = [SAMPLE / "bm25.eval", SAMPLE / "title_match.eval"]


def test_json_and_csv_hold_what_is_found() -> None:
    found = tiecore.compare(TABLE, "nDCG@10", baseline="bm25", margin=0.02)
    asked = ("compare", TABLE, "-m", "nDCG@10", "--baseline", "bm25", "--margin", "0.02")
    content = json.loads(answer(*asked, "-f", "json"))
    assert list(content) == ["tiecore", "command", "places", "pairs", "compare"]
    same(content["places"], found.ranks.assign(value=found.values["expected"]))
    known = ["leader", "trailer", "difference", "low", "high", "holm", "verdict", "sensitivity"]
    same(rows_of(answer(*asked, "--part", "pairs", "-f", "csv")), found.pairs[known])


def test_nothing_is_said_of_ties_and_every_heading_is_explained() -> None:
    text = " ".join(answer("compare", TABLE).split())
    assert not any(word in text for word in ("tie_risk", "random", "first  ", "tie-break", "queries that a feature"))
    assert "50 queries" in text
    for sheet in report_of([tiecore.compare(TABLE)]).sheets:
        assert unexplained(sheet) <= {"feature"}


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "latex"])
def test_a_level_is_said_wherever_the_usual_one_would_be(form: str, tmp_path: Path) -> None:
    rows = "".join(f"{n},{n % 5},{n % 7},{n % 3}\n" for n in range(30))
    (tmp_path / "values.csv").write_text(f"task,a,b,c\n{rows}")
    asked = ("compare", tmp_path / "values.csv", "--margin", "0.01")
    text = answer(*asked, "--level", "0.99", "-f", form)
    assert not re.search(r"\b95\b|\b0\.05\b|\b5 %|[Qq]uer", text.replace("n_queries", "").replace(r"n\_queries", ""))
    assert text != answer(*asked, "-f", form)
    if form not in ("csv", "json"):
        assert "99 %" in text.replace("\\", "")
        assert "0.01" in text
    assert "30 tasks" in text or form in ("csv", "json")


def test_the_level_of_a_study_goes_with_its_numbers() -> None:
    content = json.loads(answer("compare", TABLE, "--level", ".9", "--margin", ".02", "-f", "json"))
    assert content["compare"] == [{"level": 0.9, "margin": 0.02, "baseline": None}]


def test_of_equal_systems_it_is_not_said_that_every_difference_shows(tmp_path: Path) -> None:
    (tmp_path / "equal.csv").write_text("task,a,b\n" + "".join(f"{n},1,1\n" for n in range(9)))
    assert "these tasks detect a difference of 0" not in answer("compare", tmp_path / "equal.csv")


def test_files_of_trec_eval_are_one_system_each() -> None:
    rows = rows_of(answer("compare", *PRINTED, "-m", "nDCG@10", "--part", "places", "-f", "csv"))
    assert [(row["measure"], row["feature"]) for row in rows] == [("nDCG@10", "bm25"), ("nDCG@10", "title_match")]


def test_ranks_and_losses_turn_the_board() -> None:
    places = [
        {
            row["feature"]: row["place"]
            for row in rows_of(answer("compare", TABLE, *how, "--part", "places", "-f", "csv"))
        }
        for how in ((), ("--aggregate", "borda"), ("--lower-is-better",))
    ]
    assert places[0]["bm25"] == places[1]["bm25"] == "1"
    assert places[2]["bm25"] == "10"


def test_the_leaderboard_can_be_a_figure(tmp_path: Path) -> None:
    answer("compare", TABLE, "-o", tmp_path / "board.svg")
    assert "quality_score" in (tmp_path / "board.svg").read_text()


def test_the_sample_files_follow_from_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ("leaderboard.csv", "bm25.eval", "title_match.eval", "second_judge.txt")
    for path in SAMPLE.iterdir():
        if path.name not in made:
            (tmp_path / path.name).symlink_to(path)
    monkeypatch.setattr(sample_values, "FOLDER", tmp_path)
    sample_values.main()
    assert all((tmp_path / name).read_bytes() == (SAMPLE / name).read_bytes() for name in made)


def test_that_values_are_of_different_queries_is_said_first() -> None:
    note = answer("compare", TABLE, "--part", "places", width=300).partition("quality_score")[2].splitlines()[1]
    assert note.startswith("Not every feature lists all 50 queries:")


RUNS = [SAMPLE / name for name in ("bm25.run.gz", "clicks.csv", "title_match.json")]
JUDGES = {"human": SAMPLE / "qrels.txt", "model": SAMPLE / "second_judge.txt"}
OF_JUDGES = ("judges", *RUNS, *(part for name, file in JUDGES.items() for part in ("--judgments", f"{name}={file}")))


def test_json_and_csv_hold_what_judges_are_found_to_say() -> None:
    found = tiecore.judges(JUDGES, RUNS, "AP", draws=1000, seed=0)  # as docs/judges.md says
    content = json.loads(answer(*OF_JUDGES, "-m", "AP", "-f", "json"))
    tables = {"leaderboards": found.leaderboards, "agreement": found.agreement, "only": found.only}
    assert list(content) == ["tiecore", "command", *tables]
    for name, table in tables.items():
        same(content[name], table)
    rows = rows_of(answer(*OF_JUDGES, "--part", "agreement", "-f", "csv"))
    assert [(row["judge_a"], row["judge_b"], row["n_queries"]) for row in rows] == [("human", "model", "50")]


def test_the_text_shows_pairs_that_turn_round_when_asked_and_explains_every_heading() -> None:
    text = answer(*OF_JUDGES)
    assert "the other way round under" not in text
    assert "clearly the other way round under another judge" in answer(*OF_JUDGES, "--part", "reversed")
    run, *runs = map(str, RUNS)
    request = Judges(
        qrels=run, features=tuple(runs), judgments=tuple(f"{name}={file}" for name, file in JUDGES.items())
    )
    sheets = report_of_judges(request).sheets
    assert all(unexplained(sheet) <= {"feature", "judge", "judge_a", "judge_b"} for sheet in sheets)


def test_mistakes_about_judges_are_one_line() -> None:
    assert "expected --judgments NAME=FILE" in mistake("judges", *RUNS, "--judgments", SAMPLE / "qrels.txt")
    assert "two judges or more, each by its name, found 'human'" in mistake(*OF_JUDGES[:-2])
    assert "each with its own name" in mistake(*OF_JUDGES, *OF_JUDGES[-2:])
    assert "there is no part 'pairs'" in mistake(*OF_JUDGES, "--part", "pairs")
    assert "Missing option '--judgments'" in mistake("judges", *RUNS)
    assert "it is one of the inputs" in mistake(*OF_JUDGES, "-o", JUDGES["model"])

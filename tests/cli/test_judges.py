"""`tiecore judges` shows what `tiecore.judges` finds."""

import json

import tiecore
from tests.cli.running import SAMPLE, answer, mistake, rows_of, same, unexplained
from tiecore.cli.commands import Judges
from tiecore.cli.reports.judges import report

FILES = [SAMPLE / name for name in ("bm25.run.gz", "clicks.csv", "title_match.json")]
JUDGES = {"human": SAMPLE / "qrels.txt", "model": SAMPLE / "second_judge.txt"}
ASKED = ("judges", *FILES, *(part for name, file in JUDGES.items() for part in ("--judgments", f"{name}={file}")))


def test_json_and_csv_hold_what_is_found() -> None:
    found = tiecore.judges(JUDGES, FILES, "AP", seed=3, draws=200)
    content = json.loads(answer(*ASKED, "-m", "AP", "--seed", 3, "--draws", 200, "-f", "json"))
    tables = {"leaderboards": found.leaderboards, "agreement": found.agreement, "only": found.only}
    assert list(content) == ["tiecore", "command", *tables]
    for name, table in tables.items():
        same(content[name], table)
    rows = rows_of(answer(*ASKED, "--part", "agreement", "-f", "csv"))
    assert [(row["judge_a"], row["judge_b"], row["n_queries"]) for row in rows] == [("human", "model", "50")]


def test_the_text_shows_pairs_that_turn_round_when_asked_and_explains_every_heading() -> None:
    text = answer(*ASKED)
    assert "the other way round under" not in text
    assert "clearly the other way round under another judge" in answer(*ASKED, "--part", "reversed")
    run, *runs = map(str, FILES)
    request = Judges(
        qrels=run, features=tuple(runs), judgments=tuple(f"{name}={file}" for name, file in JUDGES.items())
    )
    sheets = report(request).sheets
    assert all(unexplained(sheet) <= {"feature", "judge", "judge_a", "judge_b"} for sheet in sheets)


def test_mistakes_are_one_line() -> None:
    assert "expected --judgments NAME=FILE" in mistake("judges", *FILES, "--judgments", SAMPLE / "qrels.txt")
    assert "two judges or more, each by its name, found 'human'" in mistake(*ASKED[:-2])
    assert "each with its own name" in mistake(*ASKED, *ASKED[-2:])
    assert "there is no part 'pairs'" in mistake(*ASKED, "--part", "pairs")
    assert "Missing option '--judgments'" in mistake("judges", *FILES)
    assert "it is one of the inputs" in mistake(*ASKED, "-o", JUDGES["model"])

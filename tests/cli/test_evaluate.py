"""What `tiecore evaluate` answers is what `tiecore.evaluate` computes, in every format."""

import gzip
import json
import re
from typing import Any

import pytest

import tiecore
from tests.cli.running import TINY, TINY_FILES, answer, mistake, rows_of, same
from tiecore.cli.fields import listed

MEASURES = ("P@3", "AP", "ESL")
TIES = ("docid-desc", "random:3")


@pytest.fixture(scope="module")
def evaluation() -> tiecore.Evaluation:
    return tiecore.evaluate(TINY_FILES[0], TINY_FILES[1:], MEASURES, TIES)


def asked(*further: object) -> tuple[object, ...]:
    names = [argument for name in MEASURES for argument in ("-m", name)]
    return ("evaluate", *TINY_FILES, *names, "-t", ",".join(TIES), *further)


def test_csv_and_json_hold_every_digit_of_every_leaderboard(evaluation: tiecore.Evaluation) -> None:
    content = json.loads(answer(*asked("-f", "json")))
    for rows in (content["summary"], rows_of(answer(*asked("-f", "csv")))):
        for name in MEASURES:
            of_measure = [row for row in rows if row["measure"] == name]
            assert [row["feature"] for row in of_measure] == list(evaluation.leaderboard(name).index)
            assert list(of_measure[0]) == ["measure", "feature", *evaluation.leaderboard(name)]
            same(of_measure, evaluation.leaderboard(name))
    assert content["command"] == "evaluate"
    assert [row["sd"] for row in content["summary"] if row["measure"] == "ESL"] == [None, None]
    assert [row["feature"] for row in content["coverage"]] == list(evaluation.features)


def test_csv_of_every_query_holds_every_digit(evaluation: tiecore.Evaluation) -> None:
    rows = rows_of(answer(*asked("--per-query", "--format", "csv")))
    table = evaluation.per_query.reset_index()
    assert list(rows[0]) == list(table.columns)
    keys = ["measure", "feature", "query_id"]
    assert [[row[key] for key in keys] for row in rows] == table[keys].to_numpy().tolist()
    same(rows, table)


def test_each_measure_is_a_block_with_its_features_in_order(evaluation: tiecore.Evaluation) -> None:
    blocks = answer(*asked(), width=120).split("\n\n")
    for name, block in zip(MEASURES, blocks, strict=False):
        title, heading, *rows = block.splitlines()
        assert title.startswith(f"{name} · 3 queries")
        assert heading.split()[:6] == ["#", "feature", "expected", "sd", "worst", "best"]
        board = evaluation.leaderboard(name)
        assert [row.split()[1] for row in rows] == list(board.index)
        assert [row.split()[2] for row in rows] == [f"{value:.4f}" for value in board["expected"]]


def test_a_lower_is_better_measure_says_so_and_runs_from_worst_to_best(evaluation: tiecore.Evaluation) -> None:
    title, heading, *_ = answer("evaluate", *TINY_FILES, "-m", "ESL").splitlines()
    assert title.endswith("lower is better")
    board = evaluation.leaderboard("ESL")
    left, right = map(float, heading.split()[-2:])
    assert (left, right) == pytest.approx((board["worst"].max(), board["best"].min()), abs=1e-4)


def test_a_measure_without_a_variance_has_a_dash_and_the_reason() -> None:
    text = answer("evaluate", *TINY_FILES, "-m", "ESL,PRR,GMAP")
    assert " – " in text.splitlines()[2]
    assert "no closed form for ESL, PRR, GMAP" in text.replace("\n", " ")
    assert "PRR, GMAP: computed from an expectation" in text
    assert "no closed form" not in answer("evaluate", *TINY_FILES, "-m", "AP")
    for format in ("markdown", "latex"):
        assert "no closed form for ESL" in answer("evaluate", *TINY_FILES, "-m", "ESL", "-f", format)


def test_places_under_a_tie_break_have_an_arrow_where_they_are_others() -> None:
    # worked by hand in the folder: by RR visits leads in expectation, and stars under docid-desc
    text = answer("evaluate", *TINY_FILES, "-m", "RR", "-t", "docid-desc", width=120)
    places = dict(re.findall(r"(visits|stars) .*#(\d.)", text))
    assert places == {"visits": "2↓", "stars": "1↑"}


def test_every_query_of_every_feature_has_a_row() -> None:
    text = answer("evaluate", *TINY_FILES, "-m", "RR", "--per-query", "-t", "input", width=120)
    assert re.findall(r"^RR · \w+", text, flags=re.M) == ["RR · visits", "RR · stars"]
    assert re.findall(r"^q\d", text, flags=re.M) == ["q1", "q2", "q3"] * 2
    assert "query: " not in text


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ([], []),
        (["P@10,AP", "RR"], ["P@10", "AP", "RR"]),
        (["nDCG(dcg='exp-log2')@10, RBP(p=0.8, rel=2),AP"], ["nDCG(dcg='exp-log2')@10", "RBP(p=0.8, rel=2)", "AP"]),
        ([" AP , RR "], ["AP", "RR"]),
        ([r"feature:a\,b,input"], ["feature:a,b", "input"]),
        (["a)b,c"], ["a)b", "c"]),
    ],
)
def test_names_are_listed_with_commas_but_brackets_keep_theirs(given: list[str], names: list[str]) -> None:
    assert list(listed(given)) == names


def test_every_option_reaches_the_computation() -> None:
    chosen: dict[str, Any] = {"queries": "common", "no_relevant": "skip", "missing": "last", "precision": "decimals:0"}
    options = [part for name, value in chosen.items() for part in (f"--{name.replace('_', '-')}", value)]
    rows = rows_of(answer("evaluate", *TINY_FILES, *options, "--ascending", "stars", "-m", "AP", "-f", "csv"))
    wanted = tiecore.evaluate(TINY_FILES[0], TINY_FILES[1:], ["AP"], ascending=["stars"], **chosen).leaderboard("AP")
    assert [float(row["expected"]) for row in rows] == wanted["expected"].tolist()


@pytest.mark.parametrize("command", [["evaluate"], ["stability"], ["ties"]])
def test_only_the_features_that_are_named_take_part(command: list[str]) -> None:
    rows = rows_of(answer(*command, *TINY_FILES, "--only", "stars", "-f", "csv"))
    assert {row["feature"] for row in rows if row.get("feature")} == {"stars"}


def test_standard_input_is_a_file_called_minus() -> None:
    run_file = gzip.compress((TINY / "visits.run").read_bytes())
    piped = answer("evaluate", TINY / "qrels.txt", "-", "-f", "csv", input=run_file)
    assert piped == answer("evaluate", TINY / "qrels.txt", TINY / "visits.run", "-f", "csv")
    assert "once only" in mistake("evaluate", "-", "-")


def test_the_sd_of_ties_is_not_taken_for_one_over_queries() -> None:
    text = " ".join(answer("evaluate", *TINY_FILES).split())
    assert "random tie-breaks (standard deviation), not over queries: tiecore stability has the intervals" in text

"""A tie-break that puts relevant documents first is named; chance is not."""

from pathlib import Path
from typing import Any

import pytest
from matplotlib.text import Text

import tiecore
from tests.batches import run_lines
from tests.cli.running import answer
from tests.pages import SAMPLE
from tiecore.evaluation.suspicious import suspicions, suspicious

QRELS = {f"q{n}": {f"d{d}": int(d < 2) for d in range(10)} for n in range(30)}
CONSTANT: Any = {"constant": {query: dict.fromkeys(grades, 1.0) for query, grades in QRELS.items()}}
FALLING: Any = {"constant": {query: dict.fromkeys(reversed(grades), 1.0) for query, grades in QRELS.items()}}


@pytest.mark.parametrize("measure", ["RR", "nDCG@5"])
def test_a_file_that_lists_positives_first_is_named(measure: str) -> None:
    (found,) = suspicions(tiecore.evaluate(QRELS, CONSTANT, [measure, "P@5"], ["input", "input-reversed", "random:1"]))
    assert found.startswith("input gives constant ")
    assert f" in {measure}, near the best that ties allow" in found
    (found,) = suspicions(tiecore.evaluate(QRELS, FALLING, [measure], ["input", "input-reversed"]))
    assert found.startswith("input-reversed gives constant ")


def test_many_features_take_one_sentence() -> None:
    many: Any = {f"f{n}": CONSTANT["constant"] for n in range(20)}
    (found,) = suspicions(tiecore.evaluate(QRELS, many, ["RR", "nDCG@5"], ["input", "random:1"]))
    assert found.startswith("input gives f0 ")
    assert found.endswith("does that order know the grades? The same holds for 19 more features.")


def test_a_notebook_and_a_figure_name_it_too() -> None:
    found = tiecore.evaluate(QRELS, CONSTANT, ["RR"], ["input"])
    assert "input gives constant 1.0000 in RR, near the best" in found._repr_html_()
    figure = found.plot.board()
    written = " ".join(text.get_text() for text in figure.findobj(Text))
    assert "file order gives constant 1.0000 in RR, near the best" in " ".join(written.split())


@pytest.mark.parametrize("tie_break", ["best", "feature:oracle"])
def test_an_order_that_is_meant_to_know_is_not_named(tie_break: str) -> None:
    features = CONSTANT | {"oracle": {query: {d: float(g) for d, g in own.items()} for query, own in QRELS.items()}}
    assert not list(suspicions(tiecore.evaluate(QRELS, features, ["RR"], [tie_break])))


def test_chance_and_few_queries_are_not_named() -> None:
    files = [SAMPLE / name for name in ("clicks.csv", "title_match.json", "bm25.run.gz", "indegree.run")]
    orders = [*(f"random:{seed}" for seed in range(40)), "docid-asc", "docid-desc"]
    assert not list(suspicions(tiecore.evaluate(SAMPLE / "qrels.txt", files, ["RR", "nDCG@10", "GMAP"], orders)))
    few = {query: QRELS[query] for query in list(QRELS)[:1]}
    assert not list(suspicions(tiecore.evaluate(few, CONSTANT, ["RR"], ["input"])))
    assert not list(suspicions(tiecore.evaluate(QRELS, CONSTANT, ["RR"], ["input"], statistics=["expected"])))


def test_the_command_names_it_beside_the_values(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "constant.run"
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, own in QRELS.items() for d, g in own.items()))
    run.write_text(run_lines(CONSTANT["constant"], "constant"))
    for command in ("evaluate", "stability"):
        text = " ".join(answer(command, qrels, run, "-m", "RR", "-t", "input").split())
        assert "input gives constant 1.0000 in RR, near the best that ties allow (1.0000)" in text
        assert "does that order know" not in answer(command, qrels, run, "-m", "RR", "-t", "random:1")


@pytest.mark.parametrize(("value", "is_odd"), [(0.5, True), (1.9, False), (4.0, False), (3.0, False)])
def test_lower_values_can_be_the_better_ones(value: float, is_odd: bool) -> None:
    board: dict[str, list[Any]] = {"feature": ["f"], "input": [value], "expected": [3.0], "sd": [0.5], "best": [0.2]}
    assert bool(suspicious({tiecore.measure("ESL"): board}, ["input"])) == is_odd

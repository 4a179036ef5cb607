"""What the measurements stand on: generated data of the known shape, and the table writer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench import __main__ as command
from bench import coverage
from bench.clock import Outcome
from bench.generate import FEATURES, GRADE_SHARES, Block, blocks, document_ids
from bench.report import Setting, report
from bench.rows import ROWS
from bench.rows.base import Check, Row, Verdict
from bench.run import PROCESS, ChildFailedError, Contender, Measured, run_once, summed_up
from bench.waits import report as report_of_waits

ROOT = Path(command.__file__).parent.parent
SETTING = Setting(
    command="python -m bench",
    runs=1,
    date="2008-03-30",
    processor="an abacus",
    cores=2,
    memory="1 GB",
    system="none",
    versions={"tiecore": "0"},
    load="0.0",
)


@pytest.fixture(scope="module")
def one_block() -> Block:
    return next(blocks(500))


# --- the data ---------------------------------------------------------------------------------------------------------


def test_lists_and_grades_are_those_of_the_set_they_imitate(one_block: Block) -> None:
    length = np.bincount(one_block.query)
    assert (len(length), len(FEATURES)) == (500, 136)
    assert 100 < np.median(length) < 103 * 1.1
    assert 1 <= length.min() <= length.max() <= 1251
    shares = np.bincount(one_block.grade, minlength=5) / len(one_block.grade)
    np.testing.assert_allclose(shares, GRADE_SHARES, rtol=0, atol=0.05)
    clicks = one_block.values("query_url_clicks") > 0
    assert clicks[one_block.grade > 1].mean() > 1.5 * clicks[one_block.grade == 0].mean()
    ids = document_ids(one_block)
    assert len(np.unique(ids)) == len(ids)
    assert 0.3 < (ids[1:] > ids[:-1]).mean() < 0.7


@pytest.mark.parametrize(
    ("name", "zero", "tied", "mean_tie"),
    [
        ("indegree", 0.35, 0.65, 2.2),
        ("outdegree", 0.48, 0.94, 7.0),
        ("url_slashes", 0.0, 0.99, 17.5),
        ("query_url_clicks", 0.97, 0.98, 30.0),
    ],
)
def test_features_are_as_tied_as_the_ones_they_imitate(
    one_block: Block, name: str, zero: float, tied: float, mean_tie: float
) -> None:
    values = one_block.values(name)
    assert values.dtype == np.int32
    _, size = np.unique(one_block.query * 10_000_000_000 + values, return_counts=True)
    assert np.mean(values == 0) == pytest.approx(zero, abs=0.03)
    assert size[size > 1].sum() / len(values) == pytest.approx(tied, abs=0.06)
    assert size.mean() == pytest.approx(mean_tie, rel=0.15)


def test_a_smaller_set_is_the_beginning_of_a_larger_one(one_block: Block) -> None:
    small, large = list(blocks(20)), list(blocks(520))
    assert [len(np.unique(block.query)) for block in large] == [500, 20]
    np.testing.assert_array_equal(small[0].grade, one_block.grade[: len(small[0].query)])
    np.testing.assert_array_equal(large[0].values("bm25_whole"), one_block.values("bm25_whole"))


# --- runs and the table -----------------------------------------------------------------------------------------------


def test_the_median_of_several_runs_counts() -> None:
    runs: list[tuple[Outcome, float]] = [
        ({"times": {"work": [(seconds, 0.5), (9.0, 9.0), (seconds, 0.5)]}}, peak)
        for seconds, peak in ((1.0, 5.0), (3.0, 7.0), (2.0, 6.0))
    ]
    found = summed_up(runs)
    assert found.seconds == {"work": 2.0}
    assert found.spread == {"work": (1.0, 3.0)}
    assert found.processor == {"work": 0.5}
    assert found.peak == 6.0


@pytest.mark.parametrize(
    ("task", "longest", "told"),
    [("files.no_such_task", 60.0, "no_such_task"), ("files.write", 0.01, "ended with status")],
)
def test_a_child_that_fails_or_hangs_is_ended_and_says_why(task: str, longest: float, told: str) -> None:
    with pytest.raises(ChildFailedError, match=told):
        run_once(task, {}, longest=longest)


def test_every_task_exists() -> None:
    for row in ROWS.values():
        for contender in row.contenders.values():
            module, name = contender.task.split(".")
            assert f"def {name}(" in (ROOT / "bench" / "tasks" / f"{module}.py").read_text(encoding="utf-8")


def test_a_row_of_which_nothing_could_be_measured_is_still_written() -> None:
    found = {name: {key: Measured(problem="no luck") for key in row.contenders} for name, row in ROWS.items()}
    written = report(ROWS, found, SETTING)
    assert written.count("no luck") >= len(ROWS)
    assert "not met" not in written


def test_the_report_holds_marks_ratios_and_checks() -> None:
    row = Row(
        title="A race",
        text="How it was run.",
        contenders={
            name: Contender(tool=name, gives="a place", task="none.none", part=PROCESS) for name in ("hare", "hedgehog")
        },
        verdicts=lambda results: [
            Verdict("run", "≥ 2 ×", f"{results['hare'].seconds[PROCESS]:g} s", True),
            Verdict("sleep", "never", "once", False),
            Verdict("fly", "far", "not measured", None),
        ],
        checks=lambda _: [Check("the same field", 0.5, 0.1)],
    )
    found = {
        "hare": Measured(
            seconds={PROCESS: 0.02}, spread={PROCESS: (0.01, 0.03)}, peak=1234.0, processor={PROCESS: 0.03}
        ),
        "hedgehog": Measured(seconds={PROCESS: 2.0}, spread={PROCESS: (2.0, 2.0)}, peak=5.0, processor={PROCESS: 1.5}),
    }
    written = report({"race": row}, {"race": found}, SETTING)
    assert "| hare | a place | 20 ms | (10 ms – 30 ms) | 1.00 | 30 ms | 1,234 MB |" in written
    assert "| hedgehog | a place | 2 s | (2 s – 2 s) | 100.00 | 1.5 s | 5 MB |" in written
    assert "| run | ≥ 2 × | 0.02 s | met |" in written
    assert "| sleep | never | once | **not met** |" in written
    assert "* the same field: **differs** (largest difference 5.0e-01, tolerance 0.1)" in written


def test_waits_are_reported_with_the_marks_that_they_can_be_held_against() -> None:
    waits = {
        "bare page: first picture": [2.0, 1.0, 3.0],
        "table: first picture": [2.2],
        "143 runs, page Pairs": [7.0],
        "bare page: a change": [0.2],
    }
    written = report_of_waits(waits, runs=3, load=0.5)
    assert "| bare page: first picture | 2.00 | 1.00 | 3.00 |" in written
    assert "| table: first picture | ≤ 1.2 × bare page: first picture | 1.10 × | met |" in written
    assert "| 143 runs, page Pairs | ≤ 3 × bare page: first picture | 3.50 × | **not met** |" in written
    assert "page Ties" not in written, "what was not measured has no mark"
    assert "| mark |" not in report_of_waits({"sample: first picture": [1.0]}, runs=1, load=0.5)


def test_the_measuring_process_loads_nothing_large() -> None:
    # a child's peak of memory begins with that of its parent
    code = "import sys, bench.__main__; print(sorted({'numpy', 'pandas', 'pyarrow', 'tiecore'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


# --- how often claims hold --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def claims() -> pd.DataFrame:
    """Shares of the table in bench/COVERAGE.md, of which docs/evidence.md tells the extremes."""
    lines = [line for line in (ROOT / "bench" / "COVERAGE.md").read_text(encoding="utf-8").splitlines() if "| " in line]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]
    columns = ["data", "measure", "queries", "false", "plain false", "found", "plain found", "sets"]
    table = pd.DataFrame(cells, columns=columns)
    table[columns[3:]] = table[columns[3:]].replace("–", np.nan).astype(float)
    return table


def test_false_claims_are_as_rare_and_true_differences_are_found_as_often_as_demanded(claims: pd.DataFrame) -> None:
    most = dict.fromkeys(("P@10", "AP", "RR", "nDCG@10"), 0.08) | {"Success@5": 0.13}
    equal = claims[claims["data"].str.contains("equal") & claims["measure"].isin(most)]
    assert len(equal) == 3 * len(most)
    assert (equal["false"] <= equal["measure"].map(most)).all()
    ndcg = claims[claims["data"].str.contains("as they are") & (claims["measure"] == "nDCG@10")]
    assert (ndcg["found"] >= ndcg["plain found"] - 0.02).all()


def test_the_evidence_tells_the_extremes_of_the_table(claims: pd.DataFrame) -> None:
    def extremes(shares: pd.Series) -> str:
        return f"{100 * shares.min():.0f} to {100 * shares.max():.0f} %"

    text = " ".join((ROOT / "docs" / "evidence.md").read_text(encoding="utf-8").split())
    equal = claims[claims["data"].str.contains("equal")]
    is_hard = equal["measure"].isin(["Success@5", "R@10"])
    rare = claims[claims["data"].str.contains("hits due")]
    for told in (
        f"clear in {extremes(equal['false'][~is_hard])} of the studies",
        f"in {extremes(equal['false'][is_hard])} by Success@5 and R@10",
        f"up to {100 * rare['plain false'].max():.0f} % of the studies",
        f"tiecore in at most {100 * rare['false'].max():.0f} %",
        f"Place sets hold in {extremes(claims['sets'])} of the studies",
    ):
        assert told in text


def test_a_row_of_coverage_can_be_measured_again() -> None:
    row = coverage.real_rows({"RR": coverage.sample()["RR"]}, "sample")[2]
    assert (row.data, row.n_queries) == ("sample, means equal", 50)
    found = coverage.measured(row, repetitions=3)
    assert 0 <= found.false <= 1
    assert coverage.table([(row, found)]).splitlines()[-1].startswith("| sample, means equal | RR | 50 | ")

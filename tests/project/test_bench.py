"""What the measurements stand on: generated data of the known shape, and the table writer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench import __main__ as command
from bench import coverage
from bench.generate import FEATURES, GRADE_SHARES, blocks, document_ids
from bench.report import Setting, report
from bench.rows import ROWS
from bench.rows.base import Check, Row, Verdict
from bench.run import PROCESS, Contender, Measured

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


def test_lists_grades_and_ties_are_those_of_the_set_they_imitate() -> None:
    one_block = next(blocks(500))
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
    for name, zero, tied in (("indegree", 0.35, 0.65), ("outdegree", 0.48, 0.94), ("query_url_clicks", 0.97, 0.98)):
        values = one_block.values(name)
        _, size = np.unique(one_block.query * 10_000_000_000 + values, return_counts=True)
        assert np.mean(values == 0) == pytest.approx(zero, abs=0.03)
        assert size[size > 1].sum() / len(values) == pytest.approx(tied, abs=0.06)


def test_every_task_exists_and_a_row_of_which_nothing_could_be_measured_is_still_written() -> None:
    for row in ROWS.values():
        for contender in row.contenders.values():
            module, name = contender.task.split(".")
            assert f"def {name}(" in (ROOT / "bench" / "tasks" / f"{module}.py").read_text(encoding="utf-8")
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

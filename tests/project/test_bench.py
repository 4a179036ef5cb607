"""What the measurements stand on: generated data of the known shape, and the table writer."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from bench import __main__ as command
from bench import claims as bench_claims
from bench.generate import FEATURES, GRADE_SHARES, blocks, document_ids
from bench.published import main
from bench.report import Setting, report
from bench.rows.all_rows import ROWS
from bench.rows.base import Check, Row, Verdict
from bench.run import PROCESS, Contender, Measured
from bench.ties_elsewhere import Case, Trial, cases, known_orders, pytrec_eval_trials, sklearn_trials, tried
from tests.batches import run_lines

ROOT = Path(command.__file__).parent.parent
SETTING = Setting(command="python -m bench", runs=1, date="2008-03-30", machine="An abacus.")


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
    racers = {name: Contender(tool=name, gives="a place", task="none.none", part=PROCESS) for name in ("hare", "snail")}
    marks = [Verdict("run", "≥ 2 ×", "0.02 s", True), Verdict("sleep", "never", "once", False)]
    checks = [Check("the same field", 0.5, 0.1)]
    row = Row(title="A race", text="", contenders=racers, verdicts=lambda _: marks, checks=lambda _: checks)
    measured: dict[str, Any] = {
        "seconds": {PROCESS: 0.02},
        "spread": {PROCESS: (0.01, 0.03)},
        "processor": {PROCESS: 0.03},
    }
    hare = Measured(**measured, peak=1234.0)
    found = {"hare": hare, "snail": Measured(**measured | {"seconds": {PROCESS: 2.0}}, peak=5.0)}
    written = report({"race": row}, {"race": found}, SETTING)
    assert "| hare | a place | 20 ms | (10 ms – 30 ms) | 1.00 | 30 ms | 1,234 MB |" in written
    assert "| snail | a place | 2 s | (10 ms – 30 ms) | 100.00 | 30 ms | 5 MB |" in written
    assert "| run | ≥ 2 × | 0.02 s | met |" in written
    assert "| sleep | never | once | **not met** |" in written
    assert "* the same field: **differs** (largest difference 5.0e-01, tolerance 0.1)" in written


@pytest.fixture(scope="module")
def claims() -> pd.DataFrame:
    """Shares of the table in bench/CLAIMS.md, of which docs/evidence.md tells the extremes."""
    lines = [line for line in (ROOT / "bench" / "CLAIMS.md").read_text(encoding="utf-8").splitlines() if "| " in line]
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


def test_a_row_of_claims_can_be_measured_again() -> None:
    row = bench_claims.real_rows({"RR": bench_claims.sample()["RR"]}, "sample")[2]
    assert (row.data, row.n_queries) == ("sample, means equal", 50)
    found = bench_claims.measured(row, repetitions=3)
    assert 0 <= found.false <= 1
    assert bench_claims.table([(row, found)]).splitlines()[-1].startswith("| sample, means equal | RR | 50 | ")


HIDDEN = 1e-9
"""Too small a difference for single precision."""
QRELS = "1 0.5 a 2\n1 1 b 0\n1 1 c 1\n2 1 a 0\n2 1 b 1\n"


@pytest.fixture
def trec_covid(tmp_path: Path) -> Path:
    """Make a clone of three runs: one without ties, one with ties in single precision alone, one that is lacking."""
    folder = tmp_path / "round1"
    (folder / "runs").mkdir(parents=True)
    (folder / "qrels").mkdir()
    (folder / "qrels" / "qrels-rnd1.txt").write_text(QRELS, encoding="utf-8")
    clear = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    nearly = {"1": {"a": 3.0, "c": 2.0, "b": 1.0}, "2": {"b": 1.0 + HIDDEN, "a": 1.0}}
    for name, scores in (("clear", clear), ("nearly", nearly)):
        (folder / "runs" / name).write_text(run_lines(scores, name), encoding="utf-8")
    # by hand: AP of clear is (5/6 + 1/2)/2; in single precision nearly has b before a by id as well, so 1 and 1
    (folder / "leaderboard.csv").write_text(
        "team,run,p@5,ndcg@10,map\nx,clear,0.3,0.7906,0.6667\nx,nearly,0.3,1,1\nx,away,0.1,0.1,0.1\n", encoding="utf-8"
    )
    (folder / "leaderboard-older.csv").write_text("run,ndcg@10\nclear,0.1\n", encoding="utf-8")
    return tmp_path


def changed(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def test_official_values_stand_beside_ours(trec_covid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(trec_covid)]) == 0
    shown = capsys.readouterr().out
    assert "2 of the 3 runs that leaderboard.csv names" in shown
    assert "| clear | 0.6667 | 0.6667 | 0.6667 | 0.6667 | 0.6667 | 0.6667 | 2 | 2 |" in shown
    assert "* scores in double precision: 2 (clear, nearly)" in shown
    assert "0 of 2 places change" in shown


def test_what_comes_out_otherwise_or_not_is_told_apart(trec_covid: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = trec_covid / "round1"
    changed(folder / "runs" / "nearly", "2 Q0 b 1 1.000000001", "2 Q0 b 1 0.999999999")
    (folder / "runs" / "clear").rename(folder / "clear")  # a part may lie flat in one folder
    assert main([str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "* scores in double precision: 1 (clear)\n* scores in single precision: 1 (nearly)\n" in shown
    changed(folder / "leaderboard.csv", "0.7906", "")
    assert main([str(folder)]) == 0
    assert "| clear |  | 0.7906 |" in capsys.readouterr().out
    changed(folder / "leaderboard.csv", "clear,0.3,,", "clear,0.3,0.7907,")
    assert main([str(folder)]) == 1
    found = capsys.readouterr()
    assert "* neither: 1 (clear)" in found.out
    assert found.err == "does not come out: run clear\n"


def test_overlap_is_met_to_six_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # (a b) against a b with p = 1/2: from depth 2 on all agrees, at depth 1 w gives 2/3, a gives 1/2, b 1/sqrt(2)
    head = ["x,y,p", *(f"{ties}.{part}" for ties in "wab" for part in ("ext", "min", "max", "res"))]
    least = 0.5**2 * 1 + (0.6931471805599453 - 0.5 - 0.125) * 2  # (1-p)/p (p^2 A_2 + 2 (ln 2 - p - p^2/2))
    values = []
    for at_one in (2 / 3, 0.5, 0.5**0.5):
        ext = 0.5 * at_one + 0.5
        values += [ext, 0.5 * at_one + least, ext, 0.5 - least]
    (tmp_path / "rbo").mkdir()
    path = tmp_path / "rbo" / "test.csv"
    path.write_text(",".join(head) + "\n(a b),a b,0.5," + ",".join(map(repr, values)) + "\n", encoding="utf-8")
    assert main([str(tmp_path)]) == 0
    assert "| b | 1 of 1 |" in capsys.readouterr().out
    values[4] += 2e-6
    path.write_text(",".join(head) + "\n(a b),a b,0.5," + ",".join(map(repr, values)) + "\n", encoding="utf-8")
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().err == "does not come out: pair 1, variant a\n"


def _row(trial: Trial) -> list[str]:
    drawn = cases(6)
    return tried(trial, drawn, {variant: known_orders(drawn[variant], trial.measure) for variant in drawn})[1:]


def _reciprocal_rank(key: Callable[[str, int], object]) -> Callable[[Case], float]:
    def value(case: Case) -> float:
        ids = sorted(case.ids, key=lambda doc: key(doc, case.ids.index(doc)))  # type: ignore[arg-type, return-value]
        order = sorted(ids, key=lambda doc: -case.run[doc])
        return 1 / next(rank for rank, doc in enumerate(order, start=1) if case.qrels[doc])

    return value


@pytest.mark.parametrize(
    ("value", "equals", "lines_matter", "names_matter"),
    [
        (_reciprocal_rank(lambda doc, line: doc), "docid-asc", False, True),
        (_reciprocal_rank(lambda doc, line: line), "input", True, False),
        (_reciprocal_rank(lambda doc, line: (int(doc[1:]) % 3, line)), "no fixed order", True, True),
        (lambda one: tiecore.moments("RR", scores=[*one.scores], grades=one.grades).expected, "expected", False, False),
        (lambda case: 2.0, "no order: outside worst and best in 6", False, False),
    ],
)
def test_an_order_is_told_by_its_values(
    value: Callable[[Case], float], equals: str, lines_matter: bool, names_matter: bool
) -> None:
    found, lines, names = _row(Trial("none", "RR", "rr", value))
    assert found == equals
    assert (lines != "never") == lines_matter
    assert (names != "never") == names_matter


@pytest.mark.parametrize("trials", [pytrec_eval_trials, sklearn_trials])
def test_tools_at_hand_do_what_the_readme_says(trials: Callable[[], Iterator[Trial]]) -> None:
    neither = ("average_precision_score", "label_ranking_average_precision_score")
    said = {"ndcg_score(k=5)": "expected"} | dict.fromkeys(neither, "no")
    for trial in trials():
        assert _row(trial)[0].startswith(said.get(trial.call, "docid-desc")), trial.call

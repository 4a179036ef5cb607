"""The code and the command beside a page give what the page shows."""

import csv
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from tests.cli.running import run
from tests.dashboard.conftest import TINY_QRELS, TINY_TABLE, code_of, codes_of, go, open_app, run_of
from tiecore.diagnostics import advice, anatomy, bias, blame, precision_board
from tiecore.evaluation.result import Evaluation

OPENED = {f"{name}_exports": True for name in ("pairs", "queries", "cutoffs", "ties", "bias", "precision", "repairs")}
"""The boxes to take things away from make nothing before they are opened."""
RR: dict[str, str | list[str]] = {"measure": "RR", "k": "none", "tie": ["docid-desc", "random:3"]}


def shown_by(code: str) -> tuple[Evaluation, list[pd.DataFrame]]:
    names, printed = run_of(code)
    evaluation = names["evaluation"]
    assert isinstance(evaluation, Evaluation)
    return evaluation, printed


PAGES: dict[str, tuple[str, dict[str, str | list[str]], Callable[[Evaluation], pd.DataFrame]]] = {
    "pairs": ("pairs", {}, lambda e: e.stability("RR").pairs),
    "queries": ("queries", {"queries_feature": "visits", "queries_query": "q2"}, lambda e: blame(e, "visits", "RR")),
    "anatomy": ("ties", {}, lambda e: anatomy(e, cutoffs=[])),
    "orders in use": ("ties", {"ties_part": "orders in use"}, bias),
    "precision": (
        "ties", {"ties_part": "precision", "ties_format": "int8"}, lambda e: precision_board(e, "RR", precision="int8"),
    ),
    "repairs": ("ties", {"ties_part": "repairs", "ties_feature": "clicks"}, lambda e: advice(e, "clicks", "RR")),
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_the_code_of_a_page_gives_its_first_table_and_its_command_runs(tiny_files: None, name: str) -> None:
    page, query, table = PAGES[name]
    app = open_app(page, query=RR | query, state=OPENED)
    evaluation, printed = shown_by(code_of(app, "python"))
    pd.testing.assert_frame_equal(printed[0], table(evaluation))
    assert all(len(frame) for frame in printed)
    command = shlex.split(code_of(app, "bash"))
    assert command[0] == "tiecore"
    done = run(*command[1:], "--format", "csv")
    assert done.exit_code == 0, done.stderr
    assert len(list(csv.reader(io.StringIO(done.stdout)))) > 1


def test_the_code_of_the_cut_offs_evaluates_all_that_were_looked_at(tiny_files: None) -> None:
    app = open_app("cutoffs", query=RR, state=OPENED)
    evaluation, printed = shown_by(code_of(app, "python"))
    assert [str(measure) for measure in evaluation.measures] == ["RR@1", "RR@2", "RR@3", "RR@4"]
    pd.testing.assert_frame_equal(printed[0], evaluation.summary)


def test_judges_given_as_features_are_reproduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grades = {"qrels.txt": " 2\n", "gpt.txt": " 1\n", "a/llama.txt": " 3\n", "b/llama.txt": " 4\n"}
    for name, grade in grades.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(TINY_QRELS.replace(" 2\n", grade))
    monkeypatch.setenv("TIECORE_QRELS", str(tmp_path / "qrels.txt"))
    monkeypatch.setenv("TIECORE_FEATURES", json.dumps([str(tmp_path / name) for name in grades]))
    app = open_app("ties", state=OPENED)
    evaluation, _ = shown_by(code_of(app, "python"))
    assert evaluation.features == ("gpt", "a/llama", "b/llama")
    assert run(*shlex.split(code_of(app, "bash"))[1:], "--format", "csv").exit_code == 0


ASKED = TINY_TABLE.replace("doc_id", "page of the web")
LACKING = TINY_TABLE.replace("q1,d0,0", "q1,d0,?")
COMMAS = TINY_TABLE.replace(",", ";").replace(";1;", ";1,5;")
QUOTED = TINY_TABLE.replace(",1,", ',"1,5",')
GRADED = TINY_TABLE.replace("clicks", "relevance").replace(",", ";").replace(";1\n", ";1,5\n")
ALONE = "".join(f"q{q},d{d},{d + 1}\n" for q in (1, 2, 3) for d in range(4))  # ranks
TABLES = [ALONE, ASKED, ASKED.partition("\n")[2], COMMAS, COMMAS.replace("doc_id", "docno"), LACKING, QUOTED, GRADED]


@pytest.mark.parametrize("table", TABLES)
def test_a_table_whose_columns_were_asked_for_is_reproduced_by_code(
    tiny_files: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, table: str
) -> None:
    (tmp_path / "other.csv").write_text(table)
    if table == GRADED:
        monkeypatch.delenv("TIECORE_QRELS")
    monkeypatch.setenv("TIECORE_FEATURES", json.dumps([str(tmp_path / "other.csv")]))
    app = open_app("data")
    app.button(key="data_read_0").click().run()
    app.session_state["ties_exports"] = True
    go(app, "ties")
    evaluation, _ = shown_by(code_of(app, "python"))
    assert len(evaluation.features) == {ALONE: 1, GRADED: 2}.get(table, 3)
    assert code_of(app, "python").count("read_csv(") == 1
    assert ("ascending=" in code_of(app, "python")) == (table == ALONE), "ranks begin with the best"
    assert not codes_of(app, "bash"), "a command cannot say which column is which"

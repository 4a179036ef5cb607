"""`tiecore gate` ends with the status that a pipeline goes by."""

import json
import re
from pathlib import Path

import pytest

import tiecore
from tests.cli.running import SAMPLE, run, unexplained
from tiecore.cli.commands import Gate
from tiecore.cli.reports.gate import report

QRELS, BM25, TITLE, LINKS = (SAMPLE / n for n in ("qrels.txt", "bm25.run.gz", "title_match.json", "outdegree.tsv.gz"))
VALUES = SAMPLE / "leaderboard.csv"


@pytest.mark.parametrize(
    ("asked", "status", "verdict"),
    [
        ((QRELS, BM25, BM25), 0, "pass"),
        ((QRELS, TITLE, BM25, "--margin", "0.01"), 0, "pass"),
        ((QRELS, BM25, LINKS, "-m", "nDCG@10,AP"), 1, "fail"),
        ((QRELS, BM25, LINKS, "--strict"), 1, "fail"),
        ((QRELS, BM25, TITLE), 0, "cannot tell"),
        ((QRELS, BM25, TITLE, "--strict"), 3, "cannot tell"),
        (("bm25", "outdegree", "--values", VALUES), 1, "fail"),
        (("bm25", "bm25", "--values", VALUES, "--margin", "0.01"), 0, "pass"),
        (("dwell", "url_length", "--values", VALUES, "-m", "nDCG@10", "--strict"), 3, "cannot tell"),
    ],
)
def test_the_status_is_that_of_the_verdict(asked: tuple[object, ...], status: int, verdict: str) -> None:
    result = run("gate", *asked)
    assert result.exit_code == status
    assert result.stdout.startswith(f"{verdict}: candidate against baseline, margin")
    assert ("warning: cannot tell" in result.stderr) == (verdict == "cannot tell")
    assert ("warning: nDCG@10: 5 of 50 queries are left out" in result.stderr) == ("dwell" in asked)


def test_json_and_markdown_hold_what_is_found(tmp_path: Path) -> None:
    found = tiecore.gate(QRELS, BM25, TITLE, ["nDCG@10", "AP"], margin=0.02)
    asked = ("gate", QRELS, BM25, TITLE, "-m", "nDCG@10,AP", "--margin", "0.02")
    content = json.loads(run(*asked, "-f", "json").stdout)
    assert content["gate"] == [{"verdict": "cannot tell", "margin": 0.02}]
    assert content["measures"] == found.table.reset_index().to_dict("records")
    summary = tmp_path / "summary.md"
    assert run(*asked, "-o", summary).exit_code == 0
    text = summary.read_text()
    assert "### cannot tell: candidate against baseline, margin 0.02" in text
    assert re.search(r"\| AP \| cannot tell \| 0\.5745 \| 0\.5534 \|", text)
    assert unexplained(report(Gate(qrels=str(QRELS), features=(str(BM25), str(TITLE)))).sheets[0]) <= {"measure"}


def test_values_may_come_from_a_file_each_and_be_losses(tmp_path: Path) -> None:
    files = ("--values", SAMPLE / "bm25.eval", "--values", SAMPLE / "title_match.eval")
    result = run("gate", "title_match", "bm25", *files, "-m", "nDCG@10", "--margin", "0.01")
    assert result.stdout.startswith("pass")
    latency = tmp_path / "latency.csv"
    latency.write_text("query,old,new\n" + "".join(f"{n},{10 + n % 3},{8 + n % 2}\n" for n in range(20)))
    asked = ("gate", "old", "new", "--values", latency)
    assert run(*asked, "--lower-is-better").stdout.startswith("pass")
    assert run(*asked).exit_code == 1


def test_the_sentences_say_for_how_many_measures_p_is_adjusted() -> None:
    text = run("gate", QRELS, BM25, TITLE, "-m", "nDCG@10,AP").stdout
    assert "adjusted for 2 measures)" in " ".join(text.split())

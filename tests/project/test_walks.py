"""What a walk through the dashboard takes for the right sentence, and what its table says."""

from __future__ import annotations

from pathlib import Path

import pytest

import tiecore
from bench.walks import MEASURE, TIE_BREAKS, WALKS, Walked, report, truth_of, write_judges, write_messy, write_no_ties
from tests.browser.server import ROOT

SAMPLE = ROOT / "sample_data"


def sentence_of(qrels: Path, features: list[Path]) -> str:
    """What tiecore itself says."""
    evaluation = tiecore.evaluate(str(qrels), [str(one) for one in features], [MEASURE], list(TIE_BREAKS))
    return str(evaluation.stability(MEASURE))


@pytest.mark.untraced
@pytest.mark.parametrize("names", [["bm25.run.gz", "indegree.run"], ["clicks.csv", "title_match.json"]])
def test_the_sentence_of_tiecore_is_right_and_one_that_differs_in_what_matters_is_not(names: list[str]) -> None:
    qrels, features = SAMPLE / "qrels.txt", [SAMPLE / name for name in names]
    truth, sentence = truth_of(qrels, features), sentence_of(qrels, features)
    assert truth.holds(sentence)
    assert not truth.holds(sentence.replace(truth.parts[0].strip(), "pagerank"))
    assert not truth.holds(
        sentence.replace("clearly", "hardly").replace("no tie-break", "some").replace("p = ", "p = 9")
    )
    assert not truth.holds("")


def test_a_lead_that_is_open_must_not_be_called_clear() -> None:
    qrels, features = SAMPLE / "qrels.txt", [SAMPLE / "clicks.csv", SAMPLE / "title_match.json"]
    truth, sentence = truth_of(qrels, features), sentence_of(qrels, features)
    assert truth.is_clear == ("is clearly better than all" in sentence or "clearly better than every" in sentence)
    assert not truth.holds(sentence.replace("clearly better than", "better than")) or not truth.is_clear


@pytest.mark.untraced
def test_data_of_the_walks_are_the_same_each_time_and_what_they_are_called(tmp_path: Path) -> None:
    for write in (write_judges, write_no_ties, write_messy):
        first, second = tmp_path / f"{write.__name__}-1", tmp_path / f"{write.__name__}-2"
        write(first)
        write(second)
        files = sorted(path.name for path in first.iterdir())
        assert files == sorted(path.name for path in second.iterdir())
        assert all((first / name).read_bytes() == (second / name).read_bytes() for name in files)
    qrels, runs = tmp_path / "write_no_ties-1" / "qrels.txt", sorted((tmp_path / "write_no_ties-1").glob("*.run"))
    evaluation = tiecore.evaluate(str(qrels), [str(run) for run in runs], [MEASURE])
    assert (evaluation.coverage["tied"] == 0).all()


def test_the_table_says_what_was_wrong_and_counts_clicks_beyond_those_stated() -> None:
    good = Walked(clicks=2, sentence="a ranks first.", is_right=True)
    doubtful = Walked(clicks=2, sentence="b ranks first.", is_right=False, doubts=["expected a"])
    slow = Walked(clicks=9, sentence="a ranks first.", is_right=True)
    written = report({"two-runs": good, "track": doubtful, "phone": slow}, load=0.1)
    assert written.count("| yes |") == 1
    assert "**no**: expected a" in written
    assert "**no**: more clicks than stated" in written
    assert f"9 of {WALKS['phone'].clicks}" in written

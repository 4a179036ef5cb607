"""A gate passes what is shown to be no worse, fails what is clearly worse, and says what it cannot tell."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.pages import SAMPLE
from tiecore.comparing import gate_values
from tiecore.comparing.gate import GATE_COLUMNS

QRELS, BM25, TITLE = SAMPLE / "qrels.txt", SAMPLE / "bm25.run.gz", SAMPLE / "title_match.json"
MEASURES = ["nDCG@10", "AP", "ESL", "Success@5"]
rng = np.random.default_rng(5)
BASE = pd.Series(rng.uniform(0.2, 0.8, 60))


def decided(gain: Any, **how: Any) -> tiecore.comparing.Gate:
    values = pd.DataFrame({"old": BASE, "new": (BASE + gain).clip(0, 1)})
    return gate_values(values, "old", "new", "RR", **how)  # one measure needs no list


def test_a_gate_says_what_stability_says_of_the_two() -> None:
    found = tiecore.gate(QRELS, TITLE, BM25, MEASURES, margin=0.01)
    evaluation = tiecore.evaluate(QRELS, {"old": TITLE, "new": BM25}, MEASURES)
    assert set(found.table.columns) == set(GATE_COLUMNS)
    for name, row in found.table.iterrows():
        (pair,) = evaluation.stability(str(name)).pairs.to_dict("records")
        sign = 1 if pair["leader"] == "new" else -1
        ends = sorted((sign * pair["low"], sign * pair["high"]))
        assert (row["low"], row["high"]) == pytest.approx(ends, rel=0, abs=1e-12)
        assert (sign * row["difference"], row["p"]) == pytest.approx((pair["difference"], pair["p"]), rel=0, abs=1e-12)
        means = evaluation.summary["expected"].xs(name, level="measure")
        assert (row["baseline"], row["candidate"]) == pytest.approx((means["old"], means["new"]), rel=0, abs=1e-12)


@pytest.mark.parametrize("margin", [0.0, 1e-9, 0.5])
@pytest.mark.parametrize("measure", MEASURES)
def test_the_same_run_passes_at_any_margin(margin: float, measure: str) -> None:
    found = tiecore.gate(QRELS, BM25, BM25, [measure], margin=margin)
    assert found.verdict == "pass"
    assert "is the same for both on each of 50 queries" in str(found)


NOISE = rng.normal(0, 0.05, 60) - 0.005
NOISE -= NOISE.mean()


@pytest.mark.parametrize(
    ("gain", "margin", "verdict", "words"),
    [
        (NOISE - 0.05, 0.0, "fail", "RR is clearly worse: −0.05"),
        (NOISE - 0.05, 0.2, "pass", "a loss of more than 0.2 is excluded"),
        (NOISE - 0.05, 0.051, "fail", "clearly worse"),
        (NOISE, 0.0, "cannot tell", "Without a margin only a clear gain"),
        (NOISE, 0.001, "cannot tell", "If the two are equally good, about "),
        (NOISE, 0.05, "pass", "a loss of more than 0.05 is excluded"),
        (NOISE + 0.05, 0.0, "pass", "a loss is excluded"),
    ],
)
def test_a_verdict_follows_from_interval_and_margin(gain: np.ndarray, margin: float, verdict: str, words: str) -> None:
    found = decided(gain, margin=margin)
    assert (found.verdict, found.margin) == (verdict, margin)
    assert words in str(found)
    assert str(found).startswith(f"{verdict}: RR")


def test_the_queries_for_a_margin_are_enough_and_few_cannot_tell() -> None:
    (needed,) = decided(NOISE, margin=0.01).table["queries_for_margin"]
    values = pd.DataFrame({"old": np.tile(BASE, 99), "new": np.tile(BASE + NOISE, 99)})
    enough, too_few = (gate_values(values[: 60 * round(n / 60)], "old", "new", margin=0.01) for n in (needed, 60))
    assert (enough.verdict, too_few.verdict) == ("pass", "cannot tell")
    assert np.isnan(decided(NOISE).table["queries_for_margin"]).all()
    found = gate_values(pd.DataFrame({"a": [0.5, 0.4, 0.3], "b": [0.4, 0.3, 0.1]}), "a", "b", margin=0.1)
    assert found.verdict == "cannot tell"
    assert "3 items are too few to tell" in str(found)


def test_several_measures_share_the_level_and_one_that_fails_is_enough() -> None:
    loss = NOISE - 0.012
    alone = decided(loss)
    assert alone.verdict == "fail"
    assert 0.0125 < alone.table["p"].item() < 0.05
    table = {name: {"a": BASE.to_dict(), "b": (BASE + loss).to_dict()} for name in ("RR", "AP", "P@5", "nDCG@10")}
    values = {
        system: {str(item): {name: table[name][system][item] for name in table} for item in BASE.index}
        for system in ("a", "b")
    }
    together = gate_values(values, "a", "b", list(table))
    assert together.verdict == "cannot tell"
    assert (together.table["holm"] >= 4 * together.table["p"].min() - 1e-15).all()
    values["b"] |= {item: cells | {"RR": 0.0} for item, cells in values["b"].items()}
    assert gate_values(values, "a", "b", list(table)).verdict == "fail"


def test_a_run_that_lacks_queries_loses_them_and_is_named() -> None:
    qrels = {f"q{n}": {"a": 1, "b": 0} for n in range(20)}
    run: Any = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    half = {query: run[query] for query in list(run)[:10]}
    found = tiecore.gate(qrels, run, half, ["RR"])
    assert found.verdict == "fail"
    assert found.table.loc["RR", "candidate"] == 0.5
    assert any("candidate" in note for note in found.notes)
    gaps = gate_values(pd.DataFrame({"a": BASE, "b": BASE.mask(BASE > 0.7), "c": BASE}), "a", "b")
    assert gaps.verdict == "pass"
    assert gaps.table["n_queries"].item() == (BASE <= 0.7).sum()
    assert "items are left out" in gaps.notes[0]


def test_items_are_called_what_their_column_is() -> None:
    values = pd.DataFrame({"old": BASE, "new": BASE + NOISE})
    text = str(gate_values(values.rename_axis("task"), "old", "new", margin=0.01))
    assert "over 60 tasks (95 %" in text
    assert "these tasks detect" in text
    assert re.search(r"about \d+ tasks exclude", text)
    gaps = gate_values(values.mask(values > 0.75).rename_axis("query_id"), "old", "new")
    assert "queries are left out" in gaps.notes[0]
    assert "quer" not in text


def test_nonsense_is_refused() -> None:
    for margin in (-0.1, np.nan, "0.1", None):
        with pytest.raises(tiecore.TiecoreError, match="margin must be a number from 0"):
            decided(NOISE, margin=margin)
    with pytest.raises(tiecore.TiecoreError, match="no system is named 'c'; there are 'a', 'b'"):
        gate_values(pd.DataFrame({"a": BASE, "b": BASE}), "a", "c")

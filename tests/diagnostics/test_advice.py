"""The advice is what an evaluation with that tie-break, or of the two features in one, gives."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.diagnostics.data import collection, diagnostics, evaluated

advice = diagnostics.advice
bias = diagnostics.bias

FEATURES = ("coarse", "fine", "sure")
PAIRS = [(first, other) for first in FEATURES for other in FEATURES if first != other]


@pytest.mark.parametrize(
    "options", [{}, {"no_relevant": "skip"}, {"missing": "last"}, {"ascending": ["fine"]}, {"precision": "decimals:0"}]
)
def test_the_expectation_and_its_test_are_those_of_the_tie_break(options: Any) -> None:
    names = [f"feature:{name}" for name in FEATURES]
    signs = {"ESL": -1, "nDCG(judged_only=True)@2": 1, "ERR@3": 1, "AP@4": 1}
    evaluation = evaluated(3, measures=list(signs), tie_breaks=names, **options)
    for measure, sign in signs.items():
        table, tested = advice(evaluation, measure=measure), bias(evaluation, measure).loc[measure]
        assert table.index.names == ["feature", "other"]
        assert sorted(table.index) == sorted(PAIRS)
        for first, other in PAIRS:
            known = evaluation.summary.loc[(measure, first)]
            row = table.loc[(first, other)]
            assert row["expected"] == pytest.approx(known[f"feature:{other}"], rel=0, abs=1e-15)
            assert row["gained"] == sign * (row["expected"] - known["expected"])
            assert 0 < row["gained"] - row["low"] == pytest.approx(row["high"] - row["gained"])
            if tiecore.measure(measure).has_variance:  # else nothing is tested
                z_and_p = tested.loc[(f"feature:{other}", first), ["z", "p"]]
                np.testing.assert_allclose(row[["z", "p"]], z_and_p, rtol=1e-9)


def test_all_values_are_those_of_the_two_features_in_one() -> None:
    qrels, features = collection(5)
    evaluation: Any = tiecore.evaluate(qrels, features, ["AP", "nDCG@5"])
    for first, other in PAIRS:
        merged = features[first].merge(features[other], on=["query_id", "doc_id"], how="left", suffixes=("", "_other"))
        scores = merged["score"] * 10_000 + merged["score_other"].fillna(-1.0)
        both = {"both": merged[["query_id", "doc_id"]].assign(score=scores)}
        for measure in ("AP", "nDCG@5"):
            known: Any = tiecore.evaluate(qrels, both, [measure]).summary.iloc[0]
            before = evaluation.summary.loc[(measure, first)]
            row = advice(evaluation, first, measure).loc[(first, other)]
            np.testing.assert_allclose(row[list(known.index)], known, rtol=0, atol=1e-14)
            spread, spread_before = known["best"] - known["worst"], before["best"] - before["worst"]
            assert row["spread"] == pytest.approx(spread, rel=0, abs=1e-14)
            assert row["spread_removed"] == pytest.approx(1 - spread / spread_before, rel=0, abs=1e-12)
            assert row["sd_removed"] == pytest.approx(1 - known["sd"] / before["sd"], rel=0, abs=1e-12)


def test_the_best_tie_breaker_comes_first_and_one_feature_is_a_part_of_the_matrix() -> None:
    evaluation = evaluated(2)
    table = advice(evaluation, measure="nDCG@5")
    assert table.index.get_level_values("feature").unique().tolist() == list(FEATURES)
    for name in FEATURES:
        own = advice(evaluation, name, "nDCG@5")
        pd.testing.assert_frame_equal(own, table.loc[[name]])
        assert (np.diff(own["gained"]) <= 0).all()


def test_where_there_is_no_tie_or_no_score_to_break_it_nothing_changes() -> None:
    qrels, features = collection(0)
    features["sure"] = features["sure"].assign(score=np.arange(len(features["sure"]), dtype=np.float64))
    features["constant"] = pd.concat([*features.values()]).drop_duplicates(["query_id", "doc_id"]).assign(score=3.0)
    evaluation: Any = tiecore.evaluate(qrels, features, ["AP"])
    row, known = advice(evaluation, "fine", "AP").loc[("fine", "constant")], evaluation.summary.loc[("AP", "fine")]
    np.testing.assert_allclose(row[list(known.index)], known, rtol=0, atol=1e-15)
    assert row["spread_removed"] == 0
    assert np.isnan(row["z"])
    table, known = advice(evaluation, "sure", "AP"), evaluation.summary.loc[("AP", "sure")]
    assert (table["expected"] == known["expected"]).all()
    assert (table[["gained", "sd", "sd_removed", "spread", "spread_removed"]] == 0).all(axis=None)
    assert table[["z", "p"]].isna().all(axis=None)


def test_a_measure_without_variance_gives_no_sd_and_no_test() -> None:
    table = advice(evaluated(measures=["GMAP"]), measure="GMAP")
    assert table[["low", "high", "sd", "sd_removed", "z", "p"]].isna().all(axis=None)
    assert (table["spread_removed"] > 0).any()


def test_what_the_advice_needs_is_asked_for() -> None:
    with pytest.raises(tiecore.TiecoreError, match="'worst'"):
        advice(evaluated(statistics=["expected", "sd"]), measure="AP")
    qrels, features = collection(0)
    with pytest.raises(tiecore.TiecoreError, match="at least two"):
        advice(tiecore.evaluate(qrels, {"fine": features["fine"]}, ["AP"]), measure="AP")

"""What coarser scores cost: the same as evaluating coarser scores."""

from typing import Any

import numpy as np
import pytest

import tiecore
from tests.diagnostics.data import collection, diagnostics, evaluated, frame, one_feature
from tiecore.diagnostics import PRECISIONS

precision_curve = diagnostics.precision_curve

STATISTICS = ["expected", "sd", "worst", "best"]


def fractions(seed: int = 0, **options: Any) -> Any:
    """Evaluate a feature of many different scores that knows about relevance."""
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 3, size=600)
    scores = (rng.normal(size=600) + grade) / 4
    return one_feature(scores, n_queries=30, grades=grade, measures=["AP", "nDCG@5"], **options)


@pytest.mark.parametrize("missing", ["unranked", "last"])
def test_each_row_is_what_an_evaluation_in_that_precision_gives(missing: Any) -> None:
    qrels, features = collection(1)
    features["fine"]["score"] += np.random.default_rng(0).random(len(features["fine"])).round(3)
    names = ["float64", "float32", "decimals:2", "decimals:1", "decimals:0"]
    options: dict[str, Any] = {"measures": ["AP", "ESL"], "missing": missing, "no_relevant": "skip"}
    for wanted in ("AP", "ESL"):
        table = precision_curve(tiecore.evaluate(qrels, features, **options), "fine", wanted, precisions=names)
        assert table.index.tolist() == names
        for name in names:
            known: Any = tiecore.evaluate(qrels, features, precision=name, **options).summary.loc[(wanted, "fine")]
            np.testing.assert_allclose(table.loc[name, STATISTICS].astype(float), known, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(table["spread"], (table["best"] - table["worst"]).abs())
        np.testing.assert_array_equal(table["change"], table["expected"] - table.loc["float64", "expected"])


def test_float64_is_the_measure_of_change_even_where_it_is_not_listed() -> None:
    evaluation = fractions(precision="decimals:0")
    alone = precision_curve(evaluation, "f", "AP", precisions=["decimals:1"])
    among = precision_curve(evaluation, "f", "AP", precisions=["float64", "decimals:1", "decimals:1"])
    assert among.index.tolist() == ["float64", "decimals:1"]
    assert alone.loc["decimals:1"].equals(among.loc["decimals:1"])
    assert among.loc["float64", ["change", "p", "verdict"]].tolist() == [0.0, 1.0, "as in float64"]


def test_the_coarser_the_fewer_values_and_the_more_ties() -> None:
    evaluation = fractions()
    table = precision_curve(evaluation, "f", "nDCG@5")
    assert tuple(table.index) == PRECISIONS
    rows = table[table.index.str.startswith("decimals")]
    assert (np.diff(rows["values"]) <= 0).all()
    assert (np.diff(rows["tied"]) >= 0).all()
    assert table.loc["float64", "values"] == 600
    assert table.loc["float64", "verdict"] == "as in float64"
    assert table.loc["float16", "verdict"] in ("as in float64", "no clear change")
    assert table.loc["decimals:0", "verdict"] == "costs"


@pytest.mark.parametrize(
    ("name", "scores", "stored"),
    [
        # 11 significant bits; beyond 65,504 and below 2^-25 there is nothing
        ("float16", [2049, 2048, 70000, 1e300, 2e-8, 0.0, -1.0], [2048, 2048, np.inf, np.inf, 0, 0, -1]),
        # 8 significant bits and the range of float32
        ("bfloat16", [257, 256, 70000, 1e38, 1e39, 1e300, 1e-50, 0], [256, 256, 70144, 9.97e37, np.inf, np.inf, 0, 0]),
        # 127 steps up to the largest
        ("int8", [254, 253.1, 1.1, 0.9, -0.9, -254, np.inf, -np.inf], [254, 254, 2, 0, 0, -254, 254, -254]),
        ("int8", [0, 0, 0], [0, 0, 0]),
    ],
)
def test_number_formats_merge_what_they_cannot_tell_apart(name: str, scores: list[float], stored: list[float]) -> None:
    found, known = (
        precision_curve(one_feature(np.array(one, dtype=float)), "f", "AP", precisions=[format])
        for one, format in ((scores, name), (stored, "float64"))
    )
    columns = ["values", "tied", *STATISTICS]
    assert found.loc[name, columns].tolist() == known.loc["float64", columns].tolist()


@pytest.mark.parametrize("name", ["AP", "ESL"])
def test_the_board_has_a_row_of_each_curve_and_the_places_of_both(name: str) -> None:
    evaluation = evaluated(measures=[name])
    board = diagnostics.precision_board(evaluation, precision="int8")
    sign = -1 if name == "AP" else 1
    for feature, row in board.iterrows():
        known = precision_curve(evaluation, str(feature), precisions=["int8"]).loc["int8"]
        assert row[list(known.index)].equals(known)
        assert row["exact"] == evaluation.summary.loc[(name, str(feature)), "expected"]
    assert board["exact_place"].is_monotonic_increasing
    for column, place in (("exact", "exact_place"), ("expected", "place")):
        assert board[place].tolist() == (sign * board[column]).rank(method="min").astype(int).tolist()


def test_documents_without_a_score_stay_last_in_every_format() -> None:
    evaluation = evaluated(missing="last")
    for name in ("float16", "bfloat16", "int8"):
        table = precision_curve(evaluation, "coarse", "AP", precisions=[name, "float64"])
        assert table.loc[name, STATISTICS].equals(table.loc["float64", STATISTICS])


@pytest.mark.parametrize(("missing", "tied"), [("last", 1.0), ("unranked", 0.0)])
def test_a_feature_that_scores_nothing_has_no_values(missing: Any, tied: float) -> None:
    qrels = frame(np.array([0, 0]), np.array([0, 1]), relevance=np.array([0, 1]))
    table = qrels[["query_id", "doc_id"]].assign(some=[1.0, 2.0], none=[np.nan, np.nan])
    evaluation = tiecore.evaluate(qrels, table, ["AP"], missing=missing)
    row = precision_curve(evaluation, "none", "AP", precisions=["int8"]).loc["int8"]
    assert (row["values"], row["tied"]) == (0, tied)


def test_a_feature_can_gain_by_what_it_forgets() -> None:
    # decimals that stand against relevance
    grade = np.random.default_rng(0).integers(0, 2, size=180)
    scores = np.random.default_rng(1).integers(0, 2, size=180) - grade / 10
    evaluation = one_feature(scores, n_queries=30, grades=grade, measures=["AP", "ESL"])
    for name in ("AP", "ESL"):
        assert precision_curve(evaluation, "f", name, precisions=["decimals:0"])["verdict"].iloc[0] == "gains"


def test_one_query_says_too_little_unless_nothing_changes_in_it() -> None:
    row = precision_curve(one_feature(np.array([0.1, 0.2, 0.3])), "f", "AP", precisions=["decimals:0"]).iloc[0]
    assert row["change"] != 0
    assert np.isnan(row["p"])
    assert row["verdict"] == "too few queries to say"
    row = precision_curve(one_feature(np.array([1.0, 2.0, 3.0])), "f", "AP", precisions=["float32"]).iloc[0]
    assert row[["change", "p", "verdict"]].tolist() == [0.0, 1.0, "as in float64"]


@pytest.mark.parametrize("name", ["decimals:x", "bits:8", "float8"])
def test_an_unknown_precision_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=r"float64.*decimals:N.*bfloat16.*int8"):
        precision_curve(evaluated(), "fine", "AP", precisions=[name])

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
    query, doc = np.repeat(np.arange(30), 20), np.tile(np.arange(20), 30)
    grade = rng.integers(0, 3, size=len(query))
    feature = frame(query, doc, score=rng.normal(size=len(query)) + grade)
    chosen: dict[str, Any] = {"measures": ["AP", "nDCG@5"]}
    return tiecore.evaluate(frame(query, doc, relevance=grade), {"f": feature}, **(chosen | options))


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
    for kind in ("decimals", "bits", "levels"):
        rows = table[table.index.str.startswith(kind)]
        assert (np.diff(rows["values"]) <= 0).all()
        assert (np.diff(rows["tied"]) >= 0).all()
    assert table.loc["float64", "values"] == 600
    assert table.loc["float64", "verdict"] == "as in float64"
    assert table.loc["bits:11", "verdict"] in ("as in float64", "open")
    assert table.loc["levels:2", "verdict"] == "costs"
    for n in (256, 16, 2):
        assert table.loc[f"levels:{n}", "values"] == n


def test_bits_round_to_significant_binary_digits() -> None:
    # 0.75 and 0.76 agree in two bits; 5 lies between 4 and 6 and goes to the even 4; 1e300 keeps its size
    scores = np.array([0.75, 0.76, 5.0, 4.0, 1e300, -np.inf, np.inf, 1.79e308, 5e-324, 0.0])
    table = precision_curve(
        one_feature(scores), "f", "AP", precisions=["bits:2", "bits:24", "bits:53", "bits:99", "float32"]
    )
    assert table["values"].tolist() == [7, 10, 10, 10, 7]
    assert table.loc["bits:2", "tied"] == 6 / 10
    assert table["tied"].tolist()[1:4] == [0, 0, 0]
    table = precision_curve(fractions(), "f", "AP", precisions=["bits:24", "float32"])
    assert table.loc["bits:24"].equals(table.loc["float32"])
    scores = np.array([1.0, 1.0 + 2.0**-52, 1.0 + 2.0**-51])  # fifty-two are one less than there are
    table = precision_curve(one_feature(scores), "f", "AP", precisions=["bits:51", "bits:52", "bits:53"])
    assert table["values"].tolist() == [1, 2, 3]


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
    board = diagnostics.precision_board(evaluation, precision="levels:2")
    sign = -1 if name == "AP" else 1
    for feature, row in board.iterrows():
        known = precision_curve(evaluation, str(feature), precisions=["levels:2"]).loc["levels:2"]
        assert row[list(known.index)].equals(known)
        assert row["exact"] == evaluation.summary.loc[(name, str(feature)), "expected"]
    assert board["exact_place"].is_monotonic_increasing
    for column, place in (("exact", "exact_place"), ("expected", "place")):
        assert board[place].tolist() == (sign * board[column]).rank(method="min").astype(int).tolist()


def test_levels_have_equally_many_documents_and_never_part_equal_scores() -> None:
    scores = np.array([0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6], dtype=np.int64)
    table = precision_curve(
        one_feature(scores), "f", "AP", precisions=["levels:2", "levels:4", "levels:100", "levels:1"]
    )
    # cut behind the 6th of 12: the zeros and the others; in four: 0 0 0 | 0 0 0 | 1 2 3 | 4 5 6
    assert table["values"].tolist() == [2, 3, 7, 1]
    assert table["tied"].tolist() == [1.0, 1.0, 0.5, 1.0]


def test_documents_without_a_score_stay_last_in_levels_and_in_every_format() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 1}, "r": {"d": 1}}
    evaluation = tiecore.evaluate(qrels, {"f": {"q": {"a": 2.0, "b": 1.0}}}, ["AP"], missing="last")
    row = precision_curve(evaluation, "f", "AP", precisions=["levels:1"]).loc["levels:1"]
    # a and b tied, then c: (3/4 and 5/12 of the two orders, each plus 2/3)/2; r has its one document last
    assert row["expected"] == pytest.approx(((1 + 2 / 3) / 2 + (1 / 2 + 2 / 3) / 2) / 2 / 2 + 1 / 2, rel=0, abs=1e-14)
    assert row["values"] == 1
    evaluation = evaluated(missing="last")
    for name in ("float16", "bfloat16", "int8"):
        table = precision_curve(evaluation, "coarse", "AP", precisions=[name, "float64"])
        assert table.loc[name, STATISTICS].equals(table.loc["float64", STATISTICS])


def test_a_feature_that_scores_nothing_has_no_levels() -> None:
    qrels = frame(np.array([0, 0]), np.array([0, 1]), relevance=np.array([0, 1]))
    table = qrels[["query_id", "doc_id"]].assign(some=[1.0, 2.0], none=[np.nan, np.nan])
    options: tuple[tuple[Any, float], ...] = (("last", 1.0), ("unranked", 0.0))
    for missing, tied in options:
        evaluation = tiecore.evaluate(qrels, table, ["AP"], missing=missing)
        row = precision_curve(evaluation, "none", "AP", precisions=["levels:4"]).loc["levels:4"]
        assert (row["values"], row["tied"]) == (0, tied)


def test_a_feature_can_gain_by_what_it_forgets() -> None:
    # decimals that stand against relevance
    query, doc = np.repeat(np.arange(30), 6), np.tile(np.arange(6), 30)
    grade = np.random.default_rng(0).integers(0, 2, size=180)
    score = np.random.default_rng(1).integers(0, 2, size=180) - grade / 10
    evaluation = tiecore.evaluate(
        frame(query, doc, relevance=grade), {"f": frame(query, doc, score=score)}, ["AP", "ESL"]
    )
    for name in ("AP", "ESL"):
        assert precision_curve(evaluation, "f", name, precisions=["decimals:0"])["verdict"].iloc[0] == "gains"


def test_one_query_says_too_little() -> None:
    row = precision_curve(one_feature(np.array([0.1, 0.2, 0.3])), "f", "AP", precisions=["decimals:0"]).iloc[0]
    assert row["change"] != 0
    assert np.isnan(row["p"])
    assert row["verdict"] == "too few queries to say"


@pytest.mark.parametrize("name", ["decimals:x", "bits:0", "bits:", "levels:-1", "float8"])
def test_an_unknown_precision_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=r"float64.*decimals:N.*bfloat16.*bits:N.*levels:N"):
        precision_curve(evaluated(), "fine", "AP", precisions=[name])


def test_what_changes_no_query_is_as_in_float64_however_few_there_are() -> None:
    row = precision_curve(one_feature(np.array([1.0, 2.0, 3.0])), "f", "AP", precisions=["float32"]).iloc[0]
    assert row[["change", "p", "verdict"]].tolist() == [0.0, 1.0, "as in float64"]

"""Values from elsewhere are compared as the same values of an evaluation are, whatever form they come in."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tiecore
from tests.comparing.data import COMPARED, MATRIX, same
from tests.pages import SAMPLE
from tiecore import plot
from tiecore.board import Board
from tiecore.board.duel import duel_of_values
from tiecore.comparing.values import matrix_of
from tiecore.stability import COLUMNS
from tiecore.stability.paired import holm
from tiecore.stability.sentences import pair_sentence


@pytest.fixture(scope="module")
def sample() -> tiecore.Evaluation:
    files = [SAMPLE / name for name in ("bm25.run.gz", "clicks.csv", "indegree.run", "title_match.json")]
    return tiecore.evaluate(SAMPLE / "qrels.txt", files, ["nDCG@10", "ESL", "DCG@10", "GMAP", "Success@5"])


def values_of(evaluation: tiecore.Evaluation, measure: str) -> pd.DataFrame:
    table = evaluation.per_query["expected"].xs(measure, level="measure").unstack("feature")
    return table.sample(frac=1, axis=1, random_state=3)


@pytest.mark.parametrize(
    ("measure", "how"),
    [
        *((measure, {}) for measure in ("nDCG@10", "ESL", "DCG@10", "GMAP", "Success@5")),
        ("nDCG@10", {"baseline": "bm25", "margin": 0.02}),
    ],
)
def test_values_compare_as_an_evaluation_does(sample: tiecore.Evaluation, measure: str, how: dict[str, Any]) -> None:
    same(tiecore.compare(values_of(sample, measure), measure, **how), sample.stability(measure, **how))


def test_what_is_not_known_of_ties_is_not_said(sample: tiecore.Evaluation) -> None:
    study = tiecore.compare(values_of(sample, "nDCG@10"), "nDCG@10")
    assert study.tie_orders is None
    assert study.pairs[["p_beats", "tie_risk"]].isna().all(axis=None)
    assert study.places[["first", "best_place", "worst_place"]].isna().all(axis=None)
    assert set(study.pairs["ties"]) == {""}
    assert set(study.pairs["note"]) == {""}
    assert study.agreement.empty
    assert str(study).startswith("No clear winner: bm25 is ahead of title_match by 0.0388 in nDCG@10")
    board = Board.of_stability(study)
    words = f"{study} {board} {study.notes} {study._repr_html_()}"
    assert "not known what the order of tied documents" in words
    assert not any(claim in words for claim in ("tie-break", "No tie", "too many"))
    assert board.rows[["worst", "best", "sd", "tie_risk"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("level", "how"), [(0.5, {}), (0.975, {"baseline": "bm25"}), (0.99, {"aggregate": "borda"}), (0.99, {})]
)
def test_a_level_is_that_of_intervals_verdicts_groups_letters_and_sets(
    sample: tiecore.Evaluation, level: float, how: dict[str, Any]
) -> None:
    values = values_of(sample, "DCG@10")
    usual, found = (tiecore.compare(values, level=one, **how) for one in (0.95, level))
    pairs, df = found.pairs, found.pairs["n_queries"] - 1
    pd.testing.assert_frame_equal(
        pairs[["leader", "trailer", "p", "holm"]], usual.pairs[["leader", "trailer", "p", "holm"]]
    )
    se = (pairs["high"] - pairs["low"]) / 2 / stats.t.ppf((1 + level) / 2, df)
    known = (usual.pairs["high"] - usual.pairs["low"]) / 2 / stats.t.ppf(0.975, df)
    np.testing.assert_allclose(se, known, rtol=0, atol=1e-12)
    assert (pairs["verdict"] == "clear").tolist() == (pairs["holm"] <= round(1 - level, 9)).tolist()
    least = (stats.t.ppf(1 - (1 - level) / len(pairs) / 2, df) + stats.t.ppf(0.8, df)) * se
    np.testing.assert_allclose(pairs["sensitivity"], least, rtol=0, atol=1e-12)
    ratio = (found.intervals["high"] - found.intervals["low"]) / (usual.intervals["high"] - usual.intervals["low"])
    np.testing.assert_allclose(ratio, stats.t.ppf((1 + level) / 2, 49) / stats.t.ppf(0.975, 49), rtol=0, atol=1e-12)
    every = tiecore.compare(values, level=level, **how | {"baseline": None}).pairs
    clear = every[every["verdict"] == "clear"]
    n_features = len(found.ranks)
    for feature, row in found.ranks.iterrows():
        assert row["low_all"] == 1 + (clear["trailer"] == feature).sum()
        assert row["high_all"] == n_features - (clear["leader"] == feature).sum()
        own = every[(every["leader"] == feature) | (every["trailer"] == feature)]
        lost = own["trailer"][holm(own["p"].to_numpy()) <= round(1 - level, 9)] == feature
        assert (row["low"], row["high"]) == (1 + lost.sum(), n_features - (~lost).sum())
    beaten = set(clear.loc[clear["leader"] == found.ranks.index[0], "trailer"])
    assert set(found.ranks.index[found.ranks["group"] == 1]) == set(found.ranks.index) - beaten
    for leader, trailer, verdict in zip(every["leader"], every["trailer"], every["verdict"], strict=True):
        shared = {*found.ranks["letters"][leader]} & {*found.ranks["letters"][trailer]}
        assert bool(shared) == (verdict != "clear")
    assert found.queries_for(0.5) != usual.queries_for(0.5)


def test_sentences_explanations_and_figures_say_the_level_and_what_the_items_are(sample: tiecore.Evaluation) -> None:
    values = values_of(sample, "nDCG@10").rename_axis("task_name")
    found = tiecore.compare(values, "nDCG@10", level=0.975, margin=0.5)
    sentences = [pair_sentence(row, found) for _, row in found.pairs.iterrows()]
    figure = found.plot()
    shown = " ".join([str(found), found._repr_html_(), *found.columns.values(), *sentences, figure.note, figure.title])
    assert "97.5 % interval" in str(found)
    assert "over 50 tasks" in str(found)
    assert "97.5 % interval over tasks" in figure.note
    assert "random" not in figure.note, "nothing is known of ties"
    assert "p adjusted by Holm is 0.025 or less" in found.columns["verdict"]
    assert not re.search(r"\b95 %|[^.]\b5 %|quer", re.sub("tie_risk is 0.05|n_queries|query_url_clicks", "", shown))
    pair = duel_of_values(matrix_of(values)[1], found, "bm25", "title_match")
    figure = plot.difference(pair)
    assert "97.5 % interval over tasks" in figure.note


def test_the_usual_level_and_words_and_the_table_of_an_evaluation_change_nothing(sample: tiecore.Evaluation) -> None:
    values = values_of(sample, "nDCG@10")
    same(tiecore.compare(values, "nDCG@10", level=0.95), tiecore.compare(values, "nDCG@10"))
    assert {name: text for name, text in sample.stability("nDCG@10").columns.items() if text != COLUMNS[name]} == {}
    same(tiecore.compare(sample.per_query, "DCG@10"), sample.stability("DCG@10"))


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, np.nan, "high", True])
def test_a_level_lies_between_0_and_1(level: Any) -> None:
    with pytest.raises(tiecore.TiecoreError, match="level must lie between 0 and 1"):
        tiecore.compare(MATRIX, level=level)


def test_true_and_false_are_values() -> None:
    solved = MATRIX > 0.4
    for form in (solved, solved.to_csv().encode(), solved.replace({True: "true", False: "false"}).to_csv().encode()):
        same(tiecore.compare(form), tiecore.compare(solved.astype(float)))


def test_systems_that_are_all_equal_share_the_first_place_and_no_more_is_said() -> None:
    found = tiecore.compare(MATRIX[["odd"]].assign(even=0.5))
    assert set(found.pairs["verdict"]) == {"equal"}
    assert str(found) == "No difference: odd and even have the same value on each of 7 queries."
    assert not any("correlation" in note for note in found.notes)


def test_borda_is_the_mean_of_ranks_with_ties_shared_which_no_increasing_map_of_an_item_changes() -> None:
    values = pd.DataFrame({"a": [3, 3, 1], "b": [3, 2, 2], "c": [1, 1, np.nan]})
    found = tiecore.compare(values, aggregate="borda")
    assert found.values["expected"].to_dict() == {"a": (1.5 + 1 + 2) / 3, "b": (1.5 + 2 + 1) / 3, "c": 3}
    assert list(found.ranks["place"]) == [1, 1, 3]
    assert found.notes[1].startswith("Ranks from 1")
    assert not found.measure.higher_is_better
    maps = np.array([1, 10, 0.1, 3, 7, 1000, 2])[:, None]
    same(tiecore.compare(MATRIX * maps + 4, aggregate="borda"), tiecore.compare(MATRIX, aggregate="borda"))
    same(
        tiecore.compare(-MATRIX, aggregate="borda", higher_is_better=False), tiecore.compare(MATRIX, aggregate="borda")
    )


@pytest.mark.parametrize(
    ("measure", "factor", "highest"), [("RR", 1, 1), ("RR", 100, None), ("EM", 1, None), (None, 1, None)]
)
def test_only_values_a_measure_can_have_are_its_own(measure: str | None, factor: float, highest: float | None) -> None:
    found = tiecore.compare(MATRIX * factor, measure)
    assert (str(found.measure), found.measure.highest) == (measure or "value", highest)
    with pytest.raises(tiecore.TiecoreError, match="measured elsewhere"):
        tiecore.compare(MATRIX).measure.expected(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", ["RR", "loss"])
def test_lower_values_can_be_the_better_ones(measure: str) -> None:
    found = tiecore.compare(MATRIX, measure, higher_is_better=False)
    known = tiecore.compare(-MATRIX)
    np.testing.assert_allclose(found.pairs[COMPARED], known.pairs[COMPARED], rtol=0, atol=1e-12)
    pd.testing.assert_frame_equal(found.ranks, known.ranks)
    assert tiecore.compare(MATRIX * 50, "ESL").measure.higher_is_better is False


def test_gaps_leave_means_to_what_is_there_and_pairs_to_what_both_have() -> None:
    found = tiecore.compare(MATRIX)
    assert found.values.loc["dense", "expected"] == pytest.approx(MATRIX["dense"].mean())
    pairs = found.pairs.set_index(["leader", "trailer"])
    assert pairs.loc[("dense", "bm25"), "n_queries"] == 6
    both = MATRIX.dropna()
    assert pairs.loc[("dense", "bm25"), "difference"] == pytest.approx((both["dense"] - both["bm25"]).mean())
    assert "Not every feature lists all" in str(found)
    empty = MATRIX.reindex([*MATRIX.index, "q7"])
    same(tiecore.compare(empty), found)

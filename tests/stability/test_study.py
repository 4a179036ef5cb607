"""What a study says of pairs worked by hand, of equal, constant and few values, and how it says where it comes from."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tiecore
from tests.stability.synthetic import claims, evaluation_of, only_row_of, row_of
from tiecore.errors import TiecoreError
from tiecore.evaluation.result import Evaluation
from tiecore.stability import COLUMNS, stability
from tiecore.stability.compared import compared


def tied(measure: str) -> Evaluation:
    """Three features that tie documents of one query, each in another way."""
    scores: dict[str, tuple[float, ...]] = {"a": (1, 0, 0), "b": (0, 0, 0), "c": (1, 0, 1)}
    return tiecore.evaluate(
        {"q": {"x": 1, "y": 0, "z": 2}},
        {name: {"q": dict(zip("xyz", own, strict=True))} for name, own in scores.items()},
        [measure],
    )


# --- pairs worked by hand ---------------------------------------------------------------------------------------------


def test_a_pair_is_described_as_worked_by_hand() -> None:
    # differences 0.1, 0.2, 0.3: mean 0.2, deviation 0.1
    found = evaluation_of(
        [[0.5, 0.7, 0.9], [0.4, 0.5, 0.6]], variance=[[0.01, 0.02, 0.0], [0.0, 0.03, 0.03]], worst=0.0, best=1.0
    ).stability("AP", place_method="normal")
    pair = only_row_of(found.pairs)
    assert (pair["leader"], pair["trailer"]) == ("a", "b")
    assert pair["difference"] == pytest.approx(0.2, rel=0, abs=1e-12)
    assert pair["sd_ties"] == pytest.approx(0.1, rel=0, abs=1e-12)  # √0.09 / 3
    assert pair["sd_queries"] == pytest.approx(0.1 / math.sqrt(3), rel=0, abs=1e-12)
    assert pair["tie_share"] == pytest.approx(0.75, rel=0, abs=1e-12)
    assert pair["effect"] == pytest.approx(2, rel=0, abs=1e-9)
    assert pair["p_beats"] == pytest.approx(0.9772498680518208, rel=0, abs=1e-9)  # Φ(2)
    assert pair["ties"] == "likely"
    assert pair["verdict"] == "these queries"
    assert (pair["n_queries"], pair["better"], pair["worse"]) == (3, 3, 0)
    assert pair["t_p"] == pytest.approx(0.07417990022744858, rel=0, abs=1e-9)  # t = 2√3, 2 degrees of freedom
    assert pair["randomisation_p"] == 0.25
    # two more queries of 1/(1 + 2), as each feature has another value on two queries: t = 0.6 / √((0.02 + 2/9)·3/2)
    assert pair["rare_p"] == pytest.approx(2 * stats.t.sf(0.6 / math.sqrt((0.02 + 2 / 9) * 3 / 2), 2), rel=0, abs=1e-9)
    assert pair["holm"] == pair["bh"] == pair["p"] == pair["rare_p"]


def test_ties_go_by_certainty_then_by_the_chance_of_the_leader() -> None:
    found = evaluation_of(
        np.repeat([[0.9], [0.5], [0.49]], 40, axis=1) + np.linspace(-0.01, 0.01, 40),
        variance=0.01,
        worst=np.repeat([[0.8], [0.2], [0.2]], 40, axis=1),
        best=np.repeat([[1.0], [0.85], [0.79]], 40, axis=1),
    ).stability("AP")
    assert found.ties.to_numpy().tolist() == [
        ["", "likely", "certain"],
        ["likely", "", "undecided"],
        ["certain", "undecided", ""],
    ]
    assert found.pairs["ties"].tolist() == ["likely", "certain", "undecided"]
    assert found.pairs["verdict"].tolist() == ["real", "real", "ties decide"]
    assert found.beats.loc["a", "c"] == 1
    assert 0 < found.beats["a"]["b"] < 0.05


def test_tie_breaks_that_reverse_an_order_or_change_a_significance_are_named() -> None:
    wave = np.tile([0.1, -0.1], 20)
    level = np.full(40, 0.5)
    found = evaluation_of(
        [level + 0.01, level, level - wave],
        variance=0.001,
        worst=0.0,
        best=1.0,
        tie_breaks={
            "input": [level + 0.01, level + 0.02, level - wave],  # b in front of a, by the same everywhere
            "docid-asc": [level + 0.01, level, level - wave - 0.2],  # c far behind
        },
    ).stability("AP")
    # a and b differ by the same in every query, so that is significant whoever is ahead
    assert claims(row_of(found.pairs, "a", "b")) == (("input",), ())
    # in expectation b and c are equal on average, so no order of theirs can be reversed
    assert claims(row_of(found.pairs, "b", "c")) == ((), ("docid-asc",))
    assert row_of(found.pairs, "b", "c")["verdict"] == "undecided"
    assert claims(row_of(found.pairs, "a", "c")) == ((), ("docid-asc",))


def test_a_significance_that_a_tie_break_loses_is_named() -> None:
    level, wave = np.linspace(0.45, 0.55, 40), np.tile([0.4, -0.4], 20)
    found = evaluation_of(
        [level + 0.01, level], variance=0.001, worst=0.0, best=1.0, tie_breaks={"input": [level + 0.01, level + wave]}
    ).stability("AP")
    assert claims(only_row_of(found.pairs)) == ((), ("input",))


def test_a_tie_break_under_which_two_are_equal_reverses_nothing() -> None:
    level = np.linspace(0.4, 0.6, 40)
    found = evaluation_of(
        [level + np.tile([0.02, -0.01], 20), level], worst=0.0, best=1.0, tie_breaks={"input": [level, level]}
    ).stability("AP", permutations=1)
    assert only_row_of(found.pairs)["difference"] > 0
    assert only_row_of(found.pairs)["reversed_by"] == ()


def test_swapped_pairs_are_listed_from_the_top_of_the_reference() -> None:
    fall = np.repeat([[0.9], [0.7], [0.4], [0.1]], 3, axis=1)
    found = evaluation_of(fall, tie_breaks={"input": fall[::-1]}).stability("AP", draws=2)
    down = found.swapped("expected", "input")
    assert down["ahead_in_reference"].tolist() == ["a", "a", "a", "b", "b", "c"]
    assert down["ahead_in_other"].tolist() == ["b", "c", "d", "c", "d", "d"]
    assert down["lead_in_reference"].tolist() == pytest.approx([0.2, 0.5, 0.8, 0.3, 0.6, 0.3], rel=0, abs=1e-12)
    assert down["lead_in_other"].tolist() == pytest.approx([0.3, 0.6, 0.8, 0.3, 0.5, 0.2], rel=0, abs=1e-12)
    up = found.swapped("input", "expected")
    assert up["ahead_in_reference"].tolist() == ["d", "d", "d", "c", "c", "b"]
    assert up["ahead_in_other"].tolist() == ["c", "b", "a", "b", "a", "a"]


def test_with_lower_values_better_the_leader_is_the_lower_one() -> None:
    found = evaluation_of([[4.0, 5.0], [1.0, 3.0]], measure="ESL").stability("ESL", draws=2)
    pair = only_row_of(found.pairs)
    assert (pair["leader"], pair["trailer"], pair["difference"]) == ("b", "a", 2.5)
    assert found.values["expected"].tolist() == [2.0, 4.5]


def test_gmap_compares_means_of_logarithms() -> None:
    found = tiecore.evaluate(
        {"q1": {"x": 1, "y": 0}, "q2": {"x": 1, "y": 0}},
        {"a": {"q1": {"x": 2, "y": 1}, "q2": {"x": 2, "y": 1}}, "b": {"q1": {"y": 1}, "q2": {"x": 2, "y": 1}}},
        ["GMAP"],
    ).stability("GMAP", draws=10)
    pair = only_row_of(found.pairs)
    assert pair["difference"] == pytest.approx(math.log(1e5) / 2, rel=0, abs=1e-12)
    assert pair["sd_queries"] == pytest.approx(math.log(1e5) / 2, rel=0, abs=1e-12)
    assert any("logarithms" in note for note in found.notes)
    assert any("do not average to it" in note for note in found.notes)


# --- equal, constant, few ---------------------------------------------------------------------------------------------


def test_equal_features_are_neither_ahead_nor_behind() -> None:
    found = evaluation_of(np.full((2, 40), 0.3)).stability("AP", permutations=100)
    assert (found.beats == 0.5).all(axis=None)
    assert found.places.to_numpy().tolist() == [[1, 1, 1], [1, 1, 1]]
    assert found.place_probability.to_numpy().tolist() == [[1, 0], [1, 0]]
    pair = only_row_of(found.pairs)
    assert [pair[name] for name in ("difference", "sd_ties", "sd_queries", "tie_share", "effect")] == [0, 0, 0, 0, 0]
    assert [pair[name] for name in ("t_p", "randomisation_p", "holm", "bh")] == [1, 1, 1, 1]
    assert [pair[name] for name in ("verdict", "ties", "reversed_by")] == ["equal", "undecided", ()]
    assert any("all features equal" in note for note in found.notes)


def test_a_difference_that_every_query_shows_alike_is_certain_and_of_infinite_effect() -> None:
    pair = only_row_of(evaluation_of(np.array([[0.5] * 40, [0.25] * 40])).stability("AP").pairs)
    assert (pair["p_beats"], pair["ties"], pair["effect"]) == (1, "certain", math.inf)
    assert pair["verdict"] == "real"


def test_a_feature_of_zeros_only_is_compared_like_any_other() -> None:
    found = evaluation_of(np.zeros((2, 40))).stability("AP")
    assert (found.beats == 0.5).all(axis=None)


def test_one_feature_has_its_place_and_no_pairs() -> None:
    found = evaluation_of([[0.1, 0.2, 0.3]], tie_breaks={"input": [[0.1, 0.2, 0.2]]}).stability("AP", draws=2)
    assert found.places.to_numpy().tolist() == [[1, 1, 1, 1]]
    assert found.place_probability.to_numpy().tolist() == [[1]]
    assert found.pairs.empty
    assert found.swapped("expected", "input").empty
    assert any("one feature" in note for note in found.notes)


def test_one_query_is_not_taken_for_evidence() -> None:
    found = evaluation_of([[0.9], [0.1]]).stability("AP", draws=2)
    pair = only_row_of(found.pairs)
    assert [pair[name] for name in ("t_p", "randomisation_p", "holm", "bh")] == [1, 1, 1, 1]
    assert all(math.isnan(pair[name]) for name in ("sd_queries", "effect", "tie_share"))
    assert any("One query" in note for note in found.notes)


def test_only_queries_that_count_are_compared() -> None:
    qrels = {"q1": {"x": 1, "y": 0}, "q2": {"x": 1, "y": 0}, "q3": {"x": 0}}
    features = {"a": {"q1": {"x": 2, "y": 1}, "q2": {"x": 2, "y": 1}}, "b": {"q1": {"x": 1, "y": 2}, "q2": {"x": 2}}}
    evaluation = tiecore.evaluate(qrels, features, ["AP"], no_relevant="skip")
    found = evaluation.stability("AP", draws=2)
    assert found.n_queries == 2
    assert only_row_of(found.pairs)["difference"] == pytest.approx(0.25, rel=0, abs=1e-12)


# --- two proofs, on the queries that both list ------------------------------------------------------------------------


def test_only_what_neither_ties_nor_queries_undo_is_real() -> None:
    level, wave = np.linspace(0.45, 0.55, 40), np.tile([0.3, -0.3], 20)
    apart: dict[str, Any] = {"worst": [[0.52] * 40, [0.5] * 40], "best": [[0.55] * 40, [0.51] * 40]}
    overlapping: dict[str, Any] = {"variance": 4.0, "worst": 0.0, "best": 1.0}
    steady, unsteady = [level + 0.02, level], [level + 0.02, level + wave]
    verdict = {
        (ties, queries): only_row_of(evaluation_of(values, **ranges).stability("AP").pairs)["verdict"]
        for ties, ranges in (("certain", apart), ("undecided", overlapping))
        for queries, values in (("significant", steady), ("not significant", unsteady))
    }
    assert verdict == {
        ("certain", "significant"): "real",
        ("certain", "not significant"): "these queries",
        ("undecided", "significant"): "ties decide",
        ("undecided", "not significant"): "undecided",
    }


RUN = {f"q{q:02}": {f"d{d}": (7 * q * d + d) % 5 for d in range(9)} for q in range(50)}
JUDGED = {query: {document: int(document in ("d2", "d5")) for document in row} for query, row in RUN.items()}
CUT = dict(list(RUN.items())[:19])


@pytest.mark.parametrize(("measure", "draws"), [("nDCG@10", 2000), ("ERR@10", 50)], ids=["normal", "sampled"])
def test_a_run_does_not_beat_its_own_copy_that_lacks_queries(measure: str, draws: int) -> None:
    found = tiecore.evaluate(JUDGED, {"run": RUN, "half": CUT}, [measure]).stability(measure, draws=draws)
    pair = only_row_of(found.pairs)
    assert (pair["verdict"], pair["n_queries"], pair["difference"], pair["p"]) == ("equal", 19, 0, 1)
    assert pair["p_beats"] == pytest.approx(0.5, rel=0, abs=0.2)
    assert any("19 of 50" in note for note in found.notes)


@pytest.mark.parametrize(("measure", "shared_order"), [("nDCG@10", False), ("ERR@10", False), ("nDCG@10", True)])
def test_pairs_are_those_of_an_evaluation_on_their_common_queries(measure: str, shared_order: bool) -> None:
    better = {query: {d: s + 3 * JUDGED[query][d] for d, s in row.items()} for query, row in list(RUN.items())[10:45]}
    features = {"run": RUN, "half": CUT, "better": better}
    options: dict[str, Any] = {"draws": 40, "shared_order": shared_order}
    together = tiecore.evaluate(JUDGED, features, [measure], ["docid-asc"]).stability(measure, **options)
    for one, other, n_common in (("better", "run", 35), ("better", "half", 9)):
        some = {query: JUDGED[query] for query in RUN if query in features[one] and query in features[other]}
        alone = tiecore.evaluate(
            some,
            {name: {query: features[name][query] for query in some} for name in (one, other)},
            [measure],
            ["docid-asc"],
        ).stability(measure, **options)
        pair, known = row_of(together.pairs, one, other), only_row_of(alone.pairs)
        assert pair["n_queries"] == n_common
        same = ["difference", "sd_queries", "t_p", "effect", "better", "worse"]
        same += [] if together.place_method == "sampled" else ["sd_ties", "p_beats", "tie_share"]
        for name in same:
            assert pair[name] == pytest.approx(known[name], rel=1e-9, abs=1e-12), name
        assert pair["p_beats"] == pytest.approx(known["p_beats"], rel=0, abs=0.3)
        assert pair["ties"] == known["ties"]


def test_the_better_one_on_common_queries_leads_whoever_leads_the_leaderboard() -> None:
    flat = {query: dict.fromkeys(row, 1.0) for query, row in RUN.items()}
    good = {query: {d: float(s) for d, s in JUDGED[query].items()} for query in list(RUN)[:5]}
    found = tiecore.evaluate(JUDGED, {"flat": flat, "good": good}, ["P@5"]).stability("P@5", draws=2)
    assert found.places.index.tolist() == ["flat", "good"]
    pair = only_row_of(found.pairs)
    assert (pair["leader"], pair["n_queries"], pair["better"], pair["worse"]) == ("good", 5, 5, 0)


def test_features_without_a_common_query_are_not_compared() -> None:
    early, late = (dict(part) for part in (list(RUN.items())[:20], list(RUN.items())[20:]))
    for measure in ("nDCG@10", "ERR@10"):
        found = tiecore.evaluate(JUDGED, {"early": early, "late": late}, [measure]).stability(measure, draws=5)
        pair = only_row_of(found.pairs)
        assert (pair["n_queries"], pair["verdict"], pair["ties"], pair["p"]) == (0, "undecided", "undecided", 1)
        assert math.isnan(pair["difference"])


def test_places_come_with_the_sets_that_other_queries_leave_open() -> None:
    rng = np.random.default_rng(4)
    values = np.clip(np.array([[0.7], [0.5], [0.49], [0.2]]) + rng.normal(0, 0.15, (4, 60)), 0, 1)
    found = evaluation_of(values, variance=0.01, worst=0.0, best=1.0).stability("AP")
    ranks = found.ranks
    assert ranks["place"].tolist() == [1, 2, 3, 4]
    assert ranks[["low", "high"]].to_numpy().tolist() == [[1, 1], [2, 3], [2, 3], [4, 4]]
    for low, high in (("low_all", "high_all"), ("low_once", "high_once")):
        assert (ranks[low] <= ranks["low"]).all()
        assert (ranks["high"] <= ranks[high]).all()
    assert ranks["letters"].tolist() == ["a", "b", "b", "c"]
    assert found.p_top(1).tolist() == [1, 0, 0, 0]
    assert found.p_top(3)["d"] == 0
    assert set(ranks) <= set(COLUMNS)
    against = evaluation_of(values).stability("AP", baseline="d")
    assert against.ranks["letters"].tolist() == ["a", "b", "b", "c"]


def test_the_whole_order_takes_as_many_queries_as_its_closest_neighbours() -> None:
    values = np.array([[0.6], [0.5], [0.49]]) + np.array([[1], [-1], [0.5]]) * np.tile([0.1, -0.1], 30)
    found = evaluation_of(values, variance=0.04, worst=0.0, best=1.0).stability("AP")
    needed = found.queries_to_settle()
    close = row_of(found.pairs, "b", "c")
    assert needed.settling_all() == (needed.exact[1], needed.once[1])
    assert needed.exact[1] > close["queries_needed"]  # adjusted for all pairs
    assert close["queries_needed_once"] > close["queries_needed"]
    assert math.isnan(only_row_of(evaluation_of([[0.9], [0.1]]).stability("AP", draws=2).pairs)["queries_needed"])


def test_measures_without_a_variance_have_places_too() -> None:
    found = tiecore.evaluate(JUDGED, {"run": RUN, "half": CUT}, ["ERR@10"]).stability("ERR@10", draws=5)
    assert found.ranks[["low", "high"]].to_numpy().tolist() == [[1, 2], [1, 2]]


def test_a_baseline_leaves_fewer_tests_to_adjust_for() -> None:
    values = np.linspace(0.2, 0.6, 40) + np.array([[0.03], [0.02], [0.0]]) * np.tile([1, 2, -1, 1.5], 10)
    everyone = evaluation_of(values).stability("AP")
    against = evaluation_of(values).stability("AP", baseline="c")
    assert against.baseline == "c"
    assert against.pairs[["leader", "trailer"]].to_numpy().tolist() == [["a", "c"], ["b", "c"]]
    for leader in "ab":
        alone, among = row_of(against.pairs, leader, "c"), row_of(everyone.pairs, leader, "c")
        assert alone["p"] == among["p"]
        assert alone["holm"] < among["holm"]
        assert (alone["better"], alone["worse"]) == (30, 10)
    assert against.verdicts.loc["a", "b"] == ""
    with pytest.raises(TiecoreError, match="no feature is named 'd'; there are a, b, c"):
        evaluation_of(values).stability("AP", baseline="d")


# --- how it is found --------------------------------------------------------------------------------------------------


@pytest.mark.untraced
def test_chances_are_normal_from_30_queries_on_and_say_so() -> None:
    many, few = np.full((2, 30), 0.5), np.full((2, 29), 0.5)
    normal = evaluation_of(many).stability("AP")
    assert normal.place_method == "normal"
    assert "exact means and variances" in normal.notes[0]
    sampled = evaluation_of(few).stability("AP", draws=20)
    assert sampled.place_method == "sampled"
    assert sampled.notes[0] == "Chances are shares among 20 random tie-breaks, because fewer than 30 queries count."
    wanted = evaluation_of(many).stability("AP", draws=20, place_method="sampled")
    assert wanted.notes[0] == "Chances are shares among 20 random tie-breaks."
    assert evaluation_of(few).stability("AP", place_method="normal").place_method == "normal"


def test_values_that_are_multiples_of_one_number_are_known_to_draw() -> None:
    tenths = np.linspace(0.2, 0.9, 40).round(1)
    assert compared(evaluation_of([tenths, tenths / 2]), "AP").step == pytest.approx(
        1 / (20 * 40) / tenths.mean(), rel=1e-9
    )
    assert compared(evaluation_of([tenths, tenths / 7]), "AP").step == pytest.approx(
        1 / (70 * 40) / tenths.mean(), rel=1e-9
    )
    assert compared(evaluation_of([tenths, np.sqrt(tenths)]), "AP").step == 0
    assert compared(evaluation_of([tenths, tenths / 7.7]), "AP").step == 0


def test_both_extremes_and_denominators_to_100_decide_of_what_values_are_multiples() -> None:
    whole = np.ones((1, 40))
    thirds = evaluation_of(whole, worst=whole * (np.arange(40) % 3) / 3, best=whole)
    assert compared(thirds, "AP").step == pytest.approx(1 / (3 * 40), rel=1e-9)
    for denominator, known in ((100, 1 / (100 * 40)), (101, 0.0)):
        of_100 = evaluation_of(whole, worst=whole / denominator, best=whole)
        assert compared(of_100, "AP").step == pytest.approx(known, rel=1e-9)


def test_pairs_whose_ties_matter_in_one_query_only_are_named() -> None:
    variance = np.zeros((5, 40))
    variance[:, 0] = 0.01
    expected = np.repeat([[0.5], [0.4999], [0.4998], [0.4997], [0.4996]], 40, axis=1)
    found = evaluation_of(expected, variance=variance, worst=expected - 0.1, best=expected + 0.1).stability("AP")
    assert len(found.notes) == 2
    assert found.notes[1].startswith("In 10 of the open pairs (a and b; a and c; a and d; …) the ties")
    even = evaluation_of(expected[:2], variance=0.01, worst=expected[:2] - 0.1, best=expected[:2] + 0.1)
    assert len(even.stability("AP").notes) == 1


@pytest.mark.parametrize(
    ("of_a", "of_b", "is_rough"),
    [
        ((1, 0, 0), (0, 1, 0), True),  # (ΣV)²/ΣV² of the summed variances: 2 queries
        ((1, 1, 0.7), (1, 1, 0.7), True),  # 2.9
        ((1, 1, 1), (1, 1, 1), False),  # 3
        ((4, 0, 0), (0, 2, 2), True),  # 2.7
    ],
)
def test_noise_of_less_than_three_queries_is_rough(
    of_a: tuple[float, ...], of_b: tuple[float, ...], is_rough: bool
) -> None:
    variance = np.zeros((2, 40))
    variance[:, :3] = [of_a, of_b]
    expected = np.repeat([[0.5], [0.499]], 40, axis=1)
    found = evaluation_of(expected, variance=variance, worst=expected - 9, best=expected + 9).stability("AP")
    assert any("(a and b)" in note and "rough" in note for note in found.notes) == is_rough


def test_by_default_each_feature_breaks_its_own_ties() -> None:
    evaluation = evaluation_of(np.full((2, 5), 0.5))
    assert not evaluation.stability("AP", draws=2).shared_order


def test_a_shared_order_is_sampled_and_its_bounds_are_explained() -> None:
    tiny = tied("AP")
    found = tiny.stability("AP", draws=5, shared_order=True)
    assert found.shared_order
    assert "one order of documents" in found.notes[0]
    assert any("may not reach" in note for note in found.notes)


def test_the_same_seed_gives_the_same_numbers() -> None:
    tiny = tied("nDCG@2")
    one, same, other = (tiny.stability("nDCG@2", draws=50, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(one.beats, same.beats)
    pd.testing.assert_frame_equal(one.pairs, same.pairs)
    assert not one.beats.equals(other.beats)


def test_progress_is_told_and_can_stop_the_drawing() -> None:
    tiny = tied("AP")
    for shared_order in (False, True):
        told: list[tuple[int, int]] = []
        tiny.stability("AP", draws=2, shared_order=shared_order, progress=lambda *steps, told=told: told.append(steps))
        assert told == [(1, 3), (2, 3), (3, 3)]

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tiny.stability("AP", draws=2, progress=stop)


def test_the_method_of_an_evaluation_takes_what_the_function_takes() -> None:
    method, function = (inspect.signature(f).parameters for f in (Evaluation.stability, stability))
    assert [(p.name, p.default, p.kind) for p in list(method.values())[2:]] == [
        (p.name, p.default, p.kind) for p in list(function.values())[2:]
    ]


def test_what_cannot_be_had_is_refused_by_name() -> None:
    evaluation = evaluation_of(np.full((2, 30), 0.5))
    with pytest.raises(tiecore.TiecoreError, match="unknown place_method='guess': expected 'normal' or 'sampled'"):
        evaluation.stability("AP", place_method="guess")  # type: ignore[arg-type]
    with pytest.raises(tiecore.TiecoreError, match="one order of documents"):
        evaluation.stability("AP", place_method="normal", shared_order=True)
    with pytest.raises(tiecore.TiecoreError, match="ESL has no closed form"):
        evaluation_of(np.full((2, 30), 0.5), measure="ESL").stability("ESL", place_method="normal")
    with pytest.raises(tiecore.TiecoreError, match="draws must be 2 or more, found 1"):
        evaluation.stability("AP", draws=1)
    with pytest.raises(tiecore.TiecoreError, match="permutations must be 1 or more, found 0"):
        evaluation.stability("AP", permutations=0)
    with pytest.raises(tiecore.TiecoreError, match="RR was not evaluated"):
        evaluation.stability("RR")
    with pytest.raises(tiecore.TiecoreError, match="no leaderboard 'input': there are expected, worst, best"):
        evaluation.stability("AP").swapped("expected", "input")


@pytest.mark.parametrize("lacking", ["sd", "worst", "best"])
def test_the_statistic_that_lacks_is_named(lacking: str) -> None:
    others = [name for name in ("expected", "sd", "worst", "best") if name != lacking]
    bare = tiecore.evaluate({"q": {"x": 1}}, {"a": {"q": {"x": 1.0}}}, ["AP"], statistics=others)
    with pytest.raises(tiecore.TiecoreError, match=f"stability needs the statistic '{lacking}'"):
        bare.stability("AP")


# --- rare hits --------------------------------------------------------------------------------------------------------


def test_a_feature_that_missed_its_rare_hits_is_not_really_worse() -> None:
    """A feature earns 0.05 on every query, another 1 on one in twenty: 30 queries without a hit cannot part them."""
    for n_queries in (12, 30):
        steady, rare = np.full(n_queries, 0.05), np.zeros(n_queries)
        found = evaluation_of([steady, rare], measure="AP").stability("AP")
        assert only_row_of(found.pairs)["verdict"] == "these queries"
        assert found.ranks[["low", "high"]].to_numpy().tolist() == [[1, 2], [1, 2]]
    # two hundred queries would have shown a hit
    found = evaluation_of([steady.repeat(7), rare.repeat(7)], measure="AP").stability("AP")
    assert only_row_of(found.pairs)["verdict"] == "real"
    assert found.ranks[["low", "high"]].to_numpy().tolist() == [[1, 1], [2, 2]]


def test_a_measure_without_a_highest_value_goes_by_the_largest_difference_seen() -> None:
    values = np.array([np.full(40, 0.05), np.zeros(40)])
    largest = {
        measure: evaluation_of(values, measure=measure).stability(measure).compared.largest_difference
        for measure in ("AP", "GMAP", "DCG", "nDCG", "ESL", "PRR", "NumRet")
    }
    assert largest == {
        **dict.fromkeys(("AP", "nDCG", "PRR"), 1.0),
        **dict.fromkeys(("DCG", "ESL", "NumRet"), 0.05),
        "GMAP": pytest.approx(math.log(1e5)),
    }

"""What a study says of features: differences, ties, places, all from the same tests and the same random orders."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.pages import SAMPLE
from tests.stability.synthetic import LEVEL, WAVE, afresh, evaluation_of, only_row_of, row_of
from tiecore.evaluation import random_values as drawing
from tiecore.stability import COLUMNS, RANK_COLUMNS, chances, clearly_better
from tiecore.stability.paired import holm
from tiecore.stability.sentences import pair_sentence


@pytest.fixture(scope="module")
def sample() -> tiecore.Evaluation:
    files = ("bm25.run.gz", "clicks.csv", "pages.parquet", "title_match.json", "indegree.run", "outdegree.tsv.gz")
    measures = ["nDCG@10", "AP", "ESL", "GMAP", "Success@5", "ERR(max_rel=4)@10"]
    orders = ["docid-desc", "docid-asc", "input"]
    return tiecore.evaluate(SAMPLE / "qrels.txt", [SAMPLE / name for name in files], measures, orders)


@pytest.mark.parametrize(("measure", "within"), [("nDCG@10", 0.1), ("AP", 0.1), ("ESL", 0.2)])  # ESL: one query leads
def test_chances_to_be_ahead_are_those_of_other_draws(sample: tiecore.Evaluation, measure: str, within: float) -> None:
    study, drawn = sample.stability(measure), sample.sample(measure, draws=400, seed=7)
    drawn = -drawn if measure == "ESL" else drawn
    lead = drawn[study.pairs["leader"]].to_numpy() - drawn[study.pairs["trailer"]].to_numpy()
    known = ((lead > 1e-12).mean(axis=0) + (lead >= -1e-12).mean(axis=0)) / 2
    np.testing.assert_allclose(study.pairs["p_beats"], known, rtol=0, atol=within)
    np.testing.assert_allclose(study.pairs["tie_risk"], 1 - study.pairs["p_beats"], rtol=0, atol=0)
    first = (drawn.rank(axis=1, ascending=False, method="min") == 1).mean()
    np.testing.assert_allclose(study.places["first"], first[study.places.index], rtol=0, atol=within)


@pytest.mark.parametrize("measure", ["nDCG@10", "ESL"])
def test_no_draw_contradicts_what_is_certain(sample: tiecore.Evaluation, measure: str) -> None:
    study = sample.stability(measure)
    outside = study.places["best_place"] > 1
    assert outside.any()
    assert (study.places.loc[outside, "first"] == 0).all()
    for name in ("place", "docid-desc place", "docid-asc place", "input place"):
        assert study.places[name].between(study.places["best_place"], study.places["worst_place"]).all()
    certain = study.pairs["ties"] == "certain"
    assert certain.any()
    assert (study.pairs.loc[certain, "tie_risk"] == 0).all()
    assert (study.pairs.loc[~certain, "tie_risk"] > 0).all()
    assert not study.pairs.loc[certain, "reversed_by"].map(bool).any()


def test_features_that_tie_the_same_documents_stay_together_unless_orders_are_independent() -> None:
    tied = {"q1": {"x": 1.0, "y": 1.0}, "q2": {"x": 1.0, "y": 1.0}}
    evaluation = tiecore.evaluate({"q1": {"x": 1, "y": 0}, "q2": {"x": 0, "y": 1}}, {"a": tied, "b": tied}, ["RR"])
    shared, own = (evaluation.stability(tie_orders=how) for how in ("shared", "independent"))
    assert shared.places["first"].tolist() == [1, 1]
    assert shared.variances[1] == [0.0]
    # each mean is 1/2, 3/4 or 1 with chances 1/4, 1/2, 1/4: its variance is 1/32
    assert own.variances[1] == pytest.approx([2 * 2 / 32])
    assert own.places.loc["a", "first"] == pytest.approx(11 / 16, rel=0, abs=4.5 * 0.5 / math.sqrt(1000))
    assert "orders of its own" in own.notes[0]
    assert "breaks the ties of all features" in shared.notes[0]


def many_tied(n_queries: int, *, lacking: int = 0) -> tiecore.Evaluation:
    """Two features that tie nearly the same documents on many queries; the second may lack some."""
    rng = np.random.default_rng(n_queries)
    qrels = {f"q{q}": {f"d{d}": int(d < 3) for d in range(8)} for q in range(n_queries)}
    one = {q: {d: int(d < "d6") for d in row} for q, row in qrels.items()}
    other = {q: {**row, "d7": int(rng.integers(2)), "d0": int(rng.integers(5) > 0)} for q, row in one.items()}
    return tiecore.evaluate(qrels, {"one": one, "other": dict(list(other.items())[lacking:])}, ["AP", "ERR", "GMAP"])


@pytest.mark.parametrize(
    ("measure", "n_queries", "lacking"), [("AP", 20, 15), ("ERR", 20, 0), ("GMAP", 50, 15), ("AP", 50, 0)]
)
def test_the_variance_of_a_difference_and_its_chance_are_those_of_draws(
    measure: str, n_queries: int, lacking: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = many_tied(n_queries, lacking=lacking)
    counts = np.isin(np.arange(n_queries), np.arange(lacking, n_queries))
    common = next(
        iter(tiecore.evaluation.slices.slices(evaluation, {f"q{q}": "x" for q in np.flatnonzero(counts)}).values())
    )
    drawn: Any = common.sample(measure, draws=2000, seed=9)
    drawn = np.log(drawn) if measure == "GMAP" else drawn
    study = evaluation.stability(measure)
    pair = only_row_of(study.pairs)
    lead = drawn[pair["leader"]] - drawn[pair["trailer"]]
    assert study.variances[1][0] / counts.sum() == pytest.approx(lead.var(), rel=0.25)
    known = ((lead > 1e-12).mean() + (lead >= -1e-12).mean()) / 2
    assert pair["p_beats"] == pytest.approx(known, abs=0.06)
    monkeypatch.setattr(chances, "_AT_ONCE", 7)
    assert only_row_of(evaluation.stability(measure).pairs)["p_beats"] == pytest.approx(pair["p_beats"], abs=1e-12)
    # a random part of the queries, scaled up
    monkeypatch.setattr(drawing, "_BUDGET", 8 * 20 * n_queries // 2)
    monkeypatch.setattr(drawing, "_GENEROUS", 1)
    part = afresh(evaluation).stability(measure)
    assert "of the queries that ties can change" in part.notes[0]
    assert part.variances[1][0] == pytest.approx(study.variances[1][0], rel=0.9)


@pytest.mark.parametrize("lacking", [0, 5])
def test_few_orders_come_nearer_to_a_chance_than_their_share(lacking: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    qrels = {f"q{q}": {f"d{d}": int(d < 3) for d in range(8)} for q in range(20)}
    a, b = ({q: {d: int(rng.integers(2)) for d in row} for q, row in qrels.items()} for _ in range(2))
    evaluation = tiecore.evaluate(qrels, {"a": a, "b": dict(list(b.items())[lacking:])}, ["AP"])

    def chance(seed: int) -> float:
        pair = only_row_of(afresh(evaluation).stability(seed=seed).pairs)
        return float(pair["p_beats"] if pair["leader"] == "a" else 1 - pair["p_beats"])

    known = np.mean([chance(seed) for seed in range(50, 60)])
    monkeypatch.setattr(drawing, "_MOST", 100)
    off = np.sqrt(np.mean([(chance(seed) - known) ** 2 for seed in range(30)]))
    assert off < 0.8 * np.sqrt(known * (1 - known) / 100), "the error of a share"


def test_too_many_tied_documents_are_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_BUDGET", 1)
    study = many_tied(20).stability("AP")
    pair = only_row_of(study.pairs)
    assert math.isnan(pair["tie_risk"])
    assert pair["note"].endswith("too many tied documents to draw")
    assert study.draws == 0
    assert study.places["first"].isna().all()
    assert study.notes[0].startswith("Too many tied documents to draw")
    assert study.queries_for(0.1) > 20  # which needs no draw


def test_features_that_are_counted_apart_break_their_ties_independently_and_the_result_says_so() -> None:
    qrels = {f"q{q}": {f"d{d}": int(d < 3) for d in range(6)} for q in range(40)}
    features = {name: {q: dict.fromkeys(row, 1) for q, row in qrels.items()} for name in ("a", "b", "c")}
    studies = {}
    for joint in ([], ["a", "b"], ["a", "b", "c"]):
        counted = tiecore.evaluate(tiecore.count(qrels, features, joint=joint), measures=["AP"])
        studies[len(joint)] = counted.stability()
    assert [studies[n].tie_orders for n in (0, 2, 3)] == ["independent", "shared", "shared"]
    for n, words in ((0, "counted apart"), (2, "counted together share"), (3, "all features")):
        assert words in studies[n].notes[0]
    assert (studies[0].variances[1] > 0).all()
    assert (studies[2].variances[1] > 0).tolist() == [False, True, True]
    assert (studies[3].variances[1] == 0).all()


def test_verdicts_follow_from_holm_intervals_from_the_pair_alone() -> None:
    study = evaluation_of([LEVEL + 0.02, LEVEL, LEVEL + WAVE, LEVEL]).stability()
    pairs = study.pairs
    np.testing.assert_allclose(pairs["holm"], holm(pairs["p"].to_numpy()))
    assert row_of(pairs, "a", "b")["verdict"] == "clear"
    assert only_row_of(pairs[(pairs["leader"] == "b") & (pairs["trailer"] == "d")])["verdict"] == "equal"
    assert set(pairs.loc[pairs["leader"].eq("c") | pairs["trailer"].eq("c"), "verdict"]) == {"open"}
    is_equal = pairs["verdict"] == "equal"
    assert pairs.loc[is_equal, ["low", "high", "tie_risk", "sensitivity"]].isna().all(axis=None)
    pairs = pairs[~is_equal]
    assert ((pairs["low"] <= pairs["difference"]) & (pairs["difference"] <= pairs["high"])).all()
    assert study.sensitivity == pairs["sensitivity"].median()


@pytest.mark.parametrize("baseline", [None, "bm25"])
def test_the_adjusted_interval_excludes_0_where_it_is_clear(sample: tiecore.Evaluation, baseline: str | None) -> None:
    for measure in sample.measures:
        pairs = sample.stability(measure, baseline=baseline).pairs
        assert ((pairs["holm_low"] > 0) == (pairs["verdict"] == "clear")).all()
        assert (pairs["holm_low"] <= pairs["low"]).all()
        assert (pairs["holm_high"] >= pairs["high"]).all()
    assert {"clear", "open"} == set(pairs["verdict"])


def test_differences_inside_the_margin_are_small_and_tell_nobody_apart() -> None:
    values = [LEVEL + 0.02, LEVEL]
    study = evaluation_of(values).stability(margin=0.1)
    assert only_row_of(study.pairs)["verdict"] == "small"
    assert study.ranks["group"].tolist() == [1, 1]
    assert study.ranks[["low", "high"]].to_numpy().tolist() == [[1, 2], [1, 2]]
    assert only_row_of(evaluation_of(values).stability(margin=0.01).pairs)["verdict"] == "clear"
    with pytest.raises(tiecore.TiecoreError, match="margin"):
        evaluation_of(values).stability(margin=0.0)


def test_few_hits_and_few_queries_are_named() -> None:
    few = only_row_of(evaluation_of([np.full(40, 0.05), np.zeros(40)]).stability().pairs)
    assert (few["verdict"], few["note"]) == ("open", "clear but for the allowance")
    small = only_row_of(evaluation_of([np.full(40, 0.05), np.zeros(40)]).stability(margin=0.9).pairs)
    assert (small["verdict"], small["note"]) == ("small", "")
    five = evaluation_of(np.array([LEVEL[:5] + 0.4, LEVEL[:5]])).stability()
    pair = only_row_of(five.pairs)
    assert (pair["verdict"], pair["note"]) == ("open", "too few queries to tell")
    assert np.isnan([pair["p"], pair["holm"], pair["low"], pair["sensitivity"], five.sensitivity]).all()
    assert "too few" in five.notes[1]


def test_a_baseline_leaves_fewer_tests_to_adjust_for_and_the_same_places() -> None:
    rng = np.random.default_rng(4)
    evaluation = evaluation_of(rng.normal(0.5, 0.1, (6, 30)) + np.linspace(0.1, 0, 6)[:, None])
    whole, own = evaluation.stability(), evaluation.stability(baseline="c")
    assert len(own.pairs) == 5
    both = own.pairs.merge(whole.pairs, on=["leader", "trailer"])
    assert (both["holm_x"] <= both["holm_y"]).all()
    assert (both["p_x"] == both["p_y"]).all()
    assert own.ranks.equals(whole.ranks)
    with pytest.raises(tiecore.TiecoreError, match="no feature is named 'none'"):
        evaluation.stability(baseline="none")


def test_with_lower_values_better_the_leader_is_the_lower_one_and_gmap_compares_logarithms() -> None:
    assert only_row_of(evaluation_of([LEVEL, LEVEL + 1], measure="ESL").stability().pairs)["leader"] == "a"
    study = evaluation_of([LEVEL * 2, LEVEL], measure="GMAP").stability()
    assert only_row_of(study.pairs)["difference"] == pytest.approx(np.log(2))
    assert any("logarithms" in note for note in study.notes)


def test_pairs_are_compared_on_common_queries_and_a_run_does_not_beat_its_own_half() -> None:
    run = {f"q{q:02}": {f"d{d}": (7 * q * d + d) % 5 for d in range(9)} for q in range(50)}
    qrels = {query: {document: int(document in ("d2", "d5")) for document in row} for query, row in run.items()}
    features = {"run": run, "half": dict(list(run.items())[:25]), "rest": dict(list(run.items())[25:])}
    study = tiecore.evaluate(qrels, features, ["nDCG@10"]).stability()
    pair = only_row_of(study.pairs[study.pairs["trailer"].eq("half") & study.pairs["leader"].eq("run")])
    assert (pair["verdict"], pair["n_queries"], pair["tie_risk"]) == ("open", 25, 0.5)
    said = pair_sentence(pd.Series(pair), study)
    assert said.startswith("No clear winner: run and half are level in nDCG@10, and 25 queries do not settle it (")
    assert "; without the allowance" in said or said.endswith(").")
    apart = study.pairs[study.pairs["n_queries"] == 0].iloc[0]
    assert (apart["verdict"], apart["note"]) == ("open", "too few queries to tell")
    assert pair_sentence(apart, study).endswith("have no query in common, so they cannot be compared.")
    assert "compared on the queries that both list (0 to 25)" in str(study)
    two = str(tiecore.evaluate(qrels, features, ["nDCG@10"], only=["run", "half"]).stability())
    assert two.startswith("No clear winner: run is first with ")
    assert "on the 25 queries that both list, half is level with it." in two
    assert "each pair is compared on the queries that both list (25)." in two


@pytest.mark.parametrize("measure", ["nDCG@10", "ESL"])
def test_what_is_clearly_better_without_a_draw_is_what_the_pairs_say(sample: tiecore.Evaluation, measure: str) -> None:
    pairs = sample.stability(measure).pairs.query("verdict == 'clear'")
    better = clearly_better(sample, measure)
    found = {(one, other) for one in better.index for other in better.index if better.to_dict("index")[one][other]}
    assert found == set(zip(pairs["leader"], pairs["trailer"], strict=True)) != set()


def test_tables_hold_no_gaps_and_every_column_is_explained(sample: tiecore.Evaluation) -> None:
    study = sample.stability("nDCG@10")
    for table in (study.places, study.ranks, study.pairs, study.agreement):
        assert not table.isna().any(axis=None)
    named = [*study.pairs, *study.agreement, *study.agreement.index.names]
    named += [*study.ranks, *(column for column in study.places if not str(column).endswith(" place"))]
    assert set(named) <= set(COLUMNS)
    assert set(study.ranks) <= set(RANK_COLUMNS)


def test_one_feature_and_many_have_places_too() -> None:
    alone = evaluation_of([LEVEL]).stability()
    assert alone.ranks.iloc[0].to_dict() == {
        "place": 1, "low": 1, "high": 1, "low_all": 1, "high_all": 1, "group": 1, "letters": "a",
    }  # fmt: skip
    assert len(alone.pairs) == 0
    assert math.isnan(alone.sensitivity)
    assert "There is one feature" in alone.notes[1]
    assert "letters" not in evaluation_of([LEVEL + f for f in range(13)], measure="DCG").stability().ranks


def test_what_a_study_needs_is_asked_for() -> None:
    qrels, feature = {"q": {"a": 1, "b": 0}}, {"f": {"q": {"a": 1, "b": 1}}}
    with pytest.raises(tiecore.TiecoreError, match="stability needs the statistic 'sd'"):
        tiecore.evaluate(qrels, feature, ["AP"], statistics=["expected"]).stability()
    with pytest.raises(tiecore.TiecoreError, match="several measures were evaluated"):
        tiecore.evaluate(qrels, feature, ["AP", "RR"]).stability()

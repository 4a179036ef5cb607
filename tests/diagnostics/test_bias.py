"""A tie-break that correlates with relevance is found, one that does not raises no alarm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tiecore
from tests.diagnostics.data import collection, diagnostics, evaluated, frame, one_feature
from tiecore.diagnostics.bias import chance_skewness, chance_variance, z_scores

bias = diagnostics.bias
pooled_bias = diagnostics.pooled_bias

N_QUERIES, N_DOCS = 30, 12


def tied_features(rng: np.random.Generator, *, n_features: int = 3) -> tuple[Any, dict[str, Any]]:
    """Return features of few values over documents whose ids are shuffled."""
    query = np.repeat(np.arange(N_QUERIES), N_DOCS)
    doc = np.concatenate([rng.permutation(N_DOCS) for _ in range(N_QUERIES)])
    grade = rng.integers(0, 3, size=len(query))
    features = {f"f{f}": frame(query, doc, score=rng.integers(0, 3, size=len(query))) for f in range(n_features)}
    return frame(query, doc, relevance=grade), features


def test_z_is_the_shift_in_standard_deviations_as_by_hand() -> None:
    # a relevant document tied with another: RR is 1 or 1/2, expected 3/4, sd 1/4; both queries come out well
    qrels = {"q1": {"a": 0, "b": 1}, "q2": {"c": 0, "d": 1}}
    evaluation = tiecore.evaluate(qrels, {"f": {"q1": {"a": 1, "b": 1}, "q2": {"c": 1, "d": 1}}}, ["RR"], ["trec_eval"])
    row = bias(evaluation).loc[("RR", "trec_eval", "f")]
    assert (row["value"], row["expected"], row["shift"]) == (1.0, 0.75, 0.25)
    assert row["chance_sd"] == pytest.approx(0.25 / np.sqrt(2), rel=0, abs=1e-15)
    assert row["z"] == pytest.approx(np.sqrt(2), rel=0, abs=1e-14)
    assert row["p"] == pytest.approx(2 * stats.norm.sf(np.sqrt(2)), rel=0, abs=1e-14)
    assert row["p_adjusted"] == row["p"]


def test_the_same_random_tie_breaks_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = tiecore.evaluate(*tied_features(np.random.default_rng(1)), ["ERR@10"], ["trec_eval"])
    by_feature = bias(evaluation, draws=20)
    monkeypatch.setattr("tiecore.evaluation.values.drawn_values", None)
    assert pooled_bias(evaluation, draws=20)["strongest"].iloc[0] in by_feature.index.get_level_values("feature")


def test_the_table_has_a_row_for_each_measure_tie_break_and_feature() -> None:
    evaluation = evaluated()
    table = bias(evaluation)
    assert table.index.names == ["measure", "tie_break", "feature"]
    known = [(m, t, f) for m in ("AP", "nDCG@5") for t in ("trec_eval", "random:5") for f in ("coarse", "fine", "sure")]
    assert table.index.tolist() == known
    pd.testing.assert_frame_equal(bias(evaluation, "AP"), table.loc[["AP"]], check_index_type=False)
    np.testing.assert_allclose(table.loc[("AP", "trec_eval")]["value"], evaluation.summary.loc["AP"]["trec_eval"])


@pytest.mark.slow
def test_p_is_uniform_when_document_ids_are_shuffled() -> None:
    single, pooled = [], []
    for seed in range(60):
        qrels, features = tied_features(np.random.default_rng(seed))
        evaluation = tiecore.evaluate(qrels, features, ["AP", "nDCG@10"], ["trec_eval"], workers=1)
        single.append(bias(evaluation)["p"].to_numpy())
        pooled.append(pooled_bias(evaluation)["p"].to_numpy())
    for of_seed in (np.stack(single), np.stack(pooled)):
        for column in of_seed.T:
            assert stats.kstest(column, "uniform").pvalue > 0.005
    assert (np.stack(pooled) < 0.05).mean() < 0.1


@pytest.mark.slow
def test_p_is_uniform_when_a_key_without_knowledge_leaves_most_ties() -> None:
    rng = np.random.default_rng(0)
    qrels, features = tied_features(rng, n_features=1)
    for i in range(200):
        features[f"key{i}"] = features["f0"].assign(score=rng.integers(0, 2, size=len(qrels)))
    # the same test for every other feature as tie-break, see test_advice
    p = diagnostics.advice(tiecore.evaluate(qrels, features, ["AP"]), "f0", "AP")["p"]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_p_is_tiny_when_document_ids_follow_relevance() -> None:
    rng = np.random.default_rng(1)
    query = np.repeat(np.arange(N_QUERIES), N_DOCS)
    grade = np.sort(rng.integers(0, 3, size=(N_QUERIES, N_DOCS)), axis=1).ravel()
    doc = np.tile(np.arange(N_DOCS), N_QUERIES)  # the higher the id, the more relevant
    features = {f"f{f}": frame(query, doc, score=rng.integers(0, 3, size=len(query))) for f in range(4)}
    qrels = frame(query, doc, relevance=grade)
    evaluation = tiecore.evaluate(qrels, features, ["AP", "nDCG@10"], ["docid-desc", "docid-asc"])
    table, pooled = bias(evaluation), pooled_bias(evaluation)
    assert (table["p_adjusted"] < 1e-9).all()
    assert (pooled["p"] < 1e-9).all()
    assert pooled["features"].tolist() == [4] * 4
    for m in ("AP", "nDCG@10"):
        assert (table.loc[(m, "docid-desc")]["z"] > 0).all()
        assert (table.loc[(m, "docid-asc")]["z"] < 0).all()
        assert pooled.loc[(m, "docid-desc"), "lifted"] == 4
        assert pooled.loc[(m, "docid-asc"), "lifted"] == 0
        for tie, direction in (("docid-desc", "better"), ("docid-asc", "worse")):
            words = f"{tie} correlates with relevance and makes results look {direction}: do not rank with it"
            assert set(table.loc[(m, tie)]["verdict"]) == {words}
            assert pooled.loc[(m, tie), "verdict"] == words


def test_p_is_adjusted_for_the_number_of_features() -> None:
    qrels, features = tied_features(np.random.default_rng(8), n_features=6)
    features["untied"] = features["f0"].assign(score=np.arange(len(qrels)))
    table = bias(tiecore.evaluate(qrels, features, ["AP"], ["trec_eval"]))
    p = table["p"].dropna().sort_values()
    # the j-th of n is multiplied by n/j and by 1 + 1/2 + … + 1/n, then none may exceed the next one
    rank = np.arange(1, 7)
    raised = p * 6 / rank * (1 / rank).sum()
    known = raised[::-1].cummin().clip(upper=1.0)
    assert len(known) == 6
    np.testing.assert_allclose(table["p_adjusted"].dropna()[known.index], known, rtol=1e-12)


def test_without_ties_there_is_nothing_to_decide() -> None:
    evaluation = one_feature(np.array([3.0, 2.0, 1.0]), tie_breaks=["trec_eval"])
    row = bias(evaluation).iloc[0]
    assert np.isnan([row["z"], row["p"], row["p_adjusted"]]).all()
    assert row["verdict"] == "nothing to test: ties do not change AP"
    pooled = pooled_bias(evaluation).iloc[0]
    assert (pooled["features"], pooled["lifted"], pooled["strongest"]) == (0, 0, "")
    assert np.isnan(pooled["p"])
    assert pooled["verdict"] == row["verdict"]


def test_rounding_errors_are_no_bias() -> None:
    # gains of 0.1-like fractions: groups of one gain in different grades, whole inside the cut-off
    evaluation = one_feature(
        np.ones(7), grades=np.array([-1, 0, -2, 0, 0, -1, 0]), tie_breaks=["input"], measures=["nDCG", "CG"]
    )
    assert bias(evaluation)["p"].isna().all()


def test_a_feature_that_breaks_no_ties_has_nothing_to_decide() -> None:
    qrels, features = collection(2)
    features["constant"] = features["fine"].assign(score=1.0)
    evaluation = tiecore.evaluate(qrels, features, ["AP"], ["feature:coarse", "feature:constant"])
    table = bias(evaluation)
    assert np.isnan(table.loc[("AP", "feature:coarse", "coarse"), "p"])
    assert not np.isnan(table.loc[("AP", "feature:coarse", "fine"), "p"])
    assert np.isnan(table.loc[("AP", "feature:constant", "fine"), "p"])


def test_what_is_left_tied_is_subtracted_but_never_more_than_nine_tenths() -> None:
    variance = np.array([[3.0, 5.0], [3.0, 5.0], [3.0, 5.0], [3.0, 5.0], [0.0, 0.0]])
    left = np.array([[0.0, 0.0], [1.0, 3.0], [3.0, 4.9], [9.0, 9.0], [0.0, 0.0]])
    np.testing.assert_allclose(chance_variance(variance, left), [8.0, 4.0, 0.8, 0.8, 0.0], rtol=0, atol=1e-14)


def test_a_tie_break_that_changes_no_variance_by_more_than_rounding_leaves_nothing_to_chance() -> None:
    variance = np.full((3, 4), 0.25)
    left = variance - np.array([[0.0], [1e-11], [1e-8]])
    assert (chance_variance(variance, left) > 0).tolist() == [False, False, True]


def test_a_spread_of_the_size_of_rounding_gives_no_z() -> None:
    # sums of small values and of large ones: rounding is at most of the order of one, or of the sum
    z, p = z_scores(np.full(4, 1e-8), np.full(4, 1e-16), scale=np.array([0.0, 1.0, -1e3, 1e5]))
    assert z[:3].tolist() == pytest.approx([1.0, 1.0, 1.0], rel=1e-12)
    assert np.isnan(z[3])
    assert np.isnan(p[3])
    z, p = z_scores(np.full(2, 1e-13), np.full(2, 1e-26), scale=np.array([0.0, 1e-6]))
    assert np.isnan(z).all()
    assert np.isnan(p).all()


def knowing(direction: float, *, n_queries: int) -> Any:
    """Evaluate a tied feature that another one, in order of relevance or against it, takes apart."""
    query, doc = np.repeat(np.arange(n_queries), 4), np.tile(np.arange(4), n_queries)
    features = {"tied": frame(query, doc, score=doc * 0.0), "wise": frame(query, doc, score=direction * (doc % 2))}
    qrels = frame(query, doc, relevance=doc % 2)
    return tiecore.evaluate(qrels, features, ["AP"], ["feature:wise", "random:1"])


@pytest.mark.parametrize(
    ("direction", "n_queries", "words"),
    [
        (1, 40, "wise correlates with relevance among tied documents"),
        (1, 3, "wise may correlate with relevance among tied documents"),
        (-1, 40, "wise correlates negatively with relevance among tied documents"),
    ],
)
def test_a_feature_that_knows_more_is_praised_not_blamed(direction: int, n_queries: int, words: str) -> None:
    assert bias(knowing(direction, n_queries=n_queries)).loc[("AP", "feature:wise", "tied"), "verdict"] == words


@pytest.mark.untraced
def test_a_draw_can_only_be_lucky() -> None:
    pairs = frame(np.repeat(np.arange(5), 2), np.tile([0, 1], 5), relevance=np.tile([0, 1], 5))
    tied = {"f": pairs[["query_id", "doc_id"]].assign(score=1.0)}
    table = bias(tiecore.evaluate(pairs, tied, ["RR"], [f"random:{seed}" for seed in range(100)]))
    # five queries of five come out alike in one of sixteen draws
    lucky = table["p"] < 0.05
    assert 0 < lucky.sum() < 20
    assert all(verdict.endswith("will not repeat it") for verdict in table["verdict"][lucky])
    assert set(table["verdict"][~lucky]) == {"no sign of bias"}


def test_a_doubtful_tie_break_is_to_be_looked_at() -> None:
    evaluation = tiecore.evaluate(
        frame(np.repeat(np.arange(5), 2), np.tile([0, 1], 5), relevance=np.tile([0, 1], 5)),
        {"f": frame(np.repeat(np.arange(5), 2), np.tile([0, 1], 5), score=np.ones(10))},
        ["RR"],
        ["docid-desc"],
    )
    # √5 standard deviations: p = 0.025
    assert bias(evaluation)["verdict"].iloc[0] == (
        "docid-desc may correlate with relevance and make results look better: inspect its order before ranking with it"
    )


# --- measures without a variance --------------------------------------------------------------------------------------


def test_a_measure_without_variance_is_not_tested_unless_drawn() -> None:
    evaluation = evaluated(measures=["ESL"])
    for table in (bias(evaluation), pooled_bias(evaluation)):
        assert table["p"].isna().all()
        assert set(table["verdict"]) == {"not tested: ESL has no closed-form variance; pass draws=1000 to sample it"}


@pytest.mark.untraced
@pytest.mark.parametrize("name", ["ESL", "GMAP"])
def test_draws_find_what_document_ids_know(name: str) -> None:
    grades = np.tile([0, 0, 0, 1, 1, 2], 30)
    evaluation = one_feature(
        np.ones(180), n_queries=30, grades=grades, measures=[name], tie_breaks=["docid-desc", "docid-asc", "random:2"]
    )
    table = bias(evaluation, draws=2199, seed=1).droplevel(["measure", "feature"])
    assert table["p"]["docid-desc"] == table["p"]["docid-asc"] == 2 / 2200  # the least that so many draws can show
    assert table["p"]["random:2"] > 0.01
    assert table["verdict"].tolist() == [
        "docid-desc correlates with relevance and makes results look better: do not rank with it",
        "docid-asc correlates with relevance and makes results look worse: do not rank with it",
        "no sign of bias",
    ]
    assert pooled_bias(evaluation, draws=2199, seed=1)["verdict"].tolist() == table["verdict"].tolist()


def test_z_of_draws_counts_in_their_standard_deviation() -> None:
    evaluation = evaluated(measures=["ERR(max_rel=4)"], tie_breaks=["random:1"])
    table = bias(evaluation, draws=30, seed=3)
    draws = evaluation.sample("ERR(max_rel=4)", draws=30, seed=3)
    np.testing.assert_allclose(table["chance_sd"], draws.std(), rtol=1e-12)
    z = (table["value"].to_numpy() - draws.mean().to_numpy()) / draws.std().to_numpy()
    np.testing.assert_allclose(table["z"], z, rtol=1e-9)
    pd.testing.assert_frame_equal(table, bias(evaluation, draws=30, seed=3))


def test_draws_of_the_same_value_count_on_both_sides() -> None:
    # one relevant document of two tied in each query: the mean search is 0, 1/2 or 1
    evaluation = one_feature(np.ones(4), n_queries=2, measures=["ESL"], tie_breaks=["docid-desc", "docid-asc"])
    n_best, n_worst = ((evaluation.sample("ESL", draws=99, seed=4)["f"] == value).sum() for value in (0.0, 1.0))
    table = bias(evaluation, draws=99, seed=4)
    assert table["value"].tolist() == [0.0, 1.0]
    np.testing.assert_allclose(table["p"], [2 * (n_best + 1) / 100, 2 * (n_worst + 1) / 100], rtol=0, atol=1e-12)


def test_p_of_draws_is_uniform_without_knowledge() -> None:
    names = [f"random:{seed}" for seed in range(150)]
    evaluation = evaluated(measures=["Bpref"], tie_breaks=names)
    p = bias(evaluation, draws=800, seed=0).xs("fine", level="feature")["p"]
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_one_draw_is_no_test() -> None:
    evaluation = evaluated(measures=["ESL"])
    pd.testing.assert_frame_equal(bias(evaluation, draws=1), bias(evaluation))
    pd.testing.assert_frame_equal(pooled_bias(evaluation, draws=1), pooled_bias(evaluation))
    for diagnose in (bias, pooled_bias):
        two = diagnose(evaluation, draws=2)
        assert two["p"].notna().any()
        assert not two["verdict"].str.startswith("not tested").any()


# --- over all features ------------------------------------------------------------------------------------------------


def test_the_pool_of_equal_features_is_each_of_them() -> None:
    qrels, features = tied_features(np.random.default_rng(5), n_features=1)
    copies = {f"copy {i}": features["f0"] for i in range(7)}
    evaluation = tiecore.evaluate(qrels, copies, ["AP"], ["trec_eval"])
    p = pooled_bias(evaluation)["p"].iloc[0]
    np.testing.assert_allclose(bias(evaluation)["p"], p, rtol=1e-9)
    alone = tiecore.evaluate(qrels, features, ["AP"], ["trec_eval"])
    assert pooled_bias(alone)["p"].iloc[0] == pytest.approx(p, rel=1e-9)


def test_the_pool_names_the_strongest_feature() -> None:
    evaluation = evaluated(tie_breaks=["best", "trec_eval", "docid-asc"])
    table, pooled = bias(evaluation), pooled_bias(evaluation)
    assert pooled.index.names == ["measure", "tie_break"]
    for key, row in pooled.iterrows():
        z = table.loc[key]["z"].dropna()
        assert row["strongest"] == z.abs().idxmax()
        assert row["z"] == z[row["strongest"]]
        assert row["lifted"] == (z > 0).sum()


def test_the_pool_of_two_features_combines_both_as_by_hand_and_one_without_a_shift_does_not_silence_the_other() -> None:
    # ten queries, the one with the higher id relevant but in q1; "even" is lifted once and lowered once: z = 0, p = 1
    qrels = {f"q{q}": {"a": int(q == 1), "b": int(q != 1)} for q in range(10)}
    lifted = {f"q{q}": {"a": 1.0, "b": 1.0 + (q == 1)} for q in range(10)}
    even = {f"q{q}": {"a": 1.0, "b": 1.0 + (q > 1)} for q in range(10)}
    evaluation = tiecore.evaluate(qrels, {"even": even, "lifted": lifted}, ["RR"], ["trec_eval"])
    p = bias(evaluation)["p"].to_numpy()
    np.testing.assert_allclose(p, [1.0, 2 * stats.norm.sf(3.0)], rtol=0, atol=1e-12)
    # a p of 1 counts as 0.99; the tangent of (1/2 − p)π is Cauchy distributed, and so is the mean of two
    known = 0.5 - np.arctan(np.tan((0.5 - np.array([0.99, p[1]])) * np.pi).mean()) / np.pi
    row = pooled_bias(evaluation).loc[("RR", "trec_eval")]
    assert row["p"] == pytest.approx(known, rel=0, abs=1e-12)
    assert row["verdict"].startswith("trec_eval may correlate with relevance and make results look better")
    alone = tiecore.evaluate(qrels, {"even": even}, ["RR"], ["trec_eval"])
    assert pooled_bias(alone)["p"].tolist() == [1.0]


def test_what_the_test_needs_is_asked_for() -> None:
    with pytest.raises(tiecore.TiecoreError, match="tie_breaks="):
        bias(evaluated(tie_breaks=[]))
    with pytest.raises(tiecore.TiecoreError, match="'sd'"):
        bias(evaluated(statistics=["expected"]))


# --- rare hits --------------------------------------------------------------------------------------------------------


@pytest.mark.untraced
@pytest.mark.parametrize(("measure", "n_documents"), [("P@1", 100), ("P@10", 400)])
def test_a_lucky_hit_among_few_that_are_due_is_no_sign_of_bias(measure: str, n_documents: int) -> None:
    qrels = {f"q{q}": {f"d{d}": int(d == q) for d in range(n_documents)} for q in range(10)}
    tied = {query: dict.fromkeys(documents, 1.0) for query, documents in qrels.items()}
    seeds = [f"random:{seed}" for seed in range(400)]
    p = bias(tiecore.evaluate(qrels, {"tied": tied}, [measure], seeds))["p"]
    # with 0.1 and 0.25 hits due, one comes by chance in 10 and 22 % of cases
    assert (p <= 0.001).mean() < 0.006
    assert (p <= 0.05).mean() < 0.08


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.8])
def test_the_skewness_of_hits_is_that_of_bernoulli_and_of_their_sum_less(chance: float) -> None:
    variance, ends = np.full((1, 7), chance * (1 - chance)), {"below": np.full((1, 7), chance)}
    ends["above"] = 1 - ends["below"]
    known = (1 - 2 * chance) / np.sqrt(7 * chance * (1 - chance))
    assert chance_skewness(variance, **ends)[0] == pytest.approx(known, rel=0, abs=1e-12)
    # each of 7 queries the mean of 5 hits: as skew as 35 of them
    parts = chance_skewness(variance / 5, **ends)[0]
    assert parts == pytest.approx(known / np.sqrt(5), rel=0, abs=1e-12)
    nothing = np.zeros((1, 7))
    assert chance_skewness(nothing, below=nothing, above=nothing)[0] == 0


def test_p_of_rare_hits_is_near_that_of_poisson_and_mirrored_where_misses_are_rare() -> None:
    due = 0.5
    for hits in (2, 3, 4):
        shift = np.array([hits - due])
        _, p = z_scores(shift, np.array([due]), scale=np.ones(1), skewness=np.array([due**-0.5]))
        _, mirrored = z_scores(-shift, np.array([due]), scale=np.ones(1), skewness=np.array([-(due**-0.5)]))
        assert p[0] == mirrored[0] == pytest.approx(stats.poisson.sf(hits - 1, due), rel=0.5, abs=0)


@pytest.mark.parametrize("sign", [1, -1])
def test_no_p_is_below_that_of_a_normal_distribution(sign: int) -> None:
    # a gamma distribution of skewness 1 ends at -2, but not a sum of rare hits and of what varies on other queries
    z = sign * np.array([-9.0, -2.1, -1.8, -0.5, 0.0, 0.5, 3.0])
    _, p = z_scores(z, np.ones(len(z)), scale=np.ones(len(z)), skewness=sign * 1.0)
    np.testing.assert_allclose(p[:3], 2 * stats.norm.sf(np.abs(z[:3])), rtol=1e-9, atol=0)
    assert (p >= 2 * stats.norm.sf(np.abs(z)) - 1e-12).all()
    assert p[-1] > 0.02  # and that of the gamma distribution on its long side


def test_without_worst_and_best_case_p_is_that_of_a_normal_distribution() -> None:
    qrels = {f"q{q}": {"a": 1, **dict.fromkeys("bcdefghij", 0)} for q in range(4)}
    tied = {query: dict.fromkeys(documents, 1.0) for query, documents in qrels.items()}
    p = {}
    for statistics in (["expected", "sd"], ["expected", "sd", "worst", "best"]):
        table = bias(tiecore.evaluate(qrels, {"tied": tied}, ["P@1"], ["docid-asc"], statistics=statistics))
        p[len(statistics)] = table["p"].iloc[0]
    assert p[2] == pytest.approx(2 * stats.norm.sf(6), rel=1e-9)
    assert 1e-4 < p[4] < 1e-3  # in one case of ten thousand the hit comes first on all four queries

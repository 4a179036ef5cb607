"""A tie-break that correlates with relevance is found, one that does not raises no alarm."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tiecore
from tests.diagnostics.data import collection, diagnostics, evaluated, frame, one_feature, with_scores
from tests.stability.synthetic import drawn_of
from tiecore.diagnostics.bias import RandomZ, chance_variance, z_scores
from tiecore.evaluation import random_values

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
    # both queries of two come out alike in half of the orders
    assert row["p"] == pytest.approx(0.5, abs=0.08)
    assert row["p_adjusted"] == row["p"]


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
    p: list[float] = []
    for _ in range(10):
        keys = {f"key{i}": features["f0"].assign(score=rng.integers(0, 2, size=len(qrels))) for i in range(20)}
        evaluation = tiecore.evaluate(qrels, features | keys, ["AP"], [f"feature:{key}" for key in keys])
        p.extend(bias(evaluation).xs("f0", level="feature")["p"])
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_p_is_tiny_when_document_ids_follow_relevance() -> None:
    rng = np.random.default_rng(1)
    grades = np.sort(rng.integers(0, 3, size=(N_QUERIES, N_DOCS)), axis=1).ravel()  # the higher the id, the higher
    scores = {f"f{f}": rng.integers(0, 3, size=len(grades)) for f in range(2)}
    measures, tie_breaks = ["AP", "nDCG@10", "ESL", "GMAP", "PRR"], ["docid-desc", "docid-asc"]
    evaluation = with_scores(scores, n_queries=N_QUERIES, grades=grades, measures=measures, tie_breaks=tie_breaks)
    table, pooled = bias(evaluation), pooled_bias(evaluation)
    assert (table["p"] == 1 / 1001).all(), "the least that so many draws can show"
    assert (table["p_adjusted"] <= 2 / 1001).all()
    assert (pooled["p"] == 1 / 1001).all()
    assert set(pooled["features"]) == {2}
    for m in measures:
        sign = 1 if tiecore.measure(m).higher_is_better else -1
        assert (sign * table.loc[(m, "docid-desc")]["z"] > 0).all()
        assert (sign * table.loc[(m, "docid-asc")]["z"] < 0).all()
        assert pooled.loc[(m, "docid-desc"), "lifted"] == 2
        assert pooled.loc[(m, "docid-asc"), "lifted"] == 0
        for tie in tie_breaks:
            words = f"{tie} correlates with relevance: do not rank with this tie-break"
            assert set(table.loc[(m, tie)]["verdict"]) == {words}
            assert pooled.loc[(m, tie), "verdict"] == words


def test_p_is_adjusted_for_all_features_by_the_largest_z_of_each_draw() -> None:
    qrels, features = tied_features(np.random.default_rng(8), n_features=2)
    features["untied"] = features["f0"].assign(score=np.arange(len(qrels)))
    evaluation = tiecore.evaluate(qrels, features, ["AP"], ["trec_eval"])
    table, drawn = bias(evaluation), evaluation.sample(draws=1000)
    summary = evaluation.summary
    z: Any = abs((drawn - summary["expected"].to_numpy()) / summary["sd"].to_numpy())
    for feature, row in table.droplevel(["measure", "tie_break"]).iterrows():
        if feature == "untied":
            assert np.isnan(row["p"])
            continue
        assert row["p"] == pytest.approx((1 + (z[feature] >= abs(row["z"])).sum()) / 1001, abs=0.002)
        assert row["p_adjusted"] == pytest.approx((1 + (z.max(axis=1) >= abs(row["z"])).sum()) / 1001, abs=0.002)
    assert (table["p_adjusted"].dropna() >= table["p"].dropna()).all()
    assert pooled_bias(evaluation)["p"].iloc[0] == table["p_adjusted"].min()


def test_the_observed_order_is_counted_among_the_draws() -> None:
    drawn = RandomZ(np.array([[-2.0], [1.0], [2.5]]), np.array([3]), np.zeros(1), np.ones(1))
    p = drawn.share(np.array([0.0, 2.0, 3.0, np.nan]))
    assert p.tolist()[:3] == [1.0, 3 / 4, 1 / 4]
    assert np.isnan(p[3])
    # draws put together anew show no more than the orders that they are made of
    few = RandomZ(np.tile(drawn.z, (100, 1)), np.array([3]), np.zeros(1), np.ones(1))
    np.testing.assert_array_equal(few.share(np.array([0.0, 2.0, 3.0, np.nan])), p)


def test_too_many_tied_documents_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_values, "_BUDGET", 1)
    evaluation = evaluated(measures=["AP", "ESL"])
    for table in (bias(evaluation), pooled_bias(evaluation)):
        assert table["p"].isna().all()
        assert set(table["verdict"]) == {"too many tied documents to draw"}
    advised = diagnostics.advice(evaluated(measures=["AP"]), "coarse", "AP")
    assert advised["z"].notna().any()
    assert advised["p"].isna().all()


def test_a_feature_of_which_no_tie_was_drawn_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    query, doc = np.repeat(np.arange(60), 4), np.tile(np.arange(4), 60)
    often, once = frame(query, doc, score=doc * 0.0), frame(query, doc, score=np.where(query == 10, 0.0, doc))
    qrels = frame(query, doc, relevance=np.random.default_rng(2).permutation(240) % 2)
    monkeypatch.setattr(random_values, "_BUDGET", 1000)
    evaluation = tiecore.evaluate(qrels, {"often": often, "once": once}, ["AP"], ["docid-desc"])
    assert 10 not in drawn_of(evaluation).queries
    table = bias(evaluation).droplevel(["measure", "tie_break"])
    assert table["z"].notna().all()
    assert table["p"].notna().to_dict() == table["p_adjusted"].notna().to_dict() == {"often": True, "once": False}
    assert table.loc["once", "verdict"] == "too many tied documents to draw"
    assert pooled_bias(evaluation)["strongest"].tolist() == ["often"]


def test_a_feature_whose_rare_order_was_never_drawn_hides_no_bias_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    query, doc = np.repeat(np.arange(40), 100), np.tile(np.arange(100), 40)
    features = {"tied": frame(query, doc, score=doc % 2)}
    for place in range(8):  # in one query, the first of 91 tied documents counts, and one of them is relevant
        features[f"rare {place}"] = frame(query, doc, score=np.where((query == place) & (doc >= 9), 0, 100 - doc))
    qrels = frame(query, doc, relevance=np.where(query < 8, doc == 50, doc < 3).astype(int))
    monkeypatch.setattr(random_values, "_BUDGET", 200_000)
    evaluation = tiecore.evaluate(qrels, features, ["P@10"], ["input"])
    drawn = drawn_of(evaluation)
    assert drawn.is_complete
    assert (np.ptp(drawn.totals, axis=0) == 0).any()
    table = bias(evaluation).droplevel(["measure", "tie_break"])
    assert table["p_adjusted"].lt(0.05).tolist() == [True, *[False] * 8]


@pytest.mark.parametrize("measure", ["ESL", "GMAP", "AP"])
def test_z_is_that_of_all_queries_where_a_part_of_them_is_drawn(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query, doc = np.repeat(np.arange(80), 6), np.tile(np.arange(6), 80)
    qrels = frame(query, doc, relevance=np.random.default_rng(4).permutation(480) % 2)
    seeds = [f"random:{seed}" for seed in range(60)]
    evaluation = tiecore.evaluate(qrels, {"tied": frame(query, doc, score=doc // 3)}, [measure], seeds)
    monkeypatch.setattr(random_values, "_BUDGET", 1000)
    assert drawn_of(evaluation).share < 0.3
    assert bias(evaluation)["z"].std() == pytest.approx(1, abs=0.45)


def test_without_ties_or_by_a_feature_that_breaks_none_there_is_nothing_to_decide_but_rounding() -> None:
    evaluation = one_feature(np.array([3.0, 2.0, 1.0]), tie_breaks=["trec_eval"])
    row = bias(evaluation).iloc[0]
    assert np.isnan([row["z"], row["p"], row["p_adjusted"]]).all()
    assert row["verdict"] == "nothing to test: ties do not change AP"
    pooled = pooled_bias(evaluation).iloc[0]
    assert (pooled["features"], pooled["lifted"], pooled["strongest"]) == (0, 0, "")
    assert np.isnan(pooled["p"])
    assert pooled["verdict"] == row["verdict"]
    # gains of 0.1-like fractions: groups of one gain in different grades, whole inside the cut-off
    evaluation = one_feature(
        np.ones(7), grades=np.array([-1, 0, -2, 0, 0, -1, 0]), tie_breaks=["input"], measures=["nDCG", "CG"]
    )
    assert bias(evaluation)["p"].isna().all()
    qrels, features = collection(2)
    features["constant"] = features["fine"].assign(score=1.0)
    evaluation = tiecore.evaluate(qrels, features, ["AP"], ["feature:coarse", "feature:constant"])
    table = bias(evaluation)
    assert np.isnan(table.loc[("AP", "feature:coarse", "coarse"), "p"])
    assert not np.isnan(table.loc[("AP", "feature:coarse", "fine"), "p"])
    assert np.isnan(table.loc[("AP", "feature:constant", "fine"), "p"])


def test_what_is_left_tied_is_subtracted_but_never_more_than_nine_tenths_and_rounding_leaves_nothing() -> None:
    variance = np.array([[3.0, 5.0], [3.0, 5.0], [3.0, 5.0], [3.0, 5.0], [0.0, 0.0]])
    left = np.array([[0.0, 0.0], [1.0, 3.0], [3.0, 4.9], [9.0, 9.0], [0.0, 0.0]])
    np.testing.assert_allclose(chance_variance(variance, left), [8.0, 4.0, 0.8, 0.8, 0.0], rtol=0, atol=1e-14)
    variance = np.full((3, 4), 0.25)
    left = variance - np.array([[0.0], [1e-11], [1e-8]])
    assert (chance_variance(variance, left) > 0).tolist() == [False, False, True]


def test_a_spread_of_the_size_of_rounding_gives_no_z() -> None:
    # sums of small values and of large ones: rounding is at most of the order of one, or of the sum
    z = z_scores(np.full(4, 1e-8), np.full(4, 1e-16), scale=np.array([0.0, 1.0, -1e3, 1e5]))
    assert z[:3].tolist() == pytest.approx([1.0, 1.0, 1.0], rel=1e-12)
    assert np.isnan(z[3])
    assert np.isnan(z_scores(np.full(2, 1e-13), np.full(2, 1e-26), scale=np.array([0.0, 1e-6]))).all()


@pytest.mark.parametrize(
    ("direction", "n_queries", "words"),
    [
        (1, 40, "wise correlates with relevance among tied documents"),
        (1, 2, "wise may correlate with relevance among tied documents"),
        (-1, 40, "wise correlates negatively with relevance among tied documents"),
    ],
)
def test_a_feature_that_knows_more_is_praised_not_blamed(direction: int, n_queries: int, words: str) -> None:
    # wise takes ties apart in order of relevance or against it
    query, doc = np.repeat(np.arange(n_queries), 4), np.tile(np.arange(4), n_queries)
    features = {"tied": frame(query, doc, score=doc * 0.0), "wise": frame(query, doc, score=direction * (doc % 2))}
    evaluation = tiecore.evaluate(frame(query, doc, relevance=doc % 2), features, ["AP"], ["feature:wise", "random:1"])
    assert bias(evaluation).loc[("AP", "feature:wise", "tied"), "verdict"] == words


def test_a_draw_can_only_be_lucky_and_another_tie_break_as_doubtful_is_to_be_looked_at() -> None:
    pairs: dict[str, Any] = {"scores": np.ones(12), "n_queries": 6, "measures": ["RR"]}
    table = bias(one_feature(**pairs, tie_breaks=[f"random:{seed}" for seed in range(100)]))
    # six queries of six come out alike in one of 32 draws
    lucky = table["p"] < 0.05
    assert 0 < lucky.sum() < 20
    assert all(verdict.endswith("will not repeat it") for verdict in table["verdict"][lucky])
    assert set(table["verdict"][~lucky]) == {"no sign of bias"}
    # √6 standard deviations: p = 1/32
    assert bias(one_feature(**pairs, tie_breaks=["docid-desc"]))["verdict"].iloc[0] == (
        "docid-desc may correlate with relevance: inspect its order before ranking with it"
    )


def test_z_of_a_measure_without_variance_counts_in_the_deviation_of_draws() -> None:
    evaluation = evaluated(measures=["ERR(max_rel=4)"], tie_breaks=["random:1"])
    table, drawn = bias(evaluation, seed=3), evaluation.sample(draws=1000, seed=3)
    np.testing.assert_allclose(table["chance_sd"], drawn.std(), rtol=1e-9)
    np.testing.assert_allclose(table["z"], table["shift"].to_numpy() / drawn.std().to_numpy(), rtol=1e-9)


def test_the_pool_names_the_strongest_feature() -> None:
    evaluation = evaluated(tie_breaks=["best", "trec_eval", "docid-asc"])
    table, pooled = bias(evaluation), pooled_bias(evaluation)
    assert pooled.index.names == ["measure", "tie_break"]
    for key, row in pooled.iterrows():
        z = table.loc[key]["z"].dropna()
        assert row["strongest"] == z.abs().idxmax()
        assert row["z"] == z[row["strongest"]]
        assert row["lifted"] == (z > 0).sum()


def test_what_the_test_needs_is_asked_for_and_worst_and_best_case_are_not() -> None:
    with pytest.raises(tiecore.TiecoreError, match="tie_breaks="):
        bias(evaluated(tie_breaks=[]))
    with pytest.raises(tiecore.TiecoreError, match="'sd'"):
        bias(evaluated(statistics=["expected"]))
    whole, lean = evaluated(), evaluated(statistics=["expected", "sd"])
    pd.testing.assert_frame_equal(bias(lean)[["z"]], bias(whole)[["z"]])
    assert bias(lean)["p"].notna().any()


@pytest.mark.parametrize(("measure", "n_documents"), [("P@1", 100), ("P@5", 200)])
def test_a_lucky_hit_among_few_that_are_due_is_no_sign_of_bias(measure: str, n_documents: int) -> None:
    qrels = {f"q{q}": {f"d{d}": int(d == q) for d in range(n_documents)} for q in range(10)}
    tied = {query: dict.fromkeys(documents, 1.0) for query, documents in qrels.items()}
    seeds = [f"random:{seed}" for seed in range(200)]
    p = bias(tiecore.evaluate(qrels, {"tied": tied}, [measure], seeds))["p"]
    # with 0.1 and 0.25 hits due, one comes by chance in 10 and 22 % of cases
    assert (p <= 0.001).mean() < 0.006
    assert (p <= 0.05).mean() < 0.08

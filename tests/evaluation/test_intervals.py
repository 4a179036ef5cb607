"""Where random tie-breaks, and where other queries, put a feature most of the time."""

import numpy as np
import pytest
from scipy import stats

import tiecore
from tiecore.evaluation.intervals import (
    FEWEST_QUERIES,
    MANY_QUERIES,
    central_interval,
    interval_of_mean,
    query_interval,
)


def evaluation(measure: str, n_queries: int, *, n_tied: int = 8) -> tiecore.Evaluation:
    """Every query has one relevant document in a tie; a second feature has no ties, a third is constant."""
    queries = [f"q{q}" for q in range(n_queries)]
    documents = [f"d{d}" for d in range(n_tied)]
    features = {
        "tied": {q: {d: 0.0 if d == documents[-1] else 1.0 for d in documents} for q in queries},
        "untied": {q: {d: float(rank) for rank, d in enumerate(documents)} for q in queries},
        "constant": {q: dict.fromkeys(documents, 1.0) for q in queries},
    }
    return tiecore.evaluate({q: {d: int(d == "d2") for d in documents} for q in queries}, features, [measure])


def test_with_many_queries_the_interval_is_normal_and_exact_where_nothing_is_tied() -> None:
    studied = evaluation("RR", MANY_QUERIES)
    expected, sd = studied.summary[["expected", "sd"]].to_numpy().T
    assert [expected[1], sd[1]] == pytest.approx([1 / 6, 0], rel=0, abs=1e-12)
    known = np.stack([expected - 1.959964 * sd, expected + 1.959964 * sd], axis=1)
    np.testing.assert_allclose(central_interval(studied, "RR"), known, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("measure", "n_queries"), [("RR", MANY_QUERIES - 1), ("ERR", MANY_QUERIES), ("ESL", 40), ("GMAP", 35)]
)
def test_with_few_queries_or_without_a_variance_it_is_sampled(measure: str, n_queries: int) -> None:
    studied = evaluation(measure, n_queries)
    known = studied.sample(measure, draws=1000).quantile([0.025, 0.975]).T
    np.testing.assert_allclose(central_interval(studied, measure), known, rtol=0, atol=1e-12)


@pytest.mark.parametrize("measure", ["RR", "nDCG@3", "ESL", "P@2"])
@pytest.mark.parametrize("n_queries", [3, 40])
def test_it_lies_between_worst_and_best_and_around_most_draws(measure: str, n_queries: int) -> None:
    studied = evaluation(measure, n_queries)
    found = central_interval(studied, measure, seed=1)
    bounds = np.sort(studied.summary[["worst", "best"]].to_numpy(), axis=1)
    assert (found["low"].to_numpy() >= bounds[:, 0] - 1e-12).all()
    assert (found["high"].to_numpy() <= bounds[:, 1] + 1e-12).all()
    drawn = studied.sample(measure, draws=600, seed=2)
    inside = ((drawn >= found["low"] - 1e-9) & (drawn <= found["high"] + 1e-9)).mean()
    assert (inside > 0.92).all()
    assert (found["low"] <= found["high"]).all()


def test_as_many_draws_lie_below_the_sampled_interval_as_above() -> None:
    studied = evaluation("RR", 5)
    found = central_interval(studied, "RR", level=0.8, seed=3)
    assert found.index.name == "feature"
    drawn = studied.sample("RR", draws=1000, seed=3)
    for feature in ("tied", "constant"):
        low, high = found[["low", "high"]].xs(feature)
        assert low == pytest.approx(np.quantile(drawn[feature], 0.1), rel=0, abs=1e-12)
        assert high == pytest.approx(-np.quantile(-drawn[feature], 0.1), rel=0, abs=1e-12)


@pytest.mark.parametrize("level", [0, 1, -0.5, 2])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(tiecore.TiecoreError, match="level must lie between 0 and 1"):
        central_interval(evaluation("RR", 40), "RR", level=level)


@pytest.mark.parametrize("measure", ["AP", "GMAP", "ESL"])
def test_the_interval_over_queries_is_that_of_students_t_with_two_more_squares(measure: str) -> None:
    rng = np.random.default_rng(1)
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(2)) if d else 1 for d in range(6)} for q in range(12)}
    scores = {query: {document: int(rng.integers(3)) for document in judged} for query, judged in qrels.items()}
    studied = tiecore.evaluate(qrels, {"one": scores}, [measure])
    found = query_interval(studied)
    values = studied.per_query["expected"].to_numpy()
    values = np.log(values) if measure == "GMAP" else values
    span = {"AP": 1.0, "GMAP": np.log(1e5), "ESL": np.ptp(values)}[measure]
    unseen = span / (1 + len(values) - values.tolist().count(sorted(values.tolist())[6]))
    half = stats.t.ppf(0.975, 11) * np.sqrt((np.square(values - values.mean()).sum() + 2 * unseen**2) / 11 / 12)
    ends = values.mean() + np.array([-half, half])
    ends = np.exp(ends) if measure == "GMAP" else ends
    np.testing.assert_allclose(found.xs("one"), ends, rtol=0, atol=1e-12)


@pytest.mark.parametrize("share", [0.02, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("n_queries", [10, 30, 100])
def test_the_interval_over_queries_holds_the_mean_where_hits_are_rare(share: float, n_queries: int) -> None:
    hits = np.random.default_rng(n_queries).uniform(size=(2000, n_queries)) < share
    for values, mean in ((hits, share), (~hits, 1 - share)):
        low, high = interval_of_mean(values.astype(np.float64), span=1.0)
        assert ((low <= mean) & (mean <= high)).mean() > 0.87


def test_an_interval_never_leaves_the_range_of_the_measure() -> None:
    qrels = {f"q{q}": {"a": 1, "b": 0} for q in range(30)}
    features = {"best": {q: {"a": 2, "b": 1} for q in qrels}, "worst": {q: {"a": 1, "b": 2} for q in qrels}}
    studied = tiecore.evaluate(qrels, features, ["P@1", "ESL", "RR"])
    for measure in ("P@1", "RR"):
        found = query_interval(studied, measure)
        assert (found["low"] >= 0).all()
        assert found["high"]["best"] == 1
        assert found["low"]["best"] < 1, "thirty hits of thirty are no certainty"
    assert query_interval(studied, "P@1").loc["worst", "low"] == 0
    assert query_interval(studied, "P@1").loc["worst", "high"] == pytest.approx(
        stats.t.ppf(0.975, 29) * np.sqrt(2 / 29 / 30)  # 3 hits in 30 are one in ten
    )


def test_few_queries_have_no_interval_over_queries() -> None:
    for n_queries in range(1, FEWEST_QUERIES):
        assert query_interval(evaluation("RR", n_queries), "RR").isna().to_numpy().all()
    assert query_interval(evaluation("RR", FEWEST_QUERIES), "RR").notna().to_numpy().all()

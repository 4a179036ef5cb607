"""A chain is what its features give together, and a step is called real only where held-out queries say so."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import tiecore
from tests.diagnostics.data import diagnostics, one_feature, with_scores
from tiecore import TiecoreError
from tiecore.diagnostics.chain import _gain as gain_of

chain = diagnostics.chain
N_QUERIES, N_DOCS = 40, 12


def layered(seed: int = 0, **options: Any) -> Any:
    """Evaluate features of which each knows what the one before does not, and noise that knows nothing."""
    rng = np.random.default_rng(seed)
    grade = rng.integers(0, 8, size=N_QUERIES * N_DOCS)
    scores = {
        "high": grade // 4,
        "middle": grade // 2 % 2,
        "low": grade % 2,
        "noise": rng.random(len(grade)).round(6),
        "constant": np.zeros(len(grade)),
    }
    chosen: dict[str, Any] = {"measures": ["nDCG", "ESL(s=2)", "GMAP"], "statistics": ["expected"]}
    return with_scores(scores, n_queries=N_QUERIES, grades=grade, **(chosen | options))


def test_the_layers_of_the_grade_are_found_in_their_order_and_make_a_perfect_ranking() -> None:
    table = chain(layered(), "high", "nDCG")
    assert list(table["feature"]) == ["high", "middle", "low"]
    assert list(table.index) == [1, 2, 3]
    assert table["expected"].iloc[-1] == pytest.approx(1.0, rel=0, abs=1e-12)
    assert table["held_out"].iloc[-1] == pytest.approx(1.0, rel=0, abs=1e-12)
    assert table["spread"].iloc[-1] == pytest.approx(0.0, rel=0, abs=1e-12)
    assert (table["agreement"] == 1).all()
    assert list(table["verdict"]) == [
        "begins the chain",
        *["clear: more than the best of many would gain by chance, and held-out queries gain too"] * 2,
    ]
    assert (table["low"].iloc[1:] > 0).all()


def test_where_every_fold_chooses_alike_the_held_out_gain_is_that_of_all_queries_with_an_interval() -> None:
    evaluation = layered()
    table = chain(evaluation, "high", "nDCG", most=2)
    assert table["held_out_gain"].loc[2] == pytest.approx(table["gained"].loc[2], rel=0, abs=1e-12)
    broken = layered(tie_breaks=["feature:middle"])
    column = broken.values.columns.index("feature:middle")
    after = broken.values.array[0, broken.features.index("high"), column]
    before = broken.values.array[0, broken.features.index("high"), 0]
    known: Any = stats.ttest_1samp(after - before, 0.0).confidence_interval(0.95)
    low, high = table.loc[2, ["low", "high"]].astype(float)
    assert low <= known.low < known.high <= high  # room for rare queries
    assert high - low < 1.1 * (known.high - known.low)
    assert (after >= before).mean() > 0.9
    assert table["p"].loc[2] == 1 / 10_001, "no flip of signs gains as much"


def test_with_one_candidate_p_is_that_of_flipping_its_signs() -> None:
    evaluation = layered(1, tie_breaks=["feature:noise"], only=["high", "noise"])  # noise that seems to gain
    table = chain(evaluation, "high", "nDCG")
    values = evaluation.values.array[0, evaluation.features.index("high")]
    gain = values[evaluation.values.columns.index("feature:noise")] - values[0]
    known = stats.permutation_test((gain,), np.mean, permutation_type="samples", alternative="greater")
    assert table["p"].loc[2] == pytest.approx(known.pvalue, rel=0, abs=0.03)


def test_noise_that_seems_to_gain_is_not_called_clear() -> None:
    clear = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        grade, coarse = rng.integers(0, 2, size=(2, 200))
        noise = {f"noise {n}": rng.random(200) for n in range(10)}
        table = chain(with_scores({"coarse": coarse} | noise, n_queries=20, grades=grade), "coarse", "AP")
        assert table["gained"].loc[2] > 0, "the best of ten gains on the queries that it was chosen by"
        clear += str(table["verdict"].loc[2]).startswith("clear")
    assert clear <= 2  # at most 5 % of them by chance: three or more of 10 come with probability 0.012


def test_a_gain_that_held_out_queries_do_not_have_is_not_called_clear() -> None:
    rng = np.random.default_rng(0)
    before = rng.random(50)
    found: Any = gain_of(tiecore.measure("AP"), before - 0.1 - 0.01 * rng.random(50), before, p=0.01)
    assert found["verdict"] == "does not last: held-out queries gain nothing"
    assert found["high"] < 0
    slight: Any = gain_of(tiecore.measure("AP"), before + 0.1 * (np.arange(50) == 7), before, p=0.01)
    assert slight["held_out_gain"] > 0 >= slight["low"], "the interval describes, p and the held-out gain decide"
    assert slight["verdict"].startswith("clear")


def test_lower_is_better_is_improved_downwards_and_a_geometric_mean_has_no_interval_and_a_test() -> None:
    table = chain(layered(), "high", "ESL(s=2)")
    assert (table["gained"].iloc[1:] > 0).all()
    assert (table["expected"].diff().iloc[1:] < 0).all()
    table = chain(layered(), "high", "GMAP")
    assert table[["low", "high"]].isna().all(axis=None)
    assert table["p"].iloc[1:].notna().all()


def test_the_length_is_bounded_by_ties_and_wishes_and_one_may_begin_where_one_likes() -> None:
    for alone in ("noise", "constant"):
        assert list(chain(layered(only=[alone]), alone, "nDCG")["feature"]) == [alone]
    evaluation = layered()
    assert len(chain(evaluation, "high", "nDCG", most=1)) == 1
    assert list(chain(evaluation, "low", "nDCG")["feature"]) == ["low", "high", "middle"]


def test_a_chain_of_at_most_no_feature_or_over_one_query_is_refused() -> None:
    with pytest.raises(TiecoreError, match="most must be 1 or more, found 0"):
        chain(layered(), "high", "nDCG", most=0)
    with pytest.raises(TiecoreError, match="at least two"):
        chain(one_feature(np.ones(2)), "f")

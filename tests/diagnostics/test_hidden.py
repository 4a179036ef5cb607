"""Ties that tiny steps hide are found; features without such steps are left in peace."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import tiecore
from tests.diagnostics.data import diagnostics, one_feature

anatomy = diagnostics.anatomy
hidden_ties = diagnostics.hidden_ties

N_QUERIES, N_DOCS = 20, 100
N = N_QUERIES * N_DOCS


def by_query(scores: np.ndarray, *, step: float) -> np.ndarray:
    """Set tied documents of each query apart: the n-th of a tie is lowered by n − 1 steps."""
    apart = scores.astype(np.float64)
    for of_query in np.split(apart, N_QUERIES):
        for value in np.unique(of_query):
            tied = np.flatnonzero(of_query == value)
            of_query[tied] -= step * np.arange(len(tied))
    return apart


def next_float32(scores: np.ndarray) -> np.ndarray:
    """Set tied documents apart by the next smaller number in float32, again and again."""
    apart = scores.astype(np.float32)
    for of_query in np.split(apart, N_QUERIES):
        order = np.argsort(-of_query, kind="stable")
        for before, after in pairwise(order):
            if of_query[after] >= of_query[before]:
                of_query[after] = np.nextafter(of_query[before], np.float32(-np.inf))
    return apart


def rounded(low: float, high: float, decimals: int) -> np.ndarray:
    return np.round(np.random.default_rng(3).uniform(low, high, N), decimals)


def look(scores: np.ndarray, precision: str = "float64") -> Any:
    return one_feature(scores, n_queries=N_QUERIES, precision=precision)


@pytest.mark.parametrize(
    ("tied", "step", "restore"),
    [
        (np.random.default_rng(0).integers(0, 20, N), 1e-6, "decimals:4"),
        (rounded(0, 1, 2), 1e-9, "decimals:7"),
        (rounded(8, 16, 1), 1e-6, "decimals:4"),
        (np.random.default_rng(0).integers(0, 50, N) * 100, 1e-3, "decimals:1"),
    ],
)
def test_a_step_between_ties_is_found_and_ties_are_brought_back(tied: np.ndarray, step: float, restore: str) -> None:
    hidden = by_query(tied, step=step)
    row = hidden_ties(look(hidden)).loc["f"]
    assert row["tied"] == 0
    assert row["step"] == pytest.approx(step, rel=1e-9)
    assert row["restore"] == restore
    assert (row["restored"], row["spurious"]) == (1.0, 0.0)
    gaps = sum(len(of_query) - len(np.unique(of_query)) for of_query in np.split(tied, N_QUERIES))
    assert row["step_share"] == pytest.approx(gaps / (N - N_QUERIES), rel=0, abs=1e-12)
    assert row["note"].startswith(
        f"ties are hidden: {100 * row['step_share']:.0f} % of neighbours are exactly {step:g} apart"
    )
    assert row["note"].endswith(f"precision={restore} ties 100 % of them again")
    before, after = anatomy(look(tied)).loc["f"], anatomy(look(hidden, restore)).loc["f"]
    assert after.drop("alarm").equals(before.drop("alarm"))


def test_a_step_written_from_float32_with_six_decimals_is_found() -> None:
    single = by_query(rounded(8, 15.5, 1), step=1e-6).astype(np.float32)
    written = np.array([float(f"{score:.6f}") for score in single])
    row = hidden_ties(look(written)).loc["f"]
    assert row["step"] == pytest.approx(1e-6, rel=1e-6)
    assert row["restored"] - row["spurious"] > 0.99


def test_steps_of_one_float32_number_are_found_though_they_differ_in_size() -> None:
    powers = 2.0 ** np.random.default_rng(0).integers(0, 14, N)
    row = hidden_ties(look(next_float32(powers))).loc["f"]
    assert row["note"].startswith("ties are hidden")
    assert "one float32 number apart" in row["note"]
    # below a power of two the numbers stand twice as close: the first gap of each tie is another one
    ties = [np.unique(of_query, return_counts=True)[1] for of_query in np.split(powers, N_QUERIES)]
    assert row["step_share"] == (np.concatenate(ties).clip(2) - 2).sum() / (N - N_QUERIES)
    assert row["restored"] > 0.99
    assert row["spurious"] == 0


def test_one_large_tie_set_apart_and_ranks_are_told_as_what_they_may_be() -> None:
    constant = by_query(np.ones(N), step=1e-6)
    row = hidden_ties(look(constant)).loc["f"]
    assert row["note"] == "scores are 1e-06 apart throughout: they are ranks, or one tie separated by constant steps"
    assert row["restore"] == "decimals:3"
    assert row["spurious"] == 0.0  # there is nothing else that could be tied


@pytest.mark.parametrize(
    ("n_steps", "n_tied", "is_found"),
    [(5, 0, True), (4, 0, False), (6, 0, True), (6, 1, True), (6, 12, True), (6, 13, False)],
)
def test_five_equal_steps_are_a_sign_unless_many_more_ties_are_left(n_steps: int, n_tied: int, is_found: bool) -> None:
    pairs, tied = np.arange(1.0, n_steps + 1), np.repeat(np.arange(10.0, 10.0 + n_tied), 2)
    row = hidden_ties(one_feature(np.concatenate([pairs, pairs - 1e-6, tied]))).loc["f"]
    assert (row["note"] != "") == is_found
    assert (row["step"] == pytest.approx(1e-6, rel=1e-9)) == is_found
    # of the steps between different scores
    assert row["step_share"] == (pytest.approx(n_steps / (2 * n_steps + n_tied - 1)) if is_found else 0.0)


def test_a_step_too_fine_for_decimals_is_closed_by_as_many_as_there_are_and_one_too_coarse_is_still_shown() -> None:
    tied = np.random.default_rng(0).integers(0, 20, N) * 1e-11
    row = hidden_ties(look(by_query(tied, step=1e-17))).loc["f"]
    assert row["step"] == pytest.approx(1e-17, rel=1e-9)
    assert row["restore"] == "decimals:15"
    assert row["restored"] > 0.9
    tied = np.random.default_rng(0).integers(0, 20, N) * 1e6
    row = hidden_ties(look(by_query(tied, step=2.0))).loc["f"]
    assert (row["step"], row["restore"]) == (2.0, "")
    assert row["note"] == f"ties are hidden: {100 * row['step_share']:.0f} % of neighbours are exactly 2 apart"


def test_a_precision_that_would_tie_what_was_not_tied_is_not_proposed() -> None:
    # one decimal leaves a run of ten in two parts; none would mend that, and tie neighbours half a point apart
    tied = np.random.default_rng(0).integers(0, 200, size=(N_QUERIES, N_DOCS)) / 2 + 0.2
    tied[:, :10] = 150.2
    row = hidden_ties(look(by_query(tied.ravel(), step=0.01))).loc["f"]
    assert row["restore"] == "decimals:1"
    assert 0.9 < row["restored"] < 1
    assert row["spurious"] == 0


NATURAL = {
    "counts": np.random.default_rng(1).integers(0, 20, N),
    "links": np.exp(np.random.default_rng(1).normal(3, 3, N)).astype(np.int64),
    "share of links": np.round(np.exp(np.random.default_rng(1).normal(1, 3, N)).astype(np.int64) / 1e6, 6),
    "chance": np.random.default_rng(1).random(N),
    "four decimals": rounded(0, 1, 4),
    "six decimals": rounded(0, 1, 6),
    "float32": np.random.default_rng(1).normal(size=N).astype(np.float32),
    "BM25": np.round(np.random.default_rng(1).gamma(5, 2, N), 4),
    "ranks": np.tile(np.arange(N_DOCS), N_QUERIES),
    "ranks in millionths": np.tile(np.arange(N_DOCS), N_QUERIES) / 1e6,
    "reciprocal ranks": np.tile(1 / np.arange(1, N_DOCS + 1), N_QUERIES),
    "small change": np.random.default_rng(1).choice([0.0, 1e-6, 1.0], N),
    "constant": np.ones(N),
    "zero": np.zeros(N),
    "infinite": np.tile([np.inf, np.inf, 1.0, 0.0, -np.inf], N // 5),
    "enormous": np.tile([1.7e308, -1.7e308, 1e39, 5e-324], N // 4),
}


@pytest.mark.parametrize("kind", NATURAL)
def test_scores_that_nobody_has_touched_raise_no_suspicion(kind: str) -> None:
    row = hidden_ties(look(NATURAL[kind])).loc["f"]
    assert row["note"] == ""
    assert np.isnan(row["step"])
    assert (row["step_share"], row["restore"]) == (0.0, "")


def test_ties_of_a_query_are_counted_in_each_precision_whatever_that_of_the_evaluation() -> None:
    assert hidden_ties(one_feature(np.array([2.0, 1.0, 1.0, 0.0]), n_queries=2)).loc["f", "tied"] == 0
    scores = np.array([0.1 + 0.2, 0.3, 0.29, 0.0, -0.0, 1.0, 1.004, 2.0])
    for precision in ("float64", "decimals:0"):
        row = hidden_ties(one_feature(scores, precision=precision)).loc["f"]
        assert row["documents"] == 8
        assert row[["tied", "tied float32", "tied decimals:4", "tied decimals:2"]].tolist() == [
            2 / 8, 4 / 8, 4 / 8, 6 / 8,
        ]  # fmt: skip


def test_a_feature_without_documents_that_count_is_no_trouble() -> None:
    evaluation = tiecore.evaluate({"q": {"a": 1}, "r": {"b": 0}}, {"f": {"r": {"b": 1.0}}}, ["AP"], no_relevant="skip")
    assert hidden_ties(evaluation)[["documents", "tied", "note"]].to_numpy().tolist() == [[0, 0, ""]]

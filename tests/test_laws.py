"""Laws that every measure keeps; all of them run over the registry."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.batches import ABSOLUTE, MOMENTS, assert_same, large_collection, per_query, shuffled
from tests.strategies import Scores, instances
from tiecore.measures import FAMILIES, Measure

EXPECTATIONS = [name for name, family in FAMILIES.items() if family.averages_orderings]

UNORDERED = frozenset({"SetP", "SetR", "SetF", "SetAP", "NumRet", "NumRel", "NumQ"})
"""Families that no ordering changes."""
COUNT_THE_LIST = frozenset({"SetP", "SetF", "SetAP", "NumRet", "Accuracy", "Compat"})
"""Families to which a longer list is another one, whatever is at its end."""

every_family = pytest.mark.parametrize("family", FAMILIES)
pytestmark = pytest.mark.untraced


def some(family: str, n: int = 10) -> list[Measure]:
    """Return about n instances of a family, spread over its parameters."""
    every = instances(FAMILIES[family])
    return every[:: math.ceil(len(every) / n)]


def as_list(moments: tiecore.Moments) -> list[float]:
    return [moments.expected, moments.variance, moments.worst, moments.best]


def mapped(scores: Scores, function: Callable[[float], float]) -> Scores:
    return {query: {doc: function(score) for doc, score in docs.items()} for query, docs in scores.items()}


@every_family
def test_worst_expected_best_stand_in_this_order(family: str) -> None:
    table = per_query(some(family), *large_collection())
    sign = 1 if FAMILIES[family].higher_is_better else -1
    assert (sign * (table["expected"] - table["worst"]) >= -ABSOLUTE).all()
    assert (sign * (table["best"] - table["expected"]) >= -ABSOLUTE).all()
    if family in UNORDERED:
        assert (table["best"] == table["worst"]).all()
    else:
        assert (sign * (table["best"] - table["worst"]) > 0.01).any(), "ties that matter to no measure test nothing"


@every_family
def test_without_ties_nothing_is_left_to_chance(family: str) -> None:
    qrels, features = large_collection()
    order = {query: {doc: float(-rank) for rank, doc in enumerate(docs)} for query, docs in features["clicks"].items()}
    if not FAMILIES[family].higher_is_better or family == "PRR":  # unretrieved documents are tied with each other
        qrels = {query: {doc: g for doc, g in docs.items() if doc in order[query]} for query, docs in qrels.items()}
    table = per_query(some(family), qrels, {"f": order})
    np.testing.assert_allclose(table["worst"], table["expected"], rtol=0, atol=ABSOLUTE)
    np.testing.assert_allclose(table["best"], table["expected"], rtol=0, atol=ABSOLUTE)
    if FAMILIES[family].has_variance:
        assert (table["sd"] == 0).all()


@every_family
def test_sd_is_shown_exactly_where_there_is_a_variance(family: str) -> None:
    table = per_query(some(family), *large_collection())
    assert table["sd"].notna().all() == FAMILIES[family].has_variance
    assert table["sd"].isna().all() != FAMILIES[family].has_variance
    assert (table["sd"].dropna() >= 0).all()


@every_family
def test_shuffling_the_input_changes_nothing(family: str) -> None:
    qrels, features = large_collection()
    again = {name: shuffled(scores, seed) for seed, (name, scores) in enumerate(features.items())}
    tie_breaks = ["docid-desc", "docid-asc", "random:1", "feature:pages", "best", "worst"]
    known = per_query(some(family), qrels, features, tie_breaks=tie_breaks)
    assert_same(per_query(some(family), shuffled(qrels, 9), again, tie_breaks=tie_breaks), known)


@every_family
@pytest.mark.parametrize(
    "increasing", [lambda s: 3 * s - 7, math.exp, lambda s: math.inf if s == 3 else -math.inf if s == 0 else s]
)
def test_strictly_increasing_maps_of_the_scores_change_nothing(
    family: str, increasing: Callable[[float], float]
) -> None:
    qrels, features = large_collection()
    known = per_query(some(family), qrels, features)
    assert_same(per_query(some(family), qrels, {n: mapped(s, increasing) for n, s in features.items()}), known)


@every_family
def test_negating_a_feature_for_which_lower_is_better_changes_nothing(family: str) -> None:
    qrels, features = large_collection()
    known = per_query(some(family), qrels, features)
    negated = features | {"pages": mapped(features["pages"], lambda s: -s)}
    assert_same(per_query(some(family), qrels, negated, ascending=["pages"]), known)


@every_family
def test_a_batch_equals_one_query_at_a_time(family: str) -> None:
    qrels, features = large_collection()
    measures = some(family, 4)
    table = per_query(measures, qrels, features)
    for query, docs in list(features["clicks"].items())[:12]:
        unretrieved = [grade for doc, grade in qrels[query].items() if doc not in docs]
        for measure in measures:
            alone = tiecore.moments(
                measure,
                scores=list(docs.values()),
                grades=[qrels[query].get(doc) for doc in docs],
                unretrieved=unretrieved,
            )
            found = table.xs((str(measure), "clicks", query))[MOMENTS].to_numpy(float)
            known = [alone.expected, math.sqrt(alone.variance), alone.worst, alone.best]
            np.testing.assert_allclose(found, known, rtol=0, atol=ABSOLUTE, equal_nan=True)


@every_family
def test_a_constant_key_breaks_no_tie(family: str) -> None:
    qrels, features = large_collection()
    features = {"f": features["clicks"], "constant": mapped(features["clicks"], lambda _: 5.0)}
    table = per_query(some(family), qrels, features, tie_breaks=["feature:constant", "feature:f"])
    for feature, tie_break in (("f", "feature:constant"), ("f", "feature:f"), ("constant", "feature:constant")):
        rows = table.xs(feature, level="feature")
        np.testing.assert_allclose(rows[tie_break], rows["expected"], rtol=0, atol=ABSOLUTE)


@every_family
def test_what_breaks_the_ties_of_a_constant_decides_alone(family: str) -> None:
    qrels, features = large_collection()
    features = {"f": features["clicks"], "constant": mapped(features["clicks"], lambda _: 5.0)}
    table = per_query(some(family), qrels, features, tie_breaks=["feature:f"])
    found, known = (table.xs(feature, level="feature") for feature in ("constant", "f"))
    np.testing.assert_allclose(found["feature:f"], known["expected"], rtol=0, atol=ABSOLUTE)


@every_family
def test_best_and_worst_as_tie_breaks_are_the_columns_best_and_worst(family: str) -> None:
    known = per_query(some(family), *large_collection())
    table = per_query(some(family), *large_collection(), tie_breaks=["worst", "best"])
    for name in ("worst", "best"):
        columns = table.loc[:, table.columns == name].to_numpy()
        assert columns.shape[1] in (1, 2), "one column that is both, or one of each"
        for column in columns.T:
            np.testing.assert_allclose(column, known[name], rtol=0, atol=ABSOLUTE)


@every_family
def test_every_tie_break_stays_between_worst_and_best(family: str) -> None:
    tie_breaks = ["docid-desc", "docid-asc", "input", "input-reversed", "random:3", "feature:pages"]
    table = per_query(some(family), *large_collection(), tie_breaks=tie_breaks)
    low = table[["worst", "best"]].min(axis=1)
    high = table[["worst", "best"]].max(axis=1)
    for tie_break in tie_breaks:
        assert (table[tie_break] >= low - ABSOLUTE).all(), tie_break
        assert (table[tie_break] <= high + ABSOLUTE).all(), tie_break


def _large_group(seed: int) -> tuple[list[float], list[int | None], list[int]]:
    """Return a group of 40 between smaller ones: far beyond enumeration."""
    rng = np.random.default_rng(seed)
    scores = [3.0] * 3 + [2.0] * 40 + [1.0] * 5
    grades = [(None, 0, 0, 0, 1, 2, 4, -1)[g] for g in rng.integers(0, 8, size=len(scores))]
    return scores, grades, [4, 1, 0]


@pytest.mark.parametrize("family", EXPECTATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_total_expectation_and_variance_when_chance_draws_the_first_of_a_large_group(family: str, seed: int) -> None:
    scores, grades, unretrieved = _large_group(seed)
    group = [grade for score, grade in zip(scores, grades, strict=True) if score == 2]
    for measure in [*some(family, 4), *(m for m in some(family, 30) if getattr(m, "cutoff", None) == 12)][:6]:
        whole = tiecore.moments(measure, scores=scores, grades=grades, unretrieved=unretrieved)
        expected, variance = [], []
        for first in dict.fromkeys(group):
            place = grades.index(first, 3)
            split = [*scores[:place], 2.5, *scores[place + 1 :]]
            part = tiecore.moments(measure, scores=split, grades=grades, unretrieved=unretrieved)
            expected.append(part.expected)
            variance.append(part.variance)
        share = np.array([group.count(first) for first in dict.fromkeys(group)]) / len(group)
        mean = float(share @ expected)
        assert whole.expected == pytest.approx(mean, rel=0, abs=ABSOLUTE), measure
        if measure.has_variance:
            spread = float(share @ (np.array(variance) + (np.array(expected) - mean) ** 2))
            assert whole.variance == pytest.approx(spread, rel=0, abs=ABSOLUTE), measure


@pytest.mark.parametrize("family", [family for family in FAMILIES if family not in COUNT_THE_LIST])
@pytest.mark.parametrize("seed", range(3))
def test_unjudged_documents_below_everything_change_nothing(family: str, seed: int) -> None:
    scores, grades, _ = _large_group(seed)
    assert 4 in grades
    for measure in some(family, 6):
        short = tiecore.moments(measure, scores=scores, grades=grades)
        longer = tiecore.moments(measure, scores=[*scores, 0.0, 0.0], grades=[*grades, None, None])
        np.testing.assert_allclose(as_list(longer), as_list(short), rtol=0, atol=ABSOLUTE)


@every_family
def test_ties_of_one_grade_are_no_ties(family: str) -> None:
    scores = [3, 3, 2, 2, 2, 1, 1]
    grades = [0, 0, 4, 4, 4, None, None]
    for measure in some(family):
        found = tiecore.moments(measure, scores=scores, grades=grades)
        alone = tiecore.moments(measure, scores=range(7, 0, -1), grades=grades)
        np.testing.assert_allclose(as_list(found), as_list(alone), rtol=0, atol=ABSOLUTE)
        assert found.worst == pytest.approx(found.best, rel=0, abs=ABSOLUTE)


@pytest.mark.parametrize("family", EXPECTATIONS)
def test_the_mean_of_many_random_tie_breaks_is_the_expectation(family: str) -> None:
    draws = 800
    scores, grades, unretrieved = _large_group(1)
    for measure in some(family, 3):
        moments = tiecore.moments(measure, scores=scores, grades=grades, unretrieved=unretrieved)
        values = tiecore.sample(measure, scores=scores, grades=grades, unretrieved=unretrieved, draws=draws, seed=4)
        assert values.shape == (draws,)
        assert values.dtype == np.float64
        error = max(float(values.std()) / math.sqrt(draws), ABSOLUTE)
        assert abs(float(values.mean()) - moments.expected) <= 5 * error, measure
        if measure.has_variance and moments.variance > 0:
            fourth = float(((values - values.mean()) ** 4).mean())
            error_of_variance = math.sqrt(max(fourth - float(values.var()) ** 2, 0) / draws)
            assert abs(float(values.var()) - moments.variance) <= 5 * error_of_variance + 1e-3 * moments.variance


@every_family
def test_draws_stay_between_worst_and_best_and_follow_their_seed(family: str) -> None:
    scores, grades, unretrieved = _large_group(2)
    measure = some(family)[-1]
    options: dict[str, Any] = {"scores": scores, "grades": grades, "unretrieved": unretrieved, "draws": 60}
    moments = tiecore.moments(measure, scores=scores, grades=grades, unretrieved=unretrieved)
    values = tiecore.sample(measure, seed=1, **options)
    assert values.min() >= min(moments.worst, moments.best) - ABSOLUTE
    assert values.max() <= max(moments.worst, moments.best) + ABSOLUTE
    np.testing.assert_array_equal(values, tiecore.sample(measure, seed=1, **options))
    if moments.worst != moments.best:
        assert (values != tiecore.sample(measure, seed=2, **options)).any()


@pytest.mark.parametrize("family", EXPECTATIONS)
def test_the_mean_over_seeds_of_the_random_tie_break_is_the_expectation(family: str) -> None:
    qrels, features = large_collection()
    seeds = [f"random:{seed}" for seed in range(40)]
    measures = some(family, 2)
    summary: Any = tiecore.evaluate(
        qrels, {"clicks": features["clicks"]}, measures=[str(m) for m in measures], tie_breaks=seeds
    ).summary
    for measure in measures:
        row = summary.loc[(str(measure), "clicks")]
        values = row[seeds].to_numpy(float)
        error = max(values.std(ddof=1) / math.sqrt(len(seeds)), ABSOLUTE)
        assert abs(values.mean() - row["expected"]) <= 5 * error, measure


@every_family
def test_many_cutoffs_at_once_are_each_cutoff_by_itself(family: str) -> None:
    if FAMILIES[family].cutoff_rule == "none":
        pytest.skip("takes no cut-off")
    measures = [measure for measure in instances(FAMILIES[family]) if measure.cutoff is not None]
    cutoffs = [1, 2, 3, 5, 8, 13, 40, 1000]
    curves = [replace(measure, cutoff=cutoff) for measure in measures for cutoff in cutoffs]
    shared = list(dict.fromkeys(curves))
    qrels, features = large_collection()
    together = per_query(shared[::-1], qrels, features)
    alone = pd.concat([per_query([measure], qrels, features) for measure in shared])
    # not to the bit: groups that end between two cut-offs are added up among themselves first
    pd.testing.assert_frame_equal(together.loc[alone.index], alone, check_exact=False, rtol=0, atol=ABSOLUTE)


@pytest.mark.parametrize("p", [0.3, 0.5, 0.8])
def test_rounding_makes_no_variance_negative_however_far_down_the_ties_are(p: float) -> None:
    measure = FAMILIES["RBP"](rel=1, p=p)  # type: ignore[call-arg]
    variances = [
        tiecore.moments(measure, scores=[*range(above, 0, -1), 0, 0], grades=[*[0] * above, 1, 0]).variance
        for above in range(100)
    ]
    assert min(variances) >= 0


@pytest.mark.parametrize(("family", "stops"), [("RR", 1.0), ("AP", 1.0), ("ERR(max_rel=1)", 0.5)])
def test_one_relevant_document_stands_anywhere_in_a_group_of_thousands(family: str, stops: float) -> None:
    n = 5000
    found = tiecore.moments(family, scores=[0] * n, grades=[1] + [0] * (n - 1))
    assert found.expected == pytest.approx(stops * math.fsum(1 / rank for rank in range(1, n + 1)) / n, rel=1e-12)


def test_err_of_a_large_group_is_the_sum_over_the_places_of_its_relevant_documents() -> None:
    n, relevant = 20_000, 3
    found = tiecore.moments("ERR(max_rel=1)", scores=[0] * n, grades=[1] * relevant + [0] * (n - relevant)).expected
    place = np.arange(1, n + 1)
    free = math.comb(n, relevant)
    # the first, second, third relevant document at each place, each stopping half of those who come that far
    ways = [
        [math.comb(k - 1, before) * math.comb(n - k, relevant - 1 - before) / free for k in place.tolist()]
        for before in range(relevant)
    ]
    known = sum(0.5 ** (before + 1) * math.fsum(np.array(ways[before]) / place) for before in range(relevant))
    assert found == pytest.approx(known, rel=1e-11)


def test_err_of_a_group_with_thousands_of_each_grade_is_near_that_of_endless_draws() -> None:
    n_each = 2000
    grades = [grade for grade in range(4) for _ in range(n_each)]
    found = tiecore.moments("ERR(max_rel=3)", scores=[0] * len(grades), grades=grades)
    passing = float(np.mean([1 - (2**grade - 1) / 8 for grade in range(4)]))
    endless = (1 - passing) * -math.log(1 - passing) / passing  # Σ passing^(j−1)·(1 − passing)/j
    assert found.expected == pytest.approx(endless, rel=1e-3)
    assert found.worst < found.expected < found.best

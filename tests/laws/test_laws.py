"""Laws that every measure keeps; all of them run over the registry."""

import math
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.batches import ABSOLUTE, MOMENTS, assert_same, large_collection, per_query, shuffled
from tests.strategies import EXTENT, Qrels, Scores, instances
from tiecore.evaluation.engine import evaluate_alignment
from tiecore.measures import FAMILIES, Measure

EXPECTATIONS = [name for name, family in FAMILIES.items() if family.averages_orderings]

UNORDERED = frozenset({"SetP", "SetR", "SetF", "SetAP", "NumRet", "NumRel", "NumQ"})
"""Families that no ordering changes."""
COUNT_THE_LIST = frozenset({"SetP", "SetF", "SetAP", "NumRet", "Accuracy", "Compat"})
"""Families to which a longer list is another one, whatever is at its end."""

TIE_BREAKS = ["docid-desc", "docid-asc", "random:1", "feature:pages"]

SPREAD = 6 if EXTENT > 1 else 2
"""How many instances of a family are looked at."""

every_family = pytest.mark.parametrize("family", FAMILIES)


def some(family: str, n: int = SPREAD) -> list[Measure]:
    """Return about n instances of a family, spread over its parameters."""
    every = instances(FAMILIES[family])
    return every[:: math.ceil(len(every) / n)]


def whole_table(qrels: Qrels, features: dict[str, Scores], **options: Any) -> dict[str, pd.DataFrame]:
    """Return the values of every query by family: one evaluation for all of them, since joining costs the most."""
    measures = {family: [str(measure) for measure in some(family)] for family in FAMILIES}
    table = per_query([name for names in measures.values() for name in names], qrels, features, **options)
    return {family: table.loc[sorted(names)] for family, names in measures.items()}


@cache
def known() -> dict[str, pd.DataFrame]:
    """Return what the laws compare with: every column of the large collection."""
    return whole_table(*large_collection(), tie_breaks=[*TIE_BREAKS, "input", "input-reversed"])


def known_moments(family: str) -> pd.DataFrame:
    return known()[family][MOMENTS]


def mapped(scores: Scores, function: Callable[[float], float]) -> Scores:
    return {query: {doc: function(score) for doc, score in docs.items()} for query, docs in scores.items()}


@every_family
def test_worst_expected_best_stand_in_this_order(family: str) -> None:
    table = known_moments(family)
    sign = 1 if FAMILIES[family].higher_is_better else -1
    by_grade = "the best case is the order by falling, the worst that by rising grade: for this measure they are not"
    assert (sign * (table["expected"] - table["worst"]) >= -ABSOLUTE).all(), by_grade
    assert (sign * (table["best"] - table["expected"]) >= -ABSOLUTE).all(), by_grade
    if family in UNORDERED:
        assert (table["best"] == table["worst"]).all()
    else:
        assert (sign * (table["best"] - table["worst"]) > 0.01).any(), "ties that matter to no measure test nothing"


@every_family
def test_no_value_is_above_the_highest_or_below_zero(family: str) -> None:
    table = known_moments(family)[["expected", "worst", "best"]]
    highest = FAMILIES[family].highest
    assert (table >= -ABSOLUTE).all(axis=None)
    if highest is not None:
        assert (table <= highest + ABSOLUTE).all(axis=None)
        assert (table > highest / 2).any(axis=None), "a bound that nothing comes near to"


@cache
def table_without_ties(*, only_listed: bool) -> dict[str, pd.DataFrame]:
    qrels, features = large_collection()
    order = {query: {doc: float(-rank) for rank, doc in enumerate(docs)} for query, docs in features["clicks"].items()}
    if only_listed:
        qrels = {query: {doc: g for doc, g in docs.items() if doc in order[query]} for query, docs in qrels.items()}
    return whole_table(qrels, {"f": order})


@every_family
def test_without_ties_nothing_is_left_to_chance(family: str) -> None:
    # unretrieved documents are tied with each other
    table = table_without_ties(only_listed=not FAMILIES[family].higher_is_better or family == "PRR")[family]
    np.testing.assert_allclose(table["worst"], table["expected"], rtol=0, atol=ABSOLUTE)
    np.testing.assert_allclose(table["best"], table["expected"], rtol=0, atol=ABSOLUTE)
    if FAMILIES[family].has_variance:
        assert (table["sd"] == 0).all()


@every_family
def test_sd_is_shown_exactly_where_there_is_a_variance(family: str) -> None:
    table = known_moments(family)
    assert table["sd"].notna().all() == FAMILIES[family].has_variance
    assert table["sd"].isna().all() != FAMILIES[family].has_variance
    assert (table["sd"].dropna() >= 0).all()


def as_if_shuffled(qrels: Qrels, features: dict[str, Scores]) -> tuple[Qrels, dict[str, Scores], dict[str, Any]]:
    again = {name: shuffled(scores, seed) for seed, (name, scores) in enumerate(features.items())}
    return shuffled(qrels, 9), again, {"tie_breaks": TIE_BREAKS}


def as_if_mapped(function: Callable[[float], float]) -> Callable[..., tuple[Qrels, dict[str, Scores], dict[str, Any]]]:
    return lambda qrels, features: (qrels, {name: mapped(own, function) for name, own in features.items()}, {})


WITHOUT_EFFECT: dict[str, Callable[..., tuple[Qrels, dict[str, Scores], dict[str, Any]]]] = {
    "the input shuffled": as_if_shuffled,
    "scores mapped linearly and by exp": as_if_mapped(lambda s: math.exp(3 * s - 7)),
    "scores mapped to infinity": as_if_mapped(lambda s: math.inf if s == 3 else -math.inf if s == 0 else s),
    "a feature for which lower is better, negated": lambda qrels, features: (
        qrels,
        features | {"pages": mapped(features["pages"], lambda s: -s)},
        {"ascending": ["pages"]},
    ),
}


@pytest.mark.parametrize("change", WITHOUT_EFFECT)
def test_what_keeps_the_order_of_the_documents_changes_no_measure(change: str) -> None:
    qrels, features, options = WITHOUT_EFFECT[change](*large_collection())
    for family, table in whole_table(qrels, features, **options).items():
        assert_same(table, known()[family][table.columns.tolist()])


@every_family
def test_a_batch_equals_one_query_at_a_time(family: str) -> None:
    qrels, features = large_collection()
    measures = some(family)[::2]
    table: Any = known_moments(family)
    for query, docs in list(features["clicks"].items())[:12]:
        unretrieved = [grade for doc, grade in qrels[query].items() if doc not in docs]
        for measure in measures:
            alone = tiecore.moments(
                measure,
                scores=list(docs.values()),
                grades=[qrels[query].get(doc) for doc in docs],
                unretrieved=unretrieved,
            )
            found = table.loc[(str(measure), "clicks", query)].to_numpy(float)
            separate = [alone.expected, math.sqrt(alone.variance), alone.worst, alone.best]
            np.testing.assert_allclose(found, separate, rtol=0, atol=ABSOLUTE, equal_nan=True)


@cache
def table_with_a_constant() -> dict[str, pd.DataFrame]:
    qrels, features = large_collection()
    features = {"f": features["clicks"], "constant": mapped(features["clicks"], lambda _: 5.0)}
    return whole_table(qrels, features, tie_breaks=["feature:constant", "feature:f"])


@every_family
def test_a_constant_key_breaks_no_tie_and_what_breaks_those_of_a_constant_decides_alone(family: str) -> None:
    for feature, tie_break in (("f", "feature:constant"), ("f", "feature:f"), ("constant", "feature:constant")):
        rows: Any = table_with_a_constant()[family].xs(feature, level="feature")
        np.testing.assert_allclose(rows[tie_break], rows["expected"], rtol=0, atol=ABSOLUTE)
    constant: Any = table_with_a_constant()[family].xs("constant", level="feature")
    alone: Any = table_with_a_constant()[family].xs("f", level="feature")
    np.testing.assert_allclose(constant["feature:f"], alone["expected"], rtol=0, atol=ABSOLUTE)


@every_family
def test_every_tie_break_stays_between_worst_and_best(family: str) -> None:
    table = known()[family]
    low = table[["worst", "best"]].min(axis=1)
    high = table[["worst", "best"]].max(axis=1)
    for tie_break in table.columns.difference(MOMENTS):
        assert (table[tie_break] >= low - ABSOLUTE).all(), tie_break
        assert (table[tie_break] <= high + ABSOLUTE).all(), tie_break


def _large_group(seed: int) -> tuple[list[float], list[int | None], list[int]]:
    """Return a group of 40 between smaller ones: far beyond enumeration."""
    rng = np.random.default_rng(seed)
    scores = [3.0] * 3 + [2.0] * 40 + [1.0] * 5
    grades = [(None, 0, 0, 0, 1, 2, 4, -1)[g] for g in rng.integers(0, 8, size=len(scores))]
    return scores, grades, [4, 1, 0]


@pytest.mark.parametrize("family", EXPECTATIONS)
@pytest.mark.parametrize("seed", range(EXTENT))
def test_total_expectation_and_variance_when_chance_draws_the_first_of_a_large_group(family: str, seed: int) -> None:
    scores, grades, unretrieved = _large_group(seed)
    group = [grade for score, grade in zip(scores, grades, strict=True) if score == 2]
    for measure in [*some(family, 2), *(m for m in some(family, 30) if getattr(m, "cutoff", None) == 12)][:3]:
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
@pytest.mark.parametrize("seed", range(EXTENT))
def test_unjudged_documents_below_everything_change_nothing(family: str, seed: int) -> None:
    scores, grades, _ = _large_group(seed)
    assert 4 in grades
    for measure in some(family):
        short = tiecore.moments(measure, scores=scores, grades=grades)
        longer = tiecore.moments(measure, scores=[*scores, 0.0, 0.0], grades=[*grades, None, None])
        np.testing.assert_allclose(longer, short, rtol=0, atol=ABSOLUTE)


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


def test_draws_take_no_memory_for_documents_that_are_not_listed() -> None:
    tracemalloc.start()
    values = tiecore.sample("R@1", scores=[1, 1, 0], grades=[0, 1, 0], unretrieved=[1] * 999, draws=20_000, seed=0)
    assert tracemalloc.get_traced_memory()[1] < 50e6  # a copy of them all for each draw takes 160 MB an array
    tracemalloc.stop()
    assert values.mean() == pytest.approx(1 / 2000, rel=0.05)
    assert set(values) == {0, 1 / 1000}
    assert set(tiecore.sample("R@2", scores=[1, 0], grades=[1, 0], draws=3, seed=0)) == {1}  # nothing to be drawn


@pytest.mark.parametrize("family", [name for name, family in FAMILIES.items() if family.cutoff_rule != "none"])
def test_many_cutoffs_at_once_are_each_cutoff_by_itself(family: str) -> None:
    measures = [measure for measure in instances(FAMILIES[family]) if measure.cutoff is not None]
    measures = measures[:: math.ceil(len(measures) / (5 if EXTENT > 1 else 2))]
    cutoffs = [1, 2, 3, 5, 13, 1000]
    curves = [replace(measure, cutoff=cutoff) for measure in measures for cutoff in cutoffs]
    shared = list(dict.fromkeys(curves))
    evaluation = tiecore.evaluate(*large_collection(), measures=list(map(str, shared[::-1])))
    together = evaluation.per_query
    alone = pd.concat([evaluate_alignment(evaluation.values.alignment, [measure]).per_query for measure in shared])
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

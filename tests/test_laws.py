"""Laws that every measure, every name and every tie-break keeps; all of them run over the registry."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiecore
from tests import oracle
from tests.strategies import Qrels, Scores, collections, instances, oracle_parameters, random_collection
from tiecore.measures import FAMILIES, Measure

ABSOLUTE = 1e-12
MOMENTS = ["expected", "sd", "worst", "best"]
EXPECTATIONS = [name for name, family in FAMILIES.items() if family.averages_orderings]

every_family = pytest.mark.parametrize("family", FAMILIES)


def some(family: str, n: int = 10) -> list[Measure]:
    """Return about n instances of a family, spread over its parameters."""
    every = instances(FAMILIES[family])
    return every[:: math.ceil(len(every) / n)]


@cache
def _collection() -> tuple[Qrels, dict[str, Scores]]:
    """Return queries too large to enumerate, each with a grade 4, unjudged and unretrieved documents."""
    qrels, features = random_collection(np.random.default_rng(3), n_queries=25, n_docs=14)
    for grades in qrels.values():
        grades[next(iter(grades))] = 4
    return qrels, features


def per_query(measures: Iterable[Measure | str], qrels: Qrels, features: dict[str, Any], **options: Any) -> Any:
    names = [str(measure) for measure in measures]
    return tiecore.evaluate(qrels, features, measures=names, **options).per_query.sort_index()


def assert_same(found: pd.DataFrame, known: pd.DataFrame, columns: list[str] | None = None) -> None:
    pd.testing.assert_frame_equal(
        found if columns is None else found[columns],
        known if columns is None else known[columns],
        check_exact=False,
        rtol=0,
        atol=ABSOLUTE,
        check_index_type=False,
    )


def shuffled(table: dict[str, dict[str, Any]], seed: int) -> dict[str, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    queries = list(table)
    return {
        queries[q]: {docs[d]: table[queries[q]][docs[d]] for d in rng.permutation(len(docs))}
        for q in rng.permutation(len(queries))
        for docs in [list(table[queries[q]])]
    }


def as_list(moments: tiecore.Moments) -> list[float]:
    return [moments.expected, moments.variance, moments.worst, moments.best]


def mapped(scores: Scores, function: Callable[[float], float]) -> Scores:
    return {query: {doc: function(score) for doc, score in docs.items()} for query, docs in scores.items()}


# --- laws of measures -------------------------------------------------------------------------------------------------


@every_family
def test_worst_expected_best_stand_in_this_order(family: str) -> None:
    table = per_query(some(family), *_collection())
    sign = 1 if FAMILIES[family].higher_is_better else -1
    assert (sign * (table["expected"] - table["worst"]) >= -ABSOLUTE).all()
    assert (sign * (table["best"] - table["expected"]) >= -ABSOLUTE).all()
    assert (sign * (table["best"] - table["worst"]) > 0.01).any(), "ties that matter to no measure test nothing"


@every_family
def test_without_ties_nothing_is_left_to_chance(family: str) -> None:
    qrels, features = _collection()
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
    table = per_query(some(family), *_collection())
    assert table["sd"].notna().all() == FAMILIES[family].has_variance
    assert table["sd"].isna().all() != FAMILIES[family].has_variance
    assert (table["sd"].dropna() >= 0).all()


@every_family
def test_shuffling_the_input_changes_nothing(family: str) -> None:
    qrels, features = _collection()
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
    qrels, features = _collection()
    known = per_query(some(family), qrels, features)
    assert_same(per_query(some(family), qrels, {n: mapped(s, increasing) for n, s in features.items()}), known)


@every_family
def test_negating_a_feature_for_which_lower_is_better_changes_nothing(family: str) -> None:
    qrels, features = _collection()
    known = per_query(some(family), qrels, features)
    negated = features | {"pages": mapped(features["pages"], lambda s: -s)}
    assert_same(per_query(some(family), qrels, negated, ascending=["pages"]), known)


@every_family
def test_a_batch_equals_one_query_at_a_time(family: str) -> None:
    qrels, features = _collection()
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
    qrels, features = _collection()
    features = {"f": features["clicks"], "constant": mapped(features["clicks"], lambda _: 5.0)}
    table = per_query(some(family), qrels, features, tie_breaks=["feature:constant", "feature:f"])
    for feature, tie_break in (("f", "feature:constant"), ("f", "feature:f"), ("constant", "feature:constant")):
        rows = table.xs(feature, level="feature")
        np.testing.assert_allclose(rows[tie_break], rows["expected"], rtol=0, atol=ABSOLUTE)


@every_family
def test_what_breaks_the_ties_of_a_constant_decides_alone(family: str) -> None:
    qrels, features = _collection()
    features = {"f": features["clicks"], "constant": mapped(features["clicks"], lambda _: 5.0)}
    table = per_query(some(family), qrels, features, tie_breaks=["feature:f"])
    found, known = (table.xs(feature, level="feature") for feature in ("constant", "f"))
    np.testing.assert_allclose(found["feature:f"], known["expected"], rtol=0, atol=ABSOLUTE)


@every_family
def test_best_and_worst_as_tie_breaks_are_the_columns_best_and_worst(family: str) -> None:
    known = per_query(some(family), *_collection())
    table = per_query(some(family), *_collection(), tie_breaks=["worst", "best"])
    for name in ("worst", "best"):
        columns = table.loc[:, table.columns == name].to_numpy()
        assert columns.shape[1] in (1, 2), "one column that is both, or one of each"
        for column in columns.T:
            np.testing.assert_allclose(column, known[name], rtol=0, atol=ABSOLUTE)


@every_family
def test_every_tie_break_stays_between_worst_and_best(family: str) -> None:
    tie_breaks = ["docid-desc", "docid-asc", "input", "input-reversed", "random:3", "feature:pages"]
    table = per_query(some(family), *_collection(), tie_breaks=tie_breaks)
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


@every_family
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
    qrels, features = _collection()
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


# --- laws of names ----------------------------------------------------------------------------------------------------


@every_family
def test_the_name_of_a_measure_parses_back_to_it(family: str) -> None:
    for measure in instances(FAMILIES[family]):
        again = tiecore.measure(str(measure))
        assert again == measure
        assert type(again) is FAMILIES[family]
        assert str(again) == str(measure)
        assert again.name == family


@given(p=st.floats(0.001, 0.999), rel=st.integers(1, 99), cutoff=st.none() | st.integers(1, 10**6))
def test_any_parameters_survive_their_name(p: float, rel: int, cutoff: int | None) -> None:
    measure = FAMILIES["RBP"](p=p, rel=rel, cutoff=cutoff)  # type: ignore[call-arg]
    assert tiecore.measure(str(measure)) == measure


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("AP(rel=1)", "AP"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
        ("AP(rel=2)", "AP(rel=2)"),
        ("AP@100", "AP@100"),
        ("map", "AP"),
        ("P_10", "P@10"),
        ("P.10", "P@10"),
        ("recall_10", "R@10"),
        ("recall.10", "R@10"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("recip_rank", "RR"),
        ("bpref", "Bpref"),
        ("Rprec", "Rprec"),
        ("success_5", "Success@5"),
        ("success.5", "Success@5"),
        ("map_cut_100", "AP@100"),
        ("map_cut.100", "AP@100"),
    ],
)
def test_a_measure_has_one_canonical_name(written: str, canonical: str) -> None:
    assert str(tiecore.measure(written)) == canonical
    assert tiecore.measure(written) == tiecore.measure(canonical)


@pytest.mark.parametrize(
    ("unknown", "closest"),
    [("nDGC@10", "nDCG"), ("ndgc_cut_10", "nDCG"), ("Sucess@5", "Success"), ("MRP", "RR"), ("ERRR@20", "ERR")],
)
def test_an_unknown_name_is_answered_with_the_closest_known_ones(unknown: str, closest: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=closest) as caught:
        tiecore.measure(unknown)
    assert unknown.split("@")[0] in str(caught.value)


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "@10",
        "P",
        "F1",
        "Success",
        "Judged",
        "P_",
        "P@0",
        "P@-1",
        "P@1.5",
        "P@ten",
        "P@",
        "Rprec@10",
        "ESL@10",
        "GMAP@10",
        "AP(rel=0)",
        "AP(rel=1.5)",
        "AP(rel='a')",
        "AP(rel=)",
        "AP(rel=1",
        "AP(depth=3)",
        "AP(cutoff=3)@4",
        "RBP(p=1.5)",
        "RBP(p=-0.1)",
        "RBP(p=1)",
        "RBP(p=nan)",
        "nDCG(dcg='ln')@10",
        "ESL(s=0)",
        "ERR(max_rel=0)@10",
        "AP; AP",
    ],
)
def test_nonsense_is_refused(nonsense: str) -> None:
    with pytest.raises(tiecore.TiecoreError):
        tiecore.measure(nonsense)


# --- laws of tie-breaks -----------------------------------------------------------------------------------------------

ORDERED = ["AP", "RR", "nDCG@3", "P@2", "ERR(max_rel=4)@5", "Bpref", "Success@1"]


def _values_on_orders(
    qrels: Qrels, scores: Scores, keys: Callable[[list[str]], list[str]], measures: Iterable[str] = ORDERED
) -> pd.Series:
    """Return oracle values when `keys` puts the documents of a query in order before a stable sort by score."""
    values = {}
    for query, docs in scores.items():
        order = sorted(keys(list(docs)), key=lambda doc: -docs[doc])
        unretrieved = [grade for doc, grade in qrels[query].items() if doc not in docs]
        for name in measures:
            measure = tiecore.measure(name)
            grades = [qrels[query].get(doc) for doc in order]
            parameters = oracle_parameters(measure, highest=4)
            values[name, query] = oracle.value(measure.name, grades, unretrieved, **parameters)
    return pd.Series(values).sort_index()


def _by_bytes(docs: list[str]) -> list[str]:
    return sorted(docs, key=lambda doc: doc.encode())


ORDERS: dict[str, Callable[[list[str]], list[str]]] = {
    "docid-desc": lambda docs: _by_bytes(docs)[::-1],
    "docid-asc": _by_bytes,
    "input": lambda docs: docs,
    "input-reversed": lambda docs: docs[::-1],
}
ALIASES = {"trec_eval": "docid-desc", "anserini": "docid-asc", "stable": "input"}


@pytest.mark.parametrize("tie_break", [*ORDERS, *ALIASES])
def test_a_tie_break_puts_tied_documents_in_its_order(tie_break: str) -> None:
    qrels, features = _collection()
    table = per_query(ORDERED, qrels, features, tie_breaks=[tie_break])
    for feature, scores in features.items():
        known = _values_on_orders(qrels, scores, ORDERS[ALIASES.get(tie_break, tie_break)])
        found = table.xs(feature, level="feature")[tie_break]
        assert list(found.index) == list(known.index)
        np.testing.assert_allclose(found, known, rtol=0, atol=ABSOLUTE)


@given(collections())
def test_docid_order_is_byte_order_on_any_small_collection(collection: tuple[Qrels, dict[str, Scores]]) -> None:
    qrels, features = collection
    table = per_query(["AP", "nDCG@3"], qrels, features, tie_breaks=["docid-desc", "docid-asc"])
    for feature, scores in features.items():
        for tie_break in ("docid-desc", "docid-asc"):
            known = _values_on_orders(qrels, scores, ORDERS[tie_break], ["AP", "nDCG@3"])
            found = table.xs(feature, level="feature")[tie_break]
            np.testing.assert_allclose(found, known, rtol=0, atol=ABSOLUTE)


def test_aliases_of_tie_breaks_keep_the_name_as_written() -> None:
    table = per_query(ORDERED, *_collection(), tie_breaks=[*ALIASES, *ALIASES.values()])
    assert list(table.columns) == [*MOMENTS, *ALIASES, *ALIASES.values()]
    for alias, canonical in ALIASES.items():
        np.testing.assert_array_equal(table[alias], table[canonical])


def test_random_tie_breaks_follow_their_seed_and_not_the_order_of_the_input() -> None:
    qrels, features = _collection()
    seeds = [f"random:{seed}" for seed in (0, 1, 2, 12345678901)]
    known = per_query(ORDERED, qrels, features, tie_breaks=seeds)
    again = {name: shuffled(scores, 7) for name, scores in reversed(features.items())}
    assert_same(per_query(ORDERED, shuffled(qrels, 8), again, tie_breaks=seeds), known)
    for seed, other in itertools.pairwise(seeds):
        assert (known[seed] != known[other]).mean() > 0.3


def test_random_tie_breaks_differ_between_queries_with_the_same_documents() -> None:
    docs = [f"d{d}" for d in range(30)]
    qrels = {f"q{q}": {doc: int(doc == "d7") for doc in docs} for q in range(20)}
    scores = {query: dict.fromkeys(docs, 1.0) for query in qrels}
    table = per_query(["RR"], qrels, {"f": scores}, tie_breaks=["random:5"])
    assert table["random:5"].nunique() > 5


def test_another_feature_breaks_ties_and_what_it_leaves_tied_is_averaged() -> None:
    qrels, features = random_collection(np.random.default_rng(8), n_queries=40, n_docs=6)
    measures = [*ORDERED, "nDCG(dcg='exp-log2')", "RBP", "R@2"]
    table = per_query(measures, qrels, features, tie_breaks=["feature:pages"])
    left_tied = 0
    for query, docs in features["clicks"].items():
        both = [10 * score + features["pages"][query][doc] for doc, score in docs.items()]
        groups = oracle.tie_groups(both, [qrels[query].get(doc) for doc in docs])
        left_tied += max(map(len, groups)) > 1
        unretrieved = [grade for doc, grade in qrels[query].items() if doc not in docs]
        for name in measures:
            measure = tiecore.measure(name)
            known = oracle.enumerated(measure.name, groups, unretrieved, **oracle_parameters(measure, highest=4))
            found = table.loc[(name, "clicks", query), "feature:pages"]
            assert found == pytest.approx(known.expected, rel=0, abs=ABSOLUTE), (name, query)
    assert left_tied > 10


@pytest.mark.parametrize(
    ("tie_break", "named"),
    [("feature:links", "clicks.*pages"), ("docid-dsc", "docid-desc"), ("random", "random:"), ("random:x", "random:")],
)
def test_an_unknown_tie_break_is_answered_with_the_known_ones(tie_break: str, named: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=f"(?s){named}"):
        per_query(["AP"], *_collection(), tie_breaks=[tie_break])

"""Random orders of documents: those of random:SEED, the same for all features, against all orders of tiny sets."""

import itertools
import math
from collections import defaultdict
from functools import partial
from statistics import fmean
from typing import Any

import numpy as np
import pytest

import tiecore
from tests import oracle
from tests.cli.running import raising
from tests.stability.synthetic import afresh, drawn_of
from tests.strategies import oracle_parameters, usual
from tiecore.evaluation import random_values as module
from tiecore.evaluation.intervals import central_interval
from tiecore.evaluation.random_orders import draw_keys, order_seeds
from tiecore.evaluation.random_values import random_values
from tiecore.measures import FAMILIES

NAMES = [usual(family) for family in FAMILIES.values()]
NAMES += ["AP@3", "nDCG@2", "RR@3", "P(judged_only=True)@2"]


def tied(seed: int, *, n_queries: int = 9, n_documents: int = 12) -> tuple[Any, dict[str, Any]]:
    """Judgments and three tied features; a fourth of the documents is not judged, and lists differ."""
    rng = np.random.default_rng(seed)
    queries = [f"q{q}" for q in range(n_queries)]
    documents = [f"d{d}" for d in range(n_documents)]
    qrels = {q: {d: int(rng.integers(0, 2)) for d in documents if d == "d0" or rng.random() < 0.75} for q in queries}
    features = {
        name: {q: {d: int(rng.integers(0, n)) for d in documents if rng.random() < 0.8} for q in queries[first:]}
        for name, n, first in (("coarse", 2, 0), ("fine", 4, 2), ("flat", 1, 0))
    }
    return qrels, features


@pytest.mark.parametrize("options", [{}, {"missing": "last", "no_relevant": "skip"}], ids=str)
def test_a_draw_is_the_tie_break_random_of_its_number_for_every_feature_and_measure(options: Any) -> None:
    seeds = [*range(3), *(int(seed) for seed in order_seeds(5, 2))]
    names = [f"random:{seed}" for seed in seeds]
    evaluation = tiecore.evaluate(*tied(1), NAMES, names, **options)
    for name in NAMES:
        known = evaluation.summary.loc[name, names].to_numpy().T
        drawn = [evaluation.sample(name, draws=3), evaluation.sample(name, draws=2, seed=5)]
        np.testing.assert_allclose(np.concatenate(drawn), known, rtol=0, atol=1e-12, err_msg=name)


def test_draws_do_not_depend_on_threads_or_on_the_order_of_features_and_documents() -> None:
    qrels, features = tied(2)
    mirrored = {
        name: {q: dict(reversed(row.items())) for q, row in reversed(feature.items())}
        for name, feature in reversed(features.items())
    }
    one = tiecore.evaluate(qrels, features, ["AP"], workers=1)
    other = tiecore.evaluate(qrels, mirrored, ["AP"])
    for tie_orders in ("shared", "independent"):
        drawn = one.sample(draws=20, seed=3, tie_orders=tie_orders)
        assert drawn.equals(other.sample(draws=20, seed=3, tie_orders=tie_orders)[list(drawn)])
    longer = one.sample(draws=25, seed=3)
    assert longer.head(20).equals(one.sample(draws=20, seed=3))


MEASURES = ("AP", "P@2", "nDCG@2", "ESL", "GMAP")
QRELS = {"p": {"d0": 1, "d1": 0, "d2": 2}, "q": {"d0": 0, "d1": 1, "d2": 0}}
SCORED = {
    "a": {"p": (1, 0, 0), "q": (0, 0, 0)}, "b": {"p": (0, 0, 0), "q": (1, 1, 0)}, "c": {"p": (1, 0, 1), "q": (0, 1, 1)},
}  # fmt: skip


def shared(name: str) -> dict[tuple[float, ...], float]:
    """Chance of each (summary of a, of b, of c) when one order of documents breaks all ties."""
    measure, of_query = tiecore.measure(name), []
    for query, judged in QRELS.items():
        grades = list(judged.values())
        ranked = [
            [sorted(order, key=lambda d: -one[query][d]) for one in SCORED.values()]
            for order in itertools.permutations(range(3))
        ]
        value: Any = partial(oracle.value, measure.name, **oracle_parameters(measure))
        of_query.append([[value([grades[d] for d in docs]) for docs in each] for each in ranked])
    mean = oracle.geometric_mean if name == "GMAP" else fmean
    chances: dict[tuple[float, ...], float] = defaultdict(float)
    for joint in itertools.product(*of_query):
        chances[tuple(round(mean(values), 10) for values in zip(*joint, strict=True))] += 1 / 36
    return chances


def independent(name: str) -> dict[tuple[float, ...], float]:
    """Chance of each when the ties of every feature are broken by an order of its own."""
    alone: list[dict[float, float]] = [defaultdict(float) for _ in SCORED]
    for values, chance in shared(name).items():
        for own, value in zip(alone, values, strict=True):
            own[value] += chance
    return {
        values: math.prod(own[value] for own, value in zip(alone, values, strict=True))
        for values in itertools.product(*alone)
    }


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("chances_of", [shared, independent])
def test_draws_come_as_often_as_all_orders_give_them(measure: str, chances_of: Any) -> None:
    draws, known = 3000, chances_of(measure)
    features = {
        name: {query: dict(zip(QRELS[query], map(float, scores), strict=True)) for query, scores in own.items()}
        for name, own in SCORED.items()
    }
    evaluation = tiecore.evaluate(QRELS, features, [measure])
    drawn = evaluation.sample(draws=draws, tie_orders=chances_of.__name__)
    found = drawn.round(10).value_counts(normalize=True).to_dict()
    assert set(found) <= set(known)
    for values, chance in known.items():
        assert abs(found.get(values, 0.0) - chance) < 4.5 * math.sqrt(chance * (1 - chance) / draws)


def test_cells_that_features_share_are_ordered_for_both_and_others_are_not() -> None:
    qrels, _ = tied(4)
    full = {name: {q: dict.fromkeys(qrels[q], 1.0) for q in qrels} for name in ("one", "copy", "alone")}
    counted = tiecore.evaluate(tiecore.count(qrels, full, joint=["one", "copy"]), measures=["AP"])
    drawn = counted.sample(draws=60)
    assert drawn["one"].equals(drawn["copy"])
    assert abs(np.corrcoef(drawn["one"], drawn["alone"])[0, 1]) < 0.5
    documents = tiecore.evaluate(qrels, full, ["AP"]).sample(draws=60)
    assert abs(drawn["one"].mean() - documents["one"].mean()) < 4 * drawn["one"].std() * math.sqrt(2 / 60)


@pytest.mark.parametrize("measure", ["AP", "nDCG@2"])
def test_draws_of_shared_cells_are_those_of_their_documents_in_distribution(measure: str) -> None:
    draws = 3000
    qrels = {"q": {"a": 1, "b": 1, "c": 0, "d": 0, "e": 0}}
    features = {"x": {"q": dict.fromkeys("abcde", 1)}, "y": {"q": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 0}}}
    documents = tiecore.evaluate(qrels, features, [measure])
    counted = tiecore.evaluate(tiecore.count(qrels, features, joint=["x", "y"]), measures=[measure])
    shares = [e.sample(draws=draws).round(9).value_counts(normalize=True) for e in (documents, counted)]
    apart = shares[0].sub(shares[1], fill_value=0.0).abs()
    assert apart.max() < 4.5 * math.sqrt(0.25 * 2 / draws)


def test_cells_of_which_the_measure_reads_a_part_are_told_apart() -> None:
    # of five documents and of three, two each are drawn: those left, 5 4 and 3 2, look like one row
    qrels = {"q": {f"d{d}": int(d >= 5) for d in range(8)}}
    counted = tiecore.evaluate(tiecore.count(qrels, {"x": {"q": dict.fromkeys(qrels["q"], 1)}}), measures=["P@2"])
    drawn, known = counted.sample(draws=4000)["x"], counted.summary.iloc[0]
    assert abs(drawn.mean() - known["expected"]) < 4.5 * known["sd"] / math.sqrt(4000)


def test_the_first_of_many_documents_alike_come_as_early_as_the_least_of_as_many_numbers() -> None:
    n = 1_000_000
    left = np.array([n, n - 1, n - 2, 3, 2, 1])
    keys = draw_keys(np.arange(6, dtype=np.uint64), order_seeds(1, 4000), left, np.array([0, 3])) / 2**40
    means = keys.mean(axis=0)
    np.testing.assert_allclose(means[:3], np.arange(1, 4) / (n + 1), rtol=0.08)
    np.testing.assert_allclose(means[3:], np.arange(1, 4) / 4, rtol=0.03)
    assert (np.diff(keys[:, :3]) >= 0).all()


def test_more_is_drawn_of_what_costs_less_and_a_part_of_what_costs_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = tiecore.evaluate(*tied(5, n_queries=20), ["AP"])
    (measure,) = evaluation.measures
    whole = drawn_of(evaluation)
    assert (whole.orders, len(whole.order), whole.is_complete) == (1000, 1000, True)
    assert random_values(evaluation.values, measure) is whole, "what is kept is not drawn again"
    monkeypatch.setattr(module, "_BUDGET", 8 * 170)
    part = drawn_of(afresh(evaluation))
    assert part.orders >= 8
    assert not part.is_complete
    assert 0 < len(part.queries) < len(whole.queries)
    monkeypatch.setattr(module, "_BUDGET", 8)
    assert random_values(afresh(evaluation).values, measure) is None


def test_few_orders_of_many_queries_are_put_together_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = tiecore.evaluate(*tied(5, n_queries=60), ["AP"])
    monkeypatch.setattr(module, "_BUDGET", 60_000)
    monkeypatch.setattr(module, "_GENEROUS", 1)
    drawn = drawn_of(evaluation)
    assert drawn.orders < 100
    assert drawn.is_complete
    totals = drawn.totals
    assert len(np.unique(totals, axis=0)) > 900, "each draw is another one"
    np.testing.assert_allclose(totals.std(axis=0) / 60, evaluation.summary["sd"], rtol=0.15)
    assert (drawn.weight > 5 * drawn.orders).all()


def test_what_one_query_decides_is_worth_no_more_than_its_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    # all others have one tie of two documents, of which the measure makes little
    qrels = {f"q{q}": {"a": 1 + 99 * (q == 0), "b": 0} for q in range(40)}
    tied_scores = {query: dict.fromkeys(documents, 1) for query, documents in qrels.items()}
    evaluation = tiecore.evaluate(qrels, {"tied": tied_scores, "alike": tied_scores}, ["DCG"])
    monkeypatch.setattr(module, "_BUDGET", 40 * 6 * 50)
    monkeypatch.setattr(module, "_GENEROUS", 1)
    drawn = drawn_of(evaluation)
    assert 8 < drawn.orders < 100
    assert drawn.weight == pytest.approx([drawn.orders] * 2, rel=0.05)


def test_a_number_of_draws_that_takes_too_long_is_refused_with_the_one_that_fits() -> None:
    evaluation = tiecore.evaluate(*tied(6), ["AP"])
    for draw in (evaluation.sample, partial(tiecore.sample, "AP", scores=[1, 1], grades=[0, 1], seed=0)):
        with pytest.raises(
            tiecore.TiecoreError, match=r"too many tied documents to draw: .* at most [\d,]+ can be drawn"
        ):
            draw(draws=10**9)


def test_deviations_of_all_features_come_in_blocks_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluation = tiecore.evaluate(*tied(7), ["AP"])
    drawn = drawn_of(evaluation)
    (_, whole), *others = drawn.dense()
    assert not others
    monkeypatch.setattr(module, "_AT_ONCE", 3 * drawn.orders * 2)
    np.testing.assert_array_equal(np.concatenate([block for _, block in drawn.dense()], axis=2), whole)
    means = whole.sum(axis=2) / 9 + evaluation.summary["expected"].to_numpy()[:, None]
    np.testing.assert_allclose(means.T, evaluation.sample(draws=drawn.orders), rtol=0, atol=1e-12)


def test_queries_without_ties_take_no_room_among_the_deviations() -> None:
    qrels = {f"q{q}": {"a": 1, "b": 0} for q in range(20)}
    scores = {q: {"a": 1, "b": int(q == "q7")} for q in qrels}
    evaluation = tiecore.evaluate(qrels, {"f": scores}, ["AP"], statistics=["expected"])
    drawn = drawn_of(evaluation)
    assert len(drawn.queries) == 20
    ((which, block),) = drawn.dense()
    assert drawn.queries[which].tolist() == [7]
    assert block.shape == (1, drawn.orders, 1)


def test_progress_is_told_and_can_stop_the_drawing() -> None:
    evaluation = tiecore.evaluate(*tied(8), ["AP"])
    told: list[tuple[int, int]] = []
    random_values(afresh(evaluation).values, evaluation.measures[0], progress=lambda *at: told.append(at))
    assert told == 2 * [(1, 3), (2, 3), (3, 3)], "of what it will cost, and of the drawing"
    for draw in (evaluation.sample, evaluation.stability, partial(central_interval, evaluation)):
        with pytest.raises(KeyboardInterrupt):
            draw(progress=raising(KeyboardInterrupt()))

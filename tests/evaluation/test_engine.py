"""Random draws, threads, and what the engine refuses."""

import math
import pickle
import threading
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
import tiecore.collection.align as join_module
import tiecore.collection.alignment as align_module
from tests.batches import noted_sorts
from tests.evaluation.test_evaluate import evaluate
from tests.strategies import random_collection
from tiecore.collection.alignment import Cache
from tiecore.evaluation import engine
from tiecore.evaluation.engine import Missing, Options
from tiecore.measures import NoVarianceError, values_of
from tiecore.ties.groups import UNJUDGED, TieGroups


def test_draws_that_were_stopped_are_drawn_as_they_would_have_been() -> None:
    whole = evaluate().sample("AP", draws=20, seed=1)
    evaluation = evaluate()
    with pytest.raises(ZeroDivisionError):
        evaluation.sample("AP", draws=20, seed=1, progress=lambda done, total: 1 // 0)
    pd.testing.assert_frame_equal(evaluation.sample("AP", draws=20, seed=1), whole)


def test_only_the_statistics_and_tie_breaks_asked_for_are_computed_and_best_and_worst_are_both() -> None:
    known = evaluate(measures=["AP"]).summary
    found = evaluate(measures=["AP"], statistics=["best", "expected"])
    assert list(found.summary.columns) == ["expected", "best"]
    assert list(found.per_query.columns) == ["expected", "best"]
    pd.testing.assert_frame_equal(found.summary, known[["expected", "best"]])
    without = evaluate(measures=["AP"], statistics=["sd"])
    with pytest.raises(tiecore.TiecoreError, match="'expected' was not evaluated"):
        without.leaderboard("AP")
    alone = evaluate(statistics=[], tie_breaks=["input"]).per_query
    assert alone.columns.tolist() == ["input"]
    pd.testing.assert_frame_equal(alone, evaluate(tie_breaks=["input"]).per_query[["input"]], check_exact=True)
    found = evaluate(measures=["AP"], statistics=["expected"], tie_breaks=["best", "worst", "input"])
    assert found.values.columns == ("expected", "worst", "best", "input")
    assert [chosen.name for chosen in found.tie_breaks] == ["input"]


def test_threads_begin_only_where_they_save_time(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()

    def noting(*arguments: Any) -> np.ndarray:
        used.add(threading.current_thread().name)
        return values_of(*arguments)

    monkeypatch.setattr(engine, "values_of", noting)
    aligned = evaluate().values.alignment
    engine.evaluate_alignment(aligned, ["AP"], statistics=["expected"])
    assert used == {threading.current_thread().name}
    used.clear()
    monkeypatch.setattr(engine, "_FEW_DOCUMENTS", 1)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1}, raising=False)
    engine.evaluate_alignment(aligned, ["AP"], statistics=["expected"])
    assert threading.current_thread().name not in used


def test_grades_too_high_for_an_exponential_gain_are_refused() -> None:
    for measure in ("nDCG(dcg='exp-log2')", "ERR(max_rel=300)"):
        with pytest.raises(tiecore.TiecoreError, match="too high for an exponential gain"):
            tiecore.moments(measure, scores=[1.0], grades=[301])
        assert tiecore.moments(measure, scores=[1.0], grades=[300]).expected == pytest.approx(1.0, rel=1e-12)


def test_a_measure_without_variance_says_so_and_no_queries_have_no_geometric_mean() -> None:
    for name in ("ERR", "Bpref", "ESL", "PRR", "GMAP"):
        with pytest.raises(NoVarianceError):
            tiecore.measure(name).variance(evaluate().values.groups("clicks"))
    assert math.isnan(tiecore.measure("GMAP").summarise(np.zeros(0)))


@pytest.mark.parametrize(("block", "missing"), [(1, "last"), (40, "unranked")])
def test_blocks_of_queries_change_nothing(monkeypatch: pytest.MonkeyPatch, block: int, missing: str) -> None:
    qrels, features = random_collection(np.random.default_rng(4), n_queries=8, n_docs=6)
    queries = list(qrels)
    # one feature stands in another order of queries than the judgments, and scores what nobody judged
    features["mixed"] = {q: features["clicks"][q] | {"new": 1.0} for q in [*queries[5:], *queries[:3], "no query"]
                         if q in features["clicks"]} | {"elsewhere": {"x": 1.0}}  # fmt: skip
    options: dict[str, Any] = {
        "measures": ["AP", "RR", "nDCG@2", "ERR@3", "ESL", "Bpref", "GMAP"],
        "tie_breaks": ["docid-desc", "docid-asc", "input", "input-reversed", "random:3", "feature:pages"],
        "missing": missing,
    }
    known = tiecore.evaluate(qrels, features, **options)
    monkeypatch.setattr(align_module, "_BLOCK", block)
    monkeypatch.setattr(join_module, "_BLOCK", block)
    found = tiecore.evaluate(qrels, features, workers=4, **options)
    assert len(found.values.alignment.blocks()) > 1
    pd.testing.assert_frame_equal(found.per_query, known.per_query, check_exact=True)
    pd.testing.assert_frame_equal(found.coverage, known.coverage)


@pytest.mark.parametrize(("block", "missing"), [(30, "unranked"), (1 << 17, "last")])
def test_features_that_are_evaluated_together_come_to_the_same_as_one_by_one(
    monkeypatch: pytest.MonkeyPatch, block: int, missing: Missing
) -> None:
    monkeypatch.setattr(align_module, "_BLOCK", block)
    qrels, features = random_collection(np.random.default_rng(9), n_queries=12, n_docs=6)
    clicks = features["clicks"]
    frames: dict[str, Any] = {
        # scores of every type, which are sorted by codes of different widths
        "whole": {query: {doc: int(score) for doc, score in docs.items()} for query, docs in clicks.items()},
        "wide": {query: {doc: math.pi * score for doc, score in docs.items()} for query, docs in clicks.items()},
        "far": {query: {doc: 2**60 + int(score) for doc, score in docs.items()} for query, docs in clicks.items()},
        "few": {query: {"new": 1.0} | docs for query, docs in list(clicks.items())[:2]},
    }
    options: dict[str, Any] = {
        "measures": ["AP", "RR", "nDCG@2", "P(judged_only=True)@3", "ERR@3", "ESL", "Bpref", "INSQ(max_rel=4)"],
        "tie_breaks": ["docid-desc", "docid-asc", "input", "input-reversed", "random:3"],
        "missing": missing,
    }
    seen: list[tuple[int, int]] = []
    together = tiecore.evaluate(qrels, features | frames, progress=lambda *step: seen.append(step), **options)
    names = together.features
    done, total = zip(*seen, strict=True)
    assert list(done) == sorted(done), "it is told of features, and more often than once for each if they are large"
    assert (done[-1], set(total)) == (len(names), {len(names)})
    for name in names:
        alone = tiecore.evaluate(qrels, features | frames, only=[name], **options)
        np.testing.assert_allclose(
            together.per_query.xs(name, level="feature"), alone.per_query.xs(name, level="feature"), rtol=0, atol=1e-15
        )
        pd.testing.assert_frame_equal(together.coverage.loc[[name]], alone.coverage)


def test_grades_may_lie_far_apart() -> None:
    known = evaluate({"q": {"a": -1, "b": 0, "c": 1, "d": 2}}, {"f": {"q": {"a": 1, "b": 1, "c": 1, "d": 0}}})
    far = evaluate({"q": {"a": -(10**6), "b": 0, "c": 7, "d": 10**9}}, {"f": {"q": {"a": 1, "b": 1, "c": 1, "d": 0}}})
    pd.testing.assert_frame_equal(far.summary, known.summary)


def test_many_cutoffs_of_large_ties_need_little_memory() -> None:
    n_queries, size = 60, 1000
    groups = TieGroups.from_keys(
        [np.zeros(n_queries * size, dtype=np.int64)],
        query=np.repeat(np.arange(n_queries), size),
        level=(np.arange(n_queries * size) % size == 0) + 1,
        grades=np.array([UNJUDGED, 0, 1]),
        n_queries=n_queries,
    )
    curve = [tiecore.measure(f"RR@{k}") for k in range(1, 301)]
    tracemalloc.start()
    try:
        values = values_of(curve, groups)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert values[-1, 0] == pytest.approx(sum(1 / k for k in range(1, 301)) / size, rel=0, abs=1e-12)
    assert peak < 40e6


def test_another_measure_cutoff_statistic_tie_break_or_name_sorts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sorts = noted_sorts(monkeypatch)
    evaluation = evaluate()
    assert len(sorts) == 2, "clicks and pages"
    aligned = evaluation.values.alignment
    engine.evaluate_alignment(aligned, ["nDCG@2", "RR"], ["docid-asc", "feature:pages"], statistics=["best"])
    renamed = replace(aligned, sources={"other name": aligned.sources["clicks"]})
    engine.evaluate_alignment(renamed, ["AP"], ["docid-asc"])
    assert len(sorts) == 2
    engine.evaluate_alignment(aligned, ["AP"], options=Options(missing="last"))
    engine.evaluate_alignment(replace(aligned, ascending=frozenset({"pages"})), ["AP"])
    assert len(sorts) == 5, "other options and another direction are another order"


def test_a_feature_of_the_same_name_that_stands_elsewhere_breaks_ties_in_its_own_way() -> None:
    qrels, tied = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1}}
    aligned = evaluate(qrels, {"f": tied, "x": {"q": {"a": 1, "b": 0}}, "y": {"q": {"a": 0, "b": 1}}}).values.alignment
    other = replace(aligned, sources={"f": aligned.sources["f"], "x": aligned.sources["y"]})
    found = [
        engine.evaluate_alignment(one, ["RR"], ["feature:x"]).summary["feature:x"]["RR", "f"]
        for one in (aligned, other)
    ]
    assert found == [1.0, 0.5]


@pytest.mark.parametrize("limit", [0, 500, 10**9])
def test_what_is_kept_takes_no_more_memory_than_it_may_and_changes_nothing(limit: int) -> None:
    qrels, features = random_collection(np.random.default_rng(4), n_queries=8, n_docs=6)
    tie_breaks = ["docid-asc", "random:1", *(f"feature:{name}" for name in features)]
    known = tiecore.evaluate(qrels, features, ["AP", "RR"], tie_breaks)
    aligned = replace(known.values.alignment, cache=Cache(limit))
    for _ in range(2):
        _, again = (engine.evaluate_alignment(aligned, m, tie_breaks, workers=3) for m in (["RR", "AP"], ["AP", "RR"]))
        pd.testing.assert_frame_equal(again.per_query, known.per_query, check_exact=True)
        found = (*aligned.cache._of_blocks.values(), *aligned.cache._of_all.values())
        kept = [getattr(one, "nbytes", 0) for one in found]
        assert aligned.cache.nbytes == sum(kept)
        assert sum(kept) <= limit or len(kept) == 1


def test_neither_a_copy_nor_what_is_kept_holds_more_than_it_may() -> None:
    aligned = evaluate().values.alignment
    assert aligned.cache.nbytes > 0
    copied = pickle.loads(pickle.dumps(replace(aligned, cache=Cache(123))))
    assert (copied.cache.limit, copied.cache.nbytes) == (123, 0)
    assert copied.groups("clicks").size.tolist() == aligned.groups("clicks").size.tolist()
    held = aligned.cache.nbytes
    groups = aligned.groups("clicks")
    assert aligned.cache.nbytes == held, "sorted once"
    groups.relevant(1)
    assert groups._memo
    assert not aligned.groups("clicks")._memo


def test_what_two_threads_compute_at_the_same_time_is_kept_and_counted_once() -> None:
    cache, groups = Cache(), evaluate().values.groups("clicks")

    def compute() -> TieGroups:  # as if another thread were quicker
        cache.get("key", lambda: groups)
        return groups

    assert cache.get("key", compute) is groups
    assert cache.nbytes == groups.nbytes

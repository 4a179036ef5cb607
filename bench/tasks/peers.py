"""One feature in memory, by the other tools: each as its own users would call it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bench import QUERIES
from bench.clock import Outcome, timed
from bench.data import columns
from bench.spelling import FOUR, RANX, TREC_EVAL, of_pytrec_eval, of_ranx
from bench.tasks.files import FEATURE

Run = dict[str, dict[str, float]]
TIE_AWARE = {"P@10": "precision", "AP": "map", "RR": "mrr", "nDCG@10": "ndcg"}


def pytrec_eval(*, n_queries: int = QUERIES, n_documents: int | None = None, repeats: int) -> Outcome:
    """Evaluate with both dicts ready and the evaluator made; the means over queries are not counted."""
    import pytrec_eval

    qrels, run = columns([FEATURE], n_queries=n_queries, n_documents=n_documents).dicts(FEATURE)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL.values()))
    times, per_query = timed(evaluator.evaluate, given=lambda: run, repeats=repeats)
    return {"times": {"work": times}, "values": of_pytrec_eval(per_query)}


def ir_measures(*, n_queries: int, repeats: int) -> Outcome:
    """Aggregate with both dicts ready."""
    import ir_measures

    qrels, run = columns([FEATURE], n_queries=n_queries).dicts(FEATURE)
    wanted = [ir_measures.parse_measure(name) for name in FOUR]

    def evaluate(given: Run) -> dict[Any, float]:
        return ir_measures.calc_aggregate(wanted, qrels, given)

    times, means = timed(evaluate, given=lambda: run, repeats=repeats)
    values = {str(name): float(value) for name, value in means.items()}
    return {"times": {"work": times}, "values": {"docid-desc": values}}


def ranx(*, n_queries: int, repeats: int) -> Outcome:
    """Evaluate with its own two structures ready and everything compiled."""
    import ranx

    qrels, run = columns([FEATURE], n_queries=n_queries).dicts(FEATURE)
    ranx_qrels, ranx_run = ranx.Qrels(qrels), ranx.Run(run)

    def evaluate(given: object) -> dict[str, float]:
        means: dict[str, float] = ranx.evaluate(ranx_qrels, given, list(RANX.values()), save_results_in_run=False)
        return means

    times, means = timed(evaluate, given=lambda: ranx_run, repeats=repeats)
    return {"times": {"work": times}, "values": of_ranx(means)}


def tie_aware(*, n_queries: int, repeats: int) -> Outcome:
    """Expectation, best, worst and file order with lists ready; gains of nDCG are binary.

    It cuts all measures of a call at one rank, so AP and RR over the whole list need a second call.
    """
    import trm

    data = columns([FEATURE], n_queries=n_queries)
    scores = [values.tolist() for values in data.lists(data.scores[FEATURE])]
    relevant = [values.tolist() for values in data.lists(data.grade > 0)]
    calls = [(["P@10", "nDCG@10"], 10), (["AP", "RR"], max(map(len, scores)))]

    def evaluate(given: list[list[float]]) -> dict[str, float]:
        means: dict[str, float] = {}
        for names, k in calls:
            keys = [TIE_AWARE[name] for name in names]
            result = trm.evaluate(scores=given, is_relevant=relevant, metrics=keys, k_list=[k])
            means |= {name: float(result.metrics[TIE_AWARE[name]][k].expected) for name in names}
        return means

    times, means = timed(evaluate, given=lambda: scores, repeats=repeats)
    means["nDCG@10 (binary)"] = means.pop("nDCG@10")
    return {"times": {"work": times}, "values": {"expected": means}}


def sklearn(*, n_queries: int, repeats: int) -> Outcome:
    """Call ndcg_score for each query, arrays ready; it takes many queries at once only if all are of one length."""
    from sklearn.metrics import ndcg_score

    data = columns([FEATURE], n_queries=n_queries)
    pairs = [
        (grades[None, :], scores[None, :])
        for grades, scores in zip(data.lists(data.grade), data.lists(data.scores[FEATURE]), strict=True)
    ]

    def evaluate(given: list[tuple[np.ndarray, np.ndarray]]) -> float:
        return math.fsum(ndcg_score(grades, scores, k=10) for grades, scores in given) / len(given)

    times, mean = timed(evaluate, given=lambda: pairs, repeats=repeats)
    return {"times": {"work": times}, "values": {"expected": {"nDCG@10": float(mean)}}}

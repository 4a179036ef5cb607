"""From files to numbers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.clock import Outcome, Values, mean_of, timed
from bench.paths import many_qrels_file, many_run_files, qrels_file, run_file, table_file
from bench.spelling import FOUR, RANX, SIX, TREC_EVAL, of_pytrec_eval, of_ranx

if TYPE_CHECKING:
    import pandas as pd

    import tiecore

FEATURE = "indegree"


def write(*, tables: Sequence[tuple[int, str]], texts: Sequence[tuple[int, str]], n_runs: int) -> Outcome:
    """Generate what is not there yet, in a process that needs the memory only once."""
    from bench.data import prepare

    prepare([(n, which) for n, which in tables], [(n, ids) for n, ids in texts], n_runs)
    return {}


def values_of(summary: pd.DataFrame, feature: str = FEATURE) -> Values:
    """Means over queries of a feature, by column."""
    of_feature = summary.xs(feature, level="feature")
    return {
        str(column): dict(zip(map(str, of_feature.index), of_feature[column].tolist(), strict=True))
        for column in of_feature.columns
    }


def tiecore_columns(*, n_queries: int, ids: str = "short", kernel: str = "on") -> Outcome:
    """Read run and qrels and evaluate, with coverage: every column and one tie-break; ``kernel="off"`` without C."""
    os.environ["TIECORE_KERNEL"] = kernel
    import tiecore

    def evaluate(_: None) -> pd.DataFrame:
        evaluation = tiecore.evaluate(qrels_file(n_queries, ids), run_file(n_queries, ids), FOUR, ["docid-desc"])
        assert len(evaluation.coverage) == 1
        return evaluation.summary

    times, summary = timed(evaluate, given=lambda: None, repeats=1, warm_up=False)
    return {"times": {"work": times}, "values": values_of(summary)}


def table(*, n_queries: int, which: str) -> Outcome:
    """Evaluate every feature of a Parquet table: every column and one tie-break."""
    import tiecore

    calls: list[tuple[int, int]] = []

    def evaluate(_: None) -> tiecore.Evaluation:
        path = table_file(n_queries, which)
        return tiecore.evaluate(path, None, SIX, ["docid-desc"], progress=lambda *done: calls.append(done))

    times, evaluation = timed(evaluate, given=lambda: None, repeats=1, warm_up=False)
    return {
        "times": {"work": times},
        "values": values_of(evaluation.summary),
        "counts": {"features": len(evaluation.features), "calls of progress": len(calls)},
    }


def tiecore_many(*, n_runs: int, kernel: str = "on") -> Outcome:
    """Read many runs and evaluate, with coverage: every column and one tie-break; values are means over the runs."""
    os.environ["TIECORE_KERNEL"] = kernel
    import tiecore

    evaluation = tiecore.evaluate(many_qrels_file(), many_run_files(n_runs), FOUR, ["docid-desc"]).values
    assert len(evaluation.coverage_of_features) == n_runs
    # as the command takes them: a frame would need pandas, which pytrec_eval does without
    boards = {str(measure): evaluation.leaderboard_columns(measure) for measure in evaluation.measures}
    values = {
        column: {measure: float(board[column].mean()) for measure, board in boards.items()}
        for column in evaluation.columns
    }
    return {"values": values}


def pytrec_eval_many(*, n_runs: int) -> Outcome:
    """Read and evaluate one run after another, with its own parsers; values are means over the runs."""
    import pytrec_eval

    with many_qrels_file().open(encoding="utf-8") as lines:
        qrels = pytrec_eval.parse_qrel(lines)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL.values()))
    means = []
    for path in many_run_files(n_runs):
        with path.open(encoding="utf-8") as lines:
            run = pytrec_eval.parse_run(lines)
        means.append(of_pytrec_eval(evaluator.evaluate(run)))
    return {"values": mean_of(means)}


def pytrec_eval(*, n_queries: int) -> Outcome:
    """Read both files into dicts with its own parsers and evaluate; ``work`` is the evaluation alone."""
    import pytrec_eval

    with qrels_file(n_queries).open(encoding="utf-8") as lines:
        qrels = pytrec_eval.parse_qrel(lines)
    with run_file(n_queries).open(encoding="utf-8") as lines:
        run = pytrec_eval.parse_run(lines)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL.values()))
    times, per_query = timed(evaluator.evaluate, given=lambda: run, repeats=1, warm_up=False)
    return {"times": {"work": times}, "values": of_pytrec_eval(per_query)}


def ir_measures(*, n_queries: int, ids: str = "short") -> Outcome:
    """Read both files with its own readers and aggregate."""
    import ir_measures

    wanted = [ir_measures.parse_measure(name) for name in FOUR]
    qrels = ir_measures.read_trec_qrels(str(qrels_file(n_queries, ids)))
    run = ir_measures.read_trec_run(str(run_file(n_queries, ids)))
    means = ir_measures.calc_aggregate(wanted, qrels, run)
    return {"values": {"docid-desc": {str(name): float(value) for name, value in means.items()}}}


def ranx(*, n_queries: int) -> Outcome:
    """Read both files with its own readers and evaluate."""
    import ranx

    qrels = ranx.Qrels.from_file(str(qrels_file(n_queries)), kind="trec")
    run = ranx.Run.from_file(str(run_file(n_queries)), kind="trec")
    return {"values": of_ranx(ranx.evaluate(qrels, run, list(RANX.values()), save_results_in_run=False))}

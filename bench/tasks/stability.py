"""Which differences are clear and which places are open, beside the evaluation that it starts from."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import pandas as pd

from bench.clock import Outcome, timed
from bench.data import FREQUENT, columns
from bench.paths import table_file
from bench.spelling import SIX

if TYPE_CHECKING:
    import tiecore

MEASURE = "nDCG@10"


def frames(*, n_queries: int, repeats: int) -> Outcome:
    """Evaluate twenty features from frames by the default measures, and tell which differences are clear by one."""
    import tiecore

    source = columns(FREQUENT, n_queries=n_queries)
    query, document = source.query.to_pandas().astype(str), source.document.to_pandas()
    qrels = pd.DataFrame({"query_id": query, "doc_id": document, "relevance": source.grade})
    features = {
        name: pd.DataFrame({"query_id": query, "doc_id": document, "score": source.scores[name]}) for name in FREQUENT
    }
    evaluating, evaluation = timed(lambda _: tiecore.evaluate(qrels, features), given=lambda: None, repeats=repeats)
    judging, _ = timed(_with_place_sets, given=lambda: evaluation, repeats=repeats)
    return {"times": {"evaluate": evaluating, "work": judging}, "counts": {"features": len(FREQUENT)}}


def table(*, n_queries: int, which: str) -> Outcome:
    """The same of every feature of a Parquet table, once; six measures are evaluated, as in the row on such tables."""
    import tiecore

    # not by timed(), which switches the garbage collector off: the peak of memory is a mark here
    clock = [(perf_counter(), process_time())]
    evaluation = tiecore.evaluate(table_file(n_queries, which), None, SIX, ["docid-desc"])
    clock.append((perf_counter(), process_time()))
    _with_place_sets(evaluation)
    clock.append((perf_counter(), process_time()))
    evaluating, judging = ([(after[0] - before[0], after[1] - before[1])] for before, after in pairwise(clock))
    return {"times": {"evaluate": evaluating, "work": judging}, "counts": {"features": len(evaluation.features)}}


def _with_place_sets(evaluation: tiecore.Evaluation) -> pd.DataFrame:
    return evaluation.stability(MEASURE).ranks

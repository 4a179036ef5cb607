"""One feature in memory, by tiecore."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from bench.clock import Outcome, timed
from bench.data import columns
from bench.spelling import FOUR
from bench.tasks.files import FEATURE, values_of
from tiecore.collection.align import align
from tiecore.collection.alignment import Alignment
from tiecore.evaluation.engine import evaluate_alignment

if TYPE_CHECKING:
    import pandas as pd

STATISTICS = ("expected", "sd", "worst", "best")


def tiecore(
    *, n_queries: int, repeats: int, statistics: Sequence[str], tie_breaks: Sequence[str], begin: str
) -> Outcome:
    """Evaluate to the summary; ``begin`` from ``"aligned"`` documents, or with the ``"join"`` of ids."""
    source = columns([FEATURE], n_queries=n_queries)
    judgments, run = source.judgments(), source.run(FEATURE)

    def aligned() -> Alignment:
        return align(judgments, [(FEATURE, run, FEATURE)])

    def evaluate(given: Alignment | None) -> pd.DataFrame:
        return evaluate_alignment(given or aligned(), FOUR, tie_breaks, statistics=statistics).summary

    given: Callable[[], Alignment | None] = (lambda: None) if begin == "join" else aligned
    times, summary = timed(evaluate, given=given, repeats=repeats)
    return {
        "times": {"work": times},
        "values": values_of(summary),
        "counts": {"queries": n_queries, "documents": len(source.grade)},
    }


def frames(*, n_documents: int, repeats: int) -> Outcome:
    """Evaluate from frames of ids: every column and one tie-break."""
    import pandas as pd

    import tiecore

    source = columns([FEATURE], n_documents=n_documents)
    order = source.run_order(FEATURE)
    query, document = source.query.cast(pa.string()).to_pandas(), source.document.to_pandas()
    qrels = pd.DataFrame({"query_id": query, "doc_id": document, "relevance": source.grade})
    listed = {"query_id": query, "doc_id": document.take(order).array, "score": source.scores[FEATURE][order]}
    run = pd.DataFrame(listed)

    def evaluate(_: None) -> pd.DataFrame:
        return tiecore.evaluate(qrels, {FEATURE: run}, FOUR, ["docid-desc"]).summary

    times, summary = timed(evaluate, given=lambda: None, repeats=repeats)
    return {"times": {"work": times}, "values": values_of(summary)}


def dicts(*, n_documents: int, repeats: int, statistics: Sequence[str], tie_breaks: Sequence[str]) -> Outcome:
    """Evaluate from dicts."""
    import tiecore

    qrels, run = columns([FEATURE], n_documents=n_documents).dicts(FEATURE)

    def evaluate(_: None) -> pd.DataFrame:
        return tiecore.evaluate(qrels, {FEATURE: run}, FOUR, tie_breaks, statistics=statistics).summary

    times, summary = timed(evaluate, given=lambda: None, repeats=repeats)
    return {"times": {"work": times}, "values": values_of(summary)}


def binary(*, n_queries: int) -> Outcome:
    """Compute what tie-aware-retrieval-metrics computes: binary gains."""
    source = columns([FEATURE], n_queries=n_queries)
    yes_or_no = replace(source.judgments(), grades=(source.grade > 0).astype(np.int64))
    alignment = align(yes_or_no, [(FEATURE, source.run(FEATURE), FEATURE)])
    values = values_of(evaluate_alignment(alignment, FOUR, statistics=["expected"]).summary)
    values["expected"]["nDCG@10 (binary)"] = values["expected"].pop("nDCG@10")
    return {"values": values}

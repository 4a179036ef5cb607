"""Data with many ties for the tests of the diagnostics."""

from typing import Any

import numpy as np
import pandas as pd

import tiecore
import tiecore.diagnostics

# Any: the stubs of pandas do not know what stands in a row
diagnostics: Any = tiecore.diagnostics


def frame(query: np.ndarray, doc: np.ndarray, **columns: np.ndarray) -> Any:
    return pd.DataFrame({"query_id": [f"q{q}" for q in query], "doc_id": [f"d{d:04}" for d in doc], **columns})


def collection(seed: int, *, n_queries: int = 12, n_docs: int = 15) -> tuple[Any, dict[str, Any]]:
    """Return qrels and three features: unjudged documents, judged ones that are not listed, a query without hits."""
    rng = np.random.default_rng(seed)
    query, doc = np.repeat(np.arange(n_queries), n_docs), np.tile(np.arange(n_docs), n_queries)
    grade = rng.choice([-1, 0, 0, 0, 1, 1, 2, 3], size=len(query))
    grade[query == 1] = 0
    judged = rng.random(len(query)) < 0.85
    qrels = frame(query[judged], doc[judged], relevance=grade[judged])
    features = {}
    for name, n_values in (("coarse", 2), ("fine", 6), ("sure", 30)):
        listed = (rng.random(len(query)) < 0.85) & ~((query == 2) & (name == "fine"))
        # knows a little about relevance
        score = rng.integers(0, n_values, size=len(query)) + (grade > 0) * rng.integers(0, 2, size=len(query))
        features[name] = frame(query[listed], doc[listed], score=score[listed] / 2)
    return qrels, features


def evaluated(seed: int = 0, **options: Any) -> Any:
    qrels, features = collection(seed)
    chosen: dict[str, Any] = {"measures": ["AP", "nDCG@5"], "tie_breaks": ["trec_eval", "random:5"]}
    return tiecore.evaluate(qrels, features, **(chosen | options))


def with_scores(
    scores: dict[str, np.ndarray], *, n_queries: int = 1, grades: np.ndarray | None = None, **options: Any
) -> Any:
    """Evaluate features whose scores come query by query, as many for each; without grades, every other one is 1."""
    n_docs = len(next(iter(scores.values()))) // n_queries
    query, doc = np.repeat(np.arange(n_queries), n_docs), np.tile(np.arange(n_docs), n_queries)
    relevance = (doc % 2 if grades is None else grades).astype(np.int64)
    features = {name: frame(query, doc, score=of_feature) for name, of_feature in scores.items()}
    chosen: dict[str, Any] = {"measures": ["AP"]}
    return tiecore.evaluate(frame(query, doc, relevance=relevance), features, **(chosen | options))


def one_feature(scores: np.ndarray, **options: Any) -> Any:
    return with_scores({"f": scores}, **options)

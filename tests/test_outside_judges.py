"""Programs that others wrote agree, on tied runs with awkward document ids."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

import tiecore
from tests.strategies import AWKWARD_DOCIDS

pytestmark = pytest.mark.untraced

CUTOFFS = (1, 2, 3, 5, 10, 15, 40)
WHOLE_LIST = {"map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "bpref": "Bpref", "ndcg": "nDCG"}
AT_CUTOFFS = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "success": "Success", "map_cut": "AP"}
OURS_BY_THEIRS = WHOLE_LIST | {f"{theirs}_{k}": f"{ours}@{k}" for theirs, ours in AT_CUTOFFS.items() for k in CUTOFFS}
# Distinct in float64 where float32 sees a tie: trec_eval keeps scores in single precision.
SCORES = (0.0, -0.0, 1.0, 2.0, 2.5, 0.1 + 0.2, 0.3, 16777216.0, 16777217.0, -1.0, 1e-3)

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def tied_runs(seed: int, n_queries: int = 60) -> tuple[Qrels, Run]:
    """Draw qrels and a run; grades start at 0, because trec_eval takes a negative grade for unjudged and we do not."""
    rng = np.random.default_rng(seed)
    qrels: Qrels = {}
    run: Run = {}
    for q in range(n_queries):
        docs = [AWKWARD_DOCIDS[d] for d in rng.permutation(len(AWKWARD_DOCIDS))]
        listed = docs[: int(rng.integers(1, 22))]
        judged = [doc for doc in docs if rng.random() < 0.7] or docs[:1]
        few = rng.choice(SCORES, size=int(rng.integers(1, 6)))
        run[f"q{q}"] = {doc: float(rng.choice(few)) for doc in listed}
        grades = rng.choice((0, 0, 0, 1, 1, 2, 3), size=len(judged))
        qrels[f"q{q}"] = {doc: int(grade) for doc, grade in zip(judged, grades, strict=True)}
    return qrels, run


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("theirs", "ours"), WHOLE_LIST.items())
def test_trec_eval_agrees_on_whole_lists(theirs: str, ours: str, seed: int) -> None:
    _assert_trec_eval_agrees({theirs: ours}, seed)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("theirs", "ours"), AT_CUTOFFS.items())
def test_trec_eval_agrees_at_cutoffs(theirs: str, ours: str, seed: int) -> None:
    _assert_trec_eval_agrees({f"{theirs}_{k}": f"{ours}@{k}" for k in CUTOFFS}, seed)


def _assert_trec_eval_agrees(ours_by_theirs: dict[str, str], seed: int) -> None:
    qrels, run = tied_runs(seed)
    judge = pytrec_eval.RelevanceEvaluator(qrels, set(ours_by_theirs)).evaluate(run)
    per_query = tiecore.evaluate(
        qrels,
        {"run": run},
        measures=list(ours_by_theirs.values()),
        tie_breaks=["trec_eval"],
        precision="float32",
    ).per_query
    assert set(judge) == set(run)
    for theirs, ours in ours_by_theirs.items():
        found = per_query.xs("run", level="feature").xs(ours)["trec_eval"]
        np.testing.assert_allclose(
            found.reindex(list(run)), [judge[q][theirs] for q in run], rtol=0, atol=1e-9, err_msg=ours
        )


def test_the_order_of_document_ids_matters_on_these_runs() -> None:
    qrels, run = tied_runs(0)
    per_query = tiecore.evaluate(
        qrels, {"run": run}, measures=["AP"], tie_breaks=["trec_eval", "docid-asc"], precision="float32"
    ).per_query
    assert (abs(per_query["trec_eval"] - per_query["docid-asc"]) > 0.01).sum() > 20
    assert (abs(per_query["trec_eval"] - per_query["expected"]) > 0.01).sum() > 20


def test_trec_evals_names_mean_trec_evals_measures() -> None:
    for theirs, ours in OURS_BY_THEIRS.items():
        assert tiecore.measure(theirs) == tiecore.measure(ours)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 10, 30, None])
def test_scikit_learns_tie_averaged_ndcg_is_our_expectation(k: int | None) -> None:
    rng = np.random.default_rng(5)
    for _ in range(25):
        n_docs = int(rng.integers(2, 25))
        grades = [int(grade) for grade in rng.choice((0, 0, 1, 2, 3, 10), size=n_docs)]
        scores = [float(score) for score in rng.integers(0, 4, size=n_docs)]
        ours = tiecore.moments("nDCG" if k is None else f"nDCG@{k}", scores=scores, grades=grades)
        assert ours.expected == pytest.approx(ndcg_score([grades], [scores], k=k), rel=0, abs=1e-12)

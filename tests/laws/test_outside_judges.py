"""Programs that others wrote agree, on tied runs with awkward document ids."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

import tiecore
from tests.strategies import AWKWARD_DOCIDS, Qrels
from tests.strategies import Scores as Run

CUTOFFS = (1, 2, 3, 5, 10, 15, 40)
WHOLE_LIST = {
    "map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "bpref": "Bpref", "ndcg": "nDCG", "set_P": "SetP",
    "set_relative_P": "SetP(relative=True)", "set_recall": "SetR", "set_F": "SetF", "set_map": "SetAP",
    "num_ret": "NumRet", "num_rel_ret": "NumRet(rel=1)", "num_rel": "NumRel", "num_q": "NumQ",
    "iprec_at_recall_0.00": "IPrec@0", "iprec_at_recall_0.10": "IPrec@0.1", "iprec_at_recall_0.50": "IPrec@0.5",
    "iprec_at_recall_1.00": "IPrec@1",
}  # fmt: skip
JUDGED_ONLY = {
    "map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "ndcg": "nDCG", "P_5": "P@5", "recall_5": "R@5",
    "success_1": "Success@1", "ndcg_cut_3": "nDCG@3", "set_P": "SetP", "set_F": "SetF", "set_map": "SetAP",
    "iprec_at_recall_0.30": "IPrec@0.3",
}  # fmt: skip
AT_CUTOFFS = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "success": "Success", "map_cut": "AP"}
OURS_BY_THEIRS = WHOLE_LIST | {f"{theirs}_{k}": f"{ours}@{k}" for theirs, ours in AT_CUTOFFS.items() for k in CUTOFFS}
# Distinct in float64 where float32 sees a tie: trec_eval keeps scores in single precision.
SCORES = (0.0, -0.0, 1.0, 2.0, 2.5, 0.1 + 0.2, 0.3, 16777216.0, 16777217.0, -1.0, 1e-3)

GRADES = (0, 0, 0, 1, 1, 2, 3)


def tied_runs(seed: int, n_queries: int = 60, grades: Sequence[int] = GRADES) -> tuple[Qrels, Run]:
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
        drawn = rng.choice(grades, size=len(judged))
        qrels[f"q{q}"] = {doc: int(grade) for doc, grade in zip(judged, drawn, strict=True)}
    return qrels, run


@pytest.mark.parametrize("seed", range(3))
def test_trec_eval_agrees_on_whole_lists_and_at_cutoffs(seed: int) -> None:
    _assert_trec_eval_agrees(OURS_BY_THEIRS, seed)


@pytest.mark.parametrize("seed", range(3))
def test_trec_eval_agrees_on_judged_documents_only(seed: int) -> None:
    judged_only = {t: str(replace(tiecore.measure(o), judged_only=True)) for t, o in JUDGED_ONLY.items()}  # type: ignore[call-arg]
    _assert_trec_eval_agrees(judged_only, seed, judged_docs_only_flag=True, grades=(0, 0, 0, 1, 1, 2, 3, -1, -2))


def _assert_trec_eval_agrees(
    ours_by_theirs: dict[str, str], seed: int, *, grades: Sequence[int] = GRADES, **options: Any
) -> None:
    qrels, run = tied_runs(seed, grades=grades)
    judge = pytrec_eval.RelevanceEvaluator(qrels, set(ours_by_theirs), **options).evaluate(run)
    ours_by_theirs = {theirs: str(tiecore.measure(ours)) for theirs, ours in ours_by_theirs.items()}
    per_query = tiecore.evaluate(
        qrels, {"run": run}, measures=list(ours_by_theirs.values()), tie_breaks=["trec_eval"], precision="float32"
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


FILES = Path(__file__).parent.parent / "data" / "trec_eval"

# of what `trec_eval -a -q` prints: measure, then the queries 301, 302, 303 and all
PRINTED = """
map            0.0324 0.4175 0.0858 0.1785
Rprec          0.1456 0.5065 0.0000 0.2174
bpref          0.1230 0.4712 0.0000 0.1981
recip_rank     0.1667 1.0000 0.0526 0.4064
P_5            0.0000 0.8000 0.0000 0.2667
P_1000         0.0710 0.0500 0.0100 0.0437
recall_20      0.0105 0.2078 0.1000 0.1061
recall_1000    0.1498 0.6494 1.0000 0.5997
ndcg           0.1584 0.6617 0.3862 0.4021
ndcg_cut_10    0.1518 0.7530 0.0000 0.3016
map_cut_100    0.0118 0.3983 0.0764 0.1622
success_5      0.0000 1.0000 0.0000 0.3333
"""
ROWS = [line.split() for line in PRINTED.split("\n") if line]
QUERIES = ("301", "302", "303")


@pytest.fixture(scope="module")
def evaluation() -> Any:
    files = FILES / "qrels.test.gz", FILES / "results.test.gz"
    names = [*(name for name, *_ in ROWS), "gm_map"]
    # in the precision in which trec_eval read its scores when these figures were printed
    return tiecore.evaluate(*files, names, ["trec_eval"], precision="float32")


@pytest.mark.parametrize(("name", "values"), [(name, values) for name, *values in ROWS], ids=[row[0] for row in ROWS])
def test_values_are_those_printed(evaluation: Any, name: str, values: list[str]) -> None:
    measure = str(tiecore.measure(name))
    found = evaluation.per_query.loc[(measure, "STANDARD"), "trec_eval"]
    assert [f"{found[query]:.4f}" for query in QUERIES] == values[:-1]
    assert f"{evaluation.summary.loc[(measure, 'STANDARD'), 'trec_eval']:.4f}" == values[-1]


def test_the_geometric_mean_is_that_printed(evaluation: Any) -> None:
    assert f"{evaluation.summary.loc[('GMAP', 'STANDARD'), 'trec_eval']:.4f}" == "0.1051"

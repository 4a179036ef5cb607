"""Programs that others wrote agree, on tied runs with awkward document ids."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from sklearn.metrics import ndcg_score

import tiecore
from tests.strategies import AWKWARD_DOCIDS, Qrels
from tests.strategies import Scores as Run
from tiecore.plugins.pytrec_eval import RelevanceEvaluator, supported_measures

# Distinct in float64 where float32 sees a tie: trec_eval keeps scores in single precision.
SCORES = (0.0, -0.0, 1.0, 2.0, 2.5, 0.1 + 0.2, 0.3, 16777216.0, 16777217.0, -1.0, 1e-3)
CUT = {"P", "recall", "ndcg_cut", "success", "map_cut"}
"""Families of measures that are cut off."""


def tied_runs(seed: int, n_queries: int = 60) -> tuple[Qrels, Run]:
    rng = np.random.default_rng(seed)
    qrels: Qrels = {}
    run: Run = {}
    for q in range(n_queries):
        docs = [AWKWARD_DOCIDS[d] for d in rng.permutation(len(AWKWARD_DOCIDS))]
        listed = docs[: int(rng.integers(1, 22))]
        judged = [doc for doc in docs if rng.random() < 0.7] or docs[:1]
        few = rng.choice(SCORES, size=int(rng.integers(1, 6)))
        run[f"q{q}"] = {doc: float(rng.choice(few)) for doc in listed}
        drawn = rng.choice((0, 0, 0, 1, 1, 2, 3, -1, -2), size=len(judged))
        qrels[f"q{q}"] = {doc: int(grade) for doc, grade in zip(judged, drawn, strict=True)}
    return qrels, run


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_trec_eval_agrees_at_every_depth_and_on_judged_documents_only(seed: int, level: int, judged_only: bool) -> None:
    qrels, run = tied_runs(seed)
    wanted = {*(supported_measures - CUT), *(f"{family}.1,2,3,5,10,15,40" for family in CUT)}
    known = pytrec_eval.RelevanceEvaluator(qrels, wanted, level, judged_only).evaluate(run)
    ours = RelevanceEvaluator(qrels, wanted, level, judged_only, tie_break="trec_eval", precision="float32")
    for query, values in ours.evaluate(run).items():
        theirs = known.pop(query)
        if judged_only and all(qrels[query].get(doc, -1) < 0 for doc in run[query]):
            # trec_eval finds no number for a list of which nothing is left
            theirs |= {name: 0.0 for name in theirs if name.startswith("iprec")}
        assert values == pytest.approx(theirs, rel=0, abs=1e-9), query
    assert not known


def test_the_order_of_document_ids_matters_on_these_runs() -> None:
    qrels, run = tied_runs(0)
    orders = ["trec_eval", "docid-asc"]
    per_query = tiecore.evaluate(qrels, {"run": run}, ["AP"], orders, precision="float32").per_query
    assert (abs(per_query["trec_eval"] - per_query["docid-asc"]) > 0.01).sum() > 20
    assert (abs(per_query["trec_eval"] - per_query["expected"]) > 0.01).sum() > 20


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

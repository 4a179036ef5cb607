"""Tie-aware measures run through ir_measures' own calls, and through PyTerrier's, with tiecore's values."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tiecore
from tests.batches import as_frame

ir_measures = pytest.importorskip("ir_measures")

from ir_measures import AP, BPM, ERR, P, R, Rprec, alpha_nDCG, infAP, nDCG  # noqa: E402  # only where it is installed

from tiecore.plugins.ir_measures import best, expected, installed, sd, under, worst  # noqa: E402

QRELS = {"1": {"a": 1, "b": 0, "c": 2, "d": 0}, "2": {"a": 0, "e": 1}, "3": {"x": 1}}
RUN = {"1": {"a": 1.0, "b": 1.0, "c": 1.0, "z": 2.0}, "2": {"a": 1.0, "e": 1.0}, "9": {"a": 1.0}}
WRAPPED = {"expected": expected, "sd": sd, "worst": worst, "best": best}
OURS = {measure: str(measure) for measure in (nDCG @ 2, AP, P(rel=2) @ 3, R @ 1, Rprec)}
OURS |= {BPM(max_rel=1) @ 2: "BPM@2", BPM(min_rel=1, max_rel=2, T=2) @ 3: "BPM(T=2, rel=2)@3"}
"""Measures and how tiecore writes them: a BPM of two gains by its grade."""


def summary(name: str, **options: Any) -> pd.Series[float]:
    return tiecore.evaluate(QRELS, {"run": RUN}, [name], ["docid-desc", "random:7"], **options).summary.iloc[0]


@pytest.mark.parametrize("column", [*WRAPPED, "docid-desc", "random:7"])
@pytest.mark.parametrize("measure", OURS, ids=str)
def test_summed_up_values_are_those_of_the_summary(measure: Any, column: str) -> None:
    wanted = WRAPPED[column](measure) if column in WRAPPED else under(measure, column)
    found = ir_measures.calc_aggregate([wanted], QRELS, RUN)
    assert found == {wanted: pytest.approx(summary(OURS[measure])[column], rel=0, abs=1e-12)}
    assert str(wanted) == (f"{column}({measure})" if column in WRAPPED else f"under({measure}, {column!r})")


def test_precision_is_that_asked_for_and_a_cutoff_goes_inside_where_the_ties_are_whole() -> None:
    near = {"1": {"a": 1.0, "b": 1.0 + 1e-12}}
    assert expected(AP).calc_aggregate({"1": {"a": 1}}, near) == 0.5
    single = expected(AP, precision="float32")
    assert single.calc_aggregate({"1": {"a": 1}}, near) == 0.75
    assert str(single) == "expected(AP, precision='float32')"
    assert expected(nDCG) @ 2 == expected(nDCG @ 2)
    assert expected(nDCG @ 5)(measure=AP) == expected(AP)


def test_frames_and_tuples_give_what_dicts_give() -> None:
    wanted = [expected(nDCG @ 2), sd(AP), AP]
    qrels, run = as_frame(QRELS, "relevance"), as_frame(RUN, "score").assign(tag="t")
    tuples = (
        [ir_measures.Qrel(*row) for row in qrels.itertuples(index=False)],
        [ir_measures.ScoredDoc(*row[:3]) for row in run.itertuples(index=False)],
    )
    for given in ((QRELS, RUN), (qrels, run), tuples):
        assert ir_measures.calc_aggregate(wanted, *given) == ir_measures.calc_aggregate(wanted, QRELS, RUN)


def test_per_query_every_judged_query_has_a_value_as_everywhere_in_ir_measures() -> None:
    found = {metric.query_id: metric.value for metric in expected(AP).iter_calc(QRELS, RUN)}
    table = tiecore.evaluate(QRELS, {"run": RUN}, ["AP"]).per_query["expected"].loc["AP"].loc["run"]
    assert found == pytest.approx(dict(table), rel=0, abs=1e-12)
    assert found["3"] == 0.0
    assert expected(AP).calc_aggregate(QRELS, {"9": {"a": 1.0}}) == 0.0


def test_while_installed_plain_measures_are_tie_aware_and_afterwards_no_longer() -> None:
    wanted = [nDCG @ 2, AP, infAP]
    before = ir_measures.calc_aggregate(wanted, QRELS, RUN)
    providers = list(ir_measures.DefaultPipeline.providers)
    with installed():
        inside = ir_measures.calc_aggregate(wanted, QRELS, RUN)
        both = ir_measures.calc_aggregate([AP, worst(AP)], QRELS, RUN)
    assert providers == ir_measures.DefaultPipeline.providers
    assert ir_measures.calc_aggregate(wanted, QRELS, RUN) == before
    assert inside[AP] == pytest.approx(summary("AP")["expected"], rel=0, abs=1e-12)
    assert inside[AP] != pytest.approx(before[AP], rel=0, abs=1e-3)
    assert inside[nDCG @ 2] == pytest.approx(summary("nDCG@2")["expected"], rel=0, abs=1e-12)
    assert inside[infAP] == before[infAP]
    assert both[worst(AP)] == pytest.approx(summary("AP")["worst"], rel=0, abs=1e-12)


def test_what_tiecore_does_not_compute_goes_the_usual_way() -> None:
    graded = ir_measures.RBP(p=0.5)
    with installed():
        provider = ir_measures.DefaultPipeline.providers[0]
        assert not provider.supports(graded)
        assert not provider.supports(alpha_nDCG @ 5)
        assert provider.supports(ir_measures.RBP(p=0.5, rel=1))


def test_under_trec_evals_order_the_pipeline_gives_pytrec_evals_values() -> None:
    wanted = [nDCG @ 2, AP, P @ 1, R @ 2, Rprec, ir_measures.Bpref]
    with installed("trec_eval", precision="float32"):
        ours = ir_measures.calc_aggregate(wanted, QRELS, RUN)
    assert ours == pytest.approx(ir_measures.calc_aggregate(wanted, QRELS, RUN), rel=0, abs=1e-9)


def test_providers_are_put_back_after_a_failure() -> None:
    providers = list(ir_measures.DefaultPipeline.providers)
    with pytest.raises(tiecore.TiecoreError, match="rank"), installed("rank"):
        ir_measures.calc_aggregate([AP], QRELS, RUN)
    assert providers == ir_measures.DefaultPipeline.providers
    with pytest.raises(tiecore.TiecoreError, match="unknown tie-break"), installed("trec-eval"):
        pass


def test_measures_and_tie_breaks_that_cannot_be_are_refused_at_once() -> None:
    for refused in (infAP, alpha_nDCG @ 5, ir_measures.RBP(p=0.5)):
        with pytest.raises(tiecore.TiecoreError):
            expected(refused)
    for name in ("input", "stable", "rank"):
        with pytest.raises(tiecore.TiecoreError, match="order of the run"):
            under(AP, name)
    with pytest.raises(tiecore.TiecoreError, match="unknown tie-break"):
        under(AP, "alphabetical")
    with pytest.raises(tiecore.TiecoreError, match="more than two gains"):
        expected(BPM(max_rel=3) @ 2)
    with pytest.raises(tiecore.TiecoreError, match="Bpref has no closed form for the variance"):
        sd(ir_measures.Bpref).calc_aggregate(QRELS, RUN)


def test_pyterriers_experiment_shows_them() -> None:
    pt = pytest.importorskip("pyterrier")
    qrels, run = as_frame(QRELS, "relevance"), as_frame(RUN, "score").assign(tag="t")
    results = run.rename(columns={"query_id": "qid", "doc_id": "docno"}).assign(rank=0)
    judged = qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    topics = pd.DataFrame({"qid": list(QRELS), "query": list(QRELS)})
    wanted = [expected(nDCG @ 2), worst(AP), under(AP, "random:7")]
    table = pt.Experiment([results], topics, judged, wanted, names=["run"])
    for measure in wanted:
        assert table.loc[0, str(measure)] == pytest.approx(measure.calc_aggregate(QRELS, RUN), rel=0, abs=1e-12)
    # it averages values itself, so the column of a standard deviation is the mean of those of the queries
    table = pt.Experiment([results], topics, judged, [sd(AP)], names=["run"])
    of_queries = [metric.value for metric in sd(AP).iter_calc(QRELS, RUN)]
    assert table.loc[0, "sd(AP)"] == pytest.approx(np.mean(of_queries), rel=0, abs=1e-12)
    with installed():
        table = pt.Experiment([results], topics, judged, [AP, ERR @ 3], names=["run"])
    assert table.loc[0, "AP"] == pytest.approx(summary("AP")["expected"], rel=0, abs=1e-12)
    assert np.isfinite(table.loc[0, "ERR@3"])


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="ir_measures reads no names on Python 3.14 (ast.Num)")
def test_a_tie_aware_measure_may_be_named_by_the_text_of_its_measure() -> None:
    named = type(expected(nDCG @ 10))(measure="nDCG@10", column="expected", precision="float64")
    assert named.params["measure"] == nDCG @ 10

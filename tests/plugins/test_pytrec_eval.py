"""The evaluator in pytrec_eval's shape gives trec_eval's values under its order, and the expectation by default."""

import gzip
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import pytrec_eval as theirs

import tiecore
from tests.strategies import Qrels
from tests.strategies import Scores as Run
from tiecore.plugins import pytrec_eval as ours

FILES = Path(__file__).parent.parent / "data" / "trec_eval"
Values = dict[str, dict[str, float]]

QRELS = {"q": {"a": 0, "b": 1, "c": 2, "d": -1}, "barren": {"a": 0}, "unjudged": {"a": -1}, "empty": {}}
RUN = {
    "q": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0, "e": 3.0},
    "barren": {"a": 1.0, "z": 1.0},
    "unjudged": {"a": 1.0},
    "stranger": {"a": 1.0},
}


def assert_equal(found: Values, expected: Values, *, atol: float = 1e-9) -> None:
    assert set(found) == set(expected)
    for query, values in expected.items():
        assert set(found[query]) == set(values)
        for name, value in values.items():
            assert found[query][name] == pytest.approx(value, rel=0, abs=atol), (query, name)


def under_trec_eval(qrels: Qrels, measures: Any, **options: Any) -> Any:
    return ours.RelevanceEvaluator(qrels, measures, **options, tie_break="trec_eval", precision="float32")


@cache
def files_read_by(library: Any) -> tuple[Qrels, Run]:
    with gzip.open(FILES / "qrels.test.gz", "rt") as qrels, gzip.open(FILES / "results.test.gz", "rt") as run:
        return library.parse_qrel(qrels), library.parse_run(run)


def test_files_are_read_as_pytrec_eval_reads_them() -> None:
    assert files_read_by(theirs) == files_read_by(ours)


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2])
def test_values_of_trec_evals_own_files_are_those_of_pytrec_eval(level: int, judged_only: bool) -> None:
    qrels, run = files_read_by(ours)
    judge = theirs.RelevanceEvaluator(qrels, ours.supported_measures, level, judged_only)
    mine = under_trec_eval(qrels, {"all_trec"}, relevance_level=level, judged_docs_only_flag=judged_only)
    assert_equal(mine.evaluate(run), judge.evaluate(run))


def test_queries_without_grades_documents_or_judgments_are_treated_as_there() -> None:
    wanted = {"map", "ndcg", "gm_map", "bpref", "P.1"}
    judge = theirs.RelevanceEvaluator(QRELS, wanted)
    assert_equal(under_trec_eval(QRELS, wanted).evaluate(RUN), judge.evaluate(RUN))
    runs: list[Run] = [{}, {"stranger": {"a": 1.0}}, {"q": {}}, {"q": {}, "barren": {"a": 1.0}}]
    for run in runs:
        assert_equal(under_trec_eval(QRELS, wanted).evaluate(run), judge.evaluate(run))


@pytest.mark.parametrize(("tie_break", "statistic"), [(None, "expected"), ("worst", "worst"), ("best", "best")])
def test_by_default_values_are_expectations_and_extremes_are_tie_breaks(tie_break: str | None, statistic: str) -> None:
    asked = ours.RelevanceEvaluator(QRELS, ["map", "ndcg_cut_1"], tie_break=tie_break)
    found = asked.evaluate({"q": {"a": 1.0, "b": 1.0, "c": 1.0}})
    for name, wanted in (("map", "AP"), ("ndcg_cut_1", "nDCG@1")):
        exact = tiecore.moments(wanted, scores=[1, 1, 1], grades=[0, 1, 2])
        assert found["q"][name] == pytest.approx(getattr(exact, statistic), rel=0, abs=1e-12)


@pytest.mark.parametrize(
    "names", [["P.5,10"], ["P_5", "P.10"], ["P_010,5"], ["P", "P_7"], ["ndcg_cut"], ["success"], ["map_cut.1,5", "map"]]
)
def test_names_come_out_as_pytrec_eval_writes_them(names: list[str]) -> None:
    mine = ours.RelevanceEvaluator(QRELS, names).evaluate(RUN)["q"]
    known = theirs.RelevanceEvaluator(QRELS, names).evaluate(RUN)["q"]
    assert set(mine) == {name.replace("_010", "_10") for name in known}


@pytest.mark.parametrize("name", ["utility", "ndgc", "runid", "prefs", "map_5", "ndcg_10", "P_", "P_0", "P_1.5", ""])
def test_what_tiecore_cannot_compute_is_refused_by_name(name: str) -> None:
    with pytest.raises(tiecore.TiecoreError) as caught:
        ours.RelevanceEvaluator(QRELS, {"map", name})
    assert name.split("_")[0] in str(caught.value)


@pytest.mark.parametrize("name", ["sd", "expected", "trec-eval"])
def test_what_is_no_tie_break_is_refused_before_the_evaluation(name: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match="unknown tie-break"):
        ours.RelevanceEvaluator(QRELS, {"map"}, tie_break=name)


def test_sets_hold_what_tiecore_computes_by_trec_evals_names_and_in_its_order() -> None:
    for nickname, members in ours.supported_nicknames.items():
        assert members == theirs.supported_nicknames[nickname] & ours.supported_measures
    lacking = "11pt_avg G Rndcg Rprec_mult binG gm_bpref infAP ndcg_rel num_nonrel_judged_ret relative_P utility"
    assert ours.supported_measures == theirs.supported_measures - {"relstring", "runid", *lacking.split()}
    ordered = ["map", "P_1", "P_5", "P_10", "ndcg_cut_3"]
    for names in (ordered, ordered[::-1]):
        assert list(ours.RelevanceEvaluator({"q": {"a": 1}}, names).evaluate({"q": {"a": 1.0}})["q"]) == ordered


@pytest.mark.parametrize(("name", "values"), [("map", [0.1, 0.5]), ("num_ret", [2.0, 3.0]), ("gm_map", [-1.0, -3.0])])
def test_queries_are_summed_up_as_in_pytrec_eval(name: str, values: list[float]) -> None:
    expected = theirs.compute_aggregated_measure(name, values)
    assert ours.compute_aggregated_measure(name, values) == pytest.approx(expected, rel=0, abs=1e-12)
    assert ours.compute_aggregated_measure("num_ret", []) == 0.0
    assert np.isnan(ours.compute_aggregated_measure("map", []))


def test_faulty_lines_are_refused_with_their_number() -> None:
    with pytest.raises(tiecore.FormatError, match=r"line 2: expected 6 fields .*found 2"):
        ours.parse_run(["q Q0 a 1 2.5 tag\n", "q Q0\n"])
    with pytest.raises(tiecore.FormatError, match="line 2: document 'a' is listed twice"):
        ours.parse_qrel(["q 0 a 1", "q 0 a 0"])
    for found in (lambda: ours.parse_run(["q Q0 a 1 high tag"]), lambda: ours.parse_qrel(["q 0 a 1.5"])):
        with pytest.raises(tiecore.FormatError, match=r"line 1: .* is not a"):
            found()


def test_mtebs_evaluation_runs_with_it_by_replacing_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    package = importlib.util.find_spec("mteb")
    if package is None or not package.submodule_search_locations:
        pytest.skip("mteb is not installed")
    # mteb as a whole imports torch; its retrieval metrics need nothing of it but the type of their result
    types = ModuleType("mteb.types")
    vars(types)["RetrievalEvaluationResult"] = SimpleNamespace
    monkeypatch.setitem(sys.modules, "mteb", ModuleType("mteb"))
    monkeypatch.setitem(sys.modules, "mteb.types", types)
    path = Path(package.submodule_search_locations[0]) / "_evaluators" / "retrieval_metrics.py"
    spec = importlib.util.spec_from_file_location("mteb_retrieval_metrics", path)
    assert spec is not None
    assert spec.loader is not None
    metrics: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(metrics)
    qrels = {"q": {"a": 1, "b": 0}, "r": {"c": 2}}
    run = {"q": {"a": 1.0, "b": 1.0}, "r": {"c": 1.0, "d": 2.0}}
    assert metrics.calculate_retrieval_scores(run, qrels, [1, 10]).precision["P@1"] == 0.0
    monkeypatch.setattr(metrics.pytrec_eval, "RelevanceEvaluator", ours.RelevanceEvaluator)
    found = metrics.calculate_retrieval_scores(run, qrels, [1, 10])
    assert (found.precision["P@1"], found.hit_rate["HitRate@1"]) == (0.25, 0.25)  # the tie of q gives a half, r nothing

"""What single measures do at their edges: scales, gains, unjudged documents, ties too large to enumerate."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import tiecore
from tests import oracle
from tests.strategies import AWKWARD_SCORES, as_collection, instances, random_cases
from tiecore.measures import FAMILIES, nearly_err
from tiecore.ties.groups import UNJUDGED, TieGroups

SCALED = ["RBP(max_rel=2)", "SDCG(max_rel=2)@5", "INSQ(max_rel=2)", "NERR8(max_rel=2)@5", "NERR11(max_rel=2)"]


@pytest.mark.parametrize("name", SCALED)
def test_a_grade_above_the_scale_is_refused(name: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match="hold grade 3, above max_rel=2"):
        tiecore.moments(name, scores=[2, 1], grades=[1, 0], unretrieved=[3])


@pytest.mark.parametrize("name", SCALED)
def test_a_value_on_a_scale_does_not_depend_on_other_queries(name: str) -> None:
    run = {"q": {"a": 1.0, "b": 1.0}, "other": {"a": 1.0}}
    alone = tiecore.evaluate({"q": {"a": 1, "b": 0}}, {"f": {"q": run["q"]}}, measures=[name])
    both = tiecore.evaluate({"q": {"a": 1, "b": 0}, "other": {"a": 2}}, {"f": run}, measures=[name])
    found = both.per_query.xs("q", level="query_id")["expected"].to_numpy()
    assert found == pytest.approx(alone.per_query["expected"].to_numpy(), rel=0, abs=1e-15)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_measure_is_the_same_for_lists_that_end_at_its_cut_off(family: str) -> None:
    rng = np.random.default_rng(4)
    query, score, level = rng.integers(0, (40, 9, 3), size=(800, 3)).T
    grades = np.array([UNJUDGED, 0, 1])
    ideal = TieGroups.from_grades(query=query, level=level, grades=grades, n_queries=40)
    groups = TieGroups.from_keys([score], query=query, level=level, grades=grades, n_queries=40, ideal=ideal)
    for one in instances(FAMILIES[family]):
        top = groups.top(one.depth)
        for few, all_ in (
            (top, groups),
            (top.case("worst"), groups.case("worst")),
            (top.case("best"), groups.case("best")),
        ):
            np.testing.assert_allclose(one.expected(few), one.expected(all_), rtol=0, atol=1e-14, err_msg=str(one))
        if one.has_variance:
            np.testing.assert_array_equal(one.variance(top), one.variance(groups), err_msg=str(one))


def test_gains_that_fall_with_the_grade_are_refused_where_such_grades_occur() -> None:
    name = "nDCG(gains={1:5})"
    assert tiecore.moments(name, scores=[1, 1], grades=[1, 0]).best == 1
    with pytest.raises(tiecore.TiecoreError, match="grade 2 gains 2 but 1 gains 5: a higher grade must not gain less"):
        tiecore.moments(name, scores=[1, 1], grades=[1, 2])


def test_unjudged_documents_gain_less_than_a_grade_that_gains_something() -> None:
    found = tiecore.moments("nDCG(gains={0:1})@1", scores=[1, 1], grades=[None, 0])
    assert list(found) == [0.5, 0.25, 0, 1]


JUDGED_ONLY = [name for name, family in FAMILIES.items() if "judged_only" in family.__dataclass_fields__]


@pytest.mark.parametrize("family", JUDGED_ONLY)
def test_leaving_unjudged_documents_out_is_the_same_as_not_listing_them(family: str) -> None:
    usual = f"{family}{FAMILIES[family].usual}"
    at = "@3" if FAMILIES[family].cutoff_rule == "required" else ""
    plain = tiecore.measure(f"{usual}{at}")
    judged_only = f"{family}(judged_only=True){FAMILIES[family].usual}{at}"
    cases = random_cases(np.random.default_rng(8), 80, AWKWARD_SCORES)
    qrels, run = as_collection(cases)
    shorter = {
        query: {doc: score for doc, score in docs.items() if qrels.get(query, {}).get(doc, -1) >= 0}
        for query, docs in run.items()
    }
    tie_breaks = ["docid-desc", "docid-asc"]
    found = tiecore.evaluate(qrels, {"f": run}, measures=[judged_only], tie_breaks=tie_breaks).per_query
    known = tiecore.evaluate(qrels, {"f": shorter}, measures=[plain], tie_breaks=tie_breaks).per_query
    known = known.droplevel("measure").reindex(found.droplevel("measure").index).fillna(0)
    np.testing.assert_allclose(found.fillna(0).to_numpy(float), known.to_numpy(float), rtol=0, atol=1e-12)


def test_a_list_of_unjudged_documents_alone_is_empty_to_a_measure_of_judged_ones() -> None:
    for name in (
        "AP(judged_only=True)",
        "SetP(judged_only=True)",
        "IPrec(judged_only=True)@0",
        "P(judged_only=True)@5",
    ):
        assert list(tiecore.moments(name, scores=[1, 1], grades=[None, -1], unretrieved=[1]))[2:] == [0, 0]


def test_draws_of_judged_documents_alone_look_as_far_down_the_list_as_the_expectation() -> None:
    values = tiecore.sample("P(judged_only=True)@1", scores=[3, 2, 1], grades=[None, None, 1], draws=2, seed=1)
    assert values.tolist() == [1, 1]


def harmonic(n: int) -> float:
    return math.fsum(1 / rank for rank in range(1, n + 1))


@pytest.mark.parametrize("n", [1, 2, 30, 700])
def test_one_relevant_document_among_many_tied_ones(n: int) -> None:
    grades = [1] + [0] * (n - 1)

    def expected(name: str) -> float:
        return tiecore.moments(name, scores=[0] * n, grades=grades).expected

    assert expected("IPrec@1") == pytest.approx(harmonic(n) / n, rel=0, abs=1e-13)
    assert expected("Accuracy") == pytest.approx(0.5 if n > 1 else 1, rel=0, abs=1e-13)
    # a reader who stops there has looked at as many documents as its rank
    assert expected("NERR8(max_rel=1)@20") == pytest.approx(harmonic(min(n, 20)) / n, rel=0, abs=1e-13)
    # the first i ranks hold it with chance i/n
    whole = math.fsum(0.9**i / (i + 1) for i in range(n))
    assert expected("Compat(p=0.9)") == pytest.approx((1 - 0.9**n) / 0.1 / n / whole, rel=0, abs=1e-13)


def test_compat_of_thousands_of_tied_documents_of_every_grade_is_between_its_ends() -> None:
    grades = [grade for grade in range(5) for _ in range(2000)]
    found = tiecore.moments("Compat", scores=[0] * len(grades), grades=grades)
    # of the first i about a fifth is of the highest grade, which the ideal begins with
    assert found.expected == pytest.approx(0.2, rel=0, abs=1e-3)
    assert [found.worst, found.best] == pytest.approx([0, 1], rel=0, abs=1e-12)


@pytest.mark.parametrize("name", ["IPrec@0.5", "NERR10(max_rel=4)", "NERR11(max_rel=4)"])
def test_a_tie_too_large_to_be_counted_is_refused_but_can_be_drawn_and_broken(name: str) -> None:
    grades = [grade % 5 for grade in range(3000)]
    with pytest.raises(tiecore.TiecoreError, match="a tie of 3000 documents"):
        tiecore.moments(name, scores=[0] * len(grades), grades=grades)
    values = tiecore.sample(name, scores=[0] * len(grades), grades=grades, draws=3, seed=1)
    assert ((values > 0) & (values <= 1)).all()
    assert tiecore.moments(name, scores=range(3000), grades=grades).expected > 0


def test_a_cutoff_far_beyond_the_list_is_no_work_for_the_readers() -> None:
    found = tiecore.moments("NERR8(max_rel=2)@2000000000", scores=[2, 1], grades=[1, 0])
    assert found.expected == pytest.approx(0.5 / (1 + 999 * 0.5), rel=0, abs=1e-15)  # 1000 ranks, as in cwl_eval


def test_counts_are_added_up_over_queries() -> None:
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}}
    run = {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}, "q2": {"a": 1.0}}
    summary = tiecore.evaluate(
        qrels, {"f": run}, measures=["NumRet", "NumRet(rel=2)", "NumRel", "NumQ", "SetP"]
    ).summary
    assert summary["expected"].tolist() == pytest.approx([4, 1, 3, 2, 5 / 6], rel=0, abs=1e-15)
    assert (summary["sd"] == 0).all()


def test_no_beta_is_too_large() -> None:
    found = tiecore.moments("SetF(beta=1e308)", scores=[2, 1, 0], grades=[1, 0, None], unretrieved=[1])
    assert found.expected == pytest.approx(1 / 2, rel=1e-12)  # recall alone


@pytest.mark.parametrize("family", [name for name in FAMILIES if name not in ("ESL", "NumRel", "NumQ")])
def test_a_query_that_lists_nothing_has_the_value_0(family: str) -> None:
    name = f"{family}{FAMILIES[family].usual}" + ("@5" if FAMILIES[family].cutoff_rule == "required" else "")
    found = tiecore.moments(name, scores=[], grades=[], unretrieved=[] if family == "PRR" else [1, 0])
    assert [found.expected, found.worst, found.best] == [0, 0, 0]


def test_rbp_by_its_name_alone_serves_judgments_of_0_and_1_and_refuses_higher_grades() -> None:
    binary: dict[str, Any] = {"scores": [3, 2, 1], "grades": [1, 0, 1]}
    named = [tiecore.moments(name, **binary).expected for name in ("RBP(p=0.5)", "RBP(p=0.5, rel=1)")]
    assert named == [0.625, 0.625]
    remedy = r"grade 3, above max_rel=1: write RBP\(max_rel=3\), or RBP\(rel=1\)"
    with pytest.raises(tiecore.TiecoreError, match=remedy):
        tiecore.moments("RBP(p=0.5)", scores=[2, 1], grades=[3, 0])


def test_the_quadrature_of_the_nerrs_is_right_for_every_exponent_that_occurs() -> None:
    nodes, weights = nearly_err._quadrature.__wrapped__()
    for exponent in (1.0, 1.5, 7.0, 100.0, 1000.0):
        assert weights @ np.exp(-exponent * nodes) == pytest.approx(1 / exponent, rel=1e-12)


# --- why some measures are left out: the order of grades is not their worst or best case ------------------------------


def _accuracy_at(k: int, grades: tuple[int, ...]) -> float:
    """Accuracy of the first k documents, as in ir_measures."""
    return oracle.value("Accuracy", grades[:k])


def _bejeweled_graded(gains: tuple[float, ...], *, wanted: float, k: int) -> float:
    """BPM of graded gains, as in cwl_eval."""
    looked, gained = 0, 0.0
    while looked < k and gained < wanted:
        gained += gains[looked]
        looked += 1
    return gained / looked


def _inferred(grades: tuple[int | None, ...]) -> float:
    """InfAP of trec_eval: -1 was pooled and not judged, None not pooled; all relevant documents are listed."""
    total, found, bad, pooled = 0.0, 0, 0, 0
    for rank, grade in enumerate(grades, start=1):
        if grade == 1:
            above = rank - 1
            share = (found + 1e-5) / (found + bad + 2e-5)
            total += 1 / rank + (above / rank * ((found + bad + pooled) / above) * share if above else 0.0)
            found += 1
        elif grade == 0:
            bad += 1
        elif grade == -1:
            pooled += 1
    return total / found


def test_bpm_of_graded_gains_is_not_worst_in_ascending_order() -> None:
    tied = (0.0, 0.25, 0.5, 1.0)
    every = {order: _bejeweled_graded(order, wanted=1, k=4) for order in itertools.permutations(tied)}
    assert every[tied] == 0.4375
    assert min(every.values()) == pytest.approx(1.25 / 3, rel=0, abs=1e-15)


def test_accuracy_with_a_cutoff_is_not_best_in_descending_order() -> None:
    above, tied = (1, 0), (0, 1)
    assert _accuracy_at(3, (*above, *tied)) == 1
    assert _accuracy_at(3, (*above, *tied[::-1])) == 0.5


def test_inferred_ap_is_not_best_in_descending_order() -> None:
    above = (1, 1, None)
    assert _inferred((*above, 1, -1)) == pytest.approx(11 / 12, rel=0, abs=1e-5)
    assert _inferred((*above, -1, 1)) == pytest.approx(14 / 15, rel=0, abs=1e-5)


def test_bpm_is_that_of_relevance_of_0_and_1() -> None:
    rng = np.random.default_rng(4)
    for _ in range(200):
        grades = tuple(rng.integers(0, 2, 6).tolist())
        for wanted, k in ((1.0, 4), (1.5, 6), (3.0, 5)):
            known = _bejeweled_graded(grades, wanted=wanted, k=k)
            found = tiecore.moments(f"BPM(T={wanted})@{k}", scores=range(6, 0, -1), grades=grades)
            assert list(found) == pytest.approx([known, 0, known, known], rel=0, abs=1e-15)


def test_bpm_of_many_documents_and_a_large_wish_is_a_share() -> None:
    n = 3000
    grades = [1] * (n // 3) + [0] * (n - n // 3)
    found = tiecore.moments("BPM(T=1000000)@2000000000", scores=[0] * n, grades=grades)
    assert found.expected == pytest.approx(1 / 3, rel=0, abs=1e-12)  # of the first 1000, as in cwl_eval
    assert [found.worst, found.best] == pytest.approx([0, 1], rel=0, abs=1e-12)
    # that of drawing 1000 of 3000 without putting back
    assert found.variance == pytest.approx(2 / 9 / 1000 * (1 - 999 / 2999), rel=1e-9)

"""What single measures do at their edges: scales, gains, unjudged documents, ties too large to enumerate."""

import math
import re
from typing import Any

import numpy as np
import pytest

import tiecore
from tests.strategies import EXTENT, instances
from tiecore.measures import FAMILIES, base, nearly_err
from tiecore.ties.groups import UNJUDGED, TieGroups


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("RBP(max_rel=2)", ""),
        ("SDCG(max_rel=2)@5", ""),
        ("INSQ(max_rel=2)", ""),
        ("NERR8(max_rel=2)@5", ""),
        ("NERR11(max_rel=2)", ""),
        ("ERR(max_rel=2)@20", ": write ERR(max_rel=3)@20"),
        ("RBP(p=0.5)", ": write RBP(p=0.5, max_rel=3), or RBP(rel=1)"),
    ],
)
def test_a_grade_above_the_scale_is_refused_with_the_name_to_write(name: str, remedy: str) -> None:
    highest = getattr(tiecore.measure(name), "max_rel", None) or 1
    with pytest.raises(tiecore.TiecoreError, match=re.escape(f"grade 3, above max_rel={highest}{remedy}")):
        tiecore.moments(name, scores=[2, 1], grades=[1, 0], unretrieved=[3])


def test_rbp_by_its_name_alone_serves_judgments_of_0_and_1() -> None:
    found = [tiecore.moments(name, scores=[3, 2, 1], grades=[1, 0, 1]) for name in ("RBP(p=0.5)", "RBP(p=0.5, rel=1)")]
    assert [moments.expected for moments in found] == [0.625, 0.625]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_measure_is_the_same_for_lists_that_end_at_its_cut_off(family: str) -> None:
    rng = np.random.default_rng(4)
    query, score, level = rng.integers(0, (12, 9, 3), size=(240, 3)).T
    grades = np.array([UNJUDGED, 0, 1])
    ideal = TieGroups.from_grades(query=query, level=level, grades=grades, n_queries=12)
    groups = TieGroups.from_keys([score], query=query, level=level, grades=grades, n_queries=12, ideal=ideal)
    every = instances(FAMILIES[family])
    for one in every[:: 5 if len(every) > 25 * EXTENT else 1]:
        top = groups.top(one.depth)
        cases = [(few.case("worst"), few, few.case("best")) for few in (top, groups)]
        for few, all_ in zip(*cases, strict=True):
            np.testing.assert_allclose(one.expected(few), one.expected(all_), rtol=0, atol=1e-14, err_msg=str(one))
        if one.has_variance:
            np.testing.assert_array_equal(one.variance(top), one.variance(groups), err_msg=str(one))


def test_gains_that_fall_with_the_grade_are_refused_where_such_grades_occur_and_unjudged_documents_gain_less() -> None:
    name = "nDCG(gains={1:5})"
    assert tiecore.moments(name, scores=[1, 1], grades=[1, 0]).best == 1
    with pytest.raises(tiecore.TiecoreError, match="grade 2 gains 2 but 1 gains 5: a higher grade must not gain less"):
        tiecore.moments(name, scores=[1, 1], grades=[1, 2])
    found = tiecore.moments("nDCG(gains={0:1})@1", scores=[1, 1], grades=[None, 0])
    assert list(found) == [0.5, 0.25, 0, 1]


def test_draws_of_judged_documents_alone_look_as_far_down_the_list_as_the_expectation() -> None:
    values = tiecore.sample("P(judged_only=True)@1", scores=[3, 2, 1], grades=[None, None, 1], draws=2, seed=1)
    assert values.tolist() == [1, 1]


def harmonic(n: int) -> float:
    return math.fsum(1 / rank for rank in range(1, n + 1))


@pytest.mark.parametrize("n", [1, 2, 30, 700])
def test_one_relevant_document_among_many_tied_ones(n: int) -> None:
    known = dict.fromkeys(("RR", "AP", "IPrec@1"), harmonic(n) / n)
    known |= {"ERR(max_rel=1)": harmonic(n) / n / 2, "Accuracy": 0.5 if n > 1 else 1}
    # a reader who stops there has looked at as many documents as its rank
    known["NERR8(max_rel=1)@20"] = harmonic(min(n, 20)) / n
    # the first i ranks hold it with chance i/n
    known["Compat(p=0.9)"] = (1 - 0.9**n) / 0.1 / n / math.fsum(0.9**i / (i + 1) for i in range(n))
    for name, expected in known.items():
        found = tiecore.moments(name, scores=[0] * n, grades=[1] + [0] * (n - 1))
        assert found.expected == pytest.approx(expected, rel=0, abs=1e-13), name


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


def test_a_cutoff_far_beyond_the_list_is_no_work_for_the_readers_and_no_beta_too_large() -> None:
    found = tiecore.moments("NERR8(max_rel=2)@2000000000", scores=[2, 1], grades=[1, 0])
    assert found.expected == pytest.approx(0.5 / (1 + 999 * 0.5), rel=0, abs=1e-15)  # 1000 ranks, as in cwl_eval
    found = tiecore.moments("SetF(beta=1e308)", scores=[2, 1, 0], grades=[1, 0, None], unretrieved=[1])
    assert found.expected == pytest.approx(1 / 2, rel=1e-12)  # recall alone


def test_counts_are_added_up_over_queries() -> None:
    qrels = {"q1": {"a": 1, "b": 2}, "q2": {"a": 1}}
    run = {"q1": {"a": 1.0, "b": 1.0, "c": 1.0}, "q2": {"a": 1.0}}
    summary = tiecore.evaluate(qrels, {"f": run}, ["NumRet", "NumRet(rel=2)", "NumRel", "NumQ", "SetP"]).summary
    assert summary["expected"].tolist() == pytest.approx([4, 1, 3, 2, 5 / 6], rel=0, abs=1e-15)
    assert (summary["sd"] == 0).all()


def test_the_quadrature_of_the_nerrs_is_right_for_every_exponent_that_occurs() -> None:
    for exponent in (1.0, 1.5, 7.0, 100.0, 1000.0):
        assert nearly_err._WEIGHTS @ np.exp(-exponent * nearly_err._NODES) == pytest.approx(1 / exponent, rel=1e-12)


def test_what_the_nerrs_know_of_a_tie_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tied: Any = {"scores": [2, 1, 1, 1], "grades": [0, 1, 0, 2]}
    known = tiecore.moments("NERR9(max_rel=2)@4", **tied)
    monkeypatch.delattr(nearly_err, "_drawn_one_more")
    assert tiecore.moments("NERR9(max_rel=2)@4", **tied) == known


def test_bpm_of_many_documents_and_a_large_wish_is_a_share() -> None:
    n = 3000
    grades = [1] * (n // 3) + [0] * (n - n // 3)
    found = tiecore.moments("BPM(T=1000000)@2000000000", scores=[0] * n, grades=grades)
    assert found.expected == pytest.approx(1 / 3, rel=0, abs=1e-12)  # of the first 1000, as in cwl_eval
    assert [found.worst, found.best] == pytest.approx([0, 1], rel=0, abs=1e-12)
    # that of drawing 1000 of 3000 without putting back
    assert found.variance == pytest.approx(2 / 9 / 1000 * (1 - 999 / 2999), rel=1e-9)


def test_what_is_summed_up_once_is_kept_once() -> None:
    measures = [instance for family in FAMILIES.values() for instance in instances(family)]
    sizes = []
    for _ in range(2):
        for one in measures:
            tiecore.moments(one, scores=[2, 1, 1], grades=[0, 1, 0])
        sizes.append(len(base._TABLES))
    assert sizes[0] == sizes[1]

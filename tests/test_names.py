"""Laws of the names of measures."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiecore
import tiecore.measures
from tests.strategies import instances, usual
from tiecore.measures import AP, ERR, FAMILIES, IPrec, Measure, P, nDCG


@pytest.mark.parametrize("family", FAMILIES)
def test_the_name_of_a_measure_parses_back_to_it(family: str) -> None:
    for measure in instances(FAMILIES[family]):
        again = tiecore.measure(str(measure))
        assert again == measure
        assert type(again) is FAMILIES[family]
        assert str(again) == str(measure)
        assert again.name == family


@given(p=st.floats(0.001, 0.999), rel=st.integers(1, 99), cutoff=st.none() | st.integers(1, 10**6))
def test_any_parameters_survive_their_name(p: float, rel: int, cutoff: int | None) -> None:
    measure = FAMILIES["RBP"](p=p, rel=rel, cutoff=cutoff)  # type: ignore[call-arg]
    assert tiecore.measure(str(measure)) == measure


CANONICAL = {
    "AP(rel=1)": "AP", "nDCG(dcg='log2')@10": "nDCG@10", "map": "AP", "P_10": "P@10", "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10", "recip_rank": "RR", "bpref": "Bpref", "success_5": "Success@5",
    "map_cut_100": "AP@100", "AP@2147483647": "AP@2147483647", "nDCG(gains={0:0,1:1,2:3})@10": "nDCG(gains={2:3})@10",
    "nDCG( gains = {2 : 3, 1: 0}, judged_only = True )@10": "nDCG(gains={1:0,2:3}, judged_only=True)@10",
    "P(judged_only=True,rel=2)@5": "P(rel=2, judged_only=True)@5", "RBP(rel=1,p=0.8)": "RBP(rel=1)",
    "RBP(p=0.5,max_rel=2)": "RBP(p=0.5, max_rel=2)", "RBP(p=0.8, max_rel=1)": "RBP", "ERR(max_rel=4)@20": "ERR@20",
    "SDCG(max_rel=4,min_rel=0)@10": "SDCG(max_rel=4)@10", "nerr10(max_rel=4,p=0.9)": "NERR10(max_rel=4)",
    "INSQ(T=2,max_rel=4)": "INSQ(max_rel=4, T=2.0)", "SetF(beta=1.0)": "SetF", "set_F": "SetF", "set_recall": "SetR",
    "set_map": "SetAP", "set_relative_P": "SetP(relative=True)", "num_rel_ret": "NumRet(rel=1)", "num_ret": "NumRet",
    "num_q": "NumQ", "IPrec@.1": "IPrec@0.1", "IPrec@1": "IPrec@1.0", "IPrec@00.50": "IPrec@0.5", "recall_5": "R@5",
    "set_P": "SetP", "num_rel": "NumRel", "iprec_at_recall_0.10": "IPrec@0.1", "iprec_at_recall.0": "IPrec@0.0",
}  # fmt: skip


@pytest.mark.parametrize(("written", "canonical"), CANONICAL.items())
def test_a_measure_has_one_canonical_name(written: str, canonical: str) -> None:
    assert str(tiecore.measure(written)) == canonical
    assert tiecore.measure(written) == tiecore.measure(canonical)


@pytest.mark.parametrize(
    ("unknown", "hint"),
    [
        ("nDGC@10", "did you mean nDCG@10 or DCG@10 or SDCG(max_rel=4)@10?"),
        ("bpreff@5", "did you mean Bpref or Rprec or IPrec@0.1 or RBP(rel=1)@5?"),  # no cut-off where none is taken
        ("prec", "did you mean Rprec or IPrec@0.1 or Bpref or P@10?"),  # and one where one is needed
        ("xyz@5", f"known are {', '.join(FAMILIES)}"),
    ],
)
def test_an_unknown_name_is_answered_with_the_closest_that_can_be_used_as_they_stand(unknown: str, hint: str) -> None:
    with pytest.raises(tiecore.TiecoreError) as caught:
        tiecore.measure(unknown)
    assert str(caught.value) == f"unknown measure {unknown!r}: {hint}"


NONSENSE = [
    "", "@10", "P", "P@0", "P@-1", "P@1.5", "P@ten", "Rprec@10", "AP(rel=0)", "AP(rel=1.5)", "AP(rel=)", "AP(rel=1",
    "AP(depth=3)", "AP(cutoff=3)@4", "AP@2147483648", "RBP(rel=1, p=1.5)", "RBP(rel=1, p=1)", "RBP(rel=1, p=nan)",
    "nDCG(dcg='ln')@10", "ESL(s=0)", "ERR(max_rel=0)@10", "AP; AP", "RBP(rel=1, max_rel=4)", "nDCG(gains=3)",
    "nDCG(gains={1:2.5})@10", "nDCG(gains={1:-1})@10", "nDCG(gains={5000000000:1})@10",
    "nDCG(gains={1:2}, dcg='exp-log2')@10", "P(judged_only=1)@10", "Bpref(judged_only=True)", "SetP(relative='yes')",
    "SetF(beta=-1.0)", "SDCG@10", "SDCG(max_rel=4)", "SDCG(max_rel=4, min_rel=4)@10",
    "SDCG(max_rel=4, min_rel=-1)@10", "SDCG(max_rel=4)@1000001", "INSQ(max_rel=4, T=0)", "NERR12(max_rel=4)",
    "IPrec", "IPrec@1.5", "IPrec@0.123", "Compat(p=0)", "Compat(normalize=0)",
]  # fmt: skip


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_nonsense_is_refused(nonsense: str) -> None:
    with pytest.raises(tiecore.TiecoreError):
        tiecore.measure(nonsense)


LEFT_OUT = ["INST", "inst(T=2)", "infAP", "Accuracy@10", "Accuracy(rel=2)@10", "BPM(max_rel=3)@10", "alpha_nDCG@5"]


@pytest.mark.parametrize("name", [*LEFT_OUT, "ERR_IA@20"])
def test_what_is_left_out_is_refused_with_the_reason(name: str) -> None:
    with pytest.raises(tiecore.TiecoreError, match=r"is left out: .+ \(docs/measures.md\)$"):
        tiecore.measure(name)


THOUSANDS = 5000
"""Digits of a number that Python does not read."""


@pytest.mark.parametrize(
    "name", ["P@{}", "P_{}", "IPrec@{}", "SetF(beta={})", "AP(rel={})", "RBP(p={})", "ERR(max_rel={})@10"]
)
def test_a_number_of_thousands_of_digits_is_refused_like_any_other(name: str) -> None:
    with pytest.raises(tiecore.TiecoreError):
        tiecore.measure(name.format("9" * THOUSANDS))
    assert str(tiecore.measure("P@" + "0" * THOUSANDS + "10")) == "P@10", "leading zeros are no digits"


def test_measures_can_be_written_as_objects() -> None:
    assert nDCG @ 10 == tiecore.measure("nDCG@10")
    assert AP(rel=2) @ 5 == tiecore.measure("AP(rel=2)@5")
    assert P(judged_only=True) @ 5 == tiecore.measure("P(judged_only=True)@5")
    assert nDCG(gains={2: 3}) @ 10 == tiecore.measure("nDCG(gains={0:0,1:1,2:3})@10")
    assert IPrec @ 0.1 == tiecore.measure("IPrec@0.1")
    assert IPrec(rel=2) @ 0.1 == tiecore.measure("IPrec(rel=2)@0.1")
    assert tiecore.measure(AP) == tiecore.measure("AP")
    for unfinished in (P, P(rel=2), IPrec, IPrec(rel=2)):
        with pytest.raises(tiecore.TiecoreError, match=r"needs a (cut-off|recall)"):
            tiecore.measure(unfinished)
    with pytest.raises(tiecore.TiecoreError, match="whole number"):
        ERR @ 1.5


def test_objects_of_others_are_read_by_their_text() -> None:
    class Theirs:
        def __str__(self) -> str:
            return "nDCG(gains={2:3},judged_only=True)@10"

    qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    theirs: Any = [Theirs(), nDCG @ 5]
    assert tiecore.measure(Theirs()) == nDCG(gains={2: 3}, judged_only=True) @ 10
    found = tiecore.evaluate(qrels, {"f": run}, measures=theirs)
    assert [str(one) for one in found.measures] == ["nDCG(gains={2:3}, judged_only=True)@10", "nDCG@5"]


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_can_be_imported_by_its_name_which_is_complete_with_what_is_usual(name: str) -> None:
    assert name in tiecore.measures.__all__, f"import {name} in tiecore/measures/__init__.py, and name it in __all__"
    assert getattr(tiecore.measures, name) is FAMILIES[name]
    assert isinstance(tiecore.measure(usual(FAMILIES[name])), Measure)

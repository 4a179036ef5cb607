"""The sidebar: every choice becomes a setting, whatever the URL says."""

import pytest

from tests.dashboard.conftest import open_app
from tiecore.measures import FAMILIES


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({}, "nDCG@10"),
        ({"gain": "exponential", "k": "5"}, "nDCG(dcg='exp-log2')@5"),
        ({"measure": "AP", "rel": "2", "k": "none"}, "AP(rel=2)"),
        ({"measure": "P", "k": "7"}, "P@7"),
        ({"measure": "RBP", "p": "0.5", "k": "none"}, "RBP(rel=1, p=0.5)"),
        ({"measure": "ESL", "s": "3"}, "ESL(s=3)"),
        ({"measure": "Rprec"}, "Rprec"),
        ({"measure": "nonsense", "k": "10"}, "nDCG@10"),
        ({"measure": "AP"}, "AP"),
        ({"measure": "AP", "k": "10"}, "AP@10"),
        ({"k": "-3"}, "nDCG@10"),
        ({"k": "many"}, "nDCG@10"),
        ({"k": "9" * 5000}, "nDCG@10"),
        ({"measure": "P", "k": "none"}, "P@10"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_the_url_names_the_measure(query: dict[str, str], name: str) -> None:
    assert str(open_app("data", query=query).session_state["settings"].measure) == name


NOT_MEANT = ("1e400", "-inf", "nan", "9" * 400, "1e30", "many")


@pytest.mark.parametrize(("measure", "key"), [("AP", "rel"), ("ESL", "s"), ("SDCG", "max_rel"), ("BPM", "T")])
def test_a_number_that_cannot_be_meant_is_ignored(tiny_files: None, measure: str, key: str) -> None:
    usual = open_app("data", query={"measure": measure}).session_state["settings"]
    for number in NOT_MEANT:
        app = open_app("data", query={"measure": measure, key: number})
        assert app.session_state["settings"] == usual, number[:9]
        assert app.query_params == {"measure": measure}, number[:9]


@pytest.mark.parametrize("number", NOT_MEANT, ids=lambda number: number[:9])
def test_a_number_of_a_page_that_cannot_be_meant_is_ignored(tiny_files: None, number: str) -> None:
    app = open_app("ranking", query={"ranking_top": number})
    assert app.number_input(key="ranking_top").value is None
    assert not app.query_params


WALKS = {
    "chosen": ({"k": "20"}, "P P@20, Rprec Rprec, F1 F1@20, AP AP@20, none AP, Success Success@10"),
    "not chosen": ({}, "AP AP, P P@10, RR RR, nDCG nDCG@10, RBP RBP(rel=1), 10 RBP(rel=1)@10"),
}
"""What is chosen one after the other, a measure or a cut-off, and the measure that it makes."""


@pytest.mark.parametrize(("query", "walk"), WALKS.values(), ids=WALKS)
def test_a_chosen_cut_off_is_kept_for_other_measures(tiny_files: None, query: dict[str, str], walk: str) -> None:
    app = open_app("data", query=query)
    for chosen, measure in (step.split(" ") for step in walk.split(", ")):
        app.selectbox(key="k" if chosen in ("none", "10") else "measure").set_value(chosen).run()
        assert str(app.session_state["settings"].measure) == measure
        assert not app.warning


@pytest.mark.parametrize(
    "family",
    [pytest.param(name, marks=() if place % 6 == 0 else pytest.mark.slow) for place, name in enumerate(FAMILIES)],
)
def test_every_measure_can_be_shown(family: str, tiny_files: None) -> None:
    app = open_app(query={"measure": family})
    assert app.session_state["settings"].measure.name == family
    assert not app.error


def test_tie_breaks_and_measures_are_checked_and_told_once() -> None:
    wanted = ["trec_eval", "docid-desc", "random:5", "random:x", "feature:nobody", "rank", "feature:bm25"]
    app = open_app("data", query={"tie": wanted, "measure": "FOO"})
    assert "There is no measure FOO; nDCG is used." in [one.value for one in app.toast]
    assert app.session_state["settings"].tie_breaks == ("docid-desc", "random:5", "feature:bm25")
    assert len(app.sidebar.warning) == 3


def test_without_tie_breaks_the_page_still_answers(tiny_files: None) -> None:
    app = open_app()
    app.multiselect(key="tie").set_value([]).run()
    assert not app.exception
    assert app.session_state["settings"].tie_breaks == ()


def test_conventions_become_options() -> None:
    app = open_app("data", query={"queries": "common", "norel": "skip", "missing": "last", "precision": "decimals:2"})
    options = app.session_state["settings"].options
    assert (options.queries, options.no_relevant, options.missing, options.precision) == (
        "common", "skip", "last", "decimals:2",
    )  # fmt: skip

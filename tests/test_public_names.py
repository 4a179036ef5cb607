"""What the results show to users is listed here: a name more is a promise more."""

import pytest

import tiecore

LISTS = {
    "evaluation": "board coverage features interval leaderboard measures per_query plot sample stability summary tidy "
    "tie_breaks values warnings",
    "stability": "agreement baseline blanks columns draws intervals level margin measure n_queries n_tests notes pairs "
    "places plot queries_for ranks sensitivity slice tie_orders unit values variances words",
    "board": "all_names arrangement bias coloured columns has_ties headline highlighted in_colour in_order is_filtered "
    "like marked "
    "measure movers n_queries names new_groups of_stability only pairs places reference rows stability "
    "suspicions tie_breaks total under",
}


@pytest.mark.parametrize("name", LISTS)
def test_the_results_show_these_names_and_no_more(name: str) -> None:
    evaluation = tiecore.evaluate({"q": {"a": 1, "b": 0}}, {"f": {"q": {"a": 1, "b": 1}}}, ["RR"])
    result = evaluation if name == "evaluation" else getattr(evaluation, name)()
    assert [one for one in dir(result) if not one.startswith("_")] == LISTS[name].split()
    assert evaluation.leaderboard().equals(evaluation.leaderboard("RR")), "one measure need not be named"

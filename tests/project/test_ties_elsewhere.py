"""The trial of other tools tells an order by its values, and finds what the README says of two that are at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import tiecore
from bench.ties_elsewhere import Case, Trial, cases, known_orders, pytrec_eval_trials, sklearn_trials, tried


def _row(trial: Trial) -> list[str]:
    drawn = cases(6)
    return tried(trial, drawn, {variant: known_orders(drawn[variant], trial.measure) for variant in drawn})[1:]


def _reciprocal_rank(key: Callable[[str, int], object]) -> Callable[[Case], float]:
    def value(case: Case) -> float:
        ids = sorted(case.ids, key=lambda doc: key(doc, case.ids.index(doc)))  # type: ignore[arg-type, return-value]
        order = sorted(ids, key=lambda doc: -case.run[doc])
        return 1 / next(rank for rank, doc in enumerate(order, start=1) if case.qrels[doc])

    return value


@pytest.mark.parametrize(
    ("value", "equals", "lines_matter", "names_matter"),
    [
        (_reciprocal_rank(lambda doc, line: doc), "docid-asc", False, True),
        (_reciprocal_rank(lambda doc, line: line), "input", True, False),
        (_reciprocal_rank(lambda doc, line: (int(doc[1:]) % 3, line)), "no fixed order", True, True),
        (
            lambda case: tiecore.moments("RR", scores=list(case.scores), grades=case.grades).expected,
            "expected",
            False,
            False,
        ),
        (lambda case: 2.0, "no order: outside worst and best in 6", False, False),
    ],
)
def test_an_order_is_told_by_its_values(
    value: Callable[[Case], float], equals: str, lines_matter: bool, names_matter: bool
) -> None:
    found, lines, names = _row(Trial("none", "RR", "rr", value))
    assert found == equals
    assert (lines != "never") == lines_matter
    assert (names != "never") == names_matter


@pytest.mark.parametrize("trials", [pytrec_eval_trials, sklearn_trials])
def test_tools_at_hand_do_what_the_readme_says(trials: Callable[[], Iterator[Trial]]) -> None:
    said = {
        "ndcg_score(k=5)": "expected",
        "average_precision_score": "no",
        "label_ranking_average_precision_score": "no",
    }
    for trial in trials():
        assert _row(trial)[0].startswith(said.get(trial.call, "docid-desc")), trial.call

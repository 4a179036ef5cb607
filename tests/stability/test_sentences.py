"""Sentences say what the numbers say: how clear a difference is over the queries, and what ties put at risk."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.stability.synthetic import LEVEL, OPEN, WAVE, evaluation_of
from tiecore.board import Board
from tiecore.stability import Stability
from tiecore.stability.sentences import finding, pair_sentence, percent, probability, row_of, tie_risk
from tiecore.stability.verdicts import meanings

APART = {"worst": [[0.52] * 40, [0.5] * 40], "best": [[0.55] * 40, [0.51] * 40]}
INPUT = {"tie_breaks": {"input": [LEVEL, LEVEL + 0.1]}}


def study(values: Any, *, margin: float | None = None, baseline: str | None = None, **more: Any) -> Stability:
    return evaluation_of(np.asarray(values), **more).stability(margin=margin, baseline=baseline)


@pytest.mark.parametrize(
    ("values", "more", "words"),
    [
        ([LEVEL + 0.02, LEVEL], APART, " over 40 queries); no tie-break reverses the order."),
        ([LEVEL, LEVEL + 0.1], {"measure": "ESL"}, "by 0.1000 in ESL, where lower is better ("),
        ([LEVEL + 0.02, LEVEL], OPEN | INPUT, "The order is reversed under input."),
        ([np.full(40, 0.05), np.zeros(40)], {}, "; it would be clear without the allowance for rare queries"),
    ],
)
def test_the_sentence_on_a_pair_says_what_its_numbers_say(values: Any, more: dict[str, Any], words: str) -> None:
    found = study(values, **more)
    said = pair_sentence(found.pairs.iloc[0], found)
    assert words in said
    assert not re.search(r"(open|clear|small) over", said), "the verdict stands before it in plain words"


@pytest.mark.parametrize(
    ("values", "more"),
    [
        *(([LEVEL + 0.02, LEVEL], more) for more in ({}, OPEN, INPUT, {"baseline": "b"}, {"margin": 0.1})),
        ([LEVEL, LEVEL], {}),
        ([LEVEL + 0.02, LEVEL + WAVE], {}),
        ([[0.9], [0.1]], {}),
    ],
)
def test_a_study_is_said_in_the_headline_of_its_board(values: Any, more: dict[str, Any]) -> None:
    found = study(values, **more)
    headline = Board.of_stability(found).headline()
    assert str(found) == " ".join(headline)
    assert pair_sentence(found.pairs.iloc[0], found).startswith(headline[0])


def test_a_sentence_says_first_whether_ties_matter_and_no_more_than_the_draws_can_show() -> None:
    found = study([LEVEL + 0.02, LEVEL], variance=4.0, worst=0.0, best=1.0)
    pair = found.pairs.iloc[0]
    for risk, draws, said in (
        (0.0, 1000, "no random tie-break reverses the order"),
        (0.5 / 1000, 1000, "random tie-breaks hardly ever reverse the order (tie risk below 1 %)"),
        (0.005, 80, "random tie-breaks hardly ever reverse the order (tie risk below 1 %)"),
        (0.5 / 149, 149, "no random tie-break drawn reverses the order (tie risk below 3 %)"),
        (0.44, 1000, "ties alone could reverse the order (tie risk 44 %)"),
        (0.446, 1000, "ties alone leave open which is ahead (tie risk 45 %)"),
        (0.62, 1000, "random tie-breaks put b ahead more often than a (tie risk 62 %)"),
        (np.nan, 1000, "tie risk not known"),
    ):
        assert pair_sentence(pair.replace(pair["tie_risk"], risk), replace(found, draws=draws)).endswith(f"; {said}.")


def test_no_share_p_or_difference_is_called_all_or_nothing_unless_it_is() -> None:
    assert [percent(share) for share in (0, 1e-5, 0.005, 0.5, 0.995, 0.99999, 1)] == [
        "0 %", "<0.1 %", "0.5 %", "50 %", "99.5 %", ">99.9 %", "100 %",
    ]  # fmt: skip
    assert [probability(p) for p in (0.3136, 0.03217, 1e-9, 0.999)] == ["p = .31", "p = .032", "p < .0001", "p = 1"]
    assert [tie_risk(chance) for chance in (np.nan, 0, 1e-5, 0.064)] == ["not known", "none", "below 1 %", "6 %"]
    assert [row_of("abcdef"), row_of("abcde")] == ["a, b, c, d and 2 more", "a, b, c, d and e"]
    found = study([LEVEL + 0.02, LEVEL])
    pair = found.pairs.iloc[0]
    assert " by 0.000001 in " in finding(pair.replace(pair["difference"], 1e-6), found)
    assert " by 0.0200 in " in finding(pair, found)


def test_what_a_verdict_says_is_what_its_column_says() -> None:
    found = study([LEVEL + 0.02, LEVEL])
    assert "; ".join(f"{name}: {text}" for name, text in meanings(found.words).items()) == found.columns["verdict"]

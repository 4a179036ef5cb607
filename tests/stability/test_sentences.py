"""What is said of a study is true, claims both proofs, and keeps the word *real* for what has both."""

from __future__ import annotations

import numpy as np
import pytest

import tiecore
from tests.stability.synthetic import evaluation_of
from tiecore.stability.sentences import pair_sentence, percent, unequal_lists

LEVEL, WAVE = np.linspace(0.45, 0.55, 40), np.tile([0.3, -0.3], 20)
APART = {"worst": [[0.52] * 40, [0.5] * 40], "best": [[0.55] * 40, [0.51] * 40]}


def found(values: object, **more: object) -> str:
    study = evaluation_of(np.asarray(values), **more).stability("AP", draws=200)  # type: ignore[arg-type]
    return str(study)


def test_a_lead_that_ties_cannot_undo_is_not_called_real_where_other_queries_could() -> None:
    text = found([LEVEL + 0.02, LEVEL + WAVE], **APART)
    assert text.startswith("a ranks first however ties are broken. Over 40 queries its lead is not significant (p = ")
    assert "real" not in text


def test_a_lead_is_real_only_with_both_proofs() -> None:
    assert found([LEVEL + 0.02, LEVEL], **APART).endswith("its lead is significant (p < .0001): it is real.")
    text = found([LEVEL + 0.02, LEVEL], variance=4.0, worst=0.0, best=1.0)
    assert text.startswith(
        "Who ranks first depends on how ties are broken: a leads by expectation, but ranks first in only 53 %"
    )
    assert text.endswith("its lead is significant (p < .0001).")


def test_among_several_the_rivals_that_are_not_told_apart_are_named() -> None:
    three = [LEVEL + 0.3, LEVEL + 0.29 + WAVE / 2, LEVEL]
    text = found(three)
    assert "its lead over b is not significant (p = " in text
    assert "adjusted for 3 pairs" in text
    assert "not significant over any other feature" in found([LEVEL + 0.01, LEVEL + WAVE, LEVEL - WAVE])
    assert "significantly better than every other feature: its lead is real." in found(
        [LEVEL + 0.1, LEVEL, LEVEL - 0.1]
    )


def test_of_many_rivals_the_nearest_are_named() -> None:
    rivals = [LEVEL + 0.29 - step / 1000 + WAVE / 2 for step in range(5)]
    text = found([LEVEL + 0.3, *rivals, LEVEL - 0.4])
    assert "its lead over b, c, d, e and 1 more is not significant." in text


def test_several_share_the_first_place_and_one_alone_has_no_rival() -> None:
    assert found([LEVEL, LEVEL]) == "a and b share the first place."
    assert found([LEVEL]) == "a has no other feature to be compared with."
    assert found([[0.9], [0.1]]).endswith("One query cannot say what others would show.")


def test_with_a_baseline_only_pairs_with_it_are_spoken_of() -> None:
    study = evaluation_of([LEVEL + 0.1, LEVEL + 0.05, LEVEL]).stability("AP", baseline="c")
    assert (
        str(study)
        == "a ranks first however ties are broken. Over 40 queries its lead is significant (p < .0001): it is real."
    )


def test_a_run_does_not_beat_its_own_copy_that_lacks_queries() -> None:
    run = {f"q{q:02}": {f"d{d}": (7 * q * d + d) % 5 for d in range(9)} for q in range(50)}
    qrels = {query: {document: int(document in ("d2", "d5")) for document in row} for query, row in run.items()}
    half = dict(list(run.items())[:19])
    study = tiecore.evaluate(qrels, {"run": run, "half": half}, ["nDCG@10"]).stability("nDCG@10")
    assert "On the 19 queries that both list the two have the same expectation." in str(study)
    assert str(study).startswith("With missing queries counted as 0, run ranks first")
    assert str(study).endswith("each pair is compared on the queries that both list (19).")
    assert "real" not in str(study)


def test_among_several_only_the_queries_that_both_list_count() -> None:
    def ranked(place: int, n_queries: int) -> dict[str, dict[str, int]]:
        return {f"q{q:02}": {f"d{d}": 9 * (d == place + q % 2) for d in range(4)} for q in range(n_queries)}

    qrels = {query: {document: int(document == "d0") for document in row} for query, row in ranked(0, 40).items()}
    features = {"whole": ranked(0, 40), "two": ranked(1, 2), "thirty": ranked(1, 30)}
    few = str(tiecore.evaluate(qrels, features, ["nDCG@10"]).stability("nDCG@10", draws=50))
    assert "Over the 2 queries that both list its lead over two is not significant (p = " in few
    features["four"] = ranked(1, 4)
    several = str(tiecore.evaluate(qrels, features, ["nDCG@10"]).stability("nDCG@10", draws=50))
    assert "Over the 2 to 4 queries that both list its lead over four and two is not significant." in several


def test_the_better_one_on_common_queries_is_named() -> None:
    run = {f"q{q}": {"x": 1, "y": 1} for q in range(9)}
    good = {f"q{q}": {"x": 2, "y": 1} for q in range(3)}
    study = tiecore.evaluate({q: {"x": 1, "y": 0} for q in run}, {"run": run, "good": good}, ["RR"]).stability(
        "RR", draws=50
    )
    assert "On the 3 queries that both list good is better." in str(study)
    apart = {"one": dict(list(run.items())[:4]), "other": dict(list(run.items())[4:])}
    study = tiecore.evaluate({q: {"x": 1, "y": 0} for q in run}, apart, ["RR"]).stability("RR", draws=50)
    assert pair_sentence(study.pairs.iloc[0], study).endswith("have no query in common, so they cannot be compared.")
    assert "(0)" in unequal_lists(study)


@pytest.mark.parametrize(
    ("values", "more", "words"),
    [
        ([LEVEL, LEVEL], {"variance": 0.1, "worst": 0.0, "best": 1.0}, "Only the tie-break can set them apart."),
        ([LEVEL, LEVEL], {}, "a and b have the same expectation for each of 40 queries."),
        ([LEVEL + WAVE, LEVEL - WAVE], {}, "a and b have the same mean over 40 queries."),
        ([LEVEL + 0.02, LEVEL], APART, "a ranks above b however ties are broken."),
        (
            [LEVEL + 0.2, LEVEL],
            {"variance": 0.1, "worst": 0.0, "best": 1.0},
            "a ranks above b in 99.8 % of random tie-breaks.",
        ),
        (
            [LEVEL + 0.02, LEVEL],
            {"variance": 4.0, "worst": 0.0, "best": 1.0},
            "Ties decide the order: a ranks above b in only",
        ),
        ([[0.9], [0.1]], {}, "One query cannot say what others would show."),
        ([LEVEL + 0.02, LEVEL + WAVE], APART, "other queries could reverse the order."),
        ([LEVEL + 0.02, LEVEL], {"tie_breaks": {"input": [LEVEL, LEVEL + 0.1]}}, "It is reversed by input."),
    ],
)
def test_the_sentence_on_a_pair_says_what_its_numbers_say(values: object, more: dict[str, object], words: str) -> None:
    study = evaluation_of(np.asarray(values), **more).stability("AP", draws=20)  # type: ignore[arg-type]
    text = pair_sentence(study.pairs.iloc[0], study)
    assert words in text
    assert ("is real" in text) == (study.pairs["verdict"].iloc[0] == "real")


def test_a_share_is_never_called_all_or_nothing_unless_it_is() -> None:
    assert [percent(share) for share in (0, 1e-5, 0.005, 0.5, 0.995, 0.99999, 1)] == [
        "0 %", "<0.1 %", "0.5 %", "50 %", "99.5 %", ">99.9 %", "100 %",
    ]  # fmt: skip

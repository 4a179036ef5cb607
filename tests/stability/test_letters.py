"""Letters against the law they are made for, on any matrix of differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tiecore.stability.letters import letters


def symmetric(upper: np.ndarray) -> np.ndarray:
    above = np.triu(upper, 1)
    return np.asarray(above | above.T)


matrices = st.integers(0, 9).flatmap(lambda n: arrays(bool, (n, n)).map(symmetric))


def share(given_letters: list[tuple[str, ...]]) -> np.ndarray:
    n = len(given_letters)
    shared = [bool(set(a) & set(b)) for a in given_letters for b in given_letters]
    return np.array(shared, dtype=bool).reshape(n, n)


@given(matrices)
def test_two_features_share_a_letter_exactly_if_they_are_not_different(different: np.ndarray) -> None:
    assert np.array_equal(share(letters(different)), ~different | np.eye(len(different), dtype=bool))


@given(matrices)
def test_no_letter_is_superfluous(different: np.ndarray) -> None:
    given_letters = letters(different)
    for letter in {letter for of_feature in given_letters for letter in of_feature}:
        without = [tuple(set(of_feature) - {letter}) for of_feature in given_letters]
        assert not np.array_equal(share(without), share(given_letters))


@given(matrices)
def test_letters_are_used_without_gaps_in_the_order_of_the_features(different: np.ndarray) -> None:
    first_seen = list(dict.fromkeys(letter for of_feature in letters(different) for letter in of_feature))
    assert first_seen == list("abcdefghijklmnopqrstuvwxyz"[: len(first_seen)])


def test_neighbours_that_overlap_have_the_letters_of_a_textbook() -> None:
    distance = np.abs(np.arange(5)[:, None] - np.arange(5))
    assert letters(distance > 2) == [("a",), ("a", "b"), ("a", "b", "c"), ("b", "c"), ("c",)]


@pytest.mark.untraced
@pytest.mark.parametrize(("n", "last"), [(26, "z"), (27, "aa"), (53, "ba"), (702, "zz"), (703, "aaa")])
def test_letters_go_on_behind_z(n: int, last: str) -> None:
    given_letters = letters(symmetric(np.ones((n, n), dtype=bool)))
    assert given_letters[0] == ("a",)
    assert given_letters[-1] == (last,)


def test_no_feature_has_no_letters() -> None:
    assert letters(np.zeros((0, 0), dtype=bool)) == []


def test_many_features_with_tangled_differences_are_soon_done() -> None:
    different = symmetric(np.random.default_rng(1).uniform(size=(136, 136)) < 0.5)
    given_letters = letters(different)
    assert np.array_equal(share(given_letters), ~different)

"""The scores that rankings are made from."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, Protocol

import numpy as np

from tiecore.errors import TiecoreError


class Scores(Protocol):
    """A mapping from item to score, or a pandas Series with the items in its index."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Return pairs of item and score."""
        ...


def scored_items(scores: Scores, *, name: str) -> dict[Any, int]:
    """Return the items of a mapping or Series with order codes of their scores: the smallest stands first."""
    pairs = list(scores.items())
    codes = _codes_of([score for _, score in pairs], name=name, label_of=lambda place: reprlib.repr(pairs[place][0]))
    code_of = {item: code for (item, _), code in zip(pairs, codes, strict=True)}
    if len(code_of) < len(pairs):
        raise TiecoreError(f"{name} holds an item more than once: keep one score for each item")
    return code_of


def codes_by_position(scores: Sequence[Any] | np.ndarray, *, name: str) -> list[int]:
    """Return order codes of an array or list of scores."""
    if isinstance(scores, np.ndarray) and scores.ndim != 1:
        raise TiecoreError(f"{name} has {scores.ndim} dimensions: give one score for each item")
    return _codes_of(list(scores), name=name, label_of=lambda place: f"position {place}")


def _codes_of(values: list[Any], *, name: str, label_of: Callable[[int], str]) -> list[int]:
    for place, value in enumerate(values):
        is_number = isinstance(value, Real | np.bool_)
        if not is_number or value != value:
            found = "NaN" if is_number else reprlib.repr(value)
            raise TiecoreError(
                f"{name} scores {label_of(place)} with {found}: expected a number; leave out what has no score"
            )
    # Python compares numbers of different kinds exactly, which an array of float64 would not
    order = sorted(range(len(values)), key=values.__getitem__, reverse=True)
    codes = [0] * len(values)
    for before, here in pairwise(order):
        codes[here] = codes[before] + (values[here] != values[before])
    return codes

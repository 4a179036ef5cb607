"""Readers who walk down a list and go on with a chance: what the measures of the C/W/L framework are defined by."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

from tests.orderings import Grade, Ranking


def on_scale(grade: Grade, min_rel: int, max_rel: int) -> float:
    """Return where a grade stands between the ends of a scale, 0 for an unjudged document."""
    return 0.0 if grade is None or grade < min_rel else (grade - min_rel) / (max_rel - min_rel)


DEPTH_OF_READERS = 1000

GoOn = Callable[..., float]


def read_on(gains: Sequence[float], go_on: GoOn, *parameters: float, depth: int = DEPTH_OF_READERS) -> float:
    """Mean gain of what a reader looks at who goes on from rank i, gain g, with chance go_on(i, g), to a depth."""
    looked = 0.0
    gained = 0.0
    chance = 1.0
    for rank, found in enumerate(gains[:depth], start=1):
        looked += chance
        gained += chance * found
        chance *= go_on(rank, found, *parameters)
    return gained / (looked + chance * _looked_in_vain(len(gains), depth, go_on, *parameters))


@cache
def _looked_in_vain(listed: int, depth: int, go_on: GoOn, *parameters: float) -> float:
    """Ranks that a reader looks at, on average, who has come to the end of the list, where nothing is gained."""
    looked = 0.0
    chance = 1.0
    for rank in range(listed + 1, depth + 1):
        looked += chance
        chance *= go_on(rank, 0.0, *parameters)
    return looked


def on_by_discount(rank: int, _: float) -> float:
    return math.log(rank + 1) / math.log(rank + 2)


def on_by_wanted_gain(rank: int, _: float, wanted: float) -> float:
    return ((rank + 2 * wanted - 1) / (rank + 2 * wanted)) ** 2


def on_if_not_satisfied(_: int, gain: float) -> float:
    return 1 - gain


def on_less_and_less(rank: int, gain: float) -> float:
    return rank / (rank + 1) * (1 - gain)


def on_with_patience(_: int, gain: float, p: float) -> float:
    return p * (1 - gain)


def on_if_not_satisfied_by_wanted_gain(rank: int, gain: float, wanted: float) -> float:
    return on_by_wanted_gain(rank, gain, wanted) * (1 - gain)


def reader(go_on: GoOn, **usual: float) -> Callable[..., float]:
    """Return the definition of a reader who goes on with a chance, over gains that are shares of a scale."""

    def mean_gain(
        ranking: Ranking,
        unretrieved: Ranking,
        *,
        max_rel: int,
        min_rel: int = 0,
        cutoff: int = DEPTH_OF_READERS,
        **given: float,
    ) -> float:
        gains = [on_scale(grade, min_rel, max_rel) for grade in ranking]
        return read_on(gains, go_on, *(usual | given).values(), depth=cutoff)

    return mean_gain

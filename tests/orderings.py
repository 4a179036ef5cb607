"""Which documents are tied, and every order that ties allow: found by comparing and listing, without a formula."""

import itertools
import math
import struct
from collections.abc import Sequence
from functools import cache

Grade = int | None
Ranking = Sequence[Grade]
Groups = tuple[tuple[Grade, ...], ...]


def rounded(score: float, precision: str) -> float:
    """Return the score as the named precision sees it."""
    if precision == "float64" or math.isinf(score):
        return score
    if precision == "float32":
        try:
            narrow: float = struct.unpack("f", struct.pack("f", score))[0]
        except OverflowError:  # beyond the largest single: an infinity, as in every cast
            return math.copysign(math.inf, score)
        return narrow
    kind, _, digits = precision.partition(":")
    if kind != "decimals":
        raise AssertionError(f"the oracle knows no precision {precision!r}")
    return round(score, int(digits))


def tie_groups(scores: Sequence[float], grades: Sequence[Grade], *, precision: str = "float64") -> Groups:
    """Return the grades of each tie group, highest score first, by comparing every score with every other."""
    seen = [rounded(score, precision) for score in scores]
    above = [sum(other > score for other in seen) for score in seen]
    return tuple(
        tuple(grade for grade, rank in zip(grades, above, strict=True) if rank == level) for level in sorted(set(above))
    )


@cache
def arrangements(grades: tuple[Grade, ...]) -> tuple[tuple[Grade, ...], ...]:
    """Return the distinct orders of one tie group; they are equally likely, each stands for as many permutations."""
    if not grades:
        return ((),)
    found = []
    for place, first in enumerate(grades):
        if first not in grades[:place]:
            found += [(first, *rest) for rest in arrangements(grades[:place] + grades[place + 1 :])]
    return tuple(found)


@cache
def enumerate_orderings(groups: Groups) -> tuple[tuple[Grade, ...], ...]:
    """Return every distinct ranking that the tie groups allow; all are equally likely."""
    parts = itertools.product(*(arrangements(group) for group in groups))
    return tuple(tuple(itertools.chain.from_iterable(of_groups)) for of_groups in parts)

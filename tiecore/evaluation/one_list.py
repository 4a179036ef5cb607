"""One query in memory: exact moments and random draws of a measure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from tiecore.errors import TiecoreError, check_draws, check_seed, shortened
from tiecore.evaluation.one_query import OneQuery
from tiecore.evaluation.random_orders import check_budget, order_seeds
from tiecore.measures import Measure, measure
from tiecore.ties.groups import UNJUDGED, TieGroups
from tiecore.ties.keys import score_code
from tiecore.ties.tie_breaks import random_key


class Moments(NamedTuple):
    """What the orderings of tied documents make of a measure."""

    expected: float
    """Mean over all orderings."""
    variance: float
    """Variance over all orderings; NaN for a measure without a closed form."""
    worst: float
    """Value of the least favourable ordering."""
    best: float
    """Value of the most favourable ordering."""


def moments(
    measure_name: str | Measure, /, *, scores: ArrayLike, grades: Sequence[int | None], unretrieved: Sequence[int] = ()
) -> Moments:
    """Compute expectation, variance, worst and best case of a measure for one query.

    Parameters
    ----------
    measure_name
        For example ``AP@5``.
    scores
        Score of each listed document, higher is better.
    grades
        Grade of each listed document; None if it is not judged.
    unretrieved
        Grades of the judged documents that are not listed.

    Examples
    --------
    One relevant document in a tie of two, below a document that is not relevant:

    >>> found = moments("RR", scores=[2, 1, 1], grades=[0, 1, 0])
    >>> [round(value, 4) for value in found]
    [0.4167, 0.0069, 0.3333, 0.5]
    """
    wanted = measure(measure_name)
    groups = _one_query(scores, grades, unretrieved)
    return Moments(
        expected=float(wanted.expected(groups)[0]),
        variance=float(wanted.variance(groups)[0]) if wanted.has_variance else math.nan,
        worst=float(wanted.expected(groups.case("worst"))[0]),
        best=float(wanted.expected(groups.case("best"))[0]),
    )


def sample(
    measure_name: str | Measure,
    /,
    *,
    scores: ArrayLike,
    grades: Sequence[int | None],
    unretrieved: Sequence[int] = (),
    draws: int,
    seed: int,
) -> np.ndarray:
    """Draw random tie-breaks of one query: (draws,) values. Works for every measure.

    Parameters
    ----------
    measure_name, scores, grades, unretrieved
        As for :func:`moments`.
    draws
        How many orderings to draw, independently and uniformly.
    seed
        The same seed gives the same values.
    """
    check_draws(draws, least=1)
    check_seed(seed)
    wanted = measure(measure_name)
    groups = _one_query(scores, grades, unretrieved)
    if not len(groups.mixed):
        return np.full(draws, wanted.expected(groups)[0])
    check_budget(draws, len(groups.order) + len(groups.ideal.cell_level))
    judged, tied = (one.cell_level.repeat(one.cell_count) for one in (groups.ideal, groups))
    one = OneQuery(groups.grades, judged, np.arange(len(groups.size)).repeat(groups.size), tied)
    identity, seeds = groups.order.astype(np.uint64), order_seeds(seed, draws)
    return one.values(wanted.expected, seeds, lambda some: (random_key(identity, some), True))


def _one_query(scores: ArrayLike, grades: Sequence[int | None], unretrieved: Sequence[int]) -> TieGroups:
    try:
        numbers = np.asarray(scores)
    except (ValueError, TypeError):  # rows of different length
        numbers = np.zeros((0, 0))
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iufb"):
        raise TiecoreError("scores must be a flat list of numbers")
    if len(numbers) != len(grades):
        raise TiecoreError(
            f"{len(numbers)} scores but {len(grades)} grades: give one grade a score, None if not judged"
        )
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        raise TiecoreError(f"score {int(np.flatnonzero(np.isnan(numbers))[0])} is NaN: leave the document out instead")
    listed = np.array([UNJUDGED if grade is None else _whole(grade) for grade in grades], dtype=np.int64)
    missed = np.array([_whole(grade) for grade in unretrieved], dtype=np.int64)
    levels = np.unique(np.concatenate([[UNJUDGED], listed, missed]))
    level = np.searchsorted(levels, listed)
    judged = np.concatenate([level[level > 0], np.searchsorted(levels, missed)])
    ideal = TieGroups.from_grades(query=np.zeros_like(judged), level=judged, grades=levels, n_queries=1)
    return TieGroups.from_keys(
        [score_code(numbers)], query=np.zeros_like(level), level=level, grades=levels, n_queries=1, ideal=ideal
    )


def _whole(grade: object) -> int:
    is_whole = isinstance(grade, int | np.integer) or (
        isinstance(grade, float | np.floating) and math.isfinite(grade) and int(grade) == grade
    )
    if not is_whole:
        raise TiecoreError(
            f"grade {shortened(grade)} is not a whole number; None stands for a document that is not judged"
        )
    whole = int(cast("int | float", grade))
    if not UNJUDGED < whole < -UNJUDGED:
        raise TiecoreError(f"grade {shortened(whole)} has more than 64 bits: map the grades to a small scale")
    return whole

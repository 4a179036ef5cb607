"""Compares all pairs of features: whether their order is real, and what each tie-break changes.

A claim that one feature is better than another needs two proofs. *Ties*: would the order of these queries be the same
however ties are broken? *Queries*: would it be the same for other queries of the same kind? Each pair is compared on
the queries that both features list: a query that one of them lacks says nothing about the other.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd

from tiecore.measures.base import quotient
from tiecore.stability.compared import Compared
from tiecore.stability.power import QueriesNeeded, queries_to_settle
from tiecore.stability.significance import (
    MANY_QUERIES,
    Paired,
    benjamini_hochberg,
    better_and_worse,
    holm,
    paired,
    randomisation,
)
from tiecore.threads import Progress

__all__ = [
    "SIGNIFICANT",
    "VERDICTS",
    "pairs_tested",
    "queries_for",
    "ties_matrix",
    "verdict_matrix",
    "with_queries_needed",
]

_LIKELY = 0.95
_PERMUTATIONS = 10_000
SIGNIFICANT = 0.05
VERDICTS = ("real", "these queries", "ties decide", "undecided", "equal")


def ties_matrix(beats: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """(n_features, n_features) whether ties can change the order of each two features; empty on the diagonal.

    ``beats``: (n_features, n_features) chance that the row beats the column. ``apart``: (n_features, n_features) bool:
    the row beats the column whatever the ties.
    """
    leader_beats = np.maximum(beats, beats.T)
    ties = np.select([apart | apart.T, leader_beats >= _LIKELY], ["certain", "likely"], "undecided").astype(object)
    np.fill_diagonal(ties, "")
    return ties


def pairs_tested(
    boards: Compared,
    *,
    beats: np.ndarray,
    ties: np.ndarray,
    sd_ties: np.ndarray,
    permutations: int | None,
    seed: int,
    baseline: str | None = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return one row for each two features, the better one first.

    Parameters
    ----------
    boards
        Values under the expectation and each tie-break.
    beats, ties
        (n_features, n_features)
    sd_ties
        (n_pairs,) standard deviation of the difference of the means under random tie-breaks.
    permutations, seed
        Of the randomisation test; None leaves it out where no pair needs it.
    baseline
        Compare all others with this feature only.
    """
    first, second = np.triu_indices(len(boards.features), 1)
    if baseline is not None:
        position = boards.features.index(baseline)
        kept = np.flatnonzero((first == position) | (second == position))
    else:
        kept = np.arange(len(first))
    listed = boards.listed if boards.lists_differ else None
    unit = boards.unit
    n_boards = 1 + len(boards.tie_breaks)
    largest = boards.largest_difference
    tests = [paired(values, unit=unit, largest=largest, listed=listed) for values in boards.per_query[:n_boards]]

    def flipped(board: int) -> np.ndarray:
        return randomisation(
            boards.per_query[board],
            permutations=_PERMUTATIONS if permutations is None else permutations,
            seed=seed,
            unit=unit,
            listed=listed,
            progress=progress,
        )

    few = (tests[0].n_queries < MANY_QUERIES).any()
    wanted = [few or (board == 0 and permutations is not None) for board in range(n_boards)]
    randomised = [flipped(board) if wanted[board] else np.full(len(first), np.nan) for board in range(n_boards)]
    p = [test.decisive_p(flips)[kept] for test, flips in zip(tests, randomised, strict=True)]
    significant = np.array([holm(values) <= SIGNIFICANT for values in p])  # (n_boards, n_pairs)
    own = _only(tests[0], kept)
    first, second, sd_ties = first[kept], second[kept], sd_ties[kept]
    better, worse = (count[kept] for count in better_and_worse(boards.per_query[0], unit=unit, listed=listed))
    # on the queries that both list, the feature with the lower place may be the better one
    is_swapped = own.difference < 0
    leader, trailer = np.where(is_swapped, second, first), np.where(is_swapped, first, second)
    # Queries are independent, and so are the ties of one from those of another: observed under one random tie-break,
    # the difference of a query is its expectation plus noise of the ties, and the two variances of the mean add up.
    # The first is estimated from expectations alone, so it holds no part of the second.
    sd_queries = own.sd / np.sqrt(np.maximum(own.n_queries, 1))
    order = np.sign([np.nan_to_num(test.difference[kept]) for test in tests])  # (n_boards, n_pairs)
    is_reversed = order[1:] * order[0] < 0
    feature = np.array(boards.features, dtype=object)
    answers = ties[leader, trailer]
    is_equal = (better == 0) & (worse == 0) & (own.n_queries > 0)
    effect = np.abs(_effect(own.difference, own.sd))
    return pd.DataFrame(
        {
            "leader": feature[leader],
            "trailer": feature[trailer],
            "verdict": _verdicts(answers, significant=significant[0], is_equal=is_equal),
            "ties": answers,
            "queries": np.where(significant[0], "significant", "not significant").astype(object),
            "n_queries": own.n_queries,
            "difference": np.abs(own.difference),
            "sd_ties": sd_ties,
            "sd_queries": sd_queries,
            "tie_share": quotient(sd_ties**2, sd_ties**2 + sd_queries**2),
            "p_beats": beats[leader, trailer],
            "t_p": own.t_p,
            "rare_p": own.rare_p,
            "randomisation_p": randomised[0][kept],
            "p": p[0],
            "holm": holm(p[0]),
            "bh": benjamini_hochberg(p[0]),
            "effect": effect,
            "better": np.where(is_swapped, worse, better),
            "worse": np.where(is_swapped, better, worse),
            "reversed_by": _names(boards.tie_breaks, is_reversed),
            "significance_changed_by": _names(boards.tie_breaks, significant[1:] != significant[0]),
        }
    )


def queries_for(tests: pd.DataFrame, *, power: float = 0.8, n_tests: int = 1) -> QueriesNeeded:
    """Return how many queries it takes to find the differences that were tested; see ``queries_to_settle``."""
    root = np.sqrt(np.maximum(tests["n_queries"].to_numpy(), 1))
    sd, sd_ties = (tests[name].to_numpy() * root for name in ("sd_queries", "sd_ties"))
    return queries_to_settle(tests["difference"].to_numpy(), sd, sd_ties**2, power=power, tests=n_tests)


def with_queries_needed(tests: pd.DataFrame) -> pd.DataFrame:
    """Add how many queries it takes to find each difference, which takes longer than to test it."""
    needed, is_known = queries_for(tests), tests["n_queries"] > 1  # one query has no deviation from which to plan
    table = tests.copy()
    place = list(table.columns).index("worse") + 1
    table.insert(place, "queries_needed", np.where(is_known, needed.exact, np.nan))
    table.insert(place + 1, "queries_needed_once", np.where(is_known, needed.once, np.nan))
    return table


def _only(test: Paired, kept: np.ndarray) -> Paired:
    return Paired(*(getattr(test, one.name)[kept] for one in fields(test)))


def _verdicts(ties: np.ndarray, *, significant: np.ndarray, is_equal: np.ndarray) -> np.ndarray:
    """(n_pairs,) verdict: only a difference that neither ties nor other queries could undo is real."""
    settled = ties != "undecided"
    found = np.select(
        [is_equal, settled & significant, settled, significant],
        ["equal", "real", "these queries", "ties decide"],
        "undecided",
    )
    return found.astype(object)


def verdict_matrix(pairs: pd.DataFrame, features: tuple[str, ...]) -> np.ndarray:
    """(n_features, n_features) verdict on each two features; empty where two were not compared."""
    position = {feature: number for number, feature in enumerate(features)}
    verdicts = np.full((len(features), len(features)), "", dtype=object)
    leader, trailer = ([position[name] for name in pairs[side]] for side in ("leader", "trailer"))
    verdicts[leader, trailer] = verdicts[trailer, leader] = pairs["verdict"].to_numpy()
    return verdicts


def _effect(difference: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Difference over its deviation; infinite where every query shows the same difference, 0 where there is none."""
    everywhere_the_same = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    return np.divide(difference, sd, out=everywhere_the_same, where=sd != 0)


def _names(tie_breaks: tuple[str, ...], applies: np.ndarray) -> list[tuple[str, ...]]:
    """(n_pairs,) names of the tie-breaks that apply to each pair, of (n_tie_breaks, n_pairs) bool."""
    names: list[tuple[str, ...]] = [()] * applies.shape[1]
    for pair in np.flatnonzero(applies.any(axis=0)):
        names[pair] = tuple(name for name, does_apply in zip(tie_breaks, applies[:, pair], strict=True) if does_apply)
    return names

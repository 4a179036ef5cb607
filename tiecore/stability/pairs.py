"""Every two features side by side: how sure their order is, and what each tie-break makes of it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tiecore.stability.compared import Compared
from tiecore.stability.significance import benjamini_hochberg, holm, paired, randomisation

__all__ = ["pairs_table", "verdict_matrix"]

_LIKELY = 0.95
_SIGNIFICANT = 0.05


def verdict_matrix(beats: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """(n_features, n_features) verdict on each two features, the one of better expectation having the lower number.

    Parameters
    ----------
    beats
        (n_features, n_features) chance that the row beats the column.
    apart
        (n_features, n_features) bool: the row beats the column whatever the ties.
    """
    leader_beats = np.triu(beats, 1)
    upper = np.select([np.triu(apart, 1), leader_beats >= _LIKELY], ["certain", "likely"], "undecided").astype(object)
    upper[np.tril_indices(len(beats))] = ""
    return upper + upper.T


def pairs_table(
    boards: Compared,
    *,
    beats: np.ndarray,
    verdicts: np.ndarray,
    sd_ties: np.ndarray,
    permutations: int,
    seed: int,
) -> pd.DataFrame:
    """One row for each two features, the leader first.

    Parameters
    ----------
    boards
        Values under the expectation and each tie-break.
    beats, verdicts
        (n_features, n_features)
    sd_ties
        (n_pairs,) standard deviation of the difference of the means under random tie-breaks.
    permutations, seed
        Of the randomisation test.
    """
    leader, trailer = np.triu_indices(len(boards.features), 1)
    tests = [paired(values, unit=boards.unit) for values in boards.per_query[: 1 + len(boards.tie_breaks)]]
    own = tests[0]
    # Queries are independent, and so are the ties of one from those of another: observed under one random tie-break,
    # the difference of a query is its expectation plus noise of the ties, and the two variances of the mean add up.
    # The first is estimated from expectations alone, so it holds no part of the second.
    sd_queries = own.sd / np.sqrt(boards.n_queries)
    order = np.sign(boards.places[:, trailer] - boards.places[:, leader])[: len(tests)]  # (n_tests, n_pairs) 1: leader
    flips = (order[1:] != 0) & (order[1:] != order[0])
    significant = np.array([holm(test.t_p) <= _SIGNIFICANT for test in tests])  # (n_tests, n_pairs)
    claims = significant[1:] & ~significant[0]
    feature = np.array(boards.features, dtype=object)
    return pd.DataFrame(
        {
            "leader": feature[leader],
            "trailer": feature[trailer],
            "difference": own.difference,
            "sd_ties": sd_ties,
            "sd_queries": sd_queries,
            "tie_share": _share(sd_ties**2, sd_queries**2),
            "p_beats": beats[leader, trailer],
            "verdict": verdicts[leader, trailer],
            "t_p": own.t_p,
            "randomisation_p": randomisation(
                boards.per_query[0], permutations=permutations, seed=seed, unit=boards.unit
            ),
            "holm": holm(own.t_p),
            "bh": benjamini_hochberg(own.t_p),
            "effect": _effect(own.difference, own.sd),
            "flipped_by": _names(boards.tie_breaks, flips),
            "significance_flipped_by": _names(boards.tie_breaks, significant[1:] != significant[0]),
            "artefact": (flips | claims).any(axis=0),
        }
    )


def _share(part: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Part of the whole; 0 where there is nothing to share."""
    whole = part + rest
    return np.divide(part, whole, out=np.zeros_like(part), where=whole != 0)


def _effect(difference: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Difference over its deviation; infinite where every query shows the same difference, 0 where there is none."""
    everywhere_the_same = np.where(difference == 0, 0.0, np.copysign(np.inf, difference))
    return np.divide(difference, sd, out=everywhere_the_same, where=sd != 0)


def _names(tie_breaks: tuple[str, ...], chosen: np.ndarray) -> list[tuple[str, ...]]:
    """(n_pairs,) names of the tie-breaks that are chosen for each pair, of (n_tie_breaks, n_pairs) bool."""
    names: list[tuple[str, ...]] = [()] * chosen.shape[1]
    for pair in np.flatnonzero(chosen.any(axis=0)):
        names[pair] = tuple(name for name, is_chosen in zip(tie_breaks, chosen[:, pair], strict=True) if is_chosen)
    return names

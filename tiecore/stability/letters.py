"""Letters shared by features that are not significantly different: a compact letter display."""

from __future__ import annotations

from string import ascii_lowercase

import numpy as np

__all__ = ["letters"]


def letters(different: np.ndarray) -> list[tuple[str, ...]]:
    """Give letters to the features: two features share a letter exactly if they are not different.

    Each letter is a largest group of features none of which is different from another: a group to which no feature
    can be added. Groups are found one after another, each around the first pair that has no letter in common yet, so
    there are at most as many as pairs (the classic insert-and-absorb lists all such groups, and there can be
    exponentially many). Letters that the others make superfluous are dropped.

    ``different``: (n_features, n_features) bool, symmetric, the diagonal ignored: whether two features are told apart;
    the best comes first.

    Returns
    -------
    list
        Letters of each feature, as the features stand in ``different``: ``a``, ``b``, …, ``z``, ``aa``, ….

    Examples
    --------
    The second feature is told apart from neither of its neighbours, which differ from each other:

    >>> letters(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    [('a',), ('a', 'b'), ('b',)]
    """
    alike = ~np.asarray(different, dtype=bool)
    np.fill_diagonal(alike, True)
    groups = _superfluous_dropped(_groups(alike))
    groups.sort(key=lambda group: [int(member) for member in np.flatnonzero(group)])
    return [
        tuple(_name(number) for number, group in enumerate(groups) if group[feature]) for feature in range(len(alike))
    ]


def _groups(alike: np.ndarray) -> list[np.ndarray]:
    """Cover all pairs of features that are alike with largest groups, (n_features,) bool each.

    A feature counts as a pair with itself, so that one which differs from all others has a group too.
    """
    n_features = len(alike)
    bare = alike.copy()  # no group holds the two yet
    groups = []
    for first in range(n_features):
        while len(partners := first + np.flatnonzero(bare[first, first:])):
            # The farthest partner first: in a leaderboard the features in between mostly belong to the same group.
            last = partners[-1]
            group = np.zeros(n_features, dtype=bool)
            group[[first, last]] = True
            eligible = alike[first] & alike[last]
            for feature in (*range(first, n_features), *range(first)):
                if eligible[feature]:
                    group[feature] = True
                    eligible &= alike[feature]
            bare[np.ix_(group, group)] = False
            groups.append(group)
    return groups


def _superfluous_dropped(groups: list[np.ndarray]) -> list[np.ndarray]:
    """Drop each group whose pairs are all held by other groups as well."""
    times_held = np.zeros((len(groups[0]), len(groups[0])), dtype=np.int64) if groups else np.zeros((0, 0))
    for group in groups:
        times_held[np.ix_(group, group)] += 1
    kept = []
    for group in groups:
        pairs = np.ix_(group, group)
        if times_held[pairs].min() > 1:
            times_held[pairs] -= 1
        else:
            kept.append(group)
    return kept


def _name(number: int) -> str:
    """Return the letter of a group: a to z, then aa, ab, …."""
    name = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, len(ascii_lowercase))
        name = ascii_lowercase[letter] + name
    return name

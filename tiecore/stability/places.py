"""Places in a leaderboard: under ties, and as far as the tested pairs tell them apart."""

from __future__ import annotations

from string import ascii_letters

import numpy as np

MOST_LETTERED = 12
"""Features up to which letters are of use."""


def reachable_places(worst: np.ndarray, best: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Best and worst place of each feature that no tie-breaking can lead out of; equals share a place.

    ``worst``, ``best``: (n_features,) bounds of each, more being better.
    """
    surely_behind = (worst[:, None] > best).sum(axis=0)
    maybe_behind = (best[:, None] > worst).sum(axis=0) - (best > worst)  # itself not counted
    return 1 + surely_behind, 1 + maybe_behind


def place_sets(is_better: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last place of each feature that is left open (Mogstad, Romano, Shaikh & Wilhelm 2024).

    ``is_better``: (n_features, n_features) bool: the row is clearly better than the column.

    >>> low, high = place_sets(np.array([[False, True, True], [False, False, False], [False, False, False]]))
    >>> low.tolist(), high.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    return 1 + is_better.sum(axis=0), len(is_better) - is_better.sum(axis=1)


def groups(is_better: np.ndarray) -> np.ndarray:
    """(n_features,) group of each: 1 if it is not clearly worse than the first feature, and so on with those left.

    ``is_better``: as for ``place_sets``, the features in order of their expectation.
    """
    group = np.zeros(len(is_better), dtype=np.int64)
    while (left := np.flatnonzero(group == 0)).size:
        group[left[~is_better[left[0], left]]] = group.max() + 1
    return group


def letters(is_apart: np.ndarray) -> list[str]:
    """Give letters to the features: two features share a letter exactly if they are not told apart.

    Each letter is a largest group of features none of which is told apart from another, found around the first pair
    that has no letter in common yet.

    ``is_apart``: (n_features, n_features) bool, symmetric; the best feature comes first.

    >>> letters(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ['a', 'ab', 'b']
    """
    alike = ~is_apart
    np.fill_diagonal(alike, True)
    bare, found = alike.copy(), []  # bare: no letter is shared by the two yet
    for first in range(len(alike)):
        while (partners := first + np.flatnonzero(bare[first, first:])).size:
            group = np.zeros(len(alike), dtype=bool)
            group[[first, partners[-1]]] = True
            eligible = alike[first] & alike[partners[-1]]
            for feature in (*range(first, len(alike)), *range(first)):
                if eligible[feature]:
                    group[feature] = True
                    eligible &= alike[feature]
            bare[np.ix_(group, group)] = False
            found.append(group)
    found.sort(key=lambda group: np.flatnonzero(group).tolist())
    return ["".join(ascii_letters[n] for n, group in enumerate(found) if group[f]) for f in range(len(alike))]

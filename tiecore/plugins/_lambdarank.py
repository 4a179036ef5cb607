"""LambdaRank's gradients, averaged over all orders of the documents that a model scores alike. Experimental.

LambdaRank pulls every pair of documents of different gain apart, weighted by what swapping them would change in nDCG:
|difference of gains| x |difference of discounts|. Where scores are tied the discounts depend on the order of the rows;
here their difference is replaced by its mean over all orders: between groups the difference of the mean discounts, and
inside a group the mean difference of two of its ranks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tiecore.errors import TiecoreError
from tiecore.measures import Measure
from tiecore.measures import measure as parse_measure
from tiecore.measures.rank_weighted import DCG, nDCG
from tiecore.plugins._shared import groups_of_lists


class ListObjective:
    """The objective of a training; each library has a subclass that is called as the library calls objectives."""

    def __init__(self, measure: str | Measure = "nDCG(dcg='exp-log2')@30", *, sigmoid: float = 1.0) -> None:
        """Choose what to climb.

        Parameters
        ----------
        measure
            nDCG or DCG, with or without a cut-off.
        sigmoid
            Steepness of the chance that a pair is in order.
        """
        wanted = parse_measure(measure)
        if not isinstance(wanted, DCG) or type(wanted) not in (DCG, nDCG):  # no discounts and gains
            raise TiecoreError(f"{wanted} is no objective: write nDCG or DCG, for example nDCG(dcg='exp-log2')@30")
        if not sigmoid > 0:
            raise TiecoreError(f"sigmoid must be above 0, found {sigmoid!r}")
        self.measure, self.sigmoid = wanted, sigmoid

    def gradients(self, scores: ArrayLike, labels: ArrayLike, sizes: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return gradient and hessian of each document: (n_documents,) each."""
        score, label, size = np.ravel(np.asarray(scores, dtype=np.float64)), np.ravel(labels), np.ravel(sizes)
        groups_of_lists(score, label, size)  # refuses what is no ranking
        grades, grade_of = np.unique(label.astype(np.int64), return_inverse=True)
        gain = self.measure.gain(grades).astype(np.float64)[grade_of]
        found = np.zeros((2, len(score)))
        # the best first in each list, so that the sums below do not depend on the order of the rows
        order = np.lexsort((gain, -score, np.repeat(np.arange(len(size)), size)))
        for rows in np.split(order, np.cumsum(size)[:-1]):
            found[:, rows] = _of_list(self.measure, score[rows], gain[rows], sigmoid=self.sigmoid)
        return found[0], found[1]


def _of_list(wanted: DCG, score: np.ndarray, gain: np.ndarray, *, sigmoid: float) -> tuple[np.ndarray, np.ndarray]:
    n = len(score)
    discount = np.diff(wanted.weight_sums(n)[0][: n + 1])
    if wanted.cutoff is not None:
        discount[wanted.cutoff :] = 0.0
    ideal = float(np.sort(gain)[::-1] @ discount) if isinstance(wanted, nDCG) else 1.0
    if ideal == 0.0 or n == 0:
        return np.zeros(n), np.zeros(n)
    start = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
    size = np.diff(start, append=n)
    group = np.repeat(np.arange(len(start)), size)
    mean = np.add.reduceat(discount, start) / size  # (n_groups,)
    # discounts fall, so of n ranks the i-th from 0 is the larger one in n - 1 - i pairs and the smaller one in i
    place = np.arange(n) - start[group]
    within = np.add.reduceat(discount * (size[group] - 1 - 2 * place), start) / np.maximum(size * (size - 1) / 2, 1)
    apart = np.abs(mean[group][:, None] - mean[group])  # (n, n)
    same = group[:, None] == group
    apart[same] = np.broadcast_to(within[group], (n, n))[same]
    better = np.maximum(gain[:, None] - gain, 0.0)  # 0 unless the row's document is to stand above the column's
    # scores far apart lose nothing: exp would overflow to an infinity, whose inverse is the right 0
    chance = 1.0 / (1.0 + np.exp(np.minimum(sigmoid * (score[:, None] - score), 700.0)))
    push = sigmoid / ideal * better * apart * chance
    bend = sigmoid * push * (1.0 - chance)
    return push.sum(axis=0) - push.sum(axis=1), bend.sum(axis=0) + bend.sum(axis=1)

"""Tie-aware metrics and scorers for scikit-learn, with the groups that ranking needs.

>>> metric("AP")([0, 1, 1, 0], [2.0, 1.0, 1.0, 1.0], groups=["q", "q", "r", "r"])
0.625
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiecore.errors import TiecoreError
from tiecore.evaluation.engine import NoRelevant
from tiecore.evaluation.statistics import Statistic
from tiecore.measures import Measure
from tiecore.plugins._shared import ListMetric, sizes_of

__all__ = ["metric", "scorer"]


class metric(ListMetric):  # noqa: N801  # called like a function
    """A metric in scikit-learn's order of arguments; the rows of a group may stand anywhere."""

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, y_true: ArrayLike, y_score: ArrayLike, *, groups: ArrayLike | None = None) -> float:
        """Return the mean over groups, or over the rows of two-dimensional arrays as in ``ndcg_score``."""
        labels, scores = np.asarray(y_true), np.asarray(y_score)
        if groups is None:
            if labels.ndim != 2 or labels.shape != scores.shape:
                raise TiecoreError(f"{self.name} needs groups=, the query of each document, or a row for each query")
            return self.mean(scores, labels, np.full(len(labels), labels.shape[1]))
        ids = np.asarray(groups)
        if not len(ids) == len(labels) == len(scores):
            raise TiecoreError(f"{len(labels)} labels, {len(scores)} scores and {len(ids)} groups do not fit together")
        order = np.argsort(ids, kind="stable")
        return self.mean(scores[order], labels[order], sizes_of(ids[order]))


def scorer(measure: str | Measure, *, statistic: Statistic = "expected", no_relevant: NoRelevant = "zero") -> Any:
    """Return a scorer for cross-validation that asks for ``groups``.

    It needs scikit-learn's metadata routing: ``sklearn.set_config(enable_metadata_routing=True)``, and then
    ``cross_validate(…, scoring=scorer("nDCG@10"), params={"groups": queries})``.
    """
    import sklearn
    from sklearn.metrics import make_scorer

    if not sklearn.get_config()["enable_metadata_routing"]:
        raise TiecoreError("a scorer with groups needs sklearn.set_config(enable_metadata_routing=True) first")
    wanted = metric(measure, statistic=statistic, no_relevant=no_relevant)
    made = make_scorer(wanted, greater_is_better=wanted.higher_is_better, response_method="predict")
    return made.set_score_request(groups=True)

"""Tie-aware evaluation of CatBoost's rankers, stage by stage after the training.

CatBoost passes no groups to a custom metric, so it cannot stop by it: train, take the values of all stages, and let
the model shrink to the best. CatBoost's own metrics take the worst order of tied documents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiecore.plugins._shared import ListMetric, sizes_of

__all__ = ["metric"]


class metric(ListMetric):  # noqa: N801  # called like a function
    """Called with labels, scores and the group of each document; it also goes through the stages of a model."""

    def __call__(self, labels: ArrayLike, scores: ArrayLike, group_id: ArrayLike) -> float:
        """Return the value of scores; the rows of a group stand together, as CatBoost wants them."""
        return self.mean(scores, labels, sizes_of(group_id))

    def staged(self, model: Any, data: Any, labels: ArrayLike, group_id: ArrayLike) -> np.ndarray:
        """Return the value after each tree of a model: (n_trees,)."""
        return np.array([self(labels, scores, group_id) for scores in model.staged_predict(data)])

    def shrink(self, model: Any, data: Any, labels: ArrayLike, group_id: ArrayLike) -> int:
        """Cut a model behind its best tree, the first of equals, and return how many are left."""
        values = self.staged(model, data, labels, group_id)
        best = int(values.argmax() if self.higher_is_better else values.argmin()) + 1
        model.shrink(best)
        return best

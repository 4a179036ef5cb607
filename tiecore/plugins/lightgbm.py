"""Tie-aware evaluation while LightGBM trains: ``feval=metric("nDCG@10")``, or ``eval_metric=`` of LGBMRanker.

LightGBM's own metrics sort stably, so documents that the model scores alike are ranked in the order of the rows. In its
nDCG a list without a relevant document counts 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.plugins._lambdarank import ListObjective
from tiecore.plugins._shared import ListMetric

__all__ = ["metric", "objective"]


class metric(ListMetric):  # noqa: N801  # called like a function
    """Called by ``lightgbm.train`` with scores and dataset, by LGBMRanker with labels, scores, weights and groups."""

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> tuple[str, float, bool]:
        """Return name, value, and whether higher is better; weights are not used."""
        return self.name, self.mean(*_lists(self.name, first, second, group)), self.higher_is_better


class objective(ListObjective):  # noqa: N801  # called like a function
    """LambdaRank averaged over tied orders, for ``objective=`` of the parameters or of LGBMRanker. Experimental.

    Unlike LightGBM's own ``lambdarank`` it does not depend on the order of the rows, and takes discounts as 0 behind
    the cut-off; it does not normalise the gradients of a list. It is called like the metric.
    """

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Return gradients and hessians; weights are not used."""
        return self.gradients(*_lists(str(self.measure), first, second, group))


def _lists(name: str, first: Any, second: Any, group: Any) -> tuple[Any, Any, Any]:
    """Return scores, labels and sizes of groups, whichever way LightGBM calls."""
    is_dataset = hasattr(second, "get_label")
    sizes = second.get_group() if is_dataset else group
    if sizes is None:
        raise TiecoreError(f"{name} needs groups: set group= of the Dataset, or group= and eval_group= of fit()")
    return (first, second.get_label(), sizes) if is_dataset else (second, first, sizes)

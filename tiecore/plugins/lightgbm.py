"""Tie-aware evaluation while LightGBM trains: ``feval=metric("nDCG@10")``, or ``eval_metric=`` of LGBMRanker.

LightGBM's own metrics sort stably, so documents that the model scores alike are ranked in the order of the rows. In its
nDCG a list without a relevant document counts 1.
"""

from __future__ import annotations

from typing import Any

from tiecore.errors import TiecoreError
from tiecore.plugins._shared import ListMetric

__all__ = ["metric"]


class metric(ListMetric):  # noqa: N801  # called like a function
    """Called by ``lightgbm.train`` with scores and dataset, by LGBMRanker with labels, scores, weights and groups."""

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> tuple[str, float, bool]:
        """Return name, value, and whether higher is better; weights are not used."""
        labels, scores = first, second
        if hasattr(second, "get_label"):
            scores, labels, group = first, second.get_label(), second.get_group()
        if group is None:
            found = f"{self.name} needs groups"
            raise TiecoreError(f"{found}: set group= of the Dataset, or group= and eval_group= of fit()")
        return self.name, self.mean(scores, labels, group), self.higher_is_better

"""Tie-aware evaluation while LightGBM trains: ``feval=metric("nDCG@10")``, or ``eval_metric=`` of LGBMRanker.

LightGBM's own metrics sort stably, so documents that the model scores alike are ranked in the order of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tiecore.errors import TiecoreError
from tiecore.measures import Measure
from tiecore.plugins._shared import ListMetric, NoRelevant, Statistic

__all__ = ["metric"]


@dataclass(frozen=True, slots=True)
class _Feval:
    """Called by ``lightgbm.train`` with scores and dataset, by LGBMRanker with labels, scores, weights and groups."""

    of: ListMetric

    def __call__(self, first: Any, second: Any, weight: Any = None, group: Any = None) -> tuple[str, float, bool]:
        """Return name, value, and whether higher is better; weights are not used."""
        is_dataset = hasattr(second, "get_label")
        scores, labels = (first, second.get_label()) if is_dataset else (second, first)
        sizes = second.get_group() if is_dataset else group
        if sizes is None:
            raise TiecoreError(f"{self.of.name} needs groups: set group= of the Dataset, or eval_group= of fit()")
        return self.of.name, self.of.mean(scores, labels, sizes), self.of.higher_is_better


def metric(name: str | Measure, *, statistic: Statistic = "expected", no_relevant: NoRelevant = "zero") -> _Feval:
    """Return an evaluation function for ``lightgbm.train(feval=…)`` and ``LGBMRanker.fit(eval_metric=…)``.

    Parameters
    ----------
    name
        For example ``nDCG@10``, ``AP(rel=2)``, ``RR``.
    statistic
        ``expected`` over all orders of documents that the model scores alike, or ``sd``, ``worst``, ``best``.
    no_relevant
        Lists without a relevant document count 0 (``zero``) or not at all (``skip``); in LightGBM's own nDCG they
        count 1.
    """
    return _Feval(ListMetric.of(name, statistic=statistic, no_relevant=no_relevant))

"""Tie-aware evaluation while XGBoost trains: ``custom_metric=metric("nDCG@10")``, or ``eval_metric=`` of XGBRanker.

XGBoost's own metrics ignore ties: documents that the model scores alike are ranked by whatever its sort makes of them.
It guesses from a name whether higher is better, and knows ndcg, map and pre: stop early on other measures with
:func:`early_stopping`. XGBRanker asks for one query at a time and averages itself, weighted by length, and a query of a
single document counts 1: for the plain mean, ``sd`` and ``no_relevant="skip"``, use ``xgboost.train``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.measures import Measure
from tiecore.plugins._lambdarank import check_objective, gradients
from tiecore.plugins._shared import ListMetric

__all__ = ["early_stopping", "metric", "objective"]

_ITS_NAMES = {"nDCG": "ndcg", "AP": "map", "P": "pre"}
"""What XGBoost calls families of measures: by the beginning of a name it guesses that higher is better."""


@dataclass(frozen=True, slots=True)
class _Metric(ListMetric):
    """Called by ``xgboost.train`` with scores and DMatrix, by XGBRanker with labels and scores of one query."""

    @property
    def __name__(self) -> str:
        """What XGBoost calls it in its log, which it splits at blanks."""
        family, ours = self.measure.name, str(self.measure).replace(" ", "")
        known = _ITS_NAMES.get(family, family) + ours.removeprefix(family)
        return f"sd_{known}" if self.statistic == "sd" else f"{known}_{self.statistic}"

    def __call__(self, first: Any, second: Any) -> tuple[str, float] | float:
        """Return name and value, or the value alone of one query."""
        if not hasattr(second, "get_uint_info"):
            return self.mean(second, first, [len(first)])
        return self.__name__, self.mean(first, second.get_label(), _sizes(self.name, second))


def _sizes(name: str, data: Any) -> np.ndarray:
    ends = data.get_uint_info("group_ptr")
    if len(ends) < 2:
        raise TiecoreError(f"{name} needs groups: set group= or qid= of the DMatrix")
    return np.diff(ends.astype(np.int64))


metric = _Metric.of


def early_stopping(wanted: _Metric, *, rounds: int, **options: Any) -> Any:
    """Return XGBoost's callback that stops early, told which way the measure goes; ``options`` are passed on."""
    from xgboost.callback import EarlyStopping  # only when asked for

    return EarlyStopping(rounds=rounds, metric_name=wanted.__name__, maximize=wanted.higher_is_better, **options)


def objective(
    name: str | Measure = "nDCG(dcg='exp-log2')@32", *, sigmoid: float = 1.0
) -> Callable[[Any, Any], tuple[np.ndarray, np.ndarray]]:
    """Return LambdaRank averaged over tied orders, for ``xgboost.train(obj=…)``; XGBRanker takes none. Experimental.

    Unlike XGBoost's own ``rank:ndcg`` it does not depend on the order of the rows, and takes discounts as 0 behind the
    cut-off; it does not normalise the gradients of a list.

    Parameters
    ----------
    name
        nDCG or DCG, with or without a cut-off.
    sigmoid
        Steepness of the chance that a pair is in order.
    """
    wanted = check_objective(name, sigmoid)

    def of(scores: Any, data: Any) -> tuple[np.ndarray, np.ndarray]:
        return gradients(wanted, scores, data.get_label(), _sizes(str(wanted), data), sigmoid=sigmoid)

    return of

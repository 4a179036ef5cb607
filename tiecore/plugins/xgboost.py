"""Tie-aware evaluation while XGBoost trains: ``custom_metric=metric("nDCG@10")``, or ``eval_metric=`` of XGBRanker.

XGBoost's own metrics ignore ties: documents that the model scores alike are ranked by whatever its sort makes of them.
It guesses from a name whether higher is better, and knows ndcg, map and pre: stop early on other measures with
:func:`early_stopping`. XGBRanker asks for one query at a time and averages itself, weighted by length, and a query of a
single document counts 1: for the plain mean, ``sd`` and ``no_relevant="skip"``, use ``xgboost.train``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.measures import Measure
from tiecore.plugins._lambdarank import ListObjective
from tiecore.plugins._shared import ListMetric

__all__ = ["early_stopping", "metric", "objective"]

_ITS_NAMES = {"nDCG": "ndcg", "AP": "map", "P": "pre"}
"""What XGBoost calls families of measures: by the beginning of a name it guesses that higher is better."""


class metric(ListMetric):  # noqa: N801  # called like a function
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
        return self.__name__, self.mean(first, *_lists(self.name, second))


class objective(ListObjective):  # noqa: N801  # called like a function
    """LambdaRank averaged over tied orders, for ``xgboost.train(obj=…)``; XGBRanker takes none. Experimental.

    Unlike XGBoost's own ``rank:ndcg`` it does not depend on the order of the rows, and takes discounts as 0 behind the
    cut-off; it does not normalise the gradients of a list.
    """

    def __init__(self, measure: str | Measure = "nDCG(dcg='exp-log2')@32", *, sigmoid: float = 1.0) -> None:
        super().__init__(measure, sigmoid=sigmoid)

    def __call__(self, scores: Any, data: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return gradients and hessians."""
        return self.gradients(scores, *_lists(str(self.measure), data))


def _lists(name: str, data: Any) -> tuple[Any, np.ndarray]:
    """Return labels and sizes of groups of a DMatrix."""
    ends = data.get_uint_info("group_ptr")
    if len(ends) < 2:
        raise TiecoreError(f"{name} needs groups: set group= or qid= of the DMatrix")
    return data.get_label(), np.diff(ends.astype(np.int64))


def early_stopping(
    wanted: metric, *, rounds: int, data_name: str | None = None, save_best: bool = False, min_delta: float = 0.0
) -> Any:
    """Return XGBoost's callback ``EarlyStopping``, told which way the measure goes."""
    from xgboost.callback import EarlyStopping  # only when asked for

    return EarlyStopping(
        rounds=rounds, metric_name=wanted.__name__, data_name=data_name, maximize=wanted.higher_is_better,
        save_best=save_best, min_delta=min_delta,
    )  # fmt: skip

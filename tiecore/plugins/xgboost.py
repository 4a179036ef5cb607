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
from tiecore.plugins._shared import ListMetric

__all__ = ["early_stopping", "metric"]

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
        ends = second.get_uint_info("group_ptr")
        if len(ends) < 2:
            raise TiecoreError(f"{self.name} needs groups: set group= or qid= of the DMatrix")
        return self.__name__, self.mean(first, second.get_label(), np.diff(ends.astype(np.int64)))


def early_stopping(
    wanted: metric, *, rounds: int, data_name: str | None = None, save_best: bool = False, min_delta: float = 0.0
) -> Any:
    """Return XGBoost's callback ``EarlyStopping``, told which way the measure goes."""
    from xgboost.callback import EarlyStopping  # only when asked for

    return EarlyStopping(
        rounds=rounds, metric_name=wanted.__name__, data_name=data_name, maximize=wanted.higher_is_better,
        save_best=save_best, min_delta=min_delta,
    )  # fmt: skip

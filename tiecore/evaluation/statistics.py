"""What is computed of each value whose ties have many orders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from tiecore.measures import Measure, values_of
from tiecore.ties.groups import TieGroups

Statistic = Literal["expected", "sd", "worst", "best"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)


def statistic_of(groups: TieGroups, measures: Sequence[Measure], name: str) -> np.ndarray:
    """(n_measures, n_queries) values of a statistic; for ``sd`` variances, which add up over queries."""
    return values_of(measures, groups.case(name), "variance" if name == "sd" else "expected")

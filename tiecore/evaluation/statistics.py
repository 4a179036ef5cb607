"""What is computed of each value, over the orders that its ties leave open."""

from __future__ import annotations

from typing import Literal, get_args

Statistic = Literal["expected", "sd", "worst", "best"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
MOMENTS: dict[str, Literal["expected", "variance"]] = {
    "expected": "expected",
    "sd": "variance",  # variances add up over queries
    "worst": "expected",
    "best": "expected",
}
"""Which moment of a measure each is, on the tie groups of its case: see ``TieGroups.case``."""

"""What is computed of each value, over the orders that its ties leave open."""

from __future__ import annotations

from typing import Literal, get_args

Statistic = Literal["expected", "sd", "worst", "best"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)

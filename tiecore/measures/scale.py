"""Gains of grades on a scale from 0 to 1."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.measures.base import Measure


def check_scale(measure: Measure, grades: np.ndarray, highest: int, further: str = "") -> None:
    """Refuse a grade above the highest of the scale, so that a value never depends on what else is loaded."""
    found = int(grades.max())
    if found > highest:
        named = replace(measure, max_rel=found)  # type: ignore[call-arg]  # a field of all that have a scale
        above = f"the judgments hold grade {found}, above max_rel={highest}"
        raise TiecoreError(f"{measure}: {above}: write {named}{further}")


class Scaled(Measure):
    """A measure whose gain is the share of the scale from ``min_rel`` to ``max_rel``.

    The scale is written out, as in ir_measures, so that no value depends on the grades of other queries. A grade above
    it is refused: ir_measures cuts it down to ``max_rel``.
    """

    usual = "(max_rel=4)"

    min_rel: int = 0
    max_rel: int | None = None

    def __post_init__(self) -> None:
        """Refuse a scale that is missing or empty."""
        super().__post_init__()
        if self.max_rel is None:
            at = "@10" if self.cutoff_rule == "required" else ""
            raise TiecoreError(
                f"{self.name} needs the highest grade of the scale: for example {self.name}{self.usual}{at}"
            )
        if self.min_rel >= self.max_rel:
            raise TiecoreError(f"min_rel of {self.name} must be below max_rel={self.max_rel}, found {self.min_rel}")

    def gain(self, grades: np.ndarray) -> np.ndarray:
        """Gain of a document of each level: (n_levels,)."""
        lowest, highest = self.min_rel, self.max_rel or 1
        check_scale(self, grades, highest)
        return (np.maximum(grades, lowest) - lowest) / (highest - lowest)

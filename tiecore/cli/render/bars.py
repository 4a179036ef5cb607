"""The interval from worst to best as a line, with a mark where the expectation is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.text import Text

from tiecore.cli.render.numbers import figures
from tiecore.cli.render.table import Bar

__all__ = ["Scale", "interval_bar"]

LEGEND = "├──●──┤"


@dataclass(frozen=True, slots=True)
class Scale:
    """What the two ends of a column of bars stand for; the better end is on the right."""

    left: float
    right: float

    @classmethod
    def of(cls, worst: np.ndarray, best: np.ndarray) -> Scale:
        """Take in every interval of a measure."""
        if np.sum(worst) <= np.sum(best):
            return cls(float(np.min(worst, initial=np.inf)), float(np.max(best, initial=-np.inf)))
        return cls(float(np.max(worst)), float(np.min(best)))

    def cell(self, value: float, width: int) -> int:
        """Cell from 0 of a value in a bar of this width."""
        if self.left == self.right:
            return 0
        share = (value - self.left) / (self.right - self.left)
        return round(min(1.0, max(0.0, share)) * (width - 1))


def interval_bar(*, worst: np.ndarray, mark: np.ndarray, best: np.ndarray, scale: Scale, decimals: int) -> Bar:
    """Draw a row of intervals on one scale; the heading says what its ends stand for."""

    def draw(width: int) -> Sequence[Text]:
        left, right = figures(np.array([scale.left, scale.right]), decimals)
        heading = Text(left + right.rjust(width - len(left)), style="dim")
        ends = zip(worst.tolist(), mark.tolist(), best.tolist(), strict=True)
        return [heading, *(_drawn(*(scale.cell(value, width) for value in row), width=width) for row in ends)]

    return Bar(draw=draw)


def _drawn(first: int, mark: int, last: int, *, width: int) -> Text:
    line = [" "] * width
    line[first : last + 1] = "─" * (last + 1 - first)
    line[first], line[last] = "├", "┤"
    line[mark] = "●"
    text = Text("".join(line), style="dim")
    text.stylize("not dim bold", mark, mark + 1)
    return text

"""Values of a measure under random tie-breaks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tiecore.measures import Measure
from tiecore.ties.groups import TieGroups
from tiecore.ties.shuffles import shuffles

__all__ = ["drawn_values"]


def drawn_values(measure: Measure, groups: TieGroups, *, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield (n_queries,) values under one random tie-break after the other."""
    for shuffled in shuffles(groups.top(measure.cutoff), draws, rng):
        yield from measure.expected(shuffled).reshape(-1, groups.n_queries)

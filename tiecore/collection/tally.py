"""How tied a feature is: what coverage needs to know of tie groups that are not kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from tiecore.ties.groups import TieGroups

__all__ = ["Tally"]


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Numbers of tie groups."""

    n_documents: int
    n_groups: int
    n_tied: int
    """Documents in groups of more than one."""
    largest: int
    mixed_above: np.ndarray
    """(n_mixed,) documents above each group that holds relevant documents and others."""
    mixed_size: np.ndarray
    """(n_mixed,) documents in it."""

    @classmethod
    def of(cls, groups: TieGroups) -> Self:
        """Count the groups of some queries."""
        mixed, size, relevant = groups.mixed(), groups.size, groups.relevant(1)
        mixed = mixed[(relevant[mixed] > 0) & (relevant[mixed] < size[mixed])]
        return cls(
            n_documents=int(size.sum()),
            n_groups=len(size),
            n_tied=int(size[size > 1].sum()),
            largest=int(size.max(initial=0)),
            mixed_above=groups.above[mixed],
            mixed_size=size[mixed],
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Bring together what has been counted of different queries."""
        return cls(
            n_documents=sum(part.n_documents for part in parts),
            n_groups=sum(part.n_groups for part in parts),
            n_tied=sum(part.n_tied for part in parts),
            largest=max((part.largest for part in parts), default=0),
            mixed_above=np.concatenate([part.mixed_above for part in parts]),
            mixed_size=np.concatenate([part.mixed_size for part in parts]),
        )

    def n_cut(self, cutoff: int) -> int:
        """Return how many groups with relevant documents and others a cut-off splits."""
        return int(np.count_nonzero((self.mixed_above < cutoff) & (self.mixed_above + self.mixed_size > cutoff)))

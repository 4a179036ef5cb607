"""Values of one query under many orders of its documents at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tiecore.measures import Measure
from tiecore.ties.groups import TieGroups

_BLOCK_ELEMENTS = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class OneQuery:
    """The documents of one query; variants of their order are evaluated all at once, as if each were a query."""

    measure: Measure
    grades: np.ndarray
    """(n_levels,)"""
    judged_level: np.ndarray
    """(n_judged,) level of every judged document, listed or not."""
    group: np.ndarray
    """(n_documents,) tie group of each document, from 0."""
    level: np.ndarray
    """(n_documents,)"""

    def up_to_each_group(self) -> np.ndarray:
        """(n_groups,) expectation if the list ended with the group."""
        every = np.arange(int(self.group.max(initial=-1)) + 1)
        return self.values(every, lambda group: (np.zeros_like(group + self.group), self.group <= group))

    def with_one_refined(self, groups: np.ndarray, key: np.ndarray) -> np.ndarray:
        """(n_variants,) expectation if only one group is refined by a key."""
        return self.values(groups, lambda group: (np.where(self.group == group, key, 0), True))

    def with_one_random(self, groups: np.ndarray) -> np.ndarray:
        """(n_variants,) variance if only one group is ordered at random."""
        grouped = self.level.astype(np.int64) + 1
        return self.values(groups, lambda group: (np.where(self.group == group, 0, grouped), True), moment="variance")

    def values(
        self,
        variants: np.ndarray,
        variant: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray | bool]],
        *,
        moment: Literal["expected", "variance"] = "expected",
    ) -> np.ndarray:
        """(n_variants,) of key and kept documents that ``variant`` gives, both (n_variants, n_documents)."""
        at_once = max(1, _BLOCK_ELEMENTS // max(1, len(self.group), len(self.judged_level)))
        parts = [np.zeros(0)]
        for begin in range(0, len(variants), at_once):
            block = variants[begin : begin + at_once, None]
            key, kept = variant(block)
            kept = np.broadcast_to(kept, key.shape)
            each = np.arange(len(block))
            ties = TieGroups.from_keys(
                [np.tile(self.group, (len(block), 1))[kept], key[kept]],
                query=np.repeat(each, len(self.group)).reshape(kept.shape)[kept],
                level=np.tile(self.level, (len(block), 1))[kept],
                grades=self.grades,
                n_queries=len(block),
                ideal=TieGroups.from_grades(
                    query=np.repeat(each, len(self.judged_level)),
                    level=np.tile(self.judged_level, len(block)),
                    grades=self.grades,
                    n_queries=len(block),
                ),
            )
            parts.append(self.measure.expected(ties) if moment == "expected" else self.measure.variance(ties))
        return np.concatenate(parts)

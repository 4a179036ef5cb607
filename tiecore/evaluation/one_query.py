"""Values of one query under many orders of its documents at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tiecore.evaluation.random_orders import repeated
from tiecore.ties.groups import TieGroups

_BLOCK_ELEMENTS = 1 << 21


@dataclass(frozen=True, slots=True, eq=False)
class OneQuery:
    """The documents of one query; variants of their order are evaluated all at once, as if each were a query."""

    grades: np.ndarray
    """(n_levels,)"""
    judged_level: np.ndarray
    """(n_judged,) level of every judged document, listed or not."""
    group: np.ndarray
    """(n_documents,) tie group of each document, from 0."""
    level: np.ndarray
    """(n_documents,)"""

    def values(
        self,
        moment: Callable[[TieGroups], np.ndarray],
        variants: np.ndarray,
        variant: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray | bool]],
    ) -> np.ndarray:
        """(n_variants,) moment of a measure, by key and kept documents of (n_some, 1) variants.

        ``variant`` gives both, (n_some, n_documents).
        """
        judged = self.judged_level
        of_one = TieGroups.from_grades(query=np.zeros_like(judged), level=judged, grades=self.grades, n_queries=1)
        at_once = max(1, _BLOCK_ELEMENTS // max(1, len(self.group), len(of_one.cell_level)))
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
                ideal=repeated(of_one, len(block)),
            )
            parts.append(moment(ties))
        return np.concatenate(parts)

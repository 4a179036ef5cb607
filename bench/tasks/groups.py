"""Tie groups of one feature, and the sort that they cannot do without."""

from __future__ import annotations

import numpy as np

from bench.clock import Outcome, Times, timed
from bench.data import columns
from tiecore.collection.align import align
from tiecore.ties.keys import pack, score_code

__all__ = ["groups"]


def groups(*, feature: str, repeats: int) -> Outcome:
    """From the scores of one feature to its tie groups, and np.sort of the same packed keys."""
    source = columns([feature])
    alignment = align(source.judgments(), [(feature, source.run(feature), feature)])
    rows = alignment.rows(feature)
    packed, _, _ = pack(
        [score_code(rows.scores)],
        query=rows.query,
        level=rows.level,
        n_queries=alignment.n_queries,
        n_levels=len(alignment.grades),
    )

    def group(name: str) -> int:
        return sum(len(block.groups().size) for block in alignment.rows(name).blocks())

    grouping: Times = []
    sorting: Times = []
    n_groups = 0
    for _ in range(repeats):  # in turns, so that both meet the same machine
        once, n_groups = timed(group, given=lambda: feature, repeats=1)
        grouping += once
        sorting += timed(np.ndarray.sort, given=packed.copy, repeats=1)[0]
    return {
        "times": {"groups": grouping, "np.sort": sorting},
        "counts": {"documents": len(packed), "groups": n_groups},
    }

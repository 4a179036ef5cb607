"""The experiment of McSherry & Najork: each measure with ties averaged, and with ties broken by document id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Generic, TypeVar

import numpy as np

from bench.clock import Outcome, Times, Values, timed
from bench.data import columns
from bench.spelling import SIX
from bench.textbook import TEXTBOOK, Ranked, ranked
from tiecore.collection.align import Alignment, FeatureRows, align
from tiecore.measures import measure
from tiecore.ties.groups import TieGroups

__all__ = ["paper"]

_Sorted = TypeVar("_Sorted", TieGroups, Ranked)


_Blocks = list[tuple[FeatureRows, np.ndarray]]
"""Rows of successive queries, as tiecore takes them, each with the ranks of the document ids inside their query."""


@dataclass(frozen=True, slots=True)
class _Way(Generic[_Sorted]):
    """How to come from scores to values per query."""

    sort: Callable[[FeatureRows, np.ndarray], _Sorted]
    value: Callable[[_Sorted], np.ndarray]

    def values(self, blocks: list[_Sorted]) -> list[np.ndarray]:
        return [self.value(block) for block in blocks]

    def whole(self, blocks: _Blocks) -> list[np.ndarray]:
        return [self.value(self.sort(rows, docid)) for rows, docid in blocks]

    def times(self, fresh: Callable[[], _Blocks]) -> tuple[Times, Times, float]:
        """Times of the whole and without the sort, and the mean over queries."""
        whole, found = timed(self.whole, given=fresh, repeats=1, warm_up=False)
        alone, _ = timed(
            self.values,
            given=lambda: [self.sort(rows, docid) for rows, docid in fresh()],
            repeats=1,
            warm_up=False,
        )
        return whole, alone, float(np.concatenate(found).mean())


def paper(*, n_queries: int, feature: str, repeats: int) -> Outcome:
    """Three ways from the same arrays: score, query and grade level, and the rank of the id inside its query.

    ``aware``
        sort by score, cut into tie groups, expectation of the measure.
    ``oblivious``
        sort by score and id, groups of one document, the same function of the measure.
    ``textbook``
        sort by score and id, the textbook formula on the grades in their order.
    """
    source = columns([feature], n_queries=n_queries)
    alignment = align(source.judgments(), [(feature, source.run(feature), feature)])
    docid = [block.docid_order() for block in alignment.rows(feature).blocks()]
    public = [attribute.name for attribute in fields(Alignment) if not attribute.name.startswith("_")]

    def fresh() -> _Blocks:
        """Rows of which nothing is known but what was read: no sums that an earlier measure has left behind."""
        again = Alignment(**{name: getattr(alignment, name) for name in public})
        blocks = list(again.rows(feature).blocks())
        for block in blocks:
            again.judged_between(block.first_query, block.first_query + block.n_queries)
        return list(zip(blocks, docid, strict=True))

    times: dict[str, Times] = {}
    values: Values = {"aware": {}, "oblivious": {}, "textbook": {}}
    for name in SIX:
        expected = measure(name).expected
        ways: dict[str, _Way[TieGroups] | _Way[Ranked]] = {
            "aware": _Way(lambda rows, _: rows.groups(), expected),
            "oblivious": _Way(FeatureRows.groups, expected),
            "textbook": _Way(ranked, TEXTBOOK[name]),
        }
        for turn in range(repeats + 1):
            for label, way in ways.items():
                whole, alone, values[label][name] = way.times(fresh)
                if turn > 0:  # the first fills the tables of harmonic numbers and the like
                    times.setdefault(f"{name} {label} whole", []).extend(whole)
                    times.setdefault(f"{name} {label}", []).extend(alone)
    return {
        "times": times,
        "values": values,
        "counts": {"documents": len(source.grade), "queries": n_queries},
    }

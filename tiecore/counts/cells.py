"""Cells of a table of counts: its rows in the order in which evaluation goes through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.errors import FormatError
from tiecore.ties.groups import UNJUDGED
from tiecore.ties.segments import starts

__all__ = ["Cells", "Facts", "Heads", "Judged", "Layout", "Runs", "level_of"]

_FEW_SLOTS = 4
"""Grades of all queries for each row up to which counting them takes less time than sorting."""
_MOST_GRADES = 1 << 16
"""Span of grades up to which levels are looked up instead of searched."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The judged documents of a table of counts."""

    query_ids: pa.Array
    """(n_queries,) in the order in which queries are numbered."""
    grades: np.ndarray
    """(n_levels,) grade of each level; level 0 is ``UNJUDGED``."""
    query: np.ndarray
    """(n_cells,) ascending."""
    level: np.ndarray
    """(n_cells,) ascending inside a query."""
    documents: np.ndarray
    """(n_cells,)"""

    @classmethod
    def of(cls, rows: pa.Table, source: str) -> Self:
        """Add up the rows without a feature, each of which counts a document at least."""
        runs = [Runs.of(batch["query_id"]) for batch in rows.to_batches()]
        ids = pa.concat_arrays([run.ids for run in runs])
        query_ids = pc.unique(ids)
        # as a rule the rows of a query stand together, in one batch
        is_once = len(query_ids) == len(ids)
        place = np.arange(len(ids)) if is_once else pc.index_in(ids, value_set=query_ids).to_numpy().astype(np.int64)
        number = np.repeat(place, np.concatenate([run.lengths for run in runs]))
        levels = np.concatenate([[UNJUDGED], np.sort(pc.unique(rows["grade"]).to_numpy())])
        n_levels = len(levels)
        slot = number * n_levels + level_of(rows["grade"], levels, source)
        n = rows["n"].to_numpy()
        if len(query_ids) * n_levels <= _FEW_SLOTS * len(slot):  # counted sooner than sorted
            documents = np.bincount(slot, weights=n)
            cells = np.flatnonzero(documents)
            documents = documents[cells]
        else:
            cells, cell_of_row = np.unique(slot, return_inverse=True)
            documents = np.bincount(cell_of_row, weights=n)
        return cls(query_ids, levels, cells // n_levels, cells % n_levels, documents.astype(np.int64))


class Runs(NamedTuple):
    """Rows of one query each, neighbours in a part of a column: id of each query, and how many rows."""

    ids: pa.Array
    lengths: np.ndarray

    @classmethod
    def of(cls, queries: pa.DictionaryArray) -> Self:
        """Find where the query changes; none of them is null."""
        code = queries.indices.to_numpy()
        first = starts(code)
        return cls(queries.dictionary.take(pa.array(code[first])), np.diff(first, append=len(code)))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Cells:
    """A table of counts without features counted together: judged documents, then each feature, all by query."""

    query_ids: pa.Array
    """(n_queries,) judged queries."""
    grades: np.ndarray
    """(n_levels,) grade of each level; level 0 is ``UNJUDGED``."""
    n_judged: int
    """Cells of judged documents, which stand in front."""
    query: np.ndarray
    """(n_cells,)"""
    level: np.ndarray
    """(n_cells,) grade level, 0 for unjudged."""
    documents: np.ndarray
    """(n_cells,)"""
    cells: Mapping[str, range]
    """Cells of each feature that has any."""
    scores: Mapping[str, np.ndarray]
    """Scores of its cells."""
    _memo: dict[str, pa.Table] = field(default_factory=dict, repr=False)

    @property
    def table(self) -> pa.Table:
        """Return the rows of the table of counts, made when first asked for."""
        if "table" not in self._memo:
            self._memo["table"] = self._as_table()
        return self._memo["table"]

    def _as_table(self) -> pa.Table:
        n_cells = len(self.query)
        feature = np.zeros(n_cells, dtype=np.int32)
        columns: dict[str, pa.Array] = {"score_int": pa.nulls(n_cells), "score_double": pa.nulls(n_cells)}
        for place, cells in enumerate(self.cells.values()):
            feature[cells.start : cells.stop] = place
        for name, is_own in (("score_int", lambda kind: kind in "i"), ("score_double", lambda kind: kind == "f")):
            own = [one for one, scores in self.scores.items() if is_own(scores.dtype.kind)]
            if own:
                scores = np.zeros(n_cells, dtype=np.result_type(*(self.scores[one].dtype for one in own)))
                lacks = np.ones(n_cells, dtype=bool)
                for one in own:
                    which = slice(self.cells[one].start, self.cells[one].stop)
                    scores[which], lacks[which] = self.scores[one], False
                columns[name] = pa.array(scores, mask=lacks)
        is_judged = np.arange(n_cells) < self.n_judged
        features = pa.DictionaryArray.from_arrays(pa.array(feature, mask=is_judged), pa.array(self.cells, pa.string()))
        grades = np.where(self.level > 0, self.grades[self.level], 0)
        table = pa.table(
            {
                "feature": features,
                "query_id": pa.DictionaryArray.from_arrays(pa.array(self.query), self.query_ids),
                **columns,
                "grade": pa.array(grades, mask=self.level == 0),
                "n": pa.array(self.documents),
                "joint": pa.nulls(n_cells),
            }
        )
        # the highest grade of a query comes first, as in the rows of a feature
        order = np.lexsort((-self.level[: self.n_judged].astype(np.int64), self.query[: self.n_judged]))
        return pa.concat_tables([table.take(order), table.slice(self.n_judged)])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Heads:
    """The heads of the lists of a file that has them first, and how to come by the rest of the file."""

    cells: Cells
    """Judged documents, and the heads."""
    layout: Layout
    ascending: frozenset[str]
    """Features of which low scores stand in the heads."""
    read: Callable[[Cells], Cells]
    """Reads the rest and joins it to the heads."""
    _memo: dict[str, Cells] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    @property
    def whole(self) -> Cells:
        """Return all cells, read when first asked for."""
        with self._lock:
            if "whole" not in self._memo:
                self._memo["whole"] = self.read(self.cells)
        return self._memo["whole"]

    def facts(self, feature: str) -> Facts:
        """Return what the file says about a feature; it may have no row."""
        return self.layout.features.get(feature, Facts(0, 0, 0))

    def suffices(self, feature: str, *, depth: int | None, is_ascending: bool) -> bool:
        """Return whether the heads show all that is to be seen of a feature down to some depth."""
        return depth is not None and depth <= self.layout.depth and is_ascending == (feature in self.ascending)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a file says about the heads of its lists; see docs/counts.md."""

    depth: int
    """Rows whose score is reached among so many documents are in the heads."""
    head_rows: int
    """Rows in front: of judged documents, and of the heads."""
    rows: int
    """All rows of the file."""
    features: Mapping[str, Facts]
    """What each feature has that has any rows."""


class Facts(NamedTuple):
    """What a feature has, heads and rest taken together."""

    rows: int
    documents: int
    judged: int
    """Documents that are judged."""


def level_of(grade: pa.Array | pa.ChunkedArray, levels: np.ndarray, source: str) -> np.ndarray:
    """(n_rows,) grade level, 0 for unjudged."""
    kind = np.min_scalar_type(len(levels))
    known = levels[1:]
    is_judged = None if not grade.null_count else grade.is_valid().to_numpy(zero_copy_only=False)
    values = (grade if is_judged is None else grade.fill_null(int(known[0]))).to_numpy()
    least, most = int(values.min()), int(values.max())
    if most - least < _MOST_GRADES:
        table = np.zeros(most - least + 1, dtype=kind)
        inside = (known >= least) & (known <= most)
        table[known[inside] - least] = np.flatnonzero(inside) + 1
        level = table[values.astype(np.int64) - least]
    else:
        place = np.searchsorted(known, values).clip(max=len(known) - 1)
        level = np.where(known[place] == values, place + 1, 0).astype(kind)
    if not level.all():
        found = int(values[np.argmin(level)])
        problem = f"a feature counts documents of grade {found}, but no row without a feature has that grade"
        raise FormatError(source, None, f"{problem}: count all judged documents there")
    return level if is_judged is None else np.where(is_judged, level, kind.type(0))

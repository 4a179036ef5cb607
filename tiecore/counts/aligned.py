"""A table of counts in the place of judgments and features brought together: cells instead of documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.collection.align import Unmatched
from tiecore.collection.alignment import Alignment, Block, Match, Source
from tiecore.collection.mismatches import check_left_out, shown_ids
from tiecore.collection.rows import FeatureRows
from tiecore.counts.table import MOST_DOCUMENTS, Counts
from tiecore.errors import AlignmentError, FormatError, TiecoreError, listed, shortened
from tiecore.threads import in_threads
from tiecore.ties.groups import UNJUDGED
from tiecore.ties.keys import changes, to_precision, with_unscored

_BLOCK = 1 << 17
"""Cells of a block of queries for each feature: what is computed on the way then stays in the processor's cache."""
_AT_ONCE = 1 << 14
"""Cells that are added up at once, likewise."""
_MOST_SLOTS = 1 << 25
"""Queries times grades: documents are added up for each of them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Documents of one query and grade each, by query."""

    query: np.ndarray
    """(n_cells,) ascending."""
    level: np.ndarray
    """(n_cells,) grade level, 0 for unjudged."""
    n: np.ndarray
    """(n_cells,) documents of each cell."""

    @classmethod
    def concatenated(cls, several: Sequence[_Cells]) -> _Cells:
        """Put cells one behind the other."""
        columns = zip(*((own.query, own.level, own.n) for own in several), strict=True)
        return cls(*map(np.concatenate, columns))

    def some(self, which: np.ndarray | slice) -> _Cells:
        """Take some cells, in any order."""
        return _Cells(self.query[which], self.level[which], self.n[which])


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedSource(Source):
    """The cells of a feature, and the score of each."""

    cells: _Cells
    place: np.ndarray | None
    """(n_cells,) cells of the pool, of a feature that is counted together with others."""
    unscored: np.ndarray
    """(n_judged,) documents of each judged cell that neither it scores nor any that is counted together with it."""


def aligned(
    counts: Counts,
    *,
    only: Sequence[str] | None = None,
    ascending: Sequence[str] = (),
    unmatched: Unmatched | Literal["keep"] = "refuse",
) -> CountedAlignment:
    """Bring the judgments and features of a table of counts together, as ``align`` does with files of documents.

    ``only`` names the features that take part, in this order; ``ascending`` adds to those that the table itself names.
    """
    features = counts.features if only is None else tuple(only)
    for name in ascending:
        if name not in features:
            raise TiecoreError(f"ascending names {name!r}, which is no feature; there are {', '.join(features)}")
    read = _Reader.of(counts)
    parts = dict(zip(features, in_threads(lambda name: read.feature(counts, name), features), strict=True))
    omitted: dict[str, str] = {}
    for name, (source, _) in parts.items():
        if unmatched != "keep" and len(counts.scored[name]) and not source.cells.level.any():
            ids = pc.unique(counts.scored[name]["query_id"]).dictionary_decode()
            omitted[name] = (
                f"{counts.source}: no document that {shortened(name)} scores is judged: it counts queries "
                f"{shown_ids(ids)}, the judgments {shown_ids(read.query_ids)}; look for a prefix"
            )
    check_left_out(omitted, len(parts), unmatched)
    pool, sources = read.joined({name: part for name, part in parts.items() if name not in omitted})
    lower_is_better = {*(name for name in counts.ascending if name in features), *ascending}
    return CountedAlignment(
        query_ids=read.query_ids,
        document_ids=pa.nulls(0, pa.string()),
        query=pool.query,
        level=pool.level,
        grades=read.levels.fill_null(UNJUDGED).to_numpy(),
        n_judged=len(read.judged.query),
        by_query=np.argsort(pool.query, kind="stable"),
        begins=np.append(0, np.cumsum(np.bincount(pool.query, minlength=len(read.query_ids)))),
        ascending=frozenset(lower_is_better - omitted.keys()),
        sources=sources,
        omitted=omitted,
        n_alike=pool.n,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Reader:
    """Turns rows of a table of counts into cells."""

    source: str
    query_ids: pa.Array
    """(n_queries,) judged queries."""
    levels: pa.Array
    """(n_levels,) grades, of which the first one is null."""
    judged: _Cells
    """Judged documents, one cell for each query and grade."""

    @classmethod
    def of(cls, counts: Counts) -> _Reader:
        """Read the judgments."""
        grades = pc.unique(counts.judged["grade"]).cast(pa.int64()).sort()
        levels, query_ids = pa.concat_arrays([pa.nulls(1, pa.int64()), grades]), counts.judged_queries()
        if len(query_ids) * len(levels) > _MOST_SLOTS:
            problem = f"has {len(grades):,} grades and {len(query_ids):,} queries, more than {_MOST_SLOTS:,} of both"
            raise FormatError(counts.source, None, f"{problem} together: count grades that matter alike as one")
        nothing = np.zeros(0, dtype=np.int32)
        read = cls(counts.source, query_ids, levels, _Cells(nothing, nothing, nothing))
        cells, _ = read.cells(counts.judged)
        of_level = read.of_levels(cells, "the judgments count")
        query, level = np.nonzero(of_level)
        columns = query.astype(np.int32), level.astype(cells.level.dtype), of_level[query, level].astype(np.int32)
        return replace(read, judged=_Cells(*columns))

    def cells(self, rows: pa.Table) -> tuple[_Cells, np.ndarray | None]:
        """Return the cells of judged queries, by query, and the rows that they were; None for all rows in turn."""
        ids, grade = rows["query_id"].combine_chunks(), rows["grade"].combine_chunks()
        number = pc.index_in(ids.dictionary, value_set=self.query_ids).fill_null(-1).to_numpy().astype(np.int32)
        level = pc.index_in(grade.cast(pa.int64()), value_set=self.levels)
        if level.null_count:
            found = grade[pc.index(level.is_null(), True).as_py()]
            problem = f"a feature counts documents of grade {found}, but no row without a feature has that grade"
            raise FormatError(self.source, None, f"{problem}: count all judged documents there")
        levels = level.to_numpy().astype(np.min_scalar_type(len(self.levels)))
        cells = _Cells(number[ids.indices.to_numpy()], levels, rows["n"].to_numpy())
        query = cells.query
        if (query[1:] >= query[:-1]).all() and (not len(query) or query[0] >= 0):
            return cells, None
        order = np.argsort(query, kind="stable")
        order = order[np.searchsorted(query[order], 0) :]  # those of queries that are not judged stand in front
        return cells.some(order), order

    def of_levels(self, cells: _Cells, what: str) -> np.ndarray:
        """(n_queries, n_levels) documents of some cells; refused where a query has too many."""
        documents, n_levels = np.zeros((len(self.query_ids), len(self.levels))), len(self.levels)
        for begin in range(0, len(cells.query), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
            first, end = int(cells.query[begin]), int(cells.query[some][-1]) + 1
            slot = (cells.query[some] - first) * np.int64(n_levels) + cells.level[some]
            found = np.bincount(slot, weights=cells.n[some], minlength=(end - first) * n_levels)
            documents[first:end] += found.reshape(-1, n_levels)
        is_beyond: np.ndarray = documents.sum(axis=1) > MOST_DOCUMENTS
        if is_beyond.any():
            problem = f"{what} more than {MOST_DOCUMENTS:,} documents in query {self._first(is_beyond)}"
            raise FormatError(self.source, None, f"{problem}, the most that a query may have")
        return documents

    def unscored(self, cells: _Cells, what: str) -> np.ndarray:
        """(n_judged,) documents of each judged cell that are in none of some cells; refused where these are more."""
        left = -self.of_levels(cells, what)
        judged = self.judged
        left[judged.query, judged.level] += judged.n
        is_surplus: np.ndarray = left[:, 1:].min(axis=1, initial=0) < 0
        if is_surplus.any():
            raise AlignmentError(
                f"{what} more judged documents of a grade in query {self._first(is_surplus)} "
                "than the rows without a feature: count each document once, and all judged ones"
            )
        return left[judged.query, judged.level].astype(np.int32)

    def _first(self, which: np.ndarray) -> str:
        return shortened(self.query_ids[int(np.argmax(which))].as_py())

    def feature(self, counts: Counts, name: str) -> tuple[CountedSource, np.ndarray | None]:
        """Return the cells of a feature, and their numbers if it is counted together with others."""
        rows = counts.scored[name]
        cells, order = self.cells(rows)
        n_unknown_queries, n_unknown = 0, 0
        if len(cells.query) < len(rows):
            is_known = pc.is_in(rows["query_id"].combine_chunks().dictionary_decode(), value_set=self.query_ids)
            unknown = rows.filter(pc.invert(is_known))
            n_unknown_queries, n_unknown = len(pc.unique(unknown["query_id"])), pc.sum(unknown["n"]).as_py()
        own = [rows[column] for column in ("score_int", "score_double") if not rows[column].null_count]
        scores = own[0].to_numpy() if len(rows) else np.zeros(0)
        left_out = counts.left_out.get(name, (0, 0))
        is_joint = name in counts.joint or (len(counts.joint) > 0 and not len(rows))
        number = rows["joint"].to_numpy() if is_joint else None
        if order is not None:
            scores, number = scores[order], None if number is None else number[order]
        source = CountedSource(
            file=self.source,
            columns={name: scores},
            column=name,
            match=Match(None, np.zeros(0, dtype=np.int64), left_out[0] + n_unknown_queries, left_out[1] + n_unknown),
            cells=cells,
            place=None,
            unscored=self.unscored(cells, f"feature {shortened(name)} counts"),
        )
        return source, number

    def joined(
        self, parts: Mapping[str, tuple[CountedSource, np.ndarray | None]]
    ) -> tuple[_Cells, dict[str, CountedSource]]:
        """Return the pool, judged documents and cells of features counted together, and the places of these there."""
        sources = {name: source for name, (source, _) in parts.items()}
        numbers = {name: number for name, (_, number) in parts.items() if number is not None}
        if not numbers:
            return self.judged, sources
        every = _Cells.concatenated([sources[name].cells for name in numbers])
        number = np.concatenate(list(numbers.values()))
        order = np.lexsort((number, every.query))
        is_first = changes(every.query[order]) | changes(number[order])
        joint = every.some(order[is_first])
        cell = np.empty(len(order), dtype=np.int64)
        cell[order] = np.cumsum(is_first) - 1
        if (every.level != joint.level[cell]).any() or (every.n != joint.n[cell]).any():
            problem = "rows of a query with the same number in 'joint' count the same documents"
            raise FormatError(self.source, None, f"{problem}, so they need the same grade and the same n")
        unscored = self.unscored(joint, f"features {listed(list(numbers))}, together, count")
        ends = np.cumsum([len(own) for own in numbers.values()])[:-1]
        for name, place in zip(numbers, np.split(len(self.judged.query) + cell, ends), strict=True):
            if len(np.unique(place)) < len(place):
                problem = f"{shortened(name)} has several rows of a query with the same number in 'joint'; expected one"
                raise FormatError(self.source, None, problem)
            sources[name] = replace(sources[name], place=place, unscored=unscored)
        return _Cells.concatenated([self.judged, joint]), sources


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedAlignment(Alignment):
    """Judged queries of a table of counts; what is a document elsewhere is a cell: documents alike, and how many.

    The pool is the judged documents by query and grade, then the cells of features that are counted together. The cells
    of each other feature are in its source.
    """

    sources: Mapping[str, CountedSource]
    """By name of the feature."""
    n_alike: np.ndarray

    def blocks(self) -> list[Block]:
        """Queries in blocks of about as many cells, the same for copies with fewer features, which share the groups."""

        def compute() -> list[Block]:
            queries = np.arange(1, self.n_queries + 1, dtype=np.int32)
            ends = sum(np.searchsorted(source.cells.query, queries) for source in self.sources.values())
            size = _BLOCK * max(1, len(self.sources))
            inner = np.searchsorted(ends, np.arange(size, self.n_ranked(), size))
            return list(pairwise(sorted({0, *inner.tolist(), self.n_queries})))

        return self.cache.once("blocks", compute)

    def n_ranked(self) -> int:
        """Cells that the features rank, taken together."""
        return sum(len(source.cells.query) for source in self.sources.values())

    def is_joint(self, name: str) -> bool:
        """Return whether the scores of a feature are counted together with those of others."""
        return self.sources[name].place is not None

    def rows(
        self,
        feature: str,
        *,
        queries: Block | None = None,
        precision: str = "float64",
        missing: str = "unranked",
    ) -> FeatureRows:
        """Cells of a feature, with their scores."""
        first, end = queries or (0, self.n_queries)
        source = self.sources[feature]
        # of the type of the queries: another one would copy all of them
        own = slice(*np.searchsorted(source.cells.query, np.array([first, end], dtype=source.cells.query.dtype)))
        cells, scores = source.cells.some(own), to_precision(source.columns[source.column][own], precision)
        place = np.arange(own.start, own.stop) if source.place is None else source.place[own]
        if missing == "last":
            # judged documents that it does not score; those that another one scores with it are in a cell of their own
            left = np.where((self.level > 0) & (self.query >= first) & (self.query < end), self.n_alike, 0)
            left[: self.n_judged] = np.minimum(left[: self.n_judged], source.unscored)
            left[slice(self.n_judged, None) if source.place is None else source.place] = 0
            pool = _Cells(self.query, self.level, left)
            others = np.flatnonzero(left)
            others = others[np.argsort(pool.query[others], kind="stable")]
            cells = _Cells.concatenated([cells, pool.some(others)])
            place = np.concatenate([place, others])
            scores = with_unscored(scores, len(others))
        query = cells.query - cells.query.dtype.type(first)
        rows = self, feature, feature in self.ascending, place, query, cells.level, scores, place
        return FeatureRows(*rows, precision, first, end - first, cells.n)

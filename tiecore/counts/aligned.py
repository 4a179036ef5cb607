"""A table of counts in the place of judgments and features brought together: cells instead of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.collection.align import Unmatched
from tiecore.collection.alignment import Alignment, Queries, Source
from tiecore.collection.join import Match, shown_ids
from tiecore.collection.rows import FeatureRows
from tiecore.counts.table import MOST_DOCUMENTS, Counts
from tiecore.errors import AlignmentError, FormatError, TiecoreError, shortened
from tiecore.formats.records import Records
from tiecore.threads import in_threads
from tiecore.ties.groups import UNJUDGED, TieGroups
from tiecore.ties.keys import to_precision, with_unscored
from tiecore.ties.segments import changes

__all__ = ["CountedAlignment", "CountedRows", "CountedSource", "aligned"]

_BLOCK = 1 << 17
"""Cells of a block of queries for each feature: what is computed on the way then stays in the processor's cache."""
_AT_ONCE = 1 << 16
"""Cells that are added up at once, likewise."""
_FEW_CELLS = 1024


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

    def of_levels(self, n_queries: int, n_levels: int) -> np.ndarray:
        """(n_queries, n_levels) documents; as floats, which tell too many from any number that wraps."""
        documents = np.zeros((n_queries, n_levels))
        for begin in range(0, len(self.query), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
            first, last = int(self.query[begin]), int(self.query[some][-1])
            slot = (self.query[some] - first) * np.int64(n_levels) + self.level[some]
            n_slots = (last + 1 - first) * n_levels
            found = np.bincount(slot, weights=self.n[some], minlength=n_slots)
            documents[first : last + 1] += found.reshape(-1, n_levels)
        return documents


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedSource(Source):
    """The cells of a feature, and their scores among the records."""

    cells: _Cells
    place: np.ndarray | None
    """(n_cells,) cells of the pool, of a feature that is counted together with others."""
    of_level: np.ndarray
    """(n_queries, n_levels) documents that the feature scores."""

    @property
    def scores(self) -> np.ndarray:
        """(n_cells,) score of each cell."""
        return self.records.features[self.column]


def aligned(
    counts: Counts,
    *,
    only: Sequence[str] | None = None,
    ascending: Sequence[str] = (),
    unmatched: Unmatched | Literal["keep"] = "refuse",
) -> CountedAlignment:
    """Bring the judgments and features of a table of counts together, as ``align`` does with files of documents.

    Parameters
    ----------
    counts
        The table.
    only
        Features that take part, in this order; None takes all.
    ascending
        Features for which lower is better, besides those that the table itself names.
    unmatched
        As for ``align``.
    """
    features = counts.features if only is None else tuple(only)
    for name in ascending:
        if name not in features:
            raise TiecoreError(f"ascending names {name!r}, which is no feature; there are {', '.join(features)}")
    query_ids = counts.judged_queries()
    grades = pc.unique(counts.judged["grade"]).sort()
    levels = pa.concat_arrays([pa.nulls(1, grades.type), grades])
    read = _Reader(counts.source, query_ids, levels)
    judged, _ = read.cells(counts.judged)
    judged_of_level = judged.of_levels(len(query_ids), len(levels))
    read.check(judged_of_level, "the judgments count")
    query, level = np.nonzero(judged_of_level)
    judged = _Cells(query.astype(np.int32), level.astype(judged.level.dtype), judged_of_level[query, level].astype(int))

    parts = dict(zip(features, in_threads(lambda name: read.feature(counts, name), features), strict=True))
    omitted = {}
    for name, (source, _) in parts.items():
        if len(counts.scored[name]) and not source.of_level[:, 1:].any() and unmatched != "keep":
            ids = pc.unique(counts.scored[name]["query_id"]).dictionary_decode()
            problem = (
                f"{counts.source}: no document that {shortened(name)} scores is judged: it counts queries "
                f"{shown_ids(ids)}, the judgments {shown_ids(query_ids)}"
            )
            if unmatched == "refuse":
                raise AlignmentError(
                    f"{problem}; look for a prefix, or leave such features out: unmatched='omit', "
                    "in the command --unmatched omit"
                )
            omitted[name] = problem
    parts = {name: part for name, part in parts.items() if name not in omitted}
    if not parts:
        raise AlignmentError(next(iter(omitted.values())))
    pool, sources = read.joined(judged, parts)
    joint_of_level = pool.some(slice(len(judged.query), None)).of_levels(*judged_of_level.shape)
    for name, source in sources.items():
        read.check(source.of_level, f"feature {shortened(name)} counts")
        of_level = source.of_level if source.place is None else joint_of_level
        too_many = (of_level[:, 1:] > judged_of_level[:, 1:]).any(axis=1)
        if too_many.any():
            query_id = query_ids[int(np.argmax(too_many))].as_py()
            raise AlignmentError(
                f"feature {shortened(name)} counts more judged documents of a grade in query {shortened(query_id)} "
                "than the rows without a feature: count each document once, and all judged ones"
            )
    lower_is_better = {*(name for name in counts.ascending if name in features), *ascending}
    return CountedAlignment(
        query_ids=query_ids,
        document_ids=pa.nulls(0, pa.string()),
        query=pool.query,
        level=pool.level,
        grades=np.concatenate([[UNJUDGED], grades.to_numpy()]),
        n_judged=len(judged.query),
        by_query=np.argsort(pool.query, kind="stable"),
        ends=np.cumsum(np.bincount(pool.query, minlength=len(query_ids))),
        ascending=frozenset(lower_is_better - omitted.keys()),
        sources=sources,
        omitted=omitted,
        documents=pool.n,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Reader:
    """Turns rows of a table of counts into cells."""

    source: str
    query_ids: pa.Array
    levels: pa.Array
    """(n_levels,) grades, of which the first one is null."""

    def cells(self, rows: pa.Table) -> tuple[_Cells, np.ndarray | None]:
        """Return the cells of judged queries, by query, and the rows that they were; None for all rows in turn."""
        ids, grade = rows["query_id"].combine_chunks(), rows["grade"].combine_chunks()
        number = pc.index_in(ids.dictionary, value_set=self.query_ids).fill_null(-1).to_numpy().astype(np.int32)
        is_narrow = pa.types.is_null(grade.type) or grade.type.bit_width < self.levels.type.bit_width
        kind = self.levels.type if is_narrow else grade.type
        level = pc.index_in(grade.cast(kind), value_set=self.levels.cast(kind))
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
            records=Records(
                source=self.source,
                kind="memory",
                query=pa.DictionaryArray.from_arrays(pa.array([], pa.int32()), self.query_ids),
                document=pa.nulls(0, pa.string()),
                features={name: scores},
            ),
            column=name,
            match=Match(None, np.zeros(0, dtype=np.int64), left_out[0] + n_unknown_queries, left_out[1] + n_unknown),
            cells=cells,
            place=None,
            of_level=cells.of_levels(len(self.query_ids), len(self.levels)),
        )
        return source, number

    def joined(
        self, judged: _Cells, parts: Mapping[str, tuple[CountedSource, np.ndarray | None]]
    ) -> tuple[_Cells, dict[str, CountedSource]]:
        """Return the pool, judged documents and cells of features counted together, and the places of these there."""
        sources = {name: source for name, (source, _) in parts.items()}
        numbers = {name: number for name, (_, number) in parts.items() if number is not None}
        if not numbers:
            return judged, sources
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
        ends = np.cumsum([len(own) for own in numbers.values()])[:-1]
        for name, place in zip(numbers, np.split(len(judged.query) + cell, ends), strict=True):
            if len(np.unique(place)) < len(place):
                problem = f"{shortened(name)} has several rows of a query with the same number in 'joint'; expected one"
                raise FormatError(self.source, None, problem)
            sources[name] = replace(sources[name], place=place)
        return _Cells.concatenated([judged, joint]), sources

    def check(self, of_level: np.ndarray, what: str) -> None:
        """Refuse queries of too many documents."""
        documents = of_level.sum(axis=1)
        if (documents > MOST_DOCUMENTS).any():
            query_id = self.query_ids[int(np.argmax(documents > MOST_DOCUMENTS))].as_py()
            problem = f"{what} more than {MOST_DOCUMENTS:,} documents in query {shortened(query_id)}"
            raise FormatError(self.source, None, f"{problem}, the most that a query may have")


def _refuse(what: str) -> NoReturn:
    raise TiecoreError(
        f"{what} needs documents, and a table of counts holds none: evaluate the files that it was made from"
    )


def _refuse_apart(what: str) -> NoReturn:
    raise TiecoreError(
        f"{what} needs documents, or the counts of both features together: count them with the option joint"
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedAlignment(Alignment):
    """Judged queries of a table of counts; what is a document elsewhere is a cell: documents alike, and how many.

    The pool is the judged documents by query and grade, then the cells of features that are counted together. The cells
    of each other feature are in its source.
    """

    sources: Mapping[str, CountedSource]
    """By name of the feature."""
    documents: np.ndarray
    """(n_cells,) documents of each cell of the pool."""

    def blocks(self) -> list[Queries]:
        """Queries in blocks of about as many cells."""
        queries = np.arange(1, self.n_queries + 1, dtype=np.int32)
        ends = sum(np.searchsorted(source.cells.query, queries) for source in self.sources.values())
        size = _BLOCK * max(1, len(self.sources))
        inner = np.searchsorted(ends, np.arange(size, self.n_ranked(), size))
        return list(pairwise(sorted({0, *inner.tolist(), self.n_queries})))

    def n_ranked(self, names: Iterable[str] | None = None) -> int:
        """Cells that the features rank, or some of them, taken together."""
        return sum(len(self.sources[name].cells.query) for name in (self.sources if names is None else names))

    def judged_documents(self) -> int:
        """Return how many documents are judged."""
        return int(self.documents[: self.n_judged].sum())

    def _ideal_ranking(self, first: int, end: int) -> TieGroups:
        begin, behind = np.searchsorted(self.query[: self.n_judged], [first, end])
        return TieGroups.from_grades(
            query=self.query[begin:behind] - first,
            level=self.level[begin:behind],
            grades=self.grades,
            n_queries=end - first,
            count=self.documents[begin:behind],
        )

    def check_documents(self, what: str) -> NoReturn:
        """Refuse what looks at single documents."""
        _refuse(what)

    def id_hashes(self, documents: np.ndarray) -> NoReturn:
        """Refuse: there are no ids."""
        _refuse("one random order of all documents (random:SEED, a shared order)")

    def listed(self, feature: str) -> np.ndarray:
        """(n_queries,) bool: queries for which the feature scores a document."""
        return self.sources[feature].of_level.sum(axis=1) > 0

    def n_scored(self, feature: str) -> tuple[int, int]:
        """Return how many documents a feature scores, and how many of them are judged."""
        of_level = self.sources[feature].of_level
        return int(of_level.sum()), int(of_level[:, 1:].sum())

    def is_surely_uneven(self, feature: str) -> bool:
        """Return whether it is known without a look at all cells that a feature is not constant in each query."""
        source = self.sources[feature]
        query, scores = source.cells.query[:_FEW_CELLS], source.scores[:_FEW_CELLS]
        return bool(((query[1:] == query[:-1]) & (scores[1:] != scores[:-1])).any())

    def is_joint(self, name: str) -> bool:
        """Return whether the scores of a feature are counted together with those of others."""
        return self.sources[name].place is not None

    def rows(
        self,
        feature: str,
        *,
        queries: Queries | None = None,
        precision: str = "float64",
        missing: str = "unranked",
    ) -> CountedRows:
        """Cells of a feature, with their scores."""
        first, end = queries or (0, self.n_queries)
        source = self.sources[feature]
        # of the type of the queries: another one would copy all of them
        own = slice(*np.searchsorted(source.cells.query, np.array([first, end], dtype=source.cells.query.dtype)))
        cells, scores = source.cells.some(own), to_precision(source.scores[own], precision)
        place = np.arange(own.start, own.stop) if source.place is None else source.place[own]
        if missing == "last":
            pool = _Cells(self.query, self.level, self._left_over(source))
            others = np.flatnonzero((pool.n > 0) & (pool.query >= first) & (pool.query < end))
            others = others[np.argsort(pool.query[others], kind="stable")]
            cells = _Cells.concatenated([cells, pool.some(others)])
            place = np.concatenate([place, others])
            scores = with_unscored(scores, len(others))
        query = cells.query - cells.query.dtype.type(first)
        return CountedRows(
            self, feature, place, query, cells.level, scores, place, precision, first, end - first, n=cells.n
        )

    def _left_over(self, source: CountedSource) -> np.ndarray:
        """(n_cells,) documents of the pool that are judged and that a feature does not score.

        Those that another feature scores which is counted together with it are in a cell of their own.
        """
        left = np.zeros(len(self.query), dtype=np.int64)
        judged = slice(self.n_judged)
        left[judged] = self.documents[judged] - source.of_level[self.query[judged], self.level[judged]]
        if source.place is not None:
            together = _Cells(self.query, self.level, self.documents).some(slice(self.n_judged, None))
            of_level = together.of_levels(*source.of_level.shape)
            left[judged] = self.documents[judged] - of_level[self.query[judged], self.level[judged]]
            left[self.n_judged :] = np.where(together.level > 0, together.n, 0)
            left[source.place] = 0
        return left


@dataclass(frozen=True, slots=True, eq=False)
class CountedRows(FeatureRows):
    """The cells of one feature, by query: each stands for several documents alike."""

    n: np.ndarray
    """(n_rows,) documents of each cell."""

    @property
    def n_alike(self) -> np.ndarray:
        """(n_rows,) documents that each row stands for."""
        return self.n

    def some(self, which: np.ndarray) -> CountedRows:
        """Some of the cells, in any order."""
        names = ("document", "query", "level", "scores", "row", "n")
        return replace(self, **{name: getattr(self, name)[which] for name in names})

    def n_scored(self) -> tuple[int, int]:
        """Return how many documents the feature scores, and how many of them are judged."""
        return self.alignment.n_scored(self.feature)

    def feature_code(self, name: str) -> np.ndarray:
        """(n_rows,) code of another feature's scores, where both are counted together."""
        alignment = self.alignment
        assert isinstance(alignment, CountedAlignment)
        if name in alignment.sources and not alignment.is_joint(name):
            _refuse_apart(f"tie-break {f'feature:{name}'!r}")
        if name in alignment.sources and not alignment.is_joint(self.feature):
            _refuse_apart(f"breaking the ties of {shortened(self.feature)} by {shortened(name)}")
        return FeatureRows.feature_code(self, name)

    def docid_order(self) -> NoReturn:
        """Refuse: there are no ids."""
        _refuse("a tie-break by document id")

    def input_order(self) -> NoReturn:
        """Refuse: there is no file of documents."""
        _refuse("a tie-break by the order of the file")

    def run_rank(self) -> NoReturn:
        """Refuse: there is no run."""
        _refuse("a tie-break by the rank column of a run")

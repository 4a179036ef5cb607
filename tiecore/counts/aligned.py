"""A table of counts in the place of judgments and features brought together: cells instead of documents."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Literal, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tiecore.collection.align import Alignment, FeatureRows, Source, Unmatched
from tiecore.collection.join import Match, shown_ids
from tiecore.counts.table import Counts, chosen
from tiecore.errors import AlignmentError, FormatError, TiecoreError, shortened
from tiecore.formats.records import Records
from tiecore.ranking.groups import UNJUDGED, TieGroups
from tiecore.ranking.keys import to_precision, with_unscored
from tiecore.ranking.segments import changes, ranges, starts
from tiecore.threads import in_threads

__all__ = ["CountedAlignment", "CountedRows", "aligned"]

_BLOCK = 1 << 17
"""Cells of a block of queries for each feature: what is computed on the way then stays in the processor's cache."""
_MOST_STRETCHES = 1 << 12
"""Stretches of one feature that are taken as they are: a table in sorted parts has one for each feature and part."""
_MOST_GRADES = 1 << 16
"""Span of grades up to which levels are looked up instead of searched."""


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

    The pool is the judged documents by query and grade, then the cells of features that are counted together, then
    those of each other feature.
    """

    documents: np.ndarray
    """(n_cells,) documents of each cell of the pool."""
    joint: range
    """Cells of the features that are counted together."""

    def block_bounds(self) -> list[int]:
        """First query of each block of about as many cells, and the number of queries behind them."""

        def compute() -> list[int]:
            cells = np.zeros(self.n_queries, dtype=np.int64)
            step = max(_BLOCK, self.n_queries)  # all at once would be widened first
            for begin in range(0, len(self.query), step):
                cells += np.bincount(self.query[begin : begin + step], minlength=self.n_queries)
            cells = np.cumsum(cells)
            size = _BLOCK * max(1, len(self.sources))
            inner = np.searchsorted(cells, np.arange(size, int(cells[-1]), size))
            return sorted({0, *inner.tolist(), self.n_queries})

        return self.once("block_bounds", compute)

    def judged_documents(self) -> int:
        """Return how many documents are judged."""
        return int(self.documents[: self.n_judged].sum())

    def judged_between(self, first: int, end: int) -> TieGroups:
        """Ideal ranking of the judged documents of some queries in a row, counted from the first of them."""

        def compute() -> TieGroups:
            begin, behind = np.searchsorted(self.query[: self.n_judged], [first, end])
            return TieGroups.from_grades(
                query=self.query[begin:behind] - first,
                level=self.level[begin:behind],
                grades=self.grades,
                n_queries=end - first,
                count=self.documents[begin:behind],
            )

        key: Hashable = ("judged", first, end)
        return self.once(key, compute)

    def check_documents(self, what: str) -> NoReturn:
        """Refuse what looks at single documents."""
        _refuse(what)

    def id_hash(self) -> NoReturn:
        """Refuse: there are no ids."""
        _refuse("one random order of all documents (random:SEED, a shared order)")

    def listed(self, feature: str) -> np.ndarray:
        """(n_queries,) bool: queries for which the feature scores a document."""

        def compute() -> np.ndarray:
            query = self.rows(feature).query  # ascending
            first = np.searchsorted(query, np.arange(self.n_queries + 1, dtype=query.dtype))
            return np.diff(first) > 0

        return self.once(("listed", feature), compute)

    def is_joint(self, name: str) -> bool:
        """Return whether the scores of a feature are counted together with those of others."""
        cell = self.sources[name].match.document
        return len(self.joint) > 0 and (not len(cell) or int(cell[0]) in self.joint)

    def feature_code(self, name: str, precision: str) -> np.ndarray:
        """(n_cells,) code of a feature's scores, where it is counted together with others; refused where it is not."""
        if name in self.sources and not self.is_joint(name):
            _refuse_apart(f"tie-break {f'feature:{name}'!r}")
        return Alignment.feature_code(self, name, precision)

    def rows(self, feature: str, *, precision: str = "float64", missing: str = "unranked") -> CountedRows:
        """Cells of a feature, with their scores."""
        source = self.sources[feature]
        cell = source.match.document
        own = slice(int(cell[0]), int(cell[-1]) + 1) if len(cell) else slice(0, 0)
        # the cells of a feature that is counted alone stand together: views are enough
        which = own if own.stop - own.start == len(cell) else cell
        query, level, documents = self.query[which], self.level[which], self.documents[which]
        scores = to_precision(source.records.features[source.column], precision)
        left, n_unscored = self.once(("unscored", feature), lambda: self._unscored(feature, cell)), 0
        if missing == "last":
            others = np.flatnonzero(left)
            others = others[np.argsort(self.query[others], kind="stable")]
            n_unscored = len(others)
            cell = np.concatenate([cell, others])
            query, level = np.concatenate([query, self.query[others]]), np.concatenate([level, self.level[others]])
            documents = np.concatenate([documents, left[others]])
            scores = with_unscored(scores, n_unscored)
        memo = {"query": query, "level": level}
        return CountedRows(self, feature, cell, scores, None, n_unscored, precision, documents=documents, _memo=memo)

    def _unscored(self, feature: str, cell: np.ndarray) -> np.ndarray:
        """(n_cells,) judged documents that a feature does not score, at the front of the pool.

        Those that another feature scores which is counted together with it are in a cell of their own.
        """
        n_levels = len(self.grades)
        # the cells of a feature that is counted alone stand together: views are enough
        known = slice(int(cell[0]), int(cell[-1]) + 1) if len(cell) else slice(0, 0)
        if self.is_joint(feature):
            known = slice(self.joint.start, self.joint.stop)
        own = self.query[: self.n_judged].astype(np.int64) * n_levels + self.level[: self.n_judged]  # ascending
        counted = np.zeros(self.n_queries * n_levels)
        step = max(_BLOCK, counted.size)  # all at once would be widened first
        for begin in range(known.start, known.stop, step):
            some = slice(begin, min(begin + step, known.stop))
            slot = self.query[some].astype(np.int64) * n_levels + self.level[some]
            counted += np.bincount(slot, weights=self.documents[some], minlength=counted.size)
        counted[::n_levels] = 0  # not judged
        left = np.zeros(self.joint.stop, dtype=np.int64)
        left[: self.n_judged] = self.documents[: self.n_judged] - counted[own]
        counted[own] = 0
        wrong = np.concatenate(
            [np.flatnonzero(counted) // n_levels, self.query[: self.n_judged][left[: self.n_judged] < 0]]
        )
        if len(wrong):
            query = self.query_ids[int(wrong[0])].as_py()
            raise AlignmentError(
                f"feature {shortened(feature)} counts more judged documents of a grade in query {shortened(query)} "
                "than the rows without a feature: count each document once, and all judged ones"
            )
        if self.is_joint(feature):
            left[self.joint.start :] = self.documents[known]
            left[cell] = 0
            left[known][self.level[known] == 0] = 0
        return left


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedRows(FeatureRows):
    """The cells of one feature, by query: each stands for several documents alike."""

    documents: np.ndarray
    """(n_rows,) documents of each cell."""

    @property
    def count(self) -> np.ndarray:
        """(n_rows,) documents that each row stands for."""
        return self.documents

    def blocks(self) -> Iterator[CountedRows]:
        """Yield the cells of a block of queries after the other."""
        n_scored = len(self.document) - self.n_unscored
        bounds = self.alignment.block_bounds()
        sought = np.asarray(bounds, dtype=self.query.dtype)  # of its own type: another one would copy all queries
        scored = np.searchsorted(self.query[:n_scored], sought)
        unscored = n_scored + np.searchsorted(self.query[n_scored:], sought)
        for block, (first, end) in enumerate(pairwise(bounds)):
            own, others = slice(*scored[block : block + 2]), slice(*unscored[block : block + 2])
            which = own if others.start == others.stop else np.r_[own, others]
            yield replace(
                self,
                document=self.document[which],
                scores=self.scores[which],
                documents=self.documents[which],
                n_unscored=int(others.stop - others.start),
                first_query=first,
                end_query=end,
                _memo={"query": self.query[which] - self.query.dtype.type(first), "level": self.level[which]},
            )

    def some(self, kept: np.ndarray) -> CountedRows:
        """Only some of the cells, ascending."""
        some = FeatureRows.some(self, kept)
        assert isinstance(some, CountedRows)
        return replace(some, documents=self.documents[kept])

    def head(self, depth: int) -> CountedRows:
        """Only the rows whose tie group begins among the first ``depth`` documents of its query.

        All rows, where a query does not list them by score: finding the first ones would take as long as sorting all.
        """
        scores = np.ma.getdata(self.scores)
        together = self.query[1:] == self.query[:-1]
        rises, falls = ((order(scores[1:], scores[:-1]) & together).any() for order in (np.greater, np.less))
        if self.feature in self.alignment.ascending:
            rises, falls = falls, rises
        if self.n_unscored or (rises and falls):
            return self
        columns = self.query, scores, self.documents
        if rises:  # the last one comes first
            mirrored = _first_rows(*(column[::-1] for column in columns), depth=depth)
            return self.some(len(scores) - 1 - mirrored[::-1])
        return self.some(_first_rows(*columns, depth=depth))

    def groups(self, *keys: np.ndarray) -> TieGroups:
        """Tie groups of the scores, refined by further keys."""
        alignment = self.alignment
        return TieGroups.from_keys(
            [self.score_code(), *keys],
            query=self.query,
            level=self.level,
            grades=alignment.grades,
            n_queries=self.n_queries,
            ideal=self.ideal(),
            count=self.documents,
        )

    def feature_code(self, name: str) -> np.ndarray:
        """(n_rows,) code of another feature's scores, where both are counted together."""
        alignment = self.alignment
        if (
            isinstance(alignment, CountedAlignment)
            and name in alignment.sources
            and not alignment.is_joint(self.feature)
        ):
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


def _first_rows(query: np.ndarray, scores: np.ndarray, documents: np.ndarray, *, depth: int) -> np.ndarray:
    """Return the rows whose group begins among the first ``depth`` documents of its query; rows stand in order."""
    is_new = changes(query)
    first = np.flatnonzero(is_new)
    above = np.cumsum(documents, dtype=np.int64)
    above -= documents
    group = np.flatnonzero(is_new | changes(scores))
    # the first row behind the depth, or behind the query, and then the first one of another group
    behind = np.minimum(np.searchsorted(above, above[first] + depth), np.append(first[1:], len(query)))
    behind = np.append(group, len(query))[np.searchsorted(group, behind)]
    return ranges(first, behind - first)[0]


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
    if only is not None:
        counts = chosen(counts, only)
    for name in ascending:
        if name not in counts.features:
            raise TiecoreError(f"ascending names {name!r}, which is no feature; there are {', '.join(counts.features)}")
    judged = counts.judged_rows()
    ids = pc.unique(judged["query_id"])
    query_ids = ids.dictionary.take(ids.indices)
    grades = np.unique(judged["grade"].to_numpy()).astype(np.int64)
    levels = np.concatenate([[UNJUDGED], grades])
    n_levels = len(levels)
    number = pc.index_in(judged["query_id"], value_set=query_ids).to_numpy()
    slot = number * np.int64(n_levels) + _level(judged["grade"], levels, counts.source)
    cells, cell_of_row = np.unique(slot, return_inverse=True)
    n_judged = np.bincount(cell_of_row, weights=judged["n"].to_numpy()).astype(np.int64)
    rows_of = _by_feature(counts)
    n_rows = [len(cells), *(sum(map(len, rows)) for rows in rows_of.values())]
    width = np.result_type(np.min_scalar_type(-int(n_judged.max(initial=0))), judged["n"].to_numpy().dtype)
    pool = _Pool.of(sum(n_rows), level=np.min_scalar_type(n_levels), documents=width)
    pool.query[: len(cells)] = cells // n_levels
    pool.level[: len(cells)] = cells % n_levels
    pool.documents[: len(cells)] = n_judged
    pool.add(*pool.between(0, len(cells)))
    spaces = [pool.between(begin, end) for begin, end in pairwise(np.cumsum(n_rows).tolist())]
    taken = in_threads(
        lambda place: _Part.of(rows_of[counts.features[place]], query_ids, levels, counts.source, spaces[place]),
        range(len(rows_of)),
    )
    parts = dict(zip(rows_of, taken, strict=True))
    together = {name: part for name, part in parts.items() if part.joint is not None}
    cell_of = _add_joint(pool, together, counts.source)
    joint = range(len(cells), pool.n_cells)
    sources: dict[str, Source] = {}
    omitted: dict[str, str] = {}
    for name, part in parts.items():
        if part.n_rows and not part.level.any() and unmatched != "keep":
            problem = (
                f"{counts.source}: no document that {shortened(name)} scores is judged: it counts queries "
                f"{shown_ids(part.queries())}, the judgments {shown_ids(query_ids)}"
            )
            if unmatched == "refuse":
                raise AlignmentError(
                    f"{problem}; look for a prefix, or leave such features out: unmatched='omit', "
                    "in the command --unmatched omit"
                )
            omitted[name] = problem
            continue
        document, scores = cell_of.get(name, (None, part.scores))
        if document is None:
            document = pool.add(part.query, part.level, part.n)
        unknown_queries, unknown_documents = counts.left_out.get(name, (0, 0))
        match = Match(
            None, document, unknown_queries + part.n_unknown_queries, unknown_documents + part.n_unknown_documents
        )
        sources[name] = Source(_records(counts.source, query_ids, {name: scores}), name, match)
    if not sources:
        raise AlignmentError(next(iter(omitted.values())))
    alignment = CountedAlignment(
        query_ids=query_ids,
        document_ids=pa.nulls(0, pa.string()),
        query=pool.joined(0),
        level=pool.joined(1),
        grades=levels,
        n_judged=len(cells),
        ascending=frozenset((*counts.ascending, *ascending)) - omitted.keys(),
        sources=sources,
        omitted=omitted,
        documents=pool.joined(2),
        joint=joint,
    )
    for first, end in pairwise(alignment.block_bounds()):
        alignment.judged_between(first, end)  # every evaluation asks for it
    return alignment


_Cells = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Query, level and number of documents of some cells."""


@dataclass(slots=True, eq=False)
class _Pool:
    """The cells of all features, as they are brought together: in place, as far as no row is left out."""

    query: np.ndarray
    """(n_rows,)"""
    level: np.ndarray
    """(n_rows,)"""
    documents: np.ndarray
    """(n_rows,)"""
    parts: list[_Cells] = field(default_factory=list)
    """What has been added; parts of the arrays above, or arrays of their own where rows were left out."""
    n_cells: int = 0

    @classmethod
    def of(cls, n_rows: int, *, level: np.dtype, documents: np.dtype) -> _Pool:
        """Make room for the cells of all rows."""
        return cls(np.empty(n_rows, dtype=np.int32), np.empty(n_rows, dtype=level), np.empty(n_rows, dtype=documents))

    def between(self, begin: int, end: int) -> _Cells:
        """Room of some rows."""
        return self.query[begin:end], self.level[begin:end], self.documents[begin:end]

    def add(self, query: np.ndarray, level: np.ndarray, documents: np.ndarray) -> np.ndarray:
        """Append cells and return their positions."""
        self.parts.append((query.astype(np.int32, copy=False), level, documents))
        first, self.n_cells = self.n_cells, self.n_cells + len(query)
        return np.arange(first, self.n_cells, dtype=np.int32 if self.n_cells < 2**31 else np.int64)

    def joined(self, place: int) -> np.ndarray:
        """(n_cells,) query, level or documents of all cells."""
        whole = (self.query, self.level, self.documents)[place]
        arrays = [part[place] for part in self.parts if len(part[0])]
        is_in_place = self.n_cells == len(whole) and all(array.base is whole for array in arrays)
        return whole if is_in_place else np.concatenate(arrays)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Part:
    """The rows of one feature that belong to judged queries, by query."""

    rows: Sequence[pa.RecordBatch]
    """All its rows."""
    query: np.ndarray
    """(n_known,)"""
    level: np.ndarray
    """(n_known,)"""
    n: np.ndarray
    """(n_known,)"""
    scores: np.ndarray
    """(n_known,)"""
    joint: np.ndarray | None
    """(n_known,) number inside the query of documents that other features score too; None if it is counted alone."""
    n_unknown_queries: int
    n_unknown_documents: int

    @property
    def n_rows(self) -> int:
        return sum(map(len, self.rows))

    @classmethod
    def of(
        cls, rows: Sequence[pa.RecordBatch], query_ids: pa.Array, levels: np.ndarray, source: str, space: _Cells
    ) -> _Part:
        """Take the rows of a feature, a piece at a time: what is made on the way stays in the processor's cache."""
        query, level, n = space
        if not rows:
            return cls(
                rows=rows, query=query, level=level, n=n, scores=np.zeros(0), joint=None, n_unknown_queries=0,
                n_unknown_documents=0,
            )  # fmt: skip
        numbers = iter(_numbers([batch["query_id"] for batch in rows], query_ids))
        _fill(query, rows, lambda batch: next(numbers)[batch["query_id"].indices.to_numpy()])
        _fill(level, rows, lambda batch: _level(batch["grade"], levels, source))
        _fill(n, rows, lambda batch: batch["n"].to_numpy())
        of_score = "score_double" if rows[0]["score_int"].null_count else "score_int"
        scores = _filled(rows, lambda batch: batch[of_score].to_numpy())
        joint = None
        if not rows[0]["joint"].null_count:
            joint = _filled(rows, lambda batch: batch["joint"].to_numpy()).astype(np.int64)
        n_unknown_queries = n_unknown_documents = 0
        kept: np.ndarray | None = None
        if query.min() < 0:
            is_unknown = query < 0
            ids = _ids(rows).filter(pa.array(is_unknown))
            n_unknown_queries = len(pc.unique(ids))
            n_unknown_documents = int(n[is_unknown].sum(dtype=np.int64))
            kept = np.flatnonzero(~is_unknown)
        known = query if kept is None else query[kept]
        if (known[1:] < known[:-1]).any():
            by_query = np.argsort(known, kind="stable")
            kept = by_query if kept is None else kept[by_query]
        if kept is not None:
            query, level, n, scores = query[kept], level[kept], n[kept], scores[kept]
            joint = None if joint is None else joint[kept]
        return cls(
            rows=rows,
            query=query,
            level=level,
            n=n,
            scores=scores,
            joint=joint,
            n_unknown_queries=n_unknown_queries,
            n_unknown_documents=n_unknown_documents,
        )

    def queries(self) -> pa.Array:
        """Ids of all its queries."""
        return pc.unique(_ids(self.rows)).dictionary_decode()


def _filled(rows: Sequence[pa.RecordBatch], column: Callable[[pa.RecordBatch], np.ndarray]) -> np.ndarray:
    """(n_rows,) what becomes of a column of some batches."""
    filled = np.empty(sum(map(len, rows)), dtype=column(rows[0].slice(0, 1)).dtype)
    _fill(filled, rows, column)
    return filled


def _fill(room: np.ndarray, rows: Sequence[pa.RecordBatch], column: Callable[[pa.RecordBatch], np.ndarray]) -> None:
    begin = 0
    for batch in rows:
        room[begin : begin + len(batch)] = column(batch)
        begin += len(batch)


def _add_joint(pool: _Pool, parts: dict[str, _Part], source: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Append the cells of features that are counted together; return cells and scores of each, by cell."""
    if not parts:
        return {}
    several = list(parts.values())
    query, level, n, joint = (
        np.concatenate([getattr(part, name) for part in several]) for name in ("query", "level", "n", "joint")
    )
    order = np.lexsort((joint, query))
    is_first = changes(query[order]) | changes(joint[order])
    first = order[is_first]
    cell = np.empty(len(order), dtype=np.int64)
    cell[order] = np.cumsum(is_first) - 1
    if (level != level[first][cell]).any() or (n != n[first][cell]).any():
        problem = (
            "rows of a query with the same number in 'joint' count the same documents, so they need the same grade"
        )
        raise FormatError(source, None, f"{problem} and the same n")
    positions = pool.add(query[first], level[first], n[first])
    found, begin = {}, 0
    for name, part in parts.items():
        own = cell[begin : begin + len(part.query)]
        begin += len(part.query)
        by_cell = np.argsort(own, kind="stable")
        if (own[by_cell][1:] == own[by_cell][:-1]).any():
            problem = f"{shortened(name)} has several rows of a query with the same number in 'joint'; expected one"
            raise FormatError(source, None, problem)
        found[name] = positions[own[by_cell]], part.scores[by_cell]
    return found


def _by_feature(counts: Counts) -> dict[str, list[pa.RecordBatch]]:
    """Rows of each feature in the order of the table."""
    place = {name: number for number, name in enumerate(counts.features)}
    n_features = len(place)
    kind = np.int16 if n_features < 2**15 - 1 else np.int32  # short numbers are sorted in linear time

    def numbers(batch: pa.RecordBatch) -> np.ndarray:
        names = batch["feature"].dictionary.to_pylist()
        number_of = np.array([place.get(name, n_features) for name in names] + [n_features], dtype=kind)
        return number_of[batch["feature"].indices.fill_null(-1).to_numpy()]

    def stretches(batches: Sequence[pa.RecordBatch]) -> Iterator[tuple[int, pa.RecordBatch]]:
        for batch in batches:
            number = numbers(batch)
            for first, end in pairwise([*starts(number).tolist(), len(number)]):
                yield int(number[first]), batch.slice(first, end - first)

    batches = counts.table.to_batches()
    most = len(batches) + _MOST_STRETCHES
    found = list(islice(stretches(batches), most + 1))
    if len(found) > most:
        order = pa.array(np.argsort(_filled(batches, numbers), kind="stable"))
        ordered = counts.table.unify_dictionaries().take(order).combine_chunks()
        found = list(stretches(ordered.to_batches()))
    rows: dict[str, list[pa.RecordBatch]] = {name: [] for name in place}
    for number_of_feature, batch in found:
        if number_of_feature < n_features:
            rows[counts.features[number_of_feature]].append(batch)
    return rows


def _ids(rows: Sequence[pa.RecordBatch]) -> pa.ChunkedArray:
    """(n_rows,) query ids with one dictionary."""
    return pa.Table.from_batches(rows).select(["query_id"]).unify_dictionaries()["query_id"]


def _numbers(ids: Sequence[pa.DictionaryArray], query_ids: pa.Array) -> list[np.ndarray]:
    """Return for each dictionary the numbers of its queries among the judged ones; -1 if one is not judged."""
    sizes = [len(column.dictionary) for column in ids]
    joined = pa.concat_arrays([column.dictionary for column in ids])
    number = pc.index_in(joined, value_set=query_ids).fill_null(-1).to_numpy()
    return np.split(number, np.cumsum(sizes)[:-1])


def _level(grade: pa.Array | pa.ChunkedArray, levels: np.ndarray, source: str) -> np.ndarray:
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


def _records(source: str, query_ids: pa.Array, features: dict[str, np.ndarray]) -> Records:
    no_codes = pa.array([], pa.int32())
    return Records(
        source=source,
        kind="memory",
        query=pa.DictionaryArray.from_arrays(no_codes, query_ids),
        document=pa.nulls(0, pa.string()),
        features=features,
    )

"""What evaluation sees of a table of counts: cells in the place of documents."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NoReturn, Self

import numpy as np

from tiecore.collection.align import Alignment, FeatureRows, Source
from tiecore.collection.join import Match
from tiecore.counts.cells import Cells, Heads
from tiecore.counts.layout import first_rows
from tiecore.errors import AlignmentError, TiecoreError, shortened
from tiecore.formats.records import Records
from tiecore.threads import in_threads
from tiecore.ties.cut import of_levels
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import to_precision, with_unscored

__all__ = ["CountedAlignment", "CountedRows", "CountedSource"]

_BLOCK = 1 << 17
"""Cells of a block of queries for each feature: what is computed on the way then stays in the processor's cache."""
_BLOCK_OF_HEADS = 3 << 15
"""The same where these are heads, of which nearly all is looked at: large arrays would be new memory each time."""


_COUNTED = 1 << 20
"""Cells up to which all are counted to find blocks."""


def _refuse(what: str) -> NoReturn:
    raise TiecoreError(
        f"{what} needs documents, and a table of counts holds none: evaluate the files that it was made from"
    )


def _refuse_apart(what: str) -> NoReturn:
    raise TiecoreError(
        f"{what} needs documents, or the counts of both features together: count them with the option joint"
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedSource(Source):
    """Where the scores of a feature stand, and its cells."""

    cells: range | np.ndarray
    """Cells of the pool, by query: a range for a feature that is counted alone."""

    @classmethod
    def of(cls, records: Records, feature: str, cells: range | np.ndarray, *, left_out: tuple[int, int]) -> Self:
        """Describe a feature; ``left_out``: its queries that are not judged, and the documents of these."""
        no_documents = np.zeros(0, dtype=np.int64)
        return cls(records=records, column=feature, match=Match(None, no_documents, *left_out), cells=cells)

    def of_cells(self, cells: Cells) -> Self:
        """Take the scores and cells of the feature from others."""
        records = replace(self.records, features={self.column: cells.scores.get(self.column, np.zeros(0))})
        return replace(self, records=records, cells=cells.cells.get(self.column, range(0)))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedAlignment(Alignment):
    """Judged queries of a table of counts; what is a document elsewhere is a cell: documents alike, and how many.

    The pool is the judged documents by query and grade, then the cells of features that are counted together, then
    those of each other feature.
    """

    sources: Mapping[str, CountedSource]
    """By name of the feature."""
    documents: np.ndarray
    """(n_cells,) documents of each cell of the pool."""
    joint: range
    """Cells of the features that are counted together."""
    heads: Heads | None = None
    """Where the cells come from, if they are heads of lists; everything that looks further down then reads the rest."""

    @property
    def whole(self) -> CountedAlignment:
        """All cells."""
        if self.heads is None:
            return self
        found = self.heads.whole

        def compute() -> CountedAlignment:
            return replace(
                self,
                query=found.query,
                level=found.level,
                documents=found.documents,
                sources={name: source.of_cells(found) for name, source in self.sources.items()},
                heads=None,
                _memo={},
            )

        return self.once("whole", compute)

    def block_bounds(self) -> list[int]:
        """First query of each block of about as many cells, and the number of queries behind them."""

        def compute() -> list[int]:
            step = 1 + len(self.query) // _COUNTED  # of millions some tell enough
            cells = np.cumsum(step * np.bincount(self.query[::step], minlength=self.n_queries))
            size = (_BLOCK if self.heads is None else _BLOCK_OF_HEADS) * max(1, len(self.sources))
            inner = np.searchsorted(cells, np.arange(size, int(cells[-1]), size))
            return sorted({0, *inner.tolist(), self.n_queries})

        return self.once("block_bounds", compute)

    def n_ranked(self, names: Iterable[str] | None = None) -> int:
        """Cells that the features rank, or some of them, taken together."""
        some = [self.sources[name] for name in (self.sources if names is None else names)]
        if self.heads is None:
            return sum(len(source.cells) for source in some)
        return sum(self.heads.facts(source.column).rows for source in some)

    def judged_documents(self) -> int:
        """Return how many documents are judged."""
        return int(self.documents[: self.n_judged].sum())

    def judged_between(self, first: int, end: int) -> TieGroups:
        """Ideal ranking of the judged documents of some queries in a row, counted from the first of them."""

        def compute() -> TieGroups:
            bounds = np.array([first, end], dtype=self.query.dtype)  # of another type it would copy all queries
            begin, behind = np.searchsorted(self.query[: self.n_judged], bounds)
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
            query = self._rows(feature).query  # ascending
            first = np.searchsorted(query, np.arange(self.n_queries + 1, dtype=query.dtype))
            return np.diff(first) > 0

        return self.once(("listed", feature), compute)

    def n_scored(self, feature: str) -> tuple[int, int]:
        """Return how many documents a feature scores, and how many of them are judged."""
        if self.heads is None:
            return Alignment.n_scored(self, feature)
        facts = self.heads.facts(self.sources[feature].column)
        return facts.documents, facts.judged

    def is_surely_uneven(self, feature: str) -> bool:
        """Return whether the heads of lists show that a feature scores documents of a query differently."""
        if self.heads is None:
            return False
        rows, column = self._rows(feature), self.sources[feature].column
        if self.heads.facts(column).rows > len(rows.scores):  # the rest of a list has other scores than its head
            return True
        return bool(((rows.query[1:] == rows.query[:-1]) & (rows.scores[1:] != rows.scores[:-1])).any())

    def is_joint(self, name: str) -> bool:
        """Return whether the scores of a feature are counted together with those of others."""
        cells = self.sources[name].cells
        return len(self.joint) > 0 and (not len(cells) or int(cells[0]) in self.joint)

    def feature_code(self, name: str, precision: str) -> np.ndarray:
        """(n_cells,) code of a feature's scores, where it is counted together with others; refused where it is not."""
        if name in self.sources and not self.is_joint(name):
            _refuse_apart(f"tie-break {f'feature:{name}'!r}")
        return Alignment.feature_code(self, name, precision)

    def rows(self, feature: str, *, precision: str = "float64", missing: str = "unranked") -> CountedRows:
        """Cells of a feature, with their scores."""
        return self.whole._rows(feature, precision=precision, missing=missing)

    def seen(
        self, feature: str, *, depth: int | None, precision: str = "float64", missing: str = "unranked"
    ) -> CountedRows:
        """Cells of a feature, all that are seen down to a depth at least; None: all."""
        column, is_ascending = self.sources[feature].column, feature in self.ascending
        # other precisions may tie documents of the head with those below, and what is missing is known of whole lists
        if (
            self.heads is not None
            and precision == "float64"
            and missing == "unranked"
            and self.heads.suffices(column, depth=depth, is_ascending=is_ascending)
        ):
            return self._rows(feature)
        return self.rows(feature, precision=precision, missing=missing)

    def _rows(self, feature: str, *, precision: str = "float64", missing: str = "unranked") -> CountedRows:
        """Cells of a feature that are here."""
        source = self.sources[feature]
        cells = source.cells
        # the cells of a feature that is counted alone stand together: views are enough
        which = slice(cells.start, cells.stop) if isinstance(cells, range) else cells
        query, level, documents = self.query[which], self.level[which], self.documents[which]
        scores = to_precision(source.records.features[source.column], precision)
        unscored, n_unscored = self.once(("unscored", feature), lambda: self._unscored(feature)), 0
        if missing == "last":
            left = self._left_over(feature, unscored)
            others = np.flatnonzero(left)
            others = others[np.argsort(self.query[others], kind="stable")]
            n_unscored = len(others)
            cells = np.concatenate([np.asarray(cells, dtype=np.int64), others])
            query, level = np.concatenate([query, self.query[others]]), np.concatenate([level, self.level[others]])
            documents = np.concatenate([documents, left[others]])
            scores = with_unscored(scores, n_unscored)
        memo = {"query": query, "level": level}
        return CountedRows(self, feature, cells, scores, None, n_unscored, precision, documents=documents, _memo=memo)

    def _unscored(self, feature: str) -> np.ndarray:
        """(n_queries, n_levels) judged documents that a feature does not score.

        Where it is counted together with others, those that none of them scores.
        """
        cells = self.sources[feature].cells
        known = cells if isinstance(cells, range) and not self.is_joint(feature) else self.joint
        bounds = self.block_bounds()
        query = self.query[known.start : known.stop]  # ascending
        begins = known.start + np.searchsorted(query, np.asarray(bounds, dtype=query.dtype))
        unscored = self.once("of_levels", self._judged_of_levels).copy()

        def subtract(block: int) -> int | None:
            """Return the first query with more scored documents of a grade than there are."""
            (first, end), which = bounds[block : block + 2], slice(*begins[block : block + 2])
            rows = self.query[which], self.level[which], self.documents[which]
            scored = of_levels(*rows, first_query=first, n_queries=end - first, n_levels=len(self.grades))
            scored[:, 0] = 0  # not judged
            wrong = (scored > unscored[first:end]).any(axis=1)
            if wrong.any():
                return first + int(np.argmax(wrong))
            unscored[first:end] -= scored.astype(unscored.dtype)
            return None

        for wrong in in_threads(subtract, range(len(bounds) - 1)):
            if wrong is not None:  # the same query, whichever thread comes first
                query = self.query_ids[wrong].as_py()
                raise AlignmentError(
                    f"feature {shortened(feature)} counts more judged documents of a grade in query {shortened(query)} "
                    "than the rows without a feature: count each document once, and all judged ones"
                )
        return unscored

    def _judged_of_levels(self) -> np.ndarray:
        """(n_queries, n_levels) judged documents."""
        judged = slice(self.n_judged)
        documents = np.zeros((self.n_queries, len(self.grades)), dtype=self.documents.dtype)
        documents[self.query[judged], self.level[judged]] = self.documents[judged]
        return documents

    def _left_over(self, feature: str, unscored: np.ndarray) -> np.ndarray:
        """(n_cells,) documents at the front of the pool, the judged ones, that a feature does not score.

        Those that another feature scores which is counted together with it are in a cell of their own.
        """
        left = np.zeros(self.joint.stop, dtype=np.int64)
        judged = slice(self.n_judged)
        left[judged] = unscored[self.query[judged], self.level[judged]]
        if self.is_joint(feature):
            others = slice(self.joint.start, self.joint.stop)
            left[others] = self.documents[others]
            left[self.sources[feature].cells] = 0
            left[others][self.level[others] == 0] = 0
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

    def n_scored(self) -> tuple[int, int]:
        """Return how many documents the feature scores, and how many of them are judged."""
        scored = slice(len(self.scores) - self.n_unscored)
        count = self.count[scored]
        return int(count.sum()), int(count[self.level[scored] > 0].sum())

    def blocks(self) -> Iterator[CountedRows]:
        """Yield the cells of a block of queries after the other."""
        n_scored = len(self.scores) - self.n_unscored
        bounds = self.alignment.block_bounds()
        sought = np.asarray(bounds, dtype=self.query.dtype)  # of its own type: another one would copy all queries
        scored = np.searchsorted(self.query[:n_scored], sought)
        unscored = n_scored + np.searchsorted(self.query[n_scored:], sought)
        for block, (first, end) in enumerate(pairwise(bounds)):
            own, others = slice(*scored[block : block + 2]), slice(*unscored[block : block + 2])
            which = own if others.start == others.stop else np.r_[own, others]
            yield replace(
                self,
                _document=self._document[which],
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
            mirrored = first_rows(*(column[::-1] for column in columns), depth=depth)
            return self.some(len(scores) - 1 - mirrored[::-1])
        return self.some(first_rows(*columns, depth=depth))

    def groups(self, *keys: np.ndarray, depth: int | None = None) -> TieGroups:
        """Tie groups of the scores, refined by further keys.

        ``depth``: at least those that begin among so many documents of their query; None for all.
        """
        own: dict[str, Any] = {"grades": self.alignment.grades, "n_queries": self.n_queries, "ideal": self.ideal()}
        rows = self if depth is None else self.head(depth)
        return TieGroups.from_keys(
            [rows.score_code(), *keys], query=rows.query, level=rows.level, count=rows.documents, **own
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

    def input_order(self, which: np.ndarray | None = None) -> NoReturn:
        """Refuse: there is no file of documents."""
        _refuse("a tie-break by the order of the file")

    def run_rank(self) -> NoReturn:
        """Refuse: there is no run."""
        _refuse("a tie-break by the rank column of a run")

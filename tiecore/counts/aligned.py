"""A table of counts in the place of judgments and features brought together: cells instead of documents."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
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

__all__ = ["CountedAlignment", "CountedRows", "aligned"]


def _refuse(what: str) -> NoReturn:
    raise TiecoreError(
        f"{what} needs documents, and a table of counts holds none: evaluate the files that it was made from"
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountedAlignment(Alignment):
    """Judged queries of a table of counts; what is a document elsewhere is a cell: documents alike, and how many.

    The pool is the judged documents by query and grade, then the cells of the features.
    """

    documents: np.ndarray
    """(n_cells,) documents of each cell of the pool."""

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

    def batches(self, n_workers: int) -> list[tuple[str, ...]]:
        """Return each feature by itself: what is added up here is few cells of many documents."""
        return [(name,) for name in self.features]

    def id_hash(self) -> NoReturn:
        """Refuse: there are no ids."""
        _refuse("one random order of all documents (random:SEED, a shared order)")

    def feature_code(self, name: str, precision: str) -> NoReturn:
        """Refuse: which documents share two scores is not known."""
        _refuse(f"tie-break 'feature:{name}'")

    def rows(self, feature: str, *, precision: str = "float64", missing: str = "unranked") -> CountedRows:
        """Cells of a feature, with their scores."""
        source = self.sources[feature]
        cell = source.match.document
        scores, documents = to_precision(source.records.features[feature], precision), self.documents[cell]
        left, n_unscored = self._unscored(feature, cell), 0
        if missing == "last":
            others = np.flatnonzero(left)
            n_unscored = len(others)
            cell, documents = np.concatenate([cell, others]), np.concatenate([documents, left[others]])
            scores = with_unscored(scores, n_unscored)
        return CountedRows(self, feature, cell, scores, None, n_unscored, precision, documents=documents)

    def _unscored(self, feature: str, cell: np.ndarray) -> np.ndarray:
        """(n_judged,) judged documents of each judged cell that are not among the documents of a feature's cells."""
        n_levels = len(self.grades)
        graded = cell[self.level[cell] > 0]
        own = self.query[: self.n_judged] * n_levels + self.level[: self.n_judged]  # ascending
        slot = self.query[graded] * n_levels + self.level[graded]
        place = np.searchsorted(own, slot).clip(max=self.n_judged - 1)
        is_known = own[place] == slot
        left = self.documents[: self.n_judged].copy()
        np.subtract.at(left, place[is_known], self.documents[graded[is_known]])
        too_many = np.concatenate([self.query[graded[~is_known]], self.query[: self.n_judged][left < 0]])
        if len(too_many):
            query = self.query_ids[int(too_many[0])].as_py()
            raise AlignmentError(
                f"feature {shortened(feature)} counts more judged documents of a grade in query {shortened(query)} "
                "than the rows without a feature: count each document once, and all judged ones"
            )
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
        query = self.alignment.query[self.document]
        n_scored = len(query) - self.n_unscored
        bounds = self.alignment.block_bounds()
        scored = np.searchsorted(query[:n_scored], bounds)
        unscored = n_scored + np.searchsorted(query[n_scored:], bounds)
        for block, (first, end) in enumerate(pairwise(bounds)):
            own = np.r_[slice(*scored[block : block + 2]), slice(*unscored[block : block + 2])]
            yield replace(
                self,
                document=self.document[own],
                scores=self.scores[own],
                documents=self.documents[own],
                n_unscored=int(unscored[block + 1] - unscored[block]),
                first_query=first,
                end_query=end,
                _memo={},
            )

    def groups(self, *keys: np.ndarray) -> TieGroups:
        """Tie groups of the scores, refined by further keys."""
        alignment = self.alignment
        return TieGroups.from_keys(
            [self.score_code(), *keys],
            query=self.query,
            level=self.level,
            grades=alignment.grades,
            n_queries=self.n_queries,
            ideal=self._ideal(),
            count=self.documents,
        )

    def with_order(self) -> tuple[TieGroups, np.ndarray]:
        """Tie groups of the scores; there are no documents that could stand in an order."""
        return self.groups(), np.zeros(0, dtype=np.int64)

    def docid_order(self) -> NoReturn:
        """Refuse: there are no ids."""
        _refuse("a tie-break by document id")

    def input_order(self) -> NoReturn:
        """Refuse: there is no file of documents."""
        _refuse("a tie-break by the order of the file")

    def run_rank(self) -> NoReturn:
        """Refuse: there is no run."""
        _refuse("a tie-break by the rank column of a run")


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
    table = counts.table
    is_judged = table["feature"].is_null()
    judged, scored = table.filter(is_judged), table.filter(pc.invert(is_judged))
    ids = judged["query_id"].combine_chunks().dictionary_encode()
    query_ids = ids.dictionary
    grades = np.unique(judged["grade"].to_numpy())
    levels = np.concatenate([[UNJUDGED], grades])
    n_levels = len(levels)
    slot = ids.indices.to_numpy().astype(np.int64) * n_levels + _level(judged["grade"], levels, counts.source)
    cells, cell_of_row = np.unique(slot, return_inverse=True)
    documents = [np.bincount(cell_of_row, weights=judged["n"].to_numpy()).astype(np.int64)]
    queries, cell_levels = [cells // n_levels], [cells % n_levels]
    sources, n_cells = {}, len(cells)
    omitted: dict[str, str] = {}
    for name, rows in _by_feature(counts.features, scored).items():
        query = pc.index_in(rows["query_id"], value_set=query_ids).fill_null(-1).to_numpy().astype(np.int64)
        known = np.flatnonzero(query >= 0)
        known = known[np.argsort(query[known], kind="stable")]
        level = _level(rows["grade"], levels, counts.source)[known]
        if len(rows) and not level.any() and unmatched != "keep":
            problem = (
                f"{counts.source}: no document that {shortened(name)} scores is judged: it counts queries "
                f"{shown_ids(pc.unique(rows['query_id']))}, the judgments {shown_ids(query_ids)}"
            )
            if unmatched == "refuse":
                raise AlignmentError(f"{problem}; look for a prefix, or go on without such features: unmatched='omit'")
            omitted[name] = problem
            continue
        queries.append(query[known])
        cell_levels.append(level)
        n = rows["n"].to_numpy()
        documents.append(n[known])
        whole = rows["score_double"].null_count == len(rows) > 0
        scores = rows["score_int" if whole else "score_double"].to_numpy()[known]
        unknown_queries, unknown_documents = counts.left_out.get(name, (0, 0))
        unknown = rows.filter(pa.array(query < 0))
        match = Match(
            None,
            n_cells + np.arange(len(known)),
            unknown_queries + len(pc.unique(unknown["query_id"])),
            unknown_documents + int(n[query < 0].sum()),
        )
        sources[name] = Source(_records(counts.source, query_ids, {name: scores}), name, match)
        n_cells += len(known)
    if not sources:
        raise AlignmentError(next(iter(omitted.values())))
    alignment = CountedAlignment(
        query_ids=query_ids,
        document_ids=pa.nulls(0, pa.string()),
        query=np.concatenate(queries),
        level=np.concatenate(cell_levels),
        grades=levels,
        n_judged=len(cells),
        ascending=frozenset((*counts.ascending, *ascending)) - omitted.keys(),
        sources=sources,
        omitted=omitted,
        documents=np.concatenate(documents),
    )
    for first, end in pairwise(alignment.block_bounds()):
        alignment.judged_between(first, end)  # every evaluation asks for it
    return alignment


def _by_feature(features: Sequence[str], scored: pa.Table) -> dict[str, pa.Table]:
    """Rows of each feature in the order of the table, found by one sort for however many features."""
    number = pc.index_in(scored["feature"], value_set=pa.array(features, pa.string())).to_numpy()
    order = np.argsort(number, kind="stable")
    by_feature = scored.take(pa.array(order)) if (number[1:] < number[:-1]).any() else scored
    bounds = np.searchsorted(number[order], np.arange(len(features) + 1))
    return {
        name: by_feature.slice(first, end - first)
        for name, (first, end) in zip(features, pairwise(bounds.tolist()), strict=True)
    }


def _level(grade: pa.ChunkedArray, levels: np.ndarray, source: str) -> np.ndarray:
    """(n_rows,) grade level, 0 for unjudged."""
    is_judged = grade.is_valid().to_numpy(zero_copy_only=False)
    values = grade.fill_null(0).to_numpy()
    level = np.where(is_judged, np.searchsorted(levels[1:], values) + 1, 0)
    unknown = is_judged & (levels[np.minimum(level, len(levels) - 1)] != values)
    if unknown.any():
        found = int(values[np.argmax(unknown)])
        problem = f"a feature counts documents of grade {found}, but no row without a feature has that grade"
        raise FormatError(source, None, f"{problem}: count all judged documents there")
    return level


def _records(source: str, query_ids: pa.Array, features: dict[str, np.ndarray]) -> Records:
    no_codes = pa.array([], pa.int32())
    return Records(
        source=source,
        kind="memory",
        query=pa.DictionaryArray.from_arrays(no_codes, query_ids),
        document=pa.nulls(0, pa.string()),
        features=features,
    )

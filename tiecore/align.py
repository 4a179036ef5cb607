"""Judgments and features brought together: every document known once, a grade level each, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from tiecore.errors import AlignmentError, FormatError, TiecoreError
from tiecore.formats.records import Records
from tiecore.ids import Ids
from tiecore.join import Match, join
from tiecore.keys import score_code, to_precision
from tiecore.ties import UNJUDGED, TieGroups

__all__ = ["Alignment", "FeatureRows", "Source", "align"]


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Where the scores of a feature stand."""

    records: Records
    column: str
    match: Match


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """All documents of the judged queries: those of the judgments first, then what the features add."""

    query_ids: pa.Array
    """(n_queries,) in the order of the judgments."""
    document_ids: pa.Array
    """(n_documents,) id of each document of the pool."""
    query: np.ndarray
    """(n_documents,)"""
    level: np.ndarray
    """(n_documents,) grade level, 0 for unjudged."""
    grades: np.ndarray
    """(n_levels,) grade of each level."""
    judged: TieGroups
    """Ideal ranking of the judged documents."""
    ascending: frozenset[str]
    """Features for which lower is better."""
    sources: Mapping[str, Source]
    """By name of the feature."""
    _memo: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features in the order in which they were given."""
        return tuple(self.sources)

    @property
    def n_queries(self) -> int:
        """Judged queries."""
        return len(self.query_ids)

    def common_queries(self) -> np.ndarray:
        """(n_queries,) bool: queries that every feature lists."""
        listed = np.ones(self.n_queries, dtype=bool)
        for feature in self.features:
            listed &= np.bincount(self.rows(feature).query, minlength=self.n_queries) > 0
        return listed

    def docid_order(self) -> np.ndarray:
        """(n_documents,) rank of each document's id by bytes inside its query; sorted when first asked for."""

        def compute() -> np.ndarray:
            order = Ids(self.document_ids).order(self.query)
            rank = np.empty(len(order), dtype=np.int64)
            rank[order] = np.arange(len(order))
            return _from_first_of_query(rank, self.query, self.n_queries)

        return _once(self._memo, "docid_order", compute)

    def id_hash(self) -> np.ndarray:
        """(n_documents,) 64-bit hash of query and document id."""

        def compute() -> np.ndarray:
            return Ids(self.document_ids).hashed(Ids(self.query_ids).hashed()[self.query])

        return _once(self._memo, "id_hash", compute)

    def rows(self, feature: str, *, precision: str = "float64", missing: str = "unranked") -> FeatureRows:
        """Documents that a feature scores, with their scores."""
        source = self.sources[feature]
        document, row = source.match.document, source.match.row
        scores = source.records.features[source.column]
        scores = scores if row is None else scores[row]
        if scores.dtype.kind == "f" and np.isnan(scores).any():
            scored = np.flatnonzero(~np.isnan(scores))
            scores, document = scores[scored], document[scored]
            row = scored if row is None else row[scored]
        scores = to_precision(scores, precision)
        unscored = np.zeros(0, dtype=np.int64)
        if missing == "last":
            is_scored = np.zeros(len(self.query), dtype=bool)
            is_scored[document] = True
            unscored = np.flatnonzero(~is_scored & (self.level > 0))
            document = np.concatenate([document, unscored])
            scores = np.concatenate([scores.astype(np.float64), np.full(len(unscored), np.nan)])
        return FeatureRows(self, feature, document, scores, row, len(unscored), precision)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureRows:
    """The documents that one feature ranks; what a tie-break may look at."""

    alignment: Alignment
    feature: str
    document: np.ndarray
    """(n_rows,) document of the pool."""
    scores: np.ndarray
    """(n_rows,) NaN behind the scored ones where missing documents come last."""
    row: np.ndarray | None
    """(n_scored,) row of the file; None if all its rows are here."""
    n_unscored: int
    precision: str
    _memo: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    @property
    def query(self) -> np.ndarray:
        """(n_rows,) query of each document."""
        return _once(self._memo, "query", lambda: self.alignment.query[self.document])

    @property
    def level(self) -> np.ndarray:
        """(n_rows,) grade level."""
        return _once(self._memo, "level", lambda: self.alignment.level[self.document])

    def score_code(self) -> np.ndarray:
        """(n_rows,) code of the scores, the best first."""
        is_ascending = self.feature in self.alignment.ascending
        return _once(self._memo, "score_code", lambda: score_code(self.scores, ascending=is_ascending))

    def groups(self, *keys: np.ndarray) -> TieGroups:
        """Tie groups of the scores, refined by further keys."""
        alignment = self.alignment
        return TieGroups.from_keys(
            [self.score_code(), *keys],
            query=self.query,
            level=self.level,
            grades=alignment.grades,
            n_queries=alignment.n_queries,
            judged=alignment.judged,
        )

    def docid_order(self) -> np.ndarray:
        """(n_rows,) rank of the document id by bytes inside the query."""
        return self.alignment.docid_order()[self.document]

    def id_hash(self) -> np.ndarray:
        """(n_rows,) hash of query and document id."""
        return self.alignment.id_hash()[self.document]

    def input_order(self) -> np.ndarray:
        """(n_rows,) position in the file; documents that it does not score come behind, as in the judgments."""
        n_scored = len(self.document) - self.n_unscored
        position = np.arange(n_scored) if self.row is None else self.row
        last = int(position.max(initial=0)) + 1
        position = np.concatenate([position, last + np.arange(self.n_unscored)])
        return _from_first_of_query(position, self.query, self.alignment.n_queries)

    def run_rank(self) -> np.ndarray:
        """(n_rows,) rank column of the run; documents that it does not score share the last rank."""
        records = self.alignment.sources[self.feature].records
        if records.rank is None:
            raise TiecoreError(
                f"tie-break 'rank' needs a TREC run with whole-number ranks: {records.source} has no rank column"
            )
        rank = records.rank if self.row is None else records.rank[self.row]
        return np.concatenate([rank, np.full(self.n_unscored, int(rank.max(initial=0)) + 1)])

    def feature_code(self, name: str) -> np.ndarray:
        """(n_rows,) code of another feature's scores in the same precision, the best first, unscored last."""
        alignment = self.alignment
        if name not in alignment.features:
            raise TiecoreError(
                f"tie-break 'feature:{name}': no such feature; there are {', '.join(alignment.features)}"
            )
        other = alignment.rows(name, precision=self.precision)
        scores = np.full(len(alignment.query), np.nan)
        scores[other.document] = other.scores
        return score_code(scores[self.document], ascending=name in alignment.ascending)


def align(qrels: Records, features: Sequence[tuple[str, Records, str]], *, ascending: Sequence[str] = ()) -> Alignment:
    """Bring judgments and features together.

    Parameters
    ----------
    qrels
        Records with grades.
    features
        Name, records and column of each feature.
    ascending
        Names of the features for which lower is better.
    """
    _check_names(features, ascending)
    if qrels.grades is None:
        raise FormatError(
            qrels.source, None, "it has no grades: give it as a feature, and a file of judgments as qrels"
        )
    distinct = list({id(records): records for _, records, _ in features}.values())
    pool, matches = join(qrels, distinct)
    match_of = dict(zip(map(id, distinct), matches, strict=True))
    grades = np.unique(qrels.grades)
    levels = np.concatenate([[UNJUDGED], grades])
    level = np.zeros(len(pool.query), dtype=np.min_scalar_type(len(levels)))
    level[: len(qrels.grades)] = np.searchsorted(levels, qrels.grades)
    n_judged = len(qrels.grades)
    return Alignment(
        query_ids=pool.query_ids,
        document_ids=pool.document_ids,
        query=pool.query,
        level=level,
        grades=levels,
        judged=TieGroups.from_grades(
            query=pool.query[:n_judged], level=level[:n_judged], grades=levels, n_queries=len(pool.query_ids)
        ),
        ascending=frozenset(ascending),
        sources={name: Source(records, column, match_of[id(records)]) for name, records, column in features},
    )


def _check_names(features: Sequence[tuple[str, Records, str]], ascending: Sequence[str]) -> None:
    file_of: dict[str, str] = {}
    for name, records, _ in features:
        if name in file_of:
            raise AlignmentError(
                f"two features are named {name!r} ({file_of[name]} and {records.source}): give one another name"
            )
        file_of[name] = records.source
    for name in ascending:
        if name not in file_of:
            raise TiecoreError(f"ascending names {name!r}, which is no feature; there are {', '.join(file_of)}")


def _once(memo: dict[str, np.ndarray], name: str, compute: Callable[[], np.ndarray]) -> np.ndarray:
    if name not in memo:
        array = compute()
        array.flags.writeable = False
        memo[name] = array
    return memo[name]


def _from_first_of_query(position: np.ndarray, query: np.ndarray, n_queries: int) -> np.ndarray:
    """Count positions from the lowest of the same query, so that they fit into few bits."""
    lowest = np.full(n_queries, np.iinfo(np.int64).max)
    np.minimum.at(lowest, query, position)
    return position - lowest[query]

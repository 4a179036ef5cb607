"""Evaluations put together: of other queries, other features or other measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.collection.align import align
from tiecore.collection.alignment import Alignment
from tiecore.errors import TiecoreError, shortened
from tiecore.evaluation.engine import evaluate_alignment
from tiecore.evaluation.result import Evaluation
from tiecore.formats.records import Records

__all__ = ["concat"]

_EXACT = 2**53
_IDS = ["query_id", "doc_id"]


def concat(evaluations: Iterable[Evaluation]) -> Evaluation:
    """Put evaluations together, as if their judgments and features had been evaluated in one call.

    Queries, features, measures, tie-breaks and statistics are united in the order in which they come. What several
    evaluations have, they must have alike: the options, the judgments of a query and the scores that a feature gives to
    it. Rows of queries that no evaluation judged are not known any more, so ``coverage`` does not count them.

    Examples
    --------
    >>> from tiecore import evaluate
    >>> parts = [evaluate({q: {"a": 1, "b": 0}}, {"f": {q: {"a": 1, "b": 1}}}, ["RR"]) for q in ("q", "r")]
    >>> concat(parts)
    <Evaluation: 1 measure, 1 feature, 2 queries, no tie-breaks>
    """
    parts = list(evaluations)
    for part in parts:
        if not isinstance(part, Evaluation):
            raise TiecoreError(f"concat takes evaluations, found {shortened(part)}")
    if not parts:
        raise TiecoreError("concat needs at least one evaluation")
    options = parts[0].options
    if any(part.options != options for part in parts):
        raise TiecoreError("evaluations with different options have no common mean: evaluate with the same ones")
    alignments = [part.alignment for part in parts]
    judgments = _united(
        [_rows(one, np.arange(one.n_judged), one.grades[one.level[: one.n_judged]]) for one in alignments],
        what="the judgments",
    )
    names = list(dict.fromkeys(name for part in parts for name in part.features))
    holding = {name: [one for one in alignments if name in one.features] for name in names}
    for name, several in holding.items():
        if len({name in one.ascending for one in several}) > 1:
            raise TiecoreError(f"lower is better for {shortened(name)} in one evaluation and not in another")
    alignment = align(
        _records("judgments", judgments, grades=judgments["value"].to_numpy(np.int64)),
        [(name, _feature(several, name), name) for name, several in holding.items()],
        ascending=[name for name, several in holding.items() if name in several[0].ascending],
    )
    omitted = {name: reason for one in alignments for name, reason in one.omitted.items() if name not in names}
    return evaluate_alignment(
        replace(alignment, omitted=omitted),
        [measure for part in parts for measure in part.measures],
        [tie_break for part in parts for tie_break in part.tie_breaks],
        options=options,
        statistics=[name for part in parts for name in part.statistics],
    )


def _feature(alignments: Sequence[Alignment], name: str) -> Records:
    """Return what a feature scores in all evaluations, and its ranks where all of them have some."""
    sources = [alignment.sources[name] for alignment in alignments]
    tables = []
    for alignment, source in zip(alignments, sources, strict=True):
        row = slice(None) if source.match.row is None else source.match.row
        own_rank = {} if source.rank is None else {"rank": source.rank[row]}
        tables.append(_rows(alignment, source.match.document, source.columns[source.column][row], **own_rank))
    scores = _united(tables, what=f"the scores of {shortened(name)}")
    rank = scores["rank"].to_numpy(np.int64) if all("rank" in table for table in tables) else None
    return _records(sources[0].file, scores, features={name: scores["value"].to_numpy()}, rank=rank)


def _rows(alignment: Alignment, document: np.ndarray, value: np.ndarray, **more: np.ndarray) -> pd.DataFrame:
    """Return (query_id, doc_id, value) and more columns of some documents of the pool."""
    query_ids = alignment.query_ids.take(pa.array(alignment.query[document]))
    doc_ids = alignment.document_ids.take(pa.array(document))
    ids = {"query_id": query_ids.to_pandas(), "doc_id": doc_ids.to_pandas()}
    return pd.DataFrame({name: column.astype("str") for name, column in ids.items()} | {"value": value, **more})


def _united(tables: Sequence[pd.DataFrame], *, what: str) -> pd.DataFrame:
    """Stack tables, each row once; a query that several of them have must be alike in all."""
    kinds = {table["value"].dtype.kind for table in tables}
    if len(kinds) > 1 and not all(
        table["value"].abs().max() <= _EXACT for table in tables if table["value"].dtype.kind in "iu"
    ):
        raise TiecoreError(f"{what} are whole numbers beyond 2^53 in one evaluation and of another type in another")
    stacked = pd.concat(tables, ignore_index=True).drop_duplicates([*_IDS, "value"], ignore_index=True)
    n_documents = pd.concat([table.groupby("query_id").size() for table in tables])
    if stacked.duplicated(_IDS).any() or n_documents.groupby(level=0).nunique().gt(1).any():
        raise TiecoreError(
            f"{what} differ between the evaluations for a query that both have: give each query or feature a name of "
            "its own"
        )
    return stacked


def _records(source: str, table: pd.DataFrame, **columns: Any) -> Records:
    query, document = (pa.array(table[name].to_numpy(object), pa.large_string()) for name in _IDS)
    query = query.cast(pa.string()).dictionary_encode()
    return Records(source=source, kind="memory", query=query, document=document, **columns)

"""Tables of counts with the heads of lists first: what a cut-off sees can then be read without the rest of the file."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

import numpy as np
import pyarrow as pa

from tiecore.counts.cells import Facts, Layout
from tiecore.ties.segments import changes, ranges, starts

__all__ = ["DEPTH", "first_rows", "heads_first", "is_best_first"]

DEPTH = 20
"""Depth of the heads in files that are written here: what the usual cut-offs see."""
_FEWEST_ROWS = 1 << 20
"""Of a table; a smaller one is read in a moment."""
_MOST_OF_IT = 0.5
"""Share of all rows in the heads from which on little is won."""


def heads_first(table: pa.Table, ascending: Collection[str]) -> tuple[Layout, list[pa.Table]] | None:
    """Return the parts of a table of counts, one after the other, with the heads of lists in front of all others.

    None where that wins little, or where rows do not stand by feature, query and score, the best first.

    Parameters
    ----------
    table
        As ``Counts.table``.
    ascending
        Features for which lower is better.
    """
    is_plain = table["joint"].null_count == len(table) and pa.types.is_dictionary(table["feature"].type)
    if len(table) < _FEWEST_ROWS or not is_plain:
        return None
    table = table.unify_dictionaries()
    feature, query = _codes(table["feature"]), _codes(table["query_id"])
    first = starts(feature)
    names = [
        None if code < 0 else table["feature"].chunk(0).dictionary[code].as_py() for code in feature[first].tolist()
    ]
    if names[0] is not None or len(names) == 1 or len(set(names)) < len(names):
        return None
    bounds = [*first.tolist(), len(table)]
    judged = query[: bounds[1]]
    judged = judged[starts(judged)]
    number_of = np.full(int(query.max()) + 1, -1, dtype=np.int32)
    number_of[judged] = np.arange(len(judged), dtype=np.int32)
    if not (number_of[judged] == np.arange(len(judged))).all():
        return None  # the rows of a query do not stand together
    heads, rests = [table.slice(0, bounds[1])], []
    features: dict[str, Facts] = {}
    for name, (begin, end) in zip(names[1:], pairwise(bounds[1:]), strict=True):
        rows = table.slice(begin, end - begin)
        column = "score_double" if rows["score_int"].null_count else "score_int"
        number, scores, n = number_of[query[begin:end]], rows[column].to_numpy(), rows["n"].to_numpy()
        if number.min() < 0 or (np.diff(number) < 0).any() or not is_best_first(number, scores, name in ascending):
            return None
        is_head = np.zeros(len(rows), dtype=bool)
        is_head[first_rows(number, scores, n, depth=DEPTH)] = True
        heads.append(rows.filter(pa.array(is_head)))
        rests.append(rows.filter(pa.array(~is_head)))
        is_judged = rows["grade"].is_valid().to_numpy()
        features[str(name)] = Facts(len(rows), int(n.sum(dtype=np.int64)), int(n[is_judged].sum(dtype=np.int64)))
    n_rows = sum(map(len, heads))
    if n_rows > _MOST_OF_IT * len(table):
        return None
    return Layout(depth=DEPTH, head_rows=n_rows, rows=len(table), features=features), [*heads, *rests]


def is_best_first(query: np.ndarray, scores: np.ndarray, is_ascending: bool) -> bool:
    """Return whether each query lists its scores from the best to the worst."""
    is_better = np.less if is_ascending else np.greater
    return not bool((is_better(scores[1:], scores[:-1]) & (query[1:] == query[:-1])).any())


def first_rows(query: np.ndarray, scores: np.ndarray, documents: np.ndarray, *, depth: int) -> np.ndarray:
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


def _codes(column: pa.ChunkedArray) -> np.ndarray:
    """(n_rows,) codes of a column of texts; -1 for null."""
    return np.concatenate([chunk.indices.fill_null(-1).to_numpy() for chunk in column.chunks])

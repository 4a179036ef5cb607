"""A table of counts made from judgments and features in memory."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from tiecore.collection.align import Alignment, Unmatched, align
from tiecore.collection.ids import Ids
from tiecore.collection.inputs import FeatureInput, QrelsInput, load
from tiecore.counts.table import COLUMNS, Counts
from tiecore.errors import TiecoreError
from tiecore.ranking.keys import dense_rank, pack
from tiecore.ranking.segments import starts
from tiecore.threads import Progress, in_threads

__all__ = ["count"]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_HIGHEST = 2**63


def count(
    qrels: QrelsInput,
    features: FeatureInput | None = None,
    *,
    ascending: Iterable[str] = (),
    unmatched: Unmatched = "refuse",
    progress: Progress | None = None,
) -> Counts:
    """Count how many documents of each grade share each score in each query.

    The counts take the place of judgments and features, exactly: ``evaluate(count(qrels, features))``. Counts of other
    documents or other queries add up with ``+``.

    Parameters
    ----------
    qrels, features
        As for :func:`tiecore.evaluate`.
    ascending
        Features for which lower is better; the table remembers it.
    unmatched
        As for :func:`tiecore.evaluate`.
    progress
        Called with the features done and the features in all; an exception raised in it stops the work.

    Examples
    --------
    >>> qrels = {"q": {"a": 0, "b": 1, "c": 0}}
    >>> counts = count(qrels, {"clicks": {"q": {"a": 2, "b": 1, "c": 1}}})
    >>> counts.frame[["feature", "query_id", "score_int", "grade", "n"]]
      feature query_id  score_int  grade  n
    0     NaN        q       <NA>      1  1
    1     NaN        q       <NA>      0  2
    2  clicks        q          2      0  1
    3  clicks        q          1      0  1
    4  clicks        q          1      1  1
    """
    judgments, named = load(qrels, features)
    alignment = align(judgments, named, ascending=ascending, unmatched=unmatched)
    parts = in_threads(lambda name: _of_feature(alignment, name), alignment.features, progress=progress)
    left_out = {name: source.match for name, source in alignment.sources.items()}
    return Counts(
        pa.concat_tables([_judged(alignment), *parts]).combine_chunks(),
        alignment.features,
        tuple(name for name in alignment.features if name in alignment.ascending),
        {name: (match.unknown_queries, match.unknown_rows) for name, match in left_out.items() if match.unknown_rows},
        _fingerprint(alignment),
    )


def _judged(alignment: Alignment) -> pa.Table:
    """Judged documents of each query by grade."""
    groups = alignment.judged
    return _rows(alignment, None, groups.query, groups.cell_level[groups.first_cell], groups.size, None)


def _of_feature(alignment: Alignment, feature: str) -> pa.Table:
    """Documents of each query by score, the best first, and grade."""
    rows = alignment.rows(feature)
    scores = rows.scores
    if scores.dtype.kind == "u" and int(scores.max(initial=0)) >= _HIGHEST:
        raise TiecoreError(f"scores of {feature!r} are beyond 2^63, the most that a table of counts holds: divide them")
    packed, _, _ = pack(
        [dense_rank(rows.score_code())],
        query=rows.query,
        level=rows.level,
        n_queries=rows.n_queries,
        n_levels=len(alignment.grades),
    )
    order = np.argsort(packed)
    first = starts(packed[order])
    cell = order[first]  # a document of each cell
    n = np.diff(first, append=len(order))
    return _rows(alignment, feature, rows.query[cell], rows.level[cell], n, scores[cell])


def _rows(
    alignment: Alignment,
    feature: str | None,
    query: np.ndarray,
    level: np.ndarray,
    n: np.ndarray,
    scores: np.ndarray | None,
) -> pa.Table:
    nothing = pa.nulls(len(n))
    is_whole = scores is not None and scores.dtype.kind in "iub"
    columns = {
        "feature": pa.array([feature], pa.string()).take(pa.array(np.zeros(len(n), dtype=np.int64))),
        "query_id": alignment.query_ids.take(pa.array(query)),
        "score_int": pa.array(scores.astype(np.int64)) if scores is not None and is_whole else nothing,
        # −0.0 and 0.0 are one score
        "score_double": nothing if scores is None or is_whole else pa.array(scores.astype(np.float64) + 0.0),
        "grade": pa.array(alignment.grades[level], mask=level == 0),
        "n": pa.array(n),
    }
    return pa.table({name: columns[name].cast(kind) for name, kind in COLUMNS.items()})


def _fingerprint(alignment: Alignment) -> str:
    """What tells these judgments from others, whatever their order; those of more documents add up."""
    n_judged = alignment.n_judged
    of_query = Ids(alignment.query_ids).hashed()[alignment.query[:n_judged]]
    words = Ids(alignment.document_ids.slice(0, n_judged)).hashed(of_query)
    words ^= alignment.grades[alignment.level[:n_judged]].astype(np.uint64) * _ODD
    words ^= words >> np.uint64(29)
    words *= _ODD
    return f"{int(words.sum(dtype=np.uint64)):016x}"

"""A table of counts made from judgments and features in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
import pyarrow as pa

from tiecore.collection.align import Unmatched, align
from tiecore.collection.alignment import Alignment
from tiecore.collection.ids import Ids
from tiecore.collection.inputs import FeatureInput, QrelsInput, load
from tiecore.counts.read import as_counts
from tiecore.counts.table import Counts, joint_names, narrow
from tiecore.errors import TiecoreError
from tiecore.threads import Progress, in_threads
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import changes, score_code, sums_before

_ODD = np.uint64(0x9E3779B97F4A7C15)
_HIGHEST = 2**63


def count(
    qrels: QrelsInput | Counts,
    features: FeatureInput | None = None,
    *,
    ascending: Iterable[str] = (),
    joint: str | Iterable[str] = (),
    unmatched: Unmatched = "refuse",
    progress: Progress | None = None,
) -> Counts:
    """Count how many documents of each grade share each score in each query.

    The counts take the place of judgments and features, exactly: ``evaluate(count(qrels, features))``. Counts of other
    documents or other queries add up with ``+``.

    Parameters
    ----------
    qrels, features
        As for :func:`tiecore.evaluate`; a table of counts in many parts comes back as one.
    ascending
        Features for which lower is better; the table remembers it.
    joint
        Features that are counted together, so that they can break the ties of each other: documents alike are then
        those of one grade that agree in all their scores, so name few.
    unmatched
        As for :func:`tiecore.evaluate`.
    progress
        Called with the features done and the features in all; an exception raised in it stops the work.

    Examples
    --------
    >>> qrels = {"q": {"a": 0, "b": 1, "c": 0}}
    >>> counts = count(qrels, {"clicks": {"q": {"a": 2, "b": 1, "c": 1}}})
    >>> counts.frame.loc[2:, ["feature", "query_id", "score_int", "grade", "n"]]  # 0 and 1 count the judgments
      feature query_id  score_int  grade  n
    2  clicks        q          2      0  1
    3  clicks        q          1      0  1
    4  clicks        q          1      1  1
    """
    known = as_counts(qrels)
    if known is not None:
        if features is not None or joint:
            raise TiecoreError(f"{known.source} is a table of counts already, of no documents: give it alone")
        return replace(known, ascending=tuple(dict.fromkeys((*known.ascending, *ascending))))
    judgments, named = load(cast("QrelsInput", qrels), features)
    alignment = align(judgments, named, ascending=ascending, unmatched=unmatched)
    together = joint_names(joint, alignment.features)
    apart = [name for name in alignment.features if name not in together]
    parts = _of_joint(alignment, together) if together else {}
    found = in_threads(lambda name: _of_feature(alignment, name), apart, progress=progress)
    parts |= dict(zip(apart, found, strict=True))
    judged = alignment.judged
    matches = {name: source.match for name, source in alignment.sources.items()}
    return Counts(
        _rows(alignment, judged.query, judged.cell_level[judged.first_cell], judged.size),
        {name: parts[name] for name in alignment.features},
        tuple(name for name in alignment.features if name in alignment.ascending),
        {name: (match.unknown_queries, match.unknown_rows) for name, match in matches.items() if match.unknown_rows},
        _fingerprint(alignment),
    )


def _of_feature(alignment: Alignment, feature: str) -> pa.Table:
    """Documents of each query by score, the best first, and grade."""
    rows = alignment.rows(feature)
    member, n = _cells(alignment, [score_code(rows.scores, ascending=rows.ascending)], rows.query, rows.level)
    return _rows(alignment, rows.query[member], rows.level[member], n, _countable(feature, rows.scores)[member])


def _of_joint(alignment: Alignment, names: Sequence[str]) -> dict[str, pa.Table]:
    """Documents of each query by grade and the scores of several features, numbered inside their query."""
    n_documents = len(alignment.query)
    rows_of = {name: alignment.rows(name) for name in names}
    documents = np.unique(np.concatenate([rows.document for rows in rows_of.values()]))
    codes = [alignment.feature_code(name, "float64")[documents] for name in names]
    member, n = _cells(alignment, codes, alignment.query[documents], alignment.level[documents])
    member = documents[member]
    query, level = alignment.query[member], alignment.level[member]
    number = sums_before(np.ones(len(member), dtype=np.int64), changes(query))
    parts = {}
    for name, rows in rows_of.items():
        place = np.full(n_documents, -1)
        place[rows.document] = np.arange(len(rows.document))
        cell = np.flatnonzero(place[member] >= 0)
        scores = _countable(name, rows.scores)[place[member[cell]]]
        parts[name] = _rows(alignment, query[cell], level[cell], n[cell], scores, number[cell])
    return parts


def _cells(
    alignment: Alignment, keys: Sequence[np.ndarray], query: np.ndarray, level: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(n_cells,) a document of each query, keys and grade, in this order; and how many there are."""
    groups = TieGroups.from_keys(keys, query=query, level=level, grades=alignment.grades, n_queries=alignment.n_queries)
    n = groups.cell_count
    return groups.order[np.cumsum(n) - n], n


def _countable(feature: str, scores: np.ndarray) -> np.ndarray:
    if scores.dtype.kind == "u" and int(scores.max(initial=0)) >= _HIGHEST:
        raise TiecoreError(f"scores of {feature!r} are beyond 2^63, the most that a table of counts holds: divide them")
    return scores


def _rows(
    alignment: Alignment,
    query: np.ndarray,
    level: np.ndarray,
    n: np.ndarray,
    scores: np.ndarray | None = None,
    joint: np.ndarray | None = None,
) -> pa.Table:
    """Return rows as a table of counts holds those of a feature, or those of judged documents."""
    nothing, query_ids = pa.nulls(len(n)), alignment.query_ids.cast(pa.string())
    columns = {
        "query_id": pa.DictionaryArray.from_arrays(pa.array(query.astype(np.int32)), query_ids),
        "score_int": nothing,
        "score_double": nothing,
        "grade": pa.array(alignment.grades[level], mask=level == 0),
        "n": pa.array(n),
        "joint": nothing if joint is None else pa.array(joint),
    }
    if scores is not None and scores.dtype.kind in "iub":
        columns["score_int"] = pa.array(scores.astype(np.int64))
    elif scores is not None:
        columns["score_double"] = pa.array(scores.astype(np.float64) + 0.0)  # −0.0 and 0.0 are one score
    return narrow(pa.table(columns))


def _fingerprint(alignment: Alignment) -> str:
    """What tells these judgments from others, whatever their order; those of more documents add up."""
    n_judged = alignment.n_judged
    of_query = Ids(alignment.query_ids).hashed()[alignment.query[:n_judged]]
    words = Ids(alignment.document_ids.slice(0, n_judged)).hashed(of_query)
    words ^= alignment.grades[alignment.level[:n_judged]].astype(np.uint64) * _ODD
    words ^= words >> np.uint64(29)
    words *= _ODD
    return f"{int(words.sum(dtype=np.uint64)):016x}"

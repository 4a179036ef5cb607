"""The documents of one query, and its value under random tie-breaks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from tiecore.collection.rows import FeatureRows
from tiecore.diagnostics.shared import query_position
from tiecore.errors import check_draws, check_seed
from tiecore.evaluation.one_query import OneQuery
from tiecore.evaluation.random_orders import draw_keys, order_seeds
from tiecore.evaluation.result import Evaluation
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.ties.keys import dense_rank, score_code


def listing(
    evaluation: Evaluation, feature: str, measure: str | Measure | None = None, *, query_id: str
) -> pd.DataFrame:
    """Return the documents of one query in the order of a feature.

    The measure says what is relevant. ``query_id``: any judged query, also one that does not count.

    Returns
    -------
    DataFrame
        Index ``doc_id``, best score first, tied documents in the order of the file, then the judged documents that the
        feature does not list; columns ``group`` (from 1, as in :func:`~tiecore.diagnostics.blame.culprits`),
        ``first_rank``, ``last_rank``, ``score`` and, for each tie-break of the evaluation, ``… rank`` (the mean rank of
        what it leaves tied), all empty where a document is not listed; ``grade``, empty where it is not judged;
        ``relevant``.
    """
    values = evaluation.values
    wanted = values.measure_or_only(measure)
    rows, query = _rows_of_query(values, feature, query_id)
    alignment = values.alignment
    group, order = _in_file_order(rows)
    judged = np.flatnonzero((alignment.query == query) & (alignment.level > 0))
    document = np.concatenate([rows.document[order], np.setdiff1d(judged, rows.document)])
    level = alignment.level[document]
    grade = alignment.grades[level]
    size = np.bincount(group)
    last = np.cumsum(size)

    def if_listed(of_rows: np.ndarray, kind: str) -> pd.Series[int] | pd.Series[float]:
        return pd.Series(of_rows[order], dtype=kind).reindex(range(len(document)))

    table = {
        "group": if_listed(group + 1, "Int64"),
        "first_rank": if_listed((last - size)[group] + 1, "Int64"),
        "last_rank": if_listed(last[group], "Int64"),
        "score": if_listed(rows.scores.astype(np.float64), "float64"),
        "grade": pd.Series(grade, dtype="Int64").mask(level == 0),
        "relevant": grade >= wanted.threshold,
    }
    for tie_break in evaluation.tie_breaks:
        mean_rank = pd.Series(group * len(group) + dense_rank(tie_break.key(rows))).rank().to_numpy()
        table[f"{tie_break.name} rank"] = if_listed(mean_rank, "float64")
    doc_ids = alignment.document_ids.take(pa.array(document)).to_pylist()
    return pd.DataFrame(table).set_axis(pd.Index(doc_ids, name="doc_id", dtype="str"))


def draws(
    evaluation: Evaluation,
    feature: str,
    measure: str | Measure | None = None,
    *,
    query_id: str,
    draws: int = 100,
    seed: int = 0,
) -> pd.DataFrame:
    """Return the values of one query under random tie-breaks, those of :meth:`Evaluation.sample`.

    Every feature has the same orders, and a seed gives the same ones however many are drawn. Index ``draw`` from 1;
    columns ``value`` and ``mean`` (of this draw and those before).
    """
    check_draws(draws, least=0)
    check_seed(seed)
    values = evaluation.values
    wanted = values.measure_or_only(measure)
    rows, query = _rows_of_query(values, feature, query_id)
    alignment = values.alignment
    group, order = _in_file_order(rows)
    judged = alignment.level[(alignment.query == query) & (alignment.level > 0)]
    identity, seeds = rows.id_hash()[order], order_seeds(seed, draws)
    one = OneQuery(alignment.grades, judged, group[order], rows.level[order])
    value = one.values(wanted.expected, np.arange(draws), lambda drawn: (draw_keys(identity, seeds[drawn[:, 0]]), True))
    draw = np.arange(1, draws + 1)
    return pd.DataFrame({"value": value, "mean": np.cumsum(value) / draw}, index=pd.Index(draw, name="draw"))


def drawn_order(evaluation: Evaluation, feature: str, *, query_id: str, draw: int = 1, seed: int = 0) -> pd.Series[int]:
    """Return the rank of each listed document in one of the orders of :func:`draws`: index ``doc_id``."""
    values = evaluation.values
    check_draws(draw, least=1, name="draw")
    check_seed(seed)
    rows, _ = _rows_of_query(values, feature, query_id)
    group, order = _in_file_order(rows)
    (key,) = draw_keys(rows.id_hash()[order], order_seeds(seed, draw)[-1:])
    drawn = order[np.lexsort((key, group[order]))]
    doc_ids = values.alignment.document_ids.take(pa.array(rows.document[drawn])).to_pylist()
    return pd.Series(
        np.arange(1, len(drawn) + 1), index=pd.Index(doc_ids, name="doc_id", dtype="str"), name="rank", dtype="int64"
    )


def _rows_of_query(values: Values, feature: str, query_id: str) -> tuple[FeatureRows, int]:
    """Return the documents that a feature ranks for one query, and the position of the query."""
    values.feature_position(feature)
    values.alignment.check_documents("an order of the documents of a query")
    query = query_position(values, query_id)
    return values.rows(feature, (query, query + 1)), query


def _in_file_order(rows: FeatureRows) -> tuple[np.ndarray, np.ndarray]:
    """(n_documents,) tie group of each document, from 0; and the documents by group, as in the file inside a group."""
    group = dense_rank(score_code(rows.scores, ascending=rows.ascending))
    return group, np.lexsort((rows.input_order(), group))

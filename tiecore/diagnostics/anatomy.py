"""The anatomy of a feature's ties: sizes of tie groups, distinct scores, constant queries, cut-offs inside a tie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from tiecore.diagnostics.shared import counted_queries, of_measure, wanted_measures
from tiecore.errors import check_draws
from tiecore.evaluation.result import Evaluation
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import is_scored


def anatomy(
    evaluation: Evaluation,
    measure: str | Measure | None = None,
    *,
    cutoffs: Sequence[int] = (10,),
    rel: int | None = 1,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Return a description of the ties of each feature: one row for each feature.

    Parameters
    ----------
    measure
        Use the queries that count for this measure; by default those that count for any.
    cutoffs
        Ranks k of the columns ``cut_in_tie@k`` and ``cut_in_mixed_tie@k``.
    rel
        Grade from which a document is relevant; a tie group with relevant and other documents is mixed. With None, a
        tie group with documents of different grades is mixed, where unjudged counts as a grade.

    Returns
    -------
    DataFrame
        Index ``feature``; columns ``queries``, ``documents``, ``tied``, ``tied_mixed``, ``mean_tie``, ``largest_tie``,
        ``values``, ``values_per_query``, ``constant_queries``, two for each cut-off, and ``alarm``. The alarm marks
        features that are constant within each query; their expectation is that of a random order.
    """
    values = evaluation.values
    counted = counted_queries(values, measure)
    for k in cutoffs:
        check_draws(k, least=1, name="a cut-off")

    def describe(feature: str) -> dict[str, object]:
        rows, groups = values.rows(feature), values.groups(feature)
        kept = np.flatnonzero(counted[groups.query])
        query, above, size = (of_group[kept] for of_group in (groups.query, groups.above, groups.size))
        is_mixed = np.isin(kept, groups.mixed)
        if rel is not None:
            relevant = groups.relevant(rel)[kept]
            is_mixed = (relevant > 0) & (relevant < size)
        groups_of_query = np.bincount(query)
        documents_of_query = np.bincount(query, weights=size)
        n_queries = int((groups_of_query > 0).sum())
        n_constant = int(((groups_of_query == 1) & (documents_of_query > 1)).sum())
        n_documents = int(size.sum())
        n_values = len(np.unique(rows.scores[counted[rows.query] & is_scored(rows.scores)]))
        description: dict[str, object] = {
            "queries": n_queries,
            "documents": n_documents,
            "tied": _share(size[size > 1].sum(), n_documents),
            "tied_mixed": _share(size[is_mixed].sum(), n_documents),
            "mean_tie": _share(n_documents, len(size)),
            "largest_tie": int(size.max(initial=0)),
            "values": n_values,
            "values_per_query": _share(len(size), n_queries),
            "constant_queries": _share(n_constant, n_queries),
        }
        for k in cutoffs:
            is_cut = (above < k) & (k < above + size)  # at most one group of a query
            description[f"cut_in_tie@{k}"] = is_cut.sum() / counted.sum()
            description[f"cut_in_mixed_tie@{k}"] = (is_cut & is_mixed).sum() / counted.sum()
        if not n_queries:
            alarm = "lists no document of any query"
        elif (groups_of_query <= 1).all():
            where = "over all queries" if n_values < 2 else "within each query"
            alarm = f"constant {where}, which gives the expectation of a random order"
        else:
            of_queries = f"constant in {n_constant} of {n_queries} queries: all their documents are tied"
            alarm = of_queries if n_constant else ""
        return description | {"alarm": alarm}

    descriptions = in_threads(describe, evaluation.features, progress=progress)
    return pd.DataFrame(descriptions, index=pd.Index(evaluation.features, name="feature"))


def flat_features(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the features that are constant within each query.

    Their expectation is that of a random order.
    """
    all_groups = zip(evaluation.features, in_threads(evaluation.values.groups, evaluation.features), strict=True)
    return tuple(name for name, groups in all_groups if not groups.above.any() and (groups.size > 1).any())


def random_baseline(evaluation: Evaluation, measure: str | Measure | None = None) -> pd.DataFrame:
    """Return the expectation of each feature beside that of a random order of the documents that it lists.

    Index (``measure``, ``feature``); columns ``expected``, ``random`` (the expectation of a constant feature over the
    same documents) and ``gained`` (how much better the feature is).
    """
    values = evaluation.values

    def in_random_order(feature: str) -> TieGroups:
        rows = values.rows(feature)
        constant = np.where(is_scored(rows.scores), 0.0, np.nan)  # unscored documents stay last
        return rows.alignment.sort(replace(rows, scores=constant))

    random = in_threads(in_random_order, evaluation.features)
    tables = {}
    for one in wanted_measures(values, measure):
        table = pd.DataFrame(index=pd.Index(evaluation.features, name="feature"))
        table["expected"] = [one.summarise(of_feature) for of_feature in of_measure(values, one, "expected")]
        counted = counted_queries(values, one)
        table["random"] = [one.summarise(one.expected(groups)[counted]) for groups in random]
        table["gained"] = one.sign * (table["expected"] - table["random"])
        tables[str(one)] = table
    return pd.concat(tables, names=["measure"])


def _share(part: float, whole: float) -> float:
    return float(part) / whole if whole else 0.0

"""Random tie-breaks of all features: each its own, or one order of documents for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from tiecore.collection.align import FeatureRows
from tiecore.evaluation.draws import drawn_values
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.groups import TieGroups
from tiecore.ties.keys import bits_for, dense_rank
from tiecore.ties.tie_breaks import TieBreak, tie_break

__all__ = ["draw_means", "draw_summaries", "sd_of_differences", "sd_of_draws"]

_ROUNDING = 1e-12


def draw_summaries(
    evaluation: Values, measure: Measure, *, draws: int, seed: int, shared_order: bool, progress: Progress | None
) -> np.ndarray:
    """(draws, n_features) summaries under random tie-breaks, features as in the evaluation.

    With a shared order each draw is one tie-break ``random:SEED``: an order of all documents, the same for every
    feature, as document ids have. Otherwise every feature breaks its ties by itself.
    """
    if not shared_order:
        return evaluation.sample(measure, draws=draws, seed=seed, progress=progress).to_numpy()
    counted = evaluation.counted[evaluation.measures.index(measure)]
    orders = _orders(draws, seed)

    def of_feature(feature: str) -> list[float]:
        broken = _broken(evaluation.rows(feature), orders, cutoff=measure.cutoff)
        return [measure.summarise(measure.expected(groups)[counted]) for groups in broken]

    return np.array(in_threads(of_feature, evaluation.features, progress=progress)).T


def draw_means(
    evaluation: Values,
    measure: Measure,
    queries: Mapping[str, np.ndarray],
    *,
    draws: int,
    seed: int,
    shared_order: bool,
    progress: Progress | None,
) -> dict[str, np.ndarray]:
    """Return (draws, n_sets) means of each feature over some sets of queries, under random tie-breaks.

    Means are on the scale that the measure averages.

    ``queries``: for each feature (n_sets, n_queries) bool, of the queries that count.
    """
    counted = evaluation.counted[evaluation.measures.index(measure)]
    seeds = dict(zip(evaluation.features, np.random.SeedSequence(seed).spawn(len(evaluation.features)), strict=True))
    orders = _orders(draws, seed) if shared_order else []

    def of_feature(feature: str) -> np.ndarray:
        rows = evaluation.rows(feature)
        values: Iterator[np.ndarray]
        if shared_order:
            values = (measure.expected(groups) for groups in _broken(rows, orders, cutoff=measure.cutoff))
        else:
            values = drawn_values(measure, rows.groups(), draws=draws, rng=np.random.default_rng(seeds[feature]))
        share = queries[feature] / queries[feature].sum(axis=1, keepdims=True)
        return np.array([share @ measure.averaged(drawn[counted]) for drawn in values])

    return dict(zip(queries, in_threads(of_feature, list(queries), progress=progress), strict=True))


def _orders(draws: int, seed: int) -> list[TieBreak]:
    """Return random orders of all documents, the same for every feature."""
    return [tie_break(f"random:{word}") for word in np.random.SeedSequence(seed).generate_state(draws, np.uint64)]


def _broken(rows: FeatureRows, orders: Sequence[TieBreak], *, cutoff: int | None) -> Iterator[TieGroups]:
    """Break the ties of a feature by one order after another: ``rows.groups(order.key(rows))``, only quicker.

    Documents of groups that begin behind the cut-off are left out, scores are coded once, and keys are cut to the bits
    that are free, so that nothing has to be sorted twice.
    """
    alignment = rows.alignment
    code = dense_rank(rows.score_code())
    if cutoff is not None:
        group = dense_rank(rows.query.astype(np.int64) * (int(code.max(initial=0)) + 1) + code)  # (n_rows,)
        kept = np.flatnonzero(rows.groups().above[group] < cutoff)
        rows = FeatureRows(alignment, rows.feature, rows.document[kept], rows.scores[kept], None, 0, rows.precision)
        code = code[kept]
    taken = map(bits_for, (len(alignment.grades) - 1, alignment.n_queries - 1, int(code.max(initial=0))))
    free = 64 - sum(taken)
    for order in orders:
        key = order.key(rows)
        surplus = max(0, bits_for(int(key.max(initial=0))) - free)
        yield TieGroups.from_keys(
            [code, key >> np.uint64(surplus)],
            query=rows.query,
            level=rows.level,
            grades=alignment.grades,
            n_queries=alignment.n_queries,
            ideal=alignment.judged,
        )


def sd_of_differences(values: np.ndarray) -> np.ndarray:
    """(n_pairs,) standard deviation over the draws of the difference of each two features, paired draw by draw."""
    n_features = values.shape[1]
    return np.concatenate(
        [sd_of_draws(values[:, feature + 1 :] - values[:, [feature]]) for feature in range(n_features)]
    )


def sd_of_draws(values: np.ndarray) -> np.ndarray:
    """(n_columns,) standard deviation over the draws; exactly 0 where they differ by rounding alone."""
    sd = values.std(axis=0, ddof=1)
    sd[np.ptp(values, axis=0) <= _ROUNDING * np.abs(values).max(axis=0, initial=0.0)] = 0.0
    return sd

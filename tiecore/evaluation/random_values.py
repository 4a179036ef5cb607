"""Values of features under random orders of the documents, as many as a budget allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tiecore.errors import TiecoreError
from tiecore.evaluation.checks import check_seed
from tiecore.evaluation.random_orders import OpenTies, TieOrders, check_tie_orders, order_seeds
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads

TOO_MANY = "too many tied documents to draw"
_BUDGET = 6_000_000
"""Documents put into an order, over all draws, features and queries: drawing then takes about as long as evaluating."""
_LARGEST_BUDGET = 1_000_000_000
"""The same where the number of draws is asked for."""
_LEAST, _MOST = 30, 1000
_PILOT = 32
"""Queries that tell how many fit into the budget."""
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class RandomValues:
    """How far values are from their expectation under random orders.

    On the scale that the measure averages, more being better; 0 where no order can change the value.
    """

    queries: np.ndarray
    """(n_drawn,) queries that were drawn."""
    is_complete: bool
    """Whether these are all queries that a tie-break can change, and not a random part of them."""
    draws: int
    query_of_list: list[np.ndarray]
    """For each feature (n_lists,) which of the drawn queries have open ties."""
    deviations: list[np.ndarray]
    """For each feature (draws, n_lists)."""

    def dense(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield some of the queries that have deviations, and these: (n_features, draws, n_some)."""
        n_features = len(self.deviations)
        at_once = max(1, _AT_ONCE // (n_features * self.draws))
        deviating = np.unique(np.concatenate(self.query_of_list))
        for some in np.split(deviating, range(at_once, len(deviating), at_once)):
            block = np.zeros((n_features, self.draws, len(some)))
            for own, query, deviations in zip(block, self.query_of_list, self.deviations, strict=True):
                of_block = np.flatnonzero(np.isin(query, some))
                own[:, np.searchsorted(some, query[of_block])] = deviations[:, of_block]
            yield some, block


def random_values(
    evaluation: Values,
    measure: Measure,
    *,
    features: Sequence[str] | None = None,
    seed: int = 0,
    tie_orders: TieOrders = "shared",
    times: int = 1,
    progress: Progress | None = None,
) -> RandomValues | None:
    """Draw random orders; None where not even 30 draws of one query fit into the budget.

    There are 30 to 1,000 draws. Where 30 of all queries do not fit, a random part of the queries is drawn.

    ``features``: those that are drawn; by default all. ``times``: how often the usual budget may be spent.
    """
    budget = times * _BUDGET
    check_seed(seed)
    check_tie_orders(tie_orders)
    m = evaluation.measures.index(measure)
    names = evaluation.features if features is None else features
    place = [evaluation.features.index(name) for name in names]
    may_change = evaluation.counted[m].copy()
    if {"worst", "best"} <= set(evaluation.statistics):
        worst, best = (evaluation.values[m, place, evaluation.columns.index(name)] for name in ("worst", "best"))
        may_change &= (worst != best).any(axis=0)
    everything = np.random.default_rng(seed).permutation(np.flatnonzero(may_change))

    def open_ties(queries: np.ndarray) -> tuple[list[OpenTies], np.ndarray]:
        """Return those of each feature, and of each query the documents that one draw of all puts into an order."""
        found = in_threads(
            lambda name: OpenTies.of_feature(evaluation.rows(name), measure, queries, tie_orders=tie_orders), names
        )
        return found, np.sum([of_feature.cost for of_feature in found], axis=0)

    n_queries = len(everything)
    if n_queries > _PILOT and evaluation.alignment.n_ranked() * _LEAST > budget:
        _, of_some = open_ties(everything[:_PILOT])
        n_queries = int(min(n_queries, max(1, budget / _LEAST / max(1.0, float(of_some.mean())))))
    ties, of_each = open_ties(everything[:n_queries])
    costs = np.cumsum(of_each)
    n_fitting = int(np.searchsorted(costs, budget / _LEAST, side="right"))
    if n_fitting == 0 < n_queries:
        return None
    queries = everything[:n_fitting]
    draws = int(np.clip(budget / max(1.0, float(costs[n_fitting - 1])), _LEAST, _MOST)) if n_fitting else _MOST
    sign = 1.0 if measure.higher_is_better else -1.0
    expected = measure.averaged(evaluation.values[m, place, evaluation.columns.index("expected")])

    def drawn(f: int) -> tuple[np.ndarray, np.ndarray]:
        lists = ties[f].lists(n_fitting)
        values = measure.averaged(np.concatenate(list(lists.values(measure, order_seeds(seed, draws)))))
        return lists.query, sign * (values - expected[f, queries[lists.query]])

    found = in_threads(drawn, range(len(ties)), progress=progress)
    return RandomValues(
        queries=queries,
        is_complete=n_fitting == len(everything),
        draws=draws,
        query_of_list=[query for query, _ in found],
        deviations=[values for _, values in found],
    )


def random_summaries(
    evaluation: Values, measure: Measure, feature: str, *, draws: int, seed: int, tie_orders: TieOrders
) -> np.ndarray:
    """(draws,) summaries of one feature under random orders."""
    m, f = evaluation.measures.index(measure), evaluation.features.index(feature)
    queries = np.flatnonzero(evaluation.counted[m])
    ties = OpenTies.of_feature(evaluation.rows(feature), measure, queries, tie_orders=tie_orders)
    cost = float(ties.cost.sum())
    if draws * cost > _LARGEST_BUDGET:
        raise TiecoreError(
            f"{TOO_MANY}: each draw of {feature} orders {cost:,.0f} documents, so at most "
            f"{_LARGEST_BUDGET / cost:,.0f} can be drawn, found draws={draws:,}"
        )
    lists = ties.lists()
    values = evaluation.values[m, f, evaluation.columns.index("expected"), queries]
    summaries = []
    for some in lists.values(measure, order_seeds(seed, draws)):
        for drawn in some:
            values[lists.query] = drawn
            summaries.append(measure.summarise(values))
    return np.array(summaries)

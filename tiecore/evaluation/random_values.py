"""Values of features under random orders of the documents, as many as a budget allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import get_args

import numpy as np

from tiecore.collection.alignment import Block
from tiecore.errors import check_choice, check_seed
from tiecore.evaluation.random_orders import OpenTies, TieOrders, check_budget, order_seeds
from tiecore.evaluation.values import Values
from tiecore.measures import Measure
from tiecore.threads import Progress, in_threads
from tiecore.ties.keys import changes

_BUDGET = 1_000_000
"""Documents put into an order, over all orders, features and queries: drawing then takes as long as evaluating."""
_LEAST, _MOST = 8, 1000
"""Orders of each query: more at least would leave fewer queries where few fit, and err more (docs/decisions.md)."""
_GENEROUS, _MANY = 5, 64
"""How many times as much is spent where that makes so many orders of each query: of few documents it takes 0.1 s."""
_PARTS = 64
"""Parts of the queries whose orders are put together anew: enough for the sum over them to be as that over queries."""
_AT_ONCE = 4_000_000
_SHORT = 1 << 17
"""Documents of a feature, or of a block of its queries, up to which two threads are slower than one (waits)."""


@dataclass(frozen=True, slots=True, eq=False)
class RandomValues:
    """How far values are from their expectation under random orders.

    On the scale that the measure averages, more being better; 0 where no order can change the value. Queries are
    independent, so the orders drawn for one part of them go with those drawn for any other: few orders of many queries
    give many draws of the mean.
    """

    queries: np.ndarray
    """(n_drawn,) queries that were drawn."""
    share: float
    """Of the queries that a tie-break can change; below 1 they are a random part of them."""
    orders: int
    """Orders of each query."""
    query_of_list: list[np.ndarray]
    """For each feature (n_lists,) which of the drawn queries have open ties."""
    deviations: list[np.ndarray]
    """For each feature (orders, n_lists)."""
    part: np.ndarray
    """(n_drawn,) part that each drawn query belongs to; ascending."""
    order: np.ndarray
    """(draws, n_parts) which order of the queries of each part a draw of all of them has."""
    totals: np.ndarray
    """(draws, n_features) sums over the drawn queries."""
    weight: np.ndarray
    """(n_features,) draws of other orders that these are as good as: no share below one of so many is known."""

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        arrays = (self.queries, self.part, self.order, self.totals, self.weight, *self.query_of_list, *self.deviations)
        return sum(array.nbytes for array in arrays)

    @property
    def is_complete(self) -> bool:
        """Whether all queries that a tie-break can change were drawn."""
        return self.share == 1

    def lists(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield what belongs together of ``query_of_list`` and ``deviations``."""
        return zip(self.query_of_list, self.deviations, strict=True)

    def dense(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield some of the queries that have deviations, and these: (n_features, orders, n_some)."""
        n_features = len(self.deviations)
        at_once = max(1, _AT_ONCE // (n_features * self.orders))
        deviating = np.unique(np.concatenate(self.query_of_list))
        for some in np.split(deviating, range(at_once, len(deviating), at_once)):
            block = np.zeros((n_features, self.orders, len(some)))
            for own, (query, deviations) in zip(block, self.lists(), strict=True):
                of_block = np.flatnonzero(np.isin(query, some))
                own[:, np.searchsorted(some, query[of_block])] = deviations[:, of_block]
            yield some, block


def random_values(
    values: Values,
    measure: Measure,
    *,
    features: Sequence[str] | None = None,
    seed: int = 0,
    tie_orders: TieOrders = "shared",
    progress: Progress | None = None,
) -> RandomValues | None:
    """Draw random orders; None where not even 8 orders of one query fit into the budget.

    There are up to 1,000 orders of each query. Where 8 of all queries do not fit, a random part of the queries is
    drawn. They are kept with the tie groups: another tie-break or diagnostic draws nothing.

    ``features``: those that are drawn; by default all.
    """
    check_seed(seed)
    check_choice("tie_orders", tie_orders, get_args(TieOrders))
    names = values.features if features is None else tuple(features)
    m, alignment = values.measures.index(measure), values.alignment
    own = values.statistics, values.counted[m].tobytes(), *map(alignment.key, names)
    return alignment.cache.get(
        ("random values", measure, seed, tie_orders, values.options, *own),
        lambda: _drawn(values, measure, names, seed=seed, tie_orders=tie_orders, progress=progress),
        of_all=len(names) == len(values.features),
    )


def _drawn(
    values: Values,
    measure: Measure,
    names: Sequence[str],
    *,
    seed: int,
    tie_orders: TieOrders,
    progress: Progress | None,
) -> RandomValues | None:
    m, alignment = values.measures.index(measure), values.alignment
    place = [values.features.index(name) for name in names]
    may_change = values.counted[m].copy()
    if {"worst", "best"} <= set(values.statistics):
        worst, best = (values.array[m, place, values.columns.index(name)] for name in ("worst", "best"))
        may_change &= (worst != best).any(axis=0)
    rng = np.random.default_rng(seed)
    everything = rng.permutation(np.flatnonzero(may_change))

    def open_ties(f: int, block: Block, wanted: np.ndarray) -> OpenTies:
        own = wanted[slice(*block)]
        return OpenTies.of_feature(values, names[f], measure, own, queries=block, tie_orders=tie_orders)

    def cost_of(piece: tuple[int, Block]) -> np.ndarray:
        return open_ties(*piece, may_change).cost(has_cells=alignment.n_alike is not None)

    blocks = alignment.blocks()
    pieces = list(product(range(len(names)), blocks))
    workers = 1 if alignment.n_ranked() < len(pieces) * _SHORT else None
    costs = in_threads(cost_of, pieces, workers=workers, progress=progress, of_each=len(blocks))
    cost = np.reshape(np.concatenate(costs), (len(names), alignment.n_queries)).sum(axis=0)
    budget = _BUDGET * (_GENEROUS if _MANY * cost.sum() <= _BUDGET * _GENEROUS else 1)
    n_fitting = np.searchsorted(np.cumsum(cost[everything]), budget / _LEAST, side="right")
    if n_fitting == 0 < len(everything):
        return None
    queries = np.sort(everything[:n_fitting])
    is_drawn = np.isin(np.arange(alignment.n_queries), queries)
    orders = int(np.clip(budget / max(1.0, cost[queries].sum()), _LEAST, _MOST))
    expected = measure.averaged(values.array[m, place, values.columns.index("expected")])

    def deviations(piece: tuple[int, Block]) -> tuple[np.ndarray, np.ndarray]:
        f, block = piece
        if not is_drawn[slice(*block)].any():
            return np.zeros(0, dtype=np.int64), np.zeros((orders, 0))
        lists = open_ties(f, block, is_drawn).lists()
        drawn = measure.averaged(np.concatenate(list(lists.values(measure, order_seeds(seed, orders)))))
        query = block[0] + lists.query
        return np.searchsorted(queries, query), measure.sign * (drawn - expected[f, query])

    of_pieces = in_threads(deviations, pieces, workers=workers, progress=progress, of_each=len(blocks))
    found = [
        tuple(np.concatenate(arrays, axis=-1) for arrays in zip(*of_pieces[begin : begin + len(blocks)], strict=True))
        for begin in range(0, len(pieces), len(blocks))
    ]
    n_parts = max(1, min(len(queries), _PARTS))
    part = np.arange(len(queries)) * n_parts // max(1, len(queries))
    of_parts = [_by_part(own, part[query], n_parts) for query, own in found]
    n_equal = np.array([_n_equal(own.var(axis=0)) for own in of_parts])
    is_mixed = orders < _MOST and (n_equal[np.isfinite(n_equal)] > 1).any()
    order = rng.integers(orders, size=(_MOST, n_parts)) if is_mixed else np.arange(orders)[:, None]
    order = np.broadcast_to(order, (len(order), n_parts))
    return RandomValues(
        queries=queries,
        share=len(queries) / len(everything) if len(everything) else 1.0,
        orders=orders,
        query_of_list=[query for query, _ in found],
        deviations=[of_lists for _, of_lists in found],
        part=part,
        order=order,
        totals=sum(own[of] for own, of in zip(np.stack(of_parts, axis=2).swapaxes(0, 1), order.T, strict=True)),
        weight=np.clip(orders * n_equal, orders, _MOST).astype(np.int64),
    )


def random_means(
    values: Values,
    measure: Measure,
    *,
    features: Sequence[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> np.ndarray | None:
    """(draws, n_features) means over the queries under random orders; parameters as for ``random_values``."""
    drawn = random_values(values, measure, features=features, seed=seed, progress=progress)
    if drawn is None:
        return None
    place = [values.features.index(name) for name in (values.features if features is None else features)]
    expected = values.of_counted(values.measures.index(measure))[place, values.columns.index("expected")]
    noise = of_all_queries(drawn.totals, drawn, measure, scale=np.array(drawn.share**-0.5)) / expected.shape[1]
    return measure.unaveraged(measure.averaged(expected).mean(axis=1) + measure.sign * noise)


def of_all_queries(totals: np.ndarray, drawn: RandomValues, measure: Measure, *, scale: np.ndarray) -> np.ndarray:
    """(draws, n_features) sums over all queries; ``totals``: over those drawn, ``scale``: of their deviations."""
    if drawn.is_complete:
        return totals
    middle = totals.mean(axis=0)
    shift = 0.0 if measure.averages_orderings else middle * scale**2
    return shift + (totals - middle) * scale


def _by_part(deviations: np.ndarray, part: np.ndarray, n_parts: int) -> np.ndarray:
    """(orders, n_parts) sums of the lists of each part; ``part``: of each list, ascending."""
    sums = np.zeros((len(deviations), n_parts))
    first = np.flatnonzero(changes(part))
    if len(first):
        sums[:, part[first]] = np.add.reduceat(deviations, first, axis=1)
    return sums


def _n_equal(variances: np.ndarray) -> float:
    """Return how many parts of equal variance would be as good: 1 where all lies in one, infinite where none."""
    return float(variances.sum()) ** 2 / float(np.square(variances).sum()) if variances.any() else np.inf


def random_summaries(
    values: Values, measure: Measure, feature: str, *, draws: int, seed: int, tie_orders: TieOrders
) -> np.ndarray:
    """(draws,) summaries of one feature under random orders."""
    m, f = values.measures.index(measure), values.features.index(feature)
    wanted = values.counted[m]
    ties = OpenTies.of_feature(values, feature, measure, wanted, tie_orders=tie_orders)
    cost = float(ties.cost(has_cells=values.alignment.n_alike is not None).sum())
    check_budget(draws, cost, f"each draw of {feature}")
    lists = ties.lists()
    of_queries = values.array[m, f, values.columns.index("expected")].copy()
    summaries = []
    for some in lists.values(measure, order_seeds(seed, draws)):
        for drawn in some:
            of_queries[lists.query] = drawn
            summaries.append(measure.summarise(of_queries[wanted]))
    return np.array(summaries)

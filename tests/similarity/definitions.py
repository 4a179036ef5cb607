"""Coefficients of two rankings with ties by their definitions, item by item and depth by depth, for short rankings."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

FAR = 1400
"""Depth at which sums without an end are cut off: 0.97 to this power is below 1e-18."""


def overlap(x: Mapping[str, float], y: Mapping[str, float], *, p: float, ties: str) -> dict[str, float]:
    short, long = sorted((x, y), key=len)
    s, n = len(short), len(long)
    common = [item for item in short if item in long]
    lacking = sorted((item for item in long if item not in short), key=lambda item: -long[item])

    def contribution(ranking: Mapping[str, float], item: str, depth: int) -> float:
        above = sum(score > ranking[item] for score in ranking.values())
        tied = sum(score == ranking[item] for score in ranking.values())
        if ties == "w":
            return float(depth > above)
        return min(max((depth - above) / tied, 0.0), 1.0)

    def size(ranking: Mapping[str, float], depth: int) -> float:
        if depth > len(ranking):
            return depth
        power = 2 if ties == "b" else 1
        return sum(contribution(ranking, item, depth) ** power for item in ranking)

    def agreement(depth: int, unseen: float) -> float:
        both = sum(contribution(short, item, depth) * contribution(long, item, depth) for item in common)
        if ties == "a":
            return (both + unseen) / depth
        if ties == "b":
            return (both + unseen) / math.sqrt(size(short, depth) * size(long, depth))
        return 2 * (both + unseen) / (size(short, depth) + size(long, depth))

    at_s = agreement(s, 0.0)
    sums = {"ext": 0.0, "min": 0.0, "max": 0.0}
    for depth in range(1, FAR):
        weight = (1 - p) * p ** (depth - 1)
        if depth <= s:
            values = dict.fromkeys(sums, agreement(depth, 0.0))
        elif depth <= n:
            shares = [contribution(long, item, depth) for item in lacking]
            begun = [share for share in shares if share > 0]
            values = {
                "ext": agreement(depth, (depth - s) * at_s * sum(begun) / len(begun)),
                "min": agreement(depth, 0.0),
                "max": agreement(depth, sum(shares[: depth - s])),
            }
        else:
            # Behind both lists every further rank of one may hold what the other has shown already.
            values = {
                "ext": (len(common) + (n - s) * at_s) / n,
                "min": len(common) / depth,
                "max": min((len(common) + (depth - s) + (depth - n)) / depth, 1.0),
            }
        for name, value in values.items():
            sums[name] += weight * value
    return sums


def orders(ranking: Mapping[str, float]) -> Iterator[dict[str, float]]:
    levels = sorted(set(ranking.values()), reverse=True)
    groups = [[item for item in ranking if ranking[item] == level] for level in levels]
    for chosen in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield {item: -float(rank) for rank, item in enumerate(itertools.chain.from_iterable(chosen))}


def yilmaz(x: Sequence[float], y: Sequence[float]) -> float:
    order = sorted(range(len(y)), key=lambda item: -y[item])
    found = sum(sum(x[above] > x[order[r]] for above in order[:r]) / r for r in range(1, len(order)))
    return 2 * found / (len(order) - 1) - 1


def yilmaz_over_orders(x: Sequence[float], y: Sequence[float]) -> float:
    every = [list(orders({str(i): score for i, score in enumerate(scores)})) for scores in (x, y)]
    values = [
        yilmaz([first[str(i)] for i in range(len(x))], [second[str(i)] for i in range(len(x))])
        for first, second in itertools.product(*every)
    ]
    return sum(values) / len(values)


def yilmaz_agreement(x: Sequence[float], y: Sequence[float]) -> float:
    """Return variant b of the AP correlation: the mean of both directions, each from the second tie group on."""

    def one_way(x: Sequence[float], y: Sequence[float]) -> float:
        shares = []
        for i in range(len(y)):
            above = [j for j in range(len(y)) if y[j] > y[i]]
            if above:
                shares.append(sum(x[j] > x[i] for j in above) / len(above))
        return 2 * sum(shares) / len(shares) - 1 if shares else math.nan

    return (one_way(x, y) + one_way(y, x)) / 2

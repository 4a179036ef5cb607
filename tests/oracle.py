"""Measures by their definitions, averaged over every ordering: what the formulas of tiecore are judged by.

Every definition sees one fully ordered list of grades (None = unjudged) and the grades of the judged documents that
were not retrieved, and walks down the list rank by rank. Nothing here counts a tie group or sums in closed form.
"""

import itertools
import math
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

Grade = int | None
Ranking = Sequence[Grade]
Cutoff = int | None
Gains = Iterable[tuple[int, int]] | None
Groups = tuple[tuple[Grade, ...], ...]


def rounded(score: float, precision: str) -> float:
    """Return the score as the named precision sees it."""
    if precision == "float64" or math.isinf(score):
        return score
    if precision == "float32":
        try:
            narrow: float = struct.unpack("f", struct.pack("f", score))[0]
        except OverflowError:  # beyond the largest single: an infinity, as in every cast
            return math.copysign(math.inf, score)
        return narrow
    return round(score, int(precision.removeprefix("decimals:")))


def tie_groups(scores: Sequence[float], grades: Sequence[Grade], *, precision: str = "float64") -> Groups:
    """Return the grades of each tie group, highest score first, by comparing every score with every other."""
    seen = [rounded(score, precision) for score in scores]
    above = [sum(other > score for other in seen) for score in seen]
    levels = sorted({*above})
    return tuple(tuple(grade for grade, n in zip(grades, above, strict=True) if n == level) for level in levels)


@cache
def arrangements(grades: tuple[Grade, ...]) -> tuple[tuple[Grade, ...], ...]:
    """Return the distinct orders of one tie group; they are equally likely, each stands for as many permutations."""
    return tuple(dict.fromkeys(itertools.permutations(grades)))


@cache
def enumerate_orderings(groups: Groups) -> tuple[tuple[Grade, ...], ...]:
    """Return every distinct ranking that the tie groups allow; all are equally likely."""
    parts = itertools.product(*(arrangements(group) for group in groups))
    return tuple(tuple(itertools.chain.from_iterable(of_groups)) for of_groups in parts)


@dataclass(frozen=True, slots=True)
class Enumerated:
    """Moments of one measure over all orderings, found by listing them."""

    expected: float
    variance: float
    worst: float
    best: float


def is_relevant(grade: Grade, rel: int) -> bool:
    return grade is not None and grade >= rel


def ranks_of_relevant(ranking: Ranking, cutoff: Cutoff, rel: int) -> list[int]:
    return [rank for rank, grade in enumerate(ranking[:cutoff], start=1) if is_relevant(grade, rel)]


def hits(ranking: Ranking, cutoff: Cutoff, rel: int) -> int:
    return len(ranks_of_relevant(ranking, cutoff, rel))


def n_relevant(ranking: Ranking, unretrieved: Ranking, rel: int) -> int:
    return hits(ranking, None, rel) + hits(unretrieved, None, rel)


def gain(grade: Grade, dcg: str = "log2", gains: Gains = None) -> int:
    """Return what a document of this grade is worth to the cumulated gains; a grade may have a gain of its own."""
    usual = 0 if grade is None or grade < 0 else {"log2": grade, "exp-log2": 2**grade - 1}[dcg]
    return dict(gains or ()).get(grade, usual) if grade is not None else 0


def precision(ranking: Ranking, unretrieved: Ranking, *, cutoff: int, rel: int = 1) -> float:
    """P@k: share of the first k ranks that holds a relevant document; empty ranks hold none."""
    return hits(ranking, cutoff, rel) / cutoff


def recall(ranking: Ranking, unretrieved: Ranking, *, cutoff: Cutoff = None, rel: int = 1) -> float:
    """R@k: share of the relevant documents that the first k ranks hold."""
    wanted = n_relevant(ranking, unretrieved, rel)
    return hits(ranking, cutoff, rel) / wanted if wanted else 0.0


def f1(ranking: Ranking, unretrieved: Ranking, *, cutoff: int, rel: int = 1) -> float:
    """F1@k: harmonic mean of P@k and R@k."""
    p = precision(ranking, unretrieved, cutoff=cutoff, rel=rel)
    r = recall(ranking, unretrieved, cutoff=cutoff, rel=rel)
    return 2 * p * r / (p + r) if p + r > 0 else 0.0


def average_precision(ranking: Ranking, unretrieved: Ranking, *, cutoff: Cutoff = None, rel: int = 1) -> float:
    """AP@k: precision at the rank of each relevant document, 0 for those not found by rank k, averaged over all."""
    wanted = n_relevant(ranking, unretrieved, rel)
    total = sum(n / rank for n, rank in enumerate(ranks_of_relevant(ranking, cutoff, rel), start=1))
    return total / wanted if wanted else 0.0


def reciprocal_rank(ranking: Ranking, unretrieved: Ranking, *, cutoff: Cutoff = None, rel: int = 1) -> float:
    """RR@k: one over the rank of the first relevant document, 0 if there is none by rank k."""
    return max((1 / rank for rank in ranks_of_relevant(ranking, cutoff, rel)), default=0.0)


def dcg_at(ranking: Ranking, _: Ranking, *, cutoff: Cutoff = None, dcg: str = "log2", gains: Gains = None) -> float:
    """DCG@k: gains discounted by the binary logarithm of rank + 1."""
    worth = [gain(grade, dcg, gains) for grade in ranking[:cutoff]]
    return math.fsum(one / math.log2(rank + 1) for rank, one in enumerate(worth, start=1))


def ndcg(ranking: Ranking, unretrieved: Ranking, *, cutoff: Cutoff = None, **gains: Any) -> float:
    """nDCG@k: DCG@k over that of all judged documents in order of their gains."""
    judged = sorted((*ranking, *unretrieved), key=lambda grade: gain(grade, **gains), reverse=True)
    ideal = dcg_at(judged, (), cutoff=cutoff, **gains)
    return dcg_at(ranking, (), cutoff=cutoff, **gains) / ideal if ideal > 0 else 0.0


def cumulated_gain(ranking: Ranking, unretrieved: Ranking, *, cutoff: Cutoff = None) -> float:
    """CG@k: sum of the gains of the first k ranks."""
    return float(sum(gain(grade) for grade in ranking[:cutoff]))


def success(ranking: Ranking, unretrieved: Ranking, *, cutoff: int, rel: int = 1) -> float:
    """Success@k: 1 if any of the first k ranks holds a relevant document."""
    return float(hits(ranking, cutoff, rel) > 0)


def r_precision(ranking: Ranking, unretrieved: Ranking, *, rel: int = 1) -> float:
    """Rprec: precision at as many ranks as there are relevant documents."""
    wanted = n_relevant(ranking, unretrieved, rel)
    return hits(ranking, wanted, rel) / wanted if wanted else 0.0


def rank_biased_precision(
    ranking: Ranking, _: Ranking, *, cutoff: Cutoff = None, p: float = 0.8, rel: Grade = None, max_rel: Grade = None
) -> float:
    """RBP@k: gain where a reader stops who goes on with probability p, by relevance or by the share of a scale."""
    gains = [is_relevant(grade, rel) if rel else on_scale(grade, 0, max_rel or 0) for grade in ranking[:cutoff]]
    return math.fsum((1 - p) * p**above * one for above, one in enumerate(gains))


def bejeweled(ranking: Ranking, unretrieved: Ranking, *, cutoff: int, T: float = 1.0, rel: int = 1) -> float:  # noqa: N803
    """BPM@k: mean gain of the documents that a reader looks at who stops at a gain of T or at rank k."""
    gained = 0.0
    for rank in range(1, cutoff + 1):
        gained += rank <= len(ranking) and is_relevant(ranking[rank - 1], rel)
        if gained >= T:
            break
    return gained / rank


def interpolated_precision(ranking: Ranking, unretrieved: Ranking, *, recall: float, rel: int = 1) -> float:
    """IPrec@recall: best precision at any rank that has found int(recall * relevant + 0.9) relevant documents."""
    least = int(recall * n_relevant(ranking, unretrieved, rel) + 0.9)
    found = [hits(ranking, rank, rel) for rank in range(1, len(ranking) + 1)]
    return max((found[i] / (i + 1) for i in range(len(ranking)) if found[i] >= least), default=0.0)


def overlap(ranking: Sequence[int], ideal: Sequence[int], p: float, depth: int) -> float:
    """Sum over depths i of p^(i-1) times the share of documents common to both down to i."""
    return math.fsum(p ** (i - 1) * len(set(ranking[:i]) & set(ideal[:i])) / i for i in range(1, depth + 1))


def compatibility(ranking: Ranking, unretrieved: Ranking, *, p: float = 0.95, normalize: bool = True) -> float:
    """Compat: rank-biased overlap with the most similar of the ideal rankings, over that of this one with itself."""
    grades = dict(enumerate(itertools.chain(ranking, unretrieved)))  # documents are numbered as the ranking has them
    ideal = sorted((d for d, grade in grades.items() if is_relevant(grade, 1)), key=lambda d: -(grades[d] or 0))
    depth = max(len(ranking), len(ideal))
    if not ideal:
        return 0.0
    whole = overlap(ideal, ideal, p, depth) if normalize else math.fsum(p**i for i in range(depth))
    return overlap(range(len(ranking)), ideal, p, depth) / whole


def accuracy(ranking: Ranking, unretrieved: Ranking, *, rel: int = 1) -> float:
    """Accuracy: share of the pairs of a relevant document and another one that stand in the right order."""
    good = ranks_of_relevant(ranking, None, rel)
    bad = {*range(1, len(ranking) + 1)}.difference(good)
    if not good or not bad:
        return float(bool(good))
    return sum(g < b for g in good for b in bad) / (len(good) * len(bad))


def set_precision(ranking: Ranking, unretrieved: Ranking, *, rel: int = 1, relative: bool = False) -> float:
    """SetP: share of relevant documents in the list, or of the most that a list of this length could hold."""
    possible = min(len(ranking), n_relevant(ranking, unretrieved, rel)) if relative else len(ranking)
    return hits(ranking, None, rel) / possible if possible else 0.0


def set_f(ranking: Ranking, unretrieved: Ranking, *, rel: int = 1, beta: float = 1.0) -> float:
    """SetF: harmonic mean of SetP, with weight 1, and SetR, with weight beta."""
    p, r = set_precision(ranking, unretrieved, rel=rel), recall(ranking, unretrieved, rel=rel)
    return (1 + beta) / (1 / p + beta / r) if p > 0 else 0.0


def set_average_precision(ranking: Ranking, unretrieved: Ranking, *, rel: int = 1) -> float:
    """SetAP: SetP for each relevant document of the list, 0 for the others, averaged."""
    wanted = n_relevant(ranking, unretrieved, rel)
    return hits(ranking, None, rel) * set_precision(ranking, unretrieved, rel=rel) / wanted if wanted else 0.0


def number_retrieved(ranking: Ranking, unretrieved: Ranking, *, rel: int | None = None) -> float:
    """NumRet: how long the list is, or how many of its documents are relevant."""
    return float(len(ranking) if rel is None else hits(ranking, None, rel))


def judged_share(ranking: Ranking, unretrieved: Ranking, *, cutoff: int) -> float:
    """Judged@k: share of the first k ranks that holds a judged document."""
    return sum(grade is not None for grade in ranking[:cutoff]) / cutoff


def bpref(ranking: Ranking, unretrieved: Ranking, *, rel: int = 1) -> float:
    """Bpref: for each relevant document, the share of the first R judged non-relevant ones that it is above."""
    wanted = n_relevant(ranking, unretrieved, rel)
    is_bad = [not is_relevant(grade, rel) for grade in (*ranking, *unretrieved) if grade is not None]
    n_listed = sum(grade is not None for grade in ranking)
    bad_above = [sum(is_bad[:place]) for place in range(n_listed) if not is_bad[place]]
    total = sum(1 - min(bad, wanted) / min(wanted, sum(is_bad)) if bad else 1.0 for bad in bad_above)
    return total / wanted if wanted else 0.0


def expected_reciprocal_rank(ranking: Ranking, _: Ranking, *, cutoff: Cutoff = None, max_rel: int = 4) -> float:
    """ERR@k: expected 1/rank at which a reader stops who is satisfied by grade g with chance (2^g - 1)/2^max."""
    total = 0.0
    reading = 1.0
    for rank, grade in enumerate(ranking[:cutoff], start=1):
        satisfied = 0.0 if grade is None or grade <= 0 else (2**grade - 1) / 2**max_rel
        total += reading * satisfied / rank
        reading *= 1 - satisfied
    return total


def search_length(ranking: Ranking, unretrieved: Ranking, *, s: int = 1, rel: int = 1) -> float:
    """ESL: non-relevant documents read before the s-th relevant one, on an ordering of the whole collection."""
    assert not unretrieved, "the whole collection is ordered here, the unretrieved documents last"
    wanted = ranks_of_relevant(ranking, None, rel)[:s]
    return float(wanted[-1] - len(wanted) if wanted else len(ranking))


# Readers who walk down a list and go on with a chance: what the measures of the C/W/L framework are defined by.


def on_scale(grade: Grade, min_rel: int, max_rel: int) -> float:
    """Return where a grade stands between the ends of a scale, 0 for an unjudged document."""
    return 0.0 if grade is None or grade < min_rel else (grade - min_rel) / (max_rel - min_rel)


DEPTH_OF_READERS = 1000

GoOn = Callable[..., float]


def read_on(gains: Sequence[float], go_on: GoOn, *parameters: float, depth: int = DEPTH_OF_READERS) -> float:
    """Mean gain of what a reader looks at who goes on from rank i, gain g, with chance go_on(i, g), to a depth."""
    looked = 0.0
    gained = 0.0
    chance = 1.0
    for rank, found in enumerate(gains[:depth], start=1):
        looked += chance
        gained += chance * found
        chance *= go_on(rank, found, *parameters)
    return gained / (looked + chance * _looked_in_vain(len(gains), depth, go_on, *parameters))


@cache
def _looked_in_vain(listed: int, depth: int, go_on: GoOn, *parameters: float) -> float:
    """Ranks that a reader looks at, on average, who has come to the end of the list, where nothing is gained."""
    looked = 0.0
    chance = 1.0
    for rank in range(listed + 1, depth + 1):
        looked += chance
        chance *= go_on(rank, 0.0, *parameters)
    return looked


def on_by_wanted_gain(rank: int, _: float, wanted: float) -> float:
    return ((rank + 2 * wanted - 1) / (rank + 2 * wanted)) ** 2


def reader(go_on: GoOn, **usual: float) -> Callable[..., float]:
    """Return the definition of a reader who goes on with a chance, over gains that are shares of a scale."""

    def mean_gain(ranking: Ranking, _: Ranking, *, max_rel: int, min_rel: int = 0, **given: Any) -> float:
        depth = given.pop("cutoff", DEPTH_OF_READERS)
        gains = [on_scale(grade, min_rel, max_rel) for grade in ranking]
        return read_on(gains, go_on, *(usual | given).values(), depth=depth)

    return mean_gain


DEFINITIONS: Mapping[str, Callable[..., float]] = {
    "P": precision,
    "R": recall,
    "F1": f1,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "nDCG": ndcg,
    "DCG": dcg_at,
    "CG": cumulated_gain,
    "Success": success,
    "Rprec": r_precision,
    "RBP": rank_biased_precision,
    "Judged": judged_share,
    "Bpref": bpref,
    "ERR": expected_reciprocal_rank,
    "ESL": search_length,
    "PRR": search_length,  # a function of the mean search length, see `enumerated`
    "Accuracy": accuracy,
    "SDCG": reader(lambda rank, _: math.log(rank + 1) / math.log(rank + 2)),
    "INSQ": reader(on_by_wanted_gain, T=1.0),
    "BPM": bejeweled,
    "NERR8": reader(lambda _, gain: 1 - gain),
    "NERR9": reader(lambda rank, gain: rank / (rank + 1) * (1 - gain)),
    "NERR10": reader(lambda _, gain, p: p * (1 - gain), p=0.9),
    "NERR11": reader(lambda rank, gain, wanted: on_by_wanted_gain(rank, gain, wanted) * (1 - gain), T=1.0),
    "IPrec": interpolated_precision,
    "Compat": compatibility,
    "SetP": set_precision,
    "SetR": recall,
    "SetF": set_f,
    "SetAP": set_average_precision,
    "NumRet": number_retrieved,
    "NumRel": lambda ranking, unretrieved, *, rel=1: float(n_relevant(ranking, unretrieved, rel)),
    "NumQ": lambda ranking, unretrieved: 1.0,
    "GMAP": average_precision,  # per query; the geometric mean enters with the summary
}

LOWER_IS_BETTER = frozenset({"ESL"})
ORDERS_THE_WHOLE_COLLECTION = frozenset({"ESL", "PRR"})


def definition_of(family: str) -> Callable[..., float]:
    """Return the tie-oblivious definition, or say that a newly registered family still lacks one."""
    if family not in DEFINITIONS:
        raise AssertionError(
            f"measure family {family!r} is registered without a definition in tests/oracle.py: "
            "write one there (rank by rank, from its definition) and rows of hand-worked values in tests/worked.py"
        )

    def defined(ranking: Ranking, unretrieved: Ranking, *, judged_only: bool = False, **parameters: Any) -> float:
        seen = [grade for grade in ranking if grade is not None and grade >= 0] if judged_only else ranking
        return DEFINITIONS[family](seen, unretrieved, **parameters)

    return defined


def value(family: str, ranking: Ranking, unretrieved: Ranking = (), **parameters: Any) -> float:
    if family == "PRR":
        return _probability(search_length(ranking, unretrieved, **parameters), ranking, (), **parameters)
    return definition_of(family)(ranking, unretrieved, **parameters)


def _probability(length: float, ranking: Ranking, unretrieved: Ranking, *, s: int = 1, rel: int = 1) -> float:
    """Turn a search length into PRR: wanted documents over all documents read until they are found."""
    wanted = min(s, n_relevant(ranking, unretrieved, rel))
    return wanted / (wanted + length) if wanted else 0.0


def enumerated(family: str, groups: Groups, unretrieved: Sequence[int] = (), **parameters: Any) -> Enumerated:
    """Return mean, variance, worst and best of one measure over every ordering of tied documents."""
    definition = definition_of(family)
    orders_all = family in ORDERS_THE_WHOLE_COLLECTION
    ordered, apart = ((*groups, tuple(unretrieved)), ()) if orders_all else (groups, unretrieved)
    values = [definition(ordering, apart, **parameters) for ordering in enumerate_orderings(ordered)]
    mean = math.fsum(values) / len(values)
    variance = math.fsum((v - mean) ** 2 for v in values) / len(values)
    worst, best = sorted((min(values), max(values)), reverse=family in LOWER_IS_BETTER)
    if family == "PRR":
        listed = [*itertools.chain(*groups)]
        mean, best, worst = (_probability(one, listed, unretrieved, **parameters) for one in (mean, worst, best))
        variance = math.nan
    return Enumerated(mean, variance, worst, best)


def geometric_mean(values: Iterable[float], floor: float = 1e-5) -> float:
    lifted = [max(v, floor) for v in values]
    return float(math.prod(v ** (1 / len(lifted)) for v in lifted))

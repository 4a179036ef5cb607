"""Write docs/conformance.json: small tied lists with exact values, found by trying every order.

``python -m tools.conformance``. Nothing of tiecore is used: measures are defined here on one order without ties.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import groupby, permutations, product
from operator import itemgetter
from pathlib import Path
from typing import Any

PATH = Path(__file__).parent.parent / "docs" / "conformance.json"
N_LISTS, DIGITS = 30, 30
MOST_ORDERS = 720
Grades = Sequence[int]
ABOUT = (
    "Each list is one query. Documents stand in the order of the file; equal scores are tied. Grade 1 and more is "
    "relevant; unretrieved are grades of judged documents that are not listed. For each measure: mean, variance, worst "
    "and best value over all orders of the tied documents, and the value under four usual orders. Fractions are exact; "
    f"nDCG@5 has {DIGITS} digits. ERR divides by 2^4; nDCG has linear gain; P@5 divides by 5."
)


def discount(rank: int) -> Fraction:
    """Return 1/log2(rank + 1), to far more digits than are written."""
    getcontext().prec = DIGITS + 15
    return Fraction(Decimal(2).ln() / Decimal(rank + 1).ln())


DISCOUNTS = [discount(rank) for rank in range(1, 11)]


def hits(grades: Grades, cutoff: int | None = None) -> int:
    """Relevant documents among the first."""
    return sum(grade > 0 for grade in grades[:cutoff])


def average_precision(listed: Grades, judged: Grades) -> Fraction:
    """Return the sum of the precision at each relevant document over the number of relevant ones."""
    found = [Fraction(hits(listed, rank), rank) for rank, grade in enumerate(listed, 1) if grade > 0]
    return sum(found, Fraction()) / hits(judged)


def reciprocal_rank(listed: Grades, judged: Grades) -> Fraction:
    """Return one over the rank of the first relevant document."""
    return next((Fraction(1, rank) for rank, grade in enumerate(listed, 1) if grade > 0), Fraction())


def ndcg(listed: Grades, judged: Grades) -> Fraction:
    """Return the discounted gain of the first five over that of the ideal order."""
    gains = [sum(g * d for g, d in zip(own[:5], DISCOUNTS, strict=False)) for own in (listed, sorted(judged)[::-1])]
    return Fraction(gains[0] / gains[1])


def expected_reciprocal_rank(listed: Grades, judged: Grades) -> Fraction:
    """Return the expected reciprocal rank at which a reader of the first five stops."""
    value, goes_on = Fraction(), Fraction(1)
    for rank, grade in enumerate(listed[:5], 1):
        stops = Fraction(2**grade - 1, 16)
        value, goes_on = value + goes_on * stops / rank, goes_on * (1 - stops)
    return value


MEASURES: dict[str, Callable[[Grades, Grades], Fraction]] = {
    "P@5": lambda listed, judged: Fraction(hits(listed, 5), 5),
    "R@5": lambda listed, judged: Fraction(hits(listed, 5), hits(judged)),
    "AP": average_precision,
    "RR": reciprocal_rank,
    "nDCG@5": ndcg,
    "ERR@5": expected_reciprocal_rank,
    "Success@1": lambda listed, judged: Fraction(hits(listed, 1)),
    "Rprec": lambda listed, judged: Fraction(hits(listed, hits(judged)), hits(judged)),
}
ORDERS: dict[str, Callable[[list[dict[str, Any]]], list[dict[str, Any]]]] = {
    "docid-desc": lambda tied: sorted(tied, key=itemgetter("id"), reverse=True),
    "docid-asc": lambda tied: sorted(tied, key=itemgetter("id")),
    "input": list,
    "input-reversed": lambda tied: tied[::-1],
}


def lists() -> Iterator[tuple[list[dict[str, Any]], list[int]]]:
    """Yield documents and the grades of those that are not listed."""
    rng = random.Random(2008)
    n_found = 0
    while n_found < N_LISTS:
        n_documents = rng.randint(3, 9)
        ids = rng.sample([f"d{number}" for number in range(1, 10)], n_documents)
        documents = [{"id": own, "score": rng.randint(1, 3), "grade": rng.choice((0, 0, 1, 2, 4))} for own in ids]
        unretrieved = [rng.randint(0, 2) for _ in range(rng.choice((0, 0, 1, 2)))]
        n_orders = 1
        for tied in groups_of(documents):
            n_orders *= len(list(permutations(tied)))
        if 1 < n_orders <= MOST_ORDERS and hits([int(one["grade"]) for one in documents]):
            n_found += 1
            yield documents, unretrieved


def groups_of(documents: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the documents of each score, the highest first."""
    ranked = sorted(documents, key=itemgetter("score"), reverse=True)
    return [list(tied) for _, tied in groupby(ranked, key=itemgetter("score"))]


def values(documents: list[dict[str, Any]], unretrieved: list[int]) -> dict[str, dict[str, str]]:
    """Return what each measure makes of a list."""
    groups = groups_of(documents)
    orders = [
        [document["grade"] for group in order for document in group] for order in product(*map(permutations, groups))
    ]
    judged = [document["grade"] for document in documents] + unretrieved
    found = {}
    for name, measure in MEASURES.items():
        of_grades = {grades: measure(grades, judged) for grades in set(map(tuple, orders))}
        all_values = [of_grades[tuple(grades)] for grades in orders]
        mean = sum(all_values, Fraction()) / len(all_values)
        variance = sum(((value - mean) ** 2 for value in all_values), Fraction()) / len(all_values)
        numbers = {"expected": mean, "variance": variance, "worst": min(all_values), "best": max(all_values)}
        for order, broken in ORDERS.items():
            numbers[order] = measure([document["grade"] for tied in groups for document in broken(tied)], judged)
        found[name] = {key: written(number, name) for key, number in numbers.items()}
    return found


def written(number: Fraction, measure: str) -> str:
    """Return a fraction as text, or its digits where it stands for a number that is none."""
    if measure != "nDCG@5" or number.denominator == 1:
        return str(number)
    scaled = round(number * 10**DIGITS)
    return f"{scaled // 10**DIGITS}.{scaled % 10**DIGITS:0{DIGITS}d}"


def content() -> str:
    """Return the file."""
    cases = [
        {"documents": documents, "unretrieved": unretrieved, "values": values(documents, unretrieved)}
        for documents, unretrieved in lists()
    ]
    lines = [json.dumps(case) for case in cases]
    return f'{{"about": {json.dumps(ABOUT)},\n"lists": [\n' + ",\n".join(lines) + "\n]}\n"


if __name__ == "__main__":
    PATH.write_text(content(), encoding="utf-8", newline="\n")

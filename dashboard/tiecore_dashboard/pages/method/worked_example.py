"""A list small enough that every ordering of its tied documents can be looked at; all values come from tiecore."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, permutations, product
from urllib.parse import quote, unquote

import numpy as np
import pandas as pd

from tiecore import Moments, TiecoreError, moments
from tiecore.measures import Measure

MOST_DOCUMENTS = 7
"""5,040 orderings if all are tied."""
UNJUDGED = "–"
_TOLERANCE = 1e-12
Grade = int | None


@dataclass(frozen=True, slots=True)
class Example:
    """One list: its documents by descending score, and the grades of those that are not in it."""

    scores: tuple[float, ...]
    grades: tuple[Grade, ...]
    unretrieved: tuple[int, ...] = ()

    @property
    def groups(self) -> tuple[tuple[Grade, ...], ...]:
        """Grades of each tie group, best scores first."""
        ranked = zip(self.scores, self.grades, strict=True)
        return tuple(tuple(grade for _, grade in group) for _, group in groupby(ranked, key=lambda pair: pair[0]))

    @property
    def n_orderings(self) -> int:
        """Orderings of tied documents."""
        return math.prod(math.factorial(len(group)) for group in self.groups)


STARTS = {
    "three tied, two relevant": "3:0,2:1,2:1,2:0,1:0;",
    "all five tied, several grades": "1:10,1:5,1:1,1:0,1:0;",
    "one not judged, one not listed": "3:1,3:0,2:0,2:1,2:1,2:,1:1;1",
    "no ties": "5:3,4:2,3:3,2:0,1:1;",
}
"""What one may begin with, by name, written as for the link."""


@dataclass(frozen=True, slots=True, eq=False)
class Orderings:
    """The closed form beside all orderings."""

    closed: Moments
    table: pd.DataFrame
    """One row for each ordering that looks different, the best first: ``ordering``, ``value``, ``orderings``."""
    mean_is_the_value: bool
    """Whether the measure is the mean over orderings."""
    agree: bool
    """Whether closed form and enumeration agree, in mean and variance where they should."""
    deciding: Sequence[int]
    """Places of the tie groups whose order changes the value, by itself."""
    under: Mapping[str, float]
    """Value of the order in which the documents were typed, and of the other way round, by names of tie-breaks."""

    @property
    def distribution(self) -> "pd.Series[int]":
        """How many orderings give each value, which is the index."""
        return self.table.groupby(self.table["value"].round(12) + 0.0)["orderings"].sum()


def example_of(table: pd.DataFrame, unretrieved: str = "") -> Example:
    """Read what the user has typed.

    ``table``: columns ``score`` and ``grade``, of numbers or of texts; a blank grade means not judged, rows with
    neither are passed over.
    ``unretrieved``: grades of judged documents that are not listed, separated by commas or blanks.
    """
    listed: list[tuple[float, Grade]] = []
    for row, (score, grade) in enumerate(_rows(table), start=1):
        if score and not math.isfinite(_number(score)):
            raise TiecoreError(f"The score {score} in row {row} is not a finite number, such as 3 or 2.5.")
        own = _whole(grade, f"row {row}") if grade else None
        if score:
            listed.append((_number(score) + 0.0, own))
        elif grade:
            raise TiecoreError(
                f"Row {row} has a grade but no score. Give it a score, or move its grade to the documents that are not "
                "listed."
            )
    if not listed:
        raise TiecoreError("There is no document yet: add a row with a score, and a grade if it is judged.")
    if len(listed) > MOST_DOCUMENTS:
        raise TiecoreError(
            f"{len(listed)} documents could be ordered in {math.factorial(len(listed)):,} ways. Keep to "
            f"{MOST_DOCUMENTS}, so that every ordering can be shown."
        )
    listed.sort(key=lambda pair: -pair[0])
    missed = tuple(_whole(word, "the documents that are not listed") for word in unretrieved.replace(",", " ").split())
    return Example(tuple(score for score, _ in listed), tuple(grade for _, grade in listed), missed)


def written(table: pd.DataFrame, unretrieved: str) -> str:
    """Write what the user has typed in a line, for the link; faults and all, so that a reload loses nothing.

    >>> [written(*read_written(start, "")) == start for start in STARTS.values()]
    [True, True, True, True]
    >>> written(pd.DataFrame({"score": ["2,5", "a;b"], "grade": [None, "1"]}), "x")
    '2%2C5:,a%3Bb:1;x'
    """
    return f"{','.join(':'.join(map(quote, cells)) for cells in _rows(table))};{unretrieved}"


def read_written(text: str, start: str) -> tuple[pd.DataFrame, str]:
    """Return what was written, as the user has typed it; the start for what a link has garbled.

    >>> table, unretrieved = read_written("0.5:2,0.5:;1", "")
    >>> table["grade"].tolist(), unretrieved
    (['2', ''], '1')
    """
    try:
        listed, unretrieved = text.split(";", 1)
        rows = [[*map(unquote, row.split(":"))] for row in listed.split(",")]
        return pd.DataFrame(rows, columns=["score", "grade"], dtype="string"), unretrieved
    except ValueError:
        return read_written(start, start)


def _rows(table: pd.DataFrame) -> Iterator[list[str]]:
    """Yield score and grade of each row as texts, empty for a blank cell."""
    for cells in zip(table["score"], table["grade"], strict=True):
        yield ["" if pd.isna(cell) else str(cell).strip() for cell in cells]


def _number(text: str) -> float:
    """Return the number that a text is, with a decimal point or comma; NaN if it is none."""
    try:
        return float(text.replace("−", "-").replace(",", "."))
    except ValueError:
        return math.nan


def _whole(text: str, where: str) -> int:
    value = _number(text)
    if not value.is_integer() or abs(value) >= 2**31:
        raise TiecoreError(f"The grade {text} in {where} is not a whole number, such as 0, 1 or 2.")
    return int(value)


@lru_cache(maxsize=16)
def enumerate_orderings(measure: Measure, example: Example) -> Orderings:
    """Compute the closed form, and the value of every ordering of tied documents as a list without ties.

    Orderings that differ only in which of two documents of equal grade comes first look the same, so each of them is
    computed once and counted as often as it occurs: equally often, within one example.
    """

    def of(scores: Sequence[float], groups: Sequence[tuple[Grade, ...]] = example.groups) -> Moments:
        grades: tuple[Grade, ...] = sum(groups, ())
        return moments(measure, scores=scores, grades=grades, unretrieved=example.unretrieved)

    closed = of(example.scores)
    ranks = [-rank for rank in range(len(example.scores))]
    shapes = [tuple(dict.fromkeys(permutations(group))) for group in example.groups]
    repeated = math.prod(math.factorial(n) for group in example.groups for n in Counter(group).values())
    rows = [(in_groups(ordering), of(ranks, ordering).expected, repeated) for ordering in product(*shapes)]
    table = pd.DataFrame(rows, columns=["ordering", "value", "orderings"])
    table = table.sort_values("value", ascending=not measure.higher_is_better, kind="stable", ignore_index=True)
    values = table["value"]
    pairs = [(closed.best, values.iloc[0]), (closed.worst, values.iloc[-1])]
    if is_mean := measure.averages_orderings or measure.name == "GMAP":  # one query: GMAP is AP
        pairs += [(closed.expected, values.mean()), (closed.variance, values.var(ddof=0))]
    known, enumerated = np.array(pairs, dtype=float).T
    agree = np.isnan(known) | np.isclose(known, enumerated, rtol=_TOLERANCE, atol=_TOLERANCE)
    places = [place for place, group in enumerate(example.groups) for _ in group]
    alone = [
        of([-places.index(own) if own == place else -rank for rank, own in enumerate(places)])
        for place in range(len(example.groups))
    ]
    return Orderings(
        closed,
        table,
        mean_is_the_value=is_mean,
        agree=bool(agree.all()),
        deciding=[place for place, one in enumerate(alone) if one.best != one.worst],
        under={
            "input": of(ranks).expected,
            "input-reversed": of(ranks, [group[::-1] for group in example.groups]).expected,
        },
    )


def in_groups(groups: Sequence[Sequence[Grade]]) -> str:
    """Write grades with a bar between tie groups.

    >>> in_groups([(0,), (1, None, 1)])
    '0 | 1 – 1'
    """
    return " | ".join(" ".join(UNJUDGED if grade is None else str(grade) for grade in group) for group in groups)

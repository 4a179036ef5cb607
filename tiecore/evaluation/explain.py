"""Search for the conventions that reproduce a reported value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from tiecore.collection.align import align
from tiecore.collection.inputs import FeatureInput, QrelsInput, load
from tiecore.errors import TiecoreError, listed, shortened
from tiecore.evaluation.conventions import Conventions, ConventionValues, conventions_with
from tiecore.evaluation.engine import counts_of
from tiecore.measures import Measure, measure

_SLACK = 1e-9
"""Beside half a unit of the last digit: another program adds up in another order."""
_SHOWN = 5
_LEAST_DIGITS, _MOST_DIGITS = 4, 15


@dataclass(frozen=True, slots=True)
class Reported:
    """A number as it was printed."""

    measure: Measure
    text: str
    value: float
    unit: float
    """Of the last printed digit."""

    @classmethod
    def of(cls, name: str | Measure, number: object) -> Reported:
        """Return a reported number from a number or its text; text keeps trailing zeros."""
        try:
            text = number.strip() if isinstance(number, str) else repr(number)
            digits = Decimal(text.removesuffix("%")) * (Decimal("0.01") if text.endswith("%") else 1)
        except (ArithmeticError, ValueError):  # no number, or one beyond all bounds
            digits = Decimal("nan")
        if not math.isfinite(float(digits)) or isinstance(number, bool):
            raise TiecoreError(
                f"{shortened(number)} is not a number that a report could print for {name}: write 0.1731"
            )
        exponent = max(int(digits.as_tuple().exponent), -_MOST_DIGITS)
        return cls(measure(name), text, float(digits), 10.0**exponent)

    @property
    def digits(self) -> int:
        """Decimals that tell other values from this one: one more than it has, and four at least."""
        return max(_LEAST_DIGITS, round(-math.log10(self.unit)) + 1)

    def is_met(self, value: float) -> bool:
        """Return whether a value equals this number to its printed digits."""
        return abs(value - self.value) <= self.unit / 2 + _SLACK * max(1.0, abs(self.value))

    def __str__(self) -> str:
        """Return measure and number."""
        return f"{self.measure} = {self.text}"


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """What was found about reported numbers; its text is one sentence or a few."""

    fits: bool
    """Whether some conventions give all the numbers."""
    frame: pd.DataFrame
    """One row for each set of conventions that fits with the fewest departures, or for the nearest if none does."""
    ranges: pd.DataFrame
    """Index measure: what was reported, and the range of values that ties alone allow."""
    n_tried: int
    """Sets of conventions that were tried."""
    sentence: str
    digits: int
    """Decimals that tell other values from the reported numbers."""

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence


def explain(
    qrels: QrelsInput,
    feature: FeatureInput | Mapping[str, Mapping[str, float]],
    reported: Mapping[str, float | str],
    *,
    most_departures: int = 3,
) -> Explanation:
    """Return the conventions that reproduce numbers reported for a feature, to their printed digits.

    Tried are: every tie-break by name, expectation, worst and best order; the precision of scores; the gain of nDCG;
    the threshold of relevance; unjudged documents left out; lists cut at 10, 50, 100 or 1000; P@k of short lists;
    and which queries count. Fewer departures from the defaults of :func:`tiecore.evaluate` come first.

    Parameters
    ----------
    qrels
        As for :func:`tiecore.evaluate`.
    feature
        One feature, in any form.
    reported
        Name of the measure to the number; as text, ``"0.2200"`` keeps its four digits, and ``"17.3%"`` is a share.
    most_departures
        How many conventions may differ from the defaults at once.

    Examples
    --------
    >>> qrels = {"q": {"a": 0, "b": 1, "c": 0}}
    >>> print(explain(qrels, {"q": {"a": 2, "b": 1, "c": 1}}, {"RR": "0.3333"}))
    RR = 0.3333 comes out with ties broken by docid-desc (as trec_eval), one of 3 sets of conventions that fit.
    """
    numbers = [Reported.of(name, number) for name, number in reported.items()]
    if not numbers:
        raise TiecoreError("no number to explain: give at least one, for example {'nDCG@10': '0.1731'}")
    for given in (qrels, feature):
        if (counts := counts_of(given)) is not None:
            problem = "is a table of counts, and other conventions are tried on documents"
            raise TiecoreError(f"{counts.source} {problem}: name the files that it was made from")
    judgments, named = load(qrels, {"feature": feature} if _is_run(feature) else feature)
    if len(named) != 1:
        names = listed([name for name, _, _ in named])
        raise TiecoreError(f"explain takes one feature, found {len(named)} ({names}): give the one whose number it is")
    values = ConventionValues(align(judgments, named), named[0][0], tuple(number.measure for number in numbers))
    alternatives = values.alternatives()
    tried: list[tuple[Conventions, np.ndarray]] = []
    fitting: list[tuple[Conventions, np.ndarray]] = []
    for n_departures in range(max(most_departures, 0) + 1):
        found = [(some, values.of(some)) for some in conventions_with(alternatives, n_departures)]
        tried += found
        fitting = [pair for pair in found if all(map(Reported.is_met, numbers, pair[1].tolist()))]
        if fitting:
            break
    kept = fitting or sorted(tried, key=lambda pair: _distance(numbers, pair[1]))[:_SHOWN]
    ranges = _ranges(numbers, values)
    return Explanation(
        fits=bool(fitting),
        frame=_frame(numbers, kept),
        ranges=ranges,
        n_tried=len(tried),
        sentence=_fit(numbers, fitting, len(tried)) if fitting else _miss(numbers, kept[0], ranges, len(tried)),
        digits=max(number.digits for number in numbers),
    )


def parse_reported(texts: Iterable[str]) -> dict[str, str]:
    """Read ``nDCG@10=.1731`` and the like into names and numbers.

    >>> parse_reported(["nDCG@10=.1731", "AP(rel=2)=0.0650"])
    {'nDCG@10': '.1731', 'AP(rel=2)': '0.0650'}
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        if not equals:
            raise TiecoreError(f"cannot read {shortened(text)}: write a measure and its number, as in nDCG@10=.1731")
        if name.strip() in found:
            raise TiecoreError(f"{shortened(name.strip())} is reported twice: keep one of the numbers")
        found[name.strip()] = number.strip()
    return found


def _is_run(feature: object) -> bool:
    """Return whether this is one run ``{query: {document: score}}``, not several runs by name."""
    inner = next(iter(feature.values()), None) if isinstance(feature, Mapping) else None
    return isinstance(inner, Mapping) and not any(isinstance(value, Mapping) for value in inner.values())


def _distance(numbers: list[Reported], values: np.ndarray) -> tuple[int, float]:
    """Numbers missed, and by how many printed digits the farthest is missed."""
    pairs = list(zip(numbers, values.tolist(), strict=True))
    away = [abs(value - number.value) / number.unit for number, value in pairs]
    return sum(not number.is_met(value) for number, value in pairs), max(x if x == x else math.inf for x in away)


def _frame(numbers: list[Reported], kept: list[tuple[Conventions, np.ndarray]]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {"departures": len(some.departures()), **asdict(some)}
        | {str(number.measure): value for number, value in zip(numbers, values.tolist(), strict=True)}
        for some, values in kept
    ]
    frame = pd.DataFrame(rows)
    for column in ("threshold", "depth"):  # None where nothing is changed
        frame[column] = frame[column].astype("Int64")
    return frame


def _ranges(numbers: list[Reported], values: ConventionValues) -> pd.DataFrame:
    expected, *cases = (values.of(Conventions(order=order)) for order in ("expected", "worst", "best"))
    ends = np.sort(np.stack(cases, axis=1), axis=1)  # (n_measures, 2)
    inside = [
        "inside" if low - number.unit / 2 <= number.value <= high + number.unit / 2 else "outside"
        for number, (low, high) in zip(numbers, ends.tolist(), strict=True)
    ]
    return pd.DataFrame(
        {
            "reported": [number.value for number in numbers],
            "expected": expected,
            "low": ends[:, 0],
            "high": ends[:, 1],
            "ties alone": inside,
        },
        index=pd.Index([str(number.measure) for number in numbers], name="measure"),
    )


def _fit(numbers: list[Reported], fitting: list[tuple[Conventions, np.ndarray]], n_tried: int) -> str:
    departures = fitting[0][0].departures()
    with_what = f"with {_joined(departures)}" if departures else "under the usual conventions, with ties averaged"
    if not departures and all(number.measure.name == "nDCG" for number in numbers):
        with_what += " (as ndcg_score of scikit-learn)"
    more = f", one of {len(fitting)} sets of conventions that fit" if len(fitting) > 1 else ""
    if len(departures) > 1:  # among many sets one may fit by chance
        more += f" ({n_tried} sets were tried)"
    return f"{_joined(list(map(str, numbers)))} come{'s' * (len(numbers) == 1)} out {with_what}{more}."


def _miss(numbers: list[Reported], nearest: tuple[Conventions, np.ndarray], ranges: pd.DataFrame, n_tried: int) -> str:
    conventions, values = nearest
    near = []
    for number, value in zip(numbers, values.tolist(), strict=True):
        away = "" if number.is_met(value) else f" ({_printed(number, abs(value - number.value))} away)"
        near.append(f"{number.measure} = {_printed(number, value)}{away}")
    how = _joined(conventions.departures()) or "the usual conventions with ties averaged"
    sentences = [
        f"None of {n_tried} sets of conventions gives {_joined(list(map(str, numbers)))}.",
        f"The nearest, {how}, gives {_joined(near)}.",
    ]
    for number, (_, row) in zip(numbers, ranges.iterrows(), strict=True):
        outwards = 0.4999 * 10.0**-number.digits  # not half a digit, for 0.1 + 0.2 is not above 0.3
        span = f"from {_printed(number, row['low'] - outwards)} to {_printed(number, row['high'] + outwards)}"
        order = "another order of tied documents may give" if row["ties alone"] == "inside" else "no order gives"
        where = f"{number.text} lies {row['ties alone']}, {order} it"
        sentences.append(f"Scores in float64, ties alone put {number.measure} {span}: {where}.")
    if (ranges["ties alone"] == "inside").all() and (ranges["low"] < ranges["high"]).any():
        sentences.append("A tool that sorts unstably, as ranx does with long lists, follows no order that has a name.")
    return " ".join(sentences)


def _printed(number: Reported, value: float) -> str:
    """Write a value with more digits than were reported."""
    return f"{value:z.{number.digits}f}"


def _joined(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

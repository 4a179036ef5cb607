"""Values of tie-breaks that look as if the relevant documents had been put first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tiecore.evaluation.values import Values
from tiecore.measures import Measure

_NEAR, _FAR = 0.8, 4.0


def is_suspicious(value: float, *, expected: float, sd: float, best: float) -> bool:
    """Return whether a value is near the best that ties allow, and farther from the expectation than by chance.

    Near: four fifths of the way from the expectation to the best case, or more. Far: four standard deviations or more.
    Files that list positives before negatives give such values, and so does any order that knows the grades.

    >>> is_suspicious(0.95, expected=0.2, sd=0.02, best=1.0), is_suspicious(0.5, expected=0.2, sd=0.02, best=1.0)
    (True, False)
    """
    gain, most = abs(value - expected), abs(best - expected)
    return (value - expected) * (best - expected) > 0 and gain >= _NEAR * most and gain >= _FAR * sd


def suspicions(evaluation: Values, *, called: Callable[[str], str] = str) -> list[str]:
    """Return a sentence for each tie-break with such values, on the first measure that shows it.

    ``called``: how a tie-break is called.
    """
    found: dict[str, str] = {}
    names = [tie_break.name for tie_break in evaluation.tie_breaks]
    for measure in evaluation.measures if {"sd", "best"} <= set(evaluation.statistics) else ():
        for tie_break, sentence in suspicious(evaluation.leaderboard_columns(measure), names, measure, called=called):
            found.setdefault(tie_break, sentence)
    return list(found.values())


def suspicious(
    columns: Mapping[str, Iterable[Any]],
    tie_breaks: Iterable[str],
    measure: Measure,
    *,
    called: Callable[[str], str] = str,
) -> Iterator[tuple[str, str]]:
    """Yield each tie-break that gives such a value, and a sentence on the first feature that it does so for.

    An order that breaks ties by another feature, or by the grades themselves, is no accident and is left out.
    ``columns``: those of a leaderboard.
    """
    for tie_break in (name for name in tie_breaks if name != "best" and not name.startswith("feature:")):
        rows = zip(*(columns[name] for name in ("feature", tie_break, "expected", "sd", "best")), strict=True)
        found = [row for row in rows if is_suspicious(row[1], expected=row[2], sd=row[3], best=row[4])]
        if not found:
            continue
        feature, value, expected, _, best = found[0]
        more = len(found) - 1
        others = f" The same holds for {more} more feature{'s' * (more > 1)}." if more else ""
        sentence = (
            f"{called(tie_break)} gives {feature} {value:.4f} in {measure}, near the best that ties allow "
            f"({best:.4f}) and far from the expectation ({expected:.4f}): does that order know the grades?{others}"
        )
        yield tie_break, sentence

"""Values of tie-breaks that look as if the relevant documents had been put first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from tiecore.measures import Measure

if TYPE_CHECKING:
    from tiecore.evaluation.result import Evaluation

_NEAR, _FAR = 0.8, 4.0


def suspicions(evaluation: Evaluation, *, called: Callable[[str], str] = str) -> list[str]:
    """Return a sentence for each tie-break with such values, on the first measure that shows it.

    Such are values near the best that ties allow, and farther from the expectation than by chance: four fifths of the
    way to the best case, and four standard deviations, or more. Files that list positives before negatives give them,
    and so does any order that knows the grades. ``called``: how a tie-break is called.
    """
    values = evaluation.values
    measures = evaluation.measures if {"sd", "best"} <= set(values.statistics) else ()
    boards = {measure: values.leaderboard_columns(measure) for measure in measures}
    return suspicious(boards, [tie_break.name for tie_break in evaluation.tie_breaks], called=called)


def suspicious(
    boards: Mapping[Measure, Mapping[str, Iterable[Any]]],
    tie_breaks: Iterable[str],
    *,
    called: Callable[[str], str] = str,
) -> list[str]:
    """Return the same of leaderboards, of each of which its columns are known.

    An order that breaks ties by another feature, or by the grades themselves, is no accident and is left out.
    """
    found: dict[str, str] = {}
    for (measure, columns), tie_break in product(boards.items(), tie_breaks):
        if tie_break in found or tie_break == "best" or tie_break.startswith("feature:"):
            continue
        odd = []
        for row in zip(*(columns[name] for name in ("feature", tie_break, "expected", "best", "sd")), strict=True):
            _, value, expected, best, sd = row
            gain, most = value - expected, best - expected
            if gain * most > 0 and abs(gain) >= _NEAR * abs(most) and abs(gain) >= _FAR * sd:
                odd.append(row)
        for feature, value, expected, best, _ in odd[:1]:
            more = f" The same holds for {len(odd) - 1} more feature{'s' * (len(odd) > 2)}." if len(odd) > 1 else ""
            found[tie_break] = (
                f"{called(tie_break)} gives {feature} {value:.4f} in {measure}, near the best that ties allow "
                f"({best:.4f}) and far from the expectation ({expected:.4f}): does that order know the grades?{more}"
            )
    return list(found.values())

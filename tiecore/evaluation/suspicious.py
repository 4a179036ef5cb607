"""Values of tie-breaks that look as if the relevant documents had been put first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tiecore.evaluation.values import Values

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


def suspicions(evaluation: Values, *, called: Callable[[str], str] = str) -> Iterator[str]:
    """Yield a sentence for each feature and tie-break with such a value, on the first measure that shows it.

    An order that breaks ties by another feature, or by the grades themselves, is no accident and is left out.
    ``called``: how a tie-break is called.
    """
    seen = set()
    arbitrary = [one.name for one in evaluation.tie_breaks if one.policy not in ("feature", "best")]
    for measure in evaluation.measures if {"sd", "best"} <= set(evaluation.statistics) else ():
        board = evaluation.leaderboard_columns(measure)
        for tie_break in arbitrary:
            for row, feature in enumerate(board["feature"]):
                value, expected, sd, best = (float(board[name][row]) for name in (tie_break, "expected", "sd", "best"))
                how = {"expected": expected, "sd": sd, "best": best}
                if (tie_break, feature) not in seen and is_suspicious(value, **how):
                    seen.add((tie_break, feature))
                    yield (
                        f"{called(tie_break)} gives {feature} {value:.4f} in {measure}, near the best that ties allow "
                        f"({best:.4f}) and far from the expectation ({expected:.4f}): does that order know the grades?"
                    )

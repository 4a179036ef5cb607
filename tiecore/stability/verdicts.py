"""The verdicts on a difference in the order in which they are told: the mark of each, and what it says."""

from collections.abc import Iterable, Mapping

VERDICTS = {"clear": "●", "open": "○", "small": "≈", "equal": "="}
"""Mark of each verdict."""


def signs_of(verdicts: Iterable[str]) -> str:
    """Return the verdicts that there are, each with its mark.

    >>> signs_of(["open", "clear", "", "open"])
    '● clear, ○ open'
    """
    found = {*verdicts}
    return ", ".join(f"{sign} {one}" for one, sign in VERDICTS.items() if one in found)


_MEANINGS = {
    "clear": "the choice of {queries} is an unlikely explanation of the difference: p{adjusted} is {alpha} or less",
    "open": "these {queries} do not settle which of the two is better on {queries} of this kind",
    "small": "the whole {level} interval lies between −margin and +margin, whatever p is",
    "equal": "the same {value} on every {query} that counts",
}
MEANING = "; ".join(f"{verdict}: {text}" for verdict, text in _MEANINGS.items())
"""What all of them say, before the words of a study are put in."""


def meanings(words: Mapping[str, str]) -> dict[str, str]:
    """Return what each verdict says in a study; ``words``: :attr:`tiecore.stability.Stability.words`."""
    return {verdict: text.format(**words) for verdict, text in _MEANINGS.items()}

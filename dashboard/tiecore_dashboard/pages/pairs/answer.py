"""What is known of each two features, in sentences: whether ties, and whether other queries, could undo their order."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import pandas as pd

from tiecore.stability import Stability
from tiecore.stability.sentences import Writing, unequal_lists
from tiecore.stability.sentences import pair_sentence as plain_pair_sentence
from tiecore_dashboard import words
from tiecore_dashboard.words import MEANINGS, VERDICTS, bold, capitalised, in_markdown, p_value

__all__ = ["HTML", "Reading", "most_interesting", "pair_sentence", "pairs_answer", "readings"]

HTML = Writing(feature=bold, tie_break=words.tie_break_in_html, number=words.unbroken, difference=words.number)

_PREDICATES = {
    "clear": ("is", "are", "clear"),
    "open": ("is", "are", "open"),
    "small": ("is", "are", "too small to matter"),
    "equal": ("is", "are", "equal"),
}
"""Each verdict as the end of a clause, with its verb for one pair and for many."""


def explained(verdict: str) -> str:
    """Verdict with its mark, and its meaning one hover away."""
    return f'{VERDICTS[verdict]} <abbr title="{MEANINGS[verdict]}">{verdict}</abbr>'


def _counted(verdict: str, n: int, of_all: str = "") -> str:
    """Return how many pairs have a verdict, as a clause; its meaning is one hover away."""
    one, many, predicate = _PREDICATES[verdict]
    meaning = f'<abbr title="{MEANINGS[verdict]}">{predicate}</abbr>'
    return f"{words.count(n)}{of_all} {one if n == 1 else many} {VERDICTS[verdict]} {meaning}"


def pair_sentence(pair: pd.Series, stable: Stability) -> str:
    """Say of a pair whether ties, and whether other queries, could undo its order; HTML."""
    return capitalised(plain_pair_sentence(pair, stable, writing=HTML))


def pairs_answer(stable: Stability) -> tuple[str, list[str]]:
    """Count the verdicts on all pairs: a sentence, and what follows from it as a list; HTML."""
    pairs = stable.pairs
    unequal = [sentence] if (sentence := unequal_lists(stable)) else []
    if len(pairs) == 1:
        return pair_sentence(pairs.iloc[0], stable), unequal
    count = Counter(pairs["verdict"])
    found = [name for name in VERDICTS if count[name]]
    total = words.plural(len(pairs), "pair")
    if len(found) == 1:
        sentence = f"All {total}: {explained(found[0])}. {capitalised(MEANINGS[found[0]])}."
    elif count["clear"]:
        others = [_counted(name, count[name]) for name in found if name != "clear"]
        of_all = f" of {words.plural(len(pairs), 'difference')}"
        sentence = f"{_counted('clear', count['clear'], of_all)}; {words.enumerate_names(others, most=5)}."
    else:
        each = [_counted(name, count[name]) for name in found]
        sentence = f"No difference is clear: of {total} {words.enumerate_names(each, most=5)}."
    sensitivity = (
        []
        if math.isnan(stable.sensitivity)
        else [
            "The smallest difference that these queries show with 80\u00a0% power is "
            f"{words.number(stable.sensitivity)} for the median pair."
        ]
    )
    return sentence, [*unequal, *sensitivity, *_of_tie_breaks(pairs)]


def _of_tie_breaks(pairs: pd.DataFrame) -> list[str]:
    """Say how many orders tie-breaks reverse."""
    n_changed = int(pairs["reversed_by"].map(bool).sum())
    if not n_changed:
        return []
    changes = Counter(name for names in pairs["reversed_by"] for name in names)
    parts = [f"{words.count(n)} by {words.tie_break_in_html(name)}" for name, n in changes.most_common()]
    several = " (a pair can count for several)" if changes.total() > n_changed else ""
    listed = words.enumerate_names(parts, most=6)
    return [f"The order of {words.plural(n_changed, 'pair')} is reversed by a tie-break: {listed}{several}."]


def most_interesting(pairs: pd.DataFrame) -> tuple[str, str]:
    """Return the pair nearest to the top that ties put at risk; else one that is open; else the first.

    >>> pairs = pd.DataFrame({"leader": list("aab"), "trailer": list("bcc"), "reversed_by": [()] * 3})
    >>> most_interesting(pairs.assign(verdict=["clear", "open", "clear"], ties=["certain", "likely", "undecided"]))
    ('b', 'c')
    """
    open_to_ties = pairs["ties"].eq("undecided") | pairs["reversed_by"].map(bool)
    for rows in (open_to_ties, pairs["verdict"].eq("open")):
        if rows.any():
            found = pairs[rows].iloc[0]
            return str(found["leader"]), str(found["trailer"])
    return str(pairs["leader"].iloc[0]), str(pairs["trailer"].iloc[0])


class Reading(NamedTuple):
    """A number and what it says."""

    quantity: str
    value: str
    meaning: str


def readings(pair: pd.Series, *, n_pairs: int) -> list[Reading]:
    """Return the numbers on a pair, each with what it says; Markdown."""
    leader, trailer = in_markdown(pair["leader"]), in_markdown(pair["trailer"])
    queries = words.plural(int(pair["n_queries"]), "query", "queries")
    interval = f"{words.number(pair['low'])} to {words.number(pair['high'])}"
    tested = [
        Reading("95\u00a0% interval", interval, "Of this difference, for other queries of the same kind."),
        Reading(
            "p", p_value(pair["p"]), "Paired t-test with an allowance for hits that these queries may have missed."
        ),
        Reading("Holm, p", p_value(pair["holm"]), f"Adjusted for {words.plural(n_pairs, 'pair')}: {pair['verdict']}."),
        Reading(
            "Sensitivity",
            words.number(pair["sensitivity"]),
            "Smallest difference that these queries show for this pair with 80\u00a0% power.",
        ),
    ]
    return [
        Reading(
            "Difference",
            words.number(pair["difference"]),
            "No difference." if pair["difference"] == 0 else f"Mean difference over {queries}, in favour of {leader}.",
        ),
        *([] if math.isnan(pair["p"]) else tested),
        Reading(
            "Tie risk",
            words.share(pair["tie_risk"]),
            f"Chance that one random tie-break does not keep {leader} ahead on these queries.",
        ),
        *([Reading("Note", "", f"{capitalised(pair['note'])}.")] if pair["note"] else []),
        *(
            Reading(in_markdown(words.known_as(name)), words.REVERSED, f"Under this tie-break {trailer} ranks higher.")
            for name in pair["reversed_by"]
        ),
    ]

"""What is known of each two features, in sentences: whether ties, and whether other queries, could undo their order."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import pandas as pd

from tiecore.stability import Stability
from tiecore.stability.sentences import Writing, unequal_lists
from tiecore.stability.sentences import pair_sentence as plain_pair_sentence
from tiecore_dashboard.ui import words
from tiecore_dashboard.ui.words import MEANINGS, VERDICTS, bold, capitalised, in_markdown, p_value

__all__ = ["HTML", "Reading", "most_interesting", "pair_sentence", "pairs_answer", "readings"]

HTML = Writing(feature=bold, tie_break=words.tie_break_in_html, number=words.unbroken, real="<em>real</em>")

_SIGNIFICANT = 0.05
_PREDICATES = {
    "real": ("is", "are", "real"),
    "these queries": ("holds for", "hold for", "these queries only"),
    "ties decide": ("is", "are", "decided by ties"),
    "undecided": ("is", "are", "undecided"),
    "equal": ("is", "are", "equal"),
}
"""Each verdict as the end of a clause, with its verb for one pair and for many."""
_EFFECTS = ((0.2, "negligible"), (0.5, "small"), (0.8, "medium"))


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
    elif count["real"]:
        others = [_counted(name, count[name]) for name in found if name != "real"]
        of_all = f" of {words.plural(len(pairs), 'difference')}"
        sentence = f"{_counted('real', count['real'], of_all)}; {words.enumerate_names(others, most=5)}."
    else:
        each = [_counted(name, count[name]) for name in found]
        sentence = f"No difference is real: of {total} {words.enumerate_names(each, most=5)}."
    drawn = (
        [
            f"Ties count as settled where the leader is ahead in 95 % of {words.count(stable.draws)} random "
            "tie-breaks: rarer reversals remain possible."
        ]
        if stable.draws
        else []
    )
    return sentence, [*unequal, *drawn, *_of_tie_breaks(pairs)]


def _of_tie_breaks(pairs: pd.DataFrame) -> list[str]:
    """Say how many orders tie-breaks reverse, and how many differences gain or lose significance by one."""
    lines = []
    for column, before, after in (
        ("reversed_by", "The order of", "reversed by a tie-break"),
        ("significance_changed_by", "The significance of", "changed by a tie-break"),
    ):
        n_changed = int(pairs[column].map(bool).sum())
        if not n_changed:
            continue
        changes = Counter(name for names in pairs[column] for name in names)
        parts = [f"{words.count(n)} by {words.tie_break_in_html(name)}" for name, n in changes.most_common()]
        several = " (a pair can count for several)" if changes.total() > n_changed else ""
        listed = words.enumerate_names(parts, most=6)
        lines.append(f"{before} {words.plural(n_changed, 'pair')} is {after}: {listed}{several}.")
    return lines


def most_interesting(pairs: pd.DataFrame) -> tuple[str, str]:
    """Return the pair nearest to the top that ties decide; else one that queries leave open; else the first.

    >>> pairs = pd.DataFrame({"leader": list("aab"), "trailer": list("bcc"), "reversed_by": [()] * 3})
    >>> most_interesting(pairs.assign(verdict=["real", "these queries", "ties decide"]))
    ('b', 'c')
    """
    open_to_ties = pairs["verdict"].isin(["ties decide", "undecided"]) | pairs["reversed_by"].map(bool)
    for rows in (open_to_ties, pairs["verdict"].eq("these queries")):
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
    n_queries = int(pair["n_queries"])
    queries = words.plural(n_queries, "query", "queries")
    is_significant = pair["queries"] == "significant"
    effect = abs(pair["effect"])
    size = next((text for limit, text in _EFFECTS if effect < limit), "large")
    n_equal = n_queries - int(pair["better"]) - int(pair["worse"])
    rows = [
        Reading(
            "Difference",
            words.number(pair["difference"]),
            "No difference." if pair["difference"] == 0 else f"Mean difference over {queries}, in favour of {leader}.",
        ),
        Reading(
            "Queries",
            f"{words.count(pair['better'])} : {words.count(pair['worse'])}",
            f"{leader} is better in {words.count(pair['better'])}, {trailer} in {words.count(pair['worse'])}"
            f"{f'; no difference in {words.count(n_equal)}' if n_equal else ''}.",
        ),
        Reading(
            "SD from ties",
            words.number(pair["sd_ties"]),
            "Ties change nothing."
            if pair["sd_ties"] == 0
            else "Standard deviation of the difference under random tie-breaks.",
        ),
        Reading(
            "SE from queries",
            words.number(pair["sd_queries"]),
            "One query cannot say what others would show."
            if n_queries == 1
            else "Standard error of the difference over queries of this kind.",
        ),
        Reading("Paired t-test, p", p_value(pair["t_p"]), _test_meaning(pair["t_p"])),
        *_randomised(pair),
        *_rare(pair),
        Reading(
            "Holm, p",
            p_value(pair["holm"]),
            f"Adjusted for {words.plural(n_pairs, 'pair')}: {'' if is_significant else 'not '}significant at 5\u00a0%.",
        ),
        Reading(
            "Benjamini–Hochberg, p",
            p_value(pair["bh"]),
            f"{'S' if pair['bh'] <= _SIGNIFICANT else 'Not s'}ignificant with a false discovery rate of 5\u00a0%.",
        ),
        Reading(
            "Effect size d",
            "∞" if math.isinf(effect) else words.number(pair["effect"]),
            "Every query shows the same difference."
            if math.isinf(effect)
            else f"Mean difference over its standard deviation across queries: {size} by Cohen’s rule.",
        ),
        *_power(pair),
    ]
    return [*rows, *_changes(pair, trailer=trailer, is_significant=is_significant)]


def _rare(pair: pd.Series) -> list[Reading]:
    if math.isnan(pair["rare_p"]):  # hardly another p than that of the test
        return []
    meaning = "As the t-test, but with room for rare queries that go the other way; it counts where it is the larger."
    return [Reading("Allowing for rare hits, p", p_value(pair["rare_p"]), meaning)]


def _randomised(pair: pd.Series) -> list[Reading]:
    if math.isnan(pair["randomisation_p"]):  # left out where the t-test decides
        return []
    meaning = "The test that decides below 30 queries: it does not assume a normal distribution."
    return [Reading("Randomisation test, p", p_value(pair["randomisation_p"]), meaning)]


def _test_meaning(p: float) -> str:
    if p <= _SIGNIFICANT:
        return "Significant at 5\u00a0% for this pair by itself."
    return "Not significant: other queries could reverse the order."


def _power(pair: pd.Series) -> list[Reading]:
    """Say how many queries would settle the pair, and what breaking ties at random costs."""
    needed, once = pair["queries_needed"], pair["queries_needed_once"]
    if not math.isfinite(needed):
        return []
    price = f"; {words.count(once - needed)} more with ties broken once at random" if once > needed else ""
    meaning = f"To detect a difference of this size with 80\u00a0% power by a paired t-test{price}."
    return [Reading("Queries needed", words.count(needed), meaning)]


def _changes(pair: pd.Series, *, trailer: str, is_significant: bool) -> list[Reading]:
    """Say what each tie-break changes about the pair."""
    of_tie_break: dict[str, list[str]] = {}
    for name in pair["reversed_by"]:
        of_tie_break.setdefault(name, []).append(f"{trailer} ranks higher")
    for name in pair["significance_changed_by"]:
        change = "the difference is no longer significant" if is_significant else "the difference becomes significant"
        of_tie_break.setdefault(name, []).append(change)
    return [
        Reading(in_markdown(words.known_as(name)), words.REVERSED, f"Under this tie-break {' and '.join(changes)}.")
        for name, changes in of_tie_break.items()
    ]
